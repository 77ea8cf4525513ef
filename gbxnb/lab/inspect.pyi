"""One console of a running batch, opened: code and breakpoints, memory and what changed in it, tiles, maps, sprites and registers."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from typing_extensions import Self as _Self
__all__ = ['Inspect']
import re
from collections import deque
from collections.abc import Callable
from html import escape
from pathlib import Path
import numpy as np
from fastcore.basics import patch
from ..emulator.emulator import Emulator
from ..emulator.machine import Button, HALTED, IME_ON, IME_SOON, LOCKED, STOPPING, Reg
from ..debugger.memory_search import (FORMATS, REGIONS, RULES, VALUED, Search, address_space, candidates,
                                          difference, go_to, hex_lines, narrow, region_of, variable_line)
from ..debugger.shown import Readout, reward_text
from ..debugger.stepping import Debugger, find_code, named, read_around, read_forward
from ..watch.symbols import Symbols, find_symbols
from ..debugger.video_memory import (MAPS, PALETTES, beam_of, io_registers, map_picture, map_tiles,
                                         palette, sprite_picture, sprites, tile_address, tiles, view)
from ..base.files import UserError
from .canvas import LiveWidget, traitlets
from .film import image, static
from ..base.figures import GAP, palette_rgb, side_by_side
TABS:dict
KEYS:dict
SEEN = 240 # values of a watched number that are kept: one each time the console has run on
def find_emulator(
    what, # An `Emulator`, a backend that has one, or an environment of it
)->Emulator:
    "Where the consoles are."
class Inspect(LiveWidget):
    "A window into one console of a batch."
    _esm, _css = static('life.js', 'inspect.js'), static('inspect.css')
    tab = traitlets.Unicode('code').tag(sync=True) # One of `TABS`
    follow = traitlets.Bool(False).tag(sync=True) # Take the console again and again, while the batch runs
    answers = traitlets.Int(0).tag(sync=True) # Actions done
    key_actions = traitlets.Dict(KEYS).tag(sync=True) # Actions by key
    debugger:Debugger
    error:bool
    frames:int
    colours:str
    cursor:tuple[int, int]
    at:int
    tile:int
    readout:Readout|None
    against:_Any
    cell:_Any
    kept:_Any
    listed:_Any
    looked:_Any
    other:_Any
    parts:_Any
    said:_Any
    searched:_Any
    seen:_Any
    warned:_Any
    def __init__(self,
        what, # An `Emulator`, a backend or an environment
        env:int=0, # Which console
        symbols:'Symbols|str|Path|None'='', # A symbol file; empty: the cartridge's own; None: none
        watch=None, # A watch list, such as 'score.json': numbers over the screen, and their graphs
    )->None: ...
    @property
    def emulator(self)->Emulator: ...
    def __repr__(self)->str: ...
    def _look(self)->None:
        "Take watched numbers of a console that has run on."
    def draw(self)->None:
        "Show everything as it is now."
    def act(self,
        do:str, # The name of an action
        arg:str='', # Its argument
        **typed, # By the names of fields
    )->_Self:
        "Do what a button, a key or a field asks for."
    def _hear_do(self, message)->None:
        "A message from the browser."
    def page(self)->str: # HTML that needs nothing else
        "The console as it is now."
    def stays(self)->dict: ...
def button(
    do:str, # An action
    text:str, # On it, as HTML
    arg:object='', # Of the action
    on:bool|None=None, # Pressed or not, if it is a switch
    tip:str='', # What it does, in words
)->str: # HTML
    "What can be pressed."
def options(names, chosen, name, label, do='')->str: # HTML
    "A choice; one with an action is one by itself."
def field(name, label, width, tip='', value='')->str: # HTML
    "A line to type into."
def form(do, inside, text)->str: # HTML
    "Fields that are sent together."
def line(*cells, kind='')->str: # HTML
    "A row of a table."
def table(kind, lines, head=(), caption='')->str: # HTML
    "Rows with a line above them."
def dim(text)->str: ...
PAD = {Button.LEFT: '◀', Button.UP: '▲', Button.DOWN: '▼', Button.RIGHT: '▶', Button.A: 'A', Button.B: 'B',
       Button.SELECT: 'SEL', Button.START: 'START'}
LINES = 24     # of the dump
GROUPS = {'joypad, serial': (0x00, 0x02), 'timer': (0x04, 0x07), 'interrupts': (0x0F, 0x0F),
          'picture': (0x40, 0x4B), 'sound 1': (0x10, 0x14), 'sound 2': (0x16, 0x19), 'sound 3': (0x1A, 0x1E),
          'sound 4': (0x20, 0x23), 'sound': (0x24, 0x26), 'wave': (0x30, 0x30), 'boot, IE': (0x50, 0xFF)}
PANELS:dict
CONTROLS:dict
ACTIONS:dict = {}
TYPED = 'place', 'frames', 'form', 'rule', 'number', 'console', 'colours' # the names of fields
def action(
    do, # Called with the widget, an argument and what was typed; what it returns is said
)->Callable:
    "Register an action by the name of its function."
