"""N ships in a few launches, and the world that training asks for."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from gbxnb.base.config import C
from typing import Any
__all__ = ['PROSPECTOR', 'ProspectorConfig', 'Fleet', 'KernelPlayer', 'ReferencePlayer', 'Prospector', 'make_prospector']
import threading
from dataclasses import dataclass, replace
from functools import partial
import numpy as np
import torch
import warp as wp
from fastcore.basics import patch
from ..backends.base import Recorder
from typing import Annotated, Literal
from ..base.config import Config, Count, Range, WorldSpec
from ..base.files import Spec, UserError, check_arrays, check_int, seed_of
from ..base.group import CLOSED, Batch, checked_reset, checked_step
from ..base.parallel import Workers, cut_batch
from ..base.progress import cores
from ..base.startup import find_device, recording
from ..envs.pixels import Info, reset_mask
from .act import mask_actions
from .maths import F, Draws, ship_key
from .rows import (WIDTHS, Col, Mark, Place, Rows, check_rows, make_arrays,
    measure_asteroids, ship_of, show_arrivals, write_ships)
from .rules import ACTIONS, ASTEROIDS, METRICS, OBS, TERMS, TIME
from .sector import total
from .step import REWARD_TERMS, History, Outcomes, begin_episodes, step_ships
from .tick import PROFIT_TERMS, Ship
from ..worlds.contract import WorldType
BACKENDS = 'auto', 'warp', 'reference' # Warp's kernels, or the NumPy reference; auto is warp
Reward = Literal['native', 'profit', 'credits'] # a key of `REWARD_TERMS`
@dataclass(frozen=True)
class ProspectorConfig(Config):
    "The options of Prospector."
    reward:Reward = 'native' # What training pays: native, profit or credits
    judged_by:Reward = 'credits' # What evaluations pay: native, profit or credits
    time_max:Annotated[int, Range(1, 2**23)] = TIME # Ticks of an episode
    max_steps:Count = TIME # An episode is truncated after this many steps; each takes a tick or more
    # What plays: warp, or reference, which is slow and readable; auto is warp
    backend:Literal['auto', 'warp', 'reference'] = 'auto'
    # A step's info: full, or none but the mask if that is asked for
    info_mode:Literal['full', 'none'] = 'full'
    action_mask:bool = False # Also say which actions are valid, as `info['action_mask']`
class Fleet:
    "The arrays of N ships, as Warp's (`fleet.obs`) and as torch's (`fleet.tensors['obs']`)."
    seed:wp.array; mask:wp.array; ended:wp.array; length:wp.array; keys:wp.array
    ships:wp.array; places:wp.array; marks:wp.array # and others, by the names of their structs
    num_envs:int
    cfg:ProspectorConfig
    first:int
    device:wp.Device
    tensors:dict
    history:_Any
    outcomes:_Any
    rows:_Any
    def __init__(self,
        num_envs:int, # N
        cfg:ProspectorConfig=ProspectorConfig(), # Its `reward` is paid
        device:str='auto', # Where the ships are; auto prefers a GPU
        first:int=0, # Number of the first ship, where several processes share a batch
        terms:bool=False, # Also keep all terms of both rewards
        draws:wp.array|None=None, # Injected draws u32 [N, WORLD_SLOTS + STEP_SLOTS], for tests of parity
    )->None: ...
    def __repr__(self)->str: ...
    @property
    def ship_bytes(self)->int: ...
    @property
    def limits(self)->dict: ...
class KernelPlayer:
    "Plays all ships of a fleet by kernels."
    name = 'warp'
    steps:list
    begins:list
    workers:Workers
    recorder:Recorder
    def __init__(self,
        fleet:Fleet, # Whose arrays
        masks:bool=False, # Also compute the valid actions
        threads:int|None=None, # CPU threads; all cores by default
    )->None: ...
    def begin(self)->None: ...
    def step(self)->None: ...
    def store(self)->None: ...
    def load(self)->None: ...
    def close(self)->None: ...
class ReferencePlayer:
    "Plays all ships of a fleet on a CPU, one after the other."
    name = 'reference'
    fleet:Fleet
    masks:bool
    ships:list
    def __init__(self,
        fleet:Fleet, # Whose arrays
        masks:bool=False, # Also compute the valid actions
        threads:int|None=None, # One is all it has
    )->None: ...
    def close(self)->None: ...
    def begin(self)->None: ...
    def store(self)->None:
        "Write the ships into the rows."
    def load(self)->None:
        "Read the ships from the rows."
    def _begin(self, i:int)->None:
        "Note how an episode ended, and begin another."
    def step(self)->None:
        "One action of every ship."
    def _show_masks(self)->None:
        "Which actions each ship may take; the kernel says so, from the rows."
PLAYERS:dict
class Prospector(Batch):
    "N ships, each in a sector of its own."
    metadata = dict(autoreset_mode='SAME_STEP')
    obs_shape, obs_dtype, num_actions = (OBS,), torch.float32, ACTIONS
    obs_range, fps = (-1, 1), 8. # Smallest and largest number seen; steps in a second of a film
    cfg:ProspectorConfig
    lock:threading.RLock
    fleet:Fleet
    info:Info
    final_obs:_Any
    marks:_Any
    obs:_Any
    places:_Any
    player:_Any
    ships:_Any
    def __init__(self,
        num_envs:int, # N
        cfg:ProspectorConfig=ProspectorConfig(), # The options; their `reward` is paid
        device:str='auto', # Where the ships are; auto prefers a GPU
        seed:int=0, # Of all chance; `reset(seed=...)` gives another
        first:int=0, # Number of the first ship, where several processes share a batch
        threads:int|None=None, # CPU threads; all cores by default
        terms:bool=False, # Also say all terms of both rewards, as `info['terms']` f32 [N, 16]
    )->None: ...
    def _entries(self): ...
    def start_info(self)->dict: # `action_mask` bool [N, 69], if it is asked for
        "The infos with which episodes begin."
    def __repr__(self)->str: ...
    def close(self)->None:
        "Let the threads go. Closing twice is no mistake."
    def reset(self,
        seed:int|None=None, # Begin all chance anew; None goes on with it
        options:dict|None=None, # `reset_mask` bool [N]: which ships begin an episode; by default all
    )->tuple[torch.Tensor, dict]: # Observations f32 [N, 260], the batch's own: copy them to keep them; an info
        "Begin new episodes."
    def step(self,
        actions:torch.Tensor, # int64 [N]
    )->tuple: # obs f32 [N, 260], reward f32 [N], done bool [N], trunc bool [N], info
        "One action of every ship; those that ended begin anew. The next step overwrites all that is returned."
    def state_dict(self)->dict[str, np.ndarray]:
        "All that is needed to go on exactly from here."
    def load_state_dict(self, d:dict[str, np.ndarray])->None:
        "Go on from where `state_dict` was taken; a `ValueError` names what does not fit."
    def spec(self)->WorldSpec:
        "What must be the same for a policy to mean the same."
    def rgb(self)->np.ndarray: ...
    def _show(self, i:int, key:int, row:np.ndarray, place:np.ndarray, action:int)->None: ...
    def _repr_png_(self)->None: ...
STATE = 'ships', 'places', 'marks', 'obs', 'episodes', 'length', 'returns', 'sums', 'valid', 'keys', 'seed'
def make_prospector(
    config:ProspectorConfig, # The options
    num_envs:int, # N
    device:str='auto', # Where the ships are; auto prefers a GPU
    seed:int=0, # Of all chance
    training:bool=False, # Whether `reward` is paid, with the configuration's `info_mode`
    first:int=0, # Number of the first ship, where several processes share the batch
)->Prospector:
    "N ships, for training or for a judge."
PROSPECTOR:WorldType
