; selecting the row of a held button makes a line fall, too
;
; The interrupt is a falling line, whatever makes it fall: selecting the row of a held button does.
; (Pan Docs, "Joypad Input", "INT $60")
;
; @joypad: Count
; @buttons: 4 A
; @pyboy: the interrupt is the falling line, whatever makes it fall: Pan Docs, Joypad Interrupt

Test:
.wait:  LD A, $10 :: LDH [rP1], A
        LDH A, [rP1] :: AND $0F :: CP $0F :: JR Z, .wait
        LD A, $30 :: LDH [rP1], A
        XOR A :: LDH [rIF], A :: LD A, 16 :: LDH [rIE], A
        EI
        NOP
        LD A, [wCount] :: CHECK 0
        LD A, $10 :: LDH [rP1], A
        NOP
        NOP
        DI
        LD A, [wCount] :: CHECK 1
        JP Pass
