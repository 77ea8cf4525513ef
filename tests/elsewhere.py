"""Does it work on macOS and on Windows? `python tests/elsewhere.py macos windows --out nbs/proofs/results/elsewhere.json`

The wheel is installed in a clean environment, and what elsewhere_hook.py does is laid into that: from gbxnb every module and name is hidden
that the system lacks, by typeshed, on one of the promised Pythons (elsewhere.json; `--names` makes it anew), and on Windows files that are
open cannot be replaced or removed, processes get no other handles than their streams, signals are those that there are, text is of code
page 1252, and so on. Then everything that starts processes, writes folders or takes locks is tried in an empty folder, with an empty home
and without a compiled kernel: all is compiled there. `here` tries the same without taking anything away, on any system."""
import argparse, ast, importlib.util, json, os, re, shutil, signal, subprocess, sys, tempfile, time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

from pythons import CONSOLES, MAKE, MODULES, Bench, begin, consoles_here, last_line, prepare, promised, run

TESTS = Path(__file__).resolve().parent
SYSTEMS = dict(macos='darwin', windows='win32', here='')
NAMES, HOOK = TESTS/'elsewhere.json', TESTS/'elsewhere_hook.py'

# What a system lacks

VERSIONS = [tuple(map(int, v.split('.'))) for v in promised()]
STUBS = dict(psutil='stubs/psutil/psutil') # packages whose methods depend on the system

def typeshed():
    "The folder of typeshed that pyright brings along; nothing where it is not installed."
    spec = importlib.util.find_spec('pyright')
    found = sorted(Path(spec.origin).parent.rglob('typeshed-fallback/stdlib/VERSIONS')) if spec and spec.origin else []
    return found[0].parent.parent if found else None

def holds(test, system, version):
    "Whether a condition of a stub does."
    about = dict(sys=SimpleNamespace(platform=system, version_info=version), TYPE_CHECKING=True)
    try: return eval(compile(ast.Expression(test), 'stub', 'eval'), about)
    except NameError: return True

def statements(body, system, version):
    "Those that a system has, of all branches."
    for n in body:
        if not isinstance(n, ast.If): yield n
        else: yield from statements(n.body if holds(n.test, system, version) else n.orelse, system, version)

def public(body, system, version):
    "Names of a stub; those of a class have its name in front."
    for n in statements(body, system, version):
        if isinstance(n, (ast.Import, ast.ImportFrom)): found = [a.asname for a in n.names if a.asname == a.name]
        elif isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)): found = [n.name]
        elif isinstance(n, ast.ClassDef): found = [n.name, *(f'{n.name}.{m}' for m in public(n.body, system, version))]
        elif isinstance(n, ast.AnnAssign): found = [n.target.id] if isinstance(n.target, ast.Name) else []
        elif isinstance(n, ast.Assign): found = [t.id for t in n.targets if isinstance(t, ast.Name)]
        else: found = []
        yield from (name for name in found if not name.split('.')[-1].startswith('_'))

def modules(folder):
    "Each module that typeshed knows, and its stub."
    roots = [(folder/'stdlib', ''), *((folder/place, f'{name}.') for name, place in STUBS.items())]
    for root, front in roots:
        for path in sorted(root.rglob('*.pyi')):
            parts = path.relative_to(root).with_suffix('').parts
            name = (front + '.'.join(parts)).removesuffix('.__init__').removesuffix('__init__')
            if not any(p.startswith('_') for p in name.split('.')): yield name, path

def lacking(folder):
    "By system: whole modules, and by module the names, that Linux has and it lacks on one of the promised Pythons."
    found = {system: dict(modules=[], names={}) for system in SYSTEMS.values() if system}
    for name, path in modules(folder):
        text = path.read_text(encoding='utf-8')
        if 'sys.platform' not in text: continue
        body = ast.parse(text).body
        for system, lacks in found.items():
            here = [{*public(body, 'linux', v)} for v in VERSIONS]
            there = [{*public(body, system, v)} for v in VERSIONS]
            gone = sorted(n for n in set().union(*(h - t for h, t in zip(here, there))) if name in STUBS or '.' not in n)
            if any(here) and not any(there): lacks['modules'].append(name)
            elif gone: lacks['names'][name] = gone
    return found

def text_of(found):
    "For JSON, with a line for each module."
    lines = []
    for system, lacks in found.items():
        named = ',\n  '.join(f'{json.dumps(k)}: {json.dumps(v)}' for k, v in lacks['names'].items())
        lines.append(f'{json.dumps(system)}: {{"modules": {json.dumps(lacks["modules"])},\n "names": {{\n  {named}}}}}')
    return '{' + ',\n'.join(lines) + '}\n'

# Where it is tried

