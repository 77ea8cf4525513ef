"""N consoles as one `EnvBase`: a batch whose size is locked, tensors that stay on the device."""
# Made by `make export` from the module beside it.
__all__ = []
import torch
from fastcore.basics import patch
from gymnasium.spaces import MultiBinary
from .gymnasium import action_space
from .stable_baselines3 import shown, shown_space
from ..base.files import need
from ..worlds.contract import World
def _observation_spec(env): ...
def _action_spec(env): ...
def as_numbers(
    actions:torch.Tensor, # int64[N], or [N, 8] of 0 and 1: the bits of a byte
)->torch.Tensor: # int64[N]
    "Actions as a world takes them."
def masked(
    env:World, # Any world
)->bool:
    "Whether a world says which actions are valid."
ENDS = 'done', 'terminated', 'truncated'

class TorchRLEnv(EnvBase):
    "N environments as an `EnvBase` of TorchRL."
    env:World
    def __init__(self,
        env:World, # Any world; close this and you close it
    )->None:
        need('torchrl', 'adapters')
        from torchrl.data import Binary, Composite, Unbounded
        super().__init__(device=env.device, batch_size=[env.num_envs])
        self.env, self._next_seed = env, None
        self._begun = torch.zeros(env.num_envs, dtype=torch.bool, device=env.device) # a new episode
        self.observation_spec, self.action_spec = _observation_spec(env), _action_spec(env)
        one, where = (env.num_envs, 1), env.device
        self.reward_spec = Unbounded(one, where)
        self.done_spec = Composite({k: Binary(1, one, where, torch.bool) for k in ENDS}, shape=one[:1])
    def _set_seed(self, seed)->None:
        self._next_seed = None if seed is None else seed % 2**31
    def close(self, **kwargs)->None: ...
    def _look(self, obs, info, **ends):
        "What is seen now, and which kinds of ends there are."
    def _step(self, tensordict):
        self._obs, reward, done, trunc, self._info = self.env.step(as_numbers(tensordict['action']))
        self._begun = done | trunc
        where = self._begun.view(-1, *[1]*(self._obs.ndim - 1))
        last = torch.where(where, self.env.final_obs, self._obs)
        out = self._look(last, self._info, done=self._begun, terminated=done.clone(), truncated=trunc.clone())
        return out.set('reward', reward[:, None].clone())
    def _reset(self, tensordict=None, **kwargs):
        "Begin episodes where `_reset` says so; those that have begun already are shown."
        mask = None if tensordict is None else tensordict.get('_reset', None)
        if mask is None:
            self._obs, self._info = self.env.reset(seed=self._next_seed)
            self._next_seed = None
        elif (late := mask.view(-1) & ~self._begun).any():
            self._obs, self._info = self.env.reset(options=dict(reset_mask=late))
        self._begun = torch.zeros_like(self._begun)
        return self._look(self._obs, self._info)
TorchRLEnv.__abstractmethods__ = frozenset() # they are there now
