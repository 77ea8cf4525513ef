; HALT with IME clear: wakes, no handler, the request stays
;
; HALT sleeps until a requested interrupt is also enabled. With IME clear it just wakes. (Pan Docs,
; "halt")
;
; @timer: Count

Test:
        LD A, 5 :: LDH [rTAC], A :: XOR A :: LDH [rTIMA], A
        LD A, 4 :: LDH [rIE], A
        HALT
        NOP
        LDH A, [rIF] :: AND 4 :: CHECK 4
        LD A, [wCount] :: CHECK 0
        EI                          ; it was a real request: now it is served
        NOP
        DI
        LD A, [wCount] :: CHECK 1
        JP Pass
