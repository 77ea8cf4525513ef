"""A third algorithm: a configuration, an update and a record in one place, and nothing else changes."""
from dataclasses import dataclass, replace

import processes
import pytest
import torch
from gbxnb.base.files import UserError, claim_folder
from gbxnb.logs.schema import read_log, Record, describe
from gbxnb.logs.validate import check_log
from gbxnb.runs.checkpoint import Save, load_checkpoint, resume_run
from gbxnb.runs.evaluate import UniformPolicy, evaluate
from gbxnb.training.loop import ALGORITHMS, Algorithm, train
from gbxnb.training.callbacks import LOG, Log, Plot, run_meta
from gbxnb.training.config import A2CConfig, PPOConfig, TrainConfig
from gbxnb.training.models import action_stats
from gbxnb.training.rollout import start_run
from gbxnb.toys.toys import Catch, Cue

@dataclass(frozen=True)
class ReinforceConfig(TrainConfig):
    "What REINFORCE depends on."
    rollout_steps:int = 24 # T, steps each environment plays between two updates
    lr:float = 2e-3 # Adam's learning rate at the start
    anneal_lr:bool = False # Let the learning rate fall to 0 over the run
    algorithm = 'reinforce'

class ReinforceRecord(Record, kw_only=True, forbid_unknown_fields=True):
    "What REINFORCE adds to a record."
    entropy_mean: float
    policy_loss: float

def play_reinforce(run):
    "One update: the log-probability of each action, weighted by the return that followed it (Williams 1992)."
    batch = run.collect(lam=1.)
    logprobs, entropy = action_stats(run.model(batch.obs)[0], batch.actions)
    returns = (batch.returns - batch.returns.mean())/(batch.returns.std() + 1e-8)
    loss = -(returns*logprobs).mean() - run.cfg.entropy_coef*entropy.mean()
    run.optimizer.zero_grad()
    loss.backward()
    run.group.average(run.model)
    norm = torch.nn.utils.clip_grad_norm_(run.model.parameters(), run.cfg.max_grad_norm)
    run.optimizer.step()
    run.opt_steps += 1
    return dict(entropy_mean=entropy.mean(), policy_loss=loss.detach(), grad_norm=norm)

REINFORCE = Algorithm('reinforce', ReinforceConfig, play_reinforce, ReinforceRecord)
CFG = ReinforceConfig(num_envs=4, rollout_steps=12, model='vector')

@pytest.fixture
def reinforce(monkeypatch):
    "The algorithm, registered for one test."
    monkeypatch.setitem(ALGORITHMS, 'reinforce', REINFORCE)

def weights(run): return torch.cat([p.detach().flatten() for p in run.model.parameters()])

def test_it_is_trained_logged_and_resumed(reinforce, tmp_path):
    "Its log is sound and holds its own fields, with no KL; half of a run resumed ends with the bits of the whole."
    with claim_folder(tmp_path/'run', 'run') as folder:
        run = start_run(Catch(4), CFG, 2*CFG.batch, 'third')
        train(run, [Log(folder, run_meta(run, {})), Save(folder, 0), Plot(folder)])
    log = read_log(tmp_path/'run'/LOG)
    assert check_log(tmp_path/'run'/LOG).ok and log.meta.algorithm == 'reinforce'
    assert [r.opt_steps for r in log.records] == [1, 2] and all(r.policy_loss != 0 for r in log.records)
    assert not any(hasattr(r, name) for r in log.records for name in ('approx_kl', 'clipfrac', 'losses', 'value_mean'))
    resumed = train(resume_run(Catch(4), load_checkpoint(tmp_path/'run', resume=True), 4*CFG.batch))
    assert weights(resumed).equal(weights(train(start_run(Catch(4), CFG, 4*CFG.batch))))

@pytest.mark.slow
def test_it_learns(reinforce):
    "Catch from pixels, better than chance by far."
    run = train(start_run(Catch(64), ReinforceConfig(num_envs=64, model='small', lr=3e-3, entropy_coef=.02), 40*64*24))
    assert evaluate(Catch(64), run.model, 256).success_rate > evaluate(Catch(64), UniformPolicy(3), 256).success_rate + .2

READER = """
import sys
for name in [m for m in sys.modules if m.split('.')[0] == 'gbxnb']: del sys.modules[name] # the process has everything, from before
from gbxnb.logs.schema import read_log
from gbxnb.logs.validate import check_log
log = read_log(sys.argv[1])
assert check_log(sys.argv[1]).ok and log.meta.algorithm == 'reinforce'
assert not any(name.startswith('gbxnb.training') for name in sys.modules), 'no algorithm is known here'
print(*(r.policy_loss for r in log.records))
"""

