"""Commands about logs, films and crash reports as whole processes: ended at any moment, on a full disk, without streams, in any folder.

What they leave follows one rule: a file bears its name when it is whole. Before that its name begins with `.part-` in a folder with a
manifest and with `.gbxnb-` elsewhere, and only a process that is killed leaves such a file."""
import importlib, itertools, os, resource, shutil, signal, sys
from pathlib import Path

import processes
from damage import crashed_run
import pytest
from gbxnb.base.command import call
from processes import content

COMMANDS = dict(film='gbxnb.runs.film:film_cli', plot='gbxnb.logs.plots:log_plot_cli',
                tensorboard='gbxnb.logs.plots:log_tensorboard_cli', check='gbxnb.logs.validate:log_check_cli')

def words(name, at):
    "The command line of a command that finds a run in the folder `at`, and writes there."
    film = [at/'run', '--steps', 20, '--num-envs', 2, '--scale', 1, '--device', 'cpu']
    log = [at/'run', '--out']
    return [str(w) for w in dict(film=film, plot=[*log, at/'p.png'], tensorboard=[*log, at/'tb'], check=[at/'run'])[name]]

@pytest.fixture(scope='module')
def good(tmp_path_factory): return crashed_run(tmp_path_factory.mktemp('good')/'run')

@pytest.fixture
def at(good, tmp_path):
    "A folder with the run, and with a result of each command and a file of somebody else where the results go."
    shutil.copytree(good, tmp_path/'run', copy_function=shutil.copy2)
    for old in old_files(tmp_path):
        old.parent.mkdir(exist_ok=True)
        old.write_bytes(b'old')
    for theirs in 'mine.txt', 'tb/mine.txt', 'run/mine.txt', 'run/.part-mine.txt': (tmp_path/theirs).write_text('mine')
    return tmp_path

def old_files(at): return at/'p.png', at/'tb/events.out.tfevents.0.gbxnb'

# A command in a process of its own

def _run(name, argv, said, room, closed, signal_at):
    "What the new process does. `signal_at`: which signal it gets, in which folder, and when how many files there were opened or renamed."
    out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in 1, 2: os.dup2(out, stream)
    for stream in closed:
        os.close(stream)
        setattr(sys, ('stdin', 'stdout', 'stderr')[stream], None)
    if room: resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    sys.argv = [name]
    if signal_at: _watch(*signal_at)
    module, command = COMMANDS[name].split(':')
    getattr(importlib.import_module(module), command)(argv)

def _watch(number, folder, count):
    events = itertools.count(1)
    def watch(event, args):
        if event != 'open' and not event.startswith('os.') or not any(str(a).startswith(folder) for a in args): return
        if next(events) == count: os.kill(os.getpid(), number)
    sys.addaudithook(watch)

def run(name, at, room=0, closed=(), signal_at=None):
    "The exit status of a command, and what it said."
    said = at.with_name(at.name + '.said')
    process = processes.Process(_run, name, words(name, at), said, room, closed, signal_at)
    process.join(300)
    assert not process.is_alive(), 'it hangs'
    return process.exitcode, said.read_text(errors='replace')

def finished(name, at):
    "Run a command to its end; what it left."
    status, said = run(name, at)
    assert status == 0, said
    return content(at)

def is_part(name): return Path(name).name.startswith(('.part-', '.gbxnb-')) and 'mine' not in name

def check_left(at, before, after, killed):
    "Everything is as it was before or as it is after a command; and there are files in the making, if a process was killed."
    for name, data in content(at).items():
        if is_part(name): assert killed, f'{name} was left behind'
        else: assert data in (before.get(name), after.get(name)) or name.endswith('manifest.json'), name
    assert all(name in content(at) for name in before)

def results(name, files): return {k: v for k, v in files.items() if not is_part(k) and not k.endswith('manifest.json')}

