"""What is watched changes nothing and is exact: hooks, variables, environments with them, and everything they can be given wrongly.

Hooks are compared with a kernel that notes every instruction that runs, whatever bus or bank it comes from, without any shortcut."""
import difflib, functools, json, os, signal
from contextlib import closing
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from itertools import islice, product
from string import ascii_letters

import numpy as np
import pytest
import torch
import warp as wp
from gbxnb.backends.base import VariableTable
from gbxnb.games.asm import Program, symbol_text, assemble
from gbxnb.backends.warp import make_backend
from gbxnb.games.bundled import probe_picture, probe_rom
from gbxnb.base.command import call
from gbxnb.games import bundled as game
from gbxnb.emulator.cartridge import Cartridge
from gbxnb.traces.cache import trace_everything
from gbxnb.emulator.cpu import machine_kernel
from gbxnb.emulator.emulator import Emulator
from gbxnb.emulator.machine import IO, HIGH, NEVER, SLOW, SRAM, STALE, VRAM, WRAM, Reg, Shared, entry, io, store8, words_of
from gbxnb.watch.variables import hook_place, plain_hooks, resolve_hooks, with_hooks, parse_symbols
from gbxnb.emulator.boards import low_bank, rom_bytes
from gbxnb.watch.variables import PLAIN_IO, Variable, decode, encode, plain, resolve
from gbxnb.envs.rewards import first_seen, gained, new_max, REWARDS, RewardJudge, Rewards
from gbxnb.envs.config import EnvConfig
from gbxnb.envs.goal import GoalJudge, GoalTemplate
from gbxnb.envs.pixels import PixelsEnv
from gbxnb.envs.watch_list import WatchConfig, make_watch_list
from gbxnb.base.files import UserError
from gbxnb.bench.throughput import steady
from gbxnb.runs.train import train_cli
from gbxnb.worlds.contract import check_world
from hypothesis import HealthCheck, given, settings, strategies as st, assume, example
from wild import KEYS, instructions
from gbxnb.lab.inspect import Inspect
from gbxnb.pyboy import PyBoy
from gbxnb.watch.variables import Place, Symbols, find_symbols, read_symbols, symbols_beside

ERRORS = ValueError, TypeError, UserError
TOWN, SYMBOLS = Cartridge.load(game.rom()), parse_symbols(symbol_text(game.program()), 'town.sym')
def often(cases, names): return [c if c in names else pytest.param(c, marks=pytest.mark.slow) for c in cases]
def some(n): return settings(max_examples=n, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))

few = some(12)
seeds = st.integers(0, 2**32 - 1)

def refused(call, *words, most=300):
    "`call` raises one short line with all `words` in it."
    with pytest.raises(ERRORS) as e: call()
    text = str(e.value)
    assert len(text.splitlines()) == 1 and len(text) < most and all(w in text for w in words), text

# Hooks: what ran

@wp.func
def note_executed(g: wp.uint64, code: wp.uint64, p: wp.uint64, bank: int, at: int, pc: int, trapped: bool):
    "Note the place of an instruction for its console, wherever it was fetched."
    a = at & 0xFFFF
    if a > 0x7FFF or (a < 0x100 and (io(p, IO.BOOT) & 1) == 0):
        return
    n = rom_bytes(g)
    i = a + wp.where(a >= 0x4000, bank & ~(SLOW | STALE), low_bank(g, p) * 0x4000)
    e = int((p - entry(g, Shared.ROWS)) / entry(g, Shared.ROW_BYTES))
    store8(entry(g, Shared.PROFILE) + wp.uint64(e) * wp.uint64(n), i, 1, n, p)

@functools.cache
def noting(): return machine_kernel(shortcuts=False, max_round_steps=0, note_step=note_executed)

def executed(e, frames, release, cycles):
    "Run consoles; the places of all instructions that ran, uint8[n, rom bytes]."
    out, table = np.zeros((e.n, len(e.cart.rom)), np.uint8), e.table.copy()
    table[Shared.PROFILE] = out.ctypes.data
    table = wp.array(table, device='cpu')
    wp.launch(noting(), dim=e.n, inputs=[table.ptr, e.keys, frames, release, cycles, 0], device='cpu')
    return out

LOOPS = ('.y: ldh a, [$44]\n cp {b}\n jr nz, .y', '.y: ldh a, [$41]\n and 3\n cp {s}\n jr nz, .y', '.y: ldh a, [$04]\n and 3\n jr nz, .y',
         'ld a, $20\n ldh [$00], a\n ld c, 0\n.y: ldh a, [$00]\n bit {s}, a\n dec c\n jr nz, .y', 'ld b, {b}\n.y: dec b\n nop\n jr nz, .y',
         'ld bc, {b}*3\n.y: dec bc\n ld a, b\n or c\n jr nz, .y', '.y: ld a, [$C201]\n cp {s}\n inc a\n ld [$C201], a\n jr c, .y')
SLEEP = ('ei\n nop\n halt\n nop\n inc b', 'di\n ld a, 4\n ldh [$0F], a\n halt\n {i}\n ei', 'di\n xor a\n ldh [$0F], a\n ei\n {i}\n inc c',
         'ld a, {b}\n ldh [$06], a\n ldh [$05], a')
FAR = ('call $C300', 'call $C310', 'ld a, {t}\n ld [$2000], a\n call $4000', 'ld a, {t}\n ld [$2000], a\n call $4080',
       'ld a, {t}\n ld [$2000], a\n call $3FFE')
DMA = ('ld a, $80\n ldh [$46], a\n {p}', 'ld a, $C0\n ldh [$46], a\n nop\n nop\n ld b, {b}\n.y: dec b\n jr nz, .y',
       'ld a, $90\n ldh [$46], a\n ld a, {t}\n ld [$2000], a\n call $4080')
ONE = 'inc b', 'dec d', 'di', 'halt', 'nop', 'ld a, 9', 'cp 3'

