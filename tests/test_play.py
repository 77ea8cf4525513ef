"Play by hand: every moment comes back exactly, marks follow the timeline, and nothing is lost that was not asked for."
import random, time
from dataclasses import replace

import numpy as np
import pytest
from gbxnb.emulator.emulator import Emulator
from gbxnb.games.town import rom, rom_path
from gbxnb.emulator.machine import Button
from gbxnb.envs.task import Task
from gbxnb.base.files import UserError
from gbxnb.lab.play import KEYS, Play
from gbxnb.lab.session import SLOTS, Timeline

TOWN = *[Button(0)]*3, Button.START, *[Button(0)]*3
WALK = Button.UP, Button.RIGHT, Button.LEFT, Button.DOWN, Button(0), Button.A

def town(**kw): return Play(rom(), **kw).press(*TOWN).begin()
def key(p, name, down=True, again=False): p.screen._hear(None, dict(type='key', key=name, down=down, repeat=again), [])
def drawn(p): p.screen._hear(None, dict(type='shown', number=p.screen.number), [])

def free(p, until):
    "Draw as often as a browser that is in no hurry."
    while p.timeline.at < until:
        drawn(p)
        time.sleep(.02)

def now(p): return p.emulator.hash(0), p.emulator.frame(0).tobytes()

def test_every_moment_comes_back():
    "A random walk over moves, undo, redo, seeks and free running against a list of what was seen."
    p, rng = town(), random.Random(0)
    seen = {p.timeline.at: now(p)}
    for _ in range(60):
        do = rng.randrange(6)
        if do < 3:
            p.press(rng.choice(WALK))
            seen = {t: s for t, s in seen.items() if t < p.timeline.at} | {p.timeline.at: now(p)}
        elif do == 3: p.seek(rng.randrange(7, 7 + len(p.timeline.moves)))
        elif do == 4: (p.undo if rng.random() < .5 else p.redo)(rng.randrange(4))
        else:
            p.run(24, Button.LEFT).pause()
            seen = {t: s for t, s in seen.items() if t < p.timeline.at} | {p.timeline.at: now(p)}
        if p.timeline.at in seen: assert now(p) == seen[p.timeline.at]
        assert p.slider.value == p.timeline.at and p.timeline.size == sum(map(len, p.timeline.states))

def test_the_script_leads_there_again():
    "The moves from the start are what an environment would be given."
    p = town()
    p.press(*WALK).undo(3).press(Button.B).redo(4)
    again = Play(rom(), start=p.start).press(*p.moves)
    assert now(again) == now(p) and len(p) == 4

