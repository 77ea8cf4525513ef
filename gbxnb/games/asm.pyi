"""SM83 source text in, a cartridge image out; and back again, one instruction at a time."""
# Made by `make export` from the module beside it.
__all__ = ['disassemble', 'Program', 'assemble', 'symbol_text']
import re
from dataclasses import dataclass, field
from fastcore.basics import patch
from ..emulator.cartridge import RAM_BANKS, global_checksum, header_checksum
from ..emulator.machine import IO
from ..base.files import UserError
from ..watch.symbols import Place
R8 = 'B C D E H L [HL] A'.split()          # y or z: the 8-bit operand
R16, R16S = 'BC DE HL SP'.split(), 'BC DE HL AF'.split()   # p: register pairs, and those PUSH and POP know
CC = 'NZ Z NC C'.split()                   # y: branch conditions
ALU = 'ADD ADC SUB SBC AND XOR OR CP'.split()
ROT = 'RLC RRC RL RR SLA SRA SWAP SRL'.split()
ACC = 'RLCA RRCA RLA RRA DAA CPL SCF CCF'.split()
def _quarter0(y, z, p, q):
    "Opcodes $00-$3F: loads of constants, 16-bit arithmetic, relative jumps."
def _quarter3(y, z, p, q):
    "Opcodes $C0-$FF: calls, returns, the stack, page $FF00. None where the hardware has nothing."
def template(
    op:int, # Opcode, 0-255
    cb:bool=False, # Read it as the byte behind the $CB prefix?
)->str|None: # e.g. 'LD A, n8'; None for the prefix itself and the eleven opcodes that lock the CPU
    "The instruction an opcode stands for, derived from its bit fields."
_HOLE = re.compile(r'\b(n8|n16|a8|e8|s8)\b')
_SIZE = dict(n8=1, n16=2, a8=1, e8=1, s8=1)
def disassemble(
    code:bytes, # The bytes at `addr` and after it
    addr:int=0, # Where they lie; relative jumps are shown by their targets
)->tuple[str, int]: # The instruction's text and its length in bytes
    "The first instruction of `code` as text."

class AsmError(UserError):
    "What is wrong with a source line, in one line: number, text, reason."
_VALUE = re.compile(
    r'\s*(?:(\$[0-9A-Fa-f_]+|0x[0-9A-Fa-f]+)|(%[01_]+)|(`[0-3]{8})|(\d+)'  # hex, binary, pixels, decimal
    r'|("[^"]*")|(@|\.?[A-Za-z_][\w.]*)|([-~!+(]))')                        # character, name, sign or bracket
_OPER = re.compile(r'\s*(<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^<>)])')
_ROWS = ['&& ||', '== != <= >= < >', '+ -', '& | ^', '<< >>', '* / %']     # from the loosest
_LEVEL = {o: i for i, row in enumerate(_ROWS) for o in row.split()}
def _apply(op, a, b):
    "One binary operator; `/` rounds towards minus infinity, as `>>` does."
def _pixels(text):
    "Two bytes of a tile row from eight shades: the first holds the low bits (Pan Docs, Tile Data)."

class _Parser:
    "Evaluates one expression by operator precedence; `name` and `char` look up symbols and characters."
    def __init__(self, text, name, char)->None:
        self.text, self.at, self.name, self.char = text, 0, name, char
    def take(self, rx):
        "The next match of `rx` behind spaces; the text goes on behind it."
        m = rx.match(self.text, self.at)
        if m: self.at = m.end()
        return m
    def value(self):
        "The next operand, with its signs or brackets."
    def function(self, fn):
        "`HIGH(e)`, `LOW(e)` and `BANK(label)`."
        self.at = self.text.index('(', self.at) + 1
        if fn == 'BANK':
            end = self.text.find(')', self.at)
            label, self.at = self.text[self.at:end].strip(), end + 1
            return self.name('BANK ' + label)
        v = self.until_close()
        return v >> 8 & 255 if fn == 'HIGH' else v & 255
    def until_close(self):
        "The value up to the closing parenthesis."
    def level(self, lowest):
        "A value and all operators behind it that bind at least as tight as `lowest`."
        v = self.value()
        while m := _OPER.match(self.text, self.at):
            lv = _LEVEL.get(m[1], -1)
            if lv < lowest: return v
            self.at = m.end()
            v = _apply(m[1], v, self.level(lv+1))
        return v
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
INSTRUCTIONS = _table()
_NAMES = {o for _, ops in INSTRUCTIONS for o in ops if not re.search(r'n\b|^\d$|^\$', o)}
_ALIAS = {'[HLI]': '[HL+]', '[HLD]': '[HL-]', '[$FF00+C]': '[C]'}
def _shape(op):
    "An operand's shape for the table and the expression in it, if any."
def _lookup(m, ops, value):
    "(opcode, placeholder, expression); `value` evaluates the numbers that are part of an opcode."
_RANGE = dict(n8=(-128, 255), n16=(-32768, 65535), s8=(-128, 127), e8=(-128, 127))
def _immediate(kind, v, after):
    "The bytes of an immediate; `after` is the address behind the instruction."
def encode(
    text:str, # One instruction, e.g. 'LD A, $12'
    addr:int=0, # Where it will lie
    value=evaluate, # Function: expression -> int
)->bytes:
    "One instruction as bytes."
REGIONS = dict(ROM0=(0, 0x4000), ROMX=(0x4000, 0x8000), VRAM=(0x8000, 0xA000), SRAM=(0xA000, 0xC000),
               WRAM0=(0xC000, 0xE000), OAM=(0xFE00, 0xFEA0), HRAM=(0xFF80, 0xFFFF))

