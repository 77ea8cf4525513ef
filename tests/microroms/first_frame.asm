; the first frame after the LCD is switched on is not seen
;
; All tiles are black, but the LCD is switched off and on again at the end of each frame: each is a first one, during which the
; screen stays blank. (Pan Docs, "LCDC.7")
;
; @picture: 144 0x160

Test:
        CALL LcdOff
        LD HL, $8000
.black: LD A, $FF :: LD [HL+], A :: LD A, H :: CP $98 :: JR NZ, .black
        LD A, 1 :: LD [wResult + 2], A
        LD BC, $0305 :: LD DE, $080D :: LD HL, $1522
.frame: LD A, $91 :: LDH [rLCDC], A
.wait:  LDH A, [rLY] :: CP 144 :: JR NZ, .wait
        XOR A :: LDH [rLCDC], A :: JR .frame
