; LYC cannot interrupt while mode 0 holds the line, nor mode 0 while LYC does
;
; The four sources of the STAT interrupt share one line, and the interrupt is its rising edge: while
; one source holds the line high, another cannot make it rise. With LYC besides mode 0 there is no new
; edge in the line of LYC, neither at its beginning (mode 0 of the line before still holds it) nor at
; its mode 0. (Pan Docs, "STAT Blocking"; mooneye stat_irq_blocking)
;
; @stat: Count

Test:
        LD A, 50 :: LDH [rLYC], A
ENABLE  EQU $48
FIRST   EQU 152
LAST    EQU 144
        INCLUDE "count_stat.inc"
        LD A, [wCount] :: CHECK 143
        JP Pass
