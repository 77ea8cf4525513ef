"A real browser: pages of the lab in JupyterLab, whose widgets are pressed and seen to move; and `gbxnb play`, `watch` and `inspect`."
import json, os, re, signal, stat, subprocess, sys, urllib.request
from contextlib import contextmanager
from pathlib import Path
from unittest import mock
from urllib.parse import urlencode, urlsplit

import psutil
import pytest
from browser import (FLAGS, MINUTES, PICTURE, chromium, idle, menu, moves, no_errors, notebook, opening, picture, run_all, shows, steady,
                     until)
from gbxnb.base.command import call
from gbxnb.lab import browser
from pages import root

OPENINGS = { # what each of these pages begins with
    'lab/01_film.ipynb': '.jp-OutputArea canvas', 'lab/03_watch.ipynb': '.gbx-all > canvas', 'lab/05_trainer.ipynb': '.gbx-trainer img',
    'lab/04_dashboard.ipynb': '.jp-OutputArea img', 'lab/07_play.ipynb': '.gbx-play .gbx-one canvas',
    'lab/08_inspect.ipynb': '.gbx-inspect[role=group]', 'lab/09_map.ipynb': '.gbx-player', 'lab/10_atlas_view.ipynb': '.gbx-sheet button'}
SMALL, ALL, ONE, PLAY = 'img.gbx-pixels', '.gbx-all > canvas', '.gbx-one > canvas', '.gbx-player [data-do=play]'

def cell_count(page): return page.locator('.jp-Notebook .jp-Cell').count()

@pytest.mark.slow
@pytest.mark.parametrize('name', OPENINGS)
def test_pages_begin_with_the_widget(name, tmp_path):
    "At work, before any code of the page has run, and no wider than a narrow window."
    with notebook(name, tmp_path, ''.join(opening(name)['source'])) as page:
        page.wait_for_selector(OPENINGS[name])
        idle(page)
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
        shows(note, '#7')
        until(lambda: page.evaluate(PICTURE, ONE) != before, lambda: 'another console is not shown large')
        for key, number in dict(ArrowLeft=6, ArrowUp=2, ArrowRight=3, ArrowDown=7).items():
            page.keyboard.press(key)
            shows(note, f'#{number}')
        shows(page.locator('.gbx-help').first, 'keys: arrows pick a console, space plays')
        cells, at = cell_count(page), page.locator('.gbx-at').first
        for key in [*'xabcvzymdd', 'Enter', 'Escape', 'Backspace']: page.keyboard.press(key) # shortcuts, elsewhere
        page.keyboard.press('End')
        shows(at, '12 / 12')
        page.keyboard.press(',')
        shows(at, '11 / 12')
        page.keyboard.press(' ')
        moves(page, ALL)
        page.keyboard.press(' ')
        assert cell_count(page) == cells and page.locator('.jp-mod-editMode').count() == 0
        page.locator('.gbx-player input').first.focus()
        page.keyboard.press('Home')
        shows(at, '1 / 12')
        assert no_errors(page)

MANY = """import numpy as np
from gbxnb.lab.watch import Watch
frames = np.random.default_rng(0).integers(0, 4, (40, 256, 72, 80), np.uint8)
w = Watch(frames, fps=12)
display(w)
display(w)"""

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
            for note in page.locator('.gbx-note').all(): shows(note, '#1')
            assert not any(line.is_visible() for line in lines.all())
            menu(page, 'Kernel', 'Restart Kernel…')
            until(lambda: 'run this cell again' in lines.last.inner_text(), lines.all_inner_texts)
            run_all(page)
            page.wait_for_selector(f'{second}{ALL}')
            until(lambda: not any(line.is_visible() for line in lines.all()), lines.all_inner_texts)
            idle(page)
        assert no_errors(page)
        menu(page, 'Kernel', 'Shut Down Kernel')
        until(lambda: 'does not answer' in lines.last.inner_text(), lines.all_inner_texts)