@pytest.mark.slow # `test_train.py` has a case of each kind of end
@pytest.mark.parametrize('name', ['tensorboard', 'plot', 'film'])
def test_killed_at_every_file(name, at, tmp_path_factory):
    "SIGKILL wherever a file is opened or renamed. Then the command does its work as if nothing had been."
    before, start = content(at), tmp_path_factory.mktemp('start')/'at'
    shutil.copytree(at, start, copy_function=shutil.copy2)
    after = finished(name, at)
    if name == 'film': before = after # so that it replaces a film
    for count in itertools.count(1):
        if name != 'film':
            shutil.rmtree(at)
            shutil.copytree(start, at, copy_function=shutil.copy2)
        where = dict(film=at/'run/film', plot=at/'p.png', tensorboard=at/'tb')[name]
        status, said = run(name, at, signal_at=(signal.SIGKILL, str(where.parent if name == 'plot' else where), count))
        if status == 0: break
        assert status == -signal.SIGKILL, said
        check_left(at, before, after, killed=True)
    assert count > 3 and results(name, finished(name, at)) == results(name, after)

@pytest.mark.slow # `test_train.py` has a case of each kind of end
@pytest.mark.parametrize('number, status', [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@pytest.mark.parametrize('name', COMMANDS)
def test_asked_to_end(name, at, number, status):
    "A signal at some of the moments: one line, and no litter."
    before = content(at)
    after = finished(name, at)
    for count in 1, 2, 4, 8:
        found, said = run(name, at, signal_at=(number, str(at), count))
        if found == status: assert ': error: ' in said.splitlines()[-1] and 'Traceback' not in said
        else: assert found == 0 and count > 1, said # it had less to do than that
        check_left(at, before, after, killed=False)

@pytest.mark.slow # `test_bad_checkpoint.py` has a disk that is full
@pytest.mark.parametrize('name', ['tensorboard', 'film', 'plot'])
def test_full_disk(name, at):
    "No room for a result: one line, what was there stays, and there is no litter."
    before = content(at)
    status, said = run(name, at, room=400 if name == 'tensorboard' else 1000)
    assert status == 1 and ': File too large' in said.splitlines()[-1] and 'Traceback' not in said, said
    left = content(at)
    assert not any(map(is_part, left)) and {k: v for k, v in left.items() if not k.startswith('run/film')} == before
    assert results(name, finished(name, at)) != results(name, before), 'and with room it works'

@pytest.mark.slow # `test_train.py` has a case of each kind of end
@pytest.mark.parametrize('name', COMMANDS)
def test_closed_streams(name, at):
    "A process that was started without streams does its work, and what it would have said goes into no file."
    after = finished(name, at)
    for closed in (0,), (1,), (2,), (0, 1, 2):
        status, said = run(name, at, closed=closed)
        assert status == 0 and content(at) == after and 'Traceback' not in said

@pytest.mark.slow # `test_train.py` has a run in such a folder
@pytest.mark.parametrize('odd', ["""it's "a" $new$ _\\{name}\n#%&ü名🎮""" + os.fsdecode(b'\xff\xfe'),
                                 '-_x', 'x'*200, 'a\x1b[2Jb'], ids=range(4))
def test_odd_names(at, odd):
    "Spaces, quotes, dollars, a new line, letters of all kinds, bytes that are no text: any name of a folder will do."
    there = at/odd
    there.mkdir()
    (at/'run').rename(there/'run')
    for name, entry in COMMANDS.items():
        module, command = entry.split(':')
        status, said, err = call(getattr(importlib.import_module(module), command), *words(name, there))
        assert status == 0 and all(line.startswith('warning: ') for line in err.splitlines()), (name, err)
    assert {p.name for p in (there/'run/film').iterdir()} >= {'rollout.gif', 'rollout.jsonl', 'meta.json'}
    assert (there/'p.png').exists() and (there/'tb').exists()
    for name in 'tensorboard', 'check':
        status, said = run(name, there)
        assert status == 0 and 'Traceback' not in said, said
