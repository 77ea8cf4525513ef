"""Explorers keep one shape and mean what they say: the way of a console leads where the console is, a run in parts is a run, and the
yardstick neither takes their time nor is seen by them."""
import contextlib, io, json, time
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
import numpy as np
import pytest
import torch
from explorers import (Clock, EXPLORERS, GRAINS, PlayConfig, RND, RNDPPO, RND_PPO, Restart, Running,
                       Winners, WinnersConfig, Yardstick, block_levels, block_means, compare_explorers,
                       distinct, explore_once, explorer_table, first_steps, make_explorer, median_interval,
                       shows, table_text, thousands, town_places, winners)
from hypothesis import HealthCheck, given, settings, strategies as st
from pages import root
from gbxnb.backends.warp import WarpBackend, make_backend
from gbxnb.base.files import UserError, read_json
from gbxnb.base.progress import fake_clock
from gbxnb.envs.config import EnvConfig, action_codec
from gbxnb.envs.task import play_actions, restore_all
from gbxnb.games import town as game
from gbxnb.games.bundled import TASKS, bundled_task

N = 4
DEAR = 'restart', 'flat', 'winners', 'rnd_ppo'
some = pytest.mark.parametrize('name', [pytest.param(k, marks=[pytest.mark.slow]*(k in DEAR)) for k in EXPLORERS])

def end_of(e): return e.backend.save_all(), e.backend.pix.numpy().copy()

@pytest.fixture(scope='module')
def one():
    with closing(make_backend('warp', game.rom(), 1, 'cpu')) as b: yield b

@some
def test_a_run_is_a_number_of_steps(name):
    calls = []
    with make_explorer(name, num_envs=N, device='cpu') as e:
        assert e.steps == 0 and e.run(128, lambda x: calls.append((x is e, x.steps))) is e
        assert calls == [(True, N*k) for k in range(1, 33)] and e.steps == 128

@some
def test_a_run_in_parts_is_a_run(name):
    with make_explorer(name, 1, N, 'cpu') as whole, make_explorer(name, 1, N, 'cpu') as parts, make_explorer(name, 2, N, 'cpu') as other:
        part = 512 if name in DEAR else 48 # one that learns stops between its rollouts
        assert (end_of(parts.run(part))[0] != end_of(other.run(part))[0]).any()
        assert all((x == y).all() for x, y in zip(end_of(whole.run(2*part)), end_of(parts.run(part))))

@some
def test_the_way_of_a_console_leads_to_it(name, one):
    with make_explorer(name, 3, N, 'cpu') as e:
        rows, pix = end_of(e.run(80*N))
        for i in range(N):
            restore_all(one, bundled_task().start)
            play_actions(one, e.lane_script(i))
            assert (one.pix.numpy()[0] == pix[i]).all(), f'console {i} is elsewhere'
            assert (one.save_all()[0] == rows[i]).all()

@some
def test_watching_changes_nothing(name):
    with make_explorer(name, 4, N, 'cpu') as seen, make_explorer(name, 4, N, 'cpu') as unseen:
        said = Yardstick({'never': lambda pix: np.zeros(len(pix), bool)}, every=32).measure(seen, 128)
        assert (end_of(seen)[0] == end_of(unseen.run(128))[0]).all()
    assert [point[0] for point in said['curve']] == [32, 64, 96, 128] and said['first'] == {}
    assert said['curve'][-1] == [128, said['fine'], said['coarse']] and 'step' not in vars(seen.backend)

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

@settings(deadline=None, max_examples=30, suppress_health_check=list(HealthCheck))
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

@settings(deadline=None, max_examples=5, suppress_health_check=list(HealthCheck))
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

@pytest.mark.slow
def test_a_comparison_is_kept_as_it_is_made(tmp_path):
    kept, asked = tmp_path/'x.json', dict(restart=2, winners=1)
    made = compare_explorers(asked, 128, kept, N, 'cpu', 64)
    assert read_json(kept) == made
    assert [(r['explorer'], r['seed']) for r in made['rows']] == [('restart', 0), ('winners', 0), ('restart', 1)]
    again = explore_once('winners', 0, 128, N, 'cpu', 64)
    timed = {'seconds', 'steps_per_s', 'beside_stepping', 'first'}
    assert {k: v for k, v in again.items() if k not in timed} == {k: v for k, v in made['rows'][1].items() if k not in timed}

def test_the_record_is_whole():
    "Every row of the record has played the budget, and what it counted never falls."
    record = read_json(root/'nbs/studies/results/explorers.json')
    assert record['rom_sha256'] == bundled_task().start.rom_sha256 
    assert {r['explorer'] for r in record['rows']} == set(EXPLORERS)
    for r in record['rows']:
        assert r['steps'] == record['steps'] and len(r['curve']) == r['steps']//record['every']
        assert all(b >= a for one, two in pairwise(r['curve']) for a, b in zip(one, two))
        assert r['script_steps'].keys() == r['first'].keys() <= set(game.GOALS)

