"""One policy for many places: each console is asked for one, by its start; what is held out stays out; trails lead where they say; exact
when resumed; refused in one line."""
import json, shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from gbxnb.base.command import call
from gbxnb.base.figures import unpack
from gbxnb.base.files import UserError
from gbxnb.envs.goal import distance
from gbxnb.envs.places import choose_places
from gbxnb.envs.task import GameBoyConfig, make_task
from gbxnb.explore.atlas import Atlas, Place, layout
from gbxnb.games.bundled import probe_rom
from gbxnb.runs.checkpoint import load_checkpoint
from gbxnb.runs.evaluate import NearestPlace, Recording, UniformPolicy, evaluate, play_all
from gbxnb.runs.film import film_frames, record_rollout
from gbxnb.runs.policy import eval_cli, make
from gbxnb.runs.train import train_cli
from gbxnb.training.config import PPOConfig
from gbxnb.training import ppo
from gbxnb.training.rollout import find_demonstration, start_run
from gbxnb.worlds.contract import check_world
from gbxnb.worlds.gameboy import make_gameboy

DOWN, RIGHT = 4, 6
WAYS = sorted(((RIGHT,)*x + (DOWN,)*y for x in range(3) for y in range(4) if x + y > 1), key=len)
TRAIN = ('--places all --imitation-coef 1 --num-envs 8 --rollout-steps 16 --minibatches 2 --epochs 1 --model small --device cpu '
         '--eval-episodes 0 --no-anneal-lr --save-every 2 --stack-k 2').split()

@pytest.fixture(scope='module')
def field(tmp_path_factory):
    "An atlas of the measuring cartridge: a dot in nine places, and the ROM beside it."
    folder = tmp_path_factory.mktemp('field')
    (folder/'probe.gb').write_bytes(probe_rom())
    tasks = [make_task(probe_rom(), [(0, 60)], way, tau=.001) for way in WAYS]
    start, at = tasks[0].start, layout([0]*len(tasks)).tolist()
    places = [Place(k, t.goal.pix, t.actions, 0, len(t.actions), 0, *at[k]) for k, t in enumerate(tasks, 1)]
    facts = dict(rom_sha256=start.rom_sha256, start_sha256=start.sha256, steps=1, places=9, coarse=1, seed=0, num_envs=1, aimless=1)
    Atlas(Place(0, start.pix, (), 0, 0, 0, *at[0]), places, tasks, facts, [(0, 1, 1)]).save(folder/'atlas')
    return folder

def batch(field, num_envs=8, **options):
    return make(field/'atlas', num_envs, rom=str(field/'probe.gb'), device='cpu', **dict(places='all') | options)

def outcome(env): return [x.clone() for x in (env.obs, env.reward, env.done, env.trunc, env.cache.snap_id)]
def drawn(env, steps, seed=0): return torch.randint(7, (steps, env.num_envs), generator=torch.Generator().manual_seed(seed))

def test_a_part_is_held_out():
    for count in range(1, 20):
        learned, held = choose_places('all', count)
        assert sorted(learned + held) == [*range(1, count + 1)] and len(held) == (count + 2)//4
    assert choose_places(' 4, 2,2', 5) == ([2, 4], [1, 3, 5]) and len(choose_places('2', 100)[1]) == 63
    for text in ('all', ','.join(map(str, range(1, 66)))):
        with pytest.raises(UserError, match='64 at most'): choose_places(text, 80)
    for text in ('9', '0', '1,,2', 'far', '-1'):
        with pytest.raises(UserError, match='1..8'): choose_places(text, 8)

def test_all_places_may_be_learned(field):
    with pytest.raises(UserError, match='no place is held out'): batch(field, places='1,2,3,4,5,6,7,8,9', starts='held_out')

@pytest.mark.parametrize('options', [dict(), dict(packed=True, stack_k=3), dict(starts='held_out'), dict(perturb=.5)])
def test_distance_reward_and_pictures_are_those_of_the_own_place(field, options):
    with batch(field, **options, alpha=3., max_steps=9) as env:
        judge, ended = env.judge, torch.ones(8, dtype=torch.bool)
        env.reset(seed=2)
        for a in drawn(env, 40):
            asked, start = judge.asked().clone(), judge.start_dist[env.cache.snap_id.long()].clone()
            before = torch.where(ended, start, judge.dist)
            obs, reward, done, trunc, info = env.step(a)
            ended = done | trunc
            goals = judge.pix[asked].numpy()
            shown = torch.where(ended[:, None, None, None], unpack(env.final_obs), unpack(obs)).numpy()
            want = np.array([distance(s, g) for s, g in zip(shown[:, -1], goals)])
            assert (info['dist'].numpy() == want).all() and (done.numpy() == (want < judge.tau[asked].numpy())).all()
            assert [judge.numbers[k] for k in asked] == info['place'].tolist() and (shown[:, 0] == goals).all()
            assert unpack(obs)[:, 0].equal(judge.pix[judge.asked()])
            assert torch.allclose(reward, -.01 + 3*(before - info['dist']) + 10*done, atol=1e-5)
        learned, held = choose_places('all', 9)
        assert {*info['place'].tolist()} <= {*(held if options.get('starts') else learned)}

