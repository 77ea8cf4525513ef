"""Ticks a second through PyBoy's interface: PyBoy 2.8.1 and this package, one console, and 64 here; with and without pictures, every
tick a call of its own. `python tests/pyboy_speed.py OUT.json GAME.gb ...`; with `run`, it is one of the measured processes."""
import json, statistics, subprocess, sys, time
from pathlib import Path

ROUNDS, SECONDS, N = 5, .5, 64

def measure(boy, render, consoles):
    "Frames a second of all consoles together."
    n, start = 0, time.perf_counter()
    while time.perf_counter() - start < SECONDS:
        for _ in range(10): boy.tick(1, render, False)
        n += 10*consoles
    return n/(time.perf_counter() - start)

def run(rom, way):
    "One process: a game from its 300th tick on."
    from pyboy import PyBoy
    how = dict(window='null', cgb=False, sound_emulated=False, log_level='CRITICAL')
    if way == 'many':
        from gbxnb.pyboy import PyBoys
        boy = PyBoys(rom, N, **how)
    else: boy = PyBoy(rom, **how)
    boy.set_emulation_speed(0)
    boy.tick(300, False, False)
    print(json.dumps([measure(boy, render, N if way == 'many' else 1) for render in (False, True)]))

def main(out, *roms):
    "All games, in turns."
    found = {}
    for rom in roms:
        seen = {}
        for _ in range(ROUNDS):
            for way in 'pyboy', 'one', 'many':
                command = [sys.executable, *(['-m', 'gbxnb.pyboy'] if way != 'pyboy' else []), __file__, 'run', rom, way]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                seen.setdefault(way, []).append(json.loads(done.stdout.splitlines()[-1]))
        rates = {way: [round(statistics.median(r[k] for r in runs)) for k in (0, 1)] for way, runs in seen.items()}
        found[Path(rom).stem] = rates
        print(Path(rom).stem, rates, flush=True)
    Path(out).write_text(json.dumps(dict(pyboy='2.8.1', rounds=ROUNDS, consoles=N, games=found), indent=1) + '\n')

if __name__ == '__main__':
    if sys.argv[1] == 'run': run(*sys.argv[2:])
    else: main(*sys.argv[1:])
