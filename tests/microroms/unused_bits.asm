; bits that do not exist read 1
;
; Unused bits of registers read 1.
;
; @pyboy: bits 6 and 7 of P1 read 1, always: mooneye bits/unused_hwio-GS; Pan Docs, Joypad Input

Test:
        XOR A :: LDH [rIF], A :: LDH A, [rIF] :: AND $E0 :: CHECK $E0
        XOR A :: LDH [rTAC], A :: LDH A, [rTAC] :: CHECK $F8
        XOR A :: LDH [rSC], A :: LDH A, [rSC] :: CHECK $7E
        LDH A, [rSTAT] :: AND $80 :: CHECK $80
        LDH A, [rP1] :: AND $C0 :: CHECK $C0
        LDH A, [$FF03] :: CHECK $FF
        JP Pass
