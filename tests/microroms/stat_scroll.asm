; HBlank interrupts on every line although its handler scrolls
;
; A line with another SCX has a shorter or longer mode 3, so its HBlank begins at another moment than
; that of the line before. It interrupts all the same. (Pan Docs, "Mode 3 length"; scribbltests scxly)
;
; @stat: Scroll

Test:
ENABLE  EQU $08
FIRST   EQU 152
LAST    EQU 144
        INCLUDE "clean.inc"
        INCLUDE "count_stat.inc"
        LD A, [wCount] :: CHECK 144
        JP Pass
Scroll: PUSH AF :: LDH A, [rSCX] :: INC A :: LDH [rSCX], A :: POP AF
        JP Count
