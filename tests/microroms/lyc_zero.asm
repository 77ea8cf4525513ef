; LYC=0 matches in line 153 already
;
; Line 153 reads 153 for one M-cycle; then LY is 0, and LYC = 0 matches. (Pan Docs, "LY"; gbmicrotest
; line_153_lyc0_stat_timing)
;
; @stat: Clear
; @pyboy: LY is 0, and compared, for most of line 153: gbmicrotest line_153_lyc0_stat_timing_*; Pan Docs, LY

Test:
        XOR A :: LDH [rLYC], A
        LD B, 140 :: CALL WaitLine
        LD A, $40 :: LDH [rSTAT], A :: LD A, 2 :: LDH [rIE], A
        XOR A :: LDH [rIF], A
        EI
        HALT
        NOP
        DI
.one:   LDH A, [rLY] :: CP 1 :: JR NZ, .one
        LDH A, [rDIV] :: CHECK 3                            ; some 210 M-cycles later; line 0 alone has 114
        LD A, [wCount] :: CHECK 1
        JP Pass
Clear:  LDH [rDIV], A :: JP Count
