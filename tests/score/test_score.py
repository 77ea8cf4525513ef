"Scores that find themselves: the same by any number of threads; damaged games; a game in which everything is known."
import os, subprocess, sys
from pathlib import Path
from types import SimpleNamespace
from unittest import mock
import numpy as np
import pytest
import torch
from fastcore.xtras import working_directory
from gbxnb.base.command import call
from gbxnb.base.files import UserError
from gbxnb.debugger.shown import Readout
from gbxnb.emulator.cartridge import Cartridge
from gbxnb.emulator.emulator import Emulator
from gbxnb.envs.task import Task, find_start
from gbxnb.explore.explore import explore_cli
from gbxnb.explore.explorer import load_exploration
from gbxnb.games import bundled as game
from gbxnb.games.asm import assemble
from gbxnb.score import record as recording
from gbxnb.runs.policy import make
from gbxnb.score.find import _since_written, _within, find_counters
from gbxnb.score.kinds import Habit, set_by_keys
from gbxnb.score.match import Match, Memory
from gbxnb.score.numbers import NONE
from gbxnb.score.record import record
from gbxnb.score.score import chosen, named, _begin, score_cli

@pytest.fixture(scope='module')
def cart(): return Cartridge.load(game.arcade_rom())

def summary(counters): return [(c.kind, c.name, str(c.match.found), c.cause, c.habit) for c in counters]

def test_equal_by_seed(cart, monkeypatch):
    "One thread or two: the same bytes, and so the same numbers."
    start, found = find_start(cart)[1], []
    for threads in 1, 2:
        monkeypatch.setattr(recording, 'Emulator', lambda *args, threads=threads: Emulator(*args, threads=threads))
        p = record(cart, start, num_envs=8, steps=100, seed=3)
        kept = find_counters(p, 3)
        found.append((p.rows, p.lines, summary(kept)))
    (rows, lines, counters), others = found
    assert [*named(kept)][:1] == ['score'] and 'score_2' in named([*kept, *kept])
    assert np.array_equal(rows, others[0]) and np.array_equal(lines, others[1]) and counters == others[2]

def test_another_seed_plays_otherwise(cart):
    start = find_start(cart)[1]
    a, b = (record(cart, start, num_envs=8, steps=20, seed=k) for k in (0, 1))
    assert not np.array_equal(a.keys, b.keys)

@pytest.fixture
def start(cart, tmp_path, monkeypatch):
    "Where play begins, as a saved state and as a task's folder, beside the cartridge."
    monkeypatch.chdir(tmp_path)
    (tmp_path/'game.gb').write_bytes(game.arcade_rom())
    _, start = find_start(cart)
    start.save('begin.npz')
    Task((), start, ()).save('place')
    return start

def test_begins_where_it_is_told(cart, start):
    assert [_begin(cart, how)[1].sha256 for how in ('begin.npz', 'place')] == [start.sha256]*2

@pytest.mark.slow # it finds the numbers twice
def test_what_is_written_is_played_from_there(start, tmp_path, monkeypatch):
    monkeypatch.setenv('TQDM_DISABLE', '1') # what is announced depends on time
    status, said, err = call(score_cli, 'game.gb', start='place', steps=100, out='here.py')
    assert not status and 'train here_start --rom game.gb --rewards here:reward' in said, err
    other = bytearray(game.arcade_rom())
    other[-1] ^= 1
    (tmp_path/'other.gb').write_bytes(other)
    for why, options in (('another ROM', dict(start='begin.npz')), ('--choose', dict(choose='gold', steps=60))):
        status, _, err = call(score_cli, 'other.gb', **options)
        assert status == 1 and why in err and err.count('\n') == 1 and not (tmp_path/'score.py').exists()

@pytest.mark.slow # it compiles
def test_equal_with_traces(tmp_path):
    "What is written is the same, whether consoles run compiled traces or not."
    found = []
    for traces in 'off', 'wait':
        here = tmp_path/traces
        here.mkdir()
        (here/'game.gb').write_bytes(game.arcade_rom())
        with working_directory(here), mock.patch.dict(os.environ, GBXNB_TRACES=traces):
            status, said, err = call(score_cli, 'game.gb', steps=60)
            assert not status, err
            with Emulator('game.gb', 1, 'cpu') as e:
                e.load(Task.load('score_start').start.state)
                console = e.hash() # of all but what the interpreter has read ahead
            found.append((said, console, *((here/f).read_bytes() for f in ('score.py', 'score.json', 'score.png'))))
    assert found[0] == found[1]

def counter(kind, ups, downs=0, idle=0., shown=1.):
    "As much of a number as a choice looks at."
    habit, number = Habit(ups, downs, 0, 1, .1, idle, 1.), SimpleNamespace(shown=shown, distinct=20)
    return SimpleNamespace(kind=kind, name='', habit=habit, number=number, proved=True, match=None, cause=SimpleNamespace(hidden=False))

def test_which_number_pays():
    "A score before all; what rises by keys before a counter that runs by itself; no clock, no rank, nothing that falls so often."
    clock, coins, distance = counter('time', 900, idle=1.), counter('number', 30), counter('number', 900, idle=.9)
    energy, score = counter('energy', 2, 40), counter('score', 5, shown=.1)
    assert chosen(named([clock, energy])) == '' and chosen(named([clock, energy]), 'energy') == 'energy'
    numbers = named([clock, distance, coins, energy])
    assert numbers[chosen(numbers)] is coins and chosen(named([clock, coins, score])) == 'score'
    rank = counter('number', 30)
    rank.name = 'rank'
    assert not chosen(named([rank, counter('number', 30, 20)])) and chosen(named([counter('number', 30, 9)]))
    with pytest.raises(UserError, match='--choose gold'): chosen(numbers, 'gold')

