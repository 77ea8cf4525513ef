"""What does each command leave behind? `python tests/survive.py --out survive.json`

Every command is started as a process of its own, in a fresh folder that holds an earlier result of it and files of somebody else, beside
that result and in it. It is disturbed in every way of a table. What it left is looked at file by file. Unless all is as before, or done,
the same words are then said again without a disturbance (a training is resumed), and the end is compared with that of a command which
was left alone. Exit status 1 if anything was lost, half a file bears a name, a traceback was printed, a process that could clean up did
not, or work could not go on."""
import argparse, configparser, io, json, os, random, re, shlex, shutil, signal, subprocess, sys, tempfile, time, zipfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
import kills, processes
from processes import content

ROOT, UID, PAGE = Path(__file__).resolve().parent.parent, 54321, 4096

# The commands

@dataclass(frozen=True)
class Command:
    "One command; `@` is the folder it works in."
    words: str # Its command line
    result: str # Where its result goes
    clears: bool=False # Whether an earlier result is removed when the work begins, as its help says
    resume: str='' # What is said after a disturbance, once there is a checkpoint

SIZE = '--num-envs=4 --rollout-steps=8 --minibatches=2 --model=small town/house --device=cpu'
RUN = f'gbxnb train {SIZE} --max-steps=6 --eval-episodes=0 --save-every=2'
ON = 'gbxnb train --resume --device=cpu --eval-episodes=0 --save-every=2 --steps=320'
CAPTURE = 'gbxnb goal capture @/game.gb --tau=.003 --out=@/goal --script=@/'
FILM = 'gbxnb film @/run --num-envs=2 --scale=1 --device=cpu'
EXPLORE = 'gbxnb explore @/game.gb --places=2 --shorten-steps=128 --save-every=1024 --device=cpu --num-envs=16 --steps=2048'
COMMANDS = dict(
    train=Command(f'{RUN} --steps=320 --out=@/new', 'new', resume=f'{ON} --out=@/new'),
    resume=Command(f'{ON} --out=@/run', 'run'),
    demo=Command(f'gbxnb demo {SIZE} --steps=64 --episodes=2 --out=@/demo', 'demo', clears=True),
    capture=Command(f'{CAPTURE}walk.json', 'goal'),
    film=Command(f'{FILM} --steps=20 --out=@/film', 'film'),
    plot=Command('gbxnb log plot @/run --out=@/p.png', 'p.png'),
    eval=Command('gbxnb eval @/run --episodes=4 --device=cpu --out=@/eval.json', 'eval.json'),
    export=Command('gbxnb export @/run --episodes=4 --device=cpu --out=@/policy', 'policy'),
    propose=Command('gbxnb goal propose @/game.gb --count=2 --num-envs=8 --rollout-steps=64 --out=@/goals', 'goals'),
    explore=Command(f'{EXPLORE} --out=@/atlas', 'atlas', resume=f'{EXPLORE} --resume --out=@/atlas'),
    score=Command('gbxnb score @/arcade.gb --steps=50 --out=@/found', 'found'),
    smoke=Command(f'gbxnb smoke {SIZE.replace("town/house ", "")} --steps=320 --episodes=2 --out=@/smoke.json', 'smoke.json'))
EARLIER = [f'{RUN} --steps=64 --out=@/run', COMMANDS['demo'].words.replace('--steps=64', '--steps=32'), f'{CAPTURE}short.json',
           f'{FILM} --steps=3 --out=@/film']
TELL = 'manifest.json', 'train.png' # These also show that there was a disturbance
FOREIGN = ['mine.txt', 'run/mine.txt', 'run/.part-mine.txt', 'demo/mine.txt', 'goal/mine.txt', 'film/.gbxnb-mine']

def run_forked(words, said, stdout, cwd):
    "A command in a process that was forked from one that has imported everything: quick to start."
    from gbxnb.__main__ import main
    out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream, file in (1, os.open(stdout, os.O_WRONLY) if stdout else out), (2, out): os.dup2(file, stream)
    os.chdir(cwd)
    sys.argv = [str(w) for w in words]
    main()

