"""What may be wrong with a run's folder or with the disk, tried through the commands.

Each time: one clear line, exit status 1, nothing changed, nothing executed."""
import contextlib, io, json, os, pickle, random, shutil, struct, zipfile
from pathlib import Path
import kills, processes
import numpy as np
import pytest
import safetensors.numpy
from damage import damage
from gbxnb.base.command import call
from gbxnb.base.files import sha256
from gbxnb.runs.evaluate import conditions_table
from gbxnb.runs.film import film_cli
from gbxnb.runs.policy import eval_cli, export_cli
from gbxnb.runs.train import train_cli

WORDS = ('--num-envs 4 --rollout-steps 8 --minibatches 2 --epochs 1 --model small town/house --device cpu --max-steps 6 --eval-episodes 0 '
         '--save-every 1 --steps 96').split()
RESUME = '--resume --steps 128 --device cpu --eval-episodes 0 --save-every 1'.split()

def files(folder): return {p: p.is_symlink() or p.read_bytes() for p in folder.rglob('*') if p.is_symlink() or p.is_file()}

@pytest.fixture(scope='module')
def good(tmp_path_factory):
    "A run of three updates."
    out = tmp_path_factory.mktemp('good')/'run'
    assert call(train_cli, '--out', out, *WORDS)[0] == 0
    return out

def refused(good, out, spoil, word, commands=('resume', 'eval')):
    "Spoil a copy of a good run: each command says `word` in one line, and leaves everything as it is."
    for name in commands:
        shutil.copytree(good, out)
        spoil(out)
        before = files(out)
        judge = (out, '--episodes', 4, '--device', 'cpu')
        status, _, said = call(train_cli, '--out', out, *RESUME) if name == 'resume' else call(eval_cli, *judge)
        assert status == 1 and said.count('\n') == 1 and ': error: ' in said and len(said) < 700 and word in said, (name, status, said)
        assert files(out) == before, 'something was changed'
        shutil.rmtree(out)

# How to spoil a run's folder

def json_file(change):
    "Change what `checkpoint.json` says."
    def spoil(out):
        meta = json.loads((out/'checkpoint.json').read_text())
        change(meta)
        (out/'checkpoint.json').write_text(json.dumps(meta))
    return spoil

def entry(value, *path):
    "Replace one value in it."
    def change(meta):
        for key in path[:-1]: meta = meta[key]
        meta[path[-1]] = value
    return json_file(change)

def vast(meta):
    "As many environments as an option may say, with counters to match."
    meta['config']['num_envs'] = 2**31 - 1
    meta['counters']['env_steps'] = meta['counters']['update']*meta['config']['rollout_steps']*(2**31 - 1)

def tensor_file(part, change):
    "Replace a tensor file by other bytes, and name and hash them as an enemy would."
    def spoil(out):
        def plant(meta):
            data = change((out/meta['files'][part]['name']).read_bytes())
            name = f'{part}-{sha256(data)[:12]}.safetensors'
            (out/name).write_bytes(data)
            meta['files'][part] = dict(name=name, sha256=sha256(data), bytes=len(data))
        json_file(plant)(out)
    return spoil

def tensors(part, **change):
    "Replace tensors in it; None removes one."
    def new(data):
        arrays = safetensors.numpy.load(data) | {k.replace('__', '.'): v for k, v in change.items()}
        return safetensors.numpy.save({k: v for k, v in arrays.items() if v is not None})
    return tensor_file(part, new)

def raw(pattern, change):
    "Replace the bytes of a file."
    def spoil(out):
        path = next(out.glob(pattern))
        path.write_bytes(change(path.read_bytes()))
    return spoil

def link(part, target):
    "Let the name of a tensor file lead elsewhere."
    def spoil(out):
        path = next(out.glob(f'{part}-*'))
        path.unlink()
        path.symlink_to(target)
    return spoil

