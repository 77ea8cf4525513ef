"""The reset cache: snapshots restored on the device, and starts that move back along the way as the policy succeeds."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['check_seed', 'Backward']
import threading
from operator import index
import torch
import warp as wp
from fastcore.basics import patch
from ..backends.base import Backend, Snapshot
from ..emulator.emulator import alone
MAX_STARTS = 4096 # Largest start_ids, and largest bank
_choose_starts: _Any = None

class ResetCache:
    "The starts of a backend's consoles."
    backend:Backend
    first:int
    snapshots:list
    def __init__(self,
        backend:Backend, # Its consoles are reset
        snapshots:list[Snapshot], # The bank; all of them may be chosen at first
        first:int=0, # Number of the first console, where this batch is a part of a larger one
    )->None:
        def new(n): return wp.zeros(n, wp.int32, backend.device)
        n = backend.num_envs
        if len(snapshots) > MAX_STARTS:
            raise ValueError(f'there are {len(snapshots)} snapshots, but a bank holds at most {MAX_STARTS}')
        self.backend, self.first = backend, first
        self._seed, self._start_ids, self._choices = new(1), new(MAX_STARTS), new(1)
        self._episode, self._snap_id = new(n), new(n)
        self.seed, self.start_ids, self.choices, self.episode, self.snap_id = (
            wp.to_torch(a)
            for a in (self._seed, self._start_ids, self._choices, self._episode, self._snap_id))
        self.fill(snapshots)
        self.choose_from(range(len(self)))
    def __len__(self)->int: ...
    def __repr__(self)->str: ...
    @property
    def lock(self)->threading.RLock:
        "Held by the thread that works on the consoles."
    def fill(self,
        snapshots:list[Snapshot], # The bank
    )->None:
        "Replace the bank; `start_ids` stays as it is."
        self.backend.set_bank(snapshots)
        self.snapshots, self._bank = list(snapshots), getattr(self.backend, 'bank', None)
    def choose_from(self,
        ids, # Bank entries; an entry may stand here several times
    )->None:
        "Let later episodes start from these entries only."
    def reseed(self,
        seed:int, # See `check_seed`
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
        n = len(self)
        if n + len(snapshots) > MAX_STARTS:
            more = len(snapshots)
            raise ValueError(f'the bank holds {n} snapshots and may hold {MAX_STARTS}; {more} more do not fit')
        self._check_bank()
        numbers = self.backend.add_to_bank(list(snapshots))
        self.snapshots += snapshots
        self._bank = getattr(self.backend, 'bank', None)
        return numbers
def check_seed(
    seed:int, # Any int32 that is not negative
)->None:
    "Raise unless `seed` is one."

@wp.struct
class _Course:
    "Where on a script the episodes of a batch begin."
    states: int                     # of the script
    variants: int                   # bank entries of each state
    window: int                     # states from the present place on where success is counted
    place: wp.array[wp.int32]       # [1]: the present place
    tally: wp.array[wp.int32]       # [2]: episodes of the window that ended, and those that succeeded
    success: wp.array[wp.float32]   # [1]: their share when last decided
_judge_starts: _Any = None
_move_back: _Any = None
_spread_starts: _Any = None

class Backward:
    "Moves the starts of a batch back along a script."
    _course:_Course # recorded launches do not keep its arrays
    window:int
    def __init__(self,
        env, # A `PixelsEnv` whose starts are the states of a script, the first one first
        slack:int, # Steps of an episode beyond those that the script still needs
        window:int=3, # States from the present place on where success is counted
        share:float=.5, # Share of the episodes that begin there; others begin anywhere from there to the goal
        episodes:int=32, # Episodes after which is decided
        rate:float=.2, # Share of them that must succeed for the start to move back by a step
    )->None:
        c, cache, variants, device = _Course(), env.cache, env.cfg.start_noops + 1, env.backend.device
        self._course = c # recorded launches do not keep its arrays
        self.states, self.window = len(cache)//variants, window
        c.states, c.variants, c.window = self.states, variants, window
        c.place, self.place = env._new(wp.int32, 1)
        c.tally, self.tally = env._new(wp.int32, 2)
        c.success, self.success = env._new(wp.float32, 1)
        def launch(kernel, n, *args): return wp.launch(kernel, n, args, device=device, record_cmd=True)
        self._judging = launch(_judge_starts, env.num_envs, slack, cache._snap_id, env._length, env._done, c,
                               env._trunc, env._ended)
        self._moving = launch(_move_back, 1, episodes, rate, c)
        self._spreading = launch(_spread_starts, MAX_STARTS, share, c, cache._start_ids)
        cache.choices.fill_(MAX_STARTS)
        self.begin()
    def __repr__(self)->str: ...
    def begin(self)->None:
        "Back to the goal, as before the first episode."
    def judge(self)->None:
        "Cut late episodes, count those that ended, and move the start."
    def kept(self)->dict[str, tuple]: # Name to tensor, smallest and largest value
        "Everything that one step hands to the next."
    def totals(self)->dict[str, torch.Tensor]: # Scalars on the device
        "For the log: steps of the script before the start, and the share of successes when last decided."
