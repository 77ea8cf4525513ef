"""What a policy sees: whole screens agree with the usual pictures on every cartridge and at every start; observations are what
their text says; runs go on exactly; functions of one's own are refused in one line; starts for each environment."""
import sys

import numpy as np
import pytest
import torch
import warp as wp
from gbxnb.backends.base import keep_lines
from gbxnb.envs.config import CODECS, OBSERVATIONS, action_codec, find_observation, parse_observation, EnvConfig
from gbxnb.runs.policy import open_policy, make
from gbxnb.backends.warp import make_backend
from gbxnb.games.bundled import probe_rom
from gbxnb.games import bundled as game
from gbxnb.envs.observer import Observer
from gbxnb.envs.pixels import PixelsEnv
from gbxnb.base.files import UserError
from gbxnb.runs.train import train
from gbxnb.worlds.contract import check_world
from gbxnb.envs.task import GameBoyConfig
from gbxnb.worlds.gameboy import make_gameboy
from hypothesis import HealthCheck, given, settings, strategies as st
from microroms import ROMS
import json
import gbxnb
from gbxnb.emulator.machine import Button, keys_text, parse_keys
from gbxnb.logs.schema import read_log
from gbxnb.__main__ import find_command

USUAL = settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))

# ---- whole screens

def played(backend, steps, seed=0, frames=24):
    "Random buttons; whole screens after each step."
    rng, out = np.random.default_rng(seed), wp.zeros((backend.num_envs, 144, 160), wp.uint8, 'cpu')
    for _ in range(steps):
        backend.buttons.assign((1 << rng.integers(0, 8, backend.num_envs)).astype(np.uint8))
        backend.step(frames, min(8, frames))
        backend.draw(out)
        yield out.numpy().copy()

def restored(backend, snapshots):
    "Whole screens of consoles that were restored."
    out = wp.zeros((backend.num_envs, 144, 160), wp.uint8, 'cpu')
    backend.set_bank(snapshots)
    backend.restore(wp.full(backend.num_envs, True, dtype=wp.bool, device='cpu'),
                    wp.array(np.arange(backend.num_envs) % len(snapshots), dtype=wp.int32, device='cpu'))
    backend.draw(out)
    return out.numpy().copy()

SPLIT = {'split_scroll': .95, 'window_counter': .99} # registers change within their picture: the share of pixels that is drawn anew

def exact_starts(rom, steps):
    "Compare every screen with the usual picture, and with itself after a restore; the share of pixels that agree there."
    b, shares = make_backend('warp', rom, 2, 'cpu', threads=1), []
    for screens in played(b, steps):
        assert (screens[:, ::2, ::2] == b.pix.numpy()).all()
        assert all((screens[i] == b.emulator.frame(i)).all() for i in range(2))
        snaps = [b.snapshot(i) for i in range(2)]
        again = restored(b, snaps)
        assert (again[:, ::2, ::2] == [s.pix for s in snaps]).all()
        shares.append((again == screens).mean())
    b.close()
    return min(shares)

@pytest.mark.parametrize('rom', [game.rom(), probe_rom()], ids=['town', 'probe'])
def test_screens_of_games(rom):
    assert exact_starts(rom, 12) == 1

@pytest.mark.parametrize('names', [[*ROMS][::12] + [*SPLIT], pytest.param([*ROMS], marks=pytest.mark.slow)], ids=['some', 'all'])
def test_screens_of_micro_roms(names):
    "All but those that change registers within a picture are exact at a start, too."
    shares = {name: exact_starts(ROMS[name].program().rom, 1) for name in names}
    assert {k for k, v in shares.items() if v < 1} == SPLIT.keys()
    assert all(shares[k] > least for k, least in SPLIT.items())

def test_screens_after_going_on():
    "A console that was loaded shows its memory, and after one frame the same as one that never stopped."
    one, two = (make_backend('warp', game.rom(), 2, 'cpu', threads=1) for _ in range(2))
    *_, was = played(one, 5)
    two.load_all(one.save_all())
    two.pix.assign(one.pix.numpy())
    out = wp.zeros((2, 144, 160), wp.uint8, 'cpu')
    two.draw(out)
    assert (out.numpy() == was).all()
    for a, b in zip(played(one, 3, seed=1, frames=1), played(two, 3, seed=1, frames=1)): assert (a == b).all()

@pytest.fixture(scope='module')
def consoles():
    b = make_backend('warp', game.rom(), 2, 'cpu', threads=1)
    for keys, frames in game.START:
        b.buttons.fill_(int(keys))
        b.step(frames, frames)
    yield b
    b.close()

