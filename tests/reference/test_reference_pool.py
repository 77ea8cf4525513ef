"PyBoys in several processes: the same bits for every number of them, one line for one that dies, and nothing left behind."
import gc, os, random, signal, subprocess, sys, tempfile, time
from pathlib import Path

import numpy as np
import processes
import pytest
import warp as wp
from hypothesis import HealthCheck, given, settings, strategies as st
from gbxnb.backends.base import VariableTable
from gbxnb.games import bundled as game
from gbxnb.games.asm import assemble
from gbxnb.emulator.cartridge import RTC, Cartridge, pack_save
from gbxnb.watch.variables import with_hooks, Variable
from gbxnb.base.files import UserError
from gbxnb.base.parallel import Pool

pytest.importorskip('pyboy')
from gbxnb.reference import reference
from gbxnb.reference.reference import LEAST, ReferenceBackend

ROOT = Path(__file__).resolve().parents[2]
# a cartridge with a clock and RAM; it counts presses in WRAM and in its own RAM, and colours its screen by what it counted
ROM = assemble('''
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
    INC C
    JR .loop
''', 'COUNTER', cartridge_type=0x10, ram_kb=8).rom
LOCKED = assemble('''
SECTION "entry", ROM0[$100]
    NOP
    JP Start
SECTION "main", ROM0[$150]
Start:
    LD BC, 0
.on: DEC BC :: LD A, B :: OR C :: JR NZ, .on
    DB $D3
''', 'LOCKED').rom # after half a second
CART = with_hooks(Cartridge.load(ROM), dict(start=0x150, pressed=ROM.index(0x0C, 0x150)))
SAVE = pack_save(CART, bytes(range(256))*32, RTC((1, 2, 3, 4, 0), saved_at=5))
SIZES = (2, 2, True), (5, 3, True), (2, 2, False) # consoles, processes, whether there is a save
MANY = {f'v{k}': Variable(at=0xC100 + k) for k in range(2500)}
WATCHED = dict(wram=Variable(at=0xC000), ours=Variable(at=0xA000, size=2, endian='big'), high=Variable(at=0xFF80, signed=True))

def on_cpu(a, kind): return wp.array(np.asarray(a), dtype=kind, device='cpu')

def play(b, seed, steps=8):
    "Whatever the contract allows, drawn by a seed; all that can be seen of it, after each call."
    rng, seen, n = random.Random(seed), [], b.num_envs
    table, values = VariableTable(WATCHED, CART, 'cpu'), wp.zeros((3, n, 3), wp.int32, 'cpu')
    screens = wp.zeros((n, 144, 160), wp.uint8, 'cpu')
    b.watch(table, values)
    b.set_bank([b.snapshot(0), b.snapshot(n - 1)])
    for _ in range(steps):
        what = rng.choice(['step']*4 + ['restore', 'write', 'read', 'states', 'bank', 'draw', 'many'])
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
        if what == 'many':
            given = np.random.default_rng(rng.randrange(99)).integers(0, 256, (n, len(MANY)))
            b.write_variables(VariableTable(MANY, CART, 'cpu'), on_cpu(given, wp.int32), mask)
        if what == 'draw': b.draw(screens, rng.choice([None, mask]))
        shown = b.pix, b.hits, values, b.faults, screens
        seen.append((what, *(a.numpy().tobytes() for a in shown), b.frame(rng.randrange(n)).tobytes()))
    return seen, b.save_all()

@pytest.fixture(scope='module')
def backends():
    "Batches by (N, processes, save), each with the states it began with."
    made = {}
    def get(*key):
        if key not in made:
            b = ReferenceBackend(CART, key[0], battery=SAVE if key[2] else None, processes=key[1])
            made[key] = b, b.save_all()
        made[key][0].load_all(made[key][1])
        return made[key][0]
    yield get
    for b, _ in made.values(): b.close()

@pytest.mark.parametrize('num_envs, several, saved', SIZES)
@pytest.mark.slow # two processes of PyBoys cost more than all else here
@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(seed=st.integers(0, 1 << 30))
def test_the_number_of_processes_changes_no_bit(backends, num_envs, several, saved, seed):
    (seen, states), (others, theirs) = (play(backends(num_envs, k, saved), seed) for k in (1, several))
    assert seen == others and (states == theirs).all()

