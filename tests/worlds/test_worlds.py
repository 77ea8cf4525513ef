"""Worlds plug in: every registered one keeps the contract; one of ten lines is trained, resumed and evaluated; nothing that trains or
logs knows a console."""
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import gbxnb
import gymnasium
import numpy as np
import processes
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from gbxnb.base.files import UserError, claim_folder
from gbxnb.base.group import _nearest, marks
from gbxnb.bench.throughput import OpCounter
from gbxnb.runs.checkpoint import Save, load_checkpoint, load_world, open_run, resume_run
from gbxnb.envs.pixels import STATS
from gbxnb.envs.task import GameBoyConfig
from gbxnb.logs.schema import read_log
from gbxnb.logs.metrics import DIST_LEVELS, Reducer
from gbxnb.logs.validate import check_log
from gbxnb.runs.evaluate import Evaluate, UniformPolicy, evaluate
from gbxnb.runs.film import record_rollout
from gbxnb.training.callbacks import LOG, Log, Progress, run_meta
from gbxnb.training.config import PPOConfig
from gbxnb.training.loop import train
from gbxnb.training.rollout import start_run
from gbxnb.toys.toys import STAY, CartPole, Catch, TorchWorld
from gbxnb.worlds.contract import check_world, WORLDS, WorldType
from gbxnb.worlds.gameboy import make_gameboy
from hypothesis import HealthCheck, given, settings, strategies as st

SHORT = dict(gameboy=dict(task='town/house', max_steps=9), catch=dict(max_steps=16), cartpole=dict(max_steps=30),
             prospector=dict(max_steps=20))

# that of consoles is in `test_watch.py`, too
@pytest.mark.parametrize('name', [pytest.param(n, marks=[pytest.mark.slow]*(n == 'gameboy')) for n in sorted(WORLDS)])
@pytest.mark.parametrize('num_envs', [pytest.param(1, marks=pytest.mark.slow), 3])
def test_every_world_keeps_the_contract(name, num_envs):
    kind = WORLDS.load(name)
    env = kind.make(kind.config(**SHORT.get(name, {})), num_envs)
    assert env.spec().world == name, 'a checkpoint finds its world by this name'
    check_world(env)

# A world of ten lines

class Parity(TorchWorld):
    "Is the number even or odd? Action 1 says odd; the right answer earns 1 and ends the episode."
    world, limits = 'parity', dict(number=(0, 7))
    def __init__(self, num_envs, max_steps):
        super().__init__(num_envs, max_steps)
        self.state = dict(number=torch.zeros(num_envs, dtype=torch.int64))
    def begin(self, mask):
        self.state['number'][mask] = torch.randint(0, 8, (int(mask.sum()),), generator=self.generator)
    def move(self, actions): return (right := actions == self.state['number'] % 2).float(), right
    def observe(self): return (self.state['number'] % 2)[:, None].float()

@dataclass(frozen=True)
class ParityConfig:
    max_steps:int = 5 # An episode is truncated after this many steps

def make_parity(config, num_envs, device='auto', seed=0, training=False, first=0): return Parity(num_envs, config.max_steps)

PARITY = WorldType('parity', ParityConfig, make_parity)

@pytest.fixture
def parity(monkeypatch):
    "The world, registered for one test."
    monkeypatch.setitem(WORLDS, 'parity', None) # what the test registers goes with it
    WORLDS.pop('parity')
    WORLDS.add(PARITY)
    return WORLDS.load('parity')

CFG = PPOConfig(num_envs=16, rollout_steps=16, model='vector', lr=1e-2, minibatches=2, gamma=.5)

def test_a_world_of_ten_lines_is_checked(): check_world(Parity(4, 5))

@pytest.mark.slow # examples/01_own_parts trains one
def test_a_world_of_ten_lines_is_trained_and_resumed(parity, tmp_path):
    "Logged, saved, resumed to the same bits, opened by its name, and learned."
    config = parity.config(max_steps=4)
    with claim_folder(tmp_path/'run', 'run') as folder:
        run = start_run(parity.make(config, 16), CFG, 12*CFG.batch, 'parity')
        log = Log(folder, run_meta(run, {}))
        train(run, [log, Save(folder, 0, world_config=asdict(config))])
    whole = train(start_run(parity.make(config, 16), CFG, 15*CFG.batch))
    c = load_checkpoint(tmp_path/'run', resume=True)
    assert c.meta['world']['world'] == 'parity' and c.meta['world_config'] == dict(max_steps=4)
    cfg_env = load_world(c.meta, tmp_path/'run', 16, 'cpu', training=True)
    resumed = resume_run(cfg_env, c, 15*CFG.batch)
    assert resumed.update == 12
    with pytest.raises(UserError, match='another world'): resume_run(WORLDS.load('cue').make(WORLDS.load('cue').config(), 16), c)
    env, model, meta = open_run(tmp_path/'run', 8, 'cpu')
    assert evaluate(env, model, 64).mean_return > .95
    assert whole.update == train(resumed).update == 15

