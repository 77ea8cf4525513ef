"""Figures on record: which command measures each, which code it depends on, how old it is. `make records` measures again what is stale.

    python tests/records.py                       measure what is stale and can be measured here; goes on where it was ended
    python tests/records.py NAME ...              these, stale or not
    python tests/records.py --list                what there is, how old it is, what it needs
    python tests/records.py --release             exit 1 if README or home page quote a figure that is stale
    python tests/records.py --show NAME ...       run the cells of pages that show these
    python tests/records.py --marks               bring the ages that pages show up to date (`make export` does)

Only this writes into `results`: from a clean tree, on a quiet machine, whose speed and load are measured first. What is being measured
lies in runs/records under the hash of its code, so a command that can go on goes on, and one measurement never has two kinds of code.
Games are found by RECORD_GAMES, a folder of ROMs with licences.json beside them (ports need carazu.gb and adjustris.gb); those that
scripts choose by hash by RECORD_STRANGERS, a folder; test ROMs by GBXNB_TEST_ROMS, folders with : between; single-step vectors by
GBXNB_SM83_VECTORS, a folder; the original of Prospector by PROSPECTOR_ORIGINAL, a shared library: built with -O2 for parity, as fused
additions round once; with -O3 -march=native for speed."""
import argparse, ast, json, linecache, os, re, shlex, shutil, signal, statistics, subprocess, sys, tempfile, time
from dataclasses import dataclass
from datetime import date
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
import psutil
from gbxnb.base.files import UserError, cli_errors, read_json, sha256, write_atomic
from gbxnb.base.progress import about
from gbxnb.bench.throughput import calibrate
from gbxnb.games.town import rom
from gbxnb.proofs.records import check_header, code_hashes, mark_of, stale
from fuzzing import names as campaigns
from lints import python
from pages import book, notebooks, root
from pythons import find_python, promised

@dataclass(frozen=True)
class Measurement:
    "How a record comes about."
    command:str # As typed in the checkout, with {out} for its file, {folder} for that of tune.json; or `page.ipynb: expression`, its value
    code:tuple # What it depends on: files, or `file:name`
    minutes:float # On two cores, about
    needs:tuple = () # Of NEEDS
    timed:bool = True # It measures time, so the machine has to be quiet
    counted:str = '' # What was counted, where the result does not say it

NEEDS = dict( # what a measurement may need: whether it is here
    games=lambda: bool(os.environ.get('RECORD_GAMES')), strangers=lambda: bool(os.environ.get('RECORD_STRANGERS')),
    roms=lambda: bool(os.environ.get('GBXNB_TEST_ROMS')), vectors=lambda: bool(os.environ.get('GBXNB_SM83_VECTORS')),
    pyboy=lambda: bool(find_spec('pyboy')), browser=lambda: bool(find_spec('playwright') and shutil.which('chromium')),
    trainers=lambda: all(map(find_spec, ('stable_baselines3', 'rsl_rl', 'torchrl'))),
    original=lambda: bool(os.environ.get('PROSPECTOR_ORIGINAL')), root=lambda: os.name == 'posix' and not os.geteuid(),
    uv=lambda: bool(find_spec('uv') or shutil.which('uv')), pythons=lambda: sum(map(bool, map(find_python, promised()))) > 1,
    ports=lambda: {'carazu.gb', 'adjustris.gb'} <= {Path(p).name for p in roms_of(os.environ.get('RECORD_GAMES', ''))},
    hand=lambda: False) # somebody else's tools, or a machine without a checkout: there is no one command

def code(*names): return tuple(n if n.startswith(('tests/', 'nbs/')) else f'gbxnb/{n}' for n in names)

# What runs behind names that are looked up, in registries and by late imports
TRACES = code('traces/cache.py', 'traces/traces.py')
TOWN = code('worlds/gameboy.py:make_gameboy', 'games/town.py', 'games/bundled.py') + TRACES
STEPS = code('envs/pixels.py:PixelsEnv.step', 'envs/pixels.py:PixelsEnv.reset', 'envs/goal.py:GoalJudge')
LOOP = code('training/loop.py:train', 'training/ppo.py', 'training/rollout.py:start_run', 'runs/evaluate.py:evaluate')
SMALL, SHIPS = code('training/models.py:SmallActorCritic'), code('prospector/world.py:make_prospector')
LINES, CATCH = code('training/models.py:VectorActorCritic'), code('toys/toys.py:make_catch') + SMALL
LEARN = code('bench/learning.py:one_run', 'bench/learning.py:BENCHMARKS') + LOOP
FILES = code('base/command.py', 'base/files.py', 'base/folder.py') # where what is damaged is read, and what is ended is stored
WORK, RESULTS = root/'runs/records', root/'nbs'
RECORDS: dict[str, Measurement] = {}

def record(name, command, code, minutes, *needs, timed=True, counted=''):
    RECORDS[name] = Measurement(command, code, minutes, needs, timed, counted)

record('bench/results/compare.json', 'gbxnb bench compare {games} --licences {licences} --out {out}',
       code('bench/compare.py:compare_games', 'games/town.py') + TRACES, 17, 'games', 'pyboy')
