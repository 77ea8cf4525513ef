"""The base: jobs and progress, options, helper processes, and what the system does not allow, which is one line that says what to do."""
import copy, errno, importlib.util, io, json, os, pickle, queue, re, shutil, signal, subprocess, sys, threading, time
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import processes
import pytest
from gbxnb.__main__ import COMMANDS, find_command
from gbxnb.backends.warp import make_backend
from gbxnb.base import parallel as pool
from gbxnb.base.command import call, make_parser, typed
from gbxnb.base.config import Config, option_type
from gbxnb.base.files import UserError, read_json
from gbxnb.base.parallel import Pool
from gbxnb.base.progress import Meter, fake_clock
from gbxnb.bench import learning
from gbxnb.bench.learning import learn_cli
from gbxnb.emulator.emulator import Emulator
from gbxnb.envs.task import find_start
from gbxnb.explore.explorer import ExploreConfig, Explorer
from gbxnb.games import bundled as game
from gbxnb.runs.film import film_cli
from gbxnb.runs.train import train_cli
from gbxnb.traces import cache as compiling
from gbxnb.traces.cache import use_traces
from pages import book, root

TIMES = 'wall_time_s', 'sps', 'fps', 'updates_per_s', 'seconds', 'cpu_seconds', 'created_at', 'git_sha'

def untimed(value):
    "A JSON value without what a clock says."
    if isinstance(value, dict): return {k: untimed(v) for k, v in value.items() if k not in TIMES}
    return [*map(untimed, value)] if isinstance(value, list) else value

@pytest.fixture
def no_process(monkeypatch):
    def refuse(*args, **how): raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    monkeypatch.setattr(subprocess, 'Popen', refuse)

@pytest.fixture
def no_thread(monkeypatch):
    def refuse(self): raise RuntimeError("can't start new thread")
    monkeypatch.setattr(threading.Thread, 'start', refuse)

def one_line(status, out, err):
    assert status == 1 and not out and err.count('\n') == 1, err
    return err

def test_without_processes_traces_are_not_compiled(no_process, monkeypatch, capsys):
    "The interpreter goes on, with one line."
    monkeypatch.setattr(compiling, 'load_traces', lambda cart, device: None)
    e = Emulator(game.rom(), 1, threads=1)
    use_traces(e, 'wait')
    e.run_frames(2)
    said = capsys.readouterr().err
    assert e.loader.state == 'failed' and said.count('\n') == 1 and 'GBXNB_TRACES=off' in said and 'unavailable' in said

def test_without_processes_there_is_no_pool(no_process):
    with pytest.raises(UserError, match='cannot be started .*unavailable.* fewer') as e:
        Pool('a:b', dict(a=np.zeros(2)), [(0, 1), (1, 1)])
    assert '\n' not in str(e.value)

def test_without_processes_a_benchmark_says_so(no_process):
    assert 'fewer --jobs' in one_line(*call(learn_cli, 'catch', '--seeds', 1))

def test_without_threads_a_batch_says_so(no_thread, tmp_path, monkeypatch):
    "A batch and a command, whichever thread is the first; with one thread there is nothing to start."
    with pytest.raises(UserError, match='3 more threads cannot be started .*threads=1') as e: Emulator(game.rom(), 64, threads=4)
    assert '\n' not in str(e.value)
    Emulator(game.rom(), 64, threads=1).run_frames(1)
    monkeypatch.setattr('gbxnb.emulator.emulator.cores', lambda: [0, 1])
    assert 'threads' in one_line(*call(film_cli, '--num-envs', 2, '--steps', 2, '--device', 'cpu', '--out', tmp_path/'film'))

SMALL = 'import resource\nresource.setrlimit(resource.RLIMIT_STACK, (256 << 10,)*2)\n'
FILM = 'from gbxnb.__main__ import main; main()', 'film', '--num-envs', '2', '--steps', '2', '--device', 'cpu', '--out'
MADE = 'import gbxnb, gbxnb.base.files, gbxnb.games.bundled as game\ngbxnb.base.files.cli_errors(lambda: gbxnb.Emulator(game.rom()))()',

