"""N Game Boys in lockstep: load, press, run, look."""
# Made by `make export` from the module beside it.
__all__ = ['BLOCK', 'patience', 'Emulator', 'alone']
import contextlib, functools, hashlib, os, sys, threading
from pathlib import Path
import numpy as np
import warp as wp
from fastcore.basics import patch
from ..base.files import check_int, read_whole
from ..base.parallel import Workers, cut_batch, uncopied
from ..base.startup import find_device
from .boards import FLAT
from .cartridge import Cartridge, RomError
from .cpu import MAX_ROUND_STEPS, machine_kernel
from .idle_loops import mark_loops
from .isa import CONTROL_WORDS, predecode
from .machine import (FRAME, HALTED, HIGH, IME_ON, IO, IOP, LOCKED, NEVER, SCRATCH, SRAM,
                                    STOPPING, VRAM, WRAM, Reg, Shared, unused_bits, words_of)
from .render import drawing, render, to_image
from .rows import STORED_BITS, boot_row, cartridge_table, check_row
from .trap import number_hooks, use_checks
@contextlib.contextmanager
def patience(
    line:str, # What is being done
    after:float=1., # Seconds
):
    "Say on standard error what is being done, once it takes longer than that."
def _boot_rom(boot)->np.ndarray: # uint8[256]
    "The boot ROM's bytes; zeros when there is none."
def _kernel(shortcuts:bool, checks:bool, max_round_steps:int)->wp.Kernel:
    "One kernel for all emulators of a kind."

