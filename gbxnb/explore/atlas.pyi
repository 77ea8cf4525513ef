"""A map of what was found: places in a tree, each a task."""
# Made by `make export` from the module beside it.
__all__ = ['MAX_WAY', 'map_size', 'map_boxes', 'Place', 'Atlas', 'make_atlas']
import json, os
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from reprlib import repr as brief
from typing import Any
import numpy as np
from PIL import Image, ImageDraw, ImageFont
from fastcore.basics import patch
from ..base.figures import Shown, count_ticks, figure, line_look, png_bytes, styled
from ..base.files import Stop, UserError, check_writable, read_json, sha256
from ..base.folder import (MANIFEST, NEW, Folder, claim_folder, lock_folder, read_manifest,
                               unlock_folder, whole)
from ..base.progress import Meter
from ..emulator.render import to_image
from ..envs.task import Task, spread, stack_needed, task_folders, task_names
from ..envs.template import GoalTemplate, play_walks, script_error, wait
from .explorer import Explorer
from .shorten import WAY_STEPS, Screen, Shortener, find_places, gap_tau, known_screens
from ..goals.propose import far, refusals, unary, walks_for
def find_parents(
    frames:list, # P arrays uint8[T, 72, 80]: what each action of each way shows
    goals:np.ndarray, # uint8[P, 72, 80]: the places
    taus:np.ndarray, # float[P]: below this distance a screen is the place
)->list[tuple[int, int]]: # For each place: the number of its parent, from 1; actions since then
    "The place that each way passes last."
MANY = 4 # ends below one place that stand in one column
def layout(
    parents:list[int], # Of places 1, 2, ..., each a number before its own; 0 is the start
)->np.ndarray: # float64[1 + P, 2]: column and row of the start and of each place
    "A tidy tree."
COLUMN, ROW, MARGIN = 208, 112, 24 # pixels of the map for a column and a row, and around all
MAX_PIXELS = 1 << 24 # of a map; while it is drawn, each takes 28 bytes
PAPER, INK, LINE, PALE, MARK = '#fbfdf7', '#14532d', '#9ab8a2', '#5b8266', '#e65028'
def map_size(
    at:np.ndarray, # float[1 + P, 2]: from `layout`
)->tuple[float, int, int]: # By how much it is smaller, 0..1; width and height
    "How large a map is drawn."
def map_boxes(
    at:np.ndarray, # float[1 + P, 2]: from `layout`
)->list[tuple]: # Left, top, right and bottom of each picture
    "Where the pictures of places lie on a map."
def draw_map(
    pix:np.ndarray, # uint8[1 + P, 72, 80]: the start and the places
    at:np.ndarray, # float[1 + P, 2]: from `layout`
    parents:list[int], # Of places 1, 2, ...
    since:list[int], # Actions since the parent, of each
    steps:list[int], # Actions since the start, of each
)->Image.Image:
    "A picture of all places."
POINTS = 128 # of a curve
def coverage_of(
    table:dict, # Of an archive: `born` and `group` count
    steps:int, # Environment steps so far
    points:int=POINTS, # So many
)->list[tuple[int, int, int]]: # Environment steps, places, coarse places
    "How many places were known when."
def draw_coverage(
    coverage:list, # From `coverage_of`
)->Any: # A matplotlib Figure
    "Places and coarse places over environment steps."
@dataclass(frozen=True, eq=False)
class Place:
    "A place on the map; number 0 is the start."
    number:int # And the name of its folder
    pix:np.ndarray # uint8[72, 80]: its screen
    actions:tuple # The way from the start, shortened
    parent:int # Number of the place that its way passes last
    since:int # Actions since then
    born:int # Environment steps after which it was found
    x:float # Column on the map
    y:float # Row on the map, which has one for each picture at least
    random:float=0. # Share of players with random buttons that come by
    stack:int=0 # Pictures that tell what its way does next, see `stack_needed`; 0 is not known
    def __repr__(self)->str: ...
