; DI behind EI keeps the interrupt out; without it the handler runs
;
; EI acts one instruction late, and DI right behind it wins. (Pan Docs, "IME")
;
; @timer: Count

Test:
        LD A, 4 :: LDH [rIE], A :: LDH [rIF], A
        EI
        DI
        NOP
        LD A, [wCount] :: CHECK 0
        EI
        NOP
        NOP
        DI
        LD A, [wCount] :: CHECK 1
        LDH A, [rIF] :: AND 4 :: CHECK 0    ; acknowledged
        JP Pass
