; INC DE with DE in FE00-FEFF garbles OAM in mode 2
;
; A 16-bit register that counts through FE00-FEFF in mode 2 drives the address bus and garbles OAM.
; (Pan Docs, "OAM Corruption Bug"; blargg oam_bug)
;
; @pyboy: OAM is garbled: blargg oam_bug/2-causes; Pan Docs, OAM Corruption Bug

Test:
        CALL LcdOff
        LD DE, $FD00 :: CALL Try :: CHECK 0
        LD DE, $FE00 :: CALL Try :: CHECK 1
        JP Pass
Try:    LD HL, $FE00
.fill:  LD A, L :: LD [HL+], A :: LD A, L :: CP 160 :: JR NZ, .fill
        LD A, $91 :: LDH [rLCDC], A
        LD B, 20 :: CALL WaitLine
.two:   LDH A, [rSTAT] :: AND 3 :: CP 2 :: JR NZ, .two
        INC DE :: DEC DE
        CALL LcdOff
        LD HL, $FE00
.same:  LD A, [HL] :: CP L :: LD A, 1 :: RET NZ             ; 1: something has changed
        INC L :: LD A, L :: CP 160 :: JR NZ, .same
        XOR A
        RET