@dataclass(frozen=True, eq=False)
class Atlas:
    "Places of a game, each with a task."
    start:Place # Number 0
    places:list # Numbers 1, 2, ..., the nearest first
    tasks:list # A `Task` for each of them
    facts:dict # Of the exploration: rom_sha256, steps, places, coarse, ...
    coverage:list # (environment steps, places, coarse places) over time
    def __len__(self)->int: ...
    def __repr__(self)->str: ...
    def task(self,
        k:int, # Number of a place
    )->Task:
        "What leads from the start to a place."
    @property
    def at(self)->np.ndarray: ... # float[1 + P, 2]: column and row of the start and of each place
    def picture(self)->Any: ...
    def _repr_png_(self): ...
    def _about(self):
        "What `atlas.json` says."
    def write(self,
        folder:Folder, # Of an atlas, claimed
    )->None:
        "Fill a folder; what an atlas had there before is replaced."
    def save(self,
        folder:str|Path, # New or empty
    )->Path: # The folder
        "Make a folder that of this atlas."
    @classmethod
    def load(cls,
        folder:str|Path, # What `save` wrote
    )->Atlas:
        "Read an atlas, if its files belong together."
PLAYERS, LONG = 32, 512 # with random buttons, and their steps at most
def aimless_steps(
    explorer:Explorer, # Has explored
)->int:
    "How long is played without aim: a part of what was explored."
def play_without_aim(
    explorer:Explorer, # Has explored
)->tuple[np.ndarray, np.ndarray]: # uint64[T, PLAYERS, 270]: random buttons; uint64[T, 270]: waiting
    "What shows without a player."
@dataclass(frozen=True)
class Found:
    "A place of an archive that may become a task."
    pix:np.ndarray # uint8[72, 80]: the view of it that was tried
    tau:float # Below this distance a screen is the place
    screen:Screen # The view that is nearest to the start
    random:float # Share of random players that come by
def fit_places(
    explorer:Explorer, # Has explored
    trials:list, # From `find_places`, in the order in which they are chosen; one at least
    count:int, # Places, at most
    dropped:Counter, # Gets how many were left out, by why
)->tuple[list[Found], list[Found]]: # The places; and spare ones: too many, or near views of one of them
    "Places that no tau takes for one another."
def choose_screens(
    explorer:Explorer, # Has explored
    count:int, # Places, at most
)->tuple[list[Found], list[Found], Counter]: # The nearest first; spare ones; why others were dropped
    "The first half of the places far apart, the other near the start."
def place_task(
    shortener:Shortener,
    pix:np.ndarray, # uint8[72, 80]: the place
    tau:float, # Below this distance a screen is the place
    way:tuple, # The archive's, from the start
    buttons:tuple=(), # From the power switch to the start
    battery:bytes|None=None, # The battery save that is in the cartridge at the power switch
)->Task:
    "A task that ends in a screen of an archive."
def shorten_task(
    shortener:Shortener,
    task:Task, # As from `place_task`
    done:list[Task], # Tasks of places nearer by
    steps:int, # Environment steps to spend
    known:tuple=(), # Its way, if it was shortened before
)->Task:
    "The same task by a shorter way."
FAR, CLOSER, TRIES, DEEPER = 30, 8, 4, 8 # actions; how much more is spent, on how many ways; spare places
def is_far(task)->bool: ...
def worth(
    stack:int, # Pictures that tell what a way does next, see `stack_needed`
    actions, # Of the way
)->tuple[int, int]:
    "What is recommended has the smallest: four pictures or fewer tell enough, and then the nearest."
MAX_WAY = 1 << 14 # actions of a way before it is shortened; each takes two states of memory
def make_atlas(
    explorer:Explorer, # Has explored
    count:int=16, # Places, at most
    steps:int=WAY_STEPS, # Environment steps to spend on shortening each way
    buttons:tuple=(), # From the power switch to the start
    battery:bytes|None=None, # The battery save that is in the cartridge at the power switch
    ways:dict|None=None, # Shortened ways by number of the archive, made with these numbers; gets more
    asked:Stop|tuple=(), # Whether to end now
)->Atlas|None: # None if it was asked to end
    "Choose places, shorten their ways, and connect them."
ATLAS, MAP, COVERAGE, SCHEMA = 'atlas.json', 'map.png', 'coverage.png', 'gbxnb-atlas-1'
WAYS = 'ways.json' # what is known of the next atlas
KINDS:dict
def check_places(
    folder:Folder, # Of an atlas, claimed
    count:int, # Places to be written there, at most
)->None:
    "Raise `UserError` if something else is in their way."
FACTS:dict
MAX_PLACES = 1024 # of an atlas
