"""A map of places: play the way to each, train a policy for it, and watch the policy."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from typing_extensions import Self as _Self
from typing import Any
__all__ = ['AtlasView']
import asyncio, html, os, subprocess, threading, weakref
from contextlib import closing
from pathlib import Path
import numpy as np
from fastcore.basics import patch
from PIL import Image, ImageDraw
from ..envs.task import consoles
from ..emulator.cartridge import Cartridge
from ..games.town import rom_path
from ..envs.config import action_codec, EnvConfig
from ..goals.capture import train_words
from ..envs.template import play_actions, restore_all
from ..explore.atlas import Atlas, map_boxes
from ..base.command import typed
from ..base.figures import png_bytes
from ..base.files import UserError, check_int, need
from .curve import LiveCurve
from .film import PALETTE, PICKED, static, still, widget_or_page
from .watch import Watch
from ..base.parallel import ask_to_end, start_python
from ..runs.checkpoint import read_sidecar
from ..runs.resume import open_run
from ..runs.film import record_rollout
widgets:_Any
def play_way(
    rom:str|Path|bytes, # The cartridge, or its file
    task, # A `Task` with a script
)->tuple[np.ndarray, list]: # uint8[1 + T, 1, 72, 80], the start first; notes[t][0]
    "What a console shows on the way of a task."
def play_policy(
    run:str|Path, # A run's folder
    steps:int, # To be played at most
    seed:int=0, # Of the draws
    **change, # Options of its world that are others now, e.g. where the ROM lies
)->tuple[np.ndarray, list]: # uint8[T, 1, 72, 80] and notes[t][0], up to the end of the first episode
    "What a console shows while a policy plays."
class Training:
    "`gbxnb train` in another process."
    words:list
    said:list
    stopped:bool
    process:subprocess.Popen
    end:_Any
    def __init__(self,
        words:list, # Of its command line
    )->None: ...
    @property
    def running(self)->bool: ...
    def lines(self)->list[str]:
        "What it has printed so far."
    def stop(self)->None:
        "Ask it to end, as Ctrl-C does; its last checkpoint stays."
    @property
    def state(self)->str:
        "In one word."
    def __repr__(self)->str: ...
METRICS = {'success_rate': 'success while it practises', 'eval_success_rate': 'success from the start',
           'extras.backward_start': 'steps of the way before its starts'}
class AtlasView:
    "A map of places: look around, see the way to one, train a policy for it, and watch it go."
    folder:Path
    rom:str
    runs:Path
    fps:float
    first_steps:int
    atlas:Atlas
    plays:int
    training:Training|None
    places:dict
    curve:LiveCurve
    watch:Watch|None
    map:Any
    boxes:list[tuple]
    spots:dict
    learns:int
    _task:_Any
    film:_Any
    go:_Any
    halt:_Any
    image:_Any
    learn:_Any
    note:_Any
    options:_Any
    picker:_Any
    said:_Any
    sheet:_Any
    steps:_Any
    way:_Any
    widget:_Any
    zoom:_Any
    def __init__(self,
        folder:str|Path, # Of an atlas, as `gbxnb explore` leaves it
        rom:str|Path='', # The cartridge's file; empty is the bundled game
        runs:str|Path='', # Where the runs are to live, one a place; by default beside the atlas
        steps:int=131_072, # Environment steps that *train* adds to a run
        fps:float=8, # Pictures of a way in a second
        **options, # Of `gbxnb train`, e.g. `num_envs` or `start_noops`
    )->None: ...
    @property
    def at(self)->int: ...
    @at.setter
    def at(self, number)->None: ...
    def run(self, number=None)->Path: # Its folder
        "The run that learns the way to a place, by default the one that is looked at."
    def trained(self, number)->bool: ...
    def _build(self)->None:
        "Make the widgets and connect them."
    def _sheet(self):
        "The picture of the map, and a button on each of its places."
    def _size(self)->None:
        "Show the map as large as the slider says."
    def route(self,
        number:int, # Of a place
    )->list[int]: # The place, and those that its way passes, backwards
        "What lies on the way to a place."
    def picture(self)->Image.Image: # RGB
        "The map, with the place that is looked at and the way to it."
    def look(self,
        number:int|None=None, # Of a place; by default the one that is looked at
        play:bool=True, # Let the film of the way run
    )->_Self:
        "Go to a place: mark it on the map, and show the way to it."
    def show(self,
        frames, # uint8[T, 1, 72, 80]
        notes:list, # notes[t][0]
        what:str, # In words
        play:bool=True, # Let it run
    )->None:
        "Put a film beside the map."
    def words(self)->list: # Of `gbxnb train`
        "The command line that *train* runs."
    def train(self)->None:
        "Start to learn the way to the place that is looked at, or go on with it."
    def _follow(self)->None:
        "Show how the training gets on, now and once a second."
    def stop(self)->None:
        "End the training; its last checkpoint stays."
    def _say(self, *lines)->None: ...
    def poll(self)->bool: # Whether something learns
        "Look how the training gets on."
    def watch_it(self)->None:
        "Play what has been learned, with other draws each time."
    def page(self)->str: # HTML that needs nothing else
        "The map, and what is shown beside it."
    def _reopen(self)->None:
        "Make the widgets again, as they stood."
    def _repr_mimebundle_(self, include=None, exclude=None): ...
    def __repr__(self)->str: ...
PASSED = 46, 140, 60 # green
