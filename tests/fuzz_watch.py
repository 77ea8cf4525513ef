"""Folders of tasks whose watch list was changed, exchanged, or made up.

The task is played with a list that holds what its file says, step by step the same pictures as without one, or it is refused in one line.
The folder stays as it is."""
import json, random, shutil, tempfile
from pathlib import Path
import torch
from damage import change_bytes, change_json
from fuzz_tasks import files
from gbxnb.envs.config import EnvConfig
from gbxnb.envs.make import make
from gbxnb.files import UserError
from gbxnb.worlds.gameboy import GameBoyConfig, make_gameboy
from watched import watching

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

def hostile(rng, v):
    "One of the values above, somewhere in `v`, or under another name."
    if isinstance(v, dict) and v and rng.random() < .85:
        k, new = rng.choice(sorted(v)), rng.choice(['x', 'variables', 'hooks', 'observe', 'begin', 'coverage', 'random_ram', 'symbols',
            'bank', 'at', 'a b', '\n'*9])
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
    if rng.random() < .05:
        name = rng.choice(sorted(out))
        out[name] = change_bytes(rng, out[name])
    return out

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
    with tempfile.TemporaryDirectory() as d:
        folder = Path(d).resolve()/'task'
        folder.mkdir()
        for name, data in damage(rng, good).items(): (folder/name).write_bytes(data)
        before = files(folder)
        try:
            with watching(folder): env = make_gameboy(GameBoyConfig(str(folder), env=EnvConfig(max_steps=9)), 2)
        except UserError as e:
            assert len(str(e).replace(d, '').splitlines()) == 1 and len(str(e)) < 700, e
            word = 'refused'
        else:
            word = 'played'
            with env:
                env.reset(seed=1)
                written = env.watch.begin or env.watch.random_ram
                assert written or all(map(torch.equal, walk(env, lambda: env.reset(seed=1)), pictures)), 'a list changes what is played'
                text = json.loads(json.dumps(env.task.watch)) if env.task.watch else None
                assert (text or {}) == (json.loads(json.dumps(env.watch.plain())) if env.watch else {})
                env.load_state_dict(env.state_dict())
                assert not env.errors()
        assert files(folder) == before, 'a folder that is read stays as it is'
        shutil.rmtree(folder)
    return word
