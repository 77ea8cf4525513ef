"""Keys that an action presses, a picture by its name, and the numbers of a step and an episode."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from gbxnb.base.config import C
__all__ = ['MAX_LISTED', 'CODECS', 'OBSERVATIONS', 'ENV_DEFAULTS', 'GOAL_DEFAULTS', 'STEP_OPTIONS', 'action_codec', 'Pad',
           'Sight', 'Observation', 'parse_observation', 'find_observation', 'EnvConfig', 'GoalConfig']
import re
from collections.abc import Callable
from dataclasses import dataclass
from reprlib import repr as brief
from typing import Annotated, Literal
import numpy as np
import torch
import warp as wp
from fastcore.basics import patch
from gbxnb.base.config import Config, Count, Range, Registry, Whole
from gbxnb.base.files import UserError
from gbxnb.base.startup import recording
from gbxnb.emulator.machine import FRAME, Button, keys_text, parse_keys
wp.config.log_level = wp.LOG_WARNING # no banner
@dataclass(frozen=True)
class ActionCodec:
    "What each action holds down."
    id:str # Its name in every artefact
    buttons:tuple[Button, ...] # For each action the keys it holds
    multibinary:bool = False # Whether an action is the byte of all keys
    @property
    def num_actions(self)->int: ...
    @property
    def names(self)->tuple[str, ...]: ...
    @property
    def masks(self)->np.ndarray: # uint8[num_actions]
        "The keys that reach the console."
    def number(self,
        name:str, # For example `A+RIGHT`; the order of its keys does not matter
    )->int:
        "The action of that name."
    def _repr_markdown_(self): ...
MAX_LISTED = 256 # actions of a codec: a script keeps each in a byte
CODECS:Registry
def action_codec(
    id:str, # One of `CODECS`, or a list of actions such as `NOOP,LEFT,A+RIGHT`
)->ActionCodec:
    "A codec by its name."
class Pad:
    "Turns a batch of actions into the keys of a batch of consoles."
    codec:ActionCodec
    buttons:wp.array
    device:torch.device
    masks:wp.array
    actions:torch.Tensor
    _launch:wp.Launch
    held:torch.Tensor
    _sticking:wp.Launch
    def __init__(self,
        codec:ActionCodec, # What actions mean
        buttons:wp.array, # uint8[N]: a backend's keys
    )->None: ...
    def press(self,
        actions:torch.Tensor, # int64[N] on the device of the pad
    )->None:
        "Hold the keys of `actions`."
    def stick(self,
        sticky:float, # Probability that a step repeats what the step before held
        jitter:int, # Frames in which new keys go down
        cache, # A `ResetCache`: its seed and episodes
        ended:wp.array, # bool[N]: where the next step is the first of an episode
        length:wp.array, # int32[N]: steps of the episode so far
        moments:wp.array, # int32[N]: of a backend, the M-cycle of a step at which they do
    )->None:
        "Let the pad stick, or its keys come late, where `repeat` is called after `press`."
    def repeat(self)->None:
        "Some consoles hold what they held before, some keys wait; one launch, which may be recorded."
@dataclass(frozen=True)
class Sight:
    "What the name of an observation stands for."
    function:Callable|None = None # uint8 `[N, h, w]` shades to uint8 `[N, H, W]`; None is a kernel
    high:int = 255 # Largest number of its pictures
    of:str = 'full' # What the function gets: `full` screens 144x160, or `shades` 72x80
    shape:tuple[int, int]|None = None # Of its pictures; None: whatever the function returns
OBSERVATIONS:Registry
_NAME:_Any
_AREA:_Any
@dataclass(frozen=True)
class Observation:
    "A text in its parts."
    name:str # One of `OBSERVATIONS`, or the place of a function
    crop:tuple[int, ...]|None = None # y, x, height, width
    masks:tuple = () # of such
    @property
    def plain(self)->bool: ...
def parse_observation(
    text:str, # As in the table above
)->Observation:
    "What a text says, or a `ValueError`; the name of a function elsewhere is looked up later."
def fit_observation(
    o:Observation, # What is to be seen
    sight:Sight, # What its name stands for
    shape:tuple|None=None, # Of the pictures that the name stands for; by default as `sight` says
)->tuple[int, int]: # Height and width of an observation
    "Raise `ValueError` for a crop or a mask outside of the picture, and for a size that cannot be."
def find_observation(
    text:str, # Of a configuration
)->tuple[Observation, Sight]:
    "What is to be seen, and what its name stands for."
MAX_STACK = 1024 # pictures: so many of one console are 6 MB, and their numbers fit 32 bits
Number = Annotated[float, Range(-1e9, 1e9)]
@dataclass(frozen=True)
class EnvConfig(Config):
    "What a step and an episode are."
    frames_per_step:Count=24 # Frames of one step
    release_after_frames:Whole=8 # Frames the keys of an action are held, from the start of the step
    # Pictures a policy sees: the newest and the `stack_k - 1` before it
    stack_k:Annotated[int, Range(1, MAX_STACK)]=1
    # What actions mean: pokemonred_puffer_v0, pokemonred_puffer_v1, buttons_v0 (with SELECT), platformer_v0
    # (two keys at once), multibinary8 (a byte), or a list of one's own such as NOOP,LEFT,A+RIGHT
    action_codec_id:str='pokemonred_puffer_v0'
    max_steps:Count=512 # An episode is truncated after this many steps
    # Seed of the noise that RAM is at the power switch, for console i `ram_seed + i`; -1: zeros
    ram_seed:Annotated[int, Range(-1)]=0
    start_noops:Whole=0 # An episode starts up to this many frames after its snapshot, chosen at random
    # Probability that a step repeats the action of the step before (Machado et al. 2018)
    sticky:Annotated[float, Range(0, 1, below=True)]=0.
    press_jitter:Annotated[int, Range(0, 999)]=0 # Keys go down at a random moment of so many first frames
    packed:bool=False # Observations keep four pixels in a byte, uint8[N, K, 72, 20]; models unpack them
    # A step's info: full, stats (totals over all environments) or none
    info_mode:Literal['full', 'stats', 'none']='full'
    observation:str='shades' # shades, full, mean or one of your own; 'full crop=16,0,128,160 mask=0,0,8,160'
    _registries = dict(action_codec_id=CODECS, observation=OBSERVATIONS)
    def __post_init__(self)->None: ...
    @property
    def codec(self)->ActionCodec: ...
    @property
    def seen(self)->Observation: ...
@dataclass(frozen=True)
class GoalConfig(Config):
    "The reward: `step_cost + alpha * (previous distance - distance) / unit + goal_bonus * done`."
    step_cost:Number=-.01 # Reward of every step
    alpha:Number=1. # Reward of getting nearer by one unit
    goal_bonus:Number=10. # Reward of reaching the goal
    # Unit: distance, which is 0..1; or relative, the way from the first start
    shaping:Literal['distance', 'relative']='distance'
ENV_DEFAULTS:_Any
GOAL_DEFAULTS:_Any
STEP_OPTIONS = 'frames_per_step', 'release_after_frames', 'action_codec_id' # of `EnvConfig`: what a step is
