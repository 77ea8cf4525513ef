"""Four open-licensed games, explored and learned by nothing but their ROMs: nbs/studies has the records.

    python tests/four_games.py explore ROMS --out nbs/studies/results/games.json    a folder with the ROMs, whatever they are called
    python tests/four_games.py learn ROMS --out nbs/studies/results/learned.json

Both go on where they were ended. `learn` maps the games beside its record and learns twelve places. Those that are missed are learned once
more, from the beginning, in three times the steps: where the start of episodes then comes back and the place is reached, the budget was too
small; where the start stays where it is to the end, the curriculum does not get on. That was written down before any of it was run.
"""
import argparse, json
from base64 import b64encode
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
import numpy as np
import torch
import warp as wp
from explorers import PlayConfig, Restart, Yardstick, table_text
from gbxnb.backends.base import Snapshot, VariableTable
from gbxnb.backends.warp import make_backend
from gbxnb.base.files import UserError, cli_errors, read_json, sha256, write_atomic
from gbxnb.base.parallel import call_each
from gbxnb.base.progress import Meter, about
from gbxnb.emulator.cartridge import Cartridge
from gbxnb.emulator.machine import Button, as_words
from gbxnb.envs.config import EnvConfig
from gbxnb.envs.task import GameBoyConfig, Task
from gbxnb.envs.task import play_actions, play_buttons, restore_all, wait
from gbxnb.envs.watch_list import make_watch_list
from gbxnb.explore.atlas import Atlas, Place, make_atlas
from gbxnb.explore.explorer import ExploreConfig, Explorer
from gbxnb.runs.evaluate import Recording, UniformPolicy, evaluate
from gbxnb.training.config import PPOConfig
from gbxnb.training.loop import Callback, train, tune_cpu
from gbxnb.training.rollout import start_run
from gbxnb.watch.variables import read_variables, resolve
from gbxnb.worlds.contract import pick_device
from gbxnb.worlds.gameboy import make_gameboy
from strangers import roms_by_hash

@dataclass(frozen=True)
class OpenGame:
    "A game with an open licence, and what counts as progress in it."
    title:str # Its name
    kind:str # What is played
    licence:str # As its source says
    source:str # Where that is
    sha256:str # Of the ROM
    cfg:EnvConfig # What a step is, and which keys there are
    buttons:tuple # (keys, frames) from the power switch to the start
    variables:dict # Names to addresses, or to all that a watch list says
    milestones:dict # Names to the values that variables have, from near to far
    features:tuple # Variables that may join the cells of an archive

    def _repr_markdown_(self):
        def said(v): return ' and '.join(f'{k} is {x}' if type(x) is int else f'{k} is {x[0]} to {x[1]}'
                                         for k, x in v.items())
        places = {k: a if type(a) is int else a['at'] for k, a in self.variables.items()}
        at = ', '.join(f'{k} {a:04X}' for k, a in places.items())
        rows = ''.join(f'| {name} | {said(v)} |\n' for name, v in self.milestones.items())
        return (f'**[{self.title}]({self.source})**, {self.kind}, {self.licence}; ROM {self.sha256[:16]}; '
                f'{at}\n\n| milestone | the judge reads |\n|---|---|\n{rows}')

def reached(
    milestone:dict, # Variables to a value, or to the lowest and the highest
    values:dict, # Variables to int32[n]
)->np.ndarray: # bool[n]
    "Where all variables have the values that they must have."
    parts = [((x, x) if type(x) is int else x, values[k]) for k, x in milestone.items()]
    return np.logical_and.reduce([(low <= v) & (v <= high) for (low, high), v in parts])

_START, _A = Button.START, Button.A

CARAZU = OpenGame('Carazu', 'a platformer', 'GPL-3.0', 'https://github.com/mholtkamp/carazu',
    'eef9dea9ecba15be7b21f3495e8c8bad937a0b2245cac09eec8baf61dfc91fb5',
    EnvConfig(12, 12, action_codec_id='NOOP,LEFT,RIGHT,UP,A,A+LEFT,A+RIGHT'), ((0, 240), (_A, 8), (0, 150)),
    dict(state=0xC0AB, level=0xC0F1, column=0xC0F5, row=0xC0F6, fermata=0xC14A),
    {'the second level': dict(level=(1, 24)), 'the third level': dict(level=(2, 24)),
     'the fourth level': dict(level=(3, 24)), 'the sixth level': dict(level=(5, 24)),
     'the first rune': dict(fermata=1), 'the ending': dict(state=2)},
    ('level', 'column', 'row'))