WATCH = """selector => {
  window.said = new Set();
  const note = () => { const b = document.querySelector(selector); b && said.add(b.innerText) };
  const changes = {subtree: true, childList: true, characterData: true};
  new MutationObserver(note).observe(document.body, changes) }"""

DASHBOARD = '''from gbxnb.lab.dashboard import Dashboard
from gbxnb.toys.toys import Catch
from gbxnb.training.config import PPOConfig
from gbxnb.training.loop import train
from gbxnb.training.rollout import start_run
dash, cfg = Dashboard(envs=4), PPOConfig(num_envs=8, rollout_steps=24, model='small', epochs=2)
dash''', 'run = train(start_run(Catch(8), cfg, 12*cfg.batch), [dash])'

@pytest.mark.slow
def test_curve_grows(tmp_path):
    with notebook('', tmp_path, *DASHBOARD) as page:
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
    with notebook('lab/09_map.ipynb', tmp_path) as page:
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
def test_atlas_shows_ways(tmp_path):
    with notebook('lab/10_atlas_view.ipynb', tmp_path) as page:
        page.wait_for_selector('.gbx-sheet button')
        idle(page)
        page.locator('.gbx-sheet').first.scroll_into_view_if_needed()
        note = page.locator('.widget-html-content b').first
        page.locator('.gbx-p3').first.click()
        until(lambda: note.inner_text() == 'place 3', note.inner_text)
        before = page.evaluate(PICTURE, '.gbx-sheet > img')
        page.locator('.gbx-p2').first.focus()
        page.keyboard.press('Enter')
        until(lambda: note.inner_text() == 'place 2', note.inner_text)
        until(lambda: page.evaluate(PICTURE, '.gbx-sheet > img') != before, lambda: 'the map marks no place')
        moves(page, ONE) # the way plays by itself
        page.locator('.widget-button', has_text='train').first.click()
        said = page.locator('.jupyter-widgets pre').first
        until(lambda: 'gbxnb train' in said.inner_text(), said.inner_text)
        assert no_errors(page)

# The inspector

WIDGET = '.gbx-inspect[role=group]'

def part(w, name): return w.locator(f'[data-part={name}]')

def pc(w):
    found = re.search(r'PC\s+([0-9A-F]{4})', part(w, 'side').inner_text())
    return found and found[1]

def press(page, w, key):
    "A key at the widget; wait until what it shows is another."
    before = w.inner_html()
    w.focus()
    page.keyboard.press(key)
    until(lambda: w.inner_html() != before, lambda: f'{key} does nothing')

def inspector(page):
    page.wait_for_selector(WIDGET)
    idle(page)
    w = page.locator(WIDGET).first
    w.scroll_into_view_if_needed()
    return w

@pytest.mark.slow
def test_inspector_tabs_and_steps(tmp_path):
    with notebook('lab/08_inspect.ipynb', tmp_path, whole=True) as page: # a copy whose outputs were not made here is not trusted
        w, cells = inspector(page), page.locator('.jp-Notebook .jp-Cell').count()
        part(w, 'tabs').get_by_text('Code', exact=True).focus()
        seen = []
        for name in 'Memory', 'Search', 'Changes', 'Tiles', 'Maps', 'Sprites', 'I/O registers', 'Code':
            page.keyboard.press('ArrowRight')
            until(lambda name=name: part(w, 'tabs').locator('[aria-selected=true]').inner_text() == name)
            assert page.evaluate('document.activeElement.innerText') == name, 'the focus went elsewhere'
            seen.append(part(w, 'panel').inner_html())
        assert len({*seen}) == 8
        at = pc(w)
        press(page, w, 's')
        assert pc(w) != at
        shows(part(w, 'top'), 'M-cycles on')
        press(page, w, 'u')
        assert pc(w) == at
        field = w.locator('form[data-do=stop] input')
        field.fill('MoveVillager')
        field.press('Enter')
        shows(part(w, 'controls'), 'MoveVillager ✕')
        press(page, w, 'c')
        shows(part(w, 'said'), 'stopped at the breakpoint MoveVillager')
        assert pc(w) == '047B'
        for key in 'ArrowDown', 'ArrowDown', 'r': press(page, w, key)
        assert pc(w) != '047B'
        for key in 'xabdz': # a notebook in command mode would cut, insert and delete cells
            w.focus()
            page.keyboard.press(key)
        assert page.locator('.jp-Notebook .jp-Cell').count() == cells and no_errors(page)

