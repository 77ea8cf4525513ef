"""Every check, timed: `make test` and CI run this. With --slow (`make slow`) the rest: what needs a browser, minutes or other Pythons.

As many checks run side by side as there are cores, the long ones first. Each has a line at the end; one that fails also says why."""
import os, re, signal, subprocess, sys, threading, time
from collections import deque
from pathlib import Path
from pages import stories

signal.signal(signal.SIGINT, signal.default_int_handler) # a shell has its background processes ignore it, and their children do
root = Path(__file__).resolve().parent.parent
env = os.environ | dict(PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", OMP_NUM_THREADS='1',
                        MPLBACKEND='Agg', PYTHONUNBUFFERED='1', PYTHONWARNINGS='ignore::DeprecationWarning',
                        HYPOTHESIS_STORAGE_DIRECTORY=str(root/'.hypothesis'),
                        GBXNB_TRACES='off') # but where a test asks for them: two cores have enough to do
py, slow = sys.executable, '--slow' in sys.argv[1:]
pytest = [py, '-m', 'pytest', '--durations', '8']
plain = '|'.join(re.escape(p.name) for p in stories())
if slow:
    checks = [('tests', [*pytest, '--slow', '-m', 'slow', 'tests']), ('pages', ['nbdev_test', '--n_workers', '1'])]
    checks += [(f'fuzz {p.stem[5:]}', [py, 'tests/fuzzing.py', p.stem[5:]]) for p in sorted((root/'tests').glob('fuzz_*.py'))]
    checks += [('pythons', [py, 'tests/pythons.py'])]
else:
    checks = [('pages', [*pytest, 'tests/test_nbs.py']), ('tests', [*pytest, 'tests', '--ignore', 'tests/test_nbs.py']),
              ('stories', ['nbdev_test', '--n_workers', '1', '--file_re', f'^({plain})$']),
              ('types', ['pyright', '--level', 'error']), ('site', [py, 'tests/docs_pages.py']),
              ('export leaves no diff', [py, 'tests/sync_check.py']), ('lint', ['ruff', 'check', '-q', 'nbs', 'tests', 'setup.py'])]
results, lock, queue = [], threading.Lock(), deque(checks)

def stage(name, cmd):
    "Run one command; print what it said in one piece, then its time."
    start = time.perf_counter()
    run = subprocess.run(cmd, cwd=root, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    took, said = time.perf_counter() - start, run.stdout.strip()
    with lock:
        results.append((name, took, run.returncode))
        if slow and not run.returncode: print(f'{took:7.1f} s  ok      {name}: {said.splitlines()[-1] if said else ""}', flush=True)
        else: print(f"--- {name}: {'ok' if run.returncode == 0 else 'FAILED'} in {took:.1f} s\n{said}\n", flush=True)

def lane():
    "Take one check after the other."
    while queue:
        try: todo = queue.popleft()
        except IndexError: return # another lane took the last one
        stage(*todo)

def git_state():
    run = subprocess.run(['git', 'status', '--porcelain'], cwd=root, capture_output=True, text=True)
    return set(run.stdout.splitlines()) if run.returncode == 0 else set()

begin, before = time.perf_counter(), git_state()
lanes = [threading.Thread(target=lane) for _ in range(1 if slow else len(os.sched_getaffinity(0)))] # a campaign takes all cores itself
for t in lanes: t.start()
for t in lanes: t.join()
litter = sorted(git_state() - before)
if litter: print('the checks left changes behind:', *litter, sep='\n  ')
failed = [name for name, _, code in results if code] + (['a clean tree'] if litter else [])
if not slow: print('\n'.join(f"{took:7.1f} s  {'ok    ' if code == 0 else 'FAILED'}  {name}" for name, took, code in results))
print(f'{time.perf_counter()-begin:7.1f} s  in all: ' + (f"FAILED: {', '.join(failed)}" if failed else 'every check passed'))
sys.exit(bool(failed))
