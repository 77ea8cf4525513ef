"""The atlas as a user makes it: every folder is a task whose script replays to its goal; killed, stopped, resumed, damaged, of another
ROM; and what lies in its folder without being of it."""
import itertools, json, os, re, shlex, shutil, signal, time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from PIL import Image
import processes
import pytest
from gbxnb.backends.warp import make_backend
from gbxnb.games.bundled import probe_rom, bundled_task
from gbxnb.base.command import call
from gbxnb.games import bundled as game
from gbxnb.goals.capture import replay_check
from gbxnb.envs.task import first_done, play_actions, random_walks, restore_all, wait, Task, make_task_env
from gbxnb.emulator.cartridge import Cartridge
from gbxnb.explore import atlas as choosing
from gbxnb.explore.atlas import (ATLAS, COVERAGE, FIRST, MAP, MAX_PLACES, PLACES, REFUSED, Atlas, Chooser, MAX_PIXELS, find_parents,
                                 layout, make_atlas, map_size, rooms)
from gbxnb.explore.explore import advice, best_place, EXPLORATION, explore_cli
from gbxnb.explore.explorer import ExploreConfig, Explorer, load_exploration
from gbxnb.explore.shorten import FINEST, Trial, gap_tau, try_screens, Shortener
from gbxnb.base.files import UserError, open_folder
from kills import killed_at

SMALL = dict(steps=512, num_envs=32, places=9, shorten_steps=64, device='cpu')
LINE = [w for k, v in SMALL.items() for w in (f'--{k.replace("_", "-")}', str(v))]

@pytest.fixture(scope='module')
def made(tmp_path_factory):
    out = tmp_path_factory.mktemp('atlas')/'town'
    status, said, complaint = call(explore_cli, out=out, **SMALL)
    assert not status, complaint
    return out, said

@pytest.fixture
def copy(made, tmp_path): return Path(shutil.copytree(made[0], tmp_path/'copy'))

def test_every_folder_is_a_task(made, copy):
    "Each is loaded, its script replays to its goal, not before its last action; a world can be made of it."
    out, said = copy, made[1]
    atlas = Atlas.load(out)
    assert len(atlas) > 1 and {MAP, COVERAGE, ATLAS, PLACES, REFUSED, EXPLORATION, '0'} <= {p.name for p in out.iterdir()}
    for p in atlas.places:
        task, report = Task.load(out/str(p.number)), replay_check(game.rom(), out/str(p.number))
        assert report['passed'] and report['done_at'] == len(p.actions) == len(task.actions), report['reason']
        assert (task.goal.pix == p.pix).all() and task.start.sha256 == atlas.facts['start_sha256']
        assert report['start_distance'] >= task.goal.tau and p.born <= atlas.facts['steps']
        assert task.buttons == tuple((int(k), f) for k, f in game.START)
    with make_task_env(Cartridge.load(game.rom()), 2, atlas.task(1)) as env: env.reset()
    assert f'train with: gbxnb train {made[0]/str(best_place(atlas).number)}' in said and 'left out: ' in said

@pytest.mark.slow
def test_the_same_seed_makes_the_same_atlas(made, tmp_path):
    assert not call(explore_cli, out=tmp_path/'again', **SMALL)[0]
    assert (tmp_path/'again'/ATLAS).read_bytes() == (made[0]/ATLAS).read_bytes()
    assert (tmp_path/'again'/MAP).read_bytes() == (made[0]/MAP).read_bytes()

def test_places_hang_together(made):
    atlas = Atlas.load(made[0])
    assert all(p.parent < p.number and 0 < p.since <= len(p.actions) for p in atlas.places)
    at = np.array([(p.x, p.y) for p in (atlas.start, *atlas.places)])
    apart = np.abs(at[:, None] - at[None]).max(-1) + 9*np.eye(len(at))
    assert apart.min() >= 1 and at.min() == 0
    steps, places, coarse = np.array(atlas.coverage).T
    assert (np.diff(atlas.coverage, axis=0) >= 0).all() and steps[-1] == atlas.facts['steps']
    assert (places[-1], coarse[-1]) == (atlas.facts['places'], atlas.facts['coarse'])