@pytest.mark.parametrize('memory', [1, 5_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_memory_is_a_budget(memory):
    "The oldest moments go first, the script stays whole, and the newest moment is always there."
    p = town(memory=memory).press(*WALK*5)
    line = p.timeline
    assert (line.size <= memory or len(line.states) == 1) and len(p) == 30 and line.first > 7
    there = now(p)
    assert p.seek(0).timeline.at == line.first and p.seek(10**6).timeline.at == 37 and now(p) == there
    assert p.slider.min == line.first and len(p.aim().task().actions) == 0 # a wait is no action
    assert 'film' in p.page()

def test_a_timeline_shares_no_list_with_its_fork():
    line = Timeline(b'a', 100)
    line.push(1, b'b')
    fork = line.fork()
    fork.push(2, b'c')
    line.seek(0)
    line.push(3, b'd')
    assert (line.moves, fork.moves, fork.first) == ([3], [1, 2], 1)

def test_keys_do_what_they_say():
    p = town(keys=KEYS | {'J': Button.A | Button.RIGHT})
    for name, button in ('ArrowUp', Button.UP), ('x', Button.A), ('b', Button.B), ('Enter', Button.START), (' ', Button(0)), (
            'Shift', Button.SELECT), ('Backspace', Button.SELECT), ('j', Button.A | Button.RIGHT):
        key(p, name)
        key(p, name, down=False)
        assert p.moves[-1] == button
    assert len(p) == 8
    for _ in range(3): key(p, 'u', again=True) # held
    assert len(p) == 5
    key(p, 'r')
    key(p, 'k')
    assert len(p) == 6 and len(p.slots) == 1
    key(p, 'k', again=True) # what is no move does not repeat
    assert len(p.slots) == 1
    key(p, 's')
    key(p, 'g')
    assert len(p) == 0 and p.goal is not None and p.distance == 0

def test_what_the_browser_says_is_not_believed():
    p = town()
    before = now(p)
    for message in ({'type': 'key'}, {'type': 'key', 'key': 'q', 'down': True}, {'type': 'key', 'key': ['x'], 'down': True}, 'x', None, {}):
        p.screen._hear(None, message, [])
    assert now(p) == before and len(p) == 0

def test_a_held_key_does_not_run_ahead():
    "Repeats that come at once are one step."
    p = town()
    key(p, 'ArrowUp')
    for _ in range(5): key(p, 'ArrowUp', again=True)
    assert 1 <= len(p) < 6

def test_free_running_is_what_the_console_does():
    p, e = Play(rom()), Emulator(rom())
    key(p, 'f')
    free(p, 2)
    key(p, 'Enter')
    free(p, 4)
    p.pause()
    assert p.timeline.moves == [None]*p.timeline.at and not p.running
    plain = Play(rom()).run(70)
    e.run_frames(70)
    assert plain.emulator.hash(0) == e.hash(0)
    plain.pause()
    assert plain.undo(2).redo(2).emulator.hash(0) == e.hash(0)
    assert plain.press(Button.START).task().actions == () # nothing is claimed about a way through it
    assert plain.begin().press(Button.UP).task().actions == (3,)

def test_a_tap_while_it_runs_is_a_short_press():
    p = town()
    p.free.click()
    p.pad[Button.UP].click()
    assert p.running and p.loose == 8
    p.free.click()
    e = Play(rom(), start=p.start)
    e.run(8, Button.UP).pause()
    assert not p.running and now(p) == now(e) and p.moves == [None]

def test_marks():
    p = town().press(*WALK[:3]).aim()
    goal = p.goal.sha256
    assert p.task().actions == (3, 6, 5) and p.distance == 0 and '✓' in p.far.value
    p.undo()
    assert p.distance > 0 and '✓' not in p.far.value and p.task().goal.sha256 == goal
    p.undo().begin()
    assert p.task().actions == (6, 5) # the start moved along the way
    p.redo(2).begin()
    assert p.task().actions == ()
    p.undo(3).press(Button.DOWN) # before the start, which now lies on no way here
    assert p.moves == [] and p.begun is None and p.task().goal.sha256 == goal

def test_a_task_is_played(tmp_path):
    "Its goal is aimed at, its tau and its actions are taken over; saved again it is the same task."
    task = town(tau=.005).press(Button.UP, Button.RIGHT).aim().task()
    p = Play(rom_path(), start=task)
    assert p.tau == .005 and p.distance > .005 and p.press(*p.way).distance == 0 and p.screen.moment[0]['done'] == [True]
    again = Task.load(p.save(tmp_path/'task'))
    assert (again.actions, again.goal.sha256, again.start.sha256, again.goal.tau) == (
        task.actions, task.goal.sha256, task.start.sha256, .005)
    masked = replace(task, goal=replace(task.goal, mask=np.eye(72, 80, dtype=np.uint8)))
    assert Play(rom(), start=masked).task().goal.mask is not None
    p.near.value = .5
    assert p.task().goal.tau == .5 and '✓' in p.undo().far.value

def test_slots_are_forks():
    p = town().press(Button.UP).save_slot()
    there, start = now(p), p.start
    p.press(Button.RIGHT, Button.DOWN).begin().load_slot(0)
    assert now(p) == there and p.start is start and p.moves == [Button.UP]
    p.press(Button.RIGHT).aim()
    assert p.task().actions == (3, 6)
    p.back().undo(2)
    assert now(p) == there and p.task().actions == () and len(p.slots) == 1 and p.timeline.at == 8
    for _ in range(SLOTS + 2): key(p, 'k')
    assert len(p.slots) == SLOTS and f'all {SLOTS} slots' in p.said.value and len(p.tray.children) == SLOTS

def test_files_are_not_replaced_by_accident(tmp_path):
    p = town().press(Button.UP)
    field, save, load = p.files['state']
    field.value = str(tmp_path/'moment.npz')
    save.click()
    kept = (tmp_path/'moment.npz').read_bytes()
    p.press(Button.RIGHT)
    save.click()
    assert 'moment-2.npz' in p.said.value and (tmp_path/'moment.npz').read_bytes() == kept
    p.press(Button.RIGHT) # the question is forgotten
    save.click()
    assert (tmp_path/'moment.npz').read_bytes() == kept
    save.click()
    assert 'written' in p.said.value and (tmp_path/'moment.npz').read_bytes() != kept
    there = now(p)
    p.undo(2)
    load.click()
    assert now(p) == there and 'loaded' in p.said.value and len(p) == 0
    for path, error in ('none.npz', 'cannot be read'), ('.', 'is a folder'), ('task.png', 'no state'):
        (tmp_path/'task.png').write_bytes(b'\x89PNG')
        field.value = str(tmp_path/path)
        load.click()
        assert error in p.said.value and 'error' in p.said.value and now(p) == there
    for path, error in ('', 'is no name'), ('/', 'is no name'), (str(tmp_path/'moment.xyz'), 'does not say which format'):
        field.value = path
        save.click()
        assert error in p.said.value
    assert not (tmp_path/'moment.xyz').exists()
    for path in tmp_path, tmp_path/'moment.npz':
        with pytest.raises(UserError, match='is there already'): p.save(path)

def test_a_start_is_a_state_of_any_format(tmp_path):
    p = town().press(Button.UP)
    for end in 'npz', 'bess', 'state':
        again = Play(rom(), start=p.save_state(tmp_path/f'a.{end}'))
        assert np.array_equal(again.emulator.frame(0), p.emulator.frame(0)) and len(again) == 0
        if end == 'state': break # another emulator's format holds less
        assert again.press(*WALK).emulator.hash(0) == p.press(*WALK).emulator.hash(0)
        p.undo(len(WALK))

def test_the_still_is_what_is_shown():
    from PIL import Image
    from io import BytesIO
    p = town(scale=2)
    assert Image.open(BytesIO(p.screen.still())).size == (320, 288)
    assert set(p._repr_mimebundle_()) == {'text/html', 'text/plain'} # no kernel here