class Place:
    "An empty folder of one system, with a home of its own."
    def __init__(self, at, env, system): self.at, self.env, self.system = at, env, system

    def run(self, words):
        "A command line to its end, which must be good; what it printed."
        said, wrong = run(words, self.at, self.env)
        assert not wrong, wrong
        return said

    def refused(self, words):
        "The one line with which a command is refused."
        with self.begin(words) as process: said = process.communicate(timeout=600)[1]
        assert process.returncode == 1 and len(said.strip().splitlines()) == 1, f'status {process.returncode}: {last_line(said)}'
        return said.strip()

    def begin(self, words):
        "Start a command that can be asked to end."
        group = dict(creationflags=subprocess.CREATE_NEW_PROCESS_GROUP) if os.name == 'nt' else dict(start_new_session=True)
        return begin(words, self.at, self.env, **group)

    def ask(self, process, key):
        "Press Ctrl-C or Ctrl-Break; all processes of a console are asked."
        if os.name == 'nt': process.send_signal(signal.CTRL_BREAK_EVENT)
        else: os.killpg(process.pid, signal.SIGUSR1 if key == 'break' else signal.SIGINT)

    def file(self, name): return self.at/'here'/name

    def wait(self, process, done):
        "Look again and again until something is done; an error if the process ends before."
        end = time.monotonic() + 600
        while not done():
            ended = process.poll() is not None
            assert not ended, last_line(process.communicate()[1]) or f'status {process.returncode}, too early'
            if time.monotonic() > end: raise AssertionError('not done after 10 minutes')
            time.sleep(.02)

def counters(folder):
    "What a run's checkpoint counts; nothing where there is none, or none at this moment."
    try: return json.loads((folder/'checkpoint.json').read_text(encoding='utf-8'))['counters']
    except OSError: return {}

# What is tried

FEW = '--num-envs 4 --rollout-steps 8 --minibatches 2 --epochs 1 --device cpu'
HOUSE = f'train town/house --model small {FEW}'
SMALL = f'{HOUSE} --max-steps 6 --eval-episodes 0'
FORM = 'import faulthandler; faulthandler.dump_traceback_later(600, exit=True)\n'
POOL = FORM + """
from gbxnb.games.town import rom
from gbxnb.reference.reference import ReferenceBackend
b = ReferenceBackend(rom(), 4, processes=2)
b.step(24, 8)
print(b, b.frame(3).shape)
b.close()
"""
READER = """
import sys, time
from pathlib import Path
folder, end = Path(sys.argv[1]), Path(sys.argv[2])
looked = 0
while not end.exists():
    for name in 'checkpoint.json', 'train_log.jsonl', 'manifest.json', *(p.name for p in folder.glob('*.safetensors')):
        try:
            with open(folder/name, 'rb') as f:
                f.read()
                time.sleep(.002)
            looked += 1
        except OSError: pass
        time.sleep(.005)
print(looked)
"""
WIDGETS = FORM + """
import numpy as np
from gbxnb import Emulator, make
from gbxnb.games.town import rom
from gbxnb.lab.dashboard import Dashboard
from gbxnb.lab.inspect import Inspect
from gbxnb.lab.play import Play
from gbxnb.lab.trainer import Trainer
from gbxnb.lab.watch import Watch, random_play
from gbxnb.runs.resume import load_world, resume_run
from gbxnb.runs.checkpoint import load_checkpoint
e = Emulator(rom(), n=2, device='cpu')
w = Watch(source=random_play(e))
for _ in range(3): w.advance()
p = Play(rom())
p.toggle(); p.toggle()
i = Inspect(e)
i.act('frame')
c = load_checkpoint('run', resume=True)
run = resume_run(load_world(c.meta, 'run', c.meta['config']['num_envs'], training=True), c)
t = Trainer(run, [Dashboard()])
for x in w, p, i, t: assert x._repr_mimebundle_(), x
print(w, p, i, t)
"""
VIEW = FORM + """
import time
from gbxnb.lab.atlas_view import AtlasView
v = AtlasView('atlas', steps=1 << 20, model='small', num_envs=4, rollout_steps=8, minibatches=2, epochs=1, device='cpu', save_every=1,
              eval_episodes=0)
v.at = max(v.places)
v.look(play=False)
v.train()
while v.poll() and not v.trained(v.at): time.sleep(.05)
assert v.training.running, v.said.value
v.stop()
assert not v.training.process.wait(120) or v.training.state == 'stopped'
v.poll()
print(v.training.state, v.said.value)
assert v.training.state == 'stopped' and v.trained(v.at)
v.train()
while v.poll() and len(v.training.lines()) < 2: time.sleep(.05)
v.stop()
v.training.process.wait(120)
"""

def begun(place, out, words=''):
    "A training that has stored something."
    process = place.begin(f'gbxnb {SMALL} --steps 1000000 --save-every 1 --out {out} {words}')
    place.wait(process, lambda: counters(place.file(out)).get('update', 0) >= 2)
    return process

