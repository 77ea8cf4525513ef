"""An exploration in a file: killed at any moment it goes on bit for bit; a file that is damaged, made up, of another game or of
another configuration is one line, and nothing of it is believed."""
import io, itertools, json, os, signal, sys, time, warnings, zipfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import processes
import pytest
import warp as wp
from gbxnb.games.bundled import probe_rom, bundled_task
from gbxnb.games import bundled as game
from gbxnb.emulator.cartridge import Cartridge
from gbxnb.envs.watch_list import make_watch_list
from gbxnb.explore.archive import Cells
from gbxnb.explore.explorer import ExploreConfig, Explorer, load_exploration, save_exploration
from gbxnb.base.files import UserError

CFG = ExploreConfig(num_envs=8, max_places=200, max_rows=40)
KINDS = dict(tree=CFG, flat=replace(CFG, grids=((9, 10),)), ageless=replace(CFG, ages=False, grids=((3, 2), (9, 5))),
             short=replace(CFG, lengths=(3, 7), holds=(.5,)))
WATCH = make_watch_list(dict(x=0xC385, y=0xC386), Cartridge.load(game.rom()))

def new(cfg=CFG, **kw): return Explorer(game.rom(), bundled_task('town/key').start, cfg, device='cpu', **kw)

def everything(e):
    "All arrays of an archive, with those that no file holds, and what the consoles are at."
    parts = dict(zip(('tree', 'places', 'log'), e.archive._parts))
    arrays = {f'{k} {name}': a for k, part in parts.items() for name, a in vars(part).items()}
    found = {k: a.numpy().copy() for k, a in arrays.items() if isinstance(a, wp.array)}
    assert len(found) == 25
    return found | e.state_dict() | dict(depth=e.archive.now.depth.numpy().copy(), steps=e.steps)

def check_same(a, b):
    assert a.keys() == b.keys() and [k for k in a if not np.array_equal(a[k], b[k])] == []

@pytest.fixture(scope='module')
def explored():
    "An explorer that has given up rows and refused places."
    with closing(new()) as e:
        e.run(800)
        assert (e.archive.places.used.numpy() > 0).all()
        yield e

@pytest.fixture(scope='module')
def file(explored, tmp_path_factory): return save_exploration(tmp_path_factory.mktemp('saved')/'town.npz', explored)

def refused(call, *words):
    "One line with all `words` in it."
    with pytest.raises(UserError) as e: call()
    text = str(e.value)
    assert '\n' not in text and len(text) < 600 and all(w in text for w in words), text
    return text

# ---- going on

@pytest.mark.parametrize('kind', ['watched', *(pytest.param(k, marks=pytest.mark.slow) for k in KINDS)])
def test_it_goes_on_as_one_that_never_stopped(kind, tmp_path):
    cfg, watch = KINDS.get(kind, CFG), WATCH if kind == 'watched' else None
    with closing(new(cfg, watch=watch)) as e:
        for steps in 0, 320:
            e.run(steps)
            path = save_exploration(tmp_path/'a.npz', e)
            with closing(load_exploration(path, game.rom(), 'cpu')) as again:
                check_same(everything(e), everything(again))
                state = e.state_dict()
                for x in e, again: x.run(80)
                check_same(everything(e), everything(again))
                e.load_state_dict(state) # one that went on goes back
                for x in e, again.load_state_dict(state): x.run(80)
                check_same(everything(e), everything(again))

def test_the_same_exploration_is_the_same_file(explored, tmp_path):
    a, b = (save_exploration(tmp_path/n, explored).read_bytes() for n in 'ab')
    assert a == b and sorted(p.name for p in tmp_path.iterdir()) == ['a', 'b']

CHILD = '''
import sys
from test_explore_saved import CFG, new
from gbxnb.explore.explorer import load_exploration, save_exploration
from gbxnb.games import bundled as game
from pathlib import Path
path, end = Path(sys.argv[1]), int(sys.argv[2])
e = load_exploration(path, game.rom(), 'cpu') if path.exists() else new()
while e.steps < end:
    e.run(40)
    save_exploration(path, e)
    print(e.steps, flush=True)
'''

