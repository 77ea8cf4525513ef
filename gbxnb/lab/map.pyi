"""A widget that shows where the consoles of an environment have been, and where they are."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['WorldMap', 'random_steps']
import html, math
from collections.abc import Callable
import numpy as np
import torch
from fastcore.basics import patch
from PIL import Image, ImageDraw
from ..envs.watch_list import visited_part
from .stitch import Stitcher, crop
from ..base.figures import lay_out, pixel_image, png_bytes
from ..base.files import UserError, check_int, need
from .film import static, still, widget_or_page
from .watch import Player
from ..training.loop import Callback
widgets:_Any
class History:
    "Counts of places at recorded moments."
    counts:np.ndarray
    ever:np.ndarray
    moments:list
    bytes:int
    max_bytes:int
    at:_Any
    def __init__(self,
        shape:tuple[int, int, int], # Maps, rows, columns
        max_bytes:int=64 << 20, # Of all moments
    )->None: ...
    def __len__(self)->int: ...
    def push(self,
        cells:np.ndarray, # int[K]: places whose counts changed, in the flat histogram
        more:np.ndarray, # int[K]: by how much
        consoles:np.ndarray, # int[N]: places of consoles; -1 is none
    )->int: # How many moments were forgotten
        "Add a moment."
    def go(self,
        t:int, # Number of a moment
    )->None:
        "Let `counts` be those of moment `t`."
COLORS = [(228, 26, 28), (55, 126, 184), (77, 175, 74), (152, 78, 163), (255, 127, 0), (247, 129, 191),
          (0, 190, 190), (166, 86, 40), (240, 200, 30), (120, 120, 240), (0, 110, 60), (200, 0, 120)]
def shrink(
    counts:np.ndarray, # int[H, W]
    by:int, # Rows and columns that become one
)->np.ndarray:
    "Sums over squares."
def draw_counts(
    counts:np.ndarray, # int[H, W]
    scale:int, # Pixels of a place
    below:np.ndarray|None=None, # uint8[H*k, W*k]: shades of the world; `scale` is a multiple of k
)->Image.Image: # RGB
    "How often each place was visited."
def draw_dots(
    image:Image.Image, # Changed in place
    at:list[tuple[int, int, int]], # Console, row and column in places
    scale:int, # Pixels of a place
)->None:
    "A coloured dot for each console; those that share a place stand a little apart."
LATEST, ALL = -1, -2
class WorldMap:
    "Where the consoles of an environment have been, growing while they play."
    wide = 480 # Pixels of the picture
    background:Stitcher|None
    cell:int
    origin:tuple[int, int]
    names:dict
    history:History
    play:Player
    slider:Player
    _last:_Any
    dots:_Any
    env:_Any
    image:_Any
    note:_Any
    picker:_Any
    source:_Any
    widget:_Any
    def __init__(self,
        env, # With `coverage` in its watch list
        source=None, # Called without arguments it steps the environment; where it returns False, it ends
        names:'dict[int, str]|list[str]|None'=None, # Of the maps
        background:Stitcher|None=None, # Pictures of the maps
        cell:int=16, # Pixels of a place in these
        origin:tuple[int, int]=(0, 0), # Top and left of place 0, 0 in them
        dots:int=64, # Consoles to show, from the first
    )->None: ...
    @property
    def at(self)->int: ...
    @at.setter
    def at(self, t)->None: ...
    @property
    def chosen(self)->int: ...
    @chosen.setter
    def chosen(self, m)->None: ...
    def _build(self)->None:
        "Make the widgets and connect them."
    def _now(self):
        "Places whose counts changed, by how much, and where consoles are."
    def update(self)->None:
        "Record where consoles are now; whatever steps the environment calls this every so often."
    def _box(self, m):
        "The part of a map to show: top, left, bottom and right, in places."
    def _panel(self, m, wide):
        "One map as a picture."
    def picture(self,
        t:int|None=None, # Number of a moment; by default the one that is looked at
    )->Image.Image: # RGB
        "A moment of the map that is `chosen`."
    def caption(self,
        t:int|None=None, # Number of a moment; by default the one that is looked at
    )->str:
        "A moment in words."
    def draw(self)->None:
        "Show the moment `at`."
    def advance(self)->None:
        "One moment on."
    def rewind(self)->None:
        "Back to the first moment remembered."
    def page(self,
        moments:int=3, # How many, 2 or more, from the first to the one that is looked at
    )->str: # HTML that needs nothing else
        "Some moments as still pictures."
    def _repr_mimebundle_(self, include=None, exclude=None): ...
    def __repr__(self)->str: ...
    def follow(self,
        every:int=1, # Updates between two moments
    )->Follow:
        "A callback for `train(run, [map.follow()])`."
def random_steps(
    env, # An environment after its `reset`
    seed:int=0, # Of the actions
    hold:float=.6, # How likely a console presses the same button again
    steps:int=1, # Steps between two moments
)->Callable: # A source
    "Random actions on all consoles, most of them held for a while."
class Follow(Callback):
    "Takes moments of a map while a run learns."
    shown:WorldMap
    every:int
    def __init__(self,
        shown:WorldMap, # Of the run's environment
        every:int=1, # Updates between two moments
    )->None: ...
    def on_start(self, run)->None: ...
    def on_update(self, run)->None: ...
