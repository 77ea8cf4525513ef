"A real browser opens the lab's notebooks, runs them, presses play and sees pictures move."
import json, os, shutil, socket, subprocess, sys, time, urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

root = Path(__file__).resolve().parent.parent
NAMES = 'chromium', 'chromium-browser', 'google-chrome'
chromium = os.environ.get('CHROMIUM') or next(filter(None, map(shutil.which, NAMES)), None)
FLAGS = ('--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking '
         '--disable-component-update --disable-sync').split()
PICTURE = """async sel => { const i = document.querySelector(sel), drawn = i.tagName == 'CANVAS';
  const b = drawn ? new Uint32Array(i.getContext('2d').getImageData(0, 0, i.width, i.height).data.buffer)
    : new Uint8Array(await (await fetch(i.src)).arrayBuffer());
  let h = 0; for (const x of b) h = (h*31 + x) | 0;
  return (drawn ? [i.width, i.height] : [i.naturalWidth, i.naturalHeight]).join('x') + ':' + h }"""

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

def write_cells(path, *cells):
    "A notebook of these cells."
    code = dict(cell_type='code', execution_count=None, metadata={}, outputs=[])
    kernel = dict(display_name='python3', language='python', name='python3')
    book = dict(nbformat=4, nbformat_minor=5, metadata=dict(kernelspec=kernel),
                cells=[dict(code, id=f'{i:08x}', source=source) for i, source in enumerate(cells)])
    path.write_text(json.dumps(book), encoding='utf-8')

def opening(name):
    "The cell that a page begins with: its widget at work."
    return next(c for c in json.loads((root/'nbs'/name).read_text(encoding='utf-8'))['cells'] if '#| eval: false\n' in c['source'])

def run_all(page):
    page.get_by_role('menuitem', name='Run').first.click()
    page.get_by_text('Run All Cells', exact=True).click()

@contextmanager
def notebook(name, folder, *cells, whole=False):
    "A page with a copy of the notebook `name` open, but for its opening unless `whole`, or with one made of `cells`; all of its cells run."
    sync = pytest.importorskip('playwright.sync_api', reason='needs playwright: pip install playwright')
    if not chromium: pytest.skip('needs a chromium on the PATH, or CHROMIUM=/its/path')
    if cells: write_cells(folder/'seen.ipynb', *cells)
    else:
        book = json.loads((root/'nbs'/name).read_text(encoding='utf-8'))
        if name in OPENINGS and not whole: book['cells'].remove(opening(name))
        (folder/'seen.ipynb').write_text(json.dumps(book), encoding='utf-8')
    with jupyter(folder) as url, sync.sync_playwright() as p:
        ctx = p.chromium.launch_persistent_context(str(folder/'profile'), executable_path=chromium, headless=True,
                                                   args=FLAGS, viewport=dict(width=1280, height=1000))
        page = ctx.pages[0] if ctx.pages else ctx.new_page()
        page.set_default_timeout(1000*MINUTES)
        page.goto(f'{url}/lab/tree/seen.ipynb', wait_until='domcontentloaded')
        page.wait_for_selector('.jp-Notebook .jp-Cell')
        until(lambda: rests(page)) # cells that are run before there is a kernel are not run
        page.click('.jp-Notebook .jp-Cell >> nth=0')
        run_all(page)
        try: yield page
        finally:
            if shots := os.environ.get('GBXNB_SHOTS'): page.screenshot(path=f'{shots}/{Path(name).stem}.png')
            ctx.close()

def rests(page): return page.evaluate("document.body.innerText.includes('| Idle')") # the kernel

def idle(page):
    """Wait until every cell has run, and the kernel rests.

    Cells that are to be run are marked a moment after the click, and a kernel that answers a widget does not rest."""
    calm = 0
    def still():
        nonlocal calm
        calm = 0 if page.get_by_text('[*]:', exact=True).count() else calm + 1
        return calm >= 8 and rests(page)
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

def no_errors(page):
    "Was nothing said on stderr but how far something has come?"
    said = page.locator('.jp-RenderedText[data-mime-type*="stderr"]').all_inner_texts()
    return not [text for text in said if text.strip() and '%|' not in text]

def shows(page, locator, text):
    "Wait until an element says something."
    until(lambda: text in locator.inner_text(), locator.inner_text)

