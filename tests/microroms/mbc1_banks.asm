; MBC1 switches banks, and bank 0 becomes 1
;
; MBC1's bank register never holds zero. (Pan Docs, "MBC1")
;
; @cartridge_type: $01

Test:
        LD A, [$4000] :: CHECK 1            ; as it starts
        LD A, 2 :: LD [$2000], A :: LD A, [$4000] :: CHECK 2
        LD A, 7 :: LD [$2000], A :: LD A, [$4000] :: CHECK 7
        LD A, 0 :: LD [$2000], A :: LD A, [$4000] :: CHECK 1
        LD A, 5 :: LD [$2000], A :: LD A, [$4000] :: CHECK 5
        LD A, 32 :: LD [$2000], A :: LD A, [$4000] :: CHECK 1
        LD A, 227 :: LD [$2000], A :: LD A, [$4000] :: CHECK 3
        LD A, 15 :: LD [$2000], A :: LD A, [$4000] :: CHECK 7
        JP Pass
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
