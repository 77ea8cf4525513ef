"""Run the environment of somebody else's project, unchanged from a checkout, on the stand-in cartridge, and write down what it saw.

    python run_project.py v2 --checkout PokemonRedExperiments --out real.jsonl
    python -m gbxnb.pyboy run_project.py v2 --checkout PokemonRedExperiments --out ours.jsonl

One line of JSON for every reset and step: hashes of the observation, reward, end of the episode, 32 bytes of memory. Whatever goes by
the name `pyboy` makes the states, too; the two files are to be the same."""
import argparse, contextlib, hashlib, importlib, json, os, sys, tempfile, time
from pathlib import Path
from typing import Callable, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from pyboy_stand_in import stand_in_rom

WATCHED = [0xC0A0, 0xC0F0, 0xC109, 0xC300, 0xC301, 0xC4B9, 0xCC26, 0xCD3F, 0xCD6B, 0xCFC4, 0xD057, 0xD16D, 0xD17B, 0xD18C, 0xD30A, 0xD31F,
           0xD347, 0xD348, 0xD349, 0xD35E, 0xD361, 0xD362, 0xD42F, 0xD750, 0xD751, 0xD8C5, 0xDA43, 0xDA44, 0xDA45, 0xFFB0, 0xFFB2, 0xFFB6]

class Project(NamedTuple):
    "A project at work: its emulator, how many actions there are, and how to reset it and step it."
    boy:object; actions:int; reset:Callable; step:Callable

def state_file(rom, path, seconds=1, **how):
    "A state of the cartridge after so many seconds on its own clock."
    from pyboy import PyBoy
    boy = PyBoy(str(rom), window='null', sound_emulated=False, **how)
    for _ in range(600):
        boy.tick(1, False)
        if boy.memory[0xDA44] == seconds: break
    with open(path, 'wb') as f: boy.save_state(f)
    boy.stop(save=False)
    return path

def cartridge(work, name, title='POKEMON RED', **how):
    "The cartridge and a state of it, as files."
    rom = work/f'{name}.gb'
    rom.write_bytes(stand_in_rom(title))
    return rom, state_file(rom, work/f'{name}.state', **how)

def within(checkout, folder, module):
    "Import a project's module from its own folder, which it may read files from."
    folder = Path(checkout).resolve()/folder
    sys.path.insert(0, str(folder))
    os.chdir(folder)
    return importlib.import_module(module)

# The projects, each set up as its own scripts do

def red(checkout, work, folder, module, **more):
    "PWhiddy/PokemonRedExperiments."
    rom, state = cartridge(work, 'red')
    config = dict(headless=True, save_final_state=False, early_stop=False, action_freq=24, init_state=str(state), max_steps=2048*80,
                  print_rewards=False, save_video=False, fast_video=True, session_path=work/'session', gb_path=str(rom), debug=False,
                  instance_id='fixed', **more)
    env = within(checkout, folder, module).RedGymEnv(config)
    return Project(env.pyboy, env.action_space.n, lambda: env.reset()[0], lambda a: env.step(a)[:3])

def baselines(checkout, work):
    "The first environment, written for PyBoy 1.6.9."
    return red(checkout, work, 'baselines', 'red_gym_env', sim_frame_dist=2_000_000.0, use_screen_explore=True, reward_scale=4,
               extra_buttons=False, explore_weight=3)

def v2(checkout, work):
    "The second environment."
    return red(checkout, work, 'v2', 'red_gym_env_v2', reward_scale=0.5, explore_weight=0.25)

HOOKED = '''seen_start_menu seen_pokemon_menu seen_stats_menu seen_bag_menu seen_action_bag_menu seen_hidden_objs seen_signs seen_npcs
seen_warps pokecenter_heal blackout_check blackout_count use_ball_count valid_cut_coords invalid_cut_coords valid_pokeflute_coords
invalid_pokeflute_coords valid_surf_coords invalid_surf_coords'''.split()      # what the project's hooks set

def puffer(checkout, work):
    "drubinstein/pokemonred_puffer with its configuration; switches that register more hooks are on."
    rom, state = cartridge(work, 'Bulbasaur')
    rewards = within(checkout, '.', 'pokemonred_puffer.rewards.baseline')
    conf = importlib.import_module('omegaconf').OmegaConf.load('config.yaml')
    name = 'ObjectRewardRequiredEventsMapIdsFieldMoves'
    conf.env.update(gb_path=str(rom), state_dir=str(work), video_dir=str(work), auto_use_surf=False, auto_pokeflute=False,
                    disable_wild_encounters=True, log_frequency=32)
    env = getattr(rewards, name)(conf.env, conf.rewards[f'baseline.{name}'].reward)
    def step(action):
        observation, reward, end, _, info = env.step(action)
        info.pop('state', None)                 # bytes of a state are the emulator's own
        hooked = {name: getattr(env, name) for name in HOOKED}
        return observation | dict(hooked=hooked, info=info), reward, end
    return Project(env.pyboy, env.action_space.n, lambda: env.reset()[0], step)

def claude(checkout, work):
    "davidhershey/ClaudePlaysPokemonStarter: what its agent does with the emulator, without the model. It asks for a colour machine."
    rom, state = cartridge(work, 'pokemon', cgb=True)
    game = within(checkout, '.', 'agent.emulator').Emulator(str(rom))
    game.initialize()
    game.pyboy.set_emulation_speed(0)           # the project plays in real time
    buttons = ['a', 'b', 'start', 'select', 'up', 'down', 'left', 'right']
    look = lambda: dict(screen=game.get_screenshot(), state=game.get_state_from_memory(), map=game.get_collision_map(),
                        sprites=sorted(game.get_sprites()), dialog=game.get_active_dialog(), path=game.find_path(2, 7))
    def reset():
        game.load_state(str(state))
        game.tick(1)
        return look()
    def step(action):
        game.press_buttons([buttons[action]], wait=action % 2 == 0)
        return look(), 0, False
    return Project(game.pyboy, len(buttons), reset, step)

def gymboy(checkout, work):
    "nobodyPerfecZ/gymboy: its environment for Tetris."
    rom, state = cartridge(work, 'tetris', 'TETRIS')
    env = within(checkout, '.', 'gymboy').make('Tetris-full-image-v1', str(rom), str(state), n_frameskip=8)
    def step(action):
        observation, reward, end, _, _ = env.step(action)
        wrapper = env.pyboy.game_wrapper
        return dict(screen=observation, area=env.pyboy.game_area(), score=wrapper.score, piece=wrapper.next_tetromino()), reward, end
    return Project(env.pyboy, env.action_space.n, lambda: env.reset(seed=0)[0], step)

def videogamebench(checkout, work):
    "alexzhang13/videogamebench: the interface that its agents play through."
    rom, state = cartridge(work, 'red')
    game = within(checkout, '.', 'src.emulators.gba.interface').GBAInterface()
    assert game.load_game(str(rom))
    game.pyboy.set_emulation_speed(0)           # the project plays in real time
    buttons = game.get_available_buttons()
    def reset():
        with open(state, 'rb') as f: game.pyboy.load_state(f)
        return game.no_op(10)[0]
    return Project(game.pyboy, len(buttons), reset, lambda a: game.step({b: k == a for k, b in enumerate(buttons)})[:3])

PROJECTS = dict(baselines=baselines, v2=v2, puffer=puffer, claude=claude, gymboy=gymboy, videogamebench=videogamebench)

# What is written down

def feed(thing, into):
    "Put anything an environment returns into a hash; the last digits of a sum may hang on the order of a set."
    if isinstance(thing, np.generic): thing = thing.item()
    if isinstance(thing, dict): thing = sorted((str(key), part) for key, part in thing.items())
    if isinstance(thing, (tuple, list)):
        for part in thing: feed(part, into)
    elif hasattr(thing, 'convert') or isinstance(thing, np.ndarray):
        array = np.asarray(thing)
        into.update(f'{array.dtype} {array.shape}'.encode() + array.tobytes())
    else: into.update(repr(round(thing, 6) if isinstance(thing, float) else thing).encode())

def digest(thing):
    "Twelve digits that stand for what was seen."
    into = hashlib.sha256()
    feed(thing, into)
    return into.hexdigest()[:12]

def digests(thing):
    "The digest of an observation, or those of its parts if they have names."
    return {str(key): digest(part) for key, part in thing.items()} if isinstance(thing, dict) else digest(thing)

def rows(project, steps, resets):
    "One row for every reset and step; the actions are the same each time."
    rng = np.random.default_rng(0)
    memory = lambda: bytes(project.boy.memory[a] for a in WATCHED).hex()
    for episode in range(resets):
        yield dict(reset=episode, seen=digests(project.reset()), ram=memory())
        for step in range(steps):
            action = int(rng.integers(project.actions))
            seen, reward, end = project.step(action)
            yield dict(step=step, action=action, seen=digests(seen), reward=round(float(reward), 6), end=bool(end), ram=memory())

def grey():
    "Whoever asks for a colour machine gets one without: for comparing pictures with an emulator that has no colours."
    import pyboy
    class Grey(pyboy.PyBoy):
        "PyBoy without `cgb=True`."
        def __init__(self, *args, cgb=None, **kwargs): super().__init__(*args, cgb=False, **kwargs)
    pyboy.PyBoy = Grey

def main():
    "What was asked for on the command line."
    ask = argparse.ArgumentParser()
    ask.add_argument('project', choices=PROJECTS)
    ask.add_argument('--checkout', required=True)
    ask.add_argument('--out', type=Path, required=True)
    ask.add_argument('--grey', action='store_true', help='ignore `cgb=True`')
    ask.add_argument('--steps', type=int, default=64)
    ask.add_argument('--resets', type=int, default=3)
    asked = ask.parse_args()
    if asked.grey: grey()
    sys.dont_write_bytecode, out = True, asked.out.resolve()
    with tempfile.TemporaryDirectory() as work, contextlib.redirect_stdout(sys.stderr), open(out, 'w') as f:
        project = PROJECTS[asked.project](asked.checkout, Path(work))
        began = time.perf_counter()
        for row in rows(project, asked.steps, asked.resets): print(json.dumps(row), file=f)
        took = time.perf_counter() - began
        project.boy.stop(save=False)
    print(f'{asked.project}: {asked.steps*asked.resets/took:.1f} steps/s', file=sys.stderr)

if __name__ == '__main__': main()