@pytest.mark.slow
def test_inspector_search_narrows(tmp_path):
    with notebook('lab/08_inspect.ipynb', tmp_path, whole=True) as page:
        w = inspector(page)
        press(page, w, '3')
        w.locator('form[data-do=search] select').select_option('byte')
        w.locator('form[data-do=search] button').click()
        shows(part(w, 'panel'), 'places after 0 steps')
        held = w.locator('[data-do=hold][data-arg="2"]') # to the left
        held.click()
        for _ in range(20): press(page, w, 'f')
        w.locator('[data-do=narrow][data-arg=decreased]').click()
        shows(part(w, 'panel'), 'after 1 step')
        left = int(re.match(r'([\d,]+) place', part(w, 'panel').inner_text())[1].replace(',', ''))
        assert 0 < left < 100 and "'wPlayer': Variable(0xC385)" in part(w, 'panel').inner_text()
        number = w.locator('form[data-do=narrow] input')
        number.fill('200')
        w.get_by_role('button', name='less', exact=True).click()
        shows(part(w, 'panel'), 'after 2 steps')
        assert number.input_value() == '200', 'what was typed stays'
        w.get_by_role('button', name='equal', exact=True).click()
        shows(part(w, 'panel'), '0 places after 3 steps')
        assert no_errors(page)

# The pad

PAD, SCREEN = '.gbx-play .gbx-one canvas', '.gbx-play .gbx-screens'
TOWN = '''from gbxnb.games.bundled import rom
from gbxnb.emulator.machine import Button
from gbxnb.lab.play import Play
from gbxnb.lab.session import Session
p = Play(Session(rom()).press(*[Button(0)]*3, Button.START, *[Button(0)]*3).begin())
p'''
HASH = """k => { const c = document.querySelectorAll('.gbx-play .gbx-one canvas:first-child')[k];
  if (!c) return null;
  let h = 0; for (const x of c.getContext('2d').getImageData(0, 0, c.width, c.height).data) h = (h*31 + x) | 0; return h }"""
CELLS = """() => { const n = [...document.querySelectorAll('.jp-Notebook .jp-Cell .jp-InputArea-editor .cm-content')];
  return n.map(e => e.innerText).join('|') }"""

@contextmanager
def pad(folder):
    "A page with the pad in the bundled game."
    with notebook('', folder, TOWN) as page:
        page.set_viewport_size(dict(width=1400, height=1060))
        page.wait_for_selector(PAD)
        idle(page)
        page.locator('.gbx-play').first.scroll_into_view_if_needed()
        yield page

def said(page): return page.locator('.gbx-said').first.inner_text()
def place(page): return page.locator('.gbx-line code').first.inner_text()
def button(page, text): return page.locator('.gbx-play button', has_text=text).first

def at(page, moment):
    "Wait until a moment is the present."
    until(lambda: place(page).split()[-1].split('/')[0] == str(moment), lambda: f'{place(page)}, expected {moment}')

def resting(page): return steady(lambda: page.evaluate(HASH, 0), 8)

