"""Copies of consoles and of environments: a copy and its source do the same from then on, bit for bit, whatever is watched, stacked,
rewarded or remembered; the others notice nothing; the bank that grows is the bank that was there; wrong numbers are reported."""
import functools
from importlib.util import find_spec

import numpy as np
import pytest
import torch
import warp as wp
from gbxnb.backends.warp import make_backend
from gbxnb.games import bundled as game
from gbxnb.emulator.cartridge import Cartridge
from gbxnb.emulator.machine import CHAINED, OUTSIDE
from gbxnb.envs.starts import Backward
from gbxnb.envs.config import EnvConfig
from gbxnb.envs.goal import GoalJudge, GoalTemplate
from gbxnb.envs.pixels import PixelsEnv, _kept
from gbxnb.envs.rewards import RewardJudge
from gbxnb.envs.watch_list import make_watch_list
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from microroms import ROMS

few = settings(max_examples=4, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
fewer = settings(few, max_examples=1, deadline=None, suppress_health_check=list(HealthCheck))
needs_pyboy = pytest.mark.skipif(not find_spec('pyboy'), reason='PyBoy is not here')
SLOW_PYBOYS = needs_pyboy, pytest.mark.slow
TRIED = ['warp', pytest.param('reference', marks=SLOW_PYBOYS)] # PyBoys take a tenth of a second to save
N = 6
OWN_PROCESS = dict(reference=dict(processes=1), warp={}) # no other is started for PyBoys

def on(device, values, dtype): return wp.array(np.asarray(values), dtype=dtype, device=device)

@st.composite
def sources(draw, n=N):
    "Who becomes a copy of whom; those who are copied keep their own."
    kept = draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(any))
    owners = [i for i in range(n) if kept[i]]
    return [i if kept[i] else draw(st.sampled_from(owners)) for i in range(n)]

def right(source):
    "Whether each number is one that may be copied."
    inside = [0 <= k < len(source) for k in source]
    return [ok and source[k] == k for ok, k in zip(inside, source)]

# ---- backends

def play(b, rng, steps, same=None):
    "Random buttons; where `same` is given, those of another console."
    for _ in range(steps):
        keys = (1 << rng.integers(0, 8, b.num_envs)).astype(np.uint8)
        b.buttons.assign(keys if same is None else keys[same])
        b.step(24, 8)

def everything(b):
    "All that a console is and shows."
    screens = wp.zeros((b.num_envs, 144, 160), wp.uint8, b.device)
    b.draw(screens)
    log = [b.emulator.log.numpy().copy()] if b.name == 'warp' else []
    return [b.save_all(), b.pix.numpy().copy(), screens.numpy(), *log]

@pytest.mark.parametrize('name, copies', [('warp', 3), *(pytest.param('reference', n, marks=SLOW_PYBOYS) for n in (1, 3))])
def test_a_copy_is_its_source(name, copies):
    rng = np.random.default_rng(0)
    b, twin = (make_backend(name, game.rom(), N, 'cpu', **how) for how in (OWN_PROCESS[name] if copies == 1 else {}, OWN_PROCESS[name]))
    for x in b, twin: play(x, np.random.default_rng(1), 5)
    for k, source in enumerate(([2, 1, 2, 2, 1, 5], [5]*N, [*range(N)])[:copies]):
        if k: # what they are by now, both are
            play(b, rng, 2)
            twin.load_all(b.save_all())
            twin.pix.assign(b.pix)
        b.clone(on('cpu', source, wp.int32))
        twin.load_all(twin.save_all()[source])
        twin.pix.assign(twin.pix.numpy()[source])
        now = everything(b)
        for a in now: assert (a == a[source]).all()
        state = rng.bit_generator.state
        play(b, rng, 3, source)
        for a in everything(b): assert (a == a[source]).all()
        rng.bit_generator.state = state
        play(twin, rng, 3, source)
        for a, c in zip(everything(b), everything(twin)): assert (a == c).all(), 'as one that never was copied'
    assert not b.faults.numpy().any()
    for x in b, twin: x.close()

