; unused bits of the sound registers read 1
;
; The emulator makes no sound, but games read the registers. Unused bits and those that are write-only
; read 1. (Pan Docs, "Audio Registers"; blargg dmg_sound 01, 11)

Test:
        XOR A :: LDH [rNR52], A :: LD A, $80 :: LDH [rNR52], A
        LD HL, rNR10 :: LD DE, Masks
.next:  LD A, [DE] :: LD B, A :: LD A, [HL] :: CHECK B
        INC DE :: INC L :: LD A, L :: CP $26 :: JR NZ, .next
        JP Pass
Masks:  DB $80, $3F, $00, $FF, $BF,  $FF, $3F, $00, $FF, $BF
        DB $7F, $FF, $9F, $FF, $BF,  $FF, $FF, $00, $00, $BF,  $00, $00