@pytest.mark.parametrize('options', [dict(max_steps=20), pytest.param(dict(packed=True, stack_k=2, start_noops=2, sticky=.25,
                                     max_steps=20), marks=pytest.mark.slow)])
def test_it_is_a_world(field, options): check_world(batch(field, 4, **options), 64)

def test_a_start_is_a_place_and_clones_keep_it(field):
    with batch(field) as env:
        env.reset(seed=0)
        want = torch.tensor([k % len(env.cache) for k in range(8)])
        env.reset(options=dict(start=want))
        assert env.judge.asked().tolist() == env.judge.goal_of[want].tolist()
        env.clone(torch.tensor([3]*8))
        assert len({*env.judge.asked().tolist()}) == 1 and (env.obs == env.obs[3]).all()
        assert env.step(torch.full((8,), RIGHT))[4]['place'].unique().numel() == 1

def test_nothing_is_learned_of_what_is_held_out(field):
    with batch(field, 32, max_steps=40) as env:
        trails, judge, rng = env.curriculum.trails, env.judge, torch.Generator().manual_seed(0)
        run = start_run(env, PPOConfig(num_envs=32, rollout_steps=64, imitation_coef=1.), 4096)
        for _ in range(3):
            run.collect(.95)
            trails.follow(run.rollout, rng)
        held, known = judge.pix[trails.learned:].numpy(), judge.pix.numpy()
        assert len(held) == 2 and (trails.length[trails.learned:] > 0).any()
        lessons = trails.sample(4096, rng)
        assert not any((goal == held).all((1, 2)).any() for goal in lessons.obs[:, 0].numpy())
        assert (run.rollout.obs[..., 0, :, :].flatten(0, 1).unique(dim=0).numpy()[:, None] != held).any((2, 3)).all()
        assert any((goal != known).any((1, 2)).all() for goal in lessons.obs[:, 0].numpy()), 'screens on a way are asked for, too'

def test_trails_lead_where_they_say(field):
    with batch(field, 32, max_steps=40) as env:
        trails, judge = env.curriculum.trails, env.judge
        run = start_run(env, PPOConfig(num_envs=32, rollout_steps=64, imitation_coef=1.), 4096)
        for _ in range(2):
            run.collect(.95)
            trails.follow(run.rollout, run.generator)
        starts, kept = [s.pix for s in env.cache.snapshots], 0
        for slot in (trails.length > 0).nonzero()[:, 0].tolist():
            a, n = int(trails.first[slot]), int(trails.length[slot])
            g = slot if slot < trails.learned else (slot - trails.learned)//4
            begin = next(k for k, pix in enumerate(starts) if (pix == trails.pix[a].numpy()).all())
            env.reset(options=dict(start=torch.full((32,), begin)))
            for t, action in enumerate(trails.actions[a:a+n]):
                assert env.pix[0].equal(trails.pix[a + t])
                env.backend.buttons.fill_(int(env.codec.masks[action]))
                env.backend.step(env.cfg.frames_per_step, env.cfg.release_after_frames)
            assert distance(env.pix[0].numpy(), judge.pix[g].numpy()) < judge.tau[g] and trails.pix[a + n].equal(judge.shown[g])
            kept += slot >= trails.learned
        assert kept > 3, 'some are of episodes that were asked for other places'

def test_a_recording_plays_the_way_to_each_place(field):
    for starts in 'task', 'held_out':
        config = GameBoyConfig(task=str(field/'atlas'), rom=str(field/'probe.gb'), places='all', starts=starts)
        with make_gameboy(config, 16, 'cpu') as env:
            found = evaluate(env, Recording(env), 32)
            assert found.success_rate == 1 and sum(p['episodes'] for p in found.places.values()) == 32
            assert {*map(int, found.places)} <= {*choose_places('all', 9)[starts == 'held_out']}
            if starts == 'task': continue
            seen = []
            def look(obs, seen=seen):
                seen.append(obs[:, 0].clone())
                return torch.zeros(16, 7), torch.zeros(16)
            evaluate(env, NearestPlace(env, look), 16)
            assert all(any((p == q).all() for q in env.judge.pix[:7].numpy()) for pix in seen for p in pix.numpy())

@pytest.fixture(autouse=True)
def quick(monkeypatch): monkeypatch.setattr(ppo, 'CLONING', 32)

def trained(field, out, *line):
    status, said, complaint = call(train_cli, str(field/'atlas'), *TRAIN, '--rom', str(field/'probe.gb'), '--out', str(out), *line)
    assert not status, complaint
    return load_checkpoint(out, resume=True)

