"The campaigns themselves: the first tries of each, and whether they would find what they look for."
import importlib, json, os, pickle, sys
from pathlib import Path

import pytest
from fuzzing import campaign, names, record
from gbxnb.files import UserError, cli_errors
from watched import Room, watching

WRONG = '''
import os, signal
def prepare(): return 'shared'
def attempt(seed, shared):
    if seed == 1: raise ValueError('a mistake')
    if seed == 2: os.kill(os.getpid(), signal.SIGKILL)
    if seed == 3: os._exit(3)
    if seed == 4: raise SystemExit(0)
    return shared
'''

@pytest.mark.parametrize('name, count', [('logs', 100), ('crash_reports', 40), ('checkpoints', 20), ('scripts', 60)])
def test_campaign(name, count):
    "The first tries; the others have theirs beside their own tests."
    found = campaign(name, count)
    assert not found['findings'] and len(found['results']) > 1, found

def test_what_is_a_finding(tmp_path, monkeypatch):
    "An exception, a signal, an end of the process: each is one, and the tries after it are made."
    (tmp_path/'fuzz_wrong.py').write_text(WRONG)
    monkeypatch.syspath_prepend(tmp_path)
    found = campaign('wrong', 8, jobs=2)
    assert found['results'] == dict(shared=4) and dict(found['findings']) == {
        1: 'ValueError: a mistake', 2: 'its process ended by SIGKILL', 3: 'its process ended by status 3', 4: 'SystemExit: 0'}

def test_a_record_keeps_the_others(tmp_path):
    for name, seed in ('a', 0), ('b', 0), ('a', 1):
        record(tmp_path/'r.json', dict(fuzz=name, count=5, seed=seed, findings=[], results=dict(fine=5), jobs=1, seconds=0))
    kept = json.loads((tmp_path/'r.json').read_text())
    assert {k: v['seed'] for k, v in kept.items()} == dict(a=1, b=0) and kept['a']['versions']['warp_version']
    assert kept['a']['command'] == 'python tests/fuzzing.py a --count 5 --seed 1'

# What is watched

def linked(mine):
    "Write through a link to somebody else's file."
    (mine/'link').symlink_to(mine.parent/'theirs/notes.txt')
    (mine/'link').write_text('')

OUTSIDE = {
    'write': lambda mine: (mine.parent/'theirs/notes.txt').write_text(''), 'append': lambda mine: open(mine.parent/'theirs/notes.txt', 'a'),
    'make': lambda mine: (mine.parent/'new').mkdir(), 'remove': lambda mine: (mine.parent/'theirs/notes.txt').unlink(), 'link': linked,
    'move away': lambda mine: (mine.parent/'theirs').rename(mine/'theirs'),
    'truncate': lambda mine: os.truncate(mine.parent/'theirs/notes.txt', 0),
    'move there': lambda mine: (mine/'notes.txt').rename(mine.parent/'x'), 'run': lambda mine: os.system('true'),
    'unpickle': lambda mine: pickle.loads(pickle.dumps(os.getcwd)), 'swallow': lambda mine: (mine.parent/'gone').unlink(missing_ok=True)}
INSIDE = dict(
    read=lambda mine: (mine.parent/'theirs/notes.txt').read_text(), write=lambda mine: (mine/'new').write_text(''),
    move=lambda mine: (mine/'notes.txt').rename(mine/'moved'), null=lambda mine: Path(os.devnull).write_text('x'),
    make=lambda mine: (mine/'a/b').mkdir(parents=True), again=lambda mine: mine.parent.mkdir(exist_ok=True),
    own=lambda mine: (mine/'link').symlink_to('/dev/zero'), unlink=lambda mine: (mine/'notes.txt').unlink())

@pytest.mark.parametrize('how', OUTSIDE)
def test_touched_outside(tmp_path, how):
    room = Room(tmp_path)
    room.fill({})
    with pytest.raises(AssertionError, match='touched outside'), watching(room.mine): OUTSIDE[how](room.mine)

@pytest.mark.parametrize('how', INSIDE)
def test_touched_inside(tmp_path, how):
    room = Room(tmp_path)
    room.fill({})
    with watching(room.mine): INSIDE[how](room.mine)

def refuse(mine): raise UserError('no')
def change_and_refuse(mine):
    (mine/'notes.txt').write_text('other')
    refuse(mine)

@pytest.mark.parametrize('do, word', [
    (change_and_refuse, 'refused, and yet changed'), (lambda mine: (mine/'notes.txt').unlink(), 'of others'),
    (lambda mine: (mine/'new').write_text(''), 'left behind'), (lambda mine: sys.exit(2), None), (lambda mine: 1//0, 'division'),
    (lambda mine: print('Traceback', file=sys.stderr), 'Traceback')])
def test_a_command_that_breaks_a_rule(tmp_path, do, word):
    room = Room(tmp_path)
    room.fill({})
    with pytest.raises((AssertionError, ZeroDivisionError), match=word): room.call(cli_errors(lambda argv: do(room.mine)))
    assert Room(tmp_path/'x').call(cli_errors(lambda argv: refuse(None)))[0] == 1

def test_record_of_each():
    "What is on record is of campaigns that there are, at the number of tries that they make now, and without findings."
    kept = json.loads((Path(__file__).parent.parent/'nbs/emulator/results/campaigns.json').read_text())
    assert [*kept] == names()
    for name, found in kept.items():
        if name == 'pyboy': pytest.importorskip('pyboy')
        assert found['count'] == importlib.import_module(f'fuzz_{name}').COUNT == sum(found['results'].values()) and not found['findings']