def killed(place):
    with begun(place, 'killed') as process: process.kill()
    steps = counters(place.file('killed'))['env_steps'] + 96
    place.run(f'gbxnb train --resume --steps {steps} --device cpu --out killed')
    assert counters(place.file('killed'))['env_steps'] == steps

def stopped(place, key):
    out = f'stopped-{key}'
    with begun(place, out) as process:
        place.ask(process, key)
        said = process.communicate(timeout=600)[1]
    line = last_line(said)
    assert 'go on with: gbxnb ' in line and process.returncode not in (0, 1), f'status {process.returncode}: {line}'
    steps = counters(place.file(out))['env_steps'] + 96
    place.run(f'gbxnb train --resume --steps {steps} --device cpu --out {out}')

def two(place):
    "The second command for a folder is refused, and the first is not disturbed."
    with begun(place, 'two') as first:
        try:
            line = place.refused('gbxnb train --resume --steps 2000000 --device cpu --out two')
            assert 'two: another process is writing here' in line, line
            before = counters(place.file('two'))['update']
            place.wait(first, lambda: counters(place.file('two')).get('update', 0) > before)
        finally: first.kill()
    return line

def read_meanwhile(place):
    "Another process reads checkpoint, log and manifest all the time; this one reads the log as well."
    with place.begin(['-c', READER, 'read', 'ended']) as reader:
        try: place.run(f'gbxnb {SMALL} --steps 960 --save-every 1 --out read')
        finally: place.file('ended').write_text('')
        looked = int(reader.communicate(timeout=600)[0])
    assert looked > 50 and counters(place.file('read'))['env_steps'] == 960, looked
    place.run('gbxnb log check read')

def explored(place):
    "A map of places, and a training towards the last of them."
    place.run('gbxnb explore --num-envs 16 --steps 4096 --places 3 --shorten-steps 256 --device cpu --save-every 2048 --out atlas')
    last = max(p.name for p in place.file('atlas').iterdir() if p.name.isdigit())
    place.run(f'gbxnb train atlas/{last} --model small {FEW} --backward 8 --steps 64 --eval-episodes 4 --out there')

def proposed(place):
    place.run(('-c', 'from gbxnb.games.town import rom; open("game.gb", "wb").write(rom())'))
    place.run('gbxnb goal propose game.gb --count 2 --num-envs 8 --rollout-steps 64 --out goals')

def learned(place):
    "Runs in processes of their own, two at a time; so short a training may miss its benchmark, in one line."
    said, wrong = run('gbxnb learn catch --seeds 1 --steps 1024 --jobs 2 --out learn.json', place.at, place.env)
    assert place.file('learn.json').exists() and (not wrong or 'lower bound' in wrong), wrong

def left_over(place):
    "Nothing is left in the place for temporary files, and in the cache only what a process could not remove while it ran; that goes later."
    left = sorted(p.name for p in (place.at/'tmp').iterdir() if p.name.startswith(('gbxnb', 'tmp', '.loading')))
    cache = Path(place.run(('-c', 'from gbxnb.base.startup import kernel_cache; print(kernel_cache())')).strip())
    loading, ago = [*cache.glob('.loading-*')], time.time() - 2*86_400
    for p in loading: os.utime(p, (ago, ago))
    place.run(('-c', 'from gbxnb.base.startup import kernel_cache; kernel_cache()'))
    left += sorted(p.name for p in cache.glob('.loading-*'))
    locks = [*cache.glob('*.lock')] # a process that is killed while it compiles leaves one
    assert not left and len(locks) < 4, [*left, *locks]
    return f'{len(loading)} copies were left for later'

def command(words): return lambda place: place.run(words)

def states(place):
    said = place.run(('-c', CONSOLES))
    assert said == consoles_here(), f'another state: {said!r}'

TRIES = {
    'modules': lambda place: place.run(('-c', MODULES)),
    'help': command('gbxnb --help'),
    'consoles, with and without traces': states,
    'make': lambda place: place.run(('-c', MAKE)),
    'train': command(f'gbxnb {SMALL} --steps 64 --out run'),
    'train with traces, evaluate': command(f'gbxnb {HOUSE} --steps 64 --traces wait --eval-episodes 4 --out traced'),
    'resume': command('gbxnb train --resume --steps 128 --eval-episodes 0 --device cpu --out run'),
    'a training is killed and goes on': killed,
    'Ctrl-C': lambda place: stopped(place, 'c'),
    'Ctrl-Break': lambda place: stopped(place, 'break'),
    'two commands in a folder': two,
    'read while it is written': read_meanwhile,
    'eval': command('gbxnb eval run --episodes 4 --device cpu --out eval.json'),
    'film': command('gbxnb film run --num-envs 2 --steps 3 --scale 1 --device cpu --out film'),
    'log check': command('gbxnb log check run'),
    'log plot': command('gbxnb log plot run --out p.png'),
    'explore, and train for a place': explored,
    'goal propose': proposed,
    'processes of PyBoy': lambda place: place.run(('-c', POOL)),
    'verify': command('gbxnb verify game.gb --frames 120 --device cpu --out verify'),
    'learn in two processes': learned,
    'demo': command(f'gbxnb demo {FEW} town/house --model small --max-steps 6 --steps 64 --episodes 4 --out demo'),
    'doctor': command('gbxnb doctor'),
    'widgets': lambda place: place.run(('-c', WIDGETS)),
    'training from a map': lambda place: place.run(('-c', VIEW)),
    'nothing is left': left_over}
