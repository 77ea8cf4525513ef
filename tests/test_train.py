"""What a training run survives, tried from outside: whole processes, real signals."""
import os, subprocess, sys
import kills, processes
import pytest

def start(code, *words):
    return subprocess.Popen([sys.executable, '-c', f'from gbxnb.train.cli import train_cli; {code}', *map(str, words)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | dict(OMP_NUM_THREADS='1'))

def same_but_for_the_cold_one(found):
    whole, killed, cold = found['policy_sha256'].values()
    return whole == killed != cold

def test_killed_and_resumed_is_the_same_run(tmp_path):
    "Killed twice without warning; the rest brings the bits of the run that nobody disturbed, and one log of all updates."
    found = kills.kill_and_compare(tmp_path, ['saving', 'anywhere'], seed=3)
    assert same_but_for_the_cold_one(found), found
    from gbxnb.logs.schema import read_log
    assert [r.update for r in read_log(tmp_path/'killed'/'train_log.jsonl').records] == list(range(1, found['updates'] + 1))

@pytest.mark.slow
def test_twenty_kills(tmp_path):
    found = kills.kill_and_compare(tmp_path, kills.some_aims(20, 1), seed=1)
    assert same_but_for_the_cold_one(found), found
    assert any(k['unfinished'] for k in found['kills']), 'some kills fell into the writing of a checkpoint'

def test_killed_at_every_step_of_saving(tmp_path):
    "Killed before the first, the second, the third ... thing that a save asks of the system: one checkpoint is there, and it is whole."
    seen, saved = [], 1
    while saved:
        kills.save(tmp_path, 1)
        process = processes.FORK.Process(target=kills.save, args=(tmp_path, 2, len(seen) + 1))
        process.start()
        process.join(60)
        saved = process.exitcode
        seen.append(kills.saved(tmp_path))
    old, new = seen.count((1, 1.)), seen.count((2, 2.))
    assert old > 10 and new > 3 and seen == [(1, 1.)]*old + [(2, 2.)]*new, seen

def test_without_torch_the_extra_is_named(tmp_path):
    process = start("import sys; sys.modules['torch'] = None; train_cli()", '--out', tmp_path/'x')
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1 and err.count('\n') == 1 and 'gbxnb[rl]' in err and not out
    assert not (tmp_path/'x').exists()
