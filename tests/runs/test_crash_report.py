"""What writing a crash report may meet: a full disk, files of others."""
import json, resource

import numpy as np
import pytest
import torch
from gbxnb.base.files import MANIFEST, claim_folder
from gbxnb.runs.crash_report import CrashReports
from gbxnb.logs.schema import NotFinite
from gbxnb.runs.checkpoint import Save, load_checkpoint
from gbxnb.training.callbacks import Log, run_meta
from gbxnb.training.config import A2CConfig, PPOConfig
from gbxnb.training.loop import Callback, train
from gbxnb.training.rollout import start_run
from gbxnb.toys.toys import Catch

def content(out):
    files = [p for p in out.rglob('*') if p.is_file() and not p.is_symlink()]
    return {p: p.read_bytes() if p.stat().st_size < 10**8 else p.stat().st_size for p in files}

# Writing one

def trained(folder):
    "A run with a checkpoint, and what would write its crash report."
    reports, cfg = CrashReports(folder), PPOConfig(num_envs=2, rollout_steps=4, minibatches=1, model='small')
    folder.write({'world/goal.json': 'a goal'})
    run = train(start_run(Catch(2), cfg, 16, 'name'), [reports, Save(folder, 1)])
    for theirs in 'crashes/name-u000002/frames.png', 'crashes/mine.txt':
        (folder.path/theirs).parent.mkdir(parents=True, exist_ok=True)
        (folder.path/theirs).write_text('mine')
    return run, reports

def theirs(path): return [(path/n).read_text() for n in ('crashes/name-u000002/frames.png', 'crashes/mine.txt')] == ['mine', 'mine']
def parts(path): return [p for p in path.rglob('.part-*')]

def test_a_full_disk_hides_no_error(tmp_path):
    "Room for nothing, for the picture alone, for all: nothing is raised, nothing is half there, nothing of others is touched."
    with claim_folder(tmp_path/'run', 'run') as folder:
        run, reports = trained(folder)
        before, limits = content(folder.path), resource.getrlimit(resource.RLIMIT_FSIZE)
        for room in 0, 300, 1000, 5000, 20_000, 10**7:
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
            try: name = reports.write(run, ValueError('a bug'))
            finally: resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            after = content(folder.path)
            assert theirs(folder.path) and not parts(folder.path) and all(after[p] == v for p, v in before.items() if p.name != MANIFEST)
            if name: assert json.loads((folder.path/name/'crash.json').read_text())['message'] == 'a bug'
        assert json.loads((folder.path/name/'crash.json').read_text())['kind'] == 'exception' and name.endswith('+')

class Spoiled(Catch):
    "Catch with numbers that are none, from one step on."
    reward, extra, at = 0., 0., 7
    def step(self, actions):
        obs, reward, *rest, info = super().step(actions)
        self.count = getattr(self, 'count', 0) + 1
        if self.count >= self.at: reward[1] += self.reward
        info = info | dict(extras=dict(level=torch.full_like(reward, self.extra if self.count >= self.at else 1.)))
        return obs, reward, *rest, info

@pytest.mark.parametrize('kind', [PPOConfig, A2CConfig])
@pytest.mark.parametrize('spoil, said', [
    (dict(reward=float('nan')), 'mend the reward: it was nan in environment 1 in step 3 of this update'),
    (dict(reward=float('inf')), 'mend the reward: it was inf in environment 1 in step 3 of this update'),
    (dict(extra=float('nan')), 'mend what the world reports as level'), (dict(), 'try a smaller --lr')], ids=['nan', 'inf', 'info', 'lr'])
def test_a_number_that_is_none_is_blamed_on_its_source(tmp_path, kind, spoil, said):
    "The checkpoint before it is kept, its weights are numbers, and the crash report says the same."
    cfg = kind(num_envs=2, rollout_steps=4, model='small', **(dict(minibatches=1) if kind is PPOConfig else {}))
    env = Spoiled(2)
    for k, v in spoil.items(): setattr(env, k, v)
    class Ruin(Callback):
        def on_update(self, run):
            if not spoil: next(run.model.parameters()).data.fill_(float('nan'))
    with claim_folder(tmp_path/'run', 'run') as folder:
        run = start_run(env, cfg, 10*cfg.batch, 'name')
        with pytest.raises(NotFinite) as e: train(run, [CrashReports(folder), Log(folder, run_meta(run, {})), Save(folder, 1), Ruin()])
    assert said in str(e.value) and ('--lr' in str(e.value)) == (not spoil) and len(str(e.value).splitlines()) == 1
    kept = load_checkpoint(tmp_path/'run', resume=True)
    assert kept.meta['counters']['update'] == run.update - 1 > 0
    assert all(np.isfinite(v).all() for v in kept.policy.values())
    raw = json.loads((tmp_path/'run'/run.crash_report/'crash.json').read_text())
    assert raw['kind'] == 'nan' and said in raw['message'] and raw['not_finite']