LIBBET = OpenGame('Libbet and the Magic Floor', 'a puzzle', 'Zlib', 'https://github.com/pinobatch/libbet',
    '079d161bf2bff4f3baec01339b4f6f02ff6f966c69456885a165b97aac11fa12',
    EnvConfig(action_codec_id='NOOP,UP,DOWN,LEFT,RIGHT,A+UP,A+DOWN,A+LEFT,A+RIGHT'),
    ((0, 300), (_START, 8), (0, 120), (_A, 8), (0, 240)),
    dict(width=0xC4E8, height=0xC4E9, x=0xC4EA, y=0xC4EB, tracks=0xC4ED, exit_open=0xC4EF),
    {'half of the first floor': dict(width=2, tracks=(9, 18)), 'the exit is open': dict(exit_open=(1, 255)),
     'the second floor': dict(width=(4, 8)), 'the third floor': dict(width=(6, 8)),
     'the fifth floor': dict(width=8), 'the ending': dict(width=8, y=255)},
    ('width', 'height', 'tracks'))


POSTBOT = OpenGame('PostBot', 'a robot to be programmed', 'MIT', 'https://github.com/MasterIV/PostBot',
    '65824d3d7df8003f19923b38055a0660c20542cc363894091da661d9d49d13ad',
    EnvConfig(action_codec_id='NOOP,A,SELECT,UP,DOWN,LEFT,RIGHT'),
    ((0, 240), *((_START, 8), (0, 90))*3),
    dict(screen=0xC0B9, level=0xC0BD, program=dict(at=0xC0A5, size=4), more=dict(at=0xC0A9, size=4)),
    {'a program runs': dict(screen=2), 'the first level is done': dict(level=(1, 8)),
     'a program runs in the second level': dict(level=(1, 8), screen=2),
     'the second level is done': dict(level=(2, 8)), 'the third level is done': dict(level=(3, 8)),
     'the ending': dict(level=8)},
    ('screen', 'level', 'program', 'more'))


SQUISHY = OpenGame('Squishy the Turtle', 'rooms, eggs and crabs', 'MIT',
    'https://github.com/potatolain/SquishyTheTurtle',
    'ac1e2eff95cdcf71ed931bd16c88f080038977b8b9dcde433bc023ee6b86c021',
    EnvConfig(12, 8, action_codec_id='NOOP,A,UP,DOWN,LEFT,RIGHT'),
    ((0, 300), (_START, 8), (0, 120), (_A, 8), (0, 120), (_START, 8), (0, 120)),
    dict(state=0xC0B2, room=0xC0AA, small=0xC0A2, eggs=0xC0B5, level=0xC0B7, hearts=0xC0BA),
    {'the first egg': dict(eggs=(1, 9)), 'the second stage': dict(level=(1, 8)),
     'the third stage': dict(level=(2, 8)), 'the fourth stage': dict(level=(3, 8)),
     'the fifth stage': dict(level=(4, 8)), 'the ending': dict(state=4)},
    ('level', 'room', 'eggs', 'small'))


OPEN_GAMES = dict(carazu=CARAZU, libbet=LIBBET, postbot=POSTBOT, squishy=SQUISHY)

class Milestones(Yardstick):
    "When an explorer of one game reaches what."
    def __init__(self,
        game:OpenGame, # What is explored
        backend, # Runs the consoles of an explorer
        every:int=8192, # Environment steps between two points of the curve
    ):
        super().__init__(every=every)
        self.game, self.spent = game, {name: {} for name in game.variables}
        n, d, e = backend.num_envs, backend.device, backend.emulator
        self.table = VariableTable(resolve(game.variables, e.cart), e.cart, d)
        self.values = wp.zeros((1, n, len(self.table)), wp.int32, d)
        everyone = wp.full(n, True, dtype=wp.bool, device=d)
        given = [everyone, as_words(e.rows), self.table.rows, 1, 0, False, self.values]
        self.reading = wp.launch(read_variables, (n, 1), given, device=d, record_cmd=True)

    def read(self)->dict: # Variables to int32[n]
        "What the variables of all consoles are now."
        self.reading.launch()
        return dict(zip(self.game.variables, self.values.numpy()[0].T))

    def look(self, explorer, pix):
        "Ask for the milestones that were not reached yet."
        values = self.read()
        for name, v in values.items():
            for x, n in zip(*np.unique(v, return_counts=True)):
                self.spent[name][int(x)] = self.spent[name].get(int(x), 0) + int(n)
        for name, m in self.game.milestones.items():
            if name in self.first or not (found := reached(m, values)).any(): continue
            i = int(found.argmax())
            self.first[name] = explorer.steps, round(self.clock.seconds, 3)
            self.scripts[name] = explorer.lane_script(i)

