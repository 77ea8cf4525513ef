"""Every cell's console, on the device, and the way that led to it."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = []
import numpy as np
import warp as wp
from fastcore.basics import patch
from ..backends.base import Snapshot
from ..backends.warp import WarpBackend
from ..base.files import check_int
from .cells import (Cells, Looks, Tree, add_child, add_path, find_node, look_at, make_tree,
                                 set_live)
LONGEST = 256 # actions of a node at most

@wp.struct
class ScriptLog:
    "All scripts of an exploration."
    parent: wp.array[wp.int32]      # of each node; -1 for the first, which is the start
    begin: wp.array[wp.int32]       # where its actions begin
    length: wp.array[wp.uint16]     # how many they are
    actions: wp.array[wp.uint8]     # of all nodes, one after the other
    used: wp.array[wp.int32]        # nodes, actions
has_room: _Any = None
add_node: _Any = None
def make_log(
    nodes:int, # It has room for, the start with them
    actions:int, # Of all nodes together
    device:str='cpu', # Where it lives
)->ScriptLog:
    "A log that holds the start alone."
def read_script(
    log:ScriptLog,
    node:int, # Its number
)->tuple[int, ...]: # Actions from the start
    "The way to a node; copies the log from the device."

@wp.struct
class Places:
    "What is known of each place, in the order in which they were found."
    leaf: wp.array[wp.int32]        # its node of the tree
    slot: wp.array[wp.int32]        # its row of the bank; -1: it was dropped
    node: wp.array[wp.int32]        # its script
    depth: wp.array[wp.int32]       # actions of its script
    seen: wp.array[wp.int32]        # steps that ended there
    born: wp.array[wp.int32]        # step of the batch in which it was found
    stored: wp.array[wp.int32]      # step of the batch in which its state was taken
    holder: wp.array[wp.int32]      # of each row of the bank: its place
    used: wp.array[wp.int32]        # places, rows, rows that were dropped, places there was no room for

@wp.struct
class Arrivals:
    "Where the consoles are after a step, and what becomes of it."
    key: wp.array[wp.uint64]        # of its cell
    path: wp.array2d[wp.uint64]     # above it
    levels: int                     # keys of a path
    place: wp.array[wp.int32]       # its number; -1: not known
    wanted: wp.array[wp.bool]       # whether its state goes into the bank
    slot: wp.array[wp.int32]        # and into which row
    node: wp.array[wp.int32]        # script of the place from which a console came, or that it passed last
    depth: wp.array[wp.int32]       # actions since the start
    played: wp.array2d[wp.uint8]    # actions since that node
    length: wp.array[wp.int32]      # so many
    state: wp.array[wp.uint32]      # of the random choices of each console
_look_up: _Any = None
_count_visits: _Any = None
DRAWN = 8 # rows, of which one is given up
_victim: _Any = None
_free_row: _Any = None
_new_place: _Any = None
_room: _Any = None
_keep: _Any = None
_take_in: _Any = None

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
    )->None:
        check_int(2, max_places=max_places, max_rows=max_rows)
        n, device = backend.num_envs, backend.device
        self.backend, self.cells, self.seed, self.longest = backend, cells, seed, longest
        self.tree = make_tree(2*max_places + 64, device)
        self.log = make_log(8*max_places, 256*max_places, device)
        new = lambda size, of=wp.int32: wp.zeros(size, of, device)
        self.places = p = Places()
        for name in 'leaf', 'slot', 'node', 'depth', 'seen', 'born': setattr(p, name, new(max_places))
        p.stored, p.holder, p.used = wp.full(max_places, -1, wp.int32, device), new(max_rows), new(4)
        self.now = now = Arrivals()
        now.key, now.path, now.levels = cells.key, cells.path, cells.depth
        for name in 'place', 'slot', 'node', 'depth', 'length': setattr(now, name, new(n))
        now.wanted, now.played = new(n, wp.bool), new((n, longest), wp.uint8)
        now.state = wp.array(np.random.default_rng(seed).integers(0, 2**32, n, np.uint32), device=device)
        self.step, self.left = new(1), new(n)
        backend.set_bank([start], capacity=max_rows)
        self._record()
        self._begin()
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
_first_place: _Any = None
_next_step: _Any = None