ONLY = {'Ctrl-Break': ['windows']}

def lay_in(env, system):
    "Put the imitation of a system into an environment; an empty one takes it away."
    site, = (p for p in [*env.glob('lib/python*/site-packages'), *env.glob('Lib/site-packages')] if p.is_dir())
    for path in NAMES, HOOK: shutil.copy(path, site)
    (site/'elsewhere_system.txt').write_text(system, encoding='utf-8')
    (site/'elsewhere.pth').write_text('import elsewhere_hook; elsewhere_hook.begin()\n' if system else '', encoding='utf-8')
    return site

def missed(site):
    "What gbxnb asked for that is not there, or did that cannot be done, and how often; and forget it."
    path = site/'elsewhere_missed.txt'
    lines = path.read_text(encoding='utf-8', errors='replace').splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return dict(sorted(Counter(lines).items()))

def survey(name, at, env, some=''):
    "Rows of one system."
    place, site = Place(at/name, env, name), lay_in(env, SYSTEMS[name])
    missed(site)
    prepare(place.at)
    if name == 'macos': # a folder for temporary files is behind a link there
        (place.at/'tmp').rename(place.at/'private')
        (place.at/'tmp').symlink_to('private')
    for what, do in TRIES.items():
        if name not in ONLY.get(what, [name]) or not re.search(some, what): continue
        start, wrong = time.monotonic(), ''
        try: do(place)
        except (AssertionError, OSError, ValueError, KeyError, subprocess.SubprocessError) as e:
            wrong = (last_line(str(e)) or type(e).__name__).replace(str(place.at), '...')
        yield dict(system=name, what=what, wrong=wrong, missed=missed(site), seconds=round(time.monotonic() - start))

def install(at):
    "The environment: the wheel with all that a user may have."
    bench = Bench(at)
    bench.build()
    bench.call('venv', '-q', '--python', sys.executable, at/'env')
    bench.install(at/'env', 'newest', ['rl', 'lab'])
    bench.call('pip', 'install', '-q', '--python', at/'env', 'pyboy')
    return at/'env'

def record(path, rows):
    from gbxnb.base.files import git_sha, write_atomic
    from gbxnb.base.progress import versions
    facts = dict(command='python tests/elsewhere.py macos windows --out nbs/proofs/results/elsewhere.json',
                 protocol=' '.join(__doc__.split('\n\n')[1].split()), versions=versions('cpu'), git_sha=git_sha(), rows=rows)
    write_atomic(path, json.dumps(facts, indent=1) + '\n')

def main(args):
    with tempfile.TemporaryDirectory(prefix='elsewhere-', ignore_cleanup_errors=True) as folder:
        at, rows = Path(folder).resolve(), []
        env = args.env or install(at)
        for name in args.systems:
            for row in survey(name, at, env, args.only):
                rows.append(row)
                print(f"{name:8} {row['what']:34} {row['seconds']:4} s  {row['wrong'] or 'ok'}", flush=True)
                if args.verbose: print(*(f'    {n} x {m}' for m, n in row['missed'].items()), sep='\n')
        failed = [r for r in rows if r['wrong']]
        if args.out: record(args.out, rows)
        print(f'{len(rows)} tried, {len(failed)} failed')
        return bool(failed or not rows)

if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('systems', nargs='*', help='default: macos windows')
    parser.add_argument('--out', type=Path, help='a JSON file for the record')
    parser.add_argument('--only', default='', help='a pattern: try what it is found in')
    parser.add_argument('--env', type=Path, help='an environment that is there already, in place of a new one')
    parser.add_argument('--verbose', action='store_true', help='say what was asked for and missed')
    parser.add_argument('--names', action='store_true', help='make elsewhere.json anew')
    args = parser.parse_args()
    args.systems = args.systems or ['macos', 'windows']
    if args.names: NAMES.write_text(text_of(lacking(typeshed())), encoding='utf-8')
    else: sys.exit(main(args))
