"""Machine code is loaded only if this user wrote it and no other could have changed it: whatever is wrong with the cache, a kernel
does what its source says. Each case is a program with one small kernel, and a cache in which another constant was put into its code.
The compiler runs once on a computer; later it gives what it gave then."""
import hashlib, os, shutil
from pathlib import Path

import gbxnb
import processes
import pytest
import warp as wp
from gbxnb.base.startup import kernel_cache, start_warp

RIGHT, WRONG = 0x1234567, 0x7654321
PROGRAM = f"""import os, shutil, sys
if len(sys.argv) > 1: os.umask(int(sys.argv[1]))
import warp as wp
from gbxnb.base import startup
compile, name = wp._src.build.build_cpu, os.environ['OBJECT']
made = open(name, 'rb').read() if os.path.exists(name) else None
def build(path, *args, **kwargs):
    if made: open(path, 'wb').write(made)
    else:
        compile(path, *args, **kwargs)
        shutil.copy(path, name)
wp._src.build.build_cpu = build
@wp.kernel(module='unique')
def fill(a: wp.array[int]): a[wp.tid()] = {RIGHT}
startup.start_warp()
a = wp.zeros(1, dtype=int, device='cpu')
wp.launch(fill, 1, [a], device='cpu')
print(*a.numpy(), wp.config.kernel_cache_dir)
"""
assert hasattr(wp._src.build, 'build_cpu')
start_warp()
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason='only root can be, or give to, another user')

class Cache:
    "A cache, and the program that uses it."
    def __init__(self, at, object):
        self.at, self.object, self.base, self.program, self.here = at, object, at/'kernels', at/'fill.py', at/'here'
        self.program.write_text(PROGRAM)
        self.here.mkdir()

    def start(self, *words, **env):
        "Begin a process; it stands in an empty folder."
        place = str(Path(gbxnb.__file__).parent.parent)
        own = dict(WARP_CACHE_PATH=str(self.base), PYTHONPATH=place, OBJECT=str(self.object))
        env = {k: v for k, v in (os.environ | own | env).items() if v is not None}
        return processes.Program(self.program, *words, env=env, cwd=str(self.here), nest='cold')

    def run(self, *words, **env): return self.end(self.start(*words, **env))

    def end(self, process):
        "What it said, if its kernel did the right thing; the last folder it used."
        out, said = process.communicate(timeout=600)
        assert process.exitcode == 0 and out.split()[0] == str(RIGHT), (out, said[-600:])
        self.used = Path(out.split()[1])
        return said

    def code(self):
        "The one file with the kernel's code."
        found = [p for p in self.base.rglob('*') if p.is_file() and p.suffix != '.cpp' and RIGHT.to_bytes(4, 'little') in p.read_bytes()]
        assert len(found) == 1, found
        return found[0]

    def forge(self):
        "Let the code do something else; hashes are as good as before."
        path = self.code()
        data = path.read_bytes().replace(RIGHT.to_bytes(4, 'little'), WRONG.to_bytes(4, 'little'))
        digest, _, body = data.partition(b'\n')
        if len(digest) == 64: data = hashlib.sha256(body).hexdigest().encode() + b'\n' + body
        path.write_bytes(data)
        return path

@pytest.fixture(scope='module')
def compiled(tmp_path_factory):
    "What one process leaves, and what the compiler made."
    at = tmp_path_factory.mktemp('compiled')
    cache = Cache(at, kernel_cache()/f'test-{hashlib.sha256(PROGRAM.encode()).hexdigest()[:24]}.o') # which other runs find there
    assert not cache.run()
    return cache

@pytest.fixture
def empty(tmp_path, compiled): return Cache(tmp_path, compiled.object)

@pytest.fixture
def cache(empty, compiled):
    "A cache that holds the kernel."
    shutil.copytree(compiled.base, empty.base)
    return empty

@pytest.mark.skipif(os.uname().machine != 'x86_64', reason='the constant is in the code as it is on this processor alone')
def test_the_forgery_works(cache):
    "Where this user wrote it, the other code runs: what the tests below refuse would have been loaded."
    assert not cache.run()
    cache.forge()
    process = cache.start()
    assert process.communicate()[0].split()[0] == str(WRONG)

def moved(path):
    "Put a link where something was."
    away = path.with_name(f'away-{path.name}')
    path.rename(away)
    path.symlink_to(away)

CHANGES = {
    'folder open to a group': lambda c, p: p.parent.chmod(0o770),
    'folder open to all, sticky': lambda c, p: p.parent.chmod(0o1777),
    'folder is a link': lambda c, p: moved(p.parent)}
GIVEN = {
    'folder of another user': lambda c, p: os.chown(p.parent, 65534, -1),
    'file of another user': lambda c, p: os.chown(p, 65534, -1)}

# each is like another case, which `make test` tries
ALIKE = {'a flipped bit in the list', 'folder is a link', 'more', 'no permission', 'one byte less', 'text', 'too large', 'zeros'}

def param(case, *marks): return pytest.param(case, marks=[*marks, *[pytest.mark.slow]*(case in ALIKE)])

@pytest.mark.parametrize('change', [*map(param, CHANGES), *(param(k, needs_root) for k in GIVEN)])
def test_what_others_may_write_is_not_loaded(cache, change):
    "One line names the place and the cure; the kernel is compiled anew, and what was there is not used."
    (CHANGES | GIVEN)[change](cache, cache.forge())
    said = cache.run()
    assert said.count('\n') == 1 and str(cache.at) in said and 'remove it' in said, said

@pytest.mark.parametrize('mask', [0, *(pytest.param(m, marks=pytest.mark.slow) for m in (0o002, 0o022, 0o077))])
def test_what_is_made_here_passes(empty, mask):
    "Whatever the umask, no other user can write to what is made, and the next process finds it good."
    cache = empty
    assert not cache.run(mask)
    code = cache.code()
    before = code.stat()
    assert code.parent.stat().st_mode & 0o777 == 0o700 and code.stat().st_mode & 0o777 == 0o600 & ~mask
    assert not cache.run()
    assert (code.stat().st_ino, code.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert cache.used == cache.base/wp.config.version

def test_a_usual_folder(empty, tmp_path):
    "Without a folder that is named it is one in the user's cache, whatever Warp's own was made like."
    cache, home = empty, tmp_path/'home'
    (home/'.cache/warp').mkdir(parents=True)
    (home/'.cache/warp').chmod(0o777)
    for first, unset in ('', ''), ('wp.init()\n', None): # a program that began with Warp has its choice
        cache.program.write_text(PROGRAM.replace('startup.start_warp()', f'{first}startup.start_warp()'))
        for xdg, there in (unset, home/'.cache'), (str(tmp_path/'xdg'), tmp_path/'xdg'):
            said = cache.run(WARP_CACHE_PATH=None, HOME=str(home), XDG_CACHE_HOME=xdg)
            assert 'gbxnb' not in said and (first or not said)
            assert cache.used == there/'gbxnb'/wp.config.version and not [*cache.here.iterdir()]

@pytest.mark.parametrize('home, xdg', [('', None), ('relative', ''), pytest.param(None, None, marks=needs_root)])
def test_no_home(empty, home, xdg):
    "Nothing is put into the current folder; one line, and a folder that goes with the process."
    cache = empty
    if home is None:        # and a user without a name, who need not be able to read this checkout: Warp is there before
        cache.here.chmod(0o777)
        first = f'wp.config.kernel_cache_dir = {str(cache.base)!r}\nstartup.start_warp()\nstartup.start_warp.cache_clear()\n'
        other = 'wp.config.kernel_cache_dir = None\nos.setgroups([]); os.setgid(54321); os.setuid(54321)\nstartup.start_warp()'
        cache.program.write_text(PROGRAM.replace('startup.start_warp()', first + other))
    said = cache.run(WARP_CACHE_PATH=None, XDG_CACHE_HOME=xdg, HOME=home)
    assert said.count('\n') == 1 and 'no home' in said and 'WARP_CACHE_PATH' in said, said
    assert not [*cache.here.iterdir()] and not cache.used.exists()

def flipped(data, at): return data[:at] + bytes([data[at] ^ 4]) + data[at + 1:]

DAMAGE = {
    'empty': lambda p, data: p.write_bytes(b''),
    'cut short': lambda p, data: p.write_bytes(data[:len(data)//2]),
    'one byte less': lambda p, data: p.write_bytes(data[:-1]),
    'zeros': lambda p, data: p.write_bytes(bytes(len(data))),
    'a flipped bit in the code': lambda p, data: p.write_bytes(flipped(data, data.index(RIGHT.to_bytes(4, 'little')))),
    'a flipped bit in the list': lambda p, data: p.write_bytes(flipped(data, 80)),
    'more': lambda p, data: p.write_bytes(data + b'more'),
    'too large': lambda p, data: os.truncate(p, 1 << 40),
    'text': lambda p, data: p.write_text('not a kernel\n'),
    'no permission': lambda p, data: p.chmod(0) if os.geteuid() else p.write_bytes(b'')}

@pytest.mark.parametrize('damage', [*map(param, DAMAGE)])
def test_a_damaged_kernel_is_compiled_anew(cache, damage):
    "One line says so, and the next process finds a good one."
    path = cache.code()
    DAMAGE[damage](path, path.read_bytes())
    said = cache.run()
    assert said.count('\n') == 1 and str(path) in said and 'compiled anew' in said, said
    assert not cache.run() and cache.code() == path

def test_of_another_module(cache):
    "A file that is whole but of another kernel, and one of another format."
    path = cache.code()
    for files in dict(module='f00d', files={}), dict(schema='x'), [], 3:
        body = repr(files).replace("'", '"').encode() + b'\n'
        path.write_bytes(hashlib.sha256(body).hexdigest().encode() + b'\n' + body)
        assert 'of another module' in cache.run()

def test_swapped_after_it_was_hashed(cache):
    "What is loaded are the bytes that were looked at, not what is there a moment later."
    path = cache.code()
    good, forged = path.read_bytes(), cache.forge().read_bytes()
    path.write_bytes(good)
    (cache.at/'forged').write_bytes(forged)
    cache.program.write_text(f"""from pathlib import Path
from gbxnb.base import startup
real, path = startup.read_own, Path({str(path)!r})
def read_then_swap(p, *limits):
    data = real(p, *limits)
    path.write_bytes(Path({str(cache.at/'forged')!r}).read_bytes())
    return data
startup.read_own = read_then_swap
{PROGRAM}""")
    assert not cache.run() and path.read_bytes() == forged

def test_a_fork_leaves_the_folder(empty):
    "The folder of a process without a cache is its own: a fork that ends does not remove it."
    cache = empty
    cache.program.write_text(PROGRAM.split('a = wp.zeros')[0] + f"""print({RIGHT}, wp.config.kernel_cache_dir, flush=True)
child = os.fork()
if not child: sys.exit()
os.waitpid(child, 0)
assert os.path.isdir(wp.config.kernel_cache_dir)
""")
    assert cache.run(WARP_CACHE_PATH='/dev/null/cache').count('\n') == 1 and not cache.used.parent.exists()

def test_loosened_meanwhile(cache):
    "The folder is looked at again for each kernel."
    cache.forge()
    cache.program.write_text(PROGRAM.replace('a = wp.zeros', 'os.chmod(startup.kernel_cache(), 0o777)\na = wp.zeros', 1))
    said = cache.run()
    assert said.count('\n') == 1 and 'others may enter it' in said and cache.base not in cache.used.parents
