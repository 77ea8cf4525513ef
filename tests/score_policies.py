"""From a ROM to a policy by printed lines alone: score against random keys and against none, in eight games, with three seeds.

    python tests/score_policies.py ROMS nbs/studies/results/score_policies.json    a folder with the ROMs, whatever they are called

The games are chosen by a rule that looks at no policy: of the 32 of tests/scores.py on which nothing was made, those of which `gbxnb score`
says what pays; of these the eight whose number rises most often in the recording, as the line counts. Each has its `gbxnb score` and the
line that it prints, with a seed and a folder of its own and nothing else changed. Two trainings run at a time, with one thread each. Then
128 whole episodes are played by each of the three policies, by uniform random actions, and without a key; a score is what one of them
gained."""
import argparse, json, os, re, shlex, shutil, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
import torch
from strangers import roms_by_hash, typed
from gbxnb.base.files import UserError, cli_errors, read_json, write_atomic
from gbxnb.base.progress import Meter
from gbxnb.runs.policy import open_policy
from gbxnb.training.models import sample_actions

TRUTH = Path(__file__).with_name('scores_truth.json')
GAMES, SEEDS, EPISODES, JOBS = 8, 3, 128, 2

def score(job):
    "What `gbxnb score` says of a game, or why it says nothing."
    rom, folder = job
    folder.mkdir(parents=True, exist_ok=True)
    status, said, error, seconds = typed(f'gbxnb score {shlex.quote(rom)}', folder)
    if status: return dict(seconds=seconds, refused=error.replace(rom, 'game.gb'))
    pays, line = re.search(r'pays (\w+), .*train with: (.*)', said).groups()
    number = re.search(rf'^{pays} +(.*)$', said, re.M)[1]
    unit = int((re.search(r'/(\d+)', (folder/'score.py').read_text().split('return', 1)[-1]) or [0, 1])[1])
    return dict(seconds=seconds, pays=pays, number=number, unit=unit, line=line,
                rises=int(re.search(r'rises (\d+) times', number)[1]))

def train(job):
    "A policy by the printed line."
    line, folder, seed = job
    words, out = shlex.split(line), f'runs/seed{seed}'
    words[words.index('--out') + 1] = out
    shutil.rmtree(folder/out, ignore_errors=True) # of a measurement that was ended
    status, _, error, seconds = typed(shlex.join([*words, '--seed', str(seed)]), folder)
    if status: raise UserError(f'{folder.name}: {error}')
    return seconds

@torch.no_grad()
def play(env, policy, seed=1000):
    "What is gained in the first episodes of each environment: float[EPISODES]."
    each, gen = EPISODES//env.num_envs, torch.Generator().manual_seed(seed)
    obs, _ = env.reset(seed=seed)
    gained, played = torch.zeros(env.num_envs, each + 1), torch.zeros(env.num_envs, dtype=torch.long)
    while (played < each).any():
        obs, reward, done, trunc, _ = env.step(policy(obs, gen))
        gained[torch.arange(env.num_envs), played.clamp(max=each)] += reward
        played += (done | trunc).long()
    return gained[:, :each].flatten()

def facts(gained, unit):
    "Mean and 95% interval."
    mean, half = float(gained.mean())*unit, 1.96*float(gained.std())/len(gained)**.5*unit
    return dict(mean=round(mean, 2), low=round(mean - half, 2), high=round(mean + half, 2))

def trained(model): return lambda obs, gen: sample_actions(model(obs)[0], gen)
def at_random(env): return lambda obs, gen: torch.randint(env.num_actions, (env.num_envs,), generator=gen)
def without_keys(env): return lambda obs, gen: torch.zeros(env.num_envs, dtype=torch.long)

def judge(folder, unit, outs):
    "Policies, random keys and no key in the same environment."
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    found, others = [], {}
    for out in outs:
        env, model, _ = open_policy(out, num_envs=64, device='cpu', rewards='score:reward')
        with env:
            assert not env.codec.masks[0] # the first action presses nothing
            found.append(facts(play(env, trained(model)), unit))
            if not others: others = {k: facts(play(env, p(env)), unit) for k, p in dict(random=at_random, none=without_keys).items()}
    low, high = min(p['low'] for p in found), max(p['high'] for p in others.values())
    return dict(policies=found, **others, apart=low > high)

@cli_errors
def main():
    os.environ.setdefault('OMP_NUM_THREADS', '1')
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('roms', help='a folder with the ROMs')
    parser.add_argument('out', help='the results; what is in them already is not repeated')
    parser.add_argument('--work', default='runs/score_policies', help='where each game has a folder')
    parser.add_argument('--judge', default='', help='one game; prints its row')
    args = parser.parse_args()
    truth = {k: t for k, t in read_json(TRUTH, fix='it stands beside this script').items() if not t['made_on']}
    out = read_json(args.out, fix='it is what this script wrote') if Path(args.out).exists() else dict(found={}, trained_s={}, games={})
    work = Path(args.work).resolve()
    if args.judge:
        row = out['found'][args.judge]
        return print(json.dumps(judge(work/args.judge, row['unit'], [f'runs/seed{k}' for k in range(SEEDS)])))
    files = roms_by_hash(Path(args.roms), [t['sha256'] for t in truth.values()])
    def keep(): write_atomic(args.out, json.dumps(out, indent=1) + '\n')
    left = [k for k in truth if k not in out['found']]
    with ThreadPoolExecutor(JOBS) as pool, Meter('scores', len(left), 'game') as meter:
        for slug, row in zip(left, pool.map(score, [(str(files[truth[k]['sha256']]), work/k) for k in left])):
            out['found'][slug] = row
            keep()
            meter.update()
    pays = sorted((k for k, r in out['found'].items() if 'pays' in r), key=lambda k: -out['found'][k]['rises'])[:GAMES]
    jobs = [(k, seed) for k in pays for seed in range(SEEDS) if f'{k}, seed {seed}' not in out['trained_s']]
    with ThreadPoolExecutor(JOBS) as pool, Meter('trainings', len(jobs), 'policy') as meter:
        lines = [(out['found'][k]['line'], work/k, seed) for k, seed in jobs]
        for (slug, seed), seconds in zip(jobs, pool.map(train, lines)):
            out['trained_s'][f'{slug}, seed {seed}'] = seconds
            keep()
            meter.update()
    for slug in pays:
        if slug in out['games']: continue
        done = subprocess.run([sys.executable, __file__, args.roms, args.out, '--work', args.work, '--judge', slug],
                              capture_output=True, text=True)
        if done.returncode: raise UserError(f'{slug}: {done.stderr.strip().splitlines()[-1]}')
        out['games'][slug] = json.loads(done.stdout)
        keep()
        print(slug, out['games'][slug], flush=True)

if __name__ == '__main__': main()
