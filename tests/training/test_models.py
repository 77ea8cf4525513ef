"""Networks of one's own: from a place or a class to a run, to its checkpoint, and back in a process that does not know them.

What is wrong with one is said in a line; nothing is imported because a file names it."""
import contextlib, json, shlex, sys

import gbxnb
import gymnasium
import numpy as np
import processes
import pytest
import torch
from gbxnb.base.command import call
from gbxnb.base.files import UserError
from gbxnb.runs.evaluate import evaluate
from gbxnb.runs.policy import eval_cli
from gbxnb.runs.train import train_cli
from gbxnb.training.callbacks import Callback
from gbxnb.training.config import MODELS, PPOConfig
from gbxnb.training.models import ActorCritic, check_model, make_model, noise
from hypothesis import HealthCheck, given, settings, strategies as st
from torch import nn

WORDS = ('--num-envs 4 --rollout-steps 8 --minibatches 2 --epochs 1 town/house --device cpu --max-steps 6 --eval-episodes 0 --save-every 1 '
         '--steps 32').split()
RESUME = '--resume --steps 64 --device cpu --eval-episodes 0'.split()
NETS = '''
from pathlib import Path
from torch import nn
Path(__file__).with_suffix('.imported').touch()

class Net(nn.Module):
    def __init__(self, obs_shape, num_actions, hidden=16):
        super().__init__()
        self.trunk = nn.Sequential(nn.Flatten(), nn.Linear(obs_shape[0]*obs_shape[1]*obs_shape[2], hidden), nn.Tanh())
        self.actor, self.critic = nn.Linear(hidden, num_actions), nn.Linear(hidden, 1)
    def forward(self, obs):
        x = self.trunk(obs.float())
        return self.actor(x), self.critic(x).squeeze(-1)

class Wider(Net):
    def __init__(self, obs_shape, num_actions): super().__init__(obs_shape, num_actions, 24)

def flat(obs_shape, num_actions):
    net = Net(obs_shape, num_actions)
    net.critic = nn.Identity()
    return net

def broken(obs_shape, num_actions): raise ZeroDivisionError('no luck\\ntoday')
def nothing(obs_shape, num_actions): return None
number = 5
'''

@pytest.fixture
def known():
    "The networks that are known, which a test may change."
    before = dict(MODELS)
    yield MODELS
    MODELS.clear()
    MODELS.update(before)

@pytest.fixture
def nets(tmp_path, monkeypatch, known):
    "A folder with a module of networks, in which a command is started."
    (tmp_path/'mynets.py').write_text(NETS)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop('mynets', None)

def one_line(result):
    status, out, said = result
    assert status == 1 and said.count('\n') == 1 and ': error: ' in said and not out and len(said) < 500, result
    return said

ELSEWHERE = """import json, os
from gbxnb.base.command import call
from gbxnb.runs.evaluate import evaluate
from gbxnb.runs.policy import eval_cli
judge = 'run', '--quick', '--episodes', 4, '--device', 'cpu'
refused, imported = call(eval_cli, *judge), os.path.exists('mynets.imported')
print(json.dumps([refused, imported, call(eval_cli, *judge, '--model', 'mynets:Net')]))
"""

def elsewhere(folder):
    "What a new process says of a run: without a word of its network, and with."
    run = processes.python(ELSEWHERE, cwd=str(folder))
    assert not run.returncode, run.stderr
    return json.loads(run.stdout.splitlines()[-1])

PARTS = '''
from dataclasses import dataclass, replace
from gbxnb.toys.toys import Catch
from gbxnb.worlds.contract import WorldType

def farther(s): return (s.now.place > s.before.place).float()

@dataclass(frozen=True)
class Short:
    "Its options."
    max_steps:int = 9 # Until an episode ends

class Ball(Catch):
    def spec(self): return replace(super().spec(), world='ball')

def make(config, num_envs, device='auto', seed=0, training=False, first=0): return Ball(num_envs, config.max_steps, 'cpu')
BALL = WorldType('ball', Short, make, defaults=dict(steps=32, num_envs=4, rollout_steps=8, minibatches=2, model='small'))
'''

