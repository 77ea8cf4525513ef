"""A GPU does what the CPU does: environments bit for bit, saved and copied as well, and an update of each algorithm, without a wait.

Where there is no GPU this is skipped. What is tried is the same for any device: `--slow` puts the CPU in the GPU's place, so a fault of
these tests themselves is found anywhere."""
import json
from types import SimpleNamespace

import gpu
import numpy as np
import pytest
import torch
import warp as wp
from gbxnb.backends.warp import make_backend
from gbxnb.bench.throughput import steady
from gbxnb.games.bundled import probe_rom
from gbxnb.runs.doctor import NEAR
from gbxnb.runs.policy import USUAL_WORLD, algorithm_config, world_config
from gbxnb.training.callbacks import Callback
from gbxnb.training.loop import train
from gbxnb.training.rollout import start_run
from gbxnb.worlds.contract import WORLDS
from test_clone import KINDS, check_same, everything, make_env, on, play, tensors

GPU = torch.cuda.is_available() and wp.is_cuda_available()
NO_GPU = pytest.mark.skipif(not GPU, reason='there is no GPU here that torch and Warp can use; gbxnb doctor says what they see')
DEVICES = [pytest.param('cuda', marks=NO_GPU), pytest.param('cpu', marks=pytest.mark.slow)]
everywhere = pytest.mark.parametrize('device', DEVICES)

@pytest.fixture(autouse=True)
def without_traces(monkeypatch):
    "The step in which they come in waits, once."
    monkeypatch.setenv('GBXNB_TRACES', 'off')

# ---- environments

@everywhere
@pytest.mark.parametrize('kind', KINDS)
def test_an_environment(device, kind):
    "Many steps, with copies and without, recorded and not; and a bank that grows meanwhile."
    seen, n = [], 70
    for place in 'cpu', device:
        rng = torch.Generator().manual_seed(4)
        with make_env(kind, place, n) as env:
            env.reset()
            for t in range(16):
                several = 2 if t % 3 else 7
                source = torch.arange(n)//several*several
                actions = torch.randint(0, env.num_actions, (n,), generator=rng).to(env.device)
                env.step(actions, source.to(env.device) if t % 2 else None)
                if t == 9: env.add_starts([env.backend.snapshot(1)]*3)
            assert env.errors() == [] and env.obs.device.type == torch.device(place).type
            seen.append(tensors(env))
    check_same(*seen)

@everywhere
@pytest.mark.parametrize('kind', ['plain', 'goal', 'packed', 'stacked'])
def test_a_step_waits_for_nothing(device, kind):
    "Nor does it allocate; what it returns is on the device, and PyTorch finds no wait either."
    with make_env(kind, device, 8) as env:
        env.reset()
        actions = torch.arange(8, device=env.device) % env.num_actions
        found = steady(lambda: env.step(actions), 8) # recorded by then
        assert found.waits == [] and found.allocations == []
        if device == 'cuda': torch.cuda.set_sync_debug_mode('error')
        try: told = env.step(actions)
        finally:
            if device == 'cuda': torch.cuda.set_sync_debug_mode('default')
        assert {t.device.type for t in (*told[:4], env.final_obs)} == {device}

@everywhere
@pytest.mark.parametrize('kind', ['goal', 'packed'])
def test_a_state_goes_over(device, kind):
    "What the CPU saved goes on there, and what was saved there goes on on the CPU."
    seen = []
    for first, then in ('cpu', device), (device, 'cpu'):
        with make_env(kind, first, 8) as a, make_env(kind, then, 8) as b:
            for env in a, b: env.reset()
            for t in range(5): a.step((torch.arange(8, device=a.device) + t) % a.num_actions)
            b.load_state_dict(a.state_dict())
            for t in range(5): b.step((torch.arange(8, device=b.device)*2 + t) % b.num_actions)
            seen.append(tensors(b))
    check_same(*seen)

@everywhere
def test_a_bank(device):
    seen = []
    for place in 'cpu', device:
        b = make_backend('warp', probe_rom(), 64, place)
        play(b, np.random.default_rng(0), 3)
        b.set_bank([b.snapshot(0)], capacity=64)
        b.store(on(place, np.arange(64) % 3 > 0, wp.bool), on(place, np.arange(64)[::-1].copy(), wp.int32))
        b.add_to_bank([b.snapshot(5)]*40)
        play(b, np.random.default_rng(1), 2)
        b.restore(on(place, np.arange(64) % 2 > 0, wp.bool), on(place, 63 - np.arange(64)//6*6 - 1, wp.int32))
        b.clone(on(place, np.arange(64)//4*4, wp.int32))
        seen.append([*everything(b), b.faults.numpy(), b.bank_size.numpy()])
        b.close()
    for a, c in zip(*seen): assert (a == c).all()

# ---- training

class Waits(Callback):
    "What the last update waited for: all of an update, but for its record, is counted."
    def on_start(self, run):
        real = run.learn
        def learn():
            if run.update < run.updates - 1: return real()
            fields = []
            self.found = steady(lambda: fields.append(real()), 0, 1).waits
            return fields[0]
        run.learn = learn

FREE = ':truncated_values ' # looks, on a CPU alone, whether there is anything to do

def flat(model): # a copy; weights of convolutions may lie channels last, which torch's own function cannot take
    return torch.cat([p.detach().reshape(-1) for p in model.parameters()]).clone()

def updated(device, algo, **more):
    "A run of two updates, and how far its weights went."
    kind, sizes = WORLDS.load(USUAL_WORLD), dict(num_envs=8, rollout_steps=8) | more
    cfg = algorithm_config(algo, sizes, kind.defaults)
    env = kind.make(world_config(kind, dict(task='town/house', max_steps=16)), 8, device, training=True)
    run, waits = start_run(env, cfg, 2*cfg.batch), Waits()
    before = flat(run.model)
    train(run, [waits])
    return run, flat(run.model) - before, waits.found

@everywhere
@pytest.mark.parametrize('algo, more', [('ppo', {}), ('a2c', {}), ('ppo', dict(precision='bfloat16'))])
def test_an_update(device, algo, more):
    "It plays, learns and records, on the device alone; the same seed brings the same again, up to rounding."
    run, way, waits = updated(device, algo, **more)
    assert [w for w in waits if device == 'cuda' or FREE not in w] == []
    assert (run.update, run.env_steps, run.record['update'], run.env.errors()) == (2, 128, 2, [])
    assert way.isfinite().all() and way.norm() > 0 and way.device.type == device
    assert all(p.grad is None or p.grad.isfinite().all() for p in run.model.parameters())
    again = updated(device, algo, **more)[1]
    assert (again - way).norm() <= NEAR*way.norm()
    if device == 'cpu': assert again.equal(way)

# ---- the script that a machine with a GPU runs

def test_rows_say_what_they_depend_on():
    "Rows deep inside of a result too; what a row says itself stays."
    facts = dict(driver_version='12.8', precision=None)
    found = gpu.with_facts(dict(ok=True, rows=[dict(n=1), dict(n=2, precision='bfloat16')], sub=dict(rows=dict(a=dict(n=3))), n=[4]), facts)
    assert found == dict(ok=True, rows=[facts | dict(n=1), dict(driver_version='12.8', precision='bfloat16', n=2)],
                         sub=dict(rows=dict(a=facts | dict(n=3))), n=[4])
    assert next(iter(gpu.STAGES)) == 'smoke' and {'driver_version', 'nvidia_driver', 'precision', 'compile'} <= {*gpu.row_facts('cpu')}

@pytest.mark.slow
def test_a_smoke_that_fails_is_said(tmp_path, monkeypatch):
    "And the next kind of run is tried."
    from gbxnb.runs import doctor
    asked = []
    def check(t):
        asked.append(t.run.cfg)
        if t.run.cfg.algorithm == 'a2c': raise ArithmeticError('planted')
    monkeypatch.setattr(doctor, 'CHECKS', dict(check=check))
    found = gpu.smoke(SimpleNamespace(device='cpu', small=True, out=tmp_path, rows=[]))
    assert not found['ok'] and [r['ok'] for r in found['rows']] == [True, False, True] and [*tmp_path.iterdir()] == []
    assert [(c.algorithm, c.precision) for c in asked] == [('ppo', 'float32'), ('a2c', 'float32'), ('ppo', 'bfloat16')]
    assert found['rows'][1]['checks'][1] == dict(check='check', ok=False, said='ArithmeticError: planted')
    assert json.dumps(found)
