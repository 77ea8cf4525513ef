"""The folder of a cartridge's compiled traces, in which something is changed: its entry, its profile, its native code, what kind of file
any of them is, their mode and owner, or, once it was hashed, the code again.

A folder is not used, or what is loaded of it has the hash that was written with it, no other user could have written it, and consoles
run as they do without. Nothing outside of the folder is read or written."""
import contextlib, fcntl, functools, json, os, random, stat, tempfile
from pathlib import Path
from unittest import mock
import warp as wp
from damage import PICKLE, change_bytes, change_json, odd_value, other_file
from gbxnb.traces import cache as compiling
from gbxnb.games import bundled as game
from gbxnb.emulator.cartridge import Cartridge
from gbxnb.traces.cache import CPU, ENTRY, PROFILE, cache_folder, compile_traces, load_traces, read_entry, read_traces
from gbxnb.emulator.emulator import Emulator
from gbxnb.traces.symbolic import Profile
from gbxnb.base.startup import find_device
from gbxnb.base.files import UserError, sha256
from watched import one_line, room, watching

COUNT = 2500
NAMES = '../theirs/notes.txt', '../x', '/dev/zero', '.', '..', '', ENTRY, PROFILE, 'x'*300, 'a\0b', 'wp_.o', 'sub/x.o', '\ud800', '~'

# mutations

def regular(folder): return sorted(p for p in folder.iterdir() if p.is_file() and not p.is_symlink())

def spoil_entry(rng, folder):
    "Other words of the entry: any value, names that are none, files that are not its own."
    path = folder/ENTRY
    entry = json.loads(path.read_text())
    name = rng.choice([*entry['files']])
    match rng.randrange(6):
        case 0: entry = change_json(rng, entry)
        case 1: entry = odd_value(rng, entry)
        case 2: entry['files'][rng.choice(NAMES)] = rng.choice(('0'*64, entry['files'][name], sha256(b'')))
        case 3: entry['files'][name] = rng.choice((*entry['files'].values(), '0'*64, '', None))
        case 4: del entry['files'][name]
        case 5: entry['files'] = rng.choice(({}, [], {f'{k}': '' for k in range(10**5)}, {PROFILE: sha256((folder/PROFILE).read_bytes())}))
    path.write_text(json.dumps(entry))

def spoil_bytes(rng, folder):
    "Other bytes in any file."
    path = rng.choice(regular(folder))
    path.write_bytes(change_bytes(rng, path.read_bytes()) if rng.random() < .9 else rng.choice((b'', PICKLE, b'['*10**6, bytes(10**6))))

def spoil_file(rng, folder):
    "Something else in the place of a file, or two files exchanged."
    path, other = (rng.choice(regular(folder)) for _ in range(2))
    if rng.random() < .6: return other_file(rng, path, folder.parents[2]/'theirs/notes.txt')
    data = path.read_bytes(), other.read_bytes()
    other.write_bytes(data[0])
    path.write_bytes(data[1])

def spoil_more(rng, folder):
    "Native code that no entry names, under a name that Warp may look for."
    code = next(folder.glob('*.o'))
    (folder/rng.choice((code.name.split('.')[0] + '.o', f'{code.name}.o', 'wp_x.o'))).write_bytes(b'mine')

def open_up(rng, folder):
    "Let others write here."
    path = rng.choice([*regular(folder), folder, folder, folder.parent])
    if os.geteuid() == 0 and rng.random() < .5: os.chown(path, 65534, 65534)
    else: path.chmod(0o777)

def named(folder):
    "The files that are read: those of the entry as it is now."
    if folder/ENTRY not in regular(folder) or (folder/ENTRY).stat().st_size > 10**7: return {ENTRY}
    try: entry = json.loads((folder/ENTRY).read_text())
    except (ValueError, RecursionError): return {ENTRY}
    return {ENTRY, PROFILE, *(entry.get('files') or () if isinstance(entry, dict) and isinstance(entry.get('files'), dict) else ())}

def is_open(path):
    "Can another user have written here?"
    facts = path.lstat()
    return not stat.S_ISLNK(facts.st_mode) and bool(facts.st_mode & 0o002 or facts.st_uid not in (0, os.geteuid()))

SPOILS = spoil_entry, spoil_entry, spoil_bytes, spoil_file, spoil_more, open_up

# one try

@functools.cache
def _written(cart, profile, extent, heads): return WRITE(cart, Profile.from_bytes(profile, len(cart.rom)), extent, json.loads(heads))
def written(cart, profile, extent, heads=()): return _written(cart, profile.to_bytes(), extent, json.dumps(heads)) # of any kind

class Loader:
    "In the place of Warp's: what it is given is looked at, and really loaded now and then."
    def __init__(self, folder, good, swap, real): self.folder, self.good, self.swap, self.real, self.calls = folder, good, swap, real, 0

    def __call__(self, module, *args, module_dir, **more):
        self.calls += 1
        if self.swap: # as another process might, now that hashes are known
            for p in regular(self.folder):
                if p.suffix == '.o': p.write_bytes(b'other')
        for p in Path(module_dir).glob('*.o'):
            assert sha256(p.read_bytes()) in self.good, f'native code is loaded that has no hash in the entry: {p.name}'
        if self.real: LOAD(module, *args, module_dir=module_dir, **more)

LOAD, WRITE = wp.load_aot_module, compiling.write_traces

def hashed(cart, kernel=None):
    "What two consoles of a cartridge come to."
    e = Emulator(cart, 2, threads=1, device='cpu')
    if kernel: e.exchange(*kernel)
    for held in (1, 0), (16, 128):
        e.set_buttons(bytearray(held))
        e.run_cycles(30_000)
    return e.hash()

def prepare():
    "A cartridge, its device, what its folder holds, and what its consoles come to."
    cart, device = Cartridge.load(game.rom()), find_device(CPU)
    with open(Path(tempfile.gettempdir())/f'gbxnb-fuzz-{os.getuid()}.lock', 'w') as f:
        fcntl.flock(f, fcntl.LOCK_EX) # one of the workers compiles, if no other test has
        if not load_traces(cart, device): compile_traces(cart, CPU)
    folder, kernel, plain = cache_folder(cart, CPU), load_traces(cart, device), hashed(cart)
    assert hashed(cart, kernel) == plain
    names = ENTRY, PROFILE, *read_entry(folder, cart)['files']
    return cart, device, {name: (folder/name).read_bytes() for name in names}, plain

def attempt(seed, shared)->str:
    cart, device, good, plain = shared
    rng = random.Random(seed)
    sound, swap = seed % 50 == 0, rng.random() < .3
    with room(()) as r, contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.object(wp.config, 'kernel_cache_dir', str(r.mine)))
        stack.enter_context(mock.patch.object(tempfile, 'tempdir', str(r.mine/'tmp')))
        stack.enter_context(mock.patch.object(compiling, '_loaded', {})) # as another process sees it
        stack.enter_context(mock.patch.object(compiling, 'write_traces', written)) # a second of four tries
        folder = cache_folder(cart, CPU)
        r.fill({str((folder/name).relative_to(r.mine)): data for name, data in good.items()} | {'tmp/notes.txt': b'mine'})
        spoils = [] if sound else rng.choices(SPOILS, k=rng.choice((1, 1, 2)))
        for spoil in sorted(spoils, key=SPOILS.index): # what is read before a pipe may stand there
            with contextlib.suppress(Exception): spoil(rng, folder) # the one before it may have left nothing to spoil
        opened = any(map(is_open, (folder.parent, folder, *(p for p in folder.iterdir() if p.name in named(folder)))))
        loader = Loader(folder, {sha256(v) for v in good.values()}, swap, rng.random() < .1)
        stack.enter_context(mock.patch.object(wp, 'load_aot_module', loader))
        with watching(r.mine, ('/dev/zero', r.theirs/'notes.txt')): # where links lead
            try: read_traces(cart, CPU)
            except UserError as e: one_line(e)
            kernel = load_traces(cart, device)
        assert not opened or not loader.calls, 'native code is loaded that others may have written'
        assert loader.calls or not kernel, 'it was not loaded in here'
        assert not sound or kernel, 'one that nobody has changed'
        if kernel and loader.real: assert hashed(cart, kernel) == plain, 'consoles run otherwise'
    return 'loaded' if kernel else 'not used'
