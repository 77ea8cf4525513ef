"""A function of what consoles show and hold, and bricks to build it from."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from gbxnb.envs.watch_list import Watcher
from typing import Any
__all__ = ['REWARDS', 'Moment', 'unpacked', 'check_result', 'Rewards', 'RewardJudge', 'value_of', 'delta', 'gained', 'new_max',
           'max_so_far', 'weighted_sum', 'digits', 'reached', 'lost', 'place_key', 'first_seen', 'new_screen',
           'first_visit', 'mixed']
import math, typing
from dataclasses import dataclass, field
from reprlib import repr as brief
import torch
import warp as wp
from fastcore.basics import patch
from ..base.config import Registry
from ..base.figures import split_lines, unpack
from ..base.files import UserError
from ..base.guards import try_out
from ..base.startup import recording
from .pixels import Judge, PixelsEnv
from .watch_list import Columns
KEPT = torch.float32, torch.float64, torch.bool, torch.uint8, torch.int32, torch.int64 # for a checkpoint
class Moment:
    "One step of N consoles, as a reward function sees it."
    obs:torch.Tensor
    now:Columns
    before:Columns
    hits:Columns
    length:torch.Tensor
    actions:torch.Tensor
    fresh:torch.Tensor
    kept:dict
    _initial:dict
    _open:bool
    coverage:_Any
    def __init__(self,
        obs:torch.Tensor, # uint8[N, K, 72, 80]
        now:Columns, # int32[N] by name: after the step
        before:Columns, # int32[N] by name: before it
        hits:Columns, # uint8[N] by name
        length:torch.Tensor, # int32[N]: steps of the episode, with this one
        actions:torch.Tensor, # int64[N]
        coverage=None, # The `Coverage` of the run, if there is one
    )->None: ...
    @property
    def num_envs(self)->int: ...
    def keep(self,
        name:str, # Of the tensor; the same in every step
        initial:float=0, # What it is when an episode begins: a number
        dtype:torch.dtype=torch.float32,
        shape:tuple=(), # Of the part of one console
    )->torch.Tensor: # `[N, *shape]`: change it in place
        "Memory for as long as an episode lasts."
    def begin(self)->None:
        "Where an episode begins with this step, memory is what it was at first."
def unpacked(out)->tuple: # reward, done, infos
    "What a function returned, in three parts."
def check_result(
    out, # What a function returned
    like:torch.Tensor, # int32[N] on the device of the environment
)->None:
    "Raise `UserError` for what is no reward, no end, or no number."
def dry_run(
    f, # A function of a `Moment`
    s:Moment, # On the starts of an environment
    name:str, # For messages
)->list[str]: # Names of the infos that it reports
    "Try a reward function; raise `UserError` for the first thing that is wrong."
@dataclass(frozen=True)
class Rewards:
    "A reward function, and what it needs of its game."
    function:typing.Any # Of a `Moment`; or a Warp kernel
    watch:dict = field(default_factory=dict) # Entries of a watch list
    buttons:tuple = () # (buttons as `Button` bits, frames): from the power switch to the start
    title:str = '' # The title in the header of its game; empty is any game
REWARDS:Registry
def from_kernel(
    kernel:wp.Kernel, # With the arguments of the table
    env:PixelsEnv, # Has a watcher
    length:torch.Tensor, # int32[N]
)->typing.Callable:
    "A function of a `Moment` that launches a kernel."
class RewardJudge(Judge):
    "Pays by a function of what consoles show and hold."
    form, by_torch = 'RewardEnv', True
    _is_new:bool
    length:torch.Tensor
    moment:Moment
    function:typing.Any
    extras:dict
    name:_Any
    rewards:_Any
    def __init__(self,
        rewards, # A function of a `Moment`, a Warp kernel, or the name of a registered one
    )->None: ...
    def kept(self)->dict: ...
    def facts(self)->dict: ...
    def begin(self, env:PixelsEnv)->None:
        "Make what the function gets, and try it on the starts."
    def _try(self)->None:
        "Try the function on the starts."
    def pay(self)->None:
        "Ask the function."
def value_of(
    columns:Columns, # `s.now` or `s.before`
    value, # The name of a variable, or a function of such columns
)->torch.Tensor: # float32[N]
    "One number a console: a variable, or what a function makes of several."
def delta(
    s:Moment,
    value, # The name of a variable, or a function of columns
)->torch.Tensor: # float32[N]
    "How much a value grew in this step; less than zero if it fell."
def gained(
    s:Moment,
    value, # The name of a variable, or a function of columns
    most:float=math.inf, # A larger rise earns nothing, as the bytes hold something else then
)->torch.Tensor: # float32[N]
    "How much a value grew in this step; falling costs nothing."
def new_max(
    s:Moment,
    value, # The name of a variable, or a function of columns
)->torch.Tensor: # float32[N]
    "How far a value rose above everything it was in this episode: going back and forth earns nothing."
def max_so_far(
    s:Moment,
    value, # The name of a variable, or a function of columns
)->torch.Tensor: # float32[N]
    "The largest value of the episode, with this step."
def weighted_sum(
    columns:Columns, # `s.now` or `s.before`
    **weights:float, # By variable
)->torch.Tensor: # float32[N]
    "Variables, each times its weight."
def digits(
    columns:Columns, # `s.now` or `s.before`
    name:str, # Of the variables without their numbers: `score0`, the highest digit, `score1` ...
    count:int, # How many there are
    base:int=0, # The byte that is the digit 0
)->torch.Tensor: # float32[N]
    "A number with a byte for each digit; a byte that is no digit, such as a blank, counts as 0."
def at_least(
    s:Moment,
    value, # The name of a variable, or a function of columns
    level:float, # A threshold
)->torch.Tensor: # bool[N]
    "Whether a value is that large: an end of the episode."
def reached(
    s:Moment,
    value, # The name of a variable, or a function of columns
    level:float, # A threshold
)->torch.Tensor: # float32[N]
    "1 in each step in which a value rises from below a threshold to it, or beyond."
def lost(
    s:Moment,
    value, # The name of a variable, such as lives, or a function of columns
)->torch.Tensor: # bool[N]
    "Whether a value fell in this step."
def place_key(
    columns, # int32[N] by name
    names, # Of up to three variables
)->torch.Tensor: # int64[N]
    "One number for a combination of values: 21 bits of each."
def _is_new(s, name, first, key, capacity): # Moment, text, int64[N], int64[N], int -> float32[N]
    "1 where a key was not met before in this episode; `first` is what it begins with."
def first_seen(
    s:Moment,
    *names:str, # Of one to three variables
    capacity:int=512, # Places that a console can remember
)->torch.Tensor: # float32[N]
    "1 where this combination of values was not met before in this episode."
def new_screen(
    s:Moment,
    capacity:int=512, # Screens that a console can remember
)->torch.Tensor: # float32[N]
    "1 where the screen, seen from afar, is like none before in this episode; of pictures in shades 0 to 3."
def first_visit(
    s:Moment,
)->torch.Tensor: # float32[N]
    "1 where a console came to a place that none had visited before this step."
def mixed(
    s:Moment,
    **parts, # By name: a weight, and a tensor [N] that it multiplies
)->tuple[torch.Tensor, dict]: # float32[N], infos
    "Bricks with weights, as a reward and as infos."