@pytest.mark.slow # `test_train.py` and runs/00_checkpoint resume to the bit
def test_resumed_to_the_bit(parity, tmp_path):
    "Half of a run, saved and resumed, ends with the weights of the whole."
    cfg = PPOConfig(num_envs=8, rollout_steps=8, model='vector', minibatches=2, anneal_lr=False)
    def fresh(updates): return start_run(Parity(8, 5), cfg, updates*cfg.batch, 'half')
    with claim_folder(tmp_path/'run', 'run') as folder: train(fresh(3), [Save(folder, 0, world_config=asdict(ParityConfig()))])
    resumed = train(resume_run(Parity(8, 5), load_checkpoint(tmp_path/'run', resume=True), 6*cfg.batch))
    def weights(run): return torch.cat([p.detach().flatten() for p in run.model.parameters()])
    assert weights(resumed).equal(weights(train(fresh(6))))

class Fork(Parity):
    "An answer ends the episode: the right one is a success, another is none."
    def move(self, actions):
        self.reached = actions == self.state['number'] % 2
        return self.reached.float(), self.every

class Points(Fork):
    "The same without a goal."
    def move(self, actions):
        found, self.reached = super().move(actions), None
        return found

def test_an_end_is_a_success_only_where_the_world_says_so(tmp_path, capsys):
    "Without a goal logs, evaluations and the line of the bar speak of points, and no alarm is raised."
    found, shown = {}, {}
    for world in Fork, Points:
        run = start_run(world(16, 5), CFG, 3*CFG.batch, world.__name__)
        with claim_folder(tmp_path/world.__name__, 'run') as folder:
            hooks = [Evaluate(world(16, 5), 2, 64), Log(folder, run_meta(run, {})), bar := Progress()]
            train(run, hooks)
        found[world], shown[world] = hooks[0].last, bar.shown
        report, r = check_log(tmp_path/world.__name__), run.record
        assert report.ok and report.alarms == 0 and r['done_rate'] == r['reset_rate'] == 1 and 0 < r['paid_rate'] < 1
        assert ('success_rate' in r, 'eval_success_rate' in r) == (world is Fork,)*2 and r['eval_end_rate'] == 1
    won, points = found[Fork], found[Points]
    assert won.success_rate == won.mean_return == points.mean_return and points.success_rate is None is points.median_steps_to_goal
    assert 'success_interval' in won.facts() and not [k for k in points.facts() if 'success' in k or 'goal' in k]
    assert f'{won.success_rate:.1%} of 64 episodes reached the goal' in str(won) and '100.0% ended' in str(points)
    assert {*shown[Fork]} == {'success', 'eval'} and {*shown[Points]} == {'return', 'eval'}

class Over(Catch):
    "When the ball is down everything stands still until time is up, and nothing is ever paid."
    def move(self, actions):
        falls = self.state['row'] < 7
        self.state['paddle'].add_((actions - 1)*falls).clamp_(0, 9)
        self.state['row'] += falls
        return torch.zeros(len(falls)), torch.zeros_like(falls)

def test_a_reward_that_is_never_paid_and_pictures_that_stand_still_are_noticed(tmp_path, capsys):
    cfg = PPOConfig(num_envs=4, rollout_steps=16, minibatches=1, epochs=1, model='small')
    for world, kinds in (Over, ['standstill', 'never_paid']), (Catch, []):
        run = start_run(world(4, 64), cfg, 9*cfg.batch, world.__name__)
        with claim_folder(tmp_path/world.__name__, 'run') as folder: train(run, [Log(folder, run_meta(run, {}))])
        assert [a.kind for a in read_log(tmp_path/world.__name__/LOG).alarms] == kinds
        said = capsys.readouterr().err
        assert said.count('alarm: ') == len(kinds) and ('lower --max-steps' in said) == bool(kinds)

def test_a_world_that_is_not_registered(tmp_path):
    "A checkpoint must not decide what is imported: its world is refused in a line until it is registered."
    with claim_folder(tmp_path/'run', 'run') as folder:
        train(start_run(Parity(16, 5), CFG, CFG.batch), [Save(folder, 0, world_config=asdict(ParityConfig()))])
    with pytest.raises(UserError, match='not registered here') as e: open_run(tmp_path/'run', 8, 'cpu')
    assert '\n' not in str(e.value)

