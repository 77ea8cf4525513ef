"""What the campaigns damage files with: other bytes, other JSON values, other arrays, something else in the place of a file."""
import io, os, pickle
import numpy as np
import torch

VALUES = (None, -1, 0, True, 1e308, 2**31, 2**70, 'x', '', 'x'*5000, '\n', '\0', [], {}, [[]], ['A'], {'a': 1}, '0'*64, 1.5)
ODD = (None, True, -1, 0, 1, 2, 5, 2**31, 2**63, 10**400, .5, -0., 1e308, float('nan'), float('inf'), '', 'x', '../../x', '/dev/zero',
       'a\0b', '\ud800', 'nan', 'reset', '0'*64, 'x'*10**5, [], [1], [[]], {}, {'start': 'reset'}, {'num_envs': 4})
PICKLE = pickle.dumps(os.getcwd) # to load it is to look up a name, and that is found
TYPES = np.uint8, np.int8, np.int32, np.int64, np.uint32, np.float32, np.float64, np.bool_, '>i4', object
EXTREME = 0, 1, -1, 4, 5, 255, 4095, 4096, 2**31 - 1, -2**31, 2**63, 1e300, float('nan'), float('inf')

# JSON and bytes

def change_json(rng, v):
    "Another value somewhere in `v`, one more, or one less."
    if isinstance(v, dict) and v and rng.random() < .8:
        k, r = rng.choice(sorted(v)), rng.random()
        if r < .15: return {a: b for a, b in v.items() if a != k}
        return v | ({rng.choice(['', '\n\n', 'y'*900]): rng.choice(VALUES)} if r < .3 else {k: change_json(rng, v[k])})
    if isinstance(v, list) and v and rng.random() < .8:
        i = rng.randrange(len(v))
        return v[:i] + [change_json(rng, v[i])] + v[i+1:]
    return rng.choice(VALUES)

def change_bytes(rng, data):
    "A bit flipped, a piece lost, repeated, or replaced."
    b, i = bytearray(data), rng.randrange(len(data) or 1)
    j = min(len(b), i + rng.choice([1, 2, 9, 100, 5000]))
    match rng.randrange(6):
        case 0: b[i:i+1] = bytes(x ^ 1 << rng.randrange(8) for x in b[i:i+1])
        case 1: del b[i:]
        case 2: del b[i:j]
        case 3: b[i:i] = b[i:j]
        case 4: b[i:j] = rng.randbytes(j - i)
        case 5: b[i:j] = bytes([rng.choice([0, 255, 127, 128])])*(j - i)
    return bytes(b)

def places(value, path=()):
    "Every place in a JSON value."
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for k, v in items: yield from places(v, (*path, k))

def odd_value(rng, value):
    "An odd value somewhere in it, or something less."
    *path, last = rng.choice([p for p in places(value) if p])
    inner = value
    for k in path: inner = inner[k]
    if rng.random() < .2: del inner[last]
    else: inner[last] = rng.choice(ODD)
    return value

def flip(data, rng):
    "Change some bytes, most of them in the head; or lose or add some."
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 3, 20))): data[rng.randrange(rng.choice((min(len(data), 130), len(data))))] = rng.randrange(256)
    cut = rng.random()
    return bytes(data[:rng.randrange(len(data))] if cut < .2 else data + b'more' if cut < .3 else data)

def npy(array):
    out = io.BytesIO()
    np.save(out, array, allow_pickle=True)
    return out.getvalue()

OTHERS = [lambda a: a[0, 0], lambda a: a.ravel()[0], lambda a: a[:0], lambda a: a[:-1], lambda a: a[:, :0], lambda a: a[:, :-1],
          lambda a: a.T, lambda a: a[None], lambda a: a.ravel(), lambda a: np.concatenate([a, a]), lambda a: a + 5, lambda a: a*0 + 255,
          lambda a: a.astype('i8') - 9, lambda a: a.astype('i8'), lambda a: a.astype('>i2'), lambda a: a/3, lambda a: a*np.nan,
          lambda a: a > 1, np.asfortranarray, lambda a: a.astype('U1'), lambda a: a.astype('c8'), lambda a: a.astype('M8[s]'),
          lambda a: np.zeros(3, [('x', 'u1')]), lambda a: a.astype(object), lambda a: 2 - a]

# arrays

def values(a, rng):
    "An array of the same form with other values in it: one of them, or all."
    a = a.copy()
    odd = rng.choice((-1, 1, 4, 7, 255, 2**15, 2**31 - 1, rng.randrange(2**31))) if a.dtype.kind == 'i' else rng.choice((1, 4, 7, 255))
    if a.dtype.kind == 'f': odd = rng.choice((np.nan, np.inf, -1, 1e30))
    if rng.random() < .3: a[...] = np.frombuffer(rng.randbytes(a.nbytes), a.dtype).reshape(a.shape)
    else: a.reshape(-1)[rng.randrange(a.size):][:rng.choice((1, 9, 10**5))] = np.array(odd).astype(a.dtype)
    return a

def other_array(rng, a):
    "An array of another shape, type, or with other values."
    return values(a, rng) if rng.random() < .4 and a.size else np.asarray(rng.choice([*OTHERS[3:20], lambda a: a[None]])(np.atleast_2d(a)))

def change_array(rng, a):
    "Another array."
    match rng.randrange(8):
        case 0: return a.astype(rng.choice(TYPES))
        case 1: return a[:-1] if rng.random() < .5 else np.concatenate([a, a])
        case 2: return a[..., None] if rng.random() < .5 else a.reshape(-1)
        case 3: return a[::-1] if rng.random() < .5 else np.asfortranarray(a)
        case 4: return rng.choice([None, 0, a.tolist(), torch.from_numpy(a), 'x', a.tobytes()])
        case 5:
            out = a.copy()
            raw = out.reshape(-1).view(np.uint8)
            for at in rng.choices(range(raw.size), k=rng.choice([1, 4, 40])): raw[at] = rng.choice([0, 1, 127, 128, 255])
            return out
        case _:
            out = a.copy()
            with np.errstate(all='ignore'): values = np.array([rng.choice(EXTREME)]).astype(a.dtype)
            if rng.random() < .5: out[...] = values
            else: out.reshape(-1)[rng.randrange(out.size)] = values[0]
            return out

# files

def other_file(rng, path, beside):
    "Put something else in the place of a file."
    path.unlink(missing_ok=True)
    def sparse(size):
        with open(path, 'wb') as f: f.truncate(size)
    rng.choice([lambda: None, path.mkdir, lambda: os.mkfifo(path), lambda: sparse(10**10), lambda: sparse(10**6), path.touch,
                *(lambda to=to: path.symlink_to(to) for to in ('/dev/zero', beside, path, path.parent, 'gone'))])()
