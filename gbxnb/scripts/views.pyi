"""Memory, registers, picture, tiles and sprites of a console, as scripts written for PyBoy know them."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = []
import operator
from enum import Enum
from operator import index
from typing import Any, Literal
from reprlib import repr as brief
import numpy as np
from fastcore.basics import patch
from PIL import Image
from ..base.files import UserError
from ..debugger.video_memory import TILES, map_tiles, sprites, tiles
from ..emulator.emulator import Emulator, alone
from ..emulator.machine import HALTED, IO, IOP, OAM, REGS, SRAM, WRAM, Reg, words_of
class PyBoyException(UserError): "What PyBoy refuses."
class PyBoyInternalError(PyBoyException): "Never raised here."
class PyBoyAssertException(PyBoyException): "What was to be read is not there."
class PyBoyOutOfBoundsException(PyBoyException): "A number outside of its range."
class PyBoyNotImplementedException(PyBoyException): "This machine has no such part."
class PyBoyInvalidInputException(PyBoyException): "Something of the wrong kind."
class PyBoyInvalidOperationException(PyBoyException): "Not now, or not with this."
class PyBoyDependencyError(PyBoyException): "A library is missing."
class PyBoyFeatureDisabledError(PyBoyException): "A part that is switched off; there is no sound."
class AccessError(PyBoyException): "A part that is not there."
class PillowImportError(AccessError, PyBoyDependencyError): "Never raised here."
class SoundEnabledError(AccessError, PyBoyFeatureDisabledError): "Never raised here."
def demand(fine, text:str, error:type[PyBoyException]=PyBoyInvalidInputException)->None:
    "Raise `error` unless all is well."
def whole(value:Any, name:str, least:int, most:int, exact:bool=False)->int:
    "A whole number in its range; 2 of 2.5, as in PyBoy, unless it is to be `exact`."
EVENTS:list
class WindowEvent:
    "What `send_input` takes: a number for each event; as an object, one that prints its name."
    _number:int
    at:_Any
    name:_Any
    def __init__(self, event)->None: ...
    def __int__(self)->int: ...
    __index__ = __int__
    def __eq__(self, other)->bool: ...
    def __str__(self)->str: ...
class IntIOWrapper:
    "A file, byte by byte, as numbers."
    buffer:_Any
    def __init__(self, buf)->None: ...
    def write(self, byte)->int: ...
    def seek(self, pos)->None: ...
    def flush(self)->None: ...
    def tell(self)->int: ...
    def read(self)->int: ...
def dec_to_bcd(value:int, byte_width:int=1, byteorder:Literal['little', 'big']='little')->int:
    "A number with two decimal digits in each byte."
def bcd_to_dec(value:int, byte_width:int=1, byteorder:Literal['little', 'big']='little')->int:
    "The number behind two decimal digits in each byte."
class _View:
    "Looks at a console while no thread runs it."
    __slots__ = '_console',
    _console:_Any
    def __init__(self, console)->None: ...
    @property
    def emulator(self)->Emulator: ...
class PyBoyMemoryView(_View):
    "The address space of a console."
    _wram:_Any
    def __init__(self, console)->None: ...
    def __len__(self)->int: ...
    def __iter__(self): ...
    def _parse(self, at):
        "Bank, addresses, and whether a single byte is meant."
    def __getitem__(self, at): ...
    def __setitem__(self, at, value)->None: ...
    def prepared(self, at, value)->tuple: # Addresses, bytes, bank
        "What is to be written, or the line that says why it cannot be."
    def _check(self, bank, addresses):
        "The bank, if there is such a one, and all addresses lie in its area."
class PyBoyRegisterFile(_View):
    "The CPU's registers: A, F, B, C, D, E of 8 bits, HL, SP, PC of 16."
    __slots__ = ()
    @property
    def _words(self): ...
ROWS, COLS = 144, 160
class Screen(_View):
    "The picture of a console."
    raw_buffer_dims, raw_buffer_format = (ROWS, COLS), 'RGBA'
    ndarray:_Any
    def __init__(self, console, pixels)->None: ...
    @property
    def raw_buffer(self)->memoryview: ...
    @property
    def image(self)->Image.Image: ...
    @property
    def tilemap_position_list(self)->list: # 144 times [SCX, SCY, WX - 7, WY]
        "Where each line of the last picture was taken from."
    def get_tilemap_position(self)->tuple: # ((SCX, SCY), (WX - 7, WY))
        "What the registers say now."
class Tile(_View):
    "One of the 384 tiles."
    shape, vram_bank, raw_buffer_format = (8, 8), 0, 'RGBA'
    tile_identifier:int
    data_address:int
    def __init__(self, console, identifier)->None: ...
    def ndarray(self)->np.ndarray: # uint8[8, 8, 4]
        "Its picture in the colours of the background."
    def image(self)->Image.Image: ...
    def __eq__(self, other)->bool: ...
    def __repr__(self)->str: ...
class Sprite:
    "An entry of OAM, as it was when it was asked for."
    attr_cgb_bank_number = 0
    _sprite_index:int
    attr_obj_bg_priority:bool
    attr_y_flip:bool
    attr_x_flip:bool
    sprite_index:int
    tiles:list
    attr_palette_number:_Any
    on_screen:_Any
    shape:_Any
    tile_identifier:_Any
    x:_Any
    y:_Any
    def __init__(self, console, sprite_index)->None: ...
    def __eq__(self, other)->bool: ...
    def __repr__(self)->str: ...
class TileMap(_View):
    "The map of the background, or of the window: columns first."
    shape = 32, 32
    _objects:bool
    _bit:_Any
    def __init__(self, console, bit)->None: ...
    @property
    def map_offset(self)->int: # 0x9800 or 0x9C00
        "Where it lies."
    @property
    def signed_tile_data(self)->bool: # Whether its numbers count from tile 256
        "Which tiles it shows."
    def whole_map(self)->np.ndarray: # int[32, 32]: tiles, by row and column
        "All of it."
    def use_tile_objects(self, switch)->None: ...
    def tile(self, column, row)->Tile: ...
    def tile_identifier(self, column, row)->int:
        "The tile at a place."
    def search_for_identifiers(self, identifiers)->list: # For each of them, the [row, column]s
        "Where some tiles are."
    def __getitem__(self, xy): ...
    def __repr__(self)->str: ...
class PyBoyGameWrapper(_View):
    "What of the screen is the game, as numbers."
    cartridge_title = None
    mapping_one_to_one = np.arange(768, dtype=np.uint8)
    tilemap_use_background:bool
    sprite_offset:int
    mapping:np.ndarray
    game_area_follow_scxy:bool
    game_area_section:_Any
    pyboy:_Any
    saved_state:_Any
    shape:_Any
    tilemap_background:_Any
    tilemap_window:_Any
    def __init__(self, pyboy)->None: ...
    @property
    def game_has_started(self)->bool: ...
    def use_background(self, value)->None: ...
    def game_area_annotations(self)->list: ...
    def post_tick(self)->None:
        "Nothing is kept from frame to frame."
    def __getattr__(self, name):
        raise AttributeError(f"the game wrapper has no {name!r}: read `memory` instead")
    def __repr__(self)->str: ...
    def _set_dimensions(self, x, y, width, height, follow_scrolling=True)->None: ...
    def game_area_mapping(self, mapping, sprite_offset=0)->None: ...
    def _tiles(self):
        "The map's tiles in the section."
    def game_area(self)->np.ndarray: # uint32[height, width]
        "Tiles of the map, with those of the sprites over them."
    def start_game(self, timer_div=None)->None:
        "Let the present moment be the one that `reset_game` goes back to."
    def reset_game(self, timer_div=None)->None:
        "Back to where the game was started."
    def _set_timer_div(self, value, writes=True)->None:
        "DIV: by chance, or what is given."
    def game_over(self)->bool: ...
def wrapper_of(pyboy)->PyBoyGameWrapper:
    "The wrapper that a game gets."
class GameShark(_View):
    "Codes that are written before each frame."
    cheats:dict
    memory:_Any
    def __init__(self, memory)->None: ...
    @property
    def enabled(self)->bool: ...
    def _convert_cheat(self, code):
        "Type, value and address of a code."
    def add(self, code)->None:
        "Write a code before each frame from now on."
    def remove(self, code, restore_value=True)->None:
        "Write a code no more; by default the byte becomes what it was."
    def clear_all(self, restore_value=True)->None:
        "Remove all codes."
    def tick(self)->None:
        "Write all of them."
StandardComparisonType:_Any
DynamicComparisonType:_Any
ScanMode:_Any
class MemoryScanner(_View):
    "Addresses of which something is known."
    _found:dict
    _read:_Any
    pyboy:_Any
    def __init__(self, pyboy)->None: ...
    def _value(self, data, order=None): ...
    def scan_memory(self, target_value=None, start_addr=0, end_addr=0xFFFF,
                    standard_comparison_type=StandardComparisonType.EXACT, value_type=ScanMode.INT,
                    byte_width=1, byteorder='little')->list:
        "Search a range, its last address included."
    def rescan_memory(self, new_value=None, dynamic_comparison_type=DynamicComparisonType.UNCHANGED,
                      byteorder=None)->list:
        "Keep the addresses whose values have changed as is asked."
class Rumble(_View):
    "The motor in the cartridge."
    @property
    def supported(self)->bool: ...
    @property
    def enabled(self)->bool: ...
class Missing:
    "A part that this machine has not; it says so when it is used."
    def __init__(self, text, error:type[PyBoyException]=PyBoyNotImplementedException)->None: ...
    def _refuse(self, *_): ...
    def __getattr__(self, name)->Any:
        if name.startswith('__'): raise AttributeError(name)
        self._refuse()
    __setattr__ = __getitem__ = __setitem__ = __call__ = _refuse
    def __bool__(self)->bool: ...
    def __instancecheck__(self, other): ...
