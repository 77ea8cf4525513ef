"""Every page runs in a kernel of its own, as it does for who opens it in JupyterLab and runs all cells but the measurements."""
import pytest
from nbdev.process import NBProcessor
from pages import notebooks, root
from test_nbs import left_out

@pytest.mark.slow
@pytest.mark.parametrize('name', [str(p.relative_to(root/'nbs')) for p in notebooks()])
def test_page_runs(name, monkeypatch):
    nbformat, nbclient = pytest.importorskip('nbformat'), pytest.importorskip('nbclient') # seconds, which only this needs
    monkeypatch.setenv('IN_TEST', '1')
    path = root/'nbs'/name
    book = nbformat.read(path, 4)
    seen = NBProcessor(path, process=True).nb.cells # the same cells, with their directives
    book.cells = [c for c, s in zip(book.cells, seen) if c.cell_type != 'code' or not left_out(s)]
    nbclient.NotebookClient(book, timeout=300, resources=dict(metadata=dict(path=str(path.parent)))).execute()
