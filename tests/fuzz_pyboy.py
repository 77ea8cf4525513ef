"""Numbers of PyBoy's states changed: what is accepted, PyBoy itself must survive.

It is a compiled program that trusts its files: a line, a bank or a counter that cannot be makes it write beyond its arrays or count for
ever. Memories, registers and the bank under the program stay what they are, because PyBoy hangs at an opcode that does not exist."""
import functools, io
import numpy as np
from fuzz_states import any_field, fields_of
from gbxnb.saves.save_files import pack_pyboy
from gbxnb.emulator.emulator import Emulator
from gbxnb.emulator.rows import boot_row
from gbxnb.emulator.machine import WRAM, Reg
from gbxnb.saves.pyboy import new_pyboy, read_state, state_record, to_pyboy
from gbxnb.emulator.machine import words_of
from gbxnb.base.files import UserError
from wild import cartridge

COUNT = 3000
BOARDS = (0x00, 0), (0x10, 32), (0x1E, 8)
KEPT = 'pc', 'hl', 'sp', 'rom_bank', 'version', 'cgb', 'vram', 'oam', 'wram', 'hram', 'screen', 'sram'

def prepare():
    "For a board: a state in the middle of a frame, its numbers, and a PyBoy with and without sound."
    @functools.cache
    def bench(board):
        e = Emulator(cartridge(*board), threads=1, device='cpu')
        row = boot_row(e.cart)
        row[WRAM:WRAM + 3], words_of(row)[Reg.PC] = [0xC3, 0x00, 0xC0], 0xC000
        e.load(row)
        e.run_cycles(20_000)
        names = [n for n in fields_of(state_record(e.cart, 804)) if n[-1] not in KEPT]
        files = pack_pyboy(e.cart, bytes(e.cart.ram_bytes))     # so that it finds a clock
        return e.cart, to_pyboy(e.cart, e.save()), names, [new_pyboy(e.cart, files, sound) for sound in (True, False)]
    return bench

def attempt(seed, bench)->str:
    rng = np.random.default_rng(seed)
    cart, data, names, pyboys = bench(BOARDS[rng.integers(len(BOARDS))])
    wrong = any_field(rng, data, cart, names)
    try: read_state(cart, wrong)
    except UserError as e:
        assert '\n' not in str(e), e
        return 'refused'
    p = pyboys[rng.integers(2)]
    p.load_state(io.BytesIO(wrong))
    for _ in range(3): p.tick(1, True, True)
    return 'accepted'
