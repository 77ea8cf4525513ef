"""A judge that pays for getting nearer to a screen, in one kernel that reads each pixel once."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from gbxnb.backends.base import Backend
from gbxnb.envs.config import Number
from gbxnb.envs.observer import Stack
from gbxnb.envs.starts import ResetCache
from typing import Any
__all__ = ['GoalJudge']
from dataclasses import asdict
import numpy as np
import torch
import warp as wp
from fastcore.basics import patch
from .config import GOAL_DEFAULTS, GoalConfig
from ..base.figures import shown_word
from .pixels import Judge, PixelsEnv, check_types
from .starts import MAX_STARTS
from ..base.files import UserError
from ..base.startup import recording
from .template import METRICS, GoalTemplate
class Goals(_Any): ...
class GoalJudge(Judge):
    "Pays for getting nearer to a screen; done when it is there."
    form = 'PixelsGoalEnv'
    cfg:GoalConfig
    streak:torch.Tensor
    dist:torch.Tensor
    nearest:torch.Tensor
    start_dist:torch.Tensor
    start_nearest:torch.Tensor
    _judging:wp.Launch
    def __init__(self,
        goal:GoalTemplate, # The screen to reach
        cfg:GoalConfig=GOAL_DEFAULTS, # The reward
    )->None: ...
    def check(self, env:PixelsEnv)->None:
        "Raise for a goal of another cartridge, or of other steps."
    def pay(self)->None: ...
    def _goals(self, start_dist:wp.array)->Goals:
        "What the kernel reads."
    def begin(self, env:PixelsEnv)->None:
        "Make the tensors of the goal: `dist` f32[N], `streak` and `nearest` i32[N]."
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
