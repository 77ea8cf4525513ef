"""Games played twice by the same script for PyBoy: by PyBoy 2.8.1 and, unchanged, by `python -m gbxnb.pyboy`. After each tick memory,
picture and registers are compared. `python tests/pyboy_same.py OUT.json TICKS GAME.gb ...`; with `play`, it is the script itself."""
import json, os, random, subprocess, sys, tempfile
from hashlib import sha256
from pathlib import Path

import numpy as np

KEYS = 'a b start select up down left right'.split()
AREAS = {'WRAM': (0xC000, 0xE000), 'VRAM': (0x8000, 0xA000), 'OAM': (0xFE00, 0xFEA0), 'HRAM': (0xFF80, 0x10000)}
PLAIN = [0xFF00 + r for r in (0x06, 0x07, 0x40, 0x42, 0x43, 0x45, 0x47, 0x48, 0x49, 0x4A, 0x4B)] # registers that only programs write
REGISTERS = 'A F B C D E HL SP PC'.split()

def play(rom, out, ticks):
    "The script: keys by chance, everything written down after each tick."
    from pyboy import PyBoy
    boy, chance, seen = PyBoy(rom, window='null', cgb=False, log_level='CRITICAL'), random.Random(0), {}
    boy.set_emulation_speed(0)
    def note(name, data): seen.setdefault(name, []).append(np.array(data))
    for k in range(ticks):
        if k >= 70 and chance.random() < .15: boy.button(chance.choice(KEYS), chance.randrange(1, 12))
        boy.tick()
        for name, (first, end) in AREAS.items(): note(name, np.array(boy.memory[first:end], np.uint8))
        note('IO', np.array([boy.memory[a] for a in PLAIN], np.uint8))
        note('registers', [getattr(boy.register_file, r) for r in REGISTERS])
        note('picture', boy.screen.ndarray[:, :, 0].copy())
    boy.stop(False)
    np.savez(out, **{name: np.stack(all) for name, all in seen.items()})

def run(rom, out, ticks, ours):
    "The script in a process of its own."
    command = [sys.executable, *(['-m', 'gbxnb.pyboy'] if ours else []), __file__, 'play', rom, out, str(ticks)]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    with np.load(out) as f: return {name: f[name] for name in f.files}

def leftovers(theirs, ours, k):
    "Do the WRAM and the HRAM of a tick differ in nothing but up to 64 bytes below a stack pointer, which nobody reads again?"
    for name in 'WRAM', 'HRAM':
        first = AREAS[name][0]
        at = np.flatnonzero(theirs[name][k] != ours[name][k]) + first
        pointers = {int(side['registers'][k][7]) for side in (theirs, ours)}
        if not all(any(sp - 64 <= a < sp for sp in pointers) for a in at): return False
    return all((theirs[name][k] == ours[name][k]).all() for name in ('VRAM', 'OAM'))

def compare(theirs, ours):
    "In how many ticks what is equal, and the first tick from which memory never is again."
    n = len(theirs['registers'])
    def same(name): return (theirs[name] == ours[name]).reshape(n, -1).all(1)
    memory = np.all([same(name) for name in AREAS], axis=0)
    near = memory | [leftovers(theirs, ours, k) for k in range(n)]
    played, lost = np.arange(n) >= 70, np.flatnonzero(memory)[-1] + 1
    others = {name: [int(same(name).sum()), int(same(name)[played].sum())] for name in ('picture', 'registers', 'IO')}
    return dict(ticks=n, after_boot=int(played.sum()), memory=int(memory.sum()), memory_but_stack=int(near.sum()), **others,
                parted=int(lost) if lost < n - 60 else None)

def main(out, ticks, *roms):
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for rom in roms:
            theirs, ours = (run(rom, os.path.join(folder, f'{side}.npz'), int(ticks), side) for side in (0, 1))
            found[Path(rom).stem] = compare(theirs, ours) | dict(sha256=sha256(Path(rom).read_bytes()).hexdigest())
            print(Path(rom).stem, found[Path(rom).stem], flush=True)
    Path(out).write_text(json.dumps(dict(pyboy='2.8.1', keys='random.Random(0)', games=found), indent=1) + '\n')

if __name__ == '__main__':
    if sys.argv[1] == 'play': play(*sys.argv[2:4], int(sys.argv[4]))
    else: main(*sys.argv[1:])
