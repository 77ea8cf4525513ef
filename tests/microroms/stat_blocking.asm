; LYC and mode 0 share one line: one interrupt each, not two
;
; The four sources of the STAT interrupt share one line, and the interrupt is its rising edge: while
; one source holds the line high, another cannot make it rise. With LYC besides mode 0 the mode 0 of the
; line that LYC awaits makes no edge. An M-cycle before that line, though, the line falls for a moment,
; and the mode 0 of the line before lifts it once more. (Pan Docs, "STAT Blocking"; DocBoy
; hblank_to_oam_clear_last_stat_irq_mode0_lyc_eq_ly_next)
;
; @stat: Count
; @pyboy: the line falls for a moment before line 50: DocBoy hblank_to_oam_clear_last_stat_irq_mode0_lyc_eq_ly_next

Test:
        LD A, 50 :: LDH [rLYC], A
ENABLE  EQU $48
FIRST   EQU 152
LAST    EQU 144
        INCLUDE "count_stat.inc"
        LD A, [wCount] :: CHECK 144
        JP Pass
