; LYC=LY interrupts at $48
;
; The hardware itself raises each of the five interrupts, no write to IF does, and the handler must
; have run, once. (Pan Docs, "Interrupt Sources")
;
; @stat: Count
; @frames: 60

Test:
        LD A, 100 :: LDH [rLYC], A
        LD B, 90 :: CALL WaitLine
        LD A, $40 :: LDH [rSTAT], A
        XOR A :: LDH [rIF], A :: LD A, 2
        INCLUDE "wait.inc"
