"""What an environment needs from the code that runs its Game Boys: a protocol, snapshots, launches recorded as one graph."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['Backend', 'keep_lines', 'VariableTable', 'Snapshot', 'check_bank', 'Recorder', 'divergence', 'waiting_share']
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast
import numpy as np
import warp as wp
from fastcore.basics import patch
from ..base.files import read_whole, sha256, write_atomic
from ..base.startup import start_warp
from ..emulator.cartridge import Cartridge
from ..emulator.emulator import Emulator
from ..emulator.idle_loops import WAITS, loop_body, mark_loops
from ..emulator.isa import predecode
from ..emulator.machine import FRAME, HALTED, Reg
from ..emulator.rows import MAX_STATE, StateError, pack_snapshot, unpack_snapshot
from ..watch.variables import Entry, Variable, variable_entry
class Backend(Protocol):
    "Runs `num_envs` Game Boys with one cartridge, in lockstep."
    name: str                   # Which backend this is; recorded in every artefact
    num_envs: int               # N
    device: str                 # Of all arrays, e.g. `cpu` or `cuda:0`
    rom_sha256: str             # Which cartridge
    buttons: wp.array           # uint8[N]: the keys to hold in the next step, bits as in `Button`
    pix: wp.array               # uint8[N, 72, 80]: shades of the last frame, or of a restored snapshot
    faults: wp.array            # int32[N]: 0, or what locked the console (`fault_text`); its reader clears it
    hits: wp.array              # uint8[N, H]: which hooks of the cartridge were reached in the last step
    bank_size: wp.array         # int32[1]: entries of the bank
    ram_seed: int               # Of the noise that RAM is at the power switch; -1: zeros
    @property
    def build(self)->dict:
        "Flags and versions of the code that runs the consoles; recorded too."
    @property
    def graph_key(self)->tuple|None:
        "What recorded launches depend on; None if none can be recorded."
    def step(self, frames:int, release_after:int)->None:
        "Hold `buttons` for `release_after` frames, let go, run on to `frames`; draw."
    def draw(self, out:wp.array, mask:'wp.array|None'=None)->None:
        "Whole screens into uint8[N, 144, 160] `out`: of all consoles or of those in bool[N] `mask`."
    def snapshot(self, env:int)->'Snapshot':
        "One console as it is now."
    def set_bank(self, snapshots:'list[Snapshot]', capacity:int=0)->None:
        "What `restore` may restore, by position; with room for `capacity` entries at least."
    def add_to_bank(self, snapshots:'list[Snapshot]')->list[int]:
        "Further entries, and their numbers; `graph_key` stays what it is while there is room."
    def bank_snapshot(self, slot:int)->'Snapshot':
        "An entry of the bank."
    def store(self, mask:wp.array, slot:wp.array)->None:
        "Where bool[N] `mask` is set, put the console into bank entry int32[N] `slot`, each into another."
    def clone(self, source:wp.array)->None:
        "Console `i` becomes a copy of console int32[N] `source[i]`, which must be its own source."
    def carry(self, arrays:'list[wp.array]')->None:
        "From now on the rows of these arrays, each [N, ...], are copied along with consoles by `clone`."
    def restore(self, mask:wp.array, snap_id:wp.array)->None:
        "Where bool[N] `mask` is set, put bank entry int32[N] `snap_id` there."
    def renew_ram(self, mask:wp.array, snap_id:wp.array, first:int, episode:wp.array)->None:
        "Noise in RAM where bool[N] `mask` is set and int32[N] `snap_id` is 0, as from a power switch:"
    def watch(self, table:'VariableTable', values:wp.array)->None:
        "From now on every step ends with these variables in int32[3, N, K] `values`: now, before, reached."
    def read_variables(self, mask:'wp.array|None'=None)->None:
        "Read what is watched now, of all consoles or of those in bool[N] `mask`; the past stays."
    def write_variables(self, table:'VariableTable', values:wp.array, mask:wp.array)->None:
        "Where bool[N] `mask` is set, write int32[N, K] `values`."
    def save_all(self)->np.ndarray:
        "All consoles, uint8[N, state_bytes], to go on exactly later."
    def load_all(self, states:np.ndarray)->None:
        "Put back what `save_all` gave; on an error nothing is touched. `pix` is the caller's."
    def close(self)->None:
        "Free everything. Closing twice is no mistake."
def keep_lines(
    screens:np.ndarray, # uint8[..., 144, 160] shades, drawn anew
    pix:np.ndarray, # uint8[..., 72, 80] shades, stored
)->np.ndarray: # uint8[..., 144, 160]
    "Screens that agree with what is stored; lines that do not are the stored ones, doubled."
class VariableTable:
    "Variables of one cartridge, ready to be read and written."
    variables:dict
    rows:wp.array
    def __init__(self,
        variables:dict[str, Variable], # From `resolve`
        cart:Cartridge, # Whose memory it is
        device:str, # Where they are read
    )->None: ...
    def __len__(self)->int: ...
    def __repr__(self)->str: ...
@dataclass(frozen=True, eq=False)
class Snapshot:
    "One console at rest."
    state:np.ndarray # uint8[state_bytes], in the format of its backend
    pix:np.ndarray # uint8[72, 80] shades: what the screen showed
    backend:str # Name of the backend that made `state`
    rom_sha256:str # The cartridge
    meta:dict = field(default_factory=dict) # How it came about; anything JSON can hold
    def __post_init__(self)->None: ...
    @property
    def sha256(self)->str: ...
    def __repr__(self)->str: ...
def to_bytes(self:Snapshot)->bytes:
    "The content of a snapshot's file."
def save(self:Snapshot,
    path:str|Path, # The file, e.g. `start.npz`
)->Path:
    "Write the snapshot as a whole file."
def load(cls:Snapshot,
    path:str|Path, # What `save` wrote
)->Snapshot:
    "Read a snapshot and check that it is whole."
def check_bank(
    snapshots:list[Snapshot], # At least one
    backend:str, # Name of the backend that restores them
    rom_sha256:str, # Its cartridge
    state_bytes:int, # Size of one of its states
)->None:
    "Raise `ValueError` for the first snapshot that another machine made."
class Recorder:
    "Makes the same launches again and again; on a GPU as one graph."
    device:_Any
    graph:_Any
    key:_Any
    records:_Any
    def __init__(self,
        device:'str|wp.Device', # Where the launches go
    )->None: ...
    def __call__(self,
        launches, # A function without arguments that makes them
        key:tuple|None, # What they depend on, beside what is in their arrays; None if they cannot be recorded
    )->None:
        "Make the launches, record them, or replay what was recorded."
    def capture(self, launches)->Callable:
        "Record launches; returns a function that makes them again."
    def _record(self, launches)->bool:
        "Record and replay for the first time; if that fails, warn and never try again."
def divergence(
    emulator:Emulator, # Stays as it is; a copy of some of its consoles runs on
    warps:int=4, # Of 32 consoles each, spread over the batch
)->float|None: # Mean distinct program counters of 32 consoles; None for fewer than 32
    "How many places a warp's consoles are at."
def waiting_share(
    e:Emulator, # Consoles somewhere in a game; run on by this
    samples:int=200, # Moments
)->dict: # Shares of the consoles' time: `halted`, `looping`
    "How much of its time a game waits."
