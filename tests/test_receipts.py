"""Receipts that were damaged, or made to do harm: each ends in one line, and nothing but the picture of a replay is written."""
import io, itertools, json, os, pickle, random, resource, shutil, signal, struct, sys
from pathlib import Path

import crashed, processes
import numpy as np
import pytest
import safetensors.numpy
from gbxnb.command import call
from gbxnb.files import sha256
from gbxnb.folder import LOCK, MANIFEST, claim_folder, open_folder, read_manifest
from gbxnb.logs.receipts import Receipts, read_receipt, replay_cli
from gbxnb.train.callbacks import Save
from gbxnb.train.config import PPOConfig
from gbxnb.train.loop import start_run, train
from gbxnb.train.probes import Catch

ODD = (None, True, -1, 0, 1, 2, 5, 2**31, 2**63, 10**400, .5, -0., 1e308, float('nan'), float('inf'), '', 'x', '../../x', '/dev/zero',
       'a\0b', '\ud800', 'nan', 'reset', '0'*64, 'x'*10**5, [], [1], [[]], {}, {'start': 'reset'}, {'num_envs': 4})
READ = 'schema', 'kind', 'world', 'replay', 'frames', 'envs', 'frames_sha256', 'play'

@pytest.fixture(scope='module')
def good(tmp_path_factory): return crashed.receipt(crashed.run(tmp_path_factory.mktemp('good')/'run'))

@pytest.fixture
def replayed(good, tmp_path, monkeypatch):
    "A function that spoils a copy of the receipt and replays it in one world for all."
    import gbxnb.train.worlds as worlds
    meta = json.loads((good/'receipt.json').read_text())
    env = worlds.load_world(meta, good, meta['world']['num_envs'], training=True, device='cpu')
    monkeypatch.setattr(worlds, 'load_world', lambda *args, **options: env)
    def play(spoil):
        out = tmp_path/'receipt'
        shutil.copytree(good, out)
        spoil(out)
        before = content(out)
        status, said, err = call(replay_cli, out, '--device', 'cpu')
        assert content(out) == before, 'something was changed'
        assert status == 0 and not err or status == 1 and err.count('\n') == 1 and ': error: ' in err and len(err) < 2000, (status, err)
        assert bool(said) == (status == 0 or 'the last frames are others' in err), (said, err)
        shutil.rmtree(out)
        return status, err
    return play

def content(out):
    files = [p for p in out.rglob('*') if p.is_file() and not p.is_symlink() and p.name != 'replay.png']
    return {p: p.read_bytes() if p.stat().st_size < 10**8 else p.stat().st_size for p in files}

# How to spoil a receipt

def edit(out, change):
    "Let `change` edit what `receipt.json` says."
    meta = json.loads((out/'receipt.json').read_text())
    change(meta)
    (out/'receipt.json').write_text(json.dumps(meta))

def digest(out, name, value):
    "Let the receipt give this hash."
    edit(out, lambda meta: (meta if name == 'frames' else meta['replay']).update({f'{name}_sha256': value}))

def places(value, path=()):
    "Every place in a JSON value."
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for k, v in items: yield from places(v, (*path, k))

def spoil_json(rng):
    "Put something odd somewhere into `receipt.json`, or take something out."
    def change(meta):
        some = {k: meta[k] for k in READ} if rng.random() < .8 else meta
        *path, last = rng.choice([p for p in places(some) if p])
        inner = meta
        for k in path: inner = inner[k]
        if rng.random() < .2: del inner[last]
        else: inner[last] = rng.choice(ODD)
    return lambda out: edit(out, change)

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

def spoil_array(rng):
    "Put another array, or a damaged one, in place of one that a receipt has."
    name = rng.choice(('actions', 'frames'))
    def spoil(out):
        path = out/f'{name}.npy'
        if rng.random() < .5: return path.write_bytes(flip(path.read_bytes(), rng))
        new = rng.choice(OTHERS)(np.load(path))
        path.write_bytes(npy(new))
        if rng.random() < .8: digest(out, name, sha256(new.tobytes()))
    return spoil

def values(a, rng):
    "An array of the same form with other values in it: one of them, or all."
    a = a.copy()
    odd = rng.choice((-1, 1, 4, 7, 255, 2**15, 2**31 - 1, rng.randrange(2**31))) if a.dtype.kind == 'i' else rng.choice((1, 4, 7, 255))
    if a.dtype.kind == 'f': odd = rng.choice((np.nan, np.inf, -1, 1e30))
    if rng.random() < .3: a[...] = np.frombuffer(rng.randbytes(a.nbytes), a.dtype).reshape(a.shape)
    else: a.reshape(-1)[rng.randrange(a.size):][:rng.choice((1, 9, 10**5))] = np.array(odd).astype(a.dtype)
    return a

def spoil_state(rng):
    "Put another state, or a damaged one, in place of that which a receipt starts from; the receipt names its hash."
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

def sparse(path, size):
    with open(path, 'wb') as f: f.truncate(size)

class Hostile:
    def __init__(self, trap): self.trap = trap
    def __reduce__(self): return Path.touch, (self.trap,)

