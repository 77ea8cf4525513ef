"Rules the whole project keeps: no machine's paths, clean notebooks with a title, every page in the sidebar, every command importable."
import ast, json, os, re, subprocess, sys

import pytest
from pages import WIDGET, notebooks, read, readme, root, sidebar

def text_files():
    run = subprocess.run(['git', 'ls-files', '-z'], cwd=root, capture_output=True, text=True)
    if run.returncode: pytest.skip('not a git checkout')
    return [root/f for f in run.stdout.split('\0') if f and (root/f).is_file() and b'\0' not in (root/f).read_bytes()[:8000]]

def test_no_machine_paths():
    "Nothing committed knows where it was made."
    homes = '|'.join(('wor'+'k', 'far'+'m', 'roo'+'t', 'hom'+'e/[a-z]', 'User'+'s/[a-z]', 'tm'+'p/bash'))
    pat = re.compile(rf'(?<![\w.~$}}*])/(?:{homes})[\w.]*/')
    lines = [(f, i, line) for f in text_files() for i, line in enumerate(f.read_text(errors='ignore').splitlines(), 1)]
    found = [f'{f.relative_to(root)}:{i}: {line.strip()[:100]}' for f, i, line in lines if pat.search(line)]
    assert not found, '\n'.join(found)

def test_no_roms_but_ours():
    "A file that holds the console's logo at 0x104 is a ROM; only the package's own data may."
    logo = bytes.fromhex('ceed6666cc0d000b')
    run = subprocess.run(['git', 'ls-files', '-z'], cwd=root, capture_output=True, text=True)
    files = [root/f for f in run.stdout.split('\0') if f and not f.startswith('gbxnb/data/')]
    assert not [f for f in files if f.is_file() and f.read_bytes()[0x104:0x10c] == logo]

@pytest.mark.parametrize('nb', notebooks(), ids=lambda p: str(p.relative_to(root/'nbs')))
def test_notebook_form(nb):
    cs = read(nb)['cells']
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
    "The documentation build runs each cell that imports, and no other cell that does not export: what else stands in it would fail there."
    bad = []
    for nb in notebooks():
        for c in read(nb)['cells']:
            src = ''.join(c['source'])
            if c['cell_type'] != 'code' or re.match(r'#\|\s*(export|eval:\s*false|exec_doc)', src): continue
            body = ast.parse('\n'.join(line for line in src.splitlines() if not line.startswith(('%', '!')))).body
            imports = [n for n in body for m in ast.walk(n) if isinstance(m, (ast.Import, ast.ImportFrom))]
            if imports and not all(isinstance(n, (ast.Import, ast.ImportFrom)) for n in body):
                bad.append(f"{nb.relative_to(root)} cell {c['id']}: {src.splitlines()[0]}")
    assert not bad, 'split these cells:\n' + '\n'.join(bad)

def test_sidebar_lists_every_notebook():
    assert (root/'nbs/sidebar.yml').read_text(encoding='utf-8') == sidebar(), 'run `make export`'

HELP = """import contextlib, importlib, io, json, sys
told = {}
for name, module, func in json.load(sys.stdin):
    words, out, code = name.split(), io.StringIO(), 0
    sys.argv = [words[0], *words[1:], '--help']
    try:
        with contextlib.redirect_stdout(out): getattr(importlib.import_module(module), func)()
    except SystemExit as e: code = e.code
    told[name] = out.getvalue() if not code else ''
print(json.dumps(told))
"""

@pytest.fixture(scope='module')
def helps(tmp_path_factory):
    "What each command, and each part of `gbxnb-bench`, says when asked for help."
    from nbdev.config import get_config
    from gbxnb.bench.tune import PARTS
    scripts = re.findall(r'(\S+)=([\w.]+):(\w+)', get_config(path=root)['console_scripts'])
    scripts += [(f'{name} {part}', *where) for name, *where in scripts if name == 'gbxnb-bench' for part in PARTS]
    program = tmp_path_factory.mktemp('helps')/'commands.py' # a command looks for the file that calls it
    program.write_text(HELP)
    env = os.environ | dict(PYTHONPATH=str(root))
    run = subprocess.run([sys.executable, program], env=env, input=json.dumps(scripts), cwd=root, capture_output=True, text=True)
    assert not run.returncode, run.stderr
    return json.loads(run.stdout)

def test_commands_explain_themselves(helps):
    "Every console script exists and knows --help."
    assert len(helps) > 15 and all(text.startswith(f'usage: {name}') for name, text in helps.items()), helps

def test_commands_that_are_told_are_so(helps):
    "A command line in a page or in the Makefile names commands and options that there are."
    pages = {nb.name: '\n'.join(''.join(c['source']) for c in read(nb)['cells'] if c['cell_type'] == 'markdown') for nb in notebooks()}
    pages |= {name: (root/name).read_text(encoding='utf-8') for name in ('README.md', 'Makefile')}
    lines = [(page, line) for page, text in pages.items() for line in re.findall(r'gbxnb-[a-z-]+(?: [^`\n#|;)]*)?', text)]
    wrong = []
    for page, line in lines:
        words = line.split()
        name = ' '.join(words[:2]) if ' '.join(words[:2]) in helps else words[0].rstrip('-')
        options = re.findall(r'(?<!\S)--[a-z][a-z-]*', line)
        known = set(re.findall(r'--[a-z][a-z-]*', helps.get(name, '')))
        wrong += [f'{page}: {line}'] if name not in helps or not known.issuperset(options) else []
    assert len(lines) > 50 and not wrong, '\n'.join(wrong)

def test_imports_run_one_way():
    "The emulator and the backends never load torch; nothing but the lab loads widgets."
    code = ("import sys, pkgutil, importlib, gbxnb\n"
            "for m in pkgutil.walk_packages(gbxnb.__path__, 'gbxnb.'):\n"
            "    if m.name.split('.')[1] in {}: importlib.import_module(m.name)\n"
            "print([m for m in {} if m in sys.modules])")
    for rooms, banned in (({'emulator', 'backends', 'files'}, ['torch', 'ipywidgets', 'matplotlib', 'gymnasium']),
                          ({'emulator', 'backends', 'files', 'envs', 'train', 'logs', 'bench', 'worlds'}, ['ipywidgets', 'IPython'])):
        run = subprocess.run([sys.executable, '-c', code.format(rooms, banned)], cwd=root, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        assert run.stdout.strip().splitlines()[-1] == '[]', f'{rooms} loaded {run.stdout}'

def test_readme_is_the_index():
    assert (root/'README.md').read_text(encoding='utf-8') == readme(), 'run `make export`'