CARTPOLE, TOYS = code('toys/toys.py:make_cartpole') + LINES, code('toys/toys.py:make_constant', 'toys/toys.py:STAY') + LINES
GAME, PIXEL, IMPALA = (TOWN + code(f'training/models.py:{k}ActorCritic') for k in ('Small', 'Pixel', 'Impala'))
for name, minutes, world in (('cartpole --seeds 24', 9, CARTPOLE), ('catch', 4, CATCH), ('catch_a2c', 4, CATCH), ('constant', 1, TOYS),
                             ('stay', 1, TOYS), ('game', 8, GAME), ('game_pixel', 15, PIXEL), ('game_impala', 900, IMPALA),
                             ('demo_starts', 8, GAME), ('prospector', 4, SHIPS + LINES)):
    record(f'bench/results/learning_{name.split()[0]}.json', f'gbxnb learn {name} --out {{out}}', LEARN + world, minutes,
           timed=name == 'game') # the home page quotes its seconds
GRID = code('bench/throughput.py:measure', 'bench/throughput.py:bench_world') + TOWN + STEPS
record('bench/results/env_16384.json', 'gbxnb bench env --num-envs 1,256,8192,16384 --resets none,all --rollout-steps 100 '
       '--traces wait --out {out}', GRID, 6)
record('bench/results/env_frame.json', 'gbxnb bench env --num-envs 1,256,4096,16384 --frames-per-step 1 --release-after-frames 1 '
       '--warmup 50 --rollout-steps 500 --repeats 3 --traces wait --out {out}', GRID, 5)
record('bench/results/env_grid.json', 'gbxnb bench env --num-envs 256,4096 --stack-k 1,4 --env plain,goal --both-packings '
       '--warmup 20 --rollout-steps 50 --repeats 3 --traces wait --out {out}', GRID, 8)
for name, more in dict(step_facts=(), python_time=('python_rows',), reset_cost=('forced_resets',)).items():
    record(f'bench/results/{name}.json', f'gbxnb bench profile --record {name} --out {{out}}',
           code(*(f'bench/profile.py:{n}' for n in ('probe_env', name, *more))) + STEPS, 1)
record('bench/results/log_cost.json', 'python tests/log_cost.py --out {out}', code('tests/log_cost.py', 'logs/metrics.py') + LOOP + GAME, 6)
TRAINER = code('bench/train.py:TrainBench', 'bench/train.py:bench_modes', 'bench/train.py:train_bench') + LOOP
record('bench/results/train.json', 'gbxnb bench train --rounds 5 --out {out}', TRAINER + TOWN + SMALL, 4)
record('bench/results/train_prospector.json', 'gbxnb bench train --world prospector --rounds 8 --out {out}',
       TRAINER + SHIPS + LINES, 3)
def sizes_of(n): return f'--num-envs {n} --rollout-steps 8 --epochs 1 --minibatches {n//1024} --packed --info-mode stats'
for n in 8192, 16384:
    command = f'gbxnb bench train {sizes_of(n)} --modes env_only,trainer --rounds 3 --updates 1 --out {{out}}'
    record(f'bench/results/train_{n}.json', command, TRAINER + TOWN + SMALL, 4)
TUNE = code('bench/tune.py:time_cell', 'bench/tune.py:choose', 'bench/train.py:TrainBench') + LEARN
record('bench/results/tune.json', 'gbxnb bench tune --out {folder}', TUNE + GAME, 50)
record('bench/results/tune_prospector.json', 'gbxnb bench tune prospector --num-envs 512,1024,2048 --minibatches 8,16 --threads 2 '
       '--rounds 3 --steps 131072 --out {folder}', TUNE + SHIPS + LINES, 5)
record('bench/results/profile.json', 'gbxnb bench profile --num-envs 1,256 --cold --out {out}',
       code('bench/profile.py:step_profile', 'bench/profile.py:cold_start') + TOWN, 3)
record('bench/results/traced_code.json', 'bench/05_machine_code.ipynb: code_of_games(games())',
       code('bench/machine_code.py:read_code', 'bench/machine_code.py:compile_code', 'traces/cache.py:traced_kernel',
            'traces/cache.py:extent_for', 'traces/traces.py:write_traces', 'traces/symbolic.py:profile_game'), 4, 'games',
       timed=False, counted='the step kernel with traces for sm_90, compiled without such a device: registers, spills and instructions')
for way, minutes in dict(backward=17, pieces=15).items():
    record(f'envs/results/key_{way}.json', f'python tests/key.py {way} --out {{out}}',
           code('tests/key.py', 'explore/explorer.py') + LOOP + TOWN + SMALL, minutes, timed=False)
record('games/results/ports.json', 'games/06_ports.ipynb: train_games(games(), here)',
       code('games/ports.py:CARAZU', 'games/ports.py:ADJUSTRIS', 'worlds/gameboy.py:make_gameboy') + STEPS + LOOP + SMALL, 25, 'ports',
       timed=False, counted='what trained and random policies reach in two games, by the numbers of the games')
