"""Several processes share one run: how they agree, and how they start."""
# Made by `make export` from the module beside it.
__all__ = ['TORCHRUN', 'ProcessGroup', 'group_mean', 'group_var', 'join']
import json, os
from contextlib import contextmanager
from datetime import timedelta
import torch
import torch.distributed as dist
from fastcore.basics import patch
from .files import UserError

class ProcessGroup:
    "The processes that share a run. Here there is only one, and the sum over all is its own."
    rank, size = 0, 1
    def local_envs(self,
        cfg, # Uses num_envs
    )->int: # Environments of this process
        "How many environments each process plays."
    def local_rows(self,
        x:torch.Tensor, # `[size*n, ...]`, a row for each environment of the whole group
    )->torch.Tensor: # `[n, ...]`
        "The rows of this process."
    def sum(self, x:torch.Tensor)->torch.Tensor: ...
    def gather(self, entry:dict)->list[dict]: ...
    def average(self, model)->None: ...
    def leave(self)->None: ...
    def minibatches(self,
        samples:int, # Of this process, T*n of them
        cfg, # Uses minibatches
        generator:torch.Generator, # Same state in all processes
        device, # Where the result will be
    )->tuple[torch.Tensor, ...]: # Numbers of samples
        "The samples of one epoch, dealt anew."
    def advantage_stats(self,
        advantages:torch.Tensor, # Of this process
        parts:tuple[torch.Tensor, ...], # From `minibatches`
    )->list: # (mean, deviation) of each minibatch, or None where it is all here
        "Mean and deviation of the advantages of each minibatch."
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
    def __init__(self)->None: ...
    def __repr__(self)->str: ...
    @contextmanager
    def _together(self): ...
    def sum(self, x)->torch.Tensor: ...
    def leave(self)->None: ...
    def average(self,
        model:torch.nn.Module, # Its gradients become the mean over all processes; a layer may have none
    )->None:
        "Replace the gradients by their mean over all processes."
    def local_envs(self, cfg)->int: ...
    def minibatches(self, samples, cfg, generator, device)->tuple[torch.Tensor, ...]: ...
    def advantage_stats(self, advantages, parts)->list: ...
    def gather(self, entry)->list[dict]: ...
TORCHRUN = 'RANK', 'WORLD_SIZE', 'MASTER_ADDR', 'MASTER_PORT'
def join(
    device:str='auto', # As the command was given it
    timeout_s:int=3600, # How long to wait for others that are busy
)->tuple[ProcessGroup, str]: # The processes that share the run, and this one's device
    "Find the other processes, if there are any."
ENTRY = 1024 # bytes; the name, hash and size of a file have about 150
