; a button going down interrupts at $60
;
; The hardware itself raises each of the five interrupts, no write to IF does, and the handler must
; have run, once. (Pan Docs, "Interrupt Sources")
;
; @joypad: Count
; @frames: 60
; @buttons: 4 START

Test:
        LD A, $10 :: LDH [rP1], A                           ; A B SELECT START are wired through
        LD B, 10 :: CALL WaitLine
        XOR A :: LDH [rIF], A :: LD A, 16
        INCLUDE "wait.inc"
