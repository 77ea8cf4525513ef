"""Folders of runs in which something is changed: what the checkpoint says, its network, its tensors, its world and how that was made, its
manifest, its log, its lock, or what kind of file any of them is; half of the time with hashes that agree.

The run goes on, its policy is judged or filmed, or the command says in a line why not. What the manifest does not name stays as it is,
a folder that is refused stays as a whole, and a run that went on can be taken up again. Whatever is called a network, a reward or a world
is not imported, though modules of that name lie where the command runs, and no path in a file is followed but that of the ROM."""
import contextlib, json, os, random, sys, tempfile
from pathlib import Path
import crashed
import numpy as np
import safetensors.numpy
from damage import ODD, OTHERS, PICKLE, change_json, flip, npy, odd_value, other_array, other_file
from fuzz_logs import damaged
from gbxnb.base.command import call
from gbxnb.base.files import MANIFEST, sha256
from gbxnb.runs.film import film_cli
from gbxnb.runs.checkpoint import load_checkpoint
from gbxnb.runs.policy import eval_cli
from gbxnb.runs.train import train_cli
from watched import room, steady_clock, tree, working_in

COUNT = 1500
NAMES = (*(f'{part}-{slot}.safetensors' for part in ('policy', 'state') for slot in (0, 1)), 'train_log.jsonl', 'train.png', 'notes.txt',
         '../theirs/notes.txt', '/nowhere', 'world', 'world/start.npz', MANIFEST, '.lock', '', '.', 'a\0b', '\ud800', 'x'*400, 5, None)
LOCKS = (b'', b'mine', b'{}', b'[]', b'{"process": 1}', b'{"process": "x"}', b'{"process": []}', b'["process"]', b'\xff', b'[' * 10**5)

def change(out, name, how):
    "Let `how` give another value for what a JSON file says."
    (out/name).write_text(json.dumps(how(json.loads((out/name).read_text()))))

def spoil_sidecar(rng, out):
    "Other words of the checkpoint about itself."
    change(out, 'checkpoint.json', lambda v: (odd_value if rng.random() < .7 else change_json)(rng, v))

NETWORKS = ('this:Net', 'antigravity:fly', 'os:system', 'builtins:exec', 'subprocess:Popen', 'evil:Net', 'world.evil:Net', 'evil', 'mine',
            '__main__:Net', 'this', ':', 'evil:', ':Net', 'this:Net:Net', '../evil:Net', 'evil.py:Net', '@MINE/evil:Net', 'vector', 'pixel',
            'evil:Net\n', 'x'*9999, 'x'*99 + ':y')
EVIL = b'"What is imported if a file says so."\nNet = WORLD = paid = look = None\n'
PATHS = ('@THEIRS/secret.sym', '../theirs/secret.sym', '@THEIRS/secret.json', '../theirs/secret.json', '/etc/passwd', '/dev/zero', '.')
LISTS = ('wPlayer', 'x=wPlayer', '{"variables": {"x": "0xC000"}, "symbols": "@THEIRS/secret.sym"}', '{"symbols": "../theirs/secret.sym"}',
         '[' * 10**5, '{"x"', *PATHS)
HOSTILE = {'rom': ('@THEIRS/secret', '@THEIRS/gone', '/dev/zero', '.', 'x'*5000), 'task': PATHS, 'rewards': NETWORKS,
           'backend': NETWORKS[:8], 'watch': LISTS, 'symbols': PATHS, 'hooks': LISTS,
           'observe': LISTS, 'begin': LISTS, 'coverage': ('x=99999999,y=99999999', *LISTS), 'observation': NETWORKS,
           'action_codec_id': NETWORKS, 'stack_k': (64, 65, 10**9), 'max_steps': (1, 2**31 - 1, 10**400),
           'start_noops': (10**5, 2**31 - 1), 'demo_starts': (3, 2**40), 'shaping': NETWORKS[:8]}

