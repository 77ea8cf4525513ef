"""The files of a run are those that its manifest names. Whatever else lies in its folder, whatever it is called, and whatever the
commands do or suffer, it stays as it is, to the byte; and a folder that is not a run's is left alone altogether."""
import json, os, random, shutil, signal
from pathlib import Path
import processes
import pytest
from gbxnb.base.command import call
from gbxnb.base.files import LOCK, MANIFEST, UserError, claim_folder, lock_folder, open_folder, read_manifest, unlock_folder
from gbxnb.games.demo import demo_cli
from gbxnb.runs.train import train_cli

SMALL = '--num-envs 4 --rollout-steps 8 --minibatches 2 --epochs 1 --model small town/house --device cpu --max-steps 6'.split()
QUIET = ['--eval-episodes', 0, '--save-every', 1]
LOOKALIKES = ['lora-adapter.safetensors', 'model-00001-of-00002.safetensors', '.state-x.safetensors.swp', 'policy-2.safetensors',
              'policy-2e98ba15f5e6.safetensors', '.checkpoint.json.x7', '.part-mine', 'checkpoint.json.bak', 'summary.txt', 'thesis.tex',
              'rollout-2.gif', 'train.png.orig', 'events.out.tfevents', 'two\nlines', '\udcff', 'crashes/mine.txt', 'world/mine.txt',
              'world/start.npz.bak', 'crashes/run-u000002-notes/crash.json', 'sub/policy-0.safetensors', 'sub/checkpoint.json']

def facts(p):
    "All that a file is: kind, place on the disk, times, and content."
    s = p.lstat()
    if p.is_symlink(): return 'link', s.st_ino, os.readlink(p)
    return ('folder', s.st_ino) if p.is_dir() else ('file', s.st_ino, s.st_mode, s.st_mtime_ns, p.read_bytes())

def theirs(out):
    "Everything in a folder that is not named in its manifest, and not a folder of named files."
    named = (read_manifest(out) or ('', set()))[1] if out.is_dir() else set()
    ours = {LOCK, MANIFEST, f'.part-{MANIFEST}'} | named | {str(Path(n).with_name(f'.part-{Path(n).name}')) for n in named}
    ours |= {str(p) for n in named for p in Path(n).parents}
    return {str(p.relative_to(out)): facts(p) for p in out.rglob('*') if str(p.relative_to(out)) not in ours}

def changed(out, before):
    """What of theirs is not as it was; a folder of theirs may hold a file of ours by now, such as a crash report, and one of ours
    only a file of theirs, where a process was killed between the old run and the new."""
    after = theirs(out)
    after = {k: v for k, v in after.items() if k in before or v[0] != 'folder' or not any(name.startswith(f'{k}/') for name in before)}
    shared = [k for k, v in before.items() if v[0] == 'folder' and k not in after and os.path.lexists(out/k)]
    after |= {k: facts(out/k) for k in shared}
    return [(k, before.get(k), after.get(k)) for k in sorted(before.keys() | after.keys()) if before.get(k) != after.get(k)]

def plant(out, names, rng):
    "Put somebody's files into a folder, where there is none of that name."
    named = (read_manifest(out) or ('', set()))[1]
    for name in names:
        p = out/name
        if name in named or os.path.lexists(p): continue
        p.parent.mkdir(parents=True, exist_ok=True)
        if rng.random() < .1: p.symlink_to(out.parent/'elsewhere')
        elif rng.random() < .1: p.mkdir()
        else: p.write_bytes(rng.randbytes(20))

def end(cli, words, out, number, after):
    "Start a command and end it from outside."
    process = processes.start(cli, *words, said=out.parent/'said')
    process.join(after)
    if process.is_alive(): os.kill(process.pid, number)
    process.join(120)

@pytest.mark.slow # `test_whatever_happens` has some of it
def test_what_was_lost_before(tmp_path):
    "Train, resume, die, and demonstrate twice, in folders full of files that look like a run's."
    rng, out, demo = random.Random(0), tmp_path/'run', tmp_path/'demo'
    (tmp_path/'elsewhere').mkdir()
    assert call(train_cli, '--out', out, *SMALL, *QUIET, '--steps', 32)[0] == 0
    plant(out, LOOKALIKES, rng)
    before = theirs(out)
    assert call(train_cli, '--out', out, '--resume', '--device', 'cpu', *QUIET, '--steps', 64)[0] == 0
    end('train', ['--out', out, '--resume', '--device', 'cpu', *QUIET, '--steps', 32000], out, signal.SIGKILL, .4)
    assert len(before) > len(LOOKALIKES) and theirs(out) == before
    for times in range(2):
        assert call(demo_cli, '--out', demo, *SMALL, '--steps', 32, '--episodes', 2)[0] == 0
        if not times: plant(demo, LOOKALIKES, rng)
        before = before if times else theirs(demo)
    assert len(before) > len(LOOKALIKES) and theirs(demo) == before and not any((tmp_path/'elsewhere').iterdir())