@pytest.mark.parametrize('name', TRIED)
@few
@given(st.lists(st.integers(-2, N + 1), min_size=N, max_size=N), st.integers(0, 2**32 - 1))
@example([1, 2, 3, 4, 5, 0], 0)
@example([1, 1, 1, 7, -2**31, 2**31 - 1], 1)
def test_wrong_sources_are_noted_and_change_nothing(name, source, seed):
    b, good = shared_backend(name), right(source)
    play(b, np.random.default_rng(seed), 1)
    before = everything(b)
    b.faults.zero_()
    b.clone(on('cpu', source, wp.int32))
    assert (b.faults.numpy() == np.where(good, 0, CHAINED)).all()
    want = np.where(good, source, range(N))
    for was, a in zip(before, everything(b)): assert (a == was[want]).all()

@functools.cache
def shared_backend(name):
    b = make_backend(name, game.rom(), N, 'cpu', **OWN_PROCESS[name])
    play(b, np.random.default_rng(3), 4)
    return b

@pytest.mark.parametrize('rom', [*ROMS][::20])
def test_stored_and_restored_goes_on_like_one_that_never_stopped(rom):
    "Also in the middle of what a picture needs: registers that change from line to line."
    rng, b = np.random.default_rng(5), make_backend('warp', ROMS[rom].program().rom, 4, 'cpu')
    play(b, rng, 6)
    b.set_bank([b.snapshot(0)], capacity=8)
    slots = on('cpu', [3, 1, 2, 4], wp.int32)
    b.store(on('cpu', [True]*4, wp.bool), slots)
    was, state = everything(b), rng.bit_generator.state
    play(b, rng, 3)
    end = everything(b)
    b.restore(on('cpu', [True]*4, wp.bool), slots)
    for a, c in zip(was, everything(b)): assert (a == c).all()
    rng.bit_generator.state = state
    play(b, rng, 3)
    for a, c in zip(end, everything(b)): assert (a == c).all()
    for i, k in enumerate([3, 1, 2, 4]):
        s = b.bank_snapshot(k)
        assert (s.state == was[0][i]).all() and (s.pix == was[1][i]).all()
    b.close()

@pytest.mark.parametrize('name', TRIED)
@few
@given(st.lists(st.tuples(st.sampled_from(['store', 'add', 'restore', 'step']), st.integers(0, 2**32 - 1)), max_size=12))
def test_the_bank_is_a_list(name, deeds):
    "Against a list of Python, by random deeds."
    b = shared_backend(name)
    bank, rows = [b.snapshot(i) for i in range(2)], np.arange(N)
    b.set_bank(bank, capacity=5)
    room = 5
    for what, seed in deeds:
        rng = np.random.default_rng(seed)
        mask, size = rng.random(N) < .5, len(bank)
        if what == 'step': play(b, rng, 1)
        elif what == 'add':
            new = [b.snapshot(int(i)) for i in rng.integers(0, N, rng.integers(0, 3))]
            assert b.add_to_bank(new) == [*range(size, size + len(new))]
            bank += new
            if len(bank) > room: room = max(len(bank), 2*room if name == 'warp' else 0)
        elif what == 'store':
            slots = np.where(rng.random(N) < .2, rng.choice([-1, room, 1 << 30], N), rng.permutation(max(size + 1, N))[:N])
            slots = np.where(slots > size, -1, slots)
            b.faults.zero_()
            b.store(on('cpu', mask, wp.bool), on('cpu', slots, wp.int32))
            inside = (slots >= 0) & (slots < room)
            assert (b.faults.numpy() == np.where(mask & ~inside, OUTSIDE, 0)).all()
            for i in rows[mask & inside]: bank[slots[i]:slots[i] + 1] = [b.snapshot(int(i))]
        else:
            ids, was = rng.integers(0, size, N), everything(b)[:2]
            b.restore(on('cpu', mask, wp.bool), on('cpu', ids, wp.int32))
            for i in rows:
                want = (bank[ids[i]].state, bank[ids[i]].pix) if mask[i] else (was[0][i], was[1][i])
                assert (b.snapshot(int(i)).state == want[0]).all() and (b.pix.numpy()[i] == want[1]).all()
        assert b.bank_size.numpy()[0] == len(bank)
    for k, s in enumerate(bank): assert b.bank_snapshot(k).sha256 == s.sha256

