"""Processes on several hosts meet, say for whom they wait, and notice when one of them is silent."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = []
import contextlib, json, os, secrets, socket, sys, threading, time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
import psutil
import torch.distributed as dist
from fastcore.basics import patch
from torch._C._distributed_c10d import Store, TCPStore # torch.distributed has them, but no checker knows
from .files import UserError
@dataclass(frozen=True)
class Launch:
    "What a launcher told this process."
    rank:int # Its number
    size:int # Processes in all
    address:str # Where they meet
    port:int
TORCHRUN = 'RANK', 'WORLD_SIZE', 'MASTER_ADDR', 'MASTER_PORT'
def launched()->Launch|None: # None where there is only this process
    "What the environment says, or a `UserError`."
def way_to(
    address:str, # A name or a number
)->tuple[str, str]: # The interface that leads there, empty if the system does not say; its own address
    "How this host reaches another: by the card that GLOO_SOCKET_IFNAME names, or the one that leads there."
FIRST_WORD, LONGEST_GAP = 30., 110. # seconds
def say(text:str)->None:
    "A line for a person, from a process that goes on."
class Words:
    "Says from time to time what is waited for."
    clock:_Any
    next:_Any
    say:_Any
    since:_Any
    def __init__(self, say=say, clock=time.monotonic)->None: ...
    def begin(self)->None:
        "The waiting begins now."
    @property
    def waited(self)->float: ...
    def wait(self, text)->None:
        "Say `text()` if it is time."
GIVE_UP = 300. # seconds until one that was never there is given up
def open_store(
    launch:Launch,
)->TCPStore:
    "The store where processes meet, or a `UserError`."
def listening_store(launch:Launch, store:TCPStore)->TCPStore:
    "A second connection to a store, which waits for nobody while the first one does."
ROLL = 'gbxnb/roll'
@dataclass
class Meeting:
    "The processes that have met."
    launch:Launch
    store:Store
    token:str # Of this meeting
    members:list[dict] # What each said of itself: host, pid and more
    def name(self, rank:int)->str: ...
def meet(
    launch:Launch,
    store:Store, # From `open_store`
    **about, # What the others are to know of this process; JSON values
)->Meeting:
    "Wait until all are there, or raise `UserError`."
BEAT, SILENT, GRACE = 3., 170., 20. # seconds: between two beats; until one counts as gone; for a last word
class Heartbeat:
    "Tells whether the other processes of a meeting are alive, and what they do."
    meeting:Meeting
    store:Store
    words:Words
    rank:int
    count:int
    doing:str
    waits:bool
    verdict:str
    heard:dict
    ended:threading.Event
    threads:list
    clock:_Any
    deadline:_Any
    def __init__(self, meeting:Meeting, store:Store, clock=time.monotonic)->None: ...
    def start(self)->'Heartbeat':
        "Begin to listen, in threads that end with the process."
    def end(self)->None:
        "Listen no more; a thread that still talked to the store while the process ends would bring it down."
    def beat(self)->None:
        "Say that this process is alive, and take down who else is."
    def _key(self, rank): ...
    def _listen(self)->None: ...
    def _guard(self)->None: ...
    def look(self)->None:
        "Find a verdict on who is silent; say for whom this process waits."
    def _whom(self):
        "For whom this process waits, and what they do."
    @contextlib.contextmanager
    def within(self, seconds:float, trouble:str)->Iterator[None]:
        "What is done in here must be done in time, or the process ends and says what the trouble is."
    @contextlib.contextmanager
    def waiting(self)->Iterator[None]:
        "This process waits for the others."
    def finish(self,
        work:dist.Work, # An operation on the host that was begun
    )->None:
        "Wait until an operation of all processes is done, or raise `UserError`."
    def _done(self, work)->bool: ...
