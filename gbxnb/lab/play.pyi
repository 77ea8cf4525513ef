"""Press the buttons yourself, in a notebook: a screen, the console's buttons, keys, a timeline, slots and files."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from typing_extensions import Self as _Self
__all__ = ['Play']
import time
from functools import lru_cache
from html import escape
from typing import Any
import numpy as np
import warp as wp
from fastcore.basics import patch
from gbxnb.debugger.shown import Readout
from gbxnb.base.files import UserError, check_int, need
from gbxnb.emulator.machine import CLOCK_HZ, FRAME, Button, keys_text
from gbxnb.emulator.render import render
from gbxnb.lab.canvas import Canvas
from gbxnb.lab.film import film, image, static, widget_or_page
from gbxnb.lab.session import Session, free_name, is_taken, unpack_moment
anywidget:_Any
widgets:_Any
ACTIONS:dict
KEYS:dict
def check_keys(
    keys:dict, # Name of a key, as browsers call it, to a `Button` or one of `ACTIONS`
)->dict: # Letters in lower case
    "Raise `ValueError` for a key that could do nothing."
class Play:
    "A console to play by hand in a notebook: the screen, the buttons and the keys of a session."
    scale:int
    keys:dict
    tapped:Button
    readout:Any
    actions:dict
    _kept:list|None
    screen:Screen
    pad:dict
    files:dict
    _kept_values:_Any
    _marked:_Any
    asked:_Any
    back_one:_Any
    clock:_Any
    far:_Any
    free:_Any
    graphs:_Any
    held:_Any
    here:_Any
    marks:_Any
    near:_Any
    on_one:_Any
    place:_Any
    returns:_Any
    said:_Any
    session:_Any
    slider:_Any
    stepped:_Any
    there:_Any
    tray:_Any
    widget:_Any
    def __init__(self,
        rom, # A ROM, an `Emulator` whose first console is played, or a `Session`
        scale:int=3, # Size of the picture
        keys:dict|None=None, # What keys of the keyboard do; `KEYS` by default
        watch=None, # A watch list, such as 'score.json': numbers over the screen, and their graphs
        **options, # Of the session that is made of a ROM or an emulator, such as `start` and `battery`
    )->None: ...
    def __repr__(self)->str: ...
    def _tick(self)->None:
        "Run the frames that are due."
    def toggle(self)->_Self:
        "Run freely, or stop."
    def _key(self, key:str, down:bool, again:bool)->None:
        "What a key does."
    def _do(self, act, *args)->None:
        "Do what a key or a button asks for; an error is shown in a line."
    def say(self,
        text:str, # A line
        kind:str='', # 'error', 'ask', 'done'
    )->None:
        "Show a line of text below the files."
    def _write(self, save, field)->None:
        "What the buttons that save do."
    def _read(self, load, field)->None:
        "What the buttons that load do."
    def _button(self, label:str, does, tip:str='', width='auto'):
        "A button that does something."
    def _build(self)->None:
        "Make the widgets and connect them."
    def _tap(self, button:Button)->None:
        "What a button of the pad does: a step, or while the console runs freely a short press."
    def _build_line(self):
        "The timeline."
    def _build_pad(self):
        "The console's buttons."
    def _build_marks(self):
        "Start and goal."
    def _set_tau(self, tau:float)->None: ...
    def _build_slots(self):
        "What is kept to go on from."
    def _file(self, name:str, path:str, save, load=None):
        "A field with a path, and what is done with it."
    def _build_files(self):
        "Fields of what is written and read."
    def draw(self,
        whole:bool=True, # Or the picture alone
    )->None:
        "Show the console."
    def _film(self)->list[bytes]:
        "The last moments that are kept."
    def _draw_graphs(self)->None:
        "What watched numbers were in the last moments."
    def _draw_line(self)->None:
        "Where the present is on the timeline."
    def _draw_marks(self)->None:
        "The pictures of start and goal."
    def _draw_slots(self)->None:
        "A picture and two buttons for each slot."
    def page(self)->str:
        "The last moments as HTML that needs nothing else."
    def _repr_mimebundle_(self, include=None, exclude=None): ...
FILM = 240 # moments of a page, and of a graph, at most
LAYOUT = ((None, Button.UP, None), (Button.LEFT, None, Button.RIGHT), (None, Button.DOWN, None))
SIGNS:dict
CROSS = {Button.UP: '↑', Button.DOWN: '↓', Button.LEFT: '←', Button.RIGHT: '→'}
KEY_SIGNS:_Any
def legend(
    keys:dict, # As of `check_keys`
)->str: # HTML
    "What the keys do, a line for each thing that is done."
FPS, MOST = CLOCK_HZ/(4*FRAME), 12 # frames of a console in a second; that are made up for at once
class Screen(Canvas):
    "One that tells when the browser has drawn a moment."
    drawn = None # called then
    def _hear_shown(self, message)->None: ...
REPEAT = .1 # seconds between the steps of a key that is held