@pytest.mark.slow
def test_keys_play_and_stay_inside(tmp_path):
    "Keys move the console while the screen has the focus, and change no cell, there or on a button of the pad."
    with pad(tmp_path) as page:
        cells, seen = page.evaluate(CELLS), [resting(page)]
        page.click(SCREEN)
        assert page.evaluate("document.activeElement.className") == 'gbx-screens'
        for k, key in enumerate(('ArrowUp', 'ArrowRight', 'ArrowLeft'), 8):
            scroll = page.evaluate("document.querySelector('.jp-WindowedPanel-outer').scrollTop")
            page.keyboard.press(key)
            at(page, k)
            seen.append(resting(page))
            assert page.evaluate("document.querySelector('.jp-WindowedPanel-outer').scrollTop") == scroll, 'arrows scroll the page'
        assert len(set(seen)) == 4
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
    with pad(tmp_path) as page:
        page.click(SCREEN)
        begin, seen = resting(page), []
        for k, key in enumerate(('ArrowUp', 'ArrowRight', 'ArrowRight', 'ArrowDown'), 8):
            page.keyboard.press(key)
            at(page, k)
            seen.append(resting(page))
        page.keyboard.press('g')
        page.wait_for_selector('.gbx-won')
        assert '0.0000' in page.locator('.gbx-far').inner_text() and '4 steps from the start' in page.locator('.gbx-far').inner_text()
        page.keyboard.press('k')
        page.wait_for_selector('.gbx-slot')
        for _ in range(4): page.keyboard.press('u')
        at(page, 7)
        until(lambda: resting(page) == begin, lambda: 'four steps back are not the beginning')
        assert page.locator('.gbx-won').count() == 0 and '0.0000' not in page.locator('.gbx-far').inner_text()
        page.locator('.gbx-play .noUi-handle').first.focus()
        page.keyboard.press('ArrowRight')
        at(page, 8)
        assert resting(page) == seen[0]
        button(page, 'load 1').click()
        at(page, 11)
        until(lambda: resting(page) == seen[-1], lambda: 'the slot is not the moment that was kept')
        page.wait_for_selector('.gbx-won')
        button(page, 'back').click()
        until(lambda: resting(page) == seen[0], lambda: 'back is not where the slot was loaded')
        save = page.locator('.gbx-play button', has_text='save').first
        save.click()
        until(lambda: said(page) == 'written: runs/goal', lambda: said(page))
        save.click()
        until(lambda: 'is there already' in said(page) and 'runs/goal-2' in said(page), lambda: said(page))
        save.click()
        until(lambda: said(page) == 'written: runs/goal', lambda: said(page))
        assert no_errors(page)
    assert (tmp_path/'runs/goal/goal_template.npy').exists()

@pytest.mark.slow
def test_runs_free_with_held_keys(tmp_path):
    "The console runs while nobody steps it, walks while a key is down, stands still when it is stopped, and can be rewound."
    with pad(tmp_path) as page:
        page.click(SCREEN)
        begin = resting(page)
        page.keyboard.press('f')
        page.keyboard.down('ArrowUp')
        until(lambda: int(place(page).split('/')[-1]) >= 10, lambda: place(page))
        page.keyboard.up('ArrowUp')
        page.keyboard.press('f')
        until(lambda: button(page, 'run free').count() == 1)
        stood, moment = resting(page), place(page)
        assert stood != begin
        assert (resting(page), place(page)) == (stood, moment)
        page.keyboard.down('u') # held: the keyboard repeats it
        for _ in range(12): page.keyboard.down('u')
        page.keyboard.up('u')
        until(lambda: resting(page) == begin or page.keyboard.press('u'), lambda: place(page))
        assert no_errors(page)

# A trainer

CATCH = '''from gbxnb.lab.dashboard import Dashboard
from gbxnb.lab.trainer import Trainer
from gbxnb.runs.evaluate import Evaluate
from gbxnb.toys.toys import Catch
from gbxnb.training.config import PPOConfig
from gbxnb.training.loop import tune_cpu
from gbxnb.training.rollout import start_run
tune_cpu(1)
cfg = PPOConfig(num_envs=8, rollout_steps=24, model='small', lr=1e-3)
run = start_run(Catch(8), cfg, 4000*cfg.batch)
trainer = Trainer(run, [Evaluate(Catch(16), every=0, episodes=32), Dashboard(envs=4)])
trainer'''