class Forked:
    "Such a process, as `subprocess` would show it."
    def __init__(self, *args):
        self.process = processes.Process(run_forked, *args)
        self.pid = self.process.pid

    def wait(self, timeout):
        self.process.join(timeout)
        if self.process.is_alive(): raise subprocess.TimeoutExpired('it', timeout)
        return self.process.exitcode

def write_scripts(folder):
    "The console scripts of settings.ini, as an installer would write them."
    settings = configparser.ConfigParser()
    settings.read(ROOT/'settings.ini')
    folder.mkdir()
    for name, entry in (line.strip().split('=') for line in settings['DEFAULT']['console_scripts'].splitlines()):
        module, function = entry.split(':')
        (folder/name).write_text(f'#!{sys.executable}\nimport sys\nfrom {module} import {function}\nsys.exit({function}())\n')
        (folder/name).chmod(0o755)

def by_role(files):
    "Files by name, those of a checkpoint by what they are: which of its two places it is in tells only how many there were."
    found = dict(files)
    for name in [n for n in files if Path(n).name == 'checkpoint.json']:
        for role, f in json.loads(files[name])['files'].items():
            found[str(Path(name).with_name(role))] = found.pop(str(Path(name).with_name(f['name'])), None)
    return found

def line(at, words): return [w.replace('@', str(at)) for w in words.split()]

def make_template(at, bench):
    "A folder in which all commands find what they need, an earlier result of their own, and somebody's files."
    from gbxnb.games import bundled as game
    at.mkdir()
    (at/'game.gb').write_bytes(game.rom())
    (at/'arcade.gb').write_bytes(game.arcade_rom())
    for name, actions in dict(walk=['UP', *['RIGHT']*3, 'UP', 'A'], short=['UP', 'RIGHT']).items():
        (at/f'{name}.json').write_text(json.dumps(dict(buttons=[['', 60], ['START', 8], ['', 60]], actions=actions)))
    for words in EARLIER: bench.finish(at, words)
    for name in 'p.png', 'eval.json': (at/name).write_text('"old"')
    for name in FOREIGN: (at/name).write_text('mine')

# The disturbances

@dataclass(frozen=True)
class Disturbance:
    "One way to disturb a command."
    what: str # As the table calls it
    statuses: tuple # Good ends
    tries: int=1
    number: int=0 # A signal, sent at a random moment
    wrap: str='' # Words before the command: `sh -c` and the like
    env: dict=field(default_factory=dict) # None removes a variable
    room: tuple=() # Share of what the command writes that the disk still holds, try by try; -1 is a folder that is read-only
    stdout: str='' # A file that is its standard output; `|` is a pipe that nobody reads
    names: tuple=('work',) # Of the folder it works in, try by try
    uid: int=0 # Of the process
    owner: int=0 # Of the folder
    only: tuple=tuple(COMMANDS)
    strike: str='' # `rank`: a process of a group is killed
    early: bool=False # Whether a signal comes while the command is imported

    @property
    def forked(self): return not (self.wrap or self.env or self.uid or self.early or self.stdout == '|')

def shell(redirect): return f"""sh -c 'exec "$0" "$@" {redirect}'"""

