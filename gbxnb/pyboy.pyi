"""The console that scripts for PyBoy know, one of it or N, and a command that runs them unchanged."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from typing_extensions import Self as _Self
from gbxnb.emulator.cartridge import RTC
__all__ = ['PyBoy', 'PyBoys']
import functools, heapq, importlib.abc, importlib.machinery, importlib.util, io, os, re, runpy
import sys, tempfile, time, traceback, types
from collections.abc import Sequence
from hashlib import sha256
from operator import index
from pathlib import Path
from reprlib import repr as brief
from typing import Any
import numpy as np
import warp as wp
from fastcore.basics import patch
from .base.files import UserError, read_whole, write_all_atomic
from .emulator.cartridge import MAX_ROM, Cartridge, unpack_save
from .emulator.emulator import Emulator
from .emulator.machine import HIGH, HRAM, VRAM, Button, Reg, words_of
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
from .watch.symbols import MAX_SYMBOLS
PALETTE = 0xFFFFFF, 0x999999, 0x555555, 0x000000
_WINDOWS = 'SDL2', 'OpenGL', 'GLFW', 'null', 'headless', 'dummy'
_IGNORED = ('scale', 'title_status', 'cgb_color_palette', 'sound_sample_rate', 'no_input', 'sound',
            'serial_interrupt_based', 'autopause', 'hide_window')
_REFUSED:dict
_OPTIONS:dict
_LEVELS = 'CRITICAL', 'ERROR', 'WARNING', 'INFO', 'DEBUG', 'DISABLE'
_OLD:dict
def _log(o, level, text, name='gbxnb.pyboy')->None:
    "A line as PyBoy writes it, if lines of that level are wanted."
def _options(given):
    "All options, or the line that says which is wrong."
def _colours(palette)->np.ndarray: # uint32[4]: bytes R, G, B, A
    "Four colours as pixels."
def _bytes_of(given, name):
    "The bytes of a path or an open file, and the path."
def _short(path):
    "A path as a message shows it."
_LABEL:_Any
_MAPPED:_Any
def _read_symbols(path, found)->None:
    "Add the names of a `.sym` or `.map` file to `found`, by name; what is none is skipped."
_FOUND:dict[str, bytes] = {} # the boot ROM of an installed PyBoy, while this stands in for it
_BOOT = '''
        SECTION "boot", ROM0[0]
        LD SP, $FFFE
        LD HL, $8000
.erase: XOR A                   ; VRAM
        LD [HL+], A
        LD A, H
        CP $A0
        JR NZ, .erase
        LD HL, Glyphs           ; five letters, each row for both planes
        LD DE, $8010
        LD B, 40
.copy:  LD A, [HL+]
        LD [DE], A
        INC DE
        LD [DE], A
        INC DE
        DEC B
        JR NZ, .copy
        LD HL, $9907            ; in the middle of the map
        LD A, 1
.place: LD [HL+], A
        INC A
        CP 6
        JR NZ, .place
        LD B, 32
.pad:   DEC B
        JR NZ, .pad
        LD A, $91 :: LDH [$FF40], A      ; the LCD, 297,912 T-cycles after power-on
        LD A, $FC :: LDH [$FF47], A
        LD A, $80 :: LDH [$FF26], A
        LDH [$FF11], A :: LD A, $F3 :: LDH [$FF12], A
        LDH [$FF25], A
        LD A, $77 :: LDH [$FF24], A
        LD B, 3               ; sixty frames, in three parts
.frames: LD DE, 50109
.wait:  DEC DE
        LD A, D
        OR E
        JR NZ, .wait
        DEC B
        JR NZ, .frames
        NOP
        NOP
        LD BC, $0013            ; the registers that PyBoy's leaves
        LD DE, $008F :: LD HL, $0087
        LD A, 1 :: SCF :: DEC A
        NOP :: NOP :: NOP :: NOP :: NOP :: NOP
        JP $00FC
Glyphs: DB $00,$00,$3E,$66,$66,$3E,$06,$3C
        DB $60,$60,$7C,$66,$66,$7C,$00,$00
        DB $00,$00,$66,$3C,$3C,$66,$00,$00
        DB $00,$00,$7C,$66,$66,$66,$00,$00
        DB $60,$60,$7C,$66,$66,$7C,$00,$00
        SECTION "end", ROM0[$FC]
        LD A, 1
        LDH [$FF50], A
'''
def boot_rom()->bytes: # 256 bytes
    "The boot ROM that a console has unless another is given."
_BITS = [Button.UP, Button.DOWN, Button.RIGHT, Button.LEFT, Button.A, Button.B, Button.SELECT, Button.START]
_NAMES:dict

class _Game:
    "A cartridge in N consoles, and what they share."
    cart:Cartridge
    symbols:dict[str, tuple[int, int]]
    batch:Batch
    out:wp.array
    pixels:np.ndarray
    stopped:bool
    calling:bool
    _held:_Any
    _shades:_Any
    n:_Any
    options:_Any
    palette:_Any
    path:_Any
    def __init__(self, gamerom, n, device, threads, options)->None: ...
    def _find_symbols(self, given)->None: ...
    def _insert_save(self, o)->None:
        "The RAM and the clock of the cartridge, given or beside the ROM."
    def draw(self)->None:
        "Fill the pixels with the last pictures."
    def advance(self, consoles, count, render):
        "Run frames, in parts that begin where a key goes down or up."
    def _press(self, consoles): ...

class PyBoy:
    "One console, with the interface of PyBoy 2.8.1."
    window_title, title_status, sgb_border = '', False, False
    events:list
    queued_input:list
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
    _frames:_Any
    _game:_Any
    _i:_Any
    cart:_Any
    cartridge_title:_Any
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
    @frame_count.setter
    def frame_count(self, value)->None: ...
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
    )->None:
        "Have an event take effect."
    def button(self, input:str, delay:int=1)->None:
        "Press a button, and let it go `delay` frames later."
    def button_press(self, input:str)->None:
        "Press a button."
    def button_release(self, input:str)->None:
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
        ram_file:Any=None, # An open file; by default beside the ROM
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
def _event(name, more=0): ...
def _state_file(boy, saves):
    "Save or load the state beside the ROM."
_PALETTES = {
    'SameBoy DMG': (0xC6DE8C, 0x84A563, 0x396139, 0x081810),
    'Classic Green': (0x9BBC0F, 0x8BAC0F, 0x306230, 0x0F380F),
    'Parchment': (0xE0DBCD, 0xA89F94, 0x706B64, 0x2B2B26),
    'Mossy': (0xC4CFA1, 0x8B956D, 0x4D533C, 0x1F1F1C), 'Grey': PALETTE}
_ACTS:dict
PyBoy._lookup_symbol = PyBoy.symbol_lookup
_MARK = b'gbxnb-1\0'
def _tail(cart, head, row, log):
    "What stands behind PyBoy's state."
def _split(cart, data):
    "PyBoy's state, and the tail behind it: row and log, digest, ROM; or None."
def _exact(cart, head, tail):
    "Row and log of a tail that is sound and of this cartridge, or None."
def _file(given, mode): ...
def _may_write(file)->None: ...
def _screen(cart, head):
    "The pixels of a state of PyBoy, where they may be changed."

class _Many:
    "What is a number for one console is an array for all."
    def __init__(self, boys, part)->None: ...
    def _each(self): ...
    def __getitem__(self, at): ...
    def __getattr__(self, name): return np.array([getattr(one, name) for one in self._each()])
    def __setitem__(self, at, values)->None: ...
    def __setattr__(self, name, values)->None: ...
def _spread(values, n, ranges=False):
    "One value for each console; of ranges, one for each where what is given has values within values."

class PyBoys(Sequence):
    "N consoles in lockstep, with PyBoy's interface and an axis in front."
    _game:_Any
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
    def _press(self, names, does, *more)->None: ...
    def button(self, input:str|Sequence, delay:int=1)->None:
        "Press a button on all consoles, or one on each."
    def button_press(self, input:str|Sequence)->None:
        "Press without letting go."
    def button_release(self, input:str|Sequence)->None:
        "Let go."
    def send_input(self, event:int|Sequence, delay:int=0)->None:
        "An event for all, or one for each."
    def set_emulation_speed(self, target_speed:float)->None:
        "As of one: for all of them together."
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
_PARTS:dict

class _Module(types.ModuleType):
    "A module of PyBoy's name; what is not in it can be imported, but not used."

class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    "Makes the modules below `pyboy` when they are imported."
    def find_spec(self, fullname, path, target=None): ...
    def create_module(self, spec): ...
    def exec_module(self, module)->None:
        "All is there already."
def stand_in()->tempfile.TemporaryDirectory: # What the other processes import; kept to the end
    "Let the name `pyboy` mean this package, here and in processes that `multiprocessing` starts from here."
def main(argv:Sequence[str]|None=None)->None:
    "python -m gbxnb.pyboy script.py ..., or -m module ..."
def _place(error, script):
    "The line of the script that an error came from."
