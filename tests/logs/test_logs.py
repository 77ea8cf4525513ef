"A training log may be cut, damaged, replaced by something else, or made to do harm; and the process that writes it may be killed."
import io, json, os, signal, subprocess, sys, time, tracemalloc, warnings

import pytest
from gbxnb.base.command import call
from gbxnb.base.files import UserError
from gbxnb.logs.schema import LogWriter, read_log, Resume
from gbxnb.logs.plots import log_plot_cli, read_run, event, scalars, log_tensorboard_cli
from gbxnb.logs.validate import check_log, log_check_cli
from pages import root
from watched import said_plainly

EXAMPLE = root/'nbs/logs/example_log.jsonl'
META, RECORD = map(json.loads, EXAMPLE.read_text().splitlines()[:2])
ODD = ('x', '8', None, True, [], {}, [1], -1, -1., .5, 0, 10**15, 10**16, 2**64, 10**400, 1e39, 1e300, 1e-300, {'update': 5}, {'run_id': 5},
       {'env_steps': 10**400}, {'message': []}, [[[[]]]], '\ud800', 'x'*70_000, float('nan'))
NAMES = ('env_steps', 'update', 'run_id', 'losses', 'extras', 'action_hist', 'wall_time_s', 'success_rate', 'dist_p50', 'eval_mean_return')
LINES = [b'5', b'"x"', b'[]', b'{}', b'null', b'', b'\xff', b'\0', b'NaN', b'{"a":'*9000, b'['*60_000, b'x'*200_000, b'1' + b'0'*5000,
         b'{"meta": {}, "resume": {}}', b'{"env_steps": 1, "env_steps": 2}']
LINES += [json.dumps(RECORD | {f'n{i}': .5 for i in range(3000)}).encode()]
LINES += [json.dumps({kind: odd}).encode() for kind in ('meta', 'resume', 'error', 'alarm') for odd in ODD]
LINES += [json.dumps(RECORD | {name: odd}).encode() for odd in ODD for name in NAMES]
LINES += [json.dumps(dict(meta=META['meta'] | {name: odd})).encode() for odd in ODD for name in ('record', 'world', 'versions')]
LINES += [json.dumps(dict(meta=META['meta'] | dict(record=dict(type='object', properties=odd)))).encode() for odd in ODD]
LINES += [json.dumps(RECORD | dict(losses=dict(RECORD['losses'], value=odd), extras={'a/b': odd})).encode() for odd in ODD]

WRITER = '''
import json, sys
from gbxnb.logs.schema import LogWriter, read_log, trace_id
log, row = read_log(sys.argv[1]), json.loads(open(sys.argv[1]).readlines()[1])
with LogWriter(sys.argv[2], log.meta) as out:
    for u in range(1, 10**9):
        out.write(row | dict(update=u, env_steps=128*u, opt_steps=8*u, trace_id=trace_id('example', u)))
'''

@pytest.mark.slow # `test_train.py` has a case of each kind of end
def test_killed_while_writing(tmp_path):
    path = tmp_path/'train_log.jsonl'
    writer = subprocess.Popen([sys.executable, '-c', WRITER, EXAMPLE, path])
    deadline = time.time() + 300
    while time.time() < deadline and not (path.exists() and path.stat().st_size > 200_000): time.sleep(.01)
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    report, log = check_log(path), read_log(path)
    assert report.records == len(log.records) > 100
    assert report.ok or (report.cut and report.found == 1)
    assert [r.update for r in log.records] == list(range(1, len(log.records) + 1))

def test_the_schema_says_what_a_line_is():
    schema = json.loads((EXAMPLE.parent/'train_log.schema.json').read_text())
    meta, *rows = map(json.loads, EXAMPLE.read_text().splitlines())
    common, own = schema['$defs']['Record'], meta['meta']['record']
    for row in rows:
        if len(row) == 1: continue
        assert {*common['required'], *own['required']} <= set(row) <= {*common['properties'], *own['properties']}

