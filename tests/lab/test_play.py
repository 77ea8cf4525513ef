"Play by hand: every moment comes back exactly, marks follow the timeline, and nothing is lost that was not asked for."
import random, time
from dataclasses import replace

import numpy as np
import pytest
from gbxnb.emulator.emulator import Emulator
from gbxnb.games.bundled import rom, rom_path
from gbxnb.emulator.machine import Button
from gbxnb.envs.task import Task
from gbxnb.base.files import UserError
from gbxnb.lab.play import KEYS, Play
from gbxnb.lab.session import SLOTS, Session, Timeline

TOWN = *[Button(0)]*3, Button.START, *[Button(0)]*3
WALK = Button.UP, Button.RIGHT, Button.LEFT, Button.DOWN, Button(0), Button.A

def town(**kw): return Session(rom(), **kw).press(*TOWN).begin()
def pad(**kw):
    p = Play(town(), **kw)
    return p, p.session
def key(p, name, down=True, again=False): p.screen._hear(None, dict(type='key', key=name, down=down, repeat=again), [])
def drawn(p): p.screen._hear(None, dict(type='shown', number=p.screen.number), [])

def free(p, until):
    "Draw as often as a browser that is in no hurry."
    while p.session.timeline.at < until:
        drawn(p)
        time.sleep(.02)

def now(s): return s.emulator.hash(0), s.emulator.frame(0).tobytes()

def test_every_moment_comes_back():
    "A random walk over moves, undo, redo, seeks and free running against a list of what was seen."
    p, rng = Play(town()), random.Random(0)
    s = p.session
    seen = {s.timeline.at: now(s)}
    for _ in range(60):
        do = rng.randrange(6)
        if do < 3:
            s.press(rng.choice(WALK))
            seen = {t: seen[t] for t in seen if t < s.timeline.at} | {s.timeline.at: now(s)}
        elif do == 3: s.seek(rng.randrange(7, 7 + len(s.timeline.moves)))
        elif do == 4: (s.undo if rng.random() < .5 else s.redo)(rng.randrange(4))
        else:
            s.run(24, Button.LEFT).pause()
            seen = {t: seen[t] for t in seen if t < s.timeline.at} | {s.timeline.at: now(s)}
        if s.timeline.at in seen: assert now(s) == seen[s.timeline.at]
        assert p.slider.value == s.timeline.at and s.timeline.size == sum(map(len, s.timeline.states))

def test_the_script_leads_there_again():
    "The moves from the start are what an environment would be given."
    s = town()
    s.press(*WALK).undo(3).press(Button.B).redo(4)
    again = Session(rom(), start=s.draft.start).press(*s.moves)
    assert now(again) == now(s) and len(s) == 4

