"""Atlases in which something is changed: what `atlas.json` says, the files of places, whole places, manifests, the exploration behind it,
or what lies where the next place would be.

An atlas is read, drawn and played no larger than its places need, or it is refused in a line. `explore --resume` makes it anew, or says in
a line why not and has changed nothing; what no manifest names stays as it is."""
import contextlib, json, random, shutil, tempfile
from pathlib import Path
import torch
from damage import VALUES, change_bytes, change_json, odd_value, other_file
from gbxnb.games.probe import probe_rom
from gbxnb.base.command import call
from gbxnb.envs.task import Task, make_task
from gbxnb.explore.atlas import ATLAS, Atlas
from gbxnb.explore.explore import EXPLORATION, explore_cli
from gbxnb.explore.atlas import COLUMN, ROW
from gbxnb.base.files import MANIFEST, UserError
from gbxnb.envs.task import GameBoyConfig
from gbxnb.worlds.gameboy import make_gameboy
from watched import one_line, ours, room, tree, watching

COUNT, ROOM = 2500, 6 << 30 # an explorer as a person has it reserves 4 GB, of which it writes little
PLACES = 4
WORDS = dict(steps=512, places=PLACES, shorten_steps=64, device='cpu')
NUMBERS = (150, 1000, 4096, 4097, 1e300, -1, -0., .5, 1e-300, 2**31, 2**53, 2**64, 10**400, True, None, float('nan'), float('inf'), '1')
NAMES = ('1', '3/start.npz', '5/start.npz', '6/script.json', 'notes.txt', '../theirs/notes.txt', '1/manifest.json', '', '.', 'a\0b',
         '\ud800', 'x'*400, 5, None)

# mutations

def edit(path, how):
    "Let `how` give another value for what a JSON file says."
    path.write_text(json.dumps(how(json.loads(path.read_text()))))

def other_tree(rng, rows):
    "Places with other parents and positions."
    for row in rows[1:]: row['parent'] = rng.choice((0, row['number'] - 1, rng.randrange(len(rows)), row['number']))
    x, y = rng.choice(NUMBERS), rng.choice(NUMBERS)
    for row in rows if rng.random() < .5 else [rows[-1]]: row.update(x=x, y=rng.choice((0, y)))

def spoil_map(rng, out, task):
    "Other words of the atlas: any value, numbers that cannot be, trees that cannot be, lists without end."
    def how(v):
        rows, coverage = v['places'], v['coverage']
        match rng.randrange(8):
            case 0: return change_json(rng, v)
            case 1: return odd_value(rng, v)
            case 2 | 3: rng.choice(rows)[rng.choice(('x', 'y', 'parent', 'since', 'born', 'number'))] = rng.choice(NUMBERS)
            case 4: other_tree(rng, rows)
            case 5: v['facts'][rng.choice([*v['facts']])] = rng.choice(NUMBERS + VALUES)
            case 6: v['coverage'] = rng.choice((coverage[:99]*rng.choice((0, 2, 3000)), coverage[::-1], [[rng.choice(NUMBERS)]*3]))
            case 7: v['places'] = [row | dict(number=k) for k, row in enumerate(rows[:99]*rng.choice((2, 400, 2000)))]
        return v
    edit(out/ATLAS, how)

def some_file(rng, out): return rng.choice(sorted(p for p in out.rglob('*') if p.is_file() and p.name != 'notes.txt'))

def spoil_bytes(rng, out, task):
    "Other bytes in any file."
    path = some_file(rng, out)
    path.write_bytes(change_bytes(rng, path.read_bytes()) if rng.random() < .9 else rng.choice((b'', b'['*10**6, b'\0'*9999)))

def spoil_file(rng, out, task):
    "Something else in the place of a file, or two files exchanged."
    path, other = some_file(rng, out), some_file(rng, out)
    if rng.random() < .5: return other_file(rng, path, out.parent/'theirs/notes.txt')
    data = path.read_bytes(), other.read_bytes()
    other.write_bytes(data[0])
    if rng.random() < .7: path.write_bytes(data[1])

def lay(path, files):
    "Write files without waiting for the disk."
    for name, data in files.items():
        (path/name).parent.mkdir(parents=True, exist_ok=True)
        (path/name).write_bytes(data)

def put(rng, path, task):
    "Put what is no place of this atlas where one would be."
    theirs = path.parents[1]/'theirs'
    match rng.randrange(8):
        case 0: lay(path, task)
        case 1: (path/'inner').mkdir(parents=True)
        case 2: path.write_text('mine')
        case 3: path.symlink_to(theirs/'place')
        case 4: path.symlink_to(theirs)
        case 5: path.symlink_to(rng.choice((path, path.parent, 'gone', '1', '2', '/dev')))
        case 6:
            lay(path, task | {'notes.txt': b'mine'})
        case 7:
            path.mkdir()
            (path/MANIFEST).write_text(json.dumps(dict(schema='gbxnb-folder-1', kind='task', files=['notes.txt'])))
            (path/'notes.txt').write_text('mine')

