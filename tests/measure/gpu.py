"""Everything a run on a machine with a GPU needs, in stages that each stay under ten minutes: `make gpu`, or one stage at a time.

    python tests/measure/gpu.py                      all stages
    python tests/measure/gpu.py hashes sweep         these
    python tests/measure/gpu.py --device cpu --small a try of the script without a GPU

A stage that fails says so in its file and does not stop the next one. Nothing beyond numpy, torch, Warp and fastcore is needed; a stage
without what it needs (PyBoy, msgspec) says what is missing. Results are JSON files in `$OUT`, or in runs/gpu/, and gpu.json with all of
them, which `tests/tools/records.py` keeps."""
import argparse, contextlib, csv, functools, io, json, os, platform, shutil, signal, subprocess, sys, time, traceback
from datetime import date
from pathlib import Path
from unittest import mock

root = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(root), str(root/'tests/tools')]
STAGES = {}

def stage(f):
    STAGES[f.__name__] = f
    return f

def captured(cli, *words, **options):
    "What a command printed as JSON."
    from gbxnb.base.command import call
    status, out, err = call(cli, *words, **options)
    return dict(exit=status, said=(out + err)[-2000:]) if status else json.loads(out)

def device_sync(device):
    import warp as wp
    wp.synchronize_device(device)

def asked_smi(query):
    "What `nvidia-smi` says of the GPUs, a line each; empty where it is not at hand."
    smi = shutil.which('nvidia-smi')
    words = [smi, f'--query-gpu={query}', '--format=csv,noheader']
    return subprocess.run(words, capture_output=True, text=True).stdout.strip() if smi else ''

@functools.cache
def where(device):
    "What a result says about where it was made: `driver_version` is the CUDA that the driver serves, `nvidia_driver` is its own version."
    import warp as wp
    from gbxnb.base.progress import about
    from gbxnb.base.startup import start_warp
    start_warp()
    name = wp.get_device(device).name
    return about(device) | dict(device=device, device_name=name, nvidia_driver=asked_smi('driver_version').split('\n')[0])

def with_facts(result, facts):
    "The rows of a result, wherever they are in it, each with `facts`, where it has none of its own."
    def row(r): return facts | r if isinstance(r, dict) else r
    if not isinstance(result, dict): return result
    def part(k, v):
        if k != 'rows': return with_facts(v, facts)
        return {n: row(r) for n, r in v.items()} if isinstance(v, dict) else [*map(row, v)]
    return {k: part(k, v) for k, v in result.items()}

def row_facts(device):
    "What every row says: the driver, and of the network, which only rows of training have, precision and whether it is compiled."
    made = where(device)
    return {k: made[k] for k in ('device_name', 'driver_version', 'nvidia_driver')} | dict(precision=None, compile=None)

@functools.cache
def first_launch(device):
    "Seconds until all is imported, and until the first kernel has run; the stage that comes first measures it."
    begin = time.perf_counter()
    import torch # noqa: F401, which takes most of it
    from gbxnb.games import bundled as game
    from gbxnb.emulator.emulator import Emulator
    imported = time.perf_counter()
    e = Emulator(game.rom(), 64, device)
    e.run_frames(2)
    device_sync(device)
    return dict(import_s=imported - begin, first_kernel_s=time.perf_counter() - imported)

def time_steps(e, pix, rng, times):
    "Median seconds of a step and of its pictures, each console under random keys."
    import numpy as np
    took = []
    for _ in range(times):
        e.set_buttons((1 << rng.integers(0, 8, e.n)).astype(np.uint8))
        device_sync(e.device)
        t = [time.perf_counter()]
        for part in e.step, lambda: e.pixels(pix):
            part()
            device_sync(e.device)
            t.append(time.perf_counter())
        took.append(np.diff(t))
    return np.median(took[1:], 0)

def speed(e, step, draw):
    "The numbers of a row."
    return dict(title=e.cart.title, rom_sha256=e.cart.sha256, n=e.n, frames=24, step_ms=1e3*step, render_ms=1e3*draw,
                fps=24*e.n/(step + draw), fps_without_pictures=24*e.n/step)

