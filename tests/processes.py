"""Commands as whole processes, quick to start: each is forked from one that has imported everything and done nothing yet."""
import multiprocessing, os, resource, signal, socket, sys, threading
from pathlib import Path

FORK = multiprocessing.get_context('forkserver')
FORK.set_forkserver_preload(['torch._dynamo', 'matplotlib.pyplot', 'gbxnb.__main__', 'gbxnb.games.demo'])

def _run(command, words, said, room, env):
    "What the new process does: `room` is the longest file it may write once it has a log, as if the disk were full beyond."
    os.environ |= env
    if said is None:
        os.closerange(0, 3)
        sys.stdin = sys.stdout = sys.stderr = None # as they are in a process that is started so
    else:
        out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in 1, 2: os.dup2(out, stream)
    if room: sys.addaudithook(fill(room))
    from tqdm import tqdm
    from gbxnb.__main__ import find_command
    tqdm.set_lock(threading.RLock()) # the usual one is shared among processes, and left behind by a killed one
    sys.argv = [command]
    find_command(command)([str(w) for w in words])

def fill(room):
    "From the opening of a log on, no file gets longer than `room` bytes: what a program loads from copies of its own is loaded by then."
    def watch(event, args):
        if event == 'open' and str(args[0]).endswith('train_log.jsonl'):
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    return watch

def start(
    command:str, # `train`, `eval`, `goal capture` ...
    *words, # Its command line
    said:Path|None, # The file that gets what it says; None closes its streams
    room:int=0, # Bytes a file may have; 0 is no limit
    **env:str, # Added to its environment
):
    "A command in a process of its own, which may be killed."
    process = FORK.Process(target=_run, args=(command, words, said, room, env))
    process.start()
    return process

def group(size, command, *words, said):
    "A command in `size` processes that find each other, as `torchrun` would start them; `said.0`, `said.1` ... is what they say."
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        port = str(s.getsockname()[1])
    env = dict(WORLD_SIZE=str(size), MASTER_ADDR='127.0.0.1', MASTER_PORT=port)
    return [start(command, *words, said=said.with_suffix(f'.{r}'), RANK=str(r), LOCAL_RANK=str(r), **env) for r in range(size)]

def finish(command, *words, said, room=0):
    "Wait for a command to end; its exit status and what it said."
    process = start(command, *words, said=said, room=room)
    process.join(600)
    if process.is_alive(): kill(process)
    return process.exitcode, Path(said).read_text()

def kill(process):
    "End a process without warning."
    os.kill(process.pid, signal.SIGKILL)
    process.join()

def content(at):
    "Every file in a folder but the locks."
    return {str(p.relative_to(at)): p.read_bytes() for p in at.rglob('*') if p.is_file() and p.name != '.lock'}