@pytest.mark.slow # `test_train.py` has a case of each kind of end
def test_killed_at_random_moments_it_comes_to_the_same_end(tmp_path):
    "SIGKILL, again and again, in the middle of steps and of writing."
    path, rng = tmp_path/'town.npz', np.random.default_rng(0)
    times, end, kills = 3, 1600, 0
    for k in itertools.count():
        child = processes.Program(CHILD, path, end)
        if k < times: # each gets somewhat further
            wanted = int(rng.integers(1, 3))
            while child.files[0].read_text().count('\n') < wanted and child.is_alive(): time.sleep(.001)
            time.sleep(float(rng.uniform(0, .03)))
            child.kill()
            kills += child.exitcode == -signal.SIGKILL
            child.communicate()
        else:
            said = child.communicate()
            assert child.exitcode == 0, said
            break
    with closing(new()) as e, closing(load_exploration(path, game.rom(), device='cpu')) as again:
        check_same(everything(e.run(end)), everything(again))
    assert kills == times

# ---- what is refused

def test_another_game_another_configuration(file):
    other = bytearray(game.rom() if isinstance(game.rom(), bytes) else Path(game.rom()).read_bytes())
    other[0x7F00] ^= 1
    refused(lambda: load_exploration(file, bytes(other)), 'town.npz', 'ROM', 'give the ROM')
    refused(lambda: load_exploration(file, probe_rom()), 'ROM')
    with closing(new(replace(CFG, num_envs=4))) as e:
        before = everything(e)
        with closing(new()) as of: state = of.state_dict()
        with pytest.raises(ValueError, match='num_envs'): e.load_state_dict(state)
        check_same(before, everything(e))

def test_a_watch_list_is_in_the_file(tmp_path):
    "It is not asked for again; names and files of names are not needed."
    with closing(new(watch=WATCH)) as e:
        path = save_exploration(tmp_path/'watched.npz', e.run(80))
        with closing(load_exploration(path, game.rom(), device='cpu')) as again:
            assert again.watch.plain() == WATCH.plain()
            check_same(everything(e.run(40)), everything(again.run(40)))

def test_no_file(tmp_path):
    os.mkfifo(tmp_path/'pipe')
    (tmp_path/'folder').mkdir()
    (tmp_path/'empty').write_bytes(b'')
    (tmp_path/'text').write_bytes(b'hello'*100)
    np.savez(tmp_path/'other.npz', a=np.zeros(3))
    for name in 'none', 'pipe', 'folder', 'empty', 'text', 'other.npz':
        refused(lambda path=tmp_path/name: load_exploration(path, game.rom()), name)

def repacked(file, out, change):
    "A file of the right form with other arrays in it."
    with np.load(file) as z: arrays = {k: z[k].copy() for k in z.files}
    arrays = change(arrays) or arrays
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        np.savez(out, **arrays)
    return out

def about(**change):
    "Another description."
    def apply(arrays):
        d = json.loads(arrays['about'].tobytes())
        for k, v in change.items():
            inner, _, name = k.partition('__')
            if name: d[inner][name] = v
            else: d[k] = v
        arrays['about'] = np.frombuffer(json.dumps(d).encode(), np.uint8)
    return apply

def put(name, at, value):
    def apply(arrays): arrays[name].reshape(-1)[at] = value
    return apply

def swap(name, f):
    def apply(arrays): arrays[name] = f(arrays[name])
    return apply

def drop(name):
    def apply(arrays): del arrays[name]
    return apply

