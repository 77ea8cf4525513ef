"What is looked at and not run: style, types, the pages of the site, and whether the package is what the notebooks export."
import subprocess, sys
from pathlib import Path

import pytest
from pages import root

BIN, APART = Path(sys.executable).parent, True # each on any core
CHECKS = dict(types=[BIN/'pyright', '--level', 'error'], site=[sys.executable, 'tests/docs_pages.py'],
              export=[sys.executable, 'tests/sync_check.py'], lint=[BIN/'ruff', 'check', '-q', 'nbs', 'tests', 'setup.py'])

@pytest.mark.parametrize('name', CHECKS)
def test_static(name):
    run = subprocess.run(CHECKS[name], cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert not run.returncode, run.stdout
