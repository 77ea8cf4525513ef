"""Which screens count as the same place, and which place is worth going back to."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = []
import numpy as np
import warp as wp
from ..backends.warp import WarpBackend
from ..emulator.machine import as_words
HIGH, WIDE, BLOCKS = 9, 10, 96 # blocks of a picture; bytes of a row of sums, six of them 0
sum_blocks: _Any = None
MAX_LEVELS = 16 # four bits each
mix: _Any = None
grid_key: _Any = None
OLDEST = 255 # steps; a screen ages no more then
age_of: _Any = None
class Looks(_Any): ...
look_at: _Any = None
GRIDS = (1, 1), (3, 2), (9, 5), (9, 10) # from the coarsest to the cells
MAX_GRIDS = 16 # each console has a key for every grid
def check_grids(
    grids, # (high, wide) of each
    levels:int, # Of grey
)->None:
    "Raise `ValueError` for what cannot be made of 9 x 10 blocks."
class Cells:
    "The keys of N consoles."
    looks:Looks
    pix:wp.array
    before:_Any
    depth:_Any
    fresh:_Any
    key:_Any
    path:_Any
    still:_Any
    sums:_Any
    values:_Any
    def __init__(self,
        backend:WarpBackend, # Runs the consoles
        grids=GRIDS, # (high, wide) of each, the cells' last
        levels:int=8, # Of grey
        ages:bool=True, # Whether the age of a screen counts
        values:wp.array|None=None, # int32[N, K]: what is watched
    )->None: ...
    def look(self)->None:
        "Make the keys of the present pictures; those of `fresh` consoles are new, whatever was there before."
UNIT:_Any
class Tree(_Any): ...
weight_of: _Any = None
find_node: _Any = None
add_child: _Any = None
add_path: _Any = None
set_live: _Any = None
count_choice: _Any = None
choose_leaf: _Any = None
def make_tree(
    nodes:int, # It has room for
    device:str, # Where it lives
)->Tree:
    "A tree of a root alone."
