"The ids that Gymnasium knows: in a new process, from a specification, with every option, and against Gymnasium's own vector environment."
import os, subprocess, sys
from dataclasses import fields

import gymnasium
import numpy as np
import pytest
from gbxnb.backends.probe import probe_rom
from gbxnb.envs.config import EnvConfig, GoalConfig
from gbxnb.envs.make import make
from gbxnb.gym_ids import IDS, register_ids
from gbxnb.worlds.prospector.world import ProspectorConfig
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from pages import root

FRESH = """import gbxnb, gymnasium
print(gymnasium.make_vec('gbxnb/Town-v0', num_envs=2, device='cpu').reset(seed=0)[0].shape)
print(gymnasium.make('gbxnb/Town-v0', device='cpu').reset(seed=0)[0].shape)
print(gymnasium.make_vec('gbxnb/Prospector-v0', num_envs=2, device='cpu').reset(seed=0)[0].shape)"""

def test_a_new_process():
    "`import gbxnb` is enough, although Gymnasium is imported after it."
    env = os.environ | dict(PYTHONPATH=str(root))
    run = subprocess.run([sys.executable, '-c', FRESH], env=env, capture_output=True, text=True)
    assert run.returncode == 0 and run.stdout.splitlines() == ['(2, 1, 72, 80)', '(1, 72, 80)', '(2, 260)'], run.stderr

def test_twice_is_no_mistake():
    before = {name: gymnasium.spec(name) for name in IDS}
    register_ids()
    assert {name: gymnasium.spec(name) for name in IDS} == before

@pytest.mark.parametrize('task', ['town/chest', 'town/key'])
@pytest.mark.filterwarnings('ignore')
def test_checker(task): check_env(gymnasium.make('gbxnb/Town-v0', task=task, device='cpu', render_mode='rgb_array').unwrapped)

@pytest.mark.filterwarnings('ignore')
def test_checker_own_rom(tmp_path):
    (tmp_path/'game.gb').write_bytes(probe_rom())
    with make(rom=probe_rom(), device='cpu') as env: folder = env.task.save(tmp_path/'goal')
    options = dict(rom=str(tmp_path/'game.gb'), task=str(folder), device='cpu')
    check_env(gymnasium.make('gbxnb/GameBoy-v0', render_mode='rgb_array', **options).unwrapped)
    assert gymnasium.make('gbxnb/GameBoy-v0', **options).unwrapped.env.rom_sha256 == env.rom_sha256

OTHER = dict(frames_per_step=12, release_after_frames=4, stack_k=3, action_codec_id='pokemonred_puffer_v1', max_steps=9, start_noops=2,
             packed=True, info_mode='stats', step_cost=-.5, alpha=2., goal_bonus=3.)

def test_every_option_arrives():
    assert {f.name for c in (EnvConfig, GoalConfig) for f in fields(c)} == {*OTHER, 'observation'} # which packed ones cannot have
    env = gymnasium.make('gbxnb/Town-v0', device='cpu', observation='mean crop=0,0,64,80', stack_k=2)
    assert (env.observation_space.shape, env.observation_space.high.max()) == ((2, 64, 80), 12)
    env.close()
    for env in (gymnasium.make('gbxnb/Town-v0', device='cpu', **OTHER), gymnasium.make_vec('gbxnb/Town-v0', 2, device='cpu', **OTHER)):
        batch = env.unwrapped.env
        assert {k: getattr(batch.cfg, k, None) or getattr(batch.goal_cfg, k, None) for k in OTHER} == OTHER
        env.close()
    envs = gymnasium.make_vec('gbxnb/Town-v0', 2, device='cpu', max_episode_steps=7)
    assert envs.unwrapped.env.cfg.max_steps == 7

def test_specification_goes_round():
    "An environment is made again from the JSON of its specification."
    env = gymnasium.make('gbxnb/Town-v0', task='town/house', device='cpu', max_steps=9)
    again = gymnasium.make(type(env.spec).from_json(env.spec.to_json()))
    assert again.unwrapped.env.facts() == env.unwrapped.env.facts() and again.unwrapped.env.cfg == env.unwrapped.env.cfg

@pytest.mark.parametrize('options', [{}, dict(stack_k=2), dict(packed=True, info_mode='none')], ids=['plain', 'stack', 'packed'])
def test_same_as_single_consoles(options):
    "What `make_vec` gives by itself, and Gymnasium's vector environment of N consoles."
    args = dict(num_envs=3, task='town/house', device='cpu', max_steps=8, **options)
    sync = dict(vectorization_mode='sync', vector_kwargs=dict(autoreset_mode=AutoresetMode.SAME_STEP))
    ours, theirs = gymnasium.make_vec('gbxnb/Town-v0', **args), gymnasium.make_vec('gbxnb/Town-v0', **sync, **args)
    assert np.array_equal(ours.reset(seed=5)[0], theirs.reset(seed=5)[0])
    rng, ends = np.random.default_rng(0), 0
    for _ in range(20):
        actions = rng.integers(0, 7, 3)
        found, wanted = ours.step(actions)[:4], theirs.step(actions)[:4]
        assert all(map(np.array_equal, found, wanted))
        ends += found[3].sum()
    assert ends == 6
    ours.close(), theirs.close()

