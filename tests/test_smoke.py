"""`gbxnb smoke` finds what it looks for: a broken log, weights that are no numbers, a resume that differs, a step that waits. Each is
planted into a run that is sound."""
import json, shutil
from dataclasses import replace

import numpy as np
import pytest
import torch
from gbxnb.base.command import call
from gbxnb.base.files import UserError
from gbxnb.base.folder import open_folder
from gbxnb.base.group import ProcessGroup
from gbxnb.logs.schema import Error, to_line
from gbxnb.proofs import smoke
from gbxnb.proofs.smoke import AGAIN, CHECKS, WHOLE, begin_trial, compare_ends, smoke_cli, strays, tried, try_all
from gbxnb.runs.checkpoint import load_checkpoint, save_checkpoint
from gbxnb.runs.policy import USUAL_WORLD, algorithm_config, world_config
from gbxnb.runs.train import new_run
from gbxnb.worlds.contract import WORLDS

SMALL = dict(num_envs=8, rollout_steps=8)
FEW = SMALL | dict(steps=192, episodes=4, device='cpu', threads=1, traces='off')
KIND = WORLDS.load(USUAL_WORLD)
CONFIG = world_config(KIND, dict(task='town/house', max_steps=16))

def fresh(device='cpu', updates=3):
    cfg = algorithm_config('ppo', SMALL, KIND.defaults)
    return new_run(KIND, CONFIG, 'smoke', updates*cfg.batch, cfg, device, ProcessGroup())

@pytest.fixture(scope='module')
def sound(tmp_path_factory):
    "A run in which nothing is wrong."
    with pytest.MonkeyPatch.context() as m:
        m.setenv('GBXNB_TRACES', 'off')
        torch.set_num_threads(1)
        yield begin_trial(tmp_path_factory.mktemp('smoke'), fresh(), CONFIG, 4)

@pytest.fixture
def trial(sound, tmp_path, monkeypatch):
    "A copy of it, for something to be planted in."
    monkeypatch.setenv('GBXNB_TRACES', 'off')
    shutil.copytree(sound.place, tmp_path/'runs')
    return replace(sound, place=tmp_path/'runs')

def said(t, *names):
    "What checks say: by name, with WRONG before it where something is."
    rows = [tried(name, CHECKS[name], t) for name in names]
    return [r['said'] if r['ok'] else f'WRONG {r["said"]}' for r in rows]

def change(folder, how):
    "Replace a checkpoint by a changed one."
    c = load_checkpoint(folder, resume=True)
    how(c)
    with open_folder(folder, 'run') as f: save_checkpoint(f, c)

def test_nothing_is_wrong(trial, capsys):
    "Each check says what it saw, in a line; the copy ends where the run did, in every bit."
    left = load_checkpoint(trial.place/AGAIN).meta['counters']['update']
    lines = said(trial, *CHECKS)
    assert left == 1 and not [line for line in lines if line.startswith('WRONG')], lines
    assert lines[0] == '4 lines, 3 records, no finding' and 'bit for bit' in lines[3] and 'from update 1 to 3' in lines[3]
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in printed] == [['ok', name] for name in CHECKS]

ERROR = Error(run_id='smoke', trace_id='smoke-u000003', kind='nan', message='it went wrong', update=3, crash_report='')
LOGS = {'a number that is none': (lambda lines: lines[:2] + [lines[2].replace(b'"sps":', b'"sps":-', 1)] + lines[3:], 'line 3: '),
        'a record twice': (lambda lines: lines[:3] + lines[2:], 'line 4: '),
        'half a line': (lambda lines: [*lines[:3], lines[3][:40]], 'line 4: cut'),
        'an error behind it': (lambda lines: [*lines, to_line(ERROR)], 'it has 1 errors'),
        'no last record': (lambda lines: lines[:3], 'it ends at step 128, not 192')}

@pytest.mark.parametrize('name', LOGS)
def test_a_broken_log(trial, name):
    broken, wrong = LOGS[name]
    log = trial.place/WHOLE/'train_log.jsonl'
    log.write_bytes(b''.join(broken(log.read_bytes().splitlines(keepends=True))))
    line, = said(trial, 'log')
    assert line.startswith(f'WRONG {wrong}'), line

def test_weights_that_are_no_numbers(trial):
    def spoil(c): c.policy['actor.bias'][3] = np.nan
    change(trial.place/WHOLE, spoil)
    for line in said(trial, 'weights', 'evaluation'): assert line.startswith('WRONG ') and 'actor.bias holds NaN or infinity' in line

def test_weights_that_do_not_load(trial):
    change(trial.place/WHOLE, lambda c: c.policy.popitem())
    assert said(trial, 'weights')[0].startswith('WRONG ')
    part = next((trial.place/WHOLE).glob('policy-*.safetensors'))
    part.write_bytes(part.read_bytes()[:-1])
    assert [line[:6] for line in said(trial, 'weights', 'evaluation')] == ['WRONG ']*2

