; writes to video memory are lost in mode 3 and arrive in mode 0
;
; The PPU keeps the CPU out. (Pan Docs, "Accessing VRAM and OAM")
;
; @pyboy: lost in mode 3: gbmicrotest vram_write_l0_c, _l1_c; Pan Docs, Accessing VRAM and OAM

Test:
        CALL LcdOff
        LD HL, $9000 :: LD [HL], $5A
        LD A, $91 :: LDH [rLCDC], A
        LD B, 20 :: CALL WaitLine
.three: LDH A, [rSTAT] :: AND 3 :: CP 3 :: JR NZ, .three
        LD [HL], $11
.zero:  LDH A, [rSTAT] :: AND 3 :: JR NZ, .zero
        LD A, [HL] :: CHECK $5A
        LD [HL], $22 :: LD A, [HL] :: CHECK $22
        JP Pass
