"""What exploring together finds, and how fast: places after equal steps and after equal time with 1, 2 and 4 workers of one core each,
beside one explorer without rounds; and what is lost when a worker is killed every ten seconds.

    python tests/rounds.py all ROMS --out rounds.json     three quarters of an hour; `speed` and `kills` are its halves
"""
import argparse, hashlib, json, subprocess, sys, tempfile, time
from pathlib import Path
import numpy as np
from gbxnb.base.files import Folder, claim_folder, cli_errors, read_json, read_manifest, write_atomic
from gbxnb.base.parallel import pin
from gbxnb.base.progress import about, cores, track
from gbxnb.envs.config import EnvConfig
from gbxnb.explore.explore import begin_task
from gbxnb.explore.explorer import ExploreConfig, Explorer, load_exploration, pack_exploration
from gbxnb.explore.rounds import EXPLORATION, ROUNDS, Worker, plan_text, read_plan
from strangers import roms_by_hash

GAMES = { # chosen by their names before the first run; no page, test or record of exploring names them
    'el-dueloroso': '21b8c78aec985c9c9335db154b186adde9e2aaba32fc7ed76c9cf37cb8ffcf3c',
    'alien-invasion': '78cbb13080f587c108d8a18661db7d7b4a5c14c730f5bb86794a41132035fbf0'}
PLAN, NUM_ENVS, SAVE = dict(parts=4, round_steps=4096), 64, 1 << 20
WORKERS, SEEDS, SECONDS, EVERY = (1, 2, 4), 5, 30, 10 # processes; runs of each; of a run; between two kills

class Until:
    "Asks to end when its time is over."
    def __init__(self, seconds): self.end = time.monotonic() + seconds
    def __bool__(self): return time.monotonic() > self.end

class Timed(Worker):
    "Notes when each round was merged, and each part that it explored."
    curve, made = (), 0
    def start(self): self.began, self.curve = time.monotonic(), []
    def merge(self):
        super().merge()
        self.curve.append([round(time.monotonic() - self.began, 3), self.steps, len(self.d['places.slot'])])
    def explore_part(self, *args):
        part = super().explore_part(*args)
        self.made += part is not None
        return part

def begin(path:Path, rom, start, seed:int, steps:int):
    "A fresh exploration in a folder."
    with claim_folder(path, 'atlas') as folder, Explorer(rom, start, ExploreConfig(NUM_ENVS, seed), device='cpu') as e:
        folder.write({EXPLORATION: pack_exploration(e), ROUNDS: plan_text(**PLAN, steps=steps, stored=0)})

def state_sha256(path:Path, rom)->str:
    "The SHA-256 of all arrays of a stored exploration."
    with load_exploration(path/EXPLORATION, rom, device='cpu') as e: d, digest = e.state_dict(), hashlib.sha256()
    for k in sorted(d): digest.update(k.encode() + d[k].tobytes())
    return digest.hexdigest()

# ---- one process

def plain(e, seconds:float)->list:
    "The curve of an explorer without rounds."
    began, curve, until = time.monotonic(), [], Until(seconds)
    while not until:
        e.run(PLAN['parts']*PLAN['round_steps'])
        curve.append([round(time.monotonic() - began, 3), e.steps, len(e.archive)])
    return curve

def work(path:Path, rom, kind:str, seconds:float, name:str):
    "Load all that is needed, wait until all others have it, and explore; leave a report."
    with load_exploration(path/EXPLORATION, rom, device='cpu') as e:
        w = Timed(e, Folder(path, *read_manifest(path)), SAVE)
        w.explore_part(0) # compiles what is to be compiled
        w.go_back()
        w.made = 0
        (path.parent/f'{name}.ready').touch()
        while not (path.parent/'go').exists(): time.sleep(.01)
        if kind == 'plain': report = dict(curve=plain(e, seconds))
        else:
            w.start()
            w.run(Until(seconds))
            report = dict(curve=w.curve, made=w.made)
    write_atomic(path.parent/f'{name}.json', json.dumps(report))

def begin_work(path:Path, rom, kind:str, seconds:float, name:str, core:int)->subprocess.Popen:
    "Another process of `work`, on one core."
    words = [sys.executable, __file__, 'work', path, rom, '--kind', kind, '--seconds', seconds, '--name', name]
    other = subprocess.Popen([*map(str, words)], stderr=subprocess.DEVNULL)
    pin(other.pid, [cores()[core % len(cores())]])
    return other

def wait_for(path:Path, others:list):
    "Until all are ready; then let them begin."
    while len([*path.parent.glob('*.ready')]) < len(others):
        if any(o.poll() for o in others): raise RuntimeError('a worker has ended')
        time.sleep(.05)
    (path.parent/'go').touch()

# ---- how fast

def run_once(rom, start, seed:int, workers:int, seconds:float)->dict:
    "A curve: seconds, environment steps and places after each round; no workers is an explorer without rounds."
    with tempfile.TemporaryDirectory() as place:
        path, kind = Path(place)/'atlas', 'rounds' if workers else 'plain'
        begin(path, rom, start, seed, 2**40)
        others = [begin_work(path, rom, kind, seconds, str(k), k) for k in range(max(workers, 1))]
        wait_for(path, others)
        for o in others: assert o.wait() == 0
        curves = [read_json(path.parent/f'{k}.json')['curve'] for k in range(len(others))]
    return dict(seed=seed, workers=workers, curve=max(curves, key=len))

