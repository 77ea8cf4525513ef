"""Worlds so small that learning shows in seconds, and the base class that makes them so."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from typing_extensions import Self as _Self
__all__ = ['CONSTANT', 'CUE', 'CATCH', 'CARTPOLE', 'TorchWorld', 'ConstantReward', 'Cue', 'ConstantConfig', 'CueConfig',
           'make_constant', 'make_cue', 'Catch', 'CartPole', 'CatchConfig', 'CartPoleConfig', 'make_catch',
           'make_cartpole']
from dataclasses import dataclass
import numpy as np
import torch
from fastcore.basics import patch
from ..base.config import Config, Count, WorldSpec
from ..base.files import Spec, check_arrays, check_int, seed_of
from ..base.group import CLOSED, Batch, checked_reset, checked_step
from ..worlds.contract import WorldType, pick_device
class TorchWorld(Batch):
    "N small environments in torch: the part that is the same for all."
    world = 'torch' # The name it is registered by
    obs_shape, obs_dtype, num_actions = (1,), torch.float32, 2
    metadata = dict(autoreset_mode='SAME_STEP')
    facts:dict = {} # What else identifies it; JSON values
    limits:dict = {} # Name in `state` to its smallest and its largest value
    state_kinds = dict(generator='same') # it draws for the whole batch, so a batch cannot be cut
    reached:torch.Tensor|None = None # bool `[N]`: which of the ends are successes; `move` sets it
    max_steps:int
    first:int
    generator:torch.Generator
    state:dict
    length:torch.Tensor
    total:torch.Tensor
    obs:torch.Tensor
    final_obs:torch.Tensor
    every:_Any
    def __init__(self,
        num_envs:int, # N
        max_steps:int=0, # An episode is truncated after this many steps; 0 is never
        device:str='auto', # Where all tensors live; auto prefers a GPU
        first:int=0, # Number of the first environment, where several processes share a run
    )->None: ...
    def begin(self, mask)->None: ...
    def move(self, actions)->tuple[torch.Tensor, torch.Tensor]: ...
    def observe(self)->torch.Tensor: ...
    def spec(self)->WorldSpec: ...
    def reset(self,
        seed:int|None=None, # Seed of everything random; None goes on with the present stream
        options:dict|None=None, # `reset_mask` bool `[N]`: which environments to reset
    )->tuple[torch.Tensor, dict]: # The observations (the world's own tensor: copy it to keep it); no info
        "Begin new episodes, in all environments or in the masked ones."
    def _seed(self, seed)->_Self: ...
    def _restart(self, mask)->None: ...
    def step(self,
        actions:torch.Tensor, # int64 `[N]`
    )->tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, dict]: # obs, reward, done, trunc, info
        "One step of every environment; those that ended begin anew in it."
    def _tensors(self): ...
    def state_dict(self)->dict[str, np.ndarray]:
        "All that is needed to go on exactly from here."
    def load_state_dict(self, d:dict[str, np.ndarray])->None:
        "Go on from where `state_dict` was taken; a `ValueError` names what does not fit."
class ConstantReward(TorchWorld):
    "Always the same observation, always a reward of 1."
    world = 'constant'
    def move(self, actions)->tuple[torch.Tensor, torch.Tensor]: ...
class Cue(TorchWorld):
    "Press the button that is shown."
    world = 'cue'
    obs_shape, num_actions, limits = (4,), 4, dict(cue=(0, 3))
    def __init__(self, num_envs, device='auto', first=0)->None: ...
    def begin(self, mask)->None: ...
    def move(self, actions)->tuple[torch.Tensor, torch.Tensor]: ...
    def observe(self)->torch.Tensor: ...
@dataclass(frozen=True)
class ConstantConfig(Config):
    "The constant world's only option."
    max_steps:Count = 10 # An episode is truncated after this many steps
@dataclass(frozen=True)
class CueConfig(Config):
    "The world of cues has no options."
def make_constant(config, num_envs, device='auto', seed=0, training=False, first=0)->TorchWorld:
    "N constant environments."
def make_cue(config, num_envs, device='auto', seed=0, training=False, first=0)->TorchWorld:
    "N environments that show a cue."
CONSTANT:WorldType
CUE:WorldType
class Stay(ConstantReward):
    "1 for every step, or 10 for the last one: action 1 ends the episode."
    world = 'stay'
    def move(self, actions)->tuple[torch.Tensor, torch.Tensor]: ...
STAY:WorldType
class Catch(TorchWorld):
    "Catch the falling ball; 72x80 pixels of four shades."
    world = 'catch'
    obs_shape, obs_dtype, num_actions, obs_range = (1, 72, 80), torch.uint8, 3, (0, 3)
    limits = dict(row=(0, 7), column=(0, 9), paddle=(0, 9))
    rows:torch.Tensor
    columns:torch.Tensor
    def __init__(self, num_envs, max_steps=24, device='auto', first=0)->None: ...
    def _place(self, mask, *names)->None: ...
    def begin(self, mask)->None: ...
    def move(self, actions)->tuple[torch.Tensor, torch.Tensor]: ...
    def observe(self)->torch.Tensor: ...
class CartPole(TorchWorld):
    "Keep a pole upright: 1 for every step, at most 500."
    world = 'cartpole'
    obs_shape, num_actions = (4,), 2
    def __init__(self, num_envs, max_steps=500, device='auto', first=0)->None: ...
    def begin(self, mask)->None: ...
    def move(self, actions)->tuple[torch.Tensor, torch.Tensor]: ...
    def observe(self)->torch.Tensor: ...
@dataclass(frozen=True)
class CatchConfig(Config):
    "The options of Catch."
    max_steps:Count = 24 # An episode is truncated after this many steps; a ball falls for eight
@dataclass(frozen=True)
class CartPoleConfig(CatchConfig):
    "The options of CartPole."
    max_steps:Count = 500 # An episode is truncated after this many steps
def make_catch(config, num_envs, device='auto', seed=0, training=False, first=0)->TorchWorld:
    "N games of Catch."
def make_cartpole(config, num_envs, device='auto', seed=0, training=False, first=0)->TorchWorld:
    "N poles on carts."
CATCH:WorldType
CARTPOLE:WorldType
