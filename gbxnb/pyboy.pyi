"""The console that scripts for PyBoy know, one of it or N, and a command that runs them unchanged."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from typing_extensions import Self as _Self
from gbxnb.emulator.cartridge import RTC
from gbxnb.watch.symbols import Symbols
__all__ = ['PyBoy', 'PyBoys']
import functools, heapq, importlib.abc, importlib.machinery, importlib.util, io, os, re, runpy
import secrets, sys, tempfile, threading, time, traceback, types
from collections.abc import Sequence
from dataclasses import astuple
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from reprlib import repr as brief
from typing import Any
import numpy as np
import warp as wp
from fastcore.basics import patch
from .base.files import UserError, read_whole, write_all_atomic
from .emulator.cartridge import MAX_ROM, Cartridge, unpack_save
from .emulator.emulator import Emulator, alone
from .emulator.machine import FRAME, REGS, Button, Reg, words_of
from .emulator.rows import MAX_STATE, StateError, boot_row, check_row
from .games.asm import assemble
from .saves.pyboy import VERSION, state_record
from .saves.pyboy_rows import to_pyboy
from .saves.save_files import pack_pyboy, parse_state, row_with_save, save_of_row, unpack_pyboy_rtc
from .scripts import views
from .scripts.stops import Batch
from .scripts.views import (
    COLS, ROWS, DynamicComparisonType, GameShark, IntIOWrapper, MemoryScanner, Missing, PyBoyAssertException,
    PyBoyException, PyBoyFeatureDisabledError, PyBoyGameWrapper, PyBoyInvalidInputException,
    PyBoyInvalidOperationException, PyBoyMemoryView, PyBoyNotImplementedException, PyBoyOutOfBoundsException,
    PyBoyRegisterFile, Rumble, ScanMode, Screen, Sprite, StandardComparisonType, Tile, TileMap, WindowEvent,
    bcd_to_dec, dec_to_bcd, demand, whole, wrapper_of)
from .debugger.video_memory import TILES
from .watch.symbols import read_symbols, symbols_beside
PALETTE = 0xFFFFFF, 0x999999, 0x555555, 0x000000
def boot_rom()->bytes: # 256 bytes
    "The boot ROM that a console has unless another is given."
class PyBoy:
    "One console, with the interface of PyBoy 2.8.1."
    window_title, title_status, sgb_border = '', False, False
    events:list
    queued_input:list
    _frames:int
    paused:bool
    quitting:bool
    _keys:int
    _rendered:bool
    _holds:bool
    _sent:int
    memory:PyBoyMemoryView
    register_file:PyBoyRegisterFile
    screen:Screen
    tilemap_background:TileMap
    tilemap_window:TileMap
    memory_scanner:MemoryScanner
    rumble:Rumble
    sound:Missing
    sgb:Missing
    game_wrapper:PyBoyGameWrapper
    gameshark:GameShark
    target_emulationspeed:float
    _cycled:_Any
    _due:_Any
    _game:_Any
    _i:_Any
    cart:_Any
    cartridge_title:_Any
    emulator:_Any
    gamerom:_Any
    palette:_Any
    def __init__(self,
        gamerom:Any, # A ROM: its path, or an open binary file
        **options, # Those of PyBoy's constructor
    )->None: ...
    def _open(self, game, i)->_Self:
        "Become console `i` of a game."
    @property
    def row(self)->np.ndarray: # uint8[row_bytes]; what is written there is written to the console
        "All that the console is."
    @property
    def log(self)->np.ndarray: ...
    @property
    def stopped(self)->bool: ...
    @property
    def frame_count(self)->int: ... # Ticks since power-on, also in the middle of some
    def __enter__(self)->_Self: ...
    def __exit__(self, *_)->None: ...
    def __repr__(self)->str: ...
    def __getattr__(self, name):
        if name.startswith('__') or '_game' not in self.__dict__: raise AttributeError(name)
        raise AttributeError(f'PyBoy of gbxnb has no {name!r}; what it has: help(gbxnb.pyboy.PyBoy)')
    def tick(self,
        count:int=1, # Frames
        render:bool=True, # Whether the picture of the last one is drawn
        sound:bool=True, # Nothing: there is none
    )->bool: # False once the script, or an event, has ended it
        "Run frames."
    def send_input(self,
        event:Any, # Of `WindowEvent`
        delay:int=0, # Frames
        at:int=0, # M-cycle of its frame, 114 a line; of buttons alone
    )->None:
        "Have an event take effect."
    def button(self, input:str, delay:int=1, at:int=0)->None:
        "Press a button, and let it go `delay` frames later; both at M-cycle `at` of their frames."
    def button_press(self, input:str, at:int=0)->None:
        "Press a button."
    def button_release(self, input:str, at:int=0)->None:
        "Let a button go."
    def _begin(self)->None:
        "Let the events of this frame take effect."
    def _until(self)->int:
        "Frames to run before something is to be done again."
    def _end(self, frames)->None: ...
    def _cycle_palette(self)->None:
        "On to the next of PyBoy's palettes."
    def set_emulation_speed(self, target_speed:float)->None:
        "At most so many times 60 ticks a second; 0 is no limit."
    def _pace(self)->None:
        "Wait for the time at which this tick is to end."
    def set_color_palette(self, palette)->None:
        "Four colours of 24 bits, the lightest first; pictures have them from the next one on."
    def get_bytes(self, addresses, bank=None)->list:
        "What `memory` reads."
    def put_bytes(self, addresses, values, bank=None)->None:
        "What `memory` writes."
    def symbol_lookup(self, symbol:str)->tuple: # (bank, address)
        "Where a name of the symbol file stands."
    def _lookup_symbol(self, symbol:str)->tuple: ...
    @property
    def rom_symbols_inverse(self)->dict: ...
    @property
    def rom_symbols(self)->dict: # Bank to address to names
        "The symbols by their places."
    def _hook_place(self, bank, addr):
        "Array and index of a hook."
    def hook_register(self,
        bank:int|None, # Of ROM or RAM; -1: the boot ROM; None: that of the symbol
        addr:int|str, # An address, or the name of a symbol
        callback:Any, # Called with the context whenever the program gets there
        context:Any, # Anything
    )->None:
        "Have a function called before an instruction runs."
    def hook_deregister(self, bank:int|None, addr:int|str)->None:
        "Have it called no more."
    def saved(self)->tuple: # Row, log, pixels
        "The present moment, with the picture that was drawn last."
    def restore(self, moment:tuple, fresh:bool=False)->None:
        "Back to a moment that `saved` gave."
    def save_state(self, file_like_object:Any)->None:
        "Write all of the console into an open file."
    def read_state(self, file_like_object:Any)->tuple: # What `restore` takes
        "The moment that an open file holds."
    def load_state(self, file_like_object:Any)->None:
        "Become what an open file says; on an error the console stays as it is."
    def stop(self,
        save:bool=True, # Whether what a battery keeps is written
        ram_file:Any=None, # An open file; by default beside the ROM, or a line on standard error says why not
        rtc_file:Any=None, # The same for the clock
    )->None:
        "End the console."
    def get_sprite(self, sprite_index:int)->Sprite:
        "An entry of OAM."
    def get_sprite_by_tile_identifier(self, tile_identifiers:Sequence,
                                      on_screen:bool=True)->list: # Lists of numbers
        "Which sprites show which tiles."
    def get_tile(self, identifier:int)->Tile:
        "One of the 384 tiles."
    def game_area(self)->np.ndarray: # uint32[height, width]
        "The screen as a matrix of tiles."
    def game_area_dimensions(self, x:int, y:int, width:int, height:int, follow_scrolling:bool=True)->None:
        "Which part of the map `game_area` is."
    def game_area_mapping(self, mapping:Any, sprite_offset:int=0)->None:
        "Which number stands for each tile; None: its own."
    def game_area_collision(self)->np.ndarray:
        "Where one can walk, in games whose wrapper knows it."
    def printer_image(self)->None:
        "Nothing: there is no printer."
    def rtc_lock_experimental(self, enable:bool)->None:
        "Hold the clock of the cartridge at zero. It goes by emulated time in any case, never by the day's."
    def _hold_clock(self)->None: ...
    def _serial(self)->str:
        "What was sent over the serial line since the last call."
    def get_memory_value(self, addr:int)->int:
        "PyBoy 1: a byte of memory."
    def set_memory_value(self, addr:int, value:int)->None:
        "PyBoy 1: write a byte of memory."
    def _rendering(self, value:bool)->None:
        "PyBoy 1: whether `tick` draws."
    def botsupport_manager(self)->types.SimpleNamespace:
        "PyBoy 1: leads to `screen()`, and that to `screen_ndarray()` and `screen_image()`."
class PyBoys(Sequence):
    "N consoles in lockstep, with PyBoy's interface and an axis in front."
    _game:_Any
    emulator:_Any
    _boys:_Any
    memory:_Any
    register_file:_Any
    cartridge_title:_Any
    screen:_Any
    def __init__(self,
        gamerom:Any, # A ROM: its path, or an open binary file
        n:int, # How many consoles
        device:str='auto', # As `Emulator` takes it
        threads:int|None=None, # CPU threads; all cores by default
        **options, # Those of PyBoy's constructor
    )->None: ...
    def __len__(self)->int: ...
    def __getitem__(self, i): ...
    def __enter__(self)->_Self: ...
    def __exit__(self, *_)->None: ...
    def __repr__(self)->str: ...
    @property
    def frame_count(self)->int: ...
    def tick(self, count:int=1, render:bool=True, sound:bool=True)->bool:
        "Run frames."
    def set_emulation_speed(self, target_speed:float)->None:
        "As of one: for all of them together."
    def _press(self, names, does, at, *more)->None: ...
    def button(self, input:str|Sequence, delay:int=1, at:int|Sequence=0)->None:
        "Press a button on all consoles, or one on each, at a moment for all or one for each."
    def button_press(self, input:str|Sequence, at:int|Sequence=0)->None:
        "Press without letting go."
    def button_release(self, input:str|Sequence, at:int|Sequence=0)->None:
        "Let go."
    def send_input(self, event:int|Sequence, delay:int=0, at:int|Sequence=0)->None:
        "An event for all, or one for each."
    def symbol_lookup(self, symbol:str)->tuple:
        "As of one."
    def hook_register(self, bank:int|None, addr:int|str, callback:Any, context:Any)->None:
        "Have `callback(context, console)` called whenever a console gets there."
    def hook_deregister(self, bank:int|None, addr:int|str)->None:
        "Have it called no more."
    def save_state(self, files:Sequence)->None:
        "Write each console into its file."
    def load_state(self, files:Any)->None:
        "All become what one file says, or each what its own says."
    def game_area(self)->np.ndarray: # uint32[n, height, width]
        "The matrices of all."
    def game_area_dimensions(self, *section)->None:
        "Which part of the map."
    def game_area_mapping(self, mapping:Any, sprite_offset:int=0)->None:
        "Which number stands for each tile."
    def stop(self, save:bool=False)->None:
        "End all; batteries are written by none."
def stand_in()->tempfile.TemporaryDirectory: # What the other processes import; kept to the end
    "Let the name `pyboy` mean this package, here and in processes that `multiprocessing` starts from here."
def main(argv:Sequence[str]|None=None)->None:
    "python -m gbxnb.pyboy script.py ..., or -m module ..."
