"""Rules the whole project keeps: no machine's paths, clean notebooks with a title, every page in the sidebar, every command importable;
files touched and processes started in one place, and no test that depends on a clock."""
import ast, json, os, re, shutil, subprocess

import faults
import processes
import public as public_names
import pytest
import shape
from gbxnb.__main__ import COMMANDS, GROUPS, split_line
from house import BELOW
from lints import (Times, devices, differs, joins, natives, nested, nodes, parsed, python, reads, speaks_of_time, starts, times, tries,
                   writes)
from pages import WIDGET, book, lasting, notebooks, page_name, readme, root, sidebar
from size import BUDGET, STEP, checks, code_lines, measure, modules, public, report
from test_static import CHECKS

def text_files():
    run = subprocess.run(['git', 'ls-files', '-z'], cwd=root, capture_output=True, text=True)
    if run.returncode: pytest.skip('not a git checkout')
    return [root/f for f in run.stdout.split('\0') if f and (root/f).is_file() and b'\0' not in (root/f).read_bytes()[:8000]]

def test_no_machine_paths():
    "Nothing committed knows where it was made."
    homes = '|'.join(('wor'+'k', 'far'+'m', 'roo'+'t', 'hom'+'e/[a-z]', 'User'+'s/[a-z]', 'tm'+'p/bash'))
    pat = re.compile(rf'/(?<![\w.~$}}*]/)(?:{homes})[\w.]*/')
    texts = {f: f.read_text(errors='ignore') for f in text_files()}
    found = [(f, text[:m.start()].count('\n') + 1, m[0]) for f, text in texts.items() for m in pat.finditer(text)]
    assert not found, '\n'.join(f'{f.relative_to(root)}:{line}: {what}' for f, line, what in found)

def test_no_roms_but_ours():
    "A file that holds the console's logo at 0x104 is a ROM; only the package's own data may."
    logo = bytes.fromhex('ceed6666cc0d000b')
    run = subprocess.run(['git', 'ls-files', '-z'], cwd=root, capture_output=True, text=True)
    files = [root/f for f in run.stdout.split('\0') if f and not f.startswith('gbxnb/data/')]
    assert not [f for f in files if f.is_file() and f.read_bytes()[0x104:0x10c] == logo]

@pytest.mark.parametrize('nb', notebooks(), ids=lambda p: str(p.relative_to(root/'nbs')))
def test_notebook_form(nb):
    cs = book(nb)['cells']
    assert nb.stat().st_size < 400_000, 'over 400 kB: commit smaller outputs'
    md = next(''.join(c['source']) for c in cs if c['cell_type'] == 'markdown')
    assert re.match(r'#\s+\S.*\n+>\s*\S', md), 'the first prose is a "# Title" and a "> subtitle"'
    code = [c for c in cs if c['cell_type'] == 'code']
    assert all(c['execution_count'] is None for c in code), 'run nbdev_clean'
    assert all(c.get('id') for c in cs) and len({c['id'] for c in cs}) == len(cs), 'every cell has an id of its own'
    long = [c['id'] for c in code if ''.join(c['source']).count('\n') >= 60]
    assert not long, f'cells over 60 lines: {long}'
    widgets = [c['id'] for c in code for o in c['outputs'] if WIDGET in o.get('data', {})]
    assert not widgets, f'saved widgets are dead in a page: run `make export`: {widgets}'

def test_imports_have_cells_of_their_own():
    "A page folds imports away: what else stood in their cell would be folded, too."
    bad = []
    for nb in notebooks():
        for c in book(nb)['cells']:
            src = ''.join(c['source'])
            if c['cell_type'] != 'code' or re.match(r'#\|\s*(export|eval:\s*false|exec_doc)', src) or 'import' not in src: continue
            body = parsed(python(src)).body
            imports = [n for n in body for m in ast.walk(n) if isinstance(m, (ast.Import, ast.ImportFrom))]
            if imports and not all(isinstance(n, (ast.Import, ast.ImportFrom)) for n in body):
                bad.append(f"{nb.relative_to(root)} cell {c['id']}: {src.splitlines()[0]}")
    assert not bad, 'split these cells:\n' + '\n'.join(bad)

def our_imports(nb):
    "Modules of ours that the cells of a page import, each with a name from it, or none."
    for n in (n for c in book(nb)['cells'] if c['cell_type'] == 'code' for n in nodes(python(''.join(c['source'])))):
        found = [(a.name, None) for a in n.names] if isinstance(n, ast.Import) else [
            (n.module or '', a.name) for a in n.names] if isinstance(n, ast.ImportFrom) else []
        yield from (x for x in found if x[0].split('.')[0] == 'gbxnb' and x[0] != 'gbxnb.proofs.records') # shows figures

