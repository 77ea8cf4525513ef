"""N Game Boys in lockstep: load, press, run, look."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from typing_extensions import Self as _Self
from typing import BinaryIO
__all__ = ['BLOCK', 'Drawings', 'Emulator', 'alone', 'memory_at']
import functools, hashlib, os, threading
from collections.abc import Callable, Sequence
from operator import index
from pathlib import Path
from typing import Any, cast
import numpy as np
import warp as wp
from fastcore.basics import patch
from ..base.config import LateMembers
from ..base.files import check_int, read_whole
from ..base.parallel import Workers, cut_batch, uncopied
from ..base.progress import Meter, cores, memory
from ..base.startup import find_device, recording
from .boards import FLAT
from .cartridge import Cartridge, RomError
from .cpu import MAX_ROUND_STEPS, machine_kernel
from .idle_loops import mark_loops
from .isa import CONTROL_WORDS, predecode
from .machine import (FRAME, HALTED, HIGH, IME_ON, IO, IOP, LOCKED, NEVER, SCRATCH, SRAM,
                                    STOPPING, VRAM, WRAM, Reg, Shared, parse_keys, unused_bits, words_of)
from .ppu import RASTER_WORDS
from .raster import drawing_frames
from .render import to_image
from .rows import STORED_BITS, boot_row, cartridge_table, check_row, fill_ram
from .trap import number_hooks, use_checks
class Drawings:
    "Recorded launches by the arrays that they draw into; only a few are kept."
    most:int
    _kept:dict
    def __init__(self, most:int)->None: ...
    def get(self,
        make, # Function of the next three: the launches that draw
        owner, # An emulator, or what has one
        out:wp.array, # Where they draw
        mask:wp.array|None=None, # Which consoles
    )->list:
        "The launches, made where they are not known."
def _forget_writes(
    e, # An emulator
    env:int|None=None, # Which console; all of them by default
)->None:
    "Empty the lists of late writes."
_PYBOY:dict
class Emulator(LateMembers):
    "N Game Boys, each a row of bytes, on a CPU or a GPU."
    __reduce_ex__ = uncopied('make another for the same cartridge; its `load` takes what `save` gave')
    _late = dict.fromkeys(('save_state', 'load_state', 'save_battery', 'load_battery'), 'battery')
    _elsewhere = _PYBOY
    cart:Cartridge
    n:int
    device:wp.Device
    threads:int
    boot:np.ndarray
    _shared:dict[Shared, wp.array]
    build:dict
    kernel:wp.Kernel
    row_bytes:int
    rows:wp.array
    ram_seed:int
    raster:wp.array
    moments:wp.array
    waits:bool
    loader:Any      # gets compiled traces, see `use_traces`
    table:np.ndarray
    _table:wp.array
    ranges:list[tuple[int, int]]
    _launches:list[wp.Launch]
    _drawings:Drawings
    workers:Workers
    _lock:threading.RLock
    _turn:threading.RLock
    _process:_Any
    hits:_Any
    keys:_Any
    log:_Any
    sent:_Any
    def __init__(self,
        rom:'str|Path|bytes|Cartridge', # A ROM
        n:int=1, # How many consoles
        device:str='auto', # cpu, cuda, cuda:1 ...; auto prefers a GPU
        threads:int|None=None, # CPU threads; all cores by default
        boot:'str|Path|bytes|None'=None, # The DMG's boot ROM, 256 bytes; without it consoles begin after it
        shortcuts:bool=True, # Off only for the proof that the jumps over waiting change nothing
        checks:bool|None=None, # The debug build; by default as GBXNB_CHECKS says
        serial_bytes:int|None=None, # Kept of what a console sends: 4,096 for up to 64 consoles, 64 for more
        ram_seed:int=0, # RAM is noise at the power switch: console i has that of `ram_seed + i`; -1: zeros
    )->None: ...
    def __len__(self)->int: ...
    def __enter__(self)->_Self: ...
    def __exit__(self, *exc)->None: ...
    def __repr__(self)->str: ...
    def _prepare(self)->None:
        "Compile or load the kernel, and record one launch for each range of consoles."
    @property
    def lock(self)->threading.RLock:
        "Held by the thread that works on the consoles; take it to do several things without anything in between."
    def _launch(self, frames:int, release:int, cycles:int, out:wp.array|None=None, then:Sequence=())->None:
        "Run all consoles, then draw them; on a GPU this only puts the launches into the stream."
    def run_counting(self,
        kernel:wp.Kernel, # With parameters like those of the emulator's own
        frames:int, # To run
        release:int, # Frames until the keys are let go
        **places:int, # By the name of a `Shared`: where the kernel counts, and how much room is there
    )->None:
        "Run all consoles once by a kernel that counts, on a CPU."
    def exchange(self,
        kernel:wp.Kernel, # In place of the one so far
        words:np.ndarray, # uint64[rom bytes]: the control words that it reads
    )->None:
        "Go on with another kernel; a kernel of the machine changes no state but as the machine does."
    def set_buttons(self,
        mask:'int|str|Sequence|np.ndarray', # Keys held: `Button` bits or `'A+UP'`, once or for each of n consoles
        at:'int|Sequence|np.ndarray'=0, # M-cycle of a launch of frames at which new keys go down, 114 a line
    )->None:
        "Which keys are held when the consoles run on; names that are held together are joined by `+`."
    def run_frames(self,
        k:int=1, # Frames; 70,224 T-cycles each while the LCD is on
    )->None:
        "Run `k` frames; a frame ends with a complete picture, when VBlank begins."
    def run_cycles(self,
        m:int, # M-cycles, four T-cycles each
    )->None:
        "Run `m` M-cycles; what the last instruction takes too much is taken off the next launch."
    def step(self,
        frames:int=24, # Frames to run
        release_after:int=8, # Frames after which all keys are let go; not at all if there are fewer
        out:wp.array|None=None, # The last picture is drawn into it, as by `pixels`
        then:Sequence=(), # Lists of recorded launches, one for each of `self.ranges`; they follow at once
    )->None:
        "One step of an environment: press `self.keys`, let go, run on, draw."
    def save(self,
        env:int=0, # Which console
    )->np.ndarray: # uint8[row_bytes], a copy
        "Everything console `env` is."
    def load(self,
        row:np.ndarray, # What `save` gave, for the same cartridge
        env:int|None=None, # Which console; all of them by default
    )->None:
        "Make a console, or all, what `row` says; one that no console can be in is refused."
    def registers(self, env:int=0)->dict[str, int]: # By name; `ime`, `halted`, `locked` are booleans
        "The CPU's registers."
    def words(self)->np.ndarray: # int32[n, 64], a copy
        "The register page of every console, by `Reg`."
    @property
    def faults(self)->np.ndarray: # int32[n]
        "0, or what locked a console's CPU: 0x100 + an opcode, or 0x200 + a rule of the debug build."
    def read(self, addr:int, count:int=1, env:int=0)->np.ndarray: # uint8[count]
        "Bytes of the address space as memory holds them; FF where nothing is mapped."
    def write(self, addr:int, data:'int|bytes|np.ndarray', env:int=0)->None:
        "Poke bytes into RAM and registers, as far as they can hold them; ROM cannot be written."
    def serial(self, env:int=0)->bytes:
        "What console `env` sent over its serial line, as far as it was kept."
    @property
    def console_bytes(self)->int: # Everything but pictures; all consoles share the ROM
        "Memory of one console: its row, the register log and writes, what it sent, its keys."
    def frame(self, env:int=0)->np.ndarray: # Shades 0..3, uint8[144, 160]
        "The last picture of console `env`; in the middle of a frame the new one above the one before."
    def frames(self)->np.ndarray: # Shades 0..3, uint8[n, 144, 160]
        "The last picture of every console."
    def pixels(self,
        out:wp.array, # Filled: uint8[n, 72, 80], or packed uint8[n, 72, 20]
        mask:wp.array|None=None, # Draw only these consoles, bool[n]
    )->None:
        "The last complete picture of every console, every second line and column of it."
    def hash(self, env:int|None=None)->str: # 16 hex digits
        "A fingerprint of a console's state (of the whole batch's by default), without scratch words."
    def _repr_png_(self):
        "The pictures of the first consoles."
    def reset(self,
        env:'int|Sequence[int]|np.ndarray|None'=None, # Which consoles, by number or as bool[n]; all by default
    )->None:
        "Switch consoles off and on: no keys held, RAM as it was at first."
    def close(self)->None:
        "End its threads; consoles that run on start others. Memory is freed with the last reference."
    def save_state(self,
        path:str|Path|BinaryIO, # The file, or one open for writing; its name's end chooses the format
        env:int=0, # Which console
        kind:str|None=None, # 'gbxnb', 'bess' or 'pyboy' whatever the name; `gbxnb` where there is none
    )->Path|Any: ...
    def load_state(self,
        path:str|Path|BinaryIO, # A state of any of the formats: its file, or one open for reading
        env:int|None=None, # Which console; all of them by default
    )->None: ...
    def load_battery(self,
        save:str|Path|bytes, # A save file (`.sav`, or PyBoy's `.ram`), or the content of a `.sav` file
        env:int|None=None, # Which console; all of them by default
        elapsed:int|None=0, # Seconds by which the clock goes on; None is as many as since it was saved
    )->None: ...
    def save_battery(self,
        path:str|Path, # The file; `.ram` makes it PyBoy's
        env:int=0, # Which console
        saved_at:int|None=None, # Unix time, for the clock; now by default
    )->Path: ...
BLOCK = 32     # threads of a block: one warp
def _fill_ram(e, mask, snap_id=None, first=0, episode=None)->None:
    "Noise in RAM where bool[n] `mask` is set, as from a power switch; see `Backend.renew_ram`."
def alone(
    method, # Of an `Emulator`, or of something that has one as `emulator`
)->Callable:
    "Let one thread at a time in."
LONGEST = 1 << 13     # frames of one launch: its clock starts at zero and must stay far from `NEVER`
def memory_at(
    e:Emulator,
    row:np.ndarray, # uint8[row_bytes]: a console of it
    addr:int, # 0..FFFF
)->tuple: # (array, index) of a byte, or (None, 0) where nothing is mapped
    "Where a byte of the address space is kept."
