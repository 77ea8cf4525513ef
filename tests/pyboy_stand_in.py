"""A cartridge of our own that stands in for a game we may not have: it keeps that game's map of memory, and nothing else of it.

It calls itself POKEMON RED (MBC3, 1 MB, 32 KB of battery RAM) and holds plausible values where programs that play the game look for them:
place and position, party, bag, money, badges, event flags, clock. The arrows walk over two maps, A talks (a box of text ignores keys for a
while and sets an event flag), B heals, START opens a menu and saves. Every eighth step begins a fight, which A or B wins. Code stands at
each address where the programs register hooks, and is called."""
from functools import lru_cache

from gbxnb.games import bundled as game
from gbxnb.games.asm import assemble

# Where hooks are registered: the first four are called by what happens, the others in turn

PLACES = '''0:2ACD display_start_menu  0:2ADF redisplay_start_menu  0:06CC check_warps  4:78ED wild_encounter
0:296E sprite_handling  0:0B54 sign_in_front  11:69F0 hidden_object  1C:4433 healing_machine  1:7090 last_blackout_map
4:70A9 menu_pokemon  4:7149 chose_stats  4:7302 menu_item  4:733F chose_item  3:6F77 nothing_to_cut  3:6F82 can_cut
3:618A no_snorlax  3:6237 flute_had_effect  3:65B6 surf_failed  3:59CD surf  3:56FA use_ball  0:0931 black_out'''.split()
PLACES = [(*(int(part, 16) for part in place.split(':')), name) for place, name in zip(PLACES[::2], PLACES[1::2])]

# What memory holds at the start

def text(letters, length): # The game's own alphabet: A is 80, a space 7F, the end 50
    "A name as the game writes it."
    return bytes(0x7F if c == ' ' else 0x80 + ord(c) - 65 for c in letters).ljust(length, b'\x50')

def mon(species, types, moves, level, hp):
    "One of the party, 44 bytes."
    two = lambda *numbers: b''.join(n.to_bytes(2, 'big') for n in numbers)
    moves, power = bytes(moves).ljust(4, b'\0'), bytes(35*bool(m) for m in [*moves, 0, 0, 0, 0][:4])
    return (bytes([species]) + two(hp) + bytes([level, 0, *types, 45]) + moves + two(12345) + (level**3).to_bytes(3, 'big')
            + bytes(10) + two(0x9A8B) + power + bytes([level]) + two(hp, level+6, level+5, level+4, level+7))

PARTY = [mon(0x99, (22, 3), (0x21, 0x2D), 6, 22), mon(0x24, (0, 2), (0x10,), 3, 14)]
MEMORY = {
    0xC3A0: b'\x7F'*360,                                                        # the screen as the game keeps it
    0xD158: text('RED', 11), 0xD34A: text('BLUE', 11), 0xD163: bytes([2, 0x99, 0x24, 255]), 0xD16B: b''.join(PARTY),
    0xD273: text('RED', 11)*2, 0xD2B5: text('LEAF', 11) + text('WIND', 11),     # trainers' names and nicknames
    0xD2F7: b'\1' + bytes(18) + b'\3', 0xD31D: bytes([2, 4, 5, 20, 3, 255]),    # caught and seen; the bag
    0xD347: b'\0\x30\0', 0xD356: b'\1', 0xD361: bytes([1, 5]), 0xD42F: b'\xFF', # money, badges, y and x, no warp
    0xCFC6: b'\x3D', 0xD719: b'\1', 0xD4E1: b'\1',                               # what is in front, where to wake up, one figure
    0xD530: b'\0\x10', 0xD535: b'\2', 0xD5CE: b'\xFF',                          # the list of floors, grass, nothing hidden
    0xD747: bytes([0x49, 0, 0, 1, 0x26, 0, 1, 0x43, 0x81]), 0xDA41: bytes(5),   # thirteen events; the clock
    0xFF80: bytes.fromhex('3EC3E0463E283D20FDC9'), 0xFFB2: b'\x90', 0xFFB5: b'\4', 0xFFD7: b'\1'}

# What the picture is made of

BLOCKS = 'grass grass path flower grass tree water'.split()
TILES = list(dict.fromkeys(BLOCKS))
TOWN, BEHIND = game.program(), 'grass path flower door tree water'.split()

def block(k):
    "The four tiles of a block of the bundled game's town."
    numbers = TOWN.data('OutBlocks', 4*k + 4)[4*k:]
    return b''.join(TOWN.data('OutTiles', 16*(n - 63))[-16:] for n in numbers)

