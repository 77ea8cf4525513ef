"""The pad in a real browser: keys move the console and nothing of the notebook, and what is kept comes back.

`python tests/test_browser_play.py nbs/lab/results/play_latency.json` measures how long a key takes to the changed picture."""
import json, os, shutil, sys
from contextlib import contextmanager

import pytest
from test_browser import idle, no_errors, notebook, root, until

ONE, SCREEN = '.gbx-play .gbx-one canvas', '.gbx-play .gbx-screens'
IMPORTS = '''from gbxnb.games.bundled import rom
from gbxnb.emulator.machine import Button
from gbxnb.lab.play import Play
from gbxnb.lab.session import Session'''
TOWN = 'p = Play(Session(rom()).press(*[Button(0)]*3, Button.START, *[Button(0)]*3).begin())\np'
HASH = """k => { const c = document.querySelectorAll('.gbx-play .gbx-one canvas:first-child')[k];
  if (!c) return null;
  let h = 0; for (const x of c.getContext('2d').getImageData(0, 0, c.width, c.height).data) h = (h*31 + x) | 0; return h }"""
CELLS = """() => { const n = [...document.querySelectorAll('.jp-Notebook .jp-Cell .jp-InputArea-editor .cm-content')];
  return n.map(e => e.innerText).join('|') }"""

@contextmanager
def pad(folder, *cells, name='pad'):
    "A page with a notebook of these cells, all of them run."
    cell = lambda k, src: dict(cell_type='code', id=f'{k:08}', metadata={}, source=src, outputs=[], execution_count=None)
    kernel = dict(name='python3', display_name='python3', language='python')
    book = dict(cells=[cell(k, src) for k, src in enumerate((IMPORTS, *cells))], metadata=dict(kernelspec=kernel), nbformat=4,
                nbformat_minor=5)
    (folder/f'{name}.ipynb').write_text(json.dumps(book))
    with notebook(folder/f'{name}.ipynb', folder) as page:
        page.set_viewport_size(dict(width=1400, height=1060))
        page.wait_for_selector(ONE)
        idle(page)
        page.locator('.gbx-play').first.scroll_into_view_if_needed()
        yield page

def shot(page, name):
    if shots := os.environ.get('GBXNB_SHOTS'): page.screenshot(path=f'{shots}/play-{name}.png')

def dark(page):
    "The dark theme of JupyterLab, until the page is left."
    page.get_by_role('menuitem', name='Settings').first.click()
    page.get_by_text('Theme', exact=True).hover()
    page.get_by_text('JupyterLab Dark', exact=True).click()
    page.wait_for_selector('body[data-jp-theme-light="false"]', state='attached')

def said(page): return page.locator('.gbx-said').first.inner_text()
def place(page): return page.locator('.gbx-line code').first.inner_text()
def button(page, text): return page.locator('.gbx-play button', has_text=text).first

def at(page, moment):
    "Wait until a moment is the present."
    until(lambda: place(page).split()[-1].split('/')[0] == str(moment), lambda: f'{place(page)}, expected {moment}')

def picture(page, k=0):
    "Wait until the screen rests."
    seen = []
    def same():
        seen.append(page.evaluate(HASH, k))
        return len(seen) >= 8 and len(set(seen[-8:])) == 1
    until(same)
    return seen[-1]

