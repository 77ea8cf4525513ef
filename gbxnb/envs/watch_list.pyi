"""Values from the memory of all consoles after every step, and where they have all been."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from gbxnb.base.config import C
__all__ = ['ENTRIES', 'MAX_CELLS', 'WatchList', 'make_watch_list', 'merge_entries', 'read_entries', 'WatchConfig', 'Columns',
           'Coverage', 'visited_part', 'coverage_picture']
import json, math, os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from reprlib import repr as brief
from typing import Any, cast
import numpy as np
import torch
import warp as wp
from fastcore.basics import patch
from PIL import Image
from ..base.config import Config
from ..base.figures import lay_out, pixel_image
from ..base.files import UserError, beside, read_json
from ..backends.base import Backend, VariableTable
from ..emulator.cartridge import Cartridge
from .starts import ResetCache
from ..watch.symbols import Symbols, find_symbols
from ..watch.variables import (BEFORE, NOW, Variable, check_names, check_writable_variable, plain,
                                   plain_hooks, resolve, resolve_hooks, with_hooks)
ENTRIES = ('variables', 'hooks', 'observe', 'begin', 'coverage')
MAX_CELLS = 1 << 26 # of a map of places: 256 MB
@dataclass(frozen=True)
class WatchList:
    "What is read from a game's memory, and what is written there; places are addresses."
    variables:dict[str, Variable] = field(default_factory=dict) # From `resolve`
    hooks:dict[str, int] = field(default_factory=dict) # From `resolve_hooks`
    observe:tuple[str, ...] = () # Variables that a policy sees
    begin:dict[str, tuple[int, int]] = field(default_factory=dict) # Variables and their ranges, both ends in
    coverage:dict[str, int] = field(default_factory=dict) # Variables and their sizes, the fastest last
    def __post_init__(self)->None: ...
    def _check_written(self)->None:
        "Refuse what cannot be written, and ranges that overlap."
    def __bool__(self)->bool: ...
    def plain(self)->dict: # JSON values, without symbols
        "As a file keeps it."
    def _repr_markdown_(self): ...
def make_watch_list(
    given, # A `WatchList`, its entries as a dict, or variables alone: a list of names, or names with places
    cart:Cartridge, # The game
    symbols:'Symbols|str|Path|None'='', # A symbol file; empty: of the bundled game, or beside the ROM
)->WatchList:
    "A watch list for a game; a `UserError` names what is wrong."
def merge_entries(
    *given, # Lists, as `make_watch_list` takes them, or None; later ones count more
)->dict: # Entries
    "Several watch lists as one."
def read_entries(
    path:str|Path, # JSON
)->dict:
    "The entries of a watch list from a file."
@dataclass(frozen=True)
class WatchConfig(Config):
    "What is watched, as options; JSON, or names with commas between them."
    watch:str = '' # Variables, e.g. wXCoord,hp=0xD16C; or the whole list, as JSON or a file of it
    symbols:str = '' # Symbol file; empty is the .sym file beside the ROM
    hooks:str = '' # Places of the program, e.g. Talk,bank=3:4A21
    observe:str = '' # Variables that a policy sees beside the picture
    begin:str = '' # What variables hold when an episode begins, e.g. lives=1,level=0..8
    coverage:str = '' # Coordinates and how many values they have, e.g. map=248,y=64,x=64
    def __post_init__(self)->None: ...
    def entries(self)->dict: # For `make_watch_list`; empty if nothing is asked for
        "As the entries of a list."
class Columns(Mapping):
    "Columns of a tensor, by name."
    tensor:_Any
    _columns:_Any
    def __init__(self,
        names, # Of the columns
        tensor:torch.Tensor, # `[N, K]`
        index=None, # Column of each name; by default one after the other
    )->None: ...
    def __getitem__(self, name): ...
    def __getattr__(self, name):
        if name.startswith('_'): raise AttributeError(name) # a copy asks before there are columns
        return self[name]
    def __iter__(self): ...
    def __len__(self)->int: ...
    def __repr__(self)->str: ...
class Watcher:
    "A watch list at work: the values of all consoles of a backend."
    watch:WatchList
    backend:Backend
    cache:ResetCache
    table:VariableTable
    now:Columns
    before:Columns
    reached:Columns
    hits:Columns
    writes:VariableTable|None
    _low:wp.array
    _high:wp.array
    _drawn:wp.array
    _before:_Any
    _now:_Any
    def __init__(self,
        watch:WatchList,
        backend:Backend, # Of a cartridge with the hooks of the list
        cart:Cartridge, # The same
        cache:ResetCache, # Says which episode begins
    )->None: ...
    def _make_writes(self, cart)->None:
        "What is written at the beginning of an episode."
    def read(self, mask:wp.array|None=None)->None:
        "What the consoles hold, or those in bool[N] `mask`."
    def begin(self, mask:wp.array)->None:
        "Where bool[N] `mask` is set, an episode has begun: write what it begins with, and read."
MOST = 1 << 30 # of a count
class Coverage:
    "How often each place was visited, by all consoles of a batch."
    sizes:dict
    outside:torch.Tensor
    counts:torch.Tensor
    new:torch.Tensor
    place:torch.Tensor
    _flat:_Any
    def __init__(self,
        sizes:dict[str, int], # Watched variables and the number of their values, the fastest last
        num_envs:int, # N
        device:str|torch.device, # Where it is counted
    )->None: ...
    def __repr__(self)->str: ...
    def cells(self)->torch.Tensor: # int64, a scalar on the device
        "Places that were visited."
    def add(self,
        now:Columns, # int32[N] by name
        mask:torch.Tensor, # bool[N]: these consoles
    )->None:
        "Count where consoles are."
    def picture(self,
        scale:int=8, # Pixels of a place
    )->Image.Image:
        "How often each place was visited."
    def _repr_png_(self): ...
def visited_part(
    counts:np.ndarray, # int[H, W]
)->tuple[slice, slice]:
    "The rows and columns that were visited."
def coverage_picture(
    counts:np.ndarray, # int[W], int[H, W] or int[M, H, W]
    scale:int=8, # Pixels of a place
)->Image.Image:
    "How often each place was visited."
