"""Explorers keep one shape and mean what they say: the way of a console leads where the console is, a run in parts is a run, and the
yardstick neither takes their time nor is seen by them."""
import time
from contextlib import closing
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from gbxnb.backends.warp import make_backend
from gbxnb.games import town as game
from gbxnb.envs.config import action_codec
from gbxnb.games.bundled import bundled_task
from gbxnb.envs.config import EnvConfig
from gbxnb.envs.template import play_actions, restore_all
from gbxnb.studies.comparison import EXPLORERS, compare_explorers, explore_once, make_explorer
from gbxnb.studies.restart import PlayConfig, Restart
from gbxnb.studies.winners import WinnersConfig, winners
from gbxnb.studies.yardstick import GRAINS, Clock, Yardstick, block_levels, distinct, shows
from gbxnb.base.files import read_json
from gbxnb.base.progress import fake_clock
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pages import root

N = 8
each = pytest.mark.parametrize('name', EXPLORERS)

def end_of(e): return e.backend.save_all(), e.backend.pix.numpy().copy()

@pytest.fixture(scope='module')
def one():
    with closing(make_backend('warp', game.rom(), 1, 'cpu')) as b: yield b

@each
def test_a_run_is_a_number_of_steps(name):
    calls = []
    with make_explorer(name, num_envs=N, device='cpu') as e:
        assert e.steps == 0 and e.run(2048, lambda x: calls.append((x is e, x.steps))) is e
        assert calls == [(True, N*k) for k in range(1, 257)] and e.steps == 2048

@each
def test_a_run_in_parts_is_a_run(name):
    with make_explorer(name, 1, N, 'cpu') as whole, make_explorer(name, 1, N, 'cpu') as parts, make_explorer(name, 2, N, 'cpu') as other:
        a, b, c = end_of(whole.run(1536)), end_of(parts.run(512).run(1024)), end_of(other.run(1536))
        assert all((x == y).all() for x, y in zip(a, b)) and (a[0] != c[0]).any()

@each
def test_the_way_of_a_console_leads_to_it(name, one):
    with make_explorer(name, 3, N, 'cpu') as e:
        rows, pix = end_of(e.run(2304))
        for i in range(N):
            restore_all(one, bundled_task().start)
            play_actions(one, e.lane_script(i))
            assert (one.pix.numpy()[0] == pix[i]).all(), f'console {i} is elsewhere'
            assert (one.save_all()[0] == rows[i]).all()

@each
def test_watching_changes_nothing(name):
    with make_explorer(name, 4, N, 'cpu') as seen, make_explorer(name, 4, N, 'cpu') as unseen:
        said = Yardstick({'never': lambda pix: np.zeros(len(pix), bool)}, every=256).measure(seen, 1024)
        assert (end_of(seen)[0] == end_of(unseen.run(1024))[0]).all()
    assert [point[0] for point in said['curve']] == [256, 512, 768, 1024] and said['first'] == {}
    assert said['curve'][-1] == [1024, said['fine'], said['coarse']] and 'step' not in vars(seen.backend)

def test_other_steps_other_actions(one):
    cfg = EnvConfig(frames_per_step=8, release_after_frames=4, action_codec_id='buttons_v0', max_steps=20)
    with Restart(game.rom(), bundled_task().start, PlayConfig(N), cfg, 'cpu') as e:
        e.run(N*27)
        assert len(e.lane_script(0)) == 7 and e.pad.codec == action_codec('buttons_v0')
        restore_all(one, bundled_task().start)
        assert (play_actions(one, e.lane_script(3), cfg)[-1] == e.backend.pix.numpy()[3]).all()

@pytest.mark.parametrize('bad', [dict(num_envs=0), dict(seed=-1), dict(every=0), dict(num_envs=2**31)])
def test_what_cannot_be_is_refused(bad):
    with pytest.raises(ValueError, match=f'{[*bad][0]} is'): WinnersConfig(**bad)

def test_a_budget_is_a_whole_number():
    with make_explorer('restart', num_envs=N, device='cpu') as e, pytest.raises((TypeError, ValueError), match='steps'): e.run(-1)

# Winners

