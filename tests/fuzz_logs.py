"""Training logs with other bytes, other values and other lines in them, or with something in their place.

A reader skips what is no record and says so, or refuses the log in a line; the run that goes on with it adds lines to its own log
only, and whatever whole lines it had are still there."""
import json, random
from pathlib import Path
from damage import change_bytes, change_json, other_file
from gbxnb.base.files import UserError
from gbxnb.logs.schema import LogWriter, read_log
from gbxnb.logs.plots import log_plot_cli
from gbxnb.logs.schema import Resume
from gbxnb.logs.plots import EVENTS, log_tensorboard_cli
from gbxnb.logs.validate import log_check_cli
from watched import room, tree, watching

COUNT = 3000
EXAMPLE = Path(__file__).parent.parent/'nbs/logs/example_log.jsonl'
META, RECORD = map(json.loads, EXAMPLE.read_text().splitlines()[:2])
ODD = ('x', '8', None, True, [], {}, [1], -1, -1., .5, 0, 10**15, 10**16, 2**64, 10**400, 1e39, 1e300, 1e-300, {'update': 5}, {'run_id': 5},
       {'env_steps': 10**400}, {'message': []}, [[[[]]]], '\ud800', 'x'*70_000, float('nan'))
NAMES = ('env_steps', 'update', 'run_id', 'losses', 'extras', 'action_hist', 'wall_time_s', 'success_rate', 'dist_p50', 'eval_mean_return')
LINES = [b'5', b'"x"', b'[]', b'{}', b'null', b'', b'\xff', b'\0', b'NaN', b'{"a":'*9000, b'['*60_000, b'x'*200_000, b'1' + b'0'*5000,
         b'{"meta": {}, "resume": {}}', b'{"env_steps": 1, "env_steps": 2}']
LINES += [json.dumps(RECORD | {f'n{i}': .5 for i in range(3000)}).encode()]
LINES += [json.dumps({kind: odd}).encode() for kind in ('meta', 'resume', 'error', 'alarm') for odd in ODD]
LINES += [json.dumps(RECORD | {name: odd}).encode() for odd in ODD for name in NAMES]
LINES += [json.dumps(dict(meta=META['meta'] | {name: odd})).encode() for odd in ODD for name in ('record', 'world', 'versions')]
LINES += [json.dumps(dict(meta=META['meta'] | dict(record=dict(type='object', properties=odd)))).encode() for odd in ODD]
LINES += [json.dumps(RECORD | dict(losses=dict(RECORD['losses'], value=odd), extras={'a/b': odd})).encode() for odd in ODD]

def other_bytes(rng, data):
    "Random bytes at random places, or a piece of it cut, repeated or replaced."
    if rng.random() < .3: return change_bytes(rng, data)
    data = bytearray(data)
    for _ in range(rng.choice((1, 5, 50, 500))): data[rng.randrange(len(data))] = rng.choice((rng.randrange(256), *b'{}[]",:\n0-9e.'))
    return bytes(data)

def other_lines(rng, data):
    "Odd lines at random places; lines of it with other values, twice, elsewhere, or gone."
    lines = data.splitlines()
    for _ in range(rng.choice((1, 1, 3, 20))):
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(6):
            case 0 | 1: lines.insert(i, rng.choice(LINES))
            case 2: lines.insert(i, lines[j])
            case 3: lines[i], lines[j] = lines[j], lines[i]
            case 4: del lines[i:i + (len(lines) > 1)]
            case _:
                try: lines[i] = json.dumps(change_json(rng, json.loads(lines[i]))).encode()
                except (ValueError, RecursionError): lines[i] = rng.choice(LINES)
    return b'\n'.join(lines) + rng.choice((b'\n', b'\n', b'', b'\n{"upd'))

def damaged(rng, data):
    "The content of a log, damaged."
    return rng.choice((other_bytes, other_lines))(rng, data)

def go_on(r, log, example):
    "Take the log up as its run would."
    before, kept = tree(r.path), log.read_bytes() if log.is_file() and not log.is_symlink() and log.stat().st_size < 10**8 else b''
    where = Resume(run_id=example.meta.run_id, trace_id='example-u000001', env_steps=128, opt_steps=8, update=1)
    with watching(log):
        try: LogWriter(log, example.meta, where).close()
        except UserError as e:
            assert '\n' not in str(e) and len(str(e)) < 1000, e
            assert tree(r.path) == before, 'a log that is refused stays as it is'
            return 'not taken up'
    after = tree(r.path)
    assert {k for k in after if after[k] != before.get(k)} == {'mine/train_log.jsonl'} and before.keys() <= after.keys()
    whole = kept[:kept.rfind(b'\n') + 1]
    assert log.read_bytes().startswith(whole), 'a whole line is gone'
    assert log.read_bytes()[len(whole):].count(b'\n') == 1 + (not kept), 'one line is added, and to an empty log what begins it'
    return 'taken up'

def prepare(): return EXAMPLE.read_bytes(), read_log(EXAMPLE)

def attempt(seed, shared)->str:
    data, example = shared
    rng = random.Random(seed)
    with room() as r:
        r.fill({'train_log.jsonl': damaged(rng, data)})
        log = r.mine/'train_log.jsonl'
        if rng.random() < .1: other_file(rng, log, r.path/'theirs/train_log.jsonl')
        match rng.randrange(10 if rng.random() < .2 else 9): # drawing is slow
            case 0 | 1 | 2: return f'validated: {r.call(log_check_cli, log, report=True)[0]}'
            case 3 | 4 | 5: return f'exported: {r.call(log_tensorboard_cli, log, out=r.mine/"tb", free=[f"mine/tb/{EVENTS}"])[0]}'
            case 9: return f'drawn: {r.call(log_plot_cli, log, out=r.mine/"train.png", free=["mine/train.png"])[0]}'
            case _: return go_on(r, log, example)
