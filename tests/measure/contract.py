"""What a user sees of the package, written down, and compared after a large change: names, commands, states, what training comes to.

    python tests/measure/contract.py write FOLDER [--games FOLDER]    before the change: FOLDER/contract.json and FOLDER/files
    python tests/measure/contract.py compare FOLDER [--games FOLDER]  after it: a line for each difference, exit 1 if there is one

Everything goes by commands, stable names and files. `FOLDER/files` holds a run, a policy, an exploration with its tasks, and states in
three formats; each is read again. Of the bundled game, and of a folder of ROMs, states after 600 frames are hashed."""
import argparse, difflib, hashlib, json, os, re, shutil, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

root = Path(__file__).resolve().parents[2]
TOWN, TIMES = root/'gbxnb/data/town.gb', re.compile('sec|sps|fps|time|_ms|memory|per_s|date|out|share')
RUNS = dict(catch='--world catch --steps 8192 --num-envs 64', catch_a2c='--world catch --algo a2c --steps 8192 --num-envs 64',
            game='town/house --steps 2048 --num-envs 16 --threads 1', prospector='--world prospector --steps 2048 --num-envs 16')
PLAY = """
import hashlib, json, sys
from pathlib import Path
import numpy as np
from gbxnb import Emulator
states = {}
for path in sys.argv[1:]:
    consoles, rng = Emulator(path, 16, 'cpu', threads=1, ram_seed=-1), np.random.default_rng(11)
    for _ in range(25):
        consoles.set_buttons((rng.integers(0, 256, 16) & rng.integers(0, 256, 16)).astype(np.uint8))
        consoles.step(24, 8)
    states[Path(path).stem] = [consoles.hash(i)[:12] for i in range(16)]
    states[Path(path).stem].append(hashlib.sha256(np.ascontiguousarray(consoles.frames()).tobytes()).hexdigest()[:12])
print(json.dumps(states))
"""
STATES = """
import json, sys
from gbxnb import Emulator
console, found = Emulator(sys.argv[1], 1, 'cpu'), {}
if sys.argv[3] == 'write':
    console.run_frames(400)
    for name, kind in (('state.npz', None), ('bess.sav', 'bess'), ('pyboy.state', 'pyboy')):
        console.save_state(f'{sys.argv[2]}/{name}', kind=kind)
for name in 'state.npz', 'bess.sav', 'pyboy.state':
    console.load_state(f'{sys.argv[2]}/{name}')
    console.run_frames(100)
    found[name] = console.hash(0)
print(json.dumps(found))
"""

