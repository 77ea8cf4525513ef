"""Traces are compiled in the background, cached on disk, and exchanged between launches."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['WORTH_IT', 'LOOK_AFTER', 'COMPILE_AFTER', 'AGAIN_AFTER', 'extent_for', 'traced_kernel', 'cache_folder', 'read_entry',
           'find_entry', 'read_traces', 'load_traces', 'better_traces', 'compile_traces', 'trace_everything',
           'trace_mode', 'TraceLoader', 'use_traces']
import contextlib, json, os, subprocess, sys, tempfile, time
from dataclasses import replace
from pathlib import Path
from typing import Any
import numpy as np
import psutil, warp as wp
from fastcore.basics import patch
from ..base.command import TRACE_MODES
from ..base.files import MAX_JSON, UserError, parse_npz, sha256, write_all_atomic
from ..base.folder import lock_folder, unlock_folder
from ..base.parallel import last_line, start_python
from ..base.progress import Meter
from ..base.startup import (CPU, MAX_KERNEL, compiled_files, kernel_cache, need_own_folder,
                                private_copy, read_own, target_of)
from ..emulator.boards import FLAT
from ..emulator.cartridge import Cartridge
from ..emulator.cpu import MAX_ROUND_STEPS, machine_kernel
from ..emulator.emulator import BLOCK, Emulator
from .symbolic import MAX_PROFILE, Profile, Sample, profile_game
from .traces import EVERYTHING, GPU_EXTENT, Extent, Traces, bound, write_traces
def extent_for(target:str)->Extent:
    "How much of a cartridge is compiled for a target."
def traced_kernel(
    traces:Traces, # Of a cartridge
    target:str=CPU, # From `target_of`
)->wp.Kernel: # Like that of an `Emulator`
    "The interpreter with the traces of one cartridge."
SCHEMA = 'gbxnb-traces-1'
ENTRY, PROFILE = 'entry.json', 'profile.npz'
def cache_folder(cart:Cartridge, target:str)->Path:
    "Where a cartridge's traces are kept: beside Warp's kernels."
def read_entry(
    folder:Path, # From `cache_folder`
    cart:Cartridge,
)->dict: # The hash of the text, those of the files by name, and their `content` by name
    "What was compiled in a folder, all of it as it was written; or `UserError`."
def find_entry(
    folder:Path, # From `cache_folder`
    cart:Cartridge,
)->dict|None:
    "What was compiled in a folder, or nothing."
def read_traces(
    cart:Cartridge,
    target:str=CPU, # From `target_of`
    entry:dict|None=None, # From `read_entry`, if it was read
)->Traces:
    "The traces that were compiled for a cartridge, written again, or `UserError`."
def load_traces(
    cart:Cartridge,
    device:wp.Device,
)->tuple[wp.Kernel, np.ndarray]|None: # The kernel, ready to be launched; control words with heads
    "What the cache has for a cartridge, or nothing."
WORTH_IT = .05     # of the instructions of consoles: so much more in traces, and they are compiled anew
def better_traces(
    cart:Cartridge,
    target:str=CPU, # From `target_of`
    rows:np.ndarray|None=None, # uint8[k, row_bytes]: consoles, for a profile
)->tuple[Profile, Traces]|None: # None if those in the cache will do
    "Traces that are worth compiling, and their profile."
def compile_traces(
    cart:Cartridge,
    target:str=CPU, # From `target_of`
    rows:np.ndarray|None=None, # As for `better_traces`
)->Path: # The folder
    "Have good traces of a cartridge in the cache."
def trace_everything(
    emulator:Emulator, # At the power switch
    frames:int, # What runs so long is meant
)->Traces:
    "Exchange the kernel of a batch for one with as much in traces as can be; its first launch compiles it."
MAX_GIVEN = 1 << 27     # bytes of what the other process gets
def compile_job()->None:
    "What the other process does: `compile_traces` for a target, behind others if nobody waits."
class Compiler:
    "Another process that compiles the traces of an emulator's cartridge. A fork of this one has none."
    process:subprocess.Popen
    parent:_Any
    said:_Any
    def __init__(self,
        emulator:Emulator,
        waits:bool=False, # Somebody waits for it
    )->None: ...
    def __repr__(self)->str: ...
    def ours(self)->bool: ...
    def done(self)->bool: ...
    def why(self)->str: ...
    def stop(self)->None:
        "End it."
LOOK_AFTER, COMPILE_AFTER, AGAIN_AFTER = 1., 5., 60.     # seconds of use
def trace_mode(
    mode:str|None, # One of `TRACE_MODES`; None: as GBXNB_TRACES says
    usual:str='auto', # If that says nothing
)->str:
    "How traces are used; `ValueError` for another mode, `UserError` if the environment says it."
class TraceLoader:
    "Gets the traces of an emulator when they are there."
    emulator:Emulator
    mode:str
    compiler:Compiler|None
    state:str
    began:_Any
    due:_Any
    def __init__(self, emulator:Emulator, mode:str)->None: ...
    def __repr__(self)->str: ...
    def load(self)->bool:
        "Take what the cache has."
    def give_up(self, why:str)->None:
        "Go on with what there is; one line, if that is the interpreter."
    def start(self)->None:
        "Have the other process begin."
    def finish(self)->None:
        "The other process is through. If what it made is gone again, it is tried again later."
    def poll(self)->None:
        "Between two launches: go on with what there is to do."
    def wait(self)->None:
        "Have the traces now."
    def close(self)->None:
        "End the other process."
def use_traces(
    emulator:Emulator,
    mode:str|None=None, # One of `TRACE_MODES`; None: as GBXNB_TRACES says, or `auto`
)->None:
    "From now on, run the traces of the emulator's cartridge."
