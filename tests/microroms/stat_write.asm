; a write to STAT in mode 0 interrupts, even one that enables nothing
;
; On the DMG a write to STAT enables all sources for one M-cycle, so it interrupts in every mode but
; 3, and where LYC matches. (Pan Docs, "Spurious STAT Interrupts")
;
; @stat: Count
; @pyboy: all sources are enabled for one cycle: gbmicrotest stat_write_glitch_l1_*; Pan Docs, Spurious STAT Interrupts

Test:
        LD B, 20 :: CALL WaitLine
        LD A, 2 :: LDH [rIE], A :: XOR A :: LDH [rSTAT], A
.three: LDH A, [rSTAT] :: AND 3 :: CP 3 :: JR NZ, .three
.zero:  LDH A, [rSTAT] :: AND 3 :: JR NZ, .zero
        LDH [rIF], A
        EI
        NOP
        LDH [rSTAT], A
        NOP
        DI
        LD A, [wCount] :: CHECK 1
        JP Pass
