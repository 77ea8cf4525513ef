; without the clock of a partner a transfer does not end
;
; With bit 0 of SC clear the partner clocks the transfer. Without a partner no clock comes, the
; transfer does not end, and a second write to SC starts one that does. (Pan Docs, "Serial Data
; Transfer")
;
; @serial: Count

Test:
        LD A, 8 :: LDH [rIE], A :: LD A, $80 :: LDH [rSC], A
        XOR A :: LDH [rIF], A :: LDH [rDIV], A
        EI
.wait:  LDH A, [rDIV] :: CP 40 :: JR C, .wait               ; 2,560 M-cycles
        LDH A, [rSC] :: CHECK $FE
        LD A, [wCount] :: CHECK 0
        LD A, $81 :: LDH [rSC], A
        HALT
        NOP
        DI
        LD A, [wCount] :: CHECK 1
        JP Pass
