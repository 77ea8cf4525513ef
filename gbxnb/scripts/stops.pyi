"""Run until a place is reached, have Python look and write there, and go on from that very M-cycle."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from gbxnb.emulator.cartridge import Cartridge
__all__ = []
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
import numpy as np
import warp as wp
from fastcore.basics import patch
from ..base.progress import Meter
from ..base.startup import recording
from ..emulator.boards import remap, write_bank, write_cart_ram
from ..emulator.bus import peek, read_io, write_io
from ..emulator.cpu import row_of
from ..emulator.emulator import BLOCK, Emulator
from ..emulator.idle_loops import mark_loops
from ..emulator.isa import predecode
from ..emulator.machine import *
from ..emulator.trap import BREAK
BREAK_WORD:int
@dataclass
class Place:
    "Where consoles stop."
    call:Callable # Gets the console's number
    byte:Any=0 # The true opcode; in RAM that of each console
    word:int=0 # Its control word, in ROM
class Batch:
    "Consoles that stop."
    e:Emulator
    ended:bool
    stale:set
    places:dict[tuple[str, int], Place]     # by array and index
    _out:wp.array
    _alone:dict
    _rows:Any
    _all:list
    _late:dict
    ticks:int
    _bus:wp.Launch
    dark:list     # when a tick with the LCD off ends
    _words:list
    _held:_Any
    _moments:_Any
    boot:_Any
    code:_Any
    fresh:_Any
    left:_Any
    local:_Any
    rom:_Any
    def __init__(self, e:Emulator)->None: ...
    def _record(self, first, count):
        "A launch of some consoles, each until its moment."
    @property
    def rows(self)->np.ndarray: # uint8[n, row_bytes]: what is written there is written to the consoles
        "All consoles; on a GPU a copy that goes back before they run on."
    @property
    def words(self)->list: # Of each console, `Reg` to a whole number
        "The register pages, for single numbers."
    def _look(self): ...
    def settle(self)->None:
        "Let the consoles be what `rows` says; they may change then."
    def bus(self,
        i:int, # Which console
        addr:int, # Below C000, or FF00-FF7F
        value:int=-1, # To write; negative: nothing
    )->int: # What is read there then
        "An access by the CPU's own way."
    def locate(self,
        row:np.ndarray, # uint8[row_bytes]
        addr:int, # 0..FFFF
        bank:int|None=None, # Of ROM, -1 for the boot ROM, or of the cartridge's RAM; None: what is seen there
    )->tuple[str, int]: # Array and index; no array where only the bus knows
        "Where a byte is kept."
    def _poke(self, key, value, word=0, consoles:int|slice=slice(None))->None:
        "Put a byte into an array; with its control word, in ROM."
    def override(self,
        key:tuple[str, int], # In `rom` or `boot`, from `locate`
        value:int,
    )->None:
        "Change a byte of a ROM, for all consoles."
    def stop_at(self,
        key:tuple[str, int], # From `locate`
        call:Callable, # Gets the number of each console that stops there
    )->None:
        "Have consoles stop at a place."
    def pass_by(self, key:tuple[str, int])->None:
        "Let consoles stop at a place no longer."
    def _renew(self)->None:
        "Work out the control words of banks that have changed."
    def put(self, i:int, at:int, value:int)->None:
        "Write a byte of a console's row; behind the DB, where one stands."
    def row(self, i:int)->np.ndarray: # uint8[row_bytes], a copy
        "A console without DBs."
    def become(self,
        i:int, # Which console
        row:np.ndarray, # uint8[row_bytes], as `row` gives it
        fresh:bool=False, # Whether it is PyBoy's, whose moments are not exactly ours
    )->None:
        "Make a console another."
    def _tick_end(self, i:int)->int: # M-cycles of the console's own time
        "When the present tick of a console ends."
    def press(self, i:int, keys:int, at:int=0)->None:
        "Which keys a console holds: from now on, whatever was to come, or from an M-cycle of its next tick on."
    def _launch(self, moments:dict[int, int]):
        "Run some consoles, each until its moment, or until keys change."
    def _passed(self, i:int, end:int)->int:
        "How many ticks of a console have passed in a launch, the first of which was to end at `end`."
    def _advance(self, left:dict[int, int])->dict[int, int]:
        "Run consoles, each so many ticks; what is left of those that stopped, or met a switch."
    def _stopped(self, i:int)->bool:
        "Did the launch of a console end in front of a DB?"
    def place_of(self, i:int)->tuple[str, int]:
        "Where the next instruction of a console is kept."
    def _call(self, i:int)->bool:
        "Call whoever wants to know that console `i` stands here; is its instruction still to run?"
    def _step_over(self, stood:list[int], left:dict[int, int])->dict[int, int]:
        "Let consoles run the instruction they stand in front of; the ticks that are left then."
    def run(self,
        ticks:int, # 1 or more
    )->None:
        "Run all consoles; who stops at a place is called in between."
VBLANK, NEAR = 10*LINE, 8     # M-cycles; a tick of PyBoy's that is as near to its end has ended
