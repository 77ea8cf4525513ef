"What is looked at and not run: style, the pages of the site, and whether the package is what the notebooks export."
import importlib, inspect, subprocess, sys
from pathlib import Path

import processes
import pytest
from lints import lint_hot
from pages import root

BIN, APART = Path(sys.executable).parent, True # each on any core
CHECKS = dict(site=[root/'tests/docs_pages.py'], export=[root/'tests/sync_check.py'],
              lint=[BIN/'ruff', 'check', '-q', 'nbs', 'tests', 'setup.py'])

@pytest.mark.parametrize('name', CHECKS)
def test_static(name):
    first, *words = CHECKS[name]
    if first.suffix == '.py': run = processes.python(first, *words, cwd=root)
    else: run = subprocess.run([first, *words], cwd=root, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert not run.returncode, run.stdout + run.stderr

# Functions that run in every step hold no loop, no wait and no new tensor, but for what is excused here; those of an update do not wait

HOT = {
    'gbxnb.envs.config': ('Pad.press',),
    'gbxnb.envs.pixels': ('PixelsEnv.compute_rewards', 'PixelsEnv.reset', 'PixelsEnv.restart',
                          'PixelsEnv.step', '_run', '_goes_on'),
    'gbxnb.envs.observer': ('Stack.push', 'Stack.begin', 'Lines.show', 'Observer.look'),
    'gbxnb.envs.watch_list': ('Watcher.read', 'Watcher.begin', 'Coverage.add'),
    'gbxnb.envs.rewards': ('Moment.begin', 'RewardJudge.pay'),
    'gbxnb.envs.goal': ('GoalJudge.pay', 'GoalJudge.reset'),
    'gbxnb.envs.starts': ('ResetCache.restore', 'ResetCache.graph_key'),
    'gbxnb.backends.base': ('Recorder.__call__',),
    'gbxnb.backends.warp': ('WarpBackend.step', 'WarpBackend.restore', 'WarpBackend.read_variables',
                            'WarpBackend.write_variables', 'WarpBackend.draw'),
    'gbxnb.emulator.emulator': ('Emulator.step', 'Emulator._launch', 'Drawings.get', '_draw',
                                'Emulator.pixels'),
    'gbxnb.base.parallel': ('Workers.__call__',),
    'gbxnb.emulator.render': ('drawing', 'render'),
    'gbxnb.training.rollout': ('Rollout.begin', 'Rollout.append', 'Run.step', 'truncated_values'),
    'gbxnb.training.models': ('_into', 'sample_actions', 'action_logprobs', 'ActorCritic.forward',
                              'scale_pictures'),
    'gbxnb.base.group': ('ProcessGroup.local_rows',),
    'gbxnb.logs.metrics': ('Reducer.add_step', 'Reducer._sum_up', 'Reducer._add_numbers', 'add_dist')}
EXCUSED = {
    ('gbxnb.logs.metrics', 'Reducer.add_step', 'loop'): 'over two totals, where a world gives totals',
    ('gbxnb.envs.pixels', 'PixelsEnv.step', 'makes: clone'):
        'consoles become copies of others, in place; no tensor is made',
    ('gbxnb.envs.pixels', '_goes_on', 'waits: numpy'): 'on a CPU, where looking is free',
    ('gbxnb.envs.pixels', '_goes_on', 'waits: any'): 'the same',
    ('gbxnb.envs.goal', 'GoalJudge.reset', 'makes: where'):
        'writes into `out`; and a reset by hand is no step',
    ('gbxnb.envs.starts', 'ResetCache.restore', 'makes: where'): 'starts that are named, by hand',
    ('gbxnb.envs.starts', 'ResetCache.restore', 'makes: to'): 'the same',
    ('gbxnb.envs.observer', 'Observer.look', 'loop'): 'over the masks',
    ('gbxnb.envs.watch_list', 'Coverage.add', 'loop'): 'over the one to three coordinates',
    ('gbxnb.envs.watch_list', 'Coverage.add', 'makes: clone'): 'a bool for each console',
    ('gbxnb.envs.watch_list', 'Coverage.add', 'makes: int'): 'a cast on the device',
    ('gbxnb.envs.rewards', 'Moment.begin', 'loop'): 'over what a function keeps, by name',
    ('gbxnb.envs.rewards', 'RewardJudge.pay', 'loop'): 'over the numbers it reports, by name',
    ('gbxnb.backends.warp', 'WarpBackend.read_variables', 'loop'): 'over the ranges, as `Emulator._launch`',
    ('gbxnb.emulator.emulator', 'Emulator._launch', 'loop'):
        'over the ranges of the consoles that the CPU threads have, 4 each; one on a GPU',
    ('gbxnb.base.parallel', 'Workers.__call__', 'loop'): 'over the launches of a range',
    ('gbxnb.emulator.emulator', '_draw', 'loop'):
        'the same, when the pictures go elsewhere than before',
    ('gbxnb.emulator.render', 'drawing', 'loop'): 'joins the known shapes in an error message',
    ('gbxnb.training.rollout', 'Rollout.append', 'loop'): 'over the seven fields of a slot',
    ('gbxnb.training.rollout', 'Run.step', 'loop'): 'over the two that are written in place',
    ('gbxnb.training.rollout', 'truncated_values', 'waits: numpy'): 'on a CPU, where looking is free',
    ('gbxnb.training.rollout', 'truncated_values', 'waits: any'): 'the same',
    ('gbxnb.training.rollout', 'truncated_values', 'makes: where'): 'writes into `out`',
    ('gbxnb.training.rollout', 'truncated_values', 'makes: float'): 'values are floats already',
    ('gbxnb.training.models', 'ActorCritic.forward', 'makes: to'): 'what bfloat16 has made goes back',
    ('gbxnb.training.models', 'scale_pictures', 'makes: float'): 'bytes become what a network takes',
    ('gbxnb.logs.metrics', 'Reducer._add_numbers', 'loop'): 'over the numbers of a world\'s own, by name',
    ('gbxnb.logs.metrics', 'Reducer._add_numbers', 'makes: zeros_like'):
        'their totals, in the first step only'}
UPDATE = {
    'gbxnb.training.rollout': ('Run.collect', 'Rollout.batch', 'Rollout.still', 'compute_gae', 'Batch.take',
                               'Sums.add', 'Sums.means', 'explained_variance', 'actor_critic_fields'),
    'gbxnb.training.models': ('_ActionStats.forward', '_ActionStats.backward', 'action_stats'),
    'gbxnb.training.ppo': ('ppo_losses', 'imitation_losses', 'descend', 'ppo_update', 'play_ppo'),
    'gbxnb.training.a2c': ('td_targets', 'a2c_losses', 'a2c_update', 'play_a2c'),
    'gbxnb.base.group': ('ProcessGroup.minibatches', 'ProcessGroup.advantage_stats', 'group_mean',
                         'group_var'),
    'gbxnb.envs.pixels': ('PixelsEnv.totals',),
    'gbxnb.logs.metrics': ('dist_percentiles', 'Reducer.pack', 'Reducer.record'),
    'gbxnb.training.loop': ('Run.set_lr', 'Run.learn', 'Run.log_update')}
WAITS = {('Reducer.record', 'tolist'): 'the one read of an update',
         ('Reducer.record', 'int'): 'of numbers that are on the host by then',
         ('ppo_update', 'item'): 'once an epoch, and only where `target_kl` is set',
         ('Rollout.still', 'any'): 'along the steps, on the device', ('Rollout.still', 'all'): 'the same'}

def source_of(module): return inspect.getsource(importlib.import_module(module))

def planted(at, line, more):
    source = source_of(at)
    assert source.count(line) == 1
    return lambda module: source.replace(line, f'{line}; {more}') if module == at else source_of(module)

def waiting(sources): return {(f, what.removeprefix('waits: ')) for _, f, what in lint_hot(UPDATE, {}, sources) if what.startswith('waits')}

def test_hot_functions():
    assert not lint_hot(HOT, EXCUSED, source_of) and waiting(source_of) == WAITS.keys()
    in_step = planted('gbxnb.training.rollout', 'ro, scratch = self.rollout, self.rollout.scratch', 'seen = self.obs.clone()')
    assert lint_hot(HOT, EXCUSED, in_step) == [('gbxnb.training.rollout', 'Run.step', 'makes: clone')]
    assert waiting(planted('gbxnb.training.ppo', 'gradients.mean()', 'gradients.item()')) - WAITS.keys() == {('descend', 'item')}

def test_planted_offences():
    env = """
class Env:
    def step(self, actions):
        for i in range(self.num_envs): self.reset_one(i)
        return self.pix.clone(), self.done.any().item()
@patch
def reset(self:Env): return [c.cpu().float() for c in self.consoles]
"""
    found = lint_hot({'env': ('Env.step', 'Env.reset', 'Env.close')}, {('env', 'Env.step', 'waits: numpy'): 'gone'}, lambda module: env)
    assert [(name.removeprefix('Env.'), what) for _, name, what in found] == [
        ('close', 'no definition'), ('reset', 'loop'), ('reset', 'makes: float'), ('reset', 'waits: cpu'), ('step', 'loop'),
        ('step', 'makes: clone'), ('step', 'waits: any'), ('step', 'waits: item'), ('step', 'waits: numpy')]