@pytest.mark.slow
def test_yardstick():
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 4, (5, 72, 80), dtype=np.uint8)
    for high, wide in (9, 10), (9, 5), (3, 2), (1, 1):
        plain = noise.reshape(5, high, 72//high, wide, 80//wide).sum((2, 4), dtype=int)
        area = 3*(72//high)*(80//wide)
        assert (block_levels(noise, high, wide).reshape(5, high, wide) == plain*8//(area + 1)).all()
    black = np.full((1, 72, 80), 3, np.uint8)
    assert block_levels(black, 1, 1).item() == 7 and block_levels(0*black, 9, 10).max() == 0
    assert len(distinct(block_levels(np.concatenate([noise, noise, black, 0*black]), 9, 10))) == 7
    places = town_places()
    goals = np.stack([bundled_task(name).goal.pix for name in TASKS])
    table = np.stack([judge(goals) for judge in places.values()])
    assert (table == np.eye(len(goals), dtype=bool)).all(), 'each place is its own alone'
    judge, goal = places['key'], bundled_task('town/key').goal
    near = np.stack([goal.pix]*40)
    for k in range(40): near[k].reshape(-1)[rng.choice(5760, 4*k, False)] ^= 1
    assert (judge(near) == (goal.distances(near)[:, 0] < goal.tau)).all() and 0 < judge(near).sum() < 40
    class Person:
        "Plays a script on one console."
        def __init__(self, task, rom):
            self.backend, self.task, self.steps, self.played = WarpBackend(rom, 1), task, 0, []
            self.masks = action_codec(task.goal.action_codec_id).masks
            restore_all(self.backend, task.start)
        def run(self, steps, each_step):
            for action in self.task.actions[self.steps:self.steps + steps]:
                self.backend.buttons.fill_(int(self.masks[action]))
                self.backend.step(24, 8)
                self.steps, self.played = self.steps + 1, [*self.played, action]
                each_step(self)
        def lane_script(self, i): return tuple(self.played)
    person, y = Person(bundled_task('town/key'), game.rom()), Yardstick(places, every=5)
    said = y.measure(person, 20)
    assert 'key' not in y.first and len(y.curve) == 4
    said = y.measure(person, 99)
    assert said['first'].keys() == {'house', 'cellar', 'chest', 'key'} and said['steps'] == 25
    assert y.scripts['key'] == bundled_task('town/key').actions[:said['script_steps']['key']]
    assert said['coarse'] < said['fine'] <= 26 and 'step' not in vars(person.backend)
    person.backend.close()

@pytest.mark.slow
def test_restart():
    rom, start = game.rom(), bundled_task().start
    def explored(seed, steps=2048, each_step=None):
        e = Restart(rom, start, PlayConfig(16, seed), EnvConfig(max_steps=48), 'cpu')
        e.run(steps, each_step)
        return e, e.backend.save_all()
    e, states = explored(3)
    assert e.steps == 2048 and len(e.played) == 128 % 48 and (states == explored(3)[1]).all()
    assert (states != explored(4)[1]).any() and len({e.lane_script(i) for i in range(16)}) == 16
    b = make_backend('warp', rom, 1, 'cpu')
    for i in 0, 7:
        restore_all(b, start)
        play_actions(b, e.lane_script(i))
        assert (b.save_all()[0] == states[i]).all()
    source = torch.arange(16, dtype=torch.int32)
    source[:8] = source[8:]
    e.clone(source)
    assert e.lane_script(0) == e.lane_script(8) and (e.backend.save_all()[:8] == e.backend.save_all()[8:]).all()
    e.run(64)
    assert e.lane_script(0)[:-4] == e.lane_script(8)[:-4] and len(e.lane_script(0)) == len(e.played)
    restore_all(b, start)
    play_actions(b, e.lane_script(0))
    assert (b.save_all()[0] == e.backend.save_all()[0]).all()
    y = Yardstick(town_places())
    e, _ = explored(0, 8192, y)
    for x in b, e: x.close()
    assert y.counts()['coarse'] < y.counts()['fine'] and 'key' not in y.first

@pytest.mark.slow
def test_rnd():
    x = torch.randn(1000, 3, generator=torch.Generator().manual_seed(0))*torch.tensor([1., 5., .1]) + 2
    stats = Running(3, device='cpu')
    for part in x.split(96): stats.add(part)
    assert torch.allclose(stats.mean, x.mean(0), atol=1e-4)
    assert torch.allclose(stats.var, x.var(0, correction=0), rtol=1e-3)
    pix = torch.from_numpy(np.stack([bundled_task(name).goal.pix for name in TASKS]))
    means = block_means(pix)
    assert means.shape == (5, 360) and torch.allclose(means.mean(1), pix.float().mean((1, 2))/3)
    rnd = RND(0, 'cpu')
    for _ in range(80): rnd.learn(pix[:4])
    errors = rnd.novelty(pix)
    assert errors[4] > 5*errors[:4].max()
    assert torch.equal(errors, rnd.novelty(pix)) and not torch.equal(*(RND(seed, 'cpu').novelty(pix) for seed in (1, 2)))

@pytest.mark.slow
def test_winners():
    source = winners(torch.tensor([.3, .1, .9, .5, .2]))
    assert source.tolist() == [0, 2, 2, 3, 3] and (source[source.long()] == source).all()
    assert winners(torch.zeros(1)).tolist() == [0]
    rom, start = game.rom(), bundled_task().start
    def explored(seed, steps, each_step=None):
        e = Winners(rom, start, WinnersConfig(32, seed), device='cpu')
        e.run(steps, each_step)
        return e, e.backend.save_all()
    y = Yardstick(town_places())
    e, states = explored(0, 8192, y)
    b = make_backend('warp', rom, 1, 'cpu')
    for i in 0, 31:
        restore_all(b, start)
        play_actions(b, e.lane_script(i))
        assert (b.save_all()[0] == states[i]).all()
        assert len(e.lane_script(i)) == e.steps//32
    assert (explored(0, 1024)[1] == explored(0, 1024)[1]).all()
    for x in b, e: x.close()

@pytest.mark.slow
def test_rnd_ppo():
    rom, start = game.rom(), bundled_task().start
    cfg = replace(RND_PPO, num_envs=16, rollout_steps=16, minibatches=2)
    def explored(steps, each_step=None):
        e = RNDPPO(rom, start, cfg, EnvConfig(max_steps=40), 'cpu')
        e.run(steps, each_step)
        return e, e.backend.save_all()
    y = Yardstick(town_places(), every=1024)
    e, states = explored(2000, y)
    assert e.steps == 2048 and e.learner.update == 8 and len(y.curve) == 2
    assert (explored(2000)[1] == states).all()
    b = make_backend('warp', rom, 1, 'cpu')
    for i in 0, 9:
        restore_all(b, start)
        play_actions(b, e.lane_script(i))
        assert (b.save_all()[0] == states[i]).all() and len(e.lane_script(i)) == 128 % 40
    pix = torch.from_numpy(np.stack([start.pix, bundled_task('town/cellar').goal.pix]))
    known, new = e.rnd.novelty(pix).tolist()
    assert new > 3*known
    for x in b, e: x.close()

@pytest.mark.slow
def test_comparison():
    for name in EXPLORERS:
        with make_explorer(name, num_envs=N, device='cpu') as e: print(e)
    with pytest.raises(UserError, match='oracle'): make_explorer('oracle')
    silent = contextlib.redirect_stderr(io.StringIO())
    with silent: small = compare_explorers(dict(restart=2, tree=1), 128, num_envs=8, device='cpu', every=32)
    assert [(r['explorer'], r['seed']) for r in small['rows']] == [('restart', 0), ('tree', 0), ('restart', 1)]
    again = explore_once('tree', 0, 128, 8, 'cpu', 32)
    assert again['curve'] == small['rows'][1]['curve'] and len(again['curve']) == 4
    assert json.loads(table_text(dict(steps=1), small['rows'])) == dict(steps=1, rows=small['rows'])
    made_up = [dict(first=dict(key=[k, k/100])) for k in (100, 300, 200)] + [dict(first={})]*2
    assert first_steps(made_up, 'key').tolist() == [100, 300, 200, np.inf, np.inf]
    low, mid, high = median_interval(first_steps(made_up, 'key'))
    assert low == 100 and mid == 300 and high == np.inf and thousands(high) == 'never'
    assert (median_interval(np.full((4, 3), 7.)) == 7).all()
    assert first_steps(made_up, 'key', 1)[0] == 1
    rows = [dict(explorer='tree', first=dict(key=[k, k/1000]), steps_per_s=9, beside_stepping=.1)
            for k in (100, 5000)]
    print(explorer_table(dict(rows=rows), ('key',)))
    assert '2: 2.5 k | 5.0 k (5.0 s) | 9 | 10% |' in explorer_table(dict(rows=rows), ('key',))
    assert '| never |' in explorer_table(dict(rows=rows), ('key', 'elder'))