@stage
def smoke(o):
    "`gbxnb smoke`: does training work here at all? By PPO in float32, by A2C, and in bfloat16, compiled where there is time for it."
    from gbxnb.base.command import call
    from gbxnb.runs.doctor import smoke_cli
    first_launch(o.device)
    little, much = dict(num_envs=8, rollout_steps=8, steps=192, episodes=4, threads=1), dict(num_envs=1024, steps=1 << 17, episodes=64)
    rows, file = o.rows, o.out/'smoke.row.json'
    for more in {}, dict(algo='a2c'), dict(precision='bfloat16') | ({} if o.small else dict(compile=True)):
        file.unlink(missing_ok=True)
        status, said, err = call(smoke_cli, device=o.device, out=file, **(little if o.small else much), **more)
        print(said, end='', flush=True)
        rows.append(json.loads(file.read_text()) if file.exists() else dict(ok=False, exit=status, said=err[-2000:], asked=more))
    file.unlink(missing_ok=True)
    return dict(rows=rows, ok=all(r['ok'] for r in rows))

@stage
def machine(o):
    "What this machine is; how long its first launch takes."
    out = {**first_launch(o.device)}
    import torch, warp as wp
    out |= dict(cores=len(os.sched_getaffinity(0)), cpu=platform.processor(), python=platform.python_version(), torch=torch.__version__,
                warp=wp.__version__, devices=[f'{d}: {d.name}' for d in wp.get_devices()])
    if o.device != 'cpu':
        out['nvidia_smi'] = asked_smi('name,driver_version,memory.total,clocks.max.sm,clocks.sm,power.limit')
        n = 1 << 28
        a, b = torch.empty(n, device=o.device), torch.rand(n, device=o.device)
        a.copy_(b)
        marks = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        marks[0].record()
        for _ in range(10): a.copy_(b)
        marks[1].record()
        torch.cuda.synchronize()
        out['copy_bytes_per_s'] = 10*8*n/(marks[0].elapsed_time(marks[1])/1e3)
    return out

@stage
def hashes(o):
    "cpu = the device, bit for bit: states and pictures of the bundled game under random keys, in one batch and in another."
    import numpy as np, warp as wp
    from gbxnb.games import bundled as game
    from gbxnb.emulator.emulator import Emulator
    (n, steps, slowly), rows = (16, 4, 10) if o.small else (64, 40, 2), o.rows
    for rom in [game.rom(), *map(Path, o.games)]:
        keys = 1 << np.random.default_rng(0).integers(0, 8, (steps, n))
        machines = [Emulator(rom, n, 'cpu'), Emulator(rom, n, o.device), Emulator(rom, n, o.device, shortcuts=False)][:2 if o.small else 3]
        early, said = None, []
        for e in machines:
            pix = wp.zeros((n, 72, 80), wp.uint8, e.device)
            for t, k in enumerate(keys[:steps if len(said) < 2 else slowly], 1):
                e.set_buttons(k.astype(np.uint8))
                e.step()
                e.pixels(pix)
                if not said and t == slowly: early = e.hash()
            said.append((e.hash(), pix.numpy().tobytes(), e.faults.tolist()))
        slow = len(machines) < 3 or machines[2].hash() == early
        cart = machines[0].cart
        rows.append(dict(title=cart.title, rom_sha256=cart.sha256, n=n, steps=steps, states=said[0][0] == said[1][0],
                         pixels=said[0][1] == said[1][1], faults=said[0][2] == said[1][2], without_shortcuts=bool(slow),
                         different_consoles=len({machines[1].hash(i) for i in range(n)})))
    return dict(rows=rows, ok=all(r['states'] and r['pixels'] and r['faults'] and r['without_shortcuts'] for r in rows))

@stage
def tests(o):
    "The tests that need a GPU; with the CPU in its place, those that can be tried there."
    from importlib.util import find_spec
    if lacking := [name for name in ('pytest', 'hypothesis') if not find_spec(name)]: return dict(skipped=f'not installed: {lacking}')
    names = 'envs/test_cuda', 'explore/test_explore_saved', 'proofs/test_verify', 'training/test_distributed'
    files = [f'tests/{name}.py' for name in names]
    chosen = ['--slow', '-k', 'cpu', files[0]] if o.device == 'cpu' else ['-k', 'cuda or gpu or nccl', *files]
    done = subprocess.run([sys.executable, '-m', 'pytest', '-rfEs', '--tb=short', *chosen], cwd=root, capture_output=True, text=True)
    return dict(said=done.stdout[-6000:], ok=done.returncode == 0)

@stage
def micro(o):
    "Every micro-ROM on the device."
    from microroms import ROMS, run
    names, bad = list(ROMS)[:5 if o.small else None], {}
    for name in names:
        try:
            verdict, _ = run(ROMS[name], device=o.device)
            if not verdict.passed: bad[name] = verdict.text
        except Exception as e: bad[name] = repr(e)
    return dict(count=len(names), failed=bad, ok=not bad)

@stage
def environments(o):
    "A goal environment is the same on cpu and on the device; its step waits for nothing, allocates nothing, and can be captured."
    import torch
    from gbxnb.bench.profile import goal_env
    from gbxnb.bench.throughput import steady
    n, steps = (8, 5) if o.small else (256, 60)
    with mock.patch.dict(os.environ, GBXNB_TRACES='off'): # the step in which traces come in waits, once
        a, b = (goal_env(n, 4, device=d) for d in ('cpu', o.device))
    rng, same = torch.Generator().manual_seed(1), []
    for e in a, b: e.reset(seed=3)
    for _ in range(steps):
        acts = torch.randint(7, (n,), generator=rng)
        x, y = a.step(acts), b.step(acts.to(b.device))
        same.append(all(torch.equal(p, q.cpu()) for p, q in zip(x[:4], y[:4])))
    acts = acts.to(b.device)
    watch = steady(lambda: b.step(acts))
    out = dict(n=n, steps=steps, equal=all(same), allocations=len(watch.allocations), waits=watch.waits)
    if o.device != 'cpu':
        torch.cuda.set_sync_debug_mode('error')
        try: b.step(acts); out['syncs'] = 'none'
        except RuntimeError as e: out['syncs'] = str(e)
        finally: torch.cuda.set_sync_debug_mode('default')
    return out | dict(ok=all(same) and not watch.allocations and not watch.waits and out.get('syncs', 'none') == 'none')

@stage
def sights(o):
    "Observations, whole screens, goals with masks and starts by environment: cpu = device, one graph = launch by launch."
    import numpy as np, torch
    from dataclasses import replace
    from gbxnb.games.bundled import bundled_task
    from gbxnb.envs.config import EnvConfig, GoalConfig
    from gbxnb.envs.goal import GoalJudge
    from gbxnb.envs.pixels import PixelsEnv
    from gbxnb.games import bundled as game
    n, steps, rows = 8 if o.small else 256, 6 if o.small else 60, {}
    mask = np.zeros((72, 80), np.uint8)
    mask[8:64] = 1
    def new(device, observation):
        task = bundled_task('town/cellar')
        goal = replace(task.goal, pix=np.stack([task.goal.pix, task.start.pix])[:, None], mask=mask)
        cfg = EnvConfig(max_steps=16, observation=observation, stack_k=2 if observation == 'mean' else 1)
        return PixelsEnv(game.rom(), n, cfg, task.start, GoalJudge(goal, GoalConfig(shaping='relative')), device=device)
    for sight in 'shades', 'full', 'mean', 'full crop=8,0,128,160':
        rng, same, envs = torch.Generator().manual_seed(1), [], [new('cpu', sight), new(o.device, sight), new(o.device, sight)]
        envs[2].recorder.records = False
        for e in envs:
            e.reset(seed=3)
            e.add_starts([e.backend.snapshot(k) for k in range(4)])
            e.reset(options=dict(start=torch.arange(n, device=e.device) % 5))
        for _ in range(steps):
            acts = torch.randint(7, (n,), generator=rng)
            seen = [[x.clone().cpu() for x in (*e.step(acts.to(e.device))[:4], e.final_obs, e.judge.dist, e.frames())] for e in envs]
            same.append(all(torch.equal(p, q) and torch.equal(p, r) for p, q, r in zip(*seen)))
        rows[sight] = dict(same=all(same), captured=envs[1].recorder.graph is not None)
        for e in envs: e.close()
    return dict(n=n, steps=steps, rows=rows, ok=all(r['same'] for r in rows.values()))

