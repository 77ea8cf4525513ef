"What is looked at and not run: style, the pages of the site, and whether the package is what the notebooks export, and these are clean."
import os, shutil, subprocess, sys
from pathlib import Path

import processes
from pages import root

APART = True # each on any core
DROP = shutil.ignore_patterns('.ipynb_checkpoints', '__pycache__', '_proc')

def test_style():
    run = subprocess.run([Path(sys.executable).with_name('ruff'), 'check', '-q', 'nbs', 'tests', 'setup.py', 'noxfile.py'], cwd=root,
                         stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert not run.returncode, run.stdout + run.stderr

def test_site():
    run = processes.python(root/'tests/tools/docs_pages.py', cwd=root)
    assert not run.returncode, run.stdout + run.stderr

EXPORT = """
import gc
from nbdev.clean import nbdev_clean
from nbdev.doclinks import nbdev_export
gc.disable() # what is read is kept to the end
nbdev_export()
nbdev_clean()
"""

def texts(base):
    files = [*(base/'gbxnb').rglob('*.py'), *(base/'nbs').rglob('*.ipynb')]
    return {str(p.relative_to(base)): p.read_bytes() for p in files if '.ipynb_checkpoints' not in p.parts}

def test_export(tmp_path):
    "Tried on a copy: the tree is not touched."
    for name in 'settings.ini', 'pyproject.toml', '_quarto.yml': shutil.copy(root/name, tmp_path/name)
    shutil.copytree(root/'nbs', tmp_path/'nbs', ignore=DROP, symlinks=True)
    env = {name: value for name, value in os.environ.items() if name != 'IN_TEST'} # nothing is exported where this is set
    run = processes.python(EXPORT, cwd=tmp_path, env=env)
    assert not run.returncode, run.stderr
    want, have = texts(tmp_path), texts(root)
    assert not [name for name in want.keys() | have.keys() if want.get(name) != have.get(name)], 'run `make export`'