def at(curve:list, column:int, value:float)->list:
    "The last point of a curve up to some seconds (column 0) or steps (column 1)."
    return max((p for p in curve if p[column] <= value), default=[0, 0, 1], key=lambda p: p[column])

def summary(rows:list)->dict:
    "Medians over seeds, by game and workers; whether all numbers of workers found the same after equal steps."
    out = {}
    for game in sorted({r['game'] for r in rows}):
        own = [r for r in rows if r['game'] == game]
        steps = min(r['curve'][-1][1] for r in own)
        seconds = min(r['curve'][-1][0] for r in own)
        table = {}
        for n in sorted({r['workers'] for r in own}):
            curves = [r['curve'] for r in own if r['workers'] == n]
            median = lambda column, value, k: float(np.median([at(c, column, value)[k] for c in curves])) # noqa: B023
            table[n] = dict(places_at_steps=median(1, steps, 2), seconds_to_steps=median(1, steps, 0),
                            places_at_time=median(0, seconds, 2), steps_at_time=median(0, seconds, 1))
        found = {}
        for r in own:
            for _, at_step, places in r['curve'] if r['workers'] else (): found.setdefault((r['seed'], at_step), set()).add(places)
        out[game] = dict(steps=steps, seconds=seconds, workers=table, same=all(len(x) == 1 for x in found.values()))
    return out

def measure_speed(roms:dict, starts:dict, record:dict, keep):
    "All runs that are not on record, in an order in which each seed meets all numbers of workers."
    rows = record.setdefault('rows', [])
    known = {(r['game'], r['seed'], r['workers']) for r in rows}
    todo = [(g, s, n) for s in range(SEEDS) for g in roms for n in (0, *WORKERS) if (g, s, n) not in known]
    for game, seed, n in track(todo, 'exploring', 'run'):
        rows.append(dict(game=game) | run_once(roms[game], starts[game], seed, n, record['seconds']))
        record['summary'] = summary(rows)
        keep()

# ---- kills

def kill_workers(rom, start, seconds:float, every:float)->dict:
    "One worker goes on, another is killed again and again; then one alone goes as far, undisturbed."
    with tempfile.TemporaryDirectory() as place:
        path, alone, kills = Path(place)/'a'/'atlas', Path(place)/'b'/'atlas', 0
        begin(path, rom, start, 0, 2**40)
        (path.parent/'go').touch()
        steady, until = begin_work(path, rom, 'rounds', seconds, 'steady', 0), Until(seconds)
        while not until:
            other = begin_work(path, rom, 'rounds', 2*seconds, 'other', 1)
            time.sleep(every)
            other.kill()
            other.wait()
            kills += 1
        assert steady.wait() == 0
        made, plan = read_json(path.parent/'steady.json')['made'], read_plan(path)
        steps = read_json(path.parent/'steady.json')['curve'][-1][1]
        begin(alone, rom, start, 0, steps)
        (alone.parent/'go').touch()
        last = begin_work(alone, rom, 'rounds', 10*seconds, 'alone', 0)
        if last.wait(): raise RuntimeError('the last worker has ended')
        return dict(seconds=seconds, every=every, kills=kills, steps=steps, rounds=plan['stored'], parts=plan['stored']*PLAN['parts'],
                    parts_of_the_steady=made, same=state_sha256(path, rom) == state_sha256(alone, rom))

def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument('what', choices=['all', 'speed', 'kills', 'work'])
    p.add_argument('paths', type=Path, nargs='+', help='a folder of ROMs')
    p.add_argument('--out', help='the record; what is there is not measured again')
    p.add_argument('--seconds', type=float, help='of a run')
    p.add_argument('--kind', help='of `work`, which the other two start')
    p.add_argument('--name', help='of `work`')
    a = p.parse_args()
    if a.what == 'work': return work(*a.paths, a.kind, a.seconds, a.name)
    found = roms_by_hash(a.paths[0], GAMES.values())
    roms = {name: found[digest] for name, digest in GAMES.items()}
    starts = {name: begin_task(str(rom), EnvConfig()).start for name, rom in roms.items()}
    result = read_json(a.out) if a.out and Path(a.out).exists() else {}
    def keep():
        facts = about('cpu') | dict(games=GAMES, plan=PLAN, num_envs=NUM_ENVS)
        if a.out: write_atomic(a.out, json.dumps(result | facts, indent=1) + '\n')
    if a.what != 'kills': measure_speed(roms, starts, result.setdefault('speed', dict(seconds=a.seconds or SECONDS)), keep)
    first = next(iter(roms))
    if a.what != 'speed': result['kills'] = {first: kill_workers(roms[first], starts[first], a.seconds or 300, EVERY)}
    keep()
    print(json.dumps(result.get('kills') or result['speed']['summary'], indent=1))

if __name__ == '__main__': cli_errors(main)()
