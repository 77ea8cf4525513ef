; MBC3: a halted clock stands still, and reads show the latched copy
;
; MBC3 has a clock. It can be halted, and reads show a latched copy. The test sleeps 70 frames, more
; than a second. (Pan Docs, "MBC3", "The Clock Counter Registers")
;
; @cartridge_type: $10
; @ram_kb: 32
; @frames: 120

Test:
        LD A, 10 :: LD [$0000], A
        LD A, 12 :: LD [$4000], A
        LD A, 65 :: LD [$A000], A
        LD A, 8 :: LD [$4000], A
        LD A, 12 :: LD [$A000], A
        LD A, 9 :: LD [$4000], A
        LD A, 34 :: LD [$A000], A
        LD A, 10 :: LD [$4000], A
        LD A, 5 :: LD [$A000], A
        LD A, 11 :: LD [$4000], A
        LD A, 119 :: LD [$A000], A
        LD A, 0 :: LD [$6000], A
        LD A, 1 :: LD [$6000], A
        LD A, 8 :: LD [$4000], A
        LD A, [$A000] :: CHECK 12
        LD A, 9 :: LD [$4000], A
        LD A, [$A000] :: CHECK 34
        LD A, 10 :: LD [$4000], A
        LD A, [$A000] :: CHECK 5
        LD A, 11 :: LD [$4000], A
        LD A, [$A000] :: CHECK 119
        LD A, 12 :: LD [$4000], A
        LD A, [$A000] :: CHECK 65
        LD A, 8 :: LD [$4000], A
        LD A, 50 :: LD [$A000], A
        LD A, 8 :: LD [$4000], A
        LD A, [$A000] :: CHECK 12
        LD C, 70 :: CALL Second
        LD A, 0 :: LD [$6000], A
        LD A, 1 :: LD [$6000], A
        LD A, 8 :: LD [$4000], A
        LD A, [$A000] :: CHECK 50
        LD A, 9 :: LD [$4000], A
        LD A, [$A000] :: CHECK 34
        INCLUDE "second.inc"
