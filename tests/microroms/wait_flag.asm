; a loop that polls IF
;
; The emulator jumps over loops that only wait, and DIV shows whether a program can notice. Whatever
; ends a loop must end it at the right time. Here it is a flag of IF. (Pan Docs, "Timer and Divider
; Registers")
;
; @timer: Count

Test:
        INCLUDE "tick.inc"
.wait:  LDH A, [rIF] :: AND 4 :: JR Z, .wait
        LDH A, [rDIV] :: CHECK 16
        LD A, [wCount] :: CHECK 0
        EI
        NOP
        DI
        LD A, [wCount] :: CHECK 1
        JP Pass
