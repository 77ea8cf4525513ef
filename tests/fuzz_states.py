"""Damaged states in three formats, and what becomes of them.

Bytes are changed anywhere, or with a plan: words of a row, arrays of an archive, blocks of a BESS file, fields of PyBoy's, each with a
hash that agrees. A state is refused with one line, or it is the state of a console: it is saved and read again bit for bit in our
format and in BESS, PyBoy's format takes it or says in one line why not, and the debug build runs it between guard pages."""
import contextlib, functools, io, json, struct

import numpy as np
from addresses import GuardedEmulator
from gbxnb.saves.save_files import BLOCK, CORE, FOOTER, _exact, block_places, from_bess, parse_state, to_bess
from gbxnb.emulator.emulator import Emulator
from gbxnb.emulator.rows import boot_row
from gbxnb.emulator.machine import HIGH, HRAM, IOP, REGS, SRAM, Reg
from gbxnb.saves.pyboy import from_pyboy, state_record, to_pyboy
from gbxnb.emulator.machine import words_of
from gbxnb.emulator.rows import StateError, check_rows
from gbxnb.emulator.rows import load_snapshot, save_snapshot, unpack_snapshot
from gbxnb.base.files import UserError, sha256
from wild import BOARDS, cartridge, run_some, start_programs

COUNT = 6000
EXTREME = 0, 1, -1, 2, 0x7F, 0x80, 0xFF, 0x100, 0xFFFF, 0x10000, (1 << 30) - 1, 1 << 30, -(1 << 30), (1 << 31) - 1, -(1 << 31)

# mutations

def any_bytes(rng, data, cart):
    "Cut, overwrite, swap: no idea what it is."
    b, kind = bytearray(data), rng.integers(6)
    if kind == 0: return bytes(b[:rng.integers(len(b))])
    if kind == 1: return bytes(b[rng.integers(len(b)):])
    if kind == 2: return bytes(b) + rng.bytes(int(rng.integers(1, 500)))
    for at in rng.integers(0 if rng.integers(2) else max(len(b) - 1200, 0), len(b), int(rng.integers(1, 9))):
        start = int(rng.integers(len(b)))
        if kind == 3: b[at] ^= 1 << rng.integers(8)
        elif kind == 4: b[at:at + 4] = struct.pack('<q', int(rng.choice(EXTREME)))[:4]
        else: b[at:at + 40] = b[start:start + 40]
    return bytes(b)

def any_row(rng, row):
    "A row with bytes or words of it changed."
    row = row.copy()
    for _ in range(int(rng.choice([1, 1, 1, 2, 5]))):
        kind = rng.integers(4)
        if kind == 0: row[rng.integers(len(row))] ^= 1 << rng.integers(8)
        elif kind == 1: row[rng.integers(HIGH, SRAM)] = rng.integers(256)
        elif kind == 2: words_of(row)[rng.integers(64)] = rng.choice(EXTREME)
        else: words_of(row)[rng.integers(64)] += rng.choice([-1, 1, -64, 64, 1000, -1000])
    return row

JSON = None, True, 0, -1, 1e300, '', 'x', 'x'*100_000, [], {}, [[[]]], dict(a=dict(b=1)), 'warp', '0'*64, '../..', '\0\n'

def any_archive(rng, data, cart):
    "Another array or another word about it, and a hash that agrees."
    arrays, about = unpack_snapshot(data)
    kind, k = rng.integers(8), str(rng.choice([*arrays]))
    a = arrays[k]
    if kind < 4: arrays['state'] = any_row(rng, arrays['state'])
    elif kind == 4: arrays[k] = [a.astype(np.int64), a[:-1], a.reshape(-1, 1), a[:0], np.uint8(3), np.tile(a, 2), a ^ 255][rng.integers(7)]
    elif kind == 5: del arrays[k]
    if kind == 6: about[str(rng.choice([*about]))] = JSON[rng.integers(len(JSON))]
    elif kind == 7: about.pop(str(rng.choice([*about])))
    if 'sha256' in about and kind != 6: about['sha256'] = sha256(b''.join(np.asarray(a).tobytes() for a in arrays.values()))
    text, out = json.dumps(about).encode(), io.BytesIO()
    np.savez(out, **arrays, about=np.frombuffer(text if rng.integers(30) else any_bytes(rng, text, cart) or b'x', np.uint8))
    return out.getvalue()

def any_blocks(rng, data, cart):
    "Blocks left out, twice, in another order, of other sizes; numbers of CORE changed."
    start, blocks = FOOTER.unpack(data[-8:])[0], [[k, data[a:b]] for k, a, b in block_places(data)]
    kind, i, j = rng.integers(8), *rng.integers(0, len(blocks), 2)
    core = next(b for b in blocks if b[0] == 'CORE')
    fields = list(CORE.unpack(core[1]))
    if rng.integers(2): blocks = [b for b in blocks if b[0] != 'GBXN'] # as others write it
    if kind == 0: blocks = blocks[:i] + blocks[i + 1:]
    elif kind == 1: blocks.insert(i, [*blocks[j % len(blocks)]])
    elif kind == 2: rng.shuffle(blocks)
    elif kind == 3: blocks[j % len(blocks)][1] = any_bytes(rng, blocks[j % len(blocks)][1] + b'\0', cart)
    elif kind == 4: fields[rng.integers(13, 27)] = int(rng.choice([0, 1, 100, len(data) - 8, start, 1 << 31, rng.integers(len(data))]))
    elif kind == 5: fields[rng.integers(3, 12)] = int(rng.integers(256))
    elif kind == 6: fields[12] = any_bytes(rng, fields[12], cart)[:128].ljust(128, b'\xff')
    else: blocks.insert(-1, ['MBC ', rng.bytes(3 * int(rng.integers(1, 40)))])
    if kind in (4, 5, 6): core[1] = CORE.pack(*fields)
    written = data[:start] + b''.join(BLOCK.pack(k.encode(), len(v)) + v for k, v in blocks)
    return written + FOOTER.pack(int(rng.choice([start, start, start, 0, len(data), 0xFFFFFFFF])) if kind == 0 else start, b'BESS')

