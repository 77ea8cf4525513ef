"Jobs in shards: killed, gone on with, joined, and equal to one process that does all; what is missing, differs or is damaged is named."
import json, os, random, re, shutil, signal, subprocess, sys, types
from pathlib import Path

import numpy as np
import processes
import pytest
from gbxnb.base.command import call
from gbxnb.base.files import read_json
from gbxnb.base.jobs import HEADER, join_cli
from gbxnb.bench import compare, learning
from gbxnb.bench.learning import learn_cli
from gbxnb.games.bundled import rom_path
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

def text(out): return json.dumps(untimed(read_json(out)))

def done(folder): return sorted(p.name for p in folder.glob('0*.json'))

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
        assert process.exitcode == -signal.SIGKILL
        assert done(top/'2-of-3') == ['0002-trained-1.json'] and (top/'2-of-3/.part-0005-trained-4.json').exists()
        patch.setattr(learning, 'one_run', lambda *args, real=learning.one_run: runs.append(args[1:3]) or real(*args))
        said = [learn(out, f'{k}/3') for k in (2, 1, 3)]
    assert len(runs) == 11 and ('trained', 1) not in runs, 'what was done is not done again'
    assert not any(status for status, _, _ in said) and not (at/'whole.jobs').exists()
    return at/'whole.json', whole, top, [line for _, line, _ in said]

@pytest.mark.slow
def test_joined_shards_are_what_one_process_makes(shards, tmp_path):
    "Also from copies of their folders, in any order; the verdict is the same."
    whole, (status, said, err), top, _ = shards
    folders = [shutil.copytree(top/f'{k}-of-3', tmp_path/f'copy{k}') for k in (3, 1, 2)]
    for n, given in enumerate(([top], folders)):
        joined = call(join_cli, *given, out=tmp_path/f'{n}.json')
        assert joined[0] == status == 1 and joined[2].split('error: ')[1] == err.split('error: ')[1] and 'the lower bound' in err
        assert text(tmp_path/f'{n}.json') == text(whole) and json.loads(joined[1]) == read_json(tmp_path/f'{n}.json')
    assert len(read_json(whole)['rows']) == 12

@pytest.mark.slow
def test_what_is_missing_is_named(shards, tmp_path):
    _, _, top, said = shards
    assert [re.findall(r'(\d+ of 12 jobs); (?:not here yet: (\d+) jobs of (.*?);)?', s)[0] for s in said] == [
        ('4 of 12 jobs', '8', '1/3, 3/3'), ('4 of 12 jobs', '4', '3/3'), ('4 of 12 jobs', '', '')]
    assert all(s.count('\n') == 1 and f'gbxnb join {top} --out {top.with_suffix(".json")}' in s for s in said)
    some = shutil.copytree(top, tmp_path/'some.jobs')
    shutil.rmtree(some/'3-of-3')
    (some/'1-of-3/0010-truncation-bug-0.json').unlink()
    status, out, err = call(join_cli, some, out=tmp_path/'joined.json')
    assert status == 1 and not out and not (tmp_path/'joined.json').exists()
    assert err.splitlines()[:-1] == [f'missing: {name}' for name in (
        'trained 2 (shard 3/3)', 'trained 5 (shard 3/3)', 'trained 8 (shard 3/3)', 'truncation bug 0 (shard 1/3)',
        'truncation bug 2 (shard 3/3)')] and '5 of 12 jobs are missing' in err.splitlines()[-1]

def one_line(status, out, err):
    assert status == 1 and not out and err.count('\n') == 1 and 'Traceback' not in err, err
    return err

@pytest.mark.slow
def test_folders_of_other_facts_are_refused(shards, tmp_path, monkeypatch):
    "Whether they are gone on with or joined; the processor that learning happened on may be another one."
    _, _, top, _ = shards
    mine, known = shutil.copytree(top, tmp_path/'mine.jobs'), learning.versions('cpu')
    (mine/'2-of-3/0002-trained-1.json').unlink()
    shutil.copytree(mine/'1-of-3', tmp_path/'renamed.jobs/2-of-3')
    assert 'holds another shard' in one_line(*learn(tmp_path/'renamed.json', '2/3'))
    monkeypatch.setattr(learning, 'versions', lambda device: known | dict(device='another one'))
    assert not learn(tmp_path/'mine.json', '2/3')[0]
    call(join_cli, mine, out=tmp_path/'mine.json')
    assert read_json(tmp_path/'mine.json')['device'] == [known['device'], 'another one']
    for n, (key, change) in enumerate(dict(torch_version=dict(), steps=dict(steps=320), jobs=dict(seeds=8)).items()):
        now = known if change else known | dict(torch_version='9.9')
        monkeypatch.setattr(learning, 'versions', lambda device, now=now: now)
        assert f'was made with {key} ' in one_line(*learn(tmp_path/'mine.json', '2/3', **change))
        learn(tmp_path/f'{n}.json', '2/3', **change)
        said = one_line(*call(join_cli, top/'1-of-3', tmp_path/f'{n}.jobs/2-of-3'))
        assert f'was made with {key} ' in said and f', and {top}/1-of-3 with ' in said

VALUES = None, True, -1, 1e300, 10**400, '', 'trained 1', [], {}, ['x', 'x'], {'a': [1]}, '1/1', 'learn', 'doctor', 'os:system', 'bench env'

