"The campaigns themselves: the first tries of each, and whether they would find what they look for."
import importlib, json, os, pickle, shutil, subprocess, sys
from pathlib import Path

import fuzzing
import pytest
from fuzz_states import MUTATIONS
from fuzzing import campaign, names
from gbxnb.base.files import UserError, cli_errors
from watched import SECRET, Room, one_line, watching

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

# Each campaign: a few of its tries, and what came of them; where a change has moved that, the first tries are made until all of it comes.
CAMPAIGNS = dict(
    atlas=[(0, 1, 2, 18, 24, 28, 32, 34, 51), 'drawn', 'refused', 'made anew: 0', 'made anew: 1'],
    checkpoints=[(0, 4, 9, 29, 35, 44), 'judged: 0', 'judged: 1', 'resumed: 0', 'resumed: 1', 'filmed: 0', 'filmed: 1'],
    exploration=[(0, 1, 2, 3, 10, 14, 16, 31, 43), 'refused', 'went on'],
    logs=[(0, *range(3, 10), 15, 20, 27, 36), 'validated: 1', 'exported: 0', 'exported: 1', 'taken up', 'not taken up', 'drawn: 0'],
    pyboy=[(0, 2, 3, 4, 5, 7, 22), 'refused', 'accepted'], resume=[(1, 3, 4, 13, 14, 15, 17, 19, 20, 22), 'refused', 'taken'],
    roms=[(0, 3, 4, 5, 7, 8, 10, 14, 41, 42, 44, 49, 50), 'refused', 'accepted'],
    scripts=[(0, 6, 11, 16, 34, 49, 59), 'refused', 'captured'],
    states=[(0, 2, 3, 7, 8, 10, 12, 13, 17, 22, 53), *(f'{word}: {kind}' for word in ('refused', 'accepted') for kind in MUTATIONS)],
    tasks=[(1, 10, 12, 14, 41, 49, 54), 'refused', 'refused, several goals', 'judged', 'judged, several goals'],
    traces=[(0, 5, 7, 8, 10, 12, 15, 36, 42, 48), 'not used', 'loaded'],
    watch=[(0, 6, 11, 12, 16, 41, 43, 44, 51, 54), 'refused', 'played'])

DEAR = 'atlas', 'checkpoints', 'states', 'traces' # what is shared by their tries takes long to make

@pytest.mark.parametrize('name', [pytest.param(n, marks=[pytest.mark.slow]*(n in DEAR)) for n in CAMPAIGNS])
def test_campaign(name):
    "Some tries of each, in a process of their own; `make slow` makes as many as are on record."
    if name == 'pyboy': pytest.importorskip('pyboy')
    few, *words = CAMPAIGNS[name]
    for seeds in few, range(60), range(60, 200):
        found = campaign(name, seeds=seeds, jobs=1)
        assert not found['findings'], found
        words = [*{*words} - found['results'].keys()]
        if not words: return
    pytest.fail(f'nothing came to this: {words}')

def test_every_campaign_is_tried(): assert sorted(CAMPAIGNS) == names()

def test_what_is_a_finding(tmp_path, monkeypatch):
    "An exception, a signal, an end of the process: each is one, and the tries after it are made."
    (tmp_path/'fuzz_wrong.py').write_text(WRONG)
    monkeypatch.syspath_prepend(tmp_path)
    found = campaign('wrong', 8, jobs=2)
    assert found['results'] == dict(shared=4) and dict(found['findings']) == {
        1: 'ValueError: a mistake', 2: 'its process ended by SIGKILL', 3: 'its process ended by status 3', 4: 'SystemExit: 0'}

BOMBS = '''
import itertools
ROOM = 1 << 28
def prepare(): pass
def attempt(seed, shared):
    if seed == 1: return str(len(bytearray(1 << 34))) # more than an allocator may have kept
    if seed == 2:
        for _ in itertools.count(): pass
    return 'fine'
'''

