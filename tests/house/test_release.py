"What is published: every file of the package and nothing else, metadata of an index, one line where an extra is missing, workflows."
import os, re, runpy, shutil, subprocess, sys, zipfile
from pathlib import PurePosixPath
from unittest.mock import MagicMock

import pytest
import yaml
from gbxnb.__main__ import COMMANDS, GROUPS, find_command, split_line
from pages import root, settings

FLOWS = {p.stem: yaml.safe_load(p.read_text(encoding='utf-8')) for p in sorted((root/'.github/workflows').glob('*.yml'))}
JOBS = {f'{name}/{job}': about for name, flow in FLOWS.items() for job, about in flow['jobs'].items()}
STEPS = [(job, step) for job, about in JOBS.items() for step in about.get('steps', ())]
LINES = [(job, line.strip()) for job, step in STEPS for line in re.split(r'\n|&&', step.get('run', ''))]
WHOLE = ['Emulator', 'Emulator', 'Emulator', 'usage:']

def tracked(folder):
    "What git knows in a folder, and what it may come to know."
    run = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard', folder], cwd=root, capture_output=True, text=True)
    if run.returncode: pytest.skip('not a git checkout')
    return {name for name in run.stdout.splitlines() if (root/name).is_file()}

@pytest.fixture
def facts(monkeypatch):
    "What setup.py says."
    found = {}
    monkeypatch.setattr('setuptools.setup', lambda **said: found.update(said))
    monkeypatch.chdir(root)
    runpy.run_path('setup.py')
    return found

@pytest.fixture
def nox_facts(monkeypatch):
    "What noxfile.py says."
    monkeypatch.setitem(sys.modules, 'nox', MagicMock())
    return runpy.run_path(str(root/'noxfile.py'))

def test_every_file_is_packed(facts):
    "A file that is no module matches a pattern, and a module lies in a package."
    others = [n.removeprefix('gbxnb/') for n in tracked('gbxnb') if not n.endswith('.py')]
    modules = [n for n in tracked('gbxnb') if n.endswith('.py')]
    assert len(others) > 20 and len(modules) > 100
    assert not [n for n in others if not any(PurePosixPath(n).match(p) for p in facts['package_data']['gbxnb'])]
    assert not [n for n in modules if not (root/n).with_name('__init__.py').exists()]

def test_what_an_index_says(facts, nox_facts):
    kinds = facts['classifiers']
    assert [c.rsplit(' ', 1)[1] for c in kinds if re.search(r'Python :: 3\.\d+$', c)] == nox_facts['PYTHONS']
    assert f'Development Status :: {settings()["status"]}' in kinds and facts['python_requires'] == f'>={nox_facts["PYTHONS"][0]}'
    asked = [*facts['install_requires'], *facts['extras_require']['rl'], *facts['extras_require']['lab']]
    assert all(re.search('[>=]=', r) for r in asked), 'each has a lower bound, which nox tries'

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

def test_consoles_end_in_the_state_that_every_python_must_find(nox_facts):
    exec(nox_facts['STATE'], {})

def found(python, folder):
    "What each way of starting Python in `folder` takes for the package: its name where it is whole."
    (folder/'script.py').write_text('import gbxnb\nprint(gbxnb.Emulator.__name__)')
    ways = ['-c', (folder/'script.py').read_text()], ['script.py'], ['-m', 'script'], ['-m', 'gbxnb', '--help']
    runs = [subprocess.run([python, *words], cwd=folder, capture_output=True, text=True) for words in ways]
    return [run.stdout.split()[0] if run.stdout else run.stderr for run in runs]

def test_a_folder_of_its_name_hides_nothing(tmp_path):
    "A clone is called as the package is; whoever starts Python beside it gets the package."
    (tmp_path/'gbxnb/gbxnb').mkdir(parents=True)
    assert found(sys.executable, tmp_path) == WHOLE

# In a clean environment

