"A real browser with a notebook in JupyterLab, and what tests wait for there."
import json, os, shutil, socket, subprocess, sys, time, urllib.request
from contextlib import contextmanager, suppress

import pytest
from pages import root

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
    menu(page, 'Run', 'Run All Cells')

@contextmanager
def notebook(name, folder, *cells, whole=False):
    "A page with a copy of the notebook `name` open, but for its opening unless `whole`, or with one made of `cells`; all of its cells run."
    sync = pytest.importorskip('playwright.sync_api', reason='needs playwright: pip install playwright')
    if not chromium: pytest.skip('needs a chromium on the PATH, or CHROMIUM=/its/path')
    if cells: write_cells(folder/'seen.ipynb', *cells)
    else:
        book = json.loads((root/'nbs'/name).read_text(encoding='utf-8'))
        if not whole: book['cells'] = [c for c in book['cells'] if '#| eval: false\n' not in c['source']]
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
        finally: ctx.close()

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

def steady(ask, times=20):
    "Wait until the answer is the same so many times on end; which."
    seen = []
    def same():
        seen.append(ask())
        return len(seen) >= times and len({*seen[-times:]}) == 1
    until(same)
    return seen[-1]

def picture(page, selector):
    "The picture that an element rests at."
    return steady(lambda: page.evaluate(PICTURE, selector))

def no_errors(page):
    "Was nothing said on stderr but how far something has come?"
    said = page.locator('.jp-RenderedText[data-mime-type*="stderr"]').all_inner_texts()
    return not [text for text in said if text.strip() and '%|' not in text]

def shows(locator, text):
    "Wait until an element says something."
    until(lambda: text in locator.inner_text(), locator.inner_text)

def menu(page, *words):
    "Click through a menu, and confirm what it asks."
    page.get_by_role('menuitem', name=words[0]).first.click()
    page.get_by_text(words[1], exact=True).click()
    if words[1].startswith('Restart'): page.locator('.jp-Dialog button.jp-mod-accept').click()