@needs_pyboy
@pytest.mark.slow # their page has it, too
@pytest.mark.parametrize('test, given', [
    (test_wrong_sources_are_noted_and_change_nothing, ([1, 1, 1, 7, -2**31, 2**31 - 1], 1)),
    (test_the_bank_is_a_list, ([('store', 1), ('add', 3), ('restore', 3), ('step', 4), ('store', 5)],))], ids=['wrong sources', 'bank'])
def test_pyboys_once(test, given): test.hypothesis.inner_test('reference', *given)

def test_room_is_taken_once_and_is_real_only_where_entries_are():
    "Room for 100,000 consoles: hardly any memory, and not one graph that must be recorded again."
    def used(): return int(open('/proc/self/statm').read().split()[1])*4096
    b = make_backend('warp', game.rom(), 2, 'cpu', threads=1)
    play(b, np.random.default_rng(0), 2)
    snaps = [b.snapshot(i) for i in range(2)]
    before = used()
    b.set_bank(snaps, capacity=100_000)
    key, mask = b.graph_key, on('cpu', [True]*2, wp.bool)
    b.store(mask, on('cpu', [99_999, 50_000], wp.int32))
    assert len(b.bank) == 100_000 and used() - before < 32 << 20
    assert b.bank_snapshot(99_999).sha256 == snaps[0].sha256 and b.graph_key == key
    b.set_bank(snaps, capacity=4)
    key = b.graph_key
    assert b.add_to_bank(snaps) == [2, 3] and b.graph_key == key
    assert b.add_to_bank(snaps[:1]) == [4] and b.graph_key != key and len(b.bank) == 8
    for wrong in dict(capacity=-1), dict(capacity=2.5):
        with pytest.raises((ValueError, TypeError), match='capacity is'): b.set_bank(snaps, **wrong)
    b.close()

# ---- environments

WATCH = dict(variables=dict(x=0xC385, y=0xC386), coverage=dict(x=32, y=32), observe=['y'])

def remembered(s):
    "A reward by memory of many kinds, and by what is watched."
    steps, far = s.keep('steps', 1, torch.int64), s.keep('far', -.5, torch.float64, (3,))
    seen, few = s.keep('seen', False, torch.bool, (5,)), s.keep('few', 3, torch.uint8, (2, 1))
    steps += 1
    far[:, 1] += s.now.x.float() - s.before.x.float()*.25
    seen.scatter_(1, (s.now.y % 5).long()[:, None], True)
    few += (s.now.x % 3).to(torch.uint8)[:, None, None]
    return far.sum(1).float() + seen.sum(1)*.1 + few.flatten(1).sum(1)*.01 + steps*.001

@functools.cache
def town():
    "A place in the bundled game where buttons matter, and a picture near it, as a goal."
    b = make_backend('warp', game.rom(), 1, 'cpu')
    for keys, frames in game.START:
        b.buttons.fill_(int(keys))
        b.step(frames, frames)
    start = b.snapshot(0)
    b.buttons.fill_(1)
    b.step(24, 8)
    goal = dict(rom_sha256=b.rom_sha256, state_sha256=start.sha256, actions_sha256='0'*64, tau=.05)
    pix = b.pix.numpy()[0].copy()
    b.close()
    return start, GoalTemplate(pix, k_consecutive=2, **goal), GoalTemplate(np.stack([pix]*4), **goal), \
        GoalTemplate(np.stack([pix, start.pix])[:, None], **goal)