def uv(*words): subprocess.run(['uv', *map(str, words)], check=True)

@pytest.fixture(scope='module')
def source(tmp_path_factory):
    "A copy of what git knows: what earlier builds left in the checkout is not in it."
    at = tmp_path_factory.mktemp('source')/'gbxnb'
    for name in tracked('.'):
        (at/name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root/name, at/name)
    return at

@pytest.fixture(scope='module')
def wheel(source):
    uv('build', '-q', '--wheel', '--python', sys.executable, '--out-dir', source.parent/'wheel', source)
    return next((source.parent/'wheel').glob('*.whl'))

def clean(at, *what):
    "The Python of a new environment with something in it."
    uv('venv', '-q', '--seed', '--python', sys.executable, at)
    python, = [*at.glob('bin/python'), *at.glob('Scripts/python.exe')]
    uv('pip', 'install', '-q', '--python', python, *what)
    return python

def read(path):
    "What a wheel holds."
    with zipfile.ZipFile(path) as z: return {n: z.read(n) for n in z.namelist() if not n.endswith('RECORD')}

@pytest.mark.slow
def test_the_wheel_has_what_git_knows_and_stubs(wheel):
    inside = {*read(wheel)}
    ours = {n for n in inside if '.dist-info/' not in n}
    stubs = {n for n in ours if n.endswith('.pyi')}
    assert ours - stubs == tracked('gbxnb') and {'gbxnb/__init__.pyi', 'gbxnb/envs/pixels.pyi'} <= stubs
    assert [n for n in inside if n.endswith('.dist-info/licenses/LICENSE')]

@pytest.mark.slow
def test_a_source_distribution_builds_the_same_wheel(wheel, source, tmp_path):
    uv('build', '-q', '--python', sys.executable, '--out-dir', tmp_path, source) # the wheel is made of the other
    other, = tmp_path.glob('*.whl')
    assert read(other) == read(wheel)
    uv('tool', 'run', 'twine', 'check', '--strict', other, *tmp_path.glob('*.tar.gz'))

@pytest.mark.slow
@pytest.mark.parametrize('tool', ['pip', 'uv'])
def test_an_editable_clone_is_found_beside_itself(wheel, source, tool, tmp_path):
    "In the folder that holds the clone, in the clone, and in its notebooks."
    clone = tmp_path/'gbxnb'
    shutil.copytree(source, clone)
    python = clean(tmp_path/'env', wheel)
    installer = [python, '-m', 'pip', 'install', '-q'] if tool == 'pip' else ['uv', 'pip', 'install', '-q', '--python', python]
    subprocess.run([*installer, '--no-deps', '--force-reinstall', '-e', clone], check=True)
    assert [found(python, at) for at in (tmp_path, clone, clone/'nbs')] == [WHOLE]*3

