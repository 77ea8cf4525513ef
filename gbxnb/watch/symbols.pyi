"""Names for addresses: the `.sym` file that an assembler or a disassembly leaves beside a ROM."""
# Made by `make export` from the module beside it.
__all__ = ['MAX_SYMBOLS', 'Place', 'Symbols', 'parse_symbols', 'read_symbols']
import os, re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from heapq import nlargest
from pathlib import Path
from reprlib import repr as brief
from fastcore.basics import patch
from ..base.config import wing
from ..base.files import UserError, read_whole
from ..emulator.cartridge import Cartridge
@dataclass(frozen=True, order=True, slots=True)
class Place:
    "Where a label stands."
    bank:int     # As the file counts: 0 where nothing is banked
    address:int  # 0 to 0xFFFF
    def __str__(self)->str: ...
class Symbols(dict):
    "Name to `Place`, of the names that stand at one place."
    name:str
    doubles:dict[str, dict[Place, int]]|None|dict
    def __init__(self,
        places:dict[str, Place]|None=None, # The names of one place
        name:str='symbols', # What messages call the file
        doubles:dict[str, dict[Place, int]]|None=None, # The names of several: each place and its line
    )->None: ...
    def __repr__(self)->str: ...
    def nearest(self,
        name:str, # A name that may be misspelled
    )->list[str]: # At most five names, the best first
        "The names that resemble another."
    def find(self,
        name:str, # As the file spells it
    )->Place:
        "Where a label stands, or `UserError` with the names that resemble it."
def parse_symbols(
    text:str, # A symbol file
    name:str='symbols', # What messages call it
)->Symbols:
    "Read symbols, or raise `UserError`."
MAX_SYMBOLS = 1 << 24   # bytes of a symbol file
def read_symbols(
    path:str|Path, # A symbol file
)->Symbols:
    "Read a symbol file, or raise `UserError`."
def symbols_beside(
    rom:str|Path, # A ROM; it need not exist
)->Path|None: # The symbol file of the same stem in the same folder, if there is one
    "Where a linker puts the symbols of a ROM."
def find_symbols(
    given:'Symbols|str|Path|None', # Symbols, or their file; empty: those of the cartridge; None: none
    cart:Cartridge, # The game
)->Symbols|None:
    "The names that are meant."
ALIKE, LONGEST = 500, 80 # spellings that are compared letter by letter; letters of each
