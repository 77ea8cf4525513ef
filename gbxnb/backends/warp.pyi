"""N consoles in a few kernels: step, draw, restore, store, clone; and the one call that makes a backend."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['BACKENDS', 'WarpBackend', 'make_backend']
from pathlib import Path
from reprlib import repr as brief
from typing import Any, cast
import numpy as np
import warp as wp
from fastcore.basics import patch
from .base import Backend, Snapshot, VariableTable, check_bank
from ..base.config import wing
from ..base.files import Spec, check_arrays, check_int, device_name
from ..base.parallel import uncopied
from ..base.startup import find_device, recording, start_warp
from ..emulator.cartridge import Cartridge
from ..emulator.emulator import Drawings, Emulator, _fill_ram, _forget_writes, alone
from ..emulator.machine import CHAINED, IO, IOP, OUTSIDE, REGS, SRAM, Reg, as_words, words_of
from ..emulator.ppu import MET
from ..emulator.raster import drawing_frames
from ..emulator.render import LCDC, Log
from ..emulator.rows import check_rows
from ..watch.variables import read_variables, write_variables
copy_bytes: _Any = None
class _Words(_Any): ...
class Part(_Any): ...
def as_parts(
    arrays:list[wp.array], # Each with a row for each console
)->wp.array: # Of `Part`
    "Where arrays lie, for kernels; those without content are left out."
clone_source: _Any = None
class WarpBackend:
    "`num_envs` consoles of the emulator of this package."
    name = 'warp'
    bank:Any; bank_pix:Any; bank_log:Any # uint8[capacity, ...]: rows, pictures, logs; None without a bank
    __reduce_ex__ = uncopied('make another for the same cartridge; its `load_all` takes what `save_all` gave')
    emulator:Emulator
    device:str
    rom_sha256:str
    num_envs:int
    ram_seed:int
    faults:wp.array
    pix:wp.array
    _words:_Words
    _registers:wp.array
    _then:dict      # what follows a step, by name
    lanes:int
    _screens:Drawings
    _copies:dict      # launches that copy consoles, once they are asked for
    _shares:list[tuple[int, int]]|list      # few are not worth a thread
    _parts:wp.array      # what a copy consists of
    bank_size:wp.array     # entries
    note_faults:wp.Launch
    _carried:list[wp.array]      # a recorded launch does not keep them
    _watched:_Any
    _where:_Any
    buttons:_Any
    hits:_Any
    def __init__(self,
        rom:bytes|str|Path|Cartridge, # The cartridge, or its file
        num_envs:int=1, # N
        device:str='auto', # cpu, cuda, cuda:1 ...; auto prefers a GPU
        battery:bytes|str|Path|None=None, # A save in all cartridges: the content of a `.sav` file, or a file
        traces:str|None=None, # `auto`, `wait` or `off`; by default as GBXNB_TRACES says, or `auto`
        **options:Any, # Of `Emulator`: threads, checks, ram_seed
    )->None: ...
    def __repr__(self)->str: ...
    @property
    def build(self)->dict: ...
    @property
    def graph_key(self)->tuple: ...
    def close(self)->None: ...
    def step(self, frames:int, release_after:int)->None:
        "Hold `buttons` for `release_after` frames, let go, run on to `frames`; draw."
    def follow(self, name:str, launches:list|None)->None:
        "From now on steps end with these recorded launches, one for each of `emulator.ranges`; None: no more."
    def watch(self, table:VariableTable, values:wp.array)->None:
        "From now on every step ends with these variables in int32[3, N, K] `values`: now, before, reached."
    def read_variables(self, mask:wp.array|None=None)->None:
        "Read what is watched now, of all consoles or of those in bool[N] `mask`; the past stays."
    def write_variables(self, table:VariableTable, values:wp.array, mask:wp.array)->None:
        "Where bool[N] `mask` is set, write int32[N, K] `values`."
    def snapshot(self, env:int)->Snapshot:
        "One console as it is now."
    def _make_room(self, capacity, kept=0)->None:
        "A bank of this size; its first `kept` entries are those of the bank before."
    def _append(self, entries, n):
        "Put rows, pictures and logs behind the first `n` entries."
    def set_bank(self, snapshots:list[Snapshot], capacity:int=0)->None:
        "What `restore` may restore, by position; with room for `capacity` entries at least."
    def add_to_bank(self, snapshots:list[Snapshot])->list[int]:
        "Upload more entries; their numbers."
    def _bank_len(self):
        "Entries; waits for the device."
    def bank_snapshot(self, slot:int)->Snapshot:
        "An entry of the bank."
    def _copy(self, kernel, choice, rest)->None:
        "Copy rows by a kernel; what `choice` holds may be another each time."
    def restore(self, mask:wp.array, snap_id:wp.array)->None:
        "Where bool[N] `mask` is set, put bank entry int32[N] `snap_id` into the console. One launch."
    def renew_ram(self, mask:wp.array, snap_id:wp.array, first:int, episode:wp.array)->None:
        "Where `mask` is set and `snap_id` is 0, noise in RAM. One launch."
    def store(self, mask:wp.array, slot:wp.array)->None:
        "Where bool[N] `mask` is set, put the console into bank entry int32[N] `slot`. One launch."
    def carry(self, arrays:list[wp.array])->None:
        "From now on the rows of these arrays, each [N, ...], are copied along with consoles by `clone`."
    def clone(self, source:wp.array)->None:
        "Console `i` becomes a copy of console int32[N] `source[i]`, which must be its own source."
    def save_all(self)->np.ndarray: # uint8[N, row_bytes]
        "All consoles."
    def load_all(self, states:np.ndarray)->None:
        "Put back what `save_all` gave; every row is checked first, as the kernels check nothing."
    def draw(self, out:wp.array, mask:wp.array|None=None)->None:
        "Whole screens into uint8[N, 144, 160] `out`: of all consoles or of those in bool[N] `mask`."
def lines_at_rest(
    rows:np.ndarray, # uint8[n, row_bytes]
)->np.ndarray: # uint8[n, 144, 8]
    "The log of a picture during which no register changed."
def put_in_bank(
    b:WarpBackend, # Has a bank with room for them
    slots:np.ndarray, # int[n], one at least: entries that are replaced, or come behind the last
    rows:np.ndarray, # uint8[n, row_bytes], known to be good
    pix:np.ndarray, # uint8[n, 72, 80]
)->None:
    "Write entries of a bank; how many count stays as it is."
def take_from_bank(
    b:WarpBackend, # Has a bank
    slots:np.ndarray, # int[n]: entries
)->tuple[np.ndarray, np.ndarray]: # uint8[n, row_bytes], uint8[n, 72, 80]
    "Read entries of a bank: rows and pictures."
BACKENDS = ('auto', 'warp', 'reference')
def make_backend(
    backend:str|Backend, # One of `BACKENDS`; or a backend at hand, which must fit
    rom:Cartridge|bytes|str|Path, # The cartridge, or its file
    num_envs:int, # N
    device:str='auto', # cpu, cuda, cuda:1 ...; auto prefers a GPU
    battery:bytes|str|Path|None=None, # A `.sav` file, or its content: in all cartridges at the power switch
    **kw, # Passed on to the backend
)->Backend:
    "A backend by its name, or the one at hand if it fits; its owner closes it."
