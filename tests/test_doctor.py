"""`gbxnb doctor` names what is wrong with its cure, whatever else is wrong, and removes what gbxnb compiled, and nothing else."""
import errno, json, os, re, time
from importlib import metadata

import processes
import pytest
import warp as wp
from gbxnb.base import doctor, startup
from gbxnb.base.command import call
from gbxnb.base.doctor import OURS, doctor_cli
from pages import root

DIGEST = 'ab'*12
needs_root = pytest.mark.skipif(not hasattr(os, 'geteuid') or os.geteuid() != 0, reason='only root can give a file to another user')

@pytest.fixture
def quick(monkeypatch):
    "Nothing is compiled or played."
    for name in '_compile', '_play': monkeypatch.setattr(doctor, name, lambda *args: None)

def problems(**options):
    "What it says is wrong, one line each."
    status, out, err = call(doctor_cli, **options)
    assert not err and 'Traceback' not in out
    lines = [line.strip() for line in out.partition('\nProblems\n')[2].splitlines()]
    assert status == bool(lines) and bool(lines) == (not out.endswith('no problem found\n'))
    return lines

def test_all_is_well(monkeypatch, tmp_path):
    "What is printed is kept, part by part."
    monkeypatch.setattr(doctor, '_compile', lambda *args: None) # the page does it, where that is slow
    assert problems(out=tmp_path/'found.json', seconds=0) == []
    kept = json.loads((tmp_path/'found.json').read_text())
    assert kept['problems'] == [] and {'System', 'Installed', 'Environment', 'Caches', 'Devices', 'torch'} <= kept['facts'].keys()
    assert [*kept['facts']['cpu: console']] == ['first frame', 'speed']

def test_every_variable_is_known():
    "Each that the package, a page or a test speaks of, and no other."
    texts = [p for top in ('gbxnb', 'nbs', 'tests') for p in (root/top).rglob('*') if p.suffix in ('.py', '.ipynb')
             and p.name not in ('test_doctor.py', '13_doctor.ipynb', 'doctor.py')]
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

def test_without_metadata(quick, monkeypatch):
    def requires(name): raise metadata.PackageNotFoundError(name)
    monkeypatch.setattr(metadata, 'requires', requires)
    assert problems() == ['gbxnb is used without being installed: pip install -e . in its checkout']

def test_variables(monkeypatch):
    "Two that are misspelt, and values that mean nothing: those a console would refuse are refused here."
    monkeypatch.setattr(doctor, '_compile', lambda *args: None)
    wrong = dict(GBXNB_TRACE='off', GBXNB_XYZ='1', GBXNB_ROM='gone.gb', GBXNB_CHECKS='treu')
    for name, value in wrong.items(): monkeypatch.setenv(name, value)
    assert [line.split(':')[0] for line in problems(seconds=0)] == [
        'GBXNB_TRACE is set, but gbxnb knows no such variable', 'GBXNB_XYZ is set, but gbxnb knows no such variable',
        "GBXNB_ROM is 'gone.gb', but there is no such file",
        "GBXNB_CHECKS is 'treu', but must be one of 1, true, yes, on for the debug build, or of 0, false, no, off"]

def test_a_broken_compiler(monkeypatch):
    "Nothing is left behind, and the other parts go on."
    monkeypatch.setattr(doctor, '_play', lambda facts, *args: facts.update(played=True))
    def fail(*args, **options): raise RuntimeError('CPU kernel build failed\nwith a long story')
    monkeypatch.setattr(wp._src.build, 'build_cpu', fail)
    before = {*startup.kernel_cache().iterdir()}
    line, = problems()
    assert line.startswith('cpu: compiler: ') and line.endswith('pip install --force-reinstall warp-lang') and 'story' not in line
    assert not [p for p in {*startup.kernel_cache().iterdir()} - before if p.suffix == '.kernel']

def test_a_broken_torch(quick, monkeypatch):
    def fail(*args, **options): raise OSError('libcudart.so.13: cannot open shared object file')
    monkeypatch.setattr('torch.ones', fail)
    line, = problems()
    assert line == 'torch: OSError: libcudart.so.13: cannot open shared object file; pip install --force-reinstall torch'

# With a cache of its own

RUN = """import sys
{}
from gbxnb.base import doctor, startup
doctor._compile = doctor._play = lambda *args: None
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
    (tmp_path/'kernels').mkdir()
    (tmp_path/'kernels').chmod(0o777)
    status, (line,), _ = alone(tmp_path)
    assert status == 1 and f'{tmp_path}/kernels: others may write there' in line and f'chmod go-w {tmp_path}/kernels' in line

def test_a_cache_on_a_file(tmp_path):
    (tmp_path/'kernels').write_text('')
    status, (line,), _ = alone(tmp_path)
    assert status == 1 and f'{tmp_path}/kernels' in line and 'set WARP_CACHE_PATH to a folder that you alone can write to' in line

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
from gbxnb.base.doctor import doctor_cli
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

@pytest.mark.slow # the parts are tried above, and by the page
def test_all_of_it_without_torch(tmp_path):
    "A kernel is compiled anew and not kept; those of rows and machine are compiled the first time, and loaded the second."
    first = 'sys.modules["torch"] = None'
    program = RUN.format(first, '').replace('doctor._compile = doctor._play = lambda *args: None\n', '')
    env = os.environ | dict(WARP_CACHE_PATH=str(tmp_path))
    for how in 'compiled', 'loaded':
        run = processes.python(program, '--seconds', '0', env=env, nest='cold')
        assert run.returncode == 0 and f'kernel {how}\n' in run.stdout and 'tiny kernel' in run.stdout, run.stdout
        assert len([*tmp_path.rglob('*.kernel')]) == 2 and not [*tmp_path.rglob('*tiny*')]

# What is removed

@pytest.fixture
def cache(tmp_path, monkeypatch):
    "A cache of two versions of Warp, with traces of a cartridge and what killed processes left."
    for version in '1.18.1', wp.config.version:
        cart = tmp_path/'kernels'/version/'gbxnb-traces'/f'{DIGEST}-sm_90-hooks-{DIGEST[:12]}'
        cart.mkdir(parents=True, mode=0o700)
        for name in 'entry.json', 'profile.npz', 'wp_a.sm90.cubin', 'wp_a.meta': (cart/name).write_bytes(b'1234')
        (cart.parent.parent/f'wp_a-{DIGEST}.kernel').write_bytes(b'12345')
        (cart.parent.parent/'.loading-abc'/'wp_a').mkdir(parents=True, mode=0o700)
        (cart.parent.parent/'.loading-abc'/'wp_a'/'wp_a.o').write_bytes(b'123456')
        os.utime(cart.parent.parent/'.loading-abc', (0, 0))
    monkeypatch.setattr(startup, 'kernel_cache', lambda: tmp_path/'kernels'/wp.config.version)
    return tmp_path/'kernels'

def files(at): return {str(p.relative_to(at)): p.read_bytes() for p in sorted(at.rglob('*')) if p.is_file() and not p.is_symlink()}

def clear(cache):
    status, out, err = call(doctor_cli, clear_caches=True)
    assert not err
    return status, out

def test_what_was_compiled_is_removed(cache):
    status, out = clear(cache)
    amount = '1 kernels (5 bytes), 1 left over from killed processes (6 bytes), 4 files with traces of 1 cartridges (16 bytes)'
    assert status == 0 and out.count(amount) == 2 and not files(cache), out
    assert 'nothing' in clear(cache)[1]

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
    links = {here/f'wp_link-{DIGEST}.kernel': outside/f'wp_a-{DIGEST}.kernel', here/'.loading-link': outside, cache/'1.17.0': outside,
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
    "With the cure; the other version's goes."
    (cache/'1.18.1').chmod(0o777)
    status, out = clear(cache)
    assert status == 1 and f'chmod go-w {cache}/1.18.1' in out
    assert {p.split('/')[0] for p in files(cache)} == {'1.18.1'}

def test_a_file_that_cannot_be_removed(cache, monkeypatch):
    "As on Windows, where a program has it open."
    def fail(path, missing_ok=False): raise PermissionError(errno.EACCES, 'Access is denied')
    monkeypatch.setattr('pathlib.Path.unlink', fail)
    status, out = clear(cache)
    assert status == 1 and out.count('cannot be removed (Access is denied): end the program that uses it') == 10

LOADING = """import os, sys
import warp as wp
from gbxnb.base import startup
@wp.kernel(module='unique')
def fill(a: wp.array[int]): a[wp.tid()] = 7
startup.start_warp()
for k in range(30):
    a = wp.zeros(1, dtype=int, device='cpu')
    wp.launch(fill, 1, [a], device='cpu')
    assert a.numpy() == 7
    fill.module.unload()
print('done')
"""

@pytest.mark.slow # compiles again and again
def test_others_may_load_and_compile_meanwhile(cache, tmp_path):
    "A process that finds its kernel, or finds it gone, or sees it go, computes the same."
    program = tmp_path/'fill.py'
    program.write_text(LOADING)
    run = processes.Program(program, env=os.environ | dict(WARP_CACHE_PATH=str(cache)), nest='cold')
    while run.is_alive():
        assert clear(cache)[0] == 0
        time.sleep(.01)
    out, err = run.communicate()
    assert out == 'done\n' and all('this kernel is compiled anew' in line for line in err.splitlines()), err
