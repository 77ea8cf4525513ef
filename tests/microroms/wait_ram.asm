; a loop that polls work RAM ends when a handler has written it
;
; The emulator jumps over loops that only wait, and DIV shows whether a program can notice. Whatever
; ends a loop must end it at the right time. Here it is a handler that changes the polled byte. (Pan
; Docs, "Timer and Divider Registers")
;
; @timer: Count

Test:
        INCLUDE "tick.inc"
        EI
.wait:  LD A, [wCount] :: CP 3 :: JR NZ, .wait
        DI
        LDH A, [rDIV] :: CHECK 48                           ; 3 times 1,024 M-cycles
        LD A, [wCount] :: CHECK 3
        JP Pass
