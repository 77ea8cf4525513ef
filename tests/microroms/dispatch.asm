; an interrupt takes five M-cycles to its handler
;
; From the end of an instruction to the first one of the handler takes five M-cycles. A program can
; measure that with the timer, which ticks every four. The handler's first act is to read TIMA; the
; same is done without an interrupt but with five NOPs instead. If the two agree for each of the four
; phases, the dispatch took as long as five NOPs.
;
; @timer: Read

Test:
        LD A, 5 :: LDH [rTAC], A
        LD A, 4 :: LDH [rIE], A
        EI
        NOP
        XOR A :: LDH [rDIV], A :: LDH [rTIMA], A
        LD A, 4 :: LDH [rIF], A
        DI
        LD A, [wSeen] :: LD C, A
        XOR A :: LDH [rIE], A
        XOR A :: LDH [rDIV], A :: LDH [rTIMA], A
        LD A, 4 :: LDH [rIF], A
        NOP
        NOP
        NOP
        NOP
        NOP
        JP .then0
.then0: LDH A, [rTIMA]
        CHECK C
        XOR A :: LDH [rIF], A
        LD A, 4 :: LDH [rIE], A
        EI
        NOP
        XOR A :: LDH [rDIV], A :: LDH [rTIMA], A
        NOP
        LD A, 4 :: LDH [rIF], A
        DI
        LD A, [wSeen] :: LD C, A
        XOR A :: LDH [rIE], A
        XOR A :: LDH [rDIV], A :: LDH [rTIMA], A
        NOP
        LD A, 4 :: LDH [rIF], A
        NOP
        NOP
        NOP
        NOP
        NOP
        JP .then1
.then1: LDH A, [rTIMA]
        CHECK C
        XOR A :: LDH [rIF], A
        LD A, 4 :: LDH [rIE], A
        EI
        NOP
        XOR A :: LDH [rDIV], A :: LDH [rTIMA], A
        NOP
        NOP
        LD A, 4 :: LDH [rIF], A
        DI
        LD A, [wSeen] :: LD C, A
        XOR A :: LDH [rIE], A
        XOR A :: LDH [rDIV], A :: LDH [rTIMA], A
        NOP
        NOP
        LD A, 4 :: LDH [rIF], A
        NOP
        NOP
        NOP
        NOP
        NOP
        JP .then2
.then2: LDH A, [rTIMA]
        CHECK C
        XOR A :: LDH [rIF], A
        LD A, 4 :: LDH [rIE], A
        EI
        NOP
        XOR A :: LDH [rDIV], A :: LDH [rTIMA], A
        NOP
        NOP
        NOP
        LD A, 4 :: LDH [rIF], A
        DI
        LD A, [wSeen] :: LD C, A
        XOR A :: LDH [rIE], A
        XOR A :: LDH [rDIV], A :: LDH [rTIMA], A
        NOP
        NOP
        NOP
        LD A, 4 :: LDH [rIF], A
        NOP
        NOP
        NOP
        NOP
        NOP
        JP .then3
.then3: LDH A, [rTIMA]
        CHECK C
        XOR A :: LDH [rIF], A
        LD A, [wCount] :: CHECK 4
        JP Pass
Read:   LDH A, [rTIMA]              ; reached by the JP in the vector, like .then
        LD [wSeen], A :: JP Count
