"""Goals as a user makes them: measured tau, regions, several goals, the unit of the reward."""
import json, shutil
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from PIL import Image
from gbxnb.backends.warp import make_backend
from gbxnb.games.bundled import probe_picture, probe_rom, DEFAULT_TASK, bundled_task
from gbxnb.base.command import call
from gbxnb.emulator.emulator import Emulator
from gbxnb.games import bundled as game
from gbxnb.goals.capture import goal_capture_cli, goal_calibrate_cli, goal_check_cli, replay_check, add_goals
from gbxnb.runs.film import film_cli, film_size
from gbxnb.runs.policy import eval_cli, export_cli, load_policy, make
from gbxnb.runs.train import train_cli
from gbxnb.envs.task import measure_tau, split_way, GameBoyConfig, Task, make_task, make_task_env
from gbxnb.emulator.cartridge import Cartridge, header_checksum
from gbxnb.envs.goal import FACTS, MASK, PICTURE, GoalTemplate, region_mask
from gbxnb.base.files import UserError, read_json, sha256

A, B, START, UP, DOWN, LEFT, RIGHT = range(7)
AWAY = 2*16/5760 # the dot at another place

def words_in(folder):
    rom, script = folder/'probe.gb', folder/'walk.json'
    rom.write_bytes(probe_rom())
    script.write_text('{"buttons": [["", 40]], "actions": ["RIGHT", "RIGHT", "DOWN"]}')
    return dict(rom=rom, script=script)

@pytest.fixture
def words(tmp_path): return words_in(tmp_path)

def captured(words, out, **options):
    status, said, err = call(goal_capture_cli, words['rom'], script=words['script'], out=out, **options)
    assert not status, err
    return Task.load(out), said

@pytest.fixture(scope='module')
def masked_goal(tmp_path_factory):
    folder = tmp_path_factory.mktemp('masked')
    captured(words_in(folder), folder/'goal', tau=AWAY/2, region='0,0,72,40')
    return folder/'goal'

@pytest.fixture
def masked(masked_goal, tmp_path): return shutil.copytree(masked_goal, tmp_path/'goal')

# tau

@pytest.mark.slow # goals/01_capture measures tau on another game
def test_a_small_sprite_needs_no_tau(words, tmp_path):
    "The start is .0056 from the goal, far below what was the default; the middle is measured and said."
    task, said = captured(words, tmp_path/'goal')
    assert task.start_distance < .006 and task.goal.tau == round(AWAY/2, 6) and 'proposed tau            0.0028' in said
    assert '--shaping relative' in said, 'the way is worth little as a distance'
    assert replay_check(words['rom'], tmp_path/'goal')['passed']
    assert captured(words, tmp_path/'forced', tau=.004)[0].goal.tau == .004
    status, _, err = call(goal_capture_cli, words['rom'], script=words['script'], out=tmp_path/'x', tau=.02)
    assert status == 1 and 'the start already looks like the goal' in err

def test_what_a_miss_says(words, tmp_path, monkeypatch):
    "Too far from the goal and too short at it are told apart."
    monkeypatch.setattr('gbxnb.envs.task.measure_tau', partial(measure_tau, episodes=4, steps=8))
    for k, said in (2, 'as near as the goal itself'), (9, 'only 3 in a row are nearer than tau = 1, but k_consecutive is 9'):
        status, _, err = call(goal_capture_cli, words['rom'], script=words['script'], out=tmp_path/'x', k_consecutive=k)
        assert status == 1 and said in err
    task, _ = captured(words, tmp_path/'goal', tau=AWAY/2)
    replace(task, goal=replace(task.goal, k_consecutive=2)).save(tmp_path/'goal')
    status, _, err = call(goal_check_cli, tmp_path/'goal', rom=words['rom'])
    assert status == 1 and 'only 1 in a row are nearer than tau' in err
    replace(task, goal=replace(task.goal, pix=probe_picture(9, 9))).save(tmp_path/'goal')
    assert 'its nearest screen is at 0.0056' in call(goal_check_cli, tmp_path/'goal', rom=words['rom'])[2]

