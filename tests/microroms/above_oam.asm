; FEA0-FEFF read zero
;
; Above OAM there is no memory, and the DMG reads zero. (Pan Docs, "FEA0-FEFF range")
;
; @pyboy: no memory is there, the DMG reads 00: Pan Docs, FEA0-FEFF range

Test:
        CALL LcdOff
        LD A, $5A :: LD [$FEA0], A :: LD [$FEFF], A
        LD A, [$FEA0] :: CHECK 0
        LD A, [$FEFF] :: CHECK 0
        JP Pass
