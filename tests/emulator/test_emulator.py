"""What a hostile test found in the emulator: an ordinary ROM that crashed it, threads, forks, pictures older than memory;
and what a newcomer types first."""
import io, os, re, subprocess, threading
from pathlib import Path
import numpy as np
import processes
import pytest
import warp as wp
from gbxnb.games import bundled as game
from gbxnb.games.asm import assemble
from gbxnb.emulator.cartridge import Cartridge, RomError, header_checksum
from gbxnb.emulator.emulator import Emulator
from gbxnb.emulator.machine import FRAME, LINE, Button, Reg, words_of
from gbxnb.pyboy import PyBoy, PyBoys
from gbxnb.backends.warp import make_backend
from gbxnb.emulator.rows import boot_row, load_snapshot, save_snapshot
from gbxnb.saves.pyboy import from_pyboy, to_pyboy
from gbxnb.saves.save_files import row_with_save, save_of_row, from_bess, to_bess

ROOT = Path(__file__).resolve().parents[2]

def run(code, *words, deadline=600):
    "A program in a process of its own; the deadline only ends one that hangs."
    return processes.python(code, *words, timeout=deadline)

def cartridge(code):
    "32 KB without a mapper."
    rom = bytearray(0x8000)
    rom[0x100:0x100 + len(code)], rom[0x134:0x143] = code, b'PLAIN'.ljust(15, b'\0')
    rom[0x14D] = header_checksum(rom)
    return bytes(rom)

LIAR = """SECTION "entry", ROM0[$100]
 JP $150
 SECTION "main", ROM0[$150]
 LD A, {bank} :: LD [$2100], A :: CALL $4000
.end: JR .end
 SECTION "one", ROMX[$4000], BANK[1]
 LD A, 1 :: LD [$C000], A :: RET
 SECTION "two", ROMX[$4000], BANK[2]
 LD A, 2 :: LD [$C000], A :: RET
"""

def liar(kind, ram_code=0, size=0x10000, ram_kb=0):
    "A game that reaches C000 = 2 where it has banks, and is 64 KB whatever the header says."
    rom = bytearray(assemble(LIAR.format(bank=2 if size > 0xC000 else 1), cartridge_type=0x19).rom[:size].ljust(size, b'\xff'))
    rom[0x147:0x14A] = kind, 0, ram_code
    rom[0x14D] = header_checksum(rom)
    return bytes(rom)

LIES = [ # a header, the board by force, bytes of RAM, the bank that is reached
    (liar(0), 'MBC3', 0, 2), (liar(8), 'MBC3+RAM', 0x2000, 2), (liar(0, size=0x8001), 'MBC3', 0, 1),
    (liar(9, 1, 0x8200), 'MBC3+RAM+BATTERY', 0x800, 1), (liar(0xC0), 'MBC5', 0, 2), (liar(4, 3), 'MBC5', 0x8000, 2),
    (liar(0xFF, 2), 'MBC5', 0x2000, 2), (liar(3, 0x0D), 'MBC1+RAM+BATTERY', 0x2000, 2),
    (liar(0x1B, 0xFF), 'MBC5+RAM+BATTERY', 0x2000, 2), (liar(6, size=0x40200), 'MBC2+BATTERY', 512, 2),
    (b'\4'.ljust(512, b'\0') + liar(0x19), 'MBC5', 0, 2)]

