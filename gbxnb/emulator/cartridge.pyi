"""What a ROM file is: its header, its chips, its battery, and how every other file is turned away."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from gbxnb.watch.symbols import Symbols
__all__ = ['CARTRIDGE_TYPES', 'MAPPER_ROM_BANKS', 'RAM_BYTES', 'LOGO', 'MAX_ROM', 'RTC_BLOCK', 'header_checksum',
           'global_checksum', 'looks_like', 'Cartridge', 'RomError', 'named_board', 'RTC', 'pack_rtc', 'unpack_rtc',
           'pack_save', 'unpack_save']
import hashlib, os, struct
from dataclasses import dataclass
from pathlib import Path
import numpy as np
from fastcore.basics import patch, patch_to
from ..base.config import LateMembers
from ..base.files import UserError, read_whole, switched
CARTRIDGE_TYPES = {
    0x00: 'ROM',                  0x01: 'MBC1',                  0x02: 'MBC1+RAM',
    0x03: 'MBC1+RAM+BATTERY',     0x05: 'MBC2',                  0x06: 'MBC2+BATTERY',
    0x08: 'ROM+RAM',              0x09: 'ROM+RAM+BATTERY',       0x0B: 'MMM01',
    0x0C: 'MMM01+RAM',            0x0D: 'MMM01+RAM+BATTERY',     0x0F: 'MBC3+TIMER+BATTERY',
    0x10: 'MBC3+TIMER+RAM+BATTERY', 0x11: 'MBC3',                0x12: 'MBC3+RAM',
    0x13: 'MBC3+RAM+BATTERY',     0x19: 'MBC5',                  0x1A: 'MBC5+RAM',
    0x1B: 'MBC5+RAM+BATTERY',     0x1C: 'MBC5+RUMBLE',           0x1D: 'MBC5+RUMBLE+RAM',
    0x1E: 'MBC5+RUMBLE+RAM+BATTERY', 0x20: 'MBC6',               0x22: 'MBC7+SENSOR+RUMBLE+RAM+BATTERY',
    0xFC: 'POCKET CAMERA',        0xFD: 'TAMA5',                 0xFE: 'HuC3',
    0xFF: 'HuC1+RAM+BATTERY',
}
MAPPER_ROM_BANKS = {'ROM': 2, 'MBC1': 128, 'MBC2': 16, 'MBC3': 256, 'MBC5': 512}
RAM_BYTES = {0: 0, 1: 0x800, 2: 0x2000, 3: 0x8000, 4: 0x20000, 5: 0x10000} # by byte 0x0149
LOGO:_Any
def header_checksum(
    rom:bytes, # A ROM, or its first 0x150 bytes at least
)->int: # What byte 0x014D must be
    "The sum that the boot ROM checks (Pan Docs, 014D)."
def global_checksum(
    rom:bytes, # A whole ROM
)->int: # What the big-endian word at 0x014E should be
    "The sum of every byte but the two that hold it (Pan Docs, 014E-014F)."
def looks_like(
    data:bytes, # Some file, or its first bytes
)->str: # What it seems to be, or ''
    "Name the kind of file that `data` starts."
@dataclass(frozen=True, repr=False)
class Cartridge(LateMembers):
    "A validated ROM and what its header says about the board."
    rom: bytes # The whole ROM, padded with 0xFF to a power of two, 32 KB at least
    name: str # Where it came from, for messages
    title: str # The game's title in the header, printable ASCII
    board: str # Every chip on the board, e.g. `MBC3+TIMER+RAM+BATTERY`
    mapper: str # The memory bank controller: ROM, MBC1, MBC2, MBC3 or MBC5
    rom_banks: int # 16 KB banks, a power of two
    ram_banks: int # 8 KB banks of cartridge RAM; 1 for an MBC2's own 512 half-bytes
    ram_bytes: int # Bytes of cartridge RAM (an MBC2: 512, one half-byte in each)
    multicart: bool # MBC1M: several games on one board, wired differently (see below)
    global_checksum_ok: bool # Whether 0x014E-0x014F agrees; neither consoles nor the emulator care
    sha256: str # Of the file as it was given, before padding
    hooks: tuple = () # Places in the ROM whose execution consoles note, in order; `with_hooks` gives them
    _late = dict(symbols='symbols')
    def __repr__(self)->str: ...
    @property
    def mbc(self)->int:
        "The mapper as a number: 0 (none), 1, 2, 3 or 5."
    @property
    def has_ram(self)->bool:
        "Whether there is cartridge RAM to read and write."
    @property
    def has_battery(self)->bool:
        "Whether RAM and clock outlive the power switch."
    @property
    def has_rtc(self)->bool:
        "Whether the board has the MBC3's real-time clock."
    @property
    def has_rumble(self)->bool:
        "Whether bit 3 of the MBC5's RAM bank register drives a motor."
    @classmethod
    def load(cls,
        rom:'str|Path|bytes|Cartridge', # A ROM file's path, or its content
        name:str|None=None, # What messages call it; the path by default
        cgb_ok:bool=False, # Take a ROM marked for the Game Boy Color only; some test ROMs are, wrongly
        force:bool|None=None, # Take a ROM with a wrong header or size; by default as GBXNB_FORCE says
        board:str='', # Its chips whatever the header says, e.g. MBC5+RAM+BATTERY; by default as GBXNB_BOARD says
    )->Cartridge:
        "Read and validate a ROM, or raise a `RomError`."
    def _repr_markdown_(self)->str: ...
    @property
    def symbols(self)->Symbols|None: ...
class RomError(UserError):
    "A file that is no Game Boy ROM this emulator can run; the message names file, fault and fix."
MAX_ROM = 0x800000 # bytes of the largest cartridge
def named_board(
    board:str='', # Every chip on it
    force:bool|None=None, # As for `Cartridge.load`
)->str: # The same; auto: what fits; empty: what the header says
    "Which board is meant whatever the header says; by default as GBXNB_BOARD and GBXNB_FORCE say."
@dataclass(frozen=True)
class RTC:
    "The MBC3's clock registers as a save file holds them."
    now: tuple = (0, 0, 0, 0, 0) # Running: seconds, minutes, hours, day low, day high
    latched: tuple = (0, 0, 0, 0, 0) # As the game last latched them
    saved_at: int = 0 # Unix time of saving, seconds
RTC_BLOCK:_Any
def pack_rtc(
    clock:RTC, # What it says
)->bytes: # 48 bytes
    "A clock as a save file holds it."
def unpack_rtc(
    data:bytes, # 48 bytes, 44 or 13
)->RTC:
    "Read the clock of a save file."
def pack_save(
    cart:Cartridge, # Whose RAM it is
    ram:bytes, # `cart.ram_bytes` bytes
    clock:RTC|None=None, # The clock of a board that has one
)->bytes: # A save file's content
    "What a `.sav` file holds: the RAM and, where the board has a clock, its registers."
def unpack_save(
    cart:Cartridge, # Whose RAM it must be
    data:bytes, # A save file's content
    name:str='save', # What messages call it
)->tuple[bytes, RTC|None]: # The RAM, and the clock if the file has one
    "Read a `.sav` file's content, or raise a `UserError` when it is not one of this cartridge."
