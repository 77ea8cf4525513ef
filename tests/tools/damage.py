"""Damage: what a folder of files may have become, by a random generator.

Bytes are flipped, cut, repeated or replaced; JSON values and arrays become others; files are exchanged, or something else than a file
stands in their place. Most of the time the hashes that JSON files give agree again, so that damage gets behind them."""
import hashlib, io, json, os, pickle, struct, zipfile

import numpy as np
import pytest
import safetensors.numpy
from gbxnb.base.command import call

PICKLE = pickle.dumps(os.getcwd) # to load it is to look up a name, and that is found
EXTREME = 0, 1, -1, 4, 5, 127, 128, 255, 4095, 65536, 2**31 - 1, -2**31, 2**63, 1e300, float('nan'), float('inf')
ODD = (*EXTREME, None, True, 2**70, 10**400, .5, -0., '', 'x', 'x'*5000, '\n', 'a\0b', '\ud800', '0'*64, 'nan', [], [1], [[]], [[[[]]]],
       ['A'], {}, {'a': 1}, {'at': '0xC000', 'size': 4}, 'evil:Net', 'os:system', 'evil', 'pixel', 'wPlayer', '0xC000', '-1:4000', '.',
       '..', '/dev/zero', '../../theirs/secret.sym', '../theirs/notes.txt', '@THEIRS/secret.sym', '@THEIRS/secret', 'game.sym',
       [2**31 - 1, 2**31 - 1], 'symbols', '{"symbols": "@THEIRS/secret.sym"}')
TYPES = 'u1', 'i1', 'i4', 'i8', 'u4', 'f4', 'f8', '?', '>i4', 'U1', 'c8'
SHAPES = [lambda a: a[:0], lambda a: a[:-1], lambda a: a[None], lambda a: a.ravel(), lambda a: np.concatenate([a, a]), lambda a: a[0],
          lambda a: a.T, lambda a: a[::-1], np.asfortranarray]
HEADERS = [f"{{'descr': '<u8', 'fortran_order': False, 'shape': ({n},), }}".encode() for n in (2**60, -1, 2**27, 10**1500)] + [
    b"{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", b'__import__("this")', b'(' * 900, b'\xff' * 60]

def change_json(rng, value):
    "Another value somewhere in it, one more, or one less."
    if isinstance(value, dict) and value and rng.random() < .85:
        k, r = rng.choice(sorted(value)), rng.random()
        if r < .1: return {a: b for a, b in value.items() if a != k}
        if r < .2: return value | {rng.choice(('', 'symbols', 'y'*900)): rng.choice(ODD)}
        return value | {k: change_json(rng, value[k])}
    if isinstance(value, list) and value and rng.random() < .85:
        i = rng.randrange(len(value))
        part = rng.choice(([], [value[i]]*rng.choice((2, 2000)), [change_json(rng, value[i])]))
        return value[:i] + part + value[i + 1:]
    return rng.choice(ODD)

def change_bytes(rng, data):
    "A bit flipped, a number exchanged, a piece lost, repeated or replaced."
    b, size = bytearray(data), rng.choice((1, 2, 9, 100, 5000))
    i = rng.randrange(rng.choice((min(len(b), 130), len(b))) or 1)
    match rng.randrange(7):
        case 0: b[i:i + 1] = bytes(x ^ 1 << rng.randrange(8) for x in b[i:i + 1])
        case 1: b[i:i + 4] = struct.pack('<q', int(rng.choice(EXTREME[:12])))[:4]
        case 2: del b[i:]
        case 3: del b[i:i + size]
        case 4: b[i:i] = b[i:i + size]
        case 5: b[i:i + size] = rng.randbytes(size)
        case 6: b[i:i + size] = bytes([rng.choice((0, 255, 127, 128))])*size
    return bytes(b)

def change_lines(rng, data):
    "Lines of JSON with other values, twice, elsewhere or gone."
    lines = data.splitlines()
    for _ in range(rng.choice((1, 1, 3, 20))):
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(5):
            case 0: lines.insert(i, rng.choice((b'5', b'[]', b'{}', b'', b'\xff', b'NaN', b'['*60_000, b'1' + b'0'*5000, b'x'*200_000)))
            case 1: lines.insert(i, lines[j])
            case 2: lines[i], lines[j] = lines[j], lines[i]
            case 3: del lines[i:i + (len(lines) > 1)]
            case 4:
                try: lines[i] = json.dumps(change_json(rng, json.loads(lines[i]))).encode()
                except (ValueError, RecursionError): lines[i] = b'{'
    return b'\n'.join(lines) + rng.choice((b'\n', b'', b'\n{"upd'))

def change_array(rng, a):
    "An array of another type or shape, or with other values in it."
    with np.errstate(all='ignore'):
        match rng.randrange(5):
            case 0: return a.astype(rng.choice(TYPES))
            case 1: return np.ascontiguousarray(rng.choice(SHAPES)(np.atleast_2d(a)))
            case 2: return np.frombuffer(rng.randbytes(a.nbytes), a.dtype).reshape(a.shape)
        a, odd = a.copy(), np.array([rng.choice(EXTREME)]).astype(a.dtype)[0]
        a.reshape(-1)[rng.randrange(a.size or 1):][:rng.choice((1, 9, 10**5))] = odd
        return a

