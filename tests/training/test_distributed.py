"""A run that several processes share, tried with real processes that talk through gloo, and through torchrun."""
import json, os, shutil, signal, subprocess, sys, time
from pathlib import Path
import kills, processes
import numpy as np
import pytest
import torch
from pages import book, root

WORDS = ('--num-envs 8 --rollout-steps 8 --minibatches 2 --model small town/house --max-steps 7 --start-noops 3 --eval-episodes 0 '
         '--save-every 2 --steps 192 --lr 1e-3').split()
ON_CPU = ['--device', 'cpu']
BIN = Path(sys.executable).parent

def run(size, out, *words, ok=True):
    "Run `gbxnb train` in `size` processes to the end; what each of them said."
    group, said = processes.group(size, 'train', '--out', out, *words, said=out.with_suffix('.said')), []
    for r, p in enumerate(group):
        p.join(300)
        said.append(out.with_suffix(f'.{r}').read_text())
    assert all((p.exitcode == 0) == ok for p in group), said
    return said

def weights(out):
    from gbxnb.runs.checkpoint import load_checkpoint
    return load_checkpoint(out).policy

def furthest(a, b): return max(float(np.abs(a[k] - b[k]).max()) for k in a)

def records(out):
    from gbxnb.logs.schema import read_log
    return read_log(out/'train_log.jsonl').records

@pytest.fixture(scope='module')
def two(tmp_path_factory):
    "A run of two processes, three updates."
    out = tmp_path_factory.mktemp('shared')/'two'
    said = run(2, out, *WORDS, *ON_CPU)
    assert json.loads(said[0].splitlines()[-1])['env_steps'] == 192 and said[1] == '', said
    return out

def test_two_halves_are_a_whole(two, tmp_path):
    "The weights of one process within 1e-5, and one log that speaks of all environments."
    run(1, tmp_path/'one', *WORDS, *ON_CPU)
    one, both = records(tmp_path/'one'), records(two)
    assert [r.update for r in both] == [r.update for r in one] == list(range(1, 4))
    for a, b in zip(one, both):
        assert sum(b.action_hist) == 64 and b.env_steps == 64*b.update and b.opt_steps == 8*b.update
        for k in 'action_hist', 'episodes', 'done_rate', 'trunc_rate', 'dist_p10', 'dist_p50', 'dist_p90', 'lr':
            assert getattr(a, k) == getattr(b, k), k
        for k in 'reward_mean', 'value_mean', 'value_std', 'approx_kl', 'explained_variance', 'grad_norm', 'entropy_mean':
            assert abs(getattr(a, k) - getattr(b, k)) < 1e-5, k
    assert 0 < furthest(weights(tmp_path/'one'), weights(two)) < 1e-5
    assert furthest(weights(two), {k: v*0 for k, v in weights(two).items()}) > .1

@pytest.mark.slow
@pytest.mark.parametrize('words', [['--algo', 'a2c'], ['--minibatches', '16', '--epochs', '1'],
                                   ['--imitation-coef', '.5', '--epochs', '1']])
def test_other_halves(tmp_path, words):
    "A2C; four samples a minibatch, of which a process may have none; a script that is imitated."
    usual = [w for k, w in enumerate(WORDS) if words[0] == '--imitation-coef' or '--minibatches' not in WORDS[max(0, k - 1):k + 1]]
    for size, out in (1, tmp_path/'one'), (4, tmp_path/'four'): run(size, out, *usual, *ON_CPU, *words, '--steps', 64)
    assert furthest(weights(tmp_path/'one'), weights(tmp_path/'four')) < 1e-5
    one, four = records(tmp_path/'one')[0], records(tmp_path/'four')[0]
    assert one.opt_steps == four.opt_steps and abs(one.grad_norm - four.grad_norm) < 1e-4

@pytest.mark.slow
def test_numbers_are_of_all_processes(tmp_path):
    "Where all have been, and a start that moves as all have learned."
    words = ('--watch map=0xC38A,y=0xC386,x=0xC385 --coverage map=4,y=9,x=10 --backward 4 --max-steps 30 --start-noops 1 '
             '--no-anneal-lr').split()
    run(2, tmp_path/'two', *WORDS, *words, *ON_CPU, '--steps', '640')
    told = [r.extras for r in records(tmp_path/'two')]
    assert len(told) == 10 and told[-1]['coverage'] > told[0]['coverage'] > 1 and len({e['backward_start'] for e in told}) > 1

