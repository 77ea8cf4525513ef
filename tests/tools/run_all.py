"""Every check: `make test` and CI run this. What needs minutes, a browser or other Pythons is in `slow.py`.

This process imports everything once and plays for a moment (`warm.py`); as many forks of it as there are cores run the pages, the tests,
and what looks at the source (`lanes.py`), the longest first. What each took is kept in `runs/took.json` for the next time."""
import argparse, gc, json, os, subprocess, sys, time
import surroundings # noqa: F401 before what looks at them
import pytest
import processes
from lanes import Lanes
from pages import root
from warm import warm

os.chdir(root)
TOOK = root/'runs/took.json' # seconds of processor time of each page and each file of tests
PYTEST = '-p', 'no:cacheprovider'
NEAR = 40 # seconds that the checks of a change take at most

def git_state():
    run = subprocess.run(['git', 'status', '--porcelain'], cwd=root, capture_output=True, text=True)
    return set(run.stdout.splitlines()) if run.returncode == 0 else set()

def near_by(files, took):
    "What the change of `files` can affect, the nearest first, as far as it goes in little time; how much is left out is said."
    from near import affected, changed
    far = affected(files or changed())
    found, cost = [], 0.
    for place in sorted(far, key=lambda p: (far[p], took.get(p, 3))):
        cost += took.get(place, 3)
        if found and cost > NEAR: break
        found.append(place)
    print(f'{len(found)} of {len(far)} pages and files of tests that it can affect, the nearest', flush=True)
    return found

def main(args):
    gc.disable() # until the lanes begin: what is read and collected stays
    begin, before = time.monotonic(), git_state()
    took = json.loads(TOOK.read_text(encoding='utf-8')) if TOOK.exists() else {}
    wanted = near_by(args.files, took) if args.near else []
    if args.near and not wanted: return print('nothing that is tested has changed') or 0
    if not wanted: warm() # a few checks may not need all of it
    lanes = Lanes(len(os.sched_getaffinity(0)), took)
    status = pytest.main([*PYTEST, '--assert=plain', *(wanted or args.files or ['tests'])], plugins=[lanes])
    if lanes.failed: subprocess.run([sys.executable, '-m', 'pytest', *PYTEST, *sorted(lanes.failed)[:9]]) # and say what was compared
    litter = sorted(git_state() - before)
    if litter: print('the checks left changes behind:', *litter, sep='\n  ')
    processes.close_nests()
    if status == pytest.ExitCode.NO_TESTS_COLLECTED: return print('all of it runs in make slow') or not wanted
    TOOK.parent.mkdir(exist_ok=True)
    TOOK.write_text(json.dumps(took | lanes.took, indent=0), encoding='utf-8')
    print('the longest:', *(f'{t:7.1f} s {name}' for name, t in sorted(lanes.took.items(), key=lambda x: -x[1])[:10]), sep='\n')
    print(f'{time.monotonic() - begin:.0f} s, {sum(lanes.took.values()):.0f} s of processor time: '
          + ('FAILED' if status or litter else 'every check passed'))
    return bool(status or litter)

if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('files', nargs='*', help='words for pytest; with --near the files that changed, instead of those that git knows of')
    parser.add_argument('--near', action='store_true', help='only the nearest of what a change can affect')
    sys.exit(main(parser.parse_args()))
