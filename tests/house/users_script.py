"What a program does with the package, as a checker of types sees it: `test_types.py` compares what is revealed with the comments."
import numpy as np
import torch
from typing_extensions import reveal_type
import gbxnb
from gbxnb.envs.pixels import PixelsEnv

env = gbxnb.make('town/chest', num_envs=4, max_steps=64, device='cpu')
reveal_type(env) # PixelsEnv
obs, info = env.reset(seed=0)
reveal_type(obs) # Tensor
actions = torch.randint(env.num_actions, (env.num_envs,))
obs, reward, done, trunc, info = env.step(actions)
reveal_type(obs) # Tensor
reveal_type(reward) # Tensor
reveal_type(done) # Tensor
reveal_type(info['episode_return']) # Any
reveal_type(env.step(actions)) # tuple[Tensor, Tensor, Tensor, Tensor, dict[str, Any]]
reveal_type(env.reset(seed=0)) # tuple[Tensor, dict[str, Any]]
reveal_type(env.obs) # Tensor
reveal_type(env.episode_length) # Tensor
reveal_type(env.num_envs) # int
reveal_type(env.num_actions) # int
reveal_type(env.backend) # Backend
reveal_type(env.cfg.stack_k) # int
reveal_type(env.rgb()) # ndarray
reveal_type(env.errors()) # list[str]
reveal_type(env.spec().plain()) # dict[str, Any]
reveal_type(env.state_dict()) # dict[str, ndarray]
env.load_state_dict(env.state_dict())
env.clone(torch.zeros(4, dtype=torch.int64))
env.close()

other = gbxnb.make(world='catch', num_envs=2, max_steps=9)
reveal_type(other) # World
reveal_type(other.step(torch.zeros(2, dtype=torch.int64))) # tuple[Tensor, Tensor, Tensor, Tensor, dict[str, Any]]
reveal_type(other.reset()) # tuple[Tensor, dict[str, Any]]
reveal_type(other.obs_shape) # tuple[int, ...]

emulator = gbxnb.Emulator(b'\0'*32768, n=2, device='cpu')
reveal_type(emulator) # Emulator
emulator.set_buttons(np.zeros(2, np.uint8))
emulator.run_frames(3)
reveal_type(emulator.save(1)) # ndarray
reveal_type(emulator.registers()) # dict[str, int]
reveal_type(emulator.read(0xC000, 2)) # ndarray
reveal_type(emulator.faults) # ndarray
reveal_type(emulator.n) # int

run = gbxnb.train('town/house', steps=10_000, num_envs=16, lr=1e-3, epochs=2, out='runs/house', stack_k=2)
reveal_type(run) # Run
reveal_type(run.env_steps) # int
reveal_type(run.env) # World
gbxnb.train(world='catch', algo='a2c', steps=1000, num_envs=8)

policy = gbxnb.load_policy('runs/house', device='cpu')
reveal_type(policy(obs, greedy=True)) # Any
reveal_type(policy.env(num_envs=2)) # World

def score(env: PixelsEnv) -> float:
    with env: return float(env.episode_return.mean())
