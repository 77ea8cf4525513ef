"""Several processes share one run: how they agree, and how they start."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from typing_extensions import Self as _Self
__all__ = ['ProcessGroup', 'group_mean', 'group_var', 'Gradients', 'join', 'as_usual']
import contextlib, functools, json, math, os, socket, sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar, cast
import numpy as np
import psutil
import torch
import torch.distributed as dist
from fastcore.basics import patch
from .files import UserError
from .rendezvous import Heartbeat, launched, listening_store, meet, open_store, way_to
class ProcessGroup:
    "The processes that share a run. Here there is only one, and the sum over all is its own."
    rank, size, parts, way = 0, 1, 0, ('', '') # `way`: the network card to the others, and the address there
    parts:_Any
    @property
    def own_parts(self)->int: ...
    @property
    def jobs(self)->list[str]: ...
    def local_envs(self,
        cfg, # Uses num_envs
    )->int: # Environments of this process
        "How many environments each process plays."
    def local_rows(self,
        x:torch.Tensor, # `[size*n, ...]`, a row for each environment of the whole group
    )->torch.Tensor: # `[n, ...]`
        "The rows of this process."
    def total(self,
        rows:torch.Tensor, # `[k, ...]`: what each of k parts in this process adds; k is the same in all
    )->torch.Tensor: # `[...]`
        "The sum of all parts, in their order."
    def sum(self, x:torch.Tensor)->torch.Tensor: ...
    def name(self, rank:int)->str: ...
    def gather(self, entry:dict)->list[dict]: ...
    def share(self, data:bytes)->bytes: ...
    def collect(self, arrays:dict)->list[dict[str, np.ndarray]]: ...
    def deal(self, parts:list[dict])->dict[str, np.ndarray]: ...
    def at_first(self, work)->Any: ...
    def lead(self, rank:int)->None: ...
    def doing(self, what:str)->None: ...
    def leave(self)->None: ...
    def settle(self,
        cfg, # Uses grad_parts, num_envs, rollout_steps and minibatches
    )->Any: # With the number of parts that it has from now on
        "Decide into how many parts the environments are cut."
    def split(self,
        x:torch.Tensor, # `[n, ...]`, a row for each environment of this process
    )->tuple[torch.Tensor, ...]: # A view for each of its parts
        "The rows of each part."
    def whole(self,
        parts, # Tensors `[n, ...]`, one of each part of this process
    )->torch.Tensor:
        "What `split` cuts: the rows of all parts, without a copy where there is one."
    def minibatches(self,
        samples:int, # Of this process, T*n of them
        cfg, # Uses minibatches and rollout_steps
        generator:torch.Generator, # Same state in all processes
        device, # Where the result will be
    )->list[tuple[torch.Tensor, ...]]: # Of each part of this process: numbers of samples, for each minibatch
        "The samples of one epoch, dealt anew."
    def advantage_stats(self,
        advantages:torch.Tensor, # Of this process
        parts:list[tuple[torch.Tensor, ...]], # From `minibatches`
    )->list: # (mean, deviation) of each minibatch, or None where it is all here, in one part
        "Mean and deviation of the advantages of each minibatch."
    def average(self,
        model:torch.nn.Module, # Has gradients of the mean over all environments of this process
    )->None:
        "Replace the gradients by their mean over all processes."
    def agree(self,
        fix:str, # What to do where they differ
        **facts, # JSON values that must be the same in all processes
    )->None:
        "Raise `UserError`, in all processes, for the first fact that is not the same in all."
def group_mean(
    group:ProcessGroup, # The processes that share the run
    x:torch.Tensor, # This process's samples
)->torch.Tensor: # scalar
    "The mean over the samples of all processes."
def group_var(
    group:ProcessGroup, # The processes that share the run
    x:torch.Tensor, # This process's samples
)->torch.Tensor: # scalar, divided by the number of samples
    "The variance of the samples of all processes."
GONE = 'closed', 'reset', 'refused', 'Broken pipe', 'Timed out' # gloo's words for a lost connection
class DistributedGroup(ProcessGroup):
    "The processes that `torchrun` started, or whatever sets RANK and WORLD_SIZE."
    heartbeat:Heartbeat
    first:_Any
    def __init__(self, heartbeat:Heartbeat)->None: ...
    def __repr__(self)->str: ...
    @property
    def jobs(self)->list[str]: ...
    def doing(self, what)->None: ...
    def lead(self, rank)->None: ...
    def _there(self, rank)->int: ...
    def name(self, rank)->str: ...
    @contextlib.contextmanager
    def _together(self): ...
    def _do(self, operation, *args)->None:
        "Let all processes do an operation of `torch.distributed`, to its end."
    def leave(self)->None: ...
    def total(self, rows)->torch.Tensor: ...
    def _all_bytes(self, data:bytes)->list[bytes]:
        "What each process gives, in order."
    def gather(self, entry)->list[dict]: ...
    def at_first(self, work)->Any: # What it gives, in process 0; None elsewhere
        "Let process 0 do something; if it cannot, all processes say why."
    def share(self, data)->bytes:
        "What process 0 gives, in all of them."
    def collect(self, arrays)->list[dict[str, np.ndarray]]:
        "At process 0 the arrays of each process, in order; elsewhere nothing."
    def deal(self, parts)->dict[str, np.ndarray]:
        "Of arrays that process 0 has for each process, those of this one."
class Gradients:
    "The gradients of a model, of each part that this process has."
    group:ProcessGroup
    weights:list
    held:list[list]
    def __init__(self,
        group:ProcessGroup, # The processes that learn together
        model:torch.nn.Module, # Its gradients become the mean over all parts; a layer may have none
    )->None: ...
    def add(self,
        part:int, # 0 .. own_parts - 1
        loss:torch.Tensor, # scalar: a mean over the samples of this part
    )->None:
        "Add the gradient of a loss."
    def mean(self)->None:
        "Leave the mean over all parts in the model."
def join(
    device:str='auto', # As the command was given it
)->tuple[ProcessGroup, str]: # The processes that share the run, and this one's device
    "Find the other processes, if there are any."
def _bytes(arrays)->torch.Tensor:
    "Arrays end to end."
def unlike(
    facts:list[dict], # What each process has, JSON values by name
    names:list[str], # Of the processes, for people
)->str: # Empty if there is none
    "The first thing that is not the same, with both sides."
_F = TypeVar('_F', bound=Callable)
def as_usual(f:_F)->_F:
    "Let a function find torch as in a new process, whatever was set for the caller."
FRESH = 'an environment must be reset before its first step'
CLOSED = 'this environment was closed; make another'
def marks(batch)->tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    "int64[N]: numbers that were no actions since the last `errors`, else 0; and where a GPU looks at them."
def few(lines:list[str])->list[str]:
    "The first three, and how many more there are."
def checked_reset(f:_F)->_F:
    "Of a batch: what begins episodes."
def checked_step(f:_F)->_F:
    "Of a batch: what plays actions, which exist then."
class Batch:
    "N environments side by side; `reset` and `step` of a subclass need no checks of their own."
    num_envs:int # N
    num_actions:int # Actions are 0 ... num_actions - 1
    device:torch.device # Where all tensors live
    _marks:Any = None # see `marks`
    _unready:_Any
    def __init_subclass__(cls, **options)->None: ...
    def __len__(self)->int: ...
    def __enter__(self)->_Self: ...
    def __exit__(self, *exc)->None: ...
    def close(self)->None:
        "Free what is held. Closing twice is no mistake."
    def totals(self,
        group:ProcessGroup=ProcessGroup(), # The processes whose batches count
    )->dict[str, torch.Tensor]: # Scalars on the device, by name
        "Numbers of the whole batch for the log: how many environments `errors` speaks of, if it is this one."
    def errors(self)->list[str]: # Empty if all is well
        "What went wrong since the last call; waits for the device."