@pytest.mark.slow
def test_keys_play_and_stay_inside(tmp_path):
    "Keys move the console while the screen has the focus, and change no cell, there or on a button of the pad."
    with pad(tmp_path, TOWN) as page:
        shot(page, 'before')
        cells, seen = page.evaluate(CELLS), [picture(page)]
        page.click(SCREEN)
        assert page.evaluate("document.activeElement.className") == 'gbx-screens'
        for k, key in enumerate(('ArrowUp', 'ArrowRight', 'ArrowLeft'), 8):
            scroll = page.evaluate("document.querySelector('.jp-WindowedPanel-outer').scrollTop")
            page.keyboard.press(key)
            at(page, k)
            seen.append(picture(page))
            assert page.evaluate("document.querySelector('.jp-WindowedPanel-outer').scrollTop") == scroll, 'arrows scroll the page'
        assert len(set(seen)) == 4
        shot(page, 'after')
        for key in 'abxddzmz': page.keyboard.press(key) # d and m do nothing here
        at(page, 15)
        button(page, 'undo').click() # a mouse gives the focus back to the screen
        at(page, 14)
        for key in 'xdda': page.keyboard.press(key)
        at(page, 16)
        button(page, 'START').focus() # reached by the Tab key
        for key in 'abxddm': page.keyboard.press(key)
        assert page.evaluate(CELLS) == cells, 'keys changed the notebook'
        page.click(SCREEN)
        page.keyboard.press('Tab')
        assert page.evaluate("document.activeElement.tagName") == 'BUTTON', 'Tab leaves the screen for the pad'
        assert no_errors(page)

@pytest.mark.slow
def test_rewind_slots_and_goal(tmp_path):
    "What was there comes back, the goal is at distance 0 where it was marked, and no file is replaced at once."
    with pad(tmp_path, TOWN) as page:
        page.click(SCREEN)
        begin, seen = picture(page), []
        for k, key in enumerate(('ArrowUp', 'ArrowRight', 'ArrowRight', 'ArrowDown'), 8):
            page.keyboard.press(key)
            at(page, k)
            seen.append(picture(page))
        page.keyboard.press('g')
        page.wait_for_selector('.gbx-won')
        assert '0.0000' in page.locator('.gbx-far').inner_text() and '4 steps from the start' in page.locator('.gbx-far').inner_text()
        page.keyboard.press('k')
        page.wait_for_selector('.gbx-slot')
        shot(page, 'goal')
        if shots := os.environ.get('GBXNB_SHOTS'): page.locator('.gbx-play').first.screenshot(path=f'{shots}/play-pad.png')
        for _ in range(4): page.keyboard.press('u')
        at(page, 7)
        until(lambda: picture(page) == begin, lambda: 'four steps back are not the beginning')
        assert page.locator('.gbx-won').count() == 0 and '0.0000' not in page.locator('.gbx-far').inner_text()
        page.locator('.gbx-play .noUi-handle').first.focus()
        page.keyboard.press('ArrowRight')
        at(page, 8)
        assert picture(page) == seen[0]
        button(page, 'load 1').click()
        at(page, 11)
        until(lambda: picture(page) == seen[-1], lambda: 'the slot is not the moment that was kept')
        page.wait_for_selector('.gbx-won')
        button(page, 'back').click()
        until(lambda: picture(page) == seen[0], lambda: 'back is not where the slot was loaded')
        save = page.locator('.gbx-play button', has_text='save').first
        save.click()
        until(lambda: said(page) == 'written: runs/goal', lambda: said(page))
        save.click()
        until(lambda: 'is there already' in said(page) and 'runs/goal-2' in said(page), lambda: said(page))
        shot(page, 'asks')
        save.click()
        until(lambda: said(page) == 'written: runs/goal', lambda: said(page))
        dark(page)
        page.locator('.gbx-play').first.scroll_into_view_if_needed()
        shot(page, 'dark')
        assert no_errors(page)
    assert (tmp_path/'runs/goal/goal_template.npy').exists()

@pytest.mark.slow
def test_runs_free_with_held_keys(tmp_path):
    "The console runs while nobody steps it, walks while a key is down, stands still when it is stopped, and can be rewound."
    with pad(tmp_path, TOWN) as page:
        page.click(SCREEN)
        begin = picture(page)
        page.keyboard.press('f')
        page.keyboard.down('ArrowUp')
        until(lambda: int(place(page).split('/')[-1]) >= 10, lambda: place(page))
        page.keyboard.up('ArrowUp')
        page.keyboard.press('f')
        until(lambda: button(page, 'run free').count() == 1)
        stood, moment = picture(page), place(page)
        assert stood != begin
        assert (picture(page), place(page)) == (stood, moment)
        page.keyboard.down('u') # held: the keyboard repeats it
        for _ in range(12): page.keyboard.down('u')
        page.keyboard.up('u')
        until(lambda: picture(page) == begin or page.keyboard.press('u'), lambda: place(page))
        assert no_errors(page)

