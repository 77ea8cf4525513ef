"""Files of explorations with other bytes, members, headers, arrays, or other words about themselves.

A file is refused in a line, or an explorer goes on from it, and what it saves then can be loaded again, unless the file gave keys of
screens to other screens: then the same screen may come twice, and the next file is refused."""
import contextlib, functools, io, json, random, struct, warnings, zipfile, zlib
from unittest import mock
import numpy as np
from damage import ODD, OTHERS, PICKLE, change_array, change_bytes, change_json, npy, odd_value, values
from gbxnb.backends.warp import make_backend
from gbxnb.games.probe import probe_rom
from gbxnb.envs.task import wait
from gbxnb.explore import explorer as saved
from gbxnb.explore.explorer import ExploreConfig, Explorer
from gbxnb.explore.explorer import load_exploration, save_exploration
from gbxnb.base.files import UserError
from test_explore_saved import BAD
from watched import one_line, room, watching

COUNT, ROOM = 3000, 6 << 30 # for the 4 GB that a file may have room is reserved
CFG = ExploreConfig(num_envs=8, max_places=200, max_rows=40)
LOCAL, CENTRAL = (b'PK\3\4', 6), (b'PK\1\2', 8) # how the headers of a member begin, and where the words that both have stand
METHOD, CHECK, PACKED, UNPACKED = (2, '<H'), (8, '<I'), (12, '<I'), (16, '<I') # places and types of some of them
SIZES = 1, 16, 4096, 100_000, 400_000, 2**20, 2**22
BOMBS = 'about', 'tree.key', 'bank.0', 'lanes.left', 'start'
LISTS = [[9, 10]], [[4, 5], [9, 10]], [[9, 10]]*99, [1], [.5], [.5]*9999, [256]*9999
HEADERS = [f"{{'descr': '<u8', 'fortran_order': False, 'shape': ({n},), }}".encode() for n in (2**60, -1, 2**27, 10**1500)]
HEADERS += [b"{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", b"{'descr': '|u1', 'fortran_order': True, 'shape': (), }",
            b"{'descr': '|V2147483647', 'fortran_order': False, 'shape': (1,), }",
            b"{'descr': [('a', '<i4', (9999, 9999))], 'fortran_order': False, 'shape': (1,), }",
            b'('*900, b'__import__("this")', b'{', b"{'descr': '<f8', 'fortran_order': 0, 'shape': (2, True), }", b'9**9**9', b'\xff'*60]

# mutations

def unzip(data):
    with zipfile.ZipFile(io.BytesIO(data)) as z: return {k: z.read(k) for k in z.namelist()}

def zipped(members, method=zipfile.ZIP_DEFLATED):
    "An archive of names and contents; one name may be there twice."
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w') as z:
        for name, data in members: z.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()

def patch(data, word, value, names=None):
    "Other words in the headers of members, both of them or one; of all members, or of those that are named."
    out, (at, kind) = bytearray(data), word
    for magic, start in LOCAL, CENTRAL:
        place = -1
        while (place := data.find(magic, place + 1)) >= 0:
            name = data[place + (30 if magic == LOCAL[0] else 46):][:40]
            if names is None or any(name.startswith(k.encode()) for k in names): struct.pack_into(kind, out, place + start + at, value)
    return bytes(out)

def bomb(members, name):
    "An archive in which a member of 4 MB unpacks to 4 GB, which its header promises."
    packer, zeros = zlib.compressobj(9, zlib.DEFLATED, -15), bytes(1 << 20)
    head = b"\x93NUMPY\1\0v\0" + b"{'descr': '|u1', 'fortran_order': False, 'shape': (4294967168,), }".ljust(117) + b'\n'
    first = packer.compress(head + zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    more = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    data = zipped([(k, first + more*4094 if k == name else v) for k, v in members.items()], zipfile.ZIP_STORED)
    return patch(patch(data, METHOD, zipfile.ZIP_DEFLATED, [name]), UNPACKED, 2**32 - 1, [name])

def other_members(rng, members):
    "Members that are odd themselves: their headers, their names, one twice, in another packing."
    name = rng.choice([*members])
    match rng.randrange(5):
        case 0:
            text = rng.choice(HEADERS)
            head = b'\x93NUMPY' + bytes([rng.choice((1, 1, 2, 3, 9)), 0]) + struct.pack('<H', rng.choice((len(text), 65535, 0))) + text
            members[name] = rng.choice((b'', head)) + rng.choice((b'', bytes(300), PICKLE))
        case 1: members[rng.choice(('../x.npy', '/x.npy', 'x', '', name[:-4], 'bank.1.npy', 'about.npy', 'a\\b'*20))] = members[name]
        case 2: members[name] = rng.choice([*members.values()])
        case 3: members[name] = change_bytes(rng, members[name])
        case 4: del members[name]
    twice = [(name, rng.choice((b'', members.get(name, b''))))]*(rng.random() < .1)
    with contextlib.suppress(struct.error), warnings.catch_warnings():
        warnings.simplefilter('ignore') # of names that are there twice
        return zipped([*members.items(), *twice], rng.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_LZMA)))

