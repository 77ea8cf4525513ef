"""Saved states of environments with arrays of other types, shapes and values, or with other words about themselves.

A state is refused in one line and changes nothing, or the environment goes on from it inside of its own arrays."""
import json, random
import numpy as np
import torch
from damage import change_array, change_json
from gbxnb.games.probe import probe_picture, probe_rom
from gbxnb.envs.config import EnvConfig
from gbxnb.envs.goal import GoalJudge
from gbxnb.envs.pixels import PixelsEnv
from gbxnb.envs.goal import GoalTemplate
from gbxnb.base.files import UserError, sha256

COUNT = 5000
GOAL = GoalTemplate(probe_picture(5, 2), sha256(probe_rom()), '0'*64, '0'*64, tau=.001, k_consecutive=2)

def prepare():
    "An environment with some starts, and a state of it."
    env = PixelsEnv(probe_rom(), 3, EnvConfig(max_steps=3, stack_k=2, start_noops=2), judge=GoalJudge(GOAL), device='cpu')
    env.reset(seed=1)
    for a in 6, 5, 4, 3: env.step(torch.full((3,), a))
    return env, env.state_dict()

def changed(rng, saved):
    "Another state."
    state = dict(saved)
    for _ in range(rng.choice([1, 1, 2])):
        k, r = rng.choice(sorted(saved)), rng.random()
        if k == 'about' and r < .8:
            state[k] = np.frombuffer(json.dumps(change_json(rng, json.loads(saved[k].tobytes()))).encode(), np.uint8)
        elif r < .05: state.pop(k, None)
        elif r < .1: state[rng.choice(['more', '', 'x'*5000])] = saved[k]
        elif r < .2: state[k] = saved[rng.choice(sorted(saved))]
        else: state[k] = change_array(rng, saved[k])
    return state

def same(a, b): return a.keys() == b.keys() and all(np.array_equal(a[k], b[k]) for k in a)

def attempt(seed, shared)->str:
    env, saved = shared
    rng = random.Random(seed)
    env.load_state_dict(saved)
    env.step(torch.zeros(3, dtype=torch.int64))
    before = env.state_dict()
    with np.errstate(all='ignore'): state = changed(rng, saved)
    try: env.load_state_dict(state)
    except (ValueError, TypeError, UserError) as e:
        assert '\n' not in str(e) and len(str(e)) < 700, e
        assert same(env.state_dict(), before), 'a state that is refused changes nothing'
        return 'refused'
    for _ in range(5):
        env.step(torch.tensor([rng.randrange(7) for _ in range(3)]))
        env.load_state_dict(again := env.state_dict())
        assert same(env.state_dict(), again), 'what is saved can be loaded'
    return 'taken'
