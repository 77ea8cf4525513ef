; what is written after the last line's mode 3 is not in the picture
;
; A tile that fills the screen has a black row from the horizontal blank of line 143 to line 150. No line is drawn in between.
;
; @picture: 144 0x160

Test:
        CALL LcdOff
        LD HL, $8000
.clear: XOR A :: LD [HL+], A :: LD A, H :: CP $A0 :: JR NZ, .clear
        LD A, $91 :: LDH [rLCDC], A
        LD A, 1 :: LD [wResult + 2], A
        LD BC, $0305 :: LD DE, $080D :: LD HL, $1522
.line:  LDH A, [rLY] :: CP 143 :: JR NZ, .line
.draw:  LDH A, [rSTAT] :: AND 3 :: CP 3 :: JR NZ, .draw
.blank: LDH A, [rSTAT] :: AND 3 :: JR NZ, .blank
        LD A, $FF :: LD [$8000], A
.wait:  LDH A, [rLY] :: CP 150 :: JR NZ, .wait
        XOR A :: LD [$8000], A :: JR .line