def test_only_the_log_of_this_run_is_written_to(tmp_path):
    "What is not the log of the run that is resumed stays as it is: nothing is cut off, nothing is added."
    meta, path = read_log(EXAMPLE).meta, tmp_path/'train_log.jsonl'
    resume = Resume(run_id='example', trace_id='example-u000001', env_steps=128, opt_steps=8, update=1)
    other = EXAMPLE.read_bytes().replace(b'"run_id":"example"', b'"run_id":"other"') + b'cut'
    for content in b'a diary\nwithout a newline at its end', b'{"meta": 5}\n{"a', other:
        path.write_bytes(content)
        with pytest.raises(UserError, match='train_log.jsonl: '): LogWriter(path, meta, resume)
        assert path.read_bytes() == content
    path.unlink()
    (tmp_path/'theirs').write_bytes(EXAMPLE.read_bytes())
    path.symlink_to(tmp_path/'theirs')
    with pytest.raises(UserError, match='is a link'): LogWriter(path, meta, resume)
    assert (tmp_path/'theirs').read_bytes() == EXAMPLE.read_bytes()

def resumed(update, **changed):
    "A resume line of the example."
    fields = dict(run_id='example', trace_id=f'example-u{update:06}', env_steps=128*update, opt_steps=8*update, update=update)
    return (json.dumps(dict(resume=fields | changed)) + '\n').encode()

def test_steps_that_go_backwards_between_runs(tmp_path):
    "A run that was killed is resumed from a checkpoint that only moves on; any other order is of two runs in one log."
    path, lines = tmp_path/'train_log.jsonl', EXAMPLE.read_bytes().splitlines(True) # line 11 resumes update 8, line 19 is update 16
    row = {json.loads(line)['update']: line for line in lines[1:] if b'"resume"' not in line}
    end = lines[-1]
    early = end.replace(b'"update":16', b'"update":17').replace(b'"env_steps":2048', b'"env_steps":2176').replace(b'u000016', b'u000017')
    assert {9, 16} <= row.keys() and b'"env_steps":2176' in early
    sound = dict(killed=[*lines, resumed(8), *lines[11:]], again=[*lines, resumed(16), resumed(16)],
                 begin=lines[:4] + [resumed(0)] + lines[1:10], went_on=[*lines, resumed(16), early])
    wrong = dict(before=([*lines, resumed(4)], 20), taken_back=([*lines[:10], resumed(4), row[5], resumed(8), *lines[11:]], 13),
                 env_steps=([*lines, resumed(16, env_steps=1024)], 20), opt_steps=([*lines, resumed(12, opt_steps=8)], 20),
                 first=([*lines[:4], resumed(0, env_steps=128), *lines[2:10]], 5), two=([*lines, resumed(8), row[9], row[16]], 22),
                 time=([*lines, resumed(16), early.replace(b'"wall_time_s":8.0', b'"wall_time_s":0.5')], 21),
                 mixed=([*lines, resumed(8), resumed(8), row[9], row[10], row[9]], 24))
    for name, content in sound.items():
        path.write_bytes(b''.join(content))
        assert check_log(path).ok, (name, check_log(path).findings)
    for name, (content, line) in wrong.items():
        path.write_bytes(b''.join(content))
        report = check_log(path)
        assert not report.ok and report.findings[0].line == line, (name, report.findings)

def test_metrics_only_look():
    "A training run with metrics and one without end with the same parameters, bit for bit."
    from gbxnb.training.config import PPOConfig
    from gbxnb.training.loop import train
    from gbxnb.training.rollout import start_run
    from gbxnb.toys.toys import Catch
    class Off:
        def add_step(self, *args): pass
        def record(self, **scalars): return {}
    cfg, ends = PPOConfig(num_envs=8, rollout_steps=8, minibatches=2, model='small'), []
    for metrics in True, False:
        run = start_run(Catch(8), cfg, 2*cfg.batch)
        if not metrics: run.reducer = Off()
        ends.append(train(run).model.state_dict())
    assert all(ends[0][name].equal(ends[1][name]) for name in ends[0])

