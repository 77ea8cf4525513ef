"""`gbxnb doctor` names what is wrong with its cure, whatever else is wrong, and removes what gbxnb compiled, and nothing else."""
import errno, json, os, re, shutil
from dataclasses import replace
from importlib import metadata

import numpy as np
import processes
import pytest
import warp as wp
from gbxnb.base import startup
from gbxnb.runs import doctor
from gbxnb.base.command import call
from gbxnb.base.files import UserError, open_folder
from gbxnb.runs.checkpoint import load_checkpoint, save_checkpoint
from gbxnb.runs.doctor import CHECKS, KILLED, OURS, WHOLE, begin_trial, compare_ends, doctor_cli, smoke_cli, tried
from pages import root

DIGEST = 'ab'*12
needs_root = pytest.mark.skipif(not hasattr(os, 'geteuid') or os.geteuid() != 0, reason='only root can give a file to another user')

@pytest.fixture
def quick(monkeypatch):
    "Nothing is played."
    monkeypatch.setattr(doctor, '_play', lambda *args: None)

def problems(**options):
    "What it says is wrong, one line each."
    status, out, err = call(doctor_cli, **options)
    assert not err and 'Traceback' not in out
    lines = [line.strip() for line in out.partition('\nProblems\n')[2].splitlines()]
    assert status == bool(lines) and bool(lines) == (not out.endswith('no problem found\n'))
    return lines

def test_all_is_well(monkeypatch, tmp_path):
    "What is printed is kept, part by part."
    assert problems(out=tmp_path/'found.json', seconds=0) == []
    kept = json.loads((tmp_path/'found.json').read_text())
    assert kept['problems'] == [] and {'System', 'Installed', 'Environment', 'Caches', 'Devices', 'torch'} <= kept['facts'].keys()
    assert [*kept['facts']['cpu: console']] == ['first frame', 'speed']

def test_every_variable_is_known():
    "Each that the package, a page or a test speaks of, and no other."
    texts = [p for top in ('gbxnb', 'nbs', 'tests') for p in (root/top).rglob('*') if p.suffix in ('.py', '.ipynb')
             and p.name not in ('test_doctor.py', '08_doctor.ipynb', 'doctor.py')]
    found = {name.decode() for p in texts for name in re.findall(rb'GBXNB_[A-Z0-9_]+', p.read_bytes())}
    assert found == {*OURS}, found ^ {*OURS}

def test_packages(quick, monkeypatch):
    "One that is absent, one that is too old, one that is too new; what is absent of an extra is no mistake."
    real, other = metadata.version, dict(fastcore='2.0.1', torch='2.5.1+cu121')
    def version(name):
        if name in ('tqdm', 'msgspec'): raise metadata.PackageNotFoundError(name)
        return other.get(name) or real(name)
    monkeypatch.setattr(metadata, 'version', version)
    assert problems() == ['fastcore is 2.0.1, but must be <2,>=1.12.1: pip install -U gbxnb',
                          'not installed: tqdm (pip install -U gbxnb)',
                          'torch is 2.5.1+cu121, but must be <2.14,>=2.8: pip install -U "gbxnb[rl]"']

def test_variables(monkeypatch):
    "Two that are misspelt, and values that mean nothing: those a console would refuse are refused here."
    wrong = dict(GBXNB_TRACE='off', GBXNB_XYZ='1', GBXNB_ROM='gone.gb', GBXNB_CHECKS='treu')
    for name, value in wrong.items(): monkeypatch.setenv(name, value)
    assert [line.split(':')[0] for line in problems(seconds=0)] == [
        'GBXNB_TRACE is set, but gbxnb knows no such variable', 'GBXNB_XYZ is set, but gbxnb knows no such variable',
        "GBXNB_ROM is 'gone.gb', but there is no such file",
        "GBXNB_CHECKS is 'treu', but must be one of 1, true, yes, on for the debug build, or of 0, false, no, off"]

def test_a_broken_torch(quick, monkeypatch):
    def fail(*args, **options): raise OSError('libcudart.so.13: cannot open shared object file')
    monkeypatch.setattr('torch.ones', fail)
    line, = problems()
    assert line == 'torch: OSError: libcudart.so.13: cannot open shared object file; pip install --force-reinstall torch'

# With a cache of its own

RUN = """import sys
{}
from gbxnb.base import startup
from gbxnb.runs import doctor
doctor._play = lambda *args: None
{}
sys.argv = ['gbxnb doctor', *sys.argv[1:]]
doctor.doctor_cli()
"""

def alone(tmp_path, *words, first='', then='', **env):
    "The command in a process that has not started Warp, in an empty folder: its exit status, and what it says is wrong."
    here = tmp_path/'here'
    here.mkdir()
    env = os.environ | dict(WARP_CACHE_PATH=str(tmp_path/'kernels')) | env
    run = processes.python(RUN.format(first, then), *words, env=env, cwd=str(here), nest='cold')
    assert not run.stderr and not [*here.iterdir()], run.stderr
    return run.returncode, run.stdout.partition('\nProblems\n')[2].splitlines(), run.stdout

def test_a_cache_that_others_can_write_to(tmp_path):
    (tmp_path/'kernels'/wp.config.version).mkdir(parents=True)
    (tmp_path/'kernels'/wp.config.version).chmod(0o777)
    status, (line,), _ = alone(tmp_path)
    assert status == 1 and f'{tmp_path}/kernels/{wp.config.version}: others may enter it' in line and 'set WARP_CACHE_PATH' in line

def test_no_room(tmp_path):
    then = f'def full(folder): raise OSError({errno.ENOSPC}, "No space left on device")\nstartup._need_room = full'
    status, (line,), _ = alone(tmp_path, then=then)
    assert status == 1 and 'No space left on device' in line and 'set WARP_CACHE_PATH' in line

def test_without_torch(tmp_path):
    "And without all else that the emulator does not need."
    status, said, out = alone(tmp_path, first='for name in "torch", "matplotlib", "ipywidgets", "gymnasium": sys.modules[name] = None')
    assert status == 0 and not said and '\ntorch\n' not in out and '\nCaches\n' in out

def test_without_warp(tmp_path):
    "One line, though several parts need it."
    env = os.environ | dict(WARP_CACHE_PATH=str(tmp_path))
    run = processes.python(RUN.split('from gbxnb')[0].format('') + """
sys.modules['warp'] = None
for name in [m for m in sys.modules if m.startswith('gbxnb')]: del sys.modules[name]
from gbxnb.runs.doctor import doctor_cli
doctor_cli(['--seconds', '0'])""", env=env, nest='cold')
    assert run.returncode == 1 and run.stdout.endswith('\nProblems\n  warp cannot be imported: pip install -U gbxnb\n'), run.stdout

def test_a_driver_without_a_gpu(quick, monkeypatch):
    "Unless the GPU is hidden by a variable."
    monkeypatch.setattr(wp, 'get_cuda_devices', lambda: [])
    monkeypatch.setattr(doctor.shutil, 'which', lambda name: f'/bin/{name}')
    monkeypatch.delenv('CUDA_VISIBLE_DEVICES', raising=False)
    line, = problems()
    assert 'Warp can use no GPU' in line and 'nvidia-smi' in line
    monkeypatch.setenv('CUDA_VISIBLE_DEVICES', '')
    assert not problems()

# What is removed

@pytest.fixture
def cache(tmp_path, monkeypatch):
    "A cache of two versions of Warp, with traces of a cartridge."
    for version in '1.18.1', wp.config.version:
        cart = tmp_path/'kernels'/version/'gbxnb-traces'/f'{DIGEST}-sm_90-hooks-{DIGEST[:12]}'
        cart.mkdir(parents=True, mode=0o700)
        for name in 'entry.json', 'profile.npz', 'wp_a.sm90.cubin', 'wp_a.meta': (cart/name).write_bytes(b'1234')
        (cart.parent.parent/f'wp_a-{DIGEST}.kernel').write_bytes(b'12345')
        for folder in cart.parent, cart.parent.parent: folder.chmod(0o700)
    monkeypatch.setattr(startup, 'kernel_cache', lambda: tmp_path/'kernels'/wp.config.version)
    return tmp_path/'kernels'

def files(at): return {str(p.relative_to(at)): p.read_bytes() for p in sorted(at.rglob('*')) if p.is_file() and not p.is_symlink()}

def clear(cache):
    status, out, err = call(doctor_cli, clear_caches=True)
    assert not err
    return status, out

def test_what_was_compiled_is_removed(cache):
    status, out = clear(cache)
    assert status == 0 and '10 files (42 bytes)' in out and not files(cache), out
    assert '0 files' in clear(cache)[1]

def test_what_is_not_ours_stays(cache, tmp_path):
    "Other names, other places, what is being loaded, and what a link leads to."
    here, outside = cache/wp.config.version, tmp_path/'outside'
    cart, = (here/'gbxnb-traces').iterdir()
    (outside/f'{DIGEST}-cpu').mkdir(parents=True)
    (here/'.loading-now').mkdir()
    (here/f'wp_folder-{DIGEST}.kernel').mkdir()
    (here/'wp_a').mkdir()
    (cache/'mine').mkdir()
    foreign = [cache/'notes', cache/f'wp_a-{DIGEST}.kernel', cache/'mine'/f'wp_a-{DIGEST}.kernel', here/'compiling.lock',
               here/'wp_a.kernel', here/f'my-{DIGEST}.kernel', here/f'wp_a-{DIGEST}.kernel~', here/'entry.json', here/'wp_a'/'wp_a.o',
               here/'.loading-now'/'a.o', here/'gbxnb-traces'/'entry.json', cart/'.lock', cart/'map.png', here/'.gbxnb-0123456789abcdef',
               outside/f'{DIGEST}-cpu'/'entry.json', outside/f'wp_a-{DIGEST}.kernel', outside/'.loading-old']
    for p in foreign: p.write_bytes(b'foreign')
    links = {here/f'wp_link-{DIGEST[:24]}.kernel': outside/f'wp_a-{DIGEST}.kernel', here/'.loading-link': outside, cache/'1.17.0': outside,
             here/'gbxnb-traces'/f'{DIGEST}-cpu': outside/f'{DIGEST}-cpu', cart/'wp_link.o': outside/'.loading-old'}
    for link, to in links.items():
        link.symlink_to(to)
        os.utime(link, (0, 0), follow_symlinks=False)
    status, out = clear(cache)
    assert status == 0 and {p.read_bytes() for p in foreign} == {b'foreign'} and all(p.is_symlink() for p in links), out
    assert len(files(tmp_path)) == len(foreign)

def test_a_cache_in_a_shared_folder(cache):
    "As in /tmp, where others may add something but replace nothing."
    cache.chmod(0o1777)
    assert clear(cache)[0] == 0 and not files(cache)

@needs_root
def test_what_belongs_to_others_stays(cache):
    path = cache/wp.config.version/f'wp_a-{DIGEST}.kernel'
    os.chown(path, 65534, -1)
    assert clear(cache)[0] == 0 and [*files(cache)] == [str(path.relative_to(cache))]

def test_a_folder_that_others_can_write_to_stays(cache):
    (cache/'1.18.1').chmod(0o777)
    status, out = clear(cache)
    assert status == 1 and f'{cache}/1.18.1' in out and len(files(cache)) == 10

def test_a_file_that_cannot_be_removed(cache, monkeypatch):
    "As on Windows, where a program has it open."
    def fail(path, missing_ok=False): raise PermissionError(errno.EACCES, 'Access is denied')
    monkeypatch.setattr('pathlib.Path.unlink', fail)
    status, out = clear(cache)
    assert status == 1 and out.count('cannot be removed (Access is denied): end the program that uses it') == 10

# A minute of training: what it looks for is planted into a run that is sound

FEW = dict(num_envs=8, rollout_steps=8, steps=192, threads=1, traces='off')

@pytest.fixture(scope='module')
def sound(tmp_path_factory):
    "A run in which nothing is wrong."
    more = dict(device='cpu', threads=1, eval_episodes=4)
    options = {k: v for k, v in FEW.items() if k not in ('threads', 'traces')}
    with pytest.MonkeyPatch.context() as m:
        m.setenv('GBXNB_TRACES', 'off')
        yield begin_trial(tmp_path_factory.mktemp('smoke'), 'town/house', more, options | dict(max_steps=16))

@pytest.fixture
def trial(sound, tmp_path, monkeypatch):
    "A copy of it, for something to be planted in."
    monkeypatch.setenv('GBXNB_TRACES', 'off')
    shutil.copytree(sound.place, tmp_path/'runs')
    return replace(sound, place=tmp_path/'runs')

def said(t, *names):
    "What checks say: by name, with WRONG before it where something is."
    rows = [tried(name, CHECKS[name], t) for name in names]
    return [r['said'] if r['ok'] else f'WRONG {r["said"]}' for r in rows]

def change(folder, how):
    "Replace a checkpoint by a changed one."
    c = load_checkpoint(folder, resume=True)
    how(c)
    with open_folder(folder, 'run') as f: save_checkpoint(f, c)

def test_nothing_is_wrong(trial):
    "Each check says what it saw, in a line; the copy ends where the run did, in every bit."
    lines = said(trial, *CHECKS)
    assert lines[0] == '4 lines, 3 records, no finding' and 'from update 1 to 3: all' in lines[2] and 'bit for bit' in lines[2], lines
    assert 'parameters changed' in lines[1] and lines[3] == 'steps on cpu', lines

LOGS = {'a record twice': (lambda lines: lines[:3] + lines[2:], 'line 4: '),
        'half a line': (lambda lines: [*lines[:3], lines[3][:40]], 'line 4: cut'),
        'no last record': (lambda lines: lines[:3], 'steps, records, resumes, errors are (128, 2, 0, 0), not (192, 3, 0, 0)')}

@pytest.mark.parametrize('name', LOGS)
def test_a_broken_log(trial, name):
    broken, wrong = LOGS[name]
    log = trial.place/WHOLE/'train_log.jsonl'
    log.write_bytes(b''.join(broken(log.read_bytes().splitlines(keepends=True))))
    line, = said(trial, 'log')
    assert line.startswith(f'WRONG {wrong}'), line

def test_weights_that_are_no_numbers(trial):
    def spoil(c): c.policy['actor.bias'][3] = np.nan
    change(trial.place/WHOLE, spoil)
    line, = said(trial, 'policy')
    assert line.startswith('WRONG ') and 'actor.bias holds NaN or infinity' in line

def test_weights_that_never_changed(trial):
    first = min(trial.begun)
    now = load_checkpoint(trial.place/WHOLE).policy[first]
    assert said(replace(trial, begun=trial.begun | {first: now}), 'policy') == [f'WRONG {first}: as before the first update']

def test_a_resume_that_differs(trial):
    "Without the optimiser's moments: also by the measure that a GPU is judged by, to which rounding is no difference."
    def cold(c):
        for k in [k for k in c.state if '.exp_avg' in k]: c.state[k] = np.zeros_like(c.state[k])
    left = load_checkpoint(trial.place/KILLED, resume=True)
    change(trial.place/KILLED, cold)
    line, = said(trial, 'resume')
    assert line.startswith('WRONG from update 1 to 3: ') and 'arrays differ' in line, line
    whole, again = (load_checkpoint(trial.place/name) for name in (WHOLE, KILLED))
    with pytest.raises(UserError, match='of their way apart'): compare_ends(left, whole, again, exact=False)
    for factor, words in (1 + 1e-6, 'the same counters'), (np.nan, 'nan of their way apart'):
        other = replace(whole, policy={k: v*np.float32(factor) for k, v in whole.policy.items()})
        try: found = compare_ends(left, whole, other, exact=False)
        except UserError as e: found = str(e)
        assert words in found

def test_smoke_is_said(tmp_path, monkeypatch):
    "The exit status says what the lines say; the result has what a figure depends on; nothing is left but what is asked for."
    used = []
    def fail(t):
        used.append(t.place)
        raise UserError('it smokes')
    monkeypatch.setattr(doctor, 'CHECKS', dict(look=fail))
    status, out, err = call(smoke_cli, out=tmp_path/'found.json', episodes=4, device='cpu', **FEW)
    found = json.loads((tmp_path/'found.json').read_text())
    assert status == 1 and not found['ok'] and not used[0].exists()
    assert out.splitlines()[1].split() == ['WRONG', 'look', 'it', 'smokes'], out
    assert {'driver_version', 'device', 'torch_version', 'precision', 'compile', 'config', 'git_sha'} <= found.keys()
    status, out, err = call(smoke_cli, **FEW | dict(steps=128, device='cpu'))
    assert status == 1 and not out and err.count('\n') == 1 and 'three updates have 3 x 8 x 8 = 192' in err, err
