; one instruction runs between EI and the interrupt
;
; EI acts one instruction late, so that `EI; RET` returns before the next interrupt. (Pan Docs, "IME")
;
; @vblank: Note

Test:
        LD A, 1 :: LDH [rIE], A :: LDH [rIF], A
        XOR A
        EI
        INC A                       ; the interrupt comes after this one
        INC A
        INC A
        DI
        CHECK 3
        LD A, [wSeen] :: CHECK 1
        LD A, [wCount] :: CHECK 1
        JP Pass
Note:   LD [wSeen], A :: JP Count
