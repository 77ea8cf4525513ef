; SCX makes mode 3 longer
;
; A scroll by 1 to 4 pixels makes mode 3 one M-cycle longer and by 5 to 7 two. (Pan Docs, "Mode 3
; length"; mooneye hblank_ly_scx_timing)
;
; @frames: 90

Test:
        INCLUDE "clean.inc"
        LD B, 40 :: LD C, 0 :: CALL First :: LD D, A
        LD A, 1 :: LDH [rSCX], A
        LD B, 40 :: LD C, 0 :: CALL First :: SUB D :: CHECK 1
        LD A, 4 :: LDH [rSCX], A
        LD B, 40 :: LD C, 0 :: CALL First :: SUB D :: CHECK 1
        LD A, 5 :: LDH [rSCX], A
        LD B, 40 :: LD C, 0 :: CALL First :: SUB D :: CHECK 2
        LD A, 7 :: LDH [rSCX], A
        LD B, 40 :: LD C, 0 :: CALL First :: SUB D :: CHECK 2
        LD A, 8 :: LDH [rSCX], A
        LD B, 40 :: LD C, 0 :: CALL First :: SUB D :: CHECK 0
        INCLUDE "first.inc"
