"""Crash reports in which something is changed: a value, an array, the state to start from, or a whole file; often with hashes that agree.

A crash report is played again, or refused in a line; nothing but the picture of it is written, and nothing is unpickled."""
import json, random, struct, tempfile
from pathlib import Path
import crashed
import numpy as np
import safetensors.numpy
from damage import ODD, OTHERS, PICKLE, flip, npy, other_file, places, values
from gbxnb.base.files import sha256
from gbxnb.runs.crash_report import replay_cli
from watched import room, steady_clock, tree

COUNT = 1500
READ = 'schema', 'kind', 'world', 'replay', 'frames', 'envs', 'frames_sha256', 'world_config'

# How to spoil a crash report

def edit(out, change):
    "Let `change` edit what `crash.json` says."
    meta = json.loads((out/'crash.json').read_text())
    change(meta)
    (out/'crash.json').write_text(json.dumps(meta))

def digest(out, name, value):
    "Let the report give this hash."
    edit(out, lambda meta: (meta if name == 'frames' else meta['replay']).update({f'{name}_sha256': value}))

def spoil_json(rng):
    "Put something odd somewhere into `crash.json`, or take something out."
    def change(meta):
        some = {k: meta[k] for k in READ} if rng.random() < .8 else meta
        *path, last = rng.choice([p for p in places(some) if p])
        inner = meta
        for k in path: inner = inner[k]
        if rng.random() < .2: del inner[last]
        else: inner[last] = rng.choice(ODD)
    return lambda out: edit(out, change)

def spoil_array(rng):
    "Put another array, or a damaged one, in place of one that a crash report has."
    name = rng.choice(('actions', 'frames'))
    def spoil(out):
        path = out/f'{name}.npy'
        if rng.random() < .5: return path.write_bytes(flip(path.read_bytes(), rng))
        new = rng.choice(OTHERS)(np.load(path))
        path.write_bytes(npy(new))
        if rng.random() < .8: digest(out, name, sha256(new.tobytes()))
    return spoil

def spoil_state(rng):
    "Put another state, or a damaged one, in place of that which a crash report starts from; the report names its hash."
    def spoil(out):
        data = (out/'start.safetensors').read_bytes()
        arrays = safetensors.numpy.load(data)
        k = rng.choice([k for k in arrays if not k.startswith('optimizer')])
        a, kind = arrays.pop(k), rng.random()
        if kind < .4: data = flip(data[:2000], rng) + data[2000:] if rng.random() < .8 else flip(data, rng)
        elif kind < .5: data = safetensors.numpy.save(arrays)
        elif kind < .75: data = safetensors.numpy.save(arrays | {k: values(a, rng)})
        else:
            new = rng.choice([a[:0], a[:-1], a[None], np.concatenate([a, a]), a.astype('f4'), a.astype('i8'), a > 0, a[0], a.ravel()])
            data = safetensors.numpy.save(arrays | {k: np.ascontiguousarray(new)})
        (out/'start.safetensors').write_bytes(data)
        digest(out, 'start', sha256(data))
    return spoil

def spoil_file(rng):
    "Put something else in the place of a file."
    def spoil(out):
        path = rng.choice(sorted(p for p in out.rglob('*') if p.is_file()))
        data = path.read_bytes()
        new = [b'['*10**6, rng.randbytes(1000), flip(data, rng), data[:rng.randrange(len(data))], struct.pack('<Q', 2**63) + b'{}', PICKLE]
        if rng.random() < .5: path.write_bytes(rng.choice(new))
        else: other_file(rng, path, out.parent.parent/'theirs/notes.txt')
    return spoil

def spoil_one(rng): return rng.choice((spoil_json, spoil_json, spoil_array, spoil_state, spoil_file))(rng)

def prepare():
    "The files of a crash report."
    with tempfile.TemporaryDirectory() as d, steady_clock(): return tree(crashed.crash_report(crashed.run(Path(d)/'run')))

def attempt(seed, good)->str:
    rng = random.Random(seed)
    with room() as r:
        r.fill({f'crash/{name}': data for name, data in good.items() if isinstance(data, bytes)})
        if seed % 50: spoil_one(rng)(r.mine/'crash')
        status, err = r.call(replay_cli, r.mine/'crash', '--device', 'cpu', free=['mine/crash/replay.png'])
        assert seed % 50 or status == 0, 'one that nobody has changed'
        return 'refused' if status else 'played'