def spoil_file(rng):
    "Put something else in the place of a file."
    name = rng.choice(('receipt.json', 'actions.npy', 'frames.npy', 'start.safetensors'))
    def spoil(out):
        path, text = out/name, (out/name).read_bytes()
        path.unlink()
        new = [b'', b'['*10**6, rng.randbytes(1000), flip(text, rng), text[:rng.randrange(len(text))], struct.pack('<Q', 2**63) + b'{}',
               pickle.dumps(Hostile(out.parent/'executed'))]
        rng.choice([lambda: None, path.mkdir, lambda: os.mkfifo(path), lambda: sparse(path, 10**10), lambda: sparse(path, 1000),
                    *(lambda to=to: path.symlink_to(to) for to in ('/dev/zero', '/etc/passwd', path, out)),
                    *(lambda data=data: path.write_bytes(data) for data in new)])()
    return spoil

def spoil_one(seed):
    rng = random.Random(seed)
    return rng.choice((spoil_json, spoil_json, spoil_array, spoil_state, spoil_file))(rng)

@pytest.mark.parametrize('seeds', [range(200), pytest.param(range(1000, 4000), marks=pytest.mark.slow)], ids=['few', 'many'])
def test_mutated_receipts(replayed, tmp_path, seeds):
    "Whatever is changed in a receipt, and however well: it is played again, or refused in a line."
    assert replayed(lambda out: None) == (0, '')
    found = []
    for seed in seeds:
        try: found.append(replayed(spoil_one(seed))[0])
        except BaseException as e: raise AssertionError(f'seed {seed}') from e
    assert len(seeds)*.5 < sum(found) < len(seeds), 'most are refused, and some are harmless'
    assert not (tmp_path/'executed').exists()

# Writing one

def trained(folder):
    "A run with a checkpoint, and what would write its receipt."
    receipts, cfg = Receipts(folder), PPOConfig(num_envs=2, rollout_steps=4, minibatches=1, model='small')
    folder.write({'world/goal.json': 'a goal'})
    run = train(start_run(Catch(2), cfg, 16, 'name'), [receipts, Save(folder, 1)])
    for theirs in 'receipts/name-u000002/frames.npy', 'receipts/mine.txt':
        (folder.path/theirs).parent.mkdir(parents=True, exist_ok=True)
        (folder.path/theirs).write_text('mine')
    return run, receipts

def theirs(path): return [(path/n).read_text() for n in ('receipts/name-u000002/frames.npy', 'receipts/mine.txt')] == ['mine', 'mine']
OWN = {LOCK, MANIFEST, f'.part-{MANIFEST}'}
def parts(path): return [p for p in path.rglob('.part-*')]

def test_a_full_disk_hides_no_error(tmp_path):
    "Room for nothing, for the frames alone, for all but the state: nothing is raised, nothing is half there, nothing of others is touched."
    with claim_folder(tmp_path/'run', 'run') as folder:
        run, receipts = trained(folder)
        before, limits = content(folder.path), resource.getrlimit(resource.RLIMIT_FSIZE)
        for room in 0, 300, 1000, 5000, 20_000, 10**7:
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
            try: name = receipts.write(run, ValueError('a bug'))
            finally: resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            after = content(folder.path)
            assert theirs(folder.path) and not parts(folder.path) and all(after[p] == v for p, v in before.items() if p.name != MANIFEST)
            if name: assert json.loads((folder.path/name/'receipt.json').read_text())['message'] == 'a bug'
        assert read_receipt(folder.path/name).kind == 'exception' and name.endswith('+')

def _written(path, count):
    "What a process does that is killed when it opens, renames or links its file number `count` in writing a receipt."
    with open_folder(path, 'run') as folder:
        run, receipts = trained(folder)
        events = itertools.count(1)
        def watch(event, args):
            if (event == 'open' or event.startswith('os.')) and any(str(a).startswith(str(path)) for a in args) and next(events) == count:
                os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(watch)
        receipts.write(run, ValueError('a bug'))

@pytest.mark.parametrize('counts', [range(9, 10), pytest.param(range(1, 200, 3), marks=pytest.mark.slow)], ids=['once', 'often'])
def test_killed_while_it_writes(tmp_path, counts):
    "The manifest names whatever a process that was killed has left, and clearing the folder takes all of it away and nothing else."
    for count in counts:
        path = tmp_path/str(count)
        claim_folder(path, 'run').close()
        process = processes.FORK.Process(target=_written, args=(path, count))
        process.start()
        process.join(300)
        assert process.exitcode in (0, -signal.SIGKILL) and theirs(path)
        named = read_manifest(path)[1]
        for p in path.rglob('*'):
            name = str(p.relative_to(path).with_name(p.name.removeprefix('.part-')))
            assert p.is_dir() or name in named or p.name in OWN or p.read_text() == 'mine', p
        with open_folder(path, 'run') as folder: folder.clear()
        left = {str(p.relative_to(path)) for p in path.rglob('*') if p.is_file()} - OWN
        assert left == {'receipts/mine.txt', 'receipts/name-u000002/frames.npy'}
        if process.exitcode == 0: return
