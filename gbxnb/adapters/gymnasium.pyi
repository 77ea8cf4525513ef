"""Environments and vectors of them, as everybody's code expects."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['is_picture', 'shown', 'shown_space', 'GymVectorEnv', 'GymEnv', 'gym_env', 'gym_vector_env']
import threading
from collections.abc import Mapping
from operator import index
from reprlib import repr as brief
from typing import Any
import gymnasium
import numpy as np
import torch
from fastcore.basics import patch
from gymnasium.spaces import Box, Discrete, MultiBinary, Space
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from ..base.figures import PACKED_SHAPE, extra_lines, unpack
from ..base.files import UserError
from ..emulator.emulator import alone
from ..worlds.contract import World
def observation_space(
    env, # A batch of environments
)->Box: # Of one environment
    "What one environment shows: its own shape and type, nothing scaled."
def action_space(
    env, # A batch of environments
)->Space: # Of one environment
    "A number, or eight buttons that are held or not, in the order of `Button`."
def action_numbers(
    actions, # int[N], or int8[N, 8] where actions are buttons
    env, # A batch of N environments
)->torch.Tensor: # int64[N] on the device of the batch
    "What `env.step` takes."
def is_picture(
    env:World, # Any world
)->bool:
    "Whether observations are pictures `[K, H, W]`."
def shown(
    env:World, # Whose observations
    obs:torch.Tensor, # `[N, *obs_shape]`
)->torch.Tensor: # A copy: pictures uint8 of 0..255, unpacked; anything else as it is
    "Observations as other packages want to see them."
def shown_space(
    env:World, # Any world
)->Box: # Of one environment
    "What one environment shows then."
def observed(
    env, # A batch of environments
    images:str|None, # A key of the table above, or None
)->tuple: # The space of one observation; a function of tensors [N, ...] that gives such arrays
    "How observations are returned."
def render_metadata(
    env, # A batch of environments
)->dict: # `render_modes` and `render_fps`
    "What Gymnasium's `metadata` says of pictures."
def check_render_mode(
    mode:str|None, # What was asked for
    env, # A batch of environments
)->str|None:
    "`mode`, if the environment has it."
GOING_ON:dict
AT_THE_END:dict
class GymVectorEnv(gymnasium.vector.VectorEnv):
    "N environments as a `gymnasium.vector.VectorEnv` of numpy arrays."
    _fresh = True # before the first reset
    render_mode:_Any
    single_action_space:_Any
    _every:_Any
    _obs:_Any
    _pictures:_Any
    _show:_Any
    _waiting:_Any
    action_space:_Any
    autoreset_mode:_Any
    env:_Any
    lock:_Any
    metadata:_Any
    num_envs:_Any
    observation_space:_Any
    single_observation_space:_Any
    def __init__(self,
        env, # A batch of environments that keeps the contract
        render_mode:str|None=None, # `rgb_array`, or None
        # Or its value: SameStep, NextStep, Disabled; by default the first, with `images` the second
        autoreset_mode:AutoresetMode|str|None=None,
        images:str|None=None, # Observations as wrappers want them: `hwc`, `chw` or `rgb`
    )->None: ...
    def close_extras(self, **kwargs)->None: ...
    def _start_info(self): ...
    def _begin(self, mask, seed=None, options=None):
        "Begin episodes where bool[N] `mask` is set; their infos."
    def reset(self, *, seed=None, options=None)->tuple: ...
    def _end_now(self, ended, going, last):
        "`SAME_STEP`: what is new is returned, what was last is in the infos."
    def _end_later(self, ended, going, last):
        "The other modes: what was last is returned; what waited since the step before begins."
    def step(self, actions)->tuple: ...
    def render(self)->tuple|None: ...
class GymEnv(gymnasium.Env):
    "An environment of one console, or of one of anything else, as a `gymnasium.Env`."
    _fresh = True # before the first reset
    envs:_Any
    render_mode:_Any
    metadata:_Any
    action_space:_Any
    env:_Any
    observation_space:_Any
    def __init__(self,
        env, # A batch of one environment that keeps the contract
        render_mode:str|None=None, # `rgb_array`, or None
        images:str|None=None, # As for `GymVectorEnv`
    )->None: ...
    def reset(self, *, seed=None, options=None)->tuple: ...
    def step(self, action)->tuple: ...
    def render(self)->Any: ...
    def close(self)->None: ...
def gym_env(render_mode=None, images=None, seed=None, **options)->GymEnv: ...
def gym_vector_env(num_envs=1, render_mode=None, autoreset_mode=None, images=None, seed=None, **options)->GymVectorEnv: ...