def test_a_world_of_another_package(tmp_path, monkeypatch):
    "It is named by its place; afterwards its checkpoints are known by its own name."
    (tmp_path/'my_mazes.py').write_text('from test_worlds import PARITY as MAZE\n')
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in 'my_mazes:MAZE', 'parity': monkeypatch.setitem(WORLDS, name, None)
    WORLDS.pop('parity')
    WORLDS.pop('my_mazes:MAZE')
    assert WORLDS.load('my_mazes:MAZE') is WORLDS.load('parity') is PARITY

# Actions, and policies of other worlds

def registered(name): return WORLDS.load(name).make(WORLDS.load(name).config(**SHORT.get(name, {})), 2, 'cpu')

EVERY = {name: lambda name=name: registered(name) for name in WORLDS if ':' not in name} | dict(
    stay=lambda: STAY.make(STAY.config(), 2, 'cpu'), parity=lambda: Parity(2, 5))
RIGHT = torch.tensor([0, 1])
WRONG = [(RIGHT + 99, 'environment 0 is 99, but'), (RIGHT - 1, 'environment 0 is -1, but'), (RIGHT.float(), 'torch.float32'),
         ([0, 1], 'list'), (RIGHT > 0, 'torch.bool'), (RIGHT.int(), 'torch.int32'), (RIGHT[:1], r'shape \[1\]'),
         (RIGHT[:, None], r'shape \[2, 1\]'), (None, 'None'), (RIGHT.numpy(), 'ndarray'),
         (torch.nn.functional.one_hot(RIGHT, 2), r'shape \[2, 2\]'), (torch.tensor(1), r'shape \[\]')]

@pytest.mark.parametrize('name', EVERY)
def test_wrong_actions_are_refused(name):
    "In each world, one of ten lines too, by the same words, and nothing is played."
    env = EVERY[name]()
    with pytest.raises(RuntimeError, match='must be reset before its first step'): env.step(RIGHT)
    env.reset(seed=0)
    env.step(RIGHT)
    before = env.state_dict()
    for wrong, why in WRONG:
        with pytest.raises((TypeError, ValueError), match=f'^actions? .*{why}'): env.step(wrong)
    assert all(np.array_equal(v, before[k]) for k, v in env.state_dict().items()) and env.errors() == []
    env.step(RIGHT)
    env.close()
    for late in (lambda: env.step(RIGHT)), env.reset:
        with pytest.raises(RuntimeError, match='was closed'): late()

@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.integers(-2**63, 2**63 - 1) | st.integers(-2, 3), min_size=4, max_size=4))
def test_a_gpu_notes_wrong_actions(numbers):
    "It plays the nearest ones, without an allocation or a wait, and `errors` names the others once."
    env, actions = Parity(4, 5), torch.tensor(numbers)
    marks(env)
    with OpCounter() as ops: played = _nearest(env, actions)
    assert played.tolist() == [min(max(n, 0), 1) for n in numbers] and not ops.allocations and not ops.waits
    wrong = [f'action of environment {i} was {n}, but must be 0..1' for i, n in enumerate(numbers) if n not in (0, 1)]
    assert env.errors() == wrong[:3] + ['and 1 more environments']*(len(wrong) > 3) and env.errors() == []

def town(**options): return gbxnb.make('town/chest', 4, max_steps=16, device='cpu', **options)

OTHERS = dict(num_actions=lambda: Catch(4), obs_shape=lambda: town(stack_k=2), obs_range=lambda: town(observation='mean'),
              action_codec_id=lambda: town(action_codec_id='NOOP,A,B,UP,DOWN,LEFT,RIGHT'), obs_dtype=lambda: CartPole(4),
              Gymnasium=lambda: gymnasium.make('gbxnb/Town-v0', device='cpu'))

@pytest.mark.parametrize('name', OTHERS)
@pytest.mark.parametrize('play', [evaluate, record_rollout])
def test_a_policy_of_another_world_is_refused(name, play):
    policy, env = gbxnb.load_policy(device='cpu'), OTHERS[name]()
    for given_as in policy, policy.model:
        with pytest.raises(UserError, match=name if name != 'obs_dtype' else 'obs_') as e: play(env, given_as, 4)
        assert '\n' not in str(e.value)