def figure(k):
    "The four tiles of a figure, row by row."
    return b''.join(TOWN.data('People', 64*k + 16*i + 16)[-16:] for i in (0, 2, 1, 3))

def ground():
    "The map of the background: sixteen by sixteen blocks."
    block = lambda r, c: TILES.index(BLOCKS[(r*r + 3*c + r*c) % len(BLOCKS)])
    return bytes(4*block(r//2, c//2) + r % 2*2 + c % 2 for r in range(32) for c in range(32))

def video():
    "Address to bytes: figures, ground and letters, and the two maps."
    lines = {2: 'GOOD DAY', 6: 'BOOK', 8: 'PARTY', 10: 'BAG', 12: 'SAVE'}
    window = b''.join(b'\x7F' + text(lines.get(row, ''), 0).ljust(31, b'\x7F') for row in range(18))
    letters, people = TOWN.data('Letters', 16*52), b''.join(map(figure, (0, 2, 4, 1))) # down, up, left, walking down
    return {0x8000: people, 0x9000: b''.join(block(BEHIND.index(name)) for name in TILES), 0x97F0: letters[:16],
            0x8800: letters[16:], 0x9800: ground(), 0x9C00: window}

def packed(blocks):
    "Address, length and bytes of every block; a length of zero ends them."
    word = lambda n: n.to_bytes(2, 'little')
    return b''.join(word(at) + word(len(data)) + data for at, data in blocks.items()) + bytes(4)

# The program

NAMES = dict(TICK=0xFFB3, SCX=0xFFB0, SCY=0xFFB1, WY=0xFFB2, STEPS=0xFFB4, NEXT=0xFFB5, KEYS=0xFFB6, EVENTS=0xFFB7,
             VISITS=0xC0F0, OBJECTS=0xC300, SPEECH=0xC4B9, IGNORE=0xCD6B, HIDDEN=0xCD3F, ITEM=0xCC26, FONT=0xCFC4, BATTLE=0xD057,
             FACING=0xC109, MAP=0xD35E, Y=0xD361, X=0xD362, MONEY=0xD349, LEVEL=0xD18C, HP=0xD16D, MAXHP=0xD18E, EXP=0xD17B,
             BAG=0xD31F, SEEN=0xD30A, FOES=0xD89C, FOELEVEL=0xD8C5, WARP=0xD42F, SECONDS=0xDA44, FRAMES=0xDA45)

START = '''
        SECTION "vblank", ROM0[$40]
        JP VBlank
        SECTION "entry", ROM0[$100]
        NOP
        JP Start
        SECTION "floors", ROM0[$1000]
        DB 2, 6, 10, $FF        ; lower left tiles of what can be walked on
        SECTION "blocks", ROM0[$3000]
Blocks: INCBIN "blocks"
        SECTION "main", ROM0[$150]
Start:  DI
        LD SP, $DFFF
.wait:  LDH A, [$FF44]          ; the LCD may only be switched off in VBlank
        CP 144
        JR NZ, .wait
        XOR A
        LDH [$FF40], A
        LD HL, $8000
.video: LD [HL+], A
        BIT 5, H                ; until $A000
        JR Z, .video
        LD H, $C0
.work:  LD [HL+], A
        BIT 5, H                ; until $E000
        JR Z, .work
        LD C, $80
.high:  LDH [C], A
        INC C
        JR NZ, .high
        LD DE, Blocks
.block: LD A, [DE]
        LD L, A
        INC DE
        LD A, [DE]
        LD H, A
        INC DE
        LD A, [DE]
        LD C, A
        INC DE
        LD A, [DE]
        LD B, A
        INC DE
        OR C
        JR Z, .go
.byte:  LD A, [DE]
        INC DE
        LD [HL+], A
        DEC BC
        LD A, B
        OR C
        JR NZ, .byte
        JR .block
.go:    LDH [$FF0F], A
        LD A, $E4
        LDH [$FF47], A
        LDH [$FF48], A
        LD A, 7
        LDH [$FF4B], A
        LD A, 144
        LDH [$FF4A], A
        LD A, $E3               ; window on, its map at $9C00; objects on; tiles of both maps at $8800
        LDH [$FF40], A
        LD A, 1
        LDH [$FFFF], A
        EI
Loop:   HALT
        NOP
        LDH A, [TICK]
        AND A
        JR Z, Loop
        XOR A
        LDH [TICK], A
        CALL Keys               ; B: keys that went down
        CALL Act
        CALL Draw
        JR Loop

VBlank: PUSH AF
        PUSH HL
        CALL $FF80              ; the objects, by DMA
        LDH A, [SCX]
        LDH [$FF43], A
        LDH A, [SCY]
        LDH [$FF42], A
        LDH A, [WY]
        LDH [$FF4A], A
        LD HL, FRAMES           ; frames, seconds and minutes lie one below the other
.clock: INC [HL]
        LD A, [HL]
        CP 60
        JR NZ, .told
        LD [HL], 0
        DEC HL
        JR .clock
.told:  LD A, 1
        LDH [TICK], A
        POP HL
        POP AF
        RETI

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
'''

ACT = '''
Act:    LD HL, IGNORE
        LD A, [HL]
        AND A
        JR Z, .free
        DEC [HL]                ; somebody speaks
        RET NZ
        LD DE, Nothing
        XOR A
        LD [FONT], A
        LD C, 144
        JP Write
.free:  BIT 7, B
        JR NZ, Menu
        LDH A, [WY]
        AND A
        JR Z, Choose
        LD A, [BATTLE]
        AND A
        JR NZ, Fight
        BIT 4, B
        JR NZ, Talk
        BIT 5, B
        JP Z, Walk
        LD A, [MAXHP]           ; B heals
        LD [HP], A
        JP Tour

Menu:   LDH A, [WY]
        AND A
        JR Z, .close
        XOR A
        LDH [WY], A
        LD [ITEM], A
        CALL Visit              ; the two places of the menu
        LD A, 1
        CALL Visit
        JP Save
.close: LD A, 144
        LDH [WY], A
        RET

Choose: BIT 5, B
        JR NZ, Menu.close
        LD HL, ITEM
        BIT 3, B
        JR Z, .up
        INC [HL]
.up:    BIT 2, B
        JR Z, .wrap
        DEC [HL]
.wrap:  LD A, [HL]
        AND 3
        LD [HL], A
        BIT 4, B
        RET Z
        JP Tour

Fight:  LD A, B
        AND $30
        RET Z
        XOR A
        LD [BATTLE], A
        LD [FOES], A
        LD HL, LEVEL
        INC [HL]
        LD HL, HP
        DEC [HL]
        DEC [HL]
        DEC [HL]
        LD HL, EXP
        LD A, [HL]
        ADD 25
        LD [HL], A
        LD HL, SEEN
        SCF
        RL [HL]
        JR Say

Talk:   LD HL, EVENTS           ; the next of 128 event flags from $D750 on
        LD C, [HL]
        INC [HL]
        LD A, C
        AND 7
        LD D, A
        INC D
        LD A, $80
.bit:   RLCA
        DEC D
        JR NZ, .bit
        LD E, A
        LD A, C
        RRCA
        RRCA
        RRCA
        AND 15
        ADD $50
        LD L, A
        LD H, $D7
        LD A, E
        OR [HL]
        LD [HL], A
        LD HL, BAG
        INC [HL]
        CALL Tour
        CALL Tour
Say:    LD A, 24
        LD [IGNORE], A
        LD [FONT], A
        LD DE, Speech
        LD C, 96
Write:  LD A, C                 ; eight letters into the screen that memory keeps, and the window to line C
        LDH [WY], A
        LD HL, SPEECH
        LD C, 8
.next:  LD A, [DE]
        INC DE
        LD [HL+], A
        DEC C
        JR NZ, .next
        RET

Save:   LD A, $0A               ; map and position into bank 1 of the battery's RAM
        LD [$0000], A
        LD A, 1
        LD [$4000], A
        LD HL, MAP
        LD DE, $A000
        LD C, 8
.next:  LD A, [HL+]
        LD [DE], A
        INC DE
        DEC C
        JR NZ, .next
        XOR A
        LD [$0000], A
        RET
'''

WALK = '''
Walk:   LD HL, Y
        BIT 3, B
        JR Z, .up
        LD A, [MAP]
        AND A
        LD A, 17                ; the last row of the town, and of the road
        JR Z, .edge
        LD A, 35
.edge:  CP [HL]
        LD C, 0
        JR NZ, .down
        LD A, [MAP]
        AND A
        RET Z
        XOR A
        LD [HL], A
        JR Enter
.down:  INC [HL]
        JR Stepped
.up:    BIT 2, B
        JR Z, .left
        LD C, 4
        LD A, [HL]
        DEC [HL]
        AND A
        JR NZ, Stepped
        INC [HL]
        LD A, [MAP]
        AND A
        RET NZ
        LD [HL], 35
        LD A, 12
        JR Enter
.left:  INC HL
        BIT 1, B
        JR Z, .right
        LD A, [HL]
        AND A
        RET Z
        DEC [HL]
        LD C, 8
        JR Stepped
.right: LD A, B
        AND 1
        RET Z
        LD A, [HL]
        CP 19
        RET Z
        INC [HL]
        LD C, 12
        JR Stepped
Enter:  LD [MAP], A
        LDH [$FF8B], A
        XOR A
        LD [WARP], A
Stepped:
        LD A, C
        LD [FACING], A
        LD A, 2                 ; the places of a step
        CALL Visit
        LD A, 3
        CALL Visit
        LD HL, MONEY
        LD A, [HL]
        ADD 1
        DAA
        LD [HL], A
        LD HL, STEPS
        INC [HL]
        LD A, [HL]
        AND 7
        RET NZ
        INC A                   ; a fight begins
        LD [BATTLE], A
        LD [FOES], A
        LD A, [HL]
        SWAP A
        ADD 2
        LD [FOELEVEL], A
        RET

Tour:   LDH A, [NEXT]           ; the next of the other places
        LD [HIDDEN], A
        LDH [$FF8C], A
        LD C, A
        INC A
        CP COUNT
        JR C, .more
        LD A, 4
.more:  LDH [NEXT], A
        LD A, C
Visit:  LD E, A                 ; call place A
        ADD A
        ADD E
        LD L, A
        LD H, HIGH(Places)
        LD A, [HL+]
        LD [$2000], A
        LD A, [HL+]
        LD H, [HL]
        LD L, A
        JP HL
Speech: DB $86, $8E, $8E, $83, $7F, $83, $80, $98
Nothing: DB $7F, $7F, $7F, $7F, $7F, $7F, $7F, $7F
'''

DRAW = '''
Draw:   LD A, [X]               ; a square has sixteen pixels, and the player stands at 64, 64
        SWAP A
        AND $F0
        SUB 64
        LDH [SCX], A
        LD A, [Y]
        SWAP A
        AND $F0
        SUB 64
        LDH [SCY], A
        LD HL, OBJECTS
        LD BC, $4C48
        LD A, [FACING]
        LD D, A
        LD E, 0
        CP 12
        JR NZ, .player
        LD DE, $0820            ; to the right is to the left, mirrored
.player: CALL Figure
        LDH A, [SCX]            ; somebody at 8, 3
        CPL
        ADD 8*16 + 8 + 1
        LD C, A
        LDH A, [SCY]
        CPL
        ADD 3*16 + 12 + 1
        LD B, A
        LD DE, $0C00
        CALL Figure
        LD A, [MONEY]           ; where another game keeps score, next piece and level
        LD [$C0A0], A
        LD A, [FACING]
        LD [$C213], A
        LD A, [LEVEL]
        LDH [$FFA9], A
        RET

Figure: LD A, 4                 ; four objects from tile D at C, B with attribute E
.next:  PUSH AF
        LD A, B
        LD [HL+], A
        LD A, C
        LD [HL+], A
        LD A, D
        BIT 5, E
        JR Z, .plain
        XOR 1
.plain: LD [HL+], A
        LD A, E
        LD [HL+], A
        LD A, C
        ADD 8
        LD C, A
        INC D
        BIT 0, D
        JR NZ, .row
        SUB 16
        LD C, A
        LD A, B
        ADD 8
        LD B, A
.row:   POP AF
        DEC A
        JR NZ, .next
        RET
        SECTION "end", ROMX[$7FFF], BANK[63]
        DB $FF
'''

def places():
    "Code at every place, which counts the calls, and the list of them."
    at = lambda bank, address: f'ROM0[{address}]' if bank == 0 else f'ROMX[{address}], BANK[{bank}]'
    code = [f'SECTION "{name}", {at(bank, address)}\nLD HL, VISITS\nINC [HL]\nRET' for bank, address, name in PLACES]
    rows = [f'DB {bank}\nDW {address}' for bank, address, _ in PLACES]
    return '\n'.join([*code, 'SECTION "places", ROM0[$2F00]', 'Places:', *rows, ''])

@lru_cache
def stand_in_rom(title='POKEMON RED'): # Some projects ask for another name
    "The cartridge, 1 MB."
    symbols = NAMES | dict(COUNT=len(PLACES), blocks=packed(video() | MEMORY))
    return assemble(START + ACT + WALK + DRAW + places(), title=title, cartridge_type=0x13, ram_kb=32, symbols=symbols).rom
