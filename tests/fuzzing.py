"""A campaign of tries in worker processes. A try that ends its process, by a signal or otherwise, is a finding like one that raises.

A module `tests/fuzz_<name>.py` has `prepare()`, which makes what all tries share, `attempt(seed, shared)`, which returns in a word what
became of one try and raises for a finding, and `COUNT`, the tries of `make slow`. It is run by

    python tests/fuzzing.py                       every module, COUNT tries each, of seed 0
    python tests/fuzzing.py roms --count 100 --seed 7
    python tests/fuzzing.py roms --only 7000042   one try again, in this process
    python tests/fuzzing.py --out FILE            and keep what came of each; what is kept there already is not tried again

and prints one JSON line for each; exit status 1 if anything was found."""
import argparse, contextlib, importlib, json, multiprocessing, os, resource, shutil, signal, sys, tempfile, time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
PATIENCE, WORK = 300, 20 # seconds until a try that does not end is a finding, and of computing
ROOM = 2 << 30 # bytes of addresses that a try may have beside what `prepare` left; a module may have a ROOM of its own

def names(): return sorted(p.stem[5:] for p in HERE.glob('fuzz_*.py'))

def limit_memory(room):
    "Let this process have so many bytes more, so that what a file makes vast is a finding."
    had = int(Path('/proc/self/statm').read_text().split()[0])*resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (had + room, resource.getrlimit(resource.RLIMIT_AS)[1]))

def use_memory():
    "Keep temporary files in memory if there is room: a try writes many, and waits for the disk at each."
    with contextlib.suppress(OSError):
        if shutil.disk_usage('/dev/shm').free > 1 << 28 and os.access('/dev/shm', os.W_OK): tempfile.tempdir = '/dev/shm'

def _work(module, seeds, pipe):
    "A worker: what it is about to do goes into the pipe, and then what became of it."
    m = importlib.import_module(module)
    use_memory()
    shared = m.prepare()
    limit_memory(getattr(m, 'ROOM', ROOM))
    for seed in seeds:
        pipe.send((seed, None))
        signal.alarm(PATIENCE)
        signal.setitimer(signal.ITIMER_VIRTUAL, WORK)
        try: what = m.attempt(seed, shared)
        except BaseException as e: what = f'FINDING {type(e).__name__}: {e}'
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        pipe.send((seed, what))
    pipe.close()

class Worker:
    "A process and the seeds that are left to it."
    def __init__(self, module, seeds): self.module, self.seeds, self.doing = module, seeds, None; self.start()

    def start(self):
        fork = multiprocessing.get_context('fork')
        self.pipe, theirs = fork.Pipe(False)
        self.process = fork.Process(target=_work, args=(self.module, self.seeds, theirs))
        self.process.start()
        theirs.close()

    def step(self):
        "What it has to say: a list of (seed, word); None once it is through."
        if not self.pipe.poll(.02): return []
        try: seed, what = self.pipe.recv()
        except EOFError: return self.end()
        self.doing = seed if what is None else None
        return [] if what is None else [(seed, what)]

    def end(self):
        self.process.join()
        code, seed = self.process.exitcode, self.doing
        if not code: return None
        if seed is None: raise RuntimeError(f'{self.module}: a worker ended with {code} outside of a try')
        self.seeds, self.doing = self.seeds[self.seeds.index(seed) + 1:], None
        self.start()
        return [(seed, f'FINDING its process ended by {signal.Signals(-code).name if code < 0 else f"status {code}"}')]

def campaign(name, count=0, seed=0, jobs=0, seeds=None)->dict:
    "Try `count` seeds, or those that are given; `findings` is empty if all is well."
    began, jobs = time.monotonic(), jobs or len(os.sched_getaffinity(0))
    seeds = seeds or range(seed*10**6, seed*10**6 + count)
    workers, results, findings = [Worker(f'fuzz_{name}', list(seeds[j::jobs])) for j in range(jobs)], Counter(), []
    while workers:
        for w in [*workers]:
            said = w.step()
            if said is None: workers.remove(w)
            for s, what in said or ():
                if what.startswith('FINDING'): findings.append((s, what[8:]))
                else: results[what] += 1
    assert sum(results.values()) + len(findings) == len(seeds)
    return dict(fuzz=name, count=len(seeds), seed=seed, findings=findings, results=dict(results.most_common()),
                jobs=jobs, seconds=round(time.monotonic() - began))

if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('names', nargs='*', default=names())
    parser.add_argument('--count', type=int, default=0)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--only', type=int)
    parser.add_argument('--jobs', type=int, default=0, help='processes; as many as there are cores')
    parser.add_argument('--out', type=Path, help='a JSON file that keeps what came of each')
    args = parser.parse_args()
    sys.path.insert(0, str(HERE))
    from gbxnb.base.files import read_json, write_atomic
    kept = read_json(args.out) if args.out and args.out.exists() else {}
    for name in args.names:
        m = importlib.import_module(f'fuzz_{name}')
        if args.only is not None:
            print(m.attempt(args.only, m.prepare()))
            continue
        if name not in kept: kept[name] = campaign(name, args.count or m.COUNT, args.seed, args.jobs)
        if args.out: write_atomic(args.out, json.dumps(kept, indent=1) + '\n')
        findings = kept[name]['findings']
        print(json.dumps(kept[name] | dict(findings=findings[:20], found=len(findings))), flush=True)
    sys.exit(any(found['findings'] for found in kept.values()))