def typed(folder, *words):
    "What a new process says of a command line that is typed in a folder."
    run = processes.python('from gbxnb.__main__ import main; main()', *words, cwd=str(folder))
    return run.returncode, run.stdout, run.stderr

@pytest.mark.parametrize('trained, options', [
    (['town/house', '--rewards', 'parts:farther', '--watch', 'place=wPlace', '--model', 'mynets:Net', *WORDS[:8], *WORDS[9:]],
     ['--model', 'mynets:Net', '--rewards', 'parts:farther']),
    (['--world', 'parts:BALL', '--device', 'cpu', '--eval-episodes', '0'], ['--world', 'parts:BALL'])], ids=['rewards', 'world'])
def test_the_line_to_type(nets, trained, options):
    "Rewards, a network, a world of one's own: a process that does not know them says the line to type."
    (nets/'parts.py').write_text(PARTS)
    assert typed(nets, 'train', '--out', 'run', *trained)[0] == 0
    for words in (['eval', 'run', '--quick', '--episodes', '2', '--device', 'cpu'], ['film', 'run', '--steps', '2', '--device', 'cpu']):
        line = shlex.split(one_line(typed(nets, *words)).split('; type: ')[1])[1:]
        assert line == [*words, *options] and typed(nets, *line)[0] == 0

# A run

def test_a_run_goes_round(nets):
    "Trained by its place; judged, filmed and resumed where it is named, and refused in a line in a process that does not know it."
    assert call(train_cli, '--model', 'mynets:Net', '--out', 'run', *WORDS)[0] == 0
    meta = json.loads((nets/'run/checkpoint.json').read_text())
    assert meta['code'] == dict(model=meta['config']['model']) == dict(model='mynets:Net')
    (nets/'mynets.imported').unlink()
    refused, imported, judged = elsewhere(nets)
    assert 'type: gbxnb eval' in one_line(refused) and refused[2].strip().endswith('--model mynets:Net') and not imported
    assert judged[0] == 0 and json.loads(judged[1])['episodes'] == 4, judged
    MODELS.pop('mynets:Net')
    assert '--model mynets:Net' in one_line(call(train_cli, '--out', 'run', *RESUME))
    status, out, said = call(train_cli, '--out', 'run', '--model', 'mynets:Net', *RESUME)
    assert status == 0 and json.loads(out.splitlines()[-1])['update'] == 2, said

def test_others_do_not_fit(nets):
    "Weights of another shape, another network of this package, and one that is none are named."
    assert call(train_cli, '--model', 'mynets:Net', '--out', 'run', *WORDS)[0] == 0
    judge = 'run', '--quick', '--episodes', 4, '--device', 'cpu'
    assert 'trained with the model mynets:Net, not with small' in one_line(call(eval_cli, *judge, '--model', 'small'))
    MODELS.pop('mynets:Net')
    assert 'its weights: trunk.1.weight is float32[16, 5760]' in one_line(call(eval_cli, *judge, '--model', 'mynets:Wider'))
    assert 'of another model' in one_line(call(eval_cli, *judge, '--model', 'small'))
    (nets/'moved.py').write_text(NETS)
    assert call(eval_cli, *judge, '--model', 'moved:Net')[0] == 0
    sys.modules.pop('moved')

def test_a_class_from_python(nets, known):
    "`model` may be the class; a registered name goes into the checkpoint, and the place beside it."
    import gbxnb
    sys.path.insert(0, str(nets))
    try: from mynets import Net # pyright: ignore
    finally: sys.path.remove(str(nets))
    MODELS.register('net')(Net)
    small = dict(num_envs=4, rollout_steps=8, minibatches=2, epochs=1, max_steps=6, eval_episodes=0, device='cpu', steps=32)
    run = gbxnb.train('town/house', model=Net, out='run', **small)
    meta = json.loads((nets/'run/checkpoint.json').read_text())
    assert run.cfg.model == meta['config']['model'] == 'net' and meta['code'] == dict(model='mynets:Net')
    obs, _ = run.env.reset(seed=3)
    del known['net']
    with pytest.raises(UserError, match="give model='mynets:Net'"): gbxnb.load_policy('run', device='cpu')
    for given_as in Net, 'mynets:Net':
        policy = gbxnb.load_policy('run', device='cpu', model=given_as)
        with torch.no_grad(): assert policy.model(obs)[0].equal(run.model(obs)[0])
        known.pop('mynets:Net')

