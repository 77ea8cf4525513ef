"""Loggers beside the log of a run: what they are given, what a resumed run adds, and what happens when they fail.

The real packages are used where they are installed (`pip install "gbxnb[tensorboard,wandb]"`), Weights & Biases offline."""
import json, struct, sys, time
from pathlib import Path
from unittest import mock

import pytest
from gbxnb.base.command import call
from gbxnb.base.files import UserError, Folder
from gbxnb.logs.schema import read_log
from gbxnb.logs.plots import read_run, EVENTS, scalars
from gbxnb.runs.train import train, train_cli
from gbxnb.training.callbacks import LOGGERS
from gbxnb.training.loop import Callback

TINY = dict(world='cartpole', num_envs=4, rollout_steps=8, minibatches=2, epochs=1, model='vector', steps=256)
USUAL = dict(device='cpu', eval_episodes=2, eval_every=4, save_every=2)

@pytest.fixture(autouse=True)
def no_pictures(monkeypatch): monkeypatch.setattr('gbxnb.training.callbacks.Plot.on_update', lambda *_: None)

class Extra(Callback):
    "A number of an experiment's own."
    def on_update(self, run): run.record.setdefault('extras', {})['double'] = 2.*run.update

class KilledAt(Callback):
    "Ends a run in the middle of two checkpoints, after its update was logged."
    def __init__(self, update): self.at = update
    def on_update(self, run):
        if run.update == self.at: raise KeyboardInterrupt

def interrupted(out, loggers):
    "A run of eight updates that ended in the sixth and was resumed from the fourth."
    with pytest.raises(KeyboardInterrupt): train(out=str(out), loggers=loggers, callbacks=[Extra(), KilledAt(6)], **TINY, **USUAL)
    train(out=str(out), resume=True, loggers=loggers, callbacks=[Extra()], **USUAL)
    log = read_run(out)
    assert [r['update'] for r in log.rows] == [*range(1, 9)] and len(log.resumes) == 1
    return log.rows

def events(path):
    "Steps and whether they hold scalars, read by nobody's package."
    data, steps = Path(path).read_bytes(), []
    while data:
        size, = struct.unpack('<Q', data[:8])
        event, data = data[12:12+size], data[16+size:]
        n = shift = 0
        for b in event[10:]:
            n |= (b & 127) << shift
            shift += 7
            if b < 128: break
        if b'learning/' in event: steps.append(n)
    return steps

def test_tensorboard_has_each_step_once(tmp_path):
    rows = interrupted(tmp_path/'run', ['tensorboard'])
    assert events(tmp_path/'run'/EVENTS) == [r['env_steps'] for r in rows] == [*range(32, 257, 32)]

@pytest.mark.slow # `test_a_resumed_run_goes_on_in_the_same_run` has one from the beginning
def test_a_logger_that_comes_later_gets_the_past(tmp_path):
    train(out=str(tmp_path/'run'), **TINY, **USUAL)
    train(out=str(tmp_path/'run'), resume=True, loggers='tensorboard', **USUAL | dict(steps=320))
    assert events(tmp_path/'run'/EVENTS) == [*range(32, 321, 32)]

def test_tensorboard_reads_it(tmp_path):
    "While the run goes on, and every number of every record when it is over."
    pytest.importorskip('tensorboard', reason='tensorboard is not installed')
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    seen = []
    train(out=str(tmp_path/'run'), loggers=['tensorboard'], callbacks=[Extra()], **TINY, **USUAL)
    class Live(Callback):
        def on_update(self, run): seen.append([e.step for e in viewer.Reload().Scalars('learning/approx_kl')])
    viewer = EventAccumulator(str(tmp_path/'run'), size_guidance=dict(scalars=0))
    train(out=str(tmp_path/'run'), resume=True, loggers=['tensorboard'], callbacks=[Extra(), Live()], **USUAL | dict(steps=320))
    assert [s[-1] for s in seen] == [256, 288], 'a callback stands before the logger'
    viewer, rows = EventAccumulator(str(tmp_path/'run')).Reload(), read_run(tmp_path/'run').rows
    assert {*viewer.Tags()['scalars']} == set().union(*(scalars(r) for r in rows)) >= {'extras/double', 'eval/success_rate'}
    for tag in viewer.Tags()['scalars']:
        wanted = [(r['env_steps'], scalars(r)[tag]) for r in rows if tag in scalars(r)]
        found = viewer.Scalars(tag)
        assert [e.step for e in found] == [s for s, _ in wanted] and [e.value for e in found] == pytest.approx([x for _, x in wanted])

