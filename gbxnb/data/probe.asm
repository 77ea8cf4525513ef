; A dot on a white screen: arrows walk, A inverts, START opens a menu, B closes it, SELECT meets an opcode that does not exist.

DEF COL EQU $FF80
DEF ROW EQU $FF81
DEF KEYS EQU $FF82
DEF MENU EQU $FF83

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
        LD HL, $8000            ; tiles and both maps become blank
.clear: LD [HL+], A
        BIT 5, H                ; until $A000
        JR Z, .clear
        LD HL, $8010            ; tile 1 is black
        LD B, 16
        LD A, $FF
.tile:  LD [HL+], A
        DEC B
        JR NZ, .tile
        XOR A
        LDH [KEYS], A
        LDH [MENU], A
        LDH [$FF0F], A
        LD A, 2
        LDH [COL], A
        LDH [ROW], A
        LD A, $E4
        LDH [$FF47], A
        LD C, 1
        CALL Dot                ; while the LCD is off: in mode 3 the picture unit keeps its memory to itself
        LD A, $91               ; LCD and background on, tiles at $8000
        LDH [$FF40], A
        LD A, 1
        LDH [$FFFF], A          ; VBlank may interrupt
        EI
Loop:   HALT
        NOP
        CALL Keys               ; B: keys that went down
        CALL Act
        JR Loop

Keys:   LD A, $20               ; row of the arrows
        LDH [$FF00], A
        LDH A, [$FF00]
        LDH A, [$FF00]
        CPL
        AND $0F
        LD B, A
        LD A, $10               ; row of A, B, SELECT, START
        LDH [$FF00], A
        LDH A, [$FF00]
        LDH A, [$FF00]
        CPL
        AND $0F
        SWAP A
        OR B
        LD C, A
        LDH A, [KEYS]
        CPL
        AND C
        LD B, A
        LD A, C
        LDH [KEYS], A
        RET

Act:    BIT 6, B                ; SELECT: an opcode that does not exist
        JR Z, .open
        DB $D3
.open:  BIT 7, B                ; START opens the menu: white becomes grey
        JR Z, .close
        LD A, 1
        LDH [MENU], A
        LD A, $FD
        LDH [$FF47], A
.close: BIT 5, B                ; B closes it
        JR Z, .turn
        XOR A
        LDH [MENU], A
        LD A, $E4
        LDH [$FF47], A
.turn:  LDH A, [MENU]
        AND A
        RET NZ
        BIT 4, B                ; A inverts
        JR Z, .walk
        LDH A, [$FF47]
        CPL
        LDH [$FF47], A
.walk:  LD A, B
        AND $0F
        RET Z
        LD C, 0
        CALL Dot                ; wipe
        CALL Walk
        LD C, 1                 ; and draw, by falling into Dot

Dot:    LDH A, [ROW]            ; put tile C where the dot is
        LD L, A
        LD H, 0
        ADD HL, HL
        ADD HL, HL
        ADD HL, HL
        ADD HL, HL
        ADD HL, HL
        LD DE, $9800
        ADD HL, DE
        LDH A, [COL]
        LD E, A
        LD D, 0
        ADD HL, DE
        LD [HL], C
        RET

Walk:   LDH A, [COL]
        BIT 0, B
        JR Z, .left
        CP 19
        JR Z, .left
        INC A
.left:  BIT 1, B
        JR Z, .col
        AND A
        JR Z, .col
        DEC A
.col:   LDH [COL], A
        LDH A, [ROW]
        BIT 2, B
        JR Z, .down
        AND A
        JR Z, .down
        DEC A
.down:  BIT 3, B
        JR Z, .row
        CP 17
        JR Z, .row
        INC A
.row:   LDH [ROW], A
        RET
