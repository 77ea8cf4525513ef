"""Threads share the consoles of a launch; processes share jobs."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['cut_batch', 'Workers', 'uncopied', 'start_python', 'last_line', 'Pool', 'call_each']
import contextlib, importlib, json, math, mmap, os, queue, secrets, signal, subprocess, sys
import tempfile, threading, traceback, weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, cast
import numpy as np
import psutil
from fastcore.basics import patch
from .files import UserError
from .progress import Meter, cores
def cut_batch(
    num_envs:int, # N
    parts:int, # At most N of them
)->list[tuple[int, int]]: # First number and length of each
    "Cut a batch into ranges."
class Workers:
    "Threads that make the launches of a batch, range by range."
    threads:int
    _pool:_Any
    _process:_Any
    def __init__(self,
        threads:int, # With that of the caller
    )->None: ...
    def __repr__(self)->str: ...
    def _start(self)->None: ...
    def __call__(self,
        ranges:list, # Of each, the recorded launches (`wp.Launch`) to make one after the other
    )->None:
        "Make all launches; an error of one of them is raised here."
    def close(self)->None:
        "End the other threads; a later call starts them again."
def uncopied(
    instead:str, # What to do
)->Callable: # For `__reduce_ex__`
    "Refuse `copy` and `pickle`."
def start_python(
    code:str, # What it does; `gbxnb` is imported already
    *words, # Its `sys.argv[1:]`
    fix:str, # What to do where no process can be started
    apart:bool=False, # Whether Ctrl-C in a terminal is not for it, but `ask_to_end` is
    **how, # See `subprocess.Popen`
)->subprocess.Popen:
    "Start another Python process with this package, which imports nothing from the current folder."
def last_line(
    process:subprocess.Popen, # One that has ended
    said, # A file with what it printed; None if that went elsewhere
)->str: # A signal's name, the last line, or the exit status
    "How a process ended."
def ask_to_end(
    process:subprocess.Popen, # That was started `apart`
)->None:
    "Do what Ctrl-C does, by the signal that the system has for it; where it has none, end the process."
def array_layout(
    arrays:dict[str, np.ndarray],
)->list: # Name, type and shape of each, for JSON
    "How arrays lie one behind the other."
@contextlib.contextmanager
def shared_memory(
    layout:list, # From `array_layout`
)->Iterator[tuple[str, tuple[int, ...]]]: # Its name; open files, to be inherited where it is used
    "Memory for arrays; while in here, it can be mapped."
def map_arrays(
    layout:list, # From `array_layout`
    name:str, # From `shared_memory`
)->dict[str, np.ndarray]: # By name
    "Arrays in memory that several processes map."
AWAKE = 1.     # seconds after which one that waits looks up: Windows does not wake it for Ctrl-C
_DEAF = 'import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n'
def _listen(asks, asked:queue.SimpleQueue)->None: ...
def serve()->None:
    "What a process of a pool does."
def answer_once()->None:
    "What a process with a single call does."
class Pool:
    "Workers with a range of rows each, which do the same at the same time."
    __reduce_ex__ = uncopied('make another, of its `arrays`')
    ranges:list[tuple[int, int]]
    workers:list
    _waits:bool
    arrays:dict|dict[str, np.ndarray]
    _number:_Any
    close:_Any
    owner:_Any
    def __init__(self,
        make:str, # `module:name` of what makes a worker from (arrays, first, count, **given)
        arrays:dict[str, np.ndarray], # What they share begins as a copy of these
        ranges:list[tuple[int, int]], # First row and number of rows of each worker
        **given, # For `make`; anything JSON can hold
    )->None: ...
    def __repr__(self)->str: ...
    def _begin_here(self, make, arrays, given)->None: ...
    def _begin(self, make, arrays, given)->None: ...
    def _answers(self)->list:
        "The answers of all; an error of one of them is raised. A process that ended takes the others with it."
    def _ask(self, what, args)->list: ...
    def settled(self)->dict[str, np.ndarray]: # By name
        "The arrays, once no worker writes them any more."
    def __call__(self,
        what:str, # A method of the workers
        *args, # Anything JSON can hold
    )->list: # What each gave back
        "Have all workers do something."
def pin(
    process:int, # Its number
    cores:list[int], # Their numbers
)->None:
    "Keep a process to some cores, where the system can."
def call_each(
    place:str, # `module:name` of a function
    calls:list[list], # Its arguments each time: like what it returns, what JSON can hold
    at_once:int, # Processes at most
    meter:Meter, # Shows how many are done
)->Iterator[tuple[int, object]]: # The number of a call, and what it returned
    "Call a function in processes of their own."
