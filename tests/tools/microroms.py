"""Micro-ROMs: programs of a few dozen bytes, one for each thing a Game Boy is known to do, that check it from inside the console.

A file of `microroms/*.asm` tests one behaviour. Its head says which, in a line, then why and where that is written, then `@key: value`:
the labels of handlers (`@vblank: Count`), `@frames` to run, `@buttons: FRAME NAME ...`, the cartridge's `@cartridge_type` and `@ram_kb`,
the opcode that it is `@locked_by`, the `@picture` that it shows (a count of lines, and each of them as SHADExPIXELS), and what hardware
does where PyBoy fails (`@pyboy`), with a source. `CHECK value` compares A with a value and numbers itself. `microroms/harness.inc` stands
before every program and says how it reports."""
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from gbxnb.emulator.emulator import Emulator
from gbxnb.emulator.machine import Button
from gbxnb.games.asm import Program, assemble

FOLDER = Path(__file__).parents[1]/'microroms'
VECTORS = 'vblank', 'stat', 'timer', 'serial', 'joypad' # at $40, $48 ... $60

@dataclass(frozen=True)
class MicroRom:
    "One behaviour in a cartridge."
    source: str                      # The whole assembly text
    doc: str                         # What is tested
    frames: int = 20                 # Enough to come to a result
    buttons: tuple = ()              # (frame, `Button` bits): what is held from that frame on
    picture: np.ndarray|None = None  # Expected shades [144, 160], for what only the screen can show
    locked_by: int = 0               # The illegal opcode that it ends in
    cartridge_type: int = 0          # Byte $0147
    ram_kb: int = 0                  # Cartridge RAM
    pyboy: str = ''                  # What hardware does where PyBoy fails, and the source

    def program(self)->Program:
        "Assemble it."
        return assemble(self.source, 'MICRO', cartridge_type=self.cartridge_type, ram_kb=self.ram_kb)

@cache
def part(name)->str: return (FOLDER/name).read_text(encoding='utf-8')

def number(text)->int: return int(text.replace('$', '0x'), 0)

def held(text):
    "`6 START RIGHT`: from frame 6 on, those."
    frame, *names = text.split()
    return int(frame), sum(Button[n] for n in names)

def drawn(lines):
    "`8 3x100 0x60`: eight lines of a hundred black and sixty white pixels."
    rows = []
    for line in lines:
        n, *runs = line.split()
        row = np.concatenate([np.full(int(k), int(shade), np.uint8) for shade, k in (r.split('x') for r in runs)])
        rows += [row]*int(n)
    return np.stack(rows)

def micro(text, doc='', **kw)->MicroRom:
    "A program, its parts and its vectors as one source; `vblank='Count'` and so on are labels of handlers, the rest goes to `MicroRom`."
    text, numbers = re.sub(r'^ *INCLUDE "(.+)"$', lambda m: part(m[1]), text, flags=re.M), iter(range(1, 99))
    check = lambda m: f'PUSH AF :: LD A, {next(numbers)} :: LD [wCheck], A :: POP AF :: CP {m[1].strip()} :: JP NZ, Fail'
    text = part('harness.inc') + re.sub(r'\bCHECK ([^:;\n]+)', check, text)
    for i, v in enumerate(VECTORS):
        text += f'        SECTION "{v}", ROM0[${0x40 + 8*i:02X}]\n        '
        text += f'JP {kw.pop(v)}\n' if v in kw else f'LD A, $F{i} :: JP Unexpected\n'
    return MicroRom(text, doc, **kw)

def read_micro(path)->MicroRom:
    "A file."
    head, text = path.read_text(encoding='utf-8').split('\n\n', 1)
    said = [(m[1], m[2]) for m in re.finditer(r'^; @(\w+): (.+)$', head, re.M)]
    kw = dict(said)
    kw |= {k: number(kw[k]) for k in ('frames', 'cartridge_type', 'ram_kb', 'locked_by') if k in kw}
    kw |= dict(buttons=tuple(held(v) for k, v in said if k == 'buttons'))
    if 'picture' in kw: kw['picture'] = drawn([v for k, v in said if k == 'picture'])
    return micro(text, head.splitlines()[0].removeprefix('; '), **kw)

ROMS = {p.stem: read_micro(p) for p in sorted(FOLDER.glob('*.asm'))}

@dataclass(frozen=True)
class Verdict:
    "What a micro-ROM found."
    passed: bool # Whether every check held
    text: str    # In words

def verdict(memory)->Verdict:
    "Read a result from a console's RAM, bytes $C000-$C004."
    if bytes(memory[:2]) != b'\xDE\xAD': return Verdict(False, 'did not start')
    result, check, found = (int(b) for b in memory[2:5])
    if result == 1: return Verdict(True, 'passed')
    if check >= 0xF0: return Verdict(False, f'unexpected {VECTORS[check & 7]} interrupt')
    if result: return Verdict(False, f'check {check} found ${found:02X}')
    return Verdict(False, f'no result, hangs after check {check}')

def run(rom:MicroRom, device='auto')->tuple[Verdict, Emulator]:
    "Run a micro-ROM: the result, which must agree in RAM, in the registers and on the screen, and the console as it stands."
    console, changes = Emulator(rom.program().rom, device=device), dict(rom.buttons)
    ends = sorted({0, *(f for f in changes if f < rom.frames), rom.frames})
    for f, end in zip(ends, ends[1:]):
        if f in changes: console.set_buttons(changes[f])
        console.run_frames(end - f)
    v, r = verdict(console.read(0xC000, 5)), console.registers()
    regs = tuple(int(r[k]) for k in 'bcdehl')
    if v.passed and not rom.locked_by and regs != (3, 5, 8, 13, 21, 34): v = Verdict(False, f'registers {regs} contradict the result')
    locked = int(console.faults[0]) & 0xFF
    if v.passed and locked != rom.locked_by: v = Verdict(False, f'locked by ${locked:02X}, not by ${rom.locked_by:02X}')
    if v.passed and rom.picture is not None:
        wrong = int((console.frame() != rom.picture).sum())
        if wrong: v = Verdict(False, f'{wrong} pixels differ')
    return v, console
