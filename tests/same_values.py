"""The same values by PyBoy: variables and hooks of both backends, step by step, in games that go the same way in both.

PyBoy shares no code with this project. It is asked for an address, as a debugger would ask, and calls back before an instruction runs.
`python tests/same_values.py OUT GAME ...` plays the bundled game, a program with banks and some games, and writes what it found."""
import importlib.metadata, json, sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path

import numpy as np
import warp as wp
from gbxnb.backends.base import VariableTable
from gbxnb.base.files import write_atomic
from gbxnb.base.progress import about
from gbxnb.emulator.cartridge import Cartridge
from gbxnb.emulator.emulator import Emulator
from gbxnb.emulator.machine import HALTED, Reg, as_words, words_of
from gbxnb.games import town as game
from gbxnb.games.asm import assemble, symbol_text
from gbxnb.proofs.lockstep import STACK, Lockstep, differences, our_registers, same_place, their_memory, their_registers
from gbxnb.reference.reference import UNHOOKABLE, hook, variable_bytes
from gbxnb.traces.symbolic import PLAYED, RAN, Sample, profile_game, profiling_kernel
from gbxnb.watch.variables import parse_symbols
from gbxnb.watch.variables import (PLAIN_IO, Variable, bank_and_address, decode, hook_place, read_variables, resolve,
                                   resolve_hooks, row_offset, with_hooks)

PATIENCE = 8 # steps in a row after which two games have parted

@dataclass(frozen=True)
class Step:
    "What both say after a step; each pair is theirs, ours."
    number:int # From 0
    values:tuple[np.ndarray, np.ndarray] # int32[K]
    hits:tuple[np.ndarray, np.ndarray] # uint8[H]: since the last one

def _together(lock:Lockstep)->bool:
    "Do both stand at the same instruction, with the same memories?"
    row, theirs = lock.ours.save(), their_registers(lock.pyboy)
    if not same_place(our_registers(row), theirs, bool(words_of(row)[Reg.IME] & HALTED)): return False
    return not differences(row, their_memory(lock.pyboy, lock.cart), theirs['SP'], lock.cart)

def watched_steps(
    lock:Lockstep, # Of a cartridge with hooks
    variables:dict[str, Variable], # From `resolve`
    keys:Iterable[int], # Of each step, as `Button` bits
    frames:int=24, # Of a step
    release:int=8, # Frames after which keys are let go
)->Iterator[Step]:
    "Play both, and look at both after the steps that end at the same place; end where they have parted."
    table, e = VariableTable(variables, lock.cart, 'cpu'), lock.ours
    values = wp.zeros((3, 1, len(variables)), wp.int32, 'cpu')
    theirs = np.zeros(len(lock.cart.hooks), np.uint8)
    hook(lock.pyboy, lock.cart.hooks, theirs)
    ours, apart, every = np.zeros_like(theirs), 0, wp.full(1, True, dtype=wp.bool, device='cpu')
    for number, k in enumerate(keys):
        for frame in range(frames):
            lock.run(int(k) if frame < release else 0, render=False)
            ours |= e.hits.numpy()[0]
        apart = 0 if _together(lock) else apart + 1
        if apart == PATIENCE: return
        if apart: continue
        inputs = [every, as_words(e.rows), table.rows, 1, 0, True, values]
        wp.launch(read_variables, (1, 1), inputs, device='cpu')
        read = [decode(v, variable_bytes(lock.pyboy, v)) for v in variables.values()]
        yield Step(number, (np.array(read), values.numpy()[0, 0].copy()), (theirs.copy(), ours.copy()))
        theirs[:], ours[:] = 0, 0

