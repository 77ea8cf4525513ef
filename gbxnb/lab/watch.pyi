"""A widget to look into a batch: play, pause, scrub, pick one console; recorded or live."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['Player', 'Watch', 'random_play']
import sys, threading
from collections.abc import Callable
import numpy as np
from fastcore.basics import patch
from ..base.files import need
from .canvas import Canvas, LiveWidget, pack_shades, unpack_shades
from .film import film, static, widget_or_page
traitlets:_Any
widgets:_Any
FACTS = 'action', 'reward', 'distance', 'done', 'notes' # what a moment may say of each console
class Moments:
    "Frames of the same consoles with two bits a pixel, and what is known of them; the oldest are forgotten."
    shape:tuple[int, int, int]
    keep_bytes:int
    bytes:int
    kept:list
    def __init__(self,
        shape:tuple[int, int, int], # Consoles, rows, columns
        keep_bytes:int=256 << 20, # Of all moments
    )->None: ...
    def __len__(self)->int: ...
    def __getitem__(self, t)->np.ndarray: ... # uint8[N, H, W]
    def push(self,
        frame:np.ndarray, # uint8[N, H, W]
        **facts, # N values each
    )->int: # How many moments were forgotten
        "Add a moment."
class Player(LiveWidget):
    "Play, pause, single steps, a slider and switches."
    _esm, _css = static('life.js', 'player.js'), static('player.css')
    value, max = (traitlets.Int(0).tag(sync=True) for _ in range(2)) # moment, and the last one
    fps, speed = (traitlets.Float(1.).tag(sync=True) for _ in range(2)) # moments a second; times this
    switches = traitlets.Dict().tag(sync=True) # name -> whether it is on
    advance:_Any
    playing:_Any
    def __init__(self,
        advance, # Called without arguments when the next moment is due
        fps:float=8, # Moments shown in a second
        **traits, # Others
    )->None: ...
    def _check_value(self, proposal): ...
    def _check_fps(self, proposal): ...
    def _hear_next(self, message)->None:
        "A tick of the clock; where two browsers play, one of them is late and only gets an answer."
    def __repr__(self)->str: ...
class Watch:
    "A window into a batch of consoles: all screens, one console large, a slider, play and pause."
    lock:threading.RLock
    keep_bytes:int
    scale:float|None
    frames:Moments
    canvas:Canvas
    play:Player
    slider:Player
    source:_Any
    widget:_Any
    def __init__(self,
        frames=None, # uint8[T, N, H, W] shades, recorded; may be empty when there is a source
        source=None, # Called without arguments for the next uint8[N, H, W], alone or with a dict of facts
        fps:float=8, # Moments shown in a second
        scale:float|None=None, # Size of a pixel at most, where all screens are shown; by default 640 in all
        big:float|None=None, # Size of a pixel of the picked one, by default about 320 in all
        keep_bytes:int=256 << 20, # Of the moments remembered; the oldest are forgotten
        goal=None, # uint8[H, W] or [N, H, W]: what pixels are compared with
        **facts, # `action`, `reward`, `distance`, `done`, `notes` (lines of text): values[t][n]
    )->None: ...
    @property
    def at(self)->int: ...
    @at.setter
    def at(self, t)->None: ...
    @property
    def picked(self)->int: ...
    @picked.setter
    def picked(self, n)->None: ...
    def _build(self, shape, fps, goal, **look)->None:
        "Make the widgets and connect them."
    def _key(self, key, down, again)->None:
        "What a key does."
    def push(self,
        frame, # uint8[N, H, W] shades; it is packed, so the array may be used again
        notes=None, # N lines of text
        show:bool=True, # Move on to the new moment
        **facts, # `action`, `reward`, `distance`, `done`: N values each
    )->None:
        "Add a moment."
    def _go(self, at, draw)->None:
        "Let the slider end at the last moment and point at `at`."
    def _put(self, moments)->None:
        "Keep these moments alone."
    def _offer(self)->None:
        "A switch for everything that can be laid over the screens."
    def set_goal(self,
        goal, # uint8[H, W] of all consoles, uint8[N, H, W] of each, or None
    )->None:
        "What pixels are compared with."
    def note(self,
        t:int, # Number of a moment
        n:int, # Number of a console
    )->str:
        "Everything known of a console at a moment, in words."
    def draw(self)->None:
        "Show the moment `at`, with the console `picked` large."
    def advance(self)->None:
        "One moment on."
    def rewind(self)->None:
        "Back to the first moment remembered."
    def replace(self,
        frames, # uint8[T, N, H, W] shades
        notes:list|None=None, # notes[t][n]
        **facts, # `action`, `reward`, `distance`, `done`: values[t][n]
    )->None:
        "Show another recording of the same consoles; what a person was looking at stays in view."
    def page(self,
        last:int=48, # Moments, the newest ones; of many consoles fewer
    )->str: # HTML that needs nothing else
        "What was seen, as a page."
    def _repr_mimebundle_(self, include=None, exclude=None): ...
    def __repr__(self)->str: ...
def random_play(
    emulator, # An `Emulator` of any size
    seed:int=0, # Of the buttons
    frames:int=24, # Frames of a step
    release_after:int=8, # Frames a button is held
    buttons=(16, 32, 128, 4, 8, 2, 1), # What may be held: A, B, START, UP, DOWN, LEFT, RIGHT
)->Callable: # A source: each call makes one step and returns uint8[N, 144, 160]
    "Press a random button on every console, again and again."
def env_play(
    env, # An environment of consoles after its `reset`
    act=None, # Called with the observation for the actions; by default they are drawn at random
    seed:int=0, # Of these draws
)->Callable: # A source: each call makes one step and returns uint8[N, 72, 80] and what is known of it
    "Let the environment go on, with actions, rewards, distances and reached goals."