@pytest.mark.parametrize('rom, board, ram_bytes, bank', LIES, ids=range(len(LIES)))
def test_headers_that_lie(tmp_path, monkeypatch, rom, board, ram_bytes, bank):
    "Refused in a line that names both ways past; taken by force, with a board of a name, by both variables, and by PyBoy's interface."
    def reached(cart):
        e = Emulator(cart)
        e.run_frames(2)
        return e.read(0xC000)[0]
    with pytest.raises(RomError) as refused: Cartridge.load(rom)
    assert '--force' in str(refused.value) and '\n' not in str(refused.value)
    cart = Cartridge.load(rom, force=True)
    assert (cart.board, cart.ram_bytes, reached(cart)) == (board, ram_bytes, bank) and len(cart.rom) == cart.rom_banks*0x4000
    assert reached(Cartridge.load(rom, board='mbc5+ram')) == bank
    path = tmp_path/'game.gb'
    path.write_bytes(rom)
    for name, value, found in ('GBXNB_FORCE', '1', board), ('GBXNB_BOARD', 'MBC5', 'MBC5'), ('GBXNB_BOARD', 'auto', board):
        with monkeypatch.context() as m:
            m.setenv(name, value)
            assert Emulator(path).cart.board == found
            with PyBoy(str(path), window='null') as boy: assert boy.cart.board == found

@pytest.mark.parametrize('board, part', [('MBC9', "board 'MBC9' is not"), ('HuC1', 'MBC5+RAM+BATTERY'), ('ROM', 'reaches 32,768')])
def test_boards_that_will_not_do(board, part):
    with pytest.raises(RomError, match=re.escape(part)): Cartridge.load(liar(0), board=board)

def test_dma_without_ram(tmp_path):
    "OAM DMA from A100 on a cartridge without RAM: up to 416 bytes behind the last of 133 rows were read."
    (tmp_path/'plain.gb').write_bytes(cartridge(bytes.fromhex('3EA1E04618FE')))
    code = """import sys
from gbxnb.emulator.emulator import Emulator
for _ in range(3):
    e = Emulator(sys.argv[1], 133)
    e.run_frames(2)
    assert not e.faults.any()"""
    done = run(code, tmp_path/'plain.gb')
    assert done.returncode == 0, (done.returncode, done.stderr)

def test_two_threads():
    "Two threads step one emulator: the consoles are where one thread would have brought them."
    alone, shared = (Emulator(game.rom(), 16, threads=2, device='cpu') for _ in range(2))
    def steps(e, k):
        for _ in range(k): e.run_frames(1)
    steps(alone, 120)
    threads = [threading.Thread(target=steps, args=(shared, 40)) for _ in range(3)]
    for t in threads: t.start()
    for t in threads: t.join()
    assert shared.hash() == alone.hash()

def test_fork():
    "An emulator made in a parent is stepped in a forked child: it waited for threads that were not there."
    code = """import os
from gbxnb.games import bundled as game
from gbxnb.emulator.emulator import Emulator
e = Emulator(game.rom(), 16, threads=2)
e.run_frames(2)
reader, writer = os.pipe()
if not (child := os.fork()):
    e.run_frames(3)
    os.write(writer, e.hash().encode())
    os._exit(0)
os.close(writer)
said = os.read(reader, 16).decode()
e.run_frames(3)
assert os.waitpid(child, 0)[1] == 0 and said == e.hash()"""
    try: done = run(code, deadline=120)
    except subprocess.TimeoutExpired: pytest.fail('the child waits without end')
    assert done.returncode == 0, done.stderr

FILLS = assemble('''
SECTION "vblank", ROM0[$40]
    jp fill
SECTION "joypad", ROM0[$60]
    ldh a, [$44]
    ld [$C100], a
    reti
SECTION "entry", ROM0[$100]
    jp start
SECTION "main", ROM0[$150]
fill: inc d
    ld a, d
    ld e, d
    ld c, 16
    ld hl, $C000
.wram: ld [hl+], a
    dec c
    jr nz, .wram
    ld c, 16
    ld hl, $9800
.map: ld [hl+], a
    dec c
    jr nz, .map
    reti
start: ld sp, $DFF0
    ld a, $10
    ldh [$00], a
    inc a
    ldh [$FF], a
    ei
.on: inc b
    jr .on
''').rom # writes a number everywhere in VBlank, and the line at which a button went down

