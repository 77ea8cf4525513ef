; a counting loop in high RAM, interrupted now and then
;
; A counting loop changes its counter all the time; interrupts run between its rounds, and the sum of
; the cycles stays the same. (Pan Docs, "PPU modes")
;
; @timer: Count

Test:
        LD HL, Routine :: LD DE, $FF80 :: LD B, RoutineEnd - Routine
.copy:  LD A, [HL+] :: LD [DE], A :: INC DE :: DEC B :: JR NZ, .copy
        LD B, 14
        INCLUDE "tick.inc"
        EI
.again: XOR A :: CALL $FF80
        DEC B :: JR NZ, .again
        DI
        LDH A, [rDIV] :: SUB 232 :: CP 3 :: LD A, 0 :: ADC A, A :: CHECK 1
                                    ; 14 times 1,038 M-cycles and 29 for the handler
        LD A, [wCount] :: CHECK 14
        JP Pass
Routine: DEC A :: JR NZ, Routine
        RET
RoutineEnd:
