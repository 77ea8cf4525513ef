"The benches of learning name no console: they take worlds and algorithms from registries. What measures the console is beside them."
import ast, json
from collections import Counter
from dataclasses import replace

import processes
import pytest
from torch.utils._python_dispatch import TorchDispatchMode
from gbxnb.emulator.cpu import machine_kernel
from gbxnb.base.command import call
from gbxnb.base.files import UserError
from gbxnb.bench.throughput import bench_env_cli, read_rows, _callers, _storages
from gbxnb.runs.policy import make
from gbxnb.training.config import A2CConfig, PPOConfig
from gbxnb.training.rollout import start_run
from machine_code import compile_code, over_budget, read_code
from pages import root

GENERAL = 'throughput', 'train', 'learning'
BANNED = 'gbxnb.emulator', 'gbxnb.backends', 'gbxnb.envs'
LOADED = """import importlib, json, sys
for name in [m for m in sys.modules if m.split('.')[0] == 'gbxnb']: del sys.modules[name] # the process has everything, from before
for name in GENERAL: importlib.import_module(f'gbxnb.bench.{name}')
print(json.dumps([m for m in sys.modules if m.startswith(('gbxnb.emulator', 'gbxnb.backends'))]))"""

def imported(path):
    "Modules that a file of the room `bench` imports, with absolute names."
    for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
        if isinstance(node, ast.Import): yield from (a.name for a in node.names)
        if isinstance(node, ast.ImportFrom):
            yield '.'.join(filter(None, ['', 'gbxnb.bench', 'gbxnb'][node.level:node.level + 1] + [node.module]))

def test_benches_import_no_console():
    found = {p.name: [m for m in imported(p) if m.startswith(BANNED)] for p in (root/f'gbxnb/bench/{name}.py' for name in GENERAL)}
    assert found and not any(found.values()), found
    assert 'gbxnb.worlds.contract' in imported(root/'gbxnb/bench/throughput.py')

def test_benches_load_no_console():
    "Neither does what they import: a console is loaded when a world is asked for by its name."
    run = processes.python(f'GENERAL = {GENERAL}\n{LOADED}', cwd=root)
    assert run.returncode == 0 and json.loads(run.stdout) == [], run.stderr

@pytest.mark.slow # it compiles for a GPU
def test_the_step_kernel_keeps_its_size():
    "Registers, instructions and spills on a GPU, read from the machine code that Warp makes of it here."
    data, _ = compile_code(machine_kernel())
    assert not over_budget(read_code(data)), over_budget(read_code(data))
    assert over_budget(read_code(data), dict(registers=32)) == ['registers: 64, but at most 32 are allowed']
    with pytest.raises(UserError, match='no machine code'): read_code(b'#!/bin/sh')

def test_rows_are_added_to_a_file_of_lines(tmp_path):
    "Each line says by itself what was counted, where, and how far consoles are apart; what is there stays."
    small = dict(num_envs='32', warmup=1, rollout_steps=2, device='cpu', out=str(out := tmp_path/'rows.jsonl'), traces='off')
    for env in 'plain,goal', 'goal':
        assert call(bench_env_cli, env=env, **small)[0] == 0
        out.write_text(out.read_text().rstrip()) # as an editor may leave it
    rows = read_rows(out)
    assert [r['env'] for r in rows] == ['plain', 'goal', 'goal']
    assert [p.name for p in tmp_path.iterdir()] == ['rows.jsonl']
    assert all(1 < r['divergence'] <= 32 and {'git_sha', 'torch_version', 'device', 'counted'} <= r.keys() for r in rows)
    assert call(bench_env_cli, '--baseline', str(out), '--tolerance', '.99', **small)[0] == 0

@pytest.mark.parametrize('last', [b'{"counted": "steps", "sps"', b'[1, 2]', b'7', b'\xff\xfe', b'['*9999,
                                  b'{"run_id": "a log\'s", "sps": 3}'])
def test_what_is_no_result_stays_as_it_is(tmp_path, last):
    "One line of error, before anything is measured; nothing is added."
    (out := tmp_path/'rows.jsonl').write_bytes(data := b'{"counted": "steps", "sps": 2}\n' + last)
    code, _, said = call(bench_env_cli, num_envs='2', out=str(out))
    assert code == 1 and said.count('\n') == 1 and f'{out}: line 2 is no result' in said
    assert out.read_bytes() == data and [*tmp_path.iterdir()] == [out]

class Makers(TorchDispatchMode):
    "How many tensors each function of this package makes."
    def __init__(self):
        super().__init__()
        self.makers = Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if _storages(out) - _storages((args, kwargs)):
            ours = (place for place, _ in _callers() if place.startswith('gbxnb.') and place.split(':')[1][0] != '<')
            self.makers[next(ours, '')] += 1
        return out

TOY = {'toys:observe': 22, 'toys:move': 9, 'toys:_place': 5, 'toys:step': 4} # written in torch's plain operations
LEARNT = {'a2c:a2c_losses': 12, 'a2c:td_targets': 4, 'a2c:a2c_update': 33} # A2C learns in each step; autograd needs its parts again
NETWORK = {'models:scale_pictures', 'models:forward', 'models:backward', 'group:add'} # and its gradient

@pytest.mark.parametrize('config, learnt', [(PPOConfig(minibatches=1, epochs=1), {}), (A2CConfig(), LEARNT)], ids=['ppo', 'a2c'])
@pytest.mark.parametrize('world, own', [('gameboy', {}), ('catch', TOY)])
def test_tensors_of_a_step_of_a_rollout(world, own, config, learnt, monkeypatch):
    "None beside those of the network, or each with its name: what a rollout of sixteen steps makes more than one of eight."
    monkeypatch.setenv('GBXNB_TRACES', 'off')
    def made(steps):
        with make('town/house' if world == 'gameboy' else '', 8, world=world, max_steps=10**6, device='cpu') as env:
            run = start_run(env, replace(config, num_envs=8, rollout_steps=steps, model='small'), 10**6)
            for _ in range(2): run.learn()
            with Makers() as found: run.learn()
            return found.makers
    few, many = made(8), made(16)
    more = {k.rsplit('.')[-1]: (n - few[k])/8 for k, n in many.items() if n != few[k]}
    assert {k: n for k, n in more.items() if k not in NETWORK} == own | learnt
