; The Quiet Town. A tile is eight rows of eight pixels, from 0 (white) to 3 (black). A block of 16x16 pixels is four tile numbers: upper left,
; upper right, lower left, lower right; a place's tiles begin at number 64. A place is 9 rows of 10 blocks by their numbers, four warps, four
; things that talk, and where the villager begins. People are drawn by the hardware: two objects of 8x16 pixels side by side.

; Text is stored as tile numbers.
        CHARMAP " ", 128
        CHARMAP "A", 129
        CHARMAP "B", 130
        CHARMAP "C", 131
        CHARMAP "D", 132
        CHARMAP "E", 133
        CHARMAP "F", 134
        CHARMAP "G", 135
        CHARMAP "H", 136
        CHARMAP "I", 137
        CHARMAP "J", 138
        CHARMAP "K", 139
        CHARMAP "L", 140
        CHARMAP "M", 141
        CHARMAP "N", 142
        CHARMAP "O", 143
        CHARMAP "P", 144
        CHARMAP "Q", 145
        CHARMAP "R", 146
        CHARMAP "S", 147
        CHARMAP "T", 148
        CHARMAP "U", 149
        CHARMAP "V", 150
        CHARMAP "W", 151
        CHARMAP "X", 152
        CHARMAP "Y", 153
        CHARMAP "Z", 154
        CHARMAP ".", 155
        CHARMAP ",", 156
        CHARMAP "!", 157
        CHARMAP "?", 158
        CHARMAP "'", 159
        CHARMAP "-", 160
        CHARMAP ":", 161
        CHARMAP ">", 162
        CHARMAP "0", 163
        CHARMAP "1", 164
        CHARMAP "2", 165
        CHARMAP "3", 166
        CHARMAP "4", 167
        CHARMAP "5", 168
        CHARMAP "6", 169
        CHARMAP "7", 170
        CHARMAP "8", 171
        CHARMAP "9", 172
        CHARMAP "┌", 173
        CHARMAP "┐", 174
        CHARMAP "└", 175
        CHARMAP "┘", 176
        CHARMAP "─", 177
        CHARMAP "│", 178
        CHARMAP "▼", 179
        CHARMAP "@", 0
        CHARMAP "|", 1
        CHARMAP "^", 2
        CHARMAP "~", 3

; Where things are kept. A person is five bytes, the same five for player and villager.

DEF BANK_SELECT EQU $2000                   ; writing here switches the bank at $4000
DEF START_X EQU 2                           ; where the player stands in town at first
DEF START_Y EQU 5
DEF Y EQU 1
DEF DIR EQU 2
DEF WALK EQU 3
DEF TIMER EQU 4
        SECTION "variables", WRAM0[$C000]
wObjects: DS 160                            ; what DMA copies to OAM
        ALIGN 8
wWindow: DS 360                             ; the window as it should be, 18 rows of 20
        ALIGN 8
wFree:  DB                                  ; the place: 130 bytes as they come from the cartridge
wWalkable: DB
wCells: DS 90
wWarps: DS 24
wTalks: DS 12
wVillager: DS 5                             ; x, y (from the place), direction, pixels to walk, frames to wait
wPlayer: DS 5
wPlace: DB
wBlocks: DW
wRowFrom: DW
wRowTo: DW
wFade:  DB                                  ; 0 full colour .. 3 white
wWX:    DB
wWY:    DB
wFrame: DB                                  ; set once a frame
wHeld:  DB
wPressed: DB
wChance: DB
wBox:   DB                                  ; 1 a text box is open, 2 the menu
wCursor: DB
        SECTION "high", HRAM[$FF80]
hDma:   DS 10

; Power on

        SECTION "vblank interrupt", ROM0[$40]
        JP VBlank
        SECTION "entry", ROM0[$100]
        NOP
        JP Start
        SECTION "code", ROM0[$150]
Start:  LD SP, $E000
.wait:  LDH A, [rLY] :: CP 144 :: JR C, .wait
        XOR A :: LDH [rLCDC], A             ; the LCD may be turned off in VBlank only
        LDH [rNR52], A :: LDH [rSCX], A :: LDH [rSCY], A
        LD HL, $C000
.clear: XOR A :: LD [HL+], A :: BIT 5, H :: JR Z, .clear   ; all of WRAM, up to $E000
        LD HL, DmaCode :: LD DE, hDma :: LD BC, DmaEnd - DmaCode :: CALL Copy
        LD A, BANK(People) :: LD [BANK_SELECT], A
        LD HL, People :: LD DE, $8000 :: LD BC, PeopleEnd - People :: CALL Copy
        LD HL, Letters :: LD DE, $8800 :: LD BC, LettersEnd - Letters :: CALL Copy
        LD A, 144 :: LD [wWY], A            ; the window waits below the screen
        LD HL, wRowFrom :: LD [HL], LOW(wWindow) :: INC HL :: LD [HL], HIGH(wWindow)
        LD HL, wRowTo :: LD [HL], 0 :: INC HL :: LD [HL], $9C
        JP Title

Copy:   LD A, [HL+] :: LD [DE], A :: INC DE :: DEC BC       ; BC bytes from HL to DE
        LD A, B :: OR C :: JR NZ, Copy
        RET
DmaCode:                                    ; copied to high RAM, the only memory the CPU sees during OAM DMA
        LD A, HIGH(wObjects) :: LDH [rDMA], A
        LD A, 40
.spin:  DEC A :: JR NZ, .spin               ; 40 times 4 M-cycles: the 160 of the transfer
        RET
DmaEnd:

; A frame: everything the picture is made of changes in VBlank

VBlank: PUSH AF :: PUSH BC :: PUSH DE :: PUSH HL
        CALL hDma
        CALL CopyRows
        LD A, [wFade] :: LD C, A :: LD B, 0
        LD HL, Fades :: ADD HL, BC :: LD A, [HL] :: LDH [rBGP], A
        LD C, 4 :: ADD HL, BC :: LD A, [HL] :: LDH [rOBP0], A
        ADD HL, BC :: LD A, [HL] :: LDH [rOBP1], A
        LD A, [wWX] :: LDH [rWX], A :: LD A, [wWY] :: LDH [rWY], A
        LD HL, wHeld :: LDH A, [rDIV] :: ADD A, [HL]        ; chance: the divider and what is held
        LD HL, wChance :: ADD A, [HL] :: RRCA :: LD [HL], A
        LD A, 1 :: LD [wFrame], A
        POP HL :: POP DE :: POP BC :: POP AF
        RETI
Fades:  DB $E4, $90, $40, $00               ; the background from full colour to white
        DB $D0, $80, $40, $00               ; player
        DB $E0, $90, $40, $00               ; villager

CopyRows:                                   ; three rows of the window a frame, all eighteen in six
        LD HL, wRowFrom :: LD A, [HL+] :: LD H, [HL] :: LD L, A
        LD A, [wRowTo] :: LD E, A :: LD A, [wRowTo+1] :: LD D, A
        LD C, 3
.row:   LD B, 20
.tile:  LD A, [HL+] :: LD [DE], A :: INC E :: DEC B :: JR NZ, .tile
        LD A, E :: ADD A, 12 :: LD E, A :: JR NC, .next :: INC D
