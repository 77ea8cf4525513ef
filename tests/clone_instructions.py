"""How many instructions does a copy of half of the consoles take? `python tests/clone_instructions.py --out FILE`

A process is stepped instruction by instruction (ptrace), on Linux and x86-64; many machines hide the counters of their processors.
What lies in no file is the kernels, compiled while the program runs; the rest is the host: Python, torch and the C library. An instruction
that repeats itself (`rep movs`) counts once. Traces are compiled before, and one thread does everything."""
import bisect, ctypes, os, signal
from fastcore.script import call_parse
from gbxnb.base.files import UserError
from gbxnb.base.progress import about, give_result

TRACEME, PEEKUSER, CONT, SINGLESTEP, RIP = 0, 3, 7, 9, 8*16

def _ptrace():
    f = ctypes.CDLL(None).ptrace
    f.argtypes, f.restype = [ctypes.c_long]*4, ctypes.c_long
    return f

def _code(pid):
    "Where executable memory begins and ends, in order, and whether a file is behind it."
    lines = [line.split() for line in open(f'/proc/{pid}/maps')]
    return sorted((*(int(x, 16) for x in f[0].split('-')), len(f) > 5) for f in lines if 'x' in f[1])

def counted(work, *args):
    "The instructions of each region of `work(mark, *args)`: it begins with a call of `mark`, and the next one ends it."
    ptrace, pid = _ptrace(), os.fork()
    if not pid:
        try:
            if not ptrace(TRACEME, 0, 0, 0): work(lambda: os.kill(os.getpid(), signal.SIGSTOP), *args)
        finally: os._exit(0)
    regions, code, last, sig, inside = [], [], 0, 0, False
    while True:
        _, status = os.waitpid(pid, 0)
        if not os.WIFSTOPPED(status): break
        if os.WSTOPSIG(status) == signal.SIGSTOP:
            inside, code, sig = not inside, _code(pid), 0
            if inside: regions.append(dict(kernels=0, host=0))
        elif not inside or os.WSTOPSIG(status) != signal.SIGTRAP: sig = os.WSTOPSIG(status) # the process's own
        elif (rip := ptrace(PEEKUSER, pid, RIP, 0)) != last:
            last, sig = rip, 0
            begin, end, filed = code[bisect.bisect(code, (rip, 2**63)) - 1]
            regions[-1]['host' if filed or not begin <= rip < end else 'kernels'] += 1
        ptrace(SINGLESTEP if inside else CONT, pid, 0, sig)
    if inside or not regions: raise UserError('no instruction was counted: ptrace is not allowed here, or the process ended')
    return regions

def play(mark, num_envs, stack_k):
    "Random steps of the bundled game; nothing, copies of half of the consoles, and a step are counted."
    os.environ['GBXNB_TRACES'] = 'wait'
    import torch
    from gbxnb.backends.warp import WarpBackend
    from gbxnb.envs.config import EnvConfig
    from gbxnb.envs.pixels import PixelsEnv
    from gbxnb.games import town as game
    from gbxnb.games.bundled import bundled_task
    torch.set_num_threads(1)
    consoles = WarpBackend(game.rom(), num_envs, 'cpu', threads=1)
    env = PixelsEnv(game.rom(), num_envs, EnvConfig(stack_k=stack_k), bundled_task().start, backend=consoles)
    actions = torch.randint(0, 7, (14, num_envs), generator=torch.Generator().manual_seed(0))
    source, half = torch.arange(num_envs), num_envs//2
    source[:half] = torch.arange(half, 2*half)
    env.reset(seed=0)
    for t, a in enumerate(actions[:-1]): env.step(a, source if t == 4 else None)
    for region in (lambda: None), (lambda: env.clone(source)), (lambda: env.step(actions[-1])):
        mark()
        region()
        mark()

def case(num_envs, stack_k):
    "The counts of one size, less those of counting."
    nothing, *found = counted(play, num_envs, stack_k)
    clone, step = ({k: n - nothing[k] for k, n in x.items()} for x in found)
    return dict(num_envs=num_envs, copied=num_envs//2, stack_k=stack_k, clone=clone, step=step)

@call_parse
def main(
    sizes:str='2,4', # Numbers of environments
    stacks:str='1,4', # Pictures in a stack
    out:str='', # A file for the result
):
    "Count the instructions of copies and of steps, and keep them."
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}) # two processes that take turns
    rows = [case(int(n), int(k)) for k in stacks.split(',') for n in sizes.split(',')]
    how = 'instructions of one thread, single-stepped; steps of 24 frames of the bundled game by random keys, traces compiled before'
    give_result(dict(counted=how) | about('cpu') | dict(rows=rows), out)
