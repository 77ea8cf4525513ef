; the first line begins in a mode 0 that a write to STAT does not interrupt in
;
; On the DMG a write to STAT enables all sources for one M-cycle. When the LCD is switched on its
; first line has no mode 2; STAT reads mode 0, then 3. (Pan Docs, "Spurious STAT Interrupts",
; "LCDC.7")
;
; @pyboy: STAT written 10 M-cycles after the LCD came on: gbmicrotest lyc1_int_halt_b, lyc1_int_nops_b

Test:
        LD A, $FE :: LDH [rLYC], A :: CALL LcdOff
        XOR A :: LDH [rIF], A
        LD A, $91 :: LDH [rLCDC], A
        LD A, $40 :: LDH [rSTAT], A
        LDH A, [rSTAT] :: AND 3 :: CHECK 0
        LDH A, [rIF] :: AND 2 :: CHECK 0
        JP Pass