def other_headers(rng, data):
    "Sizes, methods and hashes that members do not have."
    for _ in range(rng.choice((1, 1, 3))):
        word = rng.choice((METHOD, CHECK, PACKED, UNPACKED))
        value = rng.choice((0, 1, 8, 12, 14, 93, 99) if word is METHOD else (0, 1, 100, 2**31, 2**32 - 1))
        data = patch(data, word, value, rng.choice((None, [rng.choice(('tree.key', 'bank.0', 'about', 'consoles', 'places'))])))
    return data

def other_arrays(rng, arrays):
    "Arrays of another type, shape or with other values, as each of the tests makes them, or at random."
    for _ in range(rng.choice((1, 1, 2))):
        k, r = rng.choice([*arrays]), rng.random()
        with contextlib.suppress(Exception): # not every array can be changed so
            if r < .4: arrays = BAD[rng.choice([*BAD])](arrays) or arrays
            elif r < .6: arrays[k] = values(arrays[k], rng)
            elif r < .8: arrays[k] = np.asarray(rng.choice(OTHERS)(arrays[k]))
            else: arrays[k] = np.asarray(change_array(rng, arrays[k]))
    return zipped((f'{k}.npy', npy(a)) for k, a in arrays.items())

def other_words(rng, arrays):
    "Other words about it, most of them in its configuration."
    about = json.loads(arrays['about'].tobytes())
    for _ in range(rng.choice((1, 1, 2))):
        name, r = rng.choice(('cfg', 'cfg', 'env_cfg')), rng.random()
        if r < .2: about = change_json(rng, about)
        elif r < .4: about = odd_value(rng, about)
        elif r < .6: about['cfg'][rng.choice(('num_envs', 'max_places', 'max_rows'))] = rng.choice(SIZES)
        elif r < .7: about['cfg'][rng.choice(('grids', 'lengths', 'holds'))] = rng.choice(LISTS)
        else: about[name][rng.choice([*about[name]])] = rng.choice(ODD)
        if not isinstance(about, dict) or not all(isinstance(about.get(k), dict) and about[k] for k in ('cfg', 'env_cfg')): break
    text = json.dumps(about).encode()
    arrays['about'] = np.frombuffer(text if rng.random() < .95 else change_bytes(rng, text), np.uint8)
    return zipped((f'{k}.npy', npy(a)) for k, a in arrays.items())

def damage(rng, good, bomb_with):
    "The content of a file, damaged."
    match rng.randrange(12):
        case 0: return change_bytes(rng, good)
        case 1: return other_headers(rng, good)
        case 2 | 3: return other_members(rng, unzip(good)) or b''
        case 4:
            what = rng.choice((*BOMBS, b'', PICKLE, good + good, good[:-22], bytes(10**6)))
            return bomb_with(what) if what in BOMBS else what
        case 5 | 6 | 7: return other_words(rng, dict(np.load(io.BytesIO(good))))
        case _:
            with np.errstate(all='ignore'): return other_arrays(rng, dict(np.load(io.BytesIO(good))))

# one try

def prepare():
    "A file, and what makes a bomb in the place of one of its members."
    with contextlib.closing(make_backend('warp', probe_rom(), 1, 'cpu')) as b:
        wait(b, 4)
        start = b.snapshot(0)
    with Explorer(probe_rom(), start, CFG, device='cpu') as e, room() as r:
        e.run(800)
        good = save_exploration(r.mine/'good.npz', e).read_bytes()
    return good, functools.cache(lambda k: bomb(unzip(good), f'{k}.npy'))

@contextlib.contextmanager
def small_computer():
    "Let there be a gigabyte of memory, so that a file that asks for more is refused on any computer."
    with (mock.patch.object(saved, 'free_bytes', lambda device: 1 << 30),
          mock.patch.object(saved, 'memory', lambda: (1 << 30, 1 << 30))): yield

def attempt(seed, shared)->str:
    good, bomb_with = shared
    rng = random.Random(seed)
    sound = seed % 50 == 0
    with room(()) as r:
        r.fill({'e.npz': good if sound else damage(rng, good, bomb_with)})
        path, again = r.mine/'e.npz', r.mine/'again.npz'
        with watching(r.mine, ()), small_computer():
            try: e = load_exploration(path, probe_rom(), device='cpu')
            except UserError as error:
                assert not sound, error
                one_line(error)
                return 'refused'
            with e:
                e.run(8*e.cfg.num_envs)
                had = e.state_dict()
                save_exploration(again, e)
            try: e = load_exploration(again, probe_rom(), device='cpu')
            except UserError as error:
                assert 'two nodes of the tree have one key' in str(error), error
                return 'went on once'
            with e: now = e.state_dict()
        assert had.keys() == now.keys() and all(np.array_equal(had[k], now[k]) for k in had), 'what is saved is not what is loaded'
    return 'went on'
