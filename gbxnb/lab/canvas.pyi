"""Screens that the browser draws: packed frames go out, clicks and keys come back."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['pack_shades', 'unpack_shades', 'Canvas']
import threading, time
import numpy as np
from fastcore.basics import patch
from ..base.files import need
from .film import columns, mosaic, png, static
from ..base.figures import palette_rgb
anywidget:_Any
traitlets:_Any
widgets:_Any
def pack_shades(
    frames:np.ndarray, # uint8 shades 0..3, any shape
)->bytes: # Four shades each, the first in the lowest bits; the last byte may hold fewer
    "Pixels with two bits each."
def unpack_shades(
    data:bytes, # What `pack_shades` made
    shape:tuple[int, ...], # Of the pixels
)->np.ndarray: # uint8
    "Pixels with a byte each."
class LiveWidget(anywidget.AnyWidget):
    "A widget whose browser side sees whether the kernel answers."
    heartbeat = traitlets.Float(5.).tag(sync=True) # seconds of silence before the browser asks; 0 never does
    def __init__(self, **traits)->None: ...
    def _hear(self, _, message, buffers)->None: ...
    def _hear_ping(self, message)->None: ...
    def stays(self)->dict: ...
    def _repr_mimebundle_(self, **kwargs):
        "The widget where a kernel is behind it, and what stays when it is gone."
class Canvas(LiveWidget):
    "Screens of consoles, drawn by the browser: all of them, and the picked one large."
    _esm, _css = static('life.js', 'paint.js', 'keyboard.js', 'canvas.js'), static('canvas.css')
    n, h, w, cols = (traitlets.Int(1).tag(sync=True) for _ in range(4)) # consoles, pixels, screens in a row
    scale, big = (traitlets.Float(1.).tag(sync=True) for _ in range(2)) # of a pixel; of the picked one
    picked = traitlets.Int(0).tag(sync=True) # the console shown large
    colors = traitlets.List().tag(sync=True) # red, green and blue of the four shades
    key_names = traitlets.List(traitlets.Unicode()).tag(sync=True) # as in a `KeyboardEvent.key`
    help = traitlets.Unicode().tag(sync=True) # what these keys do
    label = traitlets.Unicode('screens of consoles').tag(sync=True) # for readers of the screen
    difference = traitlets.Bool(False).tag(sync=True) # tint pixels that differ from the goal
    dropped:int
    _new:bool
    _lock:threading.RLock
    _at:_Any
    _pressed:_Any
    goal:_Any
    moment:_Any
    number:_Any
    seen:_Any
    shown:_Any
    def __init__(self,
        n:int=1, # Consoles
        h:int=144, w:int=160, # Pixels of a screen
        palette:str='dmg', # Colours, a key of `gbxnb.base.figures.PALETTES`
        **traits, # By default `cols` is about 4:3, and `scale` and `big` give pictures 640 and 320 wide
    )->None: ...
    def _check_picked(self, proposal): ...
    def __repr__(self)->str: ...
    def pack(self,
        frames, # uint8[n, h, w] shades, or [h, w] of one console
    )->bytes:
        "Frames of this canvas's consoles with two bits a pixel."
    def show(self,
        frames, # uint8[n, h, w] shades, or what `pack` made of them
        text:list[str]|None=None, # Lines over each screen
        done:list[bool]|None=None, # Screens with a badge: the goal is reached
        bars:list[float]|None=None, # 0..1, a bar at the foot of each screen
        note:str='', # Below the large screen
    )->None:
        "Show a moment, as soon as the browser is ready for it."
    def _pass_on(self)->None:
        "Send the newest moment, unless the browser is busy with others."
    def _hear_shown(self, message)->None: ...
    def _hear_hello(self, message)->None: ...
    def on_key(self,
        handle, # Called with the key, whether it is down, and whether it repeats itself
    )->None:
        "Call a function for each of `key_names` that goes down or up while the screens have the focus."
    def _hear_key(self, message)->None: ...
    def set_goal(self,
        goal, # uint8[h, w] of all consoles, uint8[n, h, w] of each, or None
    )->None:
        "What `difference` compares with."
    def still(self)->bytes: # A PNG file
        "What is shown, as a picture."
IN_FLIGHT, LOST = 2, 1. # moments; seconds