@given(st.integers(0, 2**32 - 1), st.floats(0, 1))
@USUAL
def test_lines_are_kept_or_doubled(consoles, seed, share):
    "The kernel and its definition agree, whatever is stored."
    rng, out, was = np.random.default_rng(seed), wp.zeros((2, 144, 160), wp.uint8, 'cpu'), consoles.pix.numpy().copy()
    drawn = np.stack([consoles.emulator.frame(i) for i in range(2)])
    stored = np.where(rng.random((2, 72, 1)) < share, rng.integers(0, 4, (2, 72, 80)), was).astype(np.uint8)
    consoles.pix.assign(stored)
    consoles.draw(out)
    consoles.pix.assign(was)
    assert (out.numpy() == keep_lines(drawn, stored)).all() and (out.numpy()[:, ::2, ::2] == stored).all()

# ---- observations

def town(text, n=3, **more):
    return make('town/house', n, observation=text, max_steps=7, **more, device='cpu', seed=3)

def random_steps(env, steps, seed=0):
    g = torch.Generator().manual_seed(seed)
    for _ in range(steps): yield env.step(torch.randint(0, env.num_actions, (env.num_envs,), generator=g))

def area(draw, high, wide):
    h, w = draw(st.integers(1, high)), draw(st.integers(1, wide))
    return draw(st.integers(0, high - h)), draw(st.integers(0, wide - w)), h, w