def test_a_log_is_read_where_the_algorithm_is_not_known(reinforce, tmp_path, monkeypatch):
    "The first line says what the fields are: to this process without the algorithm, and to one that has never heard of any."
    with claim_folder(tmp_path/'run', 'run') as folder:
        run = start_run(Catch(4), CFG, 2*CFG.batch)
        train(run, [Log(folder, run_meta(run, {}))])
    monkeypatch.delitem(ALGORITHMS, 'reinforce')
    log = read_log(tmp_path/'run'/LOG)
    assert check_log(tmp_path/'run'/LOG).ok and len(log.records) == 2
    assert log.meta.record == describe(ReinforceRecord) and not isinstance(log.records[0], ReinforceRecord)
    read = processes.python(READER, tmp_path/'run'/LOG)
    assert read.returncode == 0, read.stderr
    assert [float(x) for x in read.stdout.split()] == [r.policy_loss for r in log.records]

class Worded(ReinforceRecord, kw_only=True):
    mood: str

class Open(ReinforceRecord, kw_only=True):
    parts: dict[str, float]

class Taken(ReinforceRecord, kw_only=True):
    alarm: float

class Loud(ReinforceRecord, kw_only=True):
    LOSS: float

class Weights(ReinforceRecord, kw_only=True):
    weights: torch.Tensor

@pytest.mark.parametrize('record, why', [
    (Worded, 'string'), (Open, 'parts.*named numbers'), (Taken, 'alarm.*is no name'), (Loud, 'matching regex'), (Weights, 'Tensor'),
    (dict, 'subclass of `Record`'), (REINFORCE, 'subclass of `Record`')])
def test_a_record_that_no_log_can_describe(record, why):
    "Refused when the algorithm is made."
    with pytest.raises(TypeError, match=f"(?s)the record of algorithm 'reinforce'.*{why}"): replace(REINFORCE, record=record)

def test_one_of_the_same_name_is_refused(reinforce):
    "Else the runs of the first one would go on with the other one, and their logs would describe its records."
    class Other(Record, kw_only=True):
        entropy_mean: float
    run = start_run(Catch(4), CFG, CFG.batch)
    assert [*run_meta(run, {}).record.properties] == ['entropy_mean', 'policy_loss']
    with pytest.raises(UserError, match='reinforce: another one has this name'): ALGORITHMS.add(replace(REINFORCE, record=Other))
    ALGORITHMS.add(replace(REINFORCE))
    assert [*run_meta(run, {}).record.properties] == ['entropy_mean', 'policy_loss']

def test_a_checkpoint_of_an_unknown_algorithm(reinforce, tmp_path, monkeypatch):
    with claim_folder(tmp_path/'run', 'run') as folder: train(start_run(Catch(4), CFG, CFG.batch), [Save(folder, 0)])
    monkeypatch.delitem(ALGORITHMS, 'reinforce')
    with pytest.raises(UserError, match="trained by 'reinforce'; known here are ppo, a2c"):
        resume_run(Catch(4), load_checkpoint(tmp_path/'run', resume=True), 6*CFG.batch)

def test_named_by_its_place(reinforce, monkeypatch, tmp_path):
    "An algorithm of another package."
    monkeypatch.delitem(ALGORITHMS, 'reinforce')
    (tmp_path/'my_algorithms.py').write_text('from test_algorithms import REINFORCE\n')
    monkeypatch.syspath_prepend(str(tmp_path))
    assert ALGORITHMS.load('my_algorithms:REINFORCE') is ALGORITHMS.load('reinforce')

def test_fields_that_are_not_in_its_record(reinforce, tmp_path, monkeypatch):
    "What an update returns and its record does not name is refused in its first line of the log."
    wrong = Algorithm('reinforce', ReinforceConfig, lambda run: play_reinforce(run) | dict(speed=1.), ReinforceRecord)
    monkeypatch.setitem(ALGORITHMS, 'reinforce', wrong)
    with claim_folder(tmp_path/'run', 'run') as folder, pytest.raises(ValueError, match='speed'):
        run = start_run(Catch(4), CFG, CFG.batch)
        train(run, [Log(folder, run_meta(run, {}))])

@pytest.mark.slow # a C++ compiler is busy for half a minute
@pytest.mark.parametrize('cfg', [PPOConfig(minibatches=2, epochs=2), A2CConfig()], ids=['ppo', 'a2c'])
@pytest.mark.parametrize('world, model', [(Cue, 'vector'), (Catch, 'small')], ids=['vector', 'small'])
def test_a_compiled_network_learns_the_same(cfg, world, model):
    "Three updates by one seed: no weight is apart by more than a millionth, where some have moved a thousand times as far."
    def weights(steps, compiled):
        few = replace(cfg, num_envs=8, rollout_steps=8, model=model, compile=compiled)
        try: run = start_run(world(8, device='cpu'), few, 3*few.batch)
        except UserError as e: pytest.skip(str(e))
        run.updates = steps
        return torch.cat([p.detach().flatten() for p in train(run).model.parameters()])
    first, eager, compiled = weights(0, False), weights(3, False), weights(3, True)
    assert (compiled - eager).abs().max() < 1e-6 < 1e-3 < (eager - first).abs().max()