def make_env(kind, device='cpu', n=N, **kw):
    start, near, stacked, several = town()
    cfg = dict(max_steps=kw.pop('max_steps', 40), start_noops=kw.pop('start_noops', 0))
    rest = dict(start=start, device=device, backend='warp', seed=3) | kw
    watch = make_watch_list(WATCH, Cartridge.load(game.rom())) if kind in ('watched', 'rewards') else None
    if kind == 'plain': return PixelsEnv(game.rom(), n, EnvConfig(**cfg), **rest)
    if kind == 'stacked': return PixelsEnv(game.rom(), n, EnvConfig(stack_k=4, **cfg), **rest)
    if kind == 'packed': return PixelsEnv(game.rom(), n, EnvConfig(stack_k=4, packed=True, **cfg), **rest)
    if kind == 'full': return PixelsEnv(game.rom(), n, EnvConfig(stack_k=2, observation='full', **cfg), **rest)
    if kind == 'watched': return PixelsEnv(game.rom(), n, EnvConfig(**cfg), watch=watch, **rest)
    if kind == 'rewards': return PixelsEnv(game.rom(), n, EnvConfig(stack_k=2, **cfg), judge=RewardJudge(remembered), watch=watch, **rest)
    goals = dict(goal=near, goal_stack=stacked, goals=several)
    return PixelsEnv(game.rom(), n, EnvConfig(stack_k=4 if kind == 'goal_stack' else 1, **cfg), judge=GoalJudge(goals[kind]), **rest)

KINDS = 'plain', 'stacked', 'packed', 'full', 'watched', 'rewards', 'goal', 'goal_stack', 'goals'
WITHIN = 'plain', 'stacked', 'packed', 'full', 'watched', 'goal', 'goals' # others have what these have
OWN = 'seed', 'start_ids', 'choices', 'episode', 'coverage', 'outside', 'faults', 'place', 'tally', 'success'

def tensors(env):
    "Everything of each environment, by name."
    found = {k: t for k, (t, *_) in _kept(env, len(env.cache)).items() if k not in OWN}
    found |= dict(reward=env.reward, done=env.done, trunc=env.trunc, screens=env.frames())
    if env.observer: found['newest'] = env.observer.newest
    if w := env.watcher: found |= dict(now=w.now.tensor, before=w.before.tensor, reached=w.reached.tensor, hits=w.hits.tensor)
    found |= {f'info {k}': t for k, t in env.info.items() if isinstance(t, torch.Tensor) and k != 'final_obs'}
    return {k: t.clone().cpu() for k, t in found.items()} | dict(consoles=torch.from_numpy(env.backend.save_all()))

def check_same(a, b, where='', but=()):
    for k in a.keys() - set(but): assert a[k].equal(b[k]), f'{k} {where}'

@pytest.mark.parametrize('kind', [pytest.param(k, marks=[pytest.mark.slow]*(k in WITHIN)) for k in KINDS])
@fewer
@given(sources(), st.booleans(), st.integers(0, 2**32 - 1))
@example([2, 1, 2, 2, 1, 5], True, 0)
def test_an_environment_and_its_copy_go_on_alike(kind, source, within, seed):
    "And as the source does where nothing is copied; the others notice nothing. Half of the copies are made within a step."
    ids, rng = torch.tensor(source), torch.Generator().manual_seed(seed)
    def actions(): return torch.randint(0, env.num_actions, (N,), generator=rng)
    with make_env(kind) as env, make_env(kind) as alone:
        for e in env, alone: e.reset()
        for _ in range(5):
            a = actions()
            for e in env, alone: e.step(a)
        at = [t.data_ptr() for t in (env.obs, env.pix, env.reward)]
        if not within: env.clone(ids)
        for t in range(4):
            a = actions()[ids]
            env.step(a, ids if within and t == 0 else None)
            alone.step(a)
            now, other = tensors(env), tensors(alone)
            check_same(now, {k: v[ids] for k, v in now.items()}, f'after {t + 1} steps')
            check_same(now, {k: v[ids] for k, v in other.items()}, f'after {t + 1} steps, beside one that was never copied')
        assert at == [t.data_ptr() for t in (env.obs, env.pix, env.reward)] and env.errors() == []

