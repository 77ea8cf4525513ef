"Consoles that do with the hardware what no game does, and a cartridge that shows what it has saved."
import numpy as np
from gbxnb.games.asm import assemble
from gbxnb.emulator.emulator import Emulator
from gbxnb.emulator.rows import boot_row
from gbxnb.emulator.machine import IO, WRAM, Reg, words_of

BOARDS = (0x00, 0), (0x03, 32), (0x06, 0), (0x10, 32), (0x1E, 8), (0x03, 2)
EDGES = 0x0000, 0x2000, 0x2100, 0x3000, 0x4000, 0x6000, 0x8000, 0x9FFF, 0xA000, 0xBFFF, 0xC800, 0xDFFF, 0xFE00, 0xFE9F, 0xFEA0, 0xFF90
KEYS = np.array([1, 2, 4, 8, 16, 32, 128], np.uint8)

def program(rng, size=0x6F0)->bytes:
    "A program for C000 that does with the hardware what no game does; it goes round for ever, or ends in an opcode that does not exist."
    out = bytearray()
    while len(out) < size:
        v = int(rng.choice([0, 1, 0x80, 0xFF, 10, 0x81, 0x91, 0xF0, 5, 8, 12, rng.integers(256)]))
        a = int(rng.choice([*IO, rng.integers(0x80)]))
        low, high = int(rng.choice([*EDGES, rng.integers(0x8000), rng.integers(0xC700, 0xFFFF)])).to_bytes(2, 'little')
        write_io, write = [0x3E, v, 0xE0, a], [0x3E, v, 0xEA, low, high]
        pieces = (write_io, write_io, write_io, write, write, [0xF0, a], [0xFA, low, high], [0x06, v or 1, 0x05, 0x20, 0xFD],
                  [rng.choice([0xFB, 0xF3, 0x76]), rng.choice([0x76, 0xFB, 0])], [0x31, v, rng.choice([0xDF, 0xFF, 0xFE, 0xA1]), 0xC5],
                  [0x10, 0] if rng.integers(4) == 0 else [0x0E, a, 0xE2])
        out.extend(int(b) for b in pieces[rng.integers(len(pieces))])
    return bytes([*out, 0xC3, 0x00, 0xC0])

def instructions(rng, length):
    "Instructions of every kind in a random order, with short jumps forward and calls to the two functions below."
    r8, pages = ['a', 'b', 'c', 'd', 'e', 'h', 'l'], ['C1', 'D0', 'FF', '98']
    through_hl = ['ld [hl], a', 'ld a, [hl]', 'inc [hl]', 'add a, [hl]', 'ld [hl+], a']
    io = ['ldh a, [$00]', 'ldh a, [$04]', 'ldh a, [$41]', 'ldh a, [$44]', 'ldh [$43], a', 'ldh [$80], a', 'ldh a, [$81]']
    alu = ['add a,', 'adc a,', 'sub', 'sbc a,', 'and', 'xor', 'or', 'cp']
    one = lambda options: options[int(rng.integers(len(options)))]
    byte = lambda: f'${int(rng.integers(256)):02X}'
    kinds = [lambda k: f'{one(alu)} {one([one(r8), byte()])}',
             lambda k: f'{one(["inc", "dec"])} {one([*r8, "bc", "de"])}',
             lambda k: f'{one(["rlc", "rrc", "rl", "rr", "sla", "sra", "swap", "srl"])} {one(r8[:5])}',
             lambda k: f'{one(["bit", "res", "set"])} {int(rng.integers(8))}, {one(r8[:5])}',
             lambda k: f'ld {one(r8[:5])}, {one([*r8, byte()])}',
             lambda k: one(['rlca', 'rrca', 'rla', 'rra', 'daa', 'cpl', 'scf', 'ccf']),
             lambda k: f'ld hl, ${one(pages)}{int(rng.integers(0x80, 0xF0)):02X}\n {one(through_hl)}',
             lambda k: f'{one(["jr", "jr nz,", "jr z,", "jr nc,", "jr c,"])} .s{k}\n {one(["inc b", "dec c"])}\n.s{k}:',
             lambda k: one(['call one', 'call two', 'call nz, one', 'call c, two']),
             lambda k: f'push {one(["af", "bc", "de"])}\n pop {one(["af", "bc", "de"])}', lambda k: one(io),
             lambda k: 'ld a, $20\n ldh [$00], a\n ldh a, [$00]', lambda k: 'ld hl, sp + 2\n ld a, h', lambda k: 'add hl, bc\n ld a, l']
    return '\n '.join(kinds[int(rng.integers(len(kinds)))](k) for k in range(length))

def cartridge(board, ram_kb)->bytes:
    "A ROM that does nothing but return from every call."
    calls = ''.join(f'SECTION "c{k}", ROM0[${8*k:X}]\n ret{"i" if k > 7 else ""}\n' for k in range(13))
    return assemble(calls + 'SECTION "e", ROM0[$100]\n jr @', 'WILD', cartridge_type=board, ram_kb=ram_kb).rom

def start_programs(e:Emulator, rng):
    "Give every console a program of its own."
    rows = np.tile(boot_row(e.cart), (e.n, 1))
    for row in rows:
        code = program(rng)
        row[WRAM:WRAM + len(code)] = np.frombuffer(code, np.uint8)
        words_of(row)[[Reg.PC, Reg.SP]] = 0xC000, 0xDFF0
    e.rows.assign(rows)

def run_some(e:Emulator, rng):
    "A launch of some frames or of some cycles, with keys held."
    e.set_buttons(rng.integers(0, 256, e.n).astype(np.uint8))
    if rng.integers(2): e.run_frames(int(rng.integers(1, 4)))
    else: e.run_cycles(int(rng.integers(1, 30_000)))

SHADES = """
 SECTION "entry", ROM0[$100]
  jr Start
 SECTION "main", ROM0[$150]
Start: ld a, $0A :: ld [$0000], a                  ; the RAM answers
Show: ld a, [$A000] :: ldh [$FF47], a              ; all four colours have the shade that is saved
Press: call Pad :: jr nz, Press
  ld a, [$A000] :: add a, $55 :: ld [$A000], a
Release: call Pad :: jr z, Release
  jr Show
Pad: ld a, $10 :: ldh [$FF00], a :: ldh a, [$FF00] :: and 1 :: ret
"""

def shades_rom()->bytes:
    "A cartridge with a battery and a clock that shows what it has saved; A makes it darker."
    return assemble(SHADES, title='SHADES', cartridge_type=0x10, ram_kb=8).rom

def summary(t): return t.buttons, t.actions, t.start.sha256, t.goal.sha256, t.goal.tau, t.battery