def test_steps_that_do_not_fit(cart):
    start = find_start(cart)[1]
    with pytest.raises(UserError, match='30000 steps: at most'): record(cart, start, steps=30_000)

@pytest.mark.slow # its bricks are tried on their page
def test_a_mixture(tmp_path):
    "It pays for screens, charges for lives, and says in the run's record what it paid for."
    (tmp_path/'game.gb').write_bytes(game.arcade_rom())
    with working_directory(tmp_path):
        status, said, err = call(score_cli, 'game.gb', steps=100, mix=True, out='mixture.py')
        assert not status and 'mixed(s, score=' in (tmp_path/'mixture.py').read_text(), err
        status, said, err = call(score_cli, 'game.gb', steps=100, out='else where')
        *_, line = next(s for s in said.splitlines() if 'train with' in s).partition('train with: ')
        few = '--num-envs=4 --rollout-steps=8 --steps=32 --minibatches=1 --model=small --device=cpu --max-steps=4 --eval-episodes=8'
        shown = subprocess.run(f'{line} {few}', shell=True, capture_output=True, text=True,
                               env=os.environ | dict(PATH=f'{Path(sys.executable).parent}:{os.environ["PATH"]}'))
        assert not shown.returncode and 'than random keys: mean return' in shown.stdout, shown.stderr
        assert {p.name for p in Path('else where').iterdir()} >= {'score.py', 'score.png', 'score.json', 'score_start', 'runs'}
        with make('mixture_start', rom='game.gb', rewards='mixture:reward', num_envs=4, frames_per_step=8, device='cpu') as env:
            env.reset(seed=0)
            for _ in range(40): *_, info = env.step(torch.randint(7, (4,)))
        assert {*info['extras']} == {'score', 'screens', 'lives'}
        watch = Readout(Cartridge.load('game.gb'), 'mixture.json')
        assert {'score', 'lives'} <= {*watch.names}

@pytest.mark.slow
def test_explored_by_its_numbers(tmp_path):
    "Places are also told apart by what was found."
    (tmp_path/'game.gb').write_bytes(game.arcade_rom())
    with working_directory(tmp_path):
        status, said, err = call(score_cli, 'game.gb', steps=60)
        assert not status and 'gbxnb explore game.gb --watch score.json' in said, err
        options = dict(steps=4096, num_envs=32, shorten_steps=64, script='', out='map')
        call(explore_cli, 'game.gb', watch='score.json', **options)
        with load_exploration('map/exploration.npz', 'game.gb', device='cpu') as e: found, names = len(e.archive), {*e.watch.variables}
        call(explore_cli, 'game.gb', **options | dict(out='plain'))
        with load_exploration('plain/exploration.npz', 'game.gb', device='cpu') as e: assert found > len(e.archive)
    assert {'score', 'lives'} <= names

MENU = '''
        SECTION "entry", ROM0[$100]
        NOP
        JP Start
        SECTION "main", ROM0[$150]
Start:  XOR A
        LD [$C0A0], A
        LD [$C0A1], A
.loop:  LD B, 0
.wait:  DEC B                   ; keys are looked at now and then
        JR NZ, .wait
        LD A, $10               ; row of A, B, SELECT, START
        LDH [$FF00], A
        LDH A, [$FF00]
        LDH A, [$FF00]
        CPL
        AND 1
        LD HL, $C0A1
        CP [HL]
        LD [HL], A
        JR Z, .loop
        AND A
        JR Z, .loop
        LD A, [$C0A0]           ; A raises it
        INC A
        AND MOST
        LD [$C0A0], A
        JR .loop
'''

@pytest.mark.parametrize('most, is_set', ((7, True), (1, True), (255, False)))
def test_what_a_key_brings_round_is_no_score(most, is_set):
    "A selector wraps by its key, again and again; what the same key only raises may be a score."
    menu = Cartridge.load(assemble(MENU, 'MENU', symbols=dict(MOST=most)).rom)
    p = record(menu, find_start(menu)[1], num_envs=8, steps=60)
    with Emulator(menu, 1, 'cpu') as e: memory = Memory(e, p.flat[0])
    column = next(k for k, (s, i) in enumerate(memory.places) if s.address + i == 0xC0A0)
    match = Match(memory.found(column), 1.)
    values = match.shown(p.flat[0]).reshape(p.shape)
    assert set_by_keys(p, match, values, np.random.default_rng(0)) is is_set
    if is_set: assert not chosen(named([counter('setting', 30)]))

def test_what_memory_holds_before_a_number_is_written_is_noise():
    "One console writes it at once, one late and unseen, one never, and one has shown it from the beginning."
    noise, none = 77, NONE
    values = np.array([[noise, noise, noise, 0], [2, noise, noise, 0], [3, noise, noise, 0], [3, 5, noise, 1]]) # [T, N]
    shown = np.array([[none, none, none, 0], [none, none, none, 0], [3, none, none, 0], [3, none, none, 1]])
    settled, known = _since_written(values, SimpleNamespace(values=shown.ravel()))
    assert settled.T.tolist() == [[2, 2, 3, 3], [5, 5, 5, 5], [noise]*4, [0, 0, 0, 1]]
    assert known.sum(0).tolist() == [3, 1, 0, 4] and _within(values[known], SimpleNamespace(values=shown)) == .875
