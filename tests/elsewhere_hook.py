"""macOS or Windows as far as a process of Linux can imitate them: `elsewhere.py` puts this into an environment, for all its processes.

Names that the system lacks (elsewhere.json) are hidden from gbxnb alone: other packages have an implementation of their own there. How
files behave on Windows holds for the whole process, since pathlib, numpy and Warp call the same functions for gbxnb. Windows does more
otherwise than is here; what is here it does."""
import builtins, errno, io, json, os, signal, stat, sys, types
from _thread import _local

HERE = os.path.dirname(os.path.abspath(__file__))
BREAK = signal.SIGUSR1 # what Ctrl-Break is here
NO_PROCESS = 0xC000013A, 0xC0000005 # how Windows says that a process was ended by Ctrl-C, and by a bad pointer
TICK = 2**-6 # seconds; how often most clocks of Windows go on
LONGEST = 200 # characters of a path below a test's folder; Windows allows 259, and C:\Users\somebody\AppData\Local\gbxnb\Cache is in front
RESERVED = {'con', 'prn', 'aux', 'nul', *(f'{n}{k}' for n in ('com', 'lpt') for k in range(1, 10))}
THROUGH = {__name__, 'os', 'io', 'pathlib', 'pathlib._local', 'shutil', 'tempfile', 'contextlib', 'weakref', 'genericpath', 'posixpath'}
TMPFILE = getattr(os, 'O_TMPFILE', -1)
SYSTEM = '' # darwin or win32 once it is imitated
lacks, real = {}, dict(open=io.open, stat=os.stat, lstat=os.lstat, fstat=os.fstat, close=os.close, rename=os.rename)

def windows(): return SYSTEM == 'win32'

def belongs(scope):
    "Whether these are the globals of a module of gbxnb, or what it has another process do first."
    name = scope.get('__name__') or ''
    if name == '__main__' and sys.flags.isolated and sys.flags.no_site: return True
    return 'gbxnb' in (name.split('.')[0], (scope.get('__package__') or '').split('.')[0])

def ours():
    "Whether gbxnb has called, by itself or through a module that stands on `os`."
    frame = sys._getframe(1)
    while frame and frame.f_globals.get('__name__') in THROUGH: frame = frame.f_back
    return frame is not None and belongs(frame.f_globals)

thread = _local()

def busy(): return getattr(thread, 'depth', 0) > 0

class ByItself:
    "What a thread does in here it does for this module, and sees all that there is."
    def __enter__(self): thread.depth = getattr(thread, 'depth', 0) + 1
    def __exit__(self, *exc): thread.depth -= 1

by_itself = ByItself()

