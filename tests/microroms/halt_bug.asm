; HALT with IME clear and a request pending reads the next byte twice
;
; If an enabled interrupt is pending already when HALT is reached with IME clear, the CPU does not
; sleep but fails to advance PC: the next byte is read twice. (Pan Docs, "halt")
;
; @timer: Count
; @pyboy: the byte behind HALT is executed twice: blargg halt_bug; Pan Docs, halt

Test:
        LD A, 4 :: LDH [rIE], A :: LDH [rIF], A
        XOR A
        HALT
        INC A                       ; one byte, executed twice
        CHECK 2
        LD A, [wCount] :: CHECK 0
        XOR A :: LDH [rIF], A       ; and without a request pending it sleeps and reads it once
        LD A, 5 :: LDH [rTAC], A :: XOR A :: LDH [rTIMA], A
        HALT
        INC A
        CHECK 1
        JP Pass
