; TMA written while it is loaded goes to TIMA as well
;
; In the M-cycle in which TMA is loaded into TIMA, a write to TMA goes through to TIMA. Here TIMA
; overflows 12 M-cycles behind the write to DIV. (Pan Docs, "Timer overflow behavior"; mooneye
; acceptance/timer/tma_write_reloading)

Test:
        LD A, 5 :: LDH [rTAC], A :: LD A, $23 :: LDH [rTMA], A :: LD HL, rTIMA
        XOR A :: LDH [rIF], A :: LDH [rDIV], A :: LD A, $FE :: LDH [rTIMA], A
        LD A, $77
        NOP
        NOP
        NOP
        LDH [rTMA], A
        LD A, [HL]
        CHECK $77
        LD A, $23 :: LDH [rTMA], A
        XOR A :: LDH [rIF], A :: LDH [rDIV], A :: LD A, $FE :: LDH [rTIMA], A
        LD A, $77
        NOP
        NOP
        NOP
        NOP
        LDH [rTMA], A
        LD A, [HL]
        CHECK $24
        JP Pass
