"""Does work of minutes mind being ended? `python tests/stops.py --out stops.json`

Each command is left alone once. Then it is begun anew for each signal and try, and gets SIGINT, SIGTERM or SIGKILL at a random moment of
the time that it took alone. It goes on by the command line that its last line gives; where that gives none, because nothing was stored yet
or because it was killed, by the same words and `--resume`, and where that is refused by the same words. Its end must be that of the command
that was left alone, bit for bit but for times; and what was asked to end must have stored all that it had shown as done."""
import argparse, json, os, random, shlex, signal, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
import kills, processes
from survive import in_charge

SIZE = '--num-envs 4 --rollout-steps 8 --minibatches 2 --epochs 1 --model small town/house --device cpu --max-steps 6'
TRIES = 6 # of each command and signal: ten minutes on two cores
SIGNALS = dict(SIGINT=130, SIGTERM=143, SIGKILL=-9)
TIMES = 'wall_time_s', 'sps', 'fps', 'updates_per_s', 'seconds', 'cpu_seconds', 'created_at', 'git_sha'

def untimed(value):
    "A JSON value without what a clock says."
    if isinstance(value, dict): return {k: untimed(v) for k, v in value.items() if k not in TIMES}
    return [*map(untimed, value)] if isinstance(value, list) else value

def records(out):
    "What a log says of each update, the last time it was played."
    lines = [r for r in map(json.loads, (out/'train_log.jsonl').read_text().splitlines()) if 'action_hist' in r]
    return {r['update']: untimed({k: v for k, v in r.items() if not k.startswith('eval_')}) for r in lines}

def end_of_run(out): return kills.policy(out), records(out)

def end_of_demo(out):
    return *end_of_run(out), (out/'rollout.gif').read_bytes(), untimed(json.loads((out/'summary.json').read_text()))

def end_of_tasks(out):
    "Everything but the manifests, and what only serves going on."
    kept = {k: v for k, v in processes.content(out).items() if not k.endswith(('manifest.json', 'exploration.npz'))}
    return {k: untimed(json.loads(v)) if k.endswith('.json') else v for k, v in kept.items()}

def end_of_learn(out): return untimed(json.loads(out.read_text()))

def updates(out): return dict(logged=kills.told(out), stored=kills.update(out))

def rows(out): return dict(stored=len([*(out.with_suffix('.jobs')/'1-of-1').glob('0*.json')]))

@dataclass(frozen=True)
class Work:
    "A command that takes minutes, in small."
    words: str # Its command line, but for --out
    end: object # From its result to what must be equal
    kept: object=lambda out: {} # From its result to what it had shown, and what it had stored
    lose: int=0 # How much a killed one may lose of what it had shown

WORK = dict(
    train=Work(f'train {SIZE} --steps 2560 --save-every 5 --eval-every 9 --eval-episodes 4', end_of_run, updates, 5),
    demo=Work(f'demo {SIZE} --steps 1280 --episodes 8', end_of_demo, updates, 10),
    explore=Work('explore --num-envs 16 --steps 8192 --places 3 --shorten-steps 512 --save-every 2048 --device cpu', end_of_tasks),
    propose=Work('goal propose @/game.gb --count 3 --num-envs 8 --rollout-steps 64', end_of_tasks),
    learn=Work('learn catch --seeds 1 --steps 2048 --jobs 1', end_of_learn, rows))

def split(line):
    "The command and its words."
    words = shlex.split(line)
    return (' '.join(words[:2]), words[2:]) if words[0] == 'goal' else (words[0], words[1:])

def play(at, line, said):
    "A command line to its end; its exit status."
    command, words = split(line)
    return processes.finish(command, *words, said=said)[0]

def line_of(name, at): return f'{WORK[name].words.replace("@", str(at.parent))} --out {shlex.quote(str(place(name, at)))}'
def place(name, at): return at/('out.json' if name == 'learn' else 'out')

def last_line(said):
    lines = said.read_text(errors='replace').strip().splitlines() if said.exists() else []
    assert not any('Traceback' in s for s in lines), lines[-12:]
    return lines[-1] if lines else ''

def strike(name, at, number, moment):
    "Begin, and be asked to end at a moment; the exit status, and the line that goes on, if it gives one."
    command, words = split(line_of(name, at))
    process = processes.start(command, *words, said=at/'said')
    process.join(moment)
    while number != signal.SIGKILL and process.is_alive() and not in_charge(process.pid): time.sleep(.002)
    if process.is_alive(): os.kill(process.pid, number)
    process.join(600)
    line = last_line(at/'said') if number != signal.SIGKILL else ''
    return process.exitcode, line.partition('; go on with: gbxnb ')[2]

