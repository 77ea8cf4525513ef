; switched off, sound registers are cleared and locked, wave RAM is not
;
; Switching the unit off clears all registers, and writes to them are lost until it is on again; wave
; RAM is not concerned. (Pan Docs, "NR52"; blargg dmg_sound 01, 11)

Test:
        XOR A :: LDH [rNR52], A :: LD A, $80 :: LDH [rNR52], A
        LD A, 119 :: LDH [rNR50], A
        LD A, 243 :: LDH [rNR51], A
        LD A, 240 :: LDH [rNR12], A
        LD A, $5A :: LDH [$FF30], A
        LDH A, [rNR50] :: CHECK $77
        XOR A :: LDH [rNR52], A
        LDH A, [rNR50] :: CHECK 0
        LD A, $55 :: LDH [rNR50], A :: LDH A, [rNR50] :: CHECK 0
        LDH A, [$FF30] :: CHECK $5A
        LD A, $A5 :: LDH [$FF3F], A :: LDH A, [$FF3F] :: CHECK $A5
        LDH A, [rNR52] :: CHECK $70
        LD A, $80 :: LDH [rNR52], A :: LDH A, [rNR12] :: CHECK 0
        LDH A, [$FF30] :: CHECK $5A
        JP Pass
