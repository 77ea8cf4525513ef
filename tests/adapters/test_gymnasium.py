"""The ids that Gymnasium knows: in a new process, from a specification, with every option, and against Gymnasium's own vector environment;
the three autoreset modes, pictures and films, and actions that are buttons."""
import json
from dataclasses import asdict, fields

import gymnasium
import numpy as np
import processes
import pytest
import torch
from gbxnb.base.files import UserError
from gbxnb.adapters.gymnasium import GymEnv, GymVectorEnv, gym_env, gym_vector_env
from gbxnb.games import bundled as game
from gbxnb.emulator.machine import Button
from gbxnb.envs.config import action_codec, EnvConfig, GoalConfig
from gbxnb.runs.policy import make
from gbxnb.toys.toys import Catch
from gbxnb.prospector.world import Prospector, ProspectorConfig
from gymnasium import wrappers
from gymnasium.spaces import MultiBinary
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector
from hypothesis import HealthCheck, given, settings, strategies as st
from pages import root

FRESH = """import sys
for name in [m for m in sys.modules if m == 'gbxnb' or m.startswith(('gbxnb.adapters', 'gymnasium'))]: del sys.modules[name]
import gbxnb, gymnasium
print(gymnasium.make_vec('gbxnb/Town-v0', num_envs=2, device='cpu').reset(seed=0)[0].shape)
print(gymnasium.make('gbxnb/Town-v0', device='cpu').reset(seed=0)[0].shape)
print(gymnasium.make_vec('gbxnb/Prospector-v0', num_envs=2, device='cpu').reset(seed=0)[0].shape)"""

def test_a_new_process():
    "`import gbxnb` is enough, although Gymnasium is imported after it."
    run = processes.python(FRESH, cwd=root)
    assert run.returncode == 0 and run.stdout.splitlines() == ['(2, 1, 72, 80)', '(1, 72, 80)', '(2, 260)'], run.stderr

slow = pytest.mark.slow

@pytest.mark.parametrize('task', ['town/chest', pytest.param('town/key', marks=slow)])
@pytest.mark.filterwarnings('ignore')
def test_checker(task): check_env(gymnasium.make('gbxnb/Town-v0', task=task, device='cpu', render_mode='rgb_array').unwrapped)

@pytest.mark.filterwarnings('ignore')
def test_checker_own_rom(tmp_path):
    (tmp_path/'game.gb').write_bytes(game.rom())
    with make('town/house', device='cpu') as env: folder = env.task.save(tmp_path/'goal')
    options = dict(rom=str(tmp_path/'game.gb'), task=str(folder), device='cpu')
    check_env(gymnasium.make('gbxnb/GameBoy-v0', render_mode='rgb_array', **options).unwrapped)
    assert gymnasium.make('gbxnb/GameBoy-v0', **options).unwrapped.env.rom_sha256 == env.rom_sha256

OTHER = dict(frames_per_step=12, release_after_frames=4, stack_k=3, action_codec_id='pokemonred_puffer_v1', max_steps=9, start_noops=9,
             observation='mean', info_mode='stats', step_cost=-.5, alpha=2., goal_bonus=3., shaping='relative', sticky=.5, press_jitter=3,
             ram_seed=5, perturb=.5)

def test_every_option_arrives():
    assert {f.name for c in (EnvConfig, GoalConfig) for f in fields(c)} == {*OTHER, 'packed'} # which a mean cannot have
    env = gymnasium.make('gbxnb/Town-v0', device='cpu', observation='mean crop=0,0,64,80', stack_k=2)
    assert (env.observation_space.shape, env.observation_space.high.max()) == ((2, 64, 80), 12)
    env.close()
    for env in (gymnasium.make('gbxnb/Town-v0', device='cpu', **OTHER), gymnasium.make_vec('gbxnb/Town-v0', 2, device='cpu', **OTHER)):
        batch = env.unwrapped.env
        assert {k: getattr(batch.cfg, k, None) or getattr(batch.judge.cfg, k, None) for k in OTHER} == OTHER
        env.close()
    envs = gymnasium.make_vec('gbxnb/Town-v0', 2, device='cpu', max_episode_steps=7)
    assert envs.unwrapped.env.cfg.max_steps == 7

