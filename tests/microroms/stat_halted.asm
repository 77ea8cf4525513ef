; A halted CPU sees a STAT interrupt half an M-cycle earlier
;
; A running CPU looks at its interrupts at the end of an M-cycle, a halted one in its middle: what comes in the
; second half calls the halted CPU an M-cycle later. The last pixel of a line is out after dot 251 + SCX. Mode 0
; then calls a running CPU in M-cycle (253 + SCX)/4 of the line, a halted one in (255 + SCX)/4. Mode 2 does so in
; M-cycle 113 of the line before and in 0; LYC in 0, both. NOPs are counted from the call to an interrupt of the
; timer, which comes at the same moment each time: as many more than after LYC as the call is earlier, so for
; mode 0 of line 1 and LYC 2 it is 114 less the M-cycle. (GBMicrotest int_hblank_nops_scx*, int_hblank_halt_scx*,
; oam_int_nops_*, oam_int_halt_*, lyc1_int_nops_*, lyc1_int_halt_*)
;
; @stat: Called
; @timer: Ended
; @frames: 60
; @pyboy: mode 2 comes an M-cycle before its line: GBMicrotest oam_int_nops_a, oam_int_nops_b

Test:
        LD D, 0 :: LD BC, $4000 :: CALL Running :: LD D, A  ; LYC
        CALL Running :: CHECK 0
        CALL Halted :: CHECK 0
        LD BC, $2000                ; mode 2
        CALL Running :: CHECK 1
        CALL Halted :: CHECK 0
        LD BC, $0800                ; mode 0 in M-cycle 63 or 63
        CALL Running :: CHECK 51
        CALL Halted :: CHECK 51
        INC C                       ; 63, 64
        CALL Running :: CHECK 51
        CALL Halted :: CHECK 50
        INC C                       ; 63, 64
        CALL Running :: CHECK 51
        CALL Halted :: CHECK 50
        INC C                       ; 64, 64
        CALL Running :: CHECK 50
        CALL Halted :: CHECK 50
        INC C                       ; 64, 64
        CALL Running :: CHECK 50
        CALL Halted :: CHECK 50
        INC C                       ; 64, 65
        CALL Running :: CHECK 50
        CALL Halted :: CHECK 49
        INC C                       ; 64, 65
        CALL Running :: CHECK 50
        CALL Halted :: CHECK 49
        INC C                       ; 65, 65
        CALL Running :: CHECK 49
        CALL Halted :: CHECK 49
        JP Pass
Halted: LD HL, Sleep :: JR Measure
Running: LD HL, Run
Measure: PUSH BC :: CALL LcdOff :: POP BC   ; source B, SCX C; A = NOPs until the timer's interrupt, less D
        LD A, B :: LDH [rSTAT], A :: LD A, C :: LDH [rSCX], A
        LD A, 2 :: LDH [rLYC], A :: LDH [rIE], A
        LD A, 5 :: LDH [rTAC], A :: LDH [rDIV], A
        LD A, 180 :: LDH [rTIMA], A
        LD A, $91 :: LDH [rLCDC], A
        LD A, 33
.wait:  DEC A :: JR NZ, .wait               ; until mode 3 of line 1
        XOR A :: LDH [rIF], A
        EI
        JP HL
Sleep:  HALT
        JP Fail
Run:    DS 200, 0
        JP Fail
Called: LD A, 4 :: LDH [rIE], A
        EI
        DS 250, 0
        JP Fail
Ended:  POP HL :: LD A, L :: SUB D :: POP HL
        RET