@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.floats(0, 10, width=32), min_size=1, max_size=40))
def test_losers_become_winners(novelty):
    x = torch.tensor(novelty)
    source = winners(x).long()
    assert (source[source] == source).all(), 'a console that is copied must stay what it is'
    copied = source != torch.arange(len(x))
    assert copied.sum() == len(x)//2 and (x[source] >= x).all()
    assert len({*source[copied].tolist()}) == len(x)//2, 'each winner has one copy'
    if copied.any(): assert x[source[copied]].min() >= x[copied].max()

# The yardstick

def test_the_clock_leaves_out_what_is_beside():
    class Thing:
        def work(self, seconds): time.perf_counter.sleep(seconds)
    with fake_clock():
        thing, clock = Thing(), Clock()
        time.perf_counter.sleep(5)
        clock.start()
        with clock.timing(thing, 'work'):
            thing.work(3)
            with clock.aside(): time.perf_counter.sleep(100)
        time.perf_counter.sleep(1)
        assert (clock.seconds, clock.stepping) == (4, 3) and 'work' not in vars(thing)
        with pytest.raises(TypeError), clock.timing(thing, 'work'): thing.work('long')
        assert 'work' not in vars(thing)

def test_a_screen_is_distinct_by_its_blocks():
    rng = np.random.default_rng(1)
    pix = rng.integers(0, 4, (64, 72, 80), dtype=np.uint8)
    for grain, (high, wide) in GRAINS.items():
        levels = block_levels(pix, high, wide)
        assert distinct(levels) == distinct(np.concatenate([levels, levels[::-1]])), grain
        assert len(distinct(levels)) == len(np.unique(levels, axis=0)), grain
    zeros = np.zeros((2, 90), np.uint8)
    zeros[1, -1] = 1 # the end of a row counts
    assert len(distinct(zeros)) == 2 and len(distinct(zeros[:, :-1])) == 1

@settings(deadline=None, max_examples=25, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 120), st.integers(0, 2**31))
def test_a_judge_is_the_distance(changed, seed):
    goal, rng = bundled_task('town/chest').goal, np.random.default_rng(seed)
    pix = goal.pix.copy()
    pix.reshape(-1)[rng.choice(5760, changed, False)] ^= np.uint8(rng.integers(1, 4))
    assert shows(goal)(pix[None])[0] == (goal.distances(pix[None]).min() < goal.tau)

def test_a_judge_wants_one_picture():
    goal = bundled_task('town/chest').goal
    with pytest.raises(ValueError, match='one whole picture'): shows(replace(goal, mask=np.ones((72, 80), np.uint8)))

def test_a_place_is_seen_once(one):
    class Still:
        backend, steps = one, 0
        def run(self, steps, each_step):
            for _ in range(steps): self.steps += 1; each_step(self)
    y = Yardstick({'here': lambda pix: np.ones(len(pix), bool)})
    said = y.measure(Still(), 5)
    assert said['first']['here'][0] == 1 and said['fine'] == said['coarse'] == 1 and not y.scripts

# The comparison

def test_a_comparison_is_kept_as_it_is_made(tmp_path):
    kept, asked = tmp_path/'x.json', dict(restart=2, winners=1)
    made = compare_explorers(asked, 1024, kept, N, every=256)
    assert read_json(kept) == made
    assert [(r['explorer'], r['seed']) for r in made['rows']] == [('restart', 0), ('winners', 0), ('restart', 1)]
    again = explore_once('winners', 0, 1024, N, 'cpu', 256)
    timed = {'seconds', 'steps_per_s', 'beside_stepping', 'first'}
    assert {k: v for k, v in again.items() if k not in timed} == {k: v for k, v in made['rows'][1].items() if k not in timed}

def test_the_record_is_whole():
    "Every row of the record has played the budget, and what it counted never falls."
    record = read_json(root/'nbs/studies/results/explorers.json')
    assert record['rom_sha256'] == bundled_task().start.rom_sha256 and record['git_sha'] and record['device']
    assert {r['explorer'] for r in record['rows']} == set(EXPLORERS)
    for r in record['rows']:
        assert r['steps'] == record['steps'] and len(r['curve']) == r['steps']//record['every']
        assert all(b >= a for one, two in pairwise(r['curve']) for a, b in zip(one, two))
        assert r['script_steps'].keys() == r['first'].keys() <= set(game.GOALS)
