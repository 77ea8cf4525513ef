"Restored consoles of other people's games go on bit for bit; a folder of ROMs is named by GBXNB_TEST_ROMS."
import os
from pathlib import Path

import pytest
from gbxnb.bench.steps import restored_like_fresh

FOLDER = os.environ.get('GBXNB_TEST_ROMS', '')
ROMS = sorted(p for p in Path(FOLDER).iterdir() if p.suffix in ('.gb', '.gbc')) if FOLDER else []

@pytest.mark.skipif(not ROMS, reason='no ROMs of other people given: name a folder of them by GBXNB_TEST_ROMS')
@pytest.mark.parametrize('rom', ROMS or [None], ids=lambda p: p.stem if p else 'none')
def test_restore_then_run(rom):
    print(restored_like_fresh(rom))