@pytest.mark.slow
def test_without_an_extra_a_line_says_which(wheel, tmp_path):
    "The package alone: each command either works or says in a line what brings what it lacks, and so do the five names."
    python = clean(tmp_path/'env', wheel)
    def say(*words): return subprocess.run([python, '-I', *words], cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    said = {name: say('-m', 'gbxnb', *name.split(), '--help') for group in GROUPS.values() for name in group}
    lacking = {name for name, run in said.items() if run.returncode}
    assert {'train', 'eval', 'explore'} <= lacking and not lacking & {'doctor', 'bench', 'play'}
    for name in lacking:
        line = rf'gbxnb {name}: error: \w+ is not installed; get it with: pip install "gbxnb\[(rl|dev)\]"\n'
        assert said[name].returncode == 1 and re.fullmatch(line, said[name].stderr), said[name]
    for line in 'gbxnb.make', 'gbxnb.train', 'gbxnb.load_policy', 'from gbxnb.all import *':
        run = say('-c', f'import gbxnb\n{line}')
        assert run.returncode == 1 and run.stderr.endswith('torch is not installed; get it with: pip install "gbxnb[rl]"\n'), run.stderr
    assert 'Emulator' in say('-c', 'import gbxnb; print(gbxnb.Emulator)').stdout

# Workflows

def options(text): return {*re.findall(r'(?<!\S)--[a-z][a-z-]*', text)}

def test_every_promised_python_on_every_system(nox_facts):
    matrix, promised = JOBS['test/systems']['strategy']['matrix'], nox_facts['PYTHONS']
    assert matrix['python'] == promised and {s.split('-')[0] for s in matrix['os']} == {'ubuntu', 'macos', 'windows'}
    assert matrix['include'] == [dict(os=s, python=promised[0], bounds='lowest') for s in matrix['os']]
    assert {*matrix['bounds'], 'lowest'} <= nox_facts.keys(), 'sessions of noxfile.py'

def test_jobs_may_little_and_end():
    for name, flow in FLOWS.items(): assert flow['permissions'] == dict(contents='read'), name
    assert [j for j, about in JOBS.items() if 'uses' not in about and 'timeout-minutes' not in about] == []
    assert {j: about['permissions'] for j, about in JOBS.items() if 'permissions' in about and j != 'docs/site'} == {
        'publish/index': {'id-token': 'write'}, 'publish/release': dict(contents='write')}
    used = {s['uses'] for _, s in STEPS if 'uses' in s}
    assert all(re.search(r'@(v\d+|release/v1)$', u) for u in used) and len({u.split('@')[0] for u in used}) == len(used), used

def test_what_a_workflow_calls_is_there():
    "Commands of this package, scripts with their options, jobs."
    for job, line in LINES:
        for script in re.findall(r'(?:python|bash|pytest.*) (\S+\.py|\.ci/run)', line): assert (root/script).is_file(), (job, line)
        if not line.startswith('gbxnb '): continue
        name, words = split_line(line.split('#')[0].split()[1:])
        known = re.findall(r'--[a-z][a-z-]*', find_command(name).parser([]).format_help())
        assert name in COMMANDS and options(' '.join(words)) <= {*known}, line
    for job, about in JOBS.items():
        assert not about.get('needs') or f'{job.split("/")[0]}/{about["needs"]}' in JOBS
        if 'uses' in about: assert 'workflow_call' in FLOWS[(root/about['uses']).stem][True] # `on`

@pytest.mark.skipif(not shutil.which('bash') or os.name == 'nt', reason='no bash')
def test_a_tag_is_the_version(tmp_path):
    "The check as it stands in the workflow, with the right tag and with a wrong one."
    script, = [step['run'] for job, step in STEPS if job == 'publish/version' and 'run' in step]
    (tmp_path/'gbxnb').mkdir()
    for name in 'settings.ini', 'gbxnb/__init__.py': shutil.copy(root/name, tmp_path/name)
    def say(tag):
        env = os.environ | dict(GITHUB_REF_NAME=tag)
        return subprocess.run(['bash', '-e', '-o', 'pipefail', '-c', script], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert say(f'v{settings()["version"]}').returncode == 0
    assert say('v9').returncode == 1 and settings()['version'] in say('v9').stdout
    (tmp_path/'settings.ini').write_text('version = 9.9\n')
    assert say('v9.9').returncode == 1 and say('v9.9').stdout == 'run: make export\n'

def test_the_container_has_what_the_wheel_is_built_from():
    "`.dockerignore` lets through what there is, and what setup.py and MANIFEST.in name."
    let = [line[1:] for line in (root/'.dockerignore').read_text(encoding='utf-8').splitlines() if line.startswith('!')]
    carried = re.findall(r'tests/\S+', (root/'MANIFEST.in').read_text(encoding='utf-8'))
    assert {'gbxnb', 'settings.ini', 'setup.py', 'pyproject.toml', 'README.md', 'LICENSE', 'MANIFEST.in', *carried} <= {*let}
    assert all((root/name).exists() for name in let)
