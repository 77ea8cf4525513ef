; pushing PC over IE cancels the interrupt and jumps to $0000
;
; While the CPU pushes PC it may overwrite IE, if the stack is there. The interrupt is then cancelled
; if no requested source is left after the high byte was pushed, and execution goes on at $0000. The
; low byte comes too late for that.
;
; @timer: Late

Test:
        LD A, 4 :: LDH [rIE], A :: LDH [rIF], A
        LD SP, $0000                ; the high byte, $02, goes to $FFFF
        EI
        NOP
        LD SP, $E000 :: LD A, $EE :: JP Fail
Cancelled: LD SP, $E000 :: LDH A, [rIE] :: CHECK HIGH(Test)
        LDH A, [rIF] :: AND $1F :: CHECK 4      ; not acknowledged
        LD A, 4 :: LDH [rIE], A
        LD SP, $0001                ; the low byte goes to $FFFF: too late
        EI
        NOP
        LD SP, $E000 :: LD A, $EE :: JP Fail
Late:   LD SP, $E000
        LDH A, [rIF] :: AND $1F :: CHECK 0
        JP Pass
        SECTION "zero", ROM0[0]
        JP Cancelled
