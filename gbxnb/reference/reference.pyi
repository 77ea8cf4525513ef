"""PyBoy, a widely used emulator by other authors, behind the same contract."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['UNHOOKABLE', 'LEAST', 'hook', 'variable_bytes', 'ReferenceBackend']
import importlib.metadata, io, os, threading
from dataclasses import astuple, fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
import numpy as np
import warp as wp
from fastcore.basics import patch
from ..base.files import Spec, UserError, check_arrays, check_int
from ..backends.base import Snapshot, VariableTable, check_bank, keep_lines
from ..saves.save_files import pack_pyboy, read_save
from ..emulator.cartridge import Cartridge, RTC
from ..emulator.emulator import alone
from ..emulator.machine import CHAINED, HRAM, IO, IOP, OAM, OUTSIDE, SRAM, WRAM, Button
from ..emulator.rows import fill_ram
from ..watch.variables import MAX_VARIABLES, Variable, bank_and_address, decode, encode
from ..base.startup import start_warp
from ..saves.pyboy import FAR_FUTURE, VERSION, new_pyboy, ram_banks, read_state, state_record, timeless
from ..base.progress import cores
from ..base.parallel import Pool, cut_batch, uncopied
def battery_files(
    cart:Cartridge, # A cartridge
    battery:bytes|str|Path|None=None, # The save in it: the content of a `.sav` file, or a file
)->dict[str, bytes]: # Content by suffix
    "What PyBoy is to find in the cartridge: its `.ram` and `.rtc` files, or nothing."
def start_pyboy(
    cart:Cartridge, # The cartridge in it
    files:dict[str, bytes], # From `battery_files`
    erased:bool=False, # Whether RAM of the cartridge is FF
)->Any: # A PyBoy
    "A PyBoy that has just left the boot ROM."
def press(pyboy, held:int, keys:int)->None:
    "Press and release what differs from the keys that a PyBoy holds."
UNHOOKABLE = (0x76, 0xDB) # opcodes: HALT, and the mark of a hook
def hook(
    pyboy, # It notes them from now on
    hooks:tuple[int, ...], # Offsets in the ROM: `Cartridge.hooks`
    noted:np.ndarray, # uint8[H]: set to 1 where the instruction is about to run
)->None:
    "Have a PyBoy note hooks."
def variable_bytes(
    pyboy, # Whose memory it is
    v:Variable, # From `resolve`
    data:bytes|None=None, # Put there before
)->bytes: # Its `v.size` bytes
    "The bytes of a variable."
class PyBoyGroup:
    "Some PyBoys, one after the other, and their rows of the arrays of a batch."
    cart:Cartridge
    variables:list
    pyboys:list
    held:_Any
    rows:_Any
    def __init__(self,
        arrays:dict[str, np.ndarray], # All of the batch
        first:int, # Its first console here
        count:int, # How many are here
        about:dict, # The fields of the cartridge beside its ROM
        erased:bool, # Whether RAM of the cartridge is FF
    )->None: ...
    def chosen(self)->list:
        "Numbers and PyBoys that a call is about."
    def stop(self)->None: ...
    def _press(self, i, keys)->None: ...
    def _read(self, i)->None: ...
    def step(self, frames:int, release_after:int)->None:
        "Hold the buttons, let go, run on; draw, and read what is watched."
    def draw(self)->None:
        "Whole screens."
    def watch(self, variables:list)->None:
        "From now on these are read."
    def read(self)->None:
        "The numbers that are watched."
    def write(self, variables:list)->None:
        "Put numbers into these variables."
    def renew_ram(self)->None:
        "RAM that is not of the cartridge."
    def save(self)->None:
        "States."
    def load(self)->None:
        "Go on from states."
LEAST = 4     # PyBoys for which a process is worth its start, unless more are asked for
class ReferenceBackend:
    "`num_envs` PyBoys."
    name, graph_key = 'reference', None
    device = 'cpu' # PyBoy knows no other
    __reduce_ex__ = uncopied('make another for the same cartridge; its `load_all` takes what `save_all` gave')
    cart:Cartridge
    num_envs:int
    rom_sha256:str
    _lock:threading.RLock
    pool:Pool
    faults:wp.array
    bank_size:wp.array
    bank:list
    _carried:list # arrays whose rows are copied along
    _watched:tuple # how many variables, and where their values go
    ram_seed:int
    _process:_Any
    _room:_Any
    buttons:_Any
    hits:_Any
    pix:_Any
    def __init__(self,
        rom:bytes|str|Path|Cartridge, # The cartridge, or its file
        num_envs:int=1, # N
        battery:bytes|str|Path|None=None, # A save in all cartridges: the content of a `.sav` file, or a file
        processes:int|None=None, # As many share the PyBoys; all cores by default, with `LEAST` each at least
        ram_seed:int=0, # Of the noise that RAM is at the power switch, as for `Emulator`
    )->None: ...
    @property
    def lock(self)->threading.RLock:
        "Held by the thread that works on the consoles; a process made by fork has one of its own."
    @property
    def build(self)->dict: ...
    def close(self)->None: ...
    def __repr__(self)->str: ...
    def _ask(self, what, where, *args):
        "Have the PyBoys of some consoles do something; the arrays of all."
    def step(self, frames:int, release_after:int)->None:
        "Hold `buttons` for `release_after` frames, let go, run on to `frames`; draw."
    def frame(self, env:int=0)->np.ndarray: # uint8[144, 160] shades
        "The whole screen of one console."
    def draw(self, out:wp.array, mask:wp.array|None=None)->None:
        "Whole screens into uint8[N, 144, 160] `out`: of all consoles or of those in bool[N] `mask`."
    def _renew_ram(self, where, choice)->None:
        "Noise in RAM of some consoles, but for wave RAM."
    def renew_ram(self, mask:wp.array, snap_id:wp.array, first:int, episode:wp.array)->None:
        "Where `mask` is set and `snap_id` is 0, noise in RAM."
    def watch(self, table:VariableTable, values:wp.array)->None:
        "From now on every step ends with these variables in int32[3, N, K] `values`: now, before, reached."
    def read_variables(self, mask:wp.array|None=None)->None:
        "Read what is watched now, of all consoles or of those in bool[N] `mask`; the past stays."
    def write_variables(self, table:VariableTable, values:wp.array, mask:wp.array)->None:
        "Where bool[N] `mask` is set, write int32[N, K] `values`."
    def snapshot(self, env:int)->Snapshot:
        "One console as it is now."
    def set_bank(self, snapshots:list[Snapshot], capacity:int=0)->None:
        "What `restore` may restore, by position; with room for `capacity` entries at least."
    def add_to_bank(self, snapshots:list[Snapshot])->list[int]:
        "Further entries; their numbers."
    def _check(self, snapshots)->None:
        "Raise for a snapshot that is not one of these PyBoys."
    def bank_snapshot(self, slot:int)->Snapshot:
        "An entry of the bank."
    def restore(self, mask:wp.array, snap_id:wp.array)->None:
        "Where `mask` is set, put bank entry `snap_id` into the console."
    def store(self, mask:wp.array, slot:wp.array)->None:
        "Where `mask` is set, put the console into bank entry `slot`."
    def carry(self, arrays:list[wp.array])->None:
        "From now on the rows of these arrays, each [N, ...], are copied along with consoles by `clone`."
    def clone(self, source:wp.array)->None:
        "Console `i` becomes a copy of console int32[N] `source[i]`, which must be its own source."
    def save_all(self)->np.ndarray: # uint8[N, state_bytes]
        "All consoles."
    def load_all(self, states:np.ndarray)->None:
        "Put back what `save_all` gave, once every state is known to be one that PyBoy can have written."
