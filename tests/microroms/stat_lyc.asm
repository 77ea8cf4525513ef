; LYC=LY interrupts on its line and no other
;
; Each mode can interrupt: over one picture mode 0 (HBlank) and mode 2 (OAM search) do so once on each
; of the 144 lines, mode 1 once, LYC once. (Pan Docs, "STAT", "LCD Interrupts")
;
; @stat: Line

Test:
        LD A, 77 :: LDH [rLYC], A
ENABLE  EQU $40
FIRST   EQU 152
LAST    EQU 144
        INCLUDE "count_stat.inc"
        LD A, [wCount] :: CHECK 1
        LD A, [wSeen] :: CHECK 77
        JP Pass
Line:   LDH A, [rLY] :: LD [wSeen], A :: JP Count