BAD = {
    'a cycle in the tree': put('tree.parent', 5, 5), 'a later parent': put('tree.parent', 4, 90), 'two roots': put('tree.parent', 7, -1),
    'no root': put('tree.parent', 0, 0),
    'a parent that is a leaf': swap('tree.parent', lambda a: np.where(np.arange(len(a)) == len(a) - 1, 4, a).astype(a.dtype)),
    'two nodes of one place': swap('tree.place', lambda a: np.where(a == 3, 2, a).astype(a.dtype)),
    'a root with a place': put('tree.place', 0, 0),
    'a place beyond all': swap('tree.place', lambda a: np.where(a == 3, 10**6, a).astype(a.dtype)),
    'a place too few': swap('tree.place', lambda a: np.where(a == 3, -1, a).astype(a.dtype)),
    'one key twice': swap('tree.key', lambda a: np.r_[a[:5], a[4], a[6:]]), 'a negative count': put('tree.count', 2, -1),
    'a count that overflows': put('tree.count', 2, 2**31 - 1), 'a row twice': put('places.slot', 1, 0),
    'a row beyond the bank': put('places.slot', 1, 41), 'no start': put('places.slot', 0, -1),
    'a script beyond all': put('places.node', 1, 10**6), 'a negative script': put('places.node', 1, -1),
    'found in the future': put('places.born', 1, 10**6), 'taken in the future': put('places.stored', 1, 10**6),
    'seen less than never': put('places.seen', 1, -5), 'a cycle in the scripts': put('scripts.parent', 5, 5),
    'a later script': put('scripts.parent', 3, 9), 'a script of itself': put('scripts.parent', 0, 0),
    'a script longer than its actions': put('scripts.length', 3, 200), 'a very long script': put('scripts.length', 3, 60000),
    'no such action': put('actions.all', 3, 7), 'a console without a place': put('lanes.leaf', 1, 10**6),
    'a console in no row': put('lanes.slot', 1, -2), 'a console with no script': put('lanes.node', 1, 10**7),
    'a button that does not exist': put('lanes.act', 1, 200), 'a burst without an end': put('lanes.left', 1, 10**6),
    'a burst beyond its list': swap('lanes.left', lambda a: a*0 + 256), 'a negative burst': put('lanes.left', 1, -3),
    'more steps than its list': put('lanes.length', 1, 257), 'a negative length': put('lanes.length', 1, -1),
    'a chance above 1': put('lanes.hold', 1, 1.5), 'a chance of 1': put('lanes.hold', 1, 1), 'no chance': put('lanes.hold', 1, np.nan),
    'a played button that does not exist': put('lanes.played', 7, 99), 'a screen of old age': put('lanes.still', 1, 256),
    'a fifth shade': put('lanes.pix.0', 5, 0x44), 'a fifth shade in a place': put('bank_pix.0', 6000, 0x44),
    'a fifth shade at the start': put('start_pix', 5, 9), 'a step before the first': put('counters', 0, -1),
    'a step beyond all': put('counters', 0, 2**31 - 1), 'more dropped than ever': put('counters', 1, -7),
    'a broken console': swap('consoles.0', lambda a: a ^ 255),
    'a broken place': put('bank.0', slice(0x4200 + 17152, 0x4300 + 17152), 0xA5), 'a broken start': swap('start', lambda a: a ^ 255),
    'a short start': swap('start', lambda a: a[:99]), 'a long start': swap('start', lambda a: np.r_[a, a]),
    'no consoles': swap('consoles.0', lambda a: a[:0]), 'a console too few': swap('consoles.0', lambda a: a[:7]),
    'flat rows': swap('bank.0', lambda a: a.reshape(-1)), 'floats': swap('bank.0', lambda a: a.astype(np.float32)),
    'wide actions': swap('actions.all', lambda a: a.astype(np.int64)), 'objects': swap('tree.place', lambda a: a.astype(object)),
    'text': swap('places.slot', lambda a: a.astype('U9')), 'a scalar': swap('places.slot', lambda a: np.int32(3)),
    'an empty tree': swap('tree.key', lambda a: a[:0]), 'two dimensions': swap('tree.key', lambda a: a[:, None]),
    'a longer list': swap('tree.count', lambda a: np.r_[a, a]), 'far too long': swap('tree.count', lambda a: np.zeros(10**6, np.int32)),
    'nobody': swap('lanes.act', lambda a: a[:0]), 'no description': drop('about'), 'another schema': about(schema='gbxnb-exploration-0'),
    'another layout': about(layout='0'), 'another ROM': about(rom_sha256='0'*64), 'a number for a ROM': about(rom_sha256=7),
    'no configuration': about(cfg=None), 'a list': about(cfg=[1, 2]), 'an unknown option': about(cfg__more=1),
    'no consoles at all': about(cfg__num_envs=0), 'a billion consoles': about(cfg__num_envs=10**9),
    'a million consoles': about(cfg__num_envs=2**20), 'more consoles': about(cfg__num_envs=16), 'half a console': about(cfg__num_envs=.5),
    'odd grids': about(cfg__grids=[[4, 4]]), 'no grids': about(cfg__grids=[]), 'a deeper tree': about(cfg__grids=[[1, 1], [9, 10]]),
    'grids of text': about(cfg__grids='abc'), 'nested grids': about(cfg__grids=[[[1], [1]]]), 'few places': about(cfg__max_places=3),
    'few rows': about(cfg__max_rows=2), 'rows for a building': about(cfg__max_rows=2**22),
    'a thousand grids': about(cfg__grids=[[9, 10]]*1000), 'far too many lengths': about(cfg__lengths=[4]*10**5),
    'far too many chances': about(cfg__holds=[.5]*10**5), 'a list with symbols': about(watch=dict(variables={}, symbols='/etc/passwd')),
    'many places': about(cfg__max_places=2**40), 'a short list of actions': about(cfg__lengths=[2]),
    'actions of another kind': about(env_cfg__action_codec_id='NOOP,A'), 'a codec of nothing': about(env_cfg__action_codec_id=''),
    'code as a codec': about(env_cfg__action_codec_id='os:system'), 'no step': about(env_cfg__frames_per_step=0),
    'a watch list': about(watch=dict(variables={})), 'another start': about(start_sha256='0'*64), 'more to say': about(more=1),
    'deep': swap('about', lambda a: np.frombuffer(b'['*10**5, np.uint8)),
    'infinite': swap('about', lambda a: np.frombuffer(b'{"schema": 1e999}', np.uint8)),
    'no text': swap('about', lambda a: np.frombuffer(b'\xff\xfe\x00', np.uint8)), 'no JSON': swap('about', lambda a: a[:-3])}
