"""A console that is played by hand as a policy plays it: step by step, with moves taken back, forks, and a start and a goal to keep."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from typing_extensions import Self as _Self
__all__ = ['Timeline', 'Session']
import zlib
from collections import deque
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
import numpy as np
from fastcore.basics import patch
from ..backends.base import Snapshot, check_bank
from ..base.files import UserError, check_int, sha256
from ..emulator.emulator import Emulator
from ..emulator.machine import Button
from ..emulator.rows import check_row, still_log
from ..saves.save_files import read_save, row_with_save, save_of_row
class Timeline:
    "Moments in the order they were played, each kept whole; one is the present, and some are marked."
    moves:list
    memory:int
    at:_Any
    marks:_Any
    size:_Any
    states:_Any
    def __init__(self,
        state:bytes, # The moment it begins with
        memory:int, # Bytes that all moments may take; the oldest are dropped, but never the newest
        moves=(), # What led to that moment, if its past is known
        marks=(), # Names of moments
    )->None: ...
    @property
    def first(self)->int: ...
    @property
    def state(self)->bytes: ...
    def push(self, move, state:bytes)->None:
        "A move from the present on, and where it leads."
    def seek(self, moment:int)->None:
        "Another moment is the present; the nearest that is kept."
    def between(self, first:str, last:str|None=None)->list|None:
        "The moves from a mark to another, or to the present; None where they are not known."
    def _past_marks(self): ...
    def fork(self)->'Timeline':
        "One that begins at the present, with all moves and marks that lie before it."
    def __repr__(self)->str: ...
def pack_moment(
    e:Emulator, # Its first console
)->bytes:
    "A console as it is now, to be kept."
def unpack_moment(
    state:bytes, # Of `pack_moment`
)->tuple[np.ndarray, np.ndarray]: # The row and the register log
    "A moment that was kept."
@dataclass
class Draft:
    "A task in the making: a start, a goal and the way between them."
    frames:int # Of a step
    release_after:int # Frames a button is held
    action_codec_id:str # What a policy's actions mean
    tau:float=.003 # A screen nearer than this looks like the goal
    start:Snapshot|None=None
    goal:Any=None # A `GoalTemplate`
    way:list|None=None # Moves from the start to the goal; None where they are not known
    def __post_init__(self)->None: ...
    def template(self, pix)->Any:
        "A picture, as a goal."
    def distance(self, pix)->float|None: # 0..1; None without a goal
        "How far a picture is from the goal."
    def actions(self,
        way:list|None, # Moves
    )->tuple|None: # Numbers of the codec; None where no policy could make these moves
        "Moves as a policy makes them."
    def task(self, pix, way:list|None)->Any: # A `Task`
        "Start, goal and way; where there is no goal, it is a picture to which `way` leads."
    def take_goal(self, task)->None:
        "Aim at the goal of a task that begins at the start."
SLOTS = 8
@dataclass(frozen=True, eq=False)
class Slot:
    "A moment of a session to go on from."
    timeline:Timeline # Its present is that moment
    start:Snapshot
    picture:np.ndarray # uint8[144, 160]
class Slots:
    "Moments of a session to go on from."
    kept:list
    session:_Any
    def __init__(self,
        session, # A `Session`
    )->None: ...
    def __len__(self)->int: ...
    def __getitem__(self, k)->Slot: ...
    def save(self)->'Session':
        "Keep the present moment in a new slot."
    def load(self,
        k:int, # Its number
    )->'Session':
        "Go on from a slot, which stays as it is."
    def drop(self,
        k:int, # Its number; later ones move up
    )->'Session':
        "Forget a slot."
class Session:
    "A console that is played by hand, one environment step at a time."
    draft:Draft
    memory:int
    slots:Slots
    listeners:list
    running:bool
    timeline:Timeline
    emulator:_Any
    left:_Any
    loose:_Any
    def __init__(self,
        rom, # A ROM, or an `Emulator` whose first console is played
        frames:int=24, # Frames of a step
        release_after:int=8, # Frames a button is held
        start:Any=None, # A snapshot, a state file, or a `Task`, whose goal is aimed at
        battery:str|Path|bytes|None=None, # A save in the cartridge: a `.sav`, PyBoy's `.ram`, or its content
        tau:float|None=None, # A screen nearer than this looks like the goal; .003, or that of the task
        action_codec_id:str='pokemonred_puffer_v0', # What a policy's actions will mean
        memory:int=64 << 20, # Bytes for moments to return to; as many again for what was left by loading
    )->None: ...
    def _changed(self, whole=True)->_Self:
        "Tell the listeners, and whether more than the picture is new."
    def __len__(self)->int: ...
    def __repr__(self)->str: ...
    def snapshot(self)->Snapshot:
        "The console as it is now, for an environment to begin with."
    def _restart(self, left=None):
        "The console as it is now begins a timeline, and is the start."
    def _begin_at(self, start, battery)->None:
        "The first moment."
    def _push(self, move:Button|None)->None:
        "Keep the moment that a move has led to."
    def press(self,
        *buttons:Button, # For each step what is held; `Button(0)` waits
    )->Session:
        "Make moves."
    def seek(self,
        moment:int, # Of the timeline; the nearest that is kept
    )->Session:
        "Go to another moment, back or forward; nothing is forgotten by that."
    def undo(self,
        moves:int=1, # How many
    )->Session:
        "Take moves back."
    def redo(self,
        moves:int=1, # How many
    )->Session:
        "Make moves again that were taken back."
    def run(self,
        frames:int=1, # To run
        buttons:Button=Button(0), # Held meanwhile
    )->Session:
        "Run freely, to look around and for starts; a policy can do nothing like it."
    def pause(self)->None:
        "End running freely; the moment is kept."
    @property
    def moves(self)->list: # Of `Button`; None is free running
        "From the start to the present; none where the start lies on no way here."
    def begin(self)->Session:
        "The present moment becomes the start."
    def aim(self)->Session:
        "The present picture becomes the goal."
    @property
    def distance(self)->float|None: # 0..1; None without a goal
        "How far the screen is from the goal."
    def task(self)->Any: # A `Task`
        "Start, goal and the way between them; where no goal was chosen, it is the present picture."
    def _enter(self, slot:Slot, timeline:Timeline):
        "Go on from a slot; the present is kept aside."
    def back(self)->Session:
        "Return to what was left last, by loading a slot, a state or a battery save."
    def save(self,
        folder:str|Path, # New or empty
        replace:bool=False, # Or that of a task, which is replaced
    )->Path: # The folder
        "Write start, goal and the way between them into a folder, for `gbxnb train`."
    def save_state(self,
        path:str|Path, # `.npz` is ours, `.state` PyBoy's, `.bess` what other emulators read
        replace:bool=False, # A file that is there
    )->Path: # The file
        "Write the present moment."
    def save_battery(self,
        path:str|Path, # A `.sav` file, as other emulators read it; `.ram` makes it PyBoy's
        replace:bool=False, # A file that is there
    )->Path: # The file
        "Write what the cartridge keeps when the console is switched off."
    def load_state(self,
        path:str|Path, # A state of this cartridge in any of the formats
    )->Session:
        "Go on from a state file, which is the start until another is chosen."
    def power_on(self,
        battery:str|Path|bytes|None=None, # A save for the cartridge; it keeps its own by default
    )->Session:
        "Switch the console off and on."
def is_taken(
    path:str|Path, # To be written
)->bool:
    "Would something be replaced, a file or what is in a folder?"
def free_name(
    path:str|Path, # Something that is there
)->Path: # The first of name-2, name-3 ... that is not
    "Another name."
