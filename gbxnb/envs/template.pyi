"""A picture to recognize, and the actions that lead there."""
# Made by `make export` from the module beside it.
__all__ = ['METRICS', 'FIELDS', 'SAME_PLACE', 'HOLD', 'distance', 'region_mask', 'GoalTemplate', 'play_buttons', 'restore_all',
           'play_actions', 'wait', 'first_done', 'miss_text', 'script_error', 'end_of_script', 'capture_goal',
           'random_walks', 'play_walks', 'split_way', 'choose_tau', 'measure_tau', 'describe']
import io, json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timezone
from operator import index
from pathlib import Path
from reprlib import repr as brief
from typing import cast
import numpy as np
import warp as wp
from fastcore.basics import patch
from ..base.files import UserError, parse_npy, read_json, read_whole, sha256
from ..base.folder import claim_folder
from ..base.progress import track
from ..backends.base import Backend, Snapshot
from ..backends.warp import make_backend
from ..emulator.render import to_image
from .config import ENV_DEFAULTS, MAX_STACK, EnvConfig, action_codec
METRICS = {'l1_mean_norm': 3, 'l2_mean_norm': 9} # the largest difference of one pixel
def distance(
    frames:np.ndarray, # uint8[..., 72, 80] shades, or [..., K, 72, 80] where the goal is a stack
    goal:np.ndarray, # uint8[72, 80], or [K, 72, 80]
    metric:str='l1_mean_norm', # One of `METRICS`
    mask:np.ndarray|None=None, # uint8[72, 80]: 1 where a pixel counts; by default all do
)->np.ndarray: # float32[...], 0..1
    "How different pictures are from the goal."
def region_mask(
    regions, # Texts `y,x,h,w`, in pixels of the 72 x 80 picture: top, left, height, width
)->np.ndarray|None: # uint8[72, 80]: 1 in any of them; None without regions
    "The pixels of regions."
SCHEMA, PIPELINE = 2, 'gbxnb-1' # of the file; of the way pictures are made
def _now(): ...
@dataclass(frozen=True, eq=False)
class GoalTemplate:
    "A screen to reach, and the world it belongs to."
    pix:np.ndarray # uint8[72, 80] shades; [K, 72, 80] a stack, the newest last; [G, K, 72, 80] several goals
    rom_sha256:str # The cartridge
    state_sha256:str # The snapshot from which the goal was reached
    actions_sha256:str # The actions that reached it, as bytes; of no bytes at all if they are not known
    action_codec_id:str='pokemonred_puffer_v0' # What actions mean
    frames_per_step:int=24 # Frames of one step
    release_after_frames:int=8 # Frames the keys of an action are held
    dist_metric:str='l1_mean_norm' # How pictures are compared
    tau:float=.02 # Below this distance a screen looks like the goal
    k_consecutive:int=1 # For so many steps in a row
    created_at:str=field(default_factory=_now) # When, in UTC
    mask:np.ndarray|None=None # uint8[72, 80] or [G, 72, 80]: 1 where a pixel counts; None: everywhere
    def __post_init__(self)->None: ...
    @property
    def stack_k(self)->int: ...
    @property
    def num_goals(self)->int: ...
    @property
    def newest(self)->np.ndarray: ... # uint8[G, 72, 80]
    def __repr__(self)->str: ...
    def _repr_png_(self): ...
    def distances(self,
        frames:np.ndarray, # uint8[..., 72, 80], or [..., K, 72, 80] where the goals are stacks
    )->np.ndarray: # float32[..., G]
        "How far pictures are from each of the goals."
    def screen_distance(self,
        pix:np.ndarray, # uint8[..., 72, 80]
    )->np.ndarray: # float32[...]
        "How far single screens are from the nearest goal; of a stack, its newest picture counts."
    @property
    def sha256(self)->str:
        "Of the pictures, and of the masks if there are any."
    def files(self)->dict[str, bytes]: # By name
        "The content of a goal's files."
    def save(self,
        folder:str|Path, # Made if it is missing
    )->Path:
        "Make a folder that of this goal."
    @classmethod
    def load(cls,
        folder:str|Path, # What `save` wrote
    )->GoalTemplate:
        "Read a goal and check every field of it."
    def check(self,
        rom_sha256:str, # The cartridge that runs
        cfg:EnvConfig, # How it is stepped
    )->None:
        "Raise `ValueError` unless the goal was made for this."
FIELDS:tuple
PICTURE, MASK, FACTS = 'goal_template.npy', 'goal_mask.npy', 'goal_template.meta.json'
def fill_task(
    folder:str|Path, # New, empty, or that of a task
    files:dict, # Name to content; a goal's facts stand last
)->Path: # The folder
    "Write the files of a task; those of a task that was there are replaced or removed."
