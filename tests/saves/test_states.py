"States from files: what is accepted can be saved again, what is read has a size known beforehand, and no backend trusts what it is given."
import io, json, os, subprocess, threading, tracemalloc, zipfile
from dataclasses import replace

import numpy as np
import processes
import pytest
import warp as wp
from hypothesis import HealthCheck, given, settings, strategies as st
from gbxnb.backends.base import Snapshot
from gbxnb.backends.warp import make_backend
from gbxnb.games.bundled import probe_rom
from gbxnb.games import bundled as game
from gbxnb.games.asm import assemble
from gbxnb.saves.save_files import from_bess, to_bess
from gbxnb.emulator.cartridge import RTC, Cartridge, pack_rtc, pack_save, unpack_save
from gbxnb.emulator.emulator import Emulator
from gbxnb.emulator.machine import HIGH, SRAM
from gbxnb.saves.pyboy import from_pyboy, state_record, to_pyboy
from gbxnb.emulator.rows import MAX_STATE, StateError, check_row, check_rows, load_snapshot, save_snapshot
from gbxnb.base.files import UserError
from gbxnb.pyboy import PyBoy
from gbxnb.watch.variables import read_symbols
from wild import BOARDS, cartridge, run_some, start_programs

def run(code, *words, deadline=600, nest='warm'):
    "A program in a process of its own; the deadline only ends one that hangs."
    env = {k: v for k, v in os.environ.items() if k != 'PYSDL2_DLL_PATH'} # a PyBoy of this process has found its picture library
    return processes.python(code, *words, env=env, timeout=deadline, nest=nest)

def wild_consoles(board, ram_kb, n, seed=0):
    "Consoles of a board in the middle of programs of their own."
    e, rng = Emulator(cartridge(board, ram_kb), n, threads=1, device='cpu'), np.random.default_rng(seed)
    start_programs(e, rng)
    return e, rng

# rows

@pytest.mark.parametrize('consoles, launches', [(2, 4), pytest.param(24, 8, marks=pytest.mark.slow)])
@pytest.mark.parametrize('board', [pytest.param(b, marks=[pytest.mark.slow]*(k % 2 == 0), id=f'{b[0]:02X}') for k, b in enumerate(BOARDS)])
def test_reached_rows_are_accepted(board, consoles, launches):
    "Whatever a program does, the state it comes to can be saved and loaded."
    e, rng = wild_consoles(*board, consoles)
    for _ in range(launches):
        run_some(e, rng)
        check_rows(e.cart, e.rows.numpy())

def test_halted_at_an_overflow():
    "A halted CPU sees TIMA overflow an M-cycle late; the states around that are sound."
    halted = assemble('''
 SECTION "entry", ROM0[$100]
  jr Start
 SECTION "main", ROM0[$150]
Start: xor a :: ldh [$FFFF], a :: dec a :: ldh [$FF06], a :: ldh [$FF05], a :: ld a, 7 :: ldh [$FF07], a :: halt
''', title='HALTED').rom
    e = Emulator(halted, 1, 'cpu')
    for _ in range(65): # a period has 64 M-cycles
        e.run_cycles(65)
        check_rows(e.cart, e.rows.numpy())
        assert (from_bess(e.cart, to_bess(e.cart, e.save())) == e.save()).all()

BYTES = [(18, (0x10, 32), 36)] # which are changed: from where, of which board, in which steps
BYTES += [pytest.param(k, board, 3, marks=pytest.mark.slow) for k, board in enumerate([(0x00, 0), (0x06, 0), (0x10, 32)])]