class Emulator:
    "N Game Boys, each a row of bytes, on a CPU or a GPU."
    __reduce_ex__ = uncopied('make another for the same cartridge; its `load` takes what `save` gave')
    cart:Cartridge
    n:int
    device:wp.Device
    threads:int
    boot:np.ndarray
    row_bytes:int
    build:dict
    kernel:wp.Kernel
    keys:wp.array
    hits:wp.array
    _shared:dict
    table:np.ndarray
    _launches:list
    ranges:list[tuple[int, int]]
    workers:Workers
    _lock:threading.RLock
    def __init__(self,
        rom:'str|Path|bytes|Cartridge', # A ROM
        n:int=1, # How many consoles
        device:str='cpu', # `cpu` or a CUDA device as Warp names it
        threads:int|None=None, # CPU threads; all cores by default
        boot:'str|Path|bytes|None'=None, # The DMG's boot ROM, 256 bytes; without it consoles begin after it
        shortcuts:bool=True, # Off only for the proof that the jumps over waiting change nothing
        checks:bool|None=None, # The debug build; by default as GBXNB_CHECKS says
        serial_bytes:int|None=None, # Kept of what a console sends: 4,096 for up to 64 consoles, 64 for more
    )->None:
        given = dict(threads=threads, serial_bytes=serial_bytes)
        check_int(1, n=n, **{k: v for k, v in given.items() if v is not None})
        self.cart, self.n, self.device = Cartridge.load(rom), n, find_device(device)
        self.threads = (threads or len(os.sched_getaffinity(0))) if self.device.is_cpu else 1
        self.boot = _boot_rom(boot)
        row, checks = boot_row(self.cart, boot is not None), use_checks(checks)
        self.row_bytes, self.build = len(row), dict(shortcuts=shortcuts, checks=checks)
        limit = MAX_ROUND_STEPS if self.device.is_cuda or checks else 0
        self.kernel = _kernel(**self.build, max_round_steps=limit)
        self.rows, self.log = self._array(np.tile(row, (n, 1))), self._array(np.zeros((n, 144, 8), np.uint8))
        self.sent = self._array(np.zeros((n, serial_bytes or (4096 if n <= 64 else 64)), np.uint8))
        self.keys = wp.zeros(n, dtype=wp.uint8, device=self.device)
        self.loader = None      # gets compiled traces, see `use_traces`
        self._share()
        self._prepare()
    def _array(self, a): ...
    def __repr__(self)->str: ...
    def _share(self)->None:
        "Upload the ROM, its control words and the header's facts."
        unused = np.array(unused_bits()[:0x80], np.uint8)
        hooks = self.cart.hooks
        words = _control_words(self.cart.rom, hooks)
        self.hits = wp.zeros((self.n, len(hooks)), dtype=wp.uint8, device=self.device)
        arrays = {Shared.ROM: np.frombuffer(self.cart.rom, np.uint8),
                  Shared.CODE: number_hooks(words, hooks), Shared.HOOK_WORDS: words[list(hooks)],
                  Shared.WORDS: CONTROL_WORDS.ravel(), Shared.UNUSED: unused, Shared.BOOT: self.boot}
        self._shared = {k: self._array(a) for k, a in arrays.items()}
        self.table = cartridge_table(self.cart)
        for k, a in self._shared.items(): self.table[k] = a.ptr or 0
        pointers = dict(ROWS=self.rows.ptr, LOG=self.log.ptr, SERIAL=self.sent.ptr, HITS=self.hits.ptr or 0)
        sizes = dict(ROW_BYTES=self.row_bytes, SERIAL_BYTES=self.sent.shape[1], HOOKS=len(hooks))
        for k, v in (pointers | sizes).items(): self.table[Shared[k]] = v
        self._table = self._array(self.table)
    def _record(self)->None:
        "Record one launch for each range of consoles."
    def _prepare(self)->None:
        "Compile or load the kernel, and record one launch for each range of consoles."
        parts = (self.threads if self.n < 64 else 4 * self.threads) if self.threads > 1 else 1
        self.ranges = cut_batch(self.n, parts)
        with patience('gbxnb: compiling the emulator for this computer (once, a few seconds) ...'): self._record()
        self._drawings = None, []       # pictures drawn into last, and how
        self.workers = Workers(min(self.threads, len(self.ranges)))
        self._make_lock()
    def _make_lock(self)->None:
        "Make the lock that the threads of this process respect."
        self._process, self._lock = os.getpid(), threading.RLock()
    @property
    def lock(self)->threading.RLock:
        "Held by the thread that works on the consoles; take it to do several things without anything in between."
    def _drawing(self, out:wp.array, mask:wp.array|None=None):
        "The launches that draw into `out`, one for each range of consoles."
        asked = out.ptr, out.shape, mask.ptr if mask is not None else None
        if self._drawings[0] != asked:
            checks = self.build['checks']
            self._drawings = asked, [drawing(self.rows, self.log, out, mask, *r, checks) for r in self.ranges]
        return self._drawings[1]
    def _launch(self, frames:int, release:int, cycles:int, out:wp.array|None=None, then:list=())->None:
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
        wp.synchronize_device(self.device)
        self._shared[Shared.CODE] = self._array(words)
        self.table[Shared.CODE] = self._shared[Shared.CODE].ptr
        self.kernel, self._table = kernel, self._array(self.table)
        self._record()
    def set_buttons(self,
        mask:'int|np.ndarray', # Keys held, as `Button` bits: one value for all consoles, or uint8[n]
    )->None:
        "Which keys are held when the consoles run on."
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
        then:list=(), # Lists of recorded launches, one for each of `self.ranges`; they follow at once
    )->None:
        "One step of an environment: press `self.keys`, let go, run on, draw."
    def _number(self, env:int)->int:
        "`env`, if there is such a console."
    def save(self,
        env:int=0, # Which console
    )->np.ndarray: # uint8[row_bytes], a copy
        "Everything console `env` is."
    def load(self,
        row:np.ndarray, # What `save` gave, for the same cartridge
        env:int|None=None, # Which console; all of them by default
    )->None:
        "Make a console, or all, what `row` says; one that no console can be in is refused."
    def registers(self, env:int=0)->dict: # By name; `ime`, `halted`, `locked` are booleans
        "The CPU's registers."
    def words(self)->np.ndarray: # int32[n, 64], a copy
        "The register page of every console, by `Reg`."
    @property
    def faults(self)->np.ndarray: # int32[n]
        "0, or what locked a console's CPU: 0x100 + an opcode, or 0x200 + a rule of the debug build."
    def _place(self, row, addr:int):
        "(array, index) of a byte, or (None, 0) where nothing is mapped."
    def read(self, addr:int, count:int=1, env:int=0)->np.ndarray: # uint8[count]
        "Bytes of the address space as memory holds them; FF where nothing is mapped."
    def write(self, addr:int, data:'int|bytes|np.ndarray', env:int=0)->None:
        "Poke bytes into RAM and registers, as far as they can hold them; ROM cannot be written."
    def serial(self, env:int=0)->bytes:
        "What console `env` sent over its serial line, as far as it was kept."
    @property
    def console_bytes(self)->int: # Everything but pictures; all consoles share the ROM
        "Memory of one console: its row, the register log, what it sent, its keys."
    def frame(self, env:int=0)->np.ndarray: # Shades 0..3, uint8[144, 160]
        "The last picture of console `env`; in the middle of a frame the new one above the one before."
    def pixels(self,
        out:wp.array, # Filled: uint8[n, 72, 80], or packed uint8[n, 72, 20]
        mask:wp.array|None=None, # Draw only these consoles, bool[n]
    )->None:
        "The last complete picture of every console, every second line and column of it."
    def hash(self, env:int|None=None)->str: # 16 hex digits
        "A fingerprint of a console's state (of the whole batch's by default), without scratch words."
    def _repr_png_(self):
        "The pictures of the first consoles."
    def save_state(self,
        path:str|Path, # The file; its end chooses the format unless `kind` does
        env:int=0, # Which console
        kind:str|None=None, # 'gbxnb', 'bess' or 'pyboy'
    )->Path: ...
    def load_state(self,
        path:str|Path, # A state of any of the formats
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
def _control_words(rom:bytes, hooks:tuple)->np.ndarray:
    "Of the whole ROM; kept for the next emulators of the same cartridge."
def alone(
    method, # Of an `Emulator`, or of something that has one as `emulator`
):
    "Let one thread at a time in."
LONGEST = 1 << 13     # frames of one launch: its clock starts at zero and must stay far from `NEVER`
def _parts(frames:int, release:int, cycles:int):
    "A launch in parts the clock can count; a single one in practice."
