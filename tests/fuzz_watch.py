"""Folders of tasks whose watch list was changed, exchanged, or made up, and what it names as its symbols.

The task is played with a list that holds what its file says, step by step the same pictures as without one, or it is refused in one line.
The folder stays as it is; nothing outside of it is read, and nothing that stands there is quoted."""
import contextlib, functools, json, os, random, tempfile
import torch
from damage import change_bytes, change_json
from fuzz_tasks import files
from gbxnb.runs.policy import make
from gbxnb.base.files import UserError
from gbxnb.games import bundled as game
from gbxnb.games.asm import symbol_text
from gbxnb.envs.task import GameBoyConfig
from gbxnb.worlds.gameboy import make_gameboy
from watched import SECRETS, one_line, room, tree, watching

COUNT = 1500
WATCH = 'watch.json'
LIST = dict(variables=dict(x='wPlayer', y='wPlayer+1', place='wPlace', pair=dict(at='wBox', size=2, endian='big', mask=0x7FF),
    digits=dict(at=0xC400, size=2, bcd=True),
                           bits=dict(at='wFree', size=9, count=True), low=dict(at=0xC500, signed=True)),
            hooks=['Talk', 'TakeWarp', 'Menu'], observe=['x', 'pair'], begin=dict(low=[-3, 5], digits=12),
            coverage=dict(place=4, y=9, x=10))
HOSTILE = (-1, 0, True, None, 1e308, 2**31, 2**70, 10**3000, 'x', '', 'x'*5000, '\n', '\0', '\ud800', [], {}, ['x'], ['x', 'x'], {'x': 1},
    '0xC000', '$DFFF', 0xFFFF, '-1:4000',
           '3:7FFF', '0:3FFF', 'wPlayer', [2**31 - 1, 2**31 - 1], [-2**31, 2**31 - 1], 8192, 1.5, '/dev/zero', '../task', '.',
           {'at': '0xC000', 'size': 4, 'signed': True})

SYMBOLS = ('game.sym', 'game.sym', 'vast.sym', 'odd.sym', 'link.sym', 'loop.sym', 'pipe.sym', 'inner', 'inner/game.sym', './game.sym',
           WATCH, 'start.npz', 'gone.sym', '.', '..', '', '~', '~root/x', 'a\0b', 'x'*255, 'x'*256, 'game.sym/', '/dev/zero',
           '/proc/self/environ',
           *(f'{way}/{name}' for name in SECRETS for way in ('../../theirs', '@THEIRS', 'inner/../../../theirs', 'out')))
NAMES = 'wPlayer', 'wPlaec', 'wLong', 'x'*300, SECRETS[0]

def odd_symbols(rng):
    "A symbol file that holds what such files do not."
    lines = [b'00:c000 wPlayer', b'01:4000', b'00:c000 ' + b'x'*rng.choice((10, 10**5)), b'zz:c000 wBox', b'00:10000 wFree', b'\xff\xfe',
             b'00:c000 a\0b', b'; ' + b'x'*10**5, b'[labels]', b'[other]', b'00000000000:c000 wPlace', b'00:c001 wPlayer', b'']
    return b'\n'.join(rng.choices(lines, k=rng.choice((0, 1, 5, 200))))

def lay_symbols(rng, r, vast):
    "Symbol files in a task's folder, and links and others that are none."
    task = r.mine/'task'
    for name, data in {'game.sym': GOOD, 'odd.sym': odd_symbols(rng), 'inner/game.sym': GOOD}.items():
        (task/name).parent.mkdir(exist_ok=True)
        (task/name).write_bytes(data)
    if vast: (task/'vast.sym').write_bytes(vast)
    for name, to in {'link.sym': r.theirs/SECRETS[1], 'loop.sym': 'loop.sym', 'out': r.theirs}.items(): (task/name).symlink_to(to)
    os.mkfifo(task/'pipe.sym')

GOOD = symbol_text(game.program()).encode()

