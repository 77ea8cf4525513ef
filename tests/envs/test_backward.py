"""Starts that move back along a script, imitated scripts, and pads that stick: exact, resumed, shared by processes, refused in one line."""
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import warp as wp
from gbxnb.base.command import call
from gbxnb.envs.starts import Backward
from gbxnb.games.bundled import bundled_task, rom
from gbxnb.runs.policy import make
from gbxnb.base.files import UserError
from gbxnb.emulator.cartridge import Cartridge
from gbxnb.envs.config import EnvConfig
from gbxnb.envs.start_set import with_starts
from gbxnb.envs.task import GameBoyConfig, StartSet, Task, script_states
from gbxnb.logs.schema import read_log
from gbxnb.runs.checkpoint import load_checkpoint
from gbxnb.runs.evaluate import Recording, evaluate
from gbxnb.runs.train import train_cli, unseen_beside
from gbxnb.worlds.gameboy import GAMEBOY

STICKY = dict(start_noops=2, sticky=.25, max_steps=40)
SMALL = ('town/house --num-envs 8 --rollout-steps 12 --minibatches 2 --epochs 1 --model small --device cpu --max-steps 24 '
         '--eval-episodes 0 --no-anneal-lr --save-every 2').split()
MOVING = '--backward 4 --sticky .25 --start-noops 2 --imitation-coef .5'.split()

@pytest.fixture(autouse=True)
def quiet(monkeypatch): monkeypatch.setenv('TQDM_DISABLE', '1') # what is announced depends on time

def batch(num_envs=16, cfg=STICKY, **kw): return make('town/house', num_envs, **cfg, device='cpu', **kw)

def actions(env, steps, seed=0):
    rng = torch.Generator().manual_seed(seed)
    return torch.randint(env.num_actions, (steps, env.num_envs), generator=rng)

def outcome(env): return [x.clone() for x in (env.obs, env.reward, env.done, env.trunc, env.cache.snap_id, env.episode_length)]
def same(a, b): return all(x.equal(y) for x, y in zip(a, b))

# The starts

def test_episodes_last_as_long_as_the_script_needs_and_some_more():
    with batch(12, backward=3, cfg=STICKY | dict(max_steps=7)) as env:
        env.reset(seed=1)
        states, needed = env.curriculum.states, env.curriculum.states - env.cache.snap_id//3
        assert needed.max() == 3 and states == len(env.task.actions)
        for a in actions(env, 24):
            begun = env.cache.snap_id//3
            _, _, done, trunc, info = env.step(a)
            late = env.episode_length >= (states - begun + 3).clamp(max=7)
            assert trunc.equal(late & ~done) and env.ended.equal(done | trunc)

def test_counts_and_moves_are_those_of_a_plain_loop():
    "The tally and the place, computed again from what the environments answered."
    with batch(16, backward=4) as env:
        env.curriculum = c = Backward(env, 4, window=2, episodes=8, rate=.3)
        env.reset(seed=3)
        place, tries, wins, moved = int(c.place), 0, 0, 0
        assert place == c.states - 2
        for a in actions(env, 56):
            begun = env.cache.snap_id//3
            env.step(a)
            inside = env.ended & (begun >= place) & (begun < place + 2)
            tries, wins = tries + int(inside.sum()), wins + int((inside & env.done).sum())
            if tries >= 8:
                assert abs(float(c.success) - wins/tries) < 1e-6
                if wins/tries >= .3: place, moved = max(place - 1, 0), moved + 1
                tries = wins = 0
            assert (int(c.place), *c.tally.tolist()) == (place, tries, wins)
            ids = env.cache.start_ids
            assert int(ids.min())//3 == place and int(ids.max()) == 3*c.states - 1
        assert moved

