"""Does a run mind being killed? One run is left alone. Another, of the same seed, is killed (SIGKILL) and resumed; a third starts from a
stored policy, but cold: with the environments at their beginning."""
import contextlib, itertools, json, os, random, shutil, signal, sys, time
from pathlib import Path
import processes

EVERY = 2 # Updates between two checkpoints
WORDS = ('--num-envs 4 --rollout-steps 8 --minibatches 2 --epochs 1 --model small town/chest --demo-starts 5 --device cpu '
         f'--eval-episodes 0 --save-every {EVERY}').split()
RESUME = f'--resume --device cpu --eval-episodes 0 --save-every {EVERY}'.split()

def train(out, *words):
    "Train to the end in a process of its own."
    status, said = processes.finish('train', '--out', out, *words, said=out.with_suffix('.txt'))
    assert status == 0, said

def told(out):
    "The update of the last whole record in the log; 0 if there is none."
    try: lines = (out/'train_log.jsonl').read_bytes().split(b'\n')[:-1]
    except FileNotFoundError: return 0
    return max([json.loads(s).get('update', 0) for s in lines[-20:]], default=0)

def facts(out): return json.loads((out/'checkpoint.json').read_text())
def update(out): return facts(out)['counters']['update'] if (out/'checkpoint.json').exists() else -1
def policy(out): return facts(out)['files']['policy']['sha256']

def left_over(out):
    "Files of ours that belong to a checkpoint, but not to the one that is there, and when they were written."
    from gbxnb.base.files import read_manifest
    named = {f['name'] for f in facts(out)['files'].values()} if update(out) >= 0 else set()
    names = {n for n in (read_manifest(out) or ('', ()))[1] if '/' not in n and n.endswith('.safetensors') or n == 'checkpoint.json'}
    parts = [out/n for n in names - named - {'checkpoint.json'}] + [out/f'.part-{n}' for n in names]
    found = set()
    for p in parts:
        with contextlib.suppress(FileNotFoundError): found.add((p.name, p.stat().st_mtime_ns)) # a run that lives moves them
    return found

def die_at(fatal):
    "Die, as if killed, at the `fatal`th file that is opened, renamed or removed from here on; 0 is never."
    events = itertools.count(1)
    def watch(event, args):
        if event.split('.')[0] in ('open', 'os', 'fcntl', 'tempfile') and next(events) == fatal: os.kill(os.getpid(), signal.SIGKILL)
    if fatal: sys.addaudithook(watch)

def killed_at(fatal, do):
    "Do something in a child that is killed at its file operation number `fatal`; whether it came to its end."
    child = os.fork()
    if child: return os.waitpid(child, 0)[1] == 0
    try:
        signal.alarm(120)
        die_at(fatal)
        do()
        os._exit(0)
    finally: os._exit(1)

def claim(out, fatal=0):
    "Take a folder for a run; die on the way."
    from gbxnb.base.files import claim_folder
    die_at(fatal)
    claim_folder(out, 'run', replace=True).close()

def save(out, x, fatal=0):
    "Save a checkpoint of update `x`; die on the way."
    from gbxnb.base.files import claim_folder
    from gbxnb.runs.checkpoint import Checkpoint, save_checkpoint
    import numpy as np
    counters = dict(update=x, updates=9, env_steps=x, opt_steps=x, wall_time_s=0.)
    meta, weights = dict(run_id='run', trace_id='run', counters=counters, config={}, world={}), dict(w=np.full(1000, x, np.float32))
    with claim_folder(out, 'run', replace=True) as folder:
        die_at(fatal)
        save_checkpoint(folder, Checkpoint(meta, weights, dict(s=weights['w'])))

def saved(folder):
    "The update and the first weight of the checkpoint in `folder`."
    from gbxnb.runs.checkpoint import load_checkpoint
    c = load_checkpoint(folder, resume=True)
    return c.meta['counters']['update'], float(c.policy['w'][0])