def start_of(
    game:OpenGame, # Its buttons are pressed
    rom:bytes|str|Path, # The ROM, or its file
)->Snapshot: # Where an exploration begins
    "From the power switch to the start."
    cart = Cartridge.load(rom)
    if (found := sha256(cart.rom)) != game.sha256:
        raise UserError(f'{cart.name}: not the ROM of {game.title} that is meant; '
                        f'its SHA-256 is {found[:16]}, not {game.sha256[:16]}')
    with closing(make_backend('warp', cart, 1, 'cpu')) as b: return play_buttons(b, game.buttons)

EXPLORERS = 'restart', 'tree', 'tree and memory'

def make_explorer(
    kind:str, # One of `EXPLORERS`
    game:OpenGame, # What is explored
    rom:bytes|str|Path, # The ROM, or its file
    start:Snapshot, # From `start_of`
    seed:int=0, # Of all random choices
    num_envs:int=256, # Consoles
    device:str='auto', # cpu, cuda, cuda:1 ...; auto prefers a GPU
):
    "An explorer of a game."
    if kind not in EXPLORERS: raise UserError(f'{kind!r} is no explorer; there are {", ".join(EXPLORERS)}')
    if kind == 'restart': return Restart(rom, start, PlayConfig(num_envs, seed), game.cfg, device)
    known = {k: game.variables[k] for k in game.features}
    watch = make_watch_list(known, Cartridge.load(rom)) if kind == 'tree and memory' else None
    return Explorer(rom, start, ExploreConfig(num_envs, seed), game.cfg, watch, device)

def play_back(
    script, # Actions from the start
    name:str, # The milestone that they reach
    game:OpenGame, # Of this game
    rom:bytes|str|Path, # The ROM, or its file
    start:Snapshot, # From `start_of`
)->np.ndarray: # uint8[72, 80]: what is seen there
    "Prove a milestone by its script."
    with closing(make_backend('warp', rom, 1, 'cpu')) as b:
        restore_all(b, start)
        play_actions(b, script, game.cfg)
        if not reached(game.milestones[name], Milestones(game, b).read())[0]:
            raise UserError(f'{game.title}: the script does not reach {name}')
        seen = [b.pix.numpy()[0].copy(), *wait(b, 16, game.cfg)[:, 0]]
        return next((pix for pix in seen if pix.min() < pix.max()), seen[0])

def explore_game(
    game:OpenGame, # What is explored
    rom:bytes|str|Path, # The ROM, or its file
    kind:str='tree', # One of `EXPLORERS`
    steps:int=131_072, # Environment steps
    seed:int=0, # Of all random choices
    num_envs:int=256, # Consoles
    device:str='auto', # cpu, cuda, cuda:1 ...; auto prefers a GPU
)->tuple[dict, dict]: # Facts as JSON keeps them; and the screen of each milestone, uint8[72, 80]
    "Explore, and judge."
    start = start_of(game, rom)
    with closing(make_explorer(kind, game, rom, start, seed, num_envs, device)) as e:
        judge = Milestones(game, e.backend)
        facts = judge.measure(e, steps)
    screens = {name: play_back(s, name, game, rom, start) for name, s in judge.scripts.items()}
    spent = {k: {x: round(n/facts['steps'], 4) for x, n in sorted(v.items(), key=lambda p: -p[1])[:8]}
             for k, v in judge.spent.items()}
    scripts = {k: ''.join(map(str, s)) for k, s in judge.scripts.items()}
    return dict(kind=kind, seed=seed) | facts | dict(scripts=scripts, spent=spent), screens

