; $E000-$FDFF is $C000-$DDFF
;
; The upper 7.5 KB of the address space below OAM repeat work RAM. (Pan Docs, "Memory Map")

Test:
        LD A, $5A :: LD [$C123], A :: LD A, [$E123] :: CHECK $5A
        LD A, $A5 :: LD [$FDFF], A :: LD A, [$DDFF] :: CHECK $A5
        JP Pass
