; MBC3: the second after day 511, 23:59:59 is day 0 with a carry that stays
;
; MBC3 has a clock, and a carry bit stays set when its 512 days run over. The test sleeps 70 frames,
; more than a second. (Pan Docs, "MBC3", "The Clock Counter Registers")
;
; @cartridge_type: $10
; @ram_kb: 32
; @frames: 200

Test:
        LD A, 10 :: LD [$0000], A
        LD A, 12 :: LD [$4000], A
        LD A, 65 :: LD [$A000], A
        LD A, 8 :: LD [$4000], A
        LD A, 59 :: LD [$A000], A
        LD A, 9 :: LD [$4000], A
        LD A, 59 :: LD [$A000], A
        LD A, 10 :: LD [$4000], A
        LD A, 23 :: LD [$A000], A
        LD A, 11 :: LD [$4000], A
        LD A, 255 :: LD [$A000], A
        LD A, 12 :: LD [$4000], A
        LD A, 1 :: LD [$A000], A
        LD C, 70 :: CALL Second
        LD A, 0 :: LD [$6000], A
        LD A, 1 :: LD [$6000], A
        LD A, 9 :: LD [$4000], A
        LD A, [$A000] :: CHECK 0
        LD A, 10 :: LD [$4000], A
        LD A, [$A000] :: CHECK 0
        LD A, 11 :: LD [$4000], A
        LD A, [$A000] :: CHECK 0
        LD A, 12 :: LD [$4000], A
        LD A, [$A000] :: CHECK 128
        LD C, 70 :: CALL Second
        LD A, 0 :: LD [$6000], A
        LD A, 1 :: LD [$6000], A
        LD A, 12 :: LD [$4000], A
        LD A, [$A000] :: CHECK 128
        LD A, 12 :: LD [$4000], A
        LD A, 0 :: LD [$A000], A
        LD A, 0 :: LD [$6000], A
        LD A, 1 :: LD [$6000], A
        LD A, 12 :: LD [$4000], A
        LD A, [$A000] :: CHECK 0
        INCLUDE "second.inc"
