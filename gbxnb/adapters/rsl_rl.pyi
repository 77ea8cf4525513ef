"""Tensors in, tensors out: the PPO of robotics on N consoles, with a policy that picks one of several actions."""
# Made by `make export` from the module beside it.
__all__ = ['CONVOLUTIONS', 'RslRlEnv', 'runner_config']
import torch
from fastcore.basics import patch
from torch import nn
from .stable_baselines3 import has_goal, is_picture, named, shown
from ..base.files import UserError, need
from ..worlds.contract import World

class OneHotCategorical(nn.Module):
    "One of several actions, as a row of 0 and a single 1; a distribution for rsl_rl's models."
    def __init__(self, output_dim)->None:
        super().__init__()
        self.output_dim = self.input_dim = output_dim
    def update(self, mlp_output)->None:
        self.logp = mlp_output.log_softmax(-1)
    def as_deterministic_output_module(self): ...
    def deterministic_output(self, mlp_output): ...
    def sample(self): ...
    def log_prob(self, outputs): ...
    def kl_divergence(self, old_params, new_params): ...
    def init_mlp_weights(self, mlp)->None: ...
    @property
    def mean(self): ...
    @property
    def std(self): ...
    @property
    def entropy(self): ...
    @property
    def params(self): ...
def one_hot(actions, n:int): ...

class Likeliest(nn.Module):
    "The likeliest action of each row, for models that are exported."
    def forward(self, logits): ...

class RslRlEnv:
    "N environments with the interface of rsl_rl 5."
    env:World
    device:torch.device
    num_envs:int
    num_actions:int
    _length:torch.Tensor
    _ahead:bool
    def __init__(self,
        env:World, # Any world
    )->None:
        need('tensordict', 'adapters')
        self.env, self.device = env, env.device
        self.num_envs, self.num_actions = env.num_envs, env.num_actions
        self.cfg = getattr(env, 'cfg', {})
        self.max_episode_length = getattr(self.cfg, 'max_steps', getattr(env, 'max_steps', 0))
        self._length, self._ahead = torch.zeros(env.num_envs, dtype=torch.int32, device=env.device), False
        self.reset()
    def reset(self):
        "Begin all episodes; returns the observations."
        self.obs = self.env.reset()[0]
        self._length.zero_()
        return self.get_observations()
    def get_observations(self): ...
    def _group(self, obs): ...
    def step(self,
        actions:torch.Tensor, # f32[N, num_actions], of which the largest counts; or int64[N]
    ):
        "Observations, rewards f32[N], dones bool[N], extras."
        if actions.ndim == 2:
            if actions.shape[1] != self.num_actions:
                right = [self.num_envs, self.num_actions]
                raise ValueError(f'actions have shape {list(actions.shape)}, but must have {right}')
            actions = actions.argmax(-1)
        self.obs, reward, done, trunc, info = self.env.step(actions)
        dones = done | trunc
        extras = dict(time_outs=trunc & ~done, log=self._log(info, done, dones))
        self._count(dones)
        return self.get_observations(), reward.clone(), dones, extras
    def _log(self, info, done, dones):
        "Numbers of the episodes that ended."
    def _count(self, dones)->None: ...
def _counter(env):
    "The tensor int32[N] by which a world truncates."
def _age(self): ...
def _set_age(self, value)->None: ...
RslRlEnv.episode_length_buf = property(_age, _set_age, doc='Steps of each episode so far, int32[N]')
CONVOLUTIONS = dict(output_channels=[16, 32, 32], kernel_size=[8, 4, 3], stride=[4, 2, 1], activation='relu')
def runner_config(
    env:RslRlEnv, # Whose observations and actions
    rollout_steps:int=32, # Steps of each environment between two updates
    hidden:tuple=(128,), # Layers of the actor and of the critic
    **algorithm, # Options of rsl_rl's PPO
)->dict: # For `OnPolicyRunner`
    "A configuration for rsl_rl: PPO with a categorical policy."