@st.composite
def texts(draw):
    name, (high, wide) = draw(st.sampled_from([('full', (144, 160)), ('mean', (72, 80)), ('shades', (72, 80))]))
    masks = [area(draw, high, wide) for _ in range(draw(st.integers(0, 3)))]
    crop = area(draw, high//8, wide) if draw(st.booleans()) else None
    if crop: crop = (min(crop[0], high - 8*crop[2]), crop[1], 8*crop[2], crop[3]) # a multiple of eight pixels
    return name, crop, masks

@given(texts())
@USUAL
def test_crops_and_masks_are_slices(consoles, parts):
    name, crop, masks = parts
    words = [name, *('mask=' + ','.join(map(str, m)) for m in masks), *(['crop=' + ','.join(map(str, crop))] if crop else [])]
    try: o = parse_observation(' '.join(words))
    except ValueError as e:
        assert str(e).endswith('choose another size')
        return
    out = wp.zeros((2, 144, 160), wp.uint8, 'cpu')
    consoles.draw(out)
    full = out.numpy().astype(int)
    mean = sum(full[:, y::2, x::2] for y in (0, 1) for x in (0, 1))
    want = dict(full=full, shades=full[:, ::2, ::2], mean=mean)[name].copy()
    for y, x, h, w in masks: want[:, y:y+h, x:x+w] = 0
    if crop: want = want[:, crop[0]:crop[0]+crop[2], crop[1]:crop[1]+crop[3]]
    assert (Observer(o, OBSERVATIONS[name], consoles).newest.numpy() == want).all()

SEEN = ['full crop=16,0,128,160 mask=20,0,8,160', 'tests/blocks',
        *(pytest.param(text, marks=pytest.mark.slow) for text in ('full', 'mean', 'shades mask=0,0,36,80'))]

@pytest.fixture(autouse=True)
def blocks():
    OBSERVATIONS.register('tests/blocks', high=48)(lambda s: s.reshape(-1, 36, 4, 40, 4).sum((2, 4), dtype=torch.uint8))
    yield
    del OBSERVATIONS['tests/blocks']

def anew(observer):
    "What a policy is to see, from whole screens drawn once more."
    observer.look()
    return observer.newest

@pytest.mark.parametrize('text', SEEN)
@pytest.mark.parametrize('stack_k', [pytest.param(1, marks=pytest.mark.slow), 3])
def test_observations_of_a_run(text, stack_k):
    "Newest last; a new episode begins with the picture of its start; `final_obs` is the last one of the old."
    with town(text, stack_k=stack_k) as env, town('shades', stack_k=stack_k) as usual:
        obs, _ = env.reset(seed=1); usual.reset(seed=1)
        assert obs.shape == (3, stack_k, *env.obs_shape[1:]) and int(obs.max()) <= env.obs_range[1]
        own = Observer(*find_observation(text), env.backend)
        assert obs.equal(anew(own)[:, None].expand_as(obs))
        last = obs.clone()
        for (obs, *now, _), (_, *then, _) in zip(random_steps(env, 9), random_steps(usual, 9)):
            assert all(a.equal(b) for a, b in zip(now, then)), 'rewards and ends do not depend on what is seen'
            assert env.pix.equal(usual.pix) and obs[:, -1].equal(anew(own))
            old = env.ended
            assert env.final_obs[old][:, :-1].equal(last[old][:, 1:]) and obs[~old][:, :-1].equal(last[~old][:, 1:])
            assert obs[old].equal(obs[old][:, -1:].expand_as(obs[old]))
            last = obs.clone()

@pytest.mark.parametrize('text', SEEN)
def test_observations_keep_the_contract(text):
    check_world(make_gameboy(GameBoyConfig(max_steps=3, observation=text), 2), steps=7)

@pytest.mark.parametrize('text', SEEN)
def test_going_on_is_exact(text):
    def rest(env): return [[x.clone() for x in (*out[:4], env.final_obs)] for out in random_steps(env, 8, seed=5)]
    with town(text, stack_k=2) as env, town(text, stack_k=2) as other:
        env.reset(seed=9); other.reset(seed=1)
        for _ in random_steps(env, 5): pass
        saved = env.state_dict()
        want = rest(env)
        other.load_state_dict(saved)
        for a, b in zip(want, rest(other)): assert all(x.equal(y) for x, y in zip(a, b))

def test_a_state_of_another_observation_is_refused():
    with town('full') as env, town('mean') as other, town('shades') as usual:
        for e in env, other, usual: e.reset(seed=0)
        for a, b in (env, other), (env, usual), (usual, env):
            with pytest.raises(ValueError, match='the saved state'): a.load_state_dict(b.state_dict())
        assert 'observation' not in usual.facts() and env.facts()['observation'] == 'full'
        assert env.spec().difference(other.spec().plain()), 'a policy is for one of them'

@pytest.mark.parametrize('how', [dict(observation='ful'), dict(observation=''), dict(observation='full', packed=True),
    dict(observation='full crop=0,0,145,160'), dict(observation='mean mask=-1,0,4,4'), dict(observation=7), dict(observation='x'*999)])
def test_unknown_observations_are_one_line(how):
    with pytest.raises((ValueError, TypeError, UserError)) as e: EnvConfig(**how)
    assert len(str(e.value).splitlines()) == 1 and len(str(e.value)) < 300

def test_what_a_file_names_is_not_imported():
    "A place in a configuration is looked up, not imported; what a person typed is imported."
    cfg = EnvConfig(observation='antigravity:fly')
    with pytest.raises(UserError, match='is unknown'): PixelsEnv(probe_rom(), 1, cfg, device='cpu')
    assert 'antigravity' not in sys.modules
    OBSERVATIONS.add('gbxnb.envs.observer:_sum_blocks')
    assert OBSERVATIONS.pop('gbxnb.envs.observer:_sum_blocks').high == 255

def test_lines_below_are_for_shades():
    with pytest.raises((UserError, ValueError), match='below shades alone'):
        make('town/house', 1, observation='full', watch=dict(variables=dict(x=0xC385), observe=['x']), device='cpu')

@pytest.mark.parametrize('text', ['full', 'tests/blocks'])
def test_a_goal_of_several_pictures_is_of_shades(text):
    with town('shades', stack_k=2) as env:
        task = env.task
        several = type(task.goal)(**{**vars(task.goal), 'pix': np.stack([task.goal.pix]*2)})
    from gbxnb.envs.goal import GoalJudge
    with pytest.raises(UserError, match='several pictures'):
        PixelsEnv(game.rom(), 1, EnvConfig(stack_k=2, observation=text), task.start, GoalJudge(several), device='cpu')

def test_a_function_by_its_place(tmp_path, monkeypatch):
    "Trained by a place that a person typed, opened by one who types it again, and refused without."
    (tmp_path/'mine_observed.py').write_text('def corners(screens): return screens[:, ::4, ::4]\n')
    monkeypatch.chdir(tmp_path)
    text = 'mine_observed:corners mask=0,0,2,40'
    train('town/house', steps=64, num_envs=4, rollout_steps=8, minibatches=1, model='vector', eval_episodes=0, out='run',
          observation=text, max_steps=20)
    def forget(): del OBSERVATIONS['mine_observed:corners'], sys.modules['mine_observed']
    forget()
    with pytest.raises(UserError, match='mine_observed:corners') as e: open_policy('run')
    assert str(e.value).endswith(f'; give observation={text!r}') and 'mine_observed' not in sys.modules
    env, *_ = open_policy('run', num_envs=2, device='cpu', observation=text)
    assert env.obs_shape == (1, 36, 40) and not env.reset(seed=0)[0][:, :, :2].any()
    with pytest.raises(UserError, match='not with full'): open_policy('run', observation='full')
    forget()

# ---- starts for each environment

def test_starts_for_each_environment():
    "Those that are named, where the mask is set; what comes later is as if they had been chosen."
    with town('shades', n=4) as env, town('shades', n=4) as other:
        snaps = []
        env.reset(seed=2)
        for _ in random_steps(env, 3): snaps += [env.backend.snapshot(i) for i in range(2)]
        for e in env, other:
            assert e.add_starts(snaps) == [1, 2, 3, 4, 5, 6] and e.add_starts(()) == []
            e.cache.choose_from(range(7))
            e.reset(seed=4)
        env.reset(); other.reset(options=dict(start=torch.tensor([6, 0, 3, 3])))
        assert other.cache.snap_id.tolist() == [6, 0, 3, 3]
        assert (other.pix[0].numpy() == snaps[5].pix).all() and other.judge.dist[2] == other.judge.start_dist[3]
        env.reset(); other.reset()
        assert env.cache.snap_id.equal(other.cache.snap_id) and env.obs.equal(other.obs)

@pytest.fixture(scope='module')
def two():
    with town('shades', n=2) as env: yield env

@pytest.mark.parametrize('start', [[0, 0], torch.zeros(2), torch.zeros(3).long(), torch.tensor([0, 1]), torch.tensor([-1, 0]), 0],
                         ids=['list', 'floats', 'size', 'late', 'early', 'int'])
def test_wrong_starts_are_one_line(start, two):
    before = two.reset(seed=0)[0].clone(), two.cache.episode.clone()
    with pytest.raises((ValueError, TypeError), match='start') as e: two.reset(options=dict(start=start))
    assert len(str(e.value).splitlines()) == 1 and two.obs.equal(before[0]) and two.cache.episode.equal(before[1])
    two.reset(options=dict(start=torch.tensor([0, 77]), reset_mask=torch.tensor([True, False])))

def test_full_banks_and_foreign_snapshots_are_refused():
    with town('shades', n=1) as env:
        b = make_backend('warp', probe_rom(), 1, 'cpu')
        for wrong in [env.cache.snapshots[0]]*4096, [b.snapshot(0)]:
            with pytest.raises(ValueError) as e: env.add_starts(wrong)
            assert len(str(e.value).splitlines()) == 1 and len(env.cache) == 1
        b.close()
        env.reset(seed=0)

# ---- what actions mean

OWN = 'NOOP,A,B,SELECT,UP,DOWN,LEFT,RIGHT,A+RIGHT'

@pytest.mark.parametrize('command', ['train', 'goal capture'])
def test_the_help_names_every_codec(command):
    text = ' '.join(find_command(command).parser([]).format_help().split())
    assert all(id in text for id in CODECS)

@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.integers(0, 255), min_size=2, max_size=40, unique=True))
def test_a_list_and_its_name_are_the_same_codec(keys):
    apart = [k for k in keys if k & 3 != 3 and k & 12 != 12]
    id = ','.join(keys_text(k) or 'NOOP' for k in apart)
    if len(apart) < 2: return
    codec = action_codec(id)
    assert codec.id == id and codec.masks.tolist() == apart and codec.names == tuple(id.split(','))
    assert action_codec(','.join('+'.join(reversed(n.split('+'))) for n in codec.names)) == codec

