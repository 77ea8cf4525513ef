; HBlank interrupts 144 times a frame
;
; Each mode can interrupt: over one picture mode 0 (HBlank) and mode 2 (OAM search) do so once on each
; of the 144 lines, mode 1 once, LYC once. (Pan Docs, "STAT", "LCD Interrupts")
;
; @stat: Count

Test:
ENABLE  EQU $08
FIRST   EQU 152
LAST    EQU 144
        INCLUDE "count_stat.inc"
        LD A, [wCount] :: CHECK 144
        JP Pass
