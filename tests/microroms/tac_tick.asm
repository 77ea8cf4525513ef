; stopping the timer while the watched bit is set ticks TIMA
;
; TIMA counts the falling edges of a bit of the divider, ANDed with the enable bit of TAC. So TIMA
; also ticks when TAC stops the timer while that bit is set. (Pan Docs, "Relation between Timer and
; Divider register"; mooneye acceptance/timer/rapid_toggle)

Test:
        LD A, 5 :: LDH [rTAC], A :: XOR A :: LDH [rDIV], A :: LDH [rTIMA], A :: LD A, 1
        LDH [rTAC], A :: LDH A, [rTIMA] :: CHECK 2
        LD A, 5 :: LDH [rTAC], A :: XOR A :: LDH [rDIV], A :: LDH [rTIMA], A :: LD A, 1
        NOP
        LDH [rTAC], A :: LDH A, [rTIMA] :: CHECK 2
        LD A, 5 :: LDH [rTAC], A :: XOR A :: LDH [rDIV], A :: LDH [rTIMA], A :: LD A, 1
        NOP
        NOP
        LDH [rTAC], A :: LDH A, [rTIMA] :: CHECK 3
        LD A, 5 :: LDH [rTAC], A :: XOR A :: LDH [rDIV], A :: LDH [rTIMA], A :: LD A, 1
        NOP
        NOP
        NOP
        LDH [rTAC], A :: LDH A, [rTIMA] :: CHECK 3
        LD A, 5 :: LDH [rTAC], A :: XOR A :: LDH [rDIV], A :: LDH [rTIMA], A :: LD A, 1
        NOP
        NOP
        NOP
        NOP
        LDH [rTAC], A :: LDH A, [rTIMA] :: CHECK 3
        JP Pass
