"A real browser opens the lab's notebook, runs it, presses play and sees pictures move."
import os, shutil, socket, subprocess, sys, time, urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

root = Path(__file__).resolve().parent.parent
chromium = os.environ.get('CHROMIUM') or next(filter(None, map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome'))), None)
FLAGS = ('--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update '
         '--disable-sync').split()
PICTURE = """async sel => { const i = document.querySelector(sel), b = new Uint8Array(await (await fetch(i.src)).arrayBuffer());
  let h = 0; for (const x of b) h = (h*31 + x) | 0; return i.naturalWidth + 'x' + i.naturalHeight + ':' + h }"""

@contextmanager
def jupyter(folder):
    "JupyterLab on a free port, with settings of its own; yields its address."
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        url = f'http://127.0.0.1:{s.getsockname()[1]}'
    own = {f'JUPYTER{k}_DIR': str(folder/k) for k in ('_CONFIG', 'LAB_SETTINGS', 'LAB_WORKSPACES', '_RUNTIME')}
    quiet = folder/'LAB_SETTINGS/@jupyterlab/apputils-extension/notification.jupyterlab-settings'
    quiet.parent.mkdir(parents=True)
    quiet.write_text('{"fetchNews": "false", "checkForUpdates": false}')
    cmd = [sys.executable, '-m', 'jupyter', 'lab', '--no-browser', '--ip=127.0.0.1', f'--port={url.rsplit(":")[-1]}', '--allow-root',
           '--IdentityProvider.token=', '--ServerApp.password=', f'--ServerApp.root_dir={folder}',
           '--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate']
    env = os.environ | own | dict(PYTHONPATH=str(root))
    with (folder/'lab.log').open('w') as log:
        server = subprocess.Popen(cmd, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
    try:
        for _ in range(120):
            try: urllib.request.urlopen(f'{url}/api', timeout=2).close()
            except OSError: time.sleep(.5)
            else: break
        else: pytest.fail((folder/'lab.log').read_text())
        yield url
    finally:
        server.terminate()
        server.wait(20)

@contextmanager
def notebook(name, folder):
    "A page with a copy of the notebook `name` open and all of its cells run."
    sync = pytest.importorskip('playwright.sync_api', reason='needs playwright: pip install playwright')
    if not chromium: pytest.skip('needs a chromium on the PATH, or CHROMIUM=/its/path')
    shutil.copy(root/'nbs'/name, folder/'seen.ipynb')
    with jupyter(folder) as url, sync.sync_playwright() as p:
        ctx = p.chromium.launch_persistent_context(str(folder/'profile'), executable_path=chromium, headless=True, args=FLAGS,
                                                   viewport=dict(width=1280, height=1000))
        page = ctx.pages[0] if ctx.pages else ctx.new_page()
        page.set_default_timeout(90_000)
        page.goto(f'{url}/lab/tree/seen.ipynb', wait_until='domcontentloaded')
        page.wait_for_selector('.jp-Notebook .jp-Cell', timeout=90_000)
        page.click('.jp-Notebook .jp-Cell >> nth=1')
        page.get_by_role('menuitem', name='Run').first.click()
        page.get_by_text('Run All Cells', exact=True).click()
        try: yield page
        finally:
            if shots := os.environ.get('GBXNB_SHOTS'): page.screenshot(path=f'{shots}/{Path(name).stem}.png')
            ctx.close()

def idle(page):
    "Wait until every cell has run: the kernel also rests for a moment between two cells."
    calm, end = 0, time.time() + 120
    while calm < 8 and time.time() < end:
        page.wait_for_timeout(250)
        calm = calm + 1 if page.evaluate("document.body.innerText.includes('| Idle')") else 0

def distinct(page, selector, seconds):
    "How many different pictures the element shows within `seconds`."
    seen, end = set(), time.time() + seconds
    while time.time() < end:
        seen.add(page.evaluate(PICTURE, selector))
        time.sleep(.1)
    return len(seen)

@pytest.mark.slow
def test_watch_moves(tmp_path):
    with notebook('lab/01_watch.ipynb', tmp_path) as page:
        page.wait_for_selector('img.gbx-pixels', timeout=60_000)
        idle(page)
        page.locator('.widget-play').first.scroll_into_view_if_needed()
        big = '.widget-vbox:has(> .widget-html) > img.gbx-pixels'
        assert distinct(page, 'img.gbx-pixels', 1) == 1, 'nothing moves before play'
        page.locator('.widget-play button').first.click()
        assert distinct(page, 'img.gbx-pixels', 4) >= 5
        page.locator('.widget-play button').first.click() # pause
        page.wait_for_timeout(500)
        before = page.evaluate(PICTURE, big)
        page.locator('.widget-toggle-buttons button').nth(5).click()
        page.wait_for_timeout(500)
        assert page.evaluate(PICTURE, big) != before, 'another console is shown large'
        assert not page.locator('.jp-RenderedText[data-mime-type*="stderr"]').count()

@pytest.mark.slow
def test_curve_grows(tmp_path):
    with notebook('lab/03_dashboard.ipynb', tmp_path) as page:
        page.wait_for_selector('.widget-html svg', timeout=120_000)
        said, end = set(), time.time() + 20
        while time.time() < end and not any(s.startswith('update 12 of 12') for s in said):
            said.add(page.locator('.widget-html-content b').first.inner_text())
            time.sleep(.03)
        assert len(said) >= 3, f'the curve should grow while it trains: {said}'
        page.wait_for_selector('img.gbx-pixels', timeout=20_000)
        idle(page)
        page.locator('.widget-play').first.scroll_into_view_if_needed()
        page.locator('.widget-play button').first.click()
        assert distinct(page, 'img.gbx-pixels', 4) >= 5
        assert not page.locator('.jp-RenderedText[data-mime-type*="stderr"]').count()

@pytest.mark.slow
def test_pad_plays(tmp_path):
    with notebook('lab/04_play.ipynb', tmp_path) as page:
        page.wait_for_selector('img.gbx-pixels', timeout=60_000)
        pad = page.locator('.jupyter-widgets.widget-gridbox').first
        idle(page)
        pad.scroll_into_view_if_needed()
        seen = [page.evaluate(PICTURE, 'img.gbx-pixels')]
        for sign in '▶', '▲', '◀':
            pad.get_by_text(sign, exact=True).click()
            page.wait_for_timeout(700)
            seen.append(page.evaluate(PICTURE, 'img.gbx-pixels'))
        assert len(set(seen)) >= 3, seen
        for _ in range(3): page.locator('.widget-button', has_text='undo').first.click()
        page.wait_for_timeout(700)
        assert page.evaluate(PICTURE, 'img.gbx-pixels') == seen[0]
        assert not page.locator('.jp-RenderedText[data-mime-type*="stderr"]').count()
