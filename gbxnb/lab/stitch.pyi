"""A picture of the whole world, put together from the screens of consoles that walk through it."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['Stitcher']
import zlib
import numpy as np
import torch
from collections.abc import Mapping
from fastcore.basics import patch
from PIL import Image
from typing import Any
from ..envs.watch_list import visited_part
from ..base.files import UserError
from ..base.figures import lay_out, palette_rgb, pixel_image
UNSEEN, BLOCK = 4, 128 # a fifth shade, of what no screen showed; pixels by which a canvas grows
class Canvas:
    "How often each pixel of a plane had each shade."
    top:int
    left:int
    added:int
    counts:_Any
    def __init__(self)->None: ...
    def bounds(self,
        top:int, left:int, # Of a screen, in pixels of the console
        high:int, wide:int, # Its size there
    )->tuple[int, int, int, int]: # Top, left, bottom and right
        "The canvas as it must be to hold a screen."
    def add(self,
        top:int, left:int, # Where the screen lies, in pixels of the console
        screen:np.ndarray, # uint8[h, w] shades
        step:int=1, # Pixels of the console between two of the screen: 2 for the pictures of an environment
    )->None:
        "Count the shades of a screen."
    def picture(self,
        step:int=1, # As in `add`
    )->np.ndarray: # uint8[H/step, W/step] shades, or `UNSEEN`
        "The most frequent shades."
_SCREEN, _VOTES = (144, 160), 1 << 18
class Stitcher:
    "Screens of consoles, put together to pictures of the world."
    alike = .85 # The part of a screen that must fit, if it is to go on with a known patch
    max_bytes, max_patches = 256 << 20, 64 # Of all canvases; of a place
    place:str
    y:str|dict[str, int]
    x:str|dict[str, int]
    scroll:bool
    hidden:tuple
    view:tuple[int, int, int, int]
    max_move:int
    left_out:int
    canvases:dict[tuple[int, int], Canvas] # by place and patch
    _votes:np.ndarray
    _at:dict # of the consoles: arrays [N], for scrolling
    _step:_Any
    def __init__(self,
        place:str='', # Watched variable that numbers the maps; empty: there is one
        y:'str|dict[str, int]'='', # Watched variable of the camera, in pixels, or several with factors
        x:'str|dict[str, int]'='', # The same; empty: it stands still
        scroll:bool=False, # Whether y and x are scroll registers, of which only changes count
        hidden:tuple[str, ...]=(), # Watched variables that are 0 while a screen shows the world
        view:tuple[int, int, int, int]=(0, 144, 0, 160), # Rows and columns that do: first, behind last
        max_move:int=64, # Pixels that a console scrolls in a step at most; more begins a patch
    )->None: ...
    @property
    def bytes(self)->int: ...
    def __repr__(self)->str: ...
    def _put(self, key, top, left, screen)->None:
        "Count one screen, if it was not counted before and there is room."
    def _cut(self, screens):
        "What screens show of the world: uint8[N, h, w]."
    def add(self,
        screens, # uint8[N, 144, 160], or uint8[N, 72, 80] with every second pixel
        place:Any=0, # int[N]: which map
        y:Any=0, # int[N]: the camera, or what SCY holds
        x:Any=0, # int[N]
        shown:Any=True, # bool[N]: whether the screen shows the world
        fresh=False, # bool[N]: whether an episode has just begun; asked for with scroll registers only
    )->None:
        "Put screens where they belong."
    def _canvas(self, place, patch): ...
    def seen(self,
        place:int=0, # Number of a map
        patch:int=0, # Of its parts, where it has several
    )->tuple[int, int, int, int]: # Top, left, bottom and right, in pixels of the console
        "Which part of a place was seen."
    def picture(self,
        place:int=0, # Number of a map
        patch:int=0, # Of its parts, where it has several
        part:tuple[int, int, int, int]|None=None, # Top, left, bottom and right, as `seen` gives them, the default
    )->np.ndarray: # uint8[H, W] shades, or `UNSEEN`; half as large where screens are
        "What a place looks like."
    def _fit(self, key, y, x, screen):
        "The part of a screen that agrees with what is known there; -1 if less than half of it is known."
    def _find(self, place, y, x, screen):
        "The key and the position in a known patch where a screen fits best; None if it fits nowhere."
    def _join(self, place, y, x, screen):
        "The patch where a screen fits, or a new one; None if there are too many."
    def _follow(self, cut, place, scy, scx, tells, fresh):
        "Keys and positions of consoles from their scroll registers."
    def image(self,
        place:int|None=None, # Number of a map; None is all of them
        wide:int=640, # Pixels of a row of places
        scale:int=1, # Each pixel becomes a square of this size
    )->Image.Image:
        "What places look like."
    def _repr_png_(self): ...
    def look(self,
        env, # A `PixelsEnv` whose watch list has the names of this stitcher
    )->None:
        "Put in what the consoles of an environment show now."
def crop(
    a:np.ndarray, # [H, W]
    box, # Top, left, bottom and right, also beyond the edges
    fill=0, # What lies there
)->np.ndarray: # [bottom - top, right - left]
    "A part of an array."
