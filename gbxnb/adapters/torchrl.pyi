"""N consoles as one `EnvBase`: a batch whose size is locked, tensors that stay on the device."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from typing import Any
__all__ = []
import torch
from fastcore.basics import patch
from gymnasium.spaces import MultiBinary
from .gymnasium import action_space, shown, shown_space
from ..base.files import need
from ..base.group import as_usual
from ..worlds.contract import World
from typing import Any as EnvBase
def as_numbers(
    actions:torch.Tensor, # int64[N], or [N, 8] of 0 and 1: the bits of a byte
    spec, # The action spec
)->torch.Tensor: # int64[N]
    "Actions as a world takes them; where there are 8 others, -1, which is none."
def masked(
    env:World, # Any world
)->bool:
    "Whether a world says which actions are valid."
ENDS = 'done', 'terminated', 'truncated'
class TorchRLEnv(EnvBase):
    "N environments as an `EnvBase` of TorchRL."
    env:_Any
    _begun:_Any # a new episode
    _obs:_Any
    _info:_Any
    _next_seed:_Any
    action_spec:_Any
    done_spec:_Any
    observation_spec:_Any
    reward_spec:_Any
    def __init__(self,
        env:World, # Any world; close this and you close it
    )->None: ...
    def _set_seed(self, seed)->None: ...
    def close(self, **kwargs)->None: ...
    def _look(self, obs, info, **ends):
        "What is seen now, and which kinds of ends there are."
    def _step(self, tensordict): ...
    def _reset(self, tensordict=None, **kwargs):
        "Begin episodes where `_reset` says so; those that have begun already are shown."