OPENINGS = { # what each of these pages begins with
    'lab/01_film.ipynb': '.jp-OutputArea canvas', 'lab/03_watch.ipynb': '.gbx-all > canvas', 'lab/05_trainer.ipynb': '.gbx-trainer img',
    'lab/04_dashboard.ipynb': '.jp-OutputArea img', 'lab/08_play.ipynb': '.gbx-play .gbx-one canvas',
    'lab/09_inspect.ipynb': '.gbx-inspect[role=group]', 'lab/11_map.ipynb': '.gbx-player', 'lab/12_atlas_view.ipynb': '.gbx-sheet button'}
SMALL, ALL, ONE, PLAY = 'img.gbx-pixels', '.gbx-all > canvas', '.gbx-one > canvas', '.gbx-player [data-do=play]'

def cell_count(page): return page.locator('.jp-Notebook .jp-Cell').count()

@pytest.mark.slow
@pytest.mark.parametrize('name', OPENINGS)
def test_pages_begin_with_the_widget(name, tmp_path):
    "At work, before any code of the page has run, and no wider than a narrow window."
    with notebook(name, tmp_path, ''.join(opening(name)['source'])) as page:
        page.wait_for_selector(OPENINGS[name])
        idle(page)
        if shots := os.environ.get('GBXNB_SHOTS'): page.screenshot(path=f'{shots}/opening-{Path(name).stem}-1280.png')
        page.set_viewport_size(dict(width=640, height=1000))
        until(lambda: page.evaluate('innerWidth') == 640)
        assert no_errors(page)

@pytest.mark.slow
def test_watch_moves(tmp_path):
    "Play, pause, pick with the mouse and with the keyboard, whose keys stay where the focus is."
    with notebook('lab/03_watch.ipynb', tmp_path) as page:
        page.wait_for_selector(ALL)
        idle(page)
        page.locator(PLAY).first.scroll_into_view_if_needed()
        assert picture(page, ALL) == picture(page, ALL), 'nothing moves before play'
        page.locator(PLAY).first.click()
        moves(page, ALL)
        page.locator(PLAY).first.click() # pause
        before, note = picture(page, ONE), page.locator('.gbx-note').first
        box = page.locator('.gbx-all').first.bounding_box()
        page.locator('.gbx-all').first.click(position=dict(x=box['width']*.9, y=box['height']*.9))
        shows(page, note, '#7')
        until(lambda: page.evaluate(PICTURE, ONE) != before, lambda: 'another console is not shown large')
        for key, number in dict(ArrowLeft=6, ArrowUp=2, ArrowRight=3, ArrowDown=7).items():
            page.keyboard.press(key)
            shows(page, note, f'#{number}')
        shows(page, page.locator('.gbx-help').first, 'keys: arrows pick a console, space plays')
        cells, at = cell_count(page), page.locator('.gbx-at').first
        for key in [*'xabcvzymdd', 'Enter', 'Escape', 'Backspace']: page.keyboard.press(key) # shortcuts, elsewhere
        page.keyboard.press('End')
        shows(page, at, '12 / 12')
        page.keyboard.press(',')
        shows(page, at, '11 / 12')
        page.keyboard.press(' ')
        moves(page, ALL)
        page.keyboard.press(' ')
        assert cell_count(page) == cells and page.locator('.jp-mod-editMode').count() == 0
        page.locator('.gbx-player input').first.focus()
        page.keyboard.press('Home')
        shows(page, at, '1 / 12')
        assert no_errors(page)

MANY = """import numpy as np
from gbxnb.lab.watch import Watch
frames = np.random.default_rng(0).integers(0, 4, (40, 256, 72, 80), np.uint8)
w = Watch(frames, fps=12)
display(w)
display(w)"""

def restart(page):
    page.get_by_role('menuitem', name='Kernel').first.click()
    page.get_by_text('Restart Kernel…', exact=True).click()
    page.locator('.jp-Dialog button.jp-mod-accept').click()

