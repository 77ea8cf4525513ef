; MBC2: 512 half-bytes that repeat; bit 8 of the address selects the register
;
; MBC2 has 512 half-bytes of RAM in the chip, which repeat up to BFFF, and bit 8 of the address
; decides which of its two registers is written. (Pan Docs, "MBC2"; mooneye emulator-only/mbc2)
;
; @cartridge_type: $05

Test:
        LD A, 10 :: LD [$0000], A
        LD A, 90 :: LD [$A000], A
        LD A, [$A000] :: CHECK 250
        LD A, [$A200] :: CHECK 250
        LD A, [$BE00] :: CHECK 250
        LD A, 0 :: LD [$0100], A
        LD A, [$A000] :: CHECK 250
        LD A, [$4000] :: CHECK 1
        LD A, 2 :: LD [$2100], A
        LD A, [$4000] :: CHECK 2
        LD A, 3 :: LD [$3FFF], A
        LD A, [$4000] :: CHECK 3
        LD A, 2 :: LD [$3EFF], A
        LD A, [$4000] :: CHECK 3
        LD A, [$A000] :: CHECK 255
        JP Pass
        SECTION "bank", ROMX[$4000], BANK[1]
        DB 1
        SECTION "bank", ROMX[$4000], BANK[2]
        DB 2
        SECTION "bank", ROMX[$4000], BANK[3]
        DB 3