def test_a_bomb_is_a_finding(tmp_path, monkeypatch):
    "What takes more memory than a module gives, or computes without end."
    (tmp_path/'fuzz_bombs.py').write_text(BOMBS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(fuzzing, 'WORK', .2)
    found = campaign('bombs', 4, jobs=1)
    assert found['results'] == dict(fine=2) and dict(found['findings']) == {1: 'MemoryError: ', 2: 'its process ended by SIGVTALRM'}

def test_what_is_kept_is_not_tried_again(tmp_path):
    "A campaign that was ended goes on with the next; a finding that is kept stays one."
    out = tmp_path/'kept.json'
    for findings, status in ([], 0), ([[1, 'a mistake']], 1):
        out.write_text(json.dumps(dict(roms=dict(fuzz='roms', findings=findings))))
        run = subprocess.run([sys.executable, fuzzing.__file__, 'roms', '--out', out], capture_output=True, text=True)
        assert run.returncode == status and json.loads(out.read_text())['roms'] == dict(fuzz='roms', findings=findings), run.stderr

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
    'remove by an open folder': lambda mine: shutil.rmtree(mine.parent/'theirs'),
    'unpickle': lambda mine: pickle.loads(pickle.dumps(os.getcwd)), 'swallow': lambda mine: (mine.parent/'gone').unlink(missing_ok=True)}
INSIDE = dict(
    read=lambda mine: (mine.parent/'theirs/notes.txt').read_text(), write=lambda mine: (mine/'new').write_text(''),
    move=lambda mine: (mine/'notes.txt').rename(mine/'moved'), null=lambda mine: Path(os.devnull).write_text('x'),
    make=lambda mine: (mine/'a/b').mkdir(parents=True), remove=lambda mine: (shutil.copytree(mine, mine/'c'), shutil.rmtree(mine/'c')),
    again=lambda mine: mine.parent.mkdir(exist_ok=True),
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

READING = dict(by_name=lambda mine: (mine.parent/'theirs/secret').read_text(), up=lambda mine: (mine/'../theirs/secret.sym').read_bytes(),
               link=lambda mine: ((mine/'link').symlink_to('../theirs/secret.json'), (mine/'link').read_text()),
               system=lambda mine: open('/etc/passwd').close(), device=lambda mine: open('/dev/zero').close())

@pytest.mark.parametrize('how', READING)
def test_read_outside(tmp_path, how):
    "It is noticed where that is asked for, unless it may be read."
    room = Room(tmp_path)
    room.fill({})
    with pytest.raises(AssertionError, match='read '), watching(room.mine, ()): READING[how](room.mine)
    (room.mine/'link').unlink(missing_ok=True)
    with watching(room.mine, (room.theirs, '/etc', '/dev')): READING[how](room.mine)
    with watching(room.mine, ()): (room.mine/'notes.txt').read_text()

@pytest.mark.parametrize('text', ['two\nlines', 'x'*701, f'line 1: {SECRET!r} is no symbol'])
def test_what_is_no_line(text):
    with pytest.raises(AssertionError): one_line(UserError(text))
    one_line(UserError('one line'))

def refuse(mine): raise UserError('no')
def change_and_refuse(mine):
    (mine/'notes.txt').write_text('other')
    refuse(mine)

@pytest.mark.parametrize('do, word', [
    (change_and_refuse, 'refused, and yet changed'), (lambda mine: (mine/'notes.txt').unlink(), 'of others'),
    (lambda mine: (mine/'new').write_text(''), 'left behind'), (lambda mine: sys.exit(2), None), (lambda mine: 1//0, 'division'),
    (lambda mine: print('Traceback', file=sys.stderr), 'Traceback'), (lambda mine: bytearray(1 << 62), 'took more memory'),
    (lambda mine: print((mine.parent/'theirs/secret').read_text()), 'quoted')])
def test_a_command_that_breaks_a_rule(tmp_path, do, word):
    room = Room(tmp_path)
    room.fill({})
    with pytest.raises((AssertionError, ZeroDivisionError), match=word): room.call(cli_errors(lambda argv: do(room.mine)))
    assert Room(tmp_path/'x').call(cli_errors(lambda argv: refuse(None)))[0] == 1

HERE = Path(__file__).resolve().parent
RECORD = HERE.parent/'nbs/proofs/results/campaigns.json'

def campaigns(): return {k: v for k, v in json.loads(RECORD.read_text()).items() if k != 'record'}

def test_record_of_each():
    "What is on record is of campaigns that there are, at the number of tries that they make now, and without findings."
    kept = campaigns()
    assert [*kept] == names()
    for name, found in kept.items():
        if name == 'pyboy': pytest.importorskip('pyboy')
        assert found['count'] == importlib.import_module(f'fuzz_{name}').COUNT == sum(found['results'].values()) and not found['findings']
