; TIMA overflow interrupts at $50
;
; The hardware itself raises each of the five interrupts, no write to IF does, and the handler must
; have run, once. (Pan Docs, "Interrupt Sources")
;
; @timer: Count
; @frames: 60

Test:
        LD A, $F0 :: LDH [rTIMA], A :: XOR A :: LDH [rTMA], A
        LD A, 5 :: LDH [rTAC], A :: LD A, 4
        INCLUDE "wait.inc"
