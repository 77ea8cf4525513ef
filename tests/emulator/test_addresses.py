"""Every byte that a kernel touches lies in the row, the ROM, the log or the picture it was meant for: between guard pages, and in the debug
build, on cartridges with little memory and with rows of noise."""
import faulthandler, os, signal

import numpy as np
import pytest
import warp as wp
from addresses import GuardedBefore, GuardedEmulator, guarded
from gbxnb.emulator import clock, cpu, machine, ppu
from gbxnb.emulator.emulator import Emulator
from gbxnb.emulator.machine import OUTSIDE, Reg, load8, words_of
from gbxnb.emulator.trap import build_options
from gbxnb.games.asm import assemble

BOARDS = [(0, 0), (8, 8), (1, 0), (3, 32), (5, 0), (0x10, 32), (0x19, 0), (0x1B, 128), (2, 2)] # byte 0147, KB of RAM

@wp.kernel(enable_backward=False, module='unique')
def reach(a: wp.uint64, i: int, out: wp.array[int]):
    out[0] = load8(a, i, 64, a)

def ending(before, i, out):
    "What becomes of a process that reads byte `i` of 64: 0, or minus the number of a signal."
    bytes64, memory = guarded(np.arange(64, dtype=np.uint8), before)
    if not (child := os.fork()):
        faulthandler.disable() # pytest's would print a trace
        wp.launch(reach, dim=1, inputs=[bytes64.ptr, i, out], device='cpu')
        os._exit(0 if out.numpy()[0] == i else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

@pytest.mark.slow
def test_the_guards_guard():
    "A kernel that reads one byte behind a row, or one before it, does not come back."
    out = wp.zeros(1, dtype=int, device='cpu')
    wp.launch(reach, dim=1, inputs=[out.ptr, 0, out], device='cpu') # compiled before there are children
    assert [ending(False, i, out) for i in (0, 63, 64)] == [0, 0, -signal.SIGSEGV]
    assert [ending(True, i, out) for i in (63, 0, -1)] == [0, 0, -signal.SIGSEGV]

# the cartridge that crashed

DMA = """
SECTION "entry", ROM0[$100]
    JP Main
SECTION "main", ROM0[$150]
Hram:  LDH [$46], A
.wait: DEC B
       JR NZ, .wait
       RET
Main:  LD A, $0A
       LD [$0000], A        ; open the RAM, if there is any
       LD HL, Hram          ; a program waits for a DMA where no bus is needed
       LD DE, $FF80
.copy: LD A, [HL+]
       LD [DE], A
       INC E
       LD A, E
       CP $88
       JR NZ, .copy
       LD HL, $C000
.next: LD A, [HL]
       LD B, 45
       CALL $FF80
       INC [HL]
       JR .next
"""

def dma_everywhere(board, ram_kb):
    "A DMA from 256 pages, one after the other; how many have been waited for is counted at C000."
    return assemble(DMA, 'DMA', cartridge_type=board, ram_kb=ram_kb).rom

@pytest.mark.parametrize('board', [pytest.param(b, marks=[pytest.mark.slow]*(b[0] not in (0, 8, 3, 0x1B)), id=str(b)) for b in BOARDS])
def test_a_dma_from_every_page(board):
    "On boards without RAM, with the smallest and with the largest: the debug build, and guards on both sides."
    rom, hashes = dma_everywhere(*board), set()
    for make in GuardedEmulator, GuardedBefore, lambda rom, n, **kw: Emulator(rom, n, checks=True, **kw):
        e = make(rom, 3, threads=1)
        e.run_frames(5)
        assert not e.faults.any()
        hashes.add(e.hash())
    assert len(hashes) == 1

def test_sprites_come_out_as_the_bus_says():
    plain = Emulator(dma_everywhere(0, 0), device='cpu')
    while plain.read(0xC000)[0] != 0xA2: plain.run_cycles(50) # the one from A100 has ended
    assert set(plain.read(0xFE00, 160)) == {0xFF}

# rows of noise

def noise(seed, shape):
    "Rows of random bytes; half of them with times near now, so that events come."
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 256, shape, dtype=np.uint8)
    w, k = words_of(rows), np.arange(64)
    times = (rng.random((shape[0], 1)) < .5) & (k >= Reg.EIT) & (k <= Reg.HBL)
    w[:] = np.where(times, w % 40_000 - 20_000, w)
    w[:, [Reg.T, Reg.FAULT]] = 0
    return rows

def run_noise(e, rows):
    "Run consoles of noise, and draw them."
    e.rows.assign(rows)
    e.set_buttons(rows[:, 0])
    e.run_cycles(5_000)
    e.pixels(wp.zeros((e.n, 72, 80), dtype=wp.uint8, device='cpu'))
    return e.faults

@pytest.mark.parametrize('n', [4, pytest.param(32, marks=pytest.mark.slow)])
def test_no_address_leaves_from_rows_of_noise(n):
    "Between guards as they are; in the debug build, where the few words that would end a launch at its first instruction are made sound."
    broken = []
    for s, board in [*enumerate(BOARDS)][::1 if n > 4 else 2]:
        for k, make in enumerate((GuardedEmulator, GuardedBefore)):
            e = make(dma_everywhere(*board), 1, threads=1)
            for i in range(2): run_noise(e, noise((s, k, i), e.rows.shape))
        e = Emulator(dma_everywhere(*board), n, threads=1, checks=True, device='cpu')
        rows = noise(s, e.rows.shape)
        w = words_of(rows)
        sound = {Reg.F: 0xF0, Reg.APUON: 15, Reg.SEQ: 7, Reg.WAVEP: 31, Reg.IME: 6}
        for word, bits in sound.items(): w[:, word] &= bits
        broken += run_noise(e, rows).tolist()
    assert OUTSIDE not in broken and broken.count(0) > len(broken)//2, broken

@wp.kernel(enable_backward=False, module='unique', module_options=build_options(True))
def distrust(g: wp.uint64, rows: wp.array2d[wp.uint8], trusting: int):
    p = cpu.row_of(g, wp.tid())
    if trusting == 1:
        cpu.trust(g, p)
    log = clock.log_of(g, wp.tid())
    ppu.log_lines(p, log, wp.min(machine.reg(p, Reg.LOGP) + 2, 144))
    code, pc = machine.entry(g, machine.Shared.CODE), machine.reg(p, Reg.PC) & -2147450881
    _ = cpu.fetch(g, code, p, machine.reg(p, Reg.BANK) & ~1, pc, 1)

def faults_of_noise(trusting):
    e, rng = Emulator(dma_everywhere(0, 0), 64, threads=1, device='cpu'), np.random.default_rng(1)
    rows = rng.integers(0, 256, e.rows.shape, dtype=np.uint8)
    words_of(rows)[:, Reg.FAULT] = 0
    e.rows.assign(rows)
    wp.launch(distrust, dim=64, inputs=[e._table.ptr, e.rows, trusting], device='cpu')
    return int((e.faults == OUTSIDE).sum())

def test_trust_is_needed():
    "A rule of the debug build is broken when a kernel takes rows of noise as they are."
    assert faults_of_noise(1) == 0 < faults_of_noise(0)
