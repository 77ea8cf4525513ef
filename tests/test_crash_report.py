"""What writing a crash report may meet: a full disk, or the end of the process. Damaged ones are the matter of `fuzz_crash_reports.py`."""
import itertools, json, os, resource, signal, sys

import processes
import pytest
from gbxnb.folder import LOCK, MANIFEST, claim_folder, open_folder, read_manifest
from gbxnb.runs.crash_report import CrashReports, read_crash_report
from gbxnb.runs.checkpoint import Save
from gbxnb.train.config import PPOConfig
from gbxnb.train.loop import train
from gbxnb.train.run import start_run
from gbxnb.worlds.classic import Catch

def content(out):
    files = [p for p in out.rglob('*') if p.is_file() and not p.is_symlink() and p.name != 'replay.png']
    return {p: p.read_bytes() if p.stat().st_size < 10**8 else p.stat().st_size for p in files}

# Writing one

def trained(folder):
    "A run with a checkpoint, and what would write its crash report."
    reports, cfg = CrashReports(folder), PPOConfig(num_envs=2, rollout_steps=4, minibatches=1, model='small')
    folder.write({'world/goal.json': 'a goal'})
    run = train(start_run(Catch(2), cfg, 16, 'name'), [reports, Save(folder, 1)])
    for theirs in 'crashes/name-u000002/frames.npy', 'crashes/mine.txt':
        (folder.path/theirs).parent.mkdir(parents=True, exist_ok=True)
        (folder.path/theirs).write_text('mine')
    return run, reports

def theirs(path): return [(path/n).read_text() for n in ('crashes/name-u000002/frames.npy', 'crashes/mine.txt')] == ['mine', 'mine']
OWN = {LOCK, MANIFEST, f'.part-{MANIFEST}'}
def parts(path): return [p for p in path.rglob('.part-*')]

def test_a_full_disk_hides_no_error(tmp_path):
    "Room for nothing, for the frames alone, for all but the state: nothing is raised, nothing is half there, nothing of others is touched."
    with claim_folder(tmp_path/'run', 'run') as folder:
        run, reports = trained(folder)
        before, limits = content(folder.path), resource.getrlimit(resource.RLIMIT_FSIZE)
        for room in 0, 300, 1000, 5000, 20_000, 10**7:
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
            try: name = reports.write(run, ValueError('a bug'))
            finally: resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            after = content(folder.path)
            assert theirs(folder.path) and not parts(folder.path) and all(after[p] == v for p, v in before.items() if p.name != MANIFEST)
            if name: assert json.loads((folder.path/name/'crash.json').read_text())['message'] == 'a bug'
        assert read_crash_report(folder.path/name).kind == 'exception' and name.endswith('+')

def _written(path, count):
    "What a process does that is killed when it opens, renames or links its file number `count` in writing a crash report."
    with open_folder(path, 'run') as folder:
        run, reports = trained(folder)
        events = itertools.count(1)
        def watch(event, args):
            if (event == 'open' or event.startswith('os.')) and any(str(a).startswith(str(path)) for a in args) and next(events) == count:
                os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(watch)
        reports.write(run, ValueError('a bug'))

@pytest.mark.parametrize('counts', [range(9, 10), pytest.param(range(1, 200, 3), marks=pytest.mark.slow)], ids=['once', 'often'])
def test_killed_while_it_writes(tmp_path, counts):
    "The manifest names whatever a process that was killed has left, and clearing the folder takes all of it away and nothing else."
    for count in counts:
        path = tmp_path/str(count)
        claim_folder(path, 'run').close()
        process = processes.FORK.Process(target=_written, args=(path, count))
        process.start()
        process.join(300)
        assert process.exitcode in (0, -signal.SIGKILL) and theirs(path)
        named = read_manifest(path)[1]
        for p in path.rglob('*'):
            name = str(p.relative_to(path).with_name(p.name.removeprefix('.part-')))
            assert p.is_dir() or name in named or p.name in OWN or p.read_text() == 'mine', p
        with open_folder(path, 'run') as folder: folder.clear()
        left = {str(p.relative_to(path)) for p in path.rglob('*') if p.is_file()} - OWN
        assert left == {'crashes/mine.txt', 'crashes/name-u000002/frames.npy'}
        if process.exitcode == 0: return