def header(fields, data=b'1234', length=None):
    text = json.dumps(fields).encode()
    return struct.pack('<Q', len(text) if length is None else length) + text + data

HUGE = header(dict(w=dict(dtype='F32', shape=[10**12], data_offsets=[0, 4*10**12])))
BOTH, ONE = ('resume', 'eval'), ('resume',)

QUICK = [
    (raw('checkpoint.json', lambda b: b[:len(b)//2]), 'no JSON', BOTH),
    (raw('policy-*', lambda b: b[:-1] + bytes([b[-1] ^ 1])), 'the hash', BOTH),
    (raw('state-*', lambda b: b[:1000]), 'damaged', ONE), (tensor_file('policy', lambda b: b[:-9]), 'not a safetensors file', BOTH),
    (tensor_file('policy', lambda b: HUGE), 'not a safetensors file', BOTH),
    (raw('checkpoint.json', lambda b: b'['*10**6), 'no JSON', BOTH),
    (entry('1'*64, 'world', 'facts', 'rom_sha256'), 'another world: rom_sha256', BOTH),
    (entry('dqn', 'algorithm'), 'trained with dqn', ONE),
    (tensors('state', optimizer__0__exp_avg=None), '0.exp_avg is missing', ONE),
    (tensors('policy', actor__bias=np.zeros(7, np.float64)), 'float64[7]', BOTH),
    (tensors('policy', actor__bias=np.zeros(7, np.float16)), 'float16[7]', ONE),
    (link('policy', '/dev/zero'), 'no regular file', BOTH),
    (tensors('state', env__menu=np.full(4096, 2**30, np.int32)), 'cannot be taken up', ONE)]

SLOW = [
    (raw('checkpoint.json', lambda b: b' '*2**25), 'at most', BOTH), (entry('pixel', 'config', 'model'), 'another model', BOTH),
    (entry('pokemonred_puffer_v1', 'world', 'facts', 'action_codec_id'), 'another world: action_codec_id', BOTH),
    (tensors('policy', actor__bias=np.full(7, np.nan, np.float32)), 'NaN', BOTH), (entry(33, 'counters', 'env_steps'), 'env_steps', ONE),
    (entry('gbxnb-checkpoint-99', 'schema'), 'not a checkpoint of this version', BOTH),
    (entry({}, 'files'), 'no file of its policy', BOTH), (entry('../x', 'run_id'), 'run_id', BOTH),
    (entry(-1, 'counters', 'update'), 'update', BOTH), (entry({}, 'world_config'), 'world_config', BOTH),
    (entry(5, 'world_config'), 'world_config', BOTH),
    (entry('chess', 'world', 'world'), 'not registered', BOTH), (entry('os:system', 'world', 'world'), 'not registered', BOTH),
    (entry(10**18, 'counters', 'update'), 'update', BOTH), (entry(10**9, 'counters', 'update'), 'env_steps', ONE),
    (entry(10**30, 'counters', 'opt_steps'), 'opt_steps', BOTH), (entry(5.5, 'counters', 'env_steps'), 'env_steps', BOTH),
    (entry(float('nan'), 'counters', 'wall_time_s'), 'no JSON', BOTH),
    *((entry(n, 'config', 'num_envs'), 'num_envs is', ONE) for n in (0, 'many', 10**12, 10**19)),
    (json_file(vast), 'into memory', ONE),
    (entry(-1, 'config', 'seed'), 'seed', BOTH), (entry({}, 'config'), 'env_steps', ONE), (entry(3, 'processes'), 'processes', ONE),
    (entry(10**9, 'world_config', 'stack_k'), 'at most 1024', BOTH), (entry(5, 'world_config', 'rom'), 'rom', BOTH),
    (entry('x', 'world_config', 'backend'), 'x', BOTH), (entry('no.gb', 'world_config', 'rom'), '--rom', BOTH),
    (tensors('policy', actor__bias=np.zeros(3, np.float32)), 'another model', BOTH),
    (tensors('state', optimizer__foo=np.zeros(3)), 'foo is unknown', ONE), (tensors('state', loop__obs=None), 'obs', ONE),
    (tensors('state', loop__obs=np.zeros((3, 5), np.uint8)), 'obs', ONE), (tensors('state', loop__generator=None), 'generator', ONE),
    (tensors('state', loop__generator=np.zeros(3, np.uint8)), 'cannot be taken up', ONE),
    (tensors('state', env__consoles=None), 'consoles', ONE),
    (tensors('state', env__consoles=np.zeros((4, 9), np.uint8)), 'cannot be taken up', ONE),
    (tensors('state', env__choices=np.zeros(1, np.int32)), 'cannot be taken up', ONE),
    (tensors('state', env__about=np.frombuffer(b'['*10**5, np.uint8)), 'cannot be taken up', ONE),
    (lambda out: next(out.glob('policy-*')).unlink(), 'cannot be read', BOTH),
    (lambda out: next(out.glob('state-*')).unlink(), 'cannot be read', ONE),
    (lambda out: shutil.rmtree(out/'world'), 'world', BOTH), (lambda out: (out/'checkpoint.json').unlink(), 'no checkpoint', BOTH)]

@pytest.mark.parametrize('spoil, word, commands', QUICK, ids=range(len(QUICK)))
def test_damaged_or_of_something_else(good, tmp_path, spoil, word, commands): refused(good, tmp_path/'run', spoil, word, commands)

@pytest.mark.slow
@pytest.mark.parametrize('spoil, word, commands', SLOW, ids=range(len(SLOW)))
def test_more_that_is_damaged(good, tmp_path, spoil, word, commands): refused(good, tmp_path/'run', spoil, word, commands)

# Every array of a state

def spoiled(v):
    "What an array may have become, and what must not be taken for it."
    yield 'missing', None
    yield 'another shape', v[None]
    if v.dtype.kind != 'f' or v.dtype.itemsize < 8: yield 'another type', v.astype(np.float64)
    yield 'NaN of another type', np.full(v.shape, np.nan, np.float16)
    if v.dtype.kind == 'f': yield 'NaN', np.full_like(v, np.nan)

def take_up_spoiled(good, prefix, every, said):
    "Resume a run from states of which one array is spoiled, again and again; write down which were taken, or refused in other words."
    from gbxnb.base.files import UserError
    from gbxnb.runs.checkpoint import Checkpoint, load_checkpoint, load_world, resume_run
    c, found = load_checkpoint(good, resume=True), []
    env = load_world(c.meta, good, 4, training=True)
    bad_ones = [(k, how, bad) for k, v in c.state.items() if k.startswith(prefix) for how, bad in spoiled(v)]
    for k, how, bad in bad_ones[::every]:
        if (k, how) == ('env.about', 'another shape'): continue # it is a text, of any shape
        state = {name: x for name, x in (c.state | {k: bad}).items() if x is not None}
        try: resume_run(env, Checkpoint(c.meta, c.policy, state), steps=160)
        except UserError as e: good_line = k.split('.', 1)[1] in str(e) and '\n' not in str(e)
        except Exception as e: good_line, how = False, f'{how}: {e!r}'
        else: good_line = False
        if not good_line: found.append(f'{k}: {how}')
    resume_run(env, c, steps=160) # and the right one is good
    said.write_text(json.dumps(found))

PARTS = 'optimizer.0.', 'loop.', 'env.'

@pytest.mark.parametrize('prefix, every', [('', 25), *(pytest.param(part, 1, marks=pytest.mark.slow) for part in PARTS)])
def test_every_array_of_a_state(good, tmp_path, prefix, every):
    """One that is missing, of another shape or type, or not finite is named, and no kernel ever gets it: some in `make test`, all in
    `make slow`."""
    process = processes.Process(take_up_spoiled, good, prefix, every, tmp_path/'said')
    process.join(300)
    assert process.exitcode == 0, 'the process died of it'
    assert json.loads((tmp_path/'said').read_text()) == []

# Nothing is executed

class Hostile:
    "Whoever unpickles it makes a file."
    def __init__(self, trap): self.trap = trap
    def __reduce__(self): return Path.touch, (self.trap,)

def torch_file(trap):
    "What `torch.save` would have written: a zip archive with a pickle in it."
    data = io.BytesIO()
    with zipfile.ZipFile(data, 'w') as z: z.writestr('archive/data.pkl', pickle.dumps(Hostile(trap)))
    return data.getvalue()

def array_file(trap):
    "A `.npy` file of objects, which numpy stores as a pickle."
    data = io.BytesIO()
    np.save(data, np.array([Hostile(trap)], object), allow_pickle=True)
    return data.getvalue()

def pickle_file(trap): return pickle.dumps(Hostile(trap))

@pytest.mark.parametrize('every', [3, pytest.param(1, marks=pytest.mark.slow)], ids=['some', 'all'])
@pytest.mark.parametrize('first, make', enumerate([pickle_file, torch_file, array_file]), ids=['pickle', 'torch', 'numpy'])
def test_hostile_pickle(good, tmp_path, first, make, every):
    "A pickle under the name of every file that a run has: one of the kinds in `make test`, all of them in `make slow`."
    bomb = make(tmp_path/'executed')
    names = sorted(str(p.relative_to(good)) for p in good.rglob('*') if p.suffix in ('.json', '.npy', '.npz'))
    assert {'checkpoint.json', 'world/start.npz', 'world/goal_template.npy'} <= set(names)
    for name in [*names, 'policy', 'state'][first if every > 1 else 0::every]:
        spoil, word = (raw(name, lambda b: bomb), name.split('/')[0]) if name in names else (
            tensor_file(name, lambda b: bomb), 'not a safetensors file')
        refused(good, tmp_path/'run', spoil, word, ONE)
    assert not (tmp_path/'executed').exists()
    with contextlib.suppress(Exception): pickle.loads(pickle.dumps(Hostile(tmp_path/'executed')))
    assert (tmp_path/'executed').exists(), 'the trap itself works'

# The disk

def go_on(out, room=0): return processes.finish('train', '--out', out, *RESUME, said=out.with_suffix('.said'), room=room)

def test_full_disk(good, tmp_path):
    "A disk with room for the weights and not for the state: the checkpoint before stays, and the run goes on once there is room."
    for name in 'run', 'whole': shutil.copytree(good, tmp_path/name)
    out, before = tmp_path/'run', files(good)
    status, said = go_on(out, room=1_000_000)
    last = said.splitlines()[-1]
    assert status == 1 and ': error: ' in last and 'could not be written (File too large); the one before is kept' in last, said
    for name in [p.name for p in good.iterdir() if p.name == 'checkpoint.json' or p.suffix == '.safetensors']:
        assert (out/name).read_bytes() == before[good/name], 'the checkpoint is as it was'
    assert not kills.left_over(out), 'and what was written of the next takes no room'
    assert go_on(out)[0] == go_on(tmp_path/'whole')[0] == 0
    assert kills.policy(out) == kills.policy(tmp_path/'whole') and kills.update(out) == 4

def test_full_disk_at_the_first_save(tmp_path):
    "There is none before, and nothing says so; once there is room, the same words begin anew."
    out = tmp_path/'run'
    def begin(room=0): return processes.finish('train', '--out', out, *WORDS, said=out.with_suffix('.said'), room=room)
    status, said = begin(50_000)
    last = said.splitlines()[-1]
    assert status == 1 and 'could not be written (File too large)' in last and 'kept' not in last, said
    assert begin()[0] == 0 and kills.update(out) == 3

def test_full_disk_for_the_log(good, tmp_path):
    "No room for one more line: what is in the log and in the checkpoint stays."
    shutil.copytree(good, tmp_path/'run')
    log = tmp_path/'run'/'train_log.jsonl'
    status, said = go_on(tmp_path/'run', room=log.stat().st_size + 20)
    assert status == 1 and 'train_log.jsonl: cannot be written (File too large); what is in it is kept' in said.splitlines()[-1], said
    assert log.read_bytes() == (good/'train_log.jsonl').read_bytes() and kills.update(tmp_path/'run') == 3

def test_nowhere_to_write(good, tmp_path):
    "A folder that cannot be made or written to, and a result that cannot be stored."
    (tmp_path/'file').write_text('')
    for out in tmp_path/'file'/'run', tmp_path/('x'*300), Path('/proc/run'), *readonly(tmp_path):
        status, _, said = call(train_cli, '--out', out, *WORDS)
        assert status == 1 and said.count('\n') == 1 and str(out)[:60] in said, said
    status, _, said = call(eval_cli, good, '--episodes', 4, '--device', 'cpu', '--out', tmp_path/'file'/'result.json')
    assert status == 1 and said.count('\n') == 1 and 'file' in said, said

def readonly(tmp_path):
    "A folder that may not be written to; nobody but root could."
    if os.geteuid() == 0: return []
    (tmp_path/'mine').mkdir(mode=0o500)
    return [tmp_path/'mine'/'run']

# What a file names lies beside it

SECRET = '{"hunter2": ["01:4000", "hunter2 is the word"]}'

def with_config(name='checkpoint.json', **fields):
    "Change the configuration of the world that a checkpoint or a crash report keeps."
    def spoil(folder):
        text = json.loads((folder/name).read_text())
        config = text['world_config']
        for k, v in fields.items(): config[k] = config[k] | v if isinstance(v, dict) else v
        (folder/name).write_text(json.dumps(text))
    return spoil

def with_watch(symbols):
    "A watch list in the task of a run that names a symbol file."
    def spoil(folder):
        (folder/'world/link.sym').symlink_to(folder.parent/'secret')
        (folder/'world/watch.json').write_text(json.dumps(dict(variables=dict(x='nowhere'), symbols=symbols)))
    return spoil

def with_manifest(folder): (folder/'manifest.json').write_text(
    json.dumps(json.loads((folder/'manifest.json').read_text()) | dict(files=['../secret', 'checkpoint.json'])))

def with_part(folder):
    text = json.loads((folder/'checkpoint.json').read_text())
    text['files']['policy']['name'] = '../secret'
    (folder/'checkpoint.json').write_text(json.dumps(text))

def paths(place):
    "Texts in a configuration that stand for the file at `place`."
    inner = json.dumps(dict(variables=dict(x='nowhere'), symbols=place))
    return dict(rom=dict(rom=place), symbols=dict(watch='x=nowhere', symbols=place), list=dict(watch=place),
                inner=dict(watch=inner), task=dict(task=place))

@pytest.mark.parametrize('every', [3, pytest.param(1, marks=pytest.mark.slow)], ids=['some', 'all'])
def test_a_path_in_a_file_opens_nothing_elsewhere(good, tmp_path, monkeypatch, every):
    "Each format with a name that leads out of its folder: what lies there is not opened, but for a ROM, and never quoted."
    out, secret, opened, real = tmp_path/'run', tmp_path/'secret', [], os.open
    secret.write_text(SECRET)
    def spy(path, *args, **kw):
        opened.append(os.path.realpath(path))
        return real(path, *args, **kw)
    monkeypatch.setattr(os, 'open', spy)
    judge, resume = (eval_cli, out, '--quick', '--episodes', 1, '--device', 'cpu'), (train_cli, '--out', out, *RESUME)
    cases = {f'{k} of a checkpoint': (good, with_config(**v), judge) for k, v in paths(str(secret)).items()}
    names = '../../secret', str(secret), 'link.sym', 'C:secret', '..\\\\secret', 'a\0b', '..', 5
    cases |= {f'symbols {name!r} of a watch list': (good, with_watch(name), judge) for name in names}
    cases |= dict(manifest=(good, with_manifest, resume), part=(good, with_part, judge))
    for case, (source, spoil, command) in [*cases.items()][::every]:
        shutil.copytree(source, out)
        spoil(out)
        opened.clear()
        status, said, error = call(*command)
        assert 'hunter2' not in said + error, (case, error)
        assert case.startswith('rom') or str(secret) not in opened, case
        assert not status or error.count('\n') == 1 and ': error: ' in error, (case, error)
        if 'of a watch list' in case: assert status == 1 and 'watch.json: symbols: ' in error, (case, error)
        shutil.rmtree(out)

# A policy that was handed on

def test_handed_on(good, tmp_path, monkeypatch):
    "In an empty folder, with a ROM of another name; without it, with another one, or damaged it is refused in a line."
    from gbxnb.games.bundled import probe_rom, rom
    for name, data in dict(mine=rom(), other=probe_rom()).items(): (tmp_path/f'{name}.gb').write_bytes(data)
    (tmp_path/'else').mkdir()
    train = '--out', tmp_path/'run', '--rom', tmp_path/'mine.gb', *[good/'world' if w == 'town/house' else w for w in WORDS]
    assert call(train_cli, *train)[0] == 0
    status, text, _ = call(export_cli, tmp_path/'run', '--out', tmp_path/'else/policy', '--episodes', 3, '--device', 'cpu')
    card = json.loads((tmp_path/'else/policy/card.json').read_text())
    assert status == 0 and [line.split()[0] for line in text.splitlines()[:4]] == ['policy', 'trained', 'later', 'sticky']
    assert f'SHA-256 `{sha256(rom())}`' in (tmp_path/'else/policy/README.md').read_text()
    assert card['rom'] == dict(title='QUIET TOWN', sha256=sha256(rom()), file='mine.gb')
    judged = card['conditions']
    assert {k: [*v] for k, v in judged.items()} == dict.fromkeys(['trained', *card['under']], ['policy', 'recording', 'random'])
    assert {e['episodes'] for v in judged.values() for e in v.values()} == {3} and judged['trained']['random']['success_interval'][0] == 0
    assert conditions_table(judged, markdown=True) in (tmp_path/'else/policy/README.md').read_text() and '`sticky`: sticky is 0.25' in (
        tmp_path/'else/policy/README.md').read_text()
    assert not any(str(tmp_path).encode() in data or rom()[:999] in data for data in files(tmp_path/'else').values())
    (tmp_path/'mine.gb').rename(tmp_path/'else/of another name.gb')
    monkeypatch.chdir(tmp_path/'else')
    play = 'policy', '--quick', '--episodes', 2, '--device', 'cpu'
    def said(*words):
        status, out, line = call(eval_cli, *play, *words)
        assert status == 1 and not out and line.count('\n') == 1, line
        return line
    assert 'mine.gb: the ROM of this run is not there' in said() and 'type: gbxnb eval policy --quick --episodes 2' in said()
    assert all(sha256(data)[:12] in said('--rom', '../other.gb') for data in (rom(), probe_rom()))
    mine = '--rom', 'of another name.gb'
    assert call(eval_cli, *play, *mine)[0] == 0 and call(film_cli, 'policy', '--steps', 2, '--device', 'cpu', *mine)[0] == 0
    whole, rng = files(tmp_path/'else/policy'), random.Random(0)
    for _ in range(8):
        for path, data in damage(rng, {str(p): data for p, data in whole.items()}).items(): Path(path).write_bytes(data)
        status, out, line = call(eval_cli, *play, *mine)
        assert status == 0 or status == 1 and not out and line.count('\n') == 1, line
        for path, data in whole.items(): path.write_bytes(data)
