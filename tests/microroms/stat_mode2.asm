; OAM search interrupts 144 times up to line 143
;
; Each mode can interrupt: over one picture mode 0 (HBlank) and mode 2 (OAM search) do so once on each
; of the 144 lines, mode 1 once, LYC once. (Pan Docs, "STAT", "LCD Interrupts")
;
; @stat: Count

Test:
ENABLE  EQU $20
FIRST   EQU 152
LAST    EQU 143
        INCLUDE "count_stat.inc"
        LD A, [wCount] :: CHECK 144
        JP Pass
