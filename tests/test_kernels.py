"""Every page runs in a kernel of its own, as it does for who opens it in JupyterLab and runs all cells but the measurements."""
import re

import nbformat
import pytest
from nbclient import NotebookClient
from nbdev.config import get_config
from pages import notebooks, root

LEFT_OUT = re.compile(rf"^#\| *(eval: *false|{'|'.join(get_config().tst_flags.split())})\b", re.M)

@pytest.mark.slow
@pytest.mark.parametrize('name', [str(p.relative_to(root/'nbs')) for p in notebooks()])
def test_page_runs(name, monkeypatch):
    monkeypatch.setenv('IN_TEST', '1')
    path = root/'nbs'/name
    book = nbformat.read(path, 4)
    book.cells = [c for c in book.cells if not LEFT_OUT.search(c.source)]
    NotebookClient(book, timeout=300, resources=dict(metadata=dict(path=str(path.parent)))).execute()
