"""The atlas as a user makes it: every folder is a task whose script replays to its goal; killed, resumed, damaged, of another ROM."""
import json, os, shutil, signal, subprocess, sys, time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gbxnb.backends.make import make_backend
from gbxnb.backends.probe import probe_rom
from gbxnb.command import call
from gbxnb.emulator import game
from gbxnb.envs.bundled import bundled_task
from gbxnb.envs.replay_check import replay_check
from gbxnb.envs.script import first_done, play_actions, random_walks, restore_all, wait
from gbxnb.envs.task import Task, make_task_env
from gbxnb.explore.atlas import ATLAS, COVERAGE, MAP, Atlas
from gbxnb.explore.command import EXPLORATION, explore_cli
from gbxnb.explore.map import find_parents, layout
from gbxnb.explore.places import gap_tau, try_screens
from gbxnb.explore.shorten import Shortener
from gbxnb.files import UserError

SMALL = dict(steps=8192, num_envs=128, places=5, shorten_steps=2048, device='cpu')
root = Path(__file__).resolve().parent.parent

@pytest.fixture(scope='module')
def made(tmp_path_factory):
    out = tmp_path_factory.mktemp('atlas')/'town'
    status, said, complaint = call(explore_cli, out=out, **SMALL)
    assert not status, complaint
    return out, said

@pytest.fixture
def copy(made, tmp_path): return Path(shutil.copytree(made[0], tmp_path/'copy'))

def test_every_folder_is_a_task(made):
    "Each is loaded, its script replays to its goal, not before its last action; a world can be made of it."
    out, said = made
    atlas = Atlas.load(out)
    assert len(atlas) > 2 and {MAP, COVERAGE, ATLAS, EXPLORATION, '0'} <= {p.name for p in out.iterdir()}
    for p in atlas.places:
        task, report = Task.load(out/str(p.number)), replay_check(game.rom(), out/str(p.number))
        assert report['passed'] and report['done_at'] == len(p.actions) == len(task.actions), report['reason']
        assert (task.goal.pix == p.pix).all() and task.start.sha256 == atlas.facts['start_sha256']
        assert report['start_distance'] >= task.goal.tau and p.born <= atlas.facts['steps']
        assert task.buttons == tuple((int(k), f) for k, f in game.START)
    with make_task_env(game.rom(), 2, atlas.task(1)) as env: env.reset()
    assert f'train with: gbxnb train {out/str(len(atlas))}' in said

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

def test_resumed_like_never_stopped(made, tmp_path):
    "Half of it, then the rest, is the same atlas; one that is made again with fewer places leaves no old ones behind."
    out, half = tmp_path/'half', SMALL | dict(steps=4096)
    assert not call(explore_cli, out=out, **half)[0]
    rest = {k: v for k, v in SMALL.items() if k != 'num_envs'}
    assert not call(explore_cli, out=out, resume=True, **rest)[0]
    assert (out/ATLAS).read_bytes() == (made[0]/ATLAS).read_bytes()
    assert not call(explore_cli, out=out, resume=True, **rest | dict(places=1))[0]
    assert len(Atlas.load(out)) == 1
    with pytest.raises(UserError): Task.load(out/'2')

def test_killed_while_exploring(tmp_path):
    "What was killed goes on from its last checkpoint, and is no atlas before it is whole."
    out, words = tmp_path/'killed', [f'--{k.replace("_", "-")}={v}' for k, v in SMALL.items() if k != 'steps']
    env = os.environ | dict(PYTHONPATH=str(root), GBXNB_TRACES='off')
    line = [sys.executable, '-m', 'gbxnb', 'explore', f'--out={out}', '--steps=100000000', '--save-every=4096', *words]
    run = subprocess.Popen(line, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not (out/EXPLORATION).exists() and run.poll() is None: time.sleep(.1)
    finally:
        run.send_signal(signal.SIGKILL)
        run.wait()
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
    ('"steps":', '"paces":', 'steps of facts'), ('"x": 1.0', '"x": -1.0', 'x of place'), ('"x": 1.0', '"x": 1e300', 'x of place'),
    ('"since": ', '"since": 0.', 'since of place'), ('"coverage": [', '"coverage": [7, ', 'coverage'),
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
    rest = dict(resume=True, device='cpu')
    for words, given, said in [
            ((), dict(out=made[0]), 'already'), ((), dict(out=tmp_path), 'not empty'), ((), dict(out=tmp_path/'file'), 'no folder'),
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

def test_nothing_to_find(tmp_path):
    "A game that answers to nothing has no places, and says so."
    rom = bytearray(probe_rom())
    rom[0x150:0x153] = b'\x18\xfe\x00' # jump to itself
    (tmp_path/'dead.gb').write_bytes(bytes(rom))
    status, _, complaint = call(explore_cli, tmp_path/'dead.gb', out=tmp_path/'x', steps=512, num_envs=16, device='cpu')
    assert status == 1 and 'no place is worth a task (the game does not answer' in complaint.splitlines()[-1]

@pytest.mark.parametrize('k', [1, 2])
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
    assert gap_tau(.001, np.array([.0005, .001])) == pytest.approx(.0105)
    with pytest.raises(UserError): gap_tau(.01, np.array([.3]), .005)

def test_a_menu_is_no_place():
    "In the bundled game START opens a menu."
    task = bundled_task('town/house')
    b = make_backend('warp', game.rom(), 1, 'cpu')
    restore_all(b, task.start)
    play_actions(b, [2])
    wait(b, 4)
    menu, = try_screens(game.rom(), [b.snapshot(0)])
    b.close()
    assert menu.menu and menu.against == 'opened by START'
