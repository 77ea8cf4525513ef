; objects make mode 3 longer, the eleventh does not
;
; An object makes mode 3 longer by 6 to 11 dots. Ten objects on top of each other take 65 dots, and
; the eleventh costs nothing, since it is not drawn. (Pan Docs, "Mode 3 length"; mooneye
; intr_2_mode0_timing_sprites)
;
; @frames: 120
; @pyboy: 6 to 11 dots each, ten at most: mooneye ppu/intr_2_mode0_timing_sprites

Test:
        INCLUDE "clean.inc"
        LD B, 40 :: LD C, 0 :: CALL First :: LD D, A
        CALL LcdOff
        LD HL, $FE00 :: LD B, 1
.obj1:  LD A, 64 :: LD [HL+], A :: LD A, 8 :: LD [HL+], A
        XOR A :: LD [HL+], A :: LD [HL+], A :: DEC B :: JR NZ, .obj1
        LD A, $97 :: LDH [rLCDC], A
        LD B, 40 :: LD C, 0 :: CALL First :: SUB D :: CHECK 2
        CALL LcdOff
        LD HL, $FE00 :: LD B, 2
.obj2:  LD A, 64 :: LD [HL+], A :: LD A, 8 :: LD [HL+], A
        XOR A :: LD [HL+], A :: LD [HL+], A :: DEC B :: JR NZ, .obj2
        LD A, $97 :: LDH [rLCDC], A
        LD B, 40 :: LD C, 0 :: CALL First :: SUB D :: CHECK 4
        CALL LcdOff
        LD HL, $FE00 :: LD B, 10
.obj10: LD A, 64 :: LD [HL+], A :: LD A, 8 :: LD [HL+], A
        XOR A :: LD [HL+], A :: LD [HL+], A :: DEC B :: JR NZ, .obj10
        LD A, $97 :: LDH [rLCDC], A
        LD B, 40 :: LD C, 0 :: CALL First :: SUB D :: CHECK 16
        CALL LcdOff
        LD HL, $FE00 :: LD B, 11
.obj11: LD A, 64 :: LD [HL+], A :: LD A, 8 :: LD [HL+], A
        XOR A :: LD [HL+], A :: LD [HL+], A :: DEC B :: JR NZ, .obj11
        LD A, $97 :: LDH [rLCDC], A
        LD B, 40 :: LD C, 0 :: CALL First :: SUB D :: CHECK 16
        CALL LcdOff
        LD HL, $FE00 :: LD B, 40
.obj40: LD A, 64 :: LD [HL+], A :: LD A, 8 :: LD [HL+], A
        XOR A :: LD [HL+], A :: LD [HL+], A :: DEC B :: JR NZ, .obj40
        LD A, $97 :: LDH [rLCDC], A
        LD B, 40 :: LD C, 0 :: CALL First :: SUB D :: CHECK 16
        CALL LcdOff
        LD HL, $FE00 :: LD B, 12
.obj12: LD A, 64 :: LD [HL+], A :: LD A, 170 :: LD [HL+], A
        XOR A :: LD [HL+], A :: LD [HL+], A :: DEC B :: JR NZ, .obj12
        LD A, $97 :: LDH [rLCDC], A
        LD B, 40 :: LD C, 0 :: CALL First :: SUB D :: CHECK 0
        INCLUDE "first.inc"