ODD = ("""it's "a" $HOME; rm *\ntwo lines, ünï☃🎮\udcff""", '-rf')
FOUR = 'train', 'capture', 'film', 'plot' # The others begin and print as these do
DISTURBANCES = dict(
    sigterm=Disturbance('SIGTERM', (143, -15, 0), tries=2, number=signal.SIGTERM),
    sigint=Disturbance('SIGINT', (130, -2, 0), tries=2, number=signal.SIGINT),
    early=Disturbance('SIGINT at once', (130, -2, 0), number=signal.SIGINT, early=True, only=FOUR),
    sigkill=Disturbance('kill -9', (-9, 0), tries=4, number=signal.SIGKILL),
    full=Disturbance('full disk', (1, 0), tries=2, room=(0, .5)),
    readonly=Disturbance('read-only folder', (1,), room=(-1,)),
    stranger=Disturbance("another user's folder", (1,), uid=UID, env=dict(HOME='/')),
    user=Disturbance('a user without a name', (0,), uid=UID, owner=UID, env=dict(HOME='/'), only=FOUR),
    homeless=Disturbance('no HOME', (0,), env=dict(HOME=None), only=FOUR),
    nowhere=Disturbance('HOME that cannot be', (0,), env=dict(HOME='/dev/null/home'), only=FOUR),
    stdin=Disturbance('closed stdin', (0,), wrap=shell('<&-'), only=FOUR),
    stdout=Disturbance('closed stdout', (0,), wrap=shell('>&-'), only=FOUR),
    streams=Disturbance('all streams closed', (0,), wrap=shell('<&- >&- 2>&-')),
    pipe=Disturbance('a reader that left', (0, 141), stdout='|', only=FOUR),
    printed=Disturbance('no room for what it prints', (1,), stdout='/dev/full'),
    names=Disturbance('odd names', (0,), tries=len(ODD), names=ODD),
    core=Disturbance('one core', (0,), wrap='taskset -c 0', only=FOUR),
    rank=Disturbance('torchrun, a rank is killed', (1,), wrap='torchrun --nproc-per-node=2 --no-python', only=('train',), strike='rank'))

# A try

@contextmanager
def limited(at, share, need):
    "A small file system at `at`: nearly full, or read-only; lifted by calling what is returned."
    used = os.statvfs(at)
    used = (used.f_blocks - used.f_bfree)*used.f_frsize
    def mount(options): subprocess.run(['mount', '-o', f'remount,{options}', str(at)], check=True)
    mount('ro' if share < 0 else f'size={used + int(share*need/PAGE)*PAGE or PAGE}')
    yield lambda: mount('rw,size=1g')

@dataclass
class Bench:
    "Where tries are made."
    root: Path # A folder for all of them
    alone: dict=field(default_factory=dict) # By command and wrapping: what it leaves when it is left alone

    def wrapping(self, d):
        "Words before a command."
        words = shlex.split(d.wrap)
        if words and words[0] == 'torchrun': words[0] = str(Path(sys.executable).parent/'torchrun')
        return [*(other_user(self.root) if d.uid else ()), *words]

    def start(self, at, words, d=Disturbance('', ())):
        "Start a command; its output goes to a file outside of the folder it works in."
        env = {k: v for k, v in (os.environ | d.env).items() if v is not None}
        said, name, *words = self.root/f'said-{at.parent.name}', *line(at, words)
        cwd, there = (at.parent, at.name) if at.name.startswith('-') else (self.root, str(at))
        words = [w.replace(str(at), there if w.startswith('-') else os.path.join('.', there)) for w in words] # only an option may begin so
        if d.forked: return Forked([name, *words], said, d.stdout, cwd), said
        out = open(said, 'wb')
        stdout = subprocess.PIPE if d.stdout else out
        process = subprocess.Popen([*self.wrapping(d), str(self.root/'bin'/name), *words], env=env, cwd=cwd, stdin=subprocess.DEVNULL,
                                   stdout=stdout, stderr=out)
        if d.stdout == '|': process.stdout.close()
        return process, said

    def finish(self, at, words, d=Disturbance('', ())):
        "Let a command come to its end; it must be a good one."
        process, said = self.start(at, words, d)
        assert process.wait(600) == 0, said.read_text()

    def undisturbed(self, name, d):
        "What a command leaves when it is left alone, twice: the files, which of them are the same both times, and how long it took."
        words, found = COMMANDS[name].words, []
        for _ in range(2):
            with self.folder(Disturbance('', ()), 0, 0) as (at, _):
                begin = time.monotonic()
                self.finish(at, words, Disturbance('', (), wrap=d.wrap if d.strike else ''))
                found.append((by_role(content(at)), time.monotonic() - begin))
        (one, _), (two, took) = found
        return one, {k for k in one if two.get(k) == one[k] and not k.endswith(TELL)}, took

    @contextmanager
    def folder(self, d, k, need):
        "A fresh copy of the template for try `k`, and what lifts the limits of its disk."
        with ExitStack() as stack:
            above = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=self.root)))
            at = above/d.names[k % len(d.names)]
            at.mkdir()
            above.chmod(0o755)
            lift = lambda: None
            if d.room:
                subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=1g', 'tmpfs', str(at)], check=True)
                stack.callback(subprocess.run, ['umount', '-l', str(at)], check=True)
            shutil.copytree(self.root/'template', at, copy_function=shutil.copy2, dirs_exist_ok=True)
            for p in (at, *at.rglob('*')) if d.owner else (): os.chown(p, d.owner, d.owner)
            if d.room: lift = stack.enter_context(limited(at, d.room[k % len(d.room)], need))
            yield at, lift