def spoil_model(rng, out):
    "A network that is not known here, and a place where one is said to be."
    def how(meta):
        if rng.random() < .7: meta['config']['model'] = rng.choice((*NETWORKS, *ODD))
        if rng.random() < .7: meta['code'] = {rng.choice(('model', 'rewards', 'world', 'x')): rng.choice((*NETWORKS, 'this:Net', *ODD))}
        if rng.random() < .3: meta['code_folder'] = rng.choice((*PATHS, '@MINE', *ODD))
        return meta
    change(out, 'checkpoint.json', how)

def spoil_config(rng, out):
    "Other words of how the world was made: paths, places of functions, lists of what is watched, sizes."
    def how(meta):
        for place in rng.choices([*HOSTILE, 'symbols', 'rewards'], k=rng.choice((1, 1, 2))):
            meta['world_config'][place] = rng.choice(HOSTILE[place])
            if place == 'symbols' and rng.random() < .8: meta['world_config']['watch'] = 'x=wPlayer'
        if rng.random() < .1: meta['world']['world'] = rng.choice(NETWORKS)
        if rng.random() < .1: meta['algorithm'] = rng.choice(NETWORKS)
        return meta
    change(out, 'checkpoint.json', how)

def name_anew(out, part, data):
    "Let the checkpoint give the hash that a file has now."
    def how(meta):
        meta['files'][part] |= dict(sha256=sha256(data), bytes=len(data))
        return meta
    change(out, 'checkpoint.json', how)

def spoil_tensors(rng, out):
    "Other tensors, or other bytes where they are."
    part = rng.choice(('policy', 'state', 'state'))
    path = next(out.glob(f'{part}-*'))
    data = path.read_bytes()
    arrays = safetensors.numpy.load(data)
    k = rng.choice([k for k in arrays if not k.startswith('optimizer') or rng.random() < .1])
    r = rng.random()
    if r < .2: data = flip(data[:3000], rng) + data[3000:]
    elif r < .25: data = PICKLE
    else:
        a = arrays.pop(k)
        if r > .3:
            name = k if r > .4 else rng.choice(('more', 'env.', 'loop.x', 'optimizer.0.step.'))
            try: arrays[name] = np.ascontiguousarray(other_array(rng, a))
            except (ValueError, TypeError, IndexError): arrays[name] = a[None] # no such array can be made of this one
        try: data = safetensors.numpy.save(arrays)
        except Exception: data = data[:-1] # of a type that such files cannot have
    path.write_bytes(data)
    if rng.random() < .8: name_anew(out, part, data)

def spoil_world(rng, out):
    "Another world."
    path = rng.choice(sorted((out/'world').iterdir()))
    name, data = str(path.relative_to(out)), path.read_bytes()
    if path.suffix == '.json' and rng.random() < .7: change(out, name, lambda v: odd_value(rng, v))
    elif path.suffix == '.npy' and rng.random() < .7:
        with np.errstate(all='ignore'): data = npy(rng.choice(OTHERS)(np.load(path)))
        path.write_bytes(data)
        if rng.random() < .5: change(out, 'world/goal_template.meta.json', lambda v: v | dict(template_sha256=sha256(data)))
    else: path.write_bytes(rng.choice((flip(data, rng), PICKLE, b'')))

def spoil_manifest(rng, out):
    "Other names of what is ours."
    def how(m):
        r = rng.random()
        if r < .5 and m['files']: m['files'].remove(rng.choice(m['files']))
        if .3 < r < .8: m['files'].append(rng.choice(NAMES))
        return m if r < .8 else change_json(rng, m)
    change(out, MANIFEST, how)