@pytest.mark.parametrize('dists, k, held, other', [
    ([.0055, .0055, .0055, 0], 1, 0, .0055),                   # a sprite that walks
    ([.2, .15, .003, .004, .002, .003, 0], 1, .004, .15),      # a stay in front of water
    ([.2, .1, .05, .03, 0], 1, 0, .03),                        # a scroll that stops
    ([.2, .2, .03, 0], 2, .03, .2)])                           # two steps were asked for
def test_the_way_and_the_stay(dists, k, held, other):
    assert split_way(dists[0], np.array(dists[1:]), np.zeros(4), k) == pytest.approx((held, other))

def test_a_way_that_is_a_circle():
    with pytest.raises(UserError, match='as near as the goal itself'): split_way(0., np.array([.1, 0]), np.zeros(4))

# What counts

def test_a_region_from_the_command_line(words, tmp_path):
    task, _ = captured(words, tmp_path/'goal', tau=AWAY/2, region=['0,0,72,40', '0,40,8,40'])
    assert task.goal.mask.sum() == 72*40 + 8*40 and (tmp_path/'goal'/MASK).exists()
    assert task.start_distance == pytest.approx(AWAY*5760/task.goal.mask.sum())
    with make(tmp_path/'goal', 2, rom=words['rom'], device='cpu') as env:
        obs, info = env.reset()
        assert info['dist'].numpy() == pytest.approx(task.start_distance)
        env.backend.pix.numpy()[:, 40:, 60:] = 3 # what does not count
        for a in task.actions: done = env.step(torch.tensor([a, B]))[2]
        assert done.tolist() == [True, False] and env.facts()['goal_sha256'] == task.goal.sha256 != sha256(task.goal.pix.tobytes())
    status, _, err = call(goal_calibrate_cli, tmp_path/'goal', rom=words['rom'], num_envs=4, rollout_steps=8, apply=True)
    assert not status and (Task.load(tmp_path/'goal').goal.mask == task.goal.mask).all(), err

@pytest.mark.parametrize('metric', ['l1_mean_norm', 'l2_mean_norm'])
@pytest.mark.parametrize('stack_k', [1, 2])
@pytest.mark.parametrize('packed', [False, True])
def test_the_kernel_agrees_with_numpy(metric, stack_k, packed):
    "Three goals with masks of their own, of single pictures and of stacks, in both measures: the same floats."
    rng = np.random.default_rng(stack_k)
    pix, mask = rng.integers(0, 4, (3, stack_k, 72, 80), np.uint8), rng.integers(0, 2, (3, 72, 80), np.uint8)
    goal = GoalTemplate(pix, sha256(probe_rom()), '0'*64, '0'*64, dist_metric=metric, tau=.01, mask=mask)
    with make_task_env(Cartridge.load(probe_rom()), 4, task_of(goal), GameBoyConfig(stack_k=stack_k, packed=packed), 'cpu') as env:
        env.reset(seed=0)
        seen = [env.backend.pix.numpy().copy()]*stack_k
        for t in range(7):
            info = env.step(torch.tensor([RIGHT, A, DOWN, t]))[4]
            seen = seen[1:] + [env.backend.pix.numpy().copy()]
            want = goal.distances(seen[0] if stack_k == 1 else np.stack(seen, 1))
            assert (info['dist'].numpy() == want.min(-1)).all() and (info['goal'].numpy() == want.argmin(-1)).all()

def task_of(goal):
    b = make_backend('warp', probe_rom(), 1, 'cpu')
    b.step(40, 0)
    start = b.snapshot(0)
    return Task((), start, (), replace(goal, state_sha256=start.sha256))

def test_goals_without_masks_are_what_they_were():
    "A mask of ones changes no float, and the same goal twice none either."
    plain = bundled_task(DEFAULT_TASK)
    tasks = [plain, replace(plain, goal=replace(plain.goal, mask=np.ones((72, 80), np.uint8))),
             replace(plain, goal=replace(plain.goal, pix=np.stack([plain.goal.pix]*2)[:, None]))]
    results = []
    for task in tasks:
        with make(task, 4, device='cpu', seed=1) as env:
            env.reset(seed=2)
            rng = np.random.default_rng(3)
            steps = [env.step(torch.from_numpy(rng.integers(0, 7, 4))) for _ in range(12)]
            results.append([np.concatenate([r.numpy().copy(), env.judge.dist.numpy().copy()]) for _, r, *_ in steps])
    assert np.array_equal(results[0], results[1]) and np.array_equal(results[0], results[2])

