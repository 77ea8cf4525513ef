"""One console of a batch, taken apart from the others: disassembly, breakpoints, single instructions, and the way back."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from typing_extensions import Self as _Self
__all__ = ['Line', 'read_forward', 'read_around', 'place_names', 'named', 'Debugger', 'find_code']
import re
from collections import deque
from dataclasses import dataclass, replace
import numpy as np
from fastcore.basics import patch
from ..games.asm import disassemble
from ..emulator.emulator import Emulator, _forget_writes
from ..emulator.machine import FRAME, HALTED, HIGH, IO, IOP, STOPPING, Reg, words_of
from ..watch.variables import bank_and_address, hook_place
from .memory_search import address_space
from ..watch.symbols import Symbols
from ..base.files import UserError, check_int
@dataclass(frozen=True)
class Line:
    "An instruction in memory."
    bank:int # 0 outside of 4000-7FFF
    address:int
    data:bytes
    text:str # As assembler source
    label:str='' # The symbol of its address
    about:str='' # The symbol or register that its operand names
    def __str__(self)->str: ...
def read_forward(
    space:np.ndarray, # uint8[65536], of `address_space`
    first:int, # Address of the first
    last:int, # And of the end, which no instruction begins behind
)->list[tuple[int, int, str]]: # Address, length, text
    "Instructions one after the other."
def read_around(
    space:np.ndarray, # uint8[65536], of `address_space`
    pc:int, # An instruction begins here
    before:int=8, # Instructions in front of it, if there are as many
    after:int=20, # Instructions behind it
)->list[tuple[int, int, str]]: # Address, length, text
    "Instructions on both sides of an address."
def place_names(
    symbols:Symbols|None,
)->dict[tuple[int, int], str]: # By bank and address; of several names the last two
    "Symbols, found by their places."
def named(
    lines:list[tuple[int, int, str]], # From `read_around`
    space:np.ndarray, # uint8[65536]
    names:dict[tuple[int, int], str], # From `place_names`
    bank:int, # At 4000-7FFF
)->list[Line]:
    "Instructions with what their places and operands are called."
KEPT = 256     # moments that can be taken back
class Debugger:
    "A copy of one console, run by the instruction."
    source:Emulator
    symbols:Symbols|None
    names:dict[tuple[int, int], str]
    breakpoints:list[tuple[int, int]]     # banks and addresses
    _machines:dict[tuple, Emulator]
    env:int
    keys:int
    cart:_Any
    cycles:_Any
    emulator:_Any
    past:_Any
    taken:_Any
    def __init__(self,
        e:Emulator, # The batch
        env:int=0, # Which console
        symbols:Symbols|None=None, # Names of places
    )->None: ...
    def _machine(self, hooks):
        "An emulator of one console with these hooks; four are kept."
    def take(self, env:int=0)->_Self:
        "Become a copy of console `env` of the batch as it is now."
    def put(self)->_Self:
        "Make the console in the batch what the copy is now."
    def _set(self, row, log, cycles)->None:
        "Make the copy this."
    @property
    def row(self)->np.ndarray: # uint8[row_bytes]
        "All that the copy is."
    def _now(self): ...
    def apart(self)->bool:
        "Has the console in the batch run on since it was taken?"
    def back(self)->_Self:
        "Take the last action back."
    @property
    def words(self)->np.ndarray: # int32[64], by `Reg`
        "The copy's registers."
    @property
    def bank(self)->int:
        "The bank of ROM that is seen at 4000-7FFF."
    @property
    def place(self)->tuple[int, int]: # Bank and address
        "Where the next instruction lies."
    def __repr__(self)->str: ...
    def _run(self, cycles)->None:
        "M-cycles at once."
    def _one(self)->None:
        "One instruction, or one sleep."
    def _opcode(self):
        "The next instruction's opcode and length."
    def step(self,
        n:int=1, # Instructions
    )->_Self:
        "Run single instructions."
    def toggle(self,
        place:'str|tuple[int, int]', # As `find_code` takes it; or bank and address
    )->bool: # Is there one now?
        "Set a breakpoint, or clear it."
    def _bisect(self, before, cycles)->None:
        "Where in the last `cycles` from `before` a hook was first reached; stop there."
    def _run_hooked(self, places, frames):
        "Run to one of these places in ROM; was one reached?"
    def _run_stepped(self, places, frames):
        "Run to one of these places; was one reached?"
    def _until(self, places, frames):
        "One instruction, and on to one of these places."
    def run(self,
        frames:int=60, # At most
        to:'str|tuple[int, int]|None'=None, # A place beside the breakpoints
    )->bool: # Was one of them reached?
        "Run to a breakpoint."
    def _over(self, frames):
        "Run over the next instruction; was its end reached before a breakpoint?"
    def step_over(self,
        frames:int=60, # At most
    )->bool: # Was the next instruction reached?
        "Run the next instruction, with all that it calls."
    def step_out(self,
        frames:int=60, # At most
    )->bool: # Has the routine returned?
        "Run until the routine has returned."
def quiet_cycles(
    row:np.ndarray, # uint8[row_bytes]
)->int: # 1 at least, a frame at most
    "M-cycles that a sleeping console can run before anything may wake it."
def find_code(
    text:str, # A symbol, `3:4A21`, or an address in hexadecimal digits
    d:Debugger, # Whose cartridge and symbols are meant; an address in 4000-7FFF is in the bank that it sees
)->tuple[int, int]: # Bank and address
    "Where someone means."
