"""How fast is a training of 8,192 consoles that 1, 2 or 4 processes of this machine share, and how much memory has each process?
`python tests/shared_sizes.py --out result.json`; each number of them twice, to and fro."""
import argparse, json, os, statistics, subprocess, sys, tempfile, time
from pathlib import Path
import psutil
from gbxnb.base.files import write_atomic
from gbxnb.base.progress import about, cores, in_turn
from gbxnb.logs.schema import read_log

BIN, NUM_ENVS, STEPS, UPDATES = Path(sys.executable).parent, 8192, 8, 3
WORDS = (f'town/house --num-envs {NUM_ENVS} --rollout-steps {STEPS} --minibatches 8 --packed --info-mode stats --stack-k 1 --model small '
         f'--eval-episodes 0 --save-every 1000 --device cpu --steps {UPDATES*NUM_ENVS*STEPS}').split()

def train(processes, out):
    "Steps/s of each update, and the most memory of each process, in MB."
    words = [BIN/'torchrun', '--nproc-per-node', processes, '--no-python', BIN/'gbxnb', 'train', *WORDS, '--out', out]
    env = os.environ | dict(OMP_NUM_THREADS=str(max(1, len(cores())//processes)))
    agent, most = subprocess.Popen([*map(str, words)], env=env, stdout=subprocess.DEVNULL), {}
    while agent.poll() is None:
        for p in psutil.Process(agent.pid).children():
            try: most[p.pid] = max(most.get(p.pid, 0), p.memory_info().rss)
            except psutil.Error: pass # it has ended
        time.sleep(.1)
    if agent.returncode: sys.exit(f'{processes} processes ended with {agent.returncode}')
    return [r.sps for r in read_log(out/'train_log.jsonl').records], sorted((round(n/1e6) for n in most.values()), reverse=True)

def measure():
    found = {}
    for _, n in in_turn([1, 2, 4], 2):
        with tempfile.TemporaryDirectory() as d: found.setdefault(n, []).append(train(n, Path(d)/'run'))
    sps = lambda runs: round(statistics.median(s for each, _ in runs for s in each[1:]), 1) # the first update compiles
    return [dict(processes=n, sps=sps(runs), mb=runs[-1][1], runs=runs) for n, runs in found.items()]

if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--out', required=True)
    counted = 'environment steps of training a second, all processes together; resident memory of each process at its largest, in MB'
    out = parser.parse_args().out
    write_atomic(out, json.dumps(dict(counted=counted, words=' '.join(WORDS), sizes=measure()) | about('cpu'), indent=1) + '\n')