# Several

def test_several_goals(words, tmp_path):
    right, down = (make_task(probe_rom(), [(0, 40)], [m, m], tau=.002) for m in (RIGHT, DOWN))
    both = add_goals(probe_rom(), right, [down])
    folder = both.save(tmp_path/'both')
    with make(folder, 3, rom=words['rom'], device='cpu') as env:
        env.reset()
        for moves in ([RIGHT, DOWN, LEFT],)*2: _, _, done, _, info = env.step(torch.tensor(moves))
        assert done.tolist() == [True, True, False] and info['goal'].tolist()[:2] == [0, 1]
        saved = env.state_dict()
    with make(folder, 3, rom=words['rom'], device='cpu') as env:
        env.load_state_dict(saved)
        assert env.judge.nearest.tolist()[:2] == [0, 1]
        with pytest.raises(ValueError, match='nearest holds 3'): env.load_state_dict(saved | dict(nearest=saved['nearest'] + 2))
    with make(right, 3, rom=words['rom'], device='cpu') as env, pytest.raises(ValueError, match="has 'goal'"): env.load_state_dict(saved)
    with make(folder, 2, rom=words['rom'], device='cpu', demo_starts=2) as env: env.reset()

# The unit of the reward

def test_the_way_is_worth_alpha(words):
    "Whatever the size of the sprite: the sum over the way, without cost and bonus, is alpha, and a detour pays nothing."
    task = make_task(probe_rom(), [(0, 40)], [RIGHT, RIGHT], tau=.002)
    for moves in (RIGHT, RIGHT), (DOWN, UP, RIGHT, A, A, RIGHT):
        for shaping, worth in ('relative', 2.), ('distance', 2*AWAY):
            with make(task, 1, rom=words['rom'], step_cost=0, alpha=2., goal_bonus=0, shaping=shaping, device='cpu') as env:
                env.reset()
                total = sum(float(env.step(torch.tensor([m]))[1]) for m in moves)
            assert total == pytest.approx(worth, abs=1e-5)

# Files

@pytest.mark.parametrize('change, word', [
    (lambda g: np.save(g/MASK, np.zeros((72, 80), np.uint8)), 'no pixel counts'), (lambda g: (g/MASK).unlink(), 'goal_mask.npy'),
    (lambda g: (g/MASK).write_bytes((g/PICTURE).read_bytes()), 'mask holds 3'), (lambda g: (g/MASK).write_bytes(b'x'), 'goal_mask.npy')])
def test_damaged_masks(masked, change, word):
    change(masked)
    with pytest.raises(UserError, match=word): Task.load(masked)

@pytest.mark.parametrize('mask, word', [(np.zeros((72, 80), np.uint8), '0 everywhere'), (np.full((72, 80), 2, np.uint8), 'end at 1'),
    (np.ones((80, 72), np.uint8), r'must be uint8\[72, 80\]'), (np.ones((2, 72, 80), np.uint8), r'must be uint8\[1, 72, 80\]'),
    (np.ones((72, 80)), 'uint8')])
def test_masks_that_are_none(masked, mask, word):
    "With hashes that agree."
    np.save(masked/MASK, mask)
    facts = json.loads((masked/FACTS).read_text())
    facts['mask_sha256'] = sha256((masked/MASK).read_bytes())
    (masked/FACTS).write_text(json.dumps(facts))
    with pytest.raises(UserError, match=word): Task.load(masked)

# Other beginnings

@pytest.mark.parametrize('kind', ['.bess', '.state', '.npz'])
def test_states_of_other_emulators(words, tmp_path, kind):
    emulator = Emulator(probe_rom(), 1)
    emulator.step(60)
    state = emulator.save_state(tmp_path/f'there{kind}')
    words['script'].write_text('{"actions": ["RIGHT"]}')
    task, _ = captured(words, tmp_path/'goal', state=state, tau=AWAY/2)
    assert (task.goal.pix == probe_picture(3, 2)).all() and (task.start.pix == probe_picture(2, 2)).all()