@stage
def sweep(o):
    "Frames a second of the bare step kernel and picture, over N and block sizes, for each game; consoles under random keys."
    import numpy as np, warp as wp
    from gbxnb.backends.base import divergence, waiting_share
    from gbxnb.emulator import emulator
    from gbxnb.games import bundled as game
    sizes = (32, 64) if o.small else (131072, 16384, 64, 65536, 262144, 4096, 1024)
    rows, begin, block = o.rows, time.perf_counter(), emulator.BLOCK
    games = [first := game.rom(), *map(Path, o.games)]
    for n in sizes: # all games at the sizes that matter most, before any at the others
        for rom in games:
            if time.perf_counter() - begin > o.seconds: return dict(rows=rows, stopped=f'after {o.seconds} s')
            e = emulator.Emulator(rom, n, o.device)
            pix, rng = wp.zeros((n, 72, 80), wp.uint8, o.device), np.random.default_rng(0)
            e.run_frames(300)
            for emulator.BLOCK in (block, 64, 128, 256) if n == 65536 and rom is first and o.device != 'cpu' else (block,):
                e._prepare()
                rows.append(dict(block=emulator.BLOCK) | speed(e, *time_steps(e, pix, rng, 3 if o.small else 8)))
                print(json.dumps(rows[-1]), flush=True)
            emulator.BLOCK = block
            if o.small: rows[-1] |= dict(distinct_pcs_of_32=divergence(e)) | waiting_share(e, 40) # a GPU copies all rows for it
            del e, pix
    return dict(rows=rows)

@stage
def traces(o):
    "With traces and without: equal states, and frames a second."
    import numpy as np, warp as wp
    from gbxnb.games import bundled as game
    from gbxnb.emulator.cartridge import Cartridge
    from gbxnb.emulator.emulator import Emulator
    from gbxnb.traces.cache import compile_traces, load_traces
    from gbxnb.base.startup import target_of
    rows, begin, device = o.rows, time.perf_counter(), wp.get_device(o.device)
    def played(cart, n, there):
        e, rng = Emulator(cart, n, o.device), np.random.default_rng(0)
        if there: e.exchange(*there)
        e.run_frames(300)
        for _ in range(4):
            e.set_buttons((1 << rng.integers(0, 8, n)).astype(np.uint8))
            e.step()
        return e
    for rom in [game.rom(), *map(Path, o.games)]:
        cart, plain = Cartridge.load(rom), None
        for traced in False, True:
            if time.perf_counter() - begin > o.seconds: return dict(rows=rows, stopped=f'after {o.seconds} s')
            there = load_traces(cart, device) if traced else None
            if traced and not there: there = (compile_traces(cart, target_of(device)), load_traces(cart, device))[1]
            found = played(cart, 32, there).hash()
            plain = plain or found
            for n in (32,) if o.small else (16384, 65536):
                e = played(cart, n, there)
                times = time_steps(e, wp.zeros((n, 72, 80), wp.uint8, o.device), np.random.default_rng(0), 3 if o.small else 8)
                rows.append(dict(instructions=450 if traced else None, equal=found == plain) | speed(e, *times))
                print(json.dumps(rows[-1]), flush=True)
                del e
    return dict(rows=rows, ok=all(r['equal'] for r in rows))

