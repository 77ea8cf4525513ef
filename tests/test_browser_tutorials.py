"A real browser opens each tutorial in JupyterLab and runs it from top to bottom, at the length its reader sees."
import time
from pathlib import Path

import pytest
from test_browser import idle, notebook, root

TUTORIALS = sorted(p.stem for p in (root/'nbs/tutorials').glob('*.ipynb'))

def ran(page):
    "Numbers of the cells that have run, and what went wrong."
    failed = page.locator('.jp-RenderedText[data-mime-type="application/vnd.jupyter.error"]')
    return page.locator('.jp-CodeCell .jp-InputPrompt').all_inner_texts(), failed.all_inner_texts()

@pytest.mark.slow
@pytest.mark.parametrize('name', TUTORIALS)
def test_tutorial_runs(name, tmp_path):
    begin = time.perf_counter()
    with notebook(f'tutorials/{name}.ipynb', tmp_path) as page:
        idle(page)
        prompts, failed = ran(page)
        assert not failed, failed
        print(f'{Path(name).name}: {len(prompts)} code cells in {time.perf_counter() - begin:.0f} s, JupyterLab included')
