"""Slots on the device that a batch of environments fills, and the run that they belong to."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['free_bytes', 'Demonstration', 'Run', 'make_optimizer', 'model_for', 'find_demonstration', 'start_run']
import secrets
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast
import torch
from fastcore.basics import patch
from ..base.files import Stop, UserError
from ..base.group import ProcessGroup, as_usual, group_mean, group_var
from ..base.progress import memory
from ..logs.metrics import Reducer
from .config import Precision, TrainConfig
from .models import action_logprobs, make_model, noise, sample_actions
from ..worlds.contract import World, interface_of
def compute_gae(
    rewards:torch.Tensor, # f32 `[T, N]`
    values:torch.Tensor, # V of the observation acted on, `[T, N]`
    dones:torch.Tensor, # bool `[T, N]`: the episode ended in this step
    truncs:torch.Tensor, # bool `[T, N]`: the step limit ended the episode
    final_values:torch.Tensor, # V(final_obs) `[T, N]`, read where `truncs` only
    last_value:torch.Tensor, # V of the observation after the last step, `[N]`
    gamma:float, # Discount per step
    lam:float, # GAE's decay; 0 is one-step TD, 1 is Monte Carlo
)->tuple[torch.Tensor, torch.Tensor]: # advantages and returns (targets of the critic), both `[T, N]`
    "Generalised advantage estimation with truncation done right."
class Rollout:
    "T steps of N environments: filled in order, turned into a batch once, then filled again."
    steps:int
    num_envs:int
    obs:torch.Tensor
    scratch:dict[str, torch.Tensor] # where a step computes, see `gbxnb.training.models`
    begun:bool
    _columns:_Any
    actions:_Any
    dones:_Any
    final_values:_Any
    logprobs:_Any
    recorded_envs:_Any
    rewards:_Any
    t:_Any
    truncs:_Any
    values:_Any
    def __init__(self,
        steps:int, # T, steps of each environment
        num_envs:int, # N
        obs_shape:tuple[int, ...], # Shape of one observation
        obs_dtype:torch.dtype, # Type of observations
        device:str, # Where everything is kept
        recorded_envs:int|None=None, # Environments whose observations are kept, from the first; None is all
    )->None: ...
    def compute_gae(self, last_value, gamma, lam)->tuple[torch.Tensor, torch.Tensor]:
        "Advantages and returns of the whole rollout, `[T, N]` each; it is empty afterwards."
    def __repr__(self)->str: ...
    def begin(self,
        obs:torch.Tensor, # The environment's current observation `[N, *obs_shape]`
    )->torch.Tensor: # The stored copy `[recorded_envs, *obs_shape]`; a policy that learns from it must act on it
        "Open the next slot with a copy of `obs`."
    def append(self,
        actions:torch.Tensor|None, # int64 `[N]`; None, here and below: they lie in the slot already
        logprobs:torch.Tensor|None, # Their log-probabilities `[N]`
        values:torch.Tensor, # Values of the observations acted on `[N]`
        rewards:torch.Tensor, # f32 `[N]`
        dones:torch.Tensor, # bool `[N]`
        truncs:torch.Tensor, # bool `[N]`
        final_values:torch.Tensor|None, # V(final_obs) `[N]`, read where `truncs`
    )->None:
        "Close the slot that `begin` opened."
    def still(self)->torch.Tensor: # f32 `[recorded_envs]`
        "The share of the observations of each environment that are those of an eighth, or of 8 steps, before."
    def batch(self,
        last_value:torch.Tensor, # V of the observation after the last step, `[N]`
        gamma:float, # Discount per step
        lam:float, # GAE's decay
    )->Batch: # T*N samples; `obs` is the rollout's own memory, good until the next `begin`
        "The whole rollout as samples; it is empty afterwards."
    def size(self)->str: # A line to print
        "How large it is."
@dataclass(frozen=True)
class Batch:
    "Samples to learn from; every field has the same first dimension."
    obs: torch.Tensor # What was acted on, `[B, *obs_shape]`
    actions: torch.Tensor # int64 `[B]`
    logprobs: torch.Tensor # Log-probability of the action when it was chosen, `[B]`
    values: torch.Tensor # Value of `obs` when it was acted on, `[B]`
    advantages: torch.Tensor # `[B]`
    returns: torch.Tensor # Target of the critic, `[B]`
    def __len__(self)->int: ...
    def take(self,
        index:torch.Tensor, # int64 `[b]`: numbers of samples
        room:'Batch|None'=None, # Samples that nobody needs any more; if they are b, these overwrite them
    )->'Batch':
        "Some of the samples, copied."
def truncated_values(
    model, # The actor-critic
    final_obs:torch.Tensor, # Last observations of the episodes that ended, `[N, *obs_shape]`
    truncs:torch.Tensor, # bool `[N]`
    out:torch.Tensor, # f32 `[N]`, overwritten
)->torch.Tensor: # `out`, 0 where not truncated
    "V(final_obs) of the truncated environments."
def explained_variance(
    values:torch.Tensor, # What the critic said, any shape
    returns:torch.Tensor, # What came, of the same shape
    group:ProcessGroup=ProcessGroup(), # Whose samples count
)->torch.Tensor: # scalar, at most 1; 0 where the returns do not vary
    "The share of the returns' variance that the critic foresaw."
def rollout_bytes(
    steps:int, # T
    num_envs:int, # N
    obs_shape:tuple[int, ...], # Shape of one observation
    obs_itemsize:int=1, # Bytes of one element
    recorded_envs:int|None=None, # See `Rollout`
)->tuple[int, int]: # bytes of the observations, bytes of everything
    "The size of a `Rollout`."
def free_bytes(
    device:str|torch.device, # `cpu` or a CUDA device
)->int:
    "Memory that is free on `device`."
def check_memory(
    steps:int, # T
    num_envs:int, # N
    obs_shape:tuple[int, ...], # Shape of one observation
    obs_itemsize:int, # Bytes of one element
    device:str, # Where the rollout would live
    recorded_envs:int|None=None, # See `Rollout`
    free:int|None=None, # Free bytes; by default those of the device
    learning:int=0, # Bytes of a minibatch, see `kept_bytes`
)->None:
    "Refuse a rollout that does not fit, before it is made, or one that could not be learned from."
def kept_bytes(
    model:torch.nn.Module, # Maps observations to logits and values
    obs:torch.Tensor, # Two of them, `[2, *obs_shape]`
)->int: # Of one observation, on the device
    "What autograd keeps of an observation until it was learned from."
class Demonstration(NamedTuple):
    "What a script sees, does, and is paid from there on, discounted."
    obs: torch.Tensor # `[L, *obs_shape]`
    actions: torch.Tensor # int64 `[L]`
    returns: torch.Tensor # f32 `[L]`
@dataclass
class Run:
    "A training run at one moment."
    env: World # The batch of environments
    cfg: TrainConfig # Its class says which algorithm
    model: torch.nn.Module # Maps observations `[N, *obs_shape]` to logits `[N, A]` and values `[N]`
    optimizer: torch.optim.Optimizer
    generator: torch.Generator # Draws actions and shuffles minibatches
    rollout: Rollout
    reducer: Reducer # Totals for the log, on the device
    obs: torch.Tensor # What the environments show now, `[N, *obs_shape]`
    run_id: str # Name of the run; kept when it is resumed
    updates: int # How many are planned
    group: ProcessGroup = field(default_factory=ProcessGroup) # The processes that share it; `env` is a part
    update: int = 0 # How many are done
    env_steps: int = 0 # Steps of all environments together, in whole rollouts
    opt_steps: int = 0 # Steps of the optimiser; the algorithm counts them
    wall_time_s: float = 0. # Seconds spent in the loop
    record: dict = field(default_factory=dict) # The record of the last update
    resumed: bool = False # Whether it was taken up from a checkpoint
    stop: Stop = field(default_factory=Stop) # Whether the process was asked to end
    crash_report: str = '' # Folder of its crash report, beside its log, if it ended badly
    script: Demonstration|None = None # What is imitated, if anything
    begun: str = field(default_factory=lambda: secrets.token_hex(8)) # Tells it from others of its name
    jobs: list[str] = field(default_factory=list) # Of launchers, that have worked on it
    def meet(self)->None:
        "Let what chooses the starts follow from all parts: before the first update, and after each."
    def __repr__(self)->str: ...
    def look(self,
        obs:torch.Tensor, # `[N, *obs_shape]`
    )->tuple[torch.Tensor, torch.Tensor]: # logits `[N, A]` and values `[N]`
        "The network's answer, for each part of the environments by itself."
    def _final_values(self, truncs):
        "V of the last observation of the episodes that ran out of time, in the slot of this step."
    def step(self,
        logits:torch.Tensor, # The policy on what is shown, `[N, A]`
        values:torch.Tensor, # The critic, `[N]`
    )->Transition:
        "One step of all environments, stored and counted; `rollout.begin` has stored what is shown."
    def collect(self,
        lam:float, # GAE's decay: 0 is one-step TD, 1 is Monte Carlo
    )->Batch: # T*N samples with advantages
        "Play one rollout with the present policy."
    def set_lr(self)->None: ...
    def learn(self)->dict: ...
    def log_update(self,
        fields:dict, # From `learn`
        began:float, # `time.perf_counter()` at the start of this update
    )->None: ...
    def asked_to_end(self)->bool: ...
def make_optimizer(
    model:torch.nn.Module, # Will be changed by it
    cfg:TrainConfig, # Uses lr and adam_eps
)->torch.optim.Adam:
    "Adam with the options of a run, in one kernel."
def model_for(
    env:World, # Whose observations it will see
    name:str, # Of a registered network
    seed:int=0, # Of the initial weights
    precision:Precision='float32', # Of the trunk
)->torch.nn.Module:
    "A fresh network for what a world shows."
def find_demonstration(
    env:World, # Its `demonstration()`, if it has any, gives observations, actions and rewards of a script
    cfg:TrainConfig, # Uses imitation_coef and gamma
)->Demonstration|None: # None if none is wanted
    "The script that is imitated."
def start_run(
    env:World, # `cfg.num_envs` environments, or this process's share of them
    cfg:TrainConfig, # All options; their class says which algorithm
    steps:int, # Environment steps to play in all; whole updates only
    run_id:str='run', # Name of the run
    group:ProcessGroup=ProcessGroup(), # The processes that share it
)->Run:
    "A fresh run: new weights, environments at their start."
def compile_model(
    model:torch.nn.Module, # Compiled in place
    env:World, # Whose observations it will see
)->None:
    "Let `torch.compile` translate the network, or say why it cannot."
class Transition(NamedTuple):
    "What N environments answered to one step."
    obs: torch.Tensor # What they show next `[N, *obs_shape]`: another episode where one ended
    actions: torch.Tensor # What was done, int64 `[N]`
    rewards: torch.Tensor # f32 `[N]`
    dones: torch.Tensor # bool `[N]`: the goal was reached
    truncs: torch.Tensor # bool `[N]`: the step limit ended the episode
    final_values: torch.Tensor # V of the last observation of that episode `[N]`, read where `truncs` only
class Sums:
    "Sums of the figures of an update."
    names:list
    row:torch.Tensor|None
    count:_Any
    total:_Any
    def __init__(self)->None: ...
    def add(self,
        *figures:dict[str, torch.Tensor], # Of each part: scalars of the same names each time
    )->None:
        "Add those of one minibatch."
    def means(self,
        group:ProcessGroup, # The processes that learn together
    )->dict[str, torch.Tensor]: # scalars
        "The mean of each over all minibatches, parts and processes."
def actor_critic_fields(
    run:Run, # After an update
    stats:dict, # The losses, entropy, explained variance and gradient norm of the update
    values:torch.Tensor, # What the critic said while playing, any shape
)->dict: # Fields of `gbxnb.logs.schema.ActorCriticRecord` and `grad_norm`; scalars on the device
    "The record of an actor-critic's update."
