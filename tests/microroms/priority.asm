; VBlank before STAT before timer before serial before joypad
;
; When several interrupts wait, the lowest bit goes first. Each handler returns by RET, so that the
; others wait until the next EI. (Pan Docs, "Interrupt Priorities")
;
; @vblank: Note0
; @stat: Note1
; @timer: Note2
; @serial: Note3
; @joypad: Note4

Test:
        CALL LcdOff
        LD DE, wSeen
        LD A, $1F :: LDH [rIE], A :: LDH [rIF], A
        LD B, 5
.next:  EI
        NOP
        DI
        DEC B :: JR NZ, .next
        LD A, [wSeen + 0] :: CHECK 0
        LD A, [wSeen + 1] :: CHECK 1
        LD A, [wSeen + 2] :: CHECK 2
        LD A, [wSeen + 3] :: CHECK 3
        LD A, [wSeen + 4] :: CHECK 4
        LD A, E :: CHECK LOW(wSeen + 5)
        JP Pass
Note0:  LD A, 0 :: LD [DE], A :: INC DE :: RET
Note1:  LD A, 1 :: LD [DE], A :: INC DE :: RET
Note2:  LD A, 2 :: LD [DE], A :: INC DE :: RET
Note3:  LD A, 3 :: LD [DE], A :: INC DE :: RET
Note4:  LD A, 4 :: LD [DE], A :: INC DE :: RET
