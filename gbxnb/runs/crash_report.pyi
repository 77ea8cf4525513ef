"""When a run dies, it leaves what is needed to understand it, and to see its last frames again."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['kind_of_actions', 'CrashReports', 'read_crash_report', 'replay_cli']
import io, json, math, os, traceback
from collections import deque
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal
from ..base.files import (Spec, UserError, check_arrays, check_int, parse_npy, read_json, read_whole,
                              sha256, write_atomic)
from ..base.command import command
from ..base.folder import Folder
from .policy import movable_options
import msgspec
import numpy as np
import safetensors.numpy
import torch
from fastcore.basics import patch
from msgspec import Meta as Limits, Struct
from ..base.figures import pixel_image, png_bytes, side_by_side, unpack
from .film import PALETTE
from ..logs.schema import error_kind, not_finite, plain, trace_id
from .checkpoint import SIDECAR, Sidecar
from .resume import check_spec, load_world, take_code
from ..training.rollout import free_bytes
from ..worlds.contract import WORLDS
def kind_of_actions(num_actions:int)->str: ...
class CrashReports:
    "A callback: remembers the last actions, and leaves a crash report when the run ends badly."
    folder:Folder
    windows:int
    frames:int
    envs:int
    crash_report:str
    ring:torch.Tensor
    first:_Any
    last:_Any
    more:_Any
    def __init__(self,
        folder:Folder, # The run's, where its log and its checkpoint lie
        windows:int=16, # How many updates back actions are kept; more than lie between two checkpoints
        frames:int=32, # Last frames a report shows
        envs:int=4, # Of so many environments
        **more, # Further entries of `crash.json`, e.g. the arguments of the command
    )->None: ...
    def on_start(self, run)->None: ...
    def on_update(self, run)->None: ...
    def on_error(self, run, error)->None: ...
    def on_stop(self, run)->None: ...
    def on_end(self, run)->None: ...
    def since(self,
        run, # The run that ended
        window:int, # Windows that were played when the checkpoint was saved
    )->np.ndarray|None: # [M, N] of `kind_of_actions`, or None if what is kept does not reach back that far
        "All actions played since a checkpoint."
    def keep_frames(self, run, name:str)->dict:
        "Write `frames.npy` and, if they are pictures, `frames.png`."
    def last_checkpoint(self, run)->Sidecar|None:
        "What the checkpoint in the folder says, if there is one of this run."
    def keep_actions(self, run, name:str)->dict:
        "Write `actions.npy`, the state they start from, and the task's files."
    def _place(self, run)->str:
        "A name that nothing bears yet."
    def write(self,
        run, # The run that ended
        error:BaseException, # Why
    )->str: # The crash report's folder as seen from the run's; empty if there is none
        "Leave a crash report; never raises."
def last_seen(
    run, # The run that ended
    played:int, # Steps played by this process
    frames:int, # How many are wanted
    envs:int, # Of how many environments
)->np.ndarray: # [F, W, ...], oldest first, the last one unanswered
    "What the first environments showed last."
def contact_sheet(
    frames:np.ndarray, # uint8 [F, W, H, X] shades
    columns:int=8, # At most so many of the last frames
)->bytes: # A PNG
    "The last frames side by side."
SCHEMA = 'gbxnb-crash-3'
def describe(
    run, # The run that ended
    error:BaseException, # Why
)->dict: # JSON values
    "What there is to say about the end of a run."
Digest = Annotated[str, Limits(pattern='^[0-9a-f]{64}$')]
Few = Annotated[int, Limits(ge=1, le=2**31 - 1)]
class Replay(Struct):
    "How a crash report is played again."
    start: Literal['reset', 'checkpoint'] # A seeded reset, or `start.safetensors`
    seed: Annotated[int, Limits(ge=0, le=2**31 - 1)]
    steps: Annotated[int, Limits(ge=0, le=2**31 - 1)] # In `actions.npy`
    actions_sha256: Digest
    checkpoint: str = '' # The `trace_id` of the start
    start_sha256: Annotated[str, Limits(pattern='^([0-9a-f]{64})?$')] = ''
class CrashReport(Struct):
    "What a `crash.json` must hold to be replayed; there is more in it, to be read."
    trace_id: str
    run_id: str
    kind: Literal['nan', 'fault', 'oom', 'exception', 'interrupt']
    frames: Few # In `frames.npy`
    envs: Few # In each of them
    frames_sha256: Digest
    world: dict # The world's `spec().plain()`
    replay: Replay
    world_config: dict = {} # How the world is made, if it can be made again by its name
    def __post_init__(self)->None: ...
def read_crash_report(
    folder:str|Path, # A crash report's folder
)->CrashReport:
    "What a crash report says, or a `UserError`."
def read_arrays(
    folder:str|Path, # A crash report's folder
    report:CrashReport, # What it says
    env, # An environment made as the one that ran
)->tuple[np.ndarray, np.ndarray]: # The actions [M, N], the last frames [F, W, ...]
    "The arrays of a crash report, which fit `env`."
def replay(
    folder:str|Path, # A crash report's folder
    env, # An environment made as the one that ran
)->tuple[np.ndarray, bool]: # The last frames since its start state, and whether the report's are the same
    "Play the actions of a crash report again."
def replay_cli(
    crash:str, # A crash report's folder; replay.png in it is replaced
    *,
    world:str='', # Place of its world, package.module:ATTRIBUTE, if it is in another package
    device:str='auto', # cpu, cuda, cuda:1 ...; auto prefers a GPU
    **change)->None:
    "Play the actions of a crash report again, and compare the last frames."
