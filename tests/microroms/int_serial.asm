; a finished transfer interrupts at $58
;
; The hardware itself raises each of the five interrupts, no write to IF does, and the handler must
; have run, once. (Pan Docs, "Interrupt Sources")
;
; @serial: Count
; @frames: 60

Test:
        LD A, $AA :: LDH [rSB], A
        LD A, $81 :: LDH [rSC], A :: LD A, 8
        INCLUDE "wait.inc"