@pytest.mark.parametrize('model, word', [('huge', 'one of pixel, small, impala, vector'), ('mynets:Nett', 'cannot be imported'),
                                         ('nowhere:Net', 'cannot be imported'), ('mynets:number', 'of type int'),
                                         ('mynets:broken', 'ZeroDivisionError: no luck'), ('mynets:nothing', 'must be a torch.nn.Module'),
                                         ('mynets:flat', 'values of 3 observations have shape [3, 16], not [3]')])
def test_wrong_ones_are_refused(nets, model, word):
    "In a line, before anything is written."
    assert word in one_line(call(train_cli, '--model', model, '--out', 'run', *WORDS))
    assert not (nets/'run').exists()

def test_options_of_other_networks(nets):
    "A plain module has no precision to set; one that derives from `ActorCritic` has."
    rounded = '--model', 'mynets:Net', '--precision', 'bfloat16'
    assert 'no attribute `precision`' in one_line(call(train_cli, *rounded, '--out', 'run', *WORDS))

# What is asked of a network

class Odd(nn.Module):
    "A network with something added to what it knows, and to what it says."
    def __init__(self, tail=lambda logits, values: (logits, values), **parts):
        super().__init__()
        self.first, self.last, self.tail = nn.Conv2d(1, 8, 3), nn.LazyLinear(4), tail
        for name, part in parts.items(): setattr(self, name, part)
    def forward(self, obs):
        x = self.first(obs.float()/3)
        if hasattr(self, 'norm'): x = self.norm(x)
        x = self.last(x.relu().flatten(1))
        return self.tail(x[:, :3], x[:, 3])

class Counted(nn.Module):
    "A buffer that no checkpoint can hold."
    def __init__(self, value):
        super().__init__()
        self.register_buffer('x', value)

GOOD = [dict(), dict(norm=nn.GroupNorm(2, 8)), dict(norm=nn.InstanceNorm2d(8)), dict(norm=nn.Identity())]
BAD = [(dict(norm=nn.BatchNorm2d(8)), 'BatchNorm'), (dict(norm=nn.Dropout(.3)), 'chance'),
       (dict(tail=lambda a, b: a), 'returns a Tensor'), (dict(tail=lambda a, b: (a, b, b)), 'returns 3 things'),
       (dict(tail=lambda a, b: dict(a=a, b=b)), 'returns a dict'), (dict(tail=lambda a, b: (a[:, :2], b)), 'shape [3, 2], not [3, 3]'),
       (dict(tail=lambda a, b: (a, b[:, None])), 'values of 3 observations have shape [3, 1]'),
       (dict(tail=lambda a, b: (a, b.mean())), '[]'), (dict(tail=lambda a, b: (a.half(), b)), 'float16'),
       (dict(tail=lambda a, b: (a, b.view(-1, 1).squeeze())), 'values of 1 observations'),
       (dict(tail=lambda a, b: (a*torch.nan, b)), 'NaN'), (dict(tail=lambda a, b: (a, b.detach())), 'depend on no weight'),
       (dict(more=Counted(torch.full((2,), -torch.inf))), "'more.x' cannot be in a checkpoint"),
       (dict(more=Counted(torch.zeros(2, dtype=torch.bfloat16))), 'bfloat16')]

@pytest.mark.parametrize('how', GOOD, ids=range(len(GOOD)))
def test_good_networks_pass(how): check_model(Odd(**how), noise(3, (1, 36, 40)), 3)

@pytest.mark.parametrize('how, word', BAD, ids=range(len(BAD)))
def test_what_is_wrong_is_said(how, word):
    with pytest.raises(UserError) as e: check_model(Odd(**how), noise(3, (1, 36, 40)), 3, 'odd')
    assert word in str(e.value) and 'model odd' in str(e.value) and '\n' not in str(e.value)