def source(rng, parts=30):
    "A program of every kind of thing that hooks must not disturb, in four banks."
    def piece(k, kinds=(LOOPS, SLEEP, FAR, DMA, None)):
        kind = kinds[int(rng.integers(len(kinds)))]
        text = kind[int(rng.integers(len(kind)))] if kind else '{p}'
        numbers = dict(b=int(rng.integers(1, 153)), s=int(rng.integers(0, 4)), t=int(rng.integers(1, 4)),
            i=ONE[int(rng.integers(len(ONE)))])
        return f' {text.format(p=instructions(rng, 6), **numbers)}'.replace('.y', f'.y{k}').replace('.s', f'.s{k}_')
    banks = '\n'.join(f'SECTION "far{k}", ROMX[$4000], BANK[{k}]\n inc a\n{piece(90 + k, (None,))}\n ret\n'
                      f'SECTION "loop{k}", ROMX[$4080], BANK[{k}]\n ld a, {k + 9}\n.w{k}: dec a\n jr nz, .w{k}\n ret' for k in (1, 2, 3))
    return f'''SECTION "vblank", ROM0[$40]\n push af\n ldh a, [$90]\n inc a\n ldh [$90], a\n pop af\n reti
SECTION "stat", ROM0[$48]\n reti\nSECTION "timer", ROM0[$50]\n inc e\n reti\nSECTION "joypad", ROM0[$60]\n reti
SECTION "entry", ROM0[$100]\n jp start\nSECTION "main", ROM0[$150]
one: ld a, [$C200]\n inc a\n ld [$C200], a\n ret
two: ld a, e\n or a\n ret z\n dec e\n ret
copied: DB $3E, 5, $3D, $20, $FD, $C9
start: ld sp, $DFF0\n ld hl, $C300\n ld de, copied\n ld b, 6\n.copy: ld a, [de]\n ld [hl+], a\n inc de\n dec b\n jr nz, .copy
 ld a, $C3\n ld [$C310], a\n ld a, low(one)\n ld [$C311], a\n ld a, high(one)\n ld [$C312], a
 ld a, $15\n ldh [$FF], a\n ld a, {int(rng.integers(4, 8))}\n ldh [$07], a\n ld a, {int(rng.integers(256))}\n ldh [$06], a\n ei
.again: ld sp, $DFF0\n ei
''' + '\n'.join(map(piece, range(parts))) + f'\n jp .again\nSECTION "edge", ROM0[$3FFE]\n ld a, b\n DB $3E\n{banks}\n'

def together(cart, places, rng, n, threads, steps=12, frames=0):
    "Run consoles with hooks, without, and noting; in every step their states and what was reached are the same. What was reached."
    hooked = Emulator(replace(cart, hooks=places), n, 'cpu', threads)
    bare, judge = (Emulator(cart, n, 'cpu', 1) for _ in range(2))
    rows = bare.rows.numpy().copy()
    words_of(rows)[:, Reg.DIVB] -= np.arange(n)*37 # consoles that are apart
    for e in hooked, bare, judge: e.rows.assign(rows)
    if frames: trace_everything(hooked, frames)
    reached = np.zeros(len(places), bool)
    for _ in range(steps):
        keys = rng.choice([0, *KEYS], n)
        for e in hooked, bare, judge: e.set_buttons(keys)
        if rng.integers(2):
            portion = int(rng.integers(1, 30_000))
            for e in hooked, bare: e.run_cycles(portion)
            ran = executed(judge, 0, NEVER, portion)
        else:
            chunk, release = int(rng.integers(1, 4)), int(rng.integers(0, 4))
            for e in hooked, bare: e.step(chunk, release)
            ran = executed(judge, chunk, release, 0)
        assert hooked.hash() == bare.hash() == judge.hash()
        hits = hooked.hits.numpy()
        assert (hits == ran[:, list(places)]).all(), [hex(places[k]) for k in np.argwhere(hits != ran[:, list(places)])[:, 1]]
        reached |= hits.any(0)
    return reached

def places_of(cart, rng, most):
    "Some of the places that run."
    e, ran = Emulator(cart, 2, threads=1, device='cpu'), np.zeros(len(cart.rom), bool)
    for keys in 0, 1, 8, 128: e.set_buttons(keys); ran |= executed(e, 4, 2, 0).any(0)
    at = np.setdiff1d(np.flatnonzero(ran), [0x3FFF])
    return tuple(sorted(map(int, rng.choice(at, min(len(at), most), replace=False))))

@pytest.mark.parametrize('threads', [pytest.param(1, marks=pytest.mark.slow), 2])
def test_hooks_with_everything_in_traces(threads):
    rng = np.random.default_rng(7)
    cart = Cartridge.load(assemble(source(rng), cartridge_type=0x11).rom)
    places = places_of(cart, np.random.default_rng(1), 60)
    assert together(cart, places, rng, 3, threads, 10, frames=60).sum() > 40

def test_hooks_of_the_bundled_game_in_parts():
    "Steps of 24 frames and the same in chunks: what was reached in a step is what was reached in any of its chunks."
    cart = with_hooks(TOWN, resolve_hooks(['Talk', 'Menu', 'WaitFrame', 'VBlank', 'LoadPlace', 'MoveVillager.think'], TOWN, SYMBOLS))
    whole, parts = Emulator(cart, 2, threads=1, device='cpu'), Emulator(cart, 2, threads=2, device='cpu')
    for buttons, frames in game.START:
        both = np.zeros(whole.hits.shape, np.uint8)
        for e in whole, parts: e.set_buttons(buttons)
        whole.run_frames(frames)
        while frames:
            parts.run_frames(now := min(frames, 7))
            both |= parts.hits.numpy()
            frames -= now
        assert (whole.hits.numpy() == both).all() and whole.hash() == parts.hash() and both.any()

CROSSING = '''SECTION "entry", ROM0[$100]\n jp start\nSECTION "main", ROM0[$150]
start: ld a, {bank}\n ld [$2000], a\n call $3FFF\n jr start
SECTION "edge", ROM0[$3FFF]\n DB $3E\nSECTION "a", ROMX[$4000], BANK[1]\n DB $11\n ret
SECTION "b", ROMX[$4000], BANK[2]\n DB $22\n ret\n'''

def test_a_hook_on_an_instruction_across_banks():
    "The emulator ran on and on in one cycle: the hook handed the same control word back whenever the bytes were to be fetched."
    cart = Cartridge.load(assemble(CROSSING.format(bank=2), cartridge_type=1).rom)
    child = os.fork()
    if not child:
        signal.alarm(120)
        reached = together(cart, (0x3FFF, 0x8001), np.random.default_rng(2), 2, 1)
        os._exit(0 if reached.all() else 1)
    assert os.waitpid(child, 0)[1] == 0

BIG_MBC1 = '''SECTION "entry", ROM0[$100]\n jp start\nSECTION "main", ROM0[$150]\nstart: ld a, 1\n ld [$4000], a\n jp $C000
SECTION "low", ROM0[$200]\n inc b\nhere: jr here
SECTION "high", ROMX[$4200], BANK[32]\n inc c\n inc d\nthere: jr there\nSECTION "last", ROMX[$4000], BANK[63]\n DB 0\n'''

def test_hooks_where_the_low_bank_is_another():
    "A big MBC1 cartridge in mode 1 shows bank 32 at 0000: its instructions run there, and those of bank 0 do not."
    cart = Cartridge.load(assemble(BIG_MBC1, cartridge_type=3, ram_kb=8).rom)
    def start(hooks):
        e = Emulator(replace(cart, hooks=hooks), 1, threads=1, device='cpu')
        for k, b in enumerate(bytes.fromhex('3E01EA0060C30002')): e.write(0xC000 + k, b) # ld a, 1; ld [$6000], a; jp $0200
        return e
    places = 0x200, 0x201, 32*0x4000 + 0x200, 32*0x4000 + 0x201, 32*0x4000 + 0x202
    e, judge = start(places), start(())
    e.run_cycles(5_000)
    assert e.hits.numpy()[0].tolist() == executed(judge, 0, NEVER, 5_000)[0, list(places)].tolist() == [0, 0, 1, 1, 1]