@pytest.mark.slow
def test_twice_and_after_a_restart(tmp_path):
    "Two views of one pad show the same; after a restart the notebook runs again, and a kernel that is gone is said to be gone."
    with pad(tmp_path, TOWN, 'p') as page:
        assert picture(page, 0) == picture(page, 1)
        before = picture(page)
        page.locator(SCREEN).nth(1).click()
        page.keyboard.press('ArrowUp')
        at(page, 8)
        until(lambda: picture(page, 0) != before)
        until(lambda: picture(page, 0) == picture(page, 1), lambda: 'the second view differs')
        page.get_by_role('menuitem', name='Kernel').first.click()
        page.get_by_text('Restart Kernel and Run All Cells…', exact=True).click()
        page.locator('.jp-Dialog button.jp-mod-accept').click()
        until(lambda: page.evaluate(HASH, 0) == before, lambda: 'the pad is not back at its start')
        idle(page)
        page.click(SCREEN)
        page.keyboard.press('ArrowUp')
        at(page, 8)
        assert no_errors(page)
        page.get_by_role('menuitem', name='Kernel').first.click()
        page.get_by_text('Shut Down Kernel', exact=True).click()
        page.get_by_text('the kernel does not answer').first.wait_for(state='visible')
        shot(page, 'dead')

@pytest.mark.slow
def test_pad_plays(tmp_path):
    "The notebook of the pad itself, top to bottom."
    shutil.copytree(root/'nbs/lab/results', tmp_path/'results')
    with notebook('lab/08_play.ipynb', tmp_path) as page:
        page.wait_for_selector(ONE)
        idle(page)
        page.locator('.gbx-play').first.scroll_into_view_if_needed()
        before = picture(page)
        for sign in '▶', '▲', '◀': button(page, sign).click()
        until(lambda: picture(page) != before, lambda: 'the pad does not play')
        assert no_errors(page)

CLOCK = """() => {
  window.took = []; let since = 0, last = 0;
  const put = CanvasRenderingContext2D.prototype.putImageData;
  CanvasRenderingContext2D.prototype.putImageData = function(image, ...where) {
    put.call(this, image, ...where);
    let h = 0; for (const x of image.data) h = (h*31 + x) | 0;
    if (since && h != last) { took.push(performance.now() - since); since = 0 }
    last = h;
  };
  document.addEventListener('keydown', e => { since = e.timeStamp }, true) }"""

def latency(page, presses=60):
    "Milliseconds from each press of a key to the changed picture on the canvas."
    page.evaluate(CLOCK)
    page.click(SCREEN)
    for k in range(presses + 5):
        page.keyboard.press(('ArrowLeft', 'ArrowRight')[k % 2])
        page.wait_for_function('k => took.length > k', arg=k)
    return page.evaluate('took')[5:]

if __name__ == '__main__':
    import tempfile
    from pathlib import Path

    import numpy as np
    from gbxnb.base.progress import give_result, versions
    with tempfile.TemporaryDirectory() as d, pad(Path(d), TOWN) as page: took, load = latency(page), os.getloadavg()[0]
    give_result(dict(presses=len(took), median_ms=round(float(np.median(took)), 1), p95_ms=round(float(np.quantile(took, .95)), 1),
                     max_ms=round(max(took), 1), where='JupyterLab in headless Chromium, kernel and browser on this machine',
                     cores=os.cpu_count(), load=round(load, 1), versions=versions('cpu')), root/sys.argv[1])
