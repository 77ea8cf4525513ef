; the low half of F is always zero
;
; The low half of F does not exist.

Test:
        LD BC, $12FF :: PUSH BC :: POP AF :: PUSH AF :: POP DE
        LD A, E :: CHECK $F0
        LD A, D :: CHECK $12
        JP Pass
