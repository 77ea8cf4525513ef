"""Environments and vectors of them, as everybody's code expects."""
# Made by `make export` from the module beside it.
__all__ = ['GymVectorEnv', 'GymEnv']
import threading
from collections.abc import Mapping
from reprlib import repr as brief
import gymnasium
import numpy as np
import torch
from fastcore.basics import patch
from gymnasium.spaces import Box, Discrete, MultiBinary, Space
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from ..emulator.emulator import alone
def observation_space(
    env, # A batch of environments
)->Box: # Of one environment
    "What one environment shows: its own shape and type, nothing scaled."
def _presses(env): ...
def action_space(
    env, # A batch of environments
)->Space: # Of one environment
    "A number, or eight buttons that are held or not, in the order of `Button`."
def action_numbers(
    actions, # int[N], or int8[N, 8] where actions are buttons
    env, # A batch of N environments
)->torch.Tensor: # int64[N] on the device of the batch
    "What `env.step` takes."
def render_metadata(
    env, # A batch of environments
)->dict: # `render_modes` and `render_fps`
    "What Gymnasium's `metadata` says of pictures."
def check_render_mode(
    mode:str|None, # What was asked for
    env, # A batch of environments
)->str|None:
    "`mode`, if the environment has it."
GOING_ON = dict(dist=np.float32, action_mask=np.int8, watched=np.int32, hits=np.uint8)
AT_THE_END = dict(dist=np.float32, metrics=np.float32, final_watched=np.int32)
def _own(t): ...
def _chosen(info, kinds):
    "The infos of `kinds`, as numpy arrays [N, ...]; what has names of its own comes under these."
def _layout(*parts):
    "Gymnasium's form for infos: of each (mask, infos) what the masked environments have."
def _start_numbers(start, like, device):
    "Numbers of starts as int64[N]."
def _reset_options(given, like, device='cpu'):
    "The mask bool[N] of a reset, by default `like`, and its other options as tensors."
def _mode(given):
    "An autoreset mode, or its value."

class GymVectorEnv(gymnasium.vector.VectorEnv):
    "N environments as a `gymnasium.vector.VectorEnv` of numpy arrays."
    render_mode:str|None
    single_observation_space:Box
    single_action_space:Space
    _every:np.ndarray
    def __init__(self,
        env, # A batch of environments that keeps the contract
        render_mode:str|None=None, # `rgb_array`, or None
        autoreset_mode:AutoresetMode|str=AutoresetMode.SAME_STEP, # Or its value: SameStep, NextStep, Disabled
    )->None:
        self.env, self.num_envs, self.autoreset_mode = env, env.num_envs, _mode(autoreset_mode)
        self.render_mode = check_render_mode(render_mode, env)
        self.metadata = render_metadata(env) | dict(autoreset_mode=self.autoreset_mode)
        self.single_observation_space, self.single_action_space = observation_space(env), action_space(env)
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)
        self.action_space = batch_space(self.single_action_space, env.num_envs)
        self.lock = getattr(env, 'lock', None) or threading.RLock() # results are copied before another step
        self._every = np.ones(env.num_envs, bool)
        self._waiting = ~self._every # where an end was returned, and not yet what follows it
        self._obs = self._pictures = None # observations of the batch; pictures as they were last shown
    def close_extras(self, **kwargs)->None: ...
    def _start_info(self): ...
    def _begin(self, mask, seed=None, options=None):
        "Begin episodes where bool[N] `mask` is set; their infos."
        mask = torch.from_numpy(mask).to(self.env.device)
        self._obs, info = self.env.reset(seed=seed, options=dict(options or {}, reset_mask=mask))
        return _chosen(info, GOING_ON)
    def reset(self, *, seed=None, options=None):
        super(GymVectorEnv, self).reset(seed=seed)
        mask, options = _reset_options(options, self._every, self.env.device)
        begun = mask & self._waiting & (seed is None and not options)
        self._waiting &= ~mask
        parts = [(begun, _chosen(self._start_info(), GOING_ON))] if begun.any() else []
        if (new := mask & ~begun).any(): parts.append((new, self._begin(new, seed, options)))
        return _own(self._obs), _layout(*parts)
    def _end_now(self, ended, going, last):
        "`SAME_STEP`: what is new is returned, what was last is in the infos."
    def _end_later(self, ended, going, last):
        "The other modes: what was last is returned; what waited since the step before begins."
        obs, waited, parts = _own(self._obs), self._waiting, [(ended, last)]
        obs[ended] = _own(self.env.final_obs)[ended]
        if waited.any():
            parts.append((waited, self._begin(waited)))
            obs[waited] = _own(self._obs)[waited]
        self._waiting = ended
        return obs, _layout((~(ended | waited), going), *parts)
    def step(self, actions):
        numbers, waited = action_numbers(actions, self.env), self._waiting
        if self.autoreset_mode is AutoresetMode.DISABLED and waited.any():
            raise RuntimeError(f'the episode of environment {waited.argmax()} has ended; reset it before the '
                           'next step, with options=dict(reset_mask=...) in a vector environment')
        if waited.any(): numbers[torch.from_numpy(waited)] = 0 # their actions are ignored
        self._obs, reward, done, trunc, info = self.env.step(numbers)
        terminated, truncated = _own(done) & ~waited, _own(trunc) & ~waited
        reward = np.where(waited, 0, _own(reward).astype(np.float64))
        shown = self._end_now if self.autoreset_mode is AutoresetMode.SAME_STEP else self._end_later
        obs, infos = shown(terminated | truncated, _chosen(info, GOING_ON), _chosen(info, AT_THE_END))
        return obs, reward, terminated, truncated, infos
    def render(self):
        if self.render_mode is None: return None
        pictures = self.env.rgb()
        if self._pictures is not None: pictures[self._waiting] = self._pictures[self._waiting]
        self._pictures = pictures
        return tuple(pictures)
def _first(infos): ...

class GymEnv(gymnasium.Env):
    "An environment of one console, or of one of anything else, as a `gymnasium.Env`."
    envs:GymVectorEnv
    render_mode:str|None
    metadata:dict
    observation_space:Box
    action_space:Space
    def __init__(self,
        env, # A batch of one environment that keeps the contract
        render_mode:str|None=None, # `rgb_array`, or None
    )->None:
        if env.num_envs != 1:
            raise ValueError(f'num_envs is {env.num_envs}, but must be 1; use GymVectorEnv')
        self.env, self.envs = env, GymVectorEnv(env, render_mode, AutoresetMode.DISABLED)
        self.render_mode, self.metadata = render_mode, render_metadata(env)
        self.observation_space, self.action_space = observation_space(env), action_space(env)
    def reset(self, *, seed=None, options=None): ...
    def step(self, action): ...
    def render(self): ...
    def close(self)->None: ...