@pytest.mark.parametrize('damaged', [False, pytest.param(True, marks=pytest.mark.slow)])
def test_places_of_a_resumed_atlas_are_kept(tmp_path, damaged):
    "Half of the steps, then the rest: the places stay, by the same ways; where the map is damaged, one is made as if never stopped."
    out, rest = tmp_path/'half', SMALL | dict(resume=True, steps=1024)
    assert not call(explore_cli, out=out, **SMALL | dict(places=5))[0]
    before = {t.goal.sha256: t.actions for t in Atlas.load(out).tasks}
    if damaged: (out/ATLAS).write_text('{')
    del rest['num_envs']
    status, _, complaint = call(explore_cli, out=out, **rest)
    assert status == 0 and ('another map is made' in complaint) == damaged, complaint
    atlas = Atlas.load(out)
    after = {t.goal.sha256: t.actions for t in atlas.tasks}
    assert len(before) < len(after) and (before.items() <= after.items()) != damaged
    if damaged:
        assert not call(explore_cli, out=tmp_path/'whole', **SMALL | dict(steps=1024))[0]
        assert (out/ATLAS).read_bytes() == (tmp_path/'whole'/ATLAS).read_bytes()

def test_kept_places_are_not_tried_again(made):
    atlas, refused = Atlas.load(made[0]), []
    with load_exploration(made[0]/EXPLORATION, game.rom(), 'cpu') as explorer:
        again = make_atlas(explorer, len(atlas) + 8, 512, refused=refused, before=atlas)
    screens = {p.pix.tobytes() for p in again.places}
    assert refused and len(screens) == len(again) >= len(atlas)
    assert not [why for why, pix in refused if pix.tobytes() in screens]

def test_the_way_is_checked_before_exploring(copy, tmp_path):
    "A task, a link or a file of a user's that stands where a place is to be is found at once; the atlas and the exploration stay."
    k, before = len(Atlas.load(copy)) + 1, (copy/EXPLORATION).read_bytes()
    shutil.copytree(copy/'1', tmp_path/'mine')
    mine = processes.content(tmp_path/'mine')
    for make in (lambda: shutil.copytree(tmp_path/'mine', copy/str(k)), lambda: (copy/str(k)).symlink_to(tmp_path/'mine'),
                 lambda: (copy/str(k)).write_text('mine')):
        make()
        status, _, complaint = call(explore_cli, out=copy, resume=True, steps=12288, places=k, device='cpu')
        assert status == 1 and complaint.count('\n') == 1 and str(copy/str(k)) in complaint, complaint
        assert 'move it away' in complaint or 'remove it' in complaint
        assert len(Atlas.load(copy)) == k - 1 and (copy/EXPLORATION).read_bytes() == before
        if not (copy/str(k)).is_dir(): assert (copy/str(k)).is_symlink() or (copy/str(k)).read_text() == 'mine'
        else: assert processes.content(copy/str(k)) == mine
        shutil.rmtree(copy/str(k)) if (copy/str(k)).is_dir() and not (copy/str(k)).is_symlink() else (copy/str(k)).unlink()
    assert processes.content(tmp_path/'mine') == mine

def test_tasks_of_others_stay(copy, tmp_path):
    "Behind the last place: a task of the user's, and a link to one elsewhere. Notes in a place that goes. An atlas of one place is made."
    k = len(Atlas.load(copy)) + 1
    for there in copy/str(k), tmp_path/'mine': shutil.copytree(copy/'1', there)
    (copy/str(k + 1)).symlink_to(tmp_path/'mine')
    (copy/'2'/'notes.txt').write_text('years of work')
    mine = processes.content(tmp_path/'mine')
    status, _, complaint = call(explore_cli, out=copy, resume=True, **{k: v for k, v in SMALL.items() if k != 'num_envs'} | dict(places=1))
    assert not status and len(Atlas.load(copy)) == 1, complaint
    assert processes.content(copy/str(k)) == processes.content(tmp_path/'mine') == mine and (copy/str(k + 1)).is_symlink()
    assert {p.name for p in (copy/'2').iterdir()} <= {'notes.txt', '.lock'} and not (copy/'3').exists()
    for old in '23':
        with pytest.raises(UserError, match='goal_template.npy: cannot be read'): Task.load(copy/old)

