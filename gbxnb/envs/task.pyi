"""A start, a goal and the way between them; captured from a script, or found by exploring."""
# Made by `make export` from the module beside it.
__all__ = ['NAMES', 'MAX_FRAMES', 'MAX_ACTIONS', 'user_rom', 'Task', 'consoles', 'start_task', 'make_task', 'task_names',
           'task_folders', 'read_script', 'spread', 'try_pad', 'find_start', 'GameBoyConfig', 'make_task_env',
           'demonstrate']
import json, os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from reprlib import repr as brief
from typing import Any, Literal
import numpy as np
import torch
import warp as wp
from fastcore.basics import patch
from ..backends.base import Backend, Snapshot
from ..backends.warp import make_backend
from ..emulator.cartridge import Cartridge, RomError, named_board
from ..emulator.machine import Button, keys_text, parse_keys
from ..emulator.render import to_image
from .config import action_codec, ENV_DEFAULTS, EnvConfig, GoalConfig
from .starts import Backward
from .goal import GoalJudge
from .pixels import Judge, PixelsEnv
from .rewards import REWARDS, RewardJudge
from .template import SAME_PLACE, capture_goal, play_actions, play_buttons, restore_all, wait
from .template import FACTS, MASK, PICTURE, GoalTemplate, distance, fill_task
from .watch_list import WatchConfig, merge_entries, read_entries
from ..base.config import Whole
from ..base.figures import png_bytes
from ..base.files import UserError, read_json, read_whole, sha256
from ..base.folder import MANIFEST, manifest_text
from ..base.progress import Meter
def user_rom(
    rom:str='', # A file; empty is what GBXNB_ROM names
)->str:
    "The ROM of a command, if the file holds one."
@dataclass(frozen=True)
class Task:
    "Where to begin, what to reach, and a way that leads there."
    buttons:tuple # (buttons as `Button` bits, frames): from the power switch to the start
    start:Snapshot # What these buttons lead to
    actions:tuple[int, ...] # From the start to the goal
    goal:GoalTemplate|None=None # What these actions lead to; None: rewards are a function's
    battery:bytes|None=None # The battery save that is in the cartridge at the power switch
    watch:dict|None=None # Entries of a watch list: what is read from memory while it is played
    def __post_init__(self)->None: ...
    def __repr__(self)->str: ...
    @property
    def screens(self)->np.ndarray: ... # uint8[1 + G, 72, 80]
    @property
    def known_goal(self)->GoalTemplate: ... # The goal of a task that has one
    @property
    def start_distance(self)->float: ...
    def picture(self)->Any: ...
    def _repr_png_(self): ...
@contextmanager
def consoles(
    rom:Cartridge|bytes|str|Path, # The cartridge, or its file
    n:int=1, # How many
    backend:str='warp', # What runs them: warp or reference
    battery:bytes|None=None, # A battery save that is in the cartridge at the power switch
    ram_seed:int=0, # Of the noise that RAM is then; -1: zeros
)->Iterator[Backend]:
    "Consoles on a CPU, at the power switch; closed when the block ends."
def start_task(
    cart:Cartridge|bytes|str|Path,
    buttons, # (buttons, frames): from the power switch to the start
    battery:bytes|None=None, # A battery save that is in the cartridge at the power switch
    ram_seed:int=0, # Of the noise that RAM is then; -1: zeros
)->Task:
    "A task without a goal."
def make_task(
    cart:Cartridge|bytes|str|Path,
    buttons, # (buttons, frames): from the power switch to the start
    actions, # From there to the goal
    cfg:EnvConfig=ENV_DEFAULTS, # What a step is
    backend:str='warp', # warp or reference: the backend that makes the start
    start:Snapshot|None=None, # A saved state to begin in, instead of playing buttons
    battery:bytes|None=None, # A battery save that is in the cartridge at the power switch
    **kw, # Of `capture_goal`: tau, k_consecutive, dist_metric, mask
)->Task:
    "Play both scripts; the goal must be one that `capture_goal` accepts."
START, SCRIPT, BATTERY, WATCH, SHOWN = 'start.npz', 'script.json', 'battery.sav', 'watch.json', 'task.png'
def files(self:Task)->dict[str, bytes]: # By name; the facts of the goal stand last
    "The content of a task's files."
def save(self:Task,
    folder:str|Path, # New, empty, or that of a task, which is replaced
)->Path: # The folder
    "Make a folder that of this task, and of its goal."
NAMES = START, SCRIPT, BATTERY, WATCH, SHOWN, PICTURE, MASK, FACTS, MANIFEST # that a task's folder may hold
def task_names(
    count:int, # Of tasks
)->list[str]:
    "All files that tasks 1, 2, ... may have, as the folder around theirs names them."
