; LY shows 153 for a moment only
;
; Line 153 reads 153 for one M-cycle; seen by polling, 153 is read once at most. (Pan Docs, "LY";
; gbmicrotest line_153_ly)
;
; @pyboy: 153 is seen for one M-cycle: gbmicrotest line_153_ly_*

Test:
        LD B, 152 :: CALL WaitLine
        LD C, 0
.more:  LDH A, [rLY] :: CP 153 :: JR NZ, .other
        INC C
.other: AND A :: JR NZ, .more
        LD A, C :: CP 2 :: LD A, 0 :: ADC A, A :: CHECK 1   ; seen once at most
        JP Pass
