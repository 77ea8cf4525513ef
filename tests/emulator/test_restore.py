"Restored consoles go on bit for bit, and so do saved ones; a folder of other people's games is named by GBXNB_TEST_ROMS."
import os
from pathlib import Path

import numpy as np
import pytest
import warp as wp
from gbxnb.backends.warp import make_backend
from gbxnb.games import bundled as game
from gbxnb.saves.save_files import row_with_save, save_of_row, from_bess, to_bess
from gbxnb.emulator.emulator import Emulator
from gbxnb.emulator.rows import boot_row, load_snapshot, save_snapshot
from gbxnb.saves.pyboy import from_pyboy, to_pyboy

FOLDER = os.environ.get('GBXNB_TEST_ROMS', '')
ROMS = sorted(p for p in Path(FOLDER).iterdir() if p.suffix in ('.gb', '.gbc')) if FOLDER else []
games = pytest.mark.parametrize('rom', ROMS or [None], ids=lambda p: p.stem if p else 'none')
given = pytest.mark.skipif(not ROMS, reason='no ROMs of other people given: name a folder of them by GBXNB_TEST_ROMS')

def restored_like_fresh(rom, frames=600):
    "A console that never stopped, against copies restored into used consoles; how many pictures were shown."
    rng = np.random.default_rng(0)
    one, many = (make_backend('warp', rom, n, 'cpu', threads=1) for n in (1, 5))
    def run(keys, frames):
        for b, k in (one, keys[:1]), (many, keys):
            b.buttons.assign(k.astype(np.uint8))
            b.step(frames, min(8, frames))
    for key in (0, 0, 128, 0, 16, 0, 128, 0): run(np.full(5, key), 30)
    for _ in range(8): run(1 << rng.integers(0, 8, 5), 24) # until all are somewhere else
    many.set_bank([one.snapshot(0)])
    many.restore(wp.array([False, True, False, True, True], dtype=wp.bool, device='cpu'), wp.zeros(5, wp.int32, 'cpu'))
    shown = set()
    for t in range(0, frames, 24):
        keys = 1 << rng.integers(0, 8, 5)
        keys[[1, 3, 4]] = keys[0]
        run(keys, min(24, frames - t))
        fresh, states = one.save_all()[0], many.save_all()
        for i in (1, 3, 4):
            assert (states[i] == fresh).all() and (many.pix.numpy()[i] == one.pix.numpy()[0]).all(), f'console {i}, frame {t + 24}'
        shown.add(one.pix.numpy()[0].tobytes())
    for b in one, many: b.close()
    return len(shown)

def test_the_bundled_game_restored():
    "Other keys before, the same after: rows and pictures are compared after every step of 600 frames."
    assert restored_like_fresh(game.rom()) > 10

@given
@games
def test_restore_then_run(rom): assert restored_like_fresh(rom)

@given
@games
def test_save_then_load(rom):
    "At many moments of a game: our format and BESS give the same bytes, PyBoy's format is readable, the battery keeps what it had."
    e, rng = Emulator(rom, device='cpu'), np.random.default_rng(0)
    for _ in range(60):
        e.set_buttons(int(1 << rng.integers(8)))
        if rng.integers(2): e.run_frames(int(rng.integers(1, 60)))
        else: e.run_cycles(int(rng.integers(1, 100_000)))
        row = e.save()
        assert (load_snapshot(e.cart, save_snapshot(e.cart, row, e.log.numpy()[0], e.frame()))[0] == row).all()
        assert (from_bess(e.cart, to_bess(e.cart, row)) == row).all()
        from_pyboy(e.cart, to_pyboy(e.cart, row))
        if not e.cart.has_battery: continue
        kept = save_of_row(e.cart, row)
        assert save_of_row(e.cart, row_with_save(e.cart, boot_row(e.cart), *kept)) == kept
