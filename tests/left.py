"""What leaves the traces of a game, and what they have the machine do: `python tests/left.py ROM [ROM ...]`.

Consoles with random keys run with their traces, which count. By the place of the program: where the interpreter goes on because an event is
near, where because no trace begins, and what it runs then. By the address of the access: what a trace has the machine read, and write. A
control instead of an address is 0 for HALT, 2 for DI, 3 for EI."""
import sys, time
from pathlib import Path
import numpy as np
import warp as wp
from gbxnb.base.startup import start_warp
from gbxnb.emulator.cartridge import Cartridge
from gbxnb.emulator.cpu import machine_kernel
from gbxnb.emulator.emulator import Emulator
from gbxnb.emulator.machine import Shared, entry, load32, store32
from gbxnb.traces.cache import traced_kernel
from gbxnb.traces.symbolic import PLAYED, profile_game
from gbxnb.traces.traces import bound, write_traces

NEAR, LEFT, RUN, READ, WRITTEN = range(5) # rows of the counts
NAMES = 'an event is near', 'no trace begins', 'instructions', 'read by the machine', 'written by the machine'
PLACES = 1 << 16 # addresses

@wp.func
def note(g: wp.uint64, code: wp.uint64, p: wp.uint64, bank: int, at: int, pc: int, trapped: bool):
    "An instruction that the interpreter ran."
    n, counts, i = wp.static(5 * PLACES), entry(g, Shared.PROFILE), wp.static(RUN * PLACES) + (at & 0xFFFF)
    store32(counts, i, load32(counts, i, n, p) + 1, n, p)

def counting(traces):
    "The kernel with traces that count."
    def one(row, at, g='g'): return f'((int*)((unsigned long long*){g})[{int(Shared.PROFILE)}])[({row})*{PLACES} + (({at}) & 0xFFFF)]++;'
    text = traces.text.replace('return is_near;', f'{one(f"is_near ? {NEAR} : {LEFT}", "pc")} return is_near;')
    text = text.replace('slow(Here& h, int t, int ea) {', f'slow(Here& h, int t, int ea) {{ {one(READ, "ea", "h.g")}')
    text = text.replace(') return 1; X[', f') return 1; {one(WRITTEN, "ea", "h.g")} X[')
    assert text.count(f'[{int(Shared.PROFILE)}]') == 6, 'one place for each way out, four for what is put'
    @wp.func_native(bound(text))
    def run_traces(g: wp.uint64, p: wp.uint64, e: int) -> int: ...
    return machine_kernel(max_round_steps=0, run_traces=run_traces, note_step=note)

def played(cart, there, n=16, steps=40):
    "Consoles some way into the game, and what plays on: keys for each step."
    e, rng = Emulator(cart, n, 'cpu', threads=1), np.random.default_rng(0)
    e.exchange(*there)
    e.run_frames(300)
    return e, rng.choice(PLAYED, (steps, n))

def report(path):
    "Print what one game leaves."
    cart = Cartridge.load(path)
    profile = profile_game(cart)
    traces = write_traces(cart, profile)
    e, keys = played(cart, (traced_kernel(traces), traces.words))
    began = time.perf_counter()
    for held in keys:
        e.set_buttons(held)
        e.step(24, 8)
    spent = (time.perf_counter() - began)/keys.size/24
    e, keys = played(cart, (e.kernel, traces.words))
    counts, kernel = np.zeros((5, PLACES), np.int32), counting(traces)
    for held in keys:
        e.set_buttons(held)
        e.run_counting(kernel, 24, 8, PROFILE=counts.ctypes.data)
    a_frame = counts/(keys.size*24)
    ran = profile.ran.sum()/(16*2880)
    print(f'{Path(path).name}: {ran:,.0f} instructions a frame, {traces.covers(profile):.1%} in {len(traces.paths)} traces; '
          f'{spent*1e6:.2f} us a frame; left to the interpreter: {a_frame[RUN].sum():.0f} instructions')
    for name, row in zip(NAMES, a_frame):
        if row.sum() < .3: continue
        top = [f'{at:04X} {row[at]:.1f}' for at in np.argsort(-row)[:6] if row[at] > .1]
        print(f'  {name:24}{row.sum():7.1f}  {", ".join(top)}')

if __name__ == '__main__':
    start_warp()
    wp.config.quiet = True
    for path in sys.argv[1:]: report(path)