class Asked(Exception): pass

def test_a_few_pyboys_need_no_process(monkeypatch):
    cores, b = len(os.sched_getaffinity(0)), ReferenceBackend(CART, LEAST)
    assert len(b.pool.ranges) == 1 and (b.frame(1)[::2, ::2] == b.pix.numpy()[1]).all()
    b.close()
    with pytest.raises(ValueError, match='ended'): b.step(1, 0)
    def many(make, arrays, ranges, **given): raise Asked(ranges)
    with monkeypatch.context() as m, pytest.raises(Asked) as asked:
        m.setattr(reference, 'Pool', many)
        ReferenceBackend(CART, LEAST + 1)
    ranges, = asked.value.args
    assert len(ranges) == min(2, cores) and sum(n for _, n in ranges) == LEAST + 1
    for wrong in 0, -1, True, '2', 1.5:
        with pytest.raises((ValueError, TypeError), match='processes is'): ReferenceBackend(CART, 2, processes=wrong)

def wait_for_end(pids):
    "Of processes, whoever is to take note of it."
    def there(p):
        try: return Path(f'/proc/{p}/stat').read_text().split()[2] != 'Z'
        except (FileNotFoundError, ProcessLookupError): return False
    while any(map(there, pids)): time.sleep(.05)

def dies(pool, call, *words):
    "What becomes of a pool of which a process dies, and of a fork that would use it."
    if not (child := os.fork()):
        try: call(*words)
        except UserError:
            pool.close()
            os._exit(7)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    call(*words)
    pids = [w.process.pid for w in pool.workers]
    os.kill(pids[1], signal.SIGKILL)
    with pytest.raises(UserError, match=r'rows 1 to 1 .*SIGKILL') as e: call(*words)
    assert '\n' not in str(e.value)
    wait_for_end(pids)
    with pytest.raises(ValueError, match='ended'): call(*words)
    pool.close()

def test_a_process_that_dies_is_named(tmp_path, monkeypatch):
    "By its rows, in one line; the others end, and the next call is refused. A fork may do nothing with the processes, nor end them."
    (tmp_path/'counting.py').write_text(COUNTING)
    monkeypatch.syspath_prepend(tmp_path)
    gc.collect()
    before = memories(), opened()
    pool = Pool('counting:Counting', dict(a=np.zeros(2)), [(0, 1), (1, 1)])
    array = pool.arrays['a']
    dies(pool, pool, 'step')
    array += 1 # it is there for as long as somebody has it
    del array, pool
    gc.collect()
    assert memories() == before[0] and not opened() - before[1], 'a pool that was closed leaves nothing behind'

@pytest.mark.slow
def test_a_process_of_pyboys_that_dies_is_named(backends):
    b = backends(2, 2, True)
    dies(b.pool, b.step, 1, 0)

SCRIPT = """import os, signal, sys, threading
from gbxnb.reference.reference import ReferenceBackend
b = ReferenceBackend(sys.argv[2], 4, processes=2, ram_seed=-1)
print(*(w.process.pid for w in b.pool.workers), flush=True)
me = os.getpid()
late = (lambda: os.killpg(me, signal.SIGINT)) if sys.argv[1] == 'interrupt' else (lambda: print('locked', flush=True))
threading.Timer(1., late).start()
try:
    while True: b.step(600, 0)
except KeyboardInterrupt: pass
states = b.save_all()
assert (states == states[0]).all() and len(b.pool.workers) == 2
raise KeyboardInterrupt
"""

