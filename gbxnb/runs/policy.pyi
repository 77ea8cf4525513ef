"""A trained policy, from its folder into your program or a command line."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from typing import overload as _overload
from gbxnb.base.config import Whole
from gbxnb.base.config import WorldSpec
from gbxnb.envs.config import Number
from gbxnb.envs.pixels import PixelsEnv
__all__ = ['USUAL_WORLD', 'training_options', 'usual_options', 'movable_options', 'world_config', 'algorithm_config',
           'check_options', 'open_policy', 'eval_cli', 'export_policy', 'export_cli', 'make']
import json, os, shlex, sys
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, cast
import gbxnb
import numpy as np
import torch
from fastcore.basics import patch
from ..base.command import DeviceConfig, Episodes, command, early_option, typed
from ..base.config import Count, Range, Seed, config_from, option_names, take_config
from ..base.figures import SHAPE, extra_lines
from ..base.files import UserError, check_writable, read_json, seed_of
from ..base.folder import claim_folder
from ..base.group import as_usual
from ..base.progress import about, give_result
from .checkpoint import SIDECAR, Checkpoint, load_checkpoint, own_code, save_checkpoint
from .evaluate import UniformPolicy, beside_random, judged
from .resume import load_weights, load_world, open_run, world_of
from ..training.config import MODELS, TrainConfig
from ..training.loop import ALGORITHMS, tune_cpu
from ..training.models import sample_actions
from ..worlds.contract import WORLDS, World, WorldType, pick_device
USUAL_WORLD:_Any
def training_options(
    words:list[str], # Of a command line
)->dict: # See `gbxnb.base.command.make_parser`
    "The options of a training: of every algorithm and of the world."
def usual_options(
    words:list[str], # Of a command line
)->dict: # By name
    "What a training begins with in the world of a command line."
def movable_options(
    words:list[str], # Of a command line
)->dict: # See `gbxnb.base.command.make_parser`
    "The options of a world that may be others than in training."
def world_config(
    kind:WorldType, # Which world
    given:dict, # Options by name, and the `task`
)->Any: # An instance of its configuration
    "Make the configuration of a world."
def algorithm_config(
    algo:str, # A registered algorithm
    given:dict, # Options by name
    usual:dict|None=None, # Those of the world, for PPO: `WorldType.defaults`
)->TrainConfig:
    "Make the configuration of an algorithm; its own defaults come before those of the world."
def check_options(
    given:dict, # Options by name
    configs, # The dataclasses they may belong to
)->None:
    "Refuse the first option that no configuration has."
def bundled_policy()->Path: # A folder as of a run
    "The policy that comes with the package: to the chest of the bundled game, by pixels alone."
def open_policy(
    run:str='', # A run's folder, or the `checkpoint.json` in it; empty is the policy of this package
    world:str='', # Name or place of its world, which is registered; empty if it is known already
    num_envs:int=1, # Environments to play in
    device:str='auto', # Where they run
    model:Any='', # A network of one's own: its name, its place or its class
    play:str='free', # Whether rewards may be unknown here, see `open_run`
    **change, # Options of the world that are others now, e.g. where the ROM lies
)->tuple[World, torch.nn.Module, dict]: # The world, the trained model, the checkpoint's `meta`
    "A trained policy in its own world."
@dataclass(frozen=True)
class PolicyConfig(DeviceConfig):
    "Which policy, and how it plays."
    world:str='' # Place of the run's world, package.module:ATTRIBUTE, if it is in another package
    model:str='' # Place of the run's network, package.module:Class, if it is one of your own
    greedy:bool=False # Take the likeliest action instead of drawing one
    seed:Seed=0 # Of environments and draws
    _registries = dict(world=WORLDS, model=MODELS)
@dataclass(frozen=True)
class EvalConfig(PolicyConfig):
    "How a policy is judged."
    episodes:Episodes=256 # Episodes to play
    num_envs:Count=64 # Environments to play them in
    random:bool=False # Also all numbers of the random actions that it is compared with
    out:str='' # Also write the result to this JSON file
def eval_cli(
    run:str='', # A run's folder, or the checkpoint.json in it; by default the policy of this package
    **options)->None:
    "Play whole episodes with a trained policy; print one JSON object."
@dataclass(frozen=True)
class ExportConfig(PolicyConfig):
    "What is handed on."
    out:str='' # A new or an empty folder; by default policy in the run's folder, or runs/policy
    episodes:Annotated[int, Range(0, 10**7)]=256 # To judge the policy and random buttons by; 0 is not at all
    num_envs:Count=64 # Environments to play them in
    precision:Literal['float16', 'float32']='float16' # Of the weights
def export_policy(
    run:str|Path='', # A run's folder, or the `checkpoint.json` in it; empty is the policy of this package
    **options, # Of `ExportConfig`, and those of the world that are others now, e.g. where the ROM lies
)->Path: # The folder
    "Make a folder of a policy, for other people and places: weights, world, card."
def export_cli(
    run:str='', # A run's folder, or the checkpoint.json in it; by default the policy of this package
    **options)->None:
    "Make a folder of a policy to hand on: weights, world, card."
@_overload
def make(
    task='', # town/house, town/cellar, town/chest, town/elder, town/key, a folder, find, start or a `Task`
    num_envs:int=1, # N
    *,
    device:str='auto', # cpu, cuda, cuda:1 ...; auto prefers a GPU
    seed:int=0, # Of all random choices
    first:int=0, # Number of the first environment, where several processes share a batch
    frames_per_step:Count=24, # Frames of one step
    release_after_frames:Whole=8, # Frames the keys of an action are held, from the start of the step
    # Pictures a policy sees: the newest and the `stack_k - 1` before it
    stack_k:int=1,
    # What actions mean: pokemonred_puffer_v0, pokemonred_puffer_v1, buttons_v0 (with SELECT), platformer_v0
    # (two keys at once), multibinary8 (a byte), or a list of one's own such as NOOP,LEFT,A+RIGHT
    action_codec_id:str='pokemonred_puffer_v0',
    max_steps:Count=512, # An episode is truncated after this many steps
    # Seed of the noise that RAM is at the power switch, for console i `ram_seed + i`; -1: zeros
    ram_seed:int=0,
    start_noops:Whole=0, # An episode starts up to this many frames after its snapshot, chosen at random
    # Probability that a step repeats the action of the step before (Machado et al. 2018)
    sticky:float=0.0,
    press_jitter:int=0, # Keys go down at a random moment of so many first frames
    packed:bool=False, # Observations keep four pixels in a byte, uint8[N, K, 72, 20]; models unpack them
    # A step's info: full, stats (totals over all environments) or none
    info_mode:Literal['full', 'stats', 'none']='full',
    observation:str='shades', # shades, full, mean or one of your own; 'full crop=16,0,128,160 mask=0,0,8,160'
    step_cost:Number=-0.01, # Reward of every step
    alpha:Number=1.0, # Reward of getting nearer by one unit
    goal_bonus:Number=10.0, # Reward of reaching the goal
    # Unit: distance, which is 0..1; or relative, the way from the first start
    shaping:Literal['distance', 'relative']='distance',
    watch:str='', # Variables, e.g. wXCoord,hp=0xD16C; or the whole list, as JSON or a file of it
    symbols:str='', # Symbol file; empty is the .sym file beside the ROM
    hooks:str='', # Places of the program, e.g. Talk,bank=3:4A21
    observe:str='', # Variables that a policy sees beside the picture
    begin:str='', # What variables hold when an episode begins, e.g. lives=1,level=0..8
    coverage:str='', # Coordinates and how many values they have, e.g. map=248,y=64,x=64
    rom:str='', # A ROM file; empty is the bundled game
    board:str='', # Every chip of its cartridge, such as MBC5+RAM, or auto, whatever the header says
    # What runs the consoles: auto, warp or reference
    backend:Literal['auto', 'warp', 'reference']='auto',
    demo_starts:Whole=0, # Training episodes begin along the task's script, for so many steps; 0: not so
    backward:Whole=0, # Or near its end at first, then farther back, with so many steps to spare; 0: not so
    rewards:str='', # E.g. town/places, pokered/explore or a function package.module:name; empty: the goal's
)->PixelsEnv:
    'A batch of environments; a `UserError` names what cannot be.'
@_overload
def make(
    task='', # town/house, town/cellar, town/chest, town/elder, town/key, a folder, find, start or a `Task`
    num_envs:int=1, # N
    *,
    device:str='auto', # cpu, cuda, cuda:1 ...; auto prefers a GPU
    seed:int=0, # Of all random choices
    first:int=0, # Number of the first environment, where several processes share a batch
    world:str, # A registered world, such as catch, or a place, package.module:ATTRIBUTE
    **options:_Any, # Fields of the world's configuration
)->World:
    'A batch of environments; a `UserError` names what cannot be.'
class Policy:
    "A trained policy, and the world it was trained in; nothing in its files is executed."
    run:Path
    device:str
    model:torch.nn.Module
    meta:dict
    spec:WorldSpec
    change:_Any
    generator:_Any
    def __init__(self,
        run:str|Path='', # A run's folder, or the `checkpoint.json` in it; empty is the policy of this package
        device:str='auto', # Where it runs
        seed:int=0, # Of the draws
        model='', # A network of one's own that is not registered: its place, package.module:Class, or itself
        world:str='', # Place of its world, if that is one of your own
        **change, # Options of the world that are others now, e.g. where the ROM lies
    )->None: ...
    def __repr__(self)->str: ...
    def env(self, num_envs:int=1)->World:
        "A batch of environments of its world, to play or to be judged in."
    def __call__(self,
        obs, # `[N, *obs_shape]`, as `env` gives them, or one observation
        greedy:bool=False, # Take the likeliest action instead of drawing one
    )->Any: # int64 `[N]`, or int64; of NumPy, where a tensor was not given
        "Actions for what N environments show."
load_policy = Policy
def as_learned(
    obs, # What was seen: a tensor, an array, or a list of numbers
    made_for:dict, # See `interface_of`
)->torch.Tensor: # `[N, *obs_shape]`, or one observation
    "Observations as a network has learned from them; a `UserError` says what is wanted."