def _packed(pix): # uint8[72, 80] to text
    "Four pixels in a byte, as base64."
    four = pix.reshape(72, 20, 4)
    return b64encode((four << np.uint8([0, 2, 4, 6])).sum(-1, dtype=np.uint8).tobytes()).decode()

def explore_games(
    roms:dict, # Names of `OPEN_GAMES` to ROM files
    out:str|Path, # The record
    kinds=EXPLORERS, # Of explorers
    seeds=(0, 1, 2), # Of each
    steps:int=131_072, # Environment steps of a run
    num_envs:int=256, # Consoles
    device:str='auto', # cpu, cuda, cuda:1 ...; auto prefers a GPU
)->dict: # The record
    "Explore games with several explorers and seeds; runs that are on record are not repeated."
    found, device = read_json(out) if Path(out).exists() else {}, pick_device(device)
    for kind, seed, name in product(kinds, seeds, roms):
        g = OPEN_GAMES[name]
        entry = found.setdefault(name, dict(title=g.title, licence=g.licence, source=g.source,
                                            rom_sha256=g.sha256, runs=[], screens={}))
        if (kind, seed, steps) in {(r['kind'], r['seed'], r['steps']) for r in entry['runs']}: continue
        facts, screens = explore_game(g, roms[name], kind, steps, seed, num_envs, device)
        entry['runs'].append(facts)
        entry['screens'] = {k: _packed(v) for k, v in screens.items()} | entry['screens']
        write_atomic(out, json.dumps(found | about(device)) + '\n')
    return found

PLACES, ACTIONS = 3, 30 # Of each game, and how far away they lie at least

def far_places(
    atlases:list[Atlas], # Of one game, one for each seed
)->list[tuple[int, Place]]: # Seeds and places
    "The places that a policy is to reach."
    far = [(seed, p) for seed, a in enumerate(atlases) for p in a.places if len(p.actions) >= ACTIONS]
    return sorted(far, key=lambda f: len(f[1].actions))[:PLACES]

def map_game(
    game:OpenGame, # What is explored
    rom:str|Path, # Its ROM file
    folder:str|Path, # Where the atlases of its seeds 0, 1, ... are
    steps:int=32_768, # Environment steps of each seed
    seeds:int=4, # At most
    **how, # See `make_atlas`
)->list[Atlas]:
    "Explore until there are enough places that lie far away; maps that are there already are not made again."
    start, atlases = start_of(game, rom), []
    while len(atlases) < seeds and len(far_places(atlases)) < PLACES:
        at = Path(folder)/str(len(atlases))
        if not at.exists():
            with Explorer(rom, start, ExploreConfig(seed=len(atlases)), game.cfg) as e:
                e.run(steps)
                make_atlas(e, buttons=game.buttons, **how).save(at)
        atlases.append(Atlas.load(at))
    return atlases

PPO = PPOConfig(num_envs=64, rollout_steps=32, model='small', lr=1e-3, clip=.2, epochs=4, entropy_coef=.02,
                gamma=.95)
STEPS, EPISODES = 139_264, 256
LEARNED, LONGER = .8, 3 # Share of episodes that counts as learned; what is missed gets so many times the steps
SLACK, NOOPS, STICKY = 16, 24, .1 # Steps to spare, frames before an episode begins, share of repeated actions

def world_config(
    game:OpenGame, # What is played
    rom:str|Path, # Its ROM file
    folder:str|Path, # Of a task
)->GameBoyConfig:
    "A world in which a place is learned and judged."
    limit = 2*len(Task.load(folder).actions) + 64
    env = replace(game.cfg, max_steps=limit, start_noops=NOOPS, sticky=STICKY)
    return GameBoyConfig(task=str(folder), rom=str(rom), backward=SLACK, **asdict(env))

class Starts(Callback):
    "Where episodes begin, over environment steps."
    def __init__(self): self.points = []
    def on_update(self, run): self.points.append((run.env_steps, int(run.env.curriculum.place)))

class Nearest:
    "The smallest distance to the goal that each console sees."
    def __init__(self, env): self.env, self.dist = env, env.judge.dist.new_full((env.num_envs,), 2.)
    def __call__(self, *_): self.dist = torch.minimum(self.dist, self.env.judge.dist)