def strike_one_of_two(monkeypatch, victim, number, update, out, *words):
    "Start two processes of which one gets a signal in an update."
    start = processes.start
    def started(command, *words, said, **env):
        if env['RANK'] != str(victim): return start(command, *words, said=said, **env)
        return kills.start_struck(*words, said=said, number=number, update=update, **env)
    with monkeypatch.context() as m:
        m.setattr(processes, 'start', started)
        return processes.group(2, 'train', '--out', out, *words, said=out.with_suffix('.said'))

@pytest.mark.parametrize('victim', [1, pytest.param(0, marks=pytest.mark.slow)])
def test_one_dies_and_the_run_goes_on(two, tmp_path, monkeypatch, victim):
    "The other one says so and ends; the lock is free. Resumed by two the run ends as if nothing had been, to the bit."
    out, left = tmp_path/'two', 1 - victim
    group = strike_one_of_two(monkeypatch, victim, signal.SIGKILL, 3, out, *WORDS, *ON_CPU)
    for p in group: p.join(120)
    said = out.with_suffix(f'.{left}').read_text().splitlines()
    assert [group[victim].exitcode, group[left].exitcode] == [-signal.SIGKILL, 1]
    assert f'error: process {left} of 2: another process of this run has ended' in said[-1], said
    assert kills.update(out) == 2
    run(2, out, '--resume', *ON_CPU, '--save-every', 2, '--eval-episodes', 0)
    assert kills.policy(out) == kills.policy(two) and not kills.left_over(out)
    assert [r.update for r in records(out)] == list(range(1, 4))

def silent(rank, port, said):
    "A process of two whose time-out is short; number 1 never comes to the second sum."
    from datetime import timedelta
    from gbxnb.base import group as groups
    os.environ |= dict(RANK=str(rank), WORLD_SIZE='2', MASTER_ADDR='127.0.0.1', MASTER_PORT=port)
    groups.TIMEOUT = timedelta(seconds=2)
    group, _ = groups.join('cpu')
    group.sum(torch.zeros(1))
    if rank: os.kill(os.getpid(), signal.SIGSTOP)
    processes.write_to(said)
    group.sum(torch.zeros(1))

def test_one_is_silent(tmp_path):
    "The other one does not wait longer than the time-out."
    port = processes.port()
    group = [processes.Process(silent, r, port, tmp_path/f'said.{r}') for r in range(2)]
    group[0].join(120)
    group[1].kill()
    assert group[0].exitcode == 1 and 'another process of this run has ended, or is silent' in (tmp_path/'said.0').read_text()

@pytest.mark.parametrize('size', [1, pytest.param(4, marks=pytest.mark.slow)])
def test_another_number_of_processes(two, tmp_path, size):
    "Weights, optimiser and counters go on, and a line says that episodes begin anew; what cannot be shared is refused."
    out, words = tmp_path/'run', ['--steps', '256', '--eval-episodes', '0', *ON_CPU]
    shutil.copytree(two, out)
    said = run(size, out, '--resume', *words)
    assert f'2 processes wrote this run: the environments of {size} begin new episodes' in said[0]
    assert [(r.update, r.env_steps, r.opt_steps) for r in records(out)] == [(k, 64*k, 8*k) for k in range(1, 5)]
    assert 0 < furthest(weights(out), weights(two)) < .1 and kills.facts(out)['processes'] == size
    refused = run(3, out, '--resume', '--steps', '512', *ON_CPU, ok=False)
    assert any('8 environments cannot be shared by 3 processes' in text for text in refused), refused

def under_torchrun(out, *words, restarts=0):
    "The words of two processes that torchrun starts."
    start = [BIN/'torchrun', '--nproc-per-node', '2', '--max-restarts', restarts, '-m', 'gbxnb', 'train', '--out', out]
    return [*map(str, start), *WORDS, *ON_CPU, *words]