def change_arrays(rng, arrays):
    "One of them changed, missing, twice, or the words about them, which are JSON."
    name, r = rng.choice(sorted(arrays)), rng.random()
    if 'about' in arrays and r < .3:
        about = json.dumps(change_json(rng, json.loads(bytes(arrays['about']))))
        return arrays | dict(about=np.frombuffer(about.encode(), np.uint8))
    if r < .4: return {k: a for k, a in arrays.items() if k != name}
    if r < .5: return arrays | {rng.choice(('more', '../x', 'bank.1', *arrays)): arrays[name]}
    return arrays | {name: change_array(rng, arrays[name])}

def npz(arrays):
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()

def change_npz(rng, data):
    "Other arrays; or members with other bytes and headers."
    arrays = dict(np.load(io.BytesIO(data)))
    if rng.random() < .8:
        new = change_arrays(rng, arrays)
        if 'about' in new: # it may hold a hash of all arrays
            both = [b''.join(a.tobytes() for k, a in some.items() if k != 'about') for some in (arrays, new)]
            old, now = (hashlib.sha256(text).hexdigest().encode() for text in both)
            new |= dict(about=np.frombuffer(bytes(new['about']).replace(old, now), np.uint8))
        return npz(new)
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as z: members = {k: z.read(k) for k in z.namelist()}
    name, text = rng.choice(sorted(members)), rng.choice(HEADERS)
    head = b'\x93NUMPY\1\0' + struct.pack('<H', rng.choice((len(text), 65535))) + text
    members[name] = rng.choice((head, head + bytes(300), PICKLE, b'', change_bytes(rng, members[name])))
    with zipfile.ZipFile(out, 'w', rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_LZMA))) as z:
        for k, v in members.items(): z.writestr(k, v)
    return out.getvalue()

def change_file(rng, name, data):
    "What a file of its kind may have become."
    if rng.random() < .2: return rng.choice((change_bytes(rng, data), b'', PICKLE, b'['*10**6, b'\xff\xfe'))
    try:
        if name.endswith('.json'): return json.dumps(change_json(rng, json.loads(data))).encode()
        if name.endswith('.jsonl'): return change_lines(rng, data)
        if name.endswith('.npz'): return change_npz(rng, data)
        if name.endswith('.safetensors'): return safetensors.numpy.save(change_arrays(rng, safetensors.numpy.load(data)))
        if name.endswith('.npy'):
            out = io.BytesIO()
            np.save(out, change_array(rng, np.load(io.BytesIO(data))))
            return out.getvalue()
    except Exception: pass # not every array can be changed so, nor what was changed before
    return change_bytes(rng, data)

def hashes(name, data):
    "Those that a JSON file may give of it: of its bytes, and of an array's."
    yield hashlib.sha256(data).hexdigest().encode()
    if not name.endswith('.npy'): return
    try: yield hashlib.sha256(np.load(io.BytesIO(data)).tobytes()).hexdigest().encode()
    except Exception: pass

def damage(rng, good, agree=.7):
    "Files by their names, some of them changed, exchanged or gone; how often hashes agree again."
    files = dict(good)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        name, r = rng.choice(sorted(files)), rng.random()
        old, other = files[name], files[rng.choice(sorted(files))]
        if r < .06 and len(files) > 1: del files[name]
        else: files[name] = other if r < .12 else change_file(rng, name, old)
        if name not in files or rng.random() >= agree: continue
        for was, now in zip(hashes(name, old), hashes(name, files[name])):
            for k in (k for k in files if k.endswith('.json')):
                text = files[k].replace(was, now)
                if text != files[k]: files[k] = text.replace(b'"bytes": %d' % len(old), b'"bytes": %d' % len(files[name]))
    return files

def other_kind(rng, path, theirs):
    "Put something else in the place of a file."
    def sparse():
        with open(path, 'wb') as f: f.truncate(10**10)
    path.unlink(missing_ok=True)
    links = [lambda to=to: path.symlink_to(to) for to in ('/dev/zero', theirs/'notes.txt', path, path.parent, 'gone')]
    rng.choice([lambda: None, path.mkdir, lambda: os.mkfifo(path), sparse, *links])()

# A run that met a bug in its second update

CRASH_WORDS = ('--num-envs 4 --rollout-steps 8 --minibatches 2 --epochs 1 --model small town/house --device cpu --max-steps 6 '
               '--eval-episodes 0 --save-every 1 --steps 96').split()

def crashed_run(out):
    "Let a run end badly in the folder `out`."
    from gbxnb.runs.train import train_cli
    from gbxnb.training.callbacks import ReportErrors
    with pytest.MonkeyPatch.context() as m, pytest.raises(ZeroDivisionError):
        m.setattr(ReportErrors, 'on_update', lambda self, run: 1//(2 - run.update))
        call(train_cli, '--out', out, *CRASH_WORDS)
    return out
