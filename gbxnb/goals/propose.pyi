"""Knowing nothing of a game: which screens are worth reaching?"""
# Made by `make export` from the module beside it.
__all__ = ['unary', 'far', 'farthest_first', 'farthest', 'Trial', 'try_rounds', 'refusals', 'propose', 'find_task']
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
import numpy as np
from fastcore.basics import patch
from ..backends.base import Snapshot
from ..emulator.machine import Button
from ..envs.config import ENV_DEFAULTS, EnvConfig
from ..envs.template import SAME_PLACE, choose_tau, play_walks, random_walks, split_way, wait
from ..envs.task import Task, find_start, make_task, spread, try_pad
from ..base.files import UserError, check_int
from ..base.progress import Meter
def unary(
    pix:np.ndarray, # uint8[..., 72, 80]
    mask:np.ndarray|None=None, # uint8[72, 80]: 1 where a pixel counts; None: everywhere
)->np.ndarray: # uint64[..., 270]
    "Pictures as bits, those that do not count as white."
def far(
    a:np.ndarray, # uint64[..., 270]
    b:np.ndarray, # The same, or one picture
    pixels:int=5760, # That count
)->np.ndarray: # float32[...], 0..1
    "Distances of pictures as bits."
def walks_for(
    cfg:EnvConfig, # Its codec says which actions there are
    explorers:int, # N
    steps:int, # T
    seed:int, # Of everything random
)->np.ndarray: # int64[T, N]
    "Random walks, every second of them without START."
@dataclass(frozen=True)
class Exploration:
    "What random play and waiting show."
    rom:bytes|str|Path # The cartridge, or its file
    cfg:EnvConfig # What a step is
    buttons:tuple # From the power switch to the start
    start:Snapshot # Where all begin
    battery:bytes|None # The battery save that is in the cartridge at the power switch
    mask:np.ndarray|None # uint8[72, 80]: 1 where a pixel counts
    walks:np.ndarray # int64[T, N]: what is played
    pix:np.ndarray # uint8[T, N, 72, 80]: what is seen
    bits:np.ndarray # uint64[T, N, 270]: the same
    waiting:np.ndarray # uint64[1 + T, 270]: the start, and what waiting shows
    def bits_of(self, pix)->np.ndarray: ...
    def far(self, a, b)->np.ndarray: ...
    def places(self)->np.ndarray: # int64[P, 2]: step and walk of each screen that stays, once
        "The first moments of all still screens."
def explore(
    rom:bytes|str|Path, # The cartridge, or its file
    cfg:EnvConfig=ENV_DEFAULTS, # What a step is
    seed:int=0, # Of the random walks
    explorers:int=64, # N
    steps:int=128, # T
    battery:bytes|None=None, # A battery save that is in the cartridge at the power switch
    mask:np.ndarray|None=None, # uint8[72, 80]: 1 where a pixel counts
)->Exploration:
    "Walk at random from a start."
def farthest_first(
    away:np.ndarray, # float[K]: how far each candidate is from all that were chosen; changed
    distances, # Called with the number of the one that is chosen next; how far each is from it
    size:int, # So many, at most
    score=np.asarray, # Takes `away`; the highest is chosen
)->list[int]: # Which
    "Candidates that are unlike each other."
def farthest(
    e:Exploration,
    places:np.ndarray, # int64[P, 2]
    size:int=16, # Places of a round, at most
)->Callable: # Called for the next round of them, int64[M, 2]
    "Places that are unlike each other, the farthest first."
BACK, OTHERS = 12, 7 # steps before a candidate, from which others are tried; consoles that press at random
@dataclass(frozen=True)
class Trial:
    "What was measured of a candidate."
    steps:int # Of the walk that leads there
    walk:int # Its number
    distance:float # Of the start
    tau:float # Below it a screen is the candidate
    reached:float # Share of random walks that reach it
    waited:bool # Whether waiting reaches it, from the start or from a little before
    menu:bool # Whether the walk reaches it no more when START is left out, from a little before
    others:float # Share of other presses, from a little before, that reach it
    stays:int # Steps that it stays while nothing is pressed; 4 is all that were tried
    answers:int # Different answers to the pad
    wanted:int # So many at least
    @property
    def refusal(self)->str: ... # Empty for a goal
def try_places(
    e:Exploration,
    places:np.ndarray, # int64[M, 2]: step and walk of each
)->list[Trial]: # Those that differ from the way that leads there
    "Try candidates, all at once."
def rank(
    trials:list[Trial], # Of one exploration
    explorers:int=64, # Its walks
)->list[Trial]: # The good ones, the best first
    "Far in looks and in steps, by the right presses, and reached by more than one walk."
def try_rounds(
    pick, # Called for the candidates of a round; none is the end
    trial, # Takes them; returns what was measured, each with a `refusal`
    count:int, # So many that are not refused are enough
    rounds:int, # At most
)->list: # What was measured, of all that were tried
    "Try candidates until enough of them are good."
def refusals(
    dropped:Counter, # How many candidates, by why they were left out
)->str:
    "Why there are not more goals, in words."
def propose(
    e:Exploration,
    count:int=1, # Of tasks, at most
    rounds:int=4, # Of candidates that are tried
    dropped:Counter|None=None, # Gets how many were left out, by why
)->list[tuple[Trial, Task]]: # The best first
    "Tasks whose goals are worth reaching."
def find_task(
    rom:bytes|str|Path, # The cartridge, or its file
    cfg:EnvConfig=ENV_DEFAULTS, # What a step is
    **how, # See `explore`; another seed may find another goal
)->Task:
    "Explore at random, and take the best proposal."