def other_user(root):
    "Become a user without a name, where the folders on the way to this Python are open to all, in what this process sees of the disk."
    drop, python = ['setpriv', f'--reuid={UID}', f'--regid={UID}', '--clear-groups'], Path(sys.base_prefix).resolve()
    closed = next((p for p in reversed(python.parents) if not p.stat().st_mode & 1), None)
    if closed is None: return drop
    keep, aside = closed/python.relative_to(closed).parts[0], root/'aside'
    script = ('mount --bind "$0" "$2" && mount -t tmpfs -o mode=755 tmpfs "$1" && mkdir "$0" && mount --move "$2" "$0" && '
              'shift 2 && exec "$@"')
    return ['unshare', '-m', 'sh', '-c', script, str(keep), str(closed), str(aside), *drop]


def is_part(name): return Path(name).name.startswith(('.part-', '.gbxnb-')) and name not in FOREIGN

def whole(name, data):
    "Can a file be read to its end?"
    from gbxnb.base.files import parse_npy, parse_npz
    from PIL import Image
    from safetensors.numpy import load
    def picture(data):
        with Image.open(io.BytesIO(data)) as im:
            for k in range(getattr(im, 'n_frames', 1)): im.seek(k); im.load()
    def lines(data): return data.endswith(b'\n') and [json.loads(s) for s in data.splitlines()]
    def arrays(data): return parse_npz(data, {n[:-4]: 1 << 30 for n in zipfile.ZipFile(io.BytesIO(data)).namelist()}, name)
    kinds = {'.json': json.loads, '.jsonl': lines, '.png': picture, '.gif': picture, '.npz': arrays, '.safetensors': load,
             '.npy': lambda data: parse_npy(data, name)}
    try: return kinds.get(Path(name).suffix, len)(data) is not False
    except Exception: return False

def verdict(name, data, before, after):
    "What became of a file."
    if name in FOREIGN: return 'theirs' if data == b'mine' else 'theirs, changed'
    if is_part(name): return 'part'
    if data is None: return 'gone'
    if data == before.get(name): return 'old'
    return 'new' if data == after.get(name) or whole(name, data) else 'half'

def in_charge(pid):
    "Has a process come so far that the package catches its signals? Before that Python has its own words for Ctrl-C."
    try: facts = Path(f'/proc/{pid}/status').read_text()
    except OSError: return True # it has ended
    return 'State:\tZ' in facts or int(facts.split('SigCgt:')[1].split()[0], 16) >> signal.SIGTERM - 1 & 1

def strike(process, at, d, took, rng):
    "Disturb a process that runs; when, in shares of the time it takes alone."
    if d.number:
        while d.number != signal.SIGKILL and not in_charge(process.pid): time.sleep(.002)
        try: process.wait(rng.uniform(0, 1) if d.early else rng.uniform(0, took))
        except subprocess.TimeoutExpired: os.kill(process.pid, d.number)
    if d.strike:
        while kills.told(at/'new') < 4 and process.poll() is None: time.sleep(.005)
        ranks = Path(f'/proc/{process.pid}/task/{process.pid}/children').read_text().split()
        os.kill(int(ranks[-1]), signal.SIGKILL)