@pytest.mark.parametrize('nb', sorted((root/'nbs/tutorials').glob('*.ipynb')), ids=lambda p: p.stem)
def test_a_tutorial_imports_little(nb):
    "Modules of ours that its cells import, `gbxnb` and `gbxnb.all` among them."
    ours = sorted({module for module, _ in our_imports(nb)})
    assert len(ours) <= 4, f'take names from gbxnb.all, or do without: {ours}'

def test_a_widget_leaves_its_still_picture():
    "What is saved of a widget's output is the picture beside it, or nothing."
    widget = dict(output_type='display_data', data={WIDGET: {}, 'text/html': '<img alt="a still">', 'text/plain': 'Watch'})
    assert lasting(widget)['data'].keys() == {'text/html', 'text/plain'}
    assert lasting(dict(output_type='display_data', data={WIDGET: {}, 'text/plain': 'Watch'})) is None
    assert lasting(dict(output_type='stream', text=['Warp 1.19 initialized'])) is None

def test_sidebar_lists_every_notebook():
    assert (root/'nbs/sidebar.yml').read_text(encoding='utf-8') == sidebar(), 'run `make export`'

def test_pages_that_tests_name_exist():
    "Those of the slow tests, too."
    named = [(f.name, page) for f in sorted((root/'tests').glob('*.py'))
             for page in re.findall(r"'(?:nbs/)?([a-z]+/\d\d_\w+)(?:\.ipynb)?'", f.read_text(encoding='utf-8'))]
    assert len(named) > 9 and not [n for n in named if not (root/f'nbs/{n[1]}.ipynb').exists()]

FRESH = """import contextlib, importlib, io, json, pkgutil, sys
rooms, commands = json.loads(sys.argv[1])
heavy = {w for _, banned in rooms for w in banned}
there = {n: m for n, m in sys.modules.items() if n.split('.')[0] in {'gbxnb', *heavy}}
for name in there: del sys.modules[name]

class Ban:
    "Says that a module is absent, and remembers that it was asked for."
    def find_spec(self, name, path=None, target=None):
        if name not in banned: return
        asked.append(name)
        raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Ban())
seen, helps = [], {}
for room, banned in rooms: # each with what was loaded for those before it
    sys.modules |= {n: m for n, m in there.items() if n.split('.')[0] in heavy - {*banned}}
    asked = []
    import gbxnb
    for m in pkgutil.walk_packages(gbxnb.__path__, 'gbxnb.'):
        if any(f'{m.name}.'.startswith(f'gbxnb.{r}.') for r in room): importlib.import_module(m.name)
    seen.append(asked)
banned = ()
from gbxnb.__main__ import main
for name in commands:
    out, code, sys.argv = io.StringIO(), 0, [*name.split(), '--help']
    try:
        with contextlib.redirect_stdout(out): main()
    except SystemExit as e: code = e.code
    helps[name] = out.getvalue() if not code else ''
print(json.dumps([seen, helps]))
"""
BARE = ['base.files', 'base.config', 'base.command', 'base.progress', 'base.figures', 'base.parallel', 'base.startup',
        'runs.doctor', '__main__', 'emulator', 'watch', 'backends', 'traces', 'saves', 'reference', 'debugger', 'games.asm',
        'games.town', 'games.probe', 'proofs.verdicts', 'proofs.conformance', 'proofs.lockstep', 'proofs.verify', 'bench.compare',
        'bench.machine_code']
ROOMS_AND_BANNED = [(BARE, ['torch', 'ipywidgets', 'matplotlib', 'gymnasium']),
                    ([r for r in BELOW if r != 'lab'], ['ipywidgets', 'IPython'])]

@pytest.fixture(scope='module')
def fresh(tmp_path_factory):
    "What a process that has nothing of this package looks for, room by room, and then what each command says when asked for help."
    names = ['gbxnb', *dict.fromkeys(f'gbxnb {n.split()[0]}' for n in COMMANDS), *(f'gbxnb {n}' for n in COMMANDS)]
    program = tmp_path_factory.mktemp('fresh')/'commands.py' # a command looks for the file that calls it
    program.write_text(FRESH)
    run = processes.python(program, json.dumps([ROOMS_AND_BANNED, names]), env=os.environ | dict(COLUMNS='1000'), cwd=root)
    assert not run.returncode, run.stderr
    return json.loads(run.stdout.splitlines()[-1])