def test_render():
    envs = gymnasium.make_vec('gbxnb/Town-v0', 3, device='cpu', render_mode='rgb_array')
    envs.reset(seed=0)
    frames = envs.render()
    assert len(frames) == 3 and all(f.shape == (144, 160, 3) and f.dtype == np.uint8 for f in frames)
    assert envs.metadata == dict(autoreset_mode=AutoresetMode.SAME_STEP, render_modes=['rgb_array'], render_fps=59.7275/24)

# ---- ships

SHIP = dict(reward='profit', judged_by='native', time_max=99, max_steps=9, backend='reference', info_mode='none', action_mask=True)

def test_every_option_of_a_ship_arrives():
    assert {f.name for f in fields(ProspectorConfig)} == SHIP.keys()
    options = dict(device='cpu', **SHIP)
    for env in (gymnasium.make('gbxnb/Prospector-v0', **options), gymnasium.make_vec('gbxnb/Prospector-v0', 2, **options)):
        assert env.unwrapped.env.cfg == ProspectorConfig(**SHIP)
        env.close()
    assert gymnasium.make_vec('gbxnb/Prospector-v0', 2, device='cpu', max_episode_steps=7).unwrapped.env.cfg.max_steps == 7
    one = gymnasium.make('gbxnb/Prospector-v0', device='cpu', max_steps=7)
    assert gymnasium.make(type(one.spec).from_json(one.spec.to_json())).unwrapped.env.cfg.max_steps == 7

@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('options', [{}, dict(action_mask=True, reward='profit', backend='reference')], ids=['plain', 'masked'])
def test_checker_of_ships(options):
    check_env(gymnasium.make('gbxnb/Prospector-v0', device='cpu', render_mode='rgb_array', **options).unwrapped, skip_render_check=True)

def same(x, y, path=''):
    assert type(x) is type(y), (path, type(x), type(y))
    if isinstance(x, dict):
        assert x.keys() == y.keys(), (path, x.keys(), y.keys())
        for k in x: same(x[k], y[k], f'{path}/{k}')
    elif x.dtype == object: assert all((p is None and q is None) or np.array_equal(p, q) for p, q in zip(x, y)), path
    else: assert x.dtype == y.dtype and np.array_equal(x, y), (path, x, y)

@pytest.mark.parametrize('options', [{}, dict(action_mask=True), dict(action_mask=True, info_mode='none', reward='profit')],
                         ids=['plain', 'masked', 'no infos'])
def test_ships_same_as_single_ones(options):
    "Gymnasium's vector environment of N ships, each with the number and the seed that it has in the batch: every array, every info."
    def one(i): return lambda: gymnasium.make('gbxnb/Prospector-v0', device='cpu', first=i, max_steps=12, **options)
    ours = gymnasium.make_vec('gbxnb/Prospector-v0', 3, device='cpu', max_steps=12, **options)
    theirs = SyncVectorEnv([one(i) for i in range(3)], autoreset_mode=AutoresetMode.SAME_STEP)
    assert ours.single_observation_space == theirs.single_observation_space and ours.action_space == theirs.action_space
    for x, y in zip(ours.reset(seed=5), theirs.reset(seed=[5, 5, 5])): same(x, y)
    rng, ends = np.random.default_rng(0), np.zeros(2, int)
    for _ in range(60):
        actions = rng.choice([0, 1, 6, 8, 12, 29, 68], 3, p=[.2, .1, .2, .2, .1, .15, .05])
        found, wanted = ours.step(actions), theirs.step(actions)
        for name, x, y in zip(('obs', 'reward', 'terminated', 'truncated', 'infos'), found, wanted): same(x, y, name)
        ends += found[2].sum(), found[3].sum()
    assert (ends > 2).all()
    ours.close(), theirs.close()

def test_a_single_ship_skips_no_episode():
    "`reset` after an end shows the episode that has begun; in the middle of one, or with a seed, it begins another."
    env = gymnasium.make('gbxnb/Prospector-v0', device='cpu')
    episodes, batch = [], env.unwrapped.env
    def look(): episodes.append(int(batch.fleet.tensors['episodes'][0]))
    env.reset(seed=1), look()
    env.step(68), env.reset(), look()
    env.step(6), env.reset(), look()
    env.reset(), look()
    env.step(68), env.reset(seed=1), look()
    assert episodes == [1, 2, 3, 4, 1]

def test_pictures_of_ships():
    envs = gymnasium.make_vec('gbxnb/Prospector-v0', 2, device='cpu', render_mode='rgb_array')
    envs.reset(seed=0)
    frames = envs.render()
    assert len(frames) == 2 and all(f.shape == (620, 920, 3) and f.dtype == np.uint8 for f in frames) and (frames[0] != frames[1]).any()
    assert envs.metadata == dict(autoreset_mode=AutoresetMode.SAME_STEP, render_modes=['rgb_array'], render_fps=8.)
    assert gymnasium.make_vec('gbxnb/Prospector-v0', 2, device='cpu').render() is None
