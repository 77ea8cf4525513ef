; the same through a pointer, with a handler that moves it
;
; The emulator jumps over loops that only wait, and DIV shows whether a program can notice. Whatever
; ends a loop must end it at the right time. Here it is a handler that changes the pointer to the
; polled byte. (Pan Docs, "Timer and Divider Registers")
;
; @timer: Move

Test:
        INCLUDE "tick.inc"
        LD HL, $C180 :: LD DE, $C181 :: LD A, 1 :: LD [DE], A
        EI
.wait:  LD A, [HL] :: AND A :: JR Z, .wait
        DI
        LDH A, [rDIV] :: CHECK 32
        LD A, L :: CHECK $81
        JP Pass
Move:   PUSH AF :: LD A, [wCount] :: AND A :: JR Z, .first
        INC L
.first: POP AF :: JP Count
