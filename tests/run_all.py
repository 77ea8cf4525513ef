"""Every check: `make test` and CI run this. What needs minutes, a browser or other Pythons is in `slow.py`.

This process imports everything once and plays for a moment (`warm.py`); as many forks of it as there are cores run the pages, the tests,
and what looks at the source (`lanes.py`). At the end it says what that cost: in processor time, and as a share of `BUDGET` times what
ten million additions in a loop of Python cost meanwhile, which is what a fast, a slow and a busy machine have in common."""
import argparse, gc, json, math, os, subprocess, sys, time
import surroundings # noqa: F401 before what looks at them
import numpy as np
import pytest
import processes
from lanes import SAMPLE, Lanes, used
from pages import root
from warm import warm

os.chdir(root)
BUDGET = 400 # times ten million additions
COSTS = root/'tests/costs.json' # what each page and each file of tests may cost, in that unit
PYTEST = '-p', 'no:cacheprovider'
NEAR = 10 # units that the checks of a change cost at most

def git_state():
    run = subprocess.run(['git', 'status', '--porcelain'], cwd=root, capture_output=True, text=True)
    return set(run.stdout.splitlines()) if run.returncode == 0 else set()

def short(place):
    "A place as the table has it: `emulator/03_ppu`, `tests/test_watch.py`, `static/types`."
    name, _, inside = place.partition('[')
    return {'tests/test_nbs.py': '', 'tests/test_static.py': 'static/'}[name.split('::')[0]] + inside[:-1] if inside else place

def test_file(name):
    "The file of tests that a place belongs to: the other way round."
    return name if name.startswith('tests/') else 'tests/test_static.py' if name.startswith('static/') else 'tests/test_nbs.py'

def near_by(files, budgets):
    "What the change of `files` can affect, the nearest first, as far as it goes at little cost; how much is left out is said."
    from near import affected, changed
    far = affected(files or changed())
    found, cost = [], 0.
    for place in sorted(far, key=lambda p: (far[p], budgets.get(p, 1))):
        cost += budgets.get(place, 1)
        if found and cost > NEAR: break
        found.append(place)
    print(f'{len(found)} of {len(far)} pages and files of tests that it can affect' + ', the nearest'*(len(found) < len(far)), flush=True)
    return found

def dearest(costs, budgets=None, most=20):
    "Lines, the dearest first."
    allowed = lambda n: f'{budgets.get(n, 1):7.1f} ' if budgets else ''
    return [f'{c:7.1f} {allowed(n)} {n}' for n, c in sorted(costs.items(), key=lambda x: -x[1])[:most]]

def report(lanes, unit, took, budgets):
    "What was dear, what was dearer than it may be, and what it cost in all."
    few, many = np.quantile(lanes.samples, [.1, .9])
    print(f'ten million additions took {unit:.2f} s: {len(lanes.samples)} samples among the checks, eight of ten {few:.2f} to {many:.2f} s')
    costs = {short(p): sum(tests.values())/unit for p, tests in lanes.costs.items() if tests}
    single = {n: t/unit for tests in lanes.costs.values() for n, t in tests.items()}
    if len(costs) < 10: print('the dearest tests:', *dearest(single), sep='\n')
    print('the dearest, in units of ten million additions, and what they may cost:')
    print(*dearest(costs, budgets), sep='\n')
    over = [f'{name} ({c:.1f} of {budgets.get(name, 1):g})' for name, c in costs.items() if c > budgets.get(name, 1)]
    if over: print(f'{len(over)} cost more than they may, which fails nothing; a busy machine makes all dearer:', *over[:9], sep='\n  ')
    print(f'{took:.0f} s of processor time are {took/unit:.0f} units of {unit:.2f} s: {took/unit/BUDGET:.0%} of the budget of {BUDGET}')

def keep(lanes, unit):
    "What each place may cost from now on: what it cost, and a third more; nothing if all of it is slow."
    costs = {short(p): max(.5, math.ceil(sum(tests.values())/unit*4/3*2)/2) if tests else 0 for p, tests in lanes.costs.items()}
    COSTS.write_text(json.dumps(dict(sorted(costs.items())), indent=0) + '\n', encoding='utf-8')

def main(args):
    gc.disable() # until the lanes begin: what is read and collected stays
    begin, before = time.monotonic(), git_state()
    budgets = json.loads(COSTS.read_text(encoding='utf-8'))
    wanted = near_by(args.files, budgets) if args.near else []
    if args.near and not wanted: return print('nothing that is tested has changed') or 0
    if not wanted: warm() # a few checks may not need all of it
    lanes = Lanes(len(os.sched_getaffinity(0)), budgets, short, set(wanted))
    words = sorted({*map(test_file, wanted)}) or args.files or ['tests']
    status = pytest.main([*PYTEST, '--assert=plain', *words], plugins=[lanes])
    if lanes.failed: subprocess.run([sys.executable, '-m', 'pytest', *PYTEST, *sorted(lanes.failed)[:9]]) # and say what was compared
    litter = sorted(git_state() - before)
    if litter: print('the checks left changes behind:', *litter, sep='\n  ')
    processes.close_nests()
    if status == pytest.ExitCode.NO_TESTS_COLLECTED: return print('all of it runs in make slow') or not wanted
    unit = np.mean(lanes.samples)
    report(lanes, unit, used() - sum(lanes.samples)*SAMPLE/10**7, budgets)
    if args.keep: keep(lanes, unit)
    print(f'{time.monotonic() - begin:.0f} s in all: ' + ('FAILED' if status or litter else 'every check passed'))
    return bool(status or litter)

if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('files', nargs='*', help='words for pytest; with --near the files that changed, instead of those that git knows of')
    parser.add_argument('--near', action='store_true', help='only the nearest of what a change can affect')
    parser.add_argument('--keep', action='store_true', help=f'let {COSTS.name} say what each page and file of tests cost')
    sys.exit(main(parser.parse_args()))
