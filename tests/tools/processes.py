"""Commands as whole processes, quick to start: each is forked from one that has imported everything before.

That one, a nest, is forked before the tests begin. `make test` has two: a cold one has done nothing but import, a warm one has also played
(`warm.py`). Where nobody has opened them, the first process that is asked for opens one, which imports what it lacks."""
import atexit, contextlib, functools, gc, importlib, os, pickle, resource, select, signal, socket, struct, subprocess, sys, tempfile
import threading, traceback, types
from pathlib import Path

PRELOAD = 'torch._dynamo', 'matplotlib.pyplot', 'gbxnb.__main__', 'gbxnb.games.demo'
END = struct.Struct('id') # how a process ended, and the processor time it took
_nests = {} # name to the socket that asks it, and its process
spent = 0. # seconds of processor time of the processes that were waited for; a runner reads it

def open_nest(name='warm'):
    "Fork a nest, once; processes that are forked later share it."
    if name in _nests: return
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if nest := os.fork():
        theirs.close()
        _nests[name] = ours, nest
        return
    for asked, _ in [(ours, 0), *_nests.values()]: asked.close()
    _nests.clear()
    try: _serve(theirs)
    finally: os._exit(0)

def close_nests():
    "Let them end once nobody else asks them; so what they took is counted."
    for asked, _ in _nests.values(): asked.close()
    for _, nest in _nests.values(): os.waitpid(nest, 0)

@functools.cache
def _import_all():
    "What a new process need not import; its collector of garbage need not look at it either."
    for name in PRELOAD: importlib.import_module(name)
    gc.collect()
    gc.freeze()

def _serve(asked):
    "Start what is asked for, and say how it ends, until nobody is left who asks."
    running, (woken, wake) = {}, os.pipe()
    for fd in woken, wake: os.set_blocking(fd, False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    while True:
        ready = select.select([asked, woken], [], [])[0]
        if woken in ready: _say_ends(woken, running)
        if asked not in ready: continue
        what, fds, _, _ = socket.recv_fds(asked, 1 << 20, 1)
        if not what: return
        _import_all()
        if child := os.fork(): running[child] = fds[0]
        else: _become(what, [asked.detach(), woken, wake, *fds, *running.values()])
        os.write(fds[0], struct.pack('i', child))

def _say_ends(woken, running):
    "Tell those who wait for them of the processes that have ended."
    with contextlib.suppress(BlockingIOError): os.read(woken, 1 << 16)
    while running:
        child, status, used = os.wait4(-1, os.WNOHANG)
        if not child: return
        fd = running.pop(child)
        with contextlib.suppress(BrokenPipeError): os.write(fd, END.pack(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime))
        os.close(fd)

def _become(what, fds):
    "In the new process: leave the nest, do what was asked for, and end as Python would."
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for fd in fds: os.close(fd)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        sys.stdin, sys.stdout = open(0, closefd=False), open(1, 'w', buffering=1, closefd=False)
        sys.stderr = open(2, 'w', buffering=1, errors='backslashreplace', closefd=False)
        cwd, env, path, what = pickle.loads(what)
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(env)
        sys.path[:] = path
        atexit._clear() # what the nest has to do at its end
        target, args = pickle.loads(what)
        target(*args)
        code = 0
    except SystemExit as e: code = e.code if isinstance(e.code, int) else int(e.code is not None)
    except BaseException: traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException): threading._shutdown()
        atexit._run_exitfuncs()
        for stream in filter(None, (sys.stdout, sys.stderr)):
            with contextlib.suppress(OSError, ValueError): stream.flush()
        os._exit(code)

class Process:
    "A function in a process from the nest."
    def __init__(self, target, *args, nest='warm'):
        open_nest(nest)
        self.exitcode, (self.end, theirs) = None, os.pipe()
        what = pickle.dumps((os.getcwd(), dict(os.environ), sys.path, pickle.dumps((target, args))))
        socket.send_fds(_nests[nest][0], [what], [theirs])
        os.close(theirs)
        self.pid, = struct.unpack('i', os.read(self.end, 4))

    def join(self, timeout=None):
        "Wait until it has ended, or for so many seconds."
        if self.exitcode is None and select.select([self.end], [], [], timeout)[0]: self._hear()

    def is_alive(self):
        if self.exitcode is None and select.select([self.end], [], [], 0)[0]: self._hear()
        return self.exitcode is None

    def _hear(self):
        global spent
        self.exitcode, took = END.unpack(os.read(self.end, END.size))
        spent += took
        os.close(self.end)

    def kill(self):
        "End it without warning."
        os.kill(self.pid, signal.SIGKILL)
        self.join()

