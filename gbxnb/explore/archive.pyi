"""Every cell's console, on the device, and the way that led to it."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = []
import ctypes, sys
import numpy as np
import warp as wp
from fastcore.basics import patch
from ..backends.base import Snapshot
from ..backends.warp import WarpBackend
from ..base.files import check_int
from ..base.startup import recording
from .cells import (Cells, Looks, Tree, add_child, add_path, count_choice, find_node, look_at,
                                 make_tree, set_live)
LONGEST = 256 # actions of a node at most
class ScriptLog(_Any): ...
has_room: _Any = None
add_node: _Any = None
def make_log(
    nodes:int, # It has room for, the start with them
    actions:int, # Of all nodes together
    device:str, # Where it lives
)->ScriptLog:
    "A log that holds the start alone."
def read_script(
    log:ScriptLog,
    node:int, # Its number
)->tuple[int, ...]: # Actions from the start
    "The way to a node; copies the log from the device."
class Places(_Any): ...
class Arrivals(_Any): ...
DRAWN = 8 # rows, of which one is given up
LARGE, _ADVICE = 1 << 21, 14 # bytes of a large page; MADV_HUGEPAGE
class Archive:
    "The places that N consoles have found from one start."
    backend:WarpBackend
    cells:Cells
    seed:int
    longest:int
    tree:Tree
    log:ScriptLog
    places:Places
    now:Arrivals
    step:wp.array
    left:wp.array
    _launches:list
    following:list
    def __init__(self,
        backend:WarpBackend, # All of its consoles are brought to the start; its bank is the archive's
        start:Snapshot, # Where every script begins
        cells:Cells, # Says what a place is
        max_places:int=100_000, # Beyond them nothing new is kept
        max_rows:int=32_768, # Rows of the bank: places to which one can return
        longest:int=256, # Actions between two nodes of a script, at most
        seed:int=0, # Of the random choices
    )->None: ...
    def _record(self)->None:
        "Prepare the launches of a step."
    @property
    def _parts(self): ...
    def _begin(self)->None:
        "Bring all consoles to the start, the first place."
    def add(self)->None:
        "Keep what is new after a step of the backend."
    def __len__(self)->int: ...
    def __repr__(self)->str: ...
    def table(self)->dict[str, np.ndarray]: # By name, each [P]
        "What is known of the places: key, seen, chosen, depth, born (env steps), slot, node, group."
    def _number(self, k): ...
    def script(self,
        k:int, # Number of a place
    )->tuple[int, ...]: # From the start
        "The actions that lead to a place."
    def snapshot(self,
        k:int, # Number of a place
    )->Snapshot|None: # None where its row was dropped
        "The state of a place."
    def pix(self,
        k:int, # Number of a place
    )->np.ndarray|None: # uint8[72, 80]; None where its row was dropped
        "The screen of a place."
    @property
    def nbytes(self)->int:
        "Memory of all arrays when they are full, the bank's with them."
