"Is the package what the notebooks export, and are the notebooks clean? Tried on a copy: the tree is not touched."
import gc, os, shutil, sys, tempfile
from pathlib import Path

from nbdev.clean import nbdev_clean
from nbdev.doclinks import nbdev_export

root = Path(__file__).resolve().parent.parent
drop = shutil.ignore_patterns('.ipynb_checkpoints', '__pycache__', '_proc')

def texts(base):
    files = [*(base/'gbxnb').rglob('*.py'), *(base/'nbs').rglob('*.ipynb')]
    return {str(p.relative_to(base)): p.read_bytes() for p in files if '.ipynb_checkpoints' not in p.parts}

os.environ.pop('IN_TEST', None) # nothing is exported where this is set
gc.disable() # what is read is kept to the end
with tempfile.TemporaryDirectory() as tmp:
    copy = Path(tmp).resolve()/'copy'
    copy.mkdir()
    for f in ('settings.ini', 'pyproject.toml', '_quarto.yml'): shutil.copy(root/f, copy/f)
    shutil.copytree(root/'nbs', copy/'nbs', ignore=drop, symlinks=True)
    os.chdir(copy) # whose settings these two read
    nbdev_export()
    nbdev_clean()
    want, have = texts(copy), texts(root)
    os.chdir(root)
bad = sorted(f for f in want.keys() | have.keys() if want.get(f) != have.get(f))
for f in bad: print(f, 'is not what a notebook exports: run `make export`' if f.startswith('gbxnb') else 'is not clean: run `make export`')
sys.exit(bool(bad))
