; of fourteen objects on a line ten are drawn
;
; Of fourteen objects on the same lines the first ten in OAM are drawn.
;
; @picture: 40 0x160
; @picture: 8 0x4 3x8 0x3 3x8 0x3 3x8 0x3 3x8 0x3 3x8 0x3 3x8 0x3 3x8 0x3 3x8 0x3 3x8 0x3 3x8 0x49
; @picture: 96 0x160

Test:
        INCLUDE "tiles.inc"
        LD HL, $9800
.map:   XOR A :: LD [HL+], A :: LD A, H :: CP $9C :: JR NZ, .map
        LD HL, $FE00 :: LD B, 14 :: LD C, 12
.obj:   LD A, 56 :: LD [HL+], A :: LD A, C :: LD [HL+], A :: ADD A, 11 :: LD C, A   ; line 40, every 11 pixels
        LD A, 1 :: LD [HL+], A :: XOR A :: LD [HL+], A :: DEC B :: JR NZ, .obj
.rest:  LD A, L :: CP 160 :: JR Z, .done :: XOR A :: LD [HL+], A :: JR .rest
.done:  LD A, $93 :: LDH [rLCDC], A
        LD D, 4
.frame: LD B, 143 :: CALL WaitLine
        LD B, 144 :: CALL WaitLine
        DEC D :: JR NZ, .frame
        JP Pass
