"""What metrics, log and progress cost a training, in calls of Python and in the time of its thread: `python tests/log_cost.py --out FILE`.

Two runs of one process play the same steps and learn the same, one with and one without them. They make their updates in turn,
each first in every second pair; what a pair differs by is a share of the update without. Its mean has an interval of 95%, and pairs
are added until that is half as wide as `WIDTH`, or until there are enough.
"""
import argparse, gc, json, time
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch
import numpy as np
import torch
from gbxnb.base.files import claim_folder, write_atomic
from gbxnb.bench.throughput import python_calls
from gbxnb.base.progress import about
from gbxnb.runs.policy import make
from gbxnb.training import ppo
from gbxnb.training.callbacks import Log, Progress, ReportErrors, run_meta
from gbxnb.training.config import PPOConfig
from gbxnb.training.loop import tune_cpu
from gbxnb.training.rollout import start_run

WIDTH = .02 # of the interval, as a share of an update

class Off:
    "Metrics that count nothing and write no record."
    def add_step(self, *args): pass
    def record(self, **scalars): return {}

def nothing(*args): return {}

class Trainer:
    "Makes updates with all that is logged, or with nothing."
    def __init__(self, world, cfg, path, telemetry):
        self.run, self.callbacks = start_run(world, cfg, 10**9), []
        self.quiet = nullcontext()
        if telemetry:
            folder, said = claim_folder(path, 'run'), open(path.with_suffix('.txt'), 'w')
            self.callbacks = [Log(folder, run_meta(self.run, {})), ReportErrors(), Progress(said)]
        else:
            self.run.reducer = Off()
            self.quiet = patch.multiple(ppo, actor_critic_fields=nothing, explained_variance=nothing)
        for c in self.callbacks: c.on_start(self.run)

    def update(self):
        fields = self.run.learn()
        if not self.callbacks: return
        self.run.log_update(fields, time.perf_counter())
        for c in self.callbacks: c.on_update(self.run)

    def timed(self):
        "Seconds of this thread for an update."
        with self.quiet:
            began = time.thread_time()
            self.update()
            return time.thread_time() - began

    def calls(self):
        with self.quiet: return python_calls(self.update)

    def weights(self): return torch.cat([p.detach().flatten() for p in self.run.model.parameters()])

    def close(self):
        for c in self.callbacks: c.on_end(self.run)
        self.run.env.close()

def interval(shares):
    "Mean, and half the width of its interval, without the tenth of the pairs that something else disturbed most."
    x = np.sort(shares)
    cut = len(x)//20
    kept = x[cut:len(x) - cut]
    spread = np.concatenate([np.full(cut, kept[0]), kept, np.full(cut, kept[-1])]).std(ddof=1) # winsorized, for a trimmed mean
    return kept.mean(), 1.96*spread/((1 - 2*cut/len(x))*len(x)**.5)

def measure(make_world, cfg, pairs):
    "One row of the record."
    with TemporaryDirectory() as tmp:
        off, on = (Trainer(make_world(), cfg, Path(tmp)/str(k), k) for k in (0, 1))
        for trainer in (off, on)*2: trainer.timed()
        gc.collect()
        gc.disable() # it comes when it likes, in one run or in the other
        shares, base = [], []
        try:
            while len(shares) < pairs:
                took = {trainer: trainer.timed() for trainer in ((off, on) if len(shares) % 2 else (on, off))}
                shares.append(took[on]/took[off] - 1)
                base.append(took[off])
                if len(shares) >= 40 and len(shares) % 20 == 0 and 2*interval(shares)[1] < WIDTH/2: break
            calls = dict(off=off.calls(), on=on.calls())
        finally: gc.enable()
        same = bool(off.weights().equal(on.weights()))
        for trainer in off, on: trainer.close()
    mean, half = interval(shares)
    return dict(num_envs=cfg.num_envs, rollout_steps=cfg.rollout_steps, pairs=len(shares), update_ms=round(1e3*float(np.median(base)), 2),
                share=round(float(mean), 4), low=round(float(mean - half), 4), high=round(float(mean + half), 4), python_calls=calls,
                same_weights=same)

def main(pairs, sizes=((16, 16), (64, 16)), max_steps=64):
    "The whole record."
    tune_cpu(1)
    counted = ('share of an update of PPO (town/house, network small, 4 epochs of 4 minibatches) that metrics, log, errors and '
               'progress add; calls of Python of one update')
    rows = [measure(lambda n=n: make('town/house', n, max_steps=max_steps, device='cpu'),
                    PPOConfig(num_envs=n, rollout_steps=steps, model='small', minibatches=4, epochs=4), pairs) for n, steps in sizes]
    return dict(counted=counted, clock='time of the thread, updates in turn, trimmed mean with an interval of 95%',
                threads=torch.get_num_threads(), **about('cpu'), rows=rows)

if __name__ == '__main__':
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument('--out', help='file of the record; by default it is printed')
    p.add_argument('--pairs', type=int, default=400, help='at most')
    a = p.parse_args()
    text = json.dumps(main(a.pairs), indent=1) + '\n'
    write_atomic(a.out, text) if a.out else print(text, end='')
