"Arrays between pages of memory that the processor guards: an access outside of one ends the process."
import ctypes, mmap

import numpy as np
import warp as wp
from gbxnb.emulator.emulator import Emulator

_libc = ctypes.CDLL(None, use_errno=True)

def guarded(
    a:np.ndarray, # What is copied
    before:bool=False, # Whether it lies against the guard before it, or behind it
)->tuple[wp.array, mmap.mmap]: # On the CPU; and its memory, to be kept as long as the array
    "An array between two pages that must not be touched."
    page = mmap.PAGESIZE
    room = -(-a.nbytes//page)*page
    memory = mmap.mmap(-1, room + 2*page)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for guard in begin, begin + page + room:
        if _libc.mprotect(ctypes.c_void_p(guard), page, 0):
            raise OSError(ctypes.get_errno(), 'mprotect')
    at = begin + page + (0 if before else room - a.nbytes)
    ctypes.memmove(at, np.ascontiguousarray(a).ctypes.data, a.nbytes)
    return wp.array(ptr=at, dtype=wp.dtype_from_numpy(a.dtype), shape=a.shape, device='cpu'), memory

class GuardedEmulator(Emulator):
    "An emulator all of whose arrays lie against guard pages; an access outside of one ends the process."
    before = False # On which side

    def _array(self, a):
        out, memory = guarded(a, self.before)
        self.__dict__.setdefault('_memories', []).append(memory)
        return out

class GuardedBefore(GuardedEmulator): before = True