record('lab/results/play_latency.json', 'python tests/test_browser_play.py {out}',
       code('lab/play.py', 'lab/session.py', 'lab/canvas.py'), 2, 'browser',
       counted='milliseconds from a key to the changed picture in a browser')
record('lab/results/trainer_latency.json', 'python tests/test_browser_trainer.py {out}',
       code('lab/trainer.py', 'lab/canvas.py') + LOOP, 3, 'browser',
       counted='milliseconds from a press to what it changes, in a browser, at rest and while it trains')
record('lab/results/watch_cost.json', 'python tests/watch_cost.py --out {out}',
       code('tests/watch_cost.py', 'lab/watch.py', 'lab/canvas.py'), 4, 'browser')
ROMS = code('proofs/conformance.py:run_conformance', 'proofs/verdicts.py')
record('proofs/conformance_table.json', 'gbxnb roms {roms} --out {out}', ROMS, 6, 'roms', timed=False,
       counted='verdicts of test ROMs, each by the protocol of its family')
record('proofs/results/conformance_traced.json', 'proofs/01_conformance.ipynb: trace_core(FOLDERS)',
       code('proofs/conformance.py:run_case', 'proofs/verdicts.py'), 8, 'roms', timed=False,
       counted='a build of each core test, run by the interpreter and with all of its program in traces that can be; both must agree')
# Each of the others is built, and asked for registers and pictures, in its own way: no program here does that for all of them
record('proofs/results/conformance_others.json', "by each emulator's own harness",
       code('proofs/conformance.py:core_name'), 60, 'hand', timed=False)
record('proofs/results/same_frames.json', "by each emulator's own harness",
       code('emulator/cpu.py:machine_kernel', 'emulator/raster.py:drawing_frames', 'emulator/rows.py:boot_row'), 60, 'hand', timed=False)
record('scripts/results/scripts.json', 'by tests/pyboy_*.py', code('pyboy.py', 'scripts/stops.py', 'scripts/views.py'), 30, 'hand')
SHARED = code('base/rendezvous.py', 'base/group.py', 'runs/checkpoint.py:checkpoint_of', 'runs/resume.py:resume_run',
              'runs/train.py:train')
record('proofs/results/hosts.json', 'python tests/hosts.py --out {out}', code('tests/hosts.py') + SHARED, 45, 'root', timed=False,
       counted='what a run across hosts does when a process, a cable, a disk or a host fails')
record('bench/results/shared_sizes.json', 'python tests/shared_sizes.py --out {out}',
       code('tests/shared_sizes.py') + SHARED + LOOP + TOWN, 9)
record('studies/results/rounds.json', 'python tests/rounds.py all {games} --out {out}',
       code('tests/rounds.py', 'explore/rounds.py', 'explore/explorer.py'), 45, 'games',
       counted='places that explorers on one core each find, medians of seeds; what is lost when one is killed again and again')
record('proofs/lockstep_games.json', 'proofs/03_verify.ipynb: verify_games(games())',
       code('proofs/lockstep.py', 'proofs/verify.py:run', 'proofs/verify.py:bisect'), 4, 'games', 'pyboy', timed=False,
       counted='frames of random keys that PyBoy and this emulator end with the same state')
record('proofs/results/campaigns.json', 'python tests/fuzzing.py --out {out}',
       code('tests/fuzzing.py', *(f'tests/fuzz_{n}.py' for n in campaigns())) + FILES, 13, 'pyboy', timed=False,
       counted='tries of damaged input, campaign by campaign, and what became of them')
record('proofs/results/elsewhere.json', 'python tests/elsewhere.py macos windows --out {out}',
       code('tests/elsewhere.py', 'tests/elsewhere_hook.py'), 10, timed=False)
ORIGINAL = 'repository=jordanbailey00/asteroid-prospector-rl commit=1ba470278bd84962ead92490e226f01d7e4201c4'
record('proofs/results/parity.json', f'python tests/original.py {{out}} {ORIGINAL}', code('tests/parity.py', 'tests/original.py') + SHIPS,
       10, 'original', timed=False,
       counted='steps in which reference, kernels and original were compared, and what differed')
record('proofs/results/platforms.json', 'python tests/platforms.py --out {out}', code('tests/platforms.py'), 10, 'uv', timed=False)
record('proofs/results/pythons.json', 'python tests/pythons.py --out {out}', code('tests/pythons.py'), 50, 'uv', 'pythons', timed=False)
record('proofs/results/restore_600_frames.json', 'python tests/restored.py {out} {games}', code('tests/restored.py') + TOWN, 1,
       'games', timed=False)
DISTURBED = code('runs/train.py:train_cli', 'games/demo.py:demo_cli') + FILES + LOOP
record('proofs/results/stops.json', 'python tests/stops.py --out {out}',
       code('tests/stops.py', 'explore/explore.py:explore_cli', 'goals/capture.py:goal_propose_cli', 'bench/learning.py:learn_cli')
       + DISTURBED, 12, timed=False, counted='ends at random moments, command by command, and how the work went on')
