"""What the idioms of games cost, each alone: `python tests/idioms.py [--out FILE]` in two checkouts compares them.

Small cartridges that do one thing all the time: nanoseconds of a frame and of an instruction, in the interpreter and with traces, and of an
interrupt, whose price is what a frame with one more in each line costs. The least of several rounds, one thread."""
import argparse, json, time
from pathlib import Path
import warp as wp
from gbxnb.base.startup import start_warp
from gbxnb.emulator.cartridge import Cartridge
from gbxnb.emulator.emulator import Emulator
from gbxnb.games.asm import assemble
from gbxnb.traces.cache import traced_kernel
from gbxnb.traces.symbolic import Sample, profile_game
from gbxnb.traces.traces import write_traces

LINES = 'ld a, 8\n ldh [$41], a\n ld a, 2\n ldh [$FF], a\n ei'           # an interrupt in each line
IDIOMS = { # name: (before, body of the loop, handler of STAT)
    'arithmetic': ('', 'inc b\n ld a, b\n xor c\n ld c, a\n add a, a\n ld d, a', 'reti'),
    'bytes for VRAM': ('', '.w: ldh a, [$41]\n and 2\n jr nz, .w\n ld [hl], b\n inc b\n ld c, 9\n.d: dec c\n jr nz, .d', 'reti'),
    'a line is awaited': ('', '.w: ldh a, [$44]\n cp 100\n jr nz, .w\n.v: ldh a, [$44]\n cp 20\n jr nz, .v', 'reti'),
    'LY is read': ('', 'ldh a, [$44]\n ld b, a\n ldh a, [$44]\n add a, b\n ld c, a', 'reti'),
    'keys are read': ('', 'ld a, $20\n ldh [$00], a\n ldh a, [$00]\n ldh a, [$00]\n and 15\n ld b, a\n ld a, $10\n ldh [$00], a\n'
                      ' ldh a, [$00]', 'reti'),
    'SCX in each line': ('', '.w: ldh a, [$41]\n and 3\n jr nz, .w\n ldh a, [$44]\n ldh [$43], a\n'
                         '.v: ldh a, [$41]\n and 3\n jr z, .v', 'reti'),
    'banks': ('', 'ld a, 2\n ld [$2000], a\n ld a, [$4000]\n ld b, a\n ld a, 1\n ld [$2000], a\n ld a, [$4000]', 'reti'),
    'sound': ('', 'ld a, $80\n ldh [$11], a\n ld a, $F3\n ldh [$12], a\n ld a, 7\n ldh [$13], a\n ld c, 20\n.d: dec c\n jr nz, .d', 'reti'),
    'DI and EI': ('', 'di\n inc b\n ei\n inc c', 'reti'),
    'HALT, STAT in each line': (LINES, 'halt\n nop', 'inc b\n reti'),
    'JR @, STAT in each line': (LINES, 'jr .again', 'inc b\n reti'),
    'arithmetic, STAT in each line': (LINES, 'inc b\n ld a, b\n xor c\n ld c, a\n add a, a\n ld d, a', 'inc b\n reti'),
}
SOURCE = '''SECTION "vblank", ROM0[$40]\n reti\nSECTION "stat", ROM0[$48]\n {handler}\nSECTION "entry", ROM0[$100]\n jp start
SECTION "main", ROM0[$150]\nstart: ld sp, $DFF0\n ld hl, $9900\n {before}\n.again:\n{body}\n jp .again
SECTION "one", ROMX[$4000], BANK[1]\n db 1\nSECTION "two", ROMX[$4000], BANK[2]\n db 2\nSECTION "three", ROMX[$4000], BANK[3]\n db 3\n'''
N, FRAMES = 32, 24

def least(e, rounds=9):
    "Nanoseconds of a frame."
    e.run_frames(60)
    took = []
    for _ in range(rounds):
        began = time.perf_counter()
        e.run_frames(FRAMES)
        took.append(time.perf_counter() - began)
    return min(took)/N/FRAMES*1e9

def measure(before, body, handler):
    cart = Cartridge.load(assemble(SOURCE.format(before=before, body=body, handler=handler), cartridge_type=1).rom)
    profile = profile_game(cart, sample=Sample(4, 240))
    traces = write_traces(cart, profile)
    plain, fast = (Emulator(cart, N, 'cpu', threads=1) for _ in range(2))
    fast.exchange(traced_kernel(traces), traces.words)
    row = dict(instructions=round(profile.ran.sum()/960), interpreter_ns=least(plain), traces_ns=least(fast))
    assert plain.hash() == fast.hash()
    return {k: round(v, 1) for k, v in row.items()} | dict(ns_an_instruction=round(row['traces_ns']/row['instructions'], 2))

def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument('--out', type=Path)
    o = p.parse_args()
    start_warp()
    wp.config.quiet = True
    rows = {name: measure(*how) for name, how in IDIOMS.items()}
    alone, often = rows['arithmetic']['traces_ns'], rows['arithmetic, STAT in each line']['traces_ns']
    result = dict(counted='nanoseconds of one thread for a frame of a console, least of 9 rounds of 32 consoles and 24 frames',
                  interrupt_ns=round((often - alone)/144, 1), rows=rows)
    for name, row in rows.items(): print(f'{name:32}', *(f'{k} {v}' for k, v in row.items()))
    print('an interrupt:', result['interrupt_ns'], 'ns')
    if o.out: o.out.write_text(json.dumps(result, indent=1))

if __name__ == '__main__': main()