@pytest.mark.parametrize('words', [FILM, MADE], ids=['command', 'constructor'])
def test_a_small_stack_is_one_line(words, tmp_path):
    "Where kernels would end the process by a signal."
    words = [*words, tmp_path/'film'] if words is FILM else words
    run = processes.python(SMALL + words[0], *words[1:], nest='cold')
    assert run.returncode == 1 and run.stderr.count('\n') == 1 and 'ulimit -s 8192' in run.stderr, (run.returncode, run.stderr)

def test_an_unknown_name_is_no_debug_build(monkeypatch):
    monkeypatch.setenv('GBXNB_CHECKS', 'treu')
    with pytest.raises(UserError, match="GBXNB_CHECKS is 'treu', but must be one of 1, true, yes, on"): Emulator(game.rom(), 1)

def owners():
    rom = game.rom()
    yield Emulator(rom, 1, threads=1)
    yield make_backend('warp', rom, 1, 'cpu')
    yield Explorer(rom, find_start(rom)[1], ExploreConfig(num_envs=2), device='cpu')
    yield Pool('builtins:dict', dict(a=np.zeros(1)), [])
    try: yield make_backend('reference', rom, 1, 'cpu')
    except UserError: pass

def test_what_owns_consoles_is_not_copied():
    "A copy would share them. What the line names is there."
    for owner in owners():
        for how in copy.copy, copy.deepcopy, pickle.dumps:
            with pytest.raises(TypeError, match=f'^{type(owner).__name__} cannot be copied or pickled: make another') as e: how(owner)
            assert '\n' not in str(e.value)
        named = str(e.value).split('`')[1::2]
        assert named and all(hasattr(owner, name) for name in named)

# An option has one home: a copy of the package gets one more, by one declaration and one use.

DECLARED = 'value_coef:Weight=.5 #', 'reward_scale:Weight=1. # What rewards are multiplied by\n    value_coef:Weight=.5 #'
USED = 'values, reward, done, trunc, None)', 'values, reward*self.cfg.reward_scale, done, trunc, None)'
OPTION_SCRIPT = '''
import json, sys
from pathlib import Path
import gbxnb
from gbxnb.base.command import call
from gbxnb.runs.train import train_cli
from gbxnb.training.config import PPOConfig
assert Path(gbxnb.__file__).parent.parent == Path.cwd(), gbxnb.__file__
small = dict(world='constant', num_envs=4, rollout_steps=8, minibatches=1, model='vector', eval_episodes=0, device='cpu', threads=1)
def run(**options): return call(train_cli, **small | options)
def meta(out): return json.loads(Path(out, 'checkpoint.json').read_text())
text = ' '.join(call(train_cli, '--help')[1].split())
assert '--reward-scale float What rewards are multiplied by' in text and '(default: 1.0)' in text
assert run(out='one', steps=32)[0] == run(out='two', steps=32, reward_scale=2)[0] == 0
assert meta('two')['config']['reward_scale'] == 2 and meta('one')['config']['reward_scale'] == 1
log = [json.loads(Path(k, 'train_log.jsonl').read_text().split('\\n')[0]) for k in ('one', 'two')]
assert [line['meta']['args']['config']['reward_scale'] for line in log] == [1, 2]
losses = [Path(k, 'train_log.jsonl').read_text().split('"value":')[-1].split(',')[0] for k in ('one', 'two')]
assert losses[0] != losses[1], 'it is used'
for wrong in '-1', 'many':
    status, _, err = run(out='three', steps=32, reward_scale=wrong)
    assert status == 1 and err.count('\\n') == 1 and 'reward' in err and 'scale' in err, err
status, _, err = call(train_cli, '--resume', '--steps', 64, '--reward-scale', 3, '--eval-episodes', 0, out='two', device='cpu')
assert status == 1 and 'another run' in err, err
old = meta('one')
del old['config']['reward_scale']
Path('one/checkpoint.json').write_text(json.dumps(old))
assert call(train_cli, '--resume', '--steps', 64, '--eval-episodes', 0, out='one', device='cpu')[0] == 0, 'of an older version'
assert meta('one')['config']['reward_scale'] == 1 and PPOConfig().reward_scale == 1
print('all of it')
'''

def put(path, old, new):
    text = path.read_text(encoding='utf-8')
    assert text.count(old) == 1, (path, text.count(old))
    path.write_text(text.replace(old, new), encoding='utf-8')