def test_specification_goes_round():
    "An environment is made again from the JSON of its specification."
    env = gymnasium.make('gbxnb/Town-v0', task='town/house', device='cpu', max_steps=9)
    again = gymnasium.make(type(env.spec).from_json(env.spec.to_json()))
    assert again.unwrapped.env.facts() == env.unwrapped.env.facts() and again.unwrapped.env.cfg == env.unwrapped.env.cfg

OTHERS = dict(stack_k=2), dict(packed=True, info_mode='none')

@pytest.mark.parametrize('options', [{}, *(pytest.param(k, marks=slow) for k in OTHERS)], ids=['plain', 'stack', 'packed'])
def test_same_as_single_consoles(options):
    "What `make_vec` gives by itself, and Gymnasium's vector environment of N consoles."
    args = dict(num_envs=3, task='town/house', device='cpu', max_steps=4, **options)
    sync = dict(vectorization_mode='sync', vector_kwargs=dict(autoreset_mode=AutoresetMode.SAME_STEP))
    ours, theirs = gymnasium.make_vec('gbxnb/Town-v0', **args), gymnasium.make_vec('gbxnb/Town-v0', **sync, **args)
    assert np.array_equal(ours.reset(seed=5)[0], theirs.reset(seed=5)[0])
    rng, ends = np.random.default_rng(0), 0
    for _ in range(10):
        actions = rng.integers(0, 7, 3)
        found, wanted = ours.step(actions)[:4], theirs.step(actions)[:4]
        assert all(map(np.array_equal, found, wanted))
        ends += found[3].sum()
    assert ends == 6
    ours.close(), theirs.close()

# ---- seeds

CHANCE = dict(start_noops=30, sticky=.25, device='cpu')

def one(): return gymnasium.make('gbxnb/Town-v0', **CHANCE)

VECTORS = dict(sync=lambda: SyncVectorEnv([one]*3), fork=lambda: AsyncVectorEnv([one]*3, context='fork'),
               spawn=lambda: AsyncVectorEnv([one]*2, context='spawn'), batch=lambda: gymnasium.make_vec('gbxnb/Town-v0', 3, **CHANCE),
               make_vec=lambda: gymnasium.make_vec('gbxnb/Town-v0', 3, vectorization_mode='sync', **CHANCE))

def courses(envs, **how):
    "What each environment shows while all do the same, as one number a step."
    envs.reset(**how)
    seen = [envs.step(np.full(envs.num_envs, a))[0].reshape(envs.num_envs, -1).sum(1, dtype=int) for a in (3, 4, 5, 6)*6]
    return [tuple(column) for column in np.array(seen).T]

@pytest.mark.parametrize('kind', [pytest.param(k, marks=[slow]*(k in ('spawn', 'fork'))) for k in VECTORS])
def test_without_a_seed_no_two_play_alike(kind):
    "Neither within a vector nor in two of them; with one seed they do."
    a, b = VECTORS[kind](), VECTORS[kind]()
    first = courses(a) + courses(b)
    assert len({*first}) == len(first)
    assert courses(a, seed=7) == courses(b, seed=7)
    assert courses(a) == courses(b), 'both go on with the stream of that seed'
    a.close(), b.close()

@pytest.mark.parametrize('make_one', [one, VECTORS['batch']], ids=['one', 'batch'])
def test_np_random_seed_is_the_seed(make_one):
    "Given or drawn, it is what begins the same again; a later reset without one draws none."
    a, b = make_one(), make_one()
    def begun(env, **how):
        first = env.reset(**how)[0].tolist()
        return [first] + [env.step(env.action_space.sample()*0)[0].tolist() for _ in range(9)]
    drawn = begun(a)
    seed = a.unwrapped.np_random_seed
    assert begun(b, seed=seed) == drawn and b.unwrapped.np_random_seed == seed and begun(a) == begun(b)
    assert a.unwrapped.np_random_seed == seed
    c = type(a.unwrapped)(a.unwrapped.env)
    c.np_random = np.random.default_rng(3)
    c.reset()
    assert 0 <= c.np_random_seed < 2**31

def test_a_seed_of_make_is_the_first():
    a, b = (gymnasium.make_vec('gbxnb/Town-v0', 2, seed=seed, **CHANCE) for seed in (2**40, np.int64(2**40)))
    assert courses(a) == courses(b) and a.unwrapped.np_random_seed == 2**40

