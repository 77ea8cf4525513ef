"""Types: every body of the package, its stubs, a user's script and a user's mistakes, as a checker sees them, with no rule off.

`PYTHONPATH=tests/tools python tests/house/test_types.py` prints what pyright finds, by rule and by room, with lines in the package."""
import ast, json, re, shutil, subprocess, sys, tempfile
from collections import Counter
from pathlib import Path

import pytest
import stubs
from merged import merged, read
from pages import root

BIN = Path(sys.executable).parent
ABSENT = re.compile('"(stable_baselines3|rsl_rl|torchrl|tensordict|wandb)') # packages that need not be here
USERS = 'users_script.py', 'users_mistakes.py'
LEFT = dict(traces=28, lab=27, explore=13, prospector=14, proofs=14, bench=11, goals=13, reference=12, adapters=11, games=9, base=5,
            emulator=0, logs=0, training=0, envs=0, toys=0) # what pyright still says of bodies, by room: no more than this
OFF = ['bad-argument-count', 'bad-argument-type', 'bad-assignment', 'bad-function-definition', 'bad-index', 'bad-keyword-argument',
       'bad-override', 'bad-override-mutable-attribute', 'bad-return', 'bad-specialization', 'bad-unpacking', 'invalid-argument',
       'missing-attribute', 'no-matching-overload', 'not-callable', 'unsupported-operation'] # there, for the quicker checker
PYREFLY = '''preset = "default"
project-includes = ["bodies/**/*.py"]
search-path = ["bodies"]
python-version = "3.10"
ignore-missing-imports = ["stable_baselines3.*", "rsl_rl.*", "torchrl.*", "tensordict.*", "tensordict"]
replace-imports-with-any = ["warp", "warp.*", "torch", "torch.*", "numpy", "numpy.*", "matplotlib", "matplotlib.*"]
'''
PART = '''[[sub-config]]
matches = "bodies/gbxnb/{room}/**"
errors = {{ {rules} }}
'''

def lay_out(out):
    "Merged modules in `bodies`; the package as it is installed, and the users' scripts, in `users`. Returns the lines of the former."
    lines = merged(read())
    for name, text in lines.items():
        (out/'bodies/gbxnb'/name).parent.mkdir(parents=True, exist_ok=True)
        (out/'bodies/gbxnb'/name).write_text('\n'.join(line for _, line in text), encoding='utf-8')
    for p in (p for suffix in ('.py', '.typed') for p in (root/'gbxnb').rglob(f'*{suffix}')):
        (out/'users'/p.relative_to(root)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(p, out/'users'/p.relative_to(root))
    stubs.write(out/'users/gbxnb')
    for name in USERS: shutil.copy(Path(__file__).with_name(name), out/'users'/name)
    rules = ', '.join(f'{rule} = false' for rule in OFF)
    (out/'pyrefly.toml').write_text(PYREFLY + ''.join(PART.format(room=room, rules=rules) for room in sorted(LEFT)))
    return lines

def pyright(out, **system):
    "What pyright says of the bodies, of the stubs and of the scripts: pairs of a file and a message."
    made = [p.relative_to(out).as_posix() for p in sorted((out/'users').rglob('*.pyi'))]
    config = dict(include=['bodies', *made, *(f'users/{u}' for u in USERS)], pythonVersion='3.10', typeCheckingMode='standard', **system,
                  executionEnvironments=[dict(root='bodies'), dict(root='users')])
    (out/'pyrightconfig.json').write_text(json.dumps(config))
    run = subprocess.run([BIN/'pyright', '-p', out, '--pythonpath', sys.executable, '--outputjson'], stdin=subprocess.DEVNULL,
                         capture_output=True, text=True)
    found = json.loads(run.stdout)['generalDiagnostics']
    found = [m for m in found if m.get('rule') != 'reportMissingImports' or not ABSENT.search(m['message'])]
    return [(Path(m['file']).resolve().relative_to(out).as_posix(), m) for m in found]

def shown(lines, file, m):
    "A message with its place in the package."
    k, name = m['range']['start']['line'], file.partition('/gbxnb/')[2]
    if file.startswith('bodies'): k = lines[name][k][0] - 1
    return f'{file}:{k + 1} {m.get("rule", "")} {" ".join(m["message"].split())}'

@pytest.fixture(scope='module')
def said():
    "What pyright says, and the lines of the merged modules."
    with tempfile.TemporaryDirectory() as tmp:
        out = Path(tmp).resolve()
        lines = lay_out(out)
        yield lines, pyright(out)

def errors(said, start):
    lines, messages = said
    return [shown(lines, f, m) for f, m in messages if f.startswith(start) and m['severity'] == 'error']

def pyrefly(out, config, *words):
    command = [BIN/'pyrefly', 'check', '-c', out/config, '--python-interpreter-path', sys.executable, *words]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)

@pytest.fixture(scope='module')
def bodies():
    "A folder with all that is checked."
    with tempfile.TemporaryDirectory() as tmp:
        lay_out(out := Path(tmp).resolve())
        yield out

def test_quick(bodies):
    "Bodies, by the quicker checker; in rooms with something left for pyright only what is not of types."
    run = pyrefly(bodies, 'pyrefly.toml')
    assert not run.returncode, run.stdout + run.stderr

def not_there(out, system):
    "Names and modules that bodies use, with no condition around, and another system lacks."
    (out/f'{system}.toml').write_text(f'{PYREFLY}python-platform = "{system}"\n')
    found = json.loads(pyrefly(out, f'{system}.toml', '--output-format', 'json').stdout)['errors']
    gone = [m for m in found if re.search('attribute `.*` in module|[Nn]o export|[Cc]ould not import', m['description'].split('\n')[0])]
    return [f"{m['path'].partition('bodies/')[2]}:{m['line']} {m['description'].splitlines()[0]}" for m in gone]

@pytest.mark.parametrize('system', ['win32', pytest.param('darwin', marks=pytest.mark.slow)])
def test_every_system_has_what_is_used(bodies, system):
    "What stands behind `if sys.platform == ...` is looked at where it runs."
    found = not_there(bodies, system)
    assert not found, '\n'.join(found)

def test_what_a_system_lacks_is_found(tmp_path):
    (tmp_path/'bodies').mkdir()
    lines = ['import os, sys', 'from os import nice', "if sys.platform == 'win32': os.startfile('')", 'else: os.getuid()']
    lines += ['os.memfd_create("")']
    (tmp_path/'bodies/m.py').write_text('\n'.join(lines), encoding='utf-8')
    assert [m.split()[0] for m in not_there(tmp_path, 'win32')] == ['m.py:2', 'm.py:5']

@pytest.mark.slow
@pytest.mark.parametrize('part', ['users/gbxnb', 'users/users_script.py'])
def test_no_error(said, part):
    "Stubs and a script of correct use."
    found = errors(said, part)
    assert not found, '\n'.join(found)

@pytest.mark.slow
def test_bodies(said):
    "No room has more errors than are left in it."
    found = errors(said, 'bodies')
    rooms = Counter(line.split('/')[2] for line in found)
    assert not [room for room, n in rooms.items() if n > LEFT.get(room, 0)], '\n'.join(found)

@pytest.mark.slow
@pytest.mark.parametrize('system', ['Darwin', 'Windows'])
def test_bodies_elsewhere(said, bodies, system):
    "No error where there is none on Linux: methods and arguments depend on the system, too. What `hasattr` asks for may be missing."
    def place(m): return m.split()[:2]
    here = [place(m) for m in errors(said, 'bodies')]
    found = [m for m in errors((said[0], pyright(bodies, pythonPlatform=system)), 'bodies') if place(m) not in here]
    def line(m):
        file, _, k = place(m)[0].removeprefix('bodies/').partition(':')
        return (root/file).read_text(encoding='utf-8').split('\n')[int(k) - 1]
    assert not [m for m in found if 'hasattr(' not in line(m)], '\n'.join(found)

@pytest.mark.slow
def test_mistakes(said):
    "Each mistake is found on its line, and nothing else is."
    source = (root/'tests/house/users_mistakes.py').read_text(encoding='utf-8').split('\n')
    planted = {k for k, line in enumerate(source, 1) if ' # ' in line}
    found = {m['range']['start']['line'] + 1 for f, m in said[1] if f == 'users/users_mistakes.py' and m['severity'] == 'error'}
    assert len(planted) >= 30 and found == planted, [source[k - 1] for k in sorted(found ^ planted)]

def short(kind):
    "A type as a person writes it: without what arrays are of."
    return re.sub(r'(ndarray|array|Tensor)\[((?:[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*)\]', r'\1', kind)

@pytest.mark.slow
def test_revealed(said):
    "A script's values have the types that stand behind them."
    source = (root/'tests/house/users_script.py').read_text(encoding='utf-8').split('\n')
    promised = {k: line.split(' # ')[1] for k, line in enumerate(source, 1) if line.startswith('reveal_type')}
    found = {m['range']['start']['line'] + 1: short(re.search('is "(.*)"$', m['message'])[1])
             for f, m in said[1] if f == 'users/users_script.py' and m['severity'] == 'information'}
    assert found == promised, [(source[k - 1], found.get(k)) for k in promised if found.get(k) != promised[k]]

def test_returns(bodies):
    "Every public function and method in a stub says what it returns."
    bare = []
    for p in sorted((bodies/'users').rglob('*.pyi')):
        tree = ast.parse(p.read_text(encoding='utf-8'))
        for n in [*tree.body, *(f for c in tree.body if isinstance(c, ast.ClassDef) and c.name[0] != '_' for f in c.body)]:
            if isinstance(n, ast.FunctionDef) and not n.returns and n.name[0] != '_': bare.append(f'{p.name}:{n.lineno} {n.name}')
    assert not bare, '\n'.join(bare)

if __name__ == '__main__':
    with tempfile.TemporaryDirectory() as tmp:
        out = Path(tmp).resolve()
        lines = lay_out(out)
        found = [(f, m) for f, m in pyright(out) if m['severity'] == 'error' or f.startswith('users/users')]
    for f, m in found: print(shown(lines, f, m))
    print(Counter(m.get('rule') for f, m in found).most_common())
    print(Counter('/'.join(f.split('/')[:3:2]) for f, m in found).most_common())