@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 255))
def test_keys_and_their_names(keys):
    assert parse_keys(keys_text(keys)) == keys
    pressed = int(action_codec('multibinary8').masks[keys])
    assert pressed & 3 != 3 and pressed & 12 != 12 and pressed & ~keys == 0 and pressed >> 4 == keys >> 4

def test_two_keys_reach_the_console_at_once():
    with gbxnb.make('town/house', num_envs=2, action_codec_id=OWN) as env:
        env.reset(seed=0)
        env.pad.press(torch.tensor([8, 3]))
        assert env.backend.buttons.numpy().tolist() == [Button.A | Button.RIGHT, Button.SELECT]
        assert env.num_actions == 9 and env.spec().facts['action_codec_id'] == OWN

def test_every_artefact_says_what_actions_mean(tmp_path):
    run = gbxnb.train('town/house', steps=64, num_envs=4, rollout_steps=16, model='small', eval_episodes=0,
                      action_codec_id='NOOP,UP,RIGHT+A', out=str(tmp_path/'run'))
    run.env.close()
    id = 'NOOP,UP,A+RIGHT'
    assert json.loads((tmp_path/'run/checkpoint.json').read_text())['world']['facts']['action_codec_id'] == id
    assert read_log(tmp_path/'run/train_log.jsonl').meta.world['facts']['action_codec_id'] == id
    assert json.loads((tmp_path/'run/world/goal_template.meta.json').read_text())['action_codec_id'] == id

def test_what_is_no_codec_is_one_line():
    for wrong in 'atari', 'A,FIRE', 'LEFT+RIGHT,A', 'A,A':
        with pytest.raises(UserError, match='action_codec_id'): gbxnb.make('town/house', action_codec_id=wrong)