def test_a_run_goes_on_exactly_and_is_judged_from_its_folder(field, tmp_path):
    whole = trained(field, tmp_path/'whole', '--steps', '1024')
    trained(field, tmp_path/'parts', '--steps', '512')
    status, _, complaint = call(train_cli, '--resume', '--out', str(tmp_path/'parts'), '--steps', '1024', '--places', 'all',
                                '--eval-episodes', '0')
    assert not status, complaint
    parts = load_checkpoint(tmp_path/'parts', resume=True)
    for name in 'policy', 'state':
        a, b = getattr(whole, name), getattr(parts, name)
        assert a.keys() == b.keys() and all(np.array_equal(a[k], b[k]) for k in a), name
    assert any(v.any() for k, v in whole.state.items() if k.endswith('trail_length')), 'some were kept'
    png, out = tmp_path/'places.png', tmp_path/'found.json'
    status, said, complaint = call(eval_cli, str(tmp_path/'whole'), '--episodes', '24', '--num-envs', '8', '--device', 'cpu',
                                   '--map', str(png), '--out', str(out))
    assert not status, complaint
    found = json.loads(out.read_text())['conditions']
    assert {*found['trained']} == {'policy', 'recording', 'random'} and 'nearest' in found['starts']
    learned, held = choose_places('all', 9)
    assert {*map(int, found['trained']['policy']['places'])} <= {*learned} and png.stat().st_size > 1000
    assert {*map(int, found['starts']['policy']['places'])} <= {*held}
    assert found['trained']['recording']['success_rate'] == 1 == found['starts']['recording']['success_rate']

@pytest.mark.parametrize('line, why', [
    (['--places', '99'], '99'), (['--places', 'none'], 'give all, near or numbers'), (['--places', 'all', '--backward', '4'], 'backward'),
    (['--places', 'all', '--observation', 'full'], '--observation'), (['--places', 'all', '--frames-per-step', '12'], 'frames_per_step'),
    (['--places', 'all', '--rom', ''], 'the goal is of ROM'), (['--places', 'all', '--start-noops', '600'], '4096')])
def test_what_cannot_be_is_one_line(field, tmp_path, line, why):
    rom = [] if '--rom' in line else ['--rom', str(field/'probe.gb')]
    status, _, said = call(train_cli, str(field/'atlas'), '--out', str(tmp_path/'run'), *rom, *line)
    assert status == 1 and why in said and not (tmp_path/'run').exists() and 'Traceback' not in said

def test_damaged_and_missing_atlases_are_one_line(field, tmp_path):
    rom = ['--rom', str(field/'probe.gb'), '--places', 'all', '--out', str(tmp_path/'run')]
    for task, why in (field/'atlas'/'1', 'atlas.json'), (tmp_path/'nowhere', 'atlas.json'):
        status, _, said = call(train_cli, str(task), *rom)
        assert status == 1 and why in said and 'Traceback' not in said
    folder = Path(shutil.copytree(field/'atlas', tmp_path/'atlas'))
    (folder/'3'/'goal_template.npy').write_bytes(b'')
    status, _, said = call(train_cli, str(folder), *rom)
    assert status == 1 and 'goal_template.npy' in said and not (tmp_path/'run').exists()
    trained(field, tmp_path/'run', '--steps', '256')
    (tmp_path/'run'/'world'/'3'/'goal_template.npy').unlink()
    status, _, said = call(eval_cli, str(tmp_path/'run'), '--quick', '--device', 'cpu')
    assert status == 1 and 'goal_template.npy' in said and 'Traceback' not in said
    status, _, said = call(eval_cli, '', '--map', str(tmp_path/'map.png'), '--device', 'cpu')
    assert status == 1 and '--places' in said and not (tmp_path/'map.png').exists()

def test_the_same_policy_shown_another_place_is_as_greedy(field, monkeypatch):
    greedy = {}
    def judged(what, *given): greedy[what.split()[-1]] = given[3]
    monkeypatch.setattr('gbxnb.runs.evaluate.judged', judged)
    with batch(field, starts='held_out') as env:
        play_all(env, UniformPolicy(env.num_actions), SimpleNamespace(greedy=True, episodes=4, seed=0))
    assert greedy == dict(policy=True, nearest=True, recording=False, random=False)

def test_lessons_are_discounted_as_the_run_is(field):
    with batch(field) as env:
        assert find_demonstration(env, PPOConfig(gamma=.5, imitation_coef=1.)).gamma == .5

def test_a_film_says_which_place_is_asked_for(field):
    with batch(field) as env:
        frames, rows = record_rollout(env, UniformPolicy(env.num_actions), 5)
        assert {r['place'] for r in rows} <= {*choose_places('all', len(WAYS))[0]}
    assert (film_frames(frames, rows) != film_frames(frames, [r | dict(place=99) for r in rows])).any()