# Weights & Biases

@pytest.fixture
def standin(monkeypatch):
    "A package that only writes down what is asked of it; a run of it continues where it was."
    package, runs = mock.MagicMock(), {}
    def init(id, **options):
        run = runs.setdefault(id, mock.MagicMock(step=0, options=[], logged=[], ended=[]))
        run.options.append(options)
        def log(values, step):
            assert step >= run.step, 'the package ignores what is earlier'
            run.logged.append((step, values))
            run.step = step + 1
        run.log, run.finish = log, lambda exit_code: run.ended.append(exit_code)
        return run
    package.init = init
    monkeypatch.setitem(sys.modules, 'wandb', package)
    package.runs = runs
    return package

def test_a_resumed_run_goes_on_in_the_same_run(standin, tmp_path):
    rows = interrupted(tmp_path/'run', ['wandb'])
    (name, run), = standin.runs.items()
    assert json.loads((tmp_path/'run'/'wandb.json').read_text()) == dict(id=name) and run.ended == [1, 0]
    assert [s for s, _ in run.logged] == [r['env_steps'] for r in rows]
    for (_, values), row in zip(run.logged, rows):
        different = {k for k, v in scalars(row).items() if values[k] != v}
        assert not {k for k in different if not k.startswith(('speed/', 'counters/wall'))}
    assert run.logged[3][1]['extras/double'] == 8 and run.logged[3][1]['eval/episodes'] == 2
    first, second = run.options
    assert (first['name'], first['resume'], first['config']['seed']) == ('run', 'allow', 0) and second['dir'] == str(tmp_path/'run')

def test_another_run_in_the_folder_is_another(standin, tmp_path):
    "A run that was never saved gives way, and its id with it."
    with mock.patch('gbxnb.runs.checkpoint.Save.on_start'):
        with pytest.raises(KeyboardInterrupt): train(out=str(tmp_path/'run'), loggers=['wandb'], callbacks=[KilledAt(1)], **TINY, **USUAL)
    train(out=str(tmp_path/'run'), loggers=['wandb'], **TINY, **USUAL)
    assert len(standin.runs) == 2

def offline_records(folder):
    "The records of an offline run: a log in blocks of 32 KiB, as LevelDB writes it, of protocol buffers."
    from wandb.proto.wandb_internal_pb2 import Record
    path, = Path(folder).glob('*.wandb')
    data, at, part, out = path.read_bytes(), 7, b'', []
    while at + 7 <= len(data):
        if 32768 - at % 32768 < 7: at += 32768 - at % 32768; continue
        size, kind = struct.unpack_from('<HB', data, at + 4)
        if not kind or at + 7 + size > len(data): break
        part += data[at+7:at+7+size]
        at += 7 + size
        if kind in (1, 4): out, part = [*out, Record.FromString(part)], b''
    return out