record('proofs/results/survive.json', 'python tests/survive.py --out {out}',
       code('tests/survive.py', 'goals/capture.py:goal_capture_cli', 'runs/film.py:film_cli', 'runs/policy.py:eval_cli',
            'logs/plots.py:log_plot_cli') + DISTURBED, 8, 'root', timed=False)
for n in 8192, 16384:
    record(f'proofs/results/smoke_{n}.json', f'gbxnb smoke {sizes_of(n)} --steps {24*n} --out {{out}}',
           code('proofs/smoke.py') + LOOP + TOWN + STEPS + SMALL, 4, timed=False, counted='what must be true of a training')
record('proofs/results/vectors.json', 'proofs/06_vectors.ipynb: check_vectors(VECTORS)',
       code('nbs/proofs/06_vectors.ipynb:check_vectors'), 5, 'vectors', timed=False,
       counted='cases of single instructions that pass, by the interpreter and as traces, and those left to the interpreter')
record('proofs/results/watched.json', 'python tests/same_values.py {out} {games}', code('tests/same_values.py'), 6, 'games', 'pyboy',
       timed=False)
record('prospector/results/learning_native.json', 'prospector/12_rewards.ipynb: learn_native()', LOOP + SHIPS, 5, timed=False)
record('prospector/results/speed.json', f'python tests/original.py --speed {{out}} {ORIGINAL}', code('tests/original.py:speed') + SHIPS,
       3, 'original')
record('reference/results/reference_processes.json', 'reference/01_reference.ipynb: process_scaling(rom())',
       code('reference/reference.py'), 2, 'pyboy', counted='the same frames by 64 PyBoys in one process and in two, in turn')
record('runs/results/kills.json', 'python tests/kills.py --kills 20 --out {out}',
       code('tests/kills.py', 'runs/checkpoint.py', 'runs/resume.py') + LOOP, 3, timed=False)
COSTS = 'nbs/studies/00_costs.ipynb:'
IN_TURN = 'wall time of steps of 24 frames, the bundled game with random keys; ratios within a round'
record('studies/results/watch_cost.json', 'studies/00_costs.ipynb: watch_cost(rounds=160)', code(f'{COSTS}watch_cost') + TOWN + STEPS, 10,
       counted=IN_TURN)
record('studies/results/observation_cost.json', 'studies/00_costs.ipynb: observation_cost()',
       code(f'{COSTS}observation_cost') + TOWN + STEPS, 4,
       counted=IN_TURN)
record('studies/results/clone_instructions.json', 'python tests/clone_instructions.py --out {out}',
       code('tests/clone_instructions.py') + TOWN + STEPS, 5, timed=False)
record('studies/results/explore_cost.json', 'studies/00_costs.ipynb: dict(rows=[bookkeeping(256), bookkeeping(4096, 12)], memory=memory())',
       code(f'{COSTS}bookkeeping', f'{COSTS}memory') + TOWN, 6,
       counted='wall time of whole steps of an explorer against bare steps of the backend, taking turns; the bundled game')
record('studies/results/explorers.json', 'python tests/explorers.py --out {out}', code('tests/explorers.py') + TOWN, 20, timed=False,
       counted='screens found by explorers of the bundled game, seed by seed')
record('studies/results/games.json', 'python tests/four_games.py explore {strangers} --out {out}',
       code('tests/four_games.py:explore_games') + TRACES, 15, 'strangers', timed=False,
       counted='screens and milestones of four games that explorers reach, seed by seed')
record('studies/results/learned.json', 'python tests/four_games.py learn {strangers} --out {out}',
       code('tests/four_games.py:learn_games', 'tests/four_games.py:learn_place') + TRACES + LOOP, 60, 'strangers', timed=False,
       counted='share of 256 episodes that reach a far place, of twelve places in four games')
record('studies/results/scores.json', 'python tests/scores.py {strangers} {out}',
       code('tests/scores.py:find', 'score/find.py:find_counters', 'score/record.py:record'), 20, 'strangers', timed=False,
       counted='numbers on the screens of 49 games, the bytes that hold them, and at how many moments a change of these showed')
record('studies/results/score_policies.json', 'python tests/score_policies.py {strangers} {out}',
       code('tests/score_policies.py', 'score/find.py:find_counters', 'score/record.py:record', 'score/proposal.py')
       + code('envs/rewards.py:gained') + STEPS + TRACES + LOOP + SMALL, 60, 'strangers', timed=False,
       counted='what policies gain in an episode of eight games, by the lines that gbxnb score prints, beside random keys and none')
MODEL = 'nbs/studies/01_gpu_model.ipynb:'
record('studies/results/model.json', 'studies/01_gpu_model.ipynb: count_games(games())',
       code(f'{MODEL}count_games'), 2, 'games', timed=False)
record('studies/results/traced_model.json', 'studies/01_gpu_model.ipynb: count_traced_games(games())',
       code(f'{MODEL}count_traced_games') + TRACES, 10, 'games', timed=False)
