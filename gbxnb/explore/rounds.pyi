"""Workers explore parts of a round from the same archive; what they find is merged, the same whoever explored it."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from gbxnb.backends.base import Snapshot
from gbxnb.explore.explorer import ExploreConfig
__all__ = ['merge', 'Worker']
import hashlib, json, os, socket, sys, tempfile, time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
import numpy as np
import psutil
from fastcore.basics import patch
from ..backends.warp import put_in_bank, take_from_bank
from ..base.config import Config, Count, Range
from ..base.files import (MAX_JSON, Spec, Stop, UserError, check_arrays, parse_npz, read_json,
                              read_whole, write_atomic)
from ..base.folder import Folder, open_folder, read_manifest
from ..base.progress import Meter
from ..emulator.machine import NEVER, SCRATCH, Reg, words_of
from ..emulator.rows import check_rows
from .explorer import (MAX_FILE, Explorer, check_lists, list_dict, one_line, pack_state,
                                    put_lists, read_about, read_rows, reload_exploration)
@dataclass(frozen=True)
class RoundsConfig(Config):
    "An exploration in rounds, by several workers."
    parts:Annotated[int, Range(0, 4096)]=0 # Parts of a round, explored by any number of workers; 0: no rounds
    round_steps:Count=4096 # Environment steps of a part; what the others find in it is known afterwards
def leaves(
    d:dict, # The lists of a state
)->np.ndarray: # int[places]
    "The node of the tree of each place."
def what_is_new(
    explorer:Explorer, # Has explored a part
    before:dict, # The lists that it began with
)->dict[str, np.ndarray]: # By name
    "A part: what an exploration has added to an archive."
def merge_lists(
    before:dict, # A state; its bank is not needed
    parts:list[dict], # Of a round, in their order
)->tuple[dict, np.ndarray]: # The lists after it; int[n, 3]: row of the bank, part, and row of its bank
    "The lists of an archive that takes in parts, and which of their states become rows of its bank."
def merge(
    before:dict, # What `state_dict` of an explorer gave
    parts:list[dict], # Of a round, in their order
)->dict[str, np.ndarray]: # What `load_state_dict` of an explorer takes
    "The state of an archive after a round."
SCHEMA, LISTS = 'gbxnb-part-1', ('about', 'counters', 'tree', 'places', 'scripts', 'actions')
def archive_sha256(
    d:dict, # A state
)->str: # 64 hex digits
    "Which archive it is."
def pack_part(
    part:dict, # From `what_is_new`
    about:dict, # Of what it is a part; JSON values
    before:dict, # The state that it began with
)->bytes:
    "The content of a file."
def read_part(
    data:bytes, # The content of a file
    name:str, # What messages call it
    about:dict, # What it must be a part of
    before:dict, # The state that it must have begun with
    explorer:Explorer, # Of that exploration
)->dict[str, np.ndarray]: # As from `what_is_new`
    "A part, or a `UserError` that says why it is none."
SILENT, TOUCH = 60., 5. # seconds after which a claim is dead; between two touches
def _me()->dict:
    "This process, for a claim."
def is_dead(
    path:Path, # A claim
    me:dict, # From `_me`
)->bool:
    "Whether nobody works on what it claims."
def take_claim(
    path:Path, # Where it is made
)->bool: # Whether it was made
    "Claim something that nobody claims, or nobody who lives."
EXPLORATION, ROUNDS = 'exploration.npz', 'rounds.json' # in the folder of an atlas
MOST = 64 # rounds whose files are named ahead
def part_names(
    rounds, # Their numbers
    parts:int, # Of each
)->list[str]: # In the folder
    "The files of some rounds."
def read_plan(
    path:Path, # Folder of an atlas
)->dict[str, int]: # `parts`, `round_steps`, `steps` to explore, and the round that is `stored`
    "How an exploration in rounds is cut, and how far it is stored."
def plan_text(**plan:int)->str:
    "The content of `rounds.json`."
class Worker:
    "Explores parts of rounds, and merges them."
    explorer:Explorer
    folder:Folder
    bank:np.ndarray
    bank_pix:np.ndarray
    changed:list # rows of the bank that differ from those here
    done:dict
    sha256:str
    d:_Any
    depth:_Any
    every:_Any
    part_steps:_Any
    plan:_Any
    round_steps:_Any
    def __init__(self,
        explorer:Explorer, # As it is stored in the folder
        folder:Folder, # Of an atlas; one worker may hold its lock
        save_every:int=131072, # Environment steps between two checkpoints
    )->None: ...
    def __repr__(self)->str: ...
    @property
    def steps(self)->int: ...
    @property
    def round(self)->int: ...
    @property
    def rows(self)->int: ...
    def _begin(self)->None:
        "Take over the state of the explorer."
    def _next(self, d, depth)->None:
        "A round begins."
    def state_dict(self)->dict[str, np.ndarray]: # What `load_state_dict` of an explorer takes
        "The archive after the last round."
    def go_back(self, **lanes)->None:
        "Bring the explorer to the archive after the last round."
    def explore_part(self,
        p:int, # Its number
        asked:Stop|tuple=(), # Whether to end now
        each_step=None, # Called after each step of the batch
    )->dict|None: # None if it was asked to end
        "A part of this round."
    def merge(self)->None:
        "Go on to the next round; all parts are there."
    def store(self)->bool: # Whether it could: another process may have the lock
        "Store the archive, and make room for the next rounds."
    def _follow(self)->bool: # Whether there is more to explore
        "Read how far the exploration is stored; go on from there if that is farther."
    def _named(self)->bool:
        "Whether the files of this round may be written."
    def _make(self, p, asked, meter)->None:
        "Explore a part that this process claims, and write it."
    def _read(self, p)->None:
        "Read a part that was explored; what is no such part is removed."
    def _work(self, asked, meter)->str: # What there is to wait for
        "Do what is to be done next: explore a part, read one, merge all."
    def run(self,
        asked:Stop|tuple=(), # Whether to end now
    )->'Worker': # Itself
        "Work until the exploration has its steps."
