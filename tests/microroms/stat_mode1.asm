; VBlank interrupts STAT once a frame
;
; Each mode can interrupt: over one picture mode 0 (HBlank) and mode 2 (OAM search) do so once on each
; of the 144 lines, mode 1 once, LYC once. (Pan Docs, "STAT", "LCD Interrupts")
;
; @stat: Count

Test:
ENABLE  EQU $10
FIRST   EQU 2
LAST    EQU 145
        INCLUDE "count_stat.inc"
        LD A, [wCount] :: CHECK 1
        JP Pass