GPU = 'studies/results/gpu.json' # kept by --take
record(GPU, 'python tests/gpu.py --games {games} --out {folder}',
       code('tests/gpu.py:sweep', 'tests/gpu.py:traces', 'tests/gpu.py:counters', 'bench/throughput.py:measure',
            'bench/throughput.py:bench_world', 'training/models.py:PixelActorCritic') + TRAINER + TOWN + STEPS + SHIPS + LINES,
       13, 'hand',
       counted='stages of a run on a GPU: verdicts against the CPU, steps and frames a second, counters of the step kernel')
record('studies/results/speed.json', 'studies/02_speed.ipynb: measure_speed(our_loop(Work()))',
       code('tests/trainer_speed.py', 'nbs/studies/02_speed.ipynb:our_loop') + LOOP + TOWN, 5, 'trainers',
       counted='steps a second of trainers and adapters that take turns, by processor and by wall; ratios within a round')
record('studies/results/success.json', 'python tests/test_adapters.py {out}',
       code('tests/test_adapters.py:train_by', 'nbs/tutorials/06_coming_from.ipynb') + TOWN, 15, 'trainers', timed=False,
       counted='episodes of 256 that reach the goal, by the policies of other trainers, seed by seed')
record('traces/results/idioms.json', 'python tests/idioms.py --out {out}', code('tests/idioms.py') + TRACES, 3)
record('traces/results/traces.json', 'traces/03_cache.ipynb: [try_traces(rom) for rom in games()]',
       code('traces/cache.py:compile_traces', 'traces/cache.py:load_traces'), 8, 'games',
       counted='traces, seconds of a processor to compile them and to run without and with them, bytes on disk')
for name, words, minutes, needs in ('start_here', '{out}', 12, ()), ('strangers', '{strangers} {out}', 45, ('strangers',)):
    record(f'tutorials/results/{name}.json', f'python tests/{name}.py {words}',
           code(f'tests/{name}.py', 'explore/explore.py', 'explore/atlas.py', 'explore/shorten.py') + LOOP + TRACES + SMALL, minutes,
           *needs, counted='seconds, and share of 256 episodes that reach the place, of the policy and of random buttons')

# The measurement

def tree_is_clean():
    "Whether all that is tracked, but records, is as the commit has it."
    run = subprocess.run(['git', 'status', '--porcelain', '-uno'], cwd=root, capture_output=True, text=True, check=True)
    return not [line for line in run.stdout.splitlines() if line[3:].removeprefix('nbs/') not in RECORDS]

def commit():
    return subprocess.run(['git', 'rev-parse', 'HEAD'], cwd=root, capture_output=True, text=True, check=True).stdout.strip()

@dataclass(frozen=True)
class Speed:
    "How fast and how busy a machine is."
    loops:tuple # Seconds of a processor that each ten million additions took
    load:float # Cores at work beside this
    stretched:float = 1. # Seconds that a loop took for each of a processor
    def __add__(self, later): return Speed(self.loops + later.loops, max(self.load, later.load))
    def mean(self): return statistics.mean(self.loops)
    def said(self):
        return dict(calibration_s=round(self.mean(), 3), calibration_range_s=[round(f(self.loops), 3) for f in (min, max)], load=self.load)

def machine(seconds=5):
    "How fast and how busy it is now; over half a minute for what is timed, as the speed of a rented core changes within seconds."
    psutil.cpu_percent()
    began, loops = time.perf_counter(), []
    while (passed := time.perf_counter() - began) < seconds: loops.append(calibrate(10**7))
    time.sleep(1)
    busy = psutil.cpu_percent(1.)/100*(psutil.cpu_count() or 1) # while this process waits
    return Speed(tuple(loops), round(busy, 2), passed/sum(loops))

def warm(seconds=30):
    "All cores at work, as a measurement has them: one that rested is faster for some seconds."
    loop = f'import time\nend = time.monotonic() + {seconds}\nwhile time.monotonic() < end: sum(range(10**5))'
    for work in [subprocess.Popen([sys.executable, '-c', loop]) for _ in range(psutil.cpu_count() or 1)]: work.wait()

def quiet(tries=10, pause=20):
    "Wait until nothing else wants to run; after a quarter of an hour say that something does."
    for _ in range(tries):
        warm()
        found = machine(30)
        if found.load < .25 and found.stretched < 1.1: return found
        print(f'not quiet: {found.load} cores at work beside this, a loop took {found.stretched:.2f} of its processor time', flush=True)
        time.sleep(pause)
    raise UserError('this machine is not quiet: end other programs, and type it again; what is measured already is kept')

LIFTED = {'git_sha', 'torch_version', 'warp_version', 'cuda_version', 'driver_version', 'device', 'cores', 'python_version',
          'counted', 'command', 'date', 'load', 'machine', 'versions'} # said by the header

