; a sweep beyond 2047 silences channel 1 when it starts
;
; The low bits of NR52 are the channels that play. A sweep whose next frequency would be beyond 2047
; ends its channel, some M-cycles after the channel starts. (Pan Docs, "Audio Details"; blargg
; dmg_sound 02 to 05; DocBoy, apu/ch1_period_sweep_disable_on_trigger)

Test:
        XOR A :: LDH [rNR52], A :: LD A, $80 :: LDH [rNR52], A
        LD A, 17 :: LDH [rNR10], A
        LD A, 240 :: LDH [rNR12], A
        LD A, 255 :: LDH [rNR13], A
        LD A, 135 :: LDH [rNR14], A
        NOP :: NOP :: NOP
        LDH A, [rNR52] :: AND 1 :: CHECK 0
        LD A, 25 :: LDH [rNR10], A
        LD A, 240 :: LDH [rNR12], A
        LD A, 255 :: LDH [rNR13], A
        LD A, 135 :: LDH [rNR14], A
        LDH A, [rNR52] :: AND 1 :: CHECK 1
        LD A, 16 :: LDH [rNR10], A
        LD A, 240 :: LDH [rNR12], A
        LD A, 255 :: LDH [rNR13], A
        LD A, 135 :: LDH [rNR14], A
        LDH A, [rNR52] :: AND 1 :: CHECK 1
        LD A, 1 :: LDH [rNR10], A
        LD A, 240 :: LDH [rNR12], A
        LD A, 255 :: LDH [rNR13], A
        LD A, 135 :: LDH [rNR14], A
        NOP :: NOP :: NOP
        LDH A, [rNR52] :: AND 1 :: CHECK 0
        JP Pass
