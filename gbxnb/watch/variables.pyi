"""A name for a place in memory, and for a place in the program."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['MAX_SIZE', 'MAX_COUNTED', 'PLAIN_IO', 'MAX_VARIABLES', 'COUNT', 'BIG', 'BCD', 'SIGNED', 'NOW', 'BEFORE', 'REACHED',
           'MAX_HOOKS', 'Variable', 'decode', 'encode', 'row_offset', 'find_place', 'check_names', 'resolve', 'plain',
           'Entry', 'variable_entry', 'read_variables', 'check_writable_variable', 'store_variable', 'write_variables',
           'hook_place', 'resolve_hooks', 'bank_and_address', 'plain_hooks', 'with_hooks']
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from reprlib import repr as brief
from typing import Any, cast
import numpy as np
import warp as wp
from ..base.files import UserError
from ..emulator.cartridge import Cartridge
from ..emulator.machine import HIGH, IO, SRAM, VRAM, WRAM
from .symbols import Symbols
MAX_SIZE, MAX_COUNTED = 4, 0x2000 # bytes of a number, and of a range whose bits are counted
@dataclass(frozen=True)
class Variable:
    "Where a number lies, and how it is written there."
    at:'str|int' # A symbol, also `wParty+3`; or an address: an int, or `0xC0A0` as text
    size:int=1 # Bytes: 1 to 4; of a range whose bits are counted, up to 8,192
    endian:str='little' # little: the lowest byte stands first; big: last
    bcd:bool=False # Two decimal digits in a byte
    signed:bool=False # Two's complement
    mask:int=0 # These bits only; 0 is all
    count:bool=False # How many bits are set, instead of a number
    bank:int=0 # Of cartridge RAM, where the address lies in it and no symbol says which
    def __post_init__(self)->None: ...
def decode(
    v:Variable,
    data:bytes, # Its `v.size` bytes
)->int: # As int32: four bytes wrap around
    "The number that bytes mean."
def encode(
    v:Variable, # That is no count
    n:int, # Its new value; what does not fit is cut off
    data:bytes, # Its bytes so far; bits outside of the mask stay as they are
)->bytes:
    "The bytes that mean a number."
PLAIN_IO:tuple
def row_offset(
    cart:Cartridge, # Its RAM lies in the row
    v:Variable, # With an address
    name:str, # For messages
)->int:
    "Where in a row a variable begins."
MAX_VARIABLES = 1024
def find_place(
    at:'str|int', # A symbol, also `wParty+3`; or an address
    symbols:Symbols|None, # Where names are looked up
    bank:int=0, # Of an address without a symbol
)->tuple[int, int]: # Bank and address
    "Where something lies."
def check_names(
    given, # A list of names, or a mapping of them
    what:str, # For messages
)->dict: # By name; those of a list name themselves
    "Names, each one once."
def resolve(
    given, # Names of symbols, or names with places: a `Variable`, its fields, a symbol or an address
    cart:Cartridge, # Whose memory it is
    symbols:Symbols|None=None, # Where names are looked up
)->dict[str, Variable]: # With addresses
    "The variables of a list, each in a memory that there is."
def plain(
    variables:dict[str, Variable], # From `resolve`
)->dict: # JSON values
    "Variables as a file keeps them."
COUNT, BIG, BCD, SIGNED = 1, 2, 4, 8 # kinds
class Entry(_Any): ...
def variable_entry(
    v:Variable, # From `resolve`
    cart:Cartridge, # Whose memory it is
    name:str, # For messages
)->Entry:
    "A variable for a kernel."
load_variable: _Any = None
NOW:_Any
BEFORE:_Any
REACHED:_Any
read_variables: _Any = None
def check_writable_variable(
    v:Variable,
    name:str, # For messages
)->None:
    "Raise `UserError` if a variable can only be read."
store_variable: _Any = None
write_variables: _Any = None
MAX_HOOKS = 256
def hook_place(
    given:'str|int', # A symbol, `bank:address` in hexadecimal digits, or an address
    cart:Cartridge, # In whose ROM it lies
    symbols:Symbols|None=None, # Where names are looked up
)->int: # Offset
    "Where in the ROM an instruction lies."
def resolve_hooks(
    given, # Names of symbols, or names with places
    cart:Cartridge, # In whose ROM they lie
    symbols:Symbols|None=None, # Where names are looked up
)->dict[str, int]: # Offsets in the ROM by name
    "The hooks of a list."
def bank_and_address(
    at:int, # Offset in the ROM
)->tuple[int, int]:
    "How a place in the ROM is called; `hook_place` is the way back."
def plain_hooks(
    hooks:dict[str, int], # From `resolve_hooks`
)->dict: # JSON values
    "Hooks as a file keeps them."
def with_hooks(
    cart:Cartridge, # Any
    hooks:dict[str, int], # From `resolve_hooks`
)->Cartridge: # The same cartridge, with these hooks
    "A cartridge whose consoles note where they come by: column `k` of `hits` is the `k`-th place in order."
