; wave RAM reads FF while it plays, but for the moment of a sample
;
; While the wave channel plays, wave RAM reads FF, except in the M-cycle in which the channel reads a
; sample. (Pan Docs, "Audio Details"; blargg dmg_sound 09)

Test:
        XOR A :: LDH [rNR52], A :: LD A, $80 :: LDH [rNR52], A
        LD A, $5A :: LDH [$FF30], A :: LDH A, [$FF30] :: CHECK $5A
        LD A, 128 :: LDH [rNR30], A
        LD A, 0 :: LDH [rNR33], A
        LD A, 128 :: LDH [rNR34], A
        LDH A, [rNR52] :: AND 4 :: CHECK 4
        LDH A, [$FF30] :: CHECK $FF
        LD A, 0 :: LDH [rNR30], A
        LDH A, [rNR52] :: AND 4 :: CHECK 0
        LDH A, [$FF30] :: CHECK $5A
        JP Pass
