"""The adapters with the real packages: their pages' cells, whole scripts of a tutorial, and what a page does not show.

A page's cells that need a package are flagged `eval: false`, so that the page passes without; here they run where the package is there."""
import os, re, sys
from importlib import import_module

import gbxnb # noqa: F401 (ids)
import gymnasium
import numpy as np
import pytest
import torch
from execnb.shell import CaptureShell
from fastcore.xtras import working_directory
from gbxnb.adapters.gymnasium import shown, shown_space
from gbxnb.adapters.stable_baselines3 import named
from gbxnb.runs.policy import make
from gbxnb.toys.toys import CartPole, Catch
from gbxnb.prospector.world import Prospector, ProspectorConfig
from pages import read, root

MISSING = 'not installed: pip install "gbxnb[adapters]"'
PAGES = {'adapters/02_stable_baselines3': ['stable_baselines3'], 'adapters/03_rsl_rl': ['rsl_rl', 'tensordict'],
         'adapters/04_torchrl': ['torchrl']}
TUTORIAL = 'tutorials/04_coming_from'
EVERY = ['stable_baselines3', 'rsl_rl', 'torchrl']
PAGES |= {f'studies/{p.stem}': EVERY for p in (root/'nbs/studies').glob('*speed*.ipynb')}

def need(*packages):
    for p in packages: pytest.importorskip(p, reason=f'{p} is {MISSING}')

def house(n, **kw): return make('town/house', n, **dict(max_steps=16) | kw, device='cpu')

def cells(name):
    "The sources of a page's code."
    return [''.join(c['source']) for c in read(root/f'nbs/{name}.ipynb')['cells'] if c['cell_type'] == 'code']

def run_cells(name, shell, chosen=lambda src: True, change=lambda src: src):
    "Run cells of a page; exported ones stand in the package."
    os.environ['IN_TEST'] = '1'
    with working_directory((root/f'nbs/{name}.ipynb').parent):
        for src in filter(chosen, cells(name)):
            if module := re.match(r'#\| default_exp (\S+)', src): # all its names, as a page has them
                shell.user_ns |= {k: v for k, v in vars(import_module(f'gbxnb.{module[1]}')).items() if k[:2] != '__'}
            elif not re.match(r'#\| export', src):
                yield shell.run(change(src))
                if shell.exc: pytest.fail(shell.prettytb(fname=name), pytrace=False)

def new_shell():
    shell = CaptureShell()
    shell._cell_idx = 0
    return shell

def test_pages_are_there():
    "Without the packages, too."
    assert len(PAGES) == 3 and all((root/f'nbs/{p}.ipynb').exists() for p in (*PAGES, TUTORIAL))

@pytest.mark.parametrize('page, packages', PAGES.items(), ids=PAGES)
def test_page_with_its_package(page, packages):
    need(*packages)
    assert len([*run_cells(page, new_shell())]) > 2

WORLDS = dict(house=lambda: house(4), packed=lambda: house(4, packed=True, stack_k=2),
              pads=lambda: house(4, action_codec_id='multibinary8'), catch=lambda: Catch(4, 5, device='cpu'),
              poles=lambda: CartPole(4, 9, device='cpu'), ships=lambda: Prospector(4, ProspectorConfig(max_steps=9), device='cpu'))

@pytest.fixture(params=WORLDS)
def world(request): return WORLDS[request.param]()

def test_every_world_is_shown_within_its_space(world):
    space, obs = shown_space(world), world.reset(seed=0)[0]
    for _ in range(12):
        assert all(space.contains(x) for x in shown(world, obs).numpy())
        obs, _, done, trunc, info = world.step(torch.randint(world.num_actions, (4,)))
        assert all(v.shape == (4,) for _, v in named(info, done | trunc))
    assert isinstance(world, (CartPole, Prospector)) or world.reached.equal(done)

def test_stable_baselines3_trains_in_every_world(world):
    need('stable_baselines3')
    from gbxnb.adapters.stable_baselines3 import SB3VecEnv
    from stable_baselines3 import PPO
    from stable_baselines3.common.evaluation import evaluate_policy
    picture = len(world.obs_shape) == 3
    env = SB3VecEnv(world)
    ppo = PPO('CnnPolicy' if picture else 'MlpPolicy', env, n_steps=8, batch_size=32, n_epochs=1, seed=0,
              policy_kwargs=dict(features_extractor_kwargs=dict(features_dim=16)) if picture else None)
    ppo.learn(64)
    with torch.no_grad(): returns, lengths = evaluate_policy(ppo, env, 6, return_episode_rewards=True)
    assert len(returns) == 6 and min(lengths) >= 1 and len(ppo.ep_info_buffer) > 0