PLAY = """
import sys, numpy as np
from pathlib import Path
from gbxnb.games import bundled as game
from gbxnb.emulator.emulator import Emulator
rom, n, device = sys.argv[1:]
e, rng = Emulator(Path(rom) if rom else game.rom(), int(n), device), np.random.default_rng(0)
e.run_frames(300)
for _ in range(12):
    e.set_buttons((1 << rng.integers(0, 8, e.n)).astype(np.uint8))
    e.step()
print(e.hash())
"""

@stage
def counters(o):
    "Nsight Compute's counters of one launch of the step kernel, for each game; where that profiler is at hand."
    sections = 'LaunchStats Occupancy SpeedOfLight SchedulerStats WarpStateStats MemoryWorkloadAnalysis InstructionStats'
    options = '--clock-control none --csv --page details -k regex:run_machine --launch-skip 11 --launch-count 1'
    ncu = shutil.which('ncu') if o.device != 'cpu' else None
    profiler = [ncu, *options.split(), *(w for name in sections.split() for w in ('--section', name))] if ncu else []
    environ = os.environ | dict(PYTHONPATH=os.pathsep.join([str(root), os.environ.get('PYTHONPATH', '')]).rstrip(os.pathsep))
    rows, begin = o.rows, time.perf_counter()
    for n in (4,) if o.small else (65536, 8192):
        for rom in ['', *o.games]:
            if time.perf_counter() - begin > o.seconds: return dict(rows=rows, stopped=f'after {o.seconds} s')
            command = [*profiler, sys.executable, '-c', PLAY, rom, str(n), o.device]
            done = subprocess.run(command, capture_output=True, text=True, env=environ)
            table = done.stdout[done.stdout.find('"ID"'):] if '"ID"' in done.stdout else ''
            counted = {f"{r['Metric Name']} [{r['Metric Unit']}]": r['Metric Value'] for r in csv.DictReader(io.StringIO(table))}
            rows.append(dict(rom=Path(rom).name, n=n, counters=counted))
            if done.returncode or ncu and not counted: rows[-1] |= dict(exit=done.returncode, said=(done.stdout + done.stderr)[-2000:])
    out = dict(rows=rows, ok=not any('exit' in r for r in rows))
    return out if ncu else out | dict(skipped='no counters: no ncu on the PATH, or no GPU; the program alone ran')

@stage
def env(o):
    "`gbxnb bench env` at the sizes that matter."
    from gbxnb.bench.throughput import bench_env_cli
    little = dict(num_envs='2,4', warmup=3, rollout_steps=3)
    grid = [(1, 'none', '16384,65536'), (4, 'all', '16384'), (1, 'none', '256,1024')]
    made = [captured(bench_env_cli, stack_k=k, resets=resets, device=o.device, max_seconds=20,
                     **(little if o.small else dict(num_envs=sizes, warmup=10, rollout_steps=60))) for k, resets, sizes in grid]
    return next((b for b in made if 'exit' in b), None) or made[0] | dict(rows=[r for b in made for r in b['rows']])

@stage
def train(o):
    "`gbxnb bench train`: the loop with and without its parts, and the share of each."
    from gbxnb.bench.train import bench_train_cli
    little = dict(num_envs=4, rollout_steps=8, rounds=1, updates=1, eval_episodes=1)
    many = dict(modes='env_only,inference,trainer', num_envs=16384, rollout_steps=16, model='pixel', rounds=3, updates=2)
    return captured(bench_train_cli, device=o.device, **(little if o.small else many))