def kill_one(out, *words, **how):
    "Kill one of two after some updates; the exit status of torchrun, and what was said."
    agent = subprocess.Popen(under_torchrun(out, *words, **how), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    while kills.told(out) < 5 and agent.poll() is None: time.sleep(.01)
    children = Path(f'/proc/{agent.pid}/task/{agent.pid}/children').read_text().split()
    os.kill(int(children[-1]), signal.SIGKILL)
    return agent.communicate(timeout=300)[1], agent.returncode

@pytest.mark.slow
def test_started_again_by_torchrun(two, tmp_path):
    "A process is killed; torchrun starts both again, and they end in an undisturbed run's weights, to the bit. Another is refused."
    out, more = tmp_path/'two', ('--steps', '1920', '--save-every', '1')
    said, status = kill_one(out, *more, restarts=2)
    assert status == 0 and kills.update(out) == 30, said
    assert [r.update for r in records(out)] == list(range(1, 31))
    subprocess.run(under_torchrun(tmp_path/'still', *more), check=True, capture_output=True, timeout=600)
    assert kills.policy(out) == kills.policy(tmp_path/'still') and not kills.left_over(out)
    shutil.copytree(two, tmp_path/'other')
    again = subprocess.run(under_torchrun(tmp_path/'other'), capture_output=True, text=True)
    assert again.returncode and 'a run is there already' in again.stderr and kills.policy(tmp_path/'other') == kills.policy(two)

@pytest.mark.slow
def test_one_dies_under_torchrun(tmp_path):
    "Nobody waits for ever."
    said, status = kill_one(tmp_path/'two', '--steps', '64000')
    assert status and ('another process of this run has ended' in said or 'Signal 9 (SIGKILL)' in said), said
    assert kills.update(tmp_path/'two') >= 4

@pytest.mark.slow
def test_one_is_asked_to_end(two, tmp_path, monkeypatch):
    "Then all store the same update and end, and go on from there."
    out = tmp_path/'two'
    shutil.copytree(two, out)
    words = '--resume', *ON_CPU, '--eval-episodes', '0', '--save-every', '1000'
    group = strike_one_of_two(monkeypatch, 1, signal.SIGTERM, 2, out, *words, '--steps', 64000)
    for p in group: p.join(300)
    done = kills.update(out)
    assert [p.exitcode for p in group] == [143, 143] and 5 == done == kills.told(out) and not kills.left_over(out)
    said = out.with_suffix('.0').read_text().splitlines()
    assert 'go on with: torchrun --nproc-per-node 2 --no-python gbxnb train --out' in said[-1], said
    run(2, out, *words, '--steps', 64*(done + 1))
    assert [r.update for r in records(out)] == list(range(1, done + 2))

@pytest.mark.slow
def test_patience(tmp_path):
    "A run that ends early since its evaluations are no better ends in all processes."
    words = '--world catch --steps 65536 --num-envs 16 --eval-every 1 --eval-episodes 8 --patience 1'.split()
    run(2, tmp_path/'two', *words, *ON_CPU)
    assert kills.update(tmp_path/'two') < 64

@pytest.mark.slow
def test_unlike_processes(tmp_path, monkeypatch):
    "An option that only one was given ends both, with one line."
    start = processes.start
    monkeypatch.setattr(processes, 'start', lambda command, *words, said, **env: start(
        command, *words, *(['--gamma', '.5'] if env['RANK'] == '1' else []), said=said, **env))
    said = run(2, tmp_path/'two', *WORDS, *ON_CPU, ok=False)
    assert 'error: gamma is 0.99 in process 0, but 0.5 in process 1' in said[1] and said[1].count('\n') == 1, said

@pytest.mark.skipif(not torch.cuda.is_available(), reason='no GPU: NCCL is not tried')
def test_nccl(tmp_path):
    "As many processes as there are GPUs learn what one learns."
    size = min(2, torch.cuda.device_count())
    for n, out in (1, 'one'), (size, 'all'): run(n, tmp_path/out, *WORDS, '--device', 'cuda')
    assert furthest(weights(tmp_path/'one'), weights(tmp_path/'all')) < 1e-3
    shutil.rmtree(tmp_path/'all')

def typed(text, out):
    "What a page says, small, for a shell."
    for old, new in {'10.0.0.1': '127.0.0.1', '29500': processes.port(), '--nproc-per-node 4': '--nproc-per-node 2', '65536': '8'}.items():
        text = text.replace(old, new)
    return f'{text.replace(chr(92), " ").replace(chr(10), " ")} --out {out} {" ".join([*WORDS, *ON_CPU])}'

@pytest.mark.slow
def test_the_lines_of_the_page(two, tmp_path):
    "Those for one host, and for two, which are one here."
    page = '\n'.join(''.join(c['source']) for c in book(root/'nbs/base/11_group.ipynb')['cells'] if c['cell_type'] == 'markdown')
    one, several = (block.strip() for block in page.split('```')[1::2])
    line, env = typed(several, tmp_path/'two'), os.environ | dict(PATH=f'{BIN}:{os.environ["PATH"]}', OMP_NUM_THREADS='1')
    subprocess.run(typed(one, tmp_path/'one'), shell=True, check=True, env=env, capture_output=True, timeout=300)
    hosts = [subprocess.Popen(line.replace('--node-rank 0', f'--node-rank {k}'), shell=True, env=env) for k in range(2)]
    assert [p.wait(300) for p in hosts] == [0, 0] and kills.update(tmp_path/'one') == kills.update(tmp_path/'two') == 3