def header(m, name, said, facts, here, at):
    "What a record says about itself: `facts` of the machine, `here` what `about` says there, `at` the commit."
    versions = {k.removesuffix('_version'): v for k, v in here.items() if k.endswith('_version') and v}
    more = said.get('versions') if isinstance(said.get('versions'), dict) else {}
    counted = said.get('counted') or said.get('protocol') or m.counted
    return dict(counted=counted if isinstance(counted, str) else json.dumps(counted), command=shown_command(m, name),
                date=here.get('date', str(date.today())), commit=at, machine=dict(device=here['device'], cores=here['cores']) | facts,
                versions=versions | {k: str(v) for k, v in more.items() if k not in here},
                depends=sorted(m.code), code=code_hashes(sorted(m.code), root))

def shown_command(m, name):
    if '.ipynb: ' in m.command: return m.command
    folder = f'runs/{Path(name).stem}'
    return m.command.format(out=f'nbs/{name}', folder=folder, games='GAMES', strangers='STRANGERS', roms='ROMS', licences='licences.json')

def defines(node):
    "Whether a statement only says what a name is: an import, a function, a class, a CONSTANT."
    if not isinstance(node, ast.Assign): return isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef))
    names = [t for a in node.targets for t in (a.elts if isinstance(a, ast.Tuple) else [a])]
    return all(isinstance(t, ast.Name) and t.id.isupper() for t in names)

def roms_of(folder):
    "The files of a folder of games."
    return [str(p) for p in sorted(Path(folder).iterdir()) if p.is_file() and p.suffix != '.json'] if folder else []

def page_value(page, expression, here):
    "What an expression says by what a page defines: its module, its own imports, functions, classes, constants; `here` outlasts an end."
    def games(): return [rom(), *(Path(p).read_bytes() for p in roms_of(os.environ.get('RECORD_GAMES', '')))]
    cells = [''.join(c['source']) for c in book(root/'nbs'/page)['cells'] if c['cell_type'] == 'code']
    module = next((m[1] for c in cells if (m := re.match(r'#\| default_exp (\S+)', c))), None)
    space = (dict(vars(import_module(f'gbxnb.{module}'))) if module else {}) | dict(__name__=page, rom=rom, games=games, here=here)
    os.chdir((root/'nbs'/page).parent)
    for k, source in enumerate(cells):
        if '#| export' in source: continue # it comes from the module
        text, place = python(source), f'{page}, cell {k}'
        linecache.cache[place] = len(text), None, text.splitlines(True), place # where Warp looks for the text of a kernel
        tree = ast.parse(text)
        tree.body = [n for n in tree.body if defines(n)]
        exec(compile(tree, place, 'exec'), space)
    return eval(expression, space)

def work_on(name, m):
    "Measure; what came of it."
    hashes = sha256(json.dumps(code_hashes(sorted(m.code), root)).encode())[:12]
    out = WORK/hashes/name.replace('/', '-')/Path(name).name # its own folder, with whatever its command puts beside it
    out.parent.mkdir(parents=True, exist_ok=True)
    folder = out.with_suffix('')
    page, _, expression = m.command.partition(': ')
    if page.endswith('.ipynb'): words = [sys.executable, __file__, '--value', page, expression, str(out)]
    else:
        roms = ' '.join(map(shlex.quote, filter(None, os.environ.get('GBXNB_TEST_ROMS', '').split(os.pathsep))))
        games = ' '.join(map(shlex.quote, roms_of(os.environ.get('RECORD_GAMES', ''))))
        licences = shlex.quote(os.environ.get('RECORD_GAMES', '') + '/licences.json')
        strangers = shlex.quote(os.environ.get('RECORD_STRANGERS', ''))
        places = {k: shlex.quote(str(v)) for k, v in dict(out=out, folder=folder).items()}
        words = shlex.split(m.command.format(**places, games=games, strangers=strangers, roms=roms, licences=licences))
        if words[0] == 'python': words[0] = sys.executable
        if words[0] == 'gbxnb': words[:1] = [sys.executable, '-m', 'gbxnb']
    signal.signal(signal.SIGINT, signal.default_int_handler) # or what is measured ignores it, where this was started in the background
    env = os.environ | dict(PYTHONPATH=os.pathsep.join([str(root), str(root/'tests')]), TQDM_DISABLE='1')
    run = subprocess.run(words, cwd=root, env=env, stdout=subprocess.DEVNULL)
    made = folder/'tune.json' if '{folder}' in m.command else out
    said = read_json(made) if made.exists() else {}
    if not isinstance(said, dict): said = dict(rows=said)
    if not said or run.returncode and not said.get('failures'): # a benchmark that is missed is a result, too
        raise UserError(f'{name}: its command exits with {run.returncode}: {shown_command(m, name)}')
    return out, said

def numbers(value, place=''):
    "Numbers of a record by where they stand, without curves."
    if isinstance(value, list) and not any(isinstance(v, (dict, list)) for v in value): return
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if isinstance(value, (int, float)) and not isinstance(value, bool): yield place, value
    for k, v in items: yield from numbers(v, f'{place}.{k}' if place else str(k))

def moved(before, after, timed, by=.1):
    "What has another value than in the record before, by a tenth or more: what pages say of it is to be read again."
    old, new = (dict(numbers({k: v for k, v in found.items() if k != 'record'})) for found in (before, after))
    if not timed: new = {k: v for k, v in new.items() if not k.endswith(('seconds', '_s'))}
    return [f'{k}: {old[k]:g}, now {new[k]:g}' for k in new if k in old and abs(new[k] - old[k]) > by*max(abs(new[k]), abs(old[k]))]

