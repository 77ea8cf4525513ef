"What .github/workflows relies on is there: Pythons, commands, scripts, options; and a tag must be the version."
import os, re, shutil, subprocess

import pytest
import yaml
from gbxnb.__main__ import COMMANDS, find_command, split_line
from pages import root
from pythons import promised, settings

FILES = {p.stem: yaml.safe_load(p.read_text(encoding='utf-8')) for p in sorted((root/'.github/workflows').glob('*.yml'))}
JOBS = {f'{name}/{job}': about for name, flow in FILES.items() for job, about in flow['jobs'].items()}
STEPS = [(job, step) for job, about in JOBS.items() for step in about.get('steps', ())]
LINES = [(job, line.strip()) for job, step in STEPS for line in re.split(r'\n|&&', step.get('run', ''))]

def options(text): return {*re.findall(r'(?<!\S)--[a-z][a-z-]*', text)}

def test_every_promised_python_on_every_system():
    matrix = JOBS['test/systems']['strategy']['matrix']
    assert matrix['python'] == promised() and matrix['bounds'] == ['newest']
    assert {s.split('-')[0] for s in matrix['os']} == {'ubuntu', 'macos', 'windows'}
    assert matrix['include'] == [dict(os=s, python=promised()[0], bounds='lowest') for s in matrix['os']]
    assert {*JOBS['test/test']['strategy']['matrix']['python']} <= {*promised()}
    python = [s['with']['python-version'] for _, s in STEPS if 'setup-python' in s.get('uses', '')]
    assert {p for p in python if '{' not in p} <= {*promised()}

def test_jobs_may_little_and_end():
    for name, flow in FILES.items(): assert flow['permissions'] == dict(contents='read'), name
    assert [j for j, about in JOBS.items() if 'uses' not in about and 'timeout-minutes' not in about] == []
    assert {j: about['permissions'] for j, about in JOBS.items() if 'permissions' in about and j != 'docs/site'} == {
        'publish/index': {'id-token': 'write'}, 'publish/release': dict(contents='write')}
    used = {s['uses'] for _, s in STEPS if 'uses' in s}
    assert all(re.search(r'@(v\d+|release/v1)$', u) for u in used) and len({u.split('@')[0] for u in used}) == len(used), used

def test_what_a_workflow_calls_is_there():
    "Commands of this package, scripts with their options, targets of the Makefile."
    scripts = [(job, line, m[1]) for job, line in LINES if (m := re.search(r'(?:python|bash|pytest.*) (\S+\.py|\.ci/run)', line))]
    assert len(scripts) > 3
    for job, line, script in scripts:
        text = (root/script).read_text(encoding='utf-8')
        if 'pytest' not in line: assert options(line) <= {*re.findall(r'--[a-z][a-z-]*', text)}, (job, line)
    called = [line for _, line in LINES if line.startswith('gbxnb ')]
    assert len(called) > 1
    for line in called:
        name, words = split_line(line.split('#')[0].split()[1:])
        known = re.findall(r'--[a-z][a-z-]*', find_command(name).parser([]).format_help())
        assert name in COMMANDS and options(' '.join(words)) <= {*known}, line
    ran = (root/'.ci/run').read_text(encoding='utf-8')
    assert ran.index('\nmake test ') < ran.index('.venv/bin/nbdev_test '), 'the checks, then all pages in the environment of make'

def test_jobs_that_are_waited_for_exist():
    for job, about in JOBS.items():
        flow = job.split('/')[0]
        assert not about.get('needs') or f'{flow}/{about["needs"]}' in JOBS
        if 'uses' in about: assert (root/about['uses']).is_file() and 'workflow_call' in FILES[(root/about['uses']).stem][True] # `on`
    assert {s['with']['name'] for _, s in STEPS if 'load-artifact@' in s.get('uses', '')} == {'dist'}

@pytest.mark.skipif(not shutil.which('bash') or os.name == 'nt', reason='no bash')
def test_a_tag_is_the_version(tmp_path):
    "The check as it stands in the workflow, with the right tag and with wrong ones."
    script, = [step['run'] for job, step in STEPS if job == 'publish/version' and 'run' in step]
    version = settings()['version']
    (tmp_path/'gbxnb').mkdir()
    for name in 'settings.ini', 'gbxnb/__init__.py': shutil.copy(root/name, tmp_path/name)
    def say(tag):
        env = os.environ | dict(GITHUB_REF_NAME=tag)
        return subprocess.run(['bash', '-e', '-o', 'pipefail', '-c', script], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert say(f'v{version}').returncode == 0
    for tag in version, f'v{version}1', 'v9': assert say(tag).returncode == 1 and version in say(tag).stdout
    (tmp_path/'settings.ini').write_text('version = 9.9\n')
    assert say('v9.9').returncode == 1 and say('v9.9').stdout == 'run: make export\n'

def test_the_container_has_what_the_wheel_is_built_from():
    "Its Python is a promised one, and `.dockerignore` lets through what there is."
    text = (root/'Dockerfile').read_text(encoding='utf-8')
    assert {*re.findall(r'FROM python:(3\.\d+)-slim', text)} <= {*promised()} and 'ENTRYPOINT ["gbxnb"]' in text
    let = [line[1:] for line in (root/'.dockerignore').read_text(encoding='utf-8').splitlines() if line.startswith('!')]
    assert {'gbxnb', 'settings.ini', 'setup.py', 'pyproject.toml', 'README.md', 'LICENSE', 'MANIFEST.in'} <= {*let}
    assert all((root/name).exists() for name in let)