def learn_place(
    name:str, # Of the game in the record
    game:OpenGame, # What is played
    rom:str|Path, # Its ROM file
    folder:str|Path, # Of a task
    steps:int=STEPS, # Environment steps to learn in
    episodes:int=EPISODES, # To judge by
    seed:int=0, # Of weights, draws and environments
)->dict: # JSON values
    "Learn the way to one place, and judge it beside random actions and the script."
    tune_cpu()
    config, task, starts = world_config(game, rom, folder), Task.load(folder), Starts()
    with (make_gameboy(config, PPO.num_envs, seed=seed, training=True) as env,
          make_gameboy(config, PPO.num_envs) as judge):
        model, nearest = train(start_run(env, replace(PPO, seed=seed), steps), [starts]).model, Nearest(judge)
        found = evaluate(judge, model, episodes, seed=10_000 + seed, each_step=nearest)
        others = dict(random=UniformPolicy(judge.num_actions), recording=Recording(judge))
        beside = {k: evaluate(judge, m, episodes, seed=10_000 + seed).success_rate for k, m in others.items()}
        at = Path(folder)
        return dict(game=name, map=int(at.parent.name), place=int(at.name), steps=steps, actions=len(task.actions),
                    script=''.join(map(str, task.actions)), tau=round(task.goal.tau, 4),
                    max_steps=config.max_steps, **asdict(found), **beside,
                    nearest=round(float(nearest.dist.median())/task.goal.tau, 2),
                    moved_back=starts.points[::4] + starts.points[-1:])

def lines_of(
    pix, # uint8[72, 80]
)->str: # A digit a pixel
    "A small picture for a record: every second pixel of every second line."
    return ''.join(map(str, pix[::2, ::2].ravel().tolist()))

def _learn_named(name, rom, folder, steps): return learn_place(name, OPEN_GAMES[name], rom, folder, steps)

def learn_games(
    roms:dict, # Names of `OPEN_GAMES` to ROM files
    out:str|Path, # The record; the maps are beside it
    steps:int=STEPS, # Environment steps to learn in
    jobs:int=2, # Side by side
)->dict: # The record
    "Learn the chosen places of all games, those that are missed with more steps; what is on record is not repeated."
    folder = Path(out).parent/'maps'
    maps = {name: map_game(OPEN_GAMES[name], rom, folder/name) for name, rom in roms.items()}
    rows = read_json(out)['rows'] if Path(out).exists() else []
    chosen = [dict(game=name, map=seed, place=p.number, actions=len(p.actions), screen=lines_of(p.pix))
              for far in zip(*(far_places(maps[n]) for n in roms)) for name, (seed, p) in zip(roms, far)]
    facts = {name: [a.facts | dict(lengths=[len(p.actions) for p in a.places]) for a in of]
             for name, of in maps.items()}
    result = dict(steps=steps, episodes=EPISODES, backward=SLACK, start_noops=NOOPS, sticky=STICKY,
                  config=asdict(PPO), atlases=facts, chosen=chosen) | about('cpu')
    for budget in steps, LONGER*steps:
        known = {(r['game'], r['map'], r['place']) for r in rows
                 if r['steps'] == budget or r['steps'] == steps and r['success_rate'] >= LEARNED}
        wanted = [w for c in chosen if (w := (c['game'], c['map'], c['place'])) not in known]
        calls = [[name, str(roms[name]), f'{folder}/{name}/{seed}/{k}', budget] for name, seed, k in wanted]
        for _, row in call_each('four_games:_learn_named', calls, jobs, Meter('learning', len(calls), 'place')):
            rows.append(row)
            write_atomic(out, table_text(result, rows))
    return result | dict(rows=rows)

def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument('what', choices=['explore', 'learn'])
    p.add_argument('roms', type=Path)
    p.add_argument('--out', required=True)
    p.add_argument('--steps', type=int, help='environment steps of a run')
    a = p.parse_args()
    found = roms_by_hash(a.roms, [g.sha256 for g in OPEN_GAMES.values()])
    roms = {name: found[g.sha256] for name, g in OPEN_GAMES.items()}
    if a.what == 'learn': return learn_games(roms, a.out, a.steps or STEPS)
    steps = a.steps or 131_072
    explore_games(roms, a.out, steps=steps)
    explore_games(dict(libbet=roms['libbet']), a.out, EXPLORERS[-1:], (0,), 4*steps)

if __name__ == '__main__': cli_errors(main)()