@pytest.mark.parametrize('kind', ['stacked', 'rewards'])
def test_it_ends_and_begins_anew(kind):
    "Episodes of copies end together; where the next one starts, each chooses for itself, as it would have without."
    ids, rng = torch.tensor([0, 0, 2, 2, 4, 4]), torch.Generator().manual_seed(1)
    with make_env(kind, max_steps=7, start_noops=30) as env, make_env(kind, max_steps=7, start_noops=30) as alone:
        for e in env, alone: e.reset()
        for t in range(12):
            a = torch.randint(0, env.num_actions, (N,), generator=rng)[ids]
            env.step(a, ids if t == 3 else None)
            alone.step(a)
            if t == 3: assert env.cache.snap_id.equal(alone.cache.snap_id[ids])
            if 3 <= t < 6: check_same(now := tensors(env), {k: v[ids] for k, v in now.items()})
            if t == 6: assert env.trunc.all() and env.final_obs.equal(env.final_obs[ids])
            if t > 6: check_same(tensors(env), tensors(alone))
        assert env.cache.episode.equal(alone.cache.episode) and len(set(env.cache.snap_id.tolist())) > 1

@pytest.mark.parametrize('kind', ['rewards', pytest.param('goal', marks=pytest.mark.slow)])
def test_several_threads_do_the_same(kind):
    seen, n = [], 36
    for threads in 1, 3:
        rng = torch.Generator().manual_seed(2)
        backend = make_backend('warp', game.rom(), n, 'cpu', threads=threads)
        with make_env(kind, n=n, backend=backend, device='auto') as env:
            env.reset()
            for _ in range(4):
                keep = torch.rand(n, generator=rng) < .5
                owners = keep.nonzero()[:, 0]
                source = torch.where(keep, torch.arange(n), owners[torch.randint(0, len(owners), (n,), generator=rng)])
                env.step(torch.randint(0, env.num_actions, (n,), generator=rng), source)
            seen.append(tensors(env))
    check_same(*seen)

def test_what_sticks_and_what_moves_back():
    "The button that may stick is copied, whether it sticks is not; where a curriculum stands belongs to nobody."
    start, goal, *_ = town()
    ids = torch.tensor([0, 0, 2, 2, 4, 4])
    with PixelsEnv(game.rom(), N, EnvConfig(sticky=.5), [start]*4, GoalJudge(goal), 'warp', 'cpu', seed=3) as env:
        env.curriculum = Backward(env, 9)
        env.reset()
        for t in range(4): env.step((torch.arange(N) + t) % env.num_actions)
        held = env.pad.held.clone()
        env.clone(ids)
        assert env.pad.held.equal(held[ids]) and len(set(held.tolist())) > 2
        before = tensors(env)
        check_same(before, {k: v[ids] for k, v in before.items()}, but=['reward', 'done', 'trunc'])
        for _ in range(8): env.step(torch.arange(N) % env.num_actions, ids)
        assert not env.pad.held[1::2].equal(env.pad.held[::2]) and env.errors() == []

def test_a_state_holds_copies():
    "A checkpoint taken after a copy goes on as the run does."
    ids = torch.tensor([0, 0, 0, 3, 3, 3])
    def rest(env):
        for t in range(3): env.step(torch.full((N,), t + 1), ids.flip(0)*0 + 3)
        return tensors(env)
    with make_env('rewards') as env, make_env('rewards') as other:
        env.reset()
        for t in range(4): env.step((torch.arange(N) + t) % env.num_actions, ids if t == 2 else None)
        saved = env.state_dict()
        other.reset()
        other.load_state_dict(saved)
        check_same(rest(env), rest(other))

def test_what_is_wrong():
    with make_env('plain') as env:
        with pytest.raises(RuntimeError, match='must be reset'): env.clone(torch.arange(N))
        env.reset()
        for wrong in [0]*N, None, torch.zeros(N), torch.zeros(N - 1).long(), torch.zeros(N, 1).long(), torch.zeros(N).bool():
            before = tensors(env)
            with pytest.raises((TypeError, ValueError), match='^source (is|has) .*, but must ') as e: env.clone(wrong)
            assert '\n' not in str(e.value)
            check_same(before, tensors(env))
        with pytest.raises(ValueError, match='environment 0 is 99'): env.step(torch.full((N,), 99), torch.zeros(N).long())
        env.step(torch.zeros(N).long(), torch.tensor([0, 0, 1, -1, N, 1 << 40]))
        errors = env.errors()
        assert [e.split(':')[0] for e in errors] == ['environment 2', 'environment 3', 'environment 4', 'and 1 more environments']
        assert env.errors() == []
    with pytest.raises(RuntimeError, match='closed'): env.clone(torch.arange(N))
