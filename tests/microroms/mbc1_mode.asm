; MBC1 in mode 1: the second register moves the lower half of the ROM, too
;
; MBC1's second register selects the RAM bank, and in mode 1 also the ROM bank at 0000. (Pan Docs,
; "MBC1"; mooneye emulator-only/mbc1)
;
; @cartridge_type: $01
; @pyboy: the lower half moves in mode 1: mooneye emulator-only/mbc1/rom_8Mb

Test:
        LD HL, Routine :: LD DE, $C100 :: LD B, RoutineEnd - Routine
.copy:  LD A, [HL+] :: LD [DE], A :: INC DE :: DEC B :: JR NZ, .copy
        CALL $C100
        LD A, B :: CHECK 0                                  ; mode 0: bank 0
        LD A, C :: CHECK $20                                ; mode 1: bank $20
        LD A, D :: CHECK $21                                ; and above it bank $21 in both
        JP Pass
Routine: LD A, 1 :: LD [$4000], A
        LD A, [$2A00] :: LD B, A
        LD A, 1 :: LD [$6000], A
        LD A, [$2A00] :: LD C, A :: LD A, [$4000] :: LD D, A
        XOR A :: LD [$6000], A
        RET
RoutineEnd:
        SECTION "marker", ROMX[$6A00], BANK[$20]
        DB $20
        SECTION "bank", ROMX[$4000], BANK[33]
        DB 33
