; A frame in which the LCD is switched off is blank as a whole
;
; Without its signal the screen shows nothing, not the lines that were sent before either. (Pan Docs, "LCDC.7"; SameBoy.)
;
; @frames: 3
; @picture: 144 0x160
; @pyboy: the whole frame is blank, not only what would follow: Pan Docs, LCDC.7

Test:
        CALL LcdOff
        LD A, $FF :: LDH [rBGP], A
        LD A, $91 :: LDH [rLCDC], A
        LD B, 144 :: CALL WaitLine
        LD B, 72 :: CALL WaitLine
        XOR A :: LDH [rLCDC], A
        JP Pass