.next:  DEC C :: JR NZ, .row
        LD A, D :: CP HIGH($9C00 + 18*32) :: JR NZ, .keep
        LD A, E :: CP LOW($9C00 + 18*32) :: JR NZ, .keep
        LD HL, wWindow :: LD DE, $9C00
.keep:  LD A, L :: LD [wRowFrom], A :: LD A, H :: LD [wRowFrom+1], A
        LD A, E :: LD [wRowTo], A :: LD A, D :: LD [wRowTo+1], A
        RET

WaitFrames: PUSH BC :: CALL WaitFrame :: POP BC :: DEC B :: JR NZ, WaitFrames   ; B frames
        RET
WaitFrame: XOR A :: LD [wFrame], A
.sleep: HALT
        NOP
        LD A, [wFrame] :: AND A :: JR Z, .sleep
ReadJoypad: LD A, $20 :: LDH [rP1], A :: LDH A, [rP1] :: LDH A, [rP1]
        CPL :: AND $0F :: SWAP A :: LD B, A                 ; DOWN UP LEFT RIGHT in the high half
        LD A, $10 :: LDH [rP1], A :: LDH A, [rP1] :: LDH A, [rP1] :: LDH A, [rP1]
        CPL :: AND $0F :: OR B :: LD B, A                   ; START SELECT B A in the low one
        LD A, $30 :: LDH [rP1], A
        LD A, [wHeld] :: CPL :: AND B :: LD [wPressed], A   ; what is held now and was not before
        LD A, B :: LD [wHeld], A
        RET

; Title and main loop

Title:  LD HL, $9800
.blank: LD A, " " :: LD [HL+], A :: LD A, H :: CP $9C :: JR NZ, .blank
        LD HL, Name :: LD DE, $9800 + 6*32 + 3 :: CALL Print
        LD HL, Press :: LD DE, $9800 + 12*32 + 4 :: CALL Print
        CALL ScreenOn
.wait:  CALL WaitFrame :: LD A, [wPressed] :: BIT 3, A :: JR Z, .wait
        LDH A, [rDIV] :: LD [wChance], A    ; START never goes down at the same moment twice
        LD HL, wPlayer :: LD [HL], START_X :: INC HL :: LD [HL], START_Y
        CALL Enter

Overworld: CALL WaitFrame
        CALL MoveVillager
        CALL MovePlayer
        CALL DrawPeople
        JR Overworld

Print:  LD A, [HL+] :: AND A :: RET Z :: LD [DE], A :: INC DE :: JR Print
Name:   DB "THE QUIET TOWN@"
Press:  DB "PRESS START@"
ScreenOn: XOR A :: LDH [rIF], A :: LD A, 1 :: LDH [rIE], A
        LD A, %11110111 :: LDH [rLCDC], A   ; window map $9C00, tiles at $8000, objects 8x16
        EI
        RET

; Places: 24 frames of fade, one whole step of an environment that answers to nothing

Enter:  LD A, 1                             ; to the place wPlace, with a fade
.out:   LD [wFade], A :: LD B, 3 :: CALL WaitFrames
        LD A, [wFade] :: INC A :: CP 4 :: JR NZ, .out
        CALL LoadPlace
        CALL DrawPeople
        CALL ScreenOn
        LD A, 2
.in:    LD [wFade], A :: LD B, 3 :: CALL WaitFrames
        LD A, [wFade] :: DEC A :: BIT 7, A :: JR Z, .in
        RET

LoadPlace: DI
.wait:  LDH A, [rLY] :: CP 144 :: JR C, .wait
        XOR A :: LDH [rLCDC], A
        LD A, [wPlace] :: LD C, A :: ADD A, A :: ADD A, C :: LD C, A :: LD B, 0
        LD HL, Places :: ADD HL, BC         ; three bytes a place: its bank and address
        LD A, [HL+] :: LD [BANK_SELECT], A :: LD A, [HL+] :: LD H, [HL] :: LD L, A
        LD A, [HL+] :: LD E, A :: LD A, [HL+] :: LD D, A    ; tiles
        LD A, [HL+] :: LD C, A :: LD A, [HL+] :: LD B, A    ; their size
        LD A, [HL+] :: LD [wBlocks], A :: LD A, [HL+] :: LD [wBlocks+1], A
        PUSH HL
        LD H, D :: LD L, E :: LD DE, $8400 :: CALL Copy
        POP HL :: LD DE, wFree :: LD BC, 130 :: CALL Copy
        LD HL, wVillager + WALK :: XOR A :: LD [HL+], A :: LD [HL], 40
DrawMap: LD DE, wCells :: LD HL, $9800 :: LD B, 9
.row:   LD C, 10
.block: LD A, [DE] :: INC DE :: PUSH DE :: CALL DrawBlock :: POP DE :: DEC C :: JR NZ, .block
        LD A, L :: ADD A, 44 :: LD L, A :: JR NC, .next :: INC H
.next:  DEC B :: JR NZ, .row
        RET
DrawBlock: ADD A, A :: ADD A, A :: LD E, A :: LD D, 0       ; block A: four tiles at HL, which moves on by two
        LD A, [wBlocks] :: ADD A, E :: LD E, A :: LD A, [wBlocks+1] :: ADC A, D :: LD D, A
        LD A, [DE] :: INC DE :: LD [HL+], A :: LD A, [DE] :: INC DE :: LD [HL], A
        PUSH HL :: PUSH BC
        LD BC, 31 :: ADD HL, BC
        LD A, [DE] :: INC DE :: LD [HL+], A :: LD A, [DE] :: LD [HL], A
        POP BC :: POP HL :: INC HL
        RET

; Walking: a button first turns the player; held four frames longer, a step of sixteen frames begins

MovePlayer: LD HL, wPlayer + WALK :: LD A, [HL] :: AND A :: JR Z, .stand
        DEC [HL] :: RET NZ
        JP TakeWarp                         ; the step is done
.stand: LD A, [wPressed] :: BIT 3, A :: JP NZ, Menu
        BIT 0, A :: JP NZ, Talk
        LD HL, wPlayer + TIMER :: LD A, [HL] :: AND A :: JR Z, .ready
        DEC [HL]
        RET
.ready: LD A, [wHeld] :: AND $F0 :: RET Z
        LD C, 0 :: ADD A, A :: JR C, .look  ; DOWN, UP, LEFT, RIGHT are 0 to 3
        INC C :: ADD A, A :: JR C, .look
        INC C :: ADD A, A :: JR C, .look
        INC C
.look:  LD HL, wPlayer + DIR :: LD A, [HL] :: CP C :: JR Z, .go
        LD [HL], C :: LD A, 4 :: LD [wPlayer + TIMER], A    ; turn first; walk if it is still held then
        RET
.go:    LD HL, wPlayer :: CALL Ahead :: CALL Cell
        LD HL, wWalkable :: CP [HL] :: RET NC
        LD A, [wVillager] :: CP D :: JR NZ, .step
        LD A, [wVillager + Y] :: CP E :: RET Z
.step:  LD HL, wPlayer :: LD [HL], D :: INC HL :: LD [HL], E
        LD A, 16 :: LD [wPlayer + WALK], A
        RET

Ahead:  LD D, [HL] :: INC HL :: LD E, [HL] :: INC HL :: LD A, [HL]   ; the block D, E that person HL looks at
        AND A :: JR Z, .down :: DEC A :: JR Z, .up :: DEC A :: JR Z, .left
        INC D
        RET