def keep(name, found):
    text = json.dumps(found, indent=1)
    write_atomic(RESULTS/name, (text if len(text) < 60_000 else json.dumps(found)) + '\n')

def unlike(at, codes):
    "Names of measurements whose code is not here as it was at a commit."
    def git(*words): return subprocess.run(['git', *words], cwd=root, capture_output=True).returncode == 0
    with tempfile.TemporaryDirectory() as d:
        then = Path(d)/'then'
        if not re.fullmatch('[0-9a-f]{40}', at) or not git('worktree', 'add', '--detach', then, at): return [*codes]
        try: return [k for k, c in codes.items() if code_hashes(c, then) != code_hashes(c, root)]
        finally: git('worktree', 'remove', '--force', then)

def take(path):
    "Keep what `tests/gpu.py` measured on a machine without a checkout."
    m, stages = RECORDS[GPU], read_json(path).get('stages')
    if not stages: raise UserError(f'{path}: holds no stage of tests/gpu.py')
    package = [c for c in m.code if c.startswith('gbxnb/')]
    codes = {k: sorted([*package, f'tests/gpu.py:{k}']) for k, s in stages.items() if not s['small']}
    wrong = [k for k in stages if k not in codes]
    for at in {s['git_sha'] for s in stages.values()}: wrong += unlike(at, {k: c for k, c in codes.items() if stages[k]['git_sha'] == at})
    if wrong: raise UserError(f'{path}: {", ".join(wrong)}: small, or of no commit whose code is the one here')
    speeds = [r['calibration_s'] for s in stages.values() for r in s.get('rows', ()) if 'calibration_s' in r]
    last = [*stages.values()][-1]
    facts = dict(calibration_s=round(statistics.median(speeds), 3) if speeds else None, load=None)
    keep(GPU, dict(record=header(m, GPU, {}, facts, last | dict(device=last['device_name']), last['git_sha']), stages=stages))

def measure(name):
    "Make a record."
    m = RECORDS[name]
    before = read_json(RESULTS/name) if (RESULTS/name).exists() else {}
    now = quiet() if m.timed else machine()
    began, at = time.monotonic(), commit()
    out, said = work_on(name, m)
    if m.timed:
        after = machine(30)
        if not .8 < after.mean()/now.mean() < 1.25:
            raise UserError(f'{name}: ten million additions took {now.mean():.3f} s before and {after.mean():.3f} s after it: not kept')
        now += after
    if commit() != at or not tree_is_clean(): raise UserError(f'{name}: the checkout changed while it was measured: not kept')
    kept = {k: v for k, v in said.items() if k not in LIFTED and k != 'record'}
    found = dict(record=header(m, name, said, now.said(), about('cpu'), at)) | kept
    keep(name, found)
    shutil.rmtree(out.parent, ignore_errors=True)
    print(f'{name}: {(time.monotonic() - began)/60:.1f} minutes', *moved(before, found, m.timed), sep='\n  ', flush=True)

def lacking(m): return [n for n in m.needs if not NEEDS[n]()]

def state(name):
    "How a record stands: absent, stale or fresh."
    path = RESULTS/name
    if not path.exists(): return 'absent'
    found = check_header(path, read_json(path))
    return 'stale' if stale(found, root) or found['depends'] != sorted(RECORDS[name].code) else 'fresh'

def measure_all(names):
    "What is stale, the shortest first, or what is named."
    if not tree_is_clean(): raise UserError('the tree has changes: commit or undo them, a record belongs to a commit')
    todo = sorted(names or [n for n in RECORDS if state(n) != 'fresh'], key=lambda n: RECORDS[n].minutes)
    failed = []
    for name in todo:
        if lack := lacking(RECORDS[name]): print(f'{name}: not here: {", ".join(lack)}', flush=True)
        else:
            try: measure(name)
            except UserError as e:
                print(e, flush=True) # now, as the others may take hours
                failed.append(str(e))
    if failed: raise UserError('; '.join(failed))

# Pages

SHOWS = re.compile(r"read_record\(f?'([^']+\.json)'")

def shown(page):
    "Code cells of a page that show records, and the files."
    for cell in book(page)['cells']:
        if paths := paths_in(page, cell): yield cell, paths

def paths_in(page, cell):
    "Files of the records that a cell shows; where a name stands in braces, those of which it has said how old they are."
    return [p for path, p in named_in(page, cell) if '{' not in path or p.name in stored_marks(cell)]

def named_in(page, cell):
    "What a cell may show: (as it stands there, file)."
    source = ''.join(cell['source'])
    named = SHOWS.findall(source) if cell['cell_type'] == 'code' and '#| export' not in source else []
    return [(path, p) for path in named for p in sorted(page.parent.glob(re.sub(r'{.*?}', '*', path)))]

