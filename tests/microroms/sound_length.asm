; a length that runs out silences its channel
;
; The low bits of NR52 are the channels that play. A length counter that runs out ends its channel.
; (Pan Docs, "Audio Details"; blargg dmg_sound 02 to 05)

Test:
        XOR A :: LDH [rNR52], A :: LD A, $80 :: LDH [rNR52], A
        LD A, 240 :: LDH [rNR22], A
        LD A, 60 :: LDH [rNR21], A
        LD A, 199 :: LDH [rNR24], A
        LDH A, [rNR52] :: AND 2 :: CHECK 2
        LD A, 240 :: LDH [rNR42], A
        LD A, 60 :: LDH [rNR41], A
        LD A, 128 :: LDH [rNR44], A
        LDH A, [rNR52] :: AND 10 :: CHECK 10
        LD C, 3 :: CALL Second
        LDH A, [rNR52] :: AND 10 :: CHECK 8
        LD A, 7 :: LDH [rNR42], A
        LDH A, [rNR52] :: AND 10 :: CHECK 0
        INCLUDE "second.inc"
