"""A run that several processes share, tried with real processes that talk through gloo, and through torchrun."""
import json, os, shutil, signal, subprocess, sys, time
from pathlib import Path
import kills, processes
import numpy as np
import pytest
import torch

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
    from gbxnb.logs.file import read_log
    return read_log(out/'train_log.jsonl').records

@pytest.fixture(scope='module')
def two(tmp_path_factory):
    "A run of two processes, three updates."
    out = tmp_path_factory.mktemp('shared')/'two'
    said = run(2, out, *WORDS, *ON_CPU)
    assert json.loads(said[0].splitlines()[-1])['env_steps'] == 192 and said[1] == '', said
    return out

def test_two_halves_are_a_whole(two, tmp_path):
    "The same weights, to the bit, from one process with two parts, and one log that speaks of all environments."
    run(1, tmp_path/'one', *WORDS, *ON_CPU, '--grad-parts', 2)
    one, both = records(tmp_path/'one'), records(two)
    assert [r.update for r in both] == [r.update for r in one] == list(range(1, 4))
    for a, b in zip(one, both):
        assert sum(b.action_hist) == 64 and b.env_steps == 64*b.update and b.opt_steps == 8*b.update
        for k in 'action_hist', 'episodes', 'done_rate', 'trunc_rate', 'dist_p10', 'dist_p50', 'dist_p90', 'lr':
            assert getattr(a, k) == getattr(b, k), k
        for k in 'reward_mean', 'value_mean', 'value_std', 'approx_kl', 'explained_variance', 'grad_norm', 'entropy_mean':
            assert abs(getattr(a, k) - getattr(b, k)) < 1e-5, k
    assert furthest(weights(tmp_path/'one'), weights(two)) == 0
    assert furthest(weights(two), {k: v*0 for k, v in weights(two).items()}) > .1

@pytest.mark.slow
def test_numbers_are_of_all_processes(tmp_path):
    "Where all have been, and the moving start: of two processes as of one with two parts, also when they change places."
    words = ('--watch map=0xC38A,y=0xC386,x=0xC385 --coverage map=4,y=9,x=10 --backward 4 --max-steps 30 --start-noops 1 --no-anneal-lr '
             '--grad-parts 2').split()
    for size, out in (2, tmp_path/'two'), (1, tmp_path/'one'): run(size, out, *WORDS, *words, *ON_CPU)
    for size, out in (1, tmp_path/'two'), (2, tmp_path/'one'): run(size, out, '--resume', *ON_CPU, '--eval-episodes', '0', '--steps', '640')
    told = [[r.extras for r in records(out)] for out in (tmp_path/'two', tmp_path/'one')]
    assert told[0] == told[1] and len(told[0]) == 10 and told[0][-1]['coverage'] > told[0][0]['coverage'] > 1
    assert len({e['backward_start'] for e in told[0]}) > 1 and furthest(weights(tmp_path/'one'), weights(tmp_path/'two')) == 0

@pytest.mark.slow
def test_one_part_is_near(two, tmp_path):
    "Sums in another order: the same weights to a millionth."
    run(1, tmp_path/'one', *WORDS, *ON_CPU, '--grad-parts', 1)
    assert 0 < furthest(weights(tmp_path/'one'), weights(two)) < 1e-6

def strike_one_of_two(monkeypatch, victim, number, update, out, *words):
    "Start two processes of which one gets a signal in an update."
    start = processes.start
    def started(command, *words, said, **env):
        if env['RANK'] != str(victim): return start(command, *words, said=said, **env)
        return kills.start_struck(*words, said=said, number=number, update=update, **env)
    with monkeypatch.context() as m:
        m.setattr(processes, 'start', started)
        return processes.group(2, 'train', '--out', out, *words, said=out.with_suffix('.said'))

def kill_one_of_two(monkeypatch, out, victim):
    "Kill a process of a run; the other one says so and ends."
    group, left = strike_one_of_two(monkeypatch, victim, signal.SIGKILL, 3, out, *WORDS, *ON_CPU), 1 - victim
    for p in group: p.join(120)
    assert group[victim].exitcode == -signal.SIGKILL
    said = out.with_suffix(f'.{left}').read_text().splitlines()
    assert group[left].exitcode == 1 and f'error: process {left} of 2: another process of this run has ended' in said[-1], said

def test_one_dies_and_the_run_goes_on(two, tmp_path, monkeypatch):
    "Process 1 is killed, process 0 says so and ends. Resumed by one process the run ends as if nothing had been."
    out = tmp_path/'two'
    kill_one_of_two(monkeypatch, out, 1)
    assert kills.update(out) == 2
    processes.finish('train', '--out', out, '--resume', *ON_CPU, '--save-every', 2, '--eval-episodes', 0, said=tmp_path/'said')
    assert kills.policy(out) == kills.policy(two) and not kills.left_over(out)
    assert [r.update for r in records(out)] == list(range(1, 4))

def stage(size, out, steps, *words):
    "So many processes take a run so far; everything that it is then."
    from gbxnb.runs.checkpoint import load_checkpoint
    run(size, out, *words, *ON_CPU, '--eval-episodes', '0', '--steps', steps)
    c = load_checkpoint(out, resume=True)
    return c.policy | {k: v for k, v in c.state.items() if k.startswith('optimizer.') or k == 'loop.generator'}

@pytest.mark.slow
@pytest.mark.parametrize('sizes', [(4, 1, 2), (2, 4, 1), (1, 3, 6)])
def test_another_number_of_processes(tmp_path, sizes):
    "Three stages by other numbers of processes end as one process does that never stopped, to the bit."
    words = [*WORDS, '--no-anneal-lr', '--grad-parts', '12', '--num-envs', '24']
    whole, out = stage(1, tmp_path/'one', 3*192, *words), tmp_path/'several'
    for k, size in enumerate(sizes, 1): found = stage(size, out, k*192, *(['--resume'] if k > 1 else words))
    assert found.keys() == whole.keys() and all(np.array_equal(found[k], whole[k]) for k in whole)

