; loops that poll LY and STAT end at the beginning of what they wait for
;
; LY and STAT change at known dots, and a loop that polls one of them ends in the M-cycle of the
; change. (Pan Docs, "PPU modes")

Test:
.ly:    LDH A, [rLY] :: CP 100 :: JR NZ, .ly
        LDH A, [rSTAT] :: AND 3 :: CHECK 2
        LD HL, rSTAT
.stat:  LD A, [HL] :: AND 3 :: CP 1 :: JR NZ, .stat
        LDH A, [rLY] :: CHECK 144
.same:  LDH A, [rLY] :: CP 144 :: JR Z, .same
        CHECK 145
        JP Pass