def test_half_of_the_episodes_begin_at_the_present_place():
    with make('town/key', 1, start_noops=1, device='cpu', backward=4) as env:
        c = env.curriculum
        c.place.fill_(5)
        c._spreading.launch()
        begun = np.bincount(env.cache.start_ids.numpy()//2, minlength=c.states)/len(env.cache.start_ids)
        near, far = begun[5:8].sum(), begun[8:]
        assert not begun[:5].any() and abs(near - (.5 + .5*3/(c.states - 5))) < .03 and far.min() > .5*far.max() > 0
        assert abs((env.cache.start_ids.numpy() % 2).mean() - .5) < .03

@pytest.fixture(scope='module')
def task(): return with_starts(Cartridge.load(rom()), bundled_task('town/cellar'), EnvConfig(max_steps=40), count=24, steps=16384)

def test_half_of_the_ways_that_are_imitated_are_the_tasks_own(task):
    known = [way for _, way in task.starts.part(held_out=False)]
    with make(task, 1, device='cpu', starts='known') as env: _, played, _, ends = env.demonstration()
    ways = np.split(played.numpy(), ends.nonzero()[:, 0].numpy() + 1)[:-1]
    assert sorted(tuple(w.tolist()) for w in ways) == sorted([task.actions]*len(known) + known)

def test_other_starts_are_states_of_one_backend(task):
    with pytest.raises(UserError, match='no other starts for backend reference'): make(task, 1, backend='reference', starts='held_out')

def test_other_starts_lie_where_as_many_steps_are_left(task):
    "Starts of a set are drawn when the place is as near the goal as they are; at the start, it has its share."
    known = [way for _, way in task.starts.part(held_out=False)]
    with make(task, 8, start_noops=1, device='cpu', backward=5, starts='known') as env:
        c, needed = env.curriculum, env.curriculum._course.ahead.numpy()
        assert c.states == len(task.actions) and len(needed) == c.states + len(known) == len(env.cache)//2
        assert sorted(needed) == sorted([*range(1, c.states + 1), *map(len, known)])
        for place in (c.states - 1, 4, 0):
            c.place.fill_(place)
            c._spreading.launch()
            begun = needed[env.cache.start_ids.numpy()//2]
            assert set(begun) == {n for n in needed if place == 0 or n <= c.states - place}
        assert abs((env.cache.start_ids.numpy()//2 == 0).mean() - .27) < .04
        env.reset(seed=0)
        for a in actions(env, 24):
            left = needed[env.cache.snap_id.numpy()//2]
            _, _, done, trunc, _ = env.step(a)
            assert trunc.equal((env.episode_length >= torch.tensor(left + 5)) & ~done)

def test_no_start_shows_what_the_way_or_another_shows(task):
    way = {s.pix.tobytes() for s in script_states(Cartridge.load(rom()), task.start, task)}
    shown = {s.pix.tobytes() for s in task.starts.snapshots}
    assert len(shown) == len(task.starts) and not shown & way and task.starts.held_out.any()

def test_a_goal_that_must_stay_leaves_time_for_it(task):
    with make(replace(task, goal=replace(task.goal, k_consecutive=3)), 8, device='cpu', backward=1) as env:
        env.reset(seed=0)
        for a in actions(env, 12):
            left = env.curriculum.states - env.cache.snap_id
            _, _, done, trunc, _ = env.step(a)
            assert trunc.equal((env.episode_length >= left + 3) & ~done)

def test_a_start_that_shows_the_goal_has_no_others(task):
    there = replace(task, starts=None, goal=replace(task.goal, tau=1.))
    assert not with_starts(Cartridge.load(rom()), there, EnvConfig(max_steps=40), steps=512).starts

def test_many_variants_of_many_starts(task):
    with make(task, 1, device='cpu', starts='known', start_noops=150) as env:
        assert 4096 >= int(env.cache.choices) > len(env.cache) > 2048

def test_a_long_way_is_read_as_it_was_written(task, tmp_path):
    long = StartSet(task.starts.snapshots[:2], [(0,)*5000, (1,)], np.array([False, True]))
    assert Task.load(replace(task, starts=long).save(tmp_path/'long')).starts.ways == long.ways

def test_a_condition_that_cannot_be_is_left_out_of_what_is_unseen(task, tmp_path, monkeypatch):
    monkeypatch.setitem(GAMEBOY.conditions, 'late', dict(press_jitter=9))
    task.save(tmp_path/'world')
    with make(task, 2, device='cpu', starts='known') as env:
        with unseen_beside(SimpleNamespace(path=tmp_path), env, GameBoyConfig(starts='known'), 2) as other:
            assert (other.cfg.press_jitter, other.cfg.sticky) == (0, .25) and len(other.cache) == 9*(1 + task.starts.held_out.sum())

def test_a_share_of_the_episodes_is_perturbed():
    with make('town/house', 256, perturb=.5, max_steps=40, device='cpu') as env:
        env.reset(seed=0)
        moments, held = wp.to_torch(env.backend.emulator.moments), env.pad.held
        assert len(env.cache) == 9 and env.cfg.sticky == .25
        late, stuck = torch.zeros(256, dtype=torch.bool), torch.zeros(256, dtype=torch.bool)
        for a in actions(env, 16):
            env.step(a)
            late, stuck = late | (moments > 0), stuck | (held != a)
        assert abs(late.float().mean() - .5) < .12 and not (stuck & ~late).any() and stuck.float().mean() > .4
    with make('town/house', 2, device='cpu') as env: assert not env.cfg.in_training.sticky and env.cfg.in_training is env.cfg

def test_a_state_is_taken_up_exactly():
    with batch(backward=4) as env, batch(backward=4, seed=5) as again, batch() as other:
        env.reset(seed=0)
        first, rest = actions(env, 20).split(10)
        for a in first: env.step(a)
        again.load_state_dict(env.state_dict())
        for a in rest:
            for e in env, again: e.step(a)
            assert same(outcome(env), outcome(again)) and env.pad.held.equal(again.pad.held)
            assert env.curriculum.tally.equal(again.curriculum.tally)
        d = env.state_dict()
        with pytest.raises(ValueError, match='place'): other.load_state_dict(d)
        for name, wrong in ('place', 6), ('place', -1), ('tally', -1), ('held', 7):
            with pytest.raises(ValueError, match=name): again.load_state_dict(d | {name: np.full_like(d[name], wrong)})

# The pad

def test_a_pad_sticks_the_same_in_any_division():
    "The consoles of one batch, and the same ones in two halves."
    brief = STICKY | dict(max_steps=12, frames_per_step=8, release_after_frames=4)
    with batch(8, brief) as whole, batch(4, brief) as left, batch(4, brief, first=4) as right:
        for e in whole, left, right: e.reset(seed=2)
        for a in actions(whole, 20, 1):
            whole.step(a)
            for e, part in (left, slice(4)), (right, slice(4, 8)):
                e.step(a[part])
                assert same([x[part] for x in outcome(whole)], outcome(e)) and whole.pad.held[part].equal(e.pad.held)

def test_a_clone_goes_on_as_its_source():
    "What is held goes along, whether the copy is made within a step or before it."
    source, acts = torch.tensor([0, 0, 0, 3, 4, 4, 4, 7]), actions(batch(8), 15, 3)
    with batch(8, backward=4) as within, batch(8, backward=4) as before:
        for e in within, before: e.reset(seed=4)
        for t, a in enumerate(acts):
            if t % 5 == 4:
                before.clone(source)
                before.step(a)
                within.step(a, source)
            else:
                for e in within, before: e.step(a)
            assert same(outcome(within), outcome(before)) and within.pad.held.equal(before.pad.held)
            assert within.curriculum.tally.equal(before.curriculum.tally)

def test_what_is_repeated():
    with batch(64, STICKY | dict(frames_per_step=8, release_after_frames=4)) as env:
        env.reset(seed=0)
        held, repeated, free = env.pad.held.clone(), 0, 0
        for a in actions(env, 24, 3):
            fresh = env.ended.clone()
            env.step(a)
            taken, other = env.pad.held, a != held
            assert taken[fresh].equal(a[fresh]) and ((taken == a) | (taken == held)).all() and env.pad.actions.equal(a)
            repeated, free = repeated + int((other & ~fresh & (taken == held)).sum()), free + int((other & ~fresh).sum())
            held = taken.clone()
        assert abs(repeated/free - .25) < .02

def test_a_recording_fails_where_the_pad_sticks():
    rates = {}
    for sticky in 0., .25:
        with make('town/cellar', 8, start_noops=24, sticky=sticky, max_steps=32, device='cpu') as env:
            rates[sticky] = evaluate(env, Recording(env), 8).success_rate
    assert rates[0.] == 1 and rates[.25] < .5

# Whole runs

def told(out): return [r.extras for r in read_log(out/'train_log.jsonl').records]
def policy(out): return load_checkpoint(out).policy

UNSEEN = '--backward 4 --starts known --perturb .8 --imitation-coef .5 --eval-every 1 --eval-episodes 4 --patience 2'.split()

@pytest.mark.slow # `test_a_state_is_taken_up_exactly` has all but the command
@pytest.mark.parametrize('how', [MOVING, UNSEEN], ids=['moving', 'unseen'])
def test_a_resumed_run_goes_on_exactly(how, tmp_path):
    "Four updates at once; and two, then two more: the same starts in the log, the same end, and the same weights."
    judged = how[-6:] if how == UNSEEN else ['--eval-episodes', 0]
    for out, steps in (tmp_path/'whole', 4*96), (tmp_path/'two', 2*96):
        status, _, err = call(train_cli, *SMALL, *how, '--steps', steps, '--out', out)
        assert not status, err
    status, _, err = call(train_cli, '--resume', '--steps', 4*96, '--out', tmp_path/'two', '--device', 'cpu', *judged)
    assert not status, err
    whole, two = told(tmp_path/'whole'), told(tmp_path/'two')
    assert whole == two and len(whole) == 4 and whole[-1]['backward_start'] < 3
    assert how == MOVING or all('eval_unseen' in extras for extras in whole)
    a, b = policy(tmp_path/'whole'), policy(tmp_path/'two')
    assert all(np.array_equal(a[k], b[k]) for k in a)
    status, _, err = call(train_cli, '--resume', '--backward', 9, '--out', tmp_path/'two', '--device', 'cpu')
    assert status == 1 and 'began with 4' in err and err.count('\n') == 1

# What is refused

def refused(*words):
    status, out, err = call(train_cli, *words, '--device', 'cpu')
    assert status == 1 and err.count('\n') == 1 and 'error: ' in err, err
    return err

def test_refusals_are_one_line(tmp_path):
    task, out = bundled_task('town/house'), ('--out', tmp_path/'run')
    replace(task, actions=()).save(tmp_path/'bare')
    assert 'no script' in refused(tmp_path/'bare', '--backward', 4, *out)
    assert 'no script to imitate; leave' in refused(tmp_path/'bare', '--imitation-coef', 1, *out)
    assert 'no script to imitate; leave' in refused('--world', 'catch', '--imitation-coef', 1, *out)
    assert 'only one of them' in refused('town/house', '--backward', 4, '--demo-starts', 4, *out)
    assert 'only one of them' in refused('town/house', '--starts', 'known', '--demo-starts', 4, *out)
    assert 'to judge by' in refused('town/house', '--starts', 'held_out', *out)
    assert 'backward is -1' in refused('town/house', '--backward', -1, *out)
    assert 'below 1' in refused('town/house', '--sticky', 1, *out)
    assert 'at least 0' in refused('town/house', '--sticky', -.5, *out)
    assert '4096' in refused('town/key', '--backward', 4, '--start-noops', 5000, *out)
    with make(tmp_path/'bare', device='cpu') as env, pytest.raises(UserError, match='no script'): Recording(env)
