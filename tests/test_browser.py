"A real browser opens the lab's notebooks, runs them, presses play and sees pictures move."
import os, shutil, socket, subprocess, sys, time, urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

root = Path(__file__).resolve().parent.parent
NAMES = 'chromium', 'chromium-browser', 'google-chrome'
chromium = os.environ.get('CHROMIUM') or next(filter(None, map(shutil.which, NAMES)), None)
FLAGS = ('--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking '
         '--disable-component-update --disable-sync').split()
PICTURE = """async sel => { const i = document.querySelector(sel);
  const b = new Uint8Array(await (await fetch(i.src)).arrayBuffer());
  let h = 0; for (const x of b) h = (h*31 + x) | 0; return i.naturalWidth + 'x' + i.naturalHeight + ':' + h }"""

MINUTES = 300 # seconds after which something hangs

def until(holds, why=lambda: 'nothing came', every=.05):
    "Try a condition until it holds."
    end = time.time() + MINUTES
    while not holds():
        if time.time() > end: pytest.fail(str(why()))
        time.sleep(every)

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
    cmd = [sys.executable, '-m', 'jupyter', 'lab', '--no-browser', '--ip=127.0.0.1', f'--port={url.rsplit(":")[-1]}',
           '--allow-root', '--IdentityProvider.token=', '--ServerApp.password=', f'--ServerApp.root_dir={folder}',
           '--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate']
    env = os.environ | own | dict(PYTHONPATH=str(root))
    with (folder/'lab.log').open('w') as log:
        streams = dict(stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        server = subprocess.Popen(cmd, env=env, **streams)
    def answers():
        with suppress(OSError), urllib.request.urlopen(f'{url}/api', timeout=MINUTES): return True
    try:
        until(answers, lambda: (folder/'lab.log').read_text())
        yield url
    finally:
        server.terminate()
        server.wait(MINUTES)

@contextmanager
def notebook(name, folder):
    "A page with a copy of the notebook `name` open and all of its cells run."
    sync = pytest.importorskip('playwright.sync_api', reason='needs playwright: pip install playwright')
    if not chromium: pytest.skip('needs a chromium on the PATH, or CHROMIUM=/its/path')
    shutil.copy(root/'nbs'/name, folder/'seen.ipynb')
    with jupyter(folder) as url, sync.sync_playwright() as p:
        ctx = p.chromium.launch_persistent_context(str(folder/'profile'), executable_path=chromium, headless=True,
                                                   args=FLAGS, viewport=dict(width=1280, height=1000))
        page = ctx.pages[0] if ctx.pages else ctx.new_page()
        page.set_default_timeout(1000*MINUTES)
        page.goto(f'{url}/lab/tree/seen.ipynb', wait_until='domcontentloaded')
        page.wait_for_selector('.jp-Notebook .jp-Cell')
        until(lambda: rests(page)) # cells that are run before there is a kernel are not run
        page.click('.jp-Notebook .jp-Cell >> nth=1')
        page.get_by_role('menuitem', name='Run').first.click()
        page.get_by_text('Run All Cells', exact=True).click()
        try: yield page
        finally:
            if shots := os.environ.get('GBXNB_SHOTS'): page.screenshot(path=f'{shots}/{Path(name).stem}.png')
            ctx.close()

def rests(page): return page.evaluate("document.body.innerText.includes('| Idle')") # the kernel

def idle(page):
    "Wait until every cell has run: the kernel also rests for a moment between two cells."
    calm = 0
    def still():
        nonlocal calm
        calm = calm + 1 if rests(page) else 0
        return calm == 8
    until(still, every=.25)

def moves(page, selector, least=5):
    "Wait until an element has shown `least` different pictures."
    seen = set()
    def enough():
        seen.add(page.evaluate(PICTURE, selector))
        return len(seen) >= least
    until(enough, lambda: f'{len(seen)} different pictures, expected {least}')

def picture(page, selector):
    "Wait until an element shows one picture twenty times on end; which."
    seen = []
    def same():
        seen.append(page.evaluate(PICTURE, selector))
        return len(seen) >= 20 and len(set(seen[-20:])) == 1
    until(same)
    return seen[-1]

def no_errors(page): return not page.locator('.jp-RenderedText[data-mime-type*="stderr"]').count()

SMALL, BIG = 'img.gbx-pixels', '.widget-vbox:has(> .widget-html) > img.gbx-pixels'

@pytest.mark.slow
def test_watch_moves(tmp_path):
    with notebook('lab/02_watch.ipynb', tmp_path) as page:
        page.wait_for_selector(SMALL)
        idle(page)
        page.locator('.widget-play').first.scroll_into_view_if_needed()
        assert picture(page, SMALL) == picture(page, SMALL), 'nothing moves before play'
        page.locator('.widget-play button').first.click()
        moves(page, SMALL)
        page.locator('.widget-play button').first.click() # pause
        before = picture(page, BIG)
        page.locator('.widget-toggle-buttons button').nth(5).click()
        until(lambda: page.evaluate(PICTURE, BIG) != before, lambda: 'another console is not shown large')
        assert no_errors(page)

WATCH = """selector => {
  window.said = new Set();
  const note = () => { const b = document.querySelector(selector); b && said.add(b.innerText) };
  const changes = {subtree: true, childList: true, characterData: true};
  new MutationObserver(note).observe(document.body, changes) }"""

@pytest.mark.slow
def test_curve_grows(tmp_path):
    with notebook('lab/05_dashboard.ipynb', tmp_path) as page:
        page.evaluate(WATCH, '.widget-html-content b') # the page itself notes every change
        page.wait_for_selector('.widget-html svg')
        def said(): return page.evaluate('[...said]')
        until(lambda: any(s.startswith('update 12 of 12') for s in said()), said)
        assert len(said()) >= 3, f'the curve should grow while it trains: {said()}'
        page.wait_for_selector(SMALL)
        idle(page)
        page.locator('.widget-play').first.scroll_into_view_if_needed()
        page.locator('.widget-play button').first.click()
        moves(page, SMALL)
        assert no_errors(page)

@pytest.mark.slow
def test_map_grows(tmp_path):
    with notebook('lab/08_map.ipynb', tmp_path) as page:
        page.wait_for_selector(SMALL)
        idle(page)
        page.locator('.widget-play').first.scroll_into_view_if_needed()
        before = picture(page, SMALL)
        page.locator('.widget-dropdown select').first.select_option(label='all')
        until(lambda: page.evaluate(PICTURE, SMALL) != before, lambda: 'another map is not shown')
        page.locator('.widget-play button').first.click()
        moves(page, SMALL)
        note = page.locator('.widget-html-content code').first
        until(lambda: 'of 41' not in note.inner_text(), note.inner_text) # past the moments that are known
        moves(page, SMALL)
        page.locator('.widget-play button').first.click() # pause
        picture(page, SMALL)
        assert no_errors(page)

@pytest.mark.slow
def test_atlas_shows_ways_and_trains(tmp_path):
    with notebook('lab/09_atlas.ipynb', tmp_path) as page:
        page.wait_for_selector('.gbx-sheet button')
        idle(page)
        page.locator('.gbx-sheet').first.scroll_into_view_if_needed()
        note, film = page.locator('.widget-html-content b').first, '.widget-vbox:has(> .widget-html) > img.gbx-pixels'
        before = page.evaluate(PICTURE, '.gbx-sheet > img')
        page.locator('.gbx-p3').first.click()
        until(lambda: note.inner_text() == 'place 3', note.inner_text)
        page.locator('.gbx-p2').first.focus()
        page.keyboard.press('Enter')
        until(lambda: note.inner_text() == 'place 2', note.inner_text)
        until(lambda: page.evaluate(PICTURE, '.gbx-sheet > img') != before, lambda: 'the map marks no place')
        moves(page, film) # the way plays by itself
        page.locator('.widget-button', has_text='train').first.click()
        said = page.locator('.jupyter-widgets pre').first
        until(lambda: 'place 2, runs' in said.inner_text(), said.inner_text)
        page.locator('.gbx-p4').first.click()
        until(lambda: note.inner_text() == 'place 4', note.inner_text)
        page.locator('.widget-button', has_text='stop').first.click()
        until(lambda: 'place 2, stopped' in said.inner_text(), said.inner_text)
        assert no_errors(page)
