"Restored consoles go on bit for bit, and so do saved ones; a folder of other people's games is named by GBXNB_TEST_ROMS."
import os
from pathlib import Path

import numpy as np
import pytest
from gbxnb.games import town as game
from gbxnb.saves.save_files import from_bess, row_with_save, save_of_row, to_bess
from gbxnb.emulator.emulator import Emulator
from gbxnb.emulator.rows import boot_row
from gbxnb.saves.pyboy import from_pyboy, to_pyboy
from gbxnb.emulator.rows import load_snapshot, save_snapshot
from restored import restored_like_fresh

FOLDER = os.environ.get('GBXNB_TEST_ROMS', '')
ROMS = sorted(p for p in Path(FOLDER).iterdir() if p.suffix in ('.gb', '.gbc')) if FOLDER else []
games = pytest.mark.parametrize('rom', ROMS or [None], ids=lambda p: p.stem if p else 'none')
given = pytest.mark.skipif(not ROMS, reason='no ROMs of other people given: name a folder of them by GBXNB_TEST_ROMS')

def test_the_bundled_game_restored():
    "Other keys before, the same after: rows and pictures are compared after every step of 600 frames."
    fresh = restored_like_fresh(game.rom())
    assert fresh['different_pictures'] > 10 and fresh['frames'] == 600

@given
@games
def test_restore_then_run(rom):
    print(restored_like_fresh(rom))

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