@pytest.mark.parametrize('first, board, steps', BYTES)
def test_accepted_rows_can_be_saved(first, board, steps):
    "Each byte of a row changed, a third of them on each board: 118 changes were accepted, and then gave a file that could not be read."
    e, rng = wild_consoles(*board, 1)
    for _ in range(3): run_some(e, rng)
    row, cart, kept, log, screen = e.save(), e.cart, [], e.log.numpy()[0], np.zeros((144, 160), np.uint8)
    for place in [*range(HIGH + first, SRAM, steps), *rng.integers(0, HIGH, 20), *rng.integers(SRAM, max(len(row), SRAM + 1), 20)]:
        if place >= len(row): continue
        changed = row.copy()
        changed[place] ^= rng.choice([0xFF, 1 << rng.integers(8)])
        try: check_row(cart, changed)
        except StateError as err: assert '\n' not in str(err)
        else: kept.append(changed)
    for changed in kept:
        assert (load_snapshot(cart, save_snapshot(cart, changed, log, screen))[0] == changed).all()
        assert (from_bess(cart, to_bess(cart, changed)) == changed).all()
        try: theirs = to_pyboy(cart, changed)
        except StateError as err: assert 'PyBoy' in str(err)
        else: from_pyboy(cart, theirs)
    assert len(kept) > 30
    some = np.stack([kept[k] for k in rng.integers(0, len(kept), 144//steps)])
    pair = [Emulator(cart, len(some), threads=1, device='cpu') for _ in range(2)]
    pair[0].rows.assign(some), pair[1].rows.assign(np.stack([from_bess(cart, to_bess(cart, r)) for r in some]))
    for e in pair: e.run_frames(60)
    assert pair[0].hash() == pair[1].hash()
    check_rows(cart, pair[0].rows.numpy())

# files

def test_archives_with_limits(tmp_path):
    "A small file that announces two gigabytes and holds more than any state has."
    bomb = tmp_path/'bomb.npz'
    with zipfile.ZipFile(bomb, 'w', zipfile.ZIP_DEFLATED, compresslevel=1) as z, z.open('state.npy', 'w', force_zip64=True) as f:
        np.lib.format.write_array_header_1_0(f, dict(descr='|u1', fortran_order=False, shape=(1 << 31,)))
        for _ in range(64): f.write(bytes(1 << 20))
    e = Emulator(game.rom(), device='cpu')
    before = e.hash()
    tracemalloc.start()
    for read in Snapshot.load, e.load_state:
        with pytest.raises(UserError) as why: read(bomb)
        assert str(bomb) in str(why.value) and '\n' not in str(why.value)
    assert tracemalloc.get_traced_memory()[1] < 1 << 26 and e.hash() == before
    tracemalloc.stop()

@pytest.mark.parametrize('how', ['Snapshot.load(path)', 'Emulator(game.rom()).load_state(path)', 'Cartridge.load(path)'])
@pytest.mark.parametrize('kind', ['device', 'pipe', 'sparse'])
def test_files_without_end(tmp_path, how, kind):
    "A device, a pipe and a file of a terabyte: one line, at once, and no more read than a state can have."
    path = tmp_path/'x.npz'
    if kind == 'device': path.symlink_to('/dev/zero')
    elif kind == 'pipe': os.mkfifo(path)
    else:
        with open(path, 'wb') as f: f.truncate(1 << 40)
    code = f"""import resource, sys
from pathlib import Path
from gbxnb.backends.base import Snapshot
from gbxnb.games import bundled as game
from gbxnb.emulator.cartridge import Cartridge
from gbxnb.emulator.emulator import Emulator
from gbxnb.base.files import UserError
def had(): return int(Path('/proc/self/statm').read_text().split()[0])*resource.getpagesize()
path = Path(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (had() + (2 << 30),)*2)
try: {how}
except UserError as e: print(e)"""
    try: done = run(code, path, deadline=120)
    except subprocess.TimeoutExpired: pytest.fail('waits for a file that never begins')
    assert done.returncode == 0 and str(path) in done.stdout and done.stdout.count('\n') == 1, done.stderr[-300:]

@pytest.mark.parametrize('kind, end', [('gbxnb', ''), ('bess', ''), ('pyboy', ''), (None, '.state'), (None, '.bess'), (None, '.npz')])
def test_open_files(tmp_path, kind, end):
    "What is written into a file that is open is what a file of that kind has; it is loaded from where the file stands."
    e = Emulator(game.rom(), 2, threads=1, device='cpu')
    e.run_frames(30)
    by_path = e.save_state(tmp_path/f'by_path{end or ".xyz"}', kind=kind)
    with open(tmp_path/f'open{end}', 'w+b') if end else io.BytesIO(b'front') as f:
        at = f.seek(0 if end else 5)
        assert e.save_state(f, kind=kind) is f and f.tell() > at == f.seek(at)
        assert f.read() == by_path.read_bytes()
        e.run_frames(9), f.seek(at)
        e.load_state(f, 1)
    assert (e.save(1) != e.save(0)).any()
    e.load_state(by_path, 0)
    assert (e.save(1) == e.save(0)).all()

@pytest.mark.parametrize('opened, why', [
    (lambda d: io.BytesIO(), 'nothing is left to read; go back by seek'), (lambda d: io.StringIO(), 'open as text'),
    (lambda d: open(d/'x.state'), 'x.state: open as text'), (lambda d: open(d/'x.state', 'rb'), 'x.state: no state'),
    (lambda d: io.BytesIO(bytes(MAX_STATE + 99)), 'state: no state')])
def test_open_files_that_are_none(tmp_path, opened, why):
    (tmp_path/'x.state').write_bytes(b'hello')
    e = Emulator(game.rom(), device='cpu')
    with opened(tmp_path) as f, pytest.raises(StateError, match=why): e.load_state(f)
    with open(tmp_path/'y.xyz', 'wb') as f, pytest.raises(StateError, match='y.xyz: the name does not say'): e.save_state(f)
    with open(tmp_path/'y.npz', 'w') as f, pytest.raises(StateError, match="open as text; open it by 'rb' or 'wb'"): e.save_state(f)

# backends

def hostile(states, kind):
    "The states of three consoles, of which something is wrong."
    if kind == 'type': return states.astype(np.int64)
    if kind == 'fewer': return states[:2]
    if kind == 'shorter': return states[:, :-1]
    if kind == 'one': return states[0]
    if kind == 'noise': return np.random.default_rng(0).integers(0, 256, states.shape, np.uint8)
    return np.zeros_like(states)

@pytest.fixture(scope='module')
def three():
    "Three consoles of a backend."
    made = {}
    def get(name):
        if name not in made: made[name] = make_backend(name, probe_rom(), 3, 'cpu')
        return made[name]
    yield get
    for b in made.values(): b.close()

HOSTILE = 'type', 'fewer', 'shorter', 'one', 'noise', 'zeros'
EACH = [('warp', k) for k in HOSTILE] + [pytest.param('reference', k, marks=pytest.mark.slow) for k in HOSTILE]

@pytest.mark.parametrize('name, kind', EACH)
def test_load_all_checks(three, name, kind):
    "What is no state of these consoles is refused in one line before the first of them is touched."
    if name == 'reference': pytest.importorskip('pyboy')
    b = three(name)
    b.step(4, 2)
    before = b.save_all()
    with pytest.raises((ValueError, UserError)) as why: b.load_all(hostile(before, kind))
    assert '\n' not in str(why.value) and len(str(why.value)) < 300
    assert (b.save_all() == before).all()
    if kind in ('noise', 'zeros'):
        wrong = replace(b.snapshot(0), state=hostile(before, kind)[0])
        with pytest.raises((ValueError, UserError), match='snapshot 0: '): b.set_bank([wrong])

def test_load_all_is_one_look(monkeypatch):
    "Sixty-four rows are not checked by sixty-four launches."
    b, launches, launch = make_backend('warp', game.rom(), 64, 'cpu'), [], wp.launch
    states = b.save_all()
    monkeypatch.setattr(wp, 'launch', lambda *a, **k: (launches.append(1), launch(*a, **k))[1])
    b.load_all(states)
    b.set_bank([b.snapshot(0)]*64)
    assert len(launches) <= 4

def test_a_state_is_saved_without_a_parser(monkeypatch):
    "While another thread builds a kernel Python 3.11 refuses to parse: numpy reads a size before a type so, but not a shape."
    monkeypatch.setattr('ast.literal_eval', lambda text: pytest.fail(f'{text} was parsed'))
    record = state_record(Cartridge.load(probe_rom()), 804)
    assert record['vram'].shape == (8192,) and record['scanlines'].shape == (144, 5) and record['screen'].shape == (144, 160)

PYBOY_FIELDS = [('rom_bank', 250), ('ch1.duty', 77), ('ch2.frame', 1 << 40), ('ch1.period_cycles', 0), ('clock_target', 1 << 50),
                ('next_512', -1e300), ('audio_head', 1 << 40), ('ly', 150)]

EACH_IN_A_FORK = """import json, os, signal, sys
import numpy as np
from gbxnb.backends.warp import make_backend
from gbxnb.games.bundled import probe_rom
from gbxnb.emulator.cartridge import Cartridge
from gbxnb.saves.pyboy import state_record
b, found = make_backend('reference', probe_rom(), 1, 'cpu'), []
states, record = b.save_all(), state_record(Cartridge.load(probe_rom()), 804)
def load(field, value):
    s = np.frombuffer(bytearray(states[0, :-1].tobytes()), record)
    channel, _, field = field.rpartition('.')
    if field == 'ly': s['next_mode'], s['transition'] = 0, 0
    (s[channel] if channel else s)[field] = value
    states[0, :-1] = np.frombuffer(s.tobytes(), np.uint8)
    try: b.load_all(states)
    except Exception as e: return str(e)
    b.step(60, 0)
    return ''
for field, value in json.loads(sys.argv[1]):
    here, there = os.pipe()
    if not (child := os.fork()):
        signal.alarm(120)
        os.write(there, load(field, value).encode())
        os._exit(0)
    os.close(there)
    status = os.waitpid(child, 0)[1]
    found.append([field, os.waitstatus_to_exitcode(status), os.read(here, 9999).decode()])
print(json.dumps(found))"""

def test_pyboy_is_not_given_what_it_would_not_survive():
    "PyBoy has no bounds checks: each of these ended the process, or kept it busy for ever."
    pytest.importorskip('pyboy')
    done = run(EACH_IN_A_FORK, json.dumps(PYBOY_FIELDS), deadline=600)
    assert done.returncode == 0 and not done.stderr, done.stderr[-300:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(found) == len(PYBOY_FIELDS) and not [f for f in found if f[1] or f[0].rpartition('.')[2] not in f[2]]

@pytest.mark.slow
def test_pyboy_says_nothing_on_success(tmp_path):
    "Neither its picture library nor its clock."
    pytest.importorskip('pyboy')
    clock = assemble('SECTION "e", ROM0[$100]\n jr @', title='CLOCK', cartridge_type=0x10, ram_kb=8).rom
    code = """import sys
from gbxnb.backends.warp import make_backend
assert 'pyboy' not in sys.modules
b = make_backend('reference', sys.argv[1], 1, 'cpu')
b.step(4, 2)
b.close()"""
    (tmp_path/'clock.gb').write_bytes(clock)
    done = run(code, tmp_path/'clock.gb', nest='cold')
    assert done.returncode == 0 and not done.stdout and not done.stderr, (done.stdout, done.stderr)

def test_threads_share_a_backend():
    "Two threads step, save and restore the same consoles: no picture is of half a step."
    alone, shared = (make_backend('warp', game.rom(), 16, 'cpu', threads=2) for _ in range(2))
    def steps(b, k):
        for _ in range(k):
            b.step(2, 1)
            b.snapshot(3)
    steps(alone, 24)
    threads = [threading.Thread(target=steps, args=(shared, 8)) for _ in range(3)]
    for t in threads: t.start()
    for t in threads: t.join()
    assert (shared.save_all() == alone.save_all()).all() and (shared.pix.numpy() == alone.pix.numpy()).all()

@pytest.mark.parametrize('name', ['warp', pytest.param('reference', marks=pytest.mark.slow)])
def test_backends_after_a_fork(name):
    "A backend made in a parent goes on in a forked child."
    if name == 'reference': pytest.importorskip('pyboy')
    code = """import os, sys
from gbxnb.backends.warp import make_backend
from gbxnb.games import bundled as game
from gbxnb.base.files import sha256
name = sys.argv[1]
b = make_backend(name, game.rom(), 8 if name == 'warp' else 2, 'cpu', **(dict(threads=2) if name == 'warp' else {}))
b.step(4, 2)
b.set_bank([b.snapshot(0)])
reader, writer = os.pipe()
if not (child := os.fork()):
    b.step(6, 2)
    os.write(writer, sha256(b.save_all().tobytes()).encode())
    b.close()
    os._exit(0)
os.close(writer)
said = os.read(reader, 64).decode()
b.step(6, 2)
assert os.waitpid(child, 0)[1] == 0 and said == sha256(b.save_all().tobytes())"""
    try: done = run(code, name, deadline=120)
    except subprocess.TimeoutExpired: pytest.fail('the child waits without end')
    assert done.returncode == 0, done.stderr[-500:]

# saves

SAVERS = [(0x03, 0), (0x03, 2), (0x1B, 8), (0x06, 0), (0x10, 32), (0x10, 2), (0x0F, 0), (0x1E, 64)] # byte 0147, KB of RAM in the header
MOMENT = RTC((59, 58, 23, 255, 1), (1, 2, 3, 4, 0), 1_700_000_000)
CLOCKS = {'': None, 'new': MOMENT, 'old': MOMENT, 'oldest': replace(MOMENT, latched=MOMENT.now), 'MiSTer': None}
TAILS = {'': b'', 'new': pack_rtc(MOMENT), 'old': pack_rtc(MOMENT)[:-4], 'oldest': bytes(MOMENT.now) + pack_rtc(MOMENT)[40:],
         'MiSTer': b'0123456789' + b'\xff'*502}

def save_of(data, cart):
    "Its RAM, a file of it as some program writes it, and the clock in that."
    ram = np.random.default_rng(data.draw(st.integers(0, 99))).bytes(cart.ram_bytes)
    if cart.mbc == 2: ram = bytes(b & 15 for b in ram)
    plain = bytes(b | data.draw(st.sampled_from([0, 0xF0])) for b in ram) if cart.mbc == 2 else ram
    block, whole = cart.ram_bytes or 0x2000, plain
    for _ in range(data.draw(st.integers(0, 2))):
        count = data.draw(st.sampled_from([1, 3, 0x8000//block]))
        whole += data.draw(st.sampled_from([bytes(block), b'\xff'*block, plain]))*count
    if cart.mbc == 2 and data.draw(st.booleans()): whole = bytes(a | b << 4 for a, b in zip(ram[::2], ram[1::2]))
    tail = data.draw(st.sampled_from([*TAILS])) if cart.has_rtc else ''
    return ram, whole + TAILS[tail], CLOCKS[tail]

few = settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))

@few
@given(st.sampled_from(SAVERS), st.data())
def test_saves_of_other_programs(board, data):
    "Padded, mirrored, packed, with whichever clock: the same save; one byte more or less is another game's."
    cart = Cartridge.load(cartridge(*board))
    ram, whole, clock = save_of(data, cart)
    assert unpack_save(cart, whole) == (ram, clock)
    assert unpack_save(cart, pack_save(cart, ram, clock))[0] == ram
    for wrong in whole + b'x', whole[:len(whole) % 0x100 + 1] + whole, np.random.default_rng(0).bytes(len(whole) + 0x800), b'x'*7:
        with pytest.raises(UserError, match=r'a save of .* give the \.sav file of this game$'): unpack_save(cart, wrong, 'a.sav')

OTHERS = {'a Game Boy ROM': cartridge(3, 8), 'a saved state': b'x'*999 + b'BESS', 'an IPS patch': b'PATCH\0\0\5',
          'a BPS patch': b'BPS1', 'a UPS patch': b'UPS1', 'a tar archive': b'game.gb'.ljust(257, b'\0') + b'ustar',
          'an xz archive': b'\xfd7zXZ\0', 'a bzip2 archive': b'BZh91AY', 'an LZH archive': b'\x2e\x7b-lh5-',
          'a Zstandard archive': b'\x28\xb5\x2f\xfd'}

@pytest.mark.parametrize('kind', OTHERS)
def test_what_it_is_instead(tmp_path, kind):
    "A file in place of a ROM, of a save, of a state, of symbols."
    e, path = Emulator(cartridge(3, 2)), tmp_path/'file'
    path.write_bytes(OTHERS[kind])
    readers = {'a Game Boy ROM': Emulator, 'a saved state': e.load_state, 'a save': e.load_battery, 'symbols': read_symbols}
    for name, read in readers.items():
        if name == kind: continue
        with pytest.raises(UserError, match=kind): read(path)

def test_a_save_in_place_of_a_game(tmp_path):
    (tmp_path/'game.sav').write_bytes(b'\1'*0x2000)
    with pytest.raises(UserError, match='a battery save'): Emulator(tmp_path/'game.sav')

def test_two_kilobytes(tmp_path):
    "They are seen four times; every kind of state and save has them: 2,048 bytes, or 8,192 in PyBoy."
    rom = tmp_path/'two.gb'
    code = 'LD A, 10 :: LD [0], A :: LD A, 7 :: LD [$B801], A :: LD A, [$A801] :: LD [$C000], A\n JR @'
    code = f'SECTION "e", ROM0[$100]\n JP $150\n SECTION "m", ROM0[$150]\n {code}'
    rom.write_bytes(assemble(code, 'TWO', cartridge_type=3, ram_kb=2).rom)
    e, again = Emulator(rom), Emulator(rom)
    e.run_frames(2)
    assert e.cart.ram_bytes == 2048 and e.read(0xC000)[0] == 7 and {*e.read(0xA001, 0x1800)[::0x800]} == {7}
    for end in '.npz', '.bess', '.state', '.sav', '.ram':
        again.reset()
        path = tmp_path/f'two{end}'
        if end in ('.sav', '.ram'): e.save_battery(path), again.load_battery(path)
        else: e.save_state(path), again.load_state(path)
        assert again.save()[SRAM:].tobytes() == e.save()[SRAM:].tobytes() and len(e.save()[SRAM:]) == 2048
    assert [(tmp_path/f'two{end}').stat().st_size for end in ('.sav', '.ram')] == [2048, 8192]
    with PyBoy(str(rom), window='null', ram_file=open(tmp_path/'two.sav', 'rb')) as boy:
        boy.tick(200)
        assert boy.memory[0, 0xA001] == boy.memory[0, 0xB801] == boy.memory[0xA801] == 7
        boy.memory[0, 0xA802] = 9
        boy.stop(ram_file=(out := io.BytesIO()))
    assert unpack_save(e.cart, out.getvalue())[0][:3] == e.save()[SRAM:SRAM + 2].tobytes() + b'\x09'