def test_scripts_with_combinations(words, tmp_path):
    codec = 'NOOP,SELECT,RIGHT,A+RIGHT'
    words['script'].write_text('{"buttons": [["", 40]], "actions": ["A+RIGHT", "SELECT", "NOOP", "RIGHT"]}')
    task, said = captured(words, tmp_path/'goal', action_codec_id=codec, tau=AWAY/2)
    assert task.actions == (3, 1, 0, 2) and codec in said and replay_check(words['rom'], tmp_path/'goal')['passed']

def test_without_a_script(words, tmp_path):
    "One line says what to do; nothing is written, whatever else is given."
    for more in dict(), dict(tau=.02), dict(state=tmp_path/'none.npz'):
        status, said, err = call(goal_capture_cli, words['rom'], out=tmp_path/'goal', **more)
        assert status == 1 and not said and err.count('\n') == 1 and not (tmp_path/'goal').exists()
        assert 'no script was given' in err and f'gbxnb explore {words["rom"]}' in err

def test_regions():
    assert region_mask(['0,0,1,1', '71,79,1,1']).sum() == 2

@pytest.mark.parametrize('words, screen', [([], (144, 160)), (['--seen'], (72, 80)), (['--past-goal', '--seen'], (72, 80))])
def test_a_film_shows_whole_screens_and_ends_at_its_goal(words, screen, tmp_path):
    status, said, err = call(film_cli, *words, num_envs=2, steps=160, scale=1, device='cpu', out=tmp_path/'film')
    assert status == 0, err
    rows = [json.loads(line) for line in (tmp_path/'film/rollout.jsonl').read_text().splitlines()]
    there = [next(r['step'] for r in rows if r['env'] == k and r['reached']) for k in range(2)]
    with Image.open(tmp_path/'film/rollout.gif') as img: shown = img.n_frames, (img.height - 2, img.width - 2)
    assert shown == (160 if '--past-goal' in words else max(there) + 1, film_size(3, 1, screen))

NAMED = [(dict(force=True), 'auto'), pytest.param(dict(board='MBC5'), 'MBC5', marks=pytest.mark.slow)]

@pytest.mark.parametrize('named, kept', NAMED, ids=['force', 'board'])
def test_a_board_goes_with_its_rom(tmp_path, named, kept, monkeypatch):
    "What a game was forced to run as is kept in its run: it is resumed, judged, handed on and loaded without a word of it."
    monkeypatch.setenv('TQDM_DISABLE', '1')
    rom, out = tmp_path/'liar.gb', tmp_path/'run'
    data = bytearray(game.rom())
    data[0x147] = 0
    data[0x14D] = header_checksum(data)
    rom.write_bytes(data)
    small = dict(num_envs=4, rollout_steps=8, minibatches=1, eval_episodes=0, device='cpu', threads=1, out=out)
    status, _, err = call(train_cli, 'start', rom=rom, steps=32, **small)
    assert status == 1 and '--force' in err and '--board' in err and not out.exists()
    assert call(train_cli, 'start', rom=rom, steps=32, **small, **named)[0] == 0
    assert read_json(out/'checkpoint.json')['world_config']['board'] == kept
    for cli, words, options in ((train_cli, ['--resume'], small | dict(steps=64)), (eval_cli, [out, '--quick'], dict(episodes=2)),
                                (export_cli, [out], dict(episodes=0))):
        status, _, err = call(cli, *words, **options)
        assert status == 0 and [s for s in err.splitlines() if 'random keys' not in s and s[:7] not in ('trained', '       ')] == [], err
    board = Cartridge.load(rom, **named).board
    for folder, more in (out, {}), (out/'policy', dict(rom=str(rom))):
        with load_policy(folder, device='cpu', **more).env(1) as env: assert env.cart.board == board != 'ROM'
    with make('start', 2, rom=str(rom), board=kept, device='cpu') as env: assert env.cart.board == board
    (tmp_path/'walk.json').write_text('{"buttons": [["", 60], ["START", 8], ["", 60]], "actions": ["DOWN", "DOWN"]}')
    assert f'--board {kept}' in call(goal_capture_cli, rom, script=tmp_path/'walk.json', out=tmp_path/'goal', **named)[1]