def test_terminal_values_are_added_where_time_was_up():
    "Stable-Baselines3 adds gamma times the value of the last observation to a truncated reward, and to no other."
    need('stable_baselines3')
    from gbxnb.adapters.stable_baselines3 import SB3VecEnv
    from stable_baselines3 import PPO
    env = SB3VecEnv(CartPole(2, 5, device='cpu'))
    ppo = PPO('MlpPolicy', env, n_steps=5, batch_size=10, n_epochs=1, gamma=.5, seed=0)
    with torch.no_grad(): # a critic that always says 8
        ppo.policy.value_net.weight.zero_(), ppo.policy.value_net.bias.fill_(8)
    ppo.learn(10)
    rewards = ppo.rollout_buffer.rewards
    assert rewards[:4].ravel().tolist() == [1]*8 and rewards[4].tolist() == [5, 5]

def test_rsl_rl_trains_in_every_world(world, capsys):
    need('rsl_rl', 'tensordict')
    from gbxnb.adapters.rsl_rl import RslRlEnv, runner_config
    from rsl_rl.runners import OnPolicyRunner
    env = RslRlEnv(world)
    runner = OnPolicyRunner(env, runner_config(env, 8, (16,), num_learning_epochs=1), device='cpu')
    runner.learn(2, init_at_random_ep_len=not isinstance(world, Prospector))
    act = runner.get_inference_policy()(env.get_observations())
    assert act.shape == (4, world.num_actions) and (act.sum(1) == 1).all()

def test_rsl_rl_bootstraps_where_time_was_up():
    "Its rule: gamma times the value of the observation before, for truncated steps alone."
    need('rsl_rl', 'tensordict')
    from gbxnb.adapters.rsl_rl import RslRlEnv, runner_config
    from rsl_rl.runners import OnPolicyRunner
    env = RslRlEnv(CartPole(2, 5, device='cpu'))
    runner = OnPolicyRunner(env, runner_config(env, 5, (16,), gamma=.5), device='cpu')
    alg, obs = runner.alg, env.get_observations()
    with torch.no_grad(): alg.critic.mlp[-1].weight.zero_(), alg.critic.mlp[-1].bias.fill_(8)
    with torch.inference_mode():
        for _ in range(5):
            obs, rewards, dones, extras = env.step(alg.act(obs))
            alg.process_env_step(obs, rewards, dones, extras)
    assert alg.storage.rewards[:4].flatten().tolist() == [1]*8 and alg.storage.rewards[4].flatten().tolist() == [5, 5]

def test_torchrl_checks_every_world(world):
    need('torchrl')
    from gbxnb.adapters.torchrl import TorchRLEnv
    from torchrl.envs.utils import check_env_specs
    env = TorchRLEnv(world)
    check_env_specs(env, seed=3, break_when_any_done='both')
    played = env.rollout(20, break_when_any_done=False)
    assert played.shape == (4, 20) and played['next', 'done'].any()
    env.close()

# ---- seeds and actions

def vector(kind):
    from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv
    return dict(dummy=DummyVecEnv, subproc=SubprocVecEnv)[kind]([alone]*3)

def alone(): return gymnasium.make('gbxnb/Town-v0', start_noops=30, sticky=.25, device='cpu')

@pytest.mark.parametrize('kind', ['dummy', pytest.param('subproc', marks=pytest.mark.slow)])
def test_workers_of_stable_baselines3(kind):
    "They differ without a seed; with any seed that it draws they do, and twice the same."
    need('stable_baselines3')
    env, seen = vector(kind), []
    for seed in None, 2**32 - 2, 2**32 - 2:
        if seed: env.seed(seed)
        env.reset()
        seen.append([tuple(row) for row in zip(*(env.step([a]*3)[0].reshape(3, -1).sum(1).tolist() for a in (3, 4, 5, 6)*6))])
    env.close()
    assert seen[1] == seen[2] and len({*seen[0], *seen[1]}) == 6

