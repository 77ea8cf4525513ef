"What is looked at and not run: style, the pages of the site, and whether the package is what the notebooks export."
import subprocess, sys
from pathlib import Path

import processes
import pytest
from pages import root

BIN, APART = Path(sys.executable).parent, True # each on any core
CHECKS = dict(site=[root/'tests/docs_pages.py'], export=[root/'tests/sync_check.py'],
              lint=[BIN/'ruff', 'check', '-q', 'nbs', 'tests', 'setup.py'])

@pytest.mark.parametrize('name', CHECKS)
def test_static(name):
    first, *words = CHECKS[name]
    if first.suffix == '.py': run = processes.python(first, *words, cwd=root)
    else: run = subprocess.run([first, *words], cwd=root, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert not run.returncode, run.stdout + run.stderr
