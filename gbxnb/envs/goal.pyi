"""A judge that pays for getting nearer to a screen, in one kernel that reads each pixel once."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from gbxnb.envs.config import Number
from gbxnb.envs.starts import ResetCache
__all__ = ['GoalJudge']
from dataclasses import asdict
import numpy as np
import torch
import warp as wp
from fastcore.basics import patch
from ..emulator.cartridge import Cartridge
from .config import GOAL_DEFAULTS, EnvConfig, GoalConfig, parse_observation
from ..base.figures import shown_word
from .pixels import Judge, PixelsEnv, check_types
from .watch_list import WatchList
from .starts import MAX_STARTS
from ..base.files import UserError
from .template import METRICS, GoalTemplate
_HIGH = wp.constant(wp.uint64(0x8080808080808080))
_LOW = wp.constant(wp.uint64(0x7F7F7F7F7F7F7F7F))
_ONES = wp.constant(wp.uint64(0x0101010101010101))
_differences: _Any = None
_sum_bytes: _Any = None
_unlike: _Any = None

@wp.struct
class Goals:
    "The numbers and the pictures of a task."
    squared: int            # 1 for `l2_mean_norm`
    packed: int             # 1 if `seen` has four pixels in a byte
    masked: int             # 1 if not all pixels count
    relative: int           # 1 if the distance of the first start is the unit of the reward
    tau: float
    k_consecutive: int
    step_cost: float
    alpha: float
    goal_bonus: float
    pix: wp.array2d[wp.uint64]      # of each goal
    mask: wp.array2d[wp.uint64]     # bits that count
    largest: wp.array[wp.float32]   # distance that there can be
    start_dist: wp.array[wp.float32] # of each snapshot of the bank
_unit: _Any = None
_judge_screens: _Any = None

class GoalJudge(Judge):
    "Pays for getting nearer to a screen; done when it is there."
    form = 'PixelsGoalEnv'
    cfg:GoalConfig
    def __init__(self,
        goal:GoalTemplate, # The screen to reach
        cfg:GoalConfig=GOAL_DEFAULTS, # The reward
    )->None: ...
    def check(self, cart:Cartridge, cfg:EnvConfig, watch:WatchList)->None:
        "Raise for a goal of another cartridge, or of other steps."
    def pay(self)->None: ...
    def _goals(self, start_dist:wp.array)->Goals:
        "What the kernel reads."
    def begin(self, env:PixelsEnv)->None:
        "Make the tensors of the goal: `dist` f32[N], `streak` and `nearest` i32[N]."
        self.env = env
        streak, self.streak = env._new(wp.int32)
        dist, self.dist = env._new(wp.float32)
        nearest, self.nearest = env._new(wp.int32)
        start_dist, self.start_dist = env._new(wp.float32, MAX_STARTS)
        _, self.start_nearest = env._new(wp.int32, MAX_STARTS)
        self.measure_starts()
        seen = env.pix_words if self.goal.stack_k == 1 else env.stack.obs_words
        inputs = [self._goals(start_dist), seen, wp.from_torch(env.cache.snap_id), env._ended, streak, dist,
                  nearest, env._reward, env._done]
        self._judging = wp.launch_tiled(_judge_screens, dim=[env.num_envs], inputs=inputs, block_dim=64,
                                        device=env.backend.device, record_cmd=True)
    def measure_starts(self, first:int=0)->None:
        "The distance of each snapshot of the bank, from number `first` on, computed once."
    def _said(self, dist, nearest):
        "How far the goal is, and of several which is the nearest."
    def info(self)->dict: # `dist` f32[N], and `goal` i32[N] of several
        "How far the screens are from the goal."
    def start_info(self)->dict: # The same
        "How far the starts are from the goal from which the consoles played last."
    def reset(self)->None:
        "Where an episode begins, the distance is that of its start."
    def kept(self)->dict: ...
    def about(self)->dict: ...
    def facts(self)->dict: # JSON values by name
        "What identifies the goal."
def _as_words(a, device): ... # uint8[G, K, 72, 80] -> uint64[G, W]
