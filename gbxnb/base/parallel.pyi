"""Threads share the consoles of a launch; processes share jobs."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['cut_batch', 'Workers', 'uncopied', 'start_python', 'last_line', 'Pool', 'call_each']
import contextlib, fcntl, importlib, json, math, mmap, os, select, signal, socket, subprocess, sys
import tempfile, threading, traceback, weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, cast
import numpy as np
from fastcore.basics import patch
from .files import UserError
from .progress import EVERY, Meter
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
        "End the other threads."
def uncopied(
    instead:str, # What to do
)->Callable: # For `__reduce_ex__`
    "Refuse `copy` and `pickle`."
_BEGIN = """import json, sys
standard = [*sys.path]
import site
site.main()
root, path = json.loads(sys.argv.pop(1))
own = [p for p in sys.path if p.endswith(('site-packages', 'dist-packages'))]
sys.path[:] = dict.fromkeys([*standard, *path, *own])
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
spec = PathFinder.find_spec('gbxnb', [root])
sys.modules['gbxnb'] = gbxnb = module_from_spec(spec)
spec.loader.exec_module(gbxnb)
"""
def _import_path()->list[str]:
    "Where another process may import from."
def start_python(
    code:str, # What it does; `gbxnb` is imported already
    *words, # Its `sys.argv[1:]`
    fix:str, # What to do where no process can be started
    **how, # See `subprocess.Popen`
)->subprocess.Popen:
    "Start another Python process with this package, which imports nothing from the current folder."
def last_line(
    process:subprocess.Popen, # One that has ended
    said, # A file with what it printed; None if that went elsewhere
)->str: # A signal's name, the last line, or the exit status
    "How a process ended."
def array_layout(
    arrays:dict[str, np.ndarray],
)->list: # Name, type and shape of each, for JSON
    "How arrays lie one behind the other."
def map_arrays(
    layout:list, # From `array_layout`
    fd:int, # Their memory
)->dict[str, np.ndarray]: # By name
    "Arrays in memory that several processes map."
MAX_MESSAGE = 1 << 17     # bytes
_DEAF = 'import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n'
_WORKER = _DEAF + 'from gbxnb.base.parallel import serve; serve()'
_CALL = _DEAF + 'from gbxnb.base.parallel import answer_once; answer_once()'
def _end_with(pipe:int)->None:
    "The kernel ends this process when the other end of a pipe is closed, whatever Python is doing."
def _owner():
    "The link to the process that this one belongs to, and the first message of that."
def _found(name:str):
    "What `module:name` means."
def _call(worker, what, args): ...
def _answer(number:int, call)->bytes:
    "What a call gave, or the error."
def serve()->None:
    "What a process of a pool does."
def answer_once()->None:
    "What a process with a single call does."
_ERRORS:dict

class _Other:
    "Another process, which answers messages and ends with this one."
    what:str
    fix:str
    process:subprocess.Popen
    link:_Any
    pipe:_Any
    said:_Any
    def __init__(self, code:str, first:list, what:str, fix:str, *fds:int, said=None)->None: ...
    def send(self, message:list)->None: ...
    def receive(self, number:int): # What the call gave, and the error
        "The answer of that number."
    def why(self)->str:
        "How the process ended."
    def ended(self): ...
    def _close(self)->None: ...
    def stop(self)->None: ...
    def leave(self)->None:
        "Let it end by itself, for a minute."

class _Own:
    "A worker in this process."
    message:list
    worker:_Any
    def __init__(self, worker)->None: ...
    def send(self, message:list)->None: ...
    def receive(self, number:int): ...
    def ended(self): ...
    def stop(self)->None: ...
def _stop_all(workers:list, owner:int)->None:
    "End workers of this process; a fork of it has none."
_SMALLER = 'make the batch again, with fewer consoles or processes if memory or processes ran out'

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
def call_each(
    place:str, # `module:name` of a function
    calls:list[list], # Its arguments each time: like what it returns, what JSON can hold
    at_once:int, # Processes at most
    meter:Meter, # Shows how many are done
)->Iterator[tuple[int, object]]: # The number of a call, and what it returned
    "Call a function in processes of their own."