@pytest.mark.slow
def test_another_option_is_two_edits(tmp_path):
    "Its place in `--help`, checkpoint and log, its check, resuming, files of before: all follow from the field."
    shutil.copytree(root/'gbxnb', tmp_path/'gbxnb', ignore=shutil.ignore_patterns('__pycache__'))
    put(tmp_path/'gbxnb/training/config.py', *DECLARED)
    put(tmp_path/'gbxnb/training/rollout.py', *USED)
    done = subprocess.run([sys.executable, '-c', OPTION_SCRIPT], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and done.stdout.split('\n')[-2] == 'all of it', done.stdout[-500:] + done.stderr[-2000:]

def configurations(cls=Config):
    for sub in cls.__subclasses__():
        yield sub
        yield from configurations(sub)

def test_each_option_has_a_help_and_a_type():
    "Of every configuration of the package: the parser that is made of it names each field once, with what stands beside it."
    import gbxnb.prospector.world, gbxnb.toys.toys, gbxnb.worlds.gameboy # noqa: F401
    for name in COMMANDS: find_command(name)
    def nothing(**options): "Nothing."
    ours = [c for c in configurations() if c.__module__.startswith('gbxnb.') and getattr(sys.modules[c.__module__], c.__name__, 0) is c]
    assert len(ours) >= 20
    for config in ours:
        actions = {a.dest: a for a in make_parser(nothing, {config: None}, 'gbxnb nothing')._actions}
        for f in fields(config):
            assert actions[f.name].help.split('(default')[0].strip(), f'{config.__name__}.{f.name} has no comment'
            assert option_type(f.type)[0] in (bool, int, float, str, tuple, list[str]), f'{config.__name__}.{f.name} is of no type'

PRINTS = """import sys
from gbxnb.base.command import typed
sys.argv = ['gbxnb demo'] # as a command has it
print(typed(['gbxnb', 'eval', 'run']), typed(['runs/gbxnb']), sep='\\n')
"""

@pytest.mark.parametrize('path', ['', '.venv/bin'])
def test_a_printed_line_can_be_typed(tmp_path, path):
    "Where no shell finds `gbxnb`, as in a clone, the file that was started is named."
    program = tmp_path/'.venv/bin/gbxnb'
    program.parent.mkdir(parents=True)
    program.write_text(PRINTS)
    program.chmod(0o755)
    env = os.environ | dict(PATH=path)
    run = subprocess.run([sys.executable, '.venv/bin/gbxnb', 'demo'], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert run.stdout.splitlines() == [typed(['gbxnb' if path else str(program), 'eval', 'run']), 'runs/gbxnb'], run.stderr

# Helper processes import nothing from the current folder, and find what belongs to the user elsewhere.

NAMES = ('json site random pickle numpy torch warp gbxnb socket signal importlib fastcore tqdm subprocess tempfile struct pyboy argparse '
         'dataclasses encodings sitecustomize usercustomize secrets bisect hashlib queue statistics').split()
HOSTILE = """import os
with open(os.environ['RAN'], 'a') as f: f.write(f'{os.getpid()} {__name__}\\n')
raise ImportError('it lies in the current folder')
"""
SCRIPT = """
import json, os, subprocess, sys
import numpy as np
from gbxnb.traces import cache as exchanging
from gbxnb.games import bundled as game
from gbxnb.emulator.emulator import Emulator
import gbxnb.base.parallel, gbxnb.bench.compare, gbxnb.reference.reference, gbxnb.bench.learning
try: import pyboy
except ImportError: pass

def traces():
    e = Emulator(game.rom(), 1, threads=1)
    e.loader = exchanging.TraceLoader(e, 'auto')
    e.loader.start()
    e.loader.compiler.process.wait()
    return e.loader.compiler.why()

def pyboys():
    b = gbxnb.reference.reference.ReferenceBackend(game.rom(), 2, processes=2)
    b.step(2, 1)
    b.close()
    return 'done'

def compare():
    work = gbxnb.bench.compare.Work(2, 1, 1, 1)
    theirs = gbxnb.bench.compare.PyBoys(game.rom(), work, 2)
    theirs.run(0)
    theirs.close()
    return 'done'

def learn():
    calls, meter = [['catch', 'random', 0, 1024]], gbxnb.base.progress.Meter('learn', 1, 'run')
    return [row['kind'] for _, row in gbxnb.base.parallel.call_each('gbxnb.bench.learning:one_run', calls, 1, meter)]

def pool():
    pool = gbxnb.base.parallel.Pool('mine:Idle', dict(a=np.zeros(2)), [(0, 1), (1, 1)])
    pool.close()
    return 'done'

def start():
    return gbxnb.base.parallel.start_python('print(gbxnb.__name__)', fix='', stdout=subprocess.PIPE).communicate()[0].decode()

def own():
    return [*gbxnb.base.parallel.call_each('mine:twice', [[4]], 1, gbxnb.base.progress.Meter('own', 1, 'call'))]

if __name__ == '__main__':
    exchanging._CHILD = exchanging._CHILD.replace('compile_job()', 'raise SystemExit("loaded")') # compiling takes ten seconds
    sys.path.insert(0, os.path.dirname(__file__))
    if sys.argv[1] == 'notebook': sys.path[:0] = ['', os.environ['LINK'], os.environ['INNOCENT'], '.']
    said = {}
    for name in sys.argv[2:]:
        try: said[name] = globals()[name]()
        except (Exception, SystemExit) as e: said[name] = f'{type(e).__name__}: {e}'
    print(json.dumps([os.getpid(), said]))
"""
WANTED = dict(pool='done', start='gbxnb\n', traces='loaded', pyboys='done', compare='done', learn=['random'], own=[[0, 8]])
KINDS = ('script', ('pool', 'own')), ('notebook', ('start', 'pool', 'own'))
USERS = ('script', ('traces', 'pyboys', 'learn')), ('notebook', ('traces', 'compare'))

@pytest.mark.parametrize('how, kinds', [KINDS[0], *(pytest.param(*u, marks=pytest.mark.slow) for u in (KINDS[1], *USERS))])
def test_nothing_of_the_current_folder_is_imported(how, kinds, tmp_path):
    "By none of the processes that the package starts, whether the folder is on the path or not; a module beside the script is found."
    here, there, link, innocent = (tmp_path/k for k in ('here', 'there', 'link', 'innocent'))
    for folder in here, there, innocent: folder.mkdir()
    link.symlink_to(here)
    for folder in here, innocent:
        for name in NAMES: (folder/f'{name}.py').write_text(HOSTILE)
    (there/'script.py').write_text(SCRIPT)
    (there/'mine.py').write_text('class Idle:\n def __init__(self, *_): pass\ndef twice(x): return 2*x\n')
    kinds = {k: WANTED[k] for k in kinds}
    if not importlib.util.find_spec('pyboy'): kinds = {k: v for k, v in kinds.items() if k not in ('pyboys', 'compare')}
    env = os.environ | dict(PYTHONPATH=str(root), RAN=str(tmp_path/'ran'), LINK=str(link), INNOCENT=str(innocent), PYTHONSAFEPATH='')
    run = processes.python(there/'script.py', how, *kinds, cwd=str(here), env=env)
    assert not run.returncode, run.stderr
    pid, said = json.loads(run.stdout.splitlines()[-1])
    ran = [line for line in (tmp_path/'ran').read_text().splitlines() if line.split()[0] != str(pid)] if (tmp_path/'ran').exists() else []
    assert not ran, ran
    assert said == kinds, run.stderr

LOADS = """import sys, gbxnb
heavy = lambda: [m for m in ('numpy', 'warp', 'torch') if m in sys.modules]
print(heavy(), gbxnb.Emulator and heavy(), gbxnb.make and heavy())"""

@pytest.mark.slow
def test_what_the_front_door_loads():
    "Nothing, then no torch, then all: `base/07_front_door` shows it, and leaves torch out in a test."
    said = subprocess.run([sys.executable, '-c', LOADS], cwd=root, capture_output=True, text=True)
    assert said.stdout == "[] ['numpy', 'warp'] ['numpy', 'warp', 'torch']\n", said

def test_the_path_that_is_handed_on(tmp_path, monkeypatch):
    "Packages in their order, then the rest; the current folder is left out under all its names, and nothing fails once it is gone."
    here, lib, installed, zipped = (str(tmp_path/k) for k in ('here', 'lib', 'site-packages', 'lib.zip'))
    for k in here, lib, installed, f'{here}/own': os.mkdir(k)
    os.symlink(here, tmp_path/'link')
    monkeypatch.chdir(here)
    names = ['', '.', here, f'{lib}/../here', str(tmp_path/'link'), lib, '../lib', 'own', '__editable__.x.__path_hook__', zipped, installed]
    monkeypatch.setattr(sys, 'path', [*names, b'bytes', Path(lib)])
    assert pool._import_path() == [installed, lib, lib, f'{here}/own', '__editable__.x.__path_hook__', zipped]
    os.rmdir(f'{here}/own')
    os.rmdir(here)
    found = pool._import_path()
    assert found[0] == installed and lib in found and not {'', '.'} & {*found}

def test_a_loop_that_is_left_ends_its_calls(tmp_path, monkeypatch):
    "The first result is there while the others work; leaving the loop, by Ctrl-C as well, ends them."
    (tmp_path/'slow_calls.py').write_text('import time\n\ndef wait(seconds):\n    time.sleep(seconds)\n    return seconds\n')
    monkeypatch.syspath_prepend(tmp_path)
    started, start = [], pool.start_python
    monkeypatch.setattr(pool, 'start_python', lambda *words, **how: started.append(start(*words, **how)) or started[-1])
    with pytest.raises(KeyboardInterrupt):
        for k, seconds in pool.call_each('slow_calls:wait', [[600], [0], [600]], 2, Meter('waiting', 3, 'call')):
            assert (k, seconds) == (1, 0)
            raise KeyboardInterrupt
    assert len(started) == 2 and all(p.returncode is not None for p in started)

# Jobs in shards: killed, gone on with, and equal to one process that does all; what differs or is damaged is done again.

WORDS = dict(seeds=9, steps=160, jobs=1) # and three controls: twelve runs of milliseconds
PAGE = root/'nbs/base/03_progress.ipynb'

def here(place, calls, at_once, meter):
    "What `call_each` does, in this process."
    for k, args in enumerate(calls): yield k, learning.one_run(*args)

@pytest.fixture
def one_process(monkeypatch):
    monkeypatch.setattr(learning, 'call_each', here)
    monkeypatch.setenv('OMP_NUM_THREADS', '1')

def learn(out, shard='1/1', **options): return call(learn_cli, 'constant', out=out, shard=shard, **WORDS | options)

def done(folder): return sorted(p.name[:4] for p in folder.glob('0*.json'))

def killed(out):
    "Learn the second shard until its second result is about to take its place."
    replace, learning.call_each = os.replace, here
    def kill(part, path):
        if Path(path).name.startswith('0005-'): os.kill(os.getpid(), signal.SIGKILL)
        return replace(part, path)
    os.replace = kill
    learn(out, '2/3')

@pytest.fixture(scope='module')
def shards(tmp_path_factory):
    "Three shards that are done; one of them was killed on the way. What one process makes of all."
    at = tmp_path_factory.mktemp('jobs')
    out, top, runs = at/'three.json', at/'three.jobs', []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learning, 'call_each', here)
        whole = learn(at/'whole.json')
        process = processes.Process(killed, out)
        process.join()
        assert process.exitcode == -signal.SIGKILL and done(top/'2-of-3') == ['0002']
        patch.setattr(learning, 'one_run', lambda *args, real=learning.one_run: runs.append(args[1:3]) or real(*args))
        said = [learn(out, f'{k}/3') for k in (2, 1, 3)]
    assert len(runs) == 11 and ('trained', 1) not in runs, 'what was done is not done again'
    assert not (at/'whole.jobs').exists()
    return at/'whole.json', whole, top, said

@pytest.mark.slow
def test_shards_make_what_one_process_makes(shards):
    "The verdict is the same; until all are there, each says what is missing."
    whole, (status, _, err), top, said = shards
    assert [s[0] for s in said] == [0, 0, 1] and said[2][2].split('error: ')[1] == err.split('error: ')[1] and status == 1
    assert ['8 of 12 jobs are not in' in s[1] for s in said] == [True, False, False] and '4 of 12 jobs are not in' in said[1][1]
    assert json.dumps(untimed(read_json(top.with_suffix('.json')))) == json.dumps(untimed(read_json(whole)))

@pytest.mark.slow
def test_what_is_no_result_is_done_again(shards, one_process, tmp_path, monkeypatch):
    "A row that somebody changed, one of other facts; what is no JSON is named."
    _, _, top, _ = shards
    out, mine, runs = tmp_path/'mine.json', shutil.copytree(top, tmp_path/'mine.jobs'), []
    monkeypatch.setattr(learning, 'one_run', lambda *args, real=learning.one_run: runs.append(args[1:3]) or real(*args))
    file, = (mine/'2-of-3').glob('0002-*')
    file.write_text(file.read_text().replace('"seconds": ', '"seconds": 1'))
    assert learn(out)[0] == 1 and runs == [('trained', 1)]
    learn(out, steps=320)
    assert len(runs) == 13
    file.write_text('[1')
    status, said, err = learn(out)
    assert status == 1 and not said and str(file) in err and err.count('\n') == 1

# What starts them

def block(language):
    "A fenced block of the page."
    prose = '\n'.join(''.join(c['source']) for c in book(PAGE)['cells'] if c['cell_type'] == 'markdown')
    (found,) = re.findall(rf'```{language}\n(.*?)```', prose, re.S)
    return found

@pytest.mark.parametrize('language, variables', [
    ('bash', dict(SLURM_ARRAY_TASK_ID='2', SLURM_ARRAY_TASK_COUNT='3')), ('yaml', dict(SKYPILOT_NODE_RANK='1', SKYPILOT_NUM_NODES='3'))])
def test_schedulers_start_shards(language, variables, tmp_path):
    "What their lines type with the variables that they set is the second of three shards."
    (tmp_path/'gbxnb').write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path/'gbxnb').chmod(0o755)
    code = block(language)
    if language == 'yaml': code = next(line for line in code.splitlines() if 'gbxnb learn' in line)
    else: assert re.search(r'^#SBATCH --array=1-3 ', code, re.M), 'an array that counts from 1'
    run = subprocess.run(['bash', '-c', code], env=dict(PATH=f'{tmp_path}:/usr/bin:/bin', **variables), capture_output=True, text=True)
    assert run.stdout.split() == 'learn game --shard 2/3 --out runs/learn/game.json'.split() and not run.stderr
    assert vars(learn_cli.parser([]).parse_args(run.stdout.split()[1:]))['shard'] == '2/3'