def test_a_place_that_is_another_now(copy):
    "A user captured something else into the folder of a place: it stays, and a line says so."
    bundled_task('town/house').save(copy/'2')
    mine = processes.content(copy/'2')
    status, _, complaint = call(explore_cli, out=copy, resume=True, steps=8192, places=1, device='cpu')
    assert status == 1 and f'{copy/"2"}: is not the place that the atlas has there; move it away' in complaint
    assert processes.content(copy/'2') == mine

def test_where_places_lie_is_no_number_of_a_file(made, copy):
    "x = y = 150 in a file of 1 kB was a picture of 14 GB."
    about = json.loads((copy/ATLAS).read_text())
    for row in about['places']: row |= dict(x=150., y=150.)
    (copy/ATLAS).write_text(json.dumps(about))
    assert [(p.x, p.y) for p in Atlas.load(copy).places] == [(p.x, p.y) for p in Atlas.load(made[0]).places]

def test_a_long_list_of_points(copy):
    about = json.loads((copy/ATLAS).read_text())
    (copy/ATLAS).write_text(json.dumps(about | dict(coverage=about['coverage']*2)))
    with pytest.raises(UserError, match='coverage'): Atlas.load(copy)

@pytest.mark.parametrize('shape', [pytest.param('chain', marks=pytest.mark.slow), 'star', 'comb'])
def test_no_tree_makes_a_large_picture(shape):
    n = MAX_PLACES
    parents = dict(chain=[*range(n)], star=[0]*n, comb=[*range(n//2), *range(n//2)])[shape]
    scale, wide, high = map_size(layout(parents))
    assert wide*high <= MAX_PIXELS and scale < 1
    few = dict(chain=[*range(40)], star=[0]*40, comb=[*range(20), *range(20)])[shape]
    assert map_size(layout(few))[0] == 1 or shape == 'comb'

@pytest.mark.slow # `test_train.py` has a case of each kind of end
def test_an_atlas_is_replaced_as_a_whole(made, tmp_path, monkeypatch):
    "Killed at some of its file operations: one of two atlases can be read, and the next process tidies up."
    for name in 'draw_coverage', 'png_bytes': monkeypatch.setattr(f'gbxnb.explore.atlas.{name}', lambda x: b'a picture')
    monkeypatch.setattr('gbxnb.explore.atlas.Shown', lambda fig: SimpleNamespace(png=fig))
    monkeypatch.setattr(Atlas, 'picture', lambda self: None)
    whole = Atlas.load(made[0])
    def part(*ks):
        "An atlas of some of the places."
        places = [replace(whole.places[k], number=n, parent=0) for n, k in enumerate(ks, 1)]
        return replace(whole, places=places, tasks=[whole.tasks[k] for k in ks])
    old, new = part(0, 1), part(2)
    goals = {tuple(t.goal.sha256 for t in a.tasks): name for name, a in dict(old=old, new=new).items()}
    seen = []
    old.save(tmp_path/'0')
    def write(at):
        with open_folder(at, 'atlas') as folder: new.write(folder)
    for fatal in itertools.count(1, 7):
        at = Path(shutil.copytree(tmp_path/'0', tmp_path/'1'))
        (at/'2'/'notes.txt').write_text('mine')
        done = killed_at(fatal, lambda at=at: write(at))
        read = goals[tuple(t.goal.sha256 for t in Atlas.load(at).tasks)]
        with open_folder(at, 'atlas') as folder: named = folder.files
        assert goals[tuple(t.goal.sha256 for t in Atlas.load(at).tasks)] == read
        there = processes.content(at).keys() - {'manifest.json', '2/notes.txt'}
        assert there == named and (at/'2'/'notes.txt').read_text() == 'mine'
        assert {n.split('/')[0] for n in there} == {ATLAS, MAP, COVERAGE, *map(str, range(1, 3 if read == 'old' else 2))}
        seen.append(read)
        shutil.rmtree(at)
        if done: break
    count = seen.count('old')
    assert 3 < count < len(seen) - 3 and seen == ['old']*count + ['new']*(len(seen) - count)

def stopped(out, words, number, name, at):
    "In a child: explore, and get a signal in call number `at` of a function."
    from gbxnb.explore import atlas, explore as command, explorer
    owner = dict(run=explorer.Explorer, shorten_task=atlas, check_places=command)[name]
    work, calls = getattr(owner, name), itertools.count(1)
    def counted(*args, **kw):
        if next(calls) == at: os.kill(os.getpid(), number)
        return work(*args, **kw)
    setattr(owner, name, counted)
    processes._run('explore', words, f'{out}.said', 0, dict(GBXNB_TRACES='off'))

def stop(out, words, *how):
    "How a child ended that got a signal, and what it said last."
    child = processes.Process(stopped, out, words, *how)
    child.join(600)
    return child.exitcode, Path(f'{out}.said').read_text().splitlines()[-1:]

def undated(out):
    "Every file in a folder, without the times at which goals were made."
    return {k: re.sub(rb'"created_at": "[^"]*"', b'', v) if k.endswith('.meta.json') else v for k, v in processes.content(out).items()}

STOPS = (signal.SIGTERM, 'run', 7), (signal.SIGHUP, 'run', 9), (signal.SIGINT, 'shorten_task', 2)

@pytest.mark.slow # `test_train.py` has a case of each kind of end
def test_stopped_it_says_how_to_go_on(made, tmp_path):
    "SIGKILL, SIGTERM, SIGHUP and Ctrl-C, while it explores and while it shortens; in the end all files are the same."
    out = tmp_path/'a town'
    line = ['--out', str(out), *LINE, '--round-steps', '32']
    assert stop(out, line, signal.SIGKILL, 'run', 3)[0] == -signal.SIGKILL
    line.append('--resume')
    for number, name, at in STOPS:
        status, said = stop(out, line, number, name, at)
        assert status == (130 if number == signal.SIGINT else 128 + number) and 'go on with: gbxnb explore ' in said[0], said
        line = shlex.split(said[0].split('go on with: ')[1])[2:]
        assert '--resume' in line and line.count(str(out)) == 1
    status, _, complaint = call(explore_cli, *line)
    assert not status, complaint
    assert undated(out) == undated(made[0])

@pytest.mark.slow # `test_train.py` has a case of each kind of end
@pytest.mark.parametrize('name, more', [('check_places', []), ('check_places', ['--resume']), ('run', ['--resume'])])
def test_killed_before_the_first_checkpoint(name, more, made, tmp_path):
    "Before anything is stored, or before the first step: it goes on by the same words, or by those that resume."
    out = tmp_path/'town'
    assert stop(out, ['--out', str(out), *LINE], signal.SIGKILL, name, 1)[0] == -signal.SIGKILL and out.exists()
    status, _, complaint = call(explore_cli, '--out', out, *LINE, *more)
    assert not status and undated(out) == undated(made[0]), complaint

@pytest.mark.slow
def test_killed_while_exploring(tmp_path):
    "What was killed goes on from its last checkpoint, and is no atlas before it is whole."
    out = tmp_path/'killed'
    run = processes.start('explore', '--out', out, *LINE, '--steps', 10**8, '--save-every', 4096, said=tmp_path/'said')
    while not (out/EXPLORATION).exists() and run.is_alive(): time.sleep(.02)
    run.kill()
    with pytest.raises(UserError, match='cannot be read'): Atlas.load(out)
    rest = {k: v for k, v in SMALL.items() if k != 'num_envs'}
    status, _, complaint = call(explore_cli, out=out, resume=True, **rest)
    assert not status and len(Atlas.load(out)) > 2, complaint

def damage(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))

@pytest.mark.parametrize('old, new, said', [
    ('gbxnb-atlas-1', 'gbxnb-atlas-9', 'is no gbxnb-atlas-1'), ('"number": 2', '"number": 3', 'place 2 has number 3'),
    ('"steps":', '"paces":', '`steps`'), ('"born": 0', '"born": -1', 'born'),
    ('"born": 0', '"born": 1e300', 'born'),
    ('"since": ', '"since": 0.', 'since'), ('"coverage": [', '"coverage": [7, ', 'coverage'),
    ('"goal_sha256": "', '"goal_sha256": "0', 'is not the place'), ('{', '[' * 100_000, 'nested too deeply')])
def test_damaged_lines(copy, old, new, said):
    damage(copy/ATLAS, old, new)
    with pytest.raises(UserError, match=said) as e: Atlas.load(copy)
    assert '\n' not in str(e.value)

def test_damaged_folders(copy, made):
    "A task that is missing, of another start or of another ROM is one line."
    text = (copy/ATLAS).read_text()
    about = json.loads(text)
    for name in 'rom_sha256', 'start_sha256':
        (copy/ATLAS).write_text(json.dumps(about | dict(facts=about['facts'] | {name: 'ab'*32})))
        with pytest.raises(UserError, match=name): Atlas.load(copy)
    (copy/ATLAS).write_text(text)
    shutil.rmtree(copy/'2')
    with pytest.raises(UserError, match='cannot be read'): Atlas.load(copy)
    Atlas.load(made[0])

def test_refused_in_one_line(made, copy, tmp_path):
    (tmp_path/'probe.gb').write_bytes(probe_rom())
    (tmp_path/'file').write_text('mine')
    (tmp_path/'title.json').write_text('{"buttons": [["", 90]], "actions": []}')
    rest = dict(resume=True, device='cpu')
    for words, given, said in [
            ((), dict(out=made[0]), 'already'), ((), dict(out=tmp_path), 'not empty'), ((), dict(out=tmp_path/'file'), 'no folder'),
            ((), dict(out=copy, script=tmp_path/'title.json', **rest), 'began elsewhere'),
            ((), dict(out=copy, seed=3, **rest), 'began with 0'), ((), dict(out=copy, frames_per_step=8, **rest), 'began with 24'),
            ((tmp_path/'probe.gb',), dict(out=copy, **rest), 'ROM'), ((), dict(out=tmp_path/'x', **rest), ''),
            ((), dict(out=tmp_path/'x', places=0), 'places'), ((), dict(out=tmp_path/'x', num_envs=0), 'num_envs')]:
        status, _, complaint = call(explore_cli, *words, **given)
        assert status == 1 and complaint.count('\n') == 1 and said in complaint, complaint
    assert not (tmp_path/'x').exists() and (tmp_path/'file').read_text() == 'mine'
    data = (copy/EXPLORATION).read_bytes()
    (copy/EXPLORATION).write_bytes(data[:len(data)//2])
    status, _, complaint = call(explore_cli, out=copy, **rest)
    assert status == 1 and complaint.count('\n') == 1
    (copy/EXPLORATION).unlink()
    status, _, complaint = call(explore_cli, out=copy, **rest)
    assert status == 1 and 'no checkpoint to resume from' in complaint and len(Atlas.load(copy)) > 2

def test_keys_in_another_order_are_the_same_codec(tmp_path):
    how = dict(out=tmp_path/'keys', action_codec_id='NOOP,RIGHT,RIGHT+A', places=1, steps=512, device='cpu')
    for more, said in ({}, ''), ({}, 'already'), (dict(resume=True), ''):
        _, _, complaint = call(explore_cli, **how, **more)
        assert 'another exploration' not in complaint and said in complaint, complaint

def test_advice_is_given_where_no_place_is_far_and_sure():
    def said(*places): return advice(SimpleNamespace(places=[SimpleNamespace(actions=[0]*far, later=later, stack=stack)
                                                             for far, later, stack in places]))
    assert not said((20, 1, 4), (35, 1, 8)) and 'go on' in said((35, 0, 4)) and 'go on' in said((20, 1, 4), (35, .5, 4))

def test_nothing_to_find(tmp_path):
    "A game that answers to nothing has no places, and says so."
    rom = bytearray(probe_rom())
    rom[0x150:0x153] = b'\x18\xfe\x00' # jump to itself
    (tmp_path/'dead.gb').write_bytes(bytes(rom))
    status, _, complaint = call(explore_cli, tmp_path/'dead.gb', out=tmp_path/'x', steps=512, num_envs=16, device='cpu')
    assert status == 1 and 'no place is worth a task (the game does not answer' in complaint.splitlines()[-1]
    assert (tmp_path/'x'/EXPLORATION).exists() and not (tmp_path/'x'/REFUSED).exists()

def test_nothing_left(tmp_path, monkeypatch):
    "All is refused: one line says why and how to go on, a sheet shows it, the exploration is kept and goes on."
    out, said = tmp_path/'x', f'{tmp_path/"x"} keeps the exploration: go on by --resume --steps 1024; look at {tmp_path/"x"/REFUSED}'
    with monkeypatch.context() as m:
        m.setattr(Chooser, 'fit', lambda *args: None)
        status, _, complaint = call(explore_cli, out=out, **SMALL)
    last = complaint.splitlines()[-1]
    assert status == 1 and said in last and 'any play leads there' in last and 'opened by START' in last and '--script' in last, complaint
    assert Image.open(out/REFUSED).size[0] == 4*320 + 12 and not (out/ATLAS).exists()
    status, _, complaint = call(explore_cli, out=out, resume=True, **{k: v for k, v in SMALL.items() if k != 'num_envs'})
    assert not status and (out/PLACES).exists() and len(Atlas.load(out)) > 1, complaint

def test_sheets(made):
    "A row holds two places, each beside the end of its way; at most eight of what was left out for each reason."
    atlas, (wide, high) = Atlas.load(made[0]), Image.open(made[0]/PLACES).size
    rows = -(-len(atlas)//2)
    assert (wide, high) == (4*324 - 4, rows*(2*154 + 4) - 4)
    kinds = atlas.facts['dropped']
    shown = sum(min(n, 8) for n in kinds.values())
    assert Image.open(made[0]/REFUSED).size[1] == -(-shown//4)*312 - 4 and len(kinds) > 1

def test_a_folder_with_a_file_of_the_users(copy):
    (copy/PLACES).unlink()
    (copy/PLACES).mkdir()
    status, _, complaint = call(explore_cli, out=copy, resume=True, steps=8192, device='cpu')
    assert status == 1 and str(copy/PLACES) in complaint.splitlines()[-1], complaint

def test_more_rooms_for_more_steps():
    "A place's share depends on its number alone, so a longer run has the rooms of a shorter one, and more."
    for count in 1, 2, 3, 24, MAX_PLACES:
        known, steps = {}, FIRST
        assert max(rooms(count, 1).values()) == min(count//3 + 1, count)
        while steps <= 1 << 20:
            more = rooms(count, steps)
            assert known.items() <= more.items() and all(t <= steps for t in more)
            known, steps = more, 2*steps
        assert max(known.values()) == count

@pytest.fixture(scope='module')
def explored():
    with Explorer(game.rom(), bundled_task('town/house').start, ExploreConfig(num_envs=64, max_rows=4096), device='cpu') as e:
        yield e.run(4096)

@pytest.mark.parametrize('word', [dict(menu=True), dict(answers=0), dict(held=1.)])
def test_refusals_use_up_no_tries(explored, word, monkeypatch):
    "However many menus and fading screens come first, the rooms are filled with what fits."
    tried = itertools.count()
    def fake(rom, states, cfg):
        good = [Trial(0., 3, False, 1)]*len(states)
        return [good[0], *(replace(t, **word) if next(tried) < 300 else t for t in good[1:])]
    monkeypatch.setattr('gbxnb.explore.shorten.try_screens', fake)
    refused = []
    found = [*Chooser(explored, refused).choose(12)]
    assert len(found) == 5 and sum(why == Trial(**dict(held=0., answers=1, menu=False) | word).refusal for why, _ in refused) == 300

def test_a_refused_place_frees_its_room(explored):
    chooser, first = Chooser(explored, []), None
    for f in chooser.choose(9):
        if first is None:
            first = f
            chooser.refuse(f, 'passed before')
    assert len(chooser.found) == 4 and first not in chooser.found and chooser.refused[0][0] != first
    assert [pix is first.pix for why, pix in chooser.refused if why == 'passed before'] == [True]

def test_places_of_a_shorter_run_are_kept(monkeypatch):
    "Those from which all else is far are; the later ones come from what was found later."
    monkeypatch.setattr(choosing, 'FIRST', 512)
    with Explorer(game.rom(), bundled_task('town/house').start, ExploreConfig(num_envs=64, max_rows=4096), device='cpu') as e:
        few, more = ([*Chooser(e.run(steps), []).choose(18)] for steps in (4096, 4096))
    assert len(few) < len(more)
    def near(f): return min(float(choosing.far(f.bits, g.bits)) for g in more)
    clear = [f for f in few if f.apart >= FINEST]
    assert clear and all(near(f) < f.tau for f in clear)

@pytest.mark.parametrize('k', [pytest.param(1, marks=pytest.mark.slow), 2])
def test_shortened_ways(k):
    "A walk behind which there is the house becomes a way that ends there, once it has been there for k steps, and never longer."
    task = bundled_task('town/house')
    goal = replace(task.goal, k_consecutive=k)
    way = (0, 1, 0, *task.actions[:3], 1, 1, *task.actions[3:], 1, 1, 1)
    with Shortener(game.rom(), task.start, lanes=32) as s:
        short = s.shorten(way, goal, 1024)
        dists = goal.distances(s.walk(short))[1:, 0] < goal.tau
        assert len(short) <= len(task.actions) + k - 1 and dists[-k:].all() and dists.sum() == k
        done = first_done(goal.distances(s.walk(way))[1:, 0], goal)
        assert s.shorten(way, goal, 0) == way[:done] and done < len(way)
        for walk in random_walks(4, 12, 7, seed=3).T: assert len(s.walk(walk)) == 13
        with pytest.raises(UserError, match='start already looks'): s.shorten(way, replace(goal, tau=1.), 64)

def test_trees_are_tidy():
    "Whatever the tree, no two pictures overlap, and parents stand left of their children."
    for seed in range(40):
        rng = np.random.default_rng(seed)
        parents = [int(rng.integers(0, k)) for k in range(1, 1 + rng.integers(1, 40))]
        at = layout(parents)
        apart = np.abs(at[:, None] - at[None]).max(-1) + 9*np.eye(len(at))
        assert apart.min() > 1 - 1e-9 and all(at[k, 0] > at[p, 0] for k, p in enumerate(parents, 1))

def test_parents_have_shorter_ways():
    rng = np.random.default_rng(0)
    goals = rng.integers(0, 4, (5, 72, 80), np.uint8)
    ways = [goals[[0]], goals[[0, 1]], goals[[1, 0, 2]], goals[[3, 2, 3]], goals[[0, 1, 2, 3, 4]]]
    assert find_parents(ways, goals, np.full(5, .01)) == [(0, 1), (1, 1), (1, 1), (0, 3), (4, 1)]

def test_taus():
    "The widest gap as a ratio; below a hundredth figures move, and what is no place ends it."
    assert gap_tau(0., np.array([.004, .012, .014, .09, .12]), .13) == pytest.approx((.014*.09)**.5, abs=1e-6)
    assert gap_tau(.02, np.array([.012, .09]), .03) == pytest.approx((.02*.03)**.5, abs=1e-6)
    assert gap_tau(0., np.array([.3]), .008) == pytest.approx(.004)
    with pytest.raises(UserError, match='as near as the place itself'): gap_tau(.01, np.array([.3]), .005)

def test_a_menu_is_no_place():
    "In the bundled game START opens a menu."
    task = bundled_task('town/house')
    b = make_backend('warp', game.rom(), 1, 'cpu')
    restore_all(b, task.start)
    play_actions(b, [2])
    wait(b, 4)
    menu, = try_screens(game.rom(), [b.snapshot(0)])
    b.close()
    assert menu.menu and menu.refusal == 'opened by START'
