"""Names for addresses: the `.sym` file that an assembler or a disassembly leaves beside a ROM."""
# Made by `make export` from the module beside it.
__all__ = ['Place', 'Symbols', 'parse_symbols', 'read_symbols']
import json, os, re, sys
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from heapq import nlargest
from pathlib import Path
from reprlib import repr as brief
from fastcore.basics import patch
from ..base.config import wing
from ..base.files import UserError, read_whole
from ..emulator.cartridge import Cartridge, looks_like
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
    "Read symbols, or raise `UserError`; say on standard error which lines are left out."
def read_symbols(
    path:str|Path, # A symbol file
)->Symbols:
    "Read a symbol file, or raise `UserError`."
def symbols_beside(
    rom:str|Path, # A ROM; it need not exist
)->Symbols|None: # Those of the first file that has some; the others are named on standard error
    "What a linker puts beside a ROM."
def find_symbols(
    given:'Symbols|str|Path|None', # Symbols, or their file; empty: those of the cartridge; None: none
    cart:Cartridge, # The game
)->Symbols|None:
    "The names that are meant."
ALIKE, LONGEST = 500, 80 # spellings that are compared letter by letter; letters of each