def test_what_load_policy_gives_is_a_policy():
    "As its network is; one of a person's own is refused where it answers for other actions."
    policy, env = gbxnb.load_policy(device='cpu'), town()
    assert evaluate(env, policy, np.int64(8)) == evaluate(env, policy.model, 8)
    assert record_rollout(env, policy, 3)[1] == record_rollout(env, policy.model, 3)[1]
    for n in 2, 8:
        with pytest.raises(UserError, match=rf'logits \[4, {n}\], this world wants \[4, 7\]'): evaluate(env, UniformPolicy(n), 4)

# Pages

def test_adding_a_world_and_an_algorithm_is_short():
    "Under 60 lines of code each, pictures included; that they run is tried with all pages."
    cells = json.loads((Path(__file__).parents[2]/'nbs/examples/01_own_parts.ipynb').read_text(encoding='utf-8'))['cells']
    begin = next(k for k, c in enumerate(cells) if "## A world of one's own" in ''.join(c['source']))
    lines = [ln for c in cells[begin:] if c['cell_type'] == 'code' for ln in ''.join(c['source']).splitlines() if ln.strip()]
    assert len(lines) < 120

# Imports

LOADED = """import importlib, json, pkgutil, sys
for name in [m for m in sys.modules if m.split('.')[0] == 'gbxnb']: del sys.modules[name]
import gbxnb
room = __import__(f'gbxnb.{sys.argv[1]}', fromlist=['x'])
for m in pkgutil.walk_packages(room.__path__, room.__name__ + '.'): importlib.import_module(m.name)
print(json.dumps([m for m in sys.modules if m.startswith('gbxnb.')]))
"""

@pytest.mark.parametrize('room', ['training', 'logs'])
def test_no_console_where_learning_is(room):
    "A process that imports the whole room has loaded no console; of the environments only how pictures are packed."
    run = processes.python(LOADED, room)
    assert not run.returncode, run.stderr
    rooms = 'emulator', 'backends', 'runs', 'bench', 'lab', 'worlds.gameboy', 'worlds.classic', 'worlds.probes', 'envs'
    allowed = {'gbxnb.envs', 'gbxnb.base.figures'}
    assert not [m for m in json.loads(run.stdout) if m not in allowed and m.removeprefix('gbxnb.').startswith(rooms)]

def game_records(mode):
    "The records of three updates of the bundled game, and the info of the last step."
    cfg = PPOConfig(num_envs=4, rollout_steps=8, minibatches=1, epochs=1)
    with make_gameboy(GameBoyConfig(task='town/house', max_steps=5, info_mode=mode), 4, 'cpu', training=True) as env:
        seen = []
        run = start_run(env, cfg, 3*cfg.batch)
        run.reducer.record = lambda record=run.reducer.record, **scalars: seen.append(record(**scalars)) or dict(seen[-1])
        train(run)
        return seen, dict(env.info)

def test_totals_log_what_all_numbers_do():
    "`info_mode='stats'` has no number for each environment, and the log of a run has the same episodes and distances."
    (full, _), (stats, info) = game_records('full'), game_records('stats')
    assert [r['episodes'] for r in full] == [4, 8, 4]
    for one, other in zip(full, stats, strict=True):
        own = {k for k in one if k.startswith('dist_') or k in ('episode_return_mean', 'episode_length_mean')}
        assert len(own) == 5 and other.keys() == one.keys()
        assert own - {k for k in own if other[k] == one[k]} <= {'episode_return_mean'} # added up in another order
        assert other['episode_return_mean'] == pytest.approx(one['episode_return_mean'], rel=1e-12)
    assert len({r['dist_p50'] for r in full}) > 1 and set(info) == {*STATS, 'dist_counts'}
    assert info['dist_counts'].sum() == 4 and len(info['dist_counts']) == DIST_LEVELS + 2

def test_totals_are_not_read_back():
    "On torch's meta device, which holds no data; and all that is done writes into what exists."
    class Ops(TorchDispatchMode):
        names = []
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.names.append(str(func)); return func(*args, **(kwargs or {}))
    r, new = Reducer(4, 7, 'meta'), lambda *shape, **kw: torch.zeros(*shape, device='meta', **kw)
    info = {k: new((), dtype=torch.float64) for k in STATS} | dict(dist_counts=new(DIST_LEVELS + 2, dtype=torch.int64))
    step = new(4), new(4, dtype=torch.bool), new(4, dtype=torch.bool), info, new(4, dtype=torch.int64)
    with Ops() as ops: r.add_step(*step)
    writes = [n for n in ops.names if not n.startswith(('aten.select', 'aten.slice'))]
    assert writes and all(n.split('.')[1].endswith('_') or n.endswith('out') for n in writes), writes
