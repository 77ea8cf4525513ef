; the window goes on at its own line after a pause
;
; The window is switched off for lines 40 to 79. It goes on where it stopped, not where it would be by
; now.
;
; @stat: Pause
; @picture: 8 1x33 0x127
; @picture: 8 1x33 3x127
; @picture: 8 1x33 0x127
; @picture: 8 1x33 3x127
; @picture: 8 1x33 0x127
; @picture: 40 1x160
; @picture: 8 1x33 3x127
; @picture: 8 1x33 0x127
; @picture: 8 1x33 3x127
; @picture: 8 1x33 0x127
; @picture: 8 1x33 3x127
; @picture: 8 1x33 0x127
; @picture: 8 1x33 3x127
; @picture: 8 1x33 0x127

Test:
        INCLUDE "tiles.inc"
        LD HL, $9800
.map:   LD A, 2 :: LD [HL+], A :: LD A, H :: CP $9C :: JR NZ, .map
.win:   LD A, L :: AND $20 :: SWAP A :: RRCA :: LD [HL+], A     ; the window: rows in turn white and black
        LD A, H :: CP $A0 :: JR NZ, .win
        XOR A :: LDH [rWY], A :: LD A, 40 :: LDH [rWX], A       ; its left edge in column 33
        LD A, 39 :: LDH [rLYC], A :: LD A, $F1 :: LDH [rLCDC], A
        INCLUDE "frames.inc"
Pause:  PUSH AF :: CALL HBlank
        LDH A, [rLYC] :: CP 39 :: LD A, $D1 :: JR Z, .set       ; off ...
        LD A, $F1                                               ; ... and on again
.set:   LDH [rLCDC], A
        LDH A, [rLYC] :: CP 39 :: LD A, 79 :: JR Z, .next
        LD A, 39
.next:  LDH [rLYC], A :: POP AF :: JP Count