def test_the_seed_decides(known):
    "Also over layers whose size is found in the first look; torch's own numbers go on as if nothing had been."
    MODELS.register('odd')(lambda obs_shape, num_actions: Odd())
    torch.manual_seed(5)
    before = torch.get_rng_state()
    a, b, c = (make_model('odd', (1, 30, 50), 3, seed=s).state_dict() for s in (1, 1, 2))
    assert all(a[k].equal(b[k]) for k in a) and not a['last.weight'].equal(c['last.weight'])
    assert before.equal(torch.get_rng_state())

def test_one_that_has_changed_is_tried_again(known):
    "What a function makes may depend on more than its arguments."
    how = {}
    MODELS.register('odd')(lambda obs_shape, num_actions: Odd(**how))
    make_model('odd', (1, 30, 50), 3)
    how['norm'] = nn.Dropout(.3)
    with pytest.raises(UserError, match='chance'): make_model('odd', (1, 30, 50), 3)

# Names and places

def test_names(known):
    for wrong in 'pixel', 'a b', '', 'a:b', 'x'*81, 5, None:
        with pytest.raises(UserError) as e: MODELS.register(wrong)
        assert '\n' not in str(e.value) and len(str(e.value)) < 300
    for wrong in 5, nn.Linear(1, 1):
        with pytest.raises(UserError, match='must be a class'): MODELS.register('good')(wrong)
    with pytest.raises(ValueError, match='or registered'): PPOConfig(model='mynets:Net')
    with pytest.raises(UserError, match='must be a class'): PPOConfig(model=5) # pyright: ignore
    class Inner(Odd): pass
    assert MODELS.place_of(MODELS.add(Inner)) == '' and MODELS.place_of(MODELS.add(Odd)) == f'{__name__}:Odd'
    assert MODELS.place_of('small') == MODELS.place_of('nothing') == ''

def test_the_help_names_those_of_this_package():
    said = call(train_cli, '--help')[1]
    text = ' '.join(said[said.rindex('--model'):said.rindex('--precision')].split())
    assert len(MODELS.ours) == 4 and all(name in text for name in MODELS.ours) and 'package.module:Class' in text

# torch as a script has set it

@contextlib.contextmanager
def set_to(setter, value, usual):
    setter(value)
    try: yield
    finally: setter(usual)

FOUND = dict(no_grad=torch.no_grad, inference=torch.inference_mode, autocast=lambda: torch.autocast('cpu', torch.bfloat16),
             float64=lambda: set_to(torch.set_default_dtype, torch.float64, torch.float32),
             bfloat16=lambda: set_to(torch.set_default_dtype, torch.bfloat16, torch.float32),
             device=lambda: set_to(torch.set_default_device, 'meta', None), grad=lambda: set_to(torch.set_grad_enabled, False, True),
             algorithms=lambda: set_to(torch.use_deterministic_algorithms, True, False))
QUICK = 'no_grad', 'inference', 'float64'
everywhere = pytest.mark.parametrize('found', [*QUICK, *(pytest.param(k, marks=pytest.mark.slow) for k in FOUND if k not in QUICK)])

def loaded():
    "Eight actions of the policy of this package, and how it is judged."
    policy = gbxnb.load_policy(device='cpu')
    obs, _ = policy.env(4).reset(seed=0)
    return policy(obs).tolist(), str(evaluate(policy.env(4), policy, 4)), policy.model(obs)[0].dtype

@pytest.fixture(scope='module')
def usually(): return loaded()

@everywhere
def test_a_policy_does_not_depend_on_what_is_set(found, usually):
    with FOUND[found](): here = loaded()[:2]
    assert here == usually[:2] and torch.get_default_dtype() is torch.float32

def played(env):
    "All that a world shows, from a seed, and from what it stored."
    out, actions = [env.reset(seed=5)[0].numpy().copy()], torch.tensor([0, 1, 1], device='cpu')
    for _ in range(6): out += [x.numpy().copy() for x in env.step(actions)[:4]]
    env.load_state_dict(env.state_dict())
    return out + [env.step(actions)[0].numpy().copy()]

@everywhere
@pytest.mark.parametrize('world', ['catch', *(pytest.param(k, marks=pytest.mark.slow)
                                              for k in ('gameboy', 'prospector', 'cartpole', 'cue'))])