@pytest.mark.parametrize('seed', [2**31, 2**32 - 1, 2**62])
def test_any_seed_does(seed):
    need('stable_baselines3', 'torchrl')
    from gbxnb.adapters.stable_baselines3 import SB3VecEnv
    from gbxnb.adapters.torchrl import TorchRLEnv
    wanted = Catch(4, device='cpu').reset(seed)[0]
    env, other = SB3VecEnv(Catch(4, device='cpu')), TorchRLEnv(Catch(4, device='cpu'))
    env.seed(seed), other._set_seed(seed)
    assert (env.reset() == wanted.numpy()*85).all() and other.reset()['observation'].equal(wanted*85)

@pytest.mark.parametrize('actions, why', [([0, 99], 'is 99'), ([0, -1], 'is -1'), ([0., 1.7], 'float64'), ([True, False], 'bool'),
                                          ([0], 'shape'), ([[0], [1]], 'shape')])
def test_wrong_actions_of_arrays(actions, why):
    need('stable_baselines3')
    from gbxnb.adapters.stable_baselines3 import SB3VecEnv
    for world in Catch(2), CartPole(2), house(2):
        env = SB3VecEnv(world)
        env.reset()
        with pytest.raises((TypeError, ValueError), match=f'^actions? .*{why}'): env.step(np.array(actions))

def test_actions_of_torchrl():
    "A number each, as the spec says; one-hot rows and floats are named, and of eight buttons each is held or not."
    need('torchrl')
    from gbxnb.adapters.torchrl import TorchRLEnv
    numbers = torch.tensor([2, 5])
    def press(env, actions): return env.step(env.reset().set('action', actions))
    for world in house(2), Catch(2), CartPole(2):
        env, one_hot = TorchRLEnv(world), torch.nn.functional.one_hot(numbers % world.num_actions, world.num_actions)
        press(env, numbers % world.num_actions)
        for wrong in one_hot, one_hot.bool(), one_hot.float(), numbers.float(), numbers > 2, numbers.int(), numbers[:, None]:
            with pytest.raises((ValueError, RuntimeError), match='(but the action spec is Categorical, torch.int64|batch dimension)'):
                press(env, wrong)
        with pytest.raises(ValueError, match='environment 1 is'): press(env, numbers + world.num_actions - 3)
    pads = TorchRLEnv(house(2, action_codec_id='multibinary8'))
    held = torch.tensor([[0, 0, 0, 1, 1, 0, 0, 0]]*2)
    for right in held, held.bool(), held.float(), held.to(torch.int8):
        press(pads, right)
        assert pads.env.pad.actions.tolist() == [24, 24]
    for wrong in held*2, held*.7, -held:
        with pytest.raises(ValueError, match='environment 0 is -1'): press(pads, wrong)

@pytest.mark.parametrize('place, name', [('stable_baselines3', 'SB3VecEnv'), ('rsl_rl', 'RslRlEnv'), ('torchrl', 'TorchRLEnv')])
def test_without_the_package_one_line_says_so(place, name, monkeypatch):
    adapter = getattr(import_module(f'gbxnb.adapters.{place}'), name)
    needed = 'tensordict' if place == 'rsl_rl' else place
    for m in [m for m in sys.modules if m.split('.')[0] == needed]: monkeypatch.delitem(sys.modules, m)
    monkeypatch.setattr(sys, 'meta_path', [Hidden(needed), *sys.meta_path])
    with pytest.raises(Exception, match=r'is not installed; get it with: pip install "gbxnb\[adapters\]"'): adapter(CartPole(1))

class Hidden:
    "A package that is not there."
    def __init__(self, name): self.name = name
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] == self.name: raise ModuleNotFoundError(f'No module named {name!r}', name=name)

SCRIPTS = {'Stable-Baselines3': 'stable_baselines3', 'rsl_rl': 'rsl_rl', 'TorchRL': 'torchrl'}

def train_by(name, seed=0):
    "The very cells of the tutorial: episodes of 256 that reach the goal."
    def mine(src): return 'def say' in src or f"say('{name}'" in src or (name == 'TorchRL' and 'class Bright' in src)
    def seeded(src): return src.replace('seed=0', f'seed={seed}').replace('manual_seed(0)', f'manual_seed({seed})')
    outputs = [o for out in run_cells(TUTORIAL, new_shell(), mine, seeded) for o in out]
    said = ''.join(''.join(o.get('text', '')) for o in outputs)
    return int(re.search(rf'{name}: (\d+) of 256 episodes', said)[1])

@pytest.mark.slow
@pytest.mark.parametrize('name, package', SCRIPTS.items(), ids=SCRIPTS)
def test_tutorial_trains_for_real(name, package):
    "What is learned is far above random buttons, which succeed in 0.2%."
    need(package)
    assert train_by(name) > 128