@pytest.mark.slow
def test_more_processes_than_parts(two, tmp_path):
    "They go on with as many parts as processes, near what two would have made of it; what cannot be shared is refused."
    out, words = tmp_path/'run', ['--steps', '256', '--eval-episodes', '0', *ON_CPU]
    shutil.copytree(two, out)
    said = run(4, out, '--resume', *words)
    assert '4 processes cannot share 2 parts' in said[0] and kills.update(out) == 4
    shutil.copytree(two, tmp_path/'same')
    run(2, tmp_path/'same', '--resume', *words)
    assert 0 < furthest(weights(out), weights(tmp_path/'same')) < 1e-6
    refused = run(3, out, '--resume', '--steps', '512', *ON_CPU, ok=False)
    assert all('8 environments cannot be shared by 3 processes' in text for text in refused), refused

@pytest.mark.slow
def test_started_again_by_torchrun(two, tmp_path):
    "A process is killed; torchrun starts both again, and they go on by themselves. Another torchrun does not."
    out = tmp_path/'two'
    words = [BIN/'torchrun', '--nproc-per-node', '2', '--max-restarts', '2', '-m', 'gbxnb', 'train', '--out', out, *WORDS, *ON_CPU]
    agent = subprocess.Popen([*words, '--steps', '1920', '--save-every', '1'], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    while kills.told(out) < 5 and agent.poll() is None: time.sleep(.01)
    children = Path(f'/proc/{agent.pid}/task/{agent.pid}/children').read_text().split()
    os.kill(int(children[-1]), signal.SIGKILL)
    said = agent.communicate(timeout=300)[1]
    assert agent.returncode == 0 and kills.update(out) == 30, said
    assert [r.update for r in records(out)] == list(range(1, 31))
    run(2, tmp_path/'still', *WORDS, *ON_CPU, '--steps', 1920)
    assert kills.policy(out) == kills.policy(tmp_path/'still')
    shutil.copytree(two, tmp_path/'other')
    others = [*words[:2], '2', '-m', 'gbxnb', 'train', '--out', tmp_path/'other', *WORDS, *ON_CPU]
    again = subprocess.run(others, capture_output=True, text=True)
    assert again.returncode and 'a run is there already' in again.stderr

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
def test_two_teams_in_one_folder(two, tmp_path):
    "The second team is refused as one, and changes nothing: each process says who is there."
    from gbxnb.base.files import open_folder
    out = tmp_path/'two'
    shutil.copytree(two, out)
    before = processes.content(out)
    with open_folder(out, 'run'): said = run(2, out, '--resume', *ON_CPU, '--steps', 1280, ok=False)
    assert all(f'process {os.getpid()} on' in text and text.count('\n') == 1 for text in said) and 'error: process 0 on' in said[1], said
    assert processes.content(out) == before

@pytest.mark.slow
def test_process_0_dies(two, tmp_path, monkeypatch):
    "The lock goes with it, the other one ends, and the run goes on from its checkpoint."
    out = tmp_path/'two'
    kill_one_of_two(monkeypatch, out, 0)
    run(2, out, '--resume', *ON_CPU, '--save-every', 2, '--eval-episodes', 0)
    assert kills.policy(out) == kills.policy(two) and not kills.left_over(out)

@pytest.mark.slow
def test_torchrun(two, tmp_path):
    "A second run is not written over the first."
    words = [BIN/'torchrun', '--nproc-per-node', '2', '--no-python', BIN/'gbxnb', 'train', '--out', tmp_path/'two']
    done = subprocess.run([*words, *WORDS, *ON_CPU], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and kills.policy(tmp_path/'two') == kills.policy(two), done.stderr
    refused = subprocess.run([*words, *WORDS, *ON_CPU], capture_output=True, text=True, timeout=600)
    assert refused.returncode and 'gbxnb train: error:' in refused.stderr and 'a run is there already' in refused.stderr
    assert kills.policy(tmp_path/'two') == kills.policy(two) and not kills.left_over(tmp_path/'two')

@pytest.mark.slow
def test_one_dies_under_torchrun(tmp_path):
    "Nobody waits for ever."
    words = [BIN/'torchrun', '--nproc-per-node', '2', '-m', 'gbxnb', 'train', '--out', tmp_path/'two', *WORDS, *ON_CPU]
    agent = subprocess.Popen([*words, '--steps', '64000'], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    while kills.told(tmp_path/'two') < 5 and agent.poll() is None: time.sleep(.01)
    children = Path(f'/proc/{agent.pid}/task/{agent.pid}/children').read_text().split()
    os.kill(int(children[-1]), signal.SIGKILL)
    said = agent.communicate(timeout=300)[1]
    assert agent.returncode and ('another process of this run has ended' in said or 'Signal 9 (SIGKILL)' in said), said
    assert kills.update(tmp_path/'two') >= 4

@pytest.mark.skipif(not torch.cuda.is_available(), reason='no GPU: NCCL is not tried')
def test_nccl(tmp_path):
    "As many processes as there are GPUs learn what one learns."
    size = min(2, torch.cuda.device_count())
    for n, out in (1, 'one'), (size, 'all'): run(n, tmp_path/out, *WORDS, '--grad-parts', size, '--device', 'cuda')
    assert furthest(weights(tmp_path/'one'), weights(tmp_path/'all')) < 1e-3
    shutil.rmtree(tmp_path/'all')