def number(page): return int(page.locator('.gbx-trainer progress').first.get_attribute('value'))
def state(page): return page.locator('.gbx-trainer [role=status] b').first.inner_text()
def knob(page, name): return page.locator('.gbx-trainer button', has_text=name).first

@contextmanager
def trainer(folder, *cells):
    "A page with a trainer."
    with notebook('', folder, CATCH, *cells) as page:
        page.set_viewport_size(dict(width=1400, height=1200))
        page.wait_for_selector('.gbx-trainer button')
        idle(page)
        page.locator('.gbx-trainer').first.scroll_into_view_if_needed()
        yield page

def stands_still(page): return steady(lambda: number(page))

@pytest.mark.slow
def test_a_run_is_held_judged_and_ended(tmp_path):
    with trainer(tmp_path) as page:
        assert state(page) == 'ready' and knob(page, 'pause').is_disabled()
        knob(page, 'start').click()
        until(lambda: number(page) > 20, lambda: number(page))
        page.wait_for_selector('.gbx-trainer .widget-html img')
        page.wait_for_selector('.gbx-trainer .gbx-screens')
        knob(page, 'pause').focus()
        page.keyboard.press('Enter')
        until(lambda: state(page) == 'paused', lambda: state(page))
        held = stands_still(page)
        knob(page, 'evaluate').click()
        line = page.get_by_text(f'evaluated at update {held}:')
        line.wait_for()
        assert 'of 32 episodes reached the goal' in line.inner_text() and number(page) == held
        knob(page, 'resume').click()
        until(lambda: number(page) > held, lambda: number(page))
        knob(page, 'stop').click()
        until(lambda: state(page) == 'stopped', lambda: state(page))
        ended = stands_still(page)
        knob(page, 'go on').click()
        until(lambda: number(page) > ended, lambda: number(page))
        knob(page, 'stop').click()
        until(lambda: state(page) == 'stopped', lambda: state(page))
        assert no_errors(page)

@pytest.mark.slow
def test_the_pad_answers_while_it_trains(tmp_path):
    with trainer(tmp_path, TOWN) as page:
        knob(page, 'start').click()
        until(lambda: number(page) > 2, lambda: number(page))
        page.wait_for_selector('.gbx-trainer .gbx-screens') # what comes above the pad has come
        page.locator(SCREEN).first.scroll_into_view_if_needed()
        seen, began = [page.evaluate(HASH, 0)], number(page)
        for key in 'ArrowUp', 'ArrowRight', 'ArrowLeft':
            page.locator(SCREEN).first.press(key)
            until(lambda: page.evaluate(HASH, 0) != seen[-1], lambda: 'the pad shows nothing new')
            seen.append(page.evaluate(HASH, 0))
        until(lambda: number(page) > began, lambda: number(page))
        assert no_errors(page)

# Commands

COMMANDS = dict(play=browser.play_cli, watch=browser.watch_cli, inspect=browser.inspect_cli)

def made(name, *words):
    "What the kernel of a page makes: its one cell, run here."
    seen = []
    def run(notebook, how):
        *lines, last = json.loads(notebook.read_text(encoding='utf-8'))['cells'][0]['source'].splitlines()
        exec('\n'.join(lines), names := {})
        seen[:] = eval(last, names), notebook, how
    with mock.patch.object(browser, '_serve', run): status, out, err = call(COMMANDS[name], *words)
    assert not status, err
    assert not seen[1].parent.exists(), 'the folder of the page stays'
    return seen[0], seen[2]

