"""A `VecEnv` that holds no copies, after what all adapters for trainers share."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['SB3VecEnv']
import time
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from typing import Any
import numpy as np
import torch
from fastcore.basics import patch
from gymnasium.spaces import MultiBinary
from .gymnasium import action_numbers, action_space, check_render_mode, shown, shown_space
from ..base.files import UserError, need
from ..emulator.emulator import alone
from ..worlds.contract import World
from typing import Any as VecEnv
STEP_INFOS = 'dist', 'hits', 'extras' # Infos of a step, tensors `[N]` or several by name
def named(
    info:dict, # Of a step or of a reset
    ended:torch.Tensor|None=None, # bool[N]: where an episode ended; None after a reset
)->Iterator[tuple[str, torch.Tensor]]: # Names and tensors `[N]`
    "The numbers of a step by name."
class SB3VecEnv(VecEnv):
    "N environments as a `VecEnv` of Stable-Baselines3."
    env:_Any
    _mode:_Any
    returns:_Any
    lengths:_Any
    _actions:_Any
    _began:_Any
    _valid:_Any
    reset_infos:_Any
    def __init__(self,
        env:World, # Any world; close this and you close it
        render_mode:str|None=None, # `rgb_array`, or None
    )->None: ...
    @property
    def lock(self)->Any: ...
    def close(self)->None: ...
    def _look(self, obs, info):
        "Observations as an array of its own; valid actions are kept."
    def step_async(self,
        actions, # int[N], or [N, 8] of 0 and 1 where a byte of buttons is an action
    )->None: ...
    def step_wait(self)->tuple:
        "Observations, rewards f32[N], bool[N] where an episode ended, and a dict for each environment."
    def _end(self, infos, at, done)->None:
        "What infos say of the episodes that ended in environments `at`."
    def reset(self)->np.ndarray:
        "Begin all episodes; `reset_infos` holds the infos."
    def _rows(self, value, indices):
        "A value for each of `indices`: its row, if there is one for each environment."
    def _found(self, name): ...
    def get_attr(self, attr_name, indices=None)->list: ...
    def env_method(self, method_name, *method_args, indices=None, **method_kwargs)->list: ...
    def set_attr(self, attr_name, value, indices=None)->None: ...
    def env_is_wrapped(self, wrapper_class, indices=None)->list[bool]:
        "Infos hold what a `Monitor` writes; else nothing is wrapped."
    def get_images(self)->list: ...
