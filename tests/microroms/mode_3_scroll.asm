; SCX makes mode 3 longer
;
; A scroll by n pixels makes mode 3 n dots longer. STAT is read once in four dots: it shows nothing of 1 to
; 3, and one M-cycle of 4 to 7. (Pan Docs, "Mode 3 length"; GBMicrotest ppu_sprite0_scx3_b, win0_scx3_b)
;
; @frames: 90
; @pyboy: SCX modulo 8 makes mode 3 longer: GBMicrotest ppu_sprite0_scx3_b; Pan Docs, Mode 3 length

Test:
        INCLUDE "clean.inc"
        LD B, 40 :: LD C, 0 :: CALL First :: LD D, A
        LD A, 3 :: LDH [rSCX], A
        LD B, 40 :: LD C, 0 :: CALL First :: SUB D :: CHECK 0
        LD A, 4 :: LDH [rSCX], A
        LD B, 40 :: LD C, 0 :: CALL First :: SUB D :: CHECK 1
        LD A, 7 :: LDH [rSCX], A
        LD B, 40 :: LD C, 0 :: CALL First :: SUB D :: CHECK 1
        LD A, 8 :: LDH [rSCX], A
        LD B, 40 :: LD C, 0 :: CALL First :: SUB D :: CHECK 0
        INCLUDE "first.inc"
