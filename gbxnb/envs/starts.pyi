"""The reset cache: snapshots restored on the device, and starts that move back along the way as the policy succeeds."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['Backward']
import threading
from operator import index
from typing import Any, cast
import torch
import warp as wp
from fastcore.basics import patch
from ..base.files import seed_of
from ..base.group import ProcessGroup
from ..base.startup import recording
from ..backends.base import Backend, Snapshot
from ..emulator.emulator import alone
MAX_STARTS = 4096 # Largest start_ids, and largest bank
class ResetCache:
    "The starts of a backend's consoles."
    backend:Backend
    first:int
    _seed:wp.array
    _start_ids:wp.array
    _choices:wp.array
    _episode:wp.array
    _snap_id:wp.array
    seed:torch.Tensor
    start_ids:torch.Tensor
    choices:torch.Tensor
    episode:torch.Tensor
    snap_id:torch.Tensor
    snapshots:list
    _bank:_Any
    def __init__(self,
        backend:Backend, # Its consoles are reset
        snapshots:list[Snapshot], # The bank; all of them may be chosen at first
        first:int=0, # Number of the first console, where this batch is a part of a larger one
    )->None: ...
    def __len__(self)->int: ...
    def __repr__(self)->str: ...
    @property
    def lock(self)->threading.RLock:
        "Held by the thread that works on the consoles."
    def fill(self,
        snapshots:list[Snapshot], # The bank
    )->None:
        "Replace the bank; `start_ids` stays as it is."
    def choose_from(self,
        ids, # Bank entries; an entry may stand here several times
    )->None:
        "Let later episodes start from these entries only."
    def reseed(self,
        seed:int, # Any from 0 on
    )->None:
        "Begin the random choices of all environments anew."
    @property
    def graph_key(self)->tuple|None:
        "What recorded launches of `restore` depend on, beside arrays that stay where they are."
    def _check_bank(self)->None:
        "Raise if another one filled the bank."
    def restore(self,
        mask:wp.array, # bool[N]: the consoles whose episode begins
        ids:torch.Tensor|None=None, # int64[N]: bank entries where `mask` is set; by default they are chosen
    )->None:
        "Choose a start for each masked console and put it there; two launches, whatever the mask."
    def add(self,
        snapshots:list[Snapshot], # For example `[backend.snapshot(i)]`, when console i got somewhere
    )->list[int]: # Their numbers in the bank; they are not among the start_ids yet
        "Add starts while the batch is running."
class _Course(_Any): ...
class Backward:
    "Moves the starts of a batch back along a script."
    _course:_Course # recorded launches do not keep its arrays
    window:int
    known:torch.Tensor|None # int32[2]: the tally when the processes that share it met last
    _judging:_Any
    _moving:_Any
    _spreading:_Any
    place:_Any
    states:_Any
    success:_Any
    tally:_Any
    def __init__(self,
        env, # A `PixelsEnv` whose starts are the states of a script, the first one first
        slack:int, # Steps of an episode beyond those that the script still needs
        window:int=3, # States from the present place on where success is counted
        share:float=.5, # Share of the episodes that begin there; others begin anywhere from there to the goal
        episodes:int=32, # Episodes after which is decided
        rate:float=.2, # Share of them that must succeed for the start to move back by a step
    )->None: ...
    def __repr__(self)->str: ...
    def begin(self)->None:
        "Back to the goal, as before the first episode."
    def judge(self)->None:
        "Cut late episodes, count those that ended, and move the start."
    @property
    def shared(self)->bool: ...
    def follow(self)->None:
        "What is counted so far is known to all."
    def meet(self,
        group:ProcessGroup, # The processes that share the batch; the first time they agree to meet
    )->None:
        "Count the episodes of all processes, and move the start once."
    def kept(self)->dict[str, tuple]: # Name to tensor, smallest and largest value
        "Everything that one step hands to the next."
    def totals(self)->dict[str, torch.Tensor]: # Scalars on the device
        "For the log: steps of the script before the start, and the share of successes when last decided."
