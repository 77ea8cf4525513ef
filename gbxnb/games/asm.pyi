"""SM83 source text in, a cartridge image out; and back again, one instruction at a time."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['disassemble', 'Program', 'assemble', 'symbol_text']
import re
from dataclasses import dataclass, field
from fastcore.basics import patch
from ..emulator.cartridge import RAM_BANKS, global_checksum, header_checksum
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
def _quarter0(y, z, p, q):
    "Opcodes $00-$3F: loads of constants, 16-bit arithmetic, relative jumps."
def _quarter3(y, z, p, q):
    "Opcodes $C0-$FF: calls, returns, the stack, page $FF00. None where the hardware has nothing."
def template(
    op:int, # Opcode, 0-255
    cb:bool=False, # Read it as the byte behind the $CB prefix?
)->str|None: # e.g. 'LD A, n8'; None for the prefix itself and the eleven opcodes that lock the CPU
    "The instruction an opcode stands for, derived from its bit fields."
_HOLE:_Any
_SIZE:dict
def disassemble(
    code:bytes, # The bytes at `addr` and after it
    addr:int=0, # Where they lie; relative jumps are shown by their targets
)->tuple[str, int]: # The instruction's text and its length in bytes
    "The first instruction of `code` as text."

class AsmError(UserError):
    "What is wrong with a source line, in one line: number, text, reason."
_VALUE:_Any
_OPER:_Any
_ROWS = ['&& ||', '== != <= >= < >', '+ -', '& | ^', '<< >>', '* / %']     # from the loosest
_LEVEL:dict
def _apply(op, a, b):
    "One binary operator; `/` rounds towards minus infinity, as `>>` does."
def _pixels(text):
    "Two bytes of a tile row from eight shades: the first holds the low bits (Pan Docs, Tile Data)."

class _Parser:
    "Evaluates one expression by operator precedence; `name` and `char` look up symbols and characters."
    at:_Any
    char:_Any
    name:_Any
    text:_Any
    def __init__(self, text, name, char)->None: ...
    def take(self, rx):
        "The next match of `rx` behind spaces; the text goes on behind it."
    def value(self):
        "The next operand, with its signs or brackets."
    def function(self, fn):
        "`HIGH(e)`, `LOW(e)` and `BANK(label)`."
    def until_close(self):
        "The value up to the closing parenthesis."
    def level(self, lowest):
        "A value and all operators behind it that bind at least as tight as `lowest`."
def evaluate(
    text:str, # e.g. 'HIGH($C123) + 2'
    name=None, # Function: symbol -> value; raises AsmError for one it does not know
    char=None, # Function: one character -> its code; ASCII by default
)->int:
    "The value of an expression."
def _split(text):
    "Operands at top-level commas: not those inside quotes, brackets or parentheses."
def _table():
    "(mnemonic, operand shapes) -> (opcode bytes, placeholder or None)."
INSTRUCTIONS:_Any
_NAMES:set
_ALIAS = {'[HLI]': '[HL+]', '[HLD]': '[HL-]', '[$FF00+C]': '[C]'}
def _shape(op):
    "An operand's shape for the table and the expression in it, if any."
def _lookup(m, ops, value):
    "(opcode, placeholder, expression); `value` evaluates the numbers that are part of an opcode."
_RANGE:dict
def _immediate(kind, v, after):
    "The bytes of an immediate; `after` is the address behind the instruction."
def encode(
    text:str, # One instruction, e.g. 'LD A, $12'
    addr:int=0, # Where it will lie
    value=evaluate, # Function: expression -> int
)->bytes:
    "One instruction as bytes."
REGIONS:dict

@dataclass
class _Line:
    "One statement and where it stands."
    no:int; text:str; op:str; args:str; region:str; bank:int; addr:int; scope:str; size:int=0; code:bytes=b''

@dataclass
class Program:
    "What `assemble` returns: the image, and what the source called its parts."
    rom:bytes                 # The cartridge, header and checksums included
    labels:dict[str, int]     # Label -> address; constants are in it, too
    banks:dict[str, int]      # Label -> bank (0 outside ROMX)
    lines:list = field(repr=False, default_factory=list)  # The statements with their bytes
    def listing(self, first:str, # Label to start at
                count:int=16, # Lines to show
               )->str:
        "Address, bytes and source text, as assemblers print it."

class _Assembler:
    "State of one `assemble` call."
    blobs:dict
    labels:dict
    banks:dict
    lines:list
    ends:dict
    chars:dict
    addr:_Any
    bank:_Any
    region:_Any
    scope:_Any
    def __init__(self, symbols, charmap)->None: ...
    def full(self, name, scope):
        "The full name of a label: `.x` under `Main` is `Main.x`."
    def value(self, text, line):
        "Evaluate `text` as it stands in `line`."
    def char(self, c):
        "A character's code: ASCII until the first CHARMAP."
    def label(self, name)->None:
        "Define a label here."
    def section(self, args, line)->None:
        "Continue in another region, bank or address."
    def size(self, op, args, line):
        "Bytes a statement takes."
    def first(self, no, raw):
        "Pass one: names and sizes of a statement."
    def data(self, line):
        "The bytes of a statement, or None if it only reserves space."
    def second(self, line, image, used)->None:
        "Pass two: put a statement's bytes into the image."
HARDWARE = {f'r{r.name}': 0xFF00 + r for r in IO}
_COMMENT:_Any
_LABEL:_Any
_EQU:_Any
def _is_string(operand): ...
def _db_size(rest):
    "How many bytes the operands of DB make: strings count their characters."
RAM_CODES:dict
def write_header(
    rom:bytearray, # The whole image; its length gives the size byte
    title:str='', # Up to 15 characters of ASCII
    cartridge_type:int=0, # Byte $0147: 0 ROM only, 1 MBC1, 3 MBC1+RAM+BATTERY, $19 MBC5 ...
    ram_kb:int=0, # Cartridge RAM in KB: 0, 8, 32, 64 or 128
)->None:
    "Fill in title, type, sizes and both checksums."
def check_header(
    rom:bytes, # A cartridge image
)->tuple[bool, bool]: # Header checksum right? Global checksum right?
    "Check both checksums."
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