def filling(n=0):
    b = PyBoys(io.BytesIO(FILLS), n, 'cpu', window='null') if n else PyBoy(io.BytesIO(FILLS), window='null')
    b.tick(70, False)
    return b

def numbers(b): return b.memory[0xC000:0xC010] + b.memory[0x9800:0x9810] + [b.register_file.D, b.register_file.E]

def saved(b):
    "The numbers in a state."
    state, other = io.BytesIO(), filling()
    b.save_state(state), state.seek(0), other.load_state(state)
    return len({*numbers(other)})

def hook_on_and_off(b): return b.hook_register(0, 0x160, print, None), b.hook_deregister(0, 0x160)

def hook_itself(b):
    b.hook_deregister(0, 0x40), b.hook_register(0, 0x40, hook_itself, b)
    hook_on_and_off(b)

def wait_for_another(b):
    thread = threading.Thread(target=lambda: (saved(b), b.button('a'), hook_on_and_off(b)))
    thread.start(), thread.join()

BESIDE = dict( # what is done while another thread ticks: how often, with what result, with how many consoles, beside which hook
    save_state=(saved, 9, 1), save_with_hook=(saved, 3, 1, 0, wait_for_another), tick=(lambda b: b.tick(2), 99, True),
    hooks=(hook_on_and_off, 99, (None, None)), tick_with_hook=(lambda b: b.tick(2), 50, True, 0, hook_itself),
    slice=(lambda b: len({*b.memory[0x9800:0x9810]}), 999, 1),
    area=(lambda b: len({*b.game_area()[:, 0].ravel()[:8]}), 300, 1, 3), registers=(lambda b: len({*b.register_file.D}), 300, 1, 3),
    load=(lambda b: b.restore(b.saved()), 50, None), buttons=(lambda b: b.button(['a', None, 'b']), 99, None, 3),
    stop=(lambda b: (b.stop(False), b.stopped)[1], 1, True))

@pytest.mark.parametrize('name', BESIDE)
def test_another_thread_ticks(name):
    "All that a call sees or changes is of one moment between frames, and the other thread goes on."
    act, times, result, n, hook, *_ = *BESIDE[name], 0, None
    b, done, ended = filling(n), threading.Event(), []
    if hook: b.hook_register(0, 0x40, hook, b)
    def tick():
        while not done.is_set() and b.tick(7, False): pass
        ended.append(name)
    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    try: assert {act(b) for _ in range(times)} == {result}
    finally:
        done.set(), thread.join(120)
        assert ended, 'the other thread hangs, or has failed'

def test_fork_beside_ticks():
    "The child inherits a lock, and a tick that never ends: it waits for neither."
    code = """import io, os, sys, threading
from gbxnb.pyboy import PyBoy
b, done = PyBoy(sys.argv[1], window='null'), threading.Event()
def tick():
    while not done.is_set(): b.tick(100, False)
b.hook_register(0, 0x40, lambda _: None, None)
threading.Thread(target=tick).start()
for _ in range(3):
    if not (child := os.fork()):
        b.save_state(io.BytesIO()), b.tick(2), b.memory[0xFF80:0xFF90], b.stop(False)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
done.set()"""
    try: done = run(code, game.rom_path(), deadline=120)
    except subprocess.TimeoutExpired: pytest.fail('a child waits without end')
    assert done.returncode == 0, done.stderr

