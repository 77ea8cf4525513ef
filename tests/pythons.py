"""Do the promised Pythons and the lowest versions hold? `python tests/pythons.py --out nbs/proofs/results/pythons.json`

Each Python from `min_python` of settings.ini on that is found here gets two clean environments: one with every package at its lower bound
(the first above it that has a wheel for this Python), one with the newest. The wheel of the package is installed there without an extra,
then with more, and each time tried in an empty folder with an empty home, outside of the checkout: consoles, with and without traces, end
in the state that they have here; a training goes on, is evaluated, filmed, plotted, and its log is checked; a team of processes is left a
hundred times; a damaged checkpoint is refused in a line. Exit status 1 if anything failed. Where torch has no CPU build at hand this
downloads gigabytes (UV_TORCH_BACKEND=cpu asks PyTorch's own index for small ones); all of it lies in a temporary folder and is removed."""
import argparse, configparser, json, os, re, shlex, shutil, subprocess, sys, tempfile, time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = '', 'rl', 'lab' # installed one after the other
SHOWN = 'numpy', 'pillow', 'warp-lang', 'fastcore', 'msgspec', 'torch', 'gymnasium', 'matplotlib'

# What is tried

CONSOLES = """
import numpy as np
from gbxnb import Emulator
from gbxnb.games import bundled as game
from gbxnb.traces.cache import use_traces
for mode in 'off', 'wait':
    e = Emulator(game.rom(), n=4)
    use_traces(e, mode)
    for k in range(60):
        e.set_buttons(np.array([k*37 + 16*i & 255 for i in range(4)], np.uint8))
        e.run_frames(4)
    print(e.loader.state, e.hash())
"""
MODULES = """
import importlib, pkgutil, sys, gbxnb
from gbxnb.base.files import UserError
assert gbxnb.__file__.startswith(sys.prefix), gbxnb.__file__
count = 0
for m in pkgutil.walk_packages(gbxnb.__path__, 'gbxnb.'):
    if len(sys.argv) > 1 and not m.name.startswith(tuple(sys.argv[1:])): continue
    try: importlib.import_module(m.name)
    except UserError as e: assert 'pip install' in str(e), e
    else: count += 1
print(count, 'modules')
"""
MAKE = """
import gymnasium, gbxnb
envs = gymnasium.make_vec('gbxnb/Town-v0', num_envs=2)
envs.reset(seed=0); envs.step(envs.action_space.sample())
print(gbxnb.load_policy()(gbxnb.make('town/house', num_envs=2).reset(seed=0)[0]).shape)
"""
LEAVING = """
import faulthandler, os, torch
from gbxnb.base.group import join
os.environ |= dict(RANK='0', WORLD_SIZE='1', MASTER_ADDR='127.0.0.1', MASTER_PORT='0')
for k in range(100):
    faulthandler.dump_traceback_later(300, exit=True)
    group, _ = join('cpu')
    assert group.sum(torch.ones(3)).tolist() == [1, 1, 1] and group.gather(dict(rank=0)) == [dict(rank=0)]
    group.leave()
"""
REFUSING = """
import json
from gbxnb.base.files import UserError
from gbxnb.runs.checkpoint import load_checkpoint
facts = json.load(open('run/checkpoint.json'))
for wrong in dict(files=[]), dict(schema='x'), dict(counters=[]):
    with open('run/checkpoint.json', 'w') as f: json.dump(facts | wrong, f)
    try: load_checkpoint('run', resume=True)
    except UserError as e: assert 'checkpoint.json' in str(e), e
    else: raise AssertionError(wrong)
"""
FEW = '--num-envs=4 --rollout-steps=8 --minibatches=2 --device=cpu'
TRIES = {
    '': dict(modules=('-c', MODULES, 'gbxnb.emulator', 'gbxnb.backends', 'gbxnb.__main__'), help='gbxnb --help', consoles=('-c', CONSOLES),
             doctor='gbxnb doctor --seconds=.1'),
    'rl': {'modules': ('-c', MODULES, *(f'gbxnb.{r}' for r in 'envs worlds adapters logs training runs bench explore'.split())),
           'make': ('-c', MAKE),
           'catch': f'gbxnb train --world=catch {FEW} --steps=64 --eval-episodes=4 --out=catch',
           'train': f'gbxnb train town/house --model=small {FEW} --steps=64 --max-steps=6 --eval-episodes=0 --out=run',
           'resume': 'gbxnb train --resume --steps=128 --eval-episodes=0 --device=cpu --out=run',
           'eval': 'gbxnb eval run --episodes=4 --device=cpu --out=eval.json',
           'film': 'gbxnb film run --num-envs=2 --steps=3 --scale=1 --device=cpu --out=film',
           'demo': f'gbxnb demo town/house --model=small {FEW} --steps=64 --episodes=2 --out=demo',
           'log check': 'gbxnb log check run', 'log plot': 'gbxnb log plot run --out=p.png',
           'leave a team': ('-c', LEAVING), 'refuse': ('-c', REFUSING)},
    'lab': dict(modules=('-c', MODULES))}