.down:  INC E :: RET
.up:    DEC E :: RET
.left:  DEC D :: RET
Cell:   LD A, E :: ADD A, A :: LD B, A :: ADD A, A :: ADD A, A :: ADD A, B :: ADD A, D   ; 10*y + x
        LD HL, wCells :: ADD A, L :: LD L, A :: LD A, [HL]
        RET

TakeWarp: LD HL, wWarps :: LD B, 4
.next:  LD A, [wPlayer] :: CP [HL] :: JR NZ, .skip
        INC HL :: LD A, [wPlayer + Y] :: CP [HL] :: JR Z, .take
        DEC HL
.skip:  LD DE, 6 :: ADD HL, DE :: DEC B :: JR NZ, .next
        RET
.take:  INC HL :: LD A, [HL+] :: LD [wPlace], A
        LD DE, wPlayer :: LD BC, 3 :: CALL Copy
        JP Enter

; People

MoveVillager: LD A, [wVillager] :: INC A :: RET Z           ; no villager lives here
        LD HL, wVillager + WALK :: LD A, [HL] :: AND A :: JR Z, .think
        DEC [HL]
        RET
.think: INC HL :: DEC [HL] :: RET NZ
        LD A, [wChance] :: AND $3F :: ADD A, 20 :: LD [HL], A
        LD A, [wChance] :: RLCA :: RLCA :: AND 3 :: LD [wVillager + DIR], A
        LD HL, wVillager :: CALL Ahead :: CALL Cell
        LD HL, wFree :: CP [HL] :: RET NC
        LD A, D :: CP 9 :: RET NC           ; not out of town
        LD A, [wPlayer] :: CP D :: JR NZ, .step
        LD A, [wPlayer + Y] :: CP E :: RET Z
.step:  LD HL, wVillager :: LD [HL], D :: INC HL :: LD [HL], E
        LD A, 16 :: LD [wVillager + WALK], A
        RET

DrawPeople: LD HL, wPlayer :: LD DE, wObjects :: LD B, 0 :: CALL DrawPerson
        LD HL, wVillager :: LD DE, wObjects + 8 :: LD B, $10 :: LD A, [HL] :: INC A :: JR NZ, DrawPerson
        LD [wObjects + 8], A :: LD [wObjects + 12], A       ; at line 0 an object is above the screen
        RET
DrawPerson: PUSH DE                         ; person HL into two objects at DE with attributes B
        LD A, [HL+] :: SWAP A :: ADD A, 8 :: LD D, A
        LD A, [HL+] :: SWAP A :: ADD A, 16 :: LD E, A
        LD A, [HL+] :: LD C, A :: LD H, [HL]                ; H: pixels still to walk
        LD A, H :: BIT 1, C :: JR NZ, .side
        BIT 0, C :: JR NZ, .y :: CPL :: INC A
.y:     ADD A, E :: LD E, A :: JR .cover
.side:  BIT 0, C :: JR Z, .x :: CPL :: INC A
.x:     ADD A, D :: LD D, A
.cover: LD A, [wBox] :: AND A :: JR Z, .shape               ; people do not walk over boxes
        DEC A :: JR NZ, .menu
        LD A, E :: CP 97 :: JR C, .shape :: JR .hide
.menu:  LD A, D :: CP 89 :: JR C, .shape
.hide:  LD E, 0
.shape: LD A, C :: CP 3 :: JR NZ, .tile
        SET 5, B :: LD A, 2                 ; right is left, mirrored
.tile:  ADD A, A :: LD C, A
        LD A, H :: SUB A, 5 :: CP 8 :: JR NC, .still :: INC C       ; the other leg in the middle of a step
.still: LD A, C :: ADD A, A :: ADD A, A :: LD C, A
        BIT 5, B :: JR Z, .write :: SET 1, C
.write: POP HL
        LD [HL], E :: INC HL :: LD [HL], D :: INC HL :: LD [HL], C :: INC HL :: LD [HL], B :: INC HL
        LD [HL], E :: INC HL :: LD A, D :: ADD A, 8 :: LD [HL+], A
        LD A, C :: XOR 2 :: LD [HL+], A :: LD [HL], B
        RET

; Talking: letter by letter; the codes below the letters are end, new line, new page, a long pause

Talk:   LD HL, wPlayer :: CALL Ahead
        LD A, [wVillager] :: CP D :: JR NZ, .thing
        LD A, [wVillager + Y] :: CP E :: JR NZ, .thing
        LD A, [wVillager + WALK] :: AND A :: RET NZ
        LD A, [wPlayer + DIR] :: XOR 1 :: LD [wVillager + DIR], A   ; he turns to the player
        LD A, TEXT_VILLAGER :: JR ShowText
.thing: LD HL, wTalks :: LD B, 4
.next:  LD A, [HL+] :: CP D :: JR NZ, .skip
        LD A, [HL] :: CP E :: JR Z, .found
.skip:  INC HL :: INC HL :: DEC B :: JR NZ, .next
        RET
.found: INC HL :: LD A, [HL]

ShowText: LD C, A :: LD B, 0 :: LD A, BANK(Texts) :: LD [BANK_SELECT], A    ; text A in a box, until A or B
        LD HL, Texts :: ADD HL, BC :: ADD HL, BC :: LD A, [HL+] :: LD H, [HL] :: LD L, A
        LD A, 144 :: LD [wWY], A
.page:  PUSH HL
        LD HL, TextBox :: LD DE, wWindow :: LD BC, 120 :: CALL Copy
        LD A, 1 :: LD [wBox], A :: CALL DrawPeople
        LD B, 6 :: CALL WaitFrames          ; until all of it is in video memory
        LD A, 7 :: LD [wWX], A :: LD A, 96 :: LD [wWY], A
        POP HL :: LD DE, wWindow + 2*20 + 1
.char:  LD A, [HL+] :: CP " " :: JR C, .control
        LD [DE], A :: INC DE
        LD B, 2 :: CALL WaitFrames
        JR .char
.control: AND A :: JR Z, .end :: DEC A :: JR Z, .line :: DEC A :: JR Z, .turn
        LD B, 90 :: CALL WaitFrames :: JR .char
.line:  LD DE, wWindow + 4*20 + 1 :: JR .char
.turn:  CALL Confirm :: JR .page
.end:   CALL Confirm
CloseBox: LD A, 144 :: LD [wWY], A :: XOR A :: LD [wBox], A
        RET
Confirm: LD A, "▼" :: LD [wWindow + 4*20 + 18], A
.wait:  CALL WaitFrame :: LD A, [wPressed] :: AND 3 :: JR Z, .wait
        RET
TextBox: DB "┌──────────────────┐", "│                  │", "│                  │"
        DB "│                  │", "│                  │", "└──────────────────┘"

; The menu: SAVE waits a second and a half for a save that does not exist

Menu:   LD A, 144 :: LD [wWY], A
        LD HL, MenuBox :: LD DE, wWindow :: LD C, 18
.row:   LD B, 8
.tile:  LD A, [HL+] :: LD [DE], A :: INC DE :: DEC B :: JR NZ, .tile
        LD A, E :: ADD A, 12 :: LD E, A :: JR NC, .next :: INC D
