; SCX changed twice during the picture
;
; SCX is changed during HBlank of lines 47 and 95. The picture moves from there on, not before.
;
; @stat: Split
; @picture: 48 3x8 0x24 3x8 0x24 3x8 0x24 3x8 0x24 3x8 0x24
; @picture: 48 3x5 0x24 3x8 0x24 3x8 0x24 3x8 0x24 3x8 0x24 3x3
; @picture: 48 0x19 3x8 0x24 3x8 0x24 3x8 0x24 3x8 0x24 3x8 0x5

Test:
        INCLUDE "tiles.inc"
        LD HL, $9800
.map:   LD A, L :: AND 3 :: CP 1 :: LD A, 0 :: ADC A, A :: LD [HL+], A      ; every fourth column black
        LD A, H :: CP $9C :: JR NZ, .map
        LD A, 47 :: LDH [rLYC], A :: LD A, $91 :: LDH [rLCDC], A
        INCLUDE "frames.inc"
Split:  PUSH AF :: CALL HBlank
        LDH A, [rLYC] :: CP 47 :: JR NZ, .second
        LD A, 3 :: LDH [rSCX], A :: LD A, 95 :: JR .next
.second: CP 95 :: JR NZ, .third
        LD A, 13 :: LDH [rSCX], A :: LD A, 143 :: JR .next
.third: XOR A :: LDH [rSCX], A :: LD A, 47
.next:  LDH [rLYC], A :: POP AF :: JP Count
