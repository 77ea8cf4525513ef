; the window makes mode 3 longer
;
; The window makes mode 3 six dots longer. (Pan Docs, "Mode 3 length")
;
; @frames: 60
; @pyboy: 6 dots for the window: gbmicrotest win0_* to win15_*; Pan Docs, Mode 3 length

Test:
        INCLUDE "clean.inc"
        LD B, 40 :: LD C, 0 :: CALL First :: LD D, A
        LD A, 50 :: LDH [rWX], A :: XOR A :: LDH [rWY], A :: LD A, $B1 :: LDH [rLCDC], A
        LD B, 40 :: LD C, 0 :: CALL First :: SUB D :: CHECK 1
        LD A, 170 :: LDH [rWX], A
        LD B, 40 :: LD C, 0 :: CALL First :: SUB D :: CHECK 0
        INCLUDE "first.inc"
