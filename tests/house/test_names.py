"A name stands for one thing: rewards, observations, networks, algorithms and worlds of one name do not replace each other."
import json, os, shlex, subprocess, sys
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path

import processes
import pytest
import torch
import warp as wp
from gbxnb.envs.rewards import REWARDS
from gbxnb.base.files import UserError, claim_folder
from gbxnb.envs.config import OBSERVATIONS, find_observation
from gbxnb.runs.checkpoint import Save, load_checkpoint, load_world, open_run, take_code
from gbxnb.training.loop import ALGORITHMS, train
from gbxnb.training.config import MODELS, PPOConfig
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

def test_a_function_that_changed_is_named(tmp_path, capsys):
    "In a line, whether it is played or trained on; a checkpoint without a code, and one of another Python, say nothing."
    run = trained(tmp_path/'run', paying(1))
    c = load_checkpoint(run, resume=True)
    name, code = c.meta['world']['facts']['rewards'], c.meta['code_hashes']['rewards']
    assert take_code(c.meta, {}) == []
    REWARDS[name] = replace(REWARDS[name], function=paying(2))
    open_run(run, 2, 'cpu')
    assert name in (said := capsys.readouterr().err) and 'changed' in said and said.count('\n') == 1
    for other in 'cpython-27:' + code.partition(':')[2], '':
        c.meta['code_hashes']['rewards'] = other
        assert take_code(c.meta, {}) == []
    del c.meta['code_hashes']
    assert take_code(c.meta, {}) == []

# What is given stands for the name: kind -> as it was trained, the same in another process, another one

GIVEN = dict(closure='paying(1)|paying(1)|paying(2)', lambdas='two_lambdas[0]|two_lambdas[0]|two_lambdas[1]',
             partial='PAIRS["partials"][0]|partial(general, pays=1)|partial(general, pays=2)', object='Payer(1.)|Payer(1.)|Payer(2.)',
             method='Bound(1.).reward|Bound(1.).reward|Bound(2.).reward', tensor='stateful(1)|stateful(1)|stateful(2)',
             kernel='PAIRS["kernels"][0]|PAIRS["kernels"][0]|PAIRS["kernels"][1]')
LATER = """
import contextlib, io, json, sys
from test_names import *
from gbxnb.runs.train import train as train_on
def said(f):
    err, out = io.StringIO(), io.StringIO()
    with contextlib.redirect_stderr(err), contextlib.redirect_stdout(out):
        try: result = f()
        except UserError as e: result = f'refused: {e}'
    return result, [s for s in err.getvalue().splitlines() if ' is not registered ' in s or ' has changed ' in s]
def opened(given):
    env, policy, meta = open_run(run, 2, 'cpu', **given)
    env.reset(seed=0)
    return float(env.step(torch.zeros(2, dtype=torch.int64))[1][0])
def resumed(given): return train_on(out=run, resume=True, steps=steps, eval_episodes=0, device='cpu', **given).env_steps
steps, before = 16, dict(REWARDS)
for run, given in zip(sys.argv[1::2], sys.argv[2::2]):
    for name in REWARDS.keys() - before: del REWARDS[name]
    _, same, other = given.split('|')
    nothing, same, other = {}, dict(rewards=eval(same)), dict(rewards=eval(other))
    found = [said(lambda: opened(nothing)), said(lambda: resumed(nothing))]
    found += [said(lambda: opened(other)), said(lambda: opened(same)), said(lambda: resumed(same))]
    steps = 24
    found.append(said(lambda: resumed(other)))
    steps = 16
    print(json.dumps(found))
"""

def test_what_is_given_stands_for_the_name(tmp_path):
    "Objects, methods, lambdas: played without, and by whatever is given; another code is named, and resumed all the same."
    words = [w for kind, text in GIVEN.items() for w in (trained(tmp_path/kind, eval(text.split('|')[0])), text)]
    end = processes.python(LATER, *words)
    assert not end.returncode, end.stderr
    for kind, line in zip(GIVEN, end.stdout.splitlines(), strict=True):
        (played, no), (refused, _), (two, changed), (one, quiet), (steps, still), (more, again) = json.loads(line)
        assert played != 1. and two == 2. and one == 1. and not quiet and not still and (steps, more) == (16, 24), (kind, line)
        assert 'played without' in no[0] and 'changed' in changed[0] and 'changed' in again[0], (kind, line)
        assert refused.startswith('refused: names was trained with ') and 'rewards=' in refused, (kind, line)

OTHER = """
import sys
from gbxnb.base.files import UserError
from gbxnb.runs.checkpoint import load_checkpoint, open_run
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
    pytest.param('paying(1)', '[]', 'without its rewards', marks=pytest.mark.slow)], ids=range(3))
def test_in_another_process(first, registered, wanted, runs):
    "Whatever is registered there, and in which order, none is taken for another one without a word."
    run = runs(first)
    end = processes.python(OTHER, run, registered)
    assert any(word in end.stdout + end.stderr for word in wanted.split('|')), end

def test_a_reward_of_a_script_is_given_by_the_line_that_eval_prints(tmp_path):
    few = 'num_envs=4, rollout_steps=8, steps=32, minibatches=1, eval_episodes=0, max_steps=4'
    code = f"gbxnb.train('start', rewards=reward, out='run', device='cpu', {few})"
    (tmp_path/'go.py').write_text(f"import gbxnb\ndef reward(s): return s.length.float()\nif __name__ == '__main__': {code}\n")
    env = os.environ | dict(PATH=os.pathsep.join([str(Path(sys.executable).parent), os.environ['PATH']]))
    def say(line): return subprocess.run(line, shell=True, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert say(f'{shlex.quote(sys.executable)} go.py').returncode == 0
    refused = say('gbxnb eval run --episodes 2 --device cpu')
    assert refused.returncode == 1 and refused.stderr.count('\n') == 1
    judged = say(refused.stderr.partition('type: ')[2])
    assert judged.returncode == 0 and json.loads(judged.stdout)['mean_return'] == 1 + 2 + 3 + 4
