; An object that is fetched while OAM DMA runs shows the bytes under way
;
; DMA takes OAM away from the PPU: the object's tile and attributes are the two bytes that are just being copied,
; and on the next line no object is found. (SameBoy, display.c.)
;
; @frames: 3
; @picture: 60 0x160
; @picture: 3 0x72 3x8 0x24 3x8 0x48
; @picture: 1 0x72 1x8 0x24 1x8 0x48
; @picture: 80 0x160
; @pyboy: DMA, which takes 160 M-cycles, keeps objects from being read: SameBoy, display.c

Test:
        CALL LcdOff
        LD HL, $8010 :: LD B, 16 :: LD A, $FF
.black: LD [HL+], A :: DEC B :: JR NZ, .black
        LD B, 8
.light: LD [HL], $FF :: INC HL :: LD [HL], 0 :: INC HL :: DEC B :: JR NZ, .light
        LD HL, $FE00 :: LD DE, $C100 :: LD B, 80                ; Y 2, X 0, tile 2, attributes 0: off the screen
.same:  LD A, 2 :: LD [HL+], A :: LD [DE], A :: INC E :: XOR A :: LD [HL+], A :: LD [DE], A :: INC E
        DEC B :: JR NZ, .same
        LD HL, $FE00                                            ; two of them come into it, with tile 1
        LD [HL], 76 :: INC L :: LD [HL], 80 :: INC L :: LD [HL], 1 :: INC L :: INC L
        LD [HL], 76 :: INC L :: LD [HL], 112 :: INC L :: LD [HL], 1
        LD HL, Routine :: LD DE, $FF80 :: LD B, RoutineEnd - Routine
.copy:  LD A, [HL+] :: LD [DE], A :: INC DE :: DEC B :: JR NZ, .copy
        LD A, $E4 :: LDH [rOBP0], A
        LD A, $92 :: LDH [rLCDC], A
        LD B, 144 :: CALL WaitLine                              ; the first frame stays blank
        LD B, 63 :: CALL WaitLine
        NOP :: NOP :: NOP :: NOP :: NOP :: NOP :: NOP :: NOP
        LD A, $C1 :: CALL $FF80
        JP Pass
Routine: LDH [rDMA], A :: LD A, 40
.spin:  DEC A :: JR NZ, .spin
        RET
RoutineEnd:
