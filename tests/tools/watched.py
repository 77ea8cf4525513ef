"""A command in a folder beside that of somebody else: what it says, what it changes, and what it touches on the way."""
import contextlib, functools, itertools, json, os, stat, sys, tempfile, time
from pathlib import Path
from unittest import mock
import warp as wp
from gbxnb.base.command import call
from gbxnb.base.files import LOCK, MANIFEST, UserError, read_manifest

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# What is changed: the places of paths in the arguments of an event, and of the open folders that these begin at.
CHANGED = {'os.rename': ((0, 2), (1, 3)), 'os.link': ((1, 3),), 'os.symlink': ((1, 2),), 'os.remove': ((0, 1),), 'os.rmdir': ((0, 1),),
           'os.mkdir': ((0, 2),), 'os.truncate': ((0, None),), 'os.chmod': ((0, 2),), 'os.chown': ((0, 3),), 'os.utime': ((0, 3),)}
NEVER = 'os.system', 'os.exec', 'os.posix_spawn', 'pickle.find_class'
BEGAN = '; see ', 'the last frames are others' # of a run, or a replay, that began and ended badly
SECRET = 'gopher-tuba-nineteen' # stands in files of somebody else; nothing that is printed has it
ROOT = Path(__file__).resolve().parents[2]
READ = (ROOT, sys.prefix, sys.base_prefix, '/usr', '/lib', '/proc', '/sys', '/dev/urandom', '/etc/localtime',
        *(Path.home()/k for k in ('.cache', '.config'))) # what a process of this package reads on its own
_watch = [] # while something is watched: the folder that is free to it, what may be read beside it, and what else was touched

def _real(path, follow):
    "Where a path leads; where its last name is taken as it is, to that name."
    path = os.path.abspath(os.fsdecode(path))
    return os.path.realpath(path) if follow else os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))

def _touched(event, args):
    "The paths that an event is about to change."
    if event in NEVER or event == 'subprocess.Popen' and args[0] != 'git': return [event]
    if event == 'open': paths, follow = [args[0]] if args[2] & WRITING else [], not args[2] & (os.O_NOFOLLOW | os.O_EXCL)
    else: paths, follow = [_below(args, *at) for at in CHANGED.get(event, ())], False
    return [_real(p, follow) for p in paths if not isinstance(p, int)]

def _below(args, path, folder):
    "A path, where it begins at an open folder with the path of that."
    path, fd = args[path], -1 if folder is None else args[folder]
    return path if isinstance(path, int) or fd in (-1, None) else os.path.join(os.readlink(f'/proc/self/fd/{fd}'), os.fsdecode(path))

def _inside(path, folders): return any(path == str(f) or path.startswith(f'{f}{os.sep}') for f in folders if f)

def _hook(event, args):
    if not _watch: return
    free, reads, found = _watch
    free = free, os.devnull, wp.config.kernel_cache_dir
    for path in _touched(event, args):
        harmless = '__pycache__' in path or event == 'os.mkdir' and (os.path.isdir(path) or f'{os.sep}wp_pch_' in path) # Warp compiles
        if not harmless and not _inside(path, free): found.append(f'{event} {path}')
    if reads is None or event != 'open' or args[2] & (WRITING | os.O_DIRECTORY) or isinstance(args[0], int): return
    path = _real(args[0], True)
    if not os.path.isdir(path) and not _inside(path, (*free, *reads, *READ)): found.append(f'read {path}')

@functools.cache # it stays for good, and costs a little at everything that can be watched
def _begin(): sys.addaudithook(_hook)

@contextlib.contextmanager
def watching(folder, reads=None):
    """Nothing but `folder` may be opened for writing, renamed, removed or made; nothing may be unpickled, and no program started but git.

    With `reads`, some paths, nothing but those, `folder` and what Python and this package consist of may be opened for reading."""
    found = []
    _begin()
    _watch[:] = str(folder), reads, found
    try:
        yield
        assert not found, f'touched outside: {found[:5]}'
    finally: _watch.clear()

def tree(folder):
    "Every name under a folder, and its content; of what is no file, and of vast ones, the kind."
    out = {}
    for p in Path(folder).rglob('*'):
        if '__pycache__' in p.parts: continue # what Python keeps for itself
        facts, name = p.lstat(), str(p.relative_to(folder))
        if stat.S_ISLNK(facts.st_mode): out[name] = 'link', os.readlink(p)
        elif stat.S_ISREG(facts.st_mode) and facts.st_size < 10**8: out[name] = p.read_bytes()
        else: out[name] = stat.S_IFMT(facts.st_mode), facts.st_size if stat.S_ISREG(facts.st_mode) else 0
    return out

# How lines begin that say something and do not end a command
NOTES = 'warning: ', 'update ', 'played without its rewards: ', *(f'{v} than random keys: ' for v in ('better', 'no better', 'worse')), \
    '     ', 'trained ' # a table of players
NO_ROOM = 'memory of this computer is not enough', 'use fewer --num-envs' # how they end where memory could not be had

def said_plainly(status, said, err):
    "A command ends with 0 or 1, and what it says on stderr are warnings of a line each and, if it failed, a line that says why."
    lines = err.splitlines()
    last = lines.pop() if status and lines else ''
    assert status in (0, 1) and all(line.startswith(NOTES) for line in lines) and (': error: ' in last) == status, err
    assert max(map(len, [*lines, last])) < 1000, err
    assert not any(words in err for words in NO_ROOM), f'took more memory than there is: {err}'
    return status

def one_line(error, most=700):
    "What an error says is a line, not too long, and quotes no file of somebody else."
    text = str(error)
    assert len(text.splitlines()) == 1 and len(text) < most and SECRET not in text, text[:2000]

def ours(folder):
    "The names that a manifest gives; none where it gives none."
    try: return (read_manifest(folder) or ('', set()))[1]
    except UserError: return set()

def own_lock(data):
    "Is this the content of a lock of ours?"
    try: return not data or 'process' in json.loads(data)
    except (ValueError, TypeError): return False

SECRETS = 'secret', 'secret.sym', 'secret.json'

class Room:
    """A folder `mine` for a command, with something in it that is not named anywhere, and one of somebody else beside it.

    With `reads`, as for `watching`, a command may read nothing else outside of `mine`."""
    def __init__(self, path, reads=None):
        self.path, self.reads = Path(os.path.realpath(path)), reads
        self.mine, self.theirs = self.path/'mine', self.path/'theirs'
        theirs = self.theirs
        (theirs/'world').mkdir(parents=True)
        self.mine.mkdir()
        for name in SECRETS: (theirs/name).write_text(f'{SECRET}\n')
        for name in MANIFEST, 'checkpoint.json', 'train_log.jsonl', 'world/start.npz', 'notes.txt': (theirs/name).write_text('theirs')

    def fill(self, files):
        "Put files under `mine`, beside a note."
        for name, data in (files | {'notes.txt': b'mine'}).items():
            (self.mine/name).parent.mkdir(parents=True, exist_ok=True)
            (self.mine/name).write_bytes(data)

    def call(self, cli, *words, free=(), folder='', report=False, **options):
        """Call a command that may replace `free` and what the manifest of `folder` names; its exit status, and what it said on stderr.

        It says in a line what is wrong, or prints a `report` of it. If it is refused it has changed nothing, else nothing of others."""
        before, had = tree(self.path), ours(self.path/folder) if folder else set()
        quiet = mock.patch.dict(os.environ, TQDM_DISABLE='1') # whether work is announced depends on time
        with quiet, watching(self.mine, self.reads): status, said, err = call(cli, *words, **options)
        assert SECRET not in said + err, f'quoted: {said}{err}'
        if not (report and said and not err): said_plainly(status, said, err)
        after = tree(self.path)
        changed = {k for k in before.keys() | after.keys() if before.get(k) != after.get(k)}
        locks = {k for k in changed if Path(k).name == LOCK and own_lock(before.get(k)) and after.get(k, b'') == b''}
        if status and self.refused(err): assert changed <= locks, f'refused, and yet changed: {changed - locks}: {err}'
        mine = {f'{folder}/{name}' for name in had | {MANIFEST}} | {k for k in changed if k not in before} | locks | set(free)
        assert changed <= mine, f'of others: {changed - mine}'
        new = {k for k in changed if k not in before and not (self.path/k).is_dir()} - locks - set(free)
        if folder: assert new <= {f'{folder}/{k}' for k in ours(self.path/folder) | {MANIFEST}}, f'not in the manifest: {new}'
        else: assert not new, f'left behind: {new}'
        return status, err

    def refused(self, err): return not any(w in err for w in BEGAN)

def steady_clock():
    "Let what is measured in here be the same every time, so that files with times in them have the same bytes."
    ticks = itertools.count()
    return mock.patch.object(time, 'perf_counter', lambda: next(ticks)/64)

@contextlib.contextmanager
def working_in(folder):
    "Let a folder be the current one."
    before = os.getcwd()
    os.chdir(folder)
    try: yield
    finally: os.chdir(before)

@contextlib.contextmanager
def room(reads=None):
    with tempfile.TemporaryDirectory(prefix='gbxnb-fuzz-') as d: yield Room(d, reads)
