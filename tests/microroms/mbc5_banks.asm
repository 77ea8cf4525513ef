; MBC5: bank 0 is bank 0; the ninth bit is another register
;
; In MBC5 bank 0 is a bank like others, and the ninth bit of the ROM bank has a register of its own.
; (Pan Docs, "MBC5"; mooneye emulator-only/mbc5)
;
; @cartridge_type: $19

Test:
        LD A, [$4000] :: CHECK 1
        LD A, 2 :: LD [$2000], A
        LD A, [$4000] :: CHECK 2
        LD A, 0 :: LD [$2000], A
        LD A, [$4000] :: CHECK 176
        LD A, 3 :: LD [$2000], A
        LD A, [$4000] :: CHECK 3
        LD A, 7 :: LD [$2000], A
        LD A, [$4000] :: CHECK 7
        LD A, 1 :: LD [$3000], A
        LD A, [$4000] :: CHECK 7
        LD A, 2 :: LD [$2FFF], A
        LD A, [$4000] :: CHECK 2
        LD A, 0 :: LD [$3000], A
        LD A, [$4000] :: CHECK 2
        JP Pass
        SECTION "zero", ROM0[0]
        DB $B0
        SECTION "bank", ROMX[$4000], BANK[1]
        DB 1
        SECTION "bank", ROMX[$4000], BANK[2]
        DB 2
        SECTION "bank", ROMX[$4000], BANK[3]
        DB 3
        SECTION "bank", ROMX[$4000], BANK[4]
        DB 4
        SECTION "bank", ROMX[$4000], BANK[5]
        DB 5
        SECTION "bank", ROMX[$4000], BANK[6]
        DB 6
        SECTION "bank", ROMX[$4000], BANK[7]
        DB 7