@few
@given(st.integers(0, 511), st.integers(0, 0xFFFF))
def test_places_of_hooks(bank, address):
    "A place is refused, or it is the one that was meant, and survives its file."
    cart = Cartridge.load(assemble('SECTION "x", ROMX[$4000], BANK[7]\n DB 0\n', cartridge_type=0x19).rom)
    def place(): return hook_place(f'{bank:X}:{address:04X}', cart)
    if address > 0x7FFF or bank > 7 or (address < 0x4000) != (bank == 0): return refused(place)
    assert place() == (bank << 14 | address & 0x3FFF) and resolve_hooks(plain_hooks(dict(h=place())), cart) == dict(h=place())

# Variables: against `decode`

BOARDS = [(0x00, 0), (0x09, 8), (0x03, 8), (0x03, 32), (0x06, 0), (0x13, 32), (0x13, 64), (0x1B, 8), (0x1B, 32), (0x1B, 128)]

@functools.cache
def board(kind, kb): return Cartridge.load(assemble('SECTION "entry", ROM0[$100]\n jr $100\n', cartridge_type=kind, ram_kb=kb).rom)

@st.composite
def lists(draw):
    "A cartridge and variables in all of its memories."
    cart, out = board(*draw(st.sampled_from(BOARDS))), {}
    memories = [(0x8000, 0x2000, VRAM), (0xC000, 0x2000, WRAM), (0xFE00, 0xA0, HIGH), (0xFF80, 0x80, HIGH + 0x180)]
    memories += [(a, 1, HIGH + (a & 0x1FF)) for a in PLAIN_IO]
    memories += [(0xA000, min(0x2000, cart.ram_bytes), SRAM)]*bool(cart.ram_bytes)*3
    for k in range(draw(st.integers(1, 12))):
        first, length, row = draw(st.sampled_from(memories))
        kind, bank = draw(st.sampled_from(['', '', 'bcd', 'signed', 'count'])), 0
        size = draw(st.integers(1, min(length, 600 if kind == 'count' else 4)))
        at = draw(st.one_of(st.just(length - size), st.integers(0, length - size)))
        mask = draw(st.one_of(st.just(0), st.integers(1, (1 << 8*size) - 1))) if kind != 'count' else 0
        if row == SRAM: bank = draw(st.integers(0, max(cart.ram_banks, 1) - 1))
        endian = draw(st.sampled_from(['little', 'big']))
        out[f'v{k}'] = Variable(first + at, size, endian, kind == 'bcd', kind == 'signed', mask, kind == 'count',
            bank), row + at + bank*0x2000
    return cart, out

