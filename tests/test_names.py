"A name stands for one thing: rewards, observations, networks, algorithms and worlds of one name do not replace each other."
from dataclasses import asdict, dataclass, replace
from functools import cache, partial

import processes
import pytest
import torch
import warp as wp
from gbxnb.envs.rewards import REWARDS
from gbxnb.base.files import UserError
from gbxnb.base.folder import claim_folder
from gbxnb.envs.config import OBSERVATIONS, find_observation
from gbxnb.runs.checkpoint import Save, load_checkpoint
from gbxnb.runs.resume import load_world, open_run, resume_run
from gbxnb.training.loop import ALGORITHMS
from gbxnb.training.config import MODELS, PPOConfig
from gbxnb.training.loop import train
from gbxnb.training.rollout import start_run
from gbxnb.toys.toys import CATCH
from gbxnb.envs.task import GameBoyConfig
from gbxnb.worlds.gameboy import make_gameboy
from gbxnb.worlds.contract import WORLDS
from torch import nn

@pytest.fixture(autouse=True)
def as_before():
    "The registries, after each test."
    before = [(table, dict(table)) for table in (REWARDS, OBSERVATIONS, MODELS, ALGORITHMS, WORLDS)]
    yield
    for table, had in before:
        table.clear()
        table.update(had)

def paying(k):
    "A reward function of a factory; each has the name of the others."
    def reward(s): return torch.full((s.num_envs,), float(k))
    return reward

def stateful(k):
    t = torch.tensor([float(k)])
    def reward(s): return t.expand(s.num_envs)
    return reward

@dataclass
class Payer:
    "A callable object."
    pays: float
    def __call__(self, s): return torch.full((s.num_envs,), self.pays)

class Bound:
    def __init__(self, k): self.k = k
    def reward(self, s): return torch.full((s.num_envs,), self.k)

def general(s, pays): return torch.full((s.num_envs,), float(pays))
two_lambdas = [lambda s: torch.full((s.num_envs,), 1.), lambda s: torch.full((s.num_envs,), 2.)]
with_defaults = [(lambda s, k=k: torch.full((s.num_envs,), float(k))) for k in (1, 2)]

def kernel(pays):
    @wp.kernel(enable_backward=False)
    def reward(now:wp.array2d[wp.int32], before:wp.array2d[wp.int32], hits:wp.array2d[wp.uint8], length:wp.array[wp.int32],
               reward:wp.array[wp.float32], done:wp.array[wp.bool]):
        i = wp.tid()
        reward[i] = pays
        done[i] = False
    return reward

PAIRS = dict(closures=[paying(1), paying(2)], lambdas=two_lambdas, defaults=with_defaults,
             partials=[partial(general, pays=k) for k in (1, 2)], tensors=[stateful(1), stateful(2)], objects=[Payer(1.), Payer(2.)],
             methods=[Bound(1.).reward, Bound(2.).reward], kernels=[kernel(wp.constant(1.)), kernel(wp.constant(2.))])
PPO = PPOConfig(num_envs=2, rollout_steps=4, minibatches=1, model='small')

def pay(env):
    env.reset(seed=0)
    return float(env.step(torch.zeros(env.num_envs, dtype=torch.int64))[1][0])

def trained(folder, rewards):
    "A run of one update with rewards of one's own."
    config = GameBoyConfig(task='town/house', max_steps=3, rewards=rewards, watch='x=wPlayer')
    env = make_gameboy(config, 2)
    with claim_folder(folder, 'run') as own:
        own.write({f'world/{name}': data for name, data in env.task.files().items()})
        train(start_run(env, PPO, PPO.batch, 'names'), [Save(own, 0, world_config=asdict(config))])
    return folder

FEW = 'closures', # the others are like them

@pytest.mark.parametrize('pair', [pytest.param(p, marks=[pytest.mark.slow]*(p not in FEW)) for p in PAIRS])
def test_the_first_policy_keeps_its_rewards(pair, tmp_path):
    "After training with two functions of one name, each policy's environment pays its own."
    runs = [trained(tmp_path/str(k), f) for k, f in enumerate(PAIRS[pair])]
    metas = [load_checkpoint(run).meta for run in runs]
    names = [meta['world']['facts']['rewards'] for meta in metas]
    assert names[0] != names[1] and all(name in REWARDS for name in names), names
    assert [pay(load_world(meta, run, 2, 'cpu')) for meta, run in zip(metas, runs)] == [1., 2.]
    assert [pay(open_run(run, 2, 'cpu')[0]) for run in runs] == [1., 2.]

