; DIV counts every 64 M-cycles and any write clears it
;
; DIV is the upper byte of a 16-bit counter; writing anything clears all of it. (Pan Docs, "Timer
; Obscure Behaviour")

Test:
.wait:  LDH A, [rDIV] :: CP 3 :: JR C, .wait
        LD A, $55 :: LDH [rDIV], A :: LDH A, [rDIV] :: CHECK 0
        XOR A :: LDH [rDIV], A
        LD A, 14                    ; 14 times 4 M-cycles, and a little
.spin:  DEC A :: JR NZ, .spin
        LDH A, [rDIV] :: CHECK 0
        NOP
        NOP
        LDH A, [rDIV] :: CHECK 1
        JP Pass