def task_folders(
    tasks:list[Task],
    first:int=1, # Number of the first
)->dict[str, bytes|str]: # By name
    "The content of the folders of several tasks; each has a manifest of its own."
MAX_FRAMES, MAX_ACTIONS = 10_000_000, 1 << 16 # of a script: 46 hours to the start, 7 hours to the goal
def read_script(
    path:str|Path, # JSON: {"buttons": [["START", 8], ["", 60], ...], "actions": ["A", "UP", ...]}
    cfg:EnvConfig=ENV_DEFAULTS, # Its codec names the actions
)->tuple[tuple, tuple]: # buttons and actions as numbers
    "Read the two scripts of a task."
MAX_BATTERY = (128 << 10) + 48 # bytes of a `.sav` file: the RAM of the largest cartridge, and a clock
def load(cls:Task,
    folder:str|Path, # What `save` wrote
)->Task:
    "Read a task, if its files belong together."
@contextmanager
def spread(
    cart:Cartridge|bytes|str|Path,
    snapshots:list[Snapshot], # S states
    each:int, # M
)->Iterator[Backend]: # S * M consoles; the first M are in the first state
    "Consoles that go on from several states."
def try_pad(
    cart:Cartridge|bytes|str|Path,
    snapshots:list[Snapshot], # S states
    cfg:EnvConfig=ENV_DEFAULTS, # What a step is
    then:tuple=(), # Buttons that are pressed after each of the keys
)->tuple[np.ndarray, np.ndarray, list]: # uint8[K], no key first; int64[S]: different answers to them; screens
    "What each action leads to, after its own step and three more without a key: uint8[S, K, 4, 72, 80]."
def find_start(
    cart:Cartridge|bytes|str|Path,
    cfg:EnvConfig=ENV_DEFAULTS, # What a step is
    battery:bytes|None=None, # A battery save that is in the cartridge at the power switch
)->tuple[tuple, Snapshot]: # The buttons from the power switch on, and where they lead
    "A place where the pad matters."
def script_states(
    cart:Cartridge,
    start:Snapshot, # Of the task, for the backend that uses it
    task:Task, # Its script is played
    cfg:EnvConfig=ENV_DEFAULTS, # What a step is
)->list[Snapshot]: # The start, and what each action of the script leads to, but not where the goal shows
    "The states of a task's script."
def stack_needed(
    shown, # 1 + T pictures, uint8[72, 80]: the start, and what each action shows
    actions, # T
)->int: # 1, 2, 4 or 8; 16 where even more would be needed
    "How many pictures tell apart where a script does different things."
@dataclass(frozen=True)
class GameBoyConfig(EnvConfig, GoalConfig, WatchConfig):
    "Which game is played, and how."
    # A task of the bundled game, e.g. town/chest, or a task's folder; find: what exploring finds;
    # start: no goal, only where the game answers; empty is the usual one of the bundled game
    task:str = ''
    rom:str = '' # A ROM file; empty is the bundled game
    board:str = '' # Every chip of its cartridge, such as MBC5+RAM, or auto, whatever the header says
    # What runs the consoles: auto, warp or reference
    backend:Literal['auto', 'warp', 'reference'] = 'auto'
    demo_starts:Whole = 0 # Training episodes begin along the task's script, for so many steps; 0: not so
    backward:Whole = 0 # Or near its end at first, then farther back, with so many steps to spare; 0: not so
    rewards:str = '' # E.g. town/places, pokered/explore or a function package.module:name; empty: the goal's
    _registries = EnvConfig._registries | dict(rewards=REWARDS)
    def __post_init__(self)->None: ...
def make_task_env(
    cart:Cartridge,
    num_envs:int, # N
    task:Task, # Where to begin and what to reach
    config:GameBoyConfig=GameBoyConfig(), # How it is played
    device:str='auto', # cpu, cuda, cuda:1 ...; auto prefers a GPU
    seed:int=0, # Of all random choices
    first:int=0, # Number of the first console, where several processes share a batch
)->PixelsEnv:
    "N consoles with the task; what its rewards, it and `config` want of memory is watched."
def demonstrate(
    cart:Cartridge,
    task:Task, # Whose script is played
    config:GameBoyConfig, # How it is played
    device:str='auto', # cpu, cuda, cuda:1 ...; auto prefers a GPU
)->tuple[torch.Tensor, ...]: # `[L, *obs_shape]`, int64 `[L]`, f32 `[L]`
    "What a policy sees along a script, what is done there, and what that is paid, as far as the goal."
