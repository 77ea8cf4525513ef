; switched off LY is 0; the first line begins in mode 0
;
; When the LCD is switched on its first line has no mode 2; STAT reads mode 0, then 3. (Pan Docs,
; "LCDC.7")

Test:
        CALL LcdOff
        LDH A, [rLY] :: CHECK 0
        LDH A, [rSTAT] :: AND 3 :: CHECK 0
        LD A, $91 :: LDH [rLCDC], A :: LDH [rDIV], A
        LDH A, [rSTAT] :: AND 3 :: CHECK 0
.three: LDH A, [rSTAT] :: AND 3 :: JR Z, .three
        CHECK 3                                             ; and goes on with mode 3
.one:   LDH A, [rLY] :: AND A :: JR Z, .one
        LDH A, [rDIV] :: CHECK 1
        JP Pass