# Where it is tried

def settings():
    "The project's own facts."
    config = configparser.ConfigParser(delimiters=['='])
    config.read(ROOT/'settings.ini', encoding='utf-8')
    return config['DEFAULT']

def requirements(extra):
    "What an extra asks for; the empty one is the package itself."
    return shlex.split(settings()[f'{extra}_requirements' if extra else 'requirements'])

def promised():
    first, last = (int(settings()[name].split('.')[1]) for name in ('min_python', 'max_python'))
    return [f'3.{m}' for m in range(first, last + 1)]

def find_python(version):
    "The first Python of a version that runs here: this one, one on the PATH, one of pyenv's; nothing if there is none."
    builds = (Path.home()/'.pyenv/versions').glob(f'{version}.*/bin/python')
    for path in [sys.executable, shutil.which(f'python{version}'), *sorted(builds)]:
        words = [path, '-I', '-c', 'import sys; print(*sys.version_info[:2], sep=".")']
        if path and subprocess.run(words, capture_output=True, text=True).stdout.strip() == version: return path
    return None

def find_program(name):
    "A program of the `dev` extra, from beside this Python or from the PATH."
    found = shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ['PATH']]))
    return found or sys.exit(f'{name} is not installed: pip install "gbxnb[dev]"')

class Bench:
    "A temporary folder with the wheel and what was downloaded for one kind of bounds."
    def __init__(self, at:Path):
        self.at, self.uv = at, find_program('uv')
        self.env = os.environ | dict(UV_CACHE_DIR=str(at/'cache'), UV_PYTHON_DOWNLOADS='never', UV_NO_PROGRESS='1')
        if 'PIP_FIND_LINKS' in os.environ: self.env.setdefault('UV_FIND_LINKS', os.environ['PIP_FIND_LINKS'])

    def call(self, *words):
        "Let uv do something."
        run = subprocess.run([self.uv, *map(str, words)], env=self.env, cwd=self.at, capture_output=True, text=True)
        if run.returncode: raise RuntimeError(last_line(run.stderr))
        return run.stdout

    def build(self):
        "The wheel, from a copy of what git knows: what earlier builds left in the checkout is not in it."
        names = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard', '-z'], cwd=ROOT, capture_output=True, check=True)
        for name in filter(None, map(os.fsdecode, names.stdout.split(b'\0'))):
            to = self.at/'source'/name
            to.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT/name).is_file(): shutil.copy(ROOT/name, to)
        self.call('build', '-q', '--wheel', '--python', sys.executable, '--out-dir', self.at, self.at/'source')
        self.wheel, = self.at.glob('*.whl')

    def install(self, env, bounds, extras):
        "The wheel with some extras; each requirement is named beside it, so that its own lower bound counts."
        named = [r for e in ['', *extras] for r in requirements(e)]
        self.call('pip', 'install', '-q', '--only-binary', ':all:', '--python', env,
                  '--resolution', 'lowest-direct' if bounds == 'lowest' else 'highest',
                  f'gbxnb[{",".join(extras)}] @ {self.wheel.as_uri()}', *named)

def last_line(text): return next((s for s in reversed(text.strip().splitlines()) if s.strip()), '')[:300]

def programs(env): return env/('Scripts' if os.name == 'nt' else 'bin')

def clean(at, env, **more):
    "Variables of a process that knows nothing of this user: only the system's own, an empty home and a place for temporary files."
    home, tmp, path = str(at/'home'), str(at/'tmp'), [str(programs(env))]
    if os.name == 'nt':
        kept = {k: os.environ[k] for k in ('SYSTEMROOT', 'USERNAME', 'PATHEXT', 'NUMBER_OF_PROCESSORS') if k in os.environ}
        own = kept | dict(USERPROFILE=home, LOCALAPPDATA=f'{home}\\AppData\\Local', APPDATA=f'{home}\\AppData\\Roaming', TEMP=tmp, TMP=tmp)
        path.append(f"{kept['SYSTEMROOT']}\\System32")
    else:
        own = dict(HOME=home, TMPDIR=tmp, LANG='en_US.UTF-8' if sys.platform == 'darwin' else 'C.UTF-8')
        path += '/usr/bin', '/bin'
    return own | dict(PATH=os.pathsep.join(path), OMP_NUM_THREADS='1', MPLBACKEND='Agg') | more

def prepare(at):
    "The folders of `clean`, and the one in which things are tried."
    for name in 'home', 'tmp', 'here': (at/name).mkdir(parents=True)