def test_an_update_reads_from_the_device_once(tmp_path):
    "Play, learn, record, log, errors and progress, by PPO and A2C, in every world: one read, and a second one is found."
    from gbxnb.base.files import claim_folder
    from gbxnb.bench.throughput import OpCounter
    from gbxnb.prospector.world import Prospector
    from gbxnb.runs.policy import make
    from gbxnb.toys.toys import Catch
    from gbxnb.training.callbacks import Log, Progress, ReportErrors, run_meta
    from gbxnb.training.config import A2CConfig, PPOConfig
    from gbxnb.training.loop import Callback, train
    from gbxnb.training.rollout import start_run
    class Curious(Callback):
        def on_update(self, run): run.model.actor.bias.norm().item()
    few, ppo = dict(num_envs=2, rollout_steps=4), dict(minibatches=1, epochs=1)
    def waits(name, world, cfg, *more):
        run = start_run(world, cfg, 3*cfg.batch)
        log = Log(claim_folder(tmp_path/name, 'run'), run_meta(run, {}))
        with OpCounter() as w: train(run, [log, ReportErrors(), Progress(io.StringIO()), *more])
        world.close()
        return [wait.partition(' line')[0] for wait in w.waits]
    one = ['tolist in gbxnb.logs.metrics:record']
    town = lambda: make('town/house', 2, max_steps=3, device='cpu') # of which episodes are truncated
    assert waits('consoles', town(), PPOConfig(**few, **ppo)) == 3*one
    assert waits('a2c', Catch(2, device='cpu'), A2CConfig(**few)) == 3*one
    assert waits('ships', Prospector(2, device='cpu'), PPOConfig(**few, **ppo, model='vector')) == 3*one
    found = waits('curious', town(), PPOConfig(**few, **ppo), Curious())
    assert len(found) == 6 and set(found) - {*one} and found[::2] == 3*one, found

@pytest.mark.slow
def test_a_log_is_checked_without_the_code_that_wrote_it():
    "The commands about logs import neither torch nor anything above logs."
    code = ('import sys; sys.modules["torch"] = None; from gbxnb.logs.validate import check_log; from gbxnb.logs.plots import read_run\n'
            'for log in sys.argv[1:]: assert check_log(log).ok and read_run(log).rows\n'
            'others = {name for name in sys.modules if name.startswith("gbxnb.") and not name.startswith("gbxnb.logs")}\n'
            'assert others <= {f"gbxnb.base{k}" for k in ("", ".files", ".config", ".command", ".folder", ".figures")}, others')
    subprocess.run([sys.executable, '-c', code, EXAMPLE], check=True)

# Whatever stands in a log

def put(tmp_path, lines, length=19):
    "The first lines of the example log with other ones behind its third."
    whole = EXAMPLE.read_bytes().splitlines()[:length]
    (tmp_path/'train_log.jsonl').write_bytes(b'\n'.join([*whole[:3], *lines, *whole[3:], b'']))
    return tmp_path/'train_log.jsonl'

@pytest.mark.parametrize('lines', [LINES[::9], pytest.param(LINES, marks=pytest.mark.slow)], ids=['some', 'all'])
def test_each_odd_line_is_left_out_or_named(lines, tmp_path):
    "One after the other, alone and in a log: no reader minds, the strict ones say which line it is."
    for line in lines:
        log = put(tmp_path, [line], 6)
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', UserWarning)
            rows = read_run(log).rows
            assert len(rows) >= 3 and all(event(r.get('wall_time_s', 0.), r['env_steps'], scalars(r)) for r in rows), line[:100]
        report = check_log(log)
        assert not report.ok and any(f.line == 4 for f in report.findings), (line[:100], report)
        try: read_log(log)
        except UserError as e: assert 'line 4: ' in str(e) and len(str(e)) < 1000
        log.write_bytes(line + b'\n')
        assert not check_log(log).ok