def test_what_the_pages_show(tmp_path, monkeypatch):
    "The game runs, the policy plays, the console has been switched on; a state is gone on from, whatever its file is called."
    monkeypatch.chdir(tmp_path)
    pad, how = made('play', '--no-browser', '--port', 0)
    assert pad.session.running and not how.browser
    pad.session.run(200)
    name = '"); raise SystemExit # \'\\.npz'
    pad.session.save_state(name)
    again, _ = made('play', '--start', name)
    assert again.session.emulator.hash(0) == pad.session.emulator.hash(0)
    assert made('inspect', '--start', name, '--frames', 0)[0].emulator.hash(0) == pad.session.emulator.hash(0)
    watch, _ = made('watch', '--num-envs', 2, '--device', 'cpu')
    assert watch.play.playing and watch.frames.shape == (2, 72, 80)

@pytest.mark.parametrize('name, words, why', [
    ('play', ['none.gb'], 'none.gb: no such file'), ('play', ['--start', 'none.npz'], 'none.npz: cannot be read'),
    ('play', ['--start', 'a', '--battery', 'b'], 'leave --battery out'), ('play', ['--port', 99999], 'port is 99999'),
    ('inspect', ['none.gb'], 'none.gb: no such file'), ('watch', ['none'], 'none: there is no checkpoint'),
    ('watch', ['--num-envs', 0], '--num-envs is 0')])
def test_refused_before_a_server(tmp_path, monkeypatch, name, words, why):
    monkeypatch.chdir(tmp_path)
    with mock.patch.object(browser, '_serve', lambda *_: pytest.fail('there is a server')): status, out, err = call(COMMANDS[name], *words)
    assert (status, out, err.count('\n')) == (1, '', 1) and why in err

@contextmanager
def served(folder, *words, end=signal.SIGINT, opener=''):
    "The address of a command's page; when it is asked to end, it leaves no process and no file."
    (temporary := folder/'temporary').mkdir()
    cmd = [sys.executable, '-m', 'gbxnb', *words, *([] if opener else ['--no-browser'])]
    env = os.environ | dict(PYTHONPATH=str(root), TMPDIR=str(temporary), BROWSER=opener)
    with (folder/'errors').open('w+') as errors, subprocess.Popen(cmd, cwd=folder, env=env, text=True, stdout=subprocess.PIPE,
                                                                  stderr=errors) as command:
        try:
            yield command.stdout.readline().strip()
            below = psutil.Process(command.pid).children(recursive=True)
            command.send_signal(end)
            assert (command.wait(MINUTES), command.stdout.read()) == (0, 'Ctrl-C ends it.\n')
            assert not psutil.wait_procs(below, 10)[1] and not [p for p in temporary.iterdir() if p.name.startswith(('gbxnb', 'voila'))]
            errors.seek(0)
            assert not errors.read()
        finally: command.kill()

def fetch(url):
    "A page, with the cookies that its redirections set."
    with urllib.request.build_opener(urllib.request.HTTPCookieProcessor()).open(url, timeout=MINUTES) as page: return page.read().decode()

@pytest.mark.slow
@pytest.mark.parametrize('end', [signal.SIGINT, signal.SIGTERM])
def test_server_answers_those_with_the_token_and_ends(tmp_path, end):
    with served(tmp_path, 'play', end=end) as url:
        address, token = url.split('?')
        assert address.startswith('http://127.0.0.1:') and len(token) == len('token=') + 32
        widget = 'application/vnd.jupyter.widget-view+json'
        assert widget in fetch(url) and widget not in fetch(address)

@pytest.mark.slow
def test_the_token_stands_where_nobody_else_reads(tmp_path):
    "The browser opens a file of the user's own, which posts the token; no address, command line or variable has it."
    (tmp_path/'asks.py').write_text("import sys; open('asked', 'w').write(sys.argv[1])")
    with served(tmp_path, 'play', opener=f'{sys.executable} {tmp_path}/asks.py %s') as url:
        token, asked = url.split('token=')[1], tmp_path/'asked'
        until(lambda: asked.exists() and asked.read_text())
        file = Path(urlsplit(asked.read_text()).path)
        assert urlsplit(asked.read_text()).scheme == 'file' and token not in str(file)
        assert [stat.S_IMODE(p.stat().st_mode) for p in (file.parent, file)] == [0o700, 0o600]
        form = file.read_text()
        fields, action = dict(re.findall(r'name="(\w+)" value="(\w+)"', form)), re.search(r'method="post" action="(\S+)"', form)[1]
        with urllib.request.build_opener(urllib.request.HTTPCookieProcessor()).open(action, urlencode(fields).encode()) as page:
            assert token not in page.geturl() and 'widget-view' in page.read().decode()
        processes = psutil.Process().children(recursive=True)
        assert len(processes) > 1 and not [p for p in processes if token in ' '.join([*p.cmdline(), *p.environ().values()])]

