"Work that takes minutes says how far it is: on standard error, by lines that a clock which the test sets brings at once."
import io, json, queue, re, time
from types import SimpleNamespace

import processes
import pytest
from gbxnb.base import parallel as pool
from gbxnb.base.command import call
from gbxnb.base.progress import fake_clock
from gbxnb.base.progress import Meter
from gbxnb.games.demo import demo_cli
from gbxnb.runs.train import train_cli

TINY = '--num-envs 4 --rollout-steps 8 --minibatches 2 --epochs 1 --model small --steps 96 --device cpu --max-steps 6'.split()
LINE = re.compile(r'([\w ]+): ([\d,]+) of ([\d,]+) (\w+)s \((\d+)%\), .+ (left|so far).*')

def lines(err):
    "What, done, total and unit of each line of progress."
    found = [LINE.fullmatch(line) for line in err.splitlines()]
    return [m.groups()[:4] for m in found if m]

@pytest.mark.slow # a training is piped below
def test_a_piped_demonstration(tmp_path):
    with fake_clock(31.): status, out, err = call(demo_cli, 'town/house', '--out', tmp_path/'demo', '--episodes', 4, *TINY)
    assert status == 0 and {what for what, *_ in lines(err)} == {'random policy', 'demo', 'eval', 'eval greedy', 'trained policy'}, err
    assert [m for m in lines(err) if m[0] == 'demo'] == [('demo', str(n), '96', 'step') for n in (32, 64)], err
    assert not lines(out) and 'Random policy' in out and '\r' not in err

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

@pytest.mark.parametrize('total', [0, 9])
def test_a_bar_that_waits_moves_and_ends_its_line(total):
    out = io.StringIO()
    out.isatty = lambda: True
    with Meter('waiting', total, every=.01, file=out):
        for _ in range(999): # a few would do
            if out.getvalue().count('waiting') > bool(total): break
            time.sleep(.01)
    assert out.getvalue().count('waiting') > bool(total) and out.getvalue().endswith('\n')

def test_a_pipe_is_told_when_counting_takes_long():
    out = io.StringIO()
    with Meter('work', 9, every=.05, file=out) as meter:
        meter.update()
        for _ in range(200): # a few would do
            if out.getvalue().count('1 of 9') > 1: break
            time.sleep(.05)
    assert out.getvalue().count('work: 1 of 9 steps (11%), ') > 1

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

@pytest.mark.slow # `test_a_piped_training_that_goes_on` has one that says something
def test_what_ends_soon_says_nothing(tmp_path):
    with fake_clock(): status, out, err = call(train_cli, '--world', 'catch', '--out', tmp_path/'run', '--eval-episodes', 0, *TINY)
    assert status == 0 and not lines(err + out)

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
