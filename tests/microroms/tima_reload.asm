; after an overflow TIMA is 0 for one M-cycle, then TMA
;
; TIMA counts the falling edges of one bit of the counter, and after an overflow it reads zero for one
; M-cycle before TMA is loaded. (Pan Docs, "Timer Obscure Behaviour")

Test:
        LD A, 5 :: LDH [rTAC], A :: LD A, $23 :: LDH [rTMA], A
        XOR A :: LDH [rDIV], A :: LD A, $FE :: LDH [rTIMA], A
        NOP
        NOP
        NOP
        LDH A, [rTIMA] :: LD [wSeen + 3], A
        XOR A :: LDH [rDIV], A :: LD A, $FE :: LDH [rTIMA], A
        NOP
        NOP
        NOP
        NOP
        LDH A, [rTIMA] :: LD [wSeen + 4], A
        XOR A :: LDH [rDIV], A :: LD A, $FE :: LDH [rTIMA], A
        NOP
        NOP
        NOP
        NOP
        NOP
        LDH A, [rTIMA] :: LD [wSeen + 5], A
        LD A, [wSeen + 3] :: CHECK $FF      ; read 11 M-cycles behind the write to DIV,
        LD A, [wSeen + 4] :: CHECK $00      ; 12,
        LD A, [wSeen + 5] :: CHECK $23      ; and 13
        LDH A, [rIF] :: AND 4 :: CHECK 4
        JP Pass