def last_words(said, at, bench):
    "The last line, without the names of this machine."
    text = said.read_text(errors='replace') if said.exists() else '' # it was killed before
    for place, name in {str(at): '...', at.name: '...', at.parent.name: '...', str(bench.root): '...', str(Path.home()): '~'}.items():
        text = text.replace(place, name).replace(' '.join(place.split()), name)
    lines = text.strip().splitlines()
    return text, next((s for s in reversed(lines) if ': error: ' in s), lines[-1] if lines else '')[:300]

def attempt(bench, name, d, k, rng):
    "Disturb one command once, and say what it left; then let it go on."
    c, (after, stable, took) = COMMANDS[name], bench.alone[name, d.strike]
    before = content(bench.root/'template')
    there = by_role(before)
    need = sum(len(v) for n, v in after.items() if there.get(n) != v)
    with bench.folder(d, k, need) as (at, lift):
        process, said = bench.start(at, c.words, d)
        strike(process, at, d, took, rng)
        status = process.wait(600)
        text, last = last_words(said, at, bench)
        left = content(at)
        end = by_role(left)
        fate = {n: verdict(n, left.get(n), before, after) for n in before.keys() | left.keys()}
        lift()
        ready = c.resume and any((at/c.result/name).exists() for name in ('checkpoint.json', 'exploration.npz'))
        calm = Disturbance('', (), uid=d.uid if d.owner else 0, env=d.env if d.owner else {}, wrap=d.wrap if d.strike else '')
        again, more, last_again = 0, '', ''
        if left != before and any(end.get(n) != after[n] for n in stable):
            process, said = bench.start(at, c.resume if ready else c.words, calm)
            again, (more, last_again) = process.wait(600), last_words(said, at, bench)
            end = by_role(content(at))
        if left == before: end = after
    wrong = [f'{n}: {fate[n]}' for n in fate if fate[n] in ('half', 'theirs, changed')]
    wrong += [f'{n}: left behind' for n in fate if fate[n] == 'part' and d.number != signal.SIGKILL]
    wrong += [f'{n}: lost' for n in fate if fate[n] == 'gone' and not n.startswith(c.result if c.clears else f'{c.result}/policy-')
              and not n.startswith(f'{c.result}/state-')]
    wrong += [f'status {status}: {last}']*(status not in d.statuses)
    wrong += ['traceback']*bool(re.search(r'File ".*gbxnb', text + more)) # torchrun has its own
    wrong += [f'again: status {again}: {last_again}']*(again != 0)
    wrong += [f'{n}: ends differently' for n in sorted(stable) if not again and end.get(n) != after[n]]
    wrong += [f'{n}: not theirs any more' for n in FOREIGN if end.get(n) != b'mine']
    return dict(status=status, said=last, left=Counter(v for v in fate.values()), again=again, findings=wrong,
                litter=sum(map(is_part, end)))

def untried(d, bench):
    "Why a disturbance cannot be tried here; empty if it can."
    if (d.room or d.uid) and os.geteuid(): return 'needs root, to mount a small disk or to become another user'
    words = [*bench.wrapping(d), sys.executable, '-c', 'import gbxnb.base.command']
    tried = subprocess.run(words, capture_output=True, text=True, cwd=bench.root) if d.uid else None
    return f'no other user can start this Python ({tried.stderr.strip()[-200:]})' if tried and tried.returncode else ''