@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**130) | st.integers(2**31 - 2, 2**33), st.booleans())
def test_any_whole_number_is_a_seed(seed, of_numpy):
    "For every world and for whatever gives one: 32 bits, 64, more, and NumPy's."
    given_as = np.uint64(seed) if of_numpy and seed < 2**64 else seed
    a, b = GymVectorEnv(Catch(8)), GymVectorEnv(Catch(8))
    assert np.array_equal(a.reset(seed=seed)[0], b.reset(seed=given_as)[0]) and a.np_random_seed == b.np_random_seed == seed
    assert np.array_equal(Catch(8).reset(given_as)[0], make('', 8, world='catch', seed=given_as).reset()[0])
    Prospector(1, seed=given_as, device='cpu').reset(seed)

@pytest.mark.parametrize('call', [gymnasium.make, gymnasium.make_vec])
@pytest.mark.parametrize('name, near', [('max_stpes', 'max_steps'), ('frame_skip', ''), ('stick', 'sticky')])
def test_an_unknown_keyword_is_a_type_error(call, name, near):
    with pytest.raises(TypeError, match=f"'{name}' here.*{near and 'did you mean ' + near}"):
        call('gbxnb/Town-v0', device='cpu', **{name: 4})

@pytest.mark.parametrize('device', [torch.device('cpu'), 'cpu:0', torch.device('cpu', 0), np.str_('cpu')])
def test_numbers_of_numpy_and_devices_of_torch(device):
    "Wherever an int, a float or a device is taken; what is kept is Python's own."
    options = dict(frames_per_step=np.int64(12), sticky=np.float32(.25), goal_bonus=np.float64(3), packed=np.bool_(True))
    env = gymnasium.make_vec('gbxnb/Town-v0', num_envs=np.int32(2), device=device, max_steps=np.uint8(9), **options).unwrapped.env
    json.dumps([env.spec().plain(), asdict(env.cfg)])
    assert (env.num_envs, env.cfg.frames_per_step, env.cfg.sticky, env.judge.cfg.goal_bonus, env.cfg.packed) == (2, 12, .25, 3, True)
    for world in 'catch', 'prospector': json.dumps(make('', np.int64(2), world=world, device=device, first=np.int64(0)).spec().plain())
    for wrong in 2.5, np.float64(2), np.array([2, 2]), np.bool_(True), None:
        with pytest.raises((TypeError, UserError), match='num_envs is .* must be an int'): make('town/house', wrong, device='cpu')

# ---- observations for wrappers

def test_one_switch_for_wrappers():
    "A learner's usual wrappers around one environment and around a vector of them: as an option, and nothing else."
    pytest.importorskip('cv2')
    options = dict(task='town/house', device='cpu', max_steps=4)
    one = gymnasium.make('gbxnb/Town-v0', images='rgb', observation='full', **options)
    one = wrappers.FrameStackObservation(wrappers.ResizeObservation(wrappers.GrayscaleObservation(one), (84, 84)), 4)
    many = gymnasium.make_vec('gbxnb/Town-v0', 3, images='rgb', **options)
    many = vector.NormalizeObservation(vector.ResizeObservation(vector.GrayscaleObservation(many), (36, 40)))
    for env, shape in (one, (4, 84, 84)), (many, (3, 36, 40)):
        obs, _ = env.reset(seed=0)
        for _ in range(9):
            obs, _, terminated, truncated, _ = env.step(env.action_space.sample())
            assert env.observation_space.contains(obs) and obs.shape == shape
            if env is one and (terminated or truncated): env.reset()
        env.close()

