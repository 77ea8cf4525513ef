; mode 2 behind mode 0 makes no new edge, but in line 0
;
; The four sources of the STAT interrupt share one line, and the interrupt is its rising edge: while
; one source holds the line high, another cannot make it rise. With mode 2 besides mode 0, only line 0
; adds one. (Pan Docs, "STAT Blocking"; mooneye stat_irq_blocking)
;
; @stat: Count

Test:
ENABLE  EQU $28
FIRST   EQU 152
LAST    EQU 143
        INCLUDE "count_stat.inc"
        LD A, [wCount] :: CHECK 144
        JP Pass
