"""Mutated ROMs between guard pages: no signal, no error but one line, no console that changes another.

A ROM is the bundled game, a micro-ROM or noise on a random board, with bytes changed, code replaced by pieces that write to the
registers of the console and of the cartridge, its file cut or grown, its header changed and (mostly) its checksum mended. If it is
accepted, three consoles run it, two of them with the same keys, every array against guard pages: in the release build with the guards
on one side, in the debug build on the other."""
import functools
import numpy as np
from addresses import GuardedBefore, GuardedEmulator, guarded
from gbxnb.games import bundled as game
from gbxnb.emulator.cartridge import Cartridge, RomError, header_checksum
from microroms import ROMS

COUNT = 5000
BOARDS = [0, 1, 2, 3, 5, 6, 8, 9, 0x0F, 0x10, 0x11, 0x12, 0x13, 0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E]
PAGES = [0x00, 0x01, 0x20, 0x21, 0x30, 0x3F, 0x40, 0x50, 0x60, 0x7F, 0x80, 0x98, 0xA0, 0xA1, 0xBF, 0xC0, 0xDF, 0xE0, 0xFD, 0xFE, 0xFF]

def prepare(): return [game.rom, *(functools.cache(lambda m=m: m.program().rom) for m in ROMS.values())] # made when it is asked for

def chaos(rng, at)->bytes:
    "Code for `at` that writes random bytes to places where something happens, waits in HRAM for DMAs from anywhere, and jumps about."
    hram, copy = bytes.fromhex('E0460520FDC9'), bytes.fromhex('1180FF0E062A121C0D20FA') # DMA, wait, RET; and how it gets to FF80
    out = bytes([0x18, len(hram)]) + hram + bytes([0x21, at + 2 & 255, at + 2 >> 8]) + copy
    for _ in range(rng.integers(4, 60)):
        v, page, low = (int(x) for x in (rng.integers(256), rng.choice(PAGES), rng.integers(256)))
        store, dma = bytes([0x3E, v, 0xEA, low, page]), bytes([0x3E, int(rng.choice(PAGES))])
        pieces = [store, store, bytes([0x3E, v, 0xE0, low & 0x7F]), bytes([0x3E, v, 0xE0, 0x40, 0x76]), rng.bytes(3), bytes([0x10, 0x00]),
                  dma + bytes([0xE0, 0x46]), dma + bytes([0x06, 45, 0xCD, 0x80, 0xFF]), bytes([0xFA, low, page]), b'\xFB\x76',
                  bytes([0x21, low, page, 0x77, 0x2C, 0x34]), bytes([0x31, low, page, 0xC5, 0xE1]), bytes([0xCD, low, page]),
                  bytes([0x06, low, 0x05, 0x20, 0xFD]), bytes([0x3E, 0x0A, 0xEA, 0, 0, 0x3E, v, 0xEA, 0, 0x40]),
                  bytes([0x3E, v, 0xE0, 1, 0x3E, 0x81, 0xE0, 2])]
        out += pieces[rng.integers(len(pieces))]
    return out + bytes([0x18, 256 - min(len(out) + 2, 120)])

def mutated(seed, base)->bytes:
    "A ROM file."
    rng = np.random.default_rng(seed)
    rom = bytearray(rng.bytes(0x8000 << int(rng.integers(3))) if rng.random() < .1 else base[rng.integers(len(base))]())
    if rng.random() < .7:
        rom[0x147] = int(rng.choice(BOARDS)) if rng.random() < .9 else int(rng.integers(256))
        rom[0x148], rom[0x149] = int(rng.integers(3 if rng.random() < .9 else 12)), int(rng.integers(6 if rng.random() < .95 else 256))
    rom += rng.bytes(max(0, (0x8000 << min(rom[0x148], 4)) - len(rom)) if rng.random() < .9 else int(rng.integers(0x10000)))
    for _ in range(int(rng.choice([0, 1, 10, 200]))): rom[rng.integers(0x150, len(rom))] = int(rng.integers(256))
    if rng.random() < .7:
        at = int(rng.choice([0x150, 0x200, 0x3F80, 0x200, 0x800]))
        code = chaos(rng, at)
        rom[at:at + len(code)] = code
        rom[0x100:0x104] = bytes([0, 0xC3, at & 255, at >> 8])
    if rng.random() < .05: rom = rom[:rng.integers(len(rom))]
    if len(rom) >= 0x150 and rng.random() < .97: rom[0x143], rom[0x14D] = rom[0x143] & 0x7F, header_checksum(rom)
    return bytes(rom)

def attempt(seed, base)->str:
    try: cart = Cartridge.load(mutated(seed, base), force=seed % 3 == 0)
    except RomError as e:
        assert '\n' not in str(e), e
        return 'refused'
    keys, hashes = np.random.default_rng(seed).integers(0, 256, (3, 3)).astype(np.uint8), set()
    keys[:, 1] = keys[:, 0]
    for k, checks in enumerate((False, True)):
        e = (GuardedEmulator, GuardedBefore)[(seed + k) % 2](cart, 3, threads=1, serial_bytes=5, checks=checks, ram_seed=-1)
        pix, memory = guarded(np.zeros((3, 72, 80), np.uint8), e.before)
        for held in keys:
            e.set_buttons(held)
            e.step(4, 2, pix)
        e.run_cycles(3000)
        e.frame(2)
        assert not (e.faults >= 0x200).any(), f'a rule is broken: {e.faults}'
        assert e.hash(0) == e.hash(1), 'equal consoles differ'
        hashes.add(e.hash())
        del pix, memory
    assert len(hashes) == 1, 'the debug build runs otherwise'
    return 'accepted'
