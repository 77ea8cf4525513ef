"""N Game Boys as one environment: actions in, screens out, nothing else, and nothing done twice."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from typing_extensions import Self as _Self
from gbxnb.base.config import Count
from gbxnb.envs.config import ActionCodec
__all__ = ['STATS', 'FRESH', 'CLOSED', 'Info', 'Judge', 'PixelsEnv', 'reset_mask', 'check_start']
import json
from dataclasses import asdict, replace
from pathlib import Path
from reprlib import repr as brief
import numpy as np
import torch
import warp as wp
from fastcore.basics import patch
from ..base.config import WorldSpec, code_of
from ..base.figures import SHAPE, palette_rgb
from ..base.files import MAX_JSON, Spec, UserError, check_arrays, check_int
from ..base.parallel import uncopied
from ..base.startup import find_device
from ..backends.base import Backend, Recorder, Snapshot, VariableTable, divergence
from ..backends.warp import make_backend
from ..emulator.cartridge import Cartridge
from ..emulator.emulator import alone
from ..emulator.machine import Reg, as_words
from ..emulator.render import to_image
from ..emulator.rows import LIMITS
from ..emulator.trap import fault_text
from .config import ENV_DEFAULTS, EnvConfig, Pad, action_codec, find_observation
from .observer import Lines, Observer, Stack
from .starts import MAX_STARTS, ResetCache, check_seed
from .watch_list import Coverage, Watcher, WatchList
from ..watch.variables import check_writable_variable, with_hooks
_count_steps: _Any = None
STATS = ('done_sum', 'trunc_sum', 'ended_sum', 'reward_sum', 'episode_return_sum', 'episode_length_sum')
_sum_up: _Any = None

class Info(dict):
    "The info of a step; its error for a missing entry names the mode."
    def __init__(self, mode, entries)->None:
        self.mode = mode; super().__init__(entries)
    def __missing__(self, key): ...
def _with_noops(backend, snapshots, noops):
    "Each snapshot, and the states 1..noops frames later."
def check_types(**values)->None:
    "Raise `TypeError` for the first pair of a value and a type that does not fit."
def _check_starts(start, noops):
    "The snapshots an environment begins with; None if it begins at the power switch."
def _check_backend(backend, cart, num_envs, device):
    "A given backend, if it fits the other arguments."

class TorchRecorder(Recorder):
    "Records launches with operations of torch between them."
    def capture(self, launches):
        "Record launches; returns a function that makes them again."

class Judge:
    "What a step is worth: nothing. The base of those that pay."
    form = 'PixelsEnv' # What saved states call an environment with such a judge
    by_torch = False # Whether torch takes part in a step
    goal = None # The `GoalTemplate`, where there is one
    env:'PixelsEnv'
    def check(self, cart:Cartridge, cfg:EnvConfig, watch:WatchList)->None:
        "Raise for what does not fit, before there are consoles."
    def begin(self, env:'PixelsEnv')->None:
        "Make tensors; `env` has all of its own."
    def pay(self)->None:
        "Write `env.reward` and `env.done`."
    def reset(self)->None:
        "Follow a reset of the environments in `env.mask`."
    def measure_starts(self, first:int=0)->None:
        "Look at the snapshots of the bank, from number `first` on."
    def info(self)->dict: ...
    def start_info(self)->dict: ...
    def kept(self)->dict: ...
    def about(self)->dict: ...
    def facts(self)->dict: ...
FRESH = 'an environment must be reset before its first step'
CLOSED = 'this environment was closed; make another'

class PixelsEnv:
    "N Game Boys; screens are all that a policy sees."
    metadata = dict(autoreset_mode='SAME_STEP')
    obs_dtype = torch.uint8
    __reduce_ex__ = uncopied('make another; its `load_state_dict` takes what `state_dict` gave')
    curriculum = None # what chooses the starts as episodes end, see `gbxnb.envs.starts`
    task = None # The `Task` that is played, where there is one
    watch:WatchList
    judge:Judge
    cart:Cartridge
    cfg:EnvConfig
    num_envs:int
    codec:ActionCodec
    device:torch.device
    frames_per_step:Count
    cache:ResetCache
    watcher:Watcher|None
    coverage:Coverage|None
    pad:Pad
    _unready:str # why no step is possible; empty if one is
    recorder:TorchRecorder|Recorder
    _every:torch.Tensor
    faults:torch.Tensor
    info:Info
    def __init__(self,
        rom:Cartridge|bytes|str|Path, # The cartridge, or its file
        num_envs:int, # N
        cfg:EnvConfig=ENV_DEFAULTS, # What a step and an episode are
        start:Snapshot|list[Snapshot]|None=None, # Where episodes begin; by default at the power switch
        judge:Judge|None=None, # What pays for a step; by default nothing does
        backend:str|Backend='auto', # What runs the consoles
        device:str='auto', # cpu, cuda, cuda:1 ...; auto prefers a GPU
        seed:int=0, # Of all random choices; `reset(seed=...)` gives another
        first:int=0, # Number of the first console, where several processes share a batch
        watch:WatchList|None=None, # What is read from memory, see `make_watch_list`
    )->None:
        watch, judge = watch or WatchList(), judge or Judge()
        check_types(cfg=(cfg, EnvConfig), watch=(watch, WatchList), judge=(judge, Judge))
        check_int(1, num_envs=num_envs)
        check_int(0, first=first)
        check_seed(seed)
        starts = _check_starts(start, cfg.start_noops)
        self.watch, self.judge, self.goal, cart = watch, judge, judge.goal, Cartridge.load(rom)
        judge.check(cart, cfg, watch)
        if watch.random_ram and (starts or cfg.start_noops):
            raise UserError('watch: random_ram wants episodes that begin at the power switch, '
                            'without a start and without start_noops')
        self.cart, own = with_hooks(cart, watch.hooks), isinstance(backend, str)
        if own: self.backend = make_backend(backend, self.cart, num_envs, device)
        else: self.backend = _check_backend(backend, self.cart, num_envs, device)
        self.cfg, self.num_envs, self.codec = cfg, num_envs, action_codec(cfg.action_codec_id)
        try: self._set_up(starts, seed, first)
        except BaseException:
            if own: self.backend.close()
            raise
    def __enter__(self)->_Self: ...
    def __exit__(self, *exc)->None: ...
    def _set_up(self, starts, seed, first)->None:
        b, cfg = self.backend, self.cfg
        if b.device.startswith('cuda'): torch.cuda.set_stream(wp.stream_to_torch(wp.get_stream(b.device)))
        self.device, self.num_actions = torch.device(wp.device_to_torch(b.device)), self.codec.num_actions
        self.action_codec_id, self.frames_per_step = self.codec.id, cfg.frames_per_step
        self.fps = 59.7275/cfg.frames_per_step # steps in a second of the console's time
        self.rom_sha256 = b.rom_sha256
        bank = _with_noops(b, [b.snapshot(0)] if starts is None else starts, cfg.start_noops)
        self.cache = ResetCache(b, bank, first)
        self.cache.reseed(seed)
        self.watcher = Watcher(self.watch, b, self.cart, self.cache) if self.watch else None
        places = self.watch.coverage
        self.coverage = Coverage(places, b.num_envs, self.device) if places else None
        self.pad, self._screens = Pad(self.codec, b.buttons), None # whole ones, once they are asked for
        self._source = None # of which environments others become copies, once that is asked for
        self._unready = FRESH # why no step is possible; empty if one is
        _make_observations(self)
        by_torch = self.coverage or self.observer or self.judge.by_torch
        self.recorder = TorchRecorder(b.device) if by_torch else Recorder(b.device)
        self._make_tensors()
    def _new(self,
        dtype, # A Warp type
        *shape, # By default [N]
    ):
        "A Warp array of zeros, and the same memory as a torch tensor."
    def _make_tensors(self)->None:
        self._ended, self.ended = self._new(wp.bool)
        self._mask, self.mask = self._new(wp.bool)
        self._every = torch.ones_like(self.mask)
        self._length, self.episode_length = self._new(wp.int32)
        if self.cfg.sticky: self.pad.stick(self.cfg.sticky, self.cache, self._ended, self._length)
        self._total, self.episode_return = self._new(wp.float32)
        self._reward, self.reward = self._new(wp.float32)
        self._done, self.done = self._new(wp.bool)
        self._trunc, self.trunc = self._new(wp.bool)
        self.faults = wp.to_torch(self.backend.faults)
        full = dict(final_obs=self.final_obs, _final_obs=self.ended, episode_return=self.episode_return,
                    episode_length=self.episode_length)
        self._stats, self.stats = self._new(wp.float64, len(STATS))
        if self.watcher:
            full |= dict(watched=self.watcher.now, final_watched=self.watcher.reached, hits=self.watcher.hits)
        self.info = Info(self.cfg.info_mode, full if self.cfg.info_mode == 'full' else {})
        if self.cfg.info_mode == 'stats': self.info |= dict(zip(STATS, self.stats))
        self._count = wp.launch(_count_steps, self.num_envs,
                                [self.cfg.max_steps, self._reward, self._done, self._ended, self._length,
                                 self._total, self._trunc], device=self.backend.device, record_cmd=True)
        self._adding = wp.launch(_sum_up, self.num_envs,
                                 [self._reward, self._done, self._trunc, self._ended, self._total, self._length,
                                  self._stats], device=self.backend.device, record_cmd=True)
        self.judge.begin(self)
        if self.cfg.info_mode == 'full': self.info |= self.judge.info()
    @property
    def lock(self):
        "Held by the thread that works on the consoles; a second one waits."
    def close(self)->None:
        "Free the consoles. Closing twice is no mistake."
    def __repr__(self)->str: ...
    def _repr_png_(self): ...
    def frames(self)->torch.Tensor: # uint8[N, 144, 160] shades; the next call overwrites it
        "The whole screen of each console; every second pixel of it is `pix`."
        if self._screens is None: self._screens, self.screens = self._new(wp.uint8, self.num_envs, 144, 160)
        self.backend.draw(self._screens)
        return self.screens
    def rgb(self)->np.ndarray: # uint8[N, 144, 160, 3]
        "The whole screen of each console, in greys."
    def start_info(self)->dict: # Tensors [N, ...] by name
        "The infos of the starts from which the consoles played last."
    def compute_rewards(self)->None:
        "Reward, done, trunc and the counters of the episodes."
    def add_starts(self,
        snapshots:list[Snapshot], # For example `[env.backend.snapshot(i)]`
    )->list[int]: # Their numbers, for `env.cache.choose_from` and for `reset`
        "Add snapshots to the bank while the batch is running."
    def reset(self,
        seed:int|None=None, # Begin all random choices anew; None goes on with them
        options:dict|None=None, # `reset_mask` bool[N], `start` int64[N], `write` {variable: int32[N]}
    )->tuple[torch.Tensor, dict]: # Observations uint8[N, K, 72, 80], and the infos that a start has
        "Begin new episodes."
    def restart(self,
        mask:wp.array|None=None, # bool[N]: these consoles; by default those whose episode ended
        write:dict|None=None, # int32[N] by variable: what memory holds then
        start:torch.Tensor|None=None, # int64[N]: which starts; by default they are chosen
    )->None:
        "Begin episodes: restore a start, write to memory, and begin the stack with the start's picture."
    def step(self,
        actions:torch.Tensor, # int64[N]
        source:torch.Tensor|None=None, # int64[N]: of which environment each becomes a copy first, as by `clone`
    )->tuple: # obs uint8[N, ...], reward f32[N], done bool[N], trunc bool[N], info dict
        "One step of every console. All that is returned is overwritten by the next step."
    def _run(self)->None: ...
    def errors(self)->list[str]: # Empty if all is well
        "What went wrong since the last call; waits for the device."
    def facts(self)->dict: # JSON values by name
        "What identifies the task that is played."
    def totals(self)->dict[str, torch.Tensor]: # Scalars on the device, by name
        "Numbers of the whole batch since it was made."
    def samples(self)->dict[str, float]: # By name; none from fewer than 32 consoles
        "Numbers of the batch at this moment: `divergence`, see `gbxnb.backends.base`."
    def spec(self)->WorldSpec:
        "What must be the same for a policy to mean the same."
    def _kept(self,
        bank:int, # Snapshots in the bank
    )->dict[str, tuple]: # Name to tensor, smallest and largest value
        "Everything that one step hands to the next."
    def state_dict(self)->dict[str, np.ndarray]:
        "Everything needed to go on exactly from here."
    def load_state_dict(self,
        d:dict[str, np.ndarray], # What `state_dict` gave
    )->None:
        "Go on from where `state_dict` was taken."
    def clone(self,
        source:torch.Tensor, # int64[N]: of which environment each becomes a copy; its own number where it stays
    )->None:
        "Copy environments: consoles, stacks, episodes and what is watched. One launch."
def _make_observations(self)->None:
    "What a policy sees, in a stack."
def _begun(self, judged):
    "Infos of starts, with what the judge says of them."
def _check_write(self, values)->None:
    "Raise for what cannot be written, before anything is done."
def _write_values(self, values)->None:
    "Write what `reset` was given, where consoles begin."
def reset_mask(
    options:dict|None, # Of `reset`
    like:torch.Tensor, # bool[N]
    more:tuple[str, ...]=(), # Options that are known beside it
)->torch.Tensor|None: # bool[N]: which environments begin an episode; None is all
    "The environments that are meant, checked."
def check_start(
    start, # Of the options of `reset`: int64[N], numbers of starts; None is as `choose_from` said
    mask:torch.Tensor, # bool[N]: where they are looked at
    size:int, # Starts in the bank
)->None:
    "Raise unless each start that is meant is in the bank; waits for the device."
def _about(self):
    "What a saved state must agree with."
_ANY = None, None
def _agree(self, d):
    "What a state's snapshots are about, if it is of an environment like this one."
def _take_over(self, bank, consoles)->None:
    "New snapshots and consoles, or the old ones and an error."
_NOT_COPIED = {'pix', 'faults', 'seed', 'start_ids', 'choices', 'episode', 'coverage', 'outside', # by us
               'place', 'tally', 'success'}
def _carried(self):
    "Rows of bytes that are copied along with consoles."
def _look_up(self, source)->None:
    "Take over which environments are copied; what may be wrong with a number is seen on the device."