@stage
def ships(o):
    "Prospector: the same ships on cpu and on the device, bit for bit; environment steps a second, and the trainer with a small network."
    import torch
    from gbxnb.bench.throughput import bench_env_cli
    from gbxnb.bench.train import bench_train_cli
    from gbxnb.prospector.world import Prospector, ProspectorConfig
    n, steps = (8, 20) if o.small else (4096, 300)
    pair, rng = [Prospector(n, ProspectorConfig(), d, seed=5) for d in ('cpu', o.device)], torch.Generator().manual_seed(0)
    different = {}
    for env in pair: env.reset(seed=5)
    for step in range(steps):
        actions = torch.randint(0, 69, (n,), generator=rng)
        one, two = ([x.cpu() for x in (*env.step(actions.to(env.device))[:4], env.final_obs)] for env in pair)
        for name, a, b in zip(('obs', 'reward', 'done', 'trunc', 'final_obs'), one, two):
            if not torch.equal(a, b): different.setdefault(name, step)
    sizes, rollout = ('8,16', 3) if o.small else ('16384,262144', 300)
    rates = captured(bench_env_cli, world='prospector', num_envs=sizes, rollout_steps=rollout, max_seconds=20, device=o.device)
    much = dict(num_envs=8, rollout_steps=8, rounds=1, updates=1)
    if not o.small: much = dict(num_envs=16384, rollout_steps=32, rounds=3, updates=2)
    trained = captured(bench_train_cli, world='prospector', reward='profit', model='vector', modes='env_only,inference,trainer',
                       device=o.device, **much)
    return dict(ships=n, steps=steps, equal=not different, ok=not different, first_difference=different, env=rates,
                train=trained)

def merge(out):
    "All that a folder has, in one file."
    stages = {p.stem: json.loads(p.read_text()) for p in sorted(out.glob('*.json')) if p.stem in STAGES}
    (out/'gpu.json').write_text(json.dumps(dict(stages=stages), indent=1) + '\n')

def too_long(*_): raise TimeoutError('the stage took too long')

@contextlib.contextmanager
def within(seconds):
    "Raise `TimeoutError` after so long; 0 is never."
    if seconds:
        signal.signal(signal.SIGALRM, too_long)
        signal.alarm(seconds)
    try: yield
    finally:
        if seconds: signal.alarm(0)

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('stages', nargs='*', help=f'of {", ".join(STAGES)}; all by default')
    p.add_argument('--device', default='cuda:0')
    p.add_argument('--games', nargs='*', default=[], help='files of further cartridges')
    p.add_argument('--out', type=Path, default=Path(os.environ.get('OUT') or root/'runs/gpu'))
    p.add_argument('--seconds', type=float, default=450, help='the sweep begins no new size after this')
    p.add_argument('--commit', default='', help='of this tree, where there is no git to ask')
    p.add_argument('--limit', type=int, default=0, help='a stage that takes more seconds fails, with the rows it has')
    p.add_argument('--small', action='store_true', help='tiny sizes: try the script')
    o, failed = p.parse_args(), []
    if unknown := set(o.stages) - set(STAGES): p.error(f'no stage {", ".join(unknown)}; there are {", ".join(STAGES)}')
    o.out.mkdir(parents=True, exist_ok=True)
    for name in o.stages or STAGES:
        begin, o.rows = time.perf_counter(), []
        try:
            with within(o.limit): result = STAGES[name](o)
        except BaseException as e:
            result = dict(ok=False, error=repr(e), trace=traceback.format_exc()[-3000:]) | (dict(rows=o.rows) if o.rows else {})
            if isinstance(e, KeyboardInterrupt): break
        result = with_facts(result, row_facts(o.device))
        made = where(o.device) | ({'git_sha': o.commit} if o.commit else {})
        took = round(time.perf_counter() - begin, 1)
        result = dict(stage=name, date=str(date.today()), **made, small=o.small, seconds=took) | result | dict(git_sha=made['git_sha'])
        (o.out/f'{name}.json').write_text(json.dumps(result, indent=1, default=str) + '\n')
        bad = result.get('ok') is False or 'exit' in result
        if bad: failed.append(name)
        print(f"{'FAILED' if bad else 'ok':7} {name:13} {result['seconds']:7} s  {result.get('error', '')}"[:200], flush=True)
    merge(o.out)
    sys.exit(bool(failed))

if __name__ == '__main__': main()