@dataclass
class _Line:
    "One statement and where it stands."
    no:int; text:str; op:str; args:str; region:str; bank:int; addr:int; scope:str; size:int=0; code:bytes=b''
    no:int; text:str; op:str; args:str; region:str; bank:int; addr:int; scope:str; size:int=0; code:bytes=b''
    no:int; text:str; op:str; args:str; region:str; bank:int; addr:int; scope:str; size:int=0; code:bytes=b''
    no:int; text:str; op:str; args:str; region:str; bank:int; addr:int; scope:str; size:int=0; code:bytes=b''
    no:int; text:str; op:str; args:str; region:str; bank:int; addr:int; scope:str; size:int=0; code:bytes=b''
    no:int; text:str; op:str; args:str; region:str; bank:int; addr:int; scope:str; size:int=0; code:bytes=b''
    no:int; text:str; op:str; args:str; region:str; bank:int; addr:int; scope:str; size:int=0; code:bytes=b''
    no:int; text:str; op:str; args:str; region:str; bank:int; addr:int; scope:str; size:int=0; code:bytes=b''
    no:int; text:str; op:str; args:str; region:str; bank:int; addr:int; scope:str; size:int=0; code:bytes=b''
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
    def __init__(self, symbols, charmap)->None:
        self.blobs = {k: bytes(v) for k, v in symbols.items() if not isinstance(v, int)}
        self.labels = {k: v for k, v in symbols.items() if isinstance(v, int)}
        self.banks, self.lines, self.ends, self.chars = {}, [], {}, dict(charmap)
        self.region, self.bank, self.addr, self.scope = 'ROM0', 0, 0, ''
    def full(self, name, scope):
        "The full name of a label: `.x` under `Main` is `Main.x`."
    def value(self, text, line):
        "Evaluate `text` as it stands in `line`."
    def char(self, c):
        "A character's code: ASCII until the first CHARMAP."
    def label(self, name)->None:
        "Define a label here."
        full = self.full(name, self.scope)
        if full in self.labels: raise AsmError(f'label {full} is defined twice')
        if full.upper() in _NAMES: raise AsmError(f'{full} is the name of a register or condition')
        if name[0] != '.': self.scope = name
        self.labels[full], self.banks[full] = self.addr, self.bank
    def section(self, args, line)->None:
        "Continue in another region, bank or address."
        name, where, *rest = _split(args) + ['']*2
        m = re.fullmatch(r'(\w+)\s*(?:\[(.+)\])?', where)
        region = m[1].upper().replace('WRAMX', 'WRAM0') if m else ''
        if name[:1] != '"' or region not in REGIONS:
            raise AsmError(f'expected SECTION "name", {"|".join(REGIONS)}[address]')
        b = re.fullmatch(r'BANK\s*\[(.+)\]', rest[0], re.I)
        self.region, self.bank = region, self.value(b[1], line) if b else int(region == 'ROMX')
        there = 1 <= self.bank < 512 if region == 'ROMX' else self.bank == 0
        if not there: raise AsmError(f'{region} has no bank {self.bank}')
        lo, hi = REGIONS[region]
        self.addr = self.value(m[2], line) if m[2] else self.ends.get((region, self.bank), lo)
        if not lo <= self.addr < hi: raise AsmError(f'${self.addr:04X} is outside {region}')
    def size(self, op, args, line):
        "Bytes a statement takes."
    def first(self, no, raw):
        "Pass one: names and sizes of a statement."
        text = _COMMENT.match(raw)[1]
        line = _Line(no, raw, '', '', self.region, self.bank, self.addr, self.scope)
        if m := _EQU.match(text):
            if m[1] in self.labels: raise AsmError(f'{m[1]} is defined twice')
            self.labels[m[1]] = self.value(m[2], line)
            return
        if m := _LABEL.match(text):
            self.label(m[1] or m[2])
            text, line.scope = text[m.end():], self.scope
        line.op, _, line.args = text.strip().replace('\t', ' ').partition(' ')
        line.op = line.op.upper()
        if line.op == 'SECTION': return self.section(line.args, line)
        if line.op in ('', 'ASSERT', 'CHARMAP'): return self.lines.append(line)
        line.size = self.size(line.op, line.args, line)
        lo, hi = REGIONS[self.region]
        self.addr += line.size
        if line.size < 0 or self.addr > hi:
            raise AsmError(f'{self.region} bank {self.bank} is full: ${self.addr:04X} > ${hi:04X}')
        self.ends[self.region, self.bank] = max(self.addr, self.ends.get((self.region, self.bank), 0))
        self.lines.append(line)
    def data(self, line):
        "The bytes of a statement, or None if it only reserves space."
    def second(self, line, image, used)->None:
        "Pass two: put a statement's bytes into the image."
HARDWARE = {f'r{r.name}': 0xFF00 + r for r in IO}
_COMMENT = re.compile(r'((?:[^;"]|"[^"]*")*)')
_LABEL = re.compile(r'\s*(?:(\.?[A-Za-z_]\w*)::?|(\.[A-Za-z_]\w*)(?=\s|$))')
_EQU = re.compile(r'\s*(?:DEF\s+)?([A-Za-z_]\w*)\s+EQU\s+(.+)', re.I)
def _is_string(operand): ...
def _db_size(rest):
    "How many bytes the operands of DB make: strings count their characters."
RAM_CODES = {8*banks: code for code, banks in RAM_BANKS.items()}   # kilobytes -> byte $0149
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
