; OAM DMA copies 160 bytes while the CPU waits in high RAM
;
; OAM DMA copies 160 bytes while the CPU waits in high RAM. (Pan Docs, "OAM DMA Transfer")

Test:
        CALL LcdOff
        LD HL, $C100 :: LD B, 160
.fill:  LD A, L :: XOR $5A :: LD [HL+], A :: DEC B :: JR NZ, .fill
        LD HL, Routine :: LD DE, $FF80 :: LD B, RoutineEnd - Routine
.copy:  LD A, [HL+] :: LD [DE], A :: INC DE :: DEC B :: JR NZ, .copy
        LD A, $C1 :: CALL $FF80
        LD HL, $FE00 :: LD B, 160
.same:  LD A, L :: XOR $5A :: LD C, A :: LD A, [HL+] :: CHECK C
        DEC B :: JR NZ, .same
        JP Pass
Routine: LDH [rDMA], A :: LD A, 40
.spin:  DEC A :: JR NZ, .spin
        RET
RoutineEnd:
