"Scores that find themselves: the same by any number of threads; damaged games; a game in which everything is known."
import numpy as np
import pytest
from gbxnb.base.command import call
from gbxnb.emulator.cartridge import Cartridge
from gbxnb.emulator.emulator import Emulator
from gbxnb.envs.task import Task, find_start
from gbxnb.games import arcade
from gbxnb.score import record as recording
from gbxnb.score.find import find_counters
from gbxnb.score.record import record
from gbxnb.score.proposal import named
from gbxnb.score.score import _begin, score_cli

@pytest.fixture(scope='module')
def cart(): return Cartridge.load(arcade.arcade_rom())

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
    assert [*named(kept)][:1] == ['score'] and 'score2' in named([*kept, *kept])
    assert np.array_equal(rows, others[0]) and np.array_equal(lines, others[1]) and counters == others[2]

def test_another_seed_plays_otherwise(cart):
    start = find_start(cart)[1]
    a, b = (record(cart, start, num_envs=8, steps=20, seed=k) for k in (0, 1))
    assert not np.array_equal(a.keys, b.keys)

@pytest.mark.slow # its page does it, too
def test_a_make_of_its_own(cart):
    "Digits that are ten patterns of noise, and seven points for a coin: memory teaches what they are."
    noise = np.random.default_rng(3).integers(0, 256, (10, 16)).astype(np.uint8)
    strange = Cartridge.load(arcade.arcade_rom(noise.tobytes(), 7))
    found = find_counters(record(strange, find_start(strange)[1], num_envs=64, steps=300))
    places = {int(c.match.found.variable.at) for c in found if c.proved}
    assert places & {arcade.VARIABLES['SCORE'], arcade.VARIABLES['SCORE'] + 1}

def test_begins_where_it_is_told(cart, tmp_path, monkeypatch):
    "In a saved state, or in a task's folder; the start that is written is played from there."
    monkeypatch.chdir(tmp_path)
    (tmp_path/'game.gb').write_bytes(arcade.arcade_rom())
    _, start = find_start(cart)
    start.save('begin.npz')
    Task((), start, ()).save('place')
    assert [_begin(cart, how)[1].sha256 for how in ('begin.npz', 'place')] == [start.sha256]*2
    status, said, err = call(score_cli, 'game.gb', start='place', steps=100, out='here.py')
    assert not status and 'train here_start --rom game.gb --rewards here:reward' in said, err
    other = bytearray(arcade.arcade_rom())
    other[-1] ^= 1
    (tmp_path/'other.gb').write_bytes(other)
    for why, options in (('another ROM', dict(start='begin.npz')), ('--choose', dict(choose='gold', steps=60))):
        status, _, err = call(score_cli, 'other.gb', **options)
        assert status == 1 and why in err and err.count('\n') == 1 and not (tmp_path/'score.py').exists()

@pytest.mark.parametrize('seed', [1, *(pytest.param(k, marks=pytest.mark.slow) for k in range(2, 12))])
def test_damaged_games(seed, tmp_path, monkeypatch):
    "A line or nothing found, and no fault."
    monkeypatch.chdir(tmp_path)
    rng, rom = np.random.default_rng(seed), np.frombuffer(arcade.arcade_rom(), np.uint8).copy()
    where = rng.integers(0x150, 0x400, rng.integers(1, 12))
    rom[where] = rng.integers(0, 256, len(where))
    (tmp_path/'game.gb').write_bytes(rom.tobytes())
    status, said, err = call(score_cli, 'game.gb', steps=50)
    assert status == 0 or status == 1 and err.count('\n') == 1, err
    assert (tmp_path/'score.py').exists() == (status == 0)

