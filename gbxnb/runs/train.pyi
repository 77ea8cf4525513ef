"""`gbxnb train`: a world, a run in a folder, and callbacks, by a line of options; `--resume` goes on."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from typing import overload as _overload
from gbxnb.base.config import Count
from gbxnb.base.config import Seed
from gbxnb.base.config import Whole
from gbxnb.envs.config import Number
from gbxnb.training.config import Positive
from gbxnb.training.config import Precision
from gbxnb.training.config import Weight
from typing import Literal
__all__ = ['train_cli', 'refuse_a_run', 'claim_run', 'RunConfig', 'world_beside', 'run_callbacks', 'run_to_end', 'new_run',
           'old_run', 'train']
import json, os, re, sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated
import numpy as np
from .. import __version__
from ..base.command import Steps, ThreadsConfig, command, stored, typed
from ..base.config import Range, Share, config_from, take_config
from ..base.files import UserError, read_whole
from ..base.folder import Folder, claim_folder, open_folder, read_manifest
from ..base.group import ProcessGroup, join
from ..base.progress import Meter, versions
from .checkpoint import (CHECKPOINT_FILES, SIDECAR, Checkpoint, Save, code_hashes,
                                   load_checkpoint, read_sidecar)
from .resume import config_of, load_world, resume_run, take_code, world_of
from .crash_report import CrashReports
from .evaluate import Evaluate, Evaluation, beside_random
from .policy import (USUAL_WORLD, algorithm_config, check_options, training_options, usual_options,
                               world_config)
from ..training.callbacks import (CURVES, LOG, Log, Plot, Progress, ReportErrors, Sample, check_loggers,
                                   make_loggers, run_meta)
from ..training.config import TrainConfig
from ..training import loop
from ..training.rollout import Run, start_run
from ..worlds.contract import World, WorldType, pick_device, WORLDS
def run_name(
    out:str|Path, # A run's folder, whatever it is called
)->str: # At most 50 letters, digits, `_`, `.`, `+` and `-`
    "What a run is called."
def refuse_a_run(
    out:str|Path, # Where a new run is to live
    kind:str='run', # Of the folder: `run`, or `demo`, which may be replaced
)->None:
    "Raise `UserError` if a new run would be written over one that has a checkpoint."
def claim_run(
    run:Run, # A fresh run
    out:str|Path, # Where it is to live
    kind:str='run', # Of the folder
)->Folder:
    "An empty folder with the world of a run in it, in which all that the run will write is named."
def find_run(
    out:str|Path, # Where a process looks for it, each on its own host
    resume:bool, # Whether this process was asked to go on
    group:ProcessGroup, # Its process 0 is from now on the one with the newest checkpoint
)->bool: # Whether there is a run to go on with
    "Go on, if that is asked for, or if the launcher that began a run starts its processes again."
@contextmanager
def first_folder(
    group:ProcessGroup, # The processes that share the run
    take, # Claims or opens the folder; called by process 0
)->Iterator[Folder|None]: # None in all processes but process 0
    "The folder of a run."
def load_shared(
    out:str|Path, # A run's folder on the host of process 0
    group:ProcessGroup,
)->Checkpoint: # Whole in process 0; `meta` and `policy` in all
    "Let all processes know a checkpoint."
@contextmanager
def world_folder(
    out:str|Path, # A run's folder on the host of process 0
    group:ProcessGroup,
)->Iterator[Path]: # One with the files of the world of the run
    "The folder of a run, or a copy of its world."
@dataclass(frozen=True)
class RunConfig(ThreadsConfig):
    "A run: where it lives, how long it is, and what happens on the way."
    world:str='' # A registered world, such as catch, or the place of another, package.module:ATTRIBUTE
    algo:str='' # ppo (the usual), or a2c, which begins with --rollout-steps 8 and --lr 0.0007
    steps:Steps=0 # Environment steps to play in all; 0 is as many as the world or a resumed run wants
    out:str='runs/train' # The run's folder
    resume:bool=False # Go on with the run in --out
    save_every:Steps=10 # Updates between two checkpoints
    eval_every:Steps=20 # Updates between two evaluations; 0 is after the last only
    eval_episodes:Annotated[int, Range(0, 10**7)]=64 # Episodes of each evaluation; 0 is none at all
    enough:Share=0. # End once so large a share of them reaches the goal; 0 is never
    loggers:list[str]=field(default_factory=list) # Where records go besides the log: tensorboard, wandb
    _registries = dict(world=WORLDS, algo=loop.ALGORITHMS)
def world_beside(
    folder:Folder, # A run's folder, with its world in it
    env:World, # The world of the run
    config, # Of the world
    num_envs:int, # Of the new batch
)->World: # A batch to judge or to film in
    "Another batch of a run's world."
def run_callbacks(
    run:Run, # Fresh or resumed
    folder:Folder|None, # Where it lives; None in a process that has none
    config, # Of its world
    how:RunConfig, # Its `loggers` are from `check_loggers`
    plot_every:int=0, # Updates between two drawings of the curves
    callbacks=(), # Of your own
)->list:
    "What hangs on the loop of a command, in order."
def run_to_end(
    run:Run, # Fresh or resumed
    hooks:list, # From `run_callbacks`
    folder:Folder|None, # Where it lives
)->None:
    "Train; if it ends badly for a reason a user can mend, say where the crash report lies."
def last_line(run:Run, folder:Folder, **more)->str:
    "What a program wants to know of a run that ended, as one line of JSON."
def new_run(
    kind:WorldType, # Which world
    config, # Of the world
    out:str|Path, # Where the run is to live
    steps:int, # Environment steps to play in all
    cfg:TrainConfig, # Of the algorithm
    device:str, # Where it is trained
    group:ProcessGroup, # The processes that share the run
)->Run:
    "A fresh run, of which nothing is written yet."
def old_run(
    out:str|Path, # The run's folder
    steps:int, # Environment steps to play in all; 0 is as many as first planned
    device:str, # Where it is trained on
    given:dict, # Options that were given, by name
    group:ProcessGroup, # The processes that share the run
)->tuple: # The run, and the configuration of its world
    "The run in `out`, taken up where its checkpoint left it."
def what_next(
    run:Run, # Has ended
    config, # Of its world
    out:str, # Its folder
    found:Evaluation|None, # The last one
)->str: # Empty where there is nothing to say
    "What to try where a goal is seldom reached."
def train_in(
    folder:Folder|None, # The run's, in process 0
    run:Run, # Fresh or resumed
    config, # Of its world
    how:RunConfig, # What happens on the way
    callbacks=(), # Of your own
)->None:
    "Train a run in its folder, and say what came of it."
@_overload
def train(
    task:str='', # A task's folder, or town/house, town/cellar, town/chest, town/elder or town/key
    *,
    callbacks=(), # Of your own, called before the log is written; see `gbxnb.training.callbacks`
    device:str='auto', # cpu, cuda, cuda:1 ...; auto prefers a GPU
    threads:int=0, # Threads of torch on a CPU; 0 is one a core, or OMP_NUM_THREADS
    algo:str='', # ppo (the usual), or a2c, which begins with --rollout-steps 8 and --lr 0.0007
    steps:Steps=0, # Environment steps to play in all; 0 is as many as the world or a resumed run wants
    out:str='runs/train', # The run's folder
    resume:bool=False, # Go on with the run in --out
    save_every:Steps=10, # Updates between two checkpoints
    eval_every:Steps=20, # Updates between two evaluations; 0 is after the last only
    eval_episodes:int=64, # Episodes of each evaluation; 0 is none at all
    enough:Share=0.0, # End once so large a share of them reaches the goal; 0 is never
    loggers:list[str]=..., # Where records go besides the log: tensorboard, wandb
    num_envs:Count=64, # N, environments played side by side
    rollout_steps:Count=64, # T, steps each environment plays between two updates
    gamma:Share=0.99, # Discount per step
    lr:float=0.001, # Adam's learning rate at the start
    anneal_lr:bool=True, # Let the learning rate fall to 0 over the run
    entropy_coef:Weight=0.01, # Weight of the entropy bonus
    value_coef:Weight=0.5, # Weight of the critic's loss
    max_grad_norm:Positive=0.5, # Longest gradient, over all parameters
    adam_eps:float=1e-05, # Adam's epsilon
    # The network: pixel, small, impala, vector or package.module:Class, one of your own
    model:str='small',
    precision:Precision='float32', # Of the network's trunk: float32 or bfloat16
    compile:bool=False, # Let torch.compile translate the network; needs a C++ compiler on a CPU
    seed:Seed=0, # Seed of weights, actions, minibatches and environments
    eval_greedy:bool=False, # Evaluations on the way take the likeliest action instead of drawing one
    # Parts of the environments that add their gradients in order; 0 is one for each process. Any number of
    # processes that divides it learns the same, to the bit
    grad_parts:int=0,
    lam:Share=0.95, # Decay of GAE: 0 trusts the critic, 1 the rewards alone
    clip:Positive=0.2, # How far the probability ratio may move the objective
    value_clip:Weight=0.0, # How far a new value may move from the old one in the critic's loss; 0 is no limit
    epochs:Count=4, # Times each sample is learned from
    minibatches:Count=4, # Parts a rollout is learned from in; 1 is the full batch
    norm_advantages:bool=True, # Give the advantages of a minibatch mean 0 and deviation 1
    target_kl:Weight=0.0, # Stop the epochs of an update once approx_kl is beyond 1.5 times this; 0 is never
    imitation_coef:Weight=0.0, # Weight of the loss that imitates the script of a task; 0 does without
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
)->Run:
    'Train a policy; processes started by torchrun share the run.'
@_overload
def train(
    task:str='', # A task's folder, or town/house, town/cellar, town/chest, town/elder or town/key
    *,
    callbacks=(), # Of your own, called before the log is written; see `gbxnb.training.callbacks`
    world:str, # A registered world, such as catch, or a place, package.module:ATTRIBUTE
    device:str='auto', # cpu, cuda, cuda:1 ...; auto prefers a GPU
    threads:int=0, # Threads of torch on a CPU; 0 is one a core, or OMP_NUM_THREADS
    algo:str='', # ppo (the usual), or a2c, which begins with --rollout-steps 8 and --lr 0.0007
    steps:Steps=0, # Environment steps to play in all; 0 is as many as the world or a resumed run wants
    out:str='runs/train', # The run's folder
    resume:bool=False, # Go on with the run in --out
    save_every:Steps=10, # Updates between two checkpoints
    eval_every:Steps=20, # Updates between two evaluations; 0 is after the last only
    eval_episodes:int=64, # Episodes of each evaluation; 0 is none at all
    enough:Share=0.0, # End once so large a share of them reaches the goal; 0 is never
    loggers:list[str]=..., # Where records go besides the log: tensorboard, wandb
    num_envs:Count=64, # N, environments played side by side
    rollout_steps:Count=64, # T, steps each environment plays between two updates
    gamma:Share=0.99, # Discount per step
    lr:float=0.001, # Adam's learning rate at the start
    anneal_lr:bool=True, # Let the learning rate fall to 0 over the run
    entropy_coef:Weight=0.01, # Weight of the entropy bonus
    value_coef:Weight=0.5, # Weight of the critic's loss
    max_grad_norm:Positive=0.5, # Longest gradient, over all parameters
    adam_eps:float=1e-05, # Adam's epsilon
    # The network: pixel, small, impala, vector or package.module:Class, one of your own
    model:str='small',
    precision:Precision='float32', # Of the network's trunk: float32 or bfloat16
    compile:bool=False, # Let torch.compile translate the network; needs a C++ compiler on a CPU
    seed:Seed=0, # Seed of weights, actions, minibatches and environments
    eval_greedy:bool=False, # Evaluations on the way take the likeliest action instead of drawing one
    # Parts of the environments that add their gradients in order; 0 is one for each process. Any number of
    # processes that divides it learns the same, to the bit
    grad_parts:int=0,
    lam:Share=0.95, # Decay of GAE: 0 trusts the critic, 1 the rewards alone
    clip:Positive=0.2, # How far the probability ratio may move the objective
    value_clip:Weight=0.0, # How far a new value may move from the old one in the critic's loss; 0 is no limit
    epochs:Count=4, # Times each sample is learned from
    minibatches:Count=4, # Parts a rollout is learned from in; 1 is the full batch
    norm_advantages:bool=True, # Give the advantages of a minibatch mean 0 and deviation 1
    target_kl:Weight=0.0, # Stop the epochs of an update once approx_kl is beyond 1.5 times this; 0 is never
    imitation_coef:Weight=0.0, # Weight of the loss that imitates the script of a task; 0 does without
    **options:_Any, # Fields of the world's configuration
)->Run:
    'Train a policy; processes started by torchrun share the run.'
train_cli:_Any
