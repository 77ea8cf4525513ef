; Coins fall, a paddle catches them: points for each, three lives, and the best game is remembered. FIRST, ZERO, COIN and PADDLE are tiles.

DEF SCORE EQU $C0A0
DEF BEST EQU $C0A4
DEF LIVES EQU $C0B0
DEF OVER EQU $C0B1
DEF TIME EQU $C0C0
DEF SEED EQU $C0C1
DEF HELD EQU $C0C2
DEF PLAYER EQU $C0D0
DEF COINX EQU $C0D1
DEF COINY EQU $C0D2
DEF AT EQU $C0D4
DEF FRESH EQU $C0D6

        SECTION "vblank", ROM0[$40]
        RETI
        SECTION "entry", ROM0[$100]
        NOP
        JP Start
        SECTION "main", ROM0[$150]
Start:  DI
        LD SP, $FFFE
.wait:  LDH A, [$FF44]          ; the LCD may only be switched off in VBlank
        CP 144
        JR NZ, .wait
        XOR A
        LDH [$FF40], A
        LD HL, $C000            ; all variables become 0
.work:  LD [HL+], A
        BIT 5, H
        JR Z, .work
        LD HL, $8000            ; tiles and both maps become blank
.clear: LD [HL+], A
        BIT 5, H                ; until $A000
        JR Z, .clear
        LD HL, $8000 + 16*FIRST
        LD DE, Glyphs
        LD BC, GlyphsEnd - Glyphs
.tiles: LD A, [DE]
        INC DE
        LD [HL+], A
        DEC BC
        LD A, B
        OR C
        JR NZ, .tiles
        LD A, $E4
        LDH [$FF47], A
        LD A, $5A
        LD [SEED], A
        CALL New
        LD A, $91               ; LCD and background on, tiles at $8000
        LDH [$FF40], A
        LD A, 1
        LDH [$FFFF], A          ; VBlank may interrupt
        EI

Loop:   HALT
        NOP
        CALL Draw               ; first, while it is VBlank
        CALL Keys
        LD A, [OVER]
        AND A
        JR NZ, .over
        CALL Walk
        CALL Fall
        JR Loop
.over:  LD A, [HELD]            ; START begins anew
        BIT 3, A
        CALL NZ, New
        JR Loop

New:    XOR A
        LD [SCORE], A
        LD [SCORE + 1], A
        LD [OVER], A
        LD [TIME], A
        LD A, 3
        LD [LIVES], A
        LD A, 9
        LD [PLAYER], A
        LD [FRESH], A           ; wipe what was written
        JR Coin

Coin:   LD A, 2                 ; a coin appears at the top, in a column of 2 to 17
        LD [COINY], A
        CALL Random
        AND 15
        ADD 2
        LD [COINX], A
        RET

Random: LD A, [SEED]            ; a shift register that keys disturb
        ADD A
        JR NC, .same
        XOR $1D
.same:  LD [SEED], A
        RET

Keys:   LD A, $20               ; row of the arrows
        LDH [$FF00], A
        LDH A, [$FF00]
        LDH A, [$FF00]
        CPL
        AND 3                   ; right and left
        LD B, A
        LD A, $10               ; row of A, B, SELECT, START
        LDH [$FF00], A
        LDH A, [$FF00]
        LDH A, [$FF00]
        CPL
        AND 8
        OR B
        LD [HELD], A
        AND A
        CALL NZ, Random
        RET


Walk:   LD HL, TIME             ; a step every fourth frame
        INC [HL]
        LD A, [HL]
        AND 3
        RET NZ
        LD A, [HELD]
        LD B, A
        LD A, [PLAYER]
        BIT 0, B
        JR Z, .left
        CP 18
        JR Z, .left
        INC A
.left:  BIT 1, B
        JR Z, .there
        CP 1
        JR Z, .there
        DEC A
.there: LD [PLAYER], A
        RET

Fall:   LD A, [TIME]            ; and so does the coin
        AND 3
        RET NZ
        LD HL, COINY
        INC [HL]
        LD A, [HL]
        CP 16
        RET NZ
        LD A, [PLAYER]          ; caught, if it is at most a cell away
        LD B, A
        LD A, [COINX]
        SUB B
        INC A
        CP 3
        JR NC, .lost
        LD A, [SCORE + 1]       ; points, kept as decimals
        ADD POINTS
        DAA
        LD [SCORE + 1], A
        LD A, [SCORE]
        ADC 0
        DAA
        LD [SCORE], A
        LD HL, BEST             ; the best of all games
        LD B, [HL]
        CP B
        JR C, .next
        JR NZ, .best
        INC HL
        LD A, [SCORE + 1]
        CP [HL]
        JR C, .next
.best:  LD A, [SCORE]
        LD [BEST], A
        LD A, [SCORE + 1]
        LD [BEST + 1], A
.next:  JP Coin
.lost:  LD HL, LIVES
        DEC [HL]
        JR NZ, .next
        LD A, 1
        LD [OVER], A
        RET

Draw:   LD HL, $9800            ; words and numbers
        LD DE, Score
        CALL Text
        LD A, [SCORE]
        CALL Two
        LD A, [SCORE + 1]
        CALL Two
        LD HL, $980C
        LD DE, Lives
        CALL Text
        LD A, [LIVES]
        ADD ZERO
        LD [HL], A
        LD A, [OVER]
        AND A
        JR NZ, .over
        LD A, [FRESH]
        AND A
        JR Z, .coin
        XOR A
        LD [FRESH], A
        LD HL, $9905
        CALL Wipe
        LD HL, $9945
        CALL Wipe
.coin:  LD A, [AT]              ; wipe the coin, and draw it where it is now
        LD L, A
        LD A, [AT + 1]
        LD H, A
        LD [HL], 0
        LD A, [COINY]
        LD B, A
        LD A, [COINX]
        CALL Cell
        LD A, L
        LD [AT], A
        LD A, H
        LD [AT + 1], A
        LD [HL], COIN
        LD HL, $9A20            ; row 17 is the player's
        CALL Wipe
        CALL Wipe
        LD B, 17
        LD A, [PLAYER]
        DEC A
        CALL Cell
        LD A, PADDLE
        LD [HL+], A
        LD [HL+], A
        LD [HL], A
        RET

.over:  LD HL, $9905            ; GAME OVER, with the best score below
        LD DE, Over
        CALL Text
        LD HL, $9945
        LD DE, Best
        CALL Text
        LD A, [BEST]
        CALL Two
        LD A, [BEST + 1]
        JR Two

Wipe:   LD B, 10                ; ten cells become blank
        XOR A
.cell:  LD [HL+], A
        DEC B
        JR NZ, .cell
        RET

Cell:   LD L, B                 ; HL: the cell in row B, column A
        LD H, 0
        ADD HL, HL
        ADD HL, HL
        ADD HL, HL
        ADD HL, HL
        ADD HL, HL
        LD C, A
        LD B, $98
        ADD HL, BC
        RET

Text:   LD A, [DE]              ; as far as a 0
        INC DE
        AND A
        RET Z
        LD [HL+], A
        JR Text

Two:    LD B, A
        SWAP A
        AND 15
        ADD ZERO
        LD [HL+], A
        LD A, B
        AND 15
        ADD ZERO
        LD [HL+], A
        RET

Score:  DB "SCORE "
        DB 0
Lives:  DB "LIVES "
        DB 0
Over:   DB "GAME OVER"
        DB 0
Best:   DB "BEST "
        DB 0
Glyphs: INCBIN "glyphs"
GlyphsEnd:
