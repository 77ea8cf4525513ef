"What is published: every file of the package and nothing else, metadata that an index shows, and one line where an extra is missing."
import ast, json, re, runpy, shutil, subprocess, sys, zipfile
from functools import cache
from pathlib import PurePosixPath
from types import SimpleNamespace

import pytest
from gbxnb.__main__ import COMMANDS, GROUPS
from house import imported, modules
from pages import root
from platforms import EXTRAS, SYSTEMS, WITHOUT
from pythons import Bench, promised, requirements, settings


def tracked(folder):
    "What git knows in a folder, and what it may come to know."
    run = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard', folder], cwd=root, capture_output=True, text=True)
    if run.returncode: pytest.skip('not a git checkout')
    return {name for name in run.stdout.splitlines() if (root/name).is_file()}

@pytest.fixture
def facts(monkeypatch):
    "What setup.py says."
    found = {}
    monkeypatch.setitem(sys.modules, 'setuptools', SimpleNamespace(setup=found.update, find_packages=lambda include: include))
    monkeypatch.chdir(root)
    runpy.run_path('setup.py')
    return found

def test_every_file_is_packed(facts):
    "A file that is no module matches a pattern, and a module lies in a package."
    others = [n.removeprefix('gbxnb/') for n in tracked('gbxnb') if not n.endswith('.py')]
    modules = [n for n in tracked('gbxnb') if n.endswith('.py')]
    assert len(others) > 80 and len(modules) > 130
    assert not [n for n in others if not any(PurePosixPath(n).match(p) for p in facts['package_data']['gbxnb'])]
    assert not [n for n in modules if not (root/n).with_name('__init__.py').exists()]

def test_what_an_index_says(facts):
    kinds = facts['classifiers']
    assert [c.rsplit(' ', 1)[1] for c in kinds if re.search(r'Python :: 3\.\d+$', c)] == promised()
    assert {c.rsplit(' ', 1)[1] for c in kinds if c.startswith('Operating System')} == {'Linux', 'MacOS', 'Windows'}
    assert f'Development Status :: {settings()["status"]}' in kinds and facts['python_requires'] == f'>={promised()[0]}'
    assert {'Documentation', 'Source', 'Issues', 'Changelog'} == facts['project_urls'].keys()

def test_the_readme_stands_by_itself(facts):
    "On an index there is no checkout beside it: links and pictures are addresses, and those of this project lead to something."
    text, cfg = facts['long_description'], settings()
    links = re.findall(r'\]\(([^)\s]+)\)|<(?:img|source) [^>]*?src(?:set)?="([^"]+)"', text)
    links = [a or b for a, b in links]
    assert len(links) > 40 and not [a for a in links if not a.startswith(('https://', '#'))]
    site, source = f'{cfg["doc_host"]}{cfg["doc_baseurl"]}/', f'{cfg["git_url"]}/blob/{cfg["branch"]}/'
    ours = [a.partition('#')[0] for a in links if a.startswith((site, source))]
    files = [root/a.replace(source, '').replace(site, 'nbs/').replace('.html', '.ipynb') for a in ours]
    assert len(files) > 30 and not [f for f in files if not f.exists()]
    assert text.count('](') == (root/'README.md').read_text(encoding='utf-8').count('](')

def found(python, folder):
    "What each way of starting Python in `folder` takes for the package: its name where it is whole."
    (folder/'script.py').write_text('import gbxnb\nprint(gbxnb.Emulator.__name__)')
    ways = ['-c', (folder/'script.py').read_text()], ['script.py'], ['-m', 'script'], ['-m', 'gbxnb', '--help']
    runs = [subprocess.run([python, *words], cwd=folder, capture_output=True, text=True) for words in ways]
    return [run.stdout.split()[0] if run.stdout else run.stderr for run in runs]

WHOLE = ['Emulator', 'Emulator', 'Emulator', 'usage:']

def test_a_folder_of_its_name_hides_nothing(tmp_path):
    "A clone is called as the package is; whoever starts Python beside it gets the package."
    (tmp_path/'gbxnb/gbxnb').mkdir(parents=True)
    assert found(sys.executable, tmp_path) == WHOLE

# In a clean environment

@pytest.fixture(scope='module')
def bench(tmp_path_factory):
    bench = Bench(tmp_path_factory.mktemp('wheel'))
    bench.build()
    return bench

def files(wheel):
    with zipfile.ZipFile(wheel) as z: return {n for n in z.namelist() if '.dist-info/' not in n}, {*z.namelist()}

@pytest.mark.slow
def test_the_wheel_has_what_git_knows(bench):
    inside, everything = files(bench.wheel)
    assert inside == tracked('gbxnb') and [n for n in everything if n.endswith('.dist-info/licenses/LICENSE')]

@pytest.mark.slow
def test_a_source_distribution_builds_the_same_wheel(bench):
    out = bench.at/'dist'
    bench.call('build', '-q', '--python', sys.executable, '--out-dir', out, bench.at/'source') # the wheel is made of the other
    wheel, = out.glob('*.whl')
    with zipfile.ZipFile(wheel) as a, zipfile.ZipFile(bench.wheel) as b:
        assert {n: a.read(n) for n in a.namelist() if not n.endswith('RECORD')} == \
               {n: b.read(n) for n in b.namelist() if not n.endswith('RECORD')}
    bench.call('tool', 'run', 'twine', 'check', '--strict', *out.glob('*.whl'), *out.glob('*.tar.gz'))

@pytest.mark.slow
@pytest.mark.parametrize('tool', ['pip', 'uv'])
def test_an_editable_clone_is_found_beside_itself(bench, tool, tmp_path):
    "In the folder that holds the clone, in the clone, and in its notebooks."
    clone, env = tmp_path/'gbxnb', tmp_path/'env'
    shutil.copytree(bench.at/'source', clone)
    bench.call('venv', '-q', '--seed', '--python', sys.executable, env)
    bench.install(env, 'newest', [])
    python, = [*env.glob('bin/python'), *env.glob('Scripts/python.exe')]
    installer = [python, '-m', 'pip', 'install', '-q'] if tool == 'pip' else [bench.uv, 'pip', 'install', '-q', '--python', python]
    subprocess.run([*installer, '--no-deps', '--force-reinstall', '-e', clone], check=True, env=bench.env)
    assert [found(python, at) for at in (tmp_path, clone, clone/'nbs')] == [WHOLE]*3

LATE = 'watch', 'goal capture', 'goal propose' # these import what they lack when their options are asked for
WORDS = { # these explain themselves before
    'goal add': 'a b', 'goal check': 'a', 'goal calibrate': 'a', 'verify': 'TOWN', 'bench compare': ''}

def lacking():
    "The commands that import something of an extra when they are imported."
    known, extra = modules(), {re.split('[<>=]', r)[0] for r in requirements('rl')}
    @cache
    def at_once(module):
        tree = ast.parse(known[module].read_text(encoding='utf-8'))
        top = (ast.unparse(n) for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom)))
        return {*imported('\n'.join(top), module, known.keys() | extra)}
    def lacks(found):
        more = found.union(*(at_once(m) for m in found - extra))
        return bool(found & extra) or more != found and lacks(more)
    return {name for name, place in COMMANDS.items() if lacks({place.split(':')[0]})}

@pytest.mark.slow
def test_without_an_extra_a_line_says_which(bench):
    "The package alone: each command either works or says in a line what brings what it lacks, and so do the five names."
    env, here = bench.at/'alone', bench.at/'empty'
    here.mkdir()
    bench.call('venv', '-q', '--python', sys.executable, env)
    bench.install(env, 'newest', [])
    python, = [*env.glob('bin/python'), *env.glob('Scripts/python.exe')]
    def say(*words): return subprocess.run([python, '-I', *words], cwd=here, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    said = {name: say('-m', 'gbxnb', *name.split(), '--help') for group in GROUPS.values() for name in group}
    needs = lacking() | {*LATE}
    assert {name for name, run in said.items() if run.returncode} == needs
    town = say('-c', 'import gbxnb.games.bundled as t, gbxnb, os; print(os.path.join(os.path.dirname(gbxnb.__file__), "data", "town.gb"))')
    for name, words in WORDS.items():
        said[name] = say('-m', 'gbxnb', *name.split(), *words.replace('TOWN', town.stdout.strip()).split())
    for name in (*needs, *WORDS):
        assert said[name].returncode == 1 and re.fullmatch(
            rf'gbxnb {name}: error: \w+ is not installed; get it with: pip install "gbxnb\[(rl|dev)\]"\n', said[name].stderr), said[name]
    for line in 'gbxnb.make', 'gbxnb.train', 'gbxnb.load_policy', 'from gbxnb.all import *':
        run = say('-c', f'import gbxnb\n{line}')
        assert run.returncode == 1 and run.stderr.endswith('torch is not installed; get it with: pip install "gbxnb[rl]"\n'), run.stderr
    assert 'Emulator' in say('-c', 'import gbxnb; print(gbxnb.Emulator)').stdout

def test_wheels_are_there_for_every_system():
    "The record has today's requirements, for the oldest and the newest Python; what does not resolve is said to be so."
    kept = json.loads((root/'nbs/proofs/results/platforms.json').read_text(encoding='utf-8'))
    asked = {e or 'base': {*requirements(e)} for e in EXTRAS}
    assert not {e: names - {*kept['requirements'][e]} for e, names in asked.items() if not names <= {*kept['requirements'][e]}}
    assert kept['without'] == WITHOUT and {r['python'] for r in kept['rows']} == {promised()[0], promised()[-1]}
    assert {r['system'] for r in kept['rows'] if 'failed' in r} == {*WITHOUT} and {r['system'] for r in kept['rows']} == {*SYSTEMS}
