; MBC5: RAM banks, enabled and disabled
;
; In MBC5 RAM is enabled by all eight bits. (Pan Docs, "MBC5"; mooneye emulator-only/mbc5)
;
; @cartridge_type: $1B
; @ram_kb: 32

Test:
        LD A, 10 :: LD [$0000], A
        LD A, 0 :: LD [$4000], A
        LD A, 80 :: LD [$BFFF], A
        LD A, 1 :: LD [$4000], A
        LD A, 81 :: LD [$BFFF], A
        LD A, 2 :: LD [$4000], A
        LD A, 82 :: LD [$BFFF], A
        LD A, 3 :: LD [$4000], A
        LD A, 83 :: LD [$BFFF], A
        LD A, 3 :: LD [$4000], A
        LD A, [$BFFF] :: CHECK 83
        LD A, 0 :: LD [$4000], A
        LD A, [$BFFF] :: CHECK 80
        LD A, 2 :: LD [$4000], A
        LD A, [$BFFF] :: CHECK 82
        LD A, 1 :: LD [$4000], A
        LD A, [$BFFF] :: CHECK 81
        LD A, 0 :: LD [$0000], A
        LD A, [$BFFF] :: CHECK 255
        LD A, 10 :: LD [$0000], A
        LD A, [$BFFF] :: CHECK 81
        JP Pass