def stored_marks(cell):
    "The outputs of a cell that say how old a record is, by the name of its file."
    found = [o['data'] for o in cell.get('outputs', ()) if 'text/markdown' in o.get('data', {})]
    names = [re.match(r'\*(\w+\.json), measured on ', ''.join(d['text/markdown'])) for d in found]
    return {n[1]: d for n, d in zip(names, found) if n}

def marks(write=False):
    "What pages say that is out of date; by request brought up to date."
    old = []
    for page in notebooks():
        text = page.read_text(encoding='utf-8')
        if 'read_record(' not in text: continue
        whole, changed = json.loads(text), False
        for cell in whole['cells']:
            kept = stored_marks(cell)
            for path in paths_in(page, cell):
                line = mark_of(path, check_header(path, read_json(path)), root)
                if path.name not in kept: old.append(f'{page.relative_to(root)}: the cell {cell["id"]} has not shown {path.name}: run it')
                elif ''.join((data := kept[path.name])['text/markdown']) != line:
                    old.append(f'{page.relative_to(root)}: {"".join(data["text/markdown"])}')
                    data['text/markdown'], changed = [line], True
        if changed and write: write_atomic(page, json.dumps(whole, indent=1, ensure_ascii=False, sort_keys=True) + '\n')
    return old

def quoted():
    "Records that the README and the home page link to, or that pages do which their figures link to."
    home = '\n'.join(''.join(c['source']) for c in book(root/'nbs/index.ipynb')['cells'])
    return HOME | {p for p in re.findall(r'\]\(([^)]+\.json)\)', home)}

HOME = {'bench/results/compare.json', 'bench/results/learning_game.json', 'proofs/conformance_table.json'} # behind pages

SKIPPED = re.compile(r'^#\| *(slow|cuda|notest|eval: false)', re.M)

def outputs(cells, targets, whole):
    "What the targets show, and what those say that fail: after what the others define, or after all of them but the slow ones."
    from execnb.shell import CaptureShell
    shell, found = CaptureShell(), {}
    for c in cells:
        source = ''.join(c['source'])
        if c in targets: found[c['id']] = json.loads(json.dumps(shell.run(source)))
        elif whole and not SKIPPED.search(source): shell.run(source)
        elif not whole:
            tree = ast.parse(python(source))
            tree.body = [n for n in tree.body if defines(n)]
            if tree.body: shell.run(ast.unparse(tree))
    failed = [f'{k}: {o["ename"]}: {o["evalue"]}' for k, out in found.items() for o in out if o['output_type'] == 'error']
    return found, failed

def showing(cells):
    "The cells that read records, and those behind them that speak of what these have found."
    found, known = [], set()
    for c in cells:
        source = ''.join(c['source'])
        names = {n: isinstance(n.ctx, ast.Store) for n in ast.walk(ast.parse(python(source))) if isinstance(n, ast.Name)}
        reads = bool(SHOWS.search(source)) or any(n.id in known for n, stores in names.items() if not stores)
        if '#| export' in source or not reads: continue
        found.append(c)
        known |= {n.id for n, stores in names.items() if stores}
    return found

def show(names):
    "Run the cells of pages that show these records, and keep their outputs."
    wanted = {(root/'nbs'/n).resolve() for n in names}
    for page in notebooks():
        if not any(p.resolve() in wanted for c in book(page)['cells'] for _, p in named_in(page, c)): continue
        os.chdir(page.parent)
        kept = json.loads(page.read_text(encoding='utf-8'))
        cells = [c for c in kept['cells'] if c['cell_type'] == 'code']
        targets = showing(cells)
        for whole in False, True:
            found, failed = outputs(cells, targets, whole)
            if not failed: break
        if failed: print(f'{page.relative_to(root)}: a cell that shows a record fails: {failed[0]}', flush=True)
        else:
            for c in targets: c['outputs'] = found[c['id']]
            write_atomic(page, json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + '\n')

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('names', nargs='*')
    for flag in 'list', 'release', 'marks', 'show': p.add_argument(f'--{flag}', action='store_true')
    p.add_argument('--take', metavar='FILE', help='keep what tests/gpu.py made elsewhere')
    p.add_argument('--value', nargs=3, help=argparse.SUPPRESS)
    o = p.parse_args()
    if unknown := [n for n in o.names if n not in RECORDS]: raise UserError(f'{unknown[0]}: no record; --list shows them')
    if o.value: write_atomic(o.value[2], json.dumps(page_value(*o.value[:2], Path(o.value[2]).resolve().parent)) + '\n')
    elif o.take: take(o.take)
    elif o.marks: marks(write=True)
    elif o.show: show(o.names or list(RECORDS))
    elif o.release:
        if bad := [n for n in sorted(quoted()) if state(n) != 'fresh']:
            raise UserError(f'{", ".join(bad)}: stale, and quoted by the README or the home page; make records')
    elif o.list:
        for name, m in sorted(RECORDS.items()):
            lack = f'  needs {", ".join(lacking(m))}' if lacking(m) else ''
            print(f'{state(name):7}{m.minutes:5.1f} min  {name}{lack}')
    else: measure_all(o.names)

if __name__ == '__main__': cli_errors(main)()
