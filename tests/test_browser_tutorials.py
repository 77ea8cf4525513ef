"""A real browser opens each tutorial in JupyterLab and runs it from top to bottom, at the length its reader sees.
With `-s` the seconds are printed."""
import importlib.util, shutil, time

import pytest
from test_browser import idle, notebook, root

TUTORIALS = sorted(p.stem for p in (root/'nbs/tutorials').glob('*.ipynb'))
NEEDS = {'tutorials/06_coming_from': ('stable_baselines3', 'torchrl', 'rsl_rl')}

@pytest.mark.slow
@pytest.mark.parametrize('name', TUTORIALS)
def test_tutorial_runs(name, tmp_path):
    missing = [m for m in NEEDS.get(f'tutorials/{name}', ()) if not importlib.util.find_spec(m)]
    if missing: pytest.skip(f'needs {", ".join(missing)}: pip install "gbxnb[adapters]"')
    shutil.copytree(root/'nbs/tutorials/results', tmp_path/'results')
    begin = time.perf_counter()
    with notebook(f'tutorials/{name}.ipynb', tmp_path) as page:
        idle(page)
        took = time.perf_counter() - begin
        page.wait_for_selector('.jp-CodeCell .jp-InputPrompt')
        failed = page.locator('.jp-RenderedText[data-mime-type="application/vnd.jupyter.error"]').all_inner_texts()
        waiting = page.locator('.jp-CodeCell .jp-InputPrompt', has_text='[*]').count()
        assert not failed and not waiting, failed or f'{waiting} cells did not run'
        print(f'{name}: {took:.0f} s, the start of JupyterLab included')