def play_buttons(
    backend:Backend, # All of its consoles play the same
    script, # (buttons as `Button` bits, frames) one after the other
)->Snapshot: # Where console 0 has got to
    "Play a timed script."
def play_keys(
    backend:Backend, # N consoles
    keys, # T times uint8[N]: the buttons that each console holds
    cfg:EnvConfig, # What a step is
)->Iterator[np.ndarray]: # T times uint8[N, 72, 80]
    "What all consoles show after each of their own keys."
def restore_all(
    backend:Backend, # All of its consoles
    snapshot:Snapshot, # The state they are brought to
)->None:
    "Bring every console to `snapshot`."
def play_actions(
    backend:Backend, # All of its consoles play the same
    actions, # Numbers of `cfg`'s codec
    cfg:EnvConfig=ENV_DEFAULTS, # What a step is
)->np.ndarray: # uint8[len(actions), 72, 80]: what console 0 shows after each
    "Play actions from where the consoles are."
def wait(
    backend:Backend, # All of its consoles wait
    steps:int, # So long, without a key
    cfg:EnvConfig=ENV_DEFAULTS, # What a step is
)->np.ndarray: # uint8[steps, N, 72, 80]: what they show after each
    "Let the consoles run."
SAME_PLACE = .02
def first_done(
    dists:np.ndarray, # float32[T]: how far the goal is after each step
    goal:GoalTemplate, # Its `tau` and `k_consecutive` count
)->int: # Number of the step that is done, from 1; 0 if none is
    "The step in which a goal environment is done."
def miss_text(
    dists:np.ndarray, # float32[T]: how far the goal is after each step
    goal:GoalTemplate, # The goal, in which no step is done
)->str:
    "Why a way does not reach the goal: never near enough, or not for long enough."
def script_error(
    start:np.float32, # How far the goal is at the start
    dists:np.ndarray, # float32[T]: how far it is after each step of a script
    goal:GoalTemplate, # The goal
)->str: # Why this is no way to the goal; empty if it is one
    "Check a whole script."
def end_of_script(
    backend:Backend, # Runs the script
    start:Snapshot, # Where it begins
    actions, # What is played
    cfg:EnvConfig=ENV_DEFAULTS, # What a step is
    **facts, # Of the goal: tau, k_consecutive, dist_metric, mask
)->tuple[GoalTemplate, np.ndarray]: # The goal, and the pictures after each step, uint8[T, 72, 80]
    "The screen at the end of a script."
def capture_goal(
    backend:Backend, # Runs the script
    start:Snapshot, # Where it begins
    actions, # What is played
    cfg:EnvConfig=ENV_DEFAULTS, # What a step is
    tau:float=.02, # Below this distance a screen looks like the goal
    **facts, # Of the goal: k_consecutive, dist_metric, mask
)->tuple[GoalTemplate, np.ndarray]: # The goal, and the pictures after each step, uint8[T, 72, 80]
    "The screen at the end of a script, as a goal, if the script is a way to it."
def random_walks(
    consoles:int, # N
    steps:int, # T
    num_actions:int, # A
    seed:int=0, # Of everything random
    hold:float=.6, # Chance of repeating the last action, so that walks get somewhere
)->np.ndarray: # int64[T, N]
    "Random actions that often repeat the last one."
def play_walks(
    backend:Backend, # N consoles
    actions:np.ndarray, # int64[T, N]
    cfg:EnvConfig, # What a step is
)->Iterator[np.ndarray]: # T times uint8[N, 72, 80]
    "What all consoles show after each of their own actions."
HOLD = 16 # steps of waiting at the end of a script, to see the goal move
def split_way(
    start:float, # How far the goal is at the start
    dists:np.ndarray, # float32[T]: how far it is after each step of a way
    waiting:np.ndarray, # float32[H]: how far it is after further steps without a key
    k_consecutive:int=1, # So many steps at least are at the goal
)->tuple[float, float]: # The largest distance of the goal to itself, the smallest of anything before it
    "Tell the goal from the way to it."
def choose_tau(
    held:float, # The largest distance of the goal to itself
    other:float, # The smallest distance of anything else
)->float:
    "The middle, or less where there is much room."
def measure_tau(
    rom, # The cartridge, or its file
    start:Snapshot, # Where the way begins
    actions, # The way; none if it is not known
    goal:GoalTemplate, # Its own tau says no more than whether the way leads there at all
    episodes:int=64, # Of the random policy, side by side
    steps:int=128, # Of each, from the start
    seed:int=0, # Of the random policy
)->dict: # Distances, 0..1; `proposed` is the tau
    "Distances of the goal to itself and of everything else to the goal."
def describe(
    c:dict, # From `measure_tau`
)->str:
    "The numbers, beside each other."