def test_weights_and_biases_offline(monkeypatch, tmp_path):
    "With the real package; two processes' worth of a run have one id."
    pytest.importorskip('wandb', reason='wandb is not installed')
    monkeypatch.setenv('WANDB_MODE', 'offline')
    rows = interrupted(tmp_path/'run', ['wandb'])
    name = json.loads((tmp_path/'run'/'wandb.json').read_text())['id']
    parts = sorted((tmp_path/'run'/'wandb').glob(f'offline-run-*-{name}'))
    assert parts, [*(tmp_path/'run'/'wandb').iterdir()]
    end = time.time() + 300 # its service writes the end of a file when it comes to it
    def whole(part): return any(r.WhichOneof('record_type') == 'exit' for r in offline_records(part))
    while time.time() < end and not all(map(whole, parts)): time.sleep(.05)
    records = [r for part in parts for r in offline_records(part)]
    history = [{i.key or '/'.join(i.nested_key): json.loads(i.value_json) for i in r.history.item}
               for r in records if r.WhichOneof('record_type') == 'history']
    steps = {h['_step']: h for h in history}
    assert [*steps] == [r['env_steps'] for r in rows]
    assert steps[128]['extras/double'] == 8 and steps[128]['eval/episodes'] == 2
    assert {r.run.run_id for r in records if r.WhichOneof('record_type') == 'run'} == {name}
    configs = [u for r in records if r.WhichOneof('record_type') == 'run' for u in r.run.config.update]
    assert json.loads(next(u.value_json for u in configs if u.key == 'algorithm')) == 'ppo'

# Failures

def goes_on(out, capsys, **how):
    "Train to the end; returns what was said."
    run = train(out=str(out), **how, **TINY, **USUAL)
    said = capsys.readouterr().err
    assert run.update == 8 and [r.update for r in read_log(out/'train_log.jsonl').records] == [*range(1, 9)]
    assert said.count('\n') == 1 and 'the training goes on without it' in said, said
    return said

@pytest.mark.slow # so does `test_a_connection_that_breaks` go on
def test_a_full_disk(monkeypatch, capsys, tmp_path):
    real, calls = Folder.append, []
    def append(self, name, data):
        calls.append(name)
        if len(calls) == 3: raise OSError(28, 'No space left on device', str(self.path/name))
        real(self, name, data)
    monkeypatch.setattr(Folder, 'append', append)
    assert 'No space left' in goes_on(tmp_path/'run', capsys, loggers=['tensorboard']) and len(calls) == 3
    assert events(tmp_path/'run'/EVENTS) == [32, 64]

def test_a_missing_key(monkeypatch, capsys, tmp_path):
    package = mock.MagicMock()
    package.init.side_effect = RuntimeError('api_key not configured (no-tty).\nCall wandb.login()')
    monkeypatch.setitem(sys.modules, 'wandb', package)
    assert 'WandB: RuntimeError: api_key not configured' in goes_on(tmp_path/'run', capsys, loggers=['wandb'])
    assert package.init.call_count == 1 and not package.init.return_value.log.call_count

def test_a_connection_that_breaks(monkeypatch, capsys, tmp_path):
    package = mock.MagicMock()
    run = package.init.return_value
    run.step, run.log.side_effect = 0, [None, None, ConnectionError('gone')]
    monkeypatch.setitem(sys.modules, 'wandb', package)
    goes_on(tmp_path/'run', capsys, loggers=['wandb', 'tensorboard'])
    assert run.log.call_count == 3 and run.finish.call_count == 1
    assert events(tmp_path/'run'/EVENTS) == [*range(32, 257, 32)], 'the other one is not touched by it'

@pytest.mark.parametrize('names', [['wandb'], ['tensorboard', 'mlflow']])
def test_what_cannot_be_is_said_first(names, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, 'wandb', None)
    status, out, err = call(train_cli, '--world', 'catch', '--out', tmp_path/'run', '--device', 'cpu', loggers=names)
    assert status == 1 and err.count('\n') == 1 and not out and not (tmp_path/'run').exists()
    assert ("gbxnb[wandb]" if names == ['wandb'] else ', '.join(LOGGERS)) in err

def test_a_callback_of_ones_own_may_end_a_run(tmp_path):
    "It is no logger: what it raises is the user's mistake, and stands in the log."
    class Wrong(Callback):
        def on_update(self, run): run.record['extras'] = dict(bad=float('nan'))
    with pytest.raises(UserError, match='extras.bad'): train(out=str(tmp_path/'run'), callbacks=[Wrong()], **TINY, **USUAL)
    log = read_log(tmp_path/'run'/'train_log.jsonl')
    assert not log.records and log.errors[0].kind == 'nan'
