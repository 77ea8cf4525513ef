; clearing DIV while its watched bit is set ticks TIMA
;
; TIMA counts the falling edges of a bit of the divider, ANDed with the enable bit of TAC. So TIMA
; also ticks when a write to DIV clears the divider while that bit is set. (Pan Docs, "Relation
; between Timer and Divider register"; mooneye acceptance/timer/div_write)

Test:
        LD A, 5 :: LDH [rTAC], A
        XOR A :: LDH [rDIV], A :: LDH [rTIMA], A
        LDH [rDIV], A :: LDH A, [rTIMA] :: CHECK 2
        XOR A :: LDH [rDIV], A :: LDH [rTIMA], A
        NOP
        LDH [rDIV], A :: LDH A, [rTIMA] :: CHECK 2
        XOR A :: LDH [rDIV], A :: LDH [rTIMA], A
        NOP
        NOP
        LDH [rDIV], A :: LDH A, [rTIMA] :: CHECK 2
        XOR A :: LDH [rDIV], A :: LDH [rTIMA], A
        NOP
        NOP
        NOP
        LDH [rDIV], A :: LDH A, [rTIMA] :: CHECK 2
        XOR A :: LDH [rDIV], A :: LDH [rTIMA], A
        NOP
        NOP
        NOP
        NOP
        LDH [rDIV], A :: LDH A, [rTIMA] :: CHECK 3
        JP Pass
