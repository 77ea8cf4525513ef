"A policy trains in a kernel whose widgets are used meanwhile, in a real browser."
import json, os
from contextlib import contextmanager

import pytest
from test_browser import idle, no_errors, notebook, until

IMPORTS = '''from gbxnb.games.bundled import rom
from gbxnb.emulator.machine import Button
from gbxnb.lab.dashboard import Dashboard
from gbxnb.lab.play import Play
from gbxnb.lab.trainer import Trainer
from gbxnb.lab.watch import Watch
from gbxnb.base.group import ProcessGroup
from gbxnb.runs.evaluate import Evaluate
from gbxnb.runs.train import algorithm_config, new_run, world_config
from gbxnb.training.config import PPOConfig
from gbxnb.training.loop import tune_cpu
from gbxnb.training.rollout import start_run
from gbxnb.toys.toys import Catch
from gbxnb.worlds.contract import WORLDS
import json, sys
import numpy as np
tune_cpu(1)'''
CATCH = '''cfg = PPOConfig(num_envs=8, rollout_steps=24, model='small', lr=1e-3)
run = start_run(Catch(8), cfg, 4000*cfg.batch)
trainer = Trainer(run, [Evaluate(Catch(16), every=0, episodes=32), Dashboard(envs=4)])
trainer'''
DEMO = '''kind = WORLDS.load('gameboy')
config, cfg = world_config(kind, {}), algorithm_config('ppo', {}, kind.defaults)
trainer = Trainer(new_run(kind, config, 'runs/demo', 250_000, cfg, 'cpu', ProcessGroup()), [Dashboard()])
trainer'''
PLAY = 'pad = Play(rom())\npad.session.press(*[Button(0)]*3, Button.START, *[Button(0)]*3)\npad'
WATCH = 'seen = Watch(np.random.default_rng(0).integers(0, 4, (40, 1, 72, 80), dtype=np.uint8))\nseen'

def number(page): return int(page.locator('.gbx-trainer progress').first.get_attribute('value'))
def state(page): return page.locator('.gbx-trainer [role=status] b').first.inner_text()
def knob(page, name): return page.locator('.gbx-trainer button', has_text=name).first
def shot(page, name):
    if shots := os.environ.get('GBXNB_SHOTS'): page.screenshot(path=f'{shots}/trainer-{name}.png')

@contextmanager
def opened(folder, *cells):
    "A page with a notebook of these cells, all of them run."
    cell = lambda k, src: dict(cell_type='code', id=f'{k:08}', metadata={}, source=src, outputs=[], execution_count=None)
    kernel = dict(name='python3', display_name='python3', language='python')
    book = dict(cells=[cell(k, src) for k, src in enumerate((IMPORTS, *cells))], metadata=dict(kernelspec=kernel), nbformat=4,
                nbformat_minor=5)
    (folder/'trainer.ipynb').write_text(json.dumps(book))
    with notebook(folder/'trainer.ipynb', folder) as page:
        page.set_viewport_size(dict(width=1400, height=1200))
        page.wait_for_selector('.gbx-trainer button')
        idle(page)
        page.locator('.gbx-trainer').first.scroll_into_view_if_needed()
        yield page

def stands_still(page):
    "The update does not change any more."
    seen = []
    def same():
        seen.append(number(page))
        return len(seen) >= 20 and len(set(seen[-20:])) == 1
    until(same)
    return seen[-1]

@pytest.mark.slow
def test_a_run_is_held_judged_and_ended(tmp_path):
    with opened(tmp_path, CATCH) as page:
        shot(page, 'before')
        assert state(page) == 'ready' and knob(page, 'pause').is_disabled()
        knob(page, 'start').click()
        until(lambda: number(page) > 20, lambda: number(page))
        page.wait_for_selector('.gbx-trainer .widget-html img')
        page.wait_for_selector('.gbx-trainer .gbx-screens')
        shot(page, 'while')
        knob(page, 'pause').focus()
        page.keyboard.press('Enter')
        until(lambda: state(page) == 'paused', lambda: state(page))
        held = stands_still(page)
        shot(page, 'paused')
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
        shot(page, 'after')
        assert no_errors(page)

SAID = '.jp-OutputArea-output pre'

@pytest.mark.slow
def test_two_displays_and_a_restart(tmp_path):
    with opened(tmp_path, CATCH, 'trainer') as page:
        assert page.locator('.gbx-trainer').count() == 2
        knob(page, 'start').click()
        both = page.locator('.gbx-trainer [role=status] b')
        until(lambda: both.all_inner_texts() == ['training']*2, both.all_inner_texts)
        page.get_by_role('menuitem', name='Kernel').first.click()
        page.get_by_text('Restart Kernel and Run All Cells', exact=False).first.click()
        page.get_by_role('button', name='Confirm Kernel Restart').click()
        until(lambda: both.all_inner_texts() == ['ready']*2, both.all_inner_texts)
        idle(page)
        knob(page, 'start').click()
        until(lambda: number(page) > 2, lambda: number(page))
        assert no_errors(page)

@pytest.mark.slow
def test_the_pad_answers_while_it_trains(tmp_path):
    with opened(tmp_path, CATCH, PLAY) as page:
        knob(page, 'start').click()
        until(lambda: number(page) > 2, lambda: number(page))
        page.wait_for_selector('.gbx-trainer .gbx-screens') # what comes above the pad has come
        page.locator(PAD).first.scroll_into_view_if_needed()
        seen, began = [page.evaluate(PICTURE, ONE)], number(page)
        for key in 'ArrowUp', 'ArrowRight', 'ArrowLeft':
            page.locator(PAD).first.press(key)
            until(lambda: page.evaluate(PICTURE, ONE) != seen[-1], lambda: 'the pad shows nothing new')
            seen.append(page.evaluate(PICTURE, ONE))
        shot(page, 'pad')
        until(lambda: number(page) > began, lambda: number(page))
        assert no_errors(page)

@pytest.mark.slow
def test_a_dead_kernel_is_said_to_be_dead(tmp_path):
    with opened(tmp_path, CATCH, 'import os') as page:
        assert not page.locator('.gbx-pulse').first.is_visible()
        page.get_by_role('menuitem', name='Kernel').first.click()
        page.get_by_text('Shut Down Kernel', exact=True).click()
        page.locator('.gbx-pulse').first.wait_for(state='visible')
        assert 'the kernel does not answer' in page.locator('.gbx-pulse').first.inner_text()
        shot(page, 'dead')

PAD, ONE = '.gbx-play .gbx-screens', '.gbx-play .gbx-one canvas:first-child'
BAR, SEEN = '.gbx-player input[type=range]', '.jp-OutputArea-output:has(.gbx-player) .gbx-one canvas:first-child'
PICTURE = """sel => { const c = document.querySelector(sel), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
  let h = 0; for (const x of d) h = (h*31 + x) | 0; return h }"""
