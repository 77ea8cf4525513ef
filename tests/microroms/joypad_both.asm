; with both rows selected a line is low if either button is down
;
; The two rows share four lines. With both rows selected a line is low if either of its buttons is
; down. (Pan Docs, "Joypad Input")
;
; @buttons: 4 RIGHT START
; @pyboy: with both rows selected the buttons of both pull the lines: Pan Docs, Joypad Input (a FIXME in its source)

Test:
.wait:  XOR A :: LDH [rP1], A
        LDH A, [rP1] :: AND $0F :: CP $0F :: JR Z, .wait
        LD B, 0
.still: DEC B :: JR NZ, .still
        LDH A, [rP1] :: CHECK $C6               ; START and RIGHT
        JP Pass
