"Jobs in shards: killed, gone on with, and equal to one process that does all; what differs or is damaged is done again."
import json, os, re, shutil, signal, subprocess
from pathlib import Path

import processes
import pytest
from gbxnb.base.command import call
from gbxnb.base.files import read_json
from gbxnb.bench import learning
from gbxnb.bench.learning import learn_cli
from pages import book, root

WORDS = dict(seeds=9, steps=160, jobs=1) # and three controls: twelve runs of milliseconds
PAGE = root/'nbs/base/16_jobs.ipynb'

def here(place, calls, at_once, meter):
    "What `call_each` does, in this process."
    for k, args in enumerate(calls): yield k, learning.one_run(*args)

@pytest.fixture(autouse=True)
def one_process(monkeypatch):
    monkeypatch.setattr(learning, 'call_each', here)
    monkeypatch.setenv('OMP_NUM_THREADS', '1')

def learn(out, shard='1/1', **options): return call(learn_cli, 'constant', out=out, shard=shard, **WORDS | options)

TIMES = 'wall_time_s', 'sps', 'fps', 'updates_per_s', 'seconds', 'cpu_seconds', 'created_at', 'git_sha'

def untimed(value):
    "A JSON value without what a clock says."
    if isinstance(value, dict): return {k: untimed(v) for k, v in value.items() if k not in TIMES}
    return [*map(untimed, value)] if isinstance(value, list) else value

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
def test_what_is_no_result_is_done_again(shards, tmp_path, monkeypatch):
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