def test_weights_that_never_changed(trial):
    first = min(trial.begun)
    now = torch.from_numpy(load_checkpoint(trial.place/WHOLE).policy[first])
    assert said(replace(trial, begun=trial.begun | {first: now}), 'weights') == [f'WRONG {first}: as before the first update']

def cold(c):
    for k in [k for k in c.state if '.exp_avg' in k]: c.state[k] = np.zeros_like(c.state[k])

def other_draws(c): c.state['loop.generator'] = torch.Generator().manual_seed(99).get_state().numpy()

@pytest.mark.parametrize('planted', [cold, pytest.param(other_draws, marks=pytest.mark.slow)])
def test_a_resume_that_differs(trial, planted):
    "Without the optimiser's moments, with other random numbers: also by the measure that a GPU is judged by."
    left = load_checkpoint(trial.place/AGAIN, resume=True)
    change(trial.place/AGAIN, planted)
    line, = said(trial, 'resume')
    assert line.startswith('WRONG from update 1 to 3: ') and 'arrays differ' in line, line
    whole, again = (load_checkpoint(trial.place/name) for name in (WHOLE, AGAIN))
    with pytest.raises(UserError, match='of their way apart'): compare_ends(left, whole, again, exact=False)

def test_rounding_is_no_difference_on_a_gpu(trial):
    "And what is no number at all is one."
    left, whole = (load_checkpoint(trial.place/name) for name in (AGAIN, WHOLE))
    near = replace(whole, policy={k: v*np.float32(1 + 1e-6) for k, v in whole.policy.items()})
    assert 'the same counters' in compare_ends(left, whole, near, exact=False)
    none = replace(whole, policy={k: v*np.float32(np.nan) for k, v in whole.policy.items()})
    with pytest.raises(UserError, match='nan of their way apart'): compare_ends(left, whole, none, exact=False)

def test_a_step_that_waits(trial, monkeypatch):
    "A number is read from a tensor in each step."
    real = smoke.load_world
    def waiting(*args, **options):
        env = real(*args, **options)
        step = env.step
        def look(actions):
            actions.sum().item()
            return step(actions)
        env.step = look
        return env
    monkeypatch.setattr(smoke, 'load_world', waiting)
    line, = said(trial, 'device')
    assert line.startswith('WRONG 8 waits for the device in an update: aten._local_scalar_dense') and 'test_smoke' in line, line

def test_a_tensor_that_is_elsewhere():
    run = fresh()
    assert strays(run) == []
    run.rollout.values = run.rollout.values.to('meta')
    assert strays(run) == ['rollout.values']

def test_a_training_that_fails(tmp_path, monkeypatch, capsys):
    "Is a line, and nothing further is tried."
    def fail(*args): raise FloatingPointError('a loss became\nNaN')
    monkeypatch.setattr(smoke, 'train', fail)
    rows = try_all(tmp_path, fresh(), CONFIG, 4)
    assert rows == [dict(check='training', ok=False, said='FloatingPointError: a loss became NaN')]
    assert capsys.readouterr().out == 'WRONG  training    FloatingPointError: a loss became NaN\n'

def test_the_command(tmp_path, monkeypatch):
    "The exit status says what the lines say; the result has what a figure depends on; nothing is left but what is asked for."
    used = []
    def look(t): used.append(t.place)
    def fail(t): raise UserError('it smokes')
    monkeypatch.setattr(smoke, 'CHECKS', dict(look=look))
    status, out, err = call(smoke_cli, out=tmp_path/'found.json', **FEW)
    found = json.loads((tmp_path/'found.json').read_text())
    assert status == 0 and found['ok'] and not used[0].exists() and out.splitlines()[1].split() == ['ok', 'look', 'None']
    assert {'driver_version', 'device', 'torch_version', 'precision', 'compile', 'config', 'git_sha'} <= found.keys()
    assert [r['check'] for r in found['checks']] == ['training', 'look'] and found['config']['num_envs'] == 8
    monkeypatch.setattr(smoke, 'CHECKS', dict(smoke=fail))
    status, out, err = call(smoke_cli, out=tmp_path/'found.json', keep=tmp_path/'kept', **FEW)
    assert status == 1 and out.splitlines()[1].split() == ['WRONG', 'smoke', 'it', 'smokes']
    assert not json.loads((tmp_path/'found.json').read_text())['ok'] and (tmp_path/'kept'/WHOLE/'checkpoint.json').exists()
    for wrong, words in (dict(keep=tmp_path/'kept'), 'a run is there already'), (dict(steps=128), 'three updates have 3 x 8 x 8 = 192'):
        status, out, err = call(smoke_cli, **FEW | wrong)
        assert status == 1 and not out and err.count('\n') == 1 and words in err, err
