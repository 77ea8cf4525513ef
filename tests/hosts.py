"""What does a run across hosts do when a process, a cable, a disk or a host fails? `python tests/hosts.py --out result.json`

Each host is a network namespace with an address, a name that nothing resolves, and a disk of its own that lies at the same path on all of
them; a bridge in one more namespace joins them. It needs root and iproute2. Training is started by `torchrun`, as on real hosts."""
import argparse, contextlib, functools, json, os, re, shutil, signal, subprocess, sys, tempfile, threading, time
from pathlib import Path
import kills
import numpy as np

BIN, ROOT = Path(sys.executable).parent, Path(__file__).resolve().parents[1]
PORT = '29511'
WORDS = ('--num-envs 12 --rollout-steps 8 --minibatches 2 --model small town/house --max-steps 7 --start-noops 3 --eval-episodes 0 '
         '--save-every 2 --lr 1e-3 --no-anneal-lr --grad-parts 12 --device cpu').split()
RESUME = '--resume --device cpu --eval-episodes 0 --save-every 2'.split()
BATCH = 96 # Steps of an update
SILENT, END = 120, 240 # Seconds: the longest silence, and the longest time in which a run that cannot go on must say so
ENTER = '''hostname "$1"; mount --bind "$2" "$3"; mount --bind "$4" /etc/hosts; mount --bind "$5" /etc/nsswitch.conf
cd "$3"; shift 5; exec "$@"'''

def lacking():
    "Why there can be no hosts here; empty if there can."
    if not hasattr(os, 'geteuid') or os.geteuid(): return 'network namespaces need root'
    if not shutil.which('ip') or not shutil.which('unshare'): return 'ip or unshare is missing'
    name = f'gbxnb-{os.getpid()}-tried'
    tried = subprocess.run(['ip', 'netns', 'add', name], capture_output=True, text=True)
    if not tried.returncode: ip('netns', 'del', name)
    return tried.stderr.strip()

def ip(*words): subprocess.run(['ip', *map(str, words)], check=True, capture_output=True, text=True)

def pids(space): return map(int, subprocess.run(['ip', 'netns', 'pids', space], capture_output=True, text=True).stdout.split())

def end(space):
    "Kill all that runs in a namespace, as if the power went."
    for pid in pids(space):
        with contextlib.suppress(ProcessLookupError): os.kill(pid, signal.SIGKILL)

def sweep():
    "Remove what a killed process left of its hosts."
    for space in re.findall(r'^gbxnb-\d+-\S+', subprocess.run(['ip', 'netns'], capture_output=True, text=True).stdout, re.M):
        if Path('/proc', space.split('-')[1]).exists(): continue
        end(space)
        ip('netns', 'del', space)