@functools.cache
def vast():
    "A symbol file as large as they may be."
    return b''.join(b'00:%04x w%x_%s\n' % (0xC000 + k % 4096, k, b'wPlayer'[k % 7:]*(k % 3)) for k in range(800_000))

def hostile(rng, v):
    "One of the values above, somewhere in `v`, or under another name."
    if isinstance(v, dict) and v and rng.random() < .85:
        k, new = rng.choice(sorted(v)), rng.choice(['x', 'variables', 'hooks', 'observe', 'begin', 'coverage', 'symbols', 'bank',
            'at', 'a b', '\n'*9])
        if rng.random() < .2: return v | {new: rng.choice(HOSTILE)}
        return v | {k: hostile(rng, v[k])}
    if isinstance(v, list) and v and rng.random() < .7: return [hostile(rng, x) if rng.random() < .5 else x for x in v]
    return rng.choice(HOSTILE)

def damage(rng, good):
    "Files of the folder, its watch list changed, and now and then another one too."
    out, text = dict(good), json.loads(good[WATCH])
    for _ in range(rng.choice([1, 1, 2, 4])):
        r = rng.random()
        if r < .5: text = hostile(rng, text)
        elif r < .75: text = change_json(rng, text)
        out[WATCH] = json.dumps(text).encode() if r < .85 else change_bytes(rng, out[WATCH])
        if r > .97: out[WATCH] = rng.choice([b'', b'['*10**5, b'{"a":'*10**5, b' '*(1 << 24) + b'{}', b'\xff\xfe', good['start.npz']])
    if rng.random() < .3: out[WATCH] = json.dumps(symbols(rng, json.loads(good[WATCH]))).encode()
    if rng.random() < .05:
        name = rng.choice(sorted(out))
        out[name] = change_bytes(rng, out[name])
    return out

def symbols(rng, text):
    "The list with symbols, and with a name that needs them."
    if isinstance(text, dict):
        text = text | dict(symbols=rng.choice(SYMBOLS))
        if rng.random() < .7: text |= dict(variables={'y': 0xC000, 'x': rng.choice(NAMES)}, observe=[], begin={}, coverage={}, hooks=[])
    return text

def walk(env, start):
    "The pictures of a few steps from a seed."
    start()
    out = [env.pix.clone()]
    for a in env.task.actions[:4]:
        env.step(torch.full((2,), a))
        out.append(env.pix.clone())
    return out

def prepare():
    "A task's folder with a list, and what it looks like without one."
    with tempfile.TemporaryDirectory() as d, make('town/house', 2, device='cpu', watch=LIST) as env:
        good = files(env.task.save(f'{d}/task'))
    with make('town/house', 2, device='cpu') as bare: return good, walk(bare, lambda: bare.reset(seed=1))

def attempt(seed, shared)->str:
    rng, (good, pictures) = random.Random(seed), shared
    with room(()) as r:
        files = damage(rng, good)
        r.fill({f'task/{name}': data.replace(b'@THEIRS', bytes(r.theirs)) for name, data in files.items()})
        lay_symbols(rng, r, vast() if b'vast' in files[WATCH] else b'')
        before = tree(r.path)
        with contextlib.ExitStack() as stack:
            stack.enter_context(watching(r.mine, ()))
            try: env = stack.enter_context(make_gameboy(GameBoyConfig(task=str(r.mine/'task'), max_steps=9), 2))
            except UserError as e:
                one_line(str(e).replace(str(r.path), ''))
                word = 'refused'
            else:
                word = 'played'
                env.reset(seed=1)
                written = env.watch.begin
                assert written or all(map(torch.equal, walk(env, lambda: env.reset(seed=1)), pictures)), 'a list changes what is played'
                text = json.loads(json.dumps(env.task.watch)) if env.task.watch else None
                assert (text or {}) == (json.loads(json.dumps(env.watch.plain())) if env.watch else {})
                env.load_state_dict(env.state_dict())
                assert not env.errors()
        assert tree(r.path) == before, 'a folder that is read stays as it is'
    return word