@pytest.mark.parametrize('memory', [1, 5_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_memory_is_a_budget(memory):
    "The oldest moments go first, the script stays whole, and the newest moment is always there."
    s = town(memory=memory).press(*WALK*5)
    p = Play(s)
    line = s.timeline
    assert (line.size <= memory or len(line.states) == 1) and len(s) == 30 and line.first > 7
    there = now(s)
    assert s.seek(0).timeline.at == line.first and s.seek(10**6).timeline.at == 37 and now(s) == there
    assert p.slider.min == line.first and len(s.aim().task().actions) == 0 # a wait is no action
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
    p, s = pad(keys=KEYS | {'J': Button.A | Button.RIGHT})
    for name, button in ('ArrowUp', Button.UP), ('x', Button.A), ('b', Button.B), ('Enter', Button.START), (' ', Button(0)), (
            'Shift', Button.SELECT), ('Backspace', Button.SELECT), ('j', Button.A | Button.RIGHT):
        key(p, name)
        key(p, name, down=False)
        assert s.moves[-1] == button
    assert len(s) == 8
    for _ in range(3): key(p, 'u', again=True) # held
    assert len(s) == 5
    key(p, 'r')
    key(p, 'k')
    assert len(s) == 6 and len(s.slots) == 1
    key(p, 'k', again=True) # what is no move does not repeat
    assert len(s.slots) == 1
    key(p, 's')
    key(p, 'g')
    assert len(s) == 0 and s.draft.goal is not None and s.distance == 0

def test_what_the_browser_says_is_not_believed():
    p, s = pad()
    before = now(s)
    for message in ({'type': 'key'}, {'type': 'key', 'key': 'q', 'down': True}, {'type': 'key', 'key': ['x'], 'down': True}, 'x', None, {}):
        p.screen._hear(None, message, [])
    assert now(s) == before and len(s) == 0

def test_a_held_key_does_not_run_ahead():
    "Repeats that come at once are one step."
    p, s = pad()
    key(p, 'ArrowUp')
    for _ in range(5): key(p, 'ArrowUp', again=True)
    assert 1 <= len(s) < 6

def test_free_running_is_what_the_console_does():
    p, e = Play(rom()), Emulator(rom())
    s = p.session
    key(p, 'f')
    free(p, 2)
    key(p, 'Enter')
    free(p, 4)
    s.pause()
    assert s.timeline.moves == [None]*s.timeline.at and not s.running
    plain = Session(rom()).run(70)
    e.run_frames(70)
    assert plain.emulator.hash(0) == e.hash(0)
    plain.pause()
    assert plain.undo(2).redo(2).emulator.hash(0) == e.hash(0)
    assert plain.press(Button.START).task().actions == () # nothing is claimed about a way through it
    assert plain.begin().press(Button.UP).task().actions == (3,)

def test_a_tap_while_it_runs_is_a_short_press():
    p, s = pad()
    p.free.click()
    p.pad[Button.UP].click()
    assert s.running and s.loose == 8
    p.free.click()
    e = Session(rom(), start=s.draft.start)
    e.run(8, Button.UP).pause()
    assert not s.running and now(s) == now(e) and s.moves == [None]

def test_marks():
    p, s = pad()
    s.press(*WALK[:3]).aim()
    goal = s.draft.goal.sha256
    assert s.task().actions == (3, 6, 5) and s.distance == 0 and '✓' in p.far.value
    s.undo()
    assert s.distance > 0 and '✓' not in p.far.value and s.task().goal.sha256 == goal
    s.undo().begin()
    assert s.task().actions == (6, 5) # the start moved along the way
    s.redo(2).begin()
    assert s.task().actions == ()
    s.undo(3).press(Button.DOWN) # before the start, which now lies on no way here
    assert s.moves == [] and 'start' not in s.timeline.marks and s.task().goal.sha256 == goal

def test_a_task_is_played(tmp_path):
    "Its goal is aimed at, its tau and its actions are taken over; saved again it is the same task."
    task = town(tau=.005).press(Button.UP, Button.RIGHT).aim().task()
    p = Play(rom_path(), start=task)
    s = p.session
    assert s.draft.tau == .005 and s.distance > .005 and s.press(*s.draft.way).distance == 0 and p.screen.moment[0]['done'] == [True]
    again = Task.load(s.save(tmp_path/'task'))
    assert (again.actions, again.goal.sha256, again.start.sha256, again.goal.tau) == (
        task.actions, task.goal.sha256, task.start.sha256, .005)
    masked = replace(task, goal=replace(task.goal, mask=np.eye(72, 80, dtype=np.uint8)))
    assert Session(rom(), start=masked).task().goal.mask is not None
    p.near.value = .5
    assert s.task().goal.tau == .5 and s.undo().distance < .5 and '✓' in p.far.value

def test_slots_are_forks():
    p, s = pad()
    s.press(Button.UP).slots.save()
    there, start = now(s), s.draft.start
    s.press(Button.RIGHT, Button.DOWN).begin().slots.load(0)
    assert now(s) == there and s.draft.start is start and s.moves == [Button.UP]
    s.press(Button.RIGHT).aim()
    assert s.task().actions == (3, 6)
    s.back().undo(2)
    assert now(s) == there and s.task().actions == () and len(s.slots) == 1 and s.timeline.at == 8
    for _ in range(SLOTS + 2): key(p, 'k')
    assert len(s.slots) == SLOTS and f'all {SLOTS} slots' in p.said.value and len(p.tray.children) == SLOTS

def test_files_are_not_replaced_by_accident(tmp_path):
    p, s = pad()
    s.press(Button.UP)
    field, save, load = p.files['state']
    field.value = str(tmp_path/'moment.npz')
    save.click()
    kept = (tmp_path/'moment.npz').read_bytes()
    s.press(Button.RIGHT)
    save.click()
    assert 'moment-2.npz' in p.said.value and (tmp_path/'moment.npz').read_bytes() == kept
    s.press(Button.RIGHT) # the question is forgotten
    save.click()
    assert (tmp_path/'moment.npz').read_bytes() == kept
    save.click()
    assert 'written' in p.said.value and (tmp_path/'moment.npz').read_bytes() != kept
    there = now(s)
    s.undo(2)
    load.click()
    assert now(s) == there and 'loaded' in p.said.value and len(s) == 0
    for path, error in ('none.npz', 'cannot be read'), ('.', 'is a folder'), ('task.png', 'no state'):
        (tmp_path/'task.png').write_bytes(b'\x89PNG')
        field.value = str(tmp_path/path)
        load.click()
        assert error in p.said.value and 'error' in p.said.value and now(s) == there
    for path, error in ('', 'is no name'), ('/', 'is no name'), (str(tmp_path/'moment.xyz'), 'does not say which format'):
        field.value = path
        save.click()
        assert error in p.said.value
    assert not (tmp_path/'moment.xyz').exists()
    for path in tmp_path, tmp_path/'moment.npz':
        with pytest.raises(UserError, match='is there already'): s.save(path)

def test_a_start_is_a_state_of_any_format(tmp_path):
    s = town().press(Button.UP)
    for end in 'npz', 'bess', 'state':
        again = Session(rom(), start=s.save_state(tmp_path/f'a.{end}'))
        assert np.array_equal(again.emulator.frame(0), s.emulator.frame(0)) and len(again) == 0
        if end == 'state': break # another emulator's format holds less
        assert again.press(*WALK).emulator.hash(0) == s.press(*WALK).emulator.hash(0)
        s.undo(len(WALK))

def test_the_still_is_what_is_shown():
    from PIL import Image
    from io import BytesIO
    p = Play(rom(), scale=2)
    assert Image.open(BytesIO(p.screen.still())).size == (320, 288)
    assert set(p._repr_mimebundle_()) == {'text/html', 'text/plain'} # no kernel here