@pytest.mark.parametrize('mode', [None, *AutoresetMode])
@pytest.mark.parametrize('images, axes', [('chw', (0, 1, 2, 3)), ('hwc', (0, 2, 3, 1)), ('rgb', (0, 2, 3, 1))])
def test_images_are_the_same_pictures(images, axes, mode):
    "In every mode, observations and those of an end: the shades times 85, in another order."
    options = dict(task='town/house', num_envs=2, device='cpu', max_steps=3, stack_k=1 if images == 'rgb' else 2)
    shown = gymnasium.make_vec('gbxnb/Town-v0', images=images, autoreset_mode=mode, **options)
    plain = gymnasium.make_vec('gbxnb/Town-v0', autoreset_mode=mode or 'NextStep', **options)
    assert shown.unwrapped.autoreset_mode is plain.unwrapped.autoreset_mode
    def same(mine, shades): return np.array_equal(mine, np.broadcast_to(np.transpose(shades*85, axes), mine.shape))
    assert same(shown.reset(seed=1)[0], plain.reset(seed=1)[0]) and shown.single_observation_space.high.min() == 255
    for _ in range(7):
        (mine, *_, infos), (theirs, _, _, ended, others) = shown.step([3, 0]), plain.step([3, 0])
        assert same(mine, theirs) and shown.observation_space.contains(mine)
        if 'final_obs' in others: assert same(np.stack(infos['final_obs']), np.stack(others['final_obs']))
        if plain.unwrapped.autoreset_mode is AutoresetMode.DISABLED and ended.all():
            assert same(*(e.reset(options=dict(reset_mask=ended.copy()))[0] for e in (shown, plain)))
    shown.close(), plain.close()

@pytest.mark.parametrize('id, images, why', [
    ('Town', 'RGB', 'images is .RGB., but must be one of chw, hwc, rgb'), ('Prospector', 'hwc', 'are no pictures'),
    ('Town', 'rgb', 'no single pictures')])
def test_images_that_cannot_be(id, images, why):
    options = dict(stack_k=2) if why == 'no single pictures' else {}
    for call in gymnasium.make, gymnasium.make_vec:
        with pytest.raises(ValueError, match=why): call(f'gbxnb/{id}-v0', images=images, device='cpu', **options)

# ---- pictures

def test_render():
    envs = gymnasium.make_vec('gbxnb/Town-v0', 3, device='cpu', render_mode='rgb_array')
    envs.reset(seed=0)
    frames = envs.render()
    assert len(frames) == 3 and all(f.shape == (144, 160, 3) and f.dtype == np.uint8 for f in frames)
    assert envs.metadata == dict(autoreset_mode=AutoresetMode.SAME_STEP, render_modes=['rgb_array'], render_fps=59.7275/24)
    one = gymnasium.make('gbxnb/Town-v0', device='cpu', render_mode='rgb_array', frames_per_step=4, release_after_frames=2, task='')
    one.reset(seed=0)
    assert one.render().shape == (144, 160, 3) and one.metadata['render_fps'] == 59.7275/4

@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('mode', ['human', *(pytest.param(m, marks=slow) for m in ('ansi', 7))])
@pytest.mark.parametrize('call', [gym_env, gym_vector_env], ids=['one', 'vector'])
def test_unknown_render_modes_are_refused(call, mode):
    with pytest.raises(ValueError, match='render_mode is .* must be None or rgb_array'): call(device='cpu', render_mode=mode)

def test_the_picture_of_an_end_is_of_its_episode():
    "The batch has begun the next one, of which nothing is shown yet."
    envs = gymnasium.make_vec('gbxnb/Town-v0', 2, task='town/house', device='cpu', render_mode='rgb_array', autoreset_mode='NextStep')
    envs.reset(seed=0)
    script, before = envs.unwrapped.env.task.actions, [f.copy() for f in envs.render()]
    for a in script[:-1]: envs.step([a, 0]), envs.render()
    last = [f.copy() for f in envs.render()]
    assert envs.step([script[-1], 0])[2].tolist() == [True, False]
    assert np.array_equal(envs.render()[0], last[0]) and not np.array_equal(last[0], before[0])
    envs.step([0, 0])
    assert np.array_equal(envs.render()[0], before[0])

# ---- actions that are eight buttons

def test_eight_buttons():
    "The same keys as numbers and as rows of bits: the same screens."
    keys, codec = [Button.UP, Button.B, Button.LEFT, Button.START], action_codec('pokemonred_puffer_v0')
    bits = gymnasium.make_vec('gbxnb/Town-v0', 2, device='cpu', action_codec_id='multibinary8')
    numbers = gymnasium.make_vec('gbxnb/Town-v0', 2, device='cpu')
    assert bits.single_action_space == MultiBinary(8) and bits.action_space.sample().shape == (2, 8)
    bits.reset(seed=0), numbers.reset(seed=0)
    for k in keys*2:
        row = np.array([[b in k for b in Button]]*2, np.int8)
        found, wanted = bits.step(row), numbers.step(np.full(2, codec.buttons.index(k)))
        assert np.array_equal(found[0], wanted[0])
    for _ in range(4): bits.step(bits.action_space.sample())
    for wrong in np.full((2, 8), 2, np.int8), np.zeros(2, int), np.zeros((2, 8)):
        with pytest.raises((TypeError, ValueError), match='(buttons|actions) (are|have)'): bits.step(wrong)

