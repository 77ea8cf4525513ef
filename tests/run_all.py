"""Every check, timed: `make test` and CI run this. Two lanes, since a small machine has two cores.

The notebooks, the types and the pages of the site are checked in one lane, pytest runs in the other."""
import os, subprocess, sys, threading, time
from pathlib import Path

root = Path(__file__).resolve().parent.parent
env = os.environ | dict(PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", OMP_NUM_THREADS='1',
                        MPLBACKEND='Agg', PYTHONUNBUFFERED='1', PYTHONWARNINGS='ignore::DeprecationWarning')
py = sys.executable
first = [('export leaves no diff', [py, 'tests/sync_check.py']), ('lint', ['ruff', 'check', '-q', 'nbs', 'tests', 'setup.py'])]
lanes = [[('notebooks', ['nbdev_test', '--n_workers', '1']), ('types', ['pyright', '--level', 'error']),
          ('pages', [py, 'tests/docs_pages.py'])],
         [('pytest', [py, '-m', 'pytest', 'tests', '--durations', '8'])]]
results, lock = [], threading.Lock()

def stage(name, cmd):
    "Run one command; print what it said in one piece, then its time."
    start = time.perf_counter()
    run = subprocess.run(cmd, cwd=root, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    took = time.perf_counter() - start
    with lock:
        results.append((name, took, run.returncode))
        print(f"--- {name}: {'ok' if run.returncode == 0 else 'FAILED'} in {took:.1f} s\n{run.stdout.strip()}\n", flush=True)

def git_state():
    run = subprocess.run(['git', 'status', '--porcelain'], cwd=root, capture_output=True, text=True)
    return set(run.stdout.splitlines()) if run.returncode == 0 else set()

begin, before = time.perf_counter(), git_state()
for s in first: stage(*s)
threads = [threading.Thread(target=lambda lane=lane: [stage(*s) for s in lane]) for lane in lanes]
for t in threads: t.start()
for t in threads: t.join()
litter = sorted(git_state() - before)
if litter: print('the checks left changes behind:', *litter, sep='\n  ')
failed = [name for name, _, code in results if code] + (['a clean tree'] if litter else [])
print('\n'.join(f"{took:7.1f} s  {'ok    ' if code == 0 else 'FAILED'}  {name}" for name, took, code in results))
print(f'{time.perf_counter()-begin:7.1f} s  in all: ' + (f"FAILED: {', '.join(failed)}" if failed else 'every check passed'))
sys.exit(bool(failed))
