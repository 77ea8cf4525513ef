"""Sums on the device, one record an update, and the alarms that a record can raise."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['MOST_WATCHED', 'MESSAGES', 'Reducer', 'speed', 'Alarms']
import math
from collections.abc import Mapping
import msgspec
import torch
from fastcore.basics import patch
from torch import Tensor
from ..base.group import ProcessGroup
from .schema import Alarm
DIST_LEVELS = 9*72*80  # both distances are whole multiples of 1/DIST_LEVELS
def add_dist(
    hist:Tensor, # int64 [DIST_LEVELS + 2], counts; the last bin counts NaN. Changed in place
    dist:Tensor, # float [N], distances in 0..1
    scratch:Tensor, # float64 [N], overwritten
    index:Tensor, # int64 [N], overwritten
    ones:Tensor, # int64 [N] of 1
)->None:
    "Count each distance in its bin."
def dist_percentiles(
    hist:Tensor, # int64 [DIST_LEVELS + 2], see `add_dist`
    percents:tuple[int, ...]=(10, 50, 90), # Which percentiles
)->Tensor: # float64 [len(percents)]; NaN if a NaN was counted or nothing at all
    "Percentiles of everything counted, by nearest rank."
MOST_WATCHED = 100 # watched variables in a record; a plot takes no more than 200 numbers of it
class Reducer:
    "Totals over a window of steps, kept on the device; `record` turns them into the numbers of a log record."
    num_envs:int
    num_actions:int
    group:ProcessGroup
    device:torch.device
    rows:list
    extras:dict
    steps:int
    kept:int
    seen:set
    ends:torch.Tensor
    actions:_Any
    dists:_Any
    idle:_Any
    index:_Any
    names:_Any
    ones:_Any
    samples:_Any
    scratch:_Any
    totals:_Any
    watched:_Any
    def __init__(self,
        num_envs:int, # Environments, N
        num_actions:int, # Actions are 0..num_actions-1
        device:str|torch.device, # Where the environments live
        group:ProcessGroup=ProcessGroup(), # The processes whose environments a record counts
    )->None: ...
    def reset(self)->None:
        "Begin a new window."
    def add_step(self,
        reward:Tensor, # float [N]
        done:Tensor, # bool [N], the episode ended by itself
        trunc:Tensor, # bool [N], time ran out
        # May hold `dist`, `episode_return`, `episode_length`, float [N], or their totals `dist_counts`,
        # `episode_return_sum`, `episode_length_sum`; `extras`, a dict of float [N];
        info:Mapping, # `final_watched`, with names and a `tensor` int [N, K]
        actions:Tensor, # int64 [N]
        reached:Tensor|None=None, # bool [N], the end is a success; None: there is no goal
    )->None:
        "Add one step of all environments: in place, without reading anything back."
    def _sum_up(self)->None:
        "Add the steps that wait to the totals."
    def _add_numbers(self, info, ended)->None:
        "Add a game's own numbers, where an episode ended."
    def pack(self,
        scalars:list[Tensor], # 0-d tensors that ride along
    )->Tensor: # float64 [8 + 3 + num_actions + K + number of extras + len(scalars)]
        "Everything a record needs from the device, in one vector."
    def record(self,
        **scalars, # What else belongs in the record: numbers, 0-d tensors, and dicts of them
    )->dict: # Fields of a record of `gbxnb.logs.schema`, and `scalars`
        "The numbers of the window, by one copy from the device; the next window begins."
def speed(
    env_steps:int, # Steps of the window, over all environments
    updates:int, # Updates of the window
    seconds:float, # What they took
    frames_per_step:int, # Emulated frames in a step
)->dict[str, float]: # sps, fps, updates_per_s
    "Throughput of a window, as a record wants it."
def entropy_collapse(
    record:Mapping, # A log record
    share:float=.03, # Of ln(num_actions): below this it has collapsed
    good:float=.8, # A success rate at which certainty is earned
)->tuple[float, float]|None: # Entropy and threshold, if it has collapsed
    "Is the policy certain without being successful?"
def dead_policy(
    record:Mapping, # A log record
    share:float=.995, # Of the steps: one action takes more than this
    good:float=.8, # A success rate at which that is right
    least:float=1e-7, # Smallest gradient norm of a network that can still learn
)->tuple[float, float]|None: # What was measured and the threshold, if it is dead
    "Does the policy always do the same without success, or is its gradient zero?"
def never_paid(
    record:Mapping, # A log record
)->tuple[float, float]|None: # The share of the steps with a reward, and 0, if there was none
    "Was every reward 0?"
def standstill(
    record:Mapping, # A log record
    share:float=.5, # Of the pictures: more than this stand still
    most:float=.9, # Of the steps: with one action in more than this, nothing else was tried
)->tuple[float, float]|None: # What was measured and the threshold, if most stand still
    "Do most pictures stand still whatever is pressed, and no episode ends by itself?"
MESSAGES:dict
class Alarms:
    "Looks at each record and says when something is wrong."
    still:float
    patience:_Any
    seen:_Any
    def __init__(self,
        patience:int=3, # Records in a row before an alarm is raised
    )->None: ...
    def check(self,
        record:Mapping, # A log record
    )->list[Alarm]: # The alarms raised by it, mostly none
        "Take one record into account."