LIGHT = """import os, signal, sys, threading, time
import numpy as np
from gbxnb.base.parallel import Pool
os.setsid()
sys.path.insert(0, os.path.dirname(__file__))
pool = Pool('counting:Counting', dict(a=np.zeros(4)), [(0, 2), (2, 2)])
print(*(w.process.pid for w in pool.workers), flush=True)
def late():
    while not pool.arrays['a'].all(): time.sleep(.01)
    if sys.argv[1] == 'interrupt': os.killpg(os.getpid(), signal.SIGINT)
    else: print('locked', flush=True)
threading.Thread(target=late).start()
try:
    while True: pool('step' if sys.argv[1] == 'interrupt' else 'lock')
except KeyboardInterrupt: pass
a = pool.settled()['a']
assert (a == a[0]).all() and len(pool.workers) == 2
"""
COUNTING = """
class Counting:
    def __init__(self, arrays, first, count): self.a = arrays['a'][first:first + count]
    def step(self): self.a += 1
    def lock(self):
        self.step()
        sum(range(1 << 60)) # Python looks at no signal in here
"""

def wait_for_lines(program, count):
    "What a program has said, once there are so many lines."
    while (said := program.files[0].read_text()).count('\n') < count and program.is_alive(): time.sleep(.02)
    return said

@pytest.mark.parametrize('how', ['interrupt', 'killed'])
def test_processes_end_with_a_script(how, tmp_path):
    "After Ctrl-C, which leaves all rows at the same step; and when it is killed while its workers are locked."
    (tmp_path/'counting.py').write_text(COUNTING)
    (tmp_path/'script.py').write_text(LIGHT)
    program = processes.Program(tmp_path/'script.py', how)
    pids = [int(p) for p in wait_for_lines(program, 1).partition('\n')[0].split()]
    if how == 'killed':
        wait_for_lines(program, 2)
        program.kill()
    _, err = program.communicate(240)
    wait_for_end(pids)
    assert len(pids) == 2 and (program.exitcode, err) == (dict(interrupt=0, killed=-signal.SIGKILL)[how], '')

@pytest.mark.slow
@pytest.mark.parametrize('how', ['interrupt', 'killed'])
def test_processes_end_with_the_script(how, tmp_path):
    "PyBoys, without a guard; after Ctrl-C, which leaves all consoles at the same frame; and when it is killed while its PyBoys are locked."
    (tmp_path/'game.gb').write_bytes(LOCKED if how == 'killed' else game.rom())
    (tmp_path/'script.py').write_text(SCRIPT)
    run = subprocess.Popen([sys.executable, '-W', 'ignore', tmp_path/'script.py', how, tmp_path/'game.gb'], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, start_new_session=True, env=os.environ | dict(PYTHONPATH=str(ROOT)))
    pids = [int(p) for p in run.stdout.readline().split()]
    if how == 'killed':
        run.stdout.readline()
        run.kill()
    _, err = run.communicate(timeout=240)
    assert len(pids) == 2, err
    wait_for_end(pids)
    assert run.returncode == dict(interrupt=-signal.SIGINT, killed=-signal.SIGKILL)[how], err
    assert how == 'killed' or 'Error' not in err, err

def memories():
    "Shared memory of this process: what it maps, and what it has open."
    nameless = f'{os.path.realpath(tempfile.gettempdir())}/#'
    maps = Path('/proc/self/maps').read_text().count(nameless)
    return maps, sum(nameless in os.readlink(f) for f in Path('/proc/self/fd').iterdir() if f.is_symlink())

def opened():
    "Each open file of this process, and what it is."
    return {(f.name, os.readlink(f)) for f in Path('/proc/self/fd').iterdir() if f.is_symlink()}

@pytest.mark.slow # of one that was closed, above
def test_nothing_is_left_behind(tmp_path, monkeypatch):
    "Of pools that were forgotten, or never began: no process, no memory, no open file."
    (tmp_path/'idle_worker.py').write_text('class Idle:\n def __init__(self, arrays, first, count, good): assert good\n')
    monkeypatch.syspath_prepend(tmp_path)
    gc.collect()
    before, files, pids = memories(), len(os.listdir('/proc/self/fd')), []
    start = lambda good: Pool('idle_worker:Idle', dict(a=np.zeros(4)), [(0, 1), (1, 3)], good=good)
    with pytest.raises(RuntimeError): start(False)
    pool = start(True)
    pids += [w.process.pid for w in pool.workers]
    del pool
    gc.collect()
    wait_for_end(pids)
    assert memories() == before and len(os.listdir('/proc/self/fd')) == files
