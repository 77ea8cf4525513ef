"""What the step kernel costs a GPU is written in its machine code, and any computer can make and read that: Warp compiles for a GPU that
need not be there. A compiled module is an ELF file; NVIDIA notes registers and stack of a kernel in its section `.nv.info`, kind 2F is
(symbol, registers), kind 12 (symbol, bytes of stack). The lowest 12 bits of an instruction say what it does."""
import functools, struct, tempfile, time
from dataclasses import dataclass
from pathlib import Path
import warp as wp
from gbxnb.base.files import UserError, read_whole
from gbxnb.base.startup import start_warp

KERNEL = 'cuda_kernel_forward' # ends the name of what Warp makes of a kernel
MAX_CODE = 1 << 26 # bytes of a compiled module that are read; the step kernel has 200,000

@functools.cache
def compile_code(
    kernel:wp.Kernel, # A kernel with a module of its own
    arch:int=90, # Compute capability, e.g. 90 for an H100 or H200
)->tuple[bytes, float]: # The file, and the seconds of a processor it took
    "Compile a kernel for a GPU that need not be there; once for each kernel."
    start_warp()
    with tempfile.TemporaryDirectory() as d:
        begin = time.process_time()
        try: wp.compile_aot_module(kernel.module, device=None, arch=arch, module_dir=d, use_ptx=False)
        except Exception as e: raise UserError(f'Warp cannot compile for sm_{arch} here: {e}') from None
        took, made = time.process_time() - begin, list(Path(d).glob('*.cubin'))
        if not made: raise UserError(f'Warp made no machine code for sm_{arch}; its CPU-only builds cannot')
        return read_whole(made[0], MAX_CODE), took

def _sections(
    data:bytes, # An ELF file of 64 bits, little endian
)->dict[str, tuple[int, int]]: # Name: offset, size
    "Where the sections of a file lie."
    if data[:4] != b'\x7fELF':
        raise UserError(f'no machine code: it begins with {data[:4]!r}, not with ELF')
    at, (count, names) = struct.unpack_from('<Q', data, 40)[0], struct.unpack_from('<HH', data, 60)
    heads = [struct.unpack_from('<IIQQQQ', data, at + 64*i) for i in range(count)]
    return {_name(data, heads[names][4] + h[0]): h[4:] for h in heads}

def _name(data:bytes, at:int)->str: return data[at:data.index(b'\0', at)].decode()

def _functions(
    data:bytes, # The file
    sections:dict, # From `_sections`
)->list[tuple[int, int, str]]: # First byte in the file, bytes, name; in order
    "The functions of the code, the kernel itself first."
    (at, size), (names, _), places = sections['.symtab'], sections['.strtab'], [*sections.values()]
    symbols = [struct.unpack_from('<IBBHQQ', data, k) for k in range(at, at + size, 24)]
    found = [(places[s[3]][0] + s[4], s[5], _name(data, names + s[0])) for s in symbols if s[1] & 15 == 2]
    kernel = next(k.removeprefix('.text.') for k in sections if k.startswith('.text.') and k.endswith(KERNEL))
    return sorted(found, key=lambda f: (f[2] != kernel, f[0]))

def _attributes(
    data:bytes, # The file
    sections:dict, # From `_sections`
    kind:int, # Which
)->list[int]: # The second word of each
    "Attributes of one kind."
    at, size = sections['.nv.info']
    end, found = at + size, []
    while at < end:
        form, k, n = struct.unpack_from('<BBH', data, at)
        if form == 4 and k == kind: found.append(struct.unpack_from('<II', data, at + 4)[1])
        at += 4 + (n if form == 4 else 0)
    return found

LDL, STL = 0x983, 0x387

def _local(data:bytes, at:int, size:int)->int:
    "Instructions on local memory."
    return sum(struct.unpack_from('<Q', data, i)[0] & 0xFFF in (LDL, STL) for i in range(at, at + size, 16))

@dataclass(frozen=True)
class MachineCode:
    "A kernel's machine code in numbers."
    registers:int # Of each thread
    stack:int # Bytes of local memory for each thread
    instructions:int # In all
    kernel_instructions:int # In the kernel proper, where the hot loop is
    spills:int # Instructions on local memory in the called functions
    kernel_spills:int # Instructions on local memory in the kernel proper
    functions:dict[str, int] # Instructions of each called function

def read_code(
    data:bytes, # A compiled module with one kernel
)->MachineCode:
    "What a compiled kernel needs."
    sections = _sections(data)
    (begin, size, _), *called = _functions(data, sections)
    size = min([at for at, _, _ in called if begin < at < begin + size], default=begin + size) - begin
    instructions = sum(size for k, (_, size) in sections.items() if k.startswith('.text.'))//16
    spills, registers = sum(_local(data, *f[:2]) for f in called), max(_attributes(data, sections, 0x2F))
    stack = max(_attributes(data, sections, 0x12), default=0)
    functions = {_short(name): size//16 for _, size, name in called}
    inside = _local(data, begin, size)
    return MachineCode(registers, stack, instructions, size//16, spills, inside, functions)

def _short(
    name:str, # As the compiler made it: `..._cu_1234abcd8blank_from_0Eyii`
)->str:
    "The name in the notebook."
    head, _, _ = name.rpartition('_0E')
    return head.rsplit('_cu_', 1)[-1][8:].lstrip('0123456789') if head else name.strip('$')

BUDGET = dict(registers=64, kernel_instructions=950, kernel_spills=18, instructions=8_350, spills=254) # of the step kernel

def over_budget(code, budget=BUDGET):
    "What is too much; empty if all is well."
    needs = vars(code)
    return [f'{k}: {needs[k]:,}, but at most {v:,} are allowed' for k, v in budget.items() if needs[k] > v]