def _run(command, words, said, room, env):
    "What the new process does: `room` is the longest file it may write once it has a log, as if the disk were full beyond."
    os.environ |= env
    if said is None:
        os.closerange(0, 3)
        sys.stdin = sys.stdout = sys.stderr = None # as they are in a process that is started so
    else: write_to(said)
    if room: sys.addaudithook(fill(room))
    from gbxnb.__main__ import find_command
    sys.argv = [command]
    find_command(command)([str(w) for w in words])

def write_to(said):
    "Let everything that this process says go to a file."
    out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in 1, 2: os.dup2(out, stream)

def fill(room):
    "From the opening of a log on, no file gets longer than `room` bytes: what a program loads from copies of its own is loaded by then."
    def watch(event, args):
        if event == 'open' and str(args[0]).endswith('train_log.jsonl'):
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    return watch

def _exec(code, words, files, cwd, env):
    "What a new process does for a program."
    for stream, file in zip((1, 2), files): os.dup2(os.open(file, os.O_WRONLY | os.O_APPEND), stream)
    if cwd: os.chdir(cwd)
    if env is not None:
        os.environ.clear()
        os.environ.update(env)
    tempfile.tempdir, file = None, code if isinstance(code, Path) else '-c'
    sys.argv = [str(file), *words]
    main = sys.modules['__main__'] = types.ModuleType('__main__')
    if isinstance(code, Path): main.__file__ = str(code)
    exec(compile(code.read_text() if isinstance(code, Path) else code, str(file), 'exec'), main.__dict__)

class Program(Process):
    "A program, its text or its file, as `subprocess.Popen([sys.executable, '-c', code, *words])` starts it, but all is imported already."
    def __init__(self, code, *words, cwd=None, env=None, nest='warm'):
        made = [tempfile.mkstemp() for _ in range(2)]
        for fd, _ in made: os.close(fd)
        self.files = [Path(name) for _, name in made]
        super().__init__(_exec, code, [str(w) for w in words], [*map(str, self.files)], cwd, env, nest=nest)

    def communicate(self, timeout=600):
        "What it said on either stream once it has ended; the deadline only ends one that hangs."
        self.join(timeout)
        if self.exitcode is None:
            self.kill()
            raise subprocess.TimeoutExpired('a program', timeout)
        said = [p.read_text(errors='replace') for p in self.files]
        for p in self.files: p.unlink()
        return said

def python(code, *words, timeout=600, **how):
    "A program to its end, as `subprocess.run` would give it."
    program = Program(code, *words, **how)
    out, err = program.communicate(timeout)
    return subprocess.CompletedProcess(words, program.exitcode, out, err)

def start(
    command:str, # `train`, `eval`, `goal capture` ...
    *words, # Its command line
    said:Path|None, # The file that gets what it says; None closes its streams
    room:int=0, # Bytes a file may have; 0 is no limit
    **env:str, # Added to its environment
):
    "A command in a process of its own, which may be killed."
    return Process(_run, command, words, said, room, env)

def port():
    "A port that is free now."
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return str(s.getsockname()[1])

def group(size, command, *words, said):
    "A command in `size` processes that find each other, as `torchrun` would start them; `said.0`, `said.1` ... is what they say."
    env = dict(WORLD_SIZE=str(size), MASTER_ADDR='127.0.0.1', MASTER_PORT=port(), TQDM_DISABLE='1') # no word that depends on time
    return [start(command, *words, said=said.with_suffix(f'.{r}'), RANK=str(r), LOCAL_RANK=str(r), **env) for r in range(size)]

def finish(command, *words, said, room=0):
    "Wait for a command to end; its exit status and what it said."
    process = start(command, *words, said=said, room=room)
    process.join(600)
    if process.is_alive(): process.kill()
    return process.exitcode, Path(said).read_text()

def content(at):
    "Every file in a folder but the locks."
    return {str(p.relative_to(at)): p.read_bytes() for p in at.rglob('*') if p.is_file() and p.name != '.lock'}
