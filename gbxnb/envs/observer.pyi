"""Pictures stacked, cut and averaged on the device."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from gbxnb.watch.variables import Variable
__all__ = ['Observer']
from collections.abc import Callable
from typing import Any, cast
import numpy as np
import torch
import warp as wp
from fastcore.basics import patch
from ..base.figures import PACKED_SHAPE, stored_word
from ..base.files import UserError
from ..base.guards import try_out
from ..base.startup import recording
from ..backends.base import Backend
from ..emulator.machine import as_words
from .config import Observation, Sight, fit_observation
from .watch_list import WatchList
class Sizes(_Any): ...
_newest: _Any = None
_push: _Any = None
class Stack:
    "The observations of N consoles: the last `k` pictures of each."
    newest:torch.Tensor
    obs:torch.Tensor
    final_obs:torch.Tensor
    newest_words:wp.array
    obs_words:wp.array
    final_words:wp.array
    size:Sizes
    plain:bool
    _inputs:list
    _push:wp.Launch
    _arrays:_Any
    def __init__(self,
        newest:wp.array, # uint8[N, H, W]: where the newest picture appears
        k:int, # Pictures in a stack
        packed:bool=False, # Four pixels in a byte; pictures are 72x80 then
        lines:wp.array|None=None, # uint8[N, R, 80 or 20]: what stands below it; none if there is nothing
    )->None: ...
    def push(self)->None:
        "The newest picture goes on top; a single one that is kept as it is, is one copy."
    def begin(self, mask)->None:
        "Where bool[N] `mask` is set, the stack goes to `final_obs` and begins anew with the newest picture."
class Lines:
    "Lines of bytes below the pictures of N consoles."
    names:list
    _places:list
    array:wp.array
    _show:wp.Launch
    def __init__(self,
        watch:WatchList, # Says what is observed
        values:wp.array, # int32[N, K]
        packed:bool, # Whether a line has 20 bytes instead of 80
    )->None: ...
    def show(self)->None:
        "Write the present values."
class Observer:
    "What a policy sees of N consoles, where that is not `pix`."
    backend:Backend
    o:Observation
    sight:Sight
    _sums:wp.Launch|None
    _screens:wp.array|None
    _given:wp.array|None
    given:torch.Tensor
    _made:wp.array
    made:torch.Tensor
    plain:bool
    _newest:wp.array
    newest:torch.Tensor
    _covered:list
    _part:_Any
    def __init__(self,
        o:Observation, # What is to be seen
        sight:Sight, # What its name stands for
        backend:Backend, # Runs the consoles, which are at their starts
    )->None: ...
    def _new(self, h, w)->wp.array: ...
    def __repr__(self)->str: ...
    def _maker(self)->wp.array:
        "Where the pictures appear that the name stands for; what it takes to make them is prepared."
    def _cut(self)->None:
        "Prepare the crop and the masks, as views."
    def _tried(self):
        "The size of what the function returns, once it is known to be one."
    def look(self,
        mask:wp.array|None=None, # bool[N]: what changed; by default all
    )->None:
        "Bring `newest` up to date."
def check_pictures(
    out, # What a function returned
    given:torch.Tensor, # uint8[N, h, w]: what it got
    high:int, # The largest number that it may use
)->None:
    "Raise `UserError` for what is no batch of pictures."