def spoil_place(rng, out, task):
    "Something else where a place was, or two places exchanged."
    a, b = (out/str(rng.randrange(PLACES + 1)) for _ in range(2))
    if rng.random() < .2 and a != b:
        a.rename(out/'x')
        b.rename(a)
        (out/'x').rename(b)
        return
    shutil.rmtree(a)
    if rng.random() < .8: put(rng, a, task)

def spoil_next(rng, out, task):
    "Something where places of a larger atlas would be."
    for k in range(PLACES + 1, PLACES + rng.choice((2, 3, 4))): put(rng, out/str(k), task)

def spoil_manifest(rng, out, task):
    "Other names of what is ours."
    def how(m):
        r = rng.random()
        if r < .5 and m['files']: m['files'].remove(rng.choice(m['files']))
        if .3 < r < .8: m['files'].append(rng.choice(NAMES))
        return m if r < .8 else change_json(rng, m)
    edit(rng.choice([out, *(out/str(k) for k in range(PLACES + 1))])/MANIFEST, how)

def spoil_exploration(rng, out, task):
    path = out/EXPLORATION
    path.write_bytes(change_bytes(rng, path.read_bytes()))

READ = [spoil_map]*4 + [spoil_bytes, spoil_file, spoil_place, spoil_manifest]
ANEW = [spoil_next]*2 + [spoil_file, spoil_place, spoil_manifest, spoil_exploration]

# one try

def prepare():
    "A ROM, an atlas of it, and a task that is no place of it."
    where = tempfile.TemporaryDirectory(prefix='gbxnb-fuzz-')
    rom, out = Path(where.name)/'probe.gb', Path(where.name)/'atlas'
    rom.write_bytes(probe_rom())
    status, _, err = call(explore_cli, rom, out=out, num_envs=16, **WORDS)
    assert not status and len(Atlas.load(out)) == PLACES, err
    task = make_task(probe_rom(), [(0, 20), (8, 8), (0, 8)], [6, 6, 6], tau=.003).save(Path(where.name)/'task')
    return where, rom, *({k: v for k, v in tree(p).items() if isinstance(v, bytes)} for p in (out, task))

def look(rng, r, rom):
    "Read an atlas, draw it, and play one of its places."
    try:
        with watching(r.mine, r.reads):
            atlas = Atlas.load(r.mine)
            wide, high = atlas.picture().size
            n = len(atlas) + 2
            assert wide <= n*COLUMN and high <= n*ROW, f'a picture of {wide} x {high} for {n - 1} places'
            k = rng.randrange(1, n - 1)
            assert isinstance(atlas.task(k), Task)
            if rng.random() < .2:
                with make_gameboy(GameBoyConfig(task=str(r.mine/str(k)), rom=str(rom), max_steps=9), 1) as env:
                    env.reset(seed=1)
                    env.step(torch.full((1,), env.task.actions[0]))
    except UserError as e:
        one_line(e)
        return 'refused'
    return 'drawn'

def go_on(r, rom, good):
    "Make the atlas of an exploration anew."
    def named(k): return {f'mine/{k}/{name}' for name in (ours(r.mine/str(k)) if not (r.mine/str(k)).is_symlink() else set()) | {MANIFEST}}
    free = set().union(*map(named, range(PLACES + 1))) | {f'mine/{name}' for name in good if not (r.mine/name).exists()}
    status, _ = r.call(explore_cli, rom, out=r.mine, resume=True, folder='mine', free=free, **WORDS)
    if not status: Atlas.load(r.mine)
    return f'made anew: {status}'

def attempt(seed, shared)->str:
    _, rom, good, task = shared
    rng = random.Random(seed)
    with room() as r:
        r.reads = rom, r.theirs, '/dev/zero' # where links lead
        r.fill(good)
        (r.mine/'2/notes.txt').write_text('mine')
        lay(r.theirs/'place', task)
        again, sound = rng.random() < .12, seed % 50 == 0
        for spoil in [] if sound else rng.choices(ANEW if again else READ, k=rng.choice((1, 1, 1, 2))):
            with contextlib.suppress(Exception): spoil(rng, r.mine, task) # the one before it may have left nothing to spoil
        word = go_on(r, rom, good) if again else look(rng, r, rom)
    assert not sound or word in ('drawn', 'made anew: 0'), 'one that nobody has changed'
    return word