def go_on(name, at, line):
    "How it went on: `line`, `resume` or `anew`."
    words = line_of(name, at)
    resumed = {} if name in ('propose', 'learn') else dict(resume=f'{words} --resume') # these go on by the same words
    tries = dict(line=line) if line else resumed | dict(anew=words)
    said = []
    for how, words in tries.items():
        status = play(at, words, at/f'said-{how}')
        said.append(last_line(at/f'said-{how}'))
        if status == 0 or name == 'learn' and 'the lower bound' in said[-1]: return how
        if name == 'train' and 'has already played' in said[-1]: return 'it had played all'
    raise AssertionError(f'nothing goes on: {said}')

def attempt(name, signal_name, moment, alone):
    "One try; what became of it. Raises AssertionError for a finding."
    work, number = WORK[name], signal.Signals[signal_name]
    with tempfile.TemporaryDirectory() as d:
        at = Path(d)/'work'
        at.mkdir()
        (Path(d)/'game.gb').write_bytes(GAME)
        status, line = strike(name, at, number, moment)
        ends = {0, 1} if name == 'learn' else {0}
        found = dict(command=name, signal=signal_name, moment=round(moment, 2), status=status, **work.kept(place(name, at)))
        if status in ends: found['went_on'] = 'it had ended'
        else:
            assert status in (SIGNALS[signal_name], -number), found # the second before it has come so far as to catch signals
            lost = found['logged'] - max(found['stored'], 0) if 'logged' in found else 0
            assert 0 <= lost <= (work.lose if number == signal.SIGKILL else 0), found
            found['went_on'] = go_on(name, at, line)
        same = work.end(place(name, at)) == alone
        assert same, f'another end: {found}'
    return found

def undisturbed(name):
    "The end of a command that is left alone, and the seconds it takes once all is loaded."
    found = []
    for _ in range(2):
        with tempfile.TemporaryDirectory() as d:
            at, begin = Path(d)/'work', time.monotonic()
            at.mkdir()
            (Path(d)/'game.gb').write_bytes(GAME)
            play(at, line_of(name, at), at/'said')
            last_line(at/'said')
            found.append((WORK[name].end(place(name, at)), time.monotonic() - begin))
    (one, _), (two, took) = found
    assert one == two, f'{name}: two that are left alone differ'
    return two, took

def run_one(name, signals, tries, seed, jobs):
    "All tries of a command; what came of them."
    rng, rows, findings = random.Random(f'{name} {seed}'), [], []
    alone, took = undisturbed(name)
    moments = [(s, rng.uniform(0, took)) for s in signals for _ in range(tries)]
    with ThreadPoolExecutor(jobs) as pool:
        for f in [pool.submit(attempt, name, s, moment, alone) for s, moment in moments]:
            try: rows.append(f.result())
            except AssertionError as e: findings.append(str(e))
    return dict(words=WORK[name].words, alone_s=round(took, 1), summary=[summary(rows, s) for s in signals], findings=findings, rows=rows)

def summary(rows, signal_name):
    "What became of the tries with one signal."
    those = [r for r in rows if r['signal'] == signal_name]
    lost = [r['logged'] - max(r['stored'], 0) for r in those if 'logged' in r and r['went_on'] != 'it had ended']
    how = {k: sum(r['went_on'] == k for r in those) for k in dict.fromkeys(r['went_on'] for r in those)}
    return dict(signal=signal_name, tries=len(those), went_on=how) | (dict(most_lost=max(lost)) if lost else {})

GAME = (Path(__file__).parent.parent/'gbxnb/data/town.gb').read_bytes()

if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--only', default=','.join(WORK), help='commands, with commas between them')
    parser.add_argument('--by', default=','.join(SIGNALS), help='signals, likewise')
    parser.add_argument('--tries', type=int, default=TRIES, help='of each command and signal')
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--jobs', type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument('--out', type=Path, help='a JSON file; of commands that it has already, nothing is tried')
    args = parser.parse_args()
    from gbxnb.base.files import read_json, write_atomic
    processes.open_nest() # before there are threads
    kept = read_json(args.out) if args.out and args.out.exists() else {}
    for name in args.only.split(','):
        if name not in kept: kept[name] = run_one(name, args.by.split(','), args.tries, args.seed, args.jobs)
        print(*(json.dumps(dict(command=name) | s) for s in kept[name]['summary']), *kept[name]['findings'], sep='\n', flush=True)
        if args.out: write_atomic(args.out, json.dumps(kept, indent=1) + '\n')
    sys.exit(any(found['findings'] for found in kept.values()))
