; the four speeds of TAC
;
; TIMA counts the falling edges of one bit of the counter behind DIV; TAC says of which. (Pan Docs,
; "Timer Obscure Behaviour")

Test:
        LD A, 4 :: LDH [rTAC], A
        XOR A :: LDH [rDIV], A :: LDH [rTIMA], A :: LD C, 0
.w0:    LDH A, [rDIV] :: CP 64 :: JR C, .w0
        LDH A, [rTIMA] :: CHECK 16
        LD A, 5 :: LDH [rTAC], A
        XOR A :: LDH [rDIV], A :: LDH [rTIMA], A :: LD C, 0
.w1:    LDH A, [rDIV] :: CP 4 :: JR C, .w1
        LDH A, [rTIMA] :: SRL A :: SRL A :: CHECK 16
        LD A, 6 :: LDH [rTAC], A
        XOR A :: LDH [rDIV], A :: LDH [rTIMA], A :: LD C, 0
.w2:    LDH A, [rDIV] :: CP 4 :: JR C, .w2
        LDH A, [rTIMA] :: CHECK 16
        LD A, 7 :: LDH [rTAC], A
        XOR A :: LDH [rDIV], A :: LDH [rTIMA], A :: LD C, 0
.w3:    LDH A, [rDIV] :: CP 4 :: JR C, .w3
        LDH A, [rTIMA] :: CHECK 4
        JP Pass
