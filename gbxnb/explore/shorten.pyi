"""Ways that exploration found, without their detours, and the places that are worth a task."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from typing_extensions import Self as _Self
from gbxnb.backends.base import Backend
from gbxnb.envs.config import ActionCodec
__all__ = ['Shortener']
from collections import Counter
import numpy as np
import warp as wp
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from fastcore.basics import patch
from ..backends.base import Snapshot
from ..backends.warp import make_backend
from ..base.files import UserError
from ..emulator.cartridge import Cartridge
from ..emulator.machine import Button
from ..envs.config import ENV_DEFAULTS, EnvConfig
from ..envs.task import spread, try_pad
from ..envs.template import (METRICS, SAME_PLACE, GoalTemplate, distance, first_done, miss_text,
                                 play_actions, play_keys, restore_all)
from .explorer import Explorer
from ..goals.propose import far, farthest_first, try_rounds, unary
def sample(
    pix:np.ndarray, # uint8[..., 72, 80]
)->np.ndarray: # int8[..., 360]
    "Every fourth pixel of every fourth line."
def unlike(
    a:np.ndarray, # int8[..., 360]: samples
    b:np.ndarray, # The same, or one sample
)->np.ndarray: # float64[...], 0..1
    "How different pictures are, by their samples."
def cuts(
    seen:np.ndarray, # int8[1 + T, 360]: samples of the start and of what each action shows
    rng:np.random.Generator,
)->np.ndarray: # int64[S, 2]: actions i up to j are left out
    "All segments; first those that lead back to a screen, the longest first."
def edits(
    way:tuple, # T actions
    seen:np.ndarray, # int8[1 + T, 360]: samples of the start and of what each action shows
    num_actions:int, # A
    rng:np.random.Generator,
)->Iterator[tuple[int, tuple]]: # How many actions are kept, and those that follow
    "Shorter ways, the most promising first."
def plainer(
    way:tuple, # T actions
    rng:np.random.Generator,
)->Iterator[tuple[int, tuple]]: # How many actions are kept, and those that follow
    "Ways with one action in place of a segment: that beside it, or none; the longest first."
def cost(
    way:tuple, # Actions
)->tuple[int, int]: # How many, and how often another one follows
    "What ways are compared by."
PATIENCE = 16
WAY_STEPS = 49152 # environment steps to spend on a way, unless told
@dataclass
class Attempt:
    "A way that is tried."
    way:tuple # Actions from the start
    at:int # So many of them are played
    seen:np.ndarray # int8[1 + T, 360]: samples of the way that was edited; both end in the same actions
    streak:int=0 # Steps in a row that show the goal
    lost:int=0 # Steps in a row that show another screen than the way that was edited
    @property
    def expected(self)->np.ndarray: ...
class Shortener:
    "Consoles that try ways side by side."
    many:Backend
    one:Backend
    cfg:EnvConfig
    masks:np.ndarray
    states:list
    steps:int
    attempts:_Any
    way:_Any
    def __init__(self,
        rom:Cartridge|bytes|str|Path, # The cartridge, or its file
        start:Snapshot, # Where all ways begin
        cfg:EnvConfig=ENV_DEFAULTS, # What a step is
        lanes:int=256, # Ways tried at once
        device:str='auto', # Where the consoles run; auto prefers a GPU
    )->None: ...
    def __repr__(self)->str: ...
    def __enter__(self)->_Self: ...
    def __exit__(self, *exc)->None: ...
    def close(self)->None: ...
    def walk(self,
        way, # Actions from the start
    )->np.ndarray: # uint8[1 + T, 72, 80]: the start, and what each action shows
        "Take a way as the one to be edited."
    def _assign(self, queue)->None:
        "Give the next attempts to lanes that have none."
    def _play(self):
        "One action of every attempt; what all lanes show, uint8[N, 72, 80]."
    def _judge(self, goal, pix)->None:
        "Count what the attempts show."
    def _way_to(self, way, goal):
        "A way as far as the goal."
    def _queue(self, way, edit, tried, hints=()):
        "Attempts that were not made before."
    def _improve(self, best, goal, limit, edit, hints=()):
        "The best way that edits lead to, until `limit` steps were played."
    def shorten(self,
        way, # Actions from the start to the goal, or past it
        goal:GoalTemplate, # One picture
        steps:int=WAY_STEPS, # Environment steps to spend at most; two thirds of them on shorter ways
        seed:int=0, # Of the order in which edits are tried
        hints=(), # Other ways that may lead there, tried first
    )->tuple[int, ...]: # A way that reaches the goal with its last action, and not before
        "Leave out what a way can do without, and press fewer keys on it."
    def _drop(self, best, there)->None:
        "Free the lanes whose attempts are over."
@dataclass(frozen=True)
class Screen:
    "A screen of an archive."
    number:int # Of its place
    depth:int # Actions from the start
    born:int # Environment steps after which it was found
    region:int # Number of the coarser screen that it is a part of
    opened:int # Environment steps after which that was found
    pix:np.ndarray # uint8[72, 80]
def known_screens(
    explorer:Explorer, # Has explored
)->list[Screen]: # The nearest first
    "All screens but the start's, each once."
def samples_of(screens)->np.ndarray: ...
def pick_screens(
    screens:list[Screen], # K
    away:np.ndarray, # float64[K]: how unlike all that is chosen they are; changed
    size:int, # So many, at most
)->list[int]: # Which
    "Screens that are unlike each other."
MOVES = .06 # distance to itself while nothing is pressed, from which on a screen does not stay
@dataclass(frozen=True)
class Trial:
    "What a screen does by itself, and what keys do there."
    held:float # Its largest distance to itself while nothing is pressed
    answers:int # Different answers to keys
    menu:bool # Whether START shows it again after another key, or has stopped the game
    wanted:int=1 # So many answers at least
    screen:Screen|None=None # Which one it is, if it is one of an archive
    @property
    def refusal(self)->str: ... # Empty for a place
def try_screens(
    rom, # The cartridge, or its file
    states:list[Snapshot], # S
    cfg:EnvConfig=ENV_DEFAULTS, # What a step is
)->list[Trial]: # One for each
    "Try all keys in all states, and then START."
FEW = 4 # pictures of a game that is stopped, at most: what a cursor does
def are_stopped(
    explorer:Explorer, # Has explored
    places:list[int], # Numbers
)->list[bool]: # One for each
    "Whether START has stopped the game: it shows few pictures since, and more without it."
FINEST = .01 # screens that are nearer differ in a few figures
def gap_tau(
    held:float, # The largest distance of the place to itself
    others:np.ndarray, # float32[K]: distances of all known screens to it
    limit:float=1., # That of the start, or of what else is not the place
)->float:
    "The middle of the widest gap, as a ratio, between distances of `held` and `limit`."
ROUND = 48 # Candidates that are tried at once, at most; four for each place that is wanted
def find_places(
    explorer:Explorer, # Has explored
    count:int=48, # Places; a few more or less
)->tuple[list[Trial], Counter]: # The farthest first; why others were dropped, and how many
    "The places that are worth a task."
