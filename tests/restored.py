"""A console that is restored over a used one goes on bit for bit like one that never stopped.
`python tests/restored.py OUT GAME ...` compares the bundled game and others, and writes what it found."""
import json, sys
from pathlib import Path

import numpy as np
import warp as wp
from gbxnb.backends.warp import make_backend
from gbxnb.base.files import sha256, write_atomic
from gbxnb.base.progress import about
from gbxnb.games import town as game

def restored_like_fresh(
    rom:bytes|str|Path, # A cartridge, or its file
    frames:int=600, # How long both run on
    seed:int=0, # Of the keys
)->dict: # What was compared; raises AssertionError at the first difference
    "A console that never stopped, against copies restored into used consoles."
    rng = np.random.default_rng(seed)
    one, many = (make_backend('warp', rom, n, 'cpu', threads=1) for n in (1, 5))
    def run(keys, frames):
        for b, k in (one, keys[:1]), (many, keys):
            b.buttons.assign(k.astype(np.uint8))
            b.step(frames, min(8, frames))
    for key in (0, 0, 128, 0, 16, 0, 128, 0): run(np.full(5, key), 30)
    for _ in range(8): run(1 << rng.integers(0, 8, 5), 24) # until all are somewhere else
    start = one.snapshot(0)
    many.set_bank([start])
    mask = wp.array([False, True, False, True, True], dtype=wp.bool, device='cpu')
    many.restore(mask, wp.zeros(5, wp.int32, 'cpu'))
    shown = set()
    for t in range(0, frames, 24):
        keys = 1 << rng.integers(0, 8, 5)
        keys[[1, 3, 4]] = keys[0]
        run(keys, min(24, frames - t))
        fresh, states = one.save_all()[0], many.save_all()
        for i in (1, 3, 4):
            assert (states[i] == fresh).all(), f'the state of console {i}, frame {t + 24}'
            same = (many.pix.numpy()[i] == one.pix.numpy()[0]).all()
            assert same, f'the picture of console {i}, frame {t + 24}'
        shown.add(one.pix.numpy()[0].tobytes())
    cart = many.emulator.cart
    for b in one, many: b.close()
    return dict(title=cart.title, kind=str(cart.mapper), rom_sha256=cart.sha256, frames=frames,
                bytes_compared=fresh.size, restored=3, different_pictures=len(shown),
                start_sha256=start.sha256, end_sha256=sha256(fresh.tobytes()))

def record(
    out:str|Path, # JSON file to write
    *games:str|Path, # Open-licensed games
):
    "Compare each game, the bundled one first, and keep the result."
    counted = 'bytes of a restored console compared with one that never stopped; hashes: of this commit'
    rows = [restored_like_fresh(rom) for rom in (game.rom(), *map(Path, games))]
    result = dict(counted=counted, backend='warp on cpu') | about('cpu') | dict(rows=rows)
    write_atomic(out, json.dumps(result, indent=1) + '\n')

if __name__ == '__main__': record(*sys.argv[1:])