.next:  DEC C :: JR NZ, .row
        LD A, ">" :: CALL Cursor
        LD A, 2 :: LD [wBox], A :: CALL DrawPeople
        LD B, 6 :: CALL WaitFrames
        LD A, 103 :: LD [wWX], A :: XOR A :: LD [wWY], A
.loop:  CALL WaitFrame :: LD A, [wPressed]
        LD C, A :: AND %1010 :: JP NZ, CloseBox :: LD A, C  ; B or START again
        BIT 0, A :: JR NZ, .choose
        LD C, 1 :: BIT 7, A :: JR NZ, .move
        LD C, -1 :: BIT 6, A :: JR Z, .loop
.move:  PUSH BC :: LD A, " " :: CALL Cursor :: POP BC
        LD A, [wCursor] :: ADD A, C :: AND 3 :: LD [wCursor], A
        LD A, ">" :: CALL Cursor :: JR .loop
.choose: LD A, [wCursor] :: CP 3 :: JP Z, CloseBox
        ADD A, TEXT_MENU :: CALL ShowText
        JR Menu
Cursor: LD B, A :: LD A, [wCursor] :: LD HL, wWindow + 2*20 + 1 :: LD DE, 40     ; draw A where the cursor is
        INC A
.down:  DEC A :: JR Z, .draw :: ADD HL, DE :: JR .down
.draw:  LD [HL], B
        RET
MenuBox: DB "┌──────┐", "│      │", "│ ITEM │", "│      │", "│ SAVE │", "│      │"
        DB "│ HELP │", "│      │", "│ EXIT │", "│      │", "│      │", "│      │"
        DB "│      │", "│      │", "│      │", "│      │", "│      │", "└──────┘"

; Data, by bank

Places: DB BANK(TownPlace) :: DW TownPlace :: DB BANK(HousePlace) :: DW HousePlace
        DB BANK(CellarPlace) :: DW CellarPlace :: DB BANK(MeadowPlace) :: DW MeadowPlace

        SECTION "outdoors", ROMX, BANK[1]
TownPlace: DW OutTiles, OutTilesEnd - OutTiles, OutBlocks
        DB 3, 4                                ; so many kinds of blocks are free for the villager, and for the player
        DB  4,  4,  4,  4,  4,  4,  4,  4,  4,  4   ; TTTTTTTTTT
        DB  4,  0,  2,  7,  7,  7,  7,  0,  0,  4   ; T.,RRRR..T
        DB  4,  0,  0,  7,  7,  7,  7,  0,  2,  4   ; T..RRRR.,T
        DB  4,  0,  0,  8,  8,  3,  8,  9,  0,  4   ; T..##D#S.T
        DB  4,  6,  0,  2,  1,  1,  0,  0,  6,  4   ; TF.,__..FT
        DB  4,  0,  0,  0,  6,  6,  0,  0,  2,  4   ; T...FF..,T
        DB  4,  2,  0,  0,  0,  0,  5,  0,  0,  0   ; T,....W...
        DB  4,  0,  0,  6,  0,  0,  5,  5,  0,  4   ; T..F..WW.T
        DB  4,  4,  4,  4,  4,  4,  4,  4,  4,  4   ; TTTTTTTTTT
        DB 5, 3, 1, 4, 6, 1                   ; at 5, 3 to 4, 6 of the house, looking up
        DB 9, 6, 3, 1, 6, 3                   ; at 9, 6 to 1, 6 of the meadow, looking right
        DB $FF, $FF, $FF, $FF, $FF, $FF
        DB $FF, $FF, $FF, $FF, $FF, $FF
        DB 7, 3, 0                            ; at 7, 3 stands what says T0
        DB $FF, $FF, $FF
        DB $FF, $FF, $FF
        DB $FF, $FF, $FF
        DB 7, 5                               ; the villager
MeadowPlace: DW OutTiles, OutTilesEnd - OutTiles, OutBlocks
        DB 3, 3                                ; so many kinds of blocks are free for the villager, and for the player
        DB  4,  4,  4,  4,  4,  4,  4,  4,  4,  4   ; TTTTTTTTTT
        DB  4,  0,  0,  2,  0,  0,  0,  0,  0,  4   ; T..,.....T
        DB  4,  0,  5,  5,  0,  0,  0,  2,  0,  4   ; T.WW...,.T
        DB  4,  0,  5,  5,  5,  0,  4,  4,  0,  4   ; T.WWW.TT.T
        DB  4,  2,  0,  0,  5,  0,  4,  4,  0,  4   ; T,..W.TT.T
        DB  4,  0,  0,  0,  0,  0,  0,  0,  0,  4   ; T........T
        DB  0,  0,  0,  0,  0,  2,  0,  0,  9,  4   ; .....,..ST
        DB  4,  0,  0,  0,  0,  0,  0,  0,  0,  4   ; T........T
        DB  4,  4,  4,  4,  4,  4,  4,  4,  4,  4   ; TTTTTTTTTT
        DB 0, 6, 0, 8, 6, 2                   ; at 0, 6 to 8, 6 of the town, looking left
        DB $FF, $FF, $FF, $FF, $FF, $FF
        DB $FF, $FF, $FF, $FF, $FF, $FF
        DB $FF, $FF, $FF, $FF, $FF, $FF
        DB 8, 6, 4                            ; at 8, 6 stands what says T4
        DB $FF, $FF, $FF
        DB $FF, $FF, $FF
        DB $FF, $FF, $FF
        DB 255, 255                           ; no villager lives here
