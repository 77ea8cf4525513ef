; the button matrix: two rows, zero means pressed
;
; The joypad is a matrix of two rows; a pressed button pulls its line low in the rows that are
; selected (0 selects). A and RIGHT are held from the fourth frame on. (Pan Docs, "Joypad Input")
;
; @buttons: 4 RIGHT A
; @pyboy: the upper bits of P1 as well (CE, not DE): mooneye bits/unused_hwio-GS

Test:
.wait:  LD A, $20 :: LDH [rP1], A
        LDH A, [rP1] :: AND $0F :: CP $0F :: JR Z, .wait    ; until anything is pressed
        LD B, 0
.still: DEC B :: JR NZ, .still
        LD A, $10 :: LDH [rP1], A :: LDH A, [rP1] :: LDH A, [rP1] :: CHECK $DE    ; A
        LD A, $20 :: LDH [rP1], A :: LDH A, [rP1] :: LDH A, [rP1] :: CHECK $EE    ; RIGHT
        LD A, $30 :: LDH [rP1], A :: LDH A, [rP1] :: LDH A, [rP1] :: CHECK $FF
        JP Pass