def test_a_folder_that_is_not_a_run(tmp_path):
    "Nothing is written into it, not even a lock."
    rng, out = random.Random(1), tmp_path/'mine'
    for name in LOOKALIKES[::6] + ['checkpoint.json', 'train_log.jsonl', 'crashes', 'world/a/b', LOCK]:
        out.mkdir()
        plant(out, [name], rng)
        before = {p: facts(p) for p in tmp_path.rglob('*')}
        for cli, words in (train_cli, []), (demo_cli, []), (train_cli, ['--resume']):
            status, _, said = call(cli, '--out', out, *(words or [*SMALL, '--steps', 32]))
            assert status == 1 and said.count('\n') == 1, said
            assert any(why in said for why in ('is not empty', 'has no manifest', 'not written by gbxnb')), said
            assert {p: facts(p) for p in tmp_path.rglob('*')} == before, name
        out.rename(tmp_path/f'done {len(before)}')

@pytest.mark.slow # games/03_demo has a folder with files of others
@pytest.mark.parametrize('seed', range(20))
def test_whatever_happens(tmp_path, seed):
    "Files of random names and commands in random order."
    rng, out = random.Random(seed), tmp_path/'run'
    (tmp_path/'elsewhere').mkdir()
    out.mkdir()
    for step in range(10):
        if step: plant(out, rng.sample(LOOKALIKES, 5) + [rng.randbytes(3).hex() + rng.choice(['', '.png', '/a', '-0.safetensors'])], rng)
        before, steps = theirs(out), ['--steps', rng.choice([32, 64, 128])]
        run, demo = ['--out', out, *SMALL, *QUIET, *steps], ['--out', out, *SMALL, '--episodes', 2, *steps]
        on = ['--out', out, '--resume', '--device', 'cpu', *QUIET, '--steps', 32000]
        what = rng.choice(['run', 'demo'] + ['on', 'on', 'kill', 'kill', 'end']*bool(step))
        if what == 'run': call(train_cli, *run)
        elif what == 'demo': call(demo_cli, *demo)
        elif what == 'on': call(train_cli, *on[:-1], 64*(step + 1))
        else:
            cli, words = rng.choice([('train', run), ('demo', demo), ('train', on), ('train', on)])
            end(cli, words, out, signal.SIGKILL if what == 'kill' else signal.SIGTERM, rng.uniform(0, 2))
        assert not changed(out, before) and not any((tmp_path/'elsewhere').iterdir()), (step, what)

# A copy by hard links, as `cp -al` makes it

def linked(source, out):
    "Give each file of a folder a second name."
    shutil.copytree(source, out, copy_function=os.link)
    return out

def content(out): return {str(p.relative_to(out)): p.read_bytes() for p in out.rglob('*') if p.is_file()}

@pytest.mark.slow # `test_a_growing_file_of_a_copy` is the same of one file
def test_a_copy_by_hard_links_is_not_resumed(tmp_path):
    "A line says why; run and copy stay as they were."
    run = tmp_path/'run'
    assert call(train_cli, '--out', run, *SMALL, *QUIET, '--steps', 32)[0] == 0
    copy = linked(run, tmp_path/'copy')
    for out, other in (copy, run), (run, copy):
        before = content(other)
        status, _, said = call(train_cli, '--out', out, '--resume', '--device', 'cpu', *QUIET, '--steps', 96)
        assert status == 1 and 'several names' in said and content(other) == before

def test_a_lock_that_two_folders_share(tmp_path):
    "While one of them is written to, the other is refused; what is no lock of ours stays."
    run, copy = tmp_path/'run', tmp_path/'copy'
    run.mkdir()
    mine = lock_folder(run)
    linked(run, copy)
    for place in run, copy:
        with pytest.raises(UserError, match='is writing here;'): lock_folder(place)
    unlock_folder(mine)
    unlock_folder(lock_folder(copy))
    (run/LOCK).write_text('a diary')
    with pytest.raises(UserError, match='was not written by gbxnb'): lock_folder(run)
    assert (run/LOCK).read_text() == 'a diary'

def made(out):
    "A folder with one file."
    with claim_folder(out, 'run') as folder: folder.write({'events': b'1'})
    return out

def test_a_growing_file_of_a_copy(tmp_path):
    "A file with two names does not grow."
    with open_folder(made(tmp_path/'run'), 'run') as folder:
        folder.append('events', b'2')
        copy = linked(tmp_path/'run', tmp_path/'copy')
        with pytest.raises(OSError, match='several names'): folder.append('events', b'3')
        assert (copy/'events').read_bytes() == b'12'

@pytest.mark.parametrize('change', [dict(kind=''), dict(files=['x'*5000]), dict(files=['a/' + 'x'*250]), dict(files=['\ud800'])])
def test_a_manifest_with_names_that_no_file_can_have(tmp_path, change):
    "A line says so before anything is written."
    (tmp_path/MANIFEST).write_text(json.dumps(dict(schema='gbxnb-folder-1', kind='task', files=['a']) | change))
    for take in lambda: claim_folder(tmp_path, 'task', replace=True), lambda: open_folder(tmp_path, 'task'):
        with pytest.raises(UserError, match='damaged; choose another folder'): take()
    assert [p.name for p in tmp_path.iterdir()] == [MANIFEST]
