"PyBoys in several processes: the same bits for every number of them, one line for one that dies, and nothing left behind."
import gc, os, random, signal, subprocess, sys, time
from pathlib import Path

import numpy as np
import pytest
import warp as wp
from hypothesis import HealthCheck, given, settings, strategies as st
from gbxnb.backends.base import VariableTable
from gbxnb.backends.make import make_backend
from gbxnb.emulator import game
from gbxnb.emulator.asm import assemble
from gbxnb.emulator.cartridge import RTC, Cartridge, pack_save
from gbxnb.emulator.hooks import with_hooks
from gbxnb.emulator.variables import Variable
from gbxnb.files import UserError

pytest.importorskip('pyboy')
from gbxnb.backends.reference import ReferenceBackend # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
# a cartridge with a clock and RAM; it counts presses in WRAM and in its own RAM, and copies what it counted into its picture
COUNTER = assemble('''
SECTION "entry", ROM0[$100]
    NOP
    JP Start
SECTION "main", ROM0[$150]
Start:
    LD A, $0A :: LD [$0000], A :: XOR A :: LD [$4000], A :: LD [$C000], A
.loop: LD A, $10 :: LDH [$00], A :: LDH A, [$00] :: CPL :: AND 15 :: LD B, A
    LD A, [$C000] :: ADD A, B :: LD [$C000], A
    LD HL, $A000 :: ADD A, [HL] :: LD [HL], A :: LDH [$47], A
    LD A, B :: AND A :: JR Z, .loop
.pressed: INC C
    JR .loop
''', 'COUNTER', cartridge_type=0x10, ram_kb=8)
CART = with_hooks(Cartridge.load(COUNTER.rom), dict(start=0x150, pressed=COUNTER.rom.index(0x0C, 0x150)))
SLEEPER = assemble('SECTION "e", ROM0[$100]\n  nop\n  halt\n  jr $100', 'SLEEPER').rom
SAVE = pack_save(CART, bytes(range(256))*32, RTC((1, 2, 3, 4, 0), saved_at=5))
WATCHED = dict(wram=Variable(at=0xC000), ours=Variable(at=0xA000, size=2, endian='big'), high=Variable(at=0xFF80, signed=True))

def on_cpu(a, kind): return wp.array(np.asarray(a), dtype=kind, device='cpu')

def play(b, seed, steps):
    "Whatever the contract allows, drawn by a seed; all that can be seen of it, after each call."
    rng, seen, n = random.Random(seed), [], b.num_envs
    table, values = VariableTable(WATCHED, CART), wp.zeros((3, n, 3), wp.int32, 'cpu')
    b.watch(table, values)
    b.set_bank([b.snapshot(0), b.snapshot(n - 1)])
    for _ in range(steps):
        what = rng.choice(['step']*4 + ['restore', 'write', 'read', 'states', 'bank'])
        mask = on_cpu([rng.random() < .5 for _ in range(n)], wp.bool)
        if what == 'step':
            b.buttons.assign(np.array([rng.choice([0, 1, 2, 17, 128]) for _ in range(n)], np.uint8))
            frames = rng.randint(1, 9)
            b.step(frames, rng.randint(0, frames))
        if what == 'restore': b.restore(mask, on_cpu([rng.randrange(2) for _ in range(n)], wp.int32))
        if what == 'write': b.write_variables(table, on_cpu([[rng.randrange(256) for _ in range(3)] for _ in range(n)], wp.int32), mask)
        if what == 'read': b.read_variables(rng.choice([None, mask]))
        if what == 'states': b.load_all(np.roll(b.save_all(), 1, 0))
        if what == 'bank': b.set_bank([b.snapshot(rng.randrange(n)) for _ in range(2)])
        shown = b.pix, b.hits, values, b.faults
        seen.append((what, *(a.numpy().tobytes() for a in shown), b.frame(rng.randrange(n)).tobytes()))
    return seen, b.save_all()

@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.integers(1, 5), st.integers(2, 4), st.integers(0, 1 << 30), st.booleans())
def test_the_number_of_processes_changes_no_bit(num_envs, processes, seed, saved):
    alike = []
    for k in 1, processes:
        b = ReferenceBackend(CART, num_envs, battery=SAVE if saved else None, processes=k)
        alike.append(play(b, seed, 24))
        b.close()
    (seen, states), (others, theirs) = alike
    assert seen == others and (states == theirs).all()