def sealed(rng, row, cart):
    "A BESS file of a row with bytes changed, and a hash that agrees."
    wrong = any_row(rng, row)
    shown = wrong.copy()
    shown[IOP:HRAM], shown[REGS:SRAM] = row[IOP:HRAM], row[REGS:SRAM]
    data = to_bess(cart, shown)
    start, end = next((a, b) for k, a, b in block_places(data) if k == 'GBXN')
    return data[:start] + _exact(wrong) + data[end:]

def fields_of(dtype, prefix=()):
    "Every single field of a record."
    for name in dtype.names:
        inner = dtype.fields[name][0]
        yield from fields_of(inner, (*prefix, name)) if inner.names else [(*prefix, name)]

def any_field(rng, data, cart, among=None):
    "A PyBoy state with other numbers in it."
    s = np.frombuffer(bytearray(data), state_record(cart, 804))
    names = among or list(fields_of(s.dtype))
    for _ in range(int(rng.choice([1, 1, 2, 6]))):
        *outer, name = names[rng.integers(len(names))]
        part = s[outer[0]] if outer else s
        a = part[name].reshape(-1) if part.dtype.fields[name][0].shape else part[name]
        at = int(rng.integers(len(a)))
        if a.dtype.names: a[at] = (int(rng.integers(1 << 32)), int(rng.integers(256)))
        elif a.dtype.kind == 'f': a[at] = rng.choice([np.nan, np.inf, -np.inf, -1, 0, 1e300, float(a[at]) + 1, float(a[at]) - 1e5])
        else: a[at] = np.array(int(rng.choice([*EXTREME, int(a[at]) + 1, int(a[at]) - 1, *rng.integers(0, (16, 256))]))).astype(a.dtype)
    return s.tobytes()

MUTATIONS = dict(gbxnb=any_archive, bess=any_blocks, pyboy=any_field)

# what becomes of them

class Bench:
    "One cartridge: states of it to damage, and a console of the debug build that runs what was accepted."
    def __init__(self, board, ram_kb, rng):
        rom = cartridge(board, ram_kb)
        self.debug, wild = GuardedEmulator(rom, threads=1, checks=True), Emulator(rom, 6, threads=1, device='cpu')
        self.cart = cart = wild.cart
        start_programs(wild, rng)
        for _ in range(3): run_some(wild, rng)
        self.rows = [boot_row(cart), *wild.rows.numpy().copy()]
        log, screen = np.zeros((144, 8), np.uint8), np.zeros((144, 160), np.uint8)
        self.files = dict(gbxnb=[], bess=[], pyboy=[])
        for row in self.rows:
            self.files['gbxnb'].append(save_snapshot(cart, row, log, screen))
            self.files['bess'].append(to_bess(cart, row))
            with contextlib.suppress(StateError): self.files['pyboy'].append(to_pyboy(cart, row)) # not if it is locked, say

    def damaged(self, rng, kind)->bytes:
        "A state, damaged."
        if kind == 'bess' and rng.integers(4) == 0: return sealed(rng, self.rows[rng.integers(len(self.rows))], self.cart)
        data = self.files[kind][rng.integers(len(self.files[kind]))]
        return (MUTATIONS[kind] if rng.integers(3) else any_bytes)(rng, data, self.cart)

    def save(self, row, log):
        "Save an accepted row in every format and read it again."
        cart, screen = self.cart, np.zeros((144, 160), np.uint8)
        again, _ = load_snapshot(cart, save_snapshot(cart, row, log, screen))
        assert (again == row).all(), 'our own format gave another row'
        assert (from_bess(cart, to_bess(cart, row)) == row).all(), 'BESS gave another row'
        try: theirs = to_pyboy(cart, row)
        except StateError as e: assert 'PyBoy' in str(e) and '\n' not in str(e), e
        else: from_pyboy(cart, theirs)

    def run(self, row, log, rng):
        "Run an accepted row: no rule of the debug build may break, and what it becomes must be savable again."
        if words_of(row)[Reg.FAULT] >= 0x200: return # the debug build had found something when it was saved
        e = self.debug
        e.load(row)
        e.log.assign(log[None])
        for frames in 0, 0, 60 if rng.integers(8) == 0 else 1:
            if frames: e.run_frames(frames)
            else: run_some(e, rng)
            assert e.faults[0] < 0x200, f'a rule of the debug build broke: {e.faults[0]:X}'
            check_rows(e.cart, e.rows.numpy())
        e.frame()
        self.save(e.save(), e.log.numpy()[0])

def prepare(): return functools.cache(lambda board: Bench(*board, np.random.default_rng(0))) # made when it is asked for

def attempt(seed, bench_of)->str:
    rng = np.random.default_rng(seed)
    bench, kind = bench_of(BOARDS[rng.integers(len(BOARDS))]), [*MUTATIONS][rng.integers(len(MUTATIONS))]
    try: row, log = parse_state(bench.cart, bench.damaged(rng, kind), 'mine')
    except UserError as e:
        assert '\n' not in str(e) and len(str(e)) < 400, f'no line for people: {str(e)[:500]!r}'
        return f'refused: {kind}'
    bench.save(row, log)
    bench.run(row, log, rng)
    return f'accepted: {kind}'