def count_steps(
    steps:Iterable[Step], # From `watched_steps`
    variables:list[str], # Their names
    hooks:list[str], # Their names, in the order of `Cartridge.hooks`
)->dict: # JSON values
    "What was compared, what differed, and where first."
    counts = dict.fromkeys(('looks', 'values_compared', 'values_that_changed', 'hits_compared',
                            'hits', 'steps_with_another_value', 'steps_with_another_hit'), 0)
    changed, reached = np.zeros(len(variables), bool), np.zeros(len(hooks), bool)
    first, before, played = None, None, 0
    for s in steps:
        moved = s.values[0] != (s.values[0] if before is None else before)
        wrong = {what: [*map(int, np.flatnonzero(pair[0] != pair[1]))]
                 for what, pair in (('variable', s.values), ('hook', s.hits))}
        for what, pair, names in ('variable', s.values, variables), ('hook', s.hits, hooks):
            if wrong[what] and first is None:
                k = wrong[what][0]
                first = {'step': s.number, what: names[k], 'theirs': int(pair[0][k]), 'ours': int(pair[1][k])}
        more = (1, len(variables), moved.sum(), len(hooks), s.hits[0].sum(),
                bool(wrong['variable']), bool(wrong['hook']))
        counts = {k: n + int(m) for (k, n), m in zip(counts.items(), more)}
        played, before = s.number + 1, s.values[0]
        changed, reached = changed | moved, reached | (s.hits[0] > 0)
    return dict(steps=played) | counts | dict(variables_that_change=int(changed.sum()),
                                              hooks_reached=int(reached.sum()), first_difference=first)

def hook_names(
    cart:Cartridge, # With hooks
    hooks:dict[str, int], # From `resolve_hooks`
)->list[str]: # The first name of each place, in the order of `Cartridge.hooks`
    "What the columns of hits are called."
    return [next(name for name, at in hooks.items() if at == place) for place in cart.hooks]

def compare_watched(
    rom:bytes|str|Path|Cartridge, # The cartridge of both, or its file
    variables:dict[str, Variable], # From `resolve`
    hooks:dict[str, int], # From `resolve_hooks`
    steps:int=2000, # To play
    frames:int=24, # Of a step
    release:int=8, # Frames after which keys are let go
    seed:int=0, # Of the keys, one in each step
)->dict: # JSON values
    "Play a game on PyBoy and here with random keys, and compare variables and hooks after each step."
    cart = with_hooks(Cartridge.load(rom), hooks)
    keys = np.random.default_rng(seed).choice(PLAYED, steps)
    about_it = dict(title=cart.title or cart.sha256[:8], board=cart.board, rom_sha256=cart.sha256, seed=seed, frames=frames,
                    release=release, variables=len(variables), hooks=len(cart.hooks))
    with Lockstep(cart) as lock:
        seen = watched_steps(lock, variables, keys, frames, release)
        found = count_steps(seen, list(variables), hook_names(cart, hooks))
    return about_it | found | dict(apart_from_step=found['steps'] if found['steps'] < steps else None)

MEMORIES = dict(W=(0xC000, 0xE000, 14), H=(0xFF80, 0xFFFF, 6), O=(0xFE00, 0xFEA0, 5), M=(0x9800, 0xA000, 5),
                T=(0x8000, 0x9800, 3), S=(0xA000, 0xC000, 6)) # first address, last + 1, how many variables
FORMATS = (dict(), dict(size=2), dict(size=2, endian='big'), dict(bcd=True), dict(signed=True),
           dict(mask=0x0F), dict(size=3, bcd=True, endian='big'),
           dict(size=4), dict(size=64, count=True), dict(mask=0x81),
           dict(size=3, count=True), dict(size=13, count=True),
           dict(size=3, signed=True), dict(size=4, endian='big', mask=0x80FF00FF), dict(size=2, bcd=True))

def _ranked(counts:np.ndarray, n:int)->np.ndarray:
    "`n` places, evenly from those with the highest count to those with the lowest, in that order."
    order = np.argsort(-counts, kind='stable')
    return order[np.unique(np.linspace(0, max(len(order) - 1, 0), min(n, len(order))).astype(int))]

