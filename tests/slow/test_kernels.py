"Every page runs in a kernel of its own, as when its reader runs all cells in JupyterLab: at full length, with nothing left out."
import re, shutil

import pytest
from pages import notebooks, root

@pytest.fixture(scope='module')
def copy(tmp_path_factory):
    "The notebooks, where they may leave files, and what lies beside them."
    at = tmp_path_factory.mktemp('checkout')
    for p in root.iterdir():
        if p.name == 'nbs': shutil.copytree(p, at/'nbs')
        elif p.name not in ('.git', 'runs'): (at/p.name).symlink_to(p)
    return at/'nbs'

@pytest.mark.slow
@pytest.mark.parametrize('name', [str(p.relative_to(root/'nbs')) for p in notebooks()])
def test_page_runs(name, copy, monkeypatch):
    nbformat, nbclient = pytest.importorskip('nbformat'), pytest.importorskip('nbclient') # seconds, which only this needs
    monkeypatch.delenv('IN_TEST', raising=False)
    reader = nbclient.NotebookClient(nbformat.read(copy/name, 4), timeout=7200, resources=dict(metadata=dict(path=str((copy/name).parent))))
    try: reader.execute()
    except nbclient.exceptions.CellExecutionError as e:
        if not re.search(r"gbxnb\[adapters\]|No module named 'stable_baselines3'", str(e)): raise
        pytest.skip('needs other trainers: pip install "gbxnb[adapters]"')