def test_by_default_there_is_a_process_for_each_core():
    b = make_backend('reference', game.rom(), 3)
    cores = min(3, len(os.sched_getaffinity(0)))
    assert len(b.pool.workers) == cores and sum(n for _, n in b.pool.ranges) == 3
    b.close()
    b.close()
    with pytest.raises(ValueError, match='ended'): b.step(1, 0)
    for wrong in 0, -1, True, '2', 1.5:
        with pytest.raises((ValueError, TypeError), match='processes is'): ReferenceBackend(game.rom(), 2, processes=wrong)

def ended(pids):
    "Wait until no process of these is there."
    while any(Path(f'/proc/{p}/stat').exists() and Path(f'/proc/{p}/stat').read_text().split()[2] != 'Z' for p in pids): time.sleep(.05)

def memories():
    "Shared memory of this process: what it maps, and what it has open."
    maps = Path('/proc/self/maps').read_text().count('memfd:gbxnb')
    return maps, sum('memfd:gbxnb' in os.readlink(f) for f in Path('/proc/self/fd').iterdir() if f.exists())

def test_nothing_is_left_behind():
    "Closed, forgotten, or never begun: no process, no memory, no open file."
    gc.collect()
    before, files = memories(), len(os.listdir('/proc/self/fd'))
    b = ReferenceBackend(game.rom(), 4, processes=2)
    pids, pix = [w.process.pid for w in b.pool.workers], b.pix
    b.step(2, 0)
    b.close()
    ended(pids)
    assert memories() != before and pix.numpy().shape == (4, 72, 80), 'the arrays are there as long as anybody has them'
    b, pix = ReferenceBackend(game.rom(), 2, processes=2), None
    pids += [w.process.pid for w in b.pool.workers]
    del b
    gc.collect()
    ended(pids)
    sleeper = with_hooks(Cartridge.load(SLEEPER), dict(asleep=0x101))
    with pytest.raises(UserError, match='can have no hook'): ReferenceBackend(sleeper, 2, processes=2)
    gc.collect()
    assert memories() == before and len(os.listdir('/proc/self/fd')) == files

def test_a_process_that_dies_is_named():
    "By its consoles, in one line; the others end, and the next call is refused."
    b = ReferenceBackend(game.rom(), 5, processes=2)
    pids = [w.process.pid for w in b.pool.workers]
    os.kill(pids[1], signal.SIGKILL)
    with pytest.raises(UserError, match=r'rows 2 to 4 .*SIGKILL') as e: b.step(4, 0)
    assert '\n' not in str(e.value)
    ended(pids)
    with pytest.raises(ValueError, match='ended'): b.save_all()

SCRIPT = """import os, signal, sys, threading, time
from gbxnb.backends.make import make_backend
from gbxnb.emulator import game
b = make_backend('reference', game.rom(), 4, processes=2)
print(*(w.process.pid for w in b.pool.workers), flush=True)
if sys.argv[1] == 'interrupt':
    me = os.getpid()
    threading.Timer(.3, lambda: os.killpg(me, signal.SIGINT)).start()
    try:
        while True: b.step(600, 0)
    except KeyboardInterrupt: pass
    states = b.save_all()
    assert (states == states[0]).all() and len(b.pool.workers) == 2
    raise KeyboardInterrupt
if sys.argv[1] == 'killed':
    while True: b.step(600, 0)
"""

@pytest.mark.parametrize('how', ['end', 'interrupt', 'killed'])
def test_processes_end_with_the_script(how, tmp_path):
    "Without a guard; also after Ctrl-C, which leaves all consoles at the same frame, and when the script is killed."
    (tmp_path/'script.py').write_text(SCRIPT)
    run = subprocess.Popen([sys.executable, '-W', 'ignore', tmp_path/'script.py', how], env=os.environ | dict(PYTHONPATH=str(ROOT)),
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    pids = [int(p) for p in run.stdout.readline().split()]
    if how == 'killed': run.kill()
    _, err = run.communicate(timeout=240)
    assert len(pids) == 2, err
    ended(pids)
    assert run.returncode == dict(end=0, interrupt=-signal.SIGINT, killed=-signal.SIGKILL)[how], err
    assert how == 'killed' or 'Error' not in err, err

def test_a_fork_has_no_pyboys():
    b = ReferenceBackend(game.rom(), 2, processes=2)
    if not (child := os.fork()):
        try: b.step(1, 0)
        except UserError: b.close(); os._exit(7)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    b.step(1, 0)
    b.close()