class Started:
    "A process on a host: each line it said, and when."
    def __init__(self, host, words, env, said):
        self.host, self.lines, self.began, self.ended = host, [], time.monotonic(), None
        where = [host.name, host.disk, host.hosts.shared, host.hosts.names, host.hosts.nsswitch]
        enter = ['ip', 'netns', 'exec', host.space, 'unshare', '-u', '-m', 'sh', '-ec', ENTER, 'sh', *where, *words]
        self.process = subprocess.Popen([*map(str, enter)], env=host.env | env, start_new_session=True, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.reader = threading.Thread(target=self._read, args=(said,), daemon=True)
        self.reader.start()

    def _read(self, said):
        with open(said, 'ab') as file:
            for line in self.process.stdout:
                self.lines.append((time.monotonic(), line.decode(errors='replace').rstrip()))
                file.write(line)
                file.flush()
        self.process.wait()
        self.ended = time.monotonic()

    def join(self, timeout):
        "Its exit status; None if it still runs after so many seconds."
        self.reader.join(timeout)
        return self.process.returncode if self.ended else None

    def text(self): return '\n'.join(line for _, line in self.lines)

    def gap(self, since, last):
        "The longest silence, in seconds, from a moment on; with `last`, until our line, behind which torchrun waits for other agents."
        said = [t for t, line in self.lines if OURS in line and t > since] if last else []
        until = said[-1] if said else max(since, self.ended or time.monotonic())
        times = [since, *(t for t, _ in self.lines if since < t < until), until]
        return max(b - a for a, b in zip(times, times[1:]))

    def workers(self):
        "The processes that an agent of torchrun started, by rank."
        found = {}
        for pid in pids(self.host.space):
            with contextlib.suppress(OSError):
                env = Path(f'/proc/{pid}/environ').read_bytes().decode(errors='replace')
                rank = re.search(r'\0RANK=(\d+)\0', f'\0{env}')
                if rank and os.getpgid(pid) == pid: found[int(rank[1])] = pid
        return found

class Host:
    "A namespace with an address, a name, and a disk that no other host sees."
    def __init__(self, hosts, number, disk):
        self.hosts, self.number, self.name = hosts, number, f'node-{number}.nowhere'
        self.space, self.address, self.link, self.started = f'{hosts.prefix}-{number}', f'10.77.0.{number + 1}', f'to{number}', []
        self.elsewhere = f'192.168.{100 + number}.1'
        self.disk, self.files = hosts.folder/f'disk{number}', hosts.folder/f'own{number}'
        self.env = os.environ | dict(PYTHONPATH=str(ROOT), OMP_NUM_THREADS='1', PYTHONUNBUFFERED='1', TMPDIR=str(self.files))
        self.env |= dict(TORCH_DISABLE_SHARE_RDZV_TCP_STORE='1') # without it no host that was started again gets in, torch 2.13
        for folder in self.disk, self.files: folder.mkdir()
        if disk:
            subprocess.run(['mount', '-t', 'tmpfs', '-o', f'size={disk}', 'disk', self.disk], check=True)
            hosts.undo.callback(subprocess.run, ['umount', '-l', self.disk])

    def plug(self, dead_end):
        "Join the network; a second card, if any, has an address and leads nowhere."
        ip('netns', 'add', self.space)
        self.hosts.undo.callback(subprocess.run, ['ip', 'netns', 'del', self.space])
        self.hosts.undo.callback(self.kill)
        ip('-n', self.hosts.switch, 'link', 'add', self.link, 'type', 'veth', 'peer', 'name', 'fast0', 'netns', self.space)
        ip('-n', self.hosts.switch, 'link', 'set', self.link, 'master', 'br0', 'up')
        ip('-n', self.space, 'addr', 'add', f'{self.address}/24', 'dev', 'fast0')
        for link in 'lo', 'fast0': ip('-n', self.space, 'link', 'set', link, 'up')
        if not dead_end: return
        ip('-n', self.space, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'other0')
        ip('-n', self.space, 'addr', 'add', f'{self.elsewhere}/24', 'dev', 'eth0')
        for link in 'eth0', 'other0': ip('-n', self.space, 'link', 'set', link, 'up')

    def start(self, words, env=None):
        "A process on this host, in its folder."
        self.started.append(Started(self, words, {k: str(v) for k, v in (env or {}).items()}, self.files/f'said{len(self.started)}.txt'))
        return self.started[-1]

    def down(self): ip('-n', self.hosts.switch, 'link', 'set', self.link, 'down')
    def up(self): ip('-n', self.hosts.switch, 'link', 'set', self.link, 'up')

    def kill(self):
        "Kill all that runs here, as if the power went."
        end(self.space)
        for s in self.started: s.join(10)

class Hosts(list):
    "Some hosts and the network between them, which are gone at the end whatever happens."
    def __init__(self, count, disks=None, dead_end=False, resolve=False):
        self.count, self.disks, self.dead_end, self.resolve = count, disks or {}, dead_end, resolve

    def __enter__(self):
        with contextlib.ExitStack() as self.undo:
            sweep()
            self.folder = Path(self.undo.enter_context(tempfile.TemporaryDirectory(prefix=f'gbxnb-{os.getpid()}-')))
            self.prefix, self.switch = self.folder.name, f'{self.folder.name}-switch'
            self.shared, self.names, self.nsswitch = (self.folder/n for n in ('run', 'hosts', 'nsswitch'))
            self.shared.mkdir()
            self.nsswitch.write_text('hosts: files\n')
            ip('netns', 'add', self.switch)
            self.undo.callback(subprocess.run, ['ip', 'netns', 'del', self.switch])
            ip('-n', self.switch, 'link', 'add', 'br0', 'type', 'bridge')
            ip('-n', self.switch, 'link', 'set', 'br0', 'up')
            for r in range(self.count): self.append(Host(self, r, self.disks.get(r)))
            known = [f'{h.elsewhere if self.dead_end else h.address} {h.name}\n' for h in self] if self.resolve else []
            self.names.write_text(''.join(['127.0.0.1 localhost\n', *known]))
            for h in self: h.plug(self.dead_end)
            self.undo = self.undo.pop_all()
        return self

    def __exit__(self, *_): self.undo.close()

def train(*words, updates): return [BIN/'gbxnb', 'train', '--out', 'shared', *words, '--steps', BATCH*updates]

def agent(host, hosts, how, each, restarts):
    "What `torchrun` is to be told on a host."
    words = [BIN/'torchrun', '--nnodes', len(hosts), '--nproc-per-node', each, '--max-restarts', restarts]
    first = hosts[0].address
    if how == 'static': words += ['--node-rank', host.number, '--master-addr', first, '--master-port', PORT]
    else:
        words += ['--rdzv-backend', 'c10d', '--rdzv-endpoint', f'{first}:{PORT}', '--rdzv-id', 'x', '--local-addr', host.address]
        words += ['--rdzv-conf', f'is_host={int(host.number == 0)},read_timeout=600'] # it cannot know by a name that nothing resolves
    return [*words, '--no-python']

def launch(hosts, how, *words, updates, each=1, restarts=0):
    "The same run on every host."
    return [h.start([*agent(h, hosts, how, each, restarts), *train(*words, updates=updates)]) for h in hosts]

def alone(*words, updates):
    "The weights of one process that nothing disturbs."
    with Hosts(1) as hosts:
        process = hosts[0].start(train(*words, updates=updates))
        assert process.join(300) == 0, process.text()
        return weights(hosts[0])

def weights(host):
    from gbxnb.runs.checkpoint import load_checkpoint
    return load_checkpoint(host.disk/'shared').policy

def update(host): return kills.update(host.disk/'shared')
def furthest(a, b): return max(float(np.abs(a[k] - b[k]).max()) for k in a)

def reached(process, n, timeout=120):
    "Wait until a run on the first host has logged so many updates."
    until = time.monotonic() + timeout
    while kills.told(process.host.disk/'shared') < n:
        if process.ended or time.monotonic() > until: raise AssertionError(f'update {n} was not reached:\n{process.text()}')
        time.sleep(.01)
    return time.monotonic()

OURS = 'gbxnb train: error:'

def ours(process): return [line for _, line in process.lines if OURS in line]

def seen(started, since, within, last=False):
    "How the processes of a run ended, counted from a moment on."
    out = []
    for p in started:
        status = p.join(max(0., since + within - time.monotonic()))
        lines = [line[:300] for t, line in p.lines if t >= since and line.strip()]
        seconds, silent = p.ended and round(p.ended - since, 1), round(p.gap(since, last), 1)
        out.append(dict(host=p.host.number, status=status, seconds=seconds, silent_s=silent,
                        ours=[line[:300] for line in ours(p)], last=lines[-1:]))
    return out

def wrong(hosts, found, like=None):
    "What is not as it must be: a run that goes on ends in the weights of `like`; one that cannot says so in one line of ours."
    for h in found:
        who = f'host {h["host"]}'
        if h['status'] is None and (like is not None or not h['ours']): yield f'{who} still ran'
        if h['silent_s'] > SILENT: yield f'{who} was silent for {h["silent_s"]} s'
        if like is None and h['status'] and len(h['ours']) > 1: yield f'{who} ended with {len(h["ours"])} lines of ours'
        if like is not None and h['status']: yield f'{who} ended with {h["status"]}'
    if like is None:
        if any(h['status'] for h in found) and not any(h['ours'] for h in found): yield 'nobody said why' # who is killed cannot
        return
    if update(hosts[0]) < 0: yield 'no checkpoint'
    elif far := furthest(weights(hosts[0]), like): yield f'weights differ by {far}'

def undisturbed(how, hosts, each, like):
    "Hosts that nothing disturbs learn what one process learns."
    with Hosts(hosts) as h:
        began = time.monotonic()
        found = seen(launch(h, how, *WORDS, updates=6, each=each), began, 300)
        made = [*wrong(h, found, like(6))]
        made += [f'host {x.number} has files of the run' for x in h[1:] if (x.disk/'shared').exists()]
        return dict(found=found, furthest=furthest(weights(h[0]), like(6)) if update(h[0]) >= 0 else None, wrong=made)

def strike(how, restarts, do, like, updates=60, **kind):
    "Do something to two hosts in the middle of their run, which goes on (`restarts`) or ends in one line."
    with Hosts(2, **kind) as hosts:
        started = launch(hosts, how, *WORDS, updates=updates, restarts=restarts)
        began = reached(started[0], 10)
        do(hosts, started)
        found = seen(started, began, 420 if restarts else END, last=not restarts)
        made = [*wrong(hosts, found, like(updates) if restarts else None)]
        return dict(found=found, update=update(hosts[0]), wrong=made)

def kill_rank(rank):
    def do(hosts, started): os.kill(started[rank].workers()[rank], signal.SIGKILL)
    return do

def unplug(number, seconds):
    def do(hosts, started):
        hosts[number].down()
        time.sleep(seconds)
        hosts[number].up()
    return do

def fill_disk(number):
    def do(hosts, started):
        with contextlib.suppress(OSError), open(hosts[number].disk/'filler', 'wb', buffering=0) as f:
            while f.write(b'x'*4096): pass
    return do

def power_cut(number):
    """A host dies and is started again a while later, with the same words. The first takes the others' agents with it, as torchrun is:
    then each is started again, and the run resumed."""
    def do(hosts, started):
        hosts[number].kill()
        time.sleep(5)
        for h in hosts[number:number + 1] if number else hosts:
            if not number: h.kill()
            words = WORDS if number else RESUME
            started[h.number] = h.start([*agent(h, hosts, 'c10d', 1, 3), *train(*words, updates=60)])
    return do

def wrong_name(by_torchrun):
    "One host is given a name that nothing resolves in place of the first host's address."
    with Hosts(2) as hosts:
        began, started = time.monotonic(), []
        for h in hosts:
            at = 'no-such-host' if h.number else hosts[0].address
            words = [BIN/'torchrun', '--nnodes', 2, '--node-rank', h.number, '--master-addr', at, '--master-port', PORT, '--no-python']
            env = dict(RANK=h.number, WORLD_SIZE=2, LOCAL_RANK=0, MASTER_ADDR=at, MASTER_PORT=PORT)
            run = train(*WORDS, updates=6)
            started.append(h.start([*words, *run]) if by_torchrun else h.start(run, env))
        found = seen(started, began, 420, last=not by_torchrun)
        return dict(found=found, wrong=[] if by_torchrun else [*wrong(hosts, found)]) # torchrun is not ours

def resumed(like):
    "Four processes on two hosts, then one, then two on two hosts: each goes on where the others ended."
    with Hosts(2) as hosts:
        found = []
        for team, each, updates, words in (hosts, 2, 2, WORDS), (hosts[:1], 1, 4, RESUME), (hosts, 1, 6, RESUME):
            began = time.monotonic()
            found += seen(launch(team, 'static', *words, updates=updates, each=each), began, 300)
        return dict(found=found, wrong=[*wrong(hosts, found, like(6))],
                    furthest=furthest(weights(hosts[0]), like(6)) if update(hosts[0]) >= 0 else None)

def two_cards(like):
    "Each host has a second card that leads nowhere, and its own name leads to that card."
    with Hosts(2, dead_end=True, resolve=True) as hosts:
        began = time.monotonic()
        found = seen(launch(hosts, 'static', *WORDS, updates=6), began, 300)
        return dict(found=found, wrong=[*wrong(hosts, found, like(6))])

def scenarios(like):
    "Name to what happens; `like` gives the weights of one process after so many updates."
    for how in 'static', 'c10d':
        for hosts, each in (2, 1), (3, 1), (2, 2): yield f'{how} {hosts}x{each}', lambda a=(how, hosts, each): undisturbed(*a, like)
        for restarts in 3, 0:
            said = f'{how} restarts {restarts}'
            for rank in 0, 1: yield f'{said} kill rank {rank}', lambda a=(how, restarts, kill_rank(rank)): strike(*a, like)
            yield f'{said} cable out for 60 s', lambda a=(how, restarts, unplug(1, 60)): strike(*a, like)
        yield f'{how} cable out for good', lambda a=(how, 0, lambda hosts, started: hosts[1].down()): strike(*a, like)
    yield 'disk of the first host full', lambda: strike('static', 0, fill_disk(0), like, disks={0: '8m', 1: '8m'})
    yield 'disk of the second host full', lambda: strike('static', 1, fill_disk(1), like, disks={0: '8m', 1: '8m'})
    for number in 0, 1: yield f'host {number} dies and comes back', lambda a=number: strike('c10d', 3, power_cut(a), like)
    yield 'wrong name of the first host', lambda: wrong_name(True)
    yield 'wrong name without torchrun', lambda: wrong_name(False)
    yield 'resumed by 4, 1 and 2', lambda: resumed(like)
    yield 'two cards', lambda: two_cards(like)

def every(only=''):
    "Each scenario whose name fits, with what was seen."
    like = functools.cache(lambda updates: alone(*WORDS, updates=updates))
    for name, play in scenarios(like):
        if not re.search(only, name): continue
        try: found = play()
        except AssertionError as e: found = dict(wrong=[str(e)[-2000:]])
        yield name, found

if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--only', default='', help='a regular expression for names of scenarios')
    parser.add_argument('--out', type=Path)
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if why := lacking(): sys.exit(why)
    from gbxnb.base.files import write_atomic
    from gbxnb.base.progress import versions
    result = dict(command='python tests/hosts.py', words=' '.join(WORDS), versions=versions('cpu'), scenarios={})
    for name, found in every(args.only):
        result['scenarios'][name] = found
        print(json.dumps({name: found}, indent=1), flush=True)
        if args.out: write_atomic(args.out, json.dumps(result, indent=1) + '\n')
    sys.exit(int(any(found['wrong'] for found in result['scenarios'].values())))