# ---- ships

SHIP = dict(reward='profit', judged_by='native', time_max=99, max_steps=9, info_mode='none', action_mask=True)

def test_every_option_of_a_ship_arrives():
    assert {f.name for f in fields(ProspectorConfig)} == SHIP.keys()
    options = dict(device='cpu', **SHIP)
    for env in (gymnasium.make('gbxnb/Prospector-v0', **options), gymnasium.make_vec('gbxnb/Prospector-v0', 2, **options)):
        assert env.unwrapped.env.cfg == ProspectorConfig(**SHIP)
        env.close()
    assert gymnasium.make_vec('gbxnb/Prospector-v0', 2, device='cpu', max_episode_steps=7).unwrapped.env.cfg.max_steps == 7
    one = gymnasium.make('gbxnb/Prospector-v0', device='cpu', max_steps=7)
    assert gymnasium.make(type(one.spec).from_json(one.spec.to_json())).unwrapped.env.cfg.max_steps == 7

@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('options', [pytest.param({}, marks=slow), dict(action_mask=True, reward='profit')],
                         ids=['plain', 'masked'])
def test_checker_of_ships(options):
    check_env(gymnasium.make('gbxnb/Prospector-v0', device='cpu', render_mode='rgb_array', **options).unwrapped, skip_render_check=True)

def same(x, y, path=''):
    assert type(x) is type(y), (path, type(x), type(y))
    if isinstance(x, dict):
        assert x.keys() == y.keys(), (path, x.keys(), y.keys())
        for k in x: same(x[k], y[k], f'{path}/{k}')
    elif x.dtype == object: assert all((p is None and q is None) or np.array_equal(p, q) for p, q in zip(x, y)), path
    else: assert x.dtype == y.dtype and np.array_equal(x, y), (path, x, y)

@pytest.mark.parametrize('options', [pytest.param({}, marks=slow), dict(action_mask=True),
                                     pytest.param(dict(action_mask=True, info_mode='none', reward='profit'), marks=slow)],
                         ids=['plain', 'masked', 'no infos'])
def test_ships_same_as_single_ones(options):
    "Gymnasium's vector environment of N ships, each with the number and the seed that it has in the batch: every array, every info."
    def one(i): return lambda: gymnasium.make('gbxnb/Prospector-v0', device='cpu', first=i, max_steps=12, **options)
    ours = gymnasium.make_vec('gbxnb/Prospector-v0', 3, device='cpu', max_steps=12, **options)
    theirs = SyncVectorEnv([one(i) for i in range(3)], autoreset_mode=AutoresetMode.SAME_STEP)
    assert ours.single_observation_space == theirs.single_observation_space and ours.action_space == theirs.action_space
    for x, y in zip(ours.reset(seed=5), theirs.reset(seed=[5, 5, 5])): same(x, y)
    rng, ends = np.random.default_rng(0), np.zeros(2, int)
    for _ in range(60):
        actions = rng.choice([0, 1, 6, 8, 12, 29, 68], 3, p=[.2, .1, .2, .2, .1, .15, .05])
        found, wanted = ours.step(actions), theirs.step(actions)
        for name, x, y in zip(('obs', 'reward', 'terminated', 'truncated', 'infos'), found, wanted): same(x, y, name)
        ends += found[2].sum(), found[3].sum()
    assert (ends > 2).all()
    ours.close(), theirs.close()

# ---- the three autoreset modes

class Settled(Catch):
    "Catch whose balls fall in the same columns in every episode."
    def _place(self, mask, *names):
        for k, name in enumerate(names):
            new = (torch.arange(self.num_envs)*3 + 4*len(names) + k) % 10
            self.state[name].copy_(torch.where(mask, new, self.state[name]))
        self.state['row'].masked_fill_(mask, 0)

