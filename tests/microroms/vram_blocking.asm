; VRAM reads $FF in mode 3 and the truth in mode 0
;
; Video memory cannot be read while it is drawn from, in mode 3. (Pan Docs, "Accessing VRAM and OAM")

Test:
        CALL LcdOff
        LD HL, $9000 :: LD [HL], $5A
        LD A, $91 :: LDH [rLCDC], A
        LD B, 20 :: CALL WaitLine
.three: LDH A, [rSTAT] :: AND 3 :: CP 3 :: JR NZ, .three
        LD A, [HL] :: CHECK $FF
.zero:  LDH A, [rSTAT] :: AND 3 :: JR NZ, .zero
        LD A, [HL] :: CHECK $5A
        JP Pass