# Work that takes minutes says how far it is: on standard error, by lines that a clock which the test sets brings at once.

TINY = '--num-envs 4 --rollout-steps 8 --minibatches 2 --epochs 1 --model small --steps 96 --device cpu --max-steps 6'.split()
LINE = re.compile(r'([\w ]+): ([\d,]+) of ([\d,]+) (\w+)s \((\d+)%\), .+ (left|so far).*')

def lines(err):
    "What, done, total and unit of each line of progress."
    found = [LINE.fullmatch(line) for line in err.splitlines()]
    return [m.groups()[:4] for m in found if m]

def test_a_piped_training_that_goes_on(tmp_path):
    "The result is still the last line of standard output, and what was done before does not count as fast."
    to = ['--out', tmp_path/'run', '--eval-episodes', 0]
    with fake_clock(31.): status, out, err = call(train_cli, '--world', 'catch', *to, *TINY)
    assert status == 0 and len(lines(err)) == 2 and json.loads(out.splitlines()[-1])['env_steps'] == 96
    with fake_clock(31.): status, out, err = call(train_cli, '--resume', '--device', 'cpu', '--steps', 192, *to)
    assert status == 0 and [n for _, n, *_ in lines(err)] == ['128', '160'] and '1 steps/s' not in err, err

@pytest.mark.parametrize('words', ['town/house', '--world=catch'])
def test_a_training_says_what_it_does_before_its_first_update(words, tmp_path, monkeypatch):
    "So does what follows: each part begins with a line of its own."
    monkeypatch.setattr('gbxnb.base.progress.QUIET', 0.)
    status, _, err = call(train_cli, words, *TINY, '--eval-episodes', 4, '--out', tmp_path/'run')
    said = [line.removesuffix(' ...') for line in err.splitlines() if line.endswith(' ...') and 'compiling' not in line]
    assert status == 0 and said == ['making 4 environments', 'run', 'eval', 'eval greedy', 'random keys'], err

