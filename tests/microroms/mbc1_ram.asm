; MBC1: four RAM banks in mode 1, one in mode 0, enabled by four bits
;
; A write below 8000 goes to the mapper. MBC1's second register selects the RAM bank; RAM is enabled
; by an A in the lower four bits of its register. (Pan Docs, "MBC1"; mooneye emulator-only/mbc1)
;
; @cartridge_type: $03
; @ram_kb: 32

Test:
        LD A, 10 :: LD [$0000], A
        LD A, 1 :: LD [$6000], A
        LD A, 0 :: LD [$4000], A
        LD A, 80 :: LD [$A000], A
        LD A, 1 :: LD [$4000], A
        LD A, 81 :: LD [$A000], A
        LD A, 2 :: LD [$4000], A
        LD A, 82 :: LD [$A000], A
        LD A, 3 :: LD [$4000], A
        LD A, 83 :: LD [$A000], A
        LD A, 0 :: LD [$4000], A
        LD A, [$A000] :: CHECK 80
        LD A, 1 :: LD [$4000], A
        LD A, [$A000] :: CHECK 81
        LD A, 2 :: LD [$4000], A
        LD A, [$A000] :: CHECK 82
        LD A, 3 :: LD [$4000], A
        LD A, [$A000] :: CHECK 83
        LD A, 0 :: LD [$6000], A
        LD A, [$A000] :: CHECK 80
        LD A, 0 :: LD [$0000], A
        LD A, [$A000] :: CHECK 255
        LD A, 17 :: LD [$A000], A
        LD A, 26 :: LD [$0000], A
        LD A, [$A000] :: CHECK 80
        JP Pass
