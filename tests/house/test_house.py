"""The house: its rooms as their imports draw them, its pages and commands, and what no module may do by itself.

Files are read and written, processes started and machine code loaded in few places, which SECURITY.md relies on."""
import ast, json, os, re, shutil, subprocess, sys

import faults
import public
import pytest
from gbxnb.__main__ import COMMANDS, GROUPS, split_line
from house import BELOW, DOORS, RINGS, circle, imports, modules, picture, places, reachable, room
from pages import PATH, WIDGET, book, lasting, nodes, notebooks, page_name, python, readme, root, sidebar

GRAPH = imports()
EDGES = [(a, b) for a, others in GRAPH.items() for b in sorted(others)]
HEART, WINGS, EVIDENCE = (set(RINGS[ring]) for ring in ('heart', 'wings', 'evidence'))
SOURCES = {p.relative_to(root/'gbxnb').as_posix(): p.read_text(encoding='utf-8') for p in sorted((root/'gbxnb').rglob('*.py'))
           if p.name not in ('_modidx.py', '__init__.py')}

# Rooms

def test_every_room_is_known(): assert {room(m) for m in GRAPH} == set(BELOW)

def test_imports_run_one_way():
    "The heart imports no wing, and wings each other as the house draws it; evidence is imported by nothing; nothing imports itself."
    assert not [f'{a} imports {b}' for a, b in EDGES if room(b) not in reachable(room(a))]
    assert not [f'{a} imports {b}' for a, b in EDGES if room(a) in HEART and room(b) not in HEART]
    assert not [f'{a} imports {b}' for a, b in EDGES if room(b) in EVIDENCE and room(a) not in EVIDENCE]
    assert circle(GRAPH) is None

def test_planted_circles_are_found():
    assert circle({'a': {'b'}, 'b': {'c'}, 'c': {'a'}, 'd': set()}) == ['a', 'b', 'c', 'a'] and circle({'a': {'b'}, 'b': set()}) is None

def test_evidence_stands_behind_commands():
    "A module of the evidence is that of a command, or imported by one that is."
    evidence = {m for m in GRAPH if room(m) in EVIDENCE}
    used = {where.split(':')[0] for where in COMMANDS.values()} & evidence
    while more := {b for a in used for b in GRAPH[a] & evidence} - used: used |= more
    assert not evidence - used, f'behind no command: {sorted(evidence - used)}'

def test_notebooks_stand_in_the_order_of_their_imports():
    "Within a room, a page needs no page behind it, and numbers have no gaps."
    at = places()
    assert not [f'{a} ({at[a]}) imports {b} ({at[b]})' for a, b in EDGES if room(a) == room(b) and at[b] >= at[a]]
    for folder in sorted({p.parent for p in notebooks()} - {root/'nbs'}):
        numbers = [int(p.name[:2]) for p in sorted(folder.glob('*.ipynb'))]
        assert numbers == [*range(len(numbers))], folder.name

@pytest.mark.parametrize('general', ['training', 'logs', 'runs'])
def test_no_console_is_named(general):
    "Training, logs and runs work for any world: none of their modules imports a room of the Game Boy."
    console = 'emulator', 'backends', 'envs'
    assert not [f'{a} imports {b}' for a, b in EDGES if room(a) == general and (room(b) in console or b == 'worlds.gameboy')]