def test_a_pipe_is_told_what_is_done_while_it_goes_well(monkeypatch):
    "Also where the first line of how far it is would come much later."
    monkeypatch.setattr('gbxnb.base.progress.QUIET', 0.)
    out = io.StringIO()
    with Meter('work', 9, file=out) as meter:
        meter.update()
        for _ in range(200): # a few would do
            if out.getvalue(): break
            time.sleep(.05)
    assert out.getvalue() == 'work ...\n'

CHOSEN = """import multiprocessing, sys
multiprocessing.context._default_context._actual_context = None # of the process that this one was forked from
from gbxnb.runs.train import train
train(world='catch', out=sys.argv[1], num_envs=4, rollout_steps=8, minibatches=2, steps=64, eval_episodes=4, model='small', device='cpu')
multiprocessing.set_start_method('spawn')
"""

def test_who_trains_may_choose_how_processes_start(tmp_path):
    "A bar takes no lock of `multiprocessing`, which would have chosen."
    end = processes.python(CHOSEN, tmp_path/'run')
    assert not end.returncode, end.stderr

def test_silence_is_had_by_the_variable_that_bars_know(tmp_path, monkeypatch):
    monkeypatch.setenv('TQDM_DISABLE', '1')
    with fake_clock(31.): status, out, err = call(train_cli, '--world', 'catch', '--out', tmp_path/'run', '--eval-episodes', 0, *TINY)
    assert status == 0 and not lines(err)