@pytest.fixture
def helps(fresh): return fresh[1]

def test_imports_run_one_way(fresh):
    "The emulator and the backends never load torch; nothing but the lab loads widgets."
    assert fresh[0] == [[], []]

def test_commands_explain_themselves(helps):
    "Every command exists, knows --help, and has there the line that the list of all commands gives it."
    assert len(helps) > 20 and all(text.startswith(f'usage: {name}') for name, text in helps.items()), helps
    wrong = [name for group in GROUPS.values() for name, (_, text) in group.items() if f'\n{text}\n' not in helps[f'gbxnb {name}']]
    assert not wrong, wrong

def test_stable_names_are_as_listed(helps):
    "What is on the page of public names: every parameter, method and option of it. What is gone is shown to be found."
    listed = public_names.known()
    found = public_names.now(listed, {name: helps[f'gbxnb {name}'] for name in COMMANDS})
    gone, new = public_names.difference(listed, found)
    assert not gone, '\n'.join(['gone, or changed; "How a name goes" in nbs/base/11_all.ipynb says what to do:', *gone])
    assert not new, '\n'.join(['not yet in the list; write it by python tests/public.py --keep:', *new])
    less = json.loads(json.dumps(found))
    less['names']['gbxnb']['make'], less['names']['gbxnb']['train'] = '(task)', None
    less['names']['gbxnb.envs.pixels']['PixelsEnv'].remove('step(actions, source=None)')
    less['commands']['train'].remove('--out')
    assert [line.split('(')[0] for line in public_names.difference(found, less)[0]] == [
        'gbxnb train --out', 'gbxnb.envs.pixels.PixelsEnv.step', 'gbxnb.make', 'gbxnb.train']

def test_pages_for_users_import_stable_names():
    "What is imported on the tour, in tutorials and examples; and what `gbxnb.all` gives."
    listed = {(module, name) for module, names in public_names.known()['names'].items() for name in names}
    pages = [nb for nb in notebooks() if page_name(nb).startswith(('tutorials/', 'examples/', '000_tour', 'index', 'base/11_all'))]
    used = {(module, name): page_name(nb) for nb in pages for module, name in our_imports(nb) if name}
    wrong = [f'{page}: {m}.{name}' for (m, name), page in used.items() if (m, name) not in listed and m != 'gbxnb.all']
    assert not wrong, '\n'.join(wrong)

def test_an_option_is_one_kind_of_value(helps):
    "Commands that share the name of an option take the same kind of value by it, or lists of that with commas between."
    kinds = {}
    for name, text in helps.items():
        for option, kind in re.findall(r'\[(--[a-z-]+)( [a-z]+)?', text.split('\n\n')[0]): kinds.setdefault(option, {})[name] = kind.strip()
    lists = {'--num-envs', '--rollout-steps', '--minibatches', '--threads', '--stack-k'}
    wrong = {k: v for k, v in kinds.items() if len({*v.values()} - ({'str'} if k in lists else set())) > 1}
    assert not wrong and not kinds.keys() & {'--goal', '--checkpoint', '--log', '--gate', '--roms', '--json'}, wrong

def test_old_names_are_gone():
    "One command, and no second name for any part of it."
    names = ('train', 'eval', 'demo', 'learn', 'validate-log', 'plot-log', 'gif', 'capture-goal', 'check-goal', 'calibrate-goal', 'replay',
             'tensorboard', 'conformance', 'verify', 'bench')
    old = re.compile(rf'gbxnb-({"|".join(names)})\b(?![\w-]*-\d)') # a schema's name ends in its version
    assert not [str(f) for f in text_files() if f.suffix != '.json' and old.search(f.read_text(errors='ignore'))]

def test_commands_that_are_shown_are_so(helps):
    "A command line in a page or in the Makefile names commands and options that there are."
    pages = {nb.name: '\n'.join(''.join(c['source']) for c in book(nb)['cells'] if c['cell_type'] == 'markdown') for nb in notebooks()}
    pages |= {name: (root/name).read_text(encoding='utf-8') for name in ('README.md', 'Makefile')}
    shown = re.compile(r'(?:^ *|`|bin/|BIN\)/|-m )(gbxnb [a-z][^`\n#|;]*)', re.M)
    lines = [(page, line) for page, text in pages.items() for line in shown.findall(text)]
    wrong = []
    for page, line in lines:
        first, *rest = line.split()
        name = f'{first} {split_line(rest)[0]}'.strip()
        options = re.findall(r'(?<!\S)--[a-z][a-z-]*', line)
        known = set(re.findall(r'--[a-z][a-z-]*', helps.get(name, '')))
        wrong += [f'{page}: {line}'] if name == first or not known.issuperset(options) else []
    assert len(lines) > 50 and not wrong, '\n'.join(wrong)

