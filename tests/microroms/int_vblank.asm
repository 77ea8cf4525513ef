; line 144 interrupts at $40
;
; The hardware itself raises each of the five interrupts, no write to IF does, and the handler must
; have run, once. (Pan Docs, "Interrupt Sources")
;
; @vblank: Count
; @frames: 60

Test:
        LD B, 140 :: CALL WaitLine
        XOR A :: LDH [rIF], A :: LD A, 1
        INCLUDE "wait.inc"