def commands(tmp_path):
    "Each with its words, and the lines it must print."
    from gbxnb.proofs.conformance import roms_cli
    from gbxnb.proofs.verify import verify_cli
    from gbxnb.bench.throughput import bench_env_cli
    from gbxnb.bench.train import bench_train_cli
    from gbxnb.games import bundled as game
    rom = tmp_path/'town.gb'
    rom.write_bytes(game.rom())
    for n in range(3):
        test = tmp_path/'roms'/'gbmicrotest'/f'test{n}.gb'
        test.parent.mkdir(parents=True, exist_ok=True)
        test.write_bytes(b'no ROM \xE0\x82')
    tiny = '--world catch --num-envs 2 --rollout-steps 12 --device cpu'.split()
    return {'bench env': (bench_env_cli, [*tiny, '--resets', 'none,all', '--warmup', 0], ['1 of 2 row']),
            'bench train': (bench_train_cli, [*tiny, '--modes', 'env_only', '--rounds', 2, '--updates', 1, '--minibatches', 2],
                            ['1 of 2 round']),
            'roms': (roms_cli, [tmp_path/'roms'], ['1 of 3 test', '2 of 3 test']),
            'verify': (verify_cli, [rom, '--frames', 3], ['1 of 3 frame', '2 of 3 frame'])}

