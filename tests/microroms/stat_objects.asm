; HBlank interrupts on every line although its handler moves the objects
;
; Objects make a line's mode 3 longer: where there is none HBlank begins sooner than on the line before,
; and interrupts all the same. (Pan Docs, "Mode 3 length", "INT 48: STAT interrupt")
;
; @stat: Move

Test:
ENABLE  EQU $08
FIRST   EQU 152
LAST    EQU 144
        INCLUDE "clean.inc"
        LD A, 8 :: LD [$FE01], A
        LD A, $93 :: LDH [rLCDC], A
        INCLUDE "count_stat.inc"
        LD A, [wCount] :: CHECK 144
        JP Pass
Move:   PUSH AF                     ; onto the next line, or away from the screen
        LDH A, [rLY] :: RRA :: LD A, 0 :: JR C, .away
        LDH A, [rLY] :: ADD A, 17
.away:  LD [$FE00], A
        POP AF
        JP Count