NEEDED = ('tree.key places.slot scripts.length actions.all lanes.left lanes.pix.0 consoles.0 bank.0 bank_pix.0 start start_pix '
          'counters').split()
BAD |= {f'without {k}': drop(k) for k in NEEDED}

SOME = ('a cycle in the tree', 'a row beyond the bank', 'a later script', 'no such action', 'no chance', 'a fifth shade',
        'a broken console', 'a console too few', 'objects', 'far too long', 'another schema', 'another layout', 'another ROM',
        'no configuration', 'a million consoles', 'rows for a building', 'far too many lengths', 'many places',
        'more to say', 'without places.slot') # of each kind, and what is dear to those who believe it

@pytest.mark.parametrize('what', [k if k in SOME else pytest.param(k, marks=pytest.mark.slow) for k in BAD])
def test_what_is_made_up_is_one_line(what, file, tmp_path):
    path = repacked(file, tmp_path/'bad.npz', BAD[what])
    refused(lambda: load_exploration(path, game.rom(), device='cpu'), 'bad.npz')

def test_rows_for_which_there_is_no_memory(file, monkeypatch):
    "The consoles fit, what was found does not."
    sizes = iter([1 << 40, 1 << 10])
    monkeypatch.setattr('gbxnb.explore.explorer.free_bytes', lambda device: next(sizes))
    refused(lambda: load_exploration(file, game.rom(), device='cpu'), ' rows do not fit into memory')

def test_nothing_that_a_file_names_is_run(file, tmp_path):
    "An explorer observes nothing, so the name of an observation means nothing to it; a watch list has no file of symbols."
    listed = repacked(file, tmp_path/'bad.npz', BAD['a list with symbols'])
    refused(lambda: load_exploration(listed, game.rom()), 'its watch list is damaged')
    path = repacked(file, tmp_path/'named.npz', about(env_cfg__observation='antigravity:x'))
    load_exploration(path, game.rom(), device='cpu').close()
    assert 'antigravity' not in sys.modules

def test_a_state_that_is_refused_changes_nothing(explored):
    "The same by the dict, where the file cannot help."
    good, count = explored.state_dict(), 0
    before = everything(explored)
    def tries():
        for k, v in good.items():
            yield k, v.astype(np.complex64)
            yield k, v[:-1]
            yield k, np.zeros((2, 3, 4), v.dtype)
            yield k, v.tolist()
            if k.startswith(('lanes', 'tree', 'places', 'scripts')) and v.dtype.kind == 'i':
                for wrong in -2**31, 2**31 - 1:
                    a = v.copy()
                    a.flat[-1] = wrong
                    yield k, a
    for k, v in tries():
        with pytest.raises((ValueError, TypeError, UserError)) as e: explored.load_state_dict(good | {k: v})
        assert '\n' not in str(e.value)
        count += 1
    for wrong in {}, [], None, good | dict(more=np.zeros(1)), {k: v for k, v in good.items() if k != 'about'}:
        with pytest.raises((ValueError, TypeError), match='the saved state'): explored.load_state_dict(wrong)
    check_same(before, everything(explored))
    assert count > 100