def damaged(value, rng):
    "A JSON value, with one place in it changed."
    if isinstance(value, (dict, list)) and value and rng.random() < .8:
        k = rng.choice([*value]) if isinstance(value, dict) else rng.randrange(len(value))
        if rng.random() < .2: return {n: v for n, v in value.items() if n != k} if isinstance(value, dict) else value[:k]
        copy = value.copy()
        copy[k] = damaged(copy[k], rng)
        return copy
    return rng.choice(VALUES)

@pytest.mark.slow
@pytest.mark.parametrize('name', [HEADER, '0002-trained-1.json'])
def test_damaged_files_are_named(name, shards, tmp_path):
    "Cut off, they are refused; with another value in them, too, or joined. No file chooses what is run, and none gives a traceback."
    _, _, top, _ = shards
    mine, rng = shutil.copytree(top, tmp_path/'mine.jobs'), random.Random(0)
    file = mine/'2-of-3'/name
    good = file.read_text()
    for bad in good[:-9], '', 'null', '[]', '\x00':
        file.write_text(bad)
        assert str(file) in one_line(*call(join_cli, mine)) and str(file) in one_line(*learn(tmp_path/'mine.json', '2/3'))
    for _ in range(150):
        file.write_text(json.dumps(damaged(json.loads(good), rng)))
        for given in [mine], [mine/'2-of-3', mine/'1-of-3', mine/'3-of-3']:
            status, out, err = call(join_cli, *given)
            assert status == 1 and 'Traceback' not in err and ('the lower bound' in err or one_line(status, out, err))

# Games

def test_games_are_compared_in_shards(tmp_path, monkeypatch):
    "A game that cannot run is left out; machines that differ are not mixed."
    machine, games = compare.about('cpu'), [shutil.copy(rom_path(), tmp_path/f'{k}.gb') for k in 'abc']
    def played(rom, work, device):
        if (n := next(numbers)) == 2: raise compare.UserError('it crashes')
        ratios = np.array([2., 3 + n, 1/3])
        return dict(title=f'{n}', rom_sha256='a', kind=('waits', 'computes')[n % 2], **compare.mean_ratio(ratios)), ratios
    monkeypatch.setattr(compare, 'find_pyboy', lambda: None)
    monkeypatch.setattr(compare, 'version', lambda name: '2.8.1')
    monkeypatch.setattr(compare, 'compare_game', played)
    monkeypatch.setattr(compare, 'thread_scaling', lambda rom, work: 2.)
    def measure(shard, order, out, cores=2):
        nonlocal numbers
        numbers = iter(order)
        monkeypatch.setattr(compare, 'about', lambda device: machine | dict(cores=cores))
        return call(compare.bench_compare_cli, *games, out=tmp_path/out, shard=shard, device='cpu')
    numbers = iter(())
    assert not measure('1/1', range(4), 'whole.json')[0]
    for k in 1, 2: assert not measure(f'{k}/2', (k - 1, k + 1), 'two.json')[0]
    assert not call(join_cli, tmp_path/'two.jobs', out=tmp_path/'two.json')[0]
    assert text(tmp_path/'two.json') == text(tmp_path/'whole.json')
    found = read_json(tmp_path/'two.json')
    assert found['left_out'] == ['b.gb: it crashes'] and found['means']['all']['games'] == 3 and 'ratios' not in found['rows'][0]
    measure('2/2', (1, 3), 'other.json', cores=4)
    said = one_line(*call(join_cli, tmp_path/'two.jobs/1-of-2', tmp_path/'other.jobs/2-of-2'))
    assert f'was made with cores 4, and {tmp_path}/two.jobs/1-of-2 with 2' in said

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

@pytest.mark.slow
def test_ray_starts_shards(shards, tmp_path, monkeypatch):
    "The launcher, with a Ray of five lines: workers have a disk of their own, and the launcher joins what they bring."
    code = block('python')
    assert len(code.splitlines()) <= 60
    def remote(**options): return lambda f: types.SimpleNamespace(remote=lambda *args: (f, args))
    def get(task): # the task of another machine: its files are gone when it ends
        brought = task[0](*task[1])
        shutil.rmtree(tmp_path/'ray.jobs')
        for name, content in kept.items():
            name.parent.mkdir(parents=True, exist_ok=True)
            name.write_bytes(content)
        kept.update({brought[1]/name: content for name, content in brought[2].items()})
        return brought
    kept, said = {}, []
    ray = types.SimpleNamespace(remote=remote, init=lambda: None, wait=lambda tasks: (tasks[:1], tasks[1:]), get=get)
    monkeypatch.setitem(sys.modules, 'ray', ray)
    launcher = types.ModuleType('ray_shards')
    exec(code, vars(launcher))
    def run(words, **how):
        said.append(call(dict(learn=learn_cli, join=join_cli)[words[1]], *words[2:]))
        return types.SimpleNamespace(returncode=said[-1][0])
    monkeypatch.setattr(launcher, 'subprocess', types.SimpleNamespace(run=run))
    words = [w for k, v in WORDS.items() for w in (f'--{k}', str(v))]
    assert launcher.main('3', 'gbxnb', 'learn', 'constant', *words, '--out', str(tmp_path/'ray.json')) == shards[1][0] == 1
    assert text(tmp_path/'ray.json') == text(shards[0]) and len(said) == 4
    monkeypatch.setattr(launcher, 'subprocess', types.SimpleNamespace(run=lambda *a, **k: types.SimpleNamespace(returncode=9)))
    kept.clear()
    (tmp_path/'ray.jobs').mkdir(exist_ok=True)
    ray.get = lambda task: task[0](*task[1])
    with pytest.raises(SystemExit, match='3 of 3 shards failed'): launcher.main('3', 'gbxnb', 'learn', '--out', str(tmp_path/'no.json'))