def episodes(batch, mode, seed, steps, action):
    "What each environment shows, episode by episode; `action` of environment, episode and step. A reset follows an end where it must."
    envs = GymVectorEnv(batch, autoreset_mode=mode)
    obs, _ = envs.reset(seed=seed)
    told, waiting = [[[o.tobytes()]] for o in obs], np.zeros(len(obs), bool)
    for _ in range(steps):
        actions = [action(i, len(mine) - 1, len(mine[-1]) - 1) for i, mine in enumerate(told)]
        obs, reward, terminated, truncated, infos = envs.step(actions)
        ended, begun = terminated | truncated, waiting
        assert not (reward[waiting].any() or ended[waiting].any())
        for i in np.flatnonzero(~waiting):
            last = infos['final_obs'][i] if mode is AutoresetMode.SAME_STEP and ended[i] else obs[i]
            told[i][-1].append((last.tobytes(), reward[i], terminated[i], truncated[i]))
        if mode is AutoresetMode.SAME_STEP: begun = ended
        elif mode is AutoresetMode.NEXT_STEP: waiting = ended
        elif ended.any(): obs, begun = envs.reset(options=dict(reset_mask=ended))[0], ended
        for i in np.flatnonzero(begun): told[i].append([obs[i].tobytes()])
    return told

def same_episodes(a, b):
    "As far as both go; how many whole ones that were."
    for mine, other in zip(a, b):
        for x, y in zip(mine, other): assert x[:len(y)] == y[:len(x)]
    return min(min(len(mine), len(other)) - 1 for mine, other in zip(a, b))

@pytest.fixture(scope='module')
def house():
    with make('town/house', 3, max_steps=7, device='cpu') as env: yield env

@pytest.mark.parametrize('world', ['catch', pytest.param('house', marks=slow)])
def test_the_same_actions_give_the_same_episodes_in_all_modes(world, house):
    batch = house if world == 'house' else Settled(3, max_steps=9)
    script = dict(enumerate(house.task.actions)) if world == 'house' else {}

    @settings(max_examples=2, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.integers(0, 2**31 - 1), st.lists(st.integers(0, batch.num_actions - 1), min_size=9, max_size=60))
    def check(seed, table):
        def action(i, episode, t): return script[t] if i == 1 and t in script else table[(7*i + 5*episode + t) % len(table)]
        found = {m: episodes(batch, m, seed, 30, action) for m in AutoresetMode}
        for m in AutoresetMode: assert same_episodes(found[AutoresetMode.SAME_STEP], found[m]) >= 3
    check()

@pytest.mark.parametrize('batch', [lambda: make('town/chest', 3, max_steps=5, demo_starts=5, device='cpu'),
                                   pytest.param(lambda: Catch(3, max_steps=5, device='cpu'), marks=slow),
                                   pytest.param(lambda: Prospector(3, ProspectorConfig(max_steps=5), device='cpu'), marks=slow)],
                         ids=['town', 'catch', 'ships'])
def test_random_starts(batch):
    "`DISABLED` sees the starts of `SAME_STEP`, all of them; `NEXT_STEP` every other one, but on Catch, whose draws are the batch's."
    env, rng = batch(), np.random.default_rng(0)
    table = rng.integers(0, env.num_actions, (3, 99))
    for seed in range(2):
        found = {m: episodes(env, m, seed, 26, lambda i, episode, t: table[i, (5*episode + t) % 99]) for m in AutoresetMode}
        starts = {m: [[e[0] for e in mine] for mine in told] for m, told in found.items()}
        assert found[AutoresetMode.DISABLED] == found[AutoresetMode.SAME_STEP] and len({*starts[AutoresetMode.SAME_STEP][0]}) > 2
        if isinstance(env, Catch): continue
        for mine, all_starts in zip(starts[AutoresetMode.NEXT_STEP], starts[AutoresetMode.SAME_STEP]):
            assert all(x == y for x, y in zip(mine, all_starts[::2])) and len(mine) > 4
    env.close()

