"What a hostile test found in the emulator: an ordinary ROM that crashed it, threads, forks, pictures older than memory."
import subprocess, threading
from pathlib import Path
import numpy as np
import processes
import pytest
from gbxnb.games import town as game
from gbxnb.games.asm import assemble
from gbxnb.emulator.cartridge import Cartridge, header_checksum
from gbxnb.emulator.emulator import Emulator
from gbxnb.emulator.machine import FRAME
from gbxnb.emulator.machine import Reg, words_of

ROOT = Path(__file__).resolve().parent.parent

def run(code, *words, deadline=600):
    "A program in a process of its own; the deadline only ends one that hangs."
    return processes.python(code, *words, timeout=deadline)

def cartridge(code):
    "32 KB without a mapper."
    rom = bytearray(0x8000)
    rom[0x100:0x100 + len(code)], rom[0x134:0x143] = code, b'PLAIN'.ljust(15, b'\0')
    rom[0x14D] = header_checksum(rom)
    return bytes(rom)

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
from gbxnb.games import town as game
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
