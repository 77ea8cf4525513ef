; EI, HALT with a request pending: the handler returns to the HALT
;
; EI right before HALT with a request pending is a case of its own: the handler runs, but it returns
; to the HALT, not behind it. (Pan Docs, "halt")
;
; @timer: Where

Test:
        LD A, 4 :: LDH [rIE], A :: LDH [rIF], A
        EI
Sleep:  HALT
        NOP
        DI
        LD A, [wCount] :: CHECK 2
        LD A, [wSeen] :: CHECK LOW(Sleep)       ; first time: back to the HALT
        LD A, [wSeen + 1] :: CHECK LOW(Sleep + 1)
        JP Pass
Where:  POP HL :: PUSH HL
        LD A, [wCount] :: ADD A, LOW(wSeen) :: LD E, A :: LD D, HIGH(wSeen) :: LD A, L :: LD [DE], A
        LD A, 5 :: LDH [rTAC], A                ; the timer ends the second sleep
        JP Count