def _struck(words, said, env, number, update):
    from gbxnb.training.rollout import Run
    learn, updates = Run.learn, itertools.count(1)
    def counted(run):
        if next(updates) == update: os.kill(os.getpid(), number)
        return learn(run)
    Run.learn = counted
    processes._run('train', words, said, 0, env)

def start_struck(
    *words, # Its command line
    said:Path, # The file that gets what it says
    number:int, # The signal
    update:int, # Counted from where it begins or goes on
    **env:str, # Added to its environment
):
    "A training that gets a signal in one of its updates."
    return processes.Process(_struck, words, said, env, number, update)

def kill_once(out, words, aim, rng, pace):
    "Start or resume the run, kill it somewhere or in one of its updates, and look at what it left."
    from gbxnb.runs.checkpoint import load_checkpoint
    before, litter, said = told(out), left_over(out), out.with_suffix('.txt')
    known = isinstance(aim, int)
    process = (start_struck('--out', out, *words, said=said, number=signal.SIGKILL, update=aim) if known else
               processes.start('train', '--out', out, *words, said=said))
    begin = time.monotonic()
    if known: process.join(600)
    elif aim == 'start': time.sleep(rng.uniform(0, 1))
    else:
        wanted = before + rng.randint(1, 2) if aim == 'anywhere' else before + 2 - before % 2 # a record with a checkpoint after it
        def until(so):
            while not so() and process.is_alive() and time.monotonic() < begin + 600: time.sleep(.0005)
        until(lambda: told(out) >= wanted)
        if aim == 'saving': until(lambda: left_over(out) - litter) # a slow machine saves no slower than a fast one
        time.sleep(rng.uniform(0, 2*pace if aim == 'anywhere' else .02)) # a save takes that long, or longer
    assert known or process.is_alive(), 'it ended before it was killed'
    if process.is_alive(): process.kill()
    assert process.exitcode == -signal.SIGKILL
    kept = load_checkpoint(out, resume=True).meta['counters']['update'] if update(out) >= 0 else -1
    unfinished = sorted({name.removeprefix('.part-').split('-')[0].split('.')[0] for name, _ in left_over(out) - litter})
    found = dict(aim=aim, logged=told(out), kept=kept, unfinished=unfinished)
    assert 0 <= found['logged'] - found['kept'] <= EVERY, found
    return found

def cold_start(at, out):
    "The policy of a run that takes up everything from the checkpoint in `at` but its environments: these begin anew."
    from gbxnb.base.files import open_folder
    from gbxnb.runs.checkpoint import Save, load_checkpoint, load_world, resume_run
    from gbxnb.training.loop import train as loop
    c = load_checkpoint(at, resume=True)
    run = resume_run(load_world(c.meta, at, c.meta['config']['num_envs'], training=True), c)
    run.obs = run.env.reset(seed=run.cfg.seed)[0]
    with open_folder(out, 'run') as folder: loop(run, [Save(folder, 0)])
    return policy(out)

def kill_and_compare(folder, aims, seed, updates=0):
    "The three runs, and what was found; they are as long as the aims need, or so many updates."
    rng, steps = random.Random(seed), ['--steps', 32*(updates or 3*len(aims) + 8)]
    whole, killed, cold = (folder/n for n in ('whole', 'killed', 'cold'))
    train(whole, *WORDS, *steps)
    pace = json.loads((whole/'train_log.jsonl').read_text().splitlines()[-1])['wall_time_s']/update(whole)
    found = []
    for aim in aims:
        found.append(kill_once(killed, RESUME if found else WORDS + steps, aim, rng, pace))
        if not cold.exists() and found[-1]['kept'] % 5: shutil.copytree(killed, cold) # at 5 all episodes begin anew anyway
    train(killed, *RESUME)
    cold_start(cold, cold)
    assert update(whole) == update(killed) == update(cold) and not left_over(killed)
    return dict(kills=found, updates=update(whole), policy_sha256={p.name: policy(p) for p in (whole, killed, cold)})