def test_the_same_again_has_the_same_name():
    "As when a cell is run twice; another one with state is another one."
    assert REWARDS.add(paying(1)) == REWARDS.add(paying(1)) != REWARDS.add(paying(2))
    assert REWARDS.load(f := paying(3)).function is f
    one, other = PAIRS['kernels']
    assert REWARDS.add(one) == REWARDS.add(one) != REWARDS.add(other)
    with_state, method = stateful(1), Bound(1.)
    assert REWARDS.add(with_state) == REWARDS.add(with_state) != REWARDS.add(stateful(1))
    assert REWARDS.add(method.reward) == REWARDS.add(method.reward)
    watched = [REWARDS.add(paying(4), watch=dict(variables=dict(x=at))) for at in ('0xC000', '0xC001')]
    assert watched[0] != watched[1] and [REWARDS.find(n).watch['variables']['x'] for n in watched] == ['0xC000', '0xC001']

def test_a_name_that_was_given_belongs_to_one():
    "Another reward, observation, network, algorithm or world under it is refused in a line; the same one again is not."
    def net(width):
        class Net(nn.Module):
            def __init__(self, obs_shape, num_actions):
                super().__init__()
                self.width = width
        return Net
    def view(k): return lambda screens: screens + k
    ppo = ALGORITHMS.load('ppo')
    def algo(k): return replace(ppo, update=lambda run: k)
    def world(k): return replace(CATCH, name='mine', make=lambda *args, **kw: k)
    kinds = [(lambda k: REWARDS.register('mine', paying(k)), lambda: REWARDS.find('mine').function),
             (lambda k: OBSERVATIONS.register('mine')(view(k)), lambda: find_observation('mine')[1].function),
             (lambda k: MODELS.register('mine')(net(k)), lambda: MODELS.find('mine')),
             (lambda k: WORLDS.add(world(k)), lambda: WORLDS.load('mine'))]
    for register, found in kinds:
        register(1)
        register(1)
        first = found()
        with pytest.raises(UserError, match='mine: another one has this name') as e: register(2)
        assert found() is first and '\n' not in str(e.value)
    with pytest.raises(UserError, match='ppo: another one has this name'): ALGORITHMS.add(algo(1))
    with pytest.raises(UserError, match='comes with|another one'): REWARDS.register('town/places', paying(1))
    with pytest.raises(UserError, match='another one'): WORLDS.add(replace(CATCH, make=lambda *args, **kw: None))
    assert ALGORITHMS.load('ppo') is ppo

def test_networks_of_one_factory():
    def net(bias):
        class Net(nn.Module):
            def __init__(self, obs_shape, num_actions):
                super().__init__()
                self.bias = bias
        return Net
    nets = [net(1), net(2), net(1)]
    names = [MODELS.add(n) for n in nets]
    assert names[0] == names[2] != names[1]
    assert [MODELS.find(n)(None, 3).bias for n in names] == [1, 2, 1]

def test_a_function_that_changed_is_not_resumed(tmp_path, capsys):
    "Its policy can be looked at, which says so in a line; a checkpoint without a code, and one of another Python, can be resumed."
    run = trained(tmp_path/'run', paying(1))
    c = load_checkpoint(run, resume=True)
    name, code = (c.meta['world']['facts'][k] for k in ('rewards', 'rewards_code'))
    again = lambda: resume_run(load_world(c.meta, run, 2, 'cpu', training=True), c, 2*PPO.batch)
    again()
    REWARDS[name] = replace(REWARDS[name], function=paying(2))
    with pytest.raises(UserError, match='its rewards are a function that has changed'): again()
    assert not capsys.readouterr().err
    open_run(run, 2, 'cpu')
    assert capsys.readouterr().err.count('\n') == 1
    for other in 'cpython-27:' + code.partition(':')[2], None, 5, '':
        c.meta['world']['facts']['rewards_code'] = other
        again()
    del c.meta['world']['facts']['rewards_code']
    again()

OTHER = """
import sys
from gbxnb.base.files import UserError
from gbxnb.runs.checkpoint import load_checkpoint
from gbxnb.runs.resume import open_run
from test_names import *
for f in eval(sys.argv[2]): print(REWARDS.add(f))
try:
    env = open_run(sys.argv[1], 2, 'cpu')[0]
    print('pays', pay(env))
except UserError as e: print('refused:', e)
"""

@pytest.fixture(scope='module')
def runs(tmp_path_factory):
    "The run of rewards that a text names."
    return cache(lambda first: trained(tmp_path_factory.mktemp('runs')/'run', eval(first)))

@pytest.mark.parametrize('first, registered, wanted', [
    ('paying(1)', '[paying(1), paying(2)]', 'pays 1'), ('paying(1)', '[paying(2), paying(1)]', 'refused|changed'),
    pytest.param('paying(1)', '[]', 'refused', marks=pytest.mark.slow),
    pytest.param('stateful(1)', '[stateful(1)]', 'refused', marks=pytest.mark.slow)], ids=range(4))
def test_in_another_process(first, registered, wanted, runs):
    "Whatever is registered there, and in which order, none is taken for another one without a word."
    run = runs(first)
    end = processes.python(OTHER, run, registered)
    assert any(word in end.stdout + end.stderr for word in wanted.split('|')), end