def said(*words):
    "What a command prints, or its last line if it fails."
    env = os.environ | dict(COLUMNS='1000', TQDM_DISABLE='1', GBXNB_TRACES='off')
    run = subprocess.run([sys.executable, *map(str, words)], cwd=root, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return run.stdout if not run.returncode else f'exit {run.returncode}: {run.stderr.strip().splitlines()[-1:]}'

def gbxnb(*words): return said('-m', 'gbxnb', *words)

def parsed(text):
    "What a command says in JSON, without times."
    def steady(value):
        if not isinstance(value, dict): return value
        return {k: steady(v) for k, v in value.items() if not TIMES.search(k)}
    return steady(json.loads(text)) if text.startswith('{') else text

def helps():
    names = ['', *re.findall(r'^  ((?:[a-z]+ )?[a-z]+)  +\S', gbxnb('--help'), re.M)]
    with ThreadPoolExecutor(2) as pool: return dict(zip(names, pool.map(lambda name: gbxnb(*name.split(), '--help'), names)))

def weights(run):
    "A hash of the tensors of a run, without the notes of their file."
    tensors = {}
    for path in sorted(Path(run).glob('policy-*.safetensors')):
        data = path.read_bytes()
        begin = 8 + int.from_bytes(data[:8], 'little')
        for name, about in json.loads(data[8:begin]).items():
            if name == '__metadata__': continue
            first, last = about['data_offsets']
            tensors[name] = hashlib.sha256(data[begin + first:begin + last]).hexdigest()
    return hashlib.sha256(json.dumps(sorted(tensors.items())).encode()).hexdigest()[:16]

def trained(out, *words):
    "A run's weights and log."
    text = gbxnb('train', *words, '--out', out, '--device', 'cpu', '--seed', 1)
    if not (Path(out)/'train_log.jsonl').exists(): return text
    rows = map(json.loads, (Path(out)/'train_log.jsonl').read_text(encoding='utf-8').splitlines())
    log = [{k: v for k, v in row.items() if isinstance(v, (int, float)) and not TIMES.search(k)} for row in rows]
    return dict(weights=weights(out), log=log[1:])

def write_files(files):
    "A run, a policy made of it, an exploration, and states."
    shutil.rmtree(files, ignore_errors=True)
    (files/'states').mkdir(parents=True)
    trained(files/'run', *RUNS['game'].split())
    gbxnb('export', files/'run', '--out', files/'policy', '--episodes', 0)
    gbxnb('explore', '--out', files/'atlas', '--steps', 16384, '--num-envs', 64, '--device', 'cpu')
    said('-c', STATES, TOWN, files/'states', 'write')

def read_files(files):
    "What each of them is today."
    with tempfile.TemporaryDirectory() as d:
        here = Path(shutil.copytree(files, f'{d}/files'))
        few = '--quick', '--episodes', 16, '--num-envs', 16, '--device', 'cpu'
        first = RUNS['game'].split()
        longer = trained(here/'run', '--resume', first[0], '--steps', 4096, *first[3:])
        explored = gbxnb('explore', '--resume', '--out', here/'atlas', '--steps', 20480, '--num-envs', 64, '--device', 'cpu')
        atlas = json.loads((here/'atlas/atlas.json').read_text(encoding='utf-8'))
        places = hashlib.sha256(json.dumps(atlas['places']).encode()).hexdigest()
        checked = gbxnb('goal', 'check', here/'atlas/1', '--rom', TOWN)
        found = dict(log=parsed(gbxnb('log', 'check', here/'run')), run=parsed(gbxnb('eval', here/'run', *few)),
                     policy=parsed(gbxnb('eval', here/'policy', *few)), resumed=longer, explored=[explored.startswith('exit'), places[:16]],
                     task=checked.startswith('exit'), states=json.loads(said('-c', STATES, TOWN, here/'states', 'read')))
        return json.loads(json.dumps(found).replace(d, ''))

def written_down(files, games):
    with tempfile.TemporaryDirectory() as d:
        golden = {name: trained(f'{d}/{name}', *words.split()) for name, words in RUNS.items()}
    roms = sorted(Path(games).glob('*.gb')) if games else []
    names = json.loads((root/'nbs/base/public_names.json').read_text(encoding='utf-8'))['names']
    states = json.loads(said('-c', PLAY, TOWN, *roms))
    return dict(names=names, helps=helps(), golden=golden, packaged=parsed(gbxnb('eval', '--quick', '--device', 'cpu')),
                states=states, files=read_files(files))

def differences(before, now, at=''):
    "A line for each."
    if isinstance(before, dict) and isinstance(now, dict):
        for k in sorted({*before, *now}):
            if k not in now or k not in before: yield f'{at}/{k}: ' + ('new' if k in now else 'gone')
            else: yield from differences(before[k], now[k], f'{at}/{k}')
    elif isinstance(before, str) and isinstance(now, str) and '\n' in before:
        yield from (f'{at}: {line}' for line in difflib.ndiff(before.splitlines(), now.splitlines()) if line[:2] in ('+ ', '- '))
    elif before != now: yield f'{at}: {before} -> {now}'

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('what', choices=['write', 'compare'])
    p.add_argument('folder', type=Path)
    p.add_argument('--games')
    o = p.parse_args()
    if o.what == 'write': write_files(o.folder/'files')
    now = json.loads(json.dumps(written_down(o.folder/'files', o.games)))
    kept = o.folder/'contract.json'
    if o.what == 'write':
        kept.write_text(json.dumps(now, indent=1), encoding='utf-8')
        return 0
    found = [*differences(json.loads(kept.read_text(encoding='utf-8')), now)]
    print(*(line[:200] for line in found), f'{len(found)} differences', sep='\n')
    return bool(found)

if __name__ == '__main__': sys.exit(main())
