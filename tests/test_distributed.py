"""A run that several processes share, tried with real processes that talk through gloo, and through torchrun."""
import json, os, re, shutil, signal, subprocess, sys, time
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
    "The same weights within the error of sums in another order, and one log that speaks of all environments."
    run(1, tmp_path/'one', *WORDS, *ON_CPU)
    one, both = records(tmp_path/'one'), records(two)
    assert [r.update for r in both] == [r.update for r in one] == list(range(1, 4))
    for a, b in zip(one, both):
        assert sum(b.action_hist) == 64 and b.env_steps == 64*b.update and b.opt_steps == 8*b.update
        for k in 'action_hist', 'episodes', 'done_rate', 'trunc_rate', 'dist_p10', 'dist_p50', 'dist_p90', 'lr':
            assert getattr(a, k) == getattr(b, k), k
        for k in 'reward_mean', 'value_mean', 'value_std', 'approx_kl', 'explained_variance', 'grad_norm', 'entropy_mean':
            assert abs(getattr(a, k) - getattr(b, k)) < 1e-3, k
    assert 0 < furthest(weights(tmp_path/'one'), weights(two)) < 1e-4
    assert furthest(weights(two), {k: v*0 for k, v in weights(two).items()}) > .1

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
    "Process 1 is killed, process 0 says so and ends. Resumed by two processes the run ends as if nothing had been; by one it is refused."
    out = tmp_path/'two'
    kill_one_of_two(monkeypatch, out, 1)
    assert kills.update(out) == 2
    alone, = run(1, out, '--resume', *ON_CPU, ok=False)
    assert 'shared by 2 processes' in alone and '--nproc-per-node 2' in alone and alone.count('\n') == 1
    run(2, out, '--resume', *ON_CPU, '--save-every', 2, '--eval-episodes', 0)
    assert kills.policy(out) == kills.policy(two) and not kills.left_over(out)
    assert [r.update for r in records(out)] == list(range(1, 4))

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

def test_two_teams_in_one_folder(two, tmp_path):
    "The second team is refused as one, and changes nothing: process 0 says who is there, process 1 that another has ended."
    from gbxnb.base.folder import open_folder
    out = tmp_path/'two'
    shutil.copytree(two, out)
    before = processes.content(out)
    with open_folder(out, 'run'): said = run(2, out, '--resume', *ON_CPU, '--steps', 1280, ok=False)
    assert f'process {os.getpid()} on' in said[0] and 'another process of this run has ended' in said[1].splitlines()[-1], said
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
    "The documented words; a second run is not written over the first."
    words = typed('torchrun --nproc-per-node', {}, '--out', tmp_path/'two')
    done = subprocess.run([*words, *WORDS, *ON_CPU], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and kills.policy(tmp_path/'two') == kills.policy(two), done.stderr
    refused = subprocess.run([*words, *WORDS, *ON_CPU], capture_output=True, text=True, timeout=600)
    assert refused.returncode and 'gbxnb train: error:' in refused.stderr and 'a run is there already' in refused.stderr
    assert kills.policy(tmp_path/'two') == kills.policy(two) and not kills.left_over(tmp_path/'two')

def typed(start, changes, *more):
    "The line of the page on several processes that begins so, up to the options of the training, with other values and these options."
    page = '\n'.join(''.join(c['source']) for c in book(root/'nbs/training/07_at_scale.ipynb')['cells'])
    line = next(line for line in re.sub(r'\\\n *', '', page).splitlines() if line.startswith(start))
    words = line[:line.index(' --num-envs')].split()
    for option, value in changes.items(): words[words.index(option) + 1] = value
    return [BIN/w if w in ('torchrun', 'gbxnb') else w for w in words] + [*more]

@pytest.mark.slow
def test_two_hosts(two, tmp_path):
    "The documented words, on one machine in place of two: a run like that of one team, and both resume it."
    at = {'--master-addr': '127.0.0.1', '--master-port': processes.port(), '--nproc-per-node': '1'}
    out = '--out', tmp_path/'two'
    for words in [*WORDS, *ON_CPU], ['--resume', '--steps', '256', '--eval-episodes', '0', *ON_CPU]:
        hosts = [subprocess.Popen(typed('torchrun --nnodes', at | {'--node-rank': str(r)}, *out, *words)) for r in range(2)]
        assert [p.wait(600) for p in hosts] == [0, 0]
        if '--resume' not in words: assert kills.policy(tmp_path/'two') == kills.policy(two)
    assert [r.update for r in records(tmp_path/'two')] == list(range(1, 5)) and not kills.left_over(tmp_path/'two')

def test_the_page_has_what_is_tried():
    assert typed('torchrun --nproc', {}) == [BIN/'torchrun', '--nproc-per-node', '2', '--no-python', BIN/'gbxnb', 'train']
    assert typed('torchrun --nnodes', {'--node-rank': '1'})[3:5] == ['--node-rank', '1']

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
    run(1, tmp_path/'one', *WORDS, '--device', 'cuda')
    size = min(2, torch.cuda.device_count())
    run(size, tmp_path/'all', *WORDS, '--device', 'cuda')
    assert furthest(weights(tmp_path/'one'), weights(tmp_path/'all')) < 1e-3
    shutil.rmtree(tmp_path/'all')
