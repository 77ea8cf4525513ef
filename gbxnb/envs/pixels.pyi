"""N Game Boys as one environment: actions in, screens out, nothing else, and nothing done twice."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from gbxnb.base.config import Count
from gbxnb.envs.config import ActionCodec
from gbxnb.envs.config import Observation
from gbxnb.envs.config import Sight
__all__ = ['STATS', 'Info', 'Judge', 'PixelsEnv', 'reset_mask', 'check_start']
import json, threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from reprlib import repr as brief
from typing import Any, cast
import numpy as np
import torch
import warp as wp
from fastcore.basics import patch
from ..base.config import LateMembers, WorldSpec
from ..base.group import (CLOSED, FRESH, Batch, ProcessGroup, as_usual, checked_reset, checked_step, few,
                              marks)
from ..base.figures import SHAPE, palette_rgb
from ..base.files import MAX_JSON, Spec, UserError, check_arrays, check_int
from ..base.parallel import uncopied
from ..base.startup import recording
from ..backends.base import Backend, Recorder, Snapshot, VariableTable, divergence
from ..backends.warp import make_backend
from ..emulator.cartridge import Cartridge
from ..emulator.emulator import alone
from ..emulator.machine import Reg, as_words
from ..emulator.render import to_image
from ..emulator.rows import LIMITS
from ..emulator.trap import fault_text
from .config import ENV_DEFAULTS, OBSERVATIONS, EnvConfig, Pad, find_observation
from .observer import Lines, Observer, Stack
from .starts import MAX_STARTS, ResetCache
from .watch_list import Coverage, Watcher, WatchList, make_watch_list, merge_entries
from ..watch.variables import check_writable_variable, with_hooks
STATS = ('done_sum', 'trunc_sum', 'ended_sum', 'reward_sum', 'episode_return_sum', 'episode_length_sum')
class Info(dict[str, Any]):
    "The info of a step; its error for a missing entry names the mode."
    mode:_Any
    def __init__(self, mode, entries)->None: ...
    def __missing__(self, key): ...
def check_types(**values)->None:
    "Raise `TypeError` for the first pair of a value and a type that does not fit."
class TorchRecorder(Recorder):
    "Records launches with operations of torch between them."
    def capture(self, launches)->Callable:
        "Record launches; returns a function that makes them again."
class Judge:
    "What a step is worth: nothing. The base of those that pay."
    form = 'PixelsEnv' # What saved states call an environment with such a judge
    by_torch = False # Whether torch takes part in a step
    goal:Any = None # The `GoalTemplate`, where there is one
    far:Any = None # Warp array f32[N]: how far each screen is from the goal, where there is one
    watch:dict = {} # Entries of a watch list: what it needs of memory
    env:'PixelsEnv'
    def check(self, env:'PixelsEnv')->None:
        "Raise for what does not fit to `env.cart`, `env.cfg` and `env.watch`, before there are consoles."
    def begin(self, env:'PixelsEnv')->None:
        "Make tensors; `env` has all of its own."
    def pay(self)->None:
        "Write `env.reward`, `env.done`, and `env.reached` where there is a goal."
    def reset(self)->None:
        "Follow a reset of the environments in `env.mask`."
    def measure_starts(self, first:int=0)->None:
        "Look at the snapshots of the bank, from number `first` on."
    def info(self)->dict: ...
    def start_info(self)->dict: ...
    def kept(self)->dict: ...
    def about(self)->dict: ...
    def facts(self)->dict: ...
class PixelsEnv(LateMembers, Batch):
    "N Game Boys; screens are all that a policy sees."
    _elsewhere = dict(action_space='num_actions', observation_space='obs_shape', render='rgb()')
    metadata:dict = dict(autoreset_mode='SAME_STEP')
    obs_dtype = torch.uint8
    # in a saved state: what is there once for all consoles, and what adds up; all else has a row for each
    state_kinds:dict = dict(coverage='sum', outside='sum') | dict.fromkeys(
        ('seed', 'start_ids', 'choices', 'bank', 'bank_pix', 'about', 'place', 'tally', 'success'), 'same')
    __reduce_ex__ = uncopied('make another; its `load_state_dict` takes what `state_dict` gave')
    curriculum:Any = None # what chooses the starts as episodes end, see `gbxnb.envs.starts`
    task:Any = None # The `Task` that is played, where there is one
    demonstration:Callable|None = None # what a script sees, does and is paid, where the task has one
    reached:Any = None # bool[N]: which of the ends are successes; set by the judge, where there is a goal
    cfg:EnvConfig
    judge:Judge
    watch:WatchList
    cart:Cartridge
    goal:Any
    codec:ActionCodec
    backend:Backend
    action_codec_id:str
    frames_per_step:Count
    fps:float # steps in a second of the console's time
    rom_sha256:str
    cache:ResetCache
    watcher:Watcher|None
    coverage:Coverage|None
    pad:Pad
    _screens:wp.array|None
    _keeps:bool # whether each step draws them
    _source:wp.array|None # of which environments others become copies, once that is asked for
    recorder:TorchRecorder|Recorder
    observer:Observer|None
    lines:Lines|None
    stack:Stack
    pix:torch.Tensor
    pix_words:wp.array
    obs:torch.Tensor
    final_obs:torch.Tensor
    obs_shape:tuple[int, ...]
    obs_range:tuple[int, int]
    _ended:wp.array
    ended:torch.Tensor
    _mask:wp.array
    mask:torch.Tensor
    _every:torch.Tensor
    _length:wp.array
    episode_length:torch.Tensor
    _total:wp.array
    episode_return:torch.Tensor
    _reward:wp.array
    reward:torch.Tensor
    _done:wp.array
    done:torch.Tensor
    _trunc:wp.array
    trunc:torch.Tensor
    faults:torch.Tensor
    info:Info
    _count:wp.Launch
    _stats:wp.array
    stats:torch.Tensor
    _counts:wp.array
    counts:torch.Tensor
    _adding:wp.Launch
    screens:torch.Tensor
    def __init__(self,
        rom:Cartridge|bytes|str|Path, # The cartridge, or its file
        num_envs:int, # N
        cfg:EnvConfig=ENV_DEFAULTS, # What a step and an episode are
        start:Snapshot|list[Snapshot]|None=None, # Where episodes begin; by default at the power switch
        judge:Judge|None=None, # What pays for a step; by default nothing does
        backend:str|Backend='auto', # What runs the consoles
        device:str='auto', # cpu, cuda, cuda:1 ...; auto prefers a GPU
        seed:int=0, # Of all random choices; `reset(seed=...)` gives another
        first:int=0, # Number of the first console, where several processes share a batch
        watch:WatchList|Mapping|Sequence[str]|None=None, # What is read from memory, as for `make_watch_list`
    )->None: ...
    def _set_up(self, starts, seed, first)->None: ...
    def _make_observations(self)->None:
        "What a policy sees, in a stack."
    def _new(self,
        dtype, # A Warp type
        *shape, # By default [N]
    )->tuple[wp.array, torch.Tensor]:
        "A Warp array of zeros, and the same memory as a torch tensor."
    def _make_pad(self, emulator)->None:
        "Let the pad stick, and keys come late, as far as the backend can."
    def _make_tensors(self)->None: ...
    def _make_totals(self)->None:
        "What `info_mode='stats'` says of a step."
    @property
    def lock(self)->threading.RLock:
        "Held by the thread that works on the consoles; a second one waits."
    def close(self)->None:
        "Free the consoles. Closing twice is no mistake."
    def __repr__(self)->str: ...
    def _repr_png_(self): ...
    def frames(self)->torch.Tensor: # uint8[N, 144, 160] shades; the next call overwrites it
        "The whole screen of each console; every second pixel of it is `pix`."
    def keep_screens(self)->torch.Tensor: # uint8[N, 144, 160] shades; each step overwrites it
        "Whole screens, drawn in each step from now on; where an episode ended, before the next one begins."
    def rgb(self)->np.ndarray: # uint8[N, 144, 160, 3]
        "The whole screen of each console, in greys."
    def start_info(self)->dict: # Tensors [N, ...] by name
        "The infos of the starts from which the consoles played last."
    def compute_rewards(self)->None:
        "Reward, done, trunc and the counters of the episodes."
    def add_starts(self,
        snapshots:list[Snapshot], # For example `[env.backend.snapshot(i)]`
    )->list[int]: # Their numbers, for `env.cache.choose_from` and for `reset`
        "Add snapshots to the bank while the batch is running."
    def reset(self,
        seed:int|None=None, # Begin all random choices anew; None goes on with them
        options:dict|None=None, # `reset_mask` bool[N], `start` int64[N], `write` {variable: int32[N]}
    )->tuple[torch.Tensor, dict[str, Any]]: # Observations uint8[N, K, 72, 80], and the infos that a start has
        "Begin new episodes."
    def restart(self,
        mask:wp.array|None=None, # bool[N]: these consoles; by default those whose episode ended
        write:dict|None=None, # int32[N] by variable: what memory holds then
        start:torch.Tensor|None=None, # int64[N]: which starts; by default they are chosen
    )->None:
        "Begin episodes: restore a start, write to memory, and begin the stack with the start's picture."
    def step(self,
        actions:torch.Tensor, # int64[N]
        source:torch.Tensor|None=None, # int64[N]: of which environment each becomes a copy first, as by `clone`
    )->tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, dict[str, Any]]:
        "One step of every console. All that is returned is overwritten by the next step."
    def errors(self)->list[str]: # Empty if all is well
        "What went wrong since the last call; waits for the device."
    def facts(self)->dict: # JSON values by name
        "What identifies the task that is played."
    def totals(self,
        group:ProcessGroup=ProcessGroup(), # The processes whose batches count
    )->dict[str, torch.Tensor]: # Scalars on the device, by name
        "Numbers of the whole batch since it was made."
    def samples(self)->dict[str, float]: # By name; none from fewer than 32 consoles
        "Numbers of the batch at this moment: `divergence`, see `gbxnb.backends.base`."
    def spec(self)->WorldSpec:
        "What must be the same for a policy to mean the same."
    def state_dict(self)->dict[str, np.ndarray]:
        "Everything needed to go on exactly from here."
    def load_state_dict(self,
        d:dict[str, np.ndarray], # What `state_dict` gave
    )->None:
        "Go on from where `state_dict` was taken."
    def clone(self,
        source:torch.Tensor, # int64[N]: of which environment each becomes a copy; its own number where it stays
    )->None:
        "Copy environments: consoles, stacks, episodes and what is watched. One launch."
def reset_mask(
    options:dict|None, # Of `reset`
    like:torch.Tensor, # bool[N]
    more:tuple[str, ...]=(), # Options that are known beside it
)->torch.Tensor|None: # bool[N]: which environments begin an episode; None is all
    "The environments that are meant, checked."
def check_start(
    start, # Of the options of `reset`: int64[N], numbers of starts; None is as `choose_from` said
    mask:torch.Tensor, # bool[N]: where they are looked at
    size:int, # Starts in the bank
)->None:
    "Raise unless each start that is meant is in the bank; waits for the device."