@pytest.mark.slow
@pytest.mark.plots
@pytest.mark.parametrize('lines', [LINES[::9], LINES], ids=['some', 'all'])
def test_commands_and_all_odd_lines(lines, tmp_path):
    "All of them in one log: a picture, an export, and a report that lists what is wrong."
    log, out = put(tmp_path, lines), tmp_path/'tb'
    assert said_plainly(*call(log_plot_cli, log, out=tmp_path/'p.png')) == 0 and (tmp_path/'p.png').stat().st_size > 9000
    assert said_plainly(*call(log_tensorboard_cli, log, out=out)) == 0
    status, said, err = call(log_check_cli, log)
    assert status == 1 and not err and json.loads(said)['found'] >= len(lines)

def test_curves_that_follow_odd_lines(tmp_path):
    "The widget draws what there is."
    Dashboard = pytest.importorskip('gbxnb.lab.dashboard').Dashboard
    seen = Dashboard().follow(put(tmp_path, LINES))
    assert seen.page().count('<img') == 1 and 'unreadable' in seen.page()

# What is no log

def test_no_log_at_all(tmp_path):
    "Nothing hangs, nothing fills the memory, and each command says what is wrong in a line."
    os.mkfifo(tmp_path/'pipe')
    with open(tmp_path/'vast', 'wb') as f: f.truncate(10**10)
    with open(tmp_path/'zeros', 'wb') as f: f.truncate(3*10**7)
    (tmp_path/'folder').mkdir()
    before = sorted(tmp_path.iterdir())
    plot, export = [log_plot_cli, '--out', tmp_path/'p.png'], [log_tensorboard_cli, '--out', tmp_path/'tb']
    for path in '/dev/zero', 'a\0b', *(tmp_path/name for name in ('pipe', 'vast', 'zeros', 'folder', 'none', 'x'*300)):
        for command, *words in [*plot, path], [*export, path], [log_check_cli, path]:
            status, said, err = call(command, *words)
            if path == tmp_path/'zeros' and command is log_check_cli: assert json.loads(said)['findings'][0]['kind'] == 'long'
            else: assert said_plainly(status, said, err) == 1, (path, err)
            assert sorted(tmp_path.iterdir()) == before

def test_a_line_without_end_takes_no_room(tmp_path):
    with open(tmp_path/'zeros', 'wb') as f: f.truncate(3*10**7)
    tracemalloc.start()
    assert not check_log(tmp_path/'zeros').ok and tracemalloc.get_traced_memory()[1] < 5*10**6
    tracemalloc.stop()

def test_results_replace_files_and_nothing_else(tmp_path):
    "A picture and an event file are not written through a link, onto a device, or in the place of a folder."
    (tmp_path/'mine.png').write_bytes(b'mine')
    (tmp_path/'link.png').symlink_to(tmp_path/'mine.png')
    os.mkfifo(tmp_path/'pipe.png')
    (tmp_path/'folder.png').mkdir()
    (tmp_path/'tb').mkdir()
    (tmp_path/'tb/events.out.tfevents.0.gbxnb').symlink_to(tmp_path/'mine.png')
    kinds = {p: p.lstat().st_mode for p in tmp_path.rglob('*')}
    for name in 'link.png', 'pipe.png', 'folder.png', 'mine.png/p.png':
        assert said_plainly(*call(log_plot_cli, EXAMPLE, out=tmp_path/name)) == 1
    assert said_plainly(*call(log_tensorboard_cli, EXAMPLE, out=tmp_path/'tb')) == 1
    assert {p: p.lstat().st_mode for p in tmp_path.rglob('*')} == kinds and (tmp_path/'mine.png').read_bytes() == b'mine'