def note(what):
    "Write down what was missed, and where."
    frame = sys._getframe(1)
    while frame and not belongs(frame.f_globals): frame = frame.f_back
    where = f"{frame.f_globals['__name__']}:{frame.f_lineno}" if frame else ''
    with by_itself:
        fd = os.open(f'{HERE}/elsewhere_missed.txt', os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(fd, f'{what} {where}\n'.encode())
        real['close'](fd)

def refusal(number, path='', winerror=None, kind=OSError):
    e = kind(number, os.strerror(number), path) if path else kind(number, os.strerror(number))
    if winerror: e.winerror = winerror
    return e

# Modules

class StandIn(types.ModuleType):
    "A module as gbxnb sees it: without what the system lacks, with what it has instead. The rest, and what is set, is the real one's."
    def __init__(self, module, own):
        object.__setattr__(self, '_module', module)
        object.__setattr__(self, '_own', own)

    def __getattribute__(self, name):
        module, own = (object.__getattribute__(self, n) for n in ('_module', '_own'))
        if name == '__class__': return types.ModuleType
        if name in own: return own[name]
        if name in lacks['names'].get(module.__name__, ()):
            note(f'{module.__name__}.{name}')
            raise AttributeError(f'module {module.__name__!r} has no attribute {name!r}')
        return getattr(module, name)

    def __setattr__(self, name, value):
        object.__getattribute__(self, '_own').pop(name, None)
        setattr(object.__getattribute__(self, '_module'), name, value)

    def __delattr__(self, name): delattr(object.__getattribute__(self, '_module'), name)

    def __dir__(self):
        module, own = (object.__getattribute__(self, n) for n in ('_module', '_own'))
        return sorted({*dir(module), *own} - {*lacks['names'].get(module.__name__, ())})

stand_ins, MAKERS = {}, {}

def instead(name, *systems):
    "What a module has instead on these systems: the function below gets it, and returns that by name."
    def add(make):
        for s in systems: MAKERS[s, name] = make
        return make
    return add

def stand_in(module):
    "What gbxnb gets when it imports a module."
    name = module.__name__
    make = MAKERS.get((SYSTEM, name))
    if not make and name not in lacks['names']: return module
    if name not in stand_ins: stand_ins[name] = StandIn(module, make(module) if make else {})
    return stand_ins[name]

def importer(name, globals=None, locals=None, fromlist=(), level=0):
    "`__import__`."
    if level or not belongs(globals or {}): return real['import'](name, globals, locals, fromlist, level)
    if windows() and name == 'msvcrt': return msvcrt()
    if name in lacks['modules'] or name.split('.')[0] in lacks['modules']:
        note(name)
        raise ModuleNotFoundError(f'No module named {name!r}', name=name)
    return stand_in(real['import'](name, globals, locals, fromlist, level))

@instead('sys', 'darwin', 'win32')
def _(sys): return dict(platform=SYSTEM)

@instead('platform', 'darwin', 'win32')
def _(platform):
    name, machine = ('Windows', 'AMD64') if windows() else ('Darwin', 'arm64')
    return dict(system=lambda: name, machine=lambda: machine)

@instead('socket', 'darwin')
def _(socket):
    def socketpair(family=socket.AF_UNIX, type=socket.SOCK_STREAM, proto=0):
        if type == socket.SOCK_SEQPACKET: raise refusal(errno.EPROTONOSUPPORT)
        return socket.socketpair(family, type, proto)
    return dict(socketpair=socketpair)

@instead('resource', 'darwin')
def _(resource):
    def getrusage(who):
        used = resource.getrusage(who)
        return resource.struct_rusage([*used[:2], used[2] << 10, *used[3:]]) # bytes there, KiB here
    return dict(getrusage=getrusage)

@instead('psutil', 'darwin', 'win32')
def _(psutil):
    "Methods of a process are missing, and on Windows priorities are classes."
    gone = {name.partition('.')[2] for name in lacks['names']['psutil'] if name.startswith('Process.')}
    classes = dict(IDLE=64, BELOW_NORMAL=16384, NORMAL=32, ABOVE_NORMAL=32768, HIGH=128, REALTIME=256)
    classes = {f'{k}_PRIORITY_CLASS': v for k, v in classes.items()} if windows() else {}
    class Process(psutil.Process):
        def __getattribute__(self, name):
            if name in gone and ours(): raise AttributeError(f"'Process' object has no attribute {name!r}")
            return super().__getattribute__(name)
        def nice(self, value=None):
            if not classes or value is None: return super().nice(value)
            if value not in classes.values(): raise refusal(errno.EINVAL, winerror=87)
            super().nice(10 if value in (64, 16384) else 0)
    return dict(Process=Process, **classes)

# Signals and processes of Windows

def signals():
    "Those that Windows has."
    import enum
    names = {n: int(getattr(signal, n)) for n in 'SIGABRT SIGFPE SIGILL SIGINT SIGSEGV SIGTERM'.split()}
    return enum.IntEnum('Signals', names | dict(SIGBREAK=int(BREAK), CTRL_C_EVENT=0, CTRL_BREAK_EVENT=1))

@instead('signal', 'win32')
def _(module):
    Signals = signals()
    def checked(number):
        if number not in {*Signals} - {0, 1}: raise ValueError('signal number out of range')
        return int(number)
    def set_handler(number, handler): return module.signal(checked(number), handler)
    return dict(Signals=Signals, signal=set_handler, getsignal=lambda n: module.getsignal(checked(n)),
                valid_signals=lambda: {*Signals} - {0, 1}, raise_signal=lambda n: module.raise_signal(checked(n)),
                **{s.name: s for s in Signals})

def send(pid, number):
    "`os.kill`."
    if number == 0: return # Ctrl-C is switched off in a group of its own
    if number != 1: return os.kill(pid, signal.SIGKILL)
    if os.getpgid(pid) != pid: raise refusal(errno.EINVAL, winerror=87)
    os.killpg(pid, BREAK)

@instead('subprocess', 'win32')
def _(subprocess):
    class STARTUPINFO:
        def __init__(self, *, dwFlags=0, hStdInput=None, hStdOutput=None, hStdError=None, wShowWindow=0, lpAttributeList=None):
            self.lpAttributeList, self.dwFlags, self.wShowWindow = lpAttributeList or {}, dwFlags, wShowWindow
    class Popen(subprocess.Popen):
        def __init__(self, *args, preexec_fn=None, pass_fds=(), creationflags=0, startupinfo=None, **how):
            if preexec_fn: raise ValueError('preexec_fn is not supported on Windows platforms')
            assert not pass_fds, 'pass_fds not supported on Windows.'
            handles = (startupinfo.lpAttributeList.get('handle_list') or ()) if startupinfo else ()
            how['start_new_session'] = bool(creationflags & 0x200)
            super().__init__(*args, pass_fds=handles, **how)
        def send_signal(self, number):
            if number == signal.SIGTERM: return self.kill()
            if number not in (0, 1): raise ValueError(f'Unsupported signal: {number}')
            if self.poll() is None: send(self.pid, number)
        def kill(self): super().send_signal(signal.SIGKILL)
        def terminate(self): self.kill()
        def _handle_exitstatus(self, *args, **more):
            super()._handle_exitstatus(*args, **more)
            if self.returncode is None or self.returncode >= 0: return
            bad = {signal.SIGINT: NO_PROCESS[0], BREAK: NO_PROCESS[0], signal.SIGSEGV: NO_PROCESS[1], signal.SIGABRT: 3}
            self.returncode = bad.get(-self.returncode, 1)
    subprocess.Popen = Popen # for `run` as well
    flags = dict(CREATE_NEW_PROCESS_GROUP=0x200, CREATE_NO_WINDOW=0x8000000, DETACHED_PROCESS=8, CREATE_NEW_CONSOLE=16,
                 IDLE_PRIORITY_CLASS=64, BELOW_NORMAL_PRIORITY_CLASS=16384, NORMAL_PRIORITY_CLASS=32, STARTF_USESTDHANDLES=256)
    return dict(flags, Popen=Popen, STARTUPINFO=STARTUPINFO)

@instead('select', 'win32')
def _(select):
    def wait(reading, writing, other, timeout=None):
        all_ = [*reading, *writing, *other]
        if not all_: raise refusal(errno.EINVAL, winerror=10022)
        for s in all_:
            fd = s if isinstance(s, int) else s.fileno()
            if not stat.S_ISSOCK(real['fstat'](fd).st_mode): raise refusal(errno.ENOTSOCK, winerror=10038)
        return select.select(reading, writing, other, timeout)
    return dict(select=wait)

@instead('socket', 'win32')
def _(socket):
    def socketpair(family=socket.AF_INET, type=socket.SOCK_STREAM, proto=0):
        if family not in (socket.AF_INET, socket.AF_INET6): raise ValueError('Only AF_INET and AF_INET6 are supported')
        if type != socket.SOCK_STREAM: raise ValueError('Only SOCK_STREAM socket type is supported')
        return socket.socketpair()
    return dict(socketpair=socketpair)

@instead('time', 'win32')
def _(time):
    def coarse(name): return lambda: getattr(time, name)()//TICK*TICK
    def coarse_ns(name): return lambda: getattr(time, name)()//15625000*15625000
    slow = ['process_time', 'thread_time', *(n for n in ('monotonic', 'time') if sys.version_info < (3, 13))]
    return {n: coarse(n) for n in slow} | {f'{n}_ns': coarse_ns(f'{n}_ns') for n in slow}

def remove(path, process):
    with by_itself:
        if os.getpid() == process and os.path.exists(path): os.unlink(path)

@instead('mmap', 'win32')
def _(mmap):
    class Memory(mmap.mmap):
        def __new__(cls, fileno, length, tagname=None, access=mmap.ACCESS_DEFAULT, offset=0):
            if fileno != -1:
                if length and real['fstat'](fileno).st_size < offset + length: os.ftruncate(fileno, offset + length)
                return super().__new__(cls, fileno, length, access=access, offset=offset)
            if not length: raise refusal(errno.EINVAL, winerror=87)
            if tagname is None: return super().__new__(cls, -1, length, access=access)
            path = f"/dev/shm/elsewhere-{os.getuid()}-{tagname.replace('/', '_')}"
            with by_itself: fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            size = real['fstat'](fd).st_size
            if not size: # it ends with the process that made it, here
                os.ftruncate(fd, length)
                import atexit
                atexit.register(remove, path, os.getpid())
            elif size < length:
                real['close'](fd)
                raise refusal(errno.EACCES, winerror=5, kind=PermissionError)
            try: return super().__new__(cls, fd, length, access=access, offset=offset)
            finally: real['close'](fd)
    return dict(mmap=Memory)

def msvcrt():
    "A module that only Windows has."
    def setmode(fd, mode):
        text_files.discard(fd)
        return 0x4000
    return types.SimpleNamespace(get_osfhandle=lambda fd: fd, open_osfhandle=lambda handle, flags: handle, setmode=setmode)

# Files of Windows

text_files, guarded = set(), {} # numbers of files in the mode for text; and of those that others have locked, with these processes

def used(places, mapped=()):
    """Whether some process has a file open that `places` (device and number) names, or mapped one of `mapped` (number and name).
    Those that work in this folder are looked at: the others are of other people."""
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            if os.readlink(f'/proc/{pid}/cwd') != os.getcwd(): continue
            for fd in os.listdir(f'/proc/{pid}/fd'):
                try: facts = real['stat'](f'/proc/{pid}/fd/{fd}')
                except OSError: continue
                if (facts.st_dev, facts.st_ino) in places: return True
            if mapped:
                with real['open'](f'/proc/{pid}/maps', encoding='utf-8', errors='replace') as f: maps = f.read()
                if any(f' {number} ' in maps and f'/{name}\n' in maps for number, name in mapped): return True
        except OSError: continue # it has ended
    return False

def files_in(path):
    "All regular files at or below a path: device and number, and number and name."
    found = [path] if not os.path.isdir(path) else [os.path.join(d, n) for d, _, names in os.walk(path) for n in names]
    for p in found:
        try: facts = real['lstat'](p)
        except OSError: continue
        if stat.S_ISREG(facts.st_mode): yield (facts.st_dev, facts.st_ino), (facts.st_ino, os.path.basename(p))

def need_unused(path, winerror):
    "Raise `PermissionError` if a file is open, or may only be read, or if a folder has a file in it that is open."
    found = [*files_in(path)]
    if found and used({place for place, _ in found}, [m for _, m in found]):
        note(f'file in use: {os.path.basename(path)}')
        raise refusal(errno.EACCES, path, winerror, PermissionError)
    if os.path.isfile(path) and not real['stat'](path).st_mode & stat.S_IWUSR: raise refusal(errno.EACCES, path, 5, PermissionError)

def closing():
    "Whether tempfile removes what Windows removes by itself once it is closed."
    frame = sys._getframe(1)
    while frame and frame.f_globals.get('__name__') in THROUGH:
        if '_TemporaryFileCloser' in type(frame.f_locals.get('self')).__name__: return True
        frame = frame.f_back
    return False

def at(path, folder):
    "A path as a text, of a file in an open folder as well."
    path = os.fsdecode(path)
    return path if folder in (None, -1) else os.path.join(os.readlink(f'/proc/self/fd/{folder}'), path)

def check_name(path):
    "Raise `OSError` for a new name that Windows refuses, that differs from another in case alone, or that is too long."
    folder, name = os.path.split(os.path.abspath(path))
    if folder.startswith(('/proc', '/dev', '/sys')): return
    stem = name.split('.')[0].rstrip().lower()
    if windows() and (set(name) & set('<>:"|?*\\') or min(name, default=' ') < ' ' or name[-1] in '. ' or stem in RESERVED):
        raise refusal(errno.EINVAL, path, 123)
    base = os.path.dirname(os.environ.get('HOME', ''))
    if windows() and len(os.path.abspath(path).removeprefix(base)) > LONGEST: raise refusal(errno.ENOENT, path, 3, FileNotFoundError)
    try: others = os.listdir(folder)
    except OSError: return
    if name not in others and name.lower() in map(str.lower, others): raise refusal(errno.EEXIST, path, 183, FileExistsError)

def elsewhere_only(path):
    "Raise `FileNotFoundError` for what Linux alone has."
    if str(path).startswith(('/proc', '/sys/', '/dev/shm')) and ours():
        note(str(path))
        raise refusal(errno.ENOENT, str(path), 2, FileNotFoundError)

def opened(path, mode, flags):
    if not isinstance(path, (str, bytes, os.PathLike)): return
    path = os.fsdecode(path)
    elsewhere_only(path)
    if windows() and os.path.isdir(path) and flags & TMPFILE != TMPFILE: raise refusal(errno.EACCES, path, kind=PermissionError)
    if flags & os.O_CREAT and not os.path.lexists(path): check_name(path)

def removed(path, folder=None):
    path = at(path, folder)
    if not windows() or not os.path.lexists(path): return
    if os.path.isdir(path) and not os.path.islink(path): raise refusal(errno.EACCES, path, 5, PermissionError)
    if not closing(): need_unused(path, 32)

def renamed(old, new, old_folder=None, new_folder=None):
    old, new = at(old, old_folder), at(new, new_folder)
    if not os.path.lexists(new): check_name(new)
    if not windows() or not os.path.lexists(old): return
    if os.path.isdir(new): raise refusal(errno.EACCES, old, 5, PermissionError)
    need_unused(old, 32)
    if os.path.lexists(new): need_unused(new, 5)

def folder_removed(path, folder=None):
    path = at(path, folder)
    if not windows() or not os.path.isdir(path): return
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try: there = os.path.samefile(f'/proc/{pid}/cwd', path)
        except OSError: continue
        if there: raise refusal(errno.EACCES, path, 32, PermissionError)

def made(path, mode=0o777, folder=None):
    path = at(path, folder)
    if not os.path.lexists(path): check_name(path)

EVENTS = {'open': opened, 'os.remove': removed, 'os.rename': renamed, 'os.rmdir': folder_removed, 'os.mkdir': made,
          'os.listdir': lambda path: path is None or elsewhere_only(path), 'os.scandir': lambda path: path is None or elsewhere_only(path),
          'os.link': lambda old, new, *folders: made(new)}
def audit(event, args):
    if event not in EVENTS or busy() or '__pycache__' in str(args[:1]): return
    with by_itself: EVENTS[event](*args)

def facts_of(facts):
    "What Windows says of a file: no owner, and of rights only whether it may be written."
    rights = 0o777 if stat.S_ISDIR(facts.st_mode) else 0o666 if facts.st_mode & stat.S_IWUSR else 0o444
    values = [*facts[:10]]
    values[0], values[4], values[5] = stat.S_IFMT(facts.st_mode) | rights, 0, 0
    return os.stat_result(values, {f'st_{t}time{n}': getattr(facts, f'st_{t}time{n}') for t in 'amc' for n in ('', '_ns')})

def looking(name):
    "`os.stat`, or one of its kind."
    def look(path, *args, **more):
        if busy() or not ours(): return real[name](path, *args, **more)
        if isinstance(path, (str, os.PathLike)): elsewhere_only(os.fspath(path))
        if windows() and more.get('dir_fd') is not None: raise NotImplementedError('dir_fd unavailable on this platform')
        facts = real[name](path, *args, **more)
        return facts_of(facts) if windows() else facts
    return look

def holders(path):
    "The processes that have locked a file, by its path or its number."
    try: number = real['stat'](path).st_ino
    except OSError: return set()
    with by_itself, real['open']('/proc/locks', encoding='utf-8') as f: lines = [line.split() for line in f]
    return {line[4] for line in lines if line[1] == 'FLOCK' and line[5].endswith(f':{number}')}

class Guarded(io.FileIO):
    "A file of which another handle has locked the first byte: nobody else reads it."
    def guard(self, by):
        self.by = by
        return self
    def check(self):
        if not self.tell() and self.by & holders(self.fileno()): raise refusal(errno.EACCES, kind=PermissionError)
    def read(self, size=-1):
        self.check()
        return super().read(size)
    def readinto(self, buffer):
        self.check()
        return super().readinto(buffer)
    def readall(self):
        self.check()
        return super().readall()

def open_(file, mode='r', buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
    "`open`: by default text is of code page 1252, its lines end in two bytes, and what another has locked cannot be read."
    number = isinstance(file, int)
    if number: text_files.discard(file)
    if opener and os.path.isdir(file): # tempfile gives its folder for the path
        with by_itself: return real['open'](file, mode, buffering, encoding, errors, newline, closefd, opener)
    if busy() or not ours(): return real['open'](file, mode, buffering, encoding, errors, newline, closefd, opener)
    if 'b' not in mode:
        if encoding in (None, 'locale') and not sys.flags.utf8_mode: encoding = 'cp1252'
        if newline is None and 'r' not in mode: newline = '\r\n'
    by = guarded.pop(file, None) if number else holders(file)
    def begin(path, flags):
        text_files.discard(fd := opener(path, flags))
        guarded.pop(fd, None)
        return fd
    if not by or not set(mode) & set('r+'):
        return real['open'](file, mode, buffering, encoding, errors, newline, closefd, opener and begin)
    note('a file that another has locked is opened')
    raw = Guarded(file, mode.replace('b', '').replace('t', ''), closefd, opener and begin).guard(by)
    if not buffering: return raw
    return io.BufferedReader(raw) if 'b' in mode else io.TextIOWrapper(io.BufferedReader(raw), encoding, errors, newline)

def close(fd):
    text_files.discard(fd)
    guarded.pop(fd, None)
    real['close'](fd)

def rename(old, new, **folders):
    "`os.rename`, which replaces nothing."
    if not folders and os.path.lexists(old) and os.path.lexists(new): raise refusal(errno.EEXIST, os.fspath(old), 183, FileExistsError)
    real['rename'](old, new, **folders)

@instead('os', 'win32')
def _(os):
    def open_number(path, flags, mode=0o777, *, dir_fd=None):
        if dir_fd is not None: raise NotImplementedError('dir_fd unavailable on this platform')
        by = holders(path)
        fd = os.open(path, flags & ~0xC000, mode)
        if not flags & 0x8000: text_files.add(fd)
        if by: guarded[fd] = by
        return fd
    def write(fd, data):
        if fd not in text_files: return os.write(fd, data)
        note('os.write without O_BINARY')
        os.write(fd, bytes(data).replace(b'\n', b'\r\n'))
        return len(data)
    def read(fd, n):
        if fd in guarded and not os.lseek(fd, 0, 1) and guarded[fd] & holders(fd): raise refusal(errno.EACCES, kind=PermissionError)
        data = os.read(fd, n)
        return data.replace(b'\r\n', b'\n').partition(b'\x1a')[0] if fd in text_files else data
    def fsync(fd):
        import fcntl
        number = fd if isinstance(fd, int) else fd.fileno()
        if fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY: raise refusal(errno.EBADF)
        os.fsync(number)
    def link(old, new, *, follow_symlinks=True, **folders):
        if not follow_symlinks or folders: raise NotImplementedError('follow_symlinks unavailable on this platform')
        os.link(old, new)
    def symlink(*args, **more): raise refusal(errno.EPERM, args[1], 1314)
    own = dict(name='nt', open=open_number, write=write, read=read, fsync=fsync, link=link, symlink=symlink, kill=send,
               O_BINARY=0x8000, O_TEXT=0x4000, O_NOINHERIT=0, O_SEQUENTIAL=0, O_RANDOM=0, O_SHORT_LIVED=0,
               supports_dir_fd=set(), supports_fd={os.stat, os.truncate, os.utime}, supports_follow_symlinks={os.stat})
    return own

@instead('tempfile', 'win32')
def _(tempfile): return dict(TemporaryFile=tempfile.NamedTemporaryFile)

def begin():
    "Called by a .pth file, before anything else is imported."
    global SYSTEM, lacks
    with real['open'](f'{HERE}/elsewhere_system.txt', encoding='utf-8') as f: system = f.read().strip()
    if not system or SYSTEM: return
    with real['open'](f'{HERE}/elsewhere.json', encoding='utf-8') as f: lacks = json.load(f)[system]
    SYSTEM = system
    real['import'], builtins.__import__ = builtins.__import__, importer
    for name in 'stat', 'lstat', 'fstat':
        setattr(os, name, looking(name))
        for kind in os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks:
            if real[name] in kind: kind.add(getattr(os, name))
    if windows():
        import shutil, tempfile
        shutil._use_fd_functions, tempfile._O_TMPFILE_WORKS = False, False
        builtins.open = io.open = open_
        os.close, os.rename = close, rename
        for s in sys.stdout, sys.stderr:
            if s and not sys.flags.utf8_mode: s.reconfigure(encoding='cp1252', newline='\r\n')
    sys.addaudithook(audit)