@pytest.mark.parametrize('tries', [16, pytest.param(160, marks=pytest.mark.slow)])
def test_bytes_that_were_changed_are_noticed_or_mean_nothing(tries, explored, file, tmp_path):
    "Cut off, flipped, overwritten at random places: refused in one line, or read as what was written."
    data, rng, before = file.read_bytes(), np.random.default_rng(0), everything(explored)
    path, seen = tmp_path/'bad.npz', dict(refused=0, read=0)
    for k in range(tries):
        a = bytearray(data)
        at, n = int(rng.integers(len(a))), int(rng.integers(1, 40))
        if k % 4 == 0: a = a[:at]
        elif k % 4 == 1: a[at] ^= 1 << int(rng.integers(8))
        elif k % 4 == 2: a[at:at + n] = rng.bytes(n)
        else: a[len(a) - int(rng.integers(1, 4000))] = int(rng.integers(256)) # where the members are listed
        path.write_bytes(a)
        try: e = load_exploration(path, game.rom(), device='cpu')
        except UserError as error:
            assert '\n' not in str(error) and 'bad.npz' in str(error)
            seen['refused'] += 1
            continue
        seen['read'] += 1
        check_same(before, everything(e))
        e.close()
    assert seen['refused'] > .625*tries, seen

def test_a_bomb_is_not_opened(file, tmp_path):
    "A member that unpacks to 64 MB is not unpacked."
    out = io.BytesIO()
    with zipfile.ZipFile(file) as z, zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED, compresslevel=1) as w:
        for name in z.namelist():
            if name == 'tree.key.npy':
                with w.open(name, 'w', force_zip64=True) as f:
                    np.lib.format.write_array_header_1_0(f, dict(descr='<u8', fortran_order=False, shape=(1 << 23,)))
                    for _ in range(1 << 6): f.write(bytes(1 << 20))
            else: w.writestr(name, z.read(name))
    (tmp_path/'bomb.npz').write_bytes(out.getvalue())
    refused(lambda: load_exploration(tmp_path/'bomb.npz', game.rom(), device='cpu'), 'bomb.npz', 'tree.key')

@pytest.mark.skipif(not wp.is_cuda_available(), reason='no GPU')
def test_what_a_cpu_saved_goes_on_on_a_gpu(explored, file):
    with closing(load_exploration(file, game.rom(), device='cuda')) as e: check_same(everything(explored), everything(e))

M64 = 2**64 - 1

def key_of(levels, h, w, before):
    "The key of a grid, its levels uint8[h*w], by Python's integers."
    def mix(x):
        x = (x ^ x >> 30)*0xBF58476D1CE4E5B9 & M64
        x = (x ^ x >> 27)*0x94D049BB133111EB & M64
        return x ^ x >> 31
    key, word = mix(before + 16*h + w & M64), 0
    for b, x in enumerate(levels.tolist(), 1):
        word = word << 4 | x
        if b % 16 == 0: key, word = mix(key ^ word), 0
    return mix(key ^ word)

def test_keys_of_every_grid():
    "Keys are what an archive on disk holds: they are the same in every version."
    pix = np.random.default_rng(0).integers(0, 4, (3, 72, 80), np.uint8)
    backend = SimpleNamespace(num_envs=3, device='cpu', pix=wp.array(pix, device='cpu'))
    grids = tuple((h, w) for h in (1, 3, 9) for w in (1, 2, 5, 10))
    cells = Cells(backend, grids, 7, ages=False)
    cells.look()
    for i, p in enumerate(pix.astype(int)):
        key = 1
        for g, (h, w) in enumerate(grids):
            sums = p.reshape(h, 72//h, w, 80//w).sum((1, 3)).ravel()
            levels = sums*((7 << 20)//((72//h)*(80//w)*3 + 1)) >> 20
            if g == len(grids) - 1: assert cells.key.numpy()[i] == key_of(levels, h, w, 1)
            else: assert cells.path.numpy()[i, g] == (key := key_of(levels, h, w, key)), (h, w)

HUGE = Path('/sys/kernel/mm/transparent_hugepage/enabled')

@pytest.mark.skipif(not HUGE.exists(), reason='a kernel without large pages')
def test_a_bank_in_large_pages():
    "Linux was asked for them under the middle of the bank."
    with new(replace(CFG, max_rows=1024)) as e:
        at, flags = e.backend.bank.ptr + e.backend.bank.capacity//2, None
        for line in Path('/proc/self/smaps').read_text().splitlines():
            head = line.split()[0]
            if '-' in head and ':' not in head: inside = int(head.split('-')[0], 16) <= at < int(head.split('-')[1], 16)
            elif head == 'VmFlags:' and inside: flags = line.split()[1:]
    assert 'hg' in flags