def spoil_file(rng, out):
    "Anything in the place of any file, or two files exchanged."
    names = sorted(p for p in out.rglob('*') if p.is_file())
    path, other = rng.choice(names), rng.choice(names)
    r = rng.random()
    if r < .5: other_file(rng, path, out.parent/'theirs/notes.txt')
    elif r < .9: path.write_bytes(rng.choice((flip(path.read_bytes() or b'x', rng), b'', PICKLE, b'['*10**6, other.read_bytes())))
    elif os.geteuid() == 0:
        path.unlink()
        os.mknod(path, 0o020666, os.makedev(1, 5)) # /dev/zero

def spoil_log(rng, out): (out/'train_log.jsonl').write_bytes(damaged(rng, (out/'train_log.jsonl').read_bytes()))
def spoil_lock(rng, out): (out/'.lock').write_bytes(rng.choice(LOCKS))

SPOILS = [*[spoil_tensors]*2, *[spoil_sidecar]*2, *[spoil_model]*2, *[spoil_config]*2, spoil_world, spoil_manifest, spoil_log, spoil_lock,
          *[spoil_file]*2] # in this order, so that nothing is written through a link

def lay(r, good):
    "A run's folder, with modules beside and in it that must not be imported."
    r.fill({name: data for name, data in good.items() if isinstance(data, bytes)} | {'evil.py': EVIL, 'world/evil.py': EVIL})

def imported(): return {'this', 'antigravity', 'evil', 'world', 'world.evil'} & {*sys.modules}

def prepare():
    "The files of a run of three updates, whose network is imported only where a person gives it."
    with tempfile.TemporaryDirectory() as d, steady_clock():
        assert call(train_cli, '--out', Path(d)/'mine', *crashed.WORDS)[0] == 0
        good = tree(Path(d)/'mine')
    with room() as r, working_in(r.mine):
        lay(r, good)
        assert r.call(eval_cli, r.mine, '--device', 'cpu', '--model', 'evil:Net')[0] == 1 and imported() == {'evil'}
    del sys.modules['evil']
    return good

def fill_in(r):
    "Let paths in the checkpoint lead to this room."
    path = r.mine/'checkpoint.json'
    if path.is_symlink() or not path.is_file() or path.stat().st_size > 10**8: return
    path.write_bytes(path.read_bytes().replace(b'@THEIRS', bytes(r.theirs)).replace(b'@MINE', bytes(r.mine)))

def go_on(r):
    "Resume the run; if it went on, it can be resumed once more."
    log = r.mine/'train_log.jsonl'
    had = log.read_bytes() if log.is_file() and log.stat().st_size < 10**8 else b''
    status, err = r.call(train_cli, '--out', r.mine, '--resume', '--steps', 128, '--device', 'cpu', '--eval-episodes', 0, folder='mine')
    if not status:
        assert log.read_bytes().startswith(had[:had.rfind(b'\n') + 1]), 'a whole line of the log is gone'
        c = load_checkpoint(r.mine, resume=True)
        assert c.meta['counters']['env_steps'] >= 128
    return status

def attempt(seed, good)->str:
    rng = random.Random(seed)
    with room() as r, working_in(r.mine):
        lay(r, good)
        r.reads = '/dev/zero', r.theirs/'notes.txt', r.theirs/'secret' # where links lead, and a ROM may lie
        if sound := seed % 50 == 0: spoils = []
        else: spoils = [rng.choice(SPOILS) for _ in range(rng.choice((1, 1, 1, 2)))]
        for spoil in sorted({*spoils}, key=SPOILS.index):
            with contextlib.suppress(Exception): spoil(rng, r.mine) # the one before it may have left nothing to spoil
        fill_in(r)
        seen = [r.mine, '--device', 'cpu']
        match rng.randrange(6):
            case 0 | 1: name, status = 'resumed', go_on(r)
            case 2: name, status = 'filmed', r.call(film_cli, *seen, '--steps', 3, folder='mine/film')[0]
            case _: name, status = 'judged', r.call(eval_cli, *seen, '--episodes', 2)[0]
    assert not (sound and status), 'one that nobody has changed'
    assert not imported(), f'imported because a file says so: {imported()}'
    return f'{name}: {status}'