OutTiles:
        DW `00000000
        DW `00100000
        DW `01010000
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00000010
        DW `00000101

        DW `00000000
        DW `00000000
        DW `00100000
        DW `01010000
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00000000

        DW `00000000
        DW `01000000
        DW `10100000
        DW `00000000
        DW `00000000
        DW `00000001
        DW `00000010
        DW `00000000

        DW `00000000
        DW `00001000
        DW `00010100
        DW `00000000
        DW `00000000
        DW `00000000
        DW `10000000
        DW `00000000

        DW `00000000
        DW `01000000
        DW `00000000
        DW `00000000
        DW `00000100
        DW `00000000
        DW `00000000
        DW `00000000

        DW `00000000
        DW `00000000
        DW `00010000
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00000010

        DW `01000000
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00010000
        DW `00000000
        DW `00000000
        DW `00000000

        DW `00000000
        DW `00000000
        DW `01000000
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00000100
        DW `00000000

        DW `00000000
        DW `00100000
        DW `01010001
        DW `00000001
        DW `00000001
        DW `00100000
        DW `01010000
        DW `00000000

        DW `00000000
        DW `00000000
        DW `10000000
        DW `33100000
        DW `33100000
        DW `11000000
        DW `01000000
        DW `01000000

        DW `00000000
        DW `00001100
        DW `00013310
        DW `00013310
        DW `00001100
        DW `00000101
        DW `00000100
        DW `00000000

        DW `00000000
        DW `00001000
        DW `00010100
        DW `00000000
        DW `10000000
        DW `01000000
        DW `00000000
        DW `00000000

        DW `00033333
        DW `00322222
        DW `00323333
        DW `00323222
        DW `00323222
        DW `00323222
        DW `00323333
        DW `00322222

        DW `33333000
        DW `22222300
        DW `33332300
        DW `22232300
        DW `22232300
        DW `22232300
        DW `33332300
        DW `22222300

        DW `00322222
        DW `00322222
        DW `00322222
        DW `00322222
        DW `00323333
        DW `00323222
        DW `00323222
        DW `00333333

        DW `22222300
        DW `22233230
        DW `22233230
        DW `22222300
        DW `33332300
        DW `22232300
        DW `22232300
        DW `33333300

        DW `00000333
        DW `00033111
        DW `00311112
        DW `03112111
        DW `03111111
        DW `31121111
        DW `31111211
        DW `31211111

        DW `33300000
        DW `12133000
        DW `11112300
        DW `11121130
        DW `21111130
        DW `11112113
        DW `11211113
        DW `21111213

        DW `31111211
        DW `03121111
        DW `03212211
        DW `00332222
        DW `00003323
        DW `00000032
        DW `00000032
        DW `00000333

        DW `11121113
        DW `21111230
        DW `12212230
        DW `22222330
        DW `32330000
        DW `23000000
        DW `23000000
        DW `33300000

        DW `11111111
        DW `12211111
        DW `21121111
        DW `11111111
        DW `11112211
        DW `11121122
        DW `21111111
        DW `11111111

        DW `11111111
        DW `11111111
        DW `22111111
        DW `11221111
        DW `11111111
        DW `11111112
        DW `22111122
        DW `11111111

        DW `11221111
        DW `12112211
        DW `11111121
        DW `11111111
        DW `22111111
        DW `11221111
        DW `11111111
        DW `11111111

        DW `11112211
        DW `11221121
        DW `12111111
        DW `11111111
        DW `11112211
        DW `12221121
        DW `21111112
        DW `11111111

        DW `00000000
        DW `00000000
        DW `03300000
        DW `03300000
        DW `33333333
        DW `31111111
        DW `33333333
        DW `03300000

        DW `00000000
        DW `00000000
        DW `00000330
        DW `00000330
        DW `33333333
        DW `11111113
        DW `33333333
        DW `00000330

        DW `03300000
        DW `03300000
        DW `33333333
        DW `31111111
        DW `33333333
        DW `03300000
        DW `03300000
        DW `00000000

        DW `00000330
        DW `00000330
        DW `33333333
        DW `11111113
        DW `33333333
        DW `00000330
        DW `00000330
        DW `00000000

        DW `22222222
        DW `21111112
        DW `21111112
        DW `21111112
        DW `21111112
        DW `21111112
        DW `21111112
        DW `22222222

        DW `22222222
        DW `11122111
        DW `11122111
        DW `11122111
        DW `11122111
        DW `11122111
        DW `11122111
        DW `22222222

        DW `00000000
        DW `00000000
        DW `00111111
        DW `00100000
        DW `00100000
        DW `00100000
        DW `00111111
        DW `00000000

        DW `00000000
        DW `00000000
        DW `11111100
        DW `00000100
        DW `00000100
        DW `00000100
        DW `11111100
        DW `00000000

        DW `00000000
        DW `00111111
        DW `00100000
        DW `00100000
        DW `00100000
        DW `00100000
        DW `00111111
        DW `33333333

        DW `00000000
        DW `11111100
        DW `00000100
        DW `00000100
        DW `00000100
        DW `00000100
        DW `11111100
        DW `33333333

        DW `00000000
        DW `00333333
        DW `00311111
        DW `00312212
        DW `00311111
        DW `00312221
        DW `00311111
        DW `00333333

        DW `00000000
        DW `33333300
        DW `11111300
        DW `22212300
        DW `11111300
        DW `22121300
        DW `11111300
        DW `33333300

        DW `00000032
        DW `00000032
        DW `00000032
        DW `00000032
        DW `00000032
        DW `00001033
        DW `00010100
        DW `00000000

        DW `23000000
        DW `23000000
        DW `23000000
        DW `23000000
        DW `23000000
        DW `33010000
        DW `00101000
        DW `00000000
OutTilesEnd:
OutBlocks:
        DB 64, 65, 66, 67   ; grass
        DB 68, 69, 70, 71   ; path
        DB 72, 73, 74, 75   ; flower
        DB 76, 77, 78, 79   ; door
        DB 80, 81, 82, 83   ; tree
        DB 84, 85, 86, 87   ; water
        DB 88, 89, 90, 91   ; fence
        DB 92, 92, 93, 93   ; roof
        DB 94, 95, 96, 97   ; wall
        DB 98, 99, 100, 101   ; sign

        SECTION "indoors", ROMX, BANK[2]
HousePlace: DW InTiles, InTilesEnd - InTiles, InBlocks
        DB 3, 3                                ; so many kinds of blocks are free for the villager, and for the player
        DB  3,  3,  3,  3,  3,  3,  3,  3,  3,  3   ; HHHHHHHHHH
        DB  3,  3,  3,  3,  3,  3,  3,  3,  3,  3   ; HHHHHHHHHH
        DB  3,  3,  4,  4,  3,  4,  2,  4,  3,  3   ; HHBBHB<BHH
        DB  3,  3,  0,  0,  0,  0,  0,  0,  3,  3   ; HH      HH
        DB  3,  3,  0,  5,  5,  0,  0,  0,  3,  3   ; HH tt   HH
        DB  3,  3,  0,  5,  5,  0,  7,  0,  3,  3   ; HH tt E HH
        DB  3,  3,  6,  0,  0,  0,  0,  6,  3,  3   ; HHp    pHH
        DB  3,  3,  3,  3,  1,  3,  3,  3,  3,  3   ; HHHHMHHHHH
        DB  3,  3,  3,  3,  3,  3,  3,  3,  3,  3   ; HHHHHHHHHH
        DB 4, 7, 0, 5, 4, 0                   ; at 4, 7 to 5, 4 of the town, looking down
        DB 6, 2, 2, 6, 3, 0                   ; at 6, 2 to 6, 3 of the cellar, looking down
        DB $FF, $FF, $FF, $FF, $FF, $FF
        DB $FF, $FF, $FF, $FF, $FF, $FF
        DB 6, 5, 1                            ; at 6, 5 stands what says T1
        DB 2, 2, 2                            ; at 2, 2 stands what says T2
        DB 3, 2, 2                            ; at 3, 2 stands what says T2
        DB $FF, $FF, $FF
        DB 255, 255                           ; no villager lives here
InTiles:
        DW `11111111
        DW `11111111
        DW `11111111
        DW `11111111
        DW `11111111
        DW `11111111
        DW `11111111
        DW `22222222

        DW `11111111
        DW `13333333
        DW `13222222
        DW `13232323
        DW `13223232
        DW `13232323
        DW `13223232
        DW `13232323

        DW `11111111
        DW `33333333
        DW `22222231
        DW `23232231
        DW `32323231
        DW `23232231
        DW `32323231
        DW `23232231

        DW `13223232
        DW `13232323
        DW `13223232
        DW `13232323
        DW `13222222
        DW `13333333
        DW `11111111
        DW `11111111

        DW `32323231
        DW `23232231
        DW `32323231
        DW `23232231
        DW `22222231
        DW `33333333
        DW `11111111
        DW `11111111

        DW `33333333
        DW `31111111
        DW `31111111
        DW `33333333
        DW `33222222
        DW `33222222
        DW `33333333
        DW `33332222

        DW `33333333
        DW `11111113
        DW `11111113
        DW `33333333
        DW `22222233
        DW `22222233
        DW `33333333
        DW `22223333

        DW `33332222
        DW `33333333
        DW `33333322
        DW `33333322
        DW `33333333
        DW `33333333
        DW `33333333
        DW `33333333

        DW `22223333
        DW `33333333
        DW `22333333
        DW `22333333
        DW `33333333
        DW `33333333
        DW `33333333
        DW `33333333

        DW `22222222
        DW `23333333
        DW `23222222
        DW `23222222
        DW `23333333
        DW `22222222
        DW `23333332
        DW `23222232

        DW `22222222
        DW `33333332
        DW `22222232
        DW `22222232
        DW `33333332
        DW `22222222
        DW `23333332
        DW `23222232

        DW `23222232
        DW `23333332
        DW `22222222
        DW `23333333
        DW `23222222
        DW `23222222
        DW `23333333
        DW `22222222

        DW `23222232
        DW `23333332
        DW `22222222
        DW `33333332
        DW `22222232
        DW `22222232
        DW `33333332
        DW `22222222

        DW `22222222
        DW `23333333
        DW `23132313
        DW `23132313
        DW `23333333
        DW `22222222
        DW `23333333
        DW `23231323

        DW `22222222
        DW `33333332
        DW `23313232
        DW `23313232
        DW `33333332
        DW `22222222
        DW `33333332
        DW `21323132

        DW `23231323
        DW `23333333
        DW `22222222
        DW `23333333
        DW `23123132
        DW `23123132
        DW `23333333
        DW `22222222

        DW `21323132
        DW `33333332
        DW `22222222
        DW `33333332
        DW `31321322
        DW `31321322
        DW `33333332
        DW `22222222

        DW `11111111
        DW `13333333
        DW `32222222
        DW `32000000
        DW `32000000
        DW `32000000
        DW `32000000
        DW `32000000

        DW `11111111
        DW `33333333
        DW `22222223
        DW `00000023
        DW `00000023
        DW `00000023
        DW `00000023
        DW `00000023

        DW `32000000
        DW `32222222
        DW `13333333
        DW `13231111
        DW `13231111
        DW `13231111
        DW `13331111
        DW `11111111

        DW `00000023
        DW `22222223
        DW `33333333
        DW `11113231
        DW `11113231
        DW `11113231
        DW `11113331
        DW `11111111

        DW `11111111
        DW `11111131
        DW `11331313
        DW `13213323
        DW `13211322
        DW `11331233
        DW `13131133
        DW `13213133

        DW `11111111
        DW `33111111
        DW `23133111
        DW `31331231
        DW `31112311
        DW `21133111
        DW `11311311
        DW `13112311

        DW `11331333
        DW `11113322
        DW `11133222
        DW `11132222
        DW `11132222
        DW `11113222
        DW `11113333
        DW `11111111

        DW `31333111
        DW `33111111
        DW `23311111
        DW `22311111
        DW `22311111
        DW `23111111
        DW `33111111
        DW `11111111

        DW `11111133
        DW `11111300
        DW `11113000
        DW `11130000
        DW `11130300
        DW `11130000
        DW `11113033
        DW `11113000

        DW `33111111
        DW `00311111
        DW `00031111
        DW `00003111
        DW `00303111
        DW `00003111
        DW `33031111
        DW `00031111

        DW `11330300
        DW `13223033
        DW `13222300
        DW `13222233
        DW `13322222
        DW `11322222
        DW `11322222
        DW `11333333

        DW `00303311
        DW `33032231
        DW `00322231
        DW `33222231
        DW `22222331
        DW `22222311
        DW `22222311
        DW `33333311
InTilesEnd:
InBlocks:
        DB 64, 64, 64, 64   ; floor
        DB 65, 66, 67, 68   ; mat
        DB 69, 70, 71, 72   ; stairs
        DB 73, 74, 75, 76   ; hwall
        DB 77, 78, 79, 80   ; shelf
        DB 81, 82, 83, 84   ; table
        DB 85, 86, 87, 88   ; plant
        DB 89, 90, 91, 92   ; elder
CellarPlace: DW DarkTiles, DarkTilesEnd - DarkTiles, DarkBlocks
        DB 1, 2                                ; so many kinds of blocks are free for the villager, and for the player
        DB  2,  2,  2,  2,  2,  2,  2,  2,  2,  2   ; XXXXXXXXXX
        DB  2,  2,  2,  2,  2,  2,  2,  2,  2,  2   ; XXXXXXXXXX
        DB  2,  2,  2,  3,  2,  2,  1,  2,  2,  2   ; XXXCXX>XXX
        DB  2,  2,  0,  0,  2,  0,  0,  2,  2,  2   ; XXssXssXXX
        DB  2,  2,  0,  0,  2,  0,  0,  0,  2,  2   ; XXssXsssXX
        DB  2,  2,  0,  0,  0,  0,  0,  0,  2,  2   ; XXssssssXX
        DB  2,  2,  2,  0,  0,  0,  0,  2,  2,  2   ; XXXssssXXX
        DB  2,  2,  2,  2,  2,  2,  2,  2,  2,  2   ; XXXXXXXXXX
        DB  2,  2,  2,  2,  2,  2,  2,  2,  2,  2   ; XXXXXXXXXX
        DB 6, 2, 1, 6, 3, 0                   ; at 6, 2 to 6, 3 of the house, looking down
        DB $FF, $FF, $FF, $FF, $FF, $FF
        DB $FF, $FF, $FF, $FF, $FF, $FF
        DB $FF, $FF, $FF, $FF, $FF, $FF
        DB 3, 2, 3                            ; at 3, 2 stands what says T3
        DB $FF, $FF, $FF
        DB $FF, $FF, $FF
        DB $FF, $FF, $FF
        DB 255, 255                           ; no villager lives here
DarkTiles:
        DW `33333333
        DW `33333333
        DW `33333333
        DW `33333333
        DW `33333333
        DW `33333333
        DW `33333333
        DW `33333333

        DW `33333333
        DW `33333333
        DW `33333333
        DW `33333333
        DW `33333333
        DW `33333333
        DW `33333333
        DW `33333332

        DW `33333333
        DW `33333333
        DW `33333333
        DW `33333333
        DW `33333333
        DW `33333333
        DW `33333333
        DW `33323333

        DW `33333333
        DW `33311333
        DW `33311111
        DW `33311333
        DW `33311333
        DW `33311111
        DW `33311333
        DW `33311333

        DW `33333333
        DW `33311333
        DW `11111333
        DW `33311333
        DW `33311333
        DW `11111333
        DW `33311333
        DW `33311333

        DW `33311111
        DW `33311333
        DW `33311333
        DW `33311111
        DW `33311333
        DW `33311333
        DW `33311333
        DW `33333333

        DW `11111333
        DW `33311333
        DW `33311333
        DW `11111333
        DW `33311333
        DW `33311333
        DW `33311333
        DW `33333333

        DW `22222222
        DW `23333332
        DW `23333332
        DW `23333332
        DW `22222222
        DW `33322333
        DW `33322333
        DW `33322333

        DW `33333333
        DW `33333333
        DW `33333333
        DW `32222222
        DW `32111111
        DW `32111111
        DW `32222222
        DW `32111130

        DW `33333333
        DW `33333333
        DW `33333323
        DW `22222223
        DW `11111123
        DW `11111123
        DW `22222223
        DW `03111123

        DW `32111130
        DW `32111133
        DW `32111111
        DW `32111111
        DW `32222222
        DW `33333333
        DW `33333333
        DW `33333333

        DW `03111123
        DW `33111123
        DW `11111123
        DW `11111123
        DW `22222223
        DW `33333333
        DW `33333333
        DW `33333333
DarkTilesEnd:
DarkBlocks:
        DB 64, 65, 66, 64   ; stone
        DB 67, 68, 69, 70   ; ladder
        DB 71, 71, 71, 71   ; brick
        DB 72, 73, 74, 75   ; chest

        SECTION "texts", ROMX, BANK[3]
People:
        ; down, upper left
        DW `00000000
        DW `00000333
        DW `00003222
        DW `00032222
        DW `00032211
        DW `00032111
        DW `00031311
        DW `00031111
        ; down, lower left
        DW `00003113
        DW `00033333
        DW `00311222
        DW `00311222
        DW `00333222
        DW `00003223
        DW `00003223
        DW `00003330
        ; down, upper right
        DW `00000000
        DW `33300000
        DW `22230000
        DW `22223000
        DW `11223000
        DW `11123000
        DW `11313000
        DW `11113000
        ; down, lower right
        DW `31130000
        DW `33333000
        DW `22211300
        DW `22211300
        DW `22233300
        DW `32230000
        DW `32230000
        DW `03330000
        ; down2, upper left
        DW `00000000
        DW `00000333
        DW `00003222
        DW `00032222
        DW `00032211
        DW `00032111
        DW `00031311
        DW `00031111
        ; down2, lower left
        DW `00003113
        DW `00033333
        DW `00311222
        DW `00311222
        DW `00333222
        DW `00003223
        DW `00003223
        DW `00003330
        ; down2, upper right
        DW `00000000
        DW `33300000
        DW `22230000
        DW `22223000
        DW `11223000
        DW `11123000
        DW `11313000
        DW `11113000
        ; down2, lower right
        DW `31130000
        DW `33333000
        DW `22211300
        DW `22233300
        DW `22230000
        DW `33230000
        DW `03300000
        DW `00000000
        ; up, upper left
        DW `00000000
        DW `00000333
        DW `00003222
        DW `00032222
        DW `00032222
        DW `00032222
        DW `00032222
        DW `00032222
        ; up, lower left
        DW `00003222
        DW `00033333
        DW `00311222
        DW `00311222
        DW `00333222
        DW `00003223
        DW `00003223
        DW `00003330
        ; up, upper right
        DW `00000000
        DW `33300000
        DW `22230000
        DW `22223000
        DW `22223000
        DW `22223000
        DW `22223000
        DW `22223000
        ; up, lower right
        DW `22230000
        DW `33333000
        DW `22211300
        DW `22211300
        DW `22233300
        DW `32230000
        DW `32230000
        DW `03330000
        ; up2, upper left
        DW `00000000
        DW `00000333
        DW `00003222
        DW `00032222
        DW `00032222
        DW `00032222
        DW `00032222
        DW `00032222
        ; up2, lower left
        DW `00003222
        DW `00033333
        DW `00311222
        DW `00311222
        DW `00333222
        DW `00003223
        DW `00003223
        DW `00003330
        ; up2, upper right
        DW `00000000
        DW `33300000
        DW `22230000
        DW `22223000
        DW `22223000
        DW `22223000
        DW `22223000
        DW `22223000
        ; up2, lower right
        DW `22230000
        DW `33333000
        DW `22211300
        DW `22233300
        DW `22230000
        DW `33230000
        DW `03300000
        DW `00000000
        ; left, upper left
        DW `00000000
        DW `00000333
        DW `00003222
        DW `00032222
        DW `00031111
        DW `00031111
        DW `00031311
        DW `00031111
        ; left, lower left
        DW `00003111
        DW `00000333
        DW `00003122
        DW `00003122
        DW `00003222
        DW `00000322
        DW `00000322
        DW `00000333
        ; left, upper right
        DW `00000000
        DW `33300000
        DW `22230000
        DW `22223000
        DW `22223000
        DW `12223000
        DW `12223000
        DW `12230000
        ; left, lower right
        DW `13300000
        DW `33300000
        DW `22300000
        DW `22300000
        DW `22230000
        DW `22300000
        DW `22300000
        DW `33300000
        ; left2, upper left
        DW `00000000
        DW `00000333
        DW `00003222
        DW `00032222
        DW `00031111
        DW `00031111
        DW `00031311
        DW `00031111
        ; left2, lower left
        DW `00003111
        DW `00000333
        DW `00003212
        DW `00003221
        DW `00003222
        DW `00003223
        DW `00032230
        DW `00033300
        ; left2, upper right
        DW `00000000
        DW `33300000
        DW `22230000
        DW `22223000
        DW `22223000
        DW `12223000
        DW `12223000
        DW `12230000
        ; left2, lower right
        DW `13300000
        DW `33300000
        DW `22300000
        DW `22300000
        DW `22230000
        DW `32230000
        DW `03223000
        DW `00333000
PeopleEnd:
Letters:
        ; space
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00000000
        ; A
        DW `00333000
        DW `03000300
        DW `03000300
        DW `03333300
        DW `03000300
        DW `03000300
        DW `03000300
        DW `00000000
        ; B
        DW `03333000
        DW `03000300
        DW `03000300
        DW `03333000
        DW `03000300
        DW `03000300
        DW `03333000
        DW `00000000
        ; C
        DW `00333000
        DW `03000300
        DW `03000000
        DW `03000000
        DW `03000000
        DW `03000300
        DW `00333000
        DW `00000000
        ; D
        DW `03333000
        DW `03000300
        DW `03000300
        DW `03000300
        DW `03000300
        DW `03000300
        DW `03333000
        DW `00000000
        ; E
        DW `03333300
        DW `03000000
        DW `03000000
        DW `03333000
        DW `03000000
        DW `03000000
        DW `03333300
        DW `00000000
        ; F
        DW `03333300
        DW `03000000
        DW `03000000
        DW `03333000
        DW `03000000
        DW `03000000
        DW `03000000
        DW `00000000
        ; G
        DW `00333000
        DW `03000300
        DW `03000000
        DW `03033300
        DW `03000300
        DW `03000300
        DW `00333000
        DW `00000000
        ; H
        DW `03000300
        DW `03000300
        DW `03000300
        DW `03333300
        DW `03000300
        DW `03000300
        DW `03000300
        DW `00000000
        ; I
        DW `00333000
        DW `00030000
        DW `00030000
        DW `00030000
        DW `00030000
        DW `00030000
        DW `00333000
        DW `00000000
        ; J
        DW `00033300
        DW `00003000
        DW `00003000
        DW `00003000
        DW `00003000
        DW `03003000
        DW `00330000
        DW `00000000
        ; K
        DW `03000300
        DW `03003000
        DW `03030000
        DW `03300000
        DW `03030000
        DW `03003000
        DW `03000300
        DW `00000000
        ; L
        DW `03000000
        DW `03000000
        DW `03000000
        DW `03000000
        DW `03000000
        DW `03000000
        DW `03333300
        DW `00000000
        ; M
        DW `03000300
        DW `03303300
        DW `03030300
        DW `03030300
        DW `03000300
        DW `03000300
        DW `03000300
        DW `00000000
        ; N
        DW `03000300
        DW `03300300
        DW `03030300
        DW `03003300
        DW `03000300
        DW `03000300
        DW `03000300
        DW `00000000
        ; O
        DW `00333000
        DW `03000300
        DW `03000300
        DW `03000300
        DW `03000300
        DW `03000300
        DW `00333000
        DW `00000000
        ; P
        DW `03333000
        DW `03000300
        DW `03000300
        DW `03333000
        DW `03000000
        DW `03000000
        DW `03000000
        DW `00000000
        ; Q
        DW `00333000
        DW `03000300
        DW `03000300
        DW `03000300
        DW `03030300
        DW `03003000
        DW `00330300
        DW `00000000
        ; R
        DW `03333000
        DW `03000300
        DW `03000300
        DW `03333000
        DW `03030000
        DW `03003000
        DW `03000300
        DW `00000000
        ; S
        DW `00333300
        DW `03000000
        DW `03000000
        DW `00333000
        DW `00000300
        DW `00000300
        DW `03333000
        DW `00000000
        ; T
        DW `03333300
        DW `00030000
        DW `00030000
        DW `00030000
        DW `00030000
        DW `00030000
        DW `00030000
        DW `00000000
        ; U
        DW `03000300
        DW `03000300
        DW `03000300
        DW `03000300
        DW `03000300
        DW `03000300
        DW `00333000
        DW `00000000
        ; V
        DW `03000300
        DW `03000300
        DW `03000300
        DW `03000300
        DW `03000300
        DW `00303000
        DW `00030000
        DW `00000000
        ; W
        DW `03000300
        DW `03000300
        DW `03000300
        DW `03030300
        DW `03030300
        DW `03303300
        DW `03000300
        DW `00000000
        ; X
        DW `03000300
        DW `03000300
        DW `00303000
        DW `00030000
        DW `00303000
        DW `03000300
        DW `03000300
        DW `00000000
        ; Y
        DW `03000300
        DW `03000300
        DW `00303000
        DW `00030000
        DW `00030000
        DW `00030000
        DW `00030000
        DW `00000000
        ; Z
        DW `03333300
        DW `00000300
        DW `00003000
        DW `00030000
        DW `00300000
        DW `03000000
        DW `03333300
        DW `00000000
        ; .
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00330000
        DW `00330000
        DW `00000000
        ; ,
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00330000
        DW `00030000
        DW `00000000
        ; !
        DW `00030000
        DW `00030000
        DW `00030000
        DW `00030000
        DW `00030000
        DW `00000000
        DW `00030000
        DW `00000000
        ; ?
        DW `00333000
        DW `03000300
        DW `00000300
        DW `00003000
        DW `00030000
        DW `00000000
        DW `00030000
        DW `00000000
        ; '
        DW `00030000
        DW `00030000
        DW `00300000
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00000000
        ; -
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00333000
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00000000
        ; :
        DW `00000000
        DW `00330000
        DW `00330000
        DW `00000000
        DW `00330000
        DW `00330000
        DW `00000000
        DW `00000000
        ; >
        DW `03000000
        DW `03300000
        DW `03330000
        DW `03333000
        DW `03330000
        DW `03300000
        DW `03000000
        DW `00000000
        ; 0
        DW `00333000
        DW `03003300
        DW `03030300
        DW `03030300
        DW `03030300
        DW `03300300
        DW `00333000
        DW `00000000
        ; 1
        DW `00030000
        DW `00330000
        DW `00030000
        DW `00030000
        DW `00030000
        DW `00030000
        DW `00333000
        DW `00000000
        ; 2
        DW `00333000
        DW `03000300
        DW `00000300
        DW `00003000
        DW `00030000
        DW `00300000
        DW `03333300
        DW `00000000
        ; 3
        DW `00333000
        DW `03000300
        DW `00000300
        DW `00033000
        DW `00000300
        DW `03000300
        DW `00333000
        DW `00000000
        ; 4
        DW `00003000
        DW `00033000
        DW `00303000
        DW `03003000
        DW `03333300
        DW `00003000
        DW `00003000
        DW `00000000
        ; 5
        DW `03333300
        DW `03000000
        DW `03333000
        DW `00000300
        DW `00000300
        DW `03000300
        DW `00333000
        DW `00000000
        ; 6
        DW `00333000
        DW `03000000
        DW `03000000
        DW `03333000
        DW `03000300
        DW `03000300
        DW `00333000
        DW `00000000
        ; 7
        DW `03333300
        DW `00000300
        DW `00003000
        DW `00030000
        DW `00300000
        DW `00300000
        DW `00300000
        DW `00000000
        ; 8
        DW `00333000
        DW `03000300
        DW `03000300
        DW `00333000
        DW `03000300
        DW `03000300
        DW `00333000
        DW `00000000
        ; 9
        DW `00333000
        DW `03000300
        DW `03000300
        DW `00333300
        DW `00000300
        DW `00003000
        DW `00330000
        DW `00000000
        ; ┌
        DW `00000000
        DW `00000000
        DW `00000000
        DW `00003333
        DW `00033333
        DW `00033000
        DW `00033000
        DW `00033000
        ; ┐
        DW `00000000
        DW `00000000
        DW `00000000
        DW `33330000
        DW `33333000
        DW `00033000
        DW `00033000
        DW `00033000
        ; └
        DW `00033000
        DW `00033000
        DW `00033000
        DW `00003333
        DW `00003333
        DW `00000000
        DW `00000000
        DW `00000000
        ; ┘
        DW `00033000
        DW `00033000
        DW `00033000
        DW `33330000
        DW `33330000
        DW `00000000
        DW `00000000
        DW `00000000
        ; ─
        DW `00000000
        DW `00000000
        DW `00000000
        DW `33333333
        DW `33333333
        DW `00000000
        DW `00000000
        DW `00000000
        ; │
        DW `00033000
        DW `00033000
        DW `00033000
        DW `00033000
        DW `00033000
        DW `00033000
        DW `00033000
        DW `00033000
        ; ▼
        DW `00000000
        DW `00000000
        DW `33333330
        DW `03333300
        DW `00333000
        DW `00030000
        DW `00000000
        DW `00000000
LettersEnd:
Texts:  DW T0, T1, T2, T3, T4, T5, T6, T7, T8
T0:     DB "THE OLD HOUSE.|ALWAYS OPEN.@"
T1:     DB "YOU LOOK LOST,|YOUNG ONE.^THE CELLAR HIDES|MORE THAN DUST.@"
T2:     DB "BOOKS ON POLICIES,|ALL WELL READ.@"
T3:     DB "THE CHEST IS OPEN!|IT HOLDS A KEY.@"
T4:     DB "THE MEADOW.|NOTHING BUT GRASS.@"
T5:     DB "LOVELY WEATHER,|IS IT NOT?@"
T6:     DB "YOUR BAG IS EMPTY.@"
T7:     DB "SAVING...~|DONE.@"
T8:     DB "A TALKS, B LEAVES.@"
DEF TEXT_VILLAGER EQU 5
DEF TEXT_MENU EQU 6