def test_what_the_heart_knows_of_wings_stands_in_tables():
    "A wing's module is named in the heart only where names are registered, and what is named exists."
    tables, found = {'base.config', 'worlds.contract', 'envs.rewards', '__init__', '__main__', 'all'}, set()
    files = {**modules(), **{door: root/f'gbxnb/{door}.py' for door in DOORS}}
    for name, path in files.items():
        if '.' in name and room(name) not in HEART: continue
        texts = [n.value for n in nodes(path.read_text(encoding='utf-8')) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        for place in re.findall(rf"(?:^|gbxnb\.)((?:{'|'.join(WINGS | EVIDENCE)})\.\w+)(?=:|$)", '\n'.join(texts), re.M):
            found.add(name)
            assert name in tables and place in files, f'{name} names {place}'
    assert 'base.config' in found

def test_a_wing_has_a_door():
    "The first page of a wing leads to all the others."
    for wing in sorted(WINGS):
        first, *rest = sorted(p.name for p in (root/'nbs'/wing).glob('*.ipynb'))
        assert first == f'00_{wing}.ipynb', f'{wing} has no door page'
        text = '\n'.join(''.join(c['source']) for c in book(root/'nbs'/wing/first)['cells'] if c['cell_type'] == 'markdown')
        assert not [p for p in rest if f']({p})' not in text], f'{wing}: the door leads not to all pages'

def test_the_way_through_the_heart_is_there():
    rooms = [p.split('/')[0] for p in PATH]
    assert {*rooms} <= HEART and not [p for p in PATH if not (root/'nbs'/p).is_file()]
    assert rooms == sorted(rooms, key=list(RINGS['heart']).index)

def test_what_is_made_of_the_notebooks_is_of_today():
    for path, text in ('README.md', readme()), ('nbs/sidebar.yml', sidebar()), ('nbs/images/house.svg', picture()):
        assert (root/path).read_text(encoding='utf-8') == text, f'{path}: run `make export`'

ALONE = """import importlib, json, pkgutil, sys
class Ban:
    def find_spec(self, name, path=None, target=None):
        if name in banned: raise AssertionError(f'{name} is imported')
sys.meta_path.insert(0, Ban())
rooms, banned = json.loads(sys.argv[1])
import gbxnb
for m in pkgutil.walk_packages(gbxnb.__path__, 'gbxnb.'):
    if any(f'{m.name}.'.startswith(f'gbxnb.{r}.') for r in rooms): importlib.import_module(m.name)
"""
LIGHT = ('base.files', 'base.command', 'base.parallel', 'base.startup', '__main__', 'emulator', 'watch', 'backends', 'traces', 'saves',
         'reference', 'debugger',
         'games.asm', 'proofs.verify')

@pytest.mark.parametrize('rooms, banned', [(LIGHT, ['torch', 'ipywidgets', 'matplotlib', 'gymnasium']),
                                           ([r for r in BELOW if r != 'lab'], ['ipywidgets', 'IPython'])], ids=['torch', 'widgets'])
def test_what_a_room_never_loads(rooms, banned):
    "The emulator and the backends load no torch; nothing but the lab loads widgets."
    words = [sys.executable, '-c', ALONE, json.dumps([rooms, banned])]
    run = subprocess.run(words, cwd=root, capture_output=True, text=True)
    assert not run.returncode, run.stderr

# Pages

def text_files():
    run = subprocess.run(['git', 'ls-files', '-z'], cwd=root, capture_output=True, text=True)
    if run.returncode: pytest.skip('not a git checkout')
    return [root/f for f in run.stdout.split('\0') if f and (root/f).is_file()]

def test_no_machine_paths():
    "Nothing committed knows where it was made."
    homes = '|'.join(('wor'+'k', 'far'+'m', 'roo'+'t', 'hom'+'e/[a-z]', 'User'+'s/[a-z]', 'tm'+'p/bash'))
    pat = re.compile(rf'/(?<![\w.~$}}*]/)(?:{homes})[\w.]*/')
    texts = {f: f.read_text(errors='ignore') for f in text_files() if b'\0' not in f.read_bytes()[:8000]}
    found = [(f, text[:m.start()].count('\n') + 1, m[0]) for f, text in texts.items() for m in pat.finditer(text)]
    assert not found, '\n'.join(f'{f.relative_to(root)}:{line}: {what}' for f, line, what in found)

def test_no_roms_but_ours():
    "A file that holds the console's logo at 0x104 is a ROM; only the package's own data may."
    logo = bytes.fromhex('ceed6666cc0d000b')
    assert not [f for f in text_files() if f.read_bytes()[0x104:0x10c] == logo and root/'gbxnb/data' not in f.parents]

@pytest.mark.parametrize('nb', notebooks(), ids=lambda p: str(p.relative_to(root/'nbs')))
def test_notebook_form(nb):
    cs = book(nb)['cells']
    assert nb.stat().st_size < 400_000, 'over 400 kB: commit smaller outputs'
    md = next(''.join(c['source']) for c in cs if c['cell_type'] == 'markdown')
    assert re.match(r'#\s+\S.*\n+>\s*\S', md), 'the first prose is a "# Title" and a "> subtitle"'
    code = [c for c in cs if c['cell_type'] == 'code']
    assert all(c['execution_count'] is None for c in code), 'run nbdev_clean'
    assert all(c.get('id') for c in cs) and len({c['id'] for c in cs}) == len(cs), 'every cell has an id of its own'

def test_a_widget_leaves_its_still_picture():
    "What is saved of a widget's output is the picture beside it, or nothing."
    widget = dict(output_type='display_data', data={WIDGET: {}, 'text/html': '<img alt="a still">', 'text/plain': 'Watch'})
    assert lasting(widget)['data'].keys() == {'text/html', 'text/plain'}
    assert lasting(dict(output_type='display_data', data={WIDGET: {}, 'text/plain': 'Watch'})) is None

def test_planted_faults_have_their_place():
    "What `faults.py` plants stands once in the package."
    texts = faults.modules(root)
    for f in json.loads((root/'tests/house/faults.json').read_text(encoding='utf-8')): faults.find_fault(texts, f)

def test_what_is_promised_of_security():
    "The page exists, is linked, gives the author's address, and every file that it names is there."
    text = (root/'SECURITY.md').read_text(encoding='utf-8')
    named = re.findall(r'`((?:tests/|[A-Z]+\.md)[^`]*)`', text)
    assert len(named) > 8 and not [n for n in named if not [*root.glob(n)]]
    assert all('SECURITY.md' in (root/page).read_text(encoding='utf-8') for page in ('README.md', 'CONTRIBUTING.md'))
    assert f'author_email = {re.search("[a-z]+@[a-z.]+[a-z]", text)[0]}\n' in (root/'settings.ini').read_text(encoding='utf-8')

@pytest.mark.skipif(not shutil.which('make'), reason='no make')
def test_clean_takes_what_was_generated(tmp_path):
    "Environment, caches and builds go; runs, ROMs and saves stay, and so does an environment elsewhere, whatever VENV says."
    shutil.copy(root/'Makefile', tmp_path)
    kept = {'Makefile', 'runs/red/checkpoint.json', 'red.gb', 'red.sav', 'nbs/a.ipynb', 'elsewhere/bin/python'}
    generated = {'.venv/bin/python', '_proc/a.html', '.pytest_cache/x', 'nbs/emulator/.hypothesis/x', 'gbxnb/__pycache__/a.pyc',
                 'nbs/.ipynb_checkpoints/a.ipynb', 'build/x', '.coverage'}
    for name in kept - {'Makefile'} | generated:
        (tmp_path/name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path/name).write_text('')
    subprocess.run(['make', '-s', 'clean'], cwd=tmp_path, env=os.environ | dict(VENV=str(tmp_path/'elsewhere')), check=True)
    assert {str(p.relative_to(tmp_path)) for p in tmp_path.rglob('*') if p.is_file()} == kept

# Names and commands

@pytest.fixture(scope='module')
def helps():
    "What each command says when asked for help."
    return {f'gbxnb {name}'.strip(): text for name, text in public.all_helps().items()}

def test_commands_explain_themselves(helps):
    "Every command knows --help, and has there the line that the list of all commands gives it."
    assert len(helps) > 20 and all(text.startswith(f'usage: {name}') for name, text in helps.items())
    assert not [name for group in GROUPS.values() for name, (_, text) in group.items() if f'\n{text}\n' not in helps[f'gbxnb {name}']]

def test_stable_names_are_as_listed(helps):
    "What is on the page of public names: every parameter, method and option of it. What is gone is shown to be found."
    listed = public.known()
    found = public.now(listed, {name: helps[f'gbxnb {name}'] for name in COMMANDS})
    gone, new = public.difference(listed, found)
    assert not gone, '\n'.join(['gone, or changed; "How a name goes" in nbs/base/08_all.ipynb says what to do:', *gone])
    assert not new, '\n'.join(['not yet in the list; write it by python tests/house/public.py --keep:', *new])
    less = json.loads(json.dumps(found))
    less['names']['gbxnb']['train'] = None
    less['commands']['train'].remove('--out')
    assert [line.split('(')[0] for line in public.difference(found, less)[0]] == ['gbxnb train --out', 'gbxnb.train']

def our_imports(nb):
    "Modules of ours that the cells of a page import names from, each with a name."
    for n in (n for c in book(nb)['cells'] if c['cell_type'] == 'code' for n in nodes(python(''.join(c['source'])))):
        if isinstance(n, ast.ImportFrom) and (n.module or '').startswith('gbxnb'): yield from ((n.module, a.name) for a in n.names)

def test_pages_for_users_import_stable_names():
    "What is imported on the tour, in tutorials and examples; and what `gbxnb.all` gives."
    listed = {(module, name) for module, names in public.known()['names'].items() for name in names}
    pages = [nb for nb in notebooks() if page_name(nb).startswith(('tutorials/', 'examples/', '000_tour', 'index', 'base/08_all'))]
    used = {x: page_name(nb) for nb in pages for x in our_imports(nb) if x[0] != 'gbxnb.all'}
    assert not (wrong := {x: page for x, page in used.items() if x not in listed}), wrong

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
        known = {*re.findall(r'--[a-z][a-z-]*', helps.get(name, ''))}
        if name == first or not known.issuperset(re.findall(r'(?<!\S)--[a-z][a-z-]*', line)): wrong.append(f'{page}: {line}')
    assert len(lines) > 50 and not wrong, '\n'.join(wrong)

def test_options_that_messages_name_are_there(helps):
    "What a line of the package says of an option, one of `gbxnb` or of the program it speaks of, can be typed."
    known = {*re.findall(r'--[a-z][a-z-]*', ' '.join(helps.values())), '--name', '--porcelain', '--force-reinstall', '--no-python',
             '--nproc-per-node', '--nnodes', '--node-rank', '--master-addr', '--master-port'}
    texts = [(name, n.value) for name, source in SOURCES.items() for n in nodes(source) if isinstance(n, ast.Constant)]
    named = {(where, option) for where, text in texts if isinstance(text, str) for option in re.findall(r'(?<![\w(-])--[a-z][a-z-]*', text)}
    assert len(named) > 20 and not [n for n in named if n[1] not in known]

# What touches files, starts processes and loads machine code

HOMES = 'base/files.py', # where files are handled
RULES = {
    'reads': r'(?<![\w.`])open\(|\b(?:io|os|gzip|Image)\.open\(|\bp\w*\.open\(|\.(?:read_bytes|read_text|fromfile|memmap|safe_open)\('
             r'|\b(?:np|json|torch)\.load\(|\b(?:pickle|shelve|marshal|joblib|dill)\b',
    'writes': r'\.(?:unlink|rmdir|rmtree|renames?|truncate|write_text|write_bytes|copyfile|copytree|copy2|tofile|savetxt)\b'
              r'|\b(?:os|shutil)\.(?:remove|replace|move|copy|ftruncate)\b|from (?:os|shutil) import',
    'starts': r'\bsubprocess\.(?:Popen|run|call|check_\w+|get\w+)|from subprocess'
              r'|\bos\.(?:system|popen|fork\w*|exec\w+|spawn\w+|posix_spawn\w*)\(|\bmultiprocessing\b|ProcessPool|create_subprocess',
    'loads': r'\b(?:CDLL|PyDLL|WinDLL|LoadLibrary|load_library|dlopen|ExtensionFileLoader|load_aot_module|load_inline|load_cuda'
             r'|wp_load_obj\w*|cffi|cpp_extension)\b|\b[Mm]odule\.load\b',
    'names': r'(?:folder|path|parent|root|dir|place|out)(?:\([^()]*\))?\s*/\s*(?:str\()?\w+(?:\[\w+\])?(?:\[[\'"]|\.get\()'}
PLANTED = dict(
    reads=['open("x")', 'Image.open(p)', 'Path("x").read_text()', 'np.load(p)', 'json.load(f)', 'import pickle', 'p.open("rb")'],
    writes=['os.unlink(p)', 'shutil.rmtree(p)', 'Path("a").rename("b")', 'os.replace(a, b)', 'p.write_text(s)',
            'from shutil import rmtree'],
    starts=['subprocess.run(w)', 'from subprocess import run', 'os.fork()', 'import multiprocessing'],
    loads=['ctypes.CDLL(p)', 'wp.Module.load = f', 'wp.load_aot_module(m)', 'getattr(ctypes, "CDLL")'],
    names=["folder/about.get('task')", "Path(path).parent/entries['symbols']", "folder / str(row['number'])"])
ALLOWED = {
    'reads': {'proofs/conformance.py': 'a picture that is in memory already', 'base/parallel.py': 'pipes, and memory that processes share',
              'base/startup.py': 'copies in a new folder, for Warp to load',
              'pyboy.py': 'a line that tells how to open one'},
    'writes': {'logs/schema.py': 'the end of a log, if it is half a line', 'traces/cache.py': 'binaries that have been replaced',
               'base/startup.py': 'kernels of this process, and a file that was locked',
               'runs/doctor.py': 'what was compiled, where a person asks for that'},
    'starts': {'base/parallel.py': 'the one place, `start_python`', 'base/files.py': 'git, for the commit of the checkout'},
    'loads': {'base/startup.py': 'all of Warp loading, which gets copies of what was checked', 'explore/archive.py': 'this process itself',
              'traces/cache.py': 'traces, as copies of what was checked', 'training/loop.py': "a name of the system's C library"},
    'names': {'runs/checkpoint.py': 'a name of letters, digits and one dot, as its type says',
              'explore/atlas.py': 'a number that is checked'}}

def plain(source):
    "Code without comments and docstrings."
    tree = ast.parse(source)
    for n in ast.walk(tree):
        if isinstance(n, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(n): n.body[0] = ast.Pass()
    return ast.unparse(tree)

@pytest.mark.parametrize('rule', RULES)
def test_what_few_modules_may(rule):
    """Files are read within limits by `gbxnb.base.files`; written, renamed and removed by it; processes are
    started by `gbxnb.base.parallel`; what a file names lies beside it."""
    homes = () if rule in ('starts', 'loads') else HOMES
    found = {name: m[0] for name, source in SOURCES.items() if name not in homes and (m := re.search(RULES[rule], plain(source)))}
    assert found.keys() <= ALLOWED[rule].keys(), found
    assert all(re.search(RULES[rule], line) for line in PLANTED[rule])
