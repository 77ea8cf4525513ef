; HBlank interrupts on every line although its handler switches the window
;
; The window makes a line's mode 3 longer: where it is switched off HBlank begins sooner than on the line
; before, and interrupts all the same. (Pan Docs, "Mode 3 length", "INT 48: STAT interrupt")
;
; @stat: Switch

Test:
ENABLE  EQU $08
FIRST   EQU 152
LAST    EQU 144
        INCLUDE "clean.inc"
        INCLUDE "count_stat.inc"
        LD A, [wCount] :: CHECK 144
        JP Pass
Switch: PUSH AF :: LDH A, [rLCDC] :: XOR A, $20 :: LDH [rLCDC], A :: POP AF
        JP Count