@pytest.mark.parametrize('name', ['bench env', 'bench train', 'roms', 'verify'])
def test_other_commands(name, tmp_path):
    if name == 'verify': pytest.importorskip('pyboy')
    cli, words, wanted = commands(tmp_path)[name]
    with fake_clock(31.): status, out, err = call(cli, *words)
    assert status == 0 and [f'{n} of {of} {unit}' for _, n, of, unit in lines(err)] == wanted, err
    assert {what for what, *_ in lines(err)} == {name} and not lines(out)
    if name.startswith('bench'): assert json.loads(out)['rows']

def test_calls_side_by_side(monkeypatch, capsys):
    "Whoever waits for processes says so before the first of them is done."
    class Done:
        def __init__(self, *_, answers):
            self.process = SimpleNamespace(pid=0)
            answers.put((self, 'made'))
        def read(self, message): return message, None
        def leave(self): pass
        stop = leave
    class Answers(queue.SimpleQueue):
        def get(self, timeout):
            for _ in waits: raise queue.Empty
            return super().get(timeout=timeout)
    waits = iter([0])
    monkeypatch.setattr(pool, '_Other', Done)
    monkeypatch.setattr(pool.queue, 'SimpleQueue', Answers)
    with fake_clock(60.): found = [*pool.call_each('a:b', [[], []], 2, Meter('learn', 2, 'run'))]
    assert found == [(0, 'made'), (1, 'made')]
    assert [n for _, n, *_ in lines(capsys.readouterr().err)] == ['0', '1']