def survey(bench, key, name, seed):
    "All tries of a disturbance with a command, as one row."
    d, rng = DISTURBANCES[key], random.Random(f'{seed} {key} {name}')
    tries = [attempt(bench, name, d, k, rng) for k in range(d.tries)]
    row = dict(disturbance=d.what, command=name, tries=d.tries, statuses=dict(Counter(str(t['status']) for t in tries)),
               said=sorted({t['said'] for t in tries}), left=dict(sum((t['left'] for t in tries), Counter())),
               parts_after_again=sum(t['litter'] for t in tries), went_on=sum(not t['again'] for t in tries),
               findings=sorted({f for t in tries for f in t['findings']}))
    print(f"{'FINDING' if row['findings'] else 'ok':8}{d.what}, {name}: {row['statuses']} {row['left']}", *row['findings'],
          sep='\n        ', file=sys.stderr, flush=True)
    return row

def many_kills(folder, count, seed):
    "A whole training that is killed again and again, half of the times while it saves."
    folder.mkdir()
    return kills.kill_and_compare(folder, kills.some_aims(count, seed), seed)

def run_all(commands, disturbances, kills_, seed, jobs):
    "Every disturbance of every command."
    signal.signal(signal.SIGINT, signal.default_int_handler) # a process in the background is started deaf to it, and so are its children
    os.environ['OMP_NUM_THREADS'] = '1' # weights depend on the number of torch's threads, which a core, or torchrun, may change
    os.environ['GBXNB_TRACES'] = 'off' # words that a step leaves behind depend on whether a trace took it
    processes.open_nest() # before there are threads
    with tempfile.TemporaryDirectory(prefix='survive-') as root, ThreadPoolExecutor(jobs) as pool:
        bench = Bench(Path(root))
        bench.root.chmod(0o755)
        (bench.root/'aside').mkdir()
        write_scripts(bench.root/'bin')
        make_template(bench.root/'template', bench)
        pairs = [(k, c) for k in disturbances for c in commands if c in DISTURBANCES[k].only]
        kinds = sorted({(c, DISTURBANCES[k].strike): k for k, c in pairs}.items())
        bench.alone = dict(zip([pair for pair, _ in kinds], pool.map(lambda x: bench.undisturbed(x[0][0], DISTURBANCES[x[1]]), kinds)))
        reasons = {k: why for k in disturbances if (why := untried(DISTURBANCES[k], bench))}
        killed = pool.submit(many_kills, bench.root/'kills', kills_, seed) if kills_ else None
        rows = pool.map(lambda pair: survey(bench, *pair, seed), [p for p in pairs if p[0] not in reasons])
        return dict(not_tried={DISTURBANCES[k].what: why for k, why in reasons.items()}, rows=list(rows), kills=killed and killed.result())

if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--only', default='', help=f'commands, with commas between: {", ".join(COMMANDS)}')
    parser.add_argument('--by', default='', help=f'disturbances: {", ".join(DISTURBANCES)}')
    parser.add_argument('--kills', type=int, default=30, help='of a whole training, aimed at its checkpoints; 0 is none')
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--jobs', type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument('--out', type=Path)
    args = parser.parse_args()
    from gbxnb.base.files import write_atomic
    chosen = {k: getattr(args, k).split(',') if getattr(args, k) else list(all_) for k, all_ in (('only', COMMANDS), ('by', DISTURBANCES))}
    result = dict(protocol=' '.join(__doc__.split('\n\n')[1].split()), words={k: COMMANDS[k].words for k in chosen['only']},
                  **run_all(chosen['only'], chosen['by'], args.kills, args.seed, args.jobs))
    rows, killed = result['rows'], result['kills']
    if args.out: write_atomic(args.out, json.dumps(result, indent=1, ensure_ascii=False) + '\n')
    findings = [f"{r['disturbance']}, {r['command']}: {f}" for r in rows for f in r['findings']]
    if killed and killed['policy_sha256']['whole'] != killed['policy_sha256']['killed']: findings.append('resumed: another policy')
    print(*findings, f'{len(rows)} rows, {sum(r["tries"] for r in rows)} tries, {len(findings)} findings', sep='\n')
    sys.exit(bool(findings))