def test_a_world_does_not_depend_on_where_it_was_made(found, world):
    "Made in there and played outside, or all of it in there: the same bits."
    def made(): return gbxnb.make('town/house' if world == 'gameboy' else '', 3, world=world, device='cpu')
    def alike(a, b): return all(x.dtype == y.dtype and np.array_equal(x, y) for x, y in zip(a, b, strict=True))
    with FOUND[found](): env, inside = made(), played(made())
    assert alike(played(env), played(made())) and alike(inside, played(made()))

@everywhere
def test_a_training_does_not_depend_on_what_is_set(found, tmp_path):
    "Nor does the next update, where a callback leaves something set behind it."
    class Leaves(Callback):
        def on_update(self, run): torch.set_default_dtype(torch.float64), torch.set_grad_enabled(False)
    def weights(name, *callbacks):
        small = dict(num_envs=4, rollout_steps=8, eval_episodes=4, device='cpu', steps=64, out=str(tmp_path/name))
        try: run = gbxnb.train(world='catch', callbacks=callbacks, **small)
        finally: torch.set_default_dtype(torch.float32), torch.set_grad_enabled(True)
        return torch.cat([p.detach().flatten() for p in run.model.parameters()]).numpy()
    with FOUND[found](): inside = weights('inside')
    assert np.array_equal(inside, weights('outside')) and (found != 'no_grad' or np.array_equal(inside, weights('left', Leaves())))

# What a policy is given

@pytest.fixture(scope='module')
def shown():
    policy = gbxnb.load_policy(device='cpu')
    obs = policy.env(4).reset(seed=0)[0].clone()
    return policy, obs, policy(obs, greedy=True).tolist()

TAKEN = dict(array=lambda o: o.numpy(), list=lambda o: o.tolist(), pictures=lambda o: o*85, int64=lambda o: o.long(),
             tensors=lambda o: [*o], strided=lambda o: o.numpy()[:, :, ::-1][:, :, ::-1],
             read_only=lambda o: np.frombuffer(o.numpy().tobytes(), np.uint8).reshape(o.shape))

@pytest.mark.parametrize('how', TAKEN)
def test_what_can_mean_one_thing_is_taken(shown, how):
    "All of a batch, one of it without the others, and none; numbers of NumPy for what is of NumPy."
    policy, obs, best = shown
    for given_as, right in (TAKEN[how](obs), best), (TAKEN[how](obs)[1], best[1]), (TAKEN[how](obs)[:0], []):
        if how == 'tensors' and right != best or how == 'list' and not right: continue
        found = policy(given_as, greedy=True)
        assert found.tolist() == right and isinstance(found, torch.Tensor) == isinstance(given_as, torch.Tensor)
    assert gymnasium.spaces.Discrete(7).contains(policy(obs[0].numpy()))

UNCLEAR = dict(scaled=lambda o: o/255, thirds=lambda o: o/3, floats=lambda o: o.float(), bools=lambda o: o > 1,
               stack=lambda o: o.repeat(1, 4, 1, 1), last=lambda o: o.permute(0, 2, 3, 1), picture=lambda o: o[0, 0],
               screens=lambda o: o.repeat(1, 1, 2, 2), other=lambda o: o*80, mixed=lambda o: torch.where(o == 1, 1, o*85),
               negative=lambda o: o.long() - 1, several=lambda o: o[None], none=lambda o: None, word=lambda o: 'up',
               names=lambda o: dict(image=o), ragged=lambda o: [[1], [2, 3]], nan=lambda o: o*float('nan'))

@pytest.mark.parametrize('how', UNCLEAR)
def test_what_is_unclear_is_one_line(shown, how):
    with pytest.raises(UserError, match=r'but the policy wants torch.uint8 \[N, 1, 72, 80\] of 0..3, as its env shows them$') as e:
        shown[0](UNCLEAR[how](shown[1]))
    assert '\n' not in str(e.value) and len(str(e.value)) < 200

