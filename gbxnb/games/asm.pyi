"""SM83 source text in, a cartridge image out; and back again, one instruction at a time."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['disassemble', 'Program', 'assemble', 'symbol_text']
import re
from dataclasses import dataclass, field
from fastcore.basics import patch
from ..emulator.cartridge import RAM_BYTES, global_checksum, header_checksum
from ..emulator.machine import IO
from ..base.files import UserError
from ..watch.symbols import Place
R8:_Any
R16:_Any
R16S:_Any
CC:_Any
ALU:_Any
ROT:_Any
ACC:_Any
def template(
    op:int, # Opcode, 0-255
    cb:bool=False, # Read it as the byte behind the $CB prefix?
)->str|None: # e.g. 'LD A, n8'; None for the prefix itself and the eleven opcodes that lock the CPU
    "The instruction an opcode stands for, derived from its bit fields."
def disassemble(
    code:bytes, # The bytes at `addr` and after it
    addr:int=0, # Where they lie; relative jumps are shown by their targets
)->tuple[str, int]: # The instruction's text and its length in bytes
    "The first instruction of `code` as text."
class AsmError(UserError):
    "What is wrong with a source line, in one line: number, text, reason."
def evaluate(
    text:str, # e.g. 'HIGH($C123) + 2'
    name=None, # Function: symbol -> value; raises AsmError for one it does not know
    char=None, # Function: one character -> its code; ASCII by default
)->int:
    "The value of an expression."
INSTRUCTIONS:_Any
def encode(
    text:str, # One instruction, e.g. 'LD A, $12'
    addr:int=0, # Where it will lie
    value=evaluate, # Function: expression -> int
)->bytes:
    "One instruction as bytes."
REGIONS:dict
@dataclass
class Program:
    "What `assemble` returns: the image, and what the source called its parts."
    rom:bytes                 # The cartridge, header and checksums included
    labels:dict[str, int]     # Label -> address; constants are in it, too
    banks:dict[str, int]      # Label -> bank (0 outside ROMX)
    lines:list = field(repr=False, default_factory=list)  # The statements with their bytes
    def data(self, label:str, # Where they begin
             count:int, # How many
            )->bytes:
        "Bytes of the cartridge."
    def listing(self, first:str, # Label to start at
                count:int=16, # Lines to show
               )->str:
        "Address, bytes and source text, as assemblers print it."
HARDWARE = {f'r{r.name}': 0xFF00 + r for r in IO}
RAM_CODES:dict
def write_header(
    rom:bytearray, # The whole image; its length gives the size byte
    title:str='', # Up to 15 characters of ASCII
    cartridge_type:int=0, # Byte $0147: 0 ROM only, 1 MBC1, 3 MBC1+RAM+BATTERY, $19 MBC5 ...
    ram_kb:int=0, # Cartridge RAM in KB: 0, 2, 8, 32, 64 or 128
)->None:
    "Fill in title, type, sizes and both checksums."
def assemble(
    src:str, # The source text
    title:str='', # Title in the header
    cartridge_type:int=0, # Byte $0147
    ram_kb:int=0, # Cartridge RAM in KB
    symbols:dict|None=None, # Names from Python: int is a constant, bytes are for INCBIN
    charmap:dict[str, int]|None=None, # Character -> code; ASCII without one
)->Program:
    "Assemble `src` into a cartridge with a header. Raises `AsmError` naming the line."
def symbol_text(
    program:Program, # What `assemble` returned
)->str: # A symbol file: labels alone, without constants and hardware names
    "The symbols of a program of this assembler."