@pytest.mark.parametrize('hooked', [False, True])
def test_moment_of_a_button(hooked):
    "A key goes down, and up, at an M-cycle of its frame, one for each console; a program sees the line."
    at = np.random.default_rng(0).integers(0, 142*LINE, 64)
    b, seen = filling(64), []
    if hooked: b.hook_register(0, 0x60, lambda _, one: seen.append((one.frame_count, one.memory[0xC000])), None)
    b.button('a', 2, at)
    b.tick(2, False)
    first = b.memory[0xC100]
    assert ((first - at//LINE) & ~1 == 0).all() and len({*first}) > 30 and (b.memory[0xFF00] & 15 == 14).all()
    b.tick(1, False)
    assert (b.memory[0xFF00] & 15 == 15).all() and (b.memory[0xC100] == first).all()
    one = filling()
    one.button('b', at=500), one.button_press('a', at=9000), one.send_input(7, 1, 3000), one.tick(1, False)
    assert one.memory[0xC100] in (9000//LINE, 9000//LINE + 1)
    one.tick(1, False)
    assert one.memory[0xC100] in (3000//LINE, 3000//LINE + 1) and len(seen) == 64*hooked

@pytest.mark.parametrize('seed', [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2))])
def test_loops_that_wait_for_a_line(seed):
    "Any line, by any form of the loop, disturbed by handlers that use what is in A and the flags: as without shortcuts."
    rng = np.random.default_rng(seed)
    def loop(k):
        load, jump = rng.choice(['ldh a, [$44]', 'ld a, [$FF44]']), rng.choice(['jr nz', 'jr c', 'jp nz', 'jp c', 'jr nc', 'jr z'])
        lcd = rng.choice(['', '', '', ' xor a\n ldh [$40], a\n', ' ld a, $91\n ldh [$40], a\n'])
        number = rng.choice([0, 1, 143, 144, 152, 153, 154, 255, *rng.integers(0, 154, 12)])
        delay = f' ld b, {rng.integers(1, 200)}\n.d{k}: dec b\n jr nz, .d{k}\n{lcd}'
        return f'{delay}.w{k}: {load}\n cp {number}\n {jump}, .w{k}\n push af\n pop de\n add hl, de\n'
    handler = 'push af\n pop de\n add hl, de\n ld a, $91\n ldh [$40], a\n ld a, l\n ld [$C000], a\n reti\n'
    vectors = ''.join(f'SECTION "at{at}", ROM0[${at}]\n jp handler\n' for at in (40, 48, 50))
    sources = f' ld a, 7\n ldh [$FF], a\n ld a, {rng.integers(4, 8)}\n ldh [$07], a\n ld a, $40\n ldh [$41], a\n'
    source = (f'{vectors}SECTION "entry", ROM0[$100]\n jp start\nSECTION "main", ROM0[$150]\nhandler: {handler}start: ld sp, $DFF0\n'
              f'{sources} ld a, {rng.integers(154)}\n ldh [$45], a\n ei\nagain:\n{"".join(map(loop, range(30)))} jp again\n')
    fast, slow = (Emulator(Cartridge.load(assemble(source).rom), 4, threads=1, shortcuts=k, device='cpu') for k in (True, False))
    rows = fast.rows.numpy()
    words_of(rows)[:, Reg.DIVB] -= np.arange(4) * 37
    for e in fast, slow: e.rows.assign(rows)
    for _ in range(25):
        portion = int(rng.integers(1, 30_000))
        for e in fast, slow: e.run_cycles(portion)
        assert fast.hash() == slow.hash()
    assert len({fast.hash(k) for k in range(4)}) > 1

def test_picture_after_cycles():
    "A picture is not older than memory after a launch of cycles: this program turns the palette over in each vertical blank."
    rom = bytearray(cartridge(bytes.fromhex('00C35001')))
    rom[0x40:0x46], rom[0x150:0x158] = bytes.fromhex('F0472FE047D9'), bytes.fromhex('3E01E0FFFB7618FD')
    frames, cycles = Emulator(bytes(rom), device='cpu'), Emulator(bytes(rom), device='cpu')
    frames.run_frames(3)
    cycles.run_cycles(3*FRAME)
    shown = []
    for _ in range(6):
        shown.append(int(frames.frame()[0, 0]))
        assert np.array_equal(frames.frame(), cycles.frame())
        frames.run_frames(1)
        cycles.run_cycles(FRAME)
    assert len(set(shown)) == 2

# ---- one object with everything on it

NEWCOMER = """import sys
for name in [m for m in sys.modules if m.split('.')[0] == 'gbxnb']: del sys.modules[name] # the process has everything, from before
import io, gbxnb
def late(): return [m for m in ('saves.save_files', 'watch.variables', 'games.bundled', 'backends.warp') if f'gbxnb.{m}' in sys.modules]
with gbxnb.Emulator(sys.argv[1], n=2, device='cpu') as e:
    assert {'save_state', 'load_state', 'save_battery'} <= set(dir(e)) and 'symbols' in dir(e.cart) and not late()
    e.set_buttons('start')
    e.run_frames(60)
    f, row = io.BytesIO(), e.save()
    e.save_state(f)
    assert late() == ['saves.save_files']
    e.reset(), f.seek(0)
    e.load_state(f)
    assert (e.save(1) == row).all() and e.cart.symbols['wPlayer'].address == 0xC385 and gbxnb.Button.A == 16"""

def test_one_import_is_enough():
    "`import gbxnb` and no other; what is imported later is imported by its first use."
    done = run(NEWCOMER, game.rom_path())
    assert done.returncode == 0, done.stderr

@pytest.fixture(scope='module')
def three(): return Emulator(game.rom(), 3, threads=1, device='cpu')

@pytest.mark.parametrize('given, held', [
    ('A', [16]*3), ('a+Up', [20]*3), ('', [0]*3), ([' start ', 'B', ''], [128, 32, 0]), (('A', 4, Button.B), [16, 4, 32]),
    (Button.A | Button.UP, [20]*3), (np.array([1, 2, 3]), [1, 2, 3])])
def test_keys_by_name(three, given, held):
    three.set_buttons(given)
    assert three.keys.numpy().tolist() == held

@pytest.mark.parametrize('given, why', [
    ('Strat', "'Strat' is no button; did you mean START?"), ('A,B', "'A,B' is no button; buttons are RIGHT"), ('C', "'C' is no button"),
    (['A', 'UP'], r"keys are \['A', 'UP'\], but must be .* names such as 'A\+UP', once or for each of 3"), ([['A', 'B', 'UP']], 'keys are'),
    ([None]*3, 'keys are'), ({'A'}, 'keys are')])
def test_keys_that_are_none(three, given, why):
    before = three.keys.numpy().tolist()
    with pytest.raises(ValueError, match=why) as e: three.set_buttons(given)
    assert '\n' not in str(e.value) and three.keys.numpy().tolist() == before

@pytest.mark.parametrize('chosen, which', [
    (None, [0, 1, 2]), (1, [1]), ([2, 0], [0, 2]), (np.array([False, True, True]), [1, 2]), ((), [])])
def test_power_switch(three, chosen, which):
    made = [Emulator(game.rom(), device='cpu', ram_seed=i).save() for i in range(3)]
    three.reset()
    three.set_buttons('down')
    three.run_frames(40)
    played = [three.save(i) for i in range(3)]
    three.reset(chosen)
    for i in range(len(three)): assert (three.save(i) == (made[i] if i in which else played[i])).all()
    assert three.keys.numpy().tolist() == [0 if i in which else Button.DOWN for i in range(3)]
    assert (three.frames() == np.stack([three.frame(i) for i in range(3)])).all() and three.frames().dtype == np.uint8
    if 0 in which: assert (three.frame(0) == Emulator(game.rom(), device='cpu').frame()).all()

def test_closed_twice_and_run_again():
    e, other = (Emulator(game.rom(), 8, threads=2, device='cpu') for _ in range(2))
    e.run_frames(3), e.close(), e.close(), e.run_frames(3), other.run_frames(6)
    assert e.hash() == other.hash() and len(e) == 8

@pytest.mark.parametrize('thing', ['three', 'three.cart'])
def test_slips_of_the_pen(thing, three):
    "Python itself suggests a name that is near, from what the error has with it; a name of Python's own is not looked for elsewhere."
    owner = three if thing == 'three' else three.cart
    with pytest.raises(AttributeError, match="object has no attribute 'titel'") as e: owner.titel.lower()
    assert (e.value.name, e.value.obj) == ('titel', owner) and not hasattr(owner, '__array__')

def test_the_error_of_a_property_stays_its_own(three, monkeypatch):
    monkeypatch.setattr(Emulator, 'lock', property(lambda self: self.nowhere))
    with pytest.raises(AttributeError, match='nowhere'): three.lock.acquire()

# Restored consoles go on bit for bit, and so do saved ones; a folder of other games is named by GBXNB_TEST_ROMS

FOLDER = os.environ.get('GBXNB_TEST_ROMS', '')
ROMS = sorted(p for p in Path(FOLDER).iterdir() if p.suffix in ('.gb', '.gbc')) if FOLDER else []
games = pytest.mark.parametrize('rom', ROMS or [None], ids=lambda p: p.stem if p else 'none')
given = pytest.mark.skipif(not ROMS, reason='no ROMs of other people given: name a folder of them by GBXNB_TEST_ROMS')

def restored_like_fresh(rom, frames=600):
    "A console that never stopped, against copies restored into used consoles; how many pictures were shown."
    rng = np.random.default_rng(0)
    one, many = (make_backend('warp', rom, n, 'cpu', threads=1) for n in (1, 5))
    def run(keys, frames):
        for b, k in (one, keys[:1]), (many, keys):
            b.buttons.assign(k.astype(np.uint8))
            b.step(frames, min(8, frames))
    for key in (0, 0, 128, 0, 16, 0, 128, 0): run(np.full(5, key), 30)
    for _ in range(8): run(1 << rng.integers(0, 8, 5), 24) # until all are somewhere else
    many.set_bank([one.snapshot(0)])
    many.restore(wp.array([False, True, False, True, True], dtype=wp.bool, device='cpu'), wp.zeros(5, wp.int32, 'cpu'))
    shown = set()
    for t in range(0, frames, 24):
        keys = 1 << rng.integers(0, 8, 5)
        keys[[1, 3, 4]] = keys[0]
        run(keys, min(24, frames - t))
        fresh, states = one.save_all()[0], many.save_all()
        for i in (1, 3, 4):
            assert (states[i] == fresh).all() and (many.pix.numpy()[i] == one.pix.numpy()[0]).all(), f'console {i}, frame {t + 24}'
        shown.add(one.pix.numpy()[0].tobytes())
    for b in one, many: b.close()
    return len(shown)

def test_the_bundled_game_restored():
    "Other keys before, the same after: rows and pictures are compared after every step of 600 frames."
    assert restored_like_fresh(game.rom()) > 10

@given
@games
def test_restore_then_run(rom): assert restored_like_fresh(rom)

@given
@games
def test_save_then_load(rom):
    "At many moments of a game: our format and BESS give the same bytes, PyBoy's format is readable, the battery keeps what it had."
    e, rng = Emulator(rom, device='cpu'), np.random.default_rng(0)
    for _ in range(60):
        e.set_buttons(int(1 << rng.integers(8)))
        if rng.integers(2): e.run_frames(int(rng.integers(1, 60)))
        else: e.run_cycles(int(rng.integers(1, 100_000)))
        row = e.save()
        assert (load_snapshot(e.cart, save_snapshot(e.cart, row, e.log.numpy()[0], e.frame()))[0] == row).all()
        assert (from_bess(e.cart, to_bess(e.cart, row)) == row).all()
        from_pyboy(e.cart, to_pyboy(e.cart, row))
        if not e.cart.has_battery: continue
        kept = save_of_row(e.cart, row)
        assert save_of_row(e.cart, row_with_save(e.cart, boot_row(e.cart), *kept)) == kept
