; a write to TIMA right after its overflow cancels reload and interrupt
;
; When TIMA overflows it reads 00 for one M-cycle; then TMA is loaded and the interrupt requested. A
; write to TIMA within that M-cycle cancels both. In the next one, when TMA is loaded, a write to TIMA
; is lost. Here TIMA overflows 12 M-cycles behind the write to DIV. (Pan Docs, "Timer overflow
; behavior"; mooneye acceptance/timer/tima_write_reloading)
;
; @pyboy: a write between overflow and reload cancels the interrupt, too: mooneye timer/tima_write_reloading

Test:
        LD A, 5 :: LDH [rTAC], A :: LD A, $23 :: LDH [rTMA], A :: LD HL, rTIMA
        XOR A :: LDH [rIF], A :: LDH [rDIV], A :: LD A, $FE :: LDH [rTIMA], A
        LD A, $40
        NOP
        LDH [rTIMA], A
        LD A, [HL]
        CHECK $41
        XOR A :: LDH [rIF], A :: LDH [rDIV], A :: LD A, $FE :: LDH [rTIMA], A
        LD A, $40
        NOP
        NOP
        LDH [rTIMA], A
        LD A, [HL]
        CHECK $40
        LDH A, [rIF] :: AND 4 :: CHECK 0
        XOR A :: LDH [rIF], A :: LDH [rDIV], A :: LD A, $FE :: LDH [rTIMA], A
        LD A, $40
        NOP
        NOP
        NOP
        LDH [rTIMA], A
        LD A, [HL]
        CHECK $23
        LDH A, [rIF] :: AND 4 :: CHECK 4
        JP Pass
