; HALT with IME set: the handler runs, then the program goes on
;
; HALT sleeps until a requested interrupt is also enabled. With IME set the handler runs and returns
; behind the HALT. (Pan Docs, "halt")
;
; @timer: Count

Test:
        LD A, 5 :: LDH [rTAC], A :: XOR A :: LDH [rTIMA], A
        LD A, 4 :: LDH [rIE], A
        EI
        HALT
        NOP
        DI
        LD A, [wCount] :: CHECK 1
        LDH A, [rIF] :: AND 4 :: CHECK 0
        JP Pass
