; what IE does not enable does not interrupt; IE keeps eight bits
;
; A requested interrupt that IE does not enable does nothing, and all eight bits of IE can be written
; and read, though five have a meaning. (Pan Docs, "Interrupts")
;
; @timer: Count

Test:
        LD A, $1F :: LDH [rIF], A
        XOR A :: LDH [rIE], A
        EI
        NOP
        NOP
        LD A, $E0 :: LDH [rIE], A :: LDH A, [rIE] :: CHECK $E0
        LD A, [wCount] :: CHECK 0
        LD A, 4 :: LDH [rIE], A
        NOP
        DI
        LD A, [wCount] :: CHECK 1
        LDH A, [rIF] :: AND $1E :: CHECK $1A    ; the timer's alone is acknowledged
        JP Pass