def begin(words, at, env, **how):
    "Start a command line, or words for Python, in a clean environment and an empty folder."
    name, *words = shlex.split(words) if isinstance(words, str) else ['python', '-I', *words]
    how |= dict(cwd=at/'here', env=clean(at, env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return subprocess.Popen([str(programs(env)/name), *map(str, words)], text=True, errors='replace', **how)

def run(words, at, env):
    "Try one thing to its end; what it printed, and its last line if it failed."
    with begin(words, at, env) as process:
        try: said, wrong = process.communicate(timeout=1200)
        except subprocess.TimeoutExpired:
            process.kill()
            return '', 'not done after 20 minutes'
    return said, (last_line(wrong) or f'status {process.returncode}') if process.returncode else ''

def consoles_here():
    "The states in which the consoles end in the running interpreter."
    env = os.environ | dict(PYTHONPATH=str(ROOT))
    return subprocess.run([sys.executable, '-c', CONSOLES], env=env, cwd=ROOT, capture_output=True, text=True, check=True).stdout

def survey(bench, version, bounds, expected):
    "One row: a Python with the lowest or the newest packages."
    began, row = time.monotonic(), dict(python=version, bounds=bounds, passed=[], failed={}, versions={})
    with tempfile.TemporaryDirectory(dir=bench.at, ignore_cleanup_errors=True) as folder:
        at = Path(folder)
        prepare(at)
        bench.call('venv', '-q', '--python', find_python(version), at/'env')
        row['python'] = run(('-c', 'import platform; print(platform.python_version())'), at, at/'env')[0].strip()
        for k, extra in enumerate(EXTRAS):
            try: bench.install(at/'env', bounds, EXTRAS[1:k + 1])
            except RuntimeError as e:
                row['failed'][f'install {extra}'.strip()] = str(e)
                break
            for name, words in TRIES[extra].items():
                said, wrong = run(words, at, at/'env')
                if name == 'consoles' and not wrong and said != expected: wrong = f'another state: {said!r} is not {expected!r}'
                name = f'{extra} {name}' if name == 'modules' and extra else name
                if wrong: row['failed'][name] = wrong.replace(str(at), '...')
                else: row['passed'].append(name)
        there = json.loads(bench.call('pip', 'list', '--format', 'json', '--python', at/'env'))
        row['versions'] = {p['name']: p['version'] for p in there if p['name'] in named_packages()}
    return row | dict(seconds=round(time.monotonic() - began))

def named_packages():
    "Every package that settings.ini names for these extras."
    return {re.match(r'[\w-]+', r)[0] for e in EXTRAS for r in requirements(e)}

def table(rows):
    "The rows as people read them."
    lines = [['Python', 'bounds', *SHOWN, 'passed', 'failed', 'seconds']]
    for r in rows:
        lines.append([r['python'], r['bounds'], *(r['versions'].get(p, '-') for p in SHOWN), str(len(r['passed'])), str(len(r['failed'])),
                      str(r['seconds'])])
    widths = [max(map(len, column)) for column in zip(*lines)]
    return '\n'.join('  '.join(c.ljust(w) for c, w in zip(line, widths)).rstrip() for line in lines)

def survey_all(pythons, kinds):
    "A row for each Python and kind of bounds, as soon as it is there."
    expected = consoles_here()
    for bounds in kinds:
        with tempfile.TemporaryDirectory(prefix='pythons-') as folder: # what was downloaded for one kind is of no use to the other
            bench = Bench(Path(folder))
            bench.build()
            for version in pythons: yield survey(bench, version, bounds, expected)

def record(path, rows, not_tried):
    "Keep the rows, in place of those of the same Pythons and bounds; others stay as long as the requirements do."
    from gbxnb.base.files import git_sha, read_json, write_atomic
    from gbxnb.base.progress import versions
    asked = {e or 'base': requirements(e) for e in EXTRAS}
    kept = read_json(path) if path.exists() else {}
    old = kept['rows'] if kept.get('requirements') == asked else []
    new = {(r['bounds'], r['python']): r for r in [*old, *(r | dict(git_sha=git_sha()) for r in rows)]}
    facts = dict(command='python tests/pythons.py --out nbs/proofs/results/pythons.json',
                 protocol=' '.join(__doc__.split('\n\n')[1].split()),
                 versions=versions('cpu'), requirements=asked, rows=[r for _, r in sorted(new.items())], not_tried=not_tried)
    write_atomic(path, json.dumps(facts, indent=1) + '\n')

if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--python', default=','.join(promised()), help='versions, with commas between; default %(default)s')
    parser.add_argument('--bounds', default='lowest,newest', help='lowest, newest or both')
    parser.add_argument('--out', type=Path, help='a JSON file for the record, written after each row')
    args = parser.parse_args()
    asked, rows = args.python.split(','), []
    found = [v for v in asked if find_python(v)]
    not_tried = {v: f'no python{v} here' for v in asked if v not in found}
    for row in survey_all(found, args.bounds.split(',')):
        rows.append(row)
        print(f"{row['python']}, {row['bounds']}:", row['failed'] or 'ok', file=sys.stderr, flush=True)
        if args.out: record(args.out, rows, not_tried)
    failed = sum(len(r['failed']) for r in rows)
    print(table(rows), *(f'not tried: Python {v}, {why}' for v, why in not_tried.items()),
          f'{len(rows)} environments, {sum(len(r["passed"]) for r in rows)} passed, {failed} failed', sep='\n')
    sys.exit(bool(failed or not rows))
