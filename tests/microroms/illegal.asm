; an illegal opcode stops the CPU for good
;
; Before it the timer interrupts, and after it no more: then the handler would say that the test
; failed.
;
; @timer: Again
; @locked_by: $D3

Test:
        LD A, 4 :: LDH [rIE], A :: LDH [rIF], A
        EI
        NOP
        LD A, [wCount] :: CHECK 1           ; interrupts do arrive ...
        LD A, 1 :: LD [wResult + 2], A      ; (this is the result, unless one arrives again)
        LD A, 5 :: LDH [rTAC], A
        DB $D3
        LD A, $EE :: JP Fail
Again:  PUSH AF :: LD A, [wCount] :: AND A :: JP NZ, Fail
        POP AF :: JP Count
