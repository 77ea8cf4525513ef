; a byte takes 1,024 M-cycles and ones come in
;
; A serial transfer with the internal clock takes 8 bits of 128 M-cycles, and with no partner ones are
; shifted in. (Pan Docs, "Serial Data Transfer")
;
; @serial: Count
; @pyboy: 8 bits of 128 M-cycles, as the divider ticks: mooneye serial/boot_sclk_align; Pan Docs, Serial

Test:
        LD A, 8 :: LDH [rIE], A
        LD A, $3C :: LDH [rSB], A
        XOR A :: LDH [rDIV], A
        LD A, $81 :: LDH [rSC], A
        LDH A, [rSC] :: CHECK $FF           ; under way
        HALT
        LDH A, [rDIV] :: SUB 15 :: CP 3 :: LD A, 0 :: ADC A, A :: CHECK 1    ; 15, 16 or 17 times 64
        LDH A, [rSB] :: CHECK $FF
        LDH A, [rSC] :: CHECK $7F
        EI
        NOP
        DI
        LD A, [wCount] :: CHECK 1
        JP Pass
