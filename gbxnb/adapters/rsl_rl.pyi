"""Tensors in, tensors out: the PPO of robotics on N consoles, with a policy that picks one of several actions."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['CONVOLUTIONS', 'RslRlEnv', 'runner_config']
from typing import Any
import torch
from fastcore.basics import patch
from torch import nn
from .gymnasium import is_picture, shown
from .stable_baselines3 import named
from ..base.files import UserError, need
from ..base.group import as_usual
from ..worlds.contract import World
class OneHotCategorical(nn.Module):
    "One of several actions, as a row of 0 and a single 1; a distribution for rsl_rl's models."
    input_dim:_Any
    logp:_Any
    output_dim:_Any
    def __init__(self, output_dim)->None: ...
    def update(self, mlp_output)->None: ...
    def as_deterministic_output_module(self)->nn.Module: ...
    def deterministic_output(self, mlp_output)->Any: ...
    def sample(self)->torch.Tensor: ...
    def log_prob(self, outputs)->torch.Tensor: ...
    def kl_divergence(self, old_params, new_params)->torch.Tensor: ...
    def init_mlp_weights(self, mlp)->None: ...
    @property
    def mean(self)->torch.Tensor: ...
    @property
    def std(self)->torch.Tensor: ...
    @property
    def entropy(self)->torch.Tensor: ...
    @property
    def params(self)->tuple[torch.Tensor]: ...
def one_hot(actions, n:int)->torch.Tensor: ...
class Likeliest(nn.Module):
    "The likeliest action of each row, for models that are exported."
    def forward(self, logits)->Any: ...
class RslRlEnv:
    "N environments with the interface of rsl_rl 5."
    env:World
    device:torch.device
    num_envs:int
    num_actions:int
    _length:torch.Tensor
    _ahead:bool
    cfg:_Any
    max_episode_length:_Any
    obs:_Any
    def __init__(self,
        env:World, # Any world
    )->None: ...
    def reset(self)->Any:
        "Begin all episodes; returns the observations."
    def get_observations(self)->Any: ...
    def _group(self, obs): ...
    def step(self,
        actions:torch.Tensor, # f32[N, num_actions], of which the largest counts; or int64[N]
    )->tuple:
        "Observations, rewards f32[N], dones bool[N], extras."
    def _log(self, info, dones):
        "Numbers of the episodes that ended."
    def _count(self, dones)->None: ...
CONVOLUTIONS:dict
def runner_config(
    env:RslRlEnv, # Whose observations and actions
    rollout_steps:int=32, # Steps of each environment between two updates
    hidden:tuple=(128,), # Layers of the actor and of the critic
    **algorithm, # Options of rsl_rl's PPO
)->dict: # For `OnPolicyRunner`
    "A configuration for rsl_rl: PPO with a categorical policy."