def _first_run(cart, keys, frames, release):
    "How often bytes change from step to step, how often places of the ROM ran, and where the stack is."
    e, counts = Emulator(replace(cart, hooks=()), threads=1, device='cpu'), np.zeros((4, len(cart.rom)), np.int32)
    changes, before, stack = np.zeros(e.row_bytes, int), e.save(), []
    for k in keys:
        e.set_buttons(int(k))
        e.run_counting(profiling_kernel(), frames, release, PROFILE=counts.ctypes.data)
        changes, before = changes + (e.save() != before), e.save()
        stack.append(our_registers(before)['SP'])
    return changes, counts[RAN], range(min(stack) - STACK, 0xE000 if min(stack) <= 0xE000 else 0x10000)

def _in_memory(cart, changes, letter, stack)->dict[str, tuple[int, int]]:
    "Address and bank of places in one memory, not in the stack: two of three change."
    first, last, n = MEMORIES[letter]
    banks = range(-(-cart.ram_bytes // 0x2000)) if letter == 'S' else range(1)
    last = min(last, first + cart.ram_bytes) if letter == 'S' else last
    size = last - first
    at = [row_offset(cart, Variable(first, bank=b), letter) for b in banks] if size else []
    seen = np.concatenate([changes[a:a + size] for a in at]) if at else np.zeros(0, int)
    free = (np.arange(len(seen)) + first < stack.start) | (np.arange(len(seen)) + first >= stack.stop)
    moving, still = np.flatnonzero((seen > 0) & free), np.flatnonzero((seen == 0) & free)
    some = moving[_ranked(seen[moving], n * 2 // 3)]
    rest = still[np.linspace(0, max(len(still) - 1, 0), min(n - len(some), len(still))).astype(int)]
    return {f'{letter}{k}': (first + int(i) % size, int(i) // size) for k, i in enumerate([*some, *rest])}

def pick_variables(
    cart:Cartridge, # A game
    changes:np.ndarray, # int[row_bytes]: how often each byte changed
    stack:range, # Addresses that are not picked
)->dict[str, Variable]: # At least 32, and no more than 64
    "Variables in all memories and all formats, and the registers."
    places = {k: at for letter in MEMORIES for k, at in _in_memory(cart, changes, letter, stack).items()}
    out = {}
    for (name, (at, bank)), form in zip(places.items(), cycle(FORMATS)):
        v = Variable(at, bank=bank, **form)
        last = MEMORIES[name[0]][1] if name[0] != 'S' else 0xA000 + min(cart.ram_bytes, 0x2000)
        last = stack.start if at < stack.start < last else last
        out[name] = replace(v, at=min(at, last - v.size))
    registers = {f'R{a:04X}': Variable(a) for a in (*PLAIN_IO, 0xFFFF)}
    return resolve(out | registers, cart)

def pick_hooks(
    cart:Cartridge, # A game
    ran:np.ndarray, # int[rom bytes]: how often each place ran
    most:int, # Runs of a hook: more take long in PyBoy
    n:int=10, # Hooks in bank 0, and as many in the others
)->dict[str, int]: # Offsets by name
    "Places that ran, from often to hardly, in bank 0 and in the banks that are switched."
    usable = (ran > 0) & (ran <= most) & ~np.isin(np.frombuffer(cart.rom, np.uint8), UNHOOKABLE)
    homes = np.flatnonzero(usable[:0x4000]), 0x4000 + np.flatnonzero(usable[0x4000:])
    picked = [int(p) for home in homes for p in sorted(home[_ranked(ran[home], n)])]
    return {'{:X}.{:04X}'.format(*bank_and_address(at)): at for at in picked}

def pick_places(
    cart:Cartridge, # A game
    steps:int=300, # Of the first run
    seed:int=1, # Of its keys
)->tuple[dict[str, Variable], dict[str, int]]: # For `compare_watched`
    "What to watch in a game without symbols."
    changes, ran, stack = _first_run(cart, np.random.default_rng(seed).choice(PLAYED, steps), 24, 8)
    return pick_variables(cart, changes, stack), pick_hooks(cart, ran, 100*steps)

# games of our own

def town_places():
    "The bundled game, its symbols, variables in many formats, and hooks."
    town, symbols = Cartridge.load(game.rom()), parse_symbols(symbol_text(game.program()))
    formats = dict(x='wPlayer', y='wPlayer+1', frame=Variable('wFrame', size=2), chance=Variable('wChance', size=4),
                   big=Variable('wChance', size=2, endian='big', signed=True), low=Variable('wChance', mask=0x0F),
                   free=Variable('wFree', size=130, count=True), digits=Variable('wFrame', bcd=True), objects=Variable(0xFE00, size=2),
                   map=Variable(0x9800, size=1024, count=True), scroll=0xFF43, below=0xDF80)
    named = ['Menu', 'Talk', 'WaitFrame', 'VBlank', 'LoadPlace', 'MoveVillager.think', 'Confirm.wait']
    return town, symbols, resolve(formats, town, symbols), resolve_hooks(named, town, symbols)

ROUTINE = """
SECTION "bank {k}", ROMX, BANK[{k}]
Count{k}:
    ld hl, $A000 + {k} :: inc [hl] :: jr nz, .done
.carry{k}: inc hl :: inc [hl]
.done: ld a, [$A000 + {k}] :: ld [$BFFF], a :: ret
"""
BANKS = """
SECTION "vblank", ROM0[$40]
    reti
SECTION "entry", ROM0[$100]
    nop
    jp Main
SECTION "main", ROM0[$150]
Main:
    ld a, $0A :: ld [$0000], a :: ld a, 1 :: ldh [$FF], a :: ei
    ld a, $20 :: ldh [$00], a
.again:
    halt
    nop
    inc b :: ldh a, [$00] :: cpl :: add a, b :: and 3
    ld [$4000], a :: add a, 2 :: ld [$2000], a
    call $4000
    jr .again
"""

def banks_places():
    """A program for what homebrew has rarely, ROM and cartridge RAM in several banks, with its variables and hooks.

    Each picture another bank of both is switched in, which one depends on the keys, and its routine counts in its bank of RAM."""
    banked = assemble(BANKS + ''.join(ROUTINE.format(k=k) for k in range(2, 6)), title='BANKS', cartridge_type=0x1B, ram_kb=32)
    banks, far = Cartridge.load(banked.rom), parse_symbols(symbol_text(banked))
    low = {f'low{k}': Variable(0xA002 + k, bank=k, size=2) for k in range(4)}
    last = {f'last{k}': Variable(0xBFFF, bank=k, signed=True) for k in range(4)}
    bits = {f'bits{k}': Variable(0xA000, bank=k, size=8, count=True) for k in range(4)}
    carries = resolve_hooks([f'Count{k}{end}' for k in range(2, 6) for end in ('', f'.carry{k}')], banks, far)
    return banks, resolve(low | last | bits, banks), carries

def record(out, *others, steps=500):
    "Compare each game, and keep the result. Of the bundled game every label is hooked that is reached in a first run."
    town, symbols, some, _ = town_places()
    ran = profile_game(town, sample=Sample(consoles=4)).ran
    labels = {name: p for name in symbols if symbols[name].address < 0x8000
              for p in [hook_place(name, town, symbols)] if ran[p] and town.rom[p] not in UNHOOKABLE}
    memory = [name for name in symbols if symbols[name].address >= 0xC000]
    own = resolve(memory, town, symbols) | some | pick_places(town)[0]
    counted = ('values after each step in which both emulators stand at the same place, hits since the last '
               'such step; a difference is one between PyBoy and the warp backend on cpu')
    games = [(town, own, labels), banks_places(), *((c, *pick_places(c)) for c in map(Cartridge.load, others))]
    rows = [compare_watched(rom, variables, hooks, steps) for rom, variables, hooks in games]
    result = dict(counted=counted, pyboy=importlib.metadata.version('pyboy')) | about('cpu') | dict(rows=rows)
    write_atomic(out, json.dumps(result, indent=1) + '\n')

if __name__ == '__main__': record(*sys.argv[1:])
