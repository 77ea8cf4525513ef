"""PyBoy and this emulator play the same game with the same keys, and are compared after every frame."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from typing_extensions import Self as _Self
from pathlib import Path
__all__ = ['our_registers', 'their_registers', 'same_place', 'their_memory', 'differences', 'Frame', 'Lockstep']
import io, threading, time
from dataclasses import dataclass, field
import numpy as np
import warp as wp
from fastcore.basics import patch
from ..reference.reference import press
from ..emulator.cartridge import Cartridge
from ..emulator.emulator import Emulator
from ..emulator.machine import FRAME, IO, LINE, HALTED, HRAM, IOP, OAM, SRAM, VRAM, WRAM, Reg, words_of
from ..emulator.ppu import VBL_AT
from ..saves.pyboy import new_pyboy, read_state
from ..saves.pyboy_rows import FIRST_VBLANK_DOT, LY_LATE, VBLANK_DOT, from_pyboy
from ..emulator.render import render
from ..emulator.rows import finish_row, still_log
from ..base.files import UserError
WINDOW = 4 * LINE             # M-cycles to look back and ahead
STACK = 256                   # bytes below the stack pointer that are leftovers
PHASE = 8                     # M-cycles by which the picture clocks may be apart
REGIONS = {'VRAM': (0x8000, VRAM, 0x2000), 'WRAM': (0xC000, WRAM, 0x2000), 'OAM': (0xFE00, OAM, 160),
           'HRAM': (0xFF80, HRAM, 127)}
PLAIN_IO = [IO.TMA, IO.LCDC, IO.SCY, IO.SCX, IO.LYC, IO.BGP, IO.OBP0, IO.OBP1, IO.WY, IO.WX, IO.IE]
STUCK = .25    # seconds of work without a tick of PyBoy's clock: it is locked; a frame takes milliseconds
def tick(
    pyboy, # It runs for a frame
    render:bool=True, # Whether it draws
)->None:
    "A frame that ends, whatever the program does."
HOOK = 0xDB     # the opcode of a hooked address
def saved(pyboy)->bytes:
    "The state of a PyBoy, as it writes it."
def at_the_start(cart:Cartridge)->tuple: # PyBoy at the end of a frame; its state at 0100; cycles from there
    "Run a new PyBoy through its boot ROM, into the game's first frame."
def our_registers(row:np.ndarray)->dict:
    "The CPU's registers of a row."
def their_registers(pyboy)->dict:
    "The CPU's registers of a PyBoy."
def same_place(ours:dict, theirs:dict, halted:bool)->bool:
    "Do both stand at the same instruction with the same registers?"
def their_memory(pyboy, cart:Cartridge)->dict: # uint8 arrays by region
    "The memories of a PyBoy."
def differences(
    row:np.ndarray, # uint8[row_bytes]: ours
    theirs:dict, # Their memories, from `their_memory`
    sp:int, # The stack pointer: below it nothing counts
    cart:Cartridge, # The cartridge in both
)->dict: # By region: (address, theirs, ours), of each byte that differs
    "Bytes that differ."
MOMENTS = (20, 63, 70, 77, 84, 91)
def compare_pictures(
    ours:np.ndarray, # uint8[144, 160] shades
    theirs:np.ndarray, # uint8[144, 160] shades
    again, # Draws ours line by line, if need be: uint8[k, 144, 160]
)->tuple[int, int]: # Lines that differ for raster's sake only, and lines that are just different
    "Compare a picture line by line."
@dataclass(frozen=True)
class Frame:
    "What one frame showed."
    number:int # From 0
    cycles:int # M-cycles PyBoy took
    at:str # `exact`: same instruction after the same cycles; `near`: a few cycles apart; `apart`: not found
    shift:int # M-cycles by which ours is late, when near
    picture:str # `equal`, `raster`, `different`, or `none` where it cannot be compared
    lines:int # Lines that differ, raster or not
    registers:dict = field(default_factory=dict) # name: (theirs, ours), where the frame is apart
    memory:dict = field(default_factory=dict) # region: [(address, theirs, ours)], likewise
    fault:int = 0 # What locked our CPU in this frame; PyBoy would not come back from it, so it was not run
    @property
    def agrees(self)->bool: ...
class Lockstep:
    "PyBoy and this emulator, frame by frame."
    cart:Cartridge
    remember:bool
    held:int
    before:tuple       # with `remember`: PyBoy's state, our row and log, the keys held
    ours:Emulator
    drawer:Emulator
    pictures:dict
    dot:_Any
    fresh:_Any
    number:_Any
    pyboy:_Any
    whole:_Any
    def __init__(self,
        rom:bytes|Cartridge, # The cartridge of both
        state:bytes|None=None, # Where PyBoy begins; the game's first instruction by default
        row:np.ndarray|None=None, # Where ours begins; PyBoy's state by default
        held:int=0, # Keys that are down there
        remember:bool=False, # Keep both states before each frame, for a bundle
        device:str='auto', # Of ours; PyBoy knows no other than the CPU
    )->None: ...
    def __repr__(self)->str: ...
    def __enter__(self)->_Self: ...
    def __exit__(self, *exc)->None: ...
    def close(self)->None: ...
    def _phase(self)->None:
        "Set our picture clock to PyBoy's, if they are nearly the same."
    def _near(self, start, keys, cycles, registers, memory):
        "M-cycles by which our console stands elsewhere when it stands where PyBoy does, or None."
    def run(self,
        keys:int=0, # Keys held, as `Button` bits
        render:bool=True, # Whether PyBoy draws
    )->int: # M-cycles of the frame
        "Run both for a frame of PyBoy's, and compare nothing."
    def frame(self,
        keys:int=0, # Keys held, as `Button` bits
    )->Frame:
        "Run both for one frame and compare."
    def bundle(self,
        out:str|Path, # The folder
        f:Frame, # The frame that has just been run
        keys, # All keys, from power-on or from `before` on
        command:str, # How to see it again
        steps:bool=False, # Look for the instruction as well
    )->dict: ...
def step_one(e:Emulator, row:np.ndarray)->int:
    "Run a console that is at `row` to the end of its next instruction; the M-cycles of that."