def test_options_that_messages_name_are_there(helps):
    "What a line of the package says of an option, one of `gbxnb` or of the program it speaks of, can be typed."
    known = set(re.findall(r'--[a-z][a-z-]*', ' '.join(helps.values()))) | {
        '--name', '--porcelain', '--force-reinstall', '--no-python', '--nproc-per-node', '--nnodes', '--node-rank', '--master-addr',
        '--master-port'}
    texts = {(str(p.relative_to(root)), node.value) for p in MODULES for node in nodes(p.read_text())
             if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    named = {(where, option) for where, text in texts for option in re.findall(r'(?<![\w(-])--[a-z][a-z-]*', text)}
    assert len(named) > 20 and not [n for n in named if n[1] not in known]

@pytest.mark.skipif(not shutil.which('make'), reason='no make')
def test_clean_takes_what_was_generated(tmp_path):
    "Environment, caches and builds go; runs, ROMs and saves stay, and so does an environment elsewhere, whatever VENV says."
    shutil.copy(root/'Makefile', tmp_path)
    kept = {'Makefile', 'runs/red/checkpoint.json', 'red.gb', 'red.sav', 'nbs/a.ipynb', 'elsewhere/bin/python'}
    generated = {'.venv/bin/python', '_proc/a.html', '.pytest_cache/x', '.ruff_cache/x', '.hypothesis/x', 'nbs/emulator/.hypothesis/x',
                 'gbxnb.egg-info/PKG-INFO', 'gbxnb/__pycache__/a.pyc', 'tests/__pycache__/a.pyc', 'nbs/.ipynb_checkpoints/a.ipynb',
                 'build/x', 'dist/x', 'htmlcov/x', '.coverage'}
    for name in kept | generated:
        (tmp_path/name).parent.mkdir(parents=True, exist_ok=True)
        if name != 'Makefile': (tmp_path/name).write_text('')
    env = os.environ | dict(VENV=str(tmp_path/'elsewhere'))
    subprocess.run(['make', '-s', 'clean'], cwd=tmp_path, env=env, check=True)
    assert {str(p.relative_to(tmp_path)) for p in tmp_path.rglob('*') if p.is_file()} == kept

def test_readme_is_the_index():
    assert (root/'README.md').read_text(encoding='utf-8') == readme(), 'run `make export`'

def test_what_is_promised_of_security():
    "The page exists, is linked, gives the author's address, and every file that it names is there."
    text = (root/'SECURITY.md').read_text(encoding='utf-8')
    named = re.findall(r'`((?:tests/|[A-Z]+\.md)[^`]*)`', text)
    assert len(named) > 8 and not [n for n in named if not [*root.glob(n)]]
    assert all('SECURITY.md' in (root/page).read_text(encoding='utf-8') for page in ('README.md', 'CONTRIBUTING.md'))
    assert f'author_email = {re.search("[a-z]+@[a-z.]+[a-z]", text)[0]}\n' in (root/'settings.ini').read_text(encoding='utf-8')
    assert 300 <= len(text.split()) <= 550

# What touches files and starts processes

MODULES = sorted(p for p in (root/'gbxnb').rglob('*.py') if p.name not in ('_modidx.py', '__init__.py'))
HOMES = 'base/files.py', # where files and arrays are handled
ALLOWED = {
    ('base/parallel.py', 'subprocess.Popen'): 'the one place, `start_python`',
    ('base/files.py', 'subprocess.run'): 'git, for the commit of the checkout that the package lies in',
    ('proofs/verdicts.py', 'Image.open'): 'a picture that is in memory already',
    ('base/parallel.py', 'os.open'): 'what leads nowhere, in place of a standard stream',
    ('base/parallel.py', 'open'): 'pipes between processes, and the memory that they share',
    ('logs/file.py', '.truncate'): 'the end of a log, if it is half a line',
    ('traces/cache.py', '.unlink'): 'binaries of its cache that have been replaced',
    ('base/startup.py', '.unlink'): 'a file that was locked while a kernel was compiled',
    ('base/startup.py', 'open'): 'copies in a new folder, for Warp to load',
    ('runs/doctor.py', '.unlink'): 'what was compiled, where a person asks for that',
    ('runs/doctor.py', '.copytree'): 'what a kill would leave of a run, in the folder of a smoke run',
    ('explore/rounds.py', 'open'): 'a claim, which must be new',
    ('base/startup.py', '.rmtree'): 'a folder of kernels in the temporary folder, which this process made, removed when it ends'}
@pytest.mark.parametrize('lint', [reads, writes, starts], ids=['read', 'written', 'started'])
def test_files_and_processes_have_one_place(lint):
    """Files are read within limits by `gbxnb.base.files`; written, renamed and removed by it and by `gbxnb.base.files`;
    processes are started by `gbxnb.base.parallel`."""
    found = []
    for p in MODULES:
        name = str(p.relative_to(root/'gbxnb'))
        if name in HOMES and lint is not starts: continue
        found += [f'gbxnb/{name}:{line}: {what}' for line, what in lint(p.read_text(encoding='utf-8')) if (name, what) not in ALLOWED]
    assert not found, '\n'.join(found)

@pytest.mark.parametrize('name, what', ALLOWED)
def test_what_is_allowed_is_there(name, what):
    source = (root/'gbxnb'/name).read_text(encoding='utf-8')
    assert what in {w for _, w in [*reads(source), *writes(source), *starts(source)]}, 'remove it from the list'

READING = """
open('x')
p.open('rb')
Image.open('x')
os.open('x', os.O_RDONLY)
Path('x').read_text()
folder.read_bytes()
np.load('x.npy', allow_pickle=False)
json.load(f)
torch.load('x.pt')
np.fromfile('x')
import pickle
from shelve import open as o
"""
WRITING = """
os.unlink('x')
Path('x').unlink()
os.remove('x')
shutil.rmtree('x')
atexit.register(shutil.rmtree, own)
folder.rmdir()
Path('a').rename('b')
Path('a').replace('b')
os.replace('a', 'b')
shutil.move('a', 'b')
shutil.copytree('a', 'b')
p.write_text('x')
p.write_bytes(b'x')
f.truncate(9)
from shutil import rmtree
"""
STARTING = """
subprocess.Popen(['x'])
subprocess.run(['x'])
subprocess.getoutput('x')
from subprocess import check_output
from subprocess import *
import subprocess as sp
os.system('x')
os.popen('x')
os.fork()
os.execvp('x', ['x'])
os.spawnl(os.P_WAIT, 'x', 'x')
os.posix_spawnp('x', ['x'], {})
from os import fork as f
import multiprocessing
from multiprocessing import get_context
import multiprocessing.pool
import torch.multiprocessing as mp
from torch.multiprocessing import spawn
torch.multiprocessing.spawn(f)
from concurrent.futures import ProcessPoolExecutor
concurrent.futures.ProcessPoolExecutor(2)
asyncio.create_subprocess_exec('x')
asyncio.create_subprocess_shell('x')
from asyncio import create_subprocess_exec
import pty
env = os.environ | dict(PYTHONPATH='x')
env['PYTHONPATH'] = 'x'
"""
HARMLESS = """
import json, zipfile, subprocess
from concurrent.futures import ThreadPoolExecutor
streams = dict(stdin=subprocess.DEVNULL); subprocess.TimeoutExpired; os.getpid(); self.process; pool.run(1); asyncio.sleep(0)
data = read_whole('x', 9)
json.loads(data); safetensors.numpy.load(data); z.open('row.npy'); 'a-b'.replace('-', '_'); replace(cfg, seed=1); x.copy(); a.remove(1)
"""

@pytest.mark.parametrize('lint, planted', [(reads, READING), (writes, WRITING), (starts, STARTING)], ids=['read', 'written', 'started'])
def test_planted_access_is_found(lint, planted):
    assert {line for line, _ in lint(planted)} == set(range(2, planted.count('\n') + 1)) and not [*lint(HARMLESS)]

# What loads machine code

LOADERS = {
    ('base/startup.py', 'Module.load'): 'all of Warp loading, which gets copies of what was checked',
    ('explore/archive.py', 'CDLL'): 'nothing but the process itself, which knows `madvise`',
    ('traces/cache.py', 'load_aot_module'): 'traces, as copies of what was checked',
    ('training/loop.py', 'CDLL'): "a name of the system's C library, which the system's loader finds"}

def test_machine_code_is_loaded_in_few_places():
    found = {(str(p.relative_to(root/'gbxnb')), what) for p in MODULES for _, what in natives(p.read_text(encoding='utf-8'))}
    assert found == LOADERS.keys()

LOADING = """
ctypes.CDLL(path)
from ctypes import PyDLL
ctypes.cdll.LoadLibrary(path)
np.ctypeslib.load_library('x', '.')
torch.ops.load_library(path)
torch.classes.load_library(path)
importlib.machinery.ExtensionFileLoader('x', path)
_ctypes.dlopen(path, 0)
import _ctypes
imp.load_dynamic('x', path)
from cffi import FFI
ffi.dlopen(path)
from torch.utils.cpp_extension import load
torch.utils.cpp_extension.load('x', [path])
torch.utils.cpp_extension.load_inline('x', text)
wp.load_aot_module(kernel.module, module_dir=folder)
wp.Module.load = mine
kernel.module.load(device, binary_path=path)
runtime.llvm.wp_load_obj(path, b'x', False)
wp.build.load_cuda(path, device)
getattr(ctypes, 'CDLL')(path)
"""
TRUSTING = """
import ctypes
wp.load_module(m); module = wp.Module; kernel.module.get_module_identifier(); torch.ops.aten; np.load(f); e.load(row)
"""

def test_planted_machine_code_is_found():
    assert {line for line, _ in natives(LOADING)} == set(range(2, LOADING.count('\n') + 1)) and not [*natives(TRUSTING)]

# What a file names lies beside it

JOINED = {('runs/checkpoint.py', "folder / files[part]['name']"): 'a name of letters, digits and one dot, as its type says',
          ('explore/atlas.py', "folder / str(row['number'])"): 'the number of a place, which is checked'}

def test_names_in_files_go_through_one_function():
    "A path that is made of what a file says is made by `gbxnb.base.files.beside`."
    found = {(str(p.relative_to(root/'gbxnb')), what) for p in MODULES if str(p.relative_to(root/'gbxnb')) != 'base/files.py'
             for _, what in joins(p.read_text(encoding='utf-8'))}
    assert found == JOINED.keys(), found ^ JOINED.keys()

JOINING = """
Path(path).parent/entries['symbols']
folder/about.get('task')
folder/str(row['number'])
self.folder.path/f'{d["name"]}.png'
os.path.join(folder, meta['file'])
path.with_name(meta['file'])
Path(config['rom'])
out.joinpath(meta.get('file', 'x'))
def f(path): return Path(path).parent/beside if (beside := entries.get('symbols')) else None
def g(folder): a, b = 1, d['name']; return folder/b
"""
PLAIN = """
n/t['seconds']; sps['trainer']/sps['env_only']; folder/name; ', '.join(d['names']); Path(folder)/SIDECAR; beside(path, meta['file'])
"""

def test_planted_paths_are_found():
    assert {line for line, _ in joins(JOINING)} == set(range(2, JOINING.count('\n') + 1)) and not [*joins(PLAIN)]

NESTED = """
open_folder(folder.path/str(k), 'task')
claim_folder(f.path/'1', 'task', replace=True)
task.save(folder.path/name)
write_atomic(self.folder.path/'a'/'b', data)
"""

def test_folders_in_folders_are_written_by_the_outer_one():
    "A folder whose manifest names what is in the folders inside it replaces all of it at once, and follows no links."
    assert {line for line, _ in nested(NESTED)} == set(range(2, NESTED.count('\n') + 1))
    assert not [*nested("folder.swap({f'{k}/x': data}); claim_folder(place/'film', 'film'); save(folder.path, x)")]
    others = [p for p in MODULES if str(p.relative_to(root/'gbxnb')) not in HOMES]
    found = [f'{p}:{line}: {what}' for p in others for line, what in nested(p.read_text(encoding='utf-8'))]
    assert not found, '\n'.join(found)

# A page does under test what it does for a reader

def test_pages_are_only_shorter_under_test():
    "A test that makes another call than the reader does not see that the reader's fails."
    found = []
    for nb in notebooks():
        code = '\n'.join(python(''.join(c['source'])) for c in book(nb)['cells'] if c['cell_type'] == 'code')
        found += [f'nbs/{page_name(nb)}: {what}' for _, what in differs(code)]
    assert not found, '\n'.join(found)

TELLING = """
how = dict(task='house') if 'IN_TEST' in os.environ else dict(rom=rom)
if not os.environ.get('IN_TEST'): said += more
check(env, skip_render='IN_TEST' in os.environ)
n, world = (4, Catch) if 'PYTEST_CURRENT_TEST' in os.environ else (8, Town)
short = os.getenv('IN_TEST') == '1'; assert short or learned > .9
if short: walks = walks[:9]
folder = mkdtemp() if short else 'runs'
n = 4 if short and rom else 8
"""
SHORTER = """
short = os.environ.get('IN_TEST') == '1'
n, steps = (4, 1 << 10) if short else (64, 40*TIME)
names = [*TASKS][:2 if 'IN_TEST' in os.environ else 5]
train('house', num_envs=4 if short else 32, steps=n)
"""

def test_planted_tests_are_told_from_readers():
    assert {line for line, _ in differs(TELLING)} == set(range(2, TELLING.count('\n') + 1)) and not [*differs(SHORTER)]

# A device is chosen in one way

def test_every_device_is_auto_by_default():
    "Or there is no default, where a function follows what it is given. The package and the tools of the tests."
    tools = [p for p in (root/'tests').glob('*.py') if not p.name.startswith('test_')]
    found = [f'{p}:{line}: {what}' for p in [*MODULES, *tools] for line, what in devices(p.read_text(encoding='utf-8'))]
    assert not found, '\n'.join(found)

DEVICES = """
def f(a, device='cpu'): pass
def f(device=None, b=1): pass
def f(*, seed=0, device:str=''): pass
lambda device='cuda': device
class C: device:str = 'cpu'
"""
AUTO = "def f(device, b='cpu', *, seed): pass\ndef g(a='cpu', device:str='auto'): h(device='cpu')\nclass C: device:str\n"

def test_planted_devices_are_found():
    assert {line for line, _ in devices(DEVICES)} == set(range(2, DEVICES.count('\n') + 1)) and not [*devices(AUTO)]

# What is refused is checked in one way

def test_what_is_refused_is_checked_by_refused():
    "Cells and tests that try what must fail use `refused` or `pytest.raises`; `refused` itself is the one exception."
    found = []
    for nb in notebooks():
        for c in book(nb)['cells']:
            if c['cell_type'] != 'code': continue
            found += [f'nbs/{page_name(nb)} cell {c["id"]}: {what}' for _, what in tries(python(''.join(c['source'])))]
    for p in sorted((root/'tests').glob('*.py')):
        found += [f'tests/{p.name}:{line}: {what}' for line, what in tries(p.read_text(encoding='utf-8'))]
    assert found == ['nbs/base/00_files cell a14d2753: try'], '\n'.join(found)

TRYING = r"""
try: f()\nexcept ValueError as e: print(e)\nelse: raise AssertionError
try: f()\nexcept ValueError: pass\nelse: assert False
try: f(); raise AssertionError('not refused')\nexcept ValueError: pass
for x in a:\n try: f(x)\n except ValueError: continue\n raise AssertionError(x)
test_fail(lambda: f(), contains='x')
"""
CHECKED = r"""
with refused(ValueError, 'x'): f()
try: f()\nfinally: g()
try: f()\nexcept ValueError as e: raise AssertionError('f must pass') from e
try: found = f()\nexcept ValueError: found = None\nassert found is None
"""

def test_planted_tries_are_found():
    for source in TRYING.strip().split('\n'): assert len([*tries(source.replace('\\n', '\n'))]) == 1, source
    assert not [*tries(CHECKED.replace('\\n', '\n'))]

# No test depends on a clock

EXCUSED = {
    ('bench/06_profile.ipynb', '08920d2e'): 'times on record, in a file beside the notebook',
    ('studies/01_gpu_model.ipynb', '7fc84e34'): 'made-up counts; nothing is measured',
    ('bench/02_learning.ipynb', '03230348'): 'seconds on record',
    'hosts.py': 'pulls a cable for a minute, and measures how long nothing is said; run by hand and by `make slow`',
    'kills.py': 'kills at random moments; whenever they come, the same is expected'}

def test_no_test_depends_on_a_clock():
    "Cells and tests compare no times but those on record and those of a `fake_clock`; deadlines are minutes and guard against hanging."
    found, used = [], set()
    for nb in notebooks():
        seen, name = Times(), str(nb.relative_to(root/'nbs'))
        for c in book(nb)['cells']:
            src = ''.join(c['source'])
            if c['cell_type'] != 'code' or re.match(r'#\|\s*export', src) or not speaks_of_time(src, seen.known): continue
            seen.found = []
            seen.visit(parsed(python(src)))
            if seen.found: used.add((name, c['id']))
            if (name, c['id']) not in EXCUSED: found += [f'nbs/{name} cell {c["id"]}: {what}' for _, what in seen.found]
    for p in sorted((root/'tests').glob('*.py')):
        seen = [*times(p.read_text(encoding='utf-8'))]
        if seen: used.add(p.name)
        if p.name not in EXCUSED: found += [f'tests/{p.name}:{line}: {what}' for line, what in seen]
    assert not found, '\n'.join(found)
    assert EXCUSED.keys() <= used, f'no longer needed: {EXCUSED.keys() - used}'

TIMED = """
assert time.perf_counter() - begin < 3
assert row['median_us'] < rows[2]['median_us']
took = time.process_time() - began; assert took < budget
few, many = (python_time(f) for f in (a, b)); assert .5 < many/few < 2
assert not over_budget(code, seconds)
found, _ = bench.shares(); assert found['learning'] > .5
assert all(r['sps'] > 100 for r in rows)
p.join(60); subprocess.run(words, timeout=30)
end = time.time() + 20
time.sleep(.1); assert said
settings(max_examples=9, deadline=None)
"""
UNTIMED = """
assert min(r['sps'] for r in rows) > 0 and len(r['sps_rounds']) >= 5 and ', '.join(names)
with fake_clock(.25): took = time_steps(env, 2, 12); assert took['seconds'] <= 6 and row['ms_p50'] == 250
p.join(600); settings(max_examples=9, deadline=None, suppress_health_check=list(HealthCheck)); end = time.time() + 600
while not done(): time.sleep(.01)
"""

def test_planted_times_are_found():
    assert {line for line, _ in times(TIMED)} == set(range(2, TIMED.count('\n') + 1)), [*times(TIMED)]
    assert not [*times(UNTIMED)], [*times(UNTIMED)]

# The size of the house

def test_planted_faults_have_their_place():
    "What `faults.py` plants stands once in the package."
    texts = faults.modules(root)
    for f in json.loads((root/'tests/faults.json').read_text(encoding='utf-8')): faults.find_fault(texts, f)

def test_the_house_keeps_its_size():
    "No number is above its budget, and none so far below that the budget says nothing; see `tests/size.py`."
    found = measure()
    assert not [line for line, (name, n) in zip(report(found), found.items()) if n > BUDGET[name]], 'say why it grew, and edit BUDGET'
    slack = [f'{name}: {n}' for name, n in found.items() if n < BUDGET[name] - STEP.get(name, 0)]
    assert found.keys() == BUDGET.keys() and not slack, f'lower BUDGET: {slack}'

def test_every_check_has_a_budget():
    "`python tests/run_all.py --keep` writes what each cost, and a third more; the sum is a number of the house."
    pages = {*map(page_name, notebooks())}
    files = {f'tests/{p.name}' for p in (root/'tests').glob('test_*.py')} - {'tests/test_nbs.py', 'tests/test_static.py'}
    assert {*checks(root)} == pages | files | {f'static/{name}' for name in CHECKS}

def test_lines_and_names_are_counted():
    source = ('"""Two\nlines."""\n\n__all__ = ["a",\n           "b"]\nx = 1 # a comment\n# another\n'
              'def a():\n    "What it does."\n    return """of\ntwo"""\n')
    assert code_lines(source) == 6 and public(source) == ['a', 'b'] and public('x = 1') == [] and code_lines('"doc"\n\n# c\n') == 0

def test_the_house_keeps_its_shape():
    "Few functions take many things, no class does too much, and few doors lead to an environment; see `tests/shape.py`."
    found = shape.measure(modules())
    assert found.keys() == shape.MOST.keys() and not [name for name, n in found.items() if n > shape.MOST[name]], found

def test_planted_width_is_found():
    names = ', '.join('abcdefg')
    bad = {'x.py': f'class A:\n    def f(self, {names}, *rest): pass\n    def g(self): pass\n    def __len__(self): pass\n'
                   f'@wp.kernel\ndef k({names}, h): pass\n',
           'y.py': f'class B(A):\n    def h(self):\n        def inner({names}, *, h, **kw): pass\n@patch\ndef i(self:A): pass\n'
                   'class Env:\n    def step(self): pass\n    def reset(self): pass\n    def spec(self): pass\n'
                   'def make()->Env: pass\ndef hidden()->World: pass\n',
           '__init__.py': '_NAMES = dict(make="y")\n_IDS = {}\n', 'all.py': 'from y import A, Env\n'}
    assert shape.wide(bad) == [(9, 'y.py:3 inner'), (8, 'x.py:2 f')] and shape.wide(bad, kernels=True) == [(8, 'x.py:6 k')]
    assert shape.methods(bad)['B'] == {'f', 'g', 'h', 'i'} and shape.doors(bad) == ['Env', 'make', 'ids of Gymnasium']
    assert shape.measure(bad) == {'wide functions': 2, 'parameters of a function': 9, 'methods of a class': 4, 'doors to an environment': 3}