def test_a_policy_of_vectors(tmp_path):
    "Any floats will do that are in the range of the world."
    gbxnb.train(world='prospector', num_envs=4, rollout_steps=4, minibatches=1, steps=16, eval_episodes=0, device='cpu',
                out=str(tmp_path/'run'))
    policy = gbxnb.load_policy(tmp_path/'run', device=torch.device('cpu'), seed=np.uint32(2**32 - 1))
    obs = policy.env(np.int64(3)).reset(seed=0)[0]
    for given_as in obs.double(), obs.numpy().astype(np.float64), obs.tolist(): assert len(policy(given_as)) == 3
    with pytest.raises(UserError, match=r'of .*, but the policy wants torch.float32 \[N, 260\] of -1..1'): policy(obs*9)

# Pictures of any size

OTHER = dict(small='impala', impala='small')
SHAPES = st.tuples(st.integers(1, 4), st.integers(1, 160), st.integers(1, 170))

@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(SHAPES, st.sampled_from([None, (0, 3), (0, 255), (0, 12)]), st.sampled_from(['small', 'impala', 'vector']), st.integers(1, 16))
def test_odd_pictures(shape, obs_range, name, num_actions):
    "Every network takes every size, or says in a line what is too small for it."
    try: model = make_model(name, shape, num_actions, device='cpu', obs_range=obs_range)
    except UserError as e:
        assert name == 'small' and min(shape[1:]) < 36 and '\n' not in str(e)
        return
    obs = noise(5, shape, torch.uint8, obs_range)
    logits, values = model(obs)
    assert logits.shape == (5, num_actions) and values.shape == (5,)
    if isinstance(model, ActorCritic) and name != 'vector' and obs_range in ((0, 3), (0, 12)):
        assert 0 <= model.scale(obs).min() and model.scale(obs).max() <= 1

RANGES = [((1, 40, 36), 'impala'), ((4, 80, 80), 'small')]
MORE = [((2, 144, 160), 'small'), ((1, 101, 37), 'impala'), *((shape, OTHER[n]) for shape, n in RANGES)]

@pytest.mark.parametrize('shape, name', [*RANGES, *(pytest.param(*more, marks=pytest.mark.slow) for more in MORE)])
def test_the_range_is_the_worlds(name, shape):
    "The same picture in four shades and in bytes is the same to a network."
    shades = torch.randint(0, 4, (2, *shape), dtype=torch.uint8)
    few, many = (make_model(name, shape, 7, 1, 'cpu', obs_range=(0, high)) for high in (3, 252))
    for a, b in zip(few(shades), many(shades*84)): assert torch.allclose(a, b, atol=1e-5)

def test_a_world_says_its_range(known):
    "What a world shows decides how its pictures are scaled; without a word they are shades."
    from gbxnb.training.rollout import model_for
    from gbxnb.toys.toys import Catch
    class Bright(Catch):
        obs_range = 0, 255
        def observe(self): return super().observe()*85
    for env, top in (Catch(4), 1), (Bright(4), 1):
        model, (obs, _) = model_for(env, 'small'), env.reset(seed=0)
        assert model.scale(obs).max() == top # pyright: ignore

# Game metrics

def test_watched_variables_reach_the_log(tmp_path):
    "What variables hold at the end of episodes, and what a reward function reports, in each record and for TensorBoard."
    import gbxnb
    from gbxnb.logs.schema import read_log
    from gbxnb.logs.plots import read_run, scalars
    def walked(s): return s.now.x.float() - s.before.x, None, dict(x=s.now.x*2., half=s.length/2.)
    run = gbxnb.train('town/house', rewards=walked, watch=dict(x='wPlayer', y='wPlayer+1'), model='small', max_steps=4, num_envs=4,
                      rollout_steps=6, minibatches=1, eval_episodes=0, device='cpu', steps=48, out=str(tmp_path/'run'))
    records = read_log(tmp_path/'run'/'train_log.jsonl').records
    assert all(r.extras.keys() == {'x', 'y', 'half', 'weight_norm', 'faulty'} and r.extras['half'] == 2 for r in records)
    assert run.update == 2
    assert all(0 <= r.extras['y'] < 20 and r.extras['x'] % .25 == 0 < r.extras['x'] for r in records)
    rows = [scalars(r) for r in read_run(tmp_path/'run').rows]
    assert [r['extras/y'] for r in rows] == [r.extras['y'] for r in records]
