"""From nothing but a ROM to a policy for a place nobody scripted: `python tests/key.py --out nbs/envs/results/key_backward.json`

Each seed explores the bundled game until a screen shows the key, shortens the way there, and learns it backward: judged from the start,
where episodes begin at one of 25 frames, on a pad that repeats a quarter of all actions. The controls begin with the same exploring.
The goal's picture only tells which of the places found is meant; it is no part of exploring. Exit status 1 if the benchmark is missed."""
import argparse, os, sys, tempfile, time
from dataclasses import replace
from pathlib import Path

from gbxnb.bench.learning import LearningBenchmark, judge, one_run, protocol
from gbxnb.games.town import rom_path
from gbxnb.base.files import UserError
from gbxnb.base.progress import about, give_result
from gbxnb.base.parallel import call_each
from gbxnb.base.progress import Meter
from gbxnb.training.config import PPOConfig

GOAL, EXPLORE = 'town/key', 131_072 # Environment steps of exploring, at most
PPO = PPOConfig(num_envs=64, rollout_steps=32, model='small', lr=1e-3, clip=.2, epochs=4, entropy_coef=.02, gamma=.95)
KEY = LearningBenchmark('gameboy', PPO, 150_000, 'success_rate', .9, .1, 5,
                        {'random': 2, 'recording': 5, 'shuffled reward': 2, 'truncation bug': 2}, (),
                        dict(task=GOAL, max_steps=128, start_noops=24, sticky=.25))
WAYS = dict(backward=dict(backward=16), pieces=dict(demo_starts=8)) # How training episodes begin, and how long they last
UNJUDGED = dict(backward=('truncation bug',), pieces=()) # Backward every episode that moves the start reaches the goal itself

def benchmark(way, **options):
    return replace(KEY, options=KEY.options | WAYS[way] | options, unjudged=UNJUDGED[way])

def find_way(seed):
    "Explore until the key shows, and shorten the way: a task, and facts of how it was found."
    from gbxnb.games import town as game
    from gbxnb.games.bundled import bundled_task
    from gbxnb.envs.task import find_start, make_task
    from gbxnb.explore.explorer import ExploreConfig, Explorer
    from gbxnb.explore.shorten import Shortener
    goal, rom, found, began = bundled_task(GOAL).goal, game.rom(), [], time.perf_counter()
    buttons, start = find_start(rom)
    explorer = Explorer(rom, start, ExploreConfig(seed=seed))
    def look(e):
        near = goal.distances(e.backend.pix.numpy()).min(-1) < goal.tau
        if near.any() and not found: found.append(e.lane_script(int(near.argmax())))
    while not found and explorer.steps < EXPLORE: explorer.run(explorer.cfg.num_envs, look)
    if not found: raise UserError(f'seed {seed}: the key was not found in {EXPLORE:,} steps')
    explored = time.perf_counter() - began
    # waiting there until the goal counts as reached; the first of these actions changes nothing
    way, how = found[0], dict(tau=goal.tau, k_consecutive=goal.k_consecutive)
    task = make_task(rom, buttons, way + (way[-1],)*(goal.k_consecutive - 1), **how)
    with Shortener(rom, task.start) as s: short = s.shorten(task.actions, task.goal, seed=seed)
    facts = dict(explore_steps=explorer.steps, found_actions=len(way), actions=len(short), explore_seconds=round(explored, 1))
    explorer.close()
    return make_task(rom, buttons, short, **how), facts

def whole(kind, seed, way, steps, scripted):
    "One row: all that it takes, from the ROM to a judged policy."
    began, facts = time.perf_counter(), dict(actions=25)
    with tempfile.TemporaryDirectory() as d:
        options = {}
        if not scripted:
            task, facts = find_way(seed)
            options = dict(task=str(task.save(Path(d)/'key')), rom=str(rom_path()))
        row = one_run(benchmark(way, **options), kind, seed, steps, 'cpu')
    return row | facts | dict(total_seconds=round(time.perf_counter() - began, 1))

def main():
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument('--out', default='')
    parse.add_argument('--way', choices=[*WAYS], default='backward')
    parse.add_argument('--seeds', type=int, default=KEY.seeds)
    parse.add_argument('--steps', type=int, default=KEY.steps)
    parse.add_argument('--jobs', type=int, default=len(os.sched_getaffinity(0)))
    parse.add_argument('--controls', type=int, default=1, help='0 leaves the controls out')
    parse.add_argument('--scripted', action='store_true', help='begin with the script of the bundled task')
    a = parse.parse_args()
    b = benchmark(a.way)
    wanted = [('trained', s) for s in range(a.seeds)]
    wanted += [(k, s) for k, n in b.controls.items() for s in range(n)] if a.controls else []
    began, os.environ['OMP_NUM_THREADS'] = time.perf_counter(), '1'
    calls = [[*w, a.way, a.steps, a.scripted] for w in wanted]
    found = dict(call_each('key:whole', calls, a.jobs, Meter('key', len(calls), 'run'))) # this module, imported by another process
    rows = [found[k] for k in range(len(calls))]
    kinds, failures = judge(b, rows)
    give_result(dict(goal=GOAL, way=a.way, protocol=protocol(b), config=vars(b.cfg), world_config=b.options, steps=a.steps, jobs=a.jobs,
                     scripted=a.scripted, seconds=round(time.perf_counter() - began, 1), **about('cpu'), kinds=kinds, failures=failures,
                     rows=rows), a.out)
    return bool(failures)

if __name__ == '__main__': sys.exit(main())
