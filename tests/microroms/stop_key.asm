; STOP sleeps until a button goes down
;
; STOP sleeps until a line of P1 falls, that is until a button goes down in a selected row. (Pan Docs,
; "Reducing Power Consumption")
;
; @buttons: 6 A
; @pyboy: sleeps until a line of P1 falls: Pan Docs, STOP

Test:
        LD A, $10 :: LDH [rP1], A
        LDH A, [rP1] :: AND $0F :: CHECK $0F
        STOP
        LD A, $10 :: LDH [rP1], A
        LDH A, [rP1] :: AND $0F :: CHECK $0E    ; A is down: it was not before
        JP Pass