def test_a_reset_where_there_must_be_one():
    envs = gymnasium.make_vec('gbxnb/Town-v0', 3, task='town/house', device='cpu', autoreset_mode='Disabled', max_steps=4)
    first, batch = envs.reset(seed=0)[0], envs.unwrapped.env
    with pytest.raises(RuntimeError, match='environment 0 has ended; reset it'):
        for _ in range(5): last = envs.step([3, 0, 1])[0]
    assert batch.cache.episode.tolist() == [2, 2, 2] # the next ones have begun
    obs, infos = envs.reset(options=dict(reset_mask=np.array([True, False, False])))
    assert np.array_equal(obs[0], first[0]) and infos['_dist'].tolist() == [True, False, False]
    with pytest.raises(RuntimeError, match='environment 1 has ended'): envs.step([0, 0, 0])
    envs.reset()
    assert batch.cache.episode.tolist() == [3, 2, 2] and not np.array_equal(last[0], first[0])
    envs.step([0, 0, 0])
    envs.reset(seed=0)
    assert batch.cache.episode.tolist() == [1, 1, 1]

@pytest.mark.parametrize('mode', ['later', '', *(pytest.param(k, marks=slow) for k in ('NEXT_STEP', 1))])
def test_unknown_modes_are_refused(mode):
    with pytest.raises(ValueError, match='autoreset_mode is .* must be one of NextStep, SameStep, Disabled'):
        gymnasium.make_vec('gbxnb/Town-v0', 2, device='cpu', autoreset_mode=mode)

# ---- options of a reset

class Listening(Catch):
    "Catch that keeps the options it was reset with."
    def reset(self, seed=None, options=None):
        self.options = options
        return super().reset(seed, options)

def test_options_arrive_as_tensors():
    envs = GymVectorEnv(Listening(3))
    mask = np.array([True, False, True])
    envs.reset(options=(given := dict(reset_mask=mask, start=np.array([2, 0, 1], np.int32), write=dict(lives=np.ones(3, np.int32)))))
    got = envs.env.options
    assert got['start'].dtype == torch.int64 and got['start'].tolist() == [2, 0, 1] and got['write']['lives'].dtype == torch.int32
    assert got['reset_mask'].tolist() == mask.tolist() and given.keys() == {'reset_mask', 'start', 'write'} # Gymnasium's own takes it away
    one = GymEnv(Listening(1))
    one.reset(options=dict(start=4))
    assert one.env.options['start'].tolist() == [4]
    one.reset(options=dict(start=None, reset_mask=None))
    assert one.env.options.keys() == {'reset_mask'}

@pytest.fixture(scope='module')
def chests():
    with make('town/chest', 3, max_steps=4, demo_starts=4, device='cpu') as env: yield env

@pytest.mark.parametrize('mode', [AutoresetMode.NEXT_STEP, *(pytest.param(m, marks=slow) for m in AutoresetMode if m.value != 'NextStep')])
def test_a_start_for_each(mode, chests):
    "Each console begins at the start that it was given; one that waits for a reset, too, in place of the episode that has begun."
    batch, envs = chests, GymVectorEnv(chests, autoreset_mode=mode)
    shown = [envs.reset(options=dict(start=[k]*3))[0][0] for k in range(4)]
    assert any((shown[0] != s).any() for s in shown[1:])
    obs, _ = envs.reset(options=dict(start=np.array([2, 0, 3], np.int32)))
    assert all(np.array_equal(o, shown[k]) for o, k in zip(obs, (2, 0, 3))) and batch.cache.snap_id.tolist() == [2, 0, 3]
    for _ in range(4): envs.step([5, 5, 5])
    obs, _ = envs.reset(options=dict(start=[1, 1, 3], reset_mask=np.array([False, True, True])))
    assert np.array_equal(obs[1], shown[1]) and np.array_equal(obs[2], shown[3])
    with pytest.raises(ValueError, match='start of environment 1 is 99, but the bank holds'): envs.reset(options=dict(start=[0, 99, 0]))

@pytest.fixture(scope='module')
def two(): return gymnasium.make_vec('gbxnb/Town-v0', 2, device='cpu')

@pytest.mark.parametrize('options', [dict(level=3), dict(start=[1., 2.]), dict(start=[1]),
                                     dict(reset_mask=np.ones(3, bool)), dict(reset_mask=np.ones(2))])
def test_wrong_options_are_one_line(options, two):
    with pytest.raises((TypeError, ValueError)) as e: two.reset(options=options)
    assert '\n' not in str(e.value) and str(e.value).startswith(('reset knows no option', 'start', 'reset_mask'))
