"""What a training run survives, tried from outside: whole processes, real signals."""
import json, os, signal, subprocess, sys, time
import pytest

WORDS = ('--num-envs 4 --rollout-steps 8 --minibatches 2 --model small --goal house --device cpu --max-steps 6 --eval-episodes 0 '
         '--save-every 1 --steps 768').split()

def start(code, *words):
    return subprocess.Popen([sys.executable, '-c', f'from gbxnb.train.cli import train_cli; {code}', *map(str, words)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | dict(OMP_NUM_THREADS='1'))

def train(out, *words): return start('train_cli()', '--out', out, *words)

def update(out):
    "The update of the checkpoint in `out`, -1 if there is none yet."
    try: return json.loads((out/'checkpoint.json').read_text())['counters']['update']
    except FileNotFoundError: return -1

def finish(process):
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err

def kill_at(out, wanted, *words):
    "Start or resume a run and kill it, without warning, once its checkpoint is of update `wanted` or later."
    process, deadline = train(out, *words), time.monotonic() + 120
    while update(out) < wanted and process.poll() is None and time.monotonic() < deadline: time.sleep(.002)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert wanted <= update(out)

def policy(out):
    "The name of the stored policy, which is the hash of its weights."
    return json.loads((out/'checkpoint.json').read_text())['files']['policy']['sha256']

def test_killed_and_resumed_is_the_same_run(tmp_path):
    "Killed without warning after a third; the rest brings the bits of the run that nobody disturbed."
    finish(train(tmp_path/'whole', *WORDS))
    kill_at(tmp_path/'broken', 8, *WORDS)
    at = update(tmp_path/'broken')
    assert 8 <= at < 24
    finish(train(tmp_path/'broken', '--resume', '--device', 'cpu', '--eval-episodes', 0))
    assert update(tmp_path/'broken') == update(tmp_path/'whole') == 24
    assert policy(tmp_path/'broken') == policy(tmp_path/'whole')
    from gbxnb.logs.schema import read_log
    assert [r.update for r in read_log(tmp_path/'broken'/'train_log.jsonl').records] == list(range(1, 25))

@pytest.mark.slow
def test_twenty_kills(tmp_path):
    "Killed at twenty moments of one run."
    finish(train(tmp_path/'whole', *WORDS))
    kill_at(tmp_path/'broken', 1, *WORDS)
    for k in range(2, 21): kill_at(tmp_path/'broken', k, '--resume', '--device', 'cpu', '--eval-episodes', 0, '--save-every', 1)
    finish(train(tmp_path/'broken', '--resume', '--device', 'cpu', '--eval-episodes', 0))
    assert policy(tmp_path/'broken') == policy(tmp_path/'whole')

def test_without_torch_the_extra_is_named(tmp_path):
    process = start("import sys; sys.modules['torch'] = None; train_cli()", '--out', tmp_path/'x')
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1 and err.count('\n') == 1 and 'gbxnb[rl]' in err and not out
    assert not (tmp_path/'x').exists()