@pytest.mark.slow
def test_two_windows_and_a_restart(tmp_path):
    "256 consoles in two views, which move and pick together; a kernel that was restarted is missed, and then found again."
    with notebook('many', tmp_path, MANY) as page:
        second, lines = '.jp-OutputArea-child:nth-of-type(2) ', page.locator('.gbx-canvas .gbx-life')
        page.wait_for_selector(f'{second}{ALL}')
        idle(page)
        for _ in range(2):
            page.locator(PLAY).first.click()
            moves(page, ALL, 20)
            page.locator(PLAY).last.click() # the other view's
            until(lambda: picture(page, ALL) == picture(page, f'{second}{ALL}'), lambda: 'two views, two moments')
            page.locator('.gbx-all').last.click(position=dict(x=3, y=3))
            page.keyboard.press('ArrowRight')
            for note in page.locator('.gbx-note').all(): shows(page, note, '#1')
            assert not any(line.is_visible() for line in lines.all())
            restart(page)
            until(lambda: 'run this cell again' in lines.last.inner_text(), lines.all_inner_texts)
            run_all(page)
            page.wait_for_selector(f'{second}{ALL}')
            until(lambda: not any(line.is_visible() for line in lines.all()), lines.all_inner_texts)
            idle(page)
        assert no_errors(page)

WATCH = """selector => {
  window.said = new Set();
  const note = () => { const b = document.querySelector(selector); b && said.add(b.innerText) };
  const changes = {subtree: true, childList: true, characterData: true};
  new MutationObserver(note).observe(document.body, changes) }"""

@pytest.mark.slow
def test_curve_grows(tmp_path):
    with notebook('lab/04_dashboard.ipynb', tmp_path) as page:
        page.evaluate(WATCH, '.widget-html-content b') # the page itself notes every change
        page.wait_for_selector('.widget-html img')
        def said(): return page.evaluate('[...said]')
        until(lambda: any(s.startswith('update 12 of 12') for s in said()), said)
        assert len(said()) >= 3, f'the curve should grow while it trains: {said()}'
        page.wait_for_selector(ALL)
        idle(page)
        page.locator(PLAY).first.scroll_into_view_if_needed()
        page.locator(PLAY).first.click()
        moves(page, ALL)
        assert no_errors(page)

@pytest.mark.slow
def test_map_grows(tmp_path):
    with notebook('lab/11_map.ipynb', tmp_path) as page:
        page.wait_for_selector(SMALL)
        idle(page)
        page.locator(PLAY).first.scroll_into_view_if_needed()
        before = picture(page, SMALL)
        page.locator('.widget-dropdown select').first.select_option(label='all')
        until(lambda: page.evaluate(PICTURE, SMALL) != before, lambda: 'another map is not shown')
        page.locator(PLAY).first.click()
        moves(page, SMALL)
        note = page.locator('.widget-html-content code').first
        until(lambda: 'of 41' not in note.inner_text(), note.inner_text) # past the moments that are known
        moves(page, SMALL)
        page.locator(PLAY).first.click() # pause
        picture(page, SMALL)
        assert no_errors(page)

@pytest.mark.slow
def test_atlas_shows_ways_and_trains(tmp_path):
    with notebook('lab/12_atlas_view.ipynb', tmp_path) as page:
        page.wait_for_selector('.gbx-sheet button')
        idle(page)
        page.locator('.gbx-sheet').first.scroll_into_view_if_needed()
        note = page.locator('.widget-html-content b').first
        before = page.evaluate(PICTURE, '.gbx-sheet > img')
        page.locator('.gbx-p3').first.click()
        until(lambda: note.inner_text() == 'place 3', note.inner_text)
        page.locator('.gbx-p2').first.focus()
        page.keyboard.press('Enter')
        until(lambda: note.inner_text() == 'place 2', note.inner_text)
        until(lambda: page.evaluate(PICTURE, '.gbx-sheet > img') != before, lambda: 'the map marks no place')
        moves(page, ONE) # the way plays by itself
        page.locator('.widget-button', has_text='train').first.click()
        said = page.locator('.jupyter-widgets pre').first
        until(lambda: 'place 2, runs' in said.inner_text(), said.inner_text)
        page.locator('.gbx-p4').first.click()
        until(lambda: note.inner_text() == 'place 4', note.inner_text)
        page.locator('.widget-button', has_text='stop').first.click()
        until(lambda: 'place 2, stopped' in said.inner_text(), said.inner_text)
        assert no_errors(page)
