; OAM reads FF in modes 2 and 3 and the truth in mode 0
;
; The PPU keeps the CPU out. (Pan Docs, "Accessing VRAM and OAM")

Test:
        CALL LcdOff
        LD HL, $FE00 :: LD [HL], $5A
        LD A, $91 :: LDH [rLCDC], A
        LD B, 20 :: CALL WaitLine
.three: LDH A, [rSTAT] :: AND 3 :: CP 3 :: JR NZ, .three
        LD A, [HL] :: CHECK $FF
.zero:  LDH A, [rSTAT] :: AND 3 :: JR NZ, .zero
        LD A, [HL] :: CHECK $5A
.two:   LDH A, [rSTAT] :: AND 3 :: CP 2 :: JR NZ, .two
        LD A, [HL] :: CHECK $FF
        JP Pass
