"""Go back to a place, play on, keep what is new; stopped and resumed bit for bit."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from typing_extensions import Self as _Self
from gbxnb.base.config import C
from gbxnb.envs.config import ActionCodec
__all__ = ['ExploreConfig', 'Explorer', 'pack_exploration', 'save_exploration', 'load_exploration']
import io, json, os, threading, zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from reprlib import repr as brief
from typing import Annotated, Any
import numpy as np
import warp as wp
from fastcore.basics import patch
from ..backends.base import Recorder, Snapshot, VariableTable
from ..backends.warp import WarpBackend
from ..base.config import Config, Range, Whole
from ..base.files import (MAX_JSON, Spec, UserError, check_arrays, check_int, parse_npz, read_whole,
                              write_atomic)
from ..base.parallel import uncopied
from ..base.progress import memory
from ..base.startup import find_device, recording
from ..emulator.cartridge import Cartridge
from ..emulator.emulator import alone
from ..emulator.rows import LAYOUT, check_rows
from ..envs.config import ENV_DEFAULTS, EnvConfig
from ..envs.watch_list import WatchList, make_watch_list
from .archive import LONGEST, Archive, Arrivals, Places, read_script
from .cells import (GRIDS, OLDEST, Cells, Tree, add_child, check_grids, choose_leaf, set_live)
from ..training.rollout import free_bytes
@dataclass(frozen=True)
class ExploreConfig(Config):
    "What an exploration depends on, beside the game, its start and what a step is."
    num_envs:Annotated[int, Range(1, 2**20)]=256 # N, consoles that explore side by side
    seed:Whole=0 # Of all random choices
    grids:tuple=GRIDS # Coarse screens, and the cells' own last; that alone makes a flat archive
    levels:int=8 # Of grey, in a block of a coarse screen
    ages:bool=True # Whether a screen that has not changed for 3, 15, 63, 255 steps is another place
    lengths:tuple=(4, 8, 16, 32, 64, 128, 256) # Steps of a burst; each takes the same share of all steps
    holds:tuple=(0., .5, .9) # Chances of repeating the last action; each burst has one of them
    max_places:Annotated[int, Range(2, 2**22)]=100_000 # Beyond them nothing new is kept
    # Places to which one can return, of 24 kB and the cartridge's RAM each
    max_rows:Annotated[int, Range(2, 2**22)]=32_768
    def __post_init__(self)->None: ...
class Lanes(_Any): ...
class Bursts(_Any): ...
class Explorer:
    "Consoles that explore a game from one start."
    __reduce_ex__ = uncopied('make another; its `load_state_dict` takes what `state_dict` gave')
    cart:Cartridge
    start:Snapshot
    watch:WatchList|None
    cfg:ExploreConfig
    env_cfg:EnvConfig
    backend:WarpBackend
    cells:Cells
    archive:Archive
    steps:int
    _playing:wp.Launch
    recorder:Recorder
    _table:VariableTable
    bursts:_Any
    lanes:_Any
    def __init__(self,
        rom, # The cartridge, or its file
        start:Snapshot, # Where every script begins
        cfg:ExploreConfig=ExploreConfig(), # How it explores
        env_cfg:EnvConfig=ENV_DEFAULTS, # What a step is, and which actions there are
        watch:WatchList|None=None, # Variables that tell places apart, beside what is seen
        device:str='auto', # cpu, cuda, cuda:1 ...; auto prefers a GPU
    )->None: ...
    def __enter__(self)->_Self: ...
    def __exit__(self, *exc)->None: ...
    def close(self)->None: ...
    @property
    def lock(self)->threading.RLock: ...
    def __repr__(self)->str: ...
    def _make_lanes(self):
        "Consoles whose bursts have ended."
    def _watch(self, watch):
        "The values that tell places apart, if there are any."
    def _step(self)->None:
        "One step of every console."
    def run(self,
        steps:int, # Environment steps more, of all consoles together; rounded up to whole steps of the batch
        each_step=None, # Called with the explorer after each step of the batch
    )->'Explorer': # Itself
        "Explore."
    def lane_script(self,
        i:int, # Number of a console
    )->tuple[int, ...]: # From the start
        "The actions that brought a console to where it is."
    def state_dict(self)->dict[str, np.ndarray]:
        "Everything needed to go on exactly from here."
    def load_state_dict(self,
        d:dict[str, np.ndarray], # What `state_dict` gave, of an explorer like this one
    )->'Explorer': # Itself
        "Go on from where `state_dict` was taken; on an error nothing has changed."
SCHEMA, MAX_FILE = 'gbxnb-exploration-1', 1 << 32 # bytes
def list_dict(
    e:Explorer,
)->dict[str, np.ndarray]: # By name
    "The lists of a state, and its counters."
def check_lists(
    e:Explorer, # Of that exploration
    d:dict[str, np.ndarray], # With the lists of `list_dict`, whose types and limits are good
)->np.ndarray: # int32[nodes]: the actions that lead to each node of the scripts
    "Raise `ValueError` unless the lists of a state fit together."
def read_about(
    a, # The array of a file that says what the file is of
)->Any: # None for none
    "What a state says of itself."
def put_lists(
    e:Explorer, # Goes back
    d:dict[str, np.ndarray], # The lists of `state_dict`, its counters and `lanes`
    depth:np.ndarray, # From `check_lists`
)->None:
    "Go back to a state whose rows are in the bank, and whose consoles are where they shall be."
CHUNK = 1024 # rows that are checked, or compressed, at once
def pack_state(
    d:dict[str, np.ndarray], # By name
    bases:dict[str, np.ndarray], # `start` and `start_pix`: rows and pictures are differences to them
)->bytes:
    "The content of a file."
def read_rows(
    data:bytes, # The content of a file
    name:str, # What messages call it
    k:str, # An array of rows or of pictures
    start:Snapshot, # To which they are differences
    count:int, # So many
)->np.ndarray: # uint8[count, ...]
    "Rows that `pack_state` stored."
def pack_exploration(
    explorer:Explorer, # Between two steps
)->bytes:
    "The content of a file that holds an exploration."
def save_exploration(
    path:str|Path, # The file; replaced when the new one is whole
    explorer:Explorer, # Between two steps
)->Path:
    "Write an exploration down."
@contextmanager
def one_line(
    path, # Of a file
)->Iterator[None]:
    "Turn what is wrong with a file into one line that names it."
def load_exploration(
    path:str|Path, # What `save_exploration` wrote
    rom, # The cartridge, or its file
    cfg:ExploreConfig|None=None, # Must be what is in the file; by default it is
    env_cfg:EnvConfig|None=None, # The same
    watch:WatchList|None=None, # The same
    device:str='auto', # cpu, cuda, cuda:1 ...; any will do
)->Explorer:
    "An explorer that goes on from a file; a `UserError` says why it cannot."
def reload_exploration(
    path:str|Path, # What `save_exploration` wrote
    explorer:Explorer, # Of the same exploration
)->Explorer: # Itself
    "Go on from a file."
def saved_steps(
    path:str|Path, # What `save_exploration` wrote
)->int: # Of the batch
    "How many steps an exploration in a file has made."
