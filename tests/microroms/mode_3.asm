; mode 2 takes 20 M-cycles and mode 3 without delays 43
;
; The program sleeps until mode 2 begins, jumps into a row of NOPs so that it reads STAT a chosen
; number of M-cycles later, and repeats that with one NOP more until it sees the mode it looks for.
; (Pan Docs, "PPU modes")
;
; @frames: 60

Test:
        INCLUDE "clean.inc"
        LD B, 4 :: LD C, 3 :: CALL First :: LD D, A
        LD B, 40 :: LD C, 0 :: CALL First :: SUB D :: CHECK 43
        INCLUDE "first.inc"