@pytest.mark.slow
def test_a_page_at_rest_keeps_its_socket(tmp_path):
    "A server that asks every half minute must wait longer than that for the answer, or not ask."
    app, sockets = pytest.importorskip('voila.app').Voila, pytest.importorskip('jupyter_server.base.websocket').WebSocketMixin
    seen, socket = [], sockets()
    with mock.patch.multiple(app, initialize=mock.DEFAULT, start=lambda self: seen.append(self.tornado_settings)):
        browser._serve(tmp_path/'page.ipynb', browser._PageConfig(browser=False))
    socket.settings = seen[0]
    assert not socket.ping_interval or socket.ping_timeout >= 2*socket.ping_interval

@contextmanager
def command_page(folder, *words):
    "A browser with the page of a command."
    sync = pytest.importorskip('playwright.sync_api', reason='needs playwright: pip install playwright')
    if not chromium: pytest.skip('needs a chromium on the PATH, or CHROMIUM=/its/path')
    with served(folder, *words) as url, sync.sync_playwright() as p:
        page = p.chromium.launch(executable_path=chromium, headless=True, args=FLAGS).new_page(viewport=dict(width=1400, height=1000))
        page.set_default_timeout(1000*MINUTES)
        said = []
        page.on('console', lambda m: said.append(m.text) if m.type == 'error' else None)
        page.goto(url, wait_until='commit')
        try:
            yield page
            assert not said, 'the browser complains, of other hosts for one'
        finally: page.context.browser.close()

def narrow(page):
    "Nothing is wider than a narrow window."
    page.set_viewport_size(dict(width=480, height=900))
    until(lambda: page.evaluate('document.documentElement.scrollWidth') <= 480)

@pytest.mark.slow
def test_play_runs_and_hears_keys_without_a_click(tmp_path):
    with command_page(tmp_path, 'play') as page:
        page.wait_for_selector(ONE)
        until(lambda: page.locator('.gbx-line code').inner_text().split('/')[-1] not in '012345') # it runs
        title = picture(page, ONE)
        page.keyboard.press('Enter')
        until(lambda: picture(page, ONE) != title)
        town = picture(page, ONE)
        page.keyboard.press('f') # steps
        page.keyboard.press('ArrowRight')
        until(lambda: picture(page, ONE) != town)
        page.locator('.gbx-play button', has_text='save').nth(1).click()
        until(lambda: (tmp_path/'runs/moment.npz').exists())
        narrow(page)

@pytest.mark.slow
def test_watch_plays_and_hears_keys_without_a_click(tmp_path):
    with command_page(tmp_path, 'watch', '--num-envs', '3') as page:
        page.wait_for_selector(ALL)
        moves(page, ALL)
        page.keyboard.press('ArrowRight')
        shows(page.locator('.gbx-note').first, '#1')
        page.keyboard.press(' ')
        assert picture(page, ALL) == picture(page, ALL)
        narrow(page)

@pytest.mark.slow
def test_inspect_hears_keys_without_a_click(tmp_path):
    with command_page(tmp_path, 'inspect') as page:
        top = page.locator('.gbx-inspect [data-part=top]')
        shows(top, 'as it was taken')
        page.keyboard.press('s')
        shows(top, 'M-cycles on')
        page.keyboard.press('2')
        shows(page.locator('.gbx-inspect [data-part=panel]'), 'C010')
        narrow(page)
