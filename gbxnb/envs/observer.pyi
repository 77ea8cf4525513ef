"""Pictures stacked, cut and averaged on the device."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from collections.abc import Callable
from gbxnb.watch.variables import Variable
__all__ = ['Observer']
import numpy as np
import torch
import warp as wp
from fastcore.basics import patch
from ..base.figures import PACKED_SHAPE, stored_word
from ..base.files import UserError
from ..base.guards import try_out
from ..backends.base import Backend
from ..emulator.machine import as_words
from .config import Observation, Sight, fit_observation
from .watch_list import WatchList

@wp.struct
class Sizes:
    "Of a stack."
    depth:int # Pictures
    picture:int # Words of one as it is kept
    lines:int # Words of the lines below
    packed:int # Whether four pixels stand in a byte
    lanes:int # Threads that share a console
_newest: _Any = None
_push: _Any = None
_begin: _Any = None

class Stack:
    "The observations of N consoles: the last `k` pictures of each."
    size:Sizes
    _inputs:list
    def __init__(self,
        newest:wp.array, # uint8[N, H, W]: where the newest picture appears
        k:int, # Pictures in a stack
        packed:bool=False, # Four pixels in a byte; pictures are 72x80 then
        lines:wp.array|None=None, # uint8[N, R, 80 or 20]: what stands below it; none if there is nothing
    )->None:
        n, device, (high, wide) = newest.shape[0], newest.device, PACKED_SHAPE if packed else newest.shape[1:]
        shape = n, k, high + (0 if lines is None else lines.shape[1]), wide
        self._arrays = newest, wp.zeros(shape, wp.uint8, device), wp.zeros(shape, wp.uint8, device)
        self.newest, self.obs, self.final_obs = (wp.to_torch(a) for a in self._arrays)
        # uint64[N, W], for kernels
        self.newest_words, self.obs_words, self.final_words = (as_words(a) for a in self._arrays)
        lines = wp.zeros((n, 0), wp.uint64, device) if lines is None else as_words(lines)
        self.size = Sizes()
        self.size.depth, self.size.picture, self.size.lines = k, high*wide//8, lines.shape[1]
        self.size.packed, self.size.lanes = int(packed), 1 if device.is_cpu else 64
        self.plain = k == 1 and not packed and not self.size.lines
        self._inputs = [self.size, self.newest_words, lines, self.obs_words]
        self._push = wp.launch(_push, (n, self.size.lanes), self._inputs, device=device, record_cmd=True)
    def push(self)->None:
        "The newest picture goes on top; a single one that is kept as it is, is one copy."
    def begin(self, mask)->None:
        "Where bool[N] `mask` is set, the stack goes to `final_obs` and begins anew with the newest picture."
_show_bytes: _Any = None

class Lines:
    "Lines of bytes below the pictures of N consoles."
    names:list
    _places:list
    array:wp.array
    def __init__(self,
        watch:WatchList, # Says what is observed
        values:wp.array, # int32[N, K]
        packed:bool, # Whether a line has 20 bytes instead of 80
    )->None:
        variables, n, device = watch.variables, values.shape[0], values.device
        names = list(variables)
        sizes = {k: 2 if variables[k].count else variables[k].size for k in watch.observe}
        places = [(names.index(k), 8*b) for k, size in sizes.items() for b in range(size)]
        self.names = [f'{k}+{b}' if sizes[k] > 1 else k for k in sizes for b in range(sizes[k])]
        # a recorded launch does not keep its arrays
        self._places = [wp.array(np.array(x, np.int32), device=device) for x in zip(*places)]
        wide = 20 if packed else 80
        rows = -(-len(places)//wide)
        self.array = wp.zeros((n, rows + (rows % 2 if packed else 0), wide), wp.uint8, device)
        self._show = wp.launch(_show_bytes, n, [values, *self._places, self.array.reshape((n, -1))],
                               device=device, record_cmd=True)
    def show(self)->None:
        "Write the present values."
_EVEN = wp.constant(wp.uint64(0x00FF00FF00FF00FF))
_pair_sums: _Any = None
_sum_blocks: _Any = None

class Observer:
    "What a policy sees of N consoles, where that is not `pix`."
    backend:Backend
    o:Observation
    sight:Sight
    given:torch.Tensor
    made:torch.Tensor
    newest:torch.Tensor
    _covered:list
    def __init__(self,
        o:Observation, # What is to be seen
        sight:Sight, # What its name stands for
        backend:Backend, # Runs the consoles, which are at their starts
    )->None:
        self.backend, self.o, self.sight, self._sums = backend, o, sight, None
        self._screens = self._new(144, 160) if sight.of == 'full' else None
        self._given = backend.pix if self._screens is None else self._screens
        self.given = wp.to_torch(self._given)
        self._made = self._maker()
        self.made = wp.to_torch(self._made)
        self._cut()
        self.look()
    def _new(self, h, w): ...
    def __repr__(self)->str: ...
    def _maker(self):
        "Where the pictures appear that the name stands for; what it takes to make them is prepared."
        if self.sight.function: return self._new(*self._tried())
        if self.o.name != 'mean': return self._given
        sums = self._new(72, 80)
        self._sums = wp.launch(_sum_blocks, (len(self.given), 720), [as_words(self._given), as_words(sums)],
                               device=self.backend.device, record_cmd=True)
        return sums
    def _cut(self)->None:
        "Prepare the crop and the masks, as views."
        o, shape = self.o, tuple(self.made.shape[1:])
        h, w = fit_observation(o, self.sight, shape)
        y, x = o.crop[:2] if o.crop else (0, 0)
        self.plain = not o.crop and not o.masks
        self._newest = self._made if self.plain else self._new(h, w)
        self.newest, self._part = wp.to_torch(self._newest), self.made[:, y:y+h, x:x+w]
        def span(at, size, begin): return slice(max(at - begin, 0), max(at + size - begin, 0))
        self._covered = [self.newest[:, span(a, c, y), span(b, d, x)] for a, b, c, d in o.masks]
    def _tried(self):
        "The size of what the function returns, once it is known to be one."
    def look(self,
        mask:wp.array|None=None, # bool[N]: what changed; by default all
    )->None:
        "Bring `newest` up to date."
def check_pictures(
    out, # What a function returned
    given:torch.Tensor, # uint8[N, h, w]: what it got
    high:int, # The largest number that it may use
)->None:
    "Raise `UserError` for what is no batch of pictures."