@few
@given(lists(), seeds)
def test_variables_are_read_and_written(given, seed):
    "Any list on any board, from random bytes: as `decode` and `encode` say; where a mask is not set, nothing."
    (cart, listed), rng = given, np.random.default_rng(seed)
    variables = resolve({k: v for k, (v, _) in listed.items()}, cart)
    assert variables == {k: v for k, (v, _) in listed.items()} == resolve(json.loads(json.dumps(plain(variables))), cart)
    b = make_backend('warp', cart, 5, 'cpu')
    rows, bytes_of = b.emulator.rows.numpy(), rng.integers(0, 256, b.emulator.rows.shape, np.uint8)
    rows[:], where = bytes_of, rng.integers(0, 2, 5).astype(bool)
    mask = wp.array(where, dtype=wp.bool, device='cpu')
    table, out = VariableTable(variables, cart, 'cpu'), wp.full((3, 5, len(variables)), 77, dtype=wp.int32, device='cpu')
    def judged(i): return [decode(v, bytes_of[i, at:at + v.size].tobytes()) for v, at in listed.values()]
    b.watch(table, out)
    b.read_variables(mask)
    assert out.numpy()[0].tolist() == [judged(i) if where[i] else [77]*len(listed) for i in range(5)]
    b.read_variables()
    assert out.numpy()[0].tolist() == [judged(i) for i in range(5)] and (rows == bytes_of).all() and (out.numpy()[1:] == 77).all()
    written = {k: (v, at) for k, (v, at) in listed.items() if not v.count}
    if not written: return
    values = rng.integers(-2**31, 2**31, (5, len(written))).astype(np.int32)
    for k, (v, _) in enumerate(written.values()):
        if v.bcd: values[:, k] = abs(values[:, k]//2)
    b.write_variables(VariableTable({k: v for k, (v, _) in written.items()}, cart, 'cpu'), wp.array(values, device='cpu'), mask)
    for i in np.flatnonzero(where):
        for k, (v, at) in enumerate(written.values()):
            bytes_of[i, at:at + v.size] = np.frombuffer(encode(v, int(values[i, k]), bytes_of[i, at:at + v.size].tobytes()), np.uint8)
    assert (rows == bytes_of).all()

def test_ram_that_is_closed_and_video_memory_that_is_blocked():
    "The game cannot read them at the moment; whoever looks on can, in every bank."
    cart = board(0x1B, 128)
    b = make_backend('warp', cart.rom, 2, 'cpu')
    listed = make_watch_list(dict(near=0xA000, far=dict(at=0xBFFE, bank=15, size=2), video=dict(at=0x9FFC, size=4, signed=True)), cart)
    with PixelsEnv(cart.rom, 2, device='cpu', backend=b, watch=listed) as env:
        write = {k: torch.tensor(v, dtype=torch.int32) for k, v in dict(near=[1, 2], far=[60000, 4], video=[-5, 2**31 - 1]).items()}
        watched = env.reset(options=dict(write=write))[1]['watched']
        assert {k: t.tolist() for k, t in watched.items()} == {k: t.tolist() for k, t in write.items()}
        assert b.emulator.read(0xA000) == 0xFF, 'the game sees nothing there'
        assert env.step(torch.zeros(2, dtype=torch.int64))[4]['watched'].far.tolist() == [60000, 4]
    refused(lambda: make_watch_list(dict(v=dict(at=0xA000, bank=16)), cart), 'bank 16')

# Environments

GIVEN = dict(variables=dict(col=0xFF80, row=0xFF81, a=0xC100, w=dict(at=0xC1F0, size=4, signed=True),
    s=dict(at=0xC0FE, size=2, endian='big')),
             hooks=dict(loop='0:0150', never='1:7FF0'), observe=['col', 'w', 's'], begin=dict(a=[3, 250], s=[-9, 9], w=7),
             coverage=dict(row=18, col=20))
CART = Cartridge.load(probe_rom())

def watch_list(**change): return make_watch_list(GIVEN | change, CART)
def moves(n, steps, seed=0): return torch.randint(0, 7, (steps, n), generator=torch.Generator().manual_seed(seed))

def reward(s):
    "Everything that remembers: kept tensors of several types, and the map of places."
    visits = s.keep('visits', 0, torch.int32, (3,))
    visits += s.fresh[:, None]
    visits[:, 0] += s.now.col
    total = gained(s, 'col') + first_seen(s, 'row', 'col') + new_max(s, 'row') + visits[:, 0]
    return total, s.now.col >= 12, dict(a=s.now.a, new=s.coverage.new, fell=s.hits.loop)

@pytest.fixture(scope='module', autouse=True)
def registered():
    "The rewards of this module, for its tests."
    before = dict(REWARDS)
    REWARDS.register('watched/all', reward)
    yield
    REWARDS.clear()
    REWARDS.update(before)

@functools.cache
def home(backend='warp'):
    "The probe cartridge once its square is there."
    with closing(make_backend(backend, probe_rom(), 1, 'cpu')) as b:
        b.step(20, 0)
        return b.snapshot(0)

GOAL = GoalTemplate(probe_picture(5, 2), CART.sha256, '0'*64, '0'*64, tau=.001)
CFG = EnvConfig(max_steps=4)

def env_of(kind='rewards', n=3, cfg=CFG, watch=None, switched=False, **kw):
    watch = watch or watch_list()
    if not switched: kw |= dict(start=home(kw.get('backend', 'warp')))
    if kind == 'rewards': return PixelsEnv(probe_rom(), n, cfg, judge=RewardJudge('watched/all'), watch=watch, device='cpu', **kw)
    if kind == 'goal': return PixelsEnv(probe_rom(), n, cfg, judge=GoalJudge(GOAL), device='cpu', watch=watch, **kw)
    return PixelsEnv(probe_rom(), n, cfg, device='cpu', watch=watch, **kw)

def shown(env, out):
    "Copies of all that a step returned, by name."
    obs, reward, done, trunc, info = out
    final = env.final_obs*(done | trunc).view(-1, 1, 1, 1) # of the others it may be anything
    seen = dict(obs=obs, reward=reward, done=done, trunc=trunc, final_obs=final, length=env.episode_length, total=env.episode_return)
    seen |= {f'{k} {name}': t for k in ('watched', 'final_watched', 'hits') if k in info for name, t in info[k].items()}
    seen |= {f'extra {k}': t for k, t in info.get('extras', {}).items()}
    return {k: t.clone() for k, t in seen.items()}

def same(a, b): return a.keys() == b.keys() and all(np.array_equal(a[k], b[k]) for k in a)

@pytest.mark.parametrize('kind, n, change', [('rewards', 3, {}), pytest.param('pixels', 3, dict(switched=True), marks=pytest.mark.slow)])
def test_many_are_as_one_each(kind, n, change):
    "N in a batch are N batches of one: what begins is drawn, kept and counted by each console's own number."
    actions, each, counts, watch = moves(n, 9), [], 0, watch_list()
    with env_of(kind, n, watch=watch, **change) as many:
        first = many.reset(seed=5)[1]['watched'].tensor.clone()
        seen = [shown(many, many.step(a)) for a in actions]
        for i in range(n):
            with env_of(kind, 1, watch=watch, first=i, **change) as one:
                assert one.reset(seed=5)[1]['watched'].tensor.equal(first[i:i + 1])
                each.append([shown(one, one.step(a[i:i + 1])) for a in actions])
                counts = counts + one.coverage.counts
        for t, whole in enumerate(seen):
            own = whole.keys() - {'extra new'} # a place is new to all at once
            assert all(whole[k].equal(torch.cat([e[t][k] for e in each])) for k in own)
        assert many.coverage.counts.equal(counts) and len({*first[:, 2].tolist()}) > 1

@pytest.mark.parametrize('kind', ['rewards', *(pytest.param(k, marks=pytest.mark.slow) for k in ('goal', 'pixels'))])
@pytest.mark.parametrize('stack_k, packed', [(3, True), *(pytest.param(k, False, marks=pytest.mark.slow) for k in (1, 3))])
def test_going_on_from_a_state(kind, stack_k, packed):
    "In the middle of episodes, in a fresh environment: not one bit of anything differs from a run that went on."
    cfg = replace(CFG, stack_k=stack_k, packed=packed)
    with env_of(kind, cfg=cfg) as env, env_of(kind, cfg=cfg) as other:
        env.reset(seed=3)
        for a in moves(3, 6): env.step(a)
        saved = env.state_dict()
        expected = [shown(env, env.step(a)) for a in moves(3, 9, 1)]
        other.reset(seed=8)
        other.step(moves(3, 1)[0])
        other.load_state_dict(saved)
        for a, want in zip(moves(3, 9, 1), expected):
            assert same(seen := shown(other, other.step(a)), want), [k for k in want if not seen[k].equal(want[k])]
        assert other.coverage.counts.equal(env.coverage.counts) and same(other.state_dict(), env.state_dict())

def test_states_that_are_damaged():
    "Each array that watching adds, and the list that a state names: refused by name, and nothing has changed."
    with env_of() as env, env_of(watch=watch_list(begin=dict(a=1))) as other:
        env.reset(seed=3)
        for a in moves(3, 3): env.step(a)
        saved = env.state_dict()
        added = [k for k in saved if k.startswith('kept.')] + ['coverage', 'outside']
        assert len(added) == 6
        for name in added:
            for change in (lambda a: a[:1] if len(a) > 1 else a[:0], lambda a: a.astype(np.float64), lambda a: a[..., None],
                lambda a: a.tolist()):
                refused(lambda name=name, change=change: env.load_state_dict(saved | {name: change(saved[name])}), name)
            refused(lambda name=name: env.load_state_dict({k: v for k, v in saved.items() if k != name}), name)
        refused(lambda: env.load_state_dict(saved | dict(coverage=saved['coverage'] - 1)), 'coverage')
        refused(lambda: env.load_state_dict(saved | {'kept.more': saved['outside']}), 'kept.more')
        refused(lambda: other.load_state_dict(saved), 'watch', most=500)
        about = json.loads(saved['about'].tobytes())
        for wrong in about | dict(rewards='others'), about | dict(watch={}), about | dict(watch=None), {k: v for k,
            v in about.items() if k != 'watch'}:
            refused(lambda wrong=wrong: env.load_state_dict(saved | dict(about=np.frombuffer(json.dumps(wrong).encode(), np.uint8))),
                most=500)
        assert same(env.state_dict(), saved)

def test_where_an_episode_ends():
    "`final_watched` is its end, `watched` the beginning of the next, `hits` what the step ran; rewards see the end."
    def end(s): return s.keep('seen', 0, torch.int32).copy_(s.now.a).float()
    with PixelsEnv(probe_rom(), 4, EnvConfig(max_steps=2), home(), RewardJudge(end), watch=watch_list(), device='cpu') as env:
        began = env.reset(seed=1)[1]['watched'].a.clone()
        assert ((began >= 3) & (began <= 250)).all() and len({*began.tolist()}) > 1
        for k in range(6):
            _, given, _, trunc, info = env.step(torch.full((4,), 6))
            assert trunc.all().item() == (k % 2 == 1) and (info['hits'].never == 0).all()
            assert info['final_watched'].a.equal(began) and env.judge.moment.kept['seen'].equal(began) and given.equal(began.float())
            if trunc.all():
                assert info['watched'].col.tolist() == [2]*4 and info['final_watched'].col.tolist() == [4]*4
                assert not info['watched'].a.equal(began) and ((info['watched'].a >= 3) & (info['watched'].a <= 250)).all()
                began = info['watched'].a.clone()
            assert info['watched'].a.equal(began)

def test_reset_of_some_with_values():
    "Only the consoles of the mask begin, with what is written; what `begin` says comes first."
    with env_of('pixels') as env:
        env.reset(seed=1)
        env.step(torch.tensor([6, 6, 6]))
        before = env.watcher.now.tensor.clone()
        mask, values = torch.tensor([False, True, False]), torch.tensor([11, 12, 13], dtype=torch.int32)
        _, info = env.reset(options=dict(reset_mask=mask, write=dict(a=values, w=-values)))
        assert info['watched'].a.tolist() == [before[0, 2], 12, before[2, 2]] and info['watched'].w.tolist() == [7, -12, 7]
        assert info['watched'].tensor[[0, 2]].equal(before[[0, 2]]) and info['watched'].col[1] == 2
        assert env.step(torch.zeros(3, dtype=torch.int64))[4]['watched'].a.tolist()[1] == 12

def test_a_refused_write_changes_nothing():
    with env_of('pixels') as env, PixelsEnv(probe_rom(), 3, device='cpu') as bare:
        env.reset(seed=1)
        env.step(torch.tensor([6, 6, 6]))
        before, good = env.state_dict(), torch.zeros(3, dtype=torch.int32)
        for wrong in dict(b=good), dict(a=good.long()), dict(a=good[:2]), dict(a=[1, 2, 3]), dict(a=5), [1], 0, {5: good}, dict(a=good,
            b=good):
            refused(lambda wrong=wrong: env.reset(seed=4, options=dict(write=wrong)))
            assert same(env.state_dict(), before), wrong
        refused(lambda: bare.reset(options=dict(write=dict(a=good))), 'watched')

@pytest.mark.parametrize('stack_k, packed', [(4, False), *(pytest.param(*k, marks=pytest.mark.slow) for k in ((1, False), (3, True)))])
def test_observed_lines_are_the_bytes(stack_k, packed):
    "Below each picture of a stack, the bytes of the values that belong to it, and zeros."
    with env_of('pixels', cfg=EnvConfig(max_steps=5, stack_k=stack_k, packed=packed)) as env:
        def lines(info):
            values = [(info[k].numpy().astype(np.int64)[:, None] >> 8*np.arange(size)) & 255 for k, size in dict(col=1, w=4, s=2).items()]
            return np.concatenate(values, 1).astype(np.uint8)
        obs, info = env.reset(seed=2)
        assert obs.shape[2] > 72 and env.facts()['observed'] == ['col', *(f'w+{b}' for b in range(4)), 's+0', 's+1']
        below = [lines(info['watched'])]*stack_k
        for a in moves(3, 8):
            obs, *_, trunc, info = env.step(a)
            ended, below = trunc.all(), [*below[1:], lines(info['final_watched'])]
            for seen, want in [(env.final_obs if ended else obs, below)] + [(obs, [lines(info['watched'])]*stack_k)]*bool(ended):
                for j in range(stack_k):
                    flat = seen[:, j, 72:].reshape(3, -1).numpy()
                    assert (flat[:, :7] == want[j]).all() and not flat[:, 7:].any()
            if ended: below = [lines(info['watched'])]*stack_k

@pytest.mark.parametrize('kind', ['rewards', pytest.param('goal', marks=pytest.mark.slow)])
def test_watched_worlds_keep_the_contract(kind): check_world(env_of(kind), steps=8)

@pytest.mark.slow # test_same_values.py has values and hits
@pytest.mark.skipif(not find_spec('pyboy'), reason='the second opinion is not installed')
def test_both_backends_agree():
    "Values, hits, lines and rewards of the same walk with the same beginnings."
    seen = {}
    for backend in 'warp', 'reference':
        with env_of(n=2, backend=backend, watch=watch_list(hooks=dict(loop='0:0150', later='0:0153'))) as env:
            first = env.reset(seed=6)
            seen[backend] = [dict(obs=first[0].clone(), watched=first[1]['watched'].tensor.clone())]
            seen[backend] += [shown(env, env.step(a)) for a in moves(2, 9)]
    for a, b in zip(*seen.values()): assert same(a, b), [k for k in a if not a[k].equal(b[k])]

def test_nothing_hidden_in_a_step():
    "No wait, and without a map of places no allocation; rewards may allocate, but do not wait."
    action = torch.zeros(3, dtype=torch.int64)
    for kind, watch in ('pixels', watch_list(coverage={})), ('goal', watch_list(coverage={})), ('goal', watch_list()), ('rewards',
        watch_list()):
        with env_of(kind, watch=watch) as env:
            env.reset(seed=0)
            found = steady(lambda env=env: env.step(action))
            assert not found.waits and (watch.coverage or not found.allocations), (kind, found.waits, found.allocations)

# Bad input

HUGE = 10**4000

@pytest.mark.parametrize('place, words', [
    ('wPlaec', ('wPlace',)), ('nosuch', ()), ('wPlayer+', ()), ('wPlayer+99999999', ()), ('wPlayer-0xFFFF', ()), ('0x10000', ()),
    (0x7FFF, ('ROM',)),
    (-1, ()), (0xE000, ('C000',)), (0xFEA0, ()), (0xFF04, ('register',)), (0xFF00, ('register',)), (0xA000, ('RAM',)), (HUGE, ()),
    (True, ()),
    (3.5, ()), (None, ()), ([], ()), ({}, ('at',)), (dict(at=0xDFFF, size=2), ('DFFF',)), (dict(at=0xFE9F, size=2), ()),
    (dict(at=0xC000, size=5), ('size',)),
    (dict(at=0xC000, size=0), ('size',)), (dict(at=0xC000, size=HUGE), ('size',)), (dict(at=0xC000, mask=HUGE), ('mask',)),
    (dict(at=0xC000, mask=-1), ('mask',)), (dict(at=0xC000, mask=256), ('mask',)), (dict(at=0xC000, bank=-1), ('bank',)),
    (dict(at=0xC000, endian='middle\n'), ('endian',)), (dict(at=0xC000, bcd=True, signed=True), ('exclude',)),
    (dict(at=0xC000, bcd=1), ('bcd',)),
    (dict(at=0xC000, siez=2), ('siez',)), (dict(at='a\nb', size=9), ()), (dict(at='x'*9999), ()),
    (dict(at='wPlayer', count=True, mask=3), ())])
def test_places_of_variables(place, words): refused(lambda: make_watch_list(dict(v=place), TOWN, SYMBOLS), *words)

@pytest.mark.parametrize('change', [
    dict(hooks=['Tlak']), dict(hooks=dict(h='-1:4000')), dict(hooks=dict(h='4:4000')), dict(hooks=dict(h='1:8000')),
    dict(hooks=dict(h='1:-1')),
    dict(hooks=dict(h='7:0150')), dict(hooks=dict(h='3:')), dict(hooks=dict(h=':4000')), dict(hooks=dict(h='1_0:4000')),
    dict(hooks=dict(h=HUGE)),
    dict(hooks=dict(h='1:' + 'F'*5000)), dict(hooks=dict(h='F'*5000 + ':4000')), dict(hooks=dict(h=0xC000)), dict(hooks=dict(h=None)),
    dict(hooks=dict(h=True)), dict(hooks='Talk'), dict(hooks=['Talk', 'Talk']), dict(hooks=dict(x='Talk')),
    dict(hooks={f'h{k}': 'Talk' for k in range(257)}),
    dict(observe='x'), dict(observe=['z']), dict(observe=['x', 'x']), dict(observe=[1]), dict(observe=5), dict(begin=[1]),
    dict(begin=dict(z=1)),
    dict(begin=dict(x=[2, 1])), dict(begin=dict(x=[1, 2, 3])), dict(begin=dict(x=2**31)), dict(begin=dict(x=True)), dict(begin=dict(x='1')),
    dict(begin=dict(x=None)), dict(begin=dict(x=1, pair=2)), dict(begin=dict(scroll=1)), dict(begin=dict(bits=1)), dict(begin=dict(x=HUGE)),
    dict(coverage=[1]), dict(coverage=dict(z=1)), dict(coverage=dict(x=0)), dict(coverage=dict(x=True)), dict(coverage=dict(x=HUGE)),
    dict(coverage=dict(x=1 << 14, pair=1 << 14)), dict(coverage=dict(x=1, pair=1, bits=1, scroll=1)),
    dict(symbols='/nowhere.sym'), dict(symbols='/dev/zero'), dict(symbols='a\0b'), dict(symbols=[1]), dict(variables=5),
    dict(variables='wPlayer'),
    dict(variables={f'v{k}': 0xC000 for k in range(1025)}), dict(variables={'a b': 0xC000}), dict(variables={'': 0xC000}),
    dict(variables={5: 0xC000}),
    dict(variables={'a=b': 0xC000}), dict(variables={'x'*65: 0xC000})])
def test_entries_of_a_list(change):
    given = dict(variables=dict(x='wPlayer', pair=dict(at='wPlayer', size=2), scroll=0xFF43, bits=dict(at='wFree', size=9, count=True)))
    refused(lambda: make_watch_list(given | change, TOWN, SYMBOLS))

def test_lists_that_are_none(tmp_path):
    for wrong in 5, True, 'x', b'x', object, [5], ['wPlayer', 'wPlayer'], dict(variabels=['wPlayer'], hooks=[]):
        refused(lambda wrong=wrong: make_watch_list(wrong, TOWN, SYMBOLS))
    for text in '{"a', '['*10**5, '{"a":'*10**5, '5', 'a b', 'x=wPlayer,x=wPlayer', ',', '=wPlayer', '{"a": 1e400}':
        refused(lambda text=text: make_watch_list(WatchConfig(watch=text).entries(), TOWN, SYMBOLS))
    for name, text in ('begin', 'x=1..2..3'), ('begin', 'x='), ('begin', 'x=1e3'), ('observe', 'x=5'), ('coverage', 'x'):
        refused(lambda more={name: text}: make_watch_list(WatchConfig(watch='x=wPlayer', **more).entries(), TOWN, SYMBOLS))

def test_a_backend_with_other_hooks():
    for hooks in {}, dict(a='0:0200'), dict(a='0:0150', b='0:0200'):
        b = make_backend('warp', with_hooks(CART, resolve_hooks(hooks, CART)), 2, 'cpu')
        refused(lambda b=b: PixelsEnv(probe_rom(), 2, device='cpu', backend=b, watch=make_watch_list(dict(hooks=dict(a='0:0150')), CART)),
            'hook')
        b.close()

def flat(s): return s.now.col.float()
LATE = [0]

def late(s):
    "Calls keep with another name once it was tried."
    LATE[0] += 1
    if LATE[0] > 8: s.keep('late')
    return flat(s)

WRONG = dict(
    nothing=lambda s: None, number=lambda s: 1., listed=lambda s: [flat(s)], empty=lambda s: (), four=lambda s: (flat(s),)*4,
    short=lambda s: flat(s)[:2],
    column=lambda s: flat(s)[:, None], elsewhere=lambda s: torch.zeros(s.num_envs, device='meta'), truth=lambda s: s.now.col > 1,
    nan=lambda s: flat(s)*float('nan'), infinite=lambda s: flat(s)/0 + float('inf'), done=lambda s: (flat(s), s.now.col),
    infos=lambda s: (flat(s), None, [1]),
    info=lambda s: (flat(s), None, dict(x=2)), info_shape=lambda s: (flat(s), None, dict(x=flat(s)[:1])),
    info_nan=lambda s: (flat(s), None, dict(x=flat(s)/0*0)),
    info_name=lambda s: (flat(s), None, {3: flat(s)}), complex=lambda s: s.now.col + 1j,
    gradient=lambda s: flat(s)*torch.ones(s.num_envs, requires_grad=True),
    item=lambda s: flat(s)*s.now.col[0].item(), condition=lambda s: flat(s) if s.now.col[0] > 0 else flat(s)*2,
    mask=lambda s: s.now.col[s.now.col >= 0].float(),
    nonzero=lambda s: flat(s) + s.now.col.nonzero().shape[0], numpy=lambda s: torch.from_numpy(s.now.col.numpy()).float(),
    tolist=lambda s: torch.tensor(s.now.col.tolist()).float(), equal=lambda s: flat(s) if s.now.col.equal(s.now.row) else flat(s)*2,
    raises=lambda s: 1/0, many_lines=lambda s: (_ for _ in ()).throw(ValueError('x\n'*99)),
    unknown=lambda s: s.now.cool.float(), arguments=lambda: 0, dtype=lambda s: flat(s) + s.keep('x', 0, 'float32'),
    no_numpy=lambda s: flat(s) + s.keep('x', 0, torch.bfloat16), name=lambda s: flat(s) + s.keep(['x']),
    initial=lambda s: flat(s) + s.keep('x', 'much'),
    shapes=lambda s: flat(s) + s.keep('x', 0, torch.float32, (2,)).sum(1) + s.keep('x', 0, torch.float32, (3,)).sum(1),
    changes=lambda s: s.now.col.add_(1).float())

SOME_WRONG = 'nothing four short elsewhere nan info_shape item raises unknown dtype shapes changes'.split()

@pytest.mark.parametrize('name', often(WRONG, SOME_WRONG))
def test_rewards_that_cannot_be(name):
    "Refused when the environment is made, in one line, and it is not made."
    refused(lambda: PixelsEnv(probe_rom(), 3, CFG, judge=RewardJudge(WRONG[name]), watch=watch_list(), device='cpu'), 'rewards')

@wp.kernel(enable_backward=False)
def few_arguments(now: wp.array2d[wp.int32], reward: wp.array[wp.float32]):
    i = wp.tid()
    reward[i] = float(now[i, 0])

def test_rewards_that_are_wrong_kernels():
    for watch in watch_list(), None:
        refused(lambda watch=watch: PixelsEnv(probe_rom(), 2, CFG, judge=RewardJudge(few_arguments), watch=watch, device='cpu'),
                'rewards', 'few_arguments')

def test_rewards_that_go_wrong_later():
    LATE[0] = 0
    with PixelsEnv(probe_rom(), 3, CFG, judge=RewardJudge(late), watch=watch_list(), device='cpu') as env:
        env.reset(seed=0)
        refused(lambda: [env.step(torch.zeros(3, dtype=torch.int64)) for _ in range(9)], 'late')
    for wrong in 5, None, '', 'nothing', 'no.such:function':
        refused(lambda wrong=wrong: PixelsEnv(probe_rom(), 1, judge=RewardJudge(wrong), device='cpu'),
        'rewards', most=600)

TRAIN = ('town/house --num-envs 2 --rollout-steps 4 --minibatches 1 --model small --device cpu --max-steps 3 --eval-episodes 0 '
         '--steps 8').split()

NONSENSE = [
    dict(watch='wPlaec'), dict(watch='['*9999), dict(watch='list.json'), dict(watch='/dev/zero'), dict(watch='other.json'),
    dict(hooks='a=-1:4000'), dict(begin='x=5..1'), dict(coverage='x=99999999999'), dict(symbols='nowhere.sym'),
    dict(rewards='wrong_rewards:divides'), dict(rewards='wrong_syntax:f'), dict(rewards='x'*3000)]

@pytest.mark.parametrize('given', often(NONSENSE, NONSENSE[::3]), ids=lambda given: '-'.join(f'{k}={v[:20]}' for k, v in given.items()))
def test_nonsense_on_a_command_line(given, tmp_path, monkeypatch):
    "Exit status 1, one line, and no folder."
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    files = {'list.json': '{"variables": 5}', 'deep.json': '['*10**5, 'other.json': '{"variables": ["wPlayer"], "symbols": "nowhere.sym"}',
             'wrong_rewards.py': 'def divides(s): return 1/0\n', 'wrong_syntax.py': 'this is no Python\n', 'wrong_import.py': '1/0\n'}
    for name, text in files.items(): (tmp_path/name).write_text(text)
    status, out, err = call(train_cli, *TRAIN, out=tmp_path/'run', **dict(watch='x=wPlayer') | given)
    assert status == 1 and not out and err.count('\n') == 1 and ': error: ' in err and len(err) < 700, (status, out, err)
    assert {p.name for p in tmp_path.iterdir()} - {'__pycache__'} == files.keys()

# Checkpoints

# A task's folder

def test_an_environment_makes_its_list(tmp_path):
    "Of names, of what its rewards need, and by the symbols that are named last."
    places = Rewards(lambda s: s.now.x*0., dict(variables=dict(place='wPlace', x='wPlayer', y='wPlayer+1')))
    with PixelsEnv(TOWN, 1, judge=RewardJudge(places), watch=['wBox'], device='cpu') as env:
        assert {*env.watch.variables} == {'place', 'x', 'y', 'wBox'}
    for name in ('one', 'two'): (tmp_path/f'{name}.sym').write_text(f'00:c10{len(name)} w{name}\n')
    (tmp_path/'list.json').write_text('{"variables": ["wtwo"], "symbols": "one.sym"}')
    given = WatchConfig(watch=str(tmp_path/'list.json'))
    refused(lambda: make_watch_list(given.entries(), TOWN), 'one.sym', "'wtwo'")
    given = replace(given, symbols=str(tmp_path/'two.sym'))
    assert make_watch_list(given.entries(), TOWN).variables['wtwo'].at == 0xC103

# Symbol files

brief = settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
names = st.from_regex(r'[A-Za-z_.][A-Za-z0-9_@#$]{0,12}(\.[A-Za-z0-9_]{1,8})?', fullmatch=True)
places = st.builds(Place, st.integers(0, 0x1FF), st.integers(0, 0xFFFF))
odd = st.sampled_from(['BOOT:0072', '0042', 'ffffffff', '01:10000', '[labels]', '[definitions]', *':;\t\r\x0b\u2028\ufeff\ud800'])
words = st.one_of(names, places.map(str), odd, st.text(max_size=3))
texts = st.lists(st.lists(words, max_size=4).map(' '.join), max_size=8).map('\n'.join)

@cache
def bundled(): return parse_symbols(symbol_text(game.program()), 'game.sym')

def refusal(call, *args):
    "The one line that a call is refused with, or None where it is not."
    try: call(*args)
    except UserError as e:
        assert len(str(e).splitlines()) == 1, str(e)
        return str(e)

@brief
@given(st.one_of(st.text(), texts))
@example('\0' * 99)
@example('f' * 5000 + ' a')
@example('0:' + 'f' * 5000 + ' a')
@example('\U000e0000' * 99)
def test_any_text_is_read_or_refused_in_one_line(text):
    if (line := refusal(parse_symbols, text, 'a.sym')) is not None:
        assert line.startswith('a.sym: ') and len(line) < 200
        return
    symbols = parse_symbols(text, 'a.sym')
    assert symbols.keys() | symbols.doubles.keys() and not symbols.keys() & symbols.doubles.keys()
    for name in symbols: assert symbols.find(name) == symbols[name] and 0 <= symbols[name].address <= 0xFFFF
    for name in symbols.doubles: assert refusal(symbols.find, name).startswith('a.sym: ')

@brief
@given(st.binary(max_size=200), st.sampled_from([b'', b'00:0150 Main\n']))
def test_any_bytes_are_read_or_refused_in_one_line(tmp_path, data, start):
    path = tmp_path/'a.sym'
    path.write_bytes(start + data)
    assert (refusal(read_symbols, path) or f'{path}: ').startswith(f'{path}: ')

@brief
@given(st.dictionaries(names, places, min_size=1, max_size=12), st.booleans(), st.booleans())
def test_what_is_written_is_read(labels, crlf, bom):
    constants = {'LIMIT ': 9, 'rLCDC ': 0xFF40}
    made = Program(b'', {k: p.address for k, p in labels.items()} | constants, {k: p.bank for k, p in labels.items()})
    text = symbol_text(made)
    assert parse_symbols(text) == labels
    assert parse_symbols('\ufeff' * bom + (text.replace('\n', '\r\n') if crlf else text)) == labels

@brief
@given(st.data())
def test_a_slip_of_one_letter_is_forgiven(data):
    name = data.draw(st.sampled_from([n for n in bundled() if len(n) > 2]))
    at, letter = data.draw(st.integers(0, len(name) - 1)), data.draw(st.sampled_from(ascii_letters))
    typed = name[:at] + letter + name[at + 1:]
    assume(typed not in bundled())
    assert name in bundled().nearest(typed) and len(bundled().nearest(typed)) <= 5
    assert name in refusal(bundled().find, typed)

@brief
@given(names)
def test_any_name_is_found_or_refused_in_one_line(name):
    assert name in bundled() or 'game.sym: no symbol ' in refusal(bundled().find, name)

@pytest.mark.parametrize('typed', ['abcdx', 'ab'*9_000], ids=['many', 'long'])
def test_a_misspelled_name_is_compared_with_few_others(monkeypatch, typed):
    "However many names a file has, and however long they are."
    sizes, labels = [], (product('abcdefghij', repeat=5) if len(typed) < 9 else ('ab'*k + 'x'*7 for k in range(2000)))
    class Counting(difflib.SequenceMatcher):
        def set_seq1(self, a):
            sizes.append(len(a)*len(self.b or ''))
            assert len(sizes) <= 1000 and sizes[-1] <= 100*250
            super().set_seq1(a)
    symbols = Symbols({''.join(label): Place(0, 0) for label in islice(labels, 20_000)}, 'many.sym')
    monkeypatch.setattr(difflib, 'SequenceMatcher', Counting)
    line = refusal(symbols.find, typed)
    assert line.startswith('many.sym: no symbol ') and len(line) < 600

def test_two_places_of_one_name():
    "They do no harm until one is asked for; the same place twice is one."
    symbols = parse_symbols('00:0150 Main\n01:4000 loop\n\n02:4000 loop\n03:4000 loop\n00:0150 Main\n', 'a.sym')
    assert symbols == {'Main': Place(0, 0x150)} and symbols.nearest('lop') == ['loop']
    line = refusal(symbols.find, 'loop')
    assert all(part in line for part in ('a.sym', '01:4000 (line 2)', '02:4000 (line 4)'))

MIX = {'00:0150 Main': Place(0, 0x150), '01:4000 Draw': Place(1, 0x4000), '0003:c0DE wCount': Place(3, 0xC0DE)}

@brief
@given(st.data())
def test_any_mixture_is_the_same_table(tmp_path, data):
    "Of blanks, comments, ends of lines, encodings, sections, constants and words behind the name."
    pick = lambda *some: data.draw(st.sampled_from(some))
    blank, lines = st.text(' \t', min_size=1, max_size=3), []
    for text in MIX:
        parts = [*text.split(), *pick([], ['ROMX'], ['a b', 'size=4'])]
        line = data.draw(st.text(' \t', max_size=2)) + ''.join(part + data.draw(blank) for part in parts)
        lines += [*pick([], [''], ['; r\xe9gie 00:0150 No'], ['2a ANSWER'], ['BOOT:0072 Logo']), line + pick('', ';', '; d\xe9but')]
    if pick(False, True):
        lines = ['[information]', '9:9 No', pick('[labels]', '[LABELS]', ' [Labels] ; x'), *lines, '[Definitions]', '00:0001 No']
    whole = pick('\n', '\r\n', '\r').join(lines) + pick('', '\n', '\x1a')
    (tmp_path/'a.sym').write_bytes(whole.encode(pick('utf-8', 'utf-8-sig', 'utf-16', 'utf-16-le', 'utf-16-be', 'utf-32', 'latin-1')))
    assert {str(p): k for k, p in read_symbols(tmp_path/'a.sym').items()} == {str(p): k.split()[1] for k, p in MIX.items()}

FOUND = {'Start': Place(0, 0x150), 'Bank1': Place(1, 0x4000)}
FILES = {
    'game.sym': b'00:0150\tStart ROM0 ; entry\r\n01:4000  Bank1\r\n',
    'game.gb.sym': '[LABELS]\r0:150 Start\r1:4000 Bank1\r'.encode('utf-16'),
    'game.map': b'ASxxxx Linker\n\n   Value  Global\n  00000150  Start  main\n  00014000  Bank1\n.  .ABS.   00000000   00000000 = 0. bytes',
    'game.gb.map': b'00000150 Start\r0001:4000 Bank1\r  00014000  Bank1  main  \r'}

@pytest.mark.parametrize('name', FILES)
def test_one_reader(tmp_path, capfd, name):
    "What is found beside a ROM is what is read by name, by PyBoy's interface, the debugger and a watch list."
    rom, file = tmp_path/'game.gb', tmp_path/name
    rom.write_bytes(assemble('SECTION "e", ROM0[$100]\n JR @').rom)
    file.write_bytes(FILES[name])
    cart = Cartridge.load(rom)
    assert read_symbols(file) == symbols_beside(rom) == cart.symbols == find_symbols('', cart) == FOUND
    for options in {}, dict(symbols=str(file)):
        with PyBoy(str(rom), window='null', **options) as boy:
            assert [boy.symbol_lookup(k) for k in FOUND] == [(0, 0x150), (1, 0x4000)]
    assert capfd.readouterr().err == ''

@pytest.mark.parametrize('content, part', [
    (b'Symbol Table\n\n  .__.CPU.=  0000 L\n  5 _main   0000 GR\n', 'no symbol'), (bytes(1 << 25), 'at most'), (b'\xff\xfe\0', 'no symbol'),
    (assemble('SECTION "e", ROM0[$100]\n JR @').rom, 'a Game Boy ROM'),
    (b'00:0150 Start\nstart: nop\n01:4000 Bank1\n1:20000 Far', '2 of 4 lines')],
    ids=['other tool', 'huge', 'odd', 'rom', 'two lines'])
def test_a_neighbour_stops_nobody(tmp_path, capfd, content, part):
    "A line on standard error says what is left out; a file that was named and has nothing is refused."
    rom, file = tmp_path/'game.gb', tmp_path/'game.sym'
    rom.write_bytes(assemble('SECTION "e", ROM0[$100]\n JR @').rom)
    file.write_bytes(content)
    found = Inspect(Emulator(rom)).debugger.symbols
    line, = capfd.readouterr().err.splitlines()
    assert line.startswith(f'gbxnb: {file}: ') and part in line
    with PyBoy(str(rom), window='null') as boy: assert {*boy.rom_symbols_inverse} == {*(found or ())}
    assert found == FOUND or part in refusal(read_symbols, file)
