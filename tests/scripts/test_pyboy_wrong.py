"Every wrong use of PyBoy's interface is refused in one short line that names the value; console, pictures and disk stay as they were."
import io, os, sys
from fractions import Fraction
from operator import attrgetter, setitem
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from gbxnb import pyboy
from gbxnb.base.files import UserError
from gbxnb.games import bundled as game
from gbxnb.pyboy import PyBoy, PyBoys
from gbxnb.scripts.views import (DynamicComparisonType, StandardComparisonType, PyBoyAssertException, PyBoyException,
    PyBoyFeatureDisabledError, PyBoyInvalidInputException, PyBoyInvalidOperationException,
    PyBoyNotImplementedException, PyBoyOutOfBoundsException, WindowEvent)

INPUT, BOUNDS, LATE = PyBoyInvalidInputException, PyBoyOutOfBoundsException, PyBoyInvalidOperationException
NOTHING, NO_DATA, NO_SOUND, REFUSED = PyBoyNotImplementedException, PyBoyAssertException, PyBoyFeatureDisabledError, PyBoyException
NAN, HUGE, CLOSED, GONE = float('nan'), 10**30, io.BytesIO(b'x'), FileNotFoundError
CLOSED.close()
LOST, WRONG, FAILS, PLACE = ((error, UserError) for error in (GONE, ValueError, OSError, IndexError))

def cartridge(kind, ram=0, title=b'OTHER'):
    "The town in another cartridge."
    rom = bytearray(game.rom())
    rom[0x134:0x144], rom[0x147], rom[0x149] = title.ljust(16, b'\0'), kind, ram
    rom[0x14D] = -sum(rom[0x134:0x14D]) - 25 & 255
    return bytes(rom)

class Broken:
    "Of a full, worn disk."
    def read(self, *_): raise OSError(5, 'Input/output error')
    def write(self, *_): raise OSError(28, 'No space left on device')

class Says:
    "A file that reads as anything at all."
    def __init__(self, what): self.what = what
    def read(self, *_): return self.what

def open_all(folder):
    "What the rows need: consoles b, clock (with battery and clock), ended; three consoles p; files."
    for name, rom in dict(town=game.rom(), clock=cartridge(0x10, 3), ram=cartridge(0x03, 2)).items():
        Path(folder, f'{name}.gb').write_bytes(rom)
    for name in 'folder', 'folder.gb': Path(folder, name).mkdir()
    for name, text in FILES.items(): Path(folder, name).write_text(text)
    w = SimpleNamespace(folder=Path(folder), sink=io.BytesIO(), text=io.StringIO(), b=PyBoy('town.gb', window='null', symbols='a.sym'),
        p=PyBoys('town.gb', 3, window='null'), clock=PyBoy('clock.gb', window='null'), ended=PyBoy('town.gb', window='null'),
        memory=PyBoy(io.BytesIO(cartridge(0x10, 3)), window='null'))
    for one in w.b, w.p, w.clock, w.memory: one.tick(120)
    w.b.hook_register(0, 0x150, lambda _: None, None)
    w.b.gameshark.add('0105FFC8')
    w.ended.stop(False)
    w.b.memory_scanner.scan_memory(start_addr=0xC000, end_addr=0xC010)
    w.busy = w.b.register_file.PC
    w.state, w.other = stored(w.b), stored(w.clock)
    w.m, w.r, w.t, w.g, w.s, w.many = w.b.memory, w.b.register_file, w.b.tilemap_background, w.b.gameshark, w.b.memory_scanner, w.p.memory
    return w

def stored(b):
    b.save_state(f := io.BytesIO())
    return f.getvalue()

def rom(w, given='town.gb', **options): return PyBoy(given, **dict(window='null') | options)
def load(b, data): return b.load_state(io.BytesIO(bytes(data)))
def changed(data, at): return data[:at] + bytes([data[at] ^ 0x55]) + data[at:][1:]
def plain(w): return pyboy._split(w.b.cart, w.state)[0]   # PyBoy's own state, without the tail

CALLS = { # of what, its method, what it is given, what it raises, what the message names
    'ended': [('tick', (), LATE, 'stopped')],
    'p': [('tick', (-1,), INPUT, 'non-negative'), ('button', (['a', 'b', 'a'], -1), BOUNDS, '-1'), ('send_input', ([1, 2],), INPUT, '2'),
        ('send_input', ([1, 2, 999],), BOUNDS, '999'), ('send_input', ('x',), INPUT, "'x'"), ('send_input', ([1, 2, 3], -1), BOUNDS,
        '-1'), ('send_input', ([1, 2, 0], 0, 5), INPUT, 'QUIT'), ('button', ('a', 1, [0, 5, 17556]), BOUNDS, '17556'),
        ('hook_register', (9, 0x4000, print, None), BOUNDS, '9'), ('hook_register', (0, 0x150, 7, None), INPUT, '7'),
        ('hook_deregister', (0, 0x150), ValueError, 'not found'), ('symbol_lookup', ('Nothing',), ValueError, 'Nothing'),
        ('load_state', ('a.state',), INPUT, 'a.state'), ('game_area_dimensions', (0, 0, 40, 2), BOUNDS, '40'), ('game_area_mapping',
        ([1],), AssertionError, '1')],
    'b': [('set_emulation_speed', (-1,), INPUT, '-1'), ('set_emulation_speed', ('fast',), INPUT, 'fast'), ('set_emulation_speed', (NAN,),
        INPUT, 'nan'), ('set_emulation_speed', (None,), INPUT, 'None'), ('set_color_palette', ((1, 2),), INPUT, '1, 2'),
        ('symbol_lookup', ('Nothing',), ValueError, 'Nothing'), ('symbol_lookup', (7,), ValueError, '7'), ('symbol_lookup', (['Main'],),
        WRONG, 'Main'), ('game_area_mapping', (['x']*384,), (AssertionError, *WRONG), "'x'"), ('game_area_mapping', ([-1]*384,),
        (AssertionError, *WRONG), '-1'), ('game_area_collision', (), (AttributeError, NotImplementedError, UserError),
        'game_area_collision'), ('rtc_lock_experimental', (True,), REFUSED, 'RTC')],
    't': [('tile', (32, 0), IndexError, '32'), ('search_for_identifiers', (7,), (INPUT, ValueError), '7')],
    'b.game_wrapper': [('reset_game', (), REFUSED, 'started'), ('game_over', (), NotImplementedError, 'game_over')],
    'g': [('remove', (['01FF16D0'],), WRONG, '01FF16D0')],
}

ROWS = [ # name, what is done, what it raises, what the message names
    # the ROM, the files and the options that a console is made of
    *((f'made {k}: {", ".join(how)}', lambda w, how=how: rom(w, **how), e, word) for k, (how, e, word) in enumerate(( (dict(given=None),
        GONE, 'ROM'), (dict(given=7), INPUT, '7'), (dict(given=b'town.gb'), INPUT, 'town.gb'), (dict(given=['town.gb']), INPUT,
        'town.gb'), (dict(given='nowhere.gb'), GONE, 'nowhere.gb'), (dict(given=''), GONE, 'ROM'), (dict(given='a\0b'), LOST, 'a'),
        (dict(given='n'*5000), LOST, 'nnn'), (dict(given='folder.gb'), LOST, 'folder.gb'), (dict(given='empty'), UserError, 'empty'),
        (dict(given='text.txt'), UserError, 'text.txt'), (dict(given='a\nb.gb'), GONE, 'b.gb'), (dict(given=io.StringIO('x')), INPUT,
        'ROM'), (dict(given=CLOSED), WRONG, 'closed'), (dict(given=io.BytesIO()), UserError, 'ROM'),
        (dict(given=io.BytesIO(game.rom()[:0x3000])), UserError, 'ROM'), (dict(given=io.BytesIO(game.rom()[:0x8000])), UserError, 'ROM'),
        (dict(given=io.BytesIO(cartridge(0x22))), UserError, '22'), (dict(given=Says(7)), INPUT, 'ROM'), (dict(given=Says(None)), INPUT,
        'ROM'), (dict(given=Broken()), FAILS, 'error'), (dict(colour=1), KeyError, 'colour'), (dict(window='SDL3'), KeyError, 'SDL3'),
        (dict(window=None), KeyError, 'None'), (dict(window=['null']), KeyError, 'null'), (dict(window_type='SDL3'), KeyError, 'SDL3'),
        (dict(log_level='LOUD'), ValueError, 'LOUD'), (dict(log_level=10), ValueError, '10'), (dict(sound_volume=101), INPUT, 'volume'),
        (dict(sound_volume=-1), INPUT, 'volume'), (dict(sound_volume=NAN), INPUT, 'volume'), (dict(sound_volume='loud'), INPUT, 'volume'),
        (dict(serial_shared_memory=object()), NOTHING, 'serial_shared_memory'), (dict(sgb_border=True), NOTHING, 'sgb_border'),
        (dict(printer=True), NOTHING, 'printer'), (dict(rewind=True), NOTHING, 'rewind'), (dict(record_input='x.rec'), NOTHING,
        'record_input'), (dict(breakpoints='0:150'), NOTHING, 'breakpoints'), (dict(debug=True), NOTHING, 'debug'),
        (dict(color_palette=None), INPUT, 'None'), (dict(color_palette=(1, 2, 3)), INPUT, '1, 2, 3'), (dict(color_palette=('a',)*4),
        INPUT, "'a'"), (dict(color_palette=(1 << 24, 0, 0, 0)), BOUNDS, '16777216'), (dict(color_palette=(0, -1, 0, 0)), BOUNDS, '-1'),
        (dict(color_palette=np.zeros((4, 3), int)), INPUT, '0, 0'),
        (dict(gameshark='01FF'), ValueError, '01FF'), (dict(gameshark=1), WRONG, '1'), (dict(gameshark=['01FF16D0']), WRONG, '01FF16D0'),
        (dict(gameshark='01FF16D0,01FF16D0'), INPUT, '01FF16D0'), (dict(symbols='no.sym'), GONE, 'no.sym'), (dict(symbols=10**9), LOST,
        '1000000000'), (dict(symbols='folder'), GONE, 'folder'), (dict(symbols=io.StringIO('00:0150 Main')), LOST, 'StringIO'),
        (dict(bootrom='no.bin'), GONE, 'no.bin'), (dict(bootrom='folder'), GONE, 'folder'), (dict(bootrom='empty'), UserError, '0'),
        (dict(bootrom=io.BytesIO(bytes(255))), UserError, '255'), (dict(bootrom=io.BytesIO(bytes(2304))), UserError, '2304'),
        (dict(bootrom=io.StringIO('x'*256)), INPUT, 'boot'), (dict(bootrom=3), INPUT, '3'), (dict(given='ram.gb', ram_file='no.ram'),
        GONE, 'no.ram'), (dict(given='ram.gb', ram_file=io.BytesIO(bytes(100))), UserError, '100'), (dict(given='ram.gb',
        ram_file=io.BytesIO(bytes(9000))), UserError, '9,000'), (dict(given='ram.gb', ram_file=io.BytesIO()), UserError, '.ram'),
        (dict(given='ram.gb', ram_file=io.StringIO('x'*8192)), INPUT, '.ram'), (dict(given='ram.gb', ram_file=CLOSED), WRONG, 'closed'),
        (dict(given='ram.gb', ram_file=3), INPUT, '3'), (dict(given='clock.gb', rtc_file=io.BytesIO(b'123')), UserError, '3'),
        (dict(given='clock.gb', rtc_file=io.BytesIO()), UserError, '.rtc'), (dict(given='clock.gb', rtc_file=io.StringIO('x'*40)), INPUT,
        '.rtc')))),
    # ticks
    *((f'tick {n}', lambda w, n=n: w.b.tick(n), e, word) for n, e, word in ((-1, INPUT, 'non-negative integer'), (HUGE*-1, BOUNDS,
        'count is -1000000'), *((v, INPUT, f'count is {v!r}') for v in ('3', None, NAN, [1])))),
    ('tick one of many', lambda w: w.p[1].tick(), LATE, 'PyBoys'),
    # buttons and events
    *((f'{f} {v!r}', lambda w, f=f, v=v: getattr(w.b, f)(v), INPUT, repr(v)[:9]) for f in ('button', 'button_press',
        'button_release') for v in ('x', '', 'start ', 5, None, ['a'], b'a')),
    *((f'button delay {v!r}', lambda w, v=v: w.b.button('a', v), e, str(v)) for v, e in ((-1, BOUNDS), ('1', INPUT), (1 << 50, BOUNDS))),
    *((f'{f} {v}', lambda w, f=f, v=v: getattr(w.b, f)(*v), e, f'at is {v[-1]!r}') for f, v, e in (('button', ('a', 1, -1), BOUNDS),
        ('button', ('a', 1, 17556), BOUNDS), ('button_press', ('a', 'x'), INPUT), ('send_input', (WindowEvent.PAUSE, 0, 5), INPUT))),
    *((f'event {v!r}', lambda w, v=v: w.b.send_input(v), e, repr(v)) for v, e in ((-1, BOUNDS), (999, BOUNDS),
        ('PRESS_BUTTON_A', INPUT), (None, INPUT))),
    *((f'event {n}', lambda w, n=n: w.b.send_input(getattr(WindowEvent, n)), NOTHING, n) for n in ('SCREEN_RECORDING_TOGGLE',
        'SCREENSHOT_RECORD', 'PRESS_REWIND_BACK', 'FULL_SCREEN_TOGGLE')),
    *((f'event delay {v!r}', lambda w, v=v: w.b.send_input(1, v), e, str(v)) for v, e in ((-1, BOUNDS), ('x', INPUT))),
    # memory: addresses
    *((f'read {v!r}', lambda w, v=v: w.m[v], e, str(v)[:9]) for v, e in ((-1, BOUNDS), (0x10000, BOUNDS), (HUGE, BOUNDS), (1.0, INPUT),
        ('C000', INPUT), (None, INPUT), (NAN, INPUT), ([1], INPUT), (b'a', INPUT), ((1, 2, 3), INPUT), ((), INPUT))),
    *((f'read {a}:{z}:{s}', lambda w, v=slice(a, z, s): w.m[v], e, word) for a, z, s, e, word in ((None, 9, None, INPUT, 'None'),
        (9, None, None, INPUT, 'None'), (9, 9, None, INPUT, '9:9'), (9, 5, None, INPUT, '9:5'), (-5, 9, None, INPUT, '-5'),
        (0, -1, None, INPUT, '-1'), (0, 0x10001, None, BOUNDS, '10001'), (0x10000, 0x10001, None, BOUNDS, '10000'), (0, 9, 0, INPUT, '0'),
        (0, 9, -1, INPUT, '-1'), (0, 9, 'x', INPUT, "'x'"), ('a', 9, None, INPUT, "'a'"), (0, .5, None, INPUT, '0:0'),
        (0, HUGE, None, BOUNDS, '1000000000'), (0, 9, .5, INPUT, '0.5'))),
    *((f'bank {bank!r} {a!r}', lambda w, v=(bank, a): w.m[v], e, word) for bank, a, e, word in ((4, 0x4000, BOUNDS, '4'),
        (-2, 0, BOUNDS, '-2'), (512, 0, BOUNDS, '512'), (-1, 0x100, BOUNDS, '100'), (-1, 0x8000, INPUT, '-1'), (1, 0x8000, INPUT, 'VRAM'),
        (2, 0xC000, INPUT, 'WRAM'), (1, 0xD000, INPUT, 'WRAM'), (0, 0xA000, BOUNDS, 'has none'), (0, 0xE000, INPUT, 'E000'),
        (0, 0xFF80, INPUT, 'FF80'), (0, 0xFE00, INPUT, 'FE00'), ('0', 0, INPUT, "'0'"), (.5, 0, INPUT, '0.5'), (slice(0, 2), 0, INPUT,
        'slice'), (0, slice(0x3FF0, 0x4010), BOUNDS, '3FF0'), (0, slice(0x9FF0, 0xA010), BOUNDS, '9FF0'), (-1, slice(0, 0x101), BOUNDS,
        '0100'), (1, slice(0, None), INPUT, 'None'), (0, -1, BOUNDS, '-1'), (0, 0x10000, BOUNDS, '65536'), (0, 'x', INPUT, "'x'"))),
    ('length', lambda w: len(w.m), LATE, 'length'), ('iterate', lambda w: list(w.m), LATE, 'memory'),
    ('in', lambda w: 7 in w.m, LATE, 'memory'),
    # memory: values
    *((f'write {v!r}', lambda w, v=v: setitem(w.m, 0xC000, v), e, str(v)[:9]) for v, e in ((256, BOUNDS), (-1, BOUNDS), (HUGE, BOUNDS),
        ('a', INPUT), (b'a', INPUT), (None, INPUT), ([1], INPUT), (NAN, INPUT), ({}, INPUT), (range(3), INPUT))),
    *((f'write C000:C003 {v!r}', lambda w, v=v: setitem(w.m, slice(0xC000, 0xC003), v), e, word) for v, e, word in (([1, 2], INPUT, '2'),
        ([1, 2, 3, 4], INPUT, '4'), ([1, 2, 256], BOUNDS, '256'), ([1, 2, -1], BOUNDS, '-1'),
        ('abc', INPUT, 'a'), ([], INPUT, '0'), (None, INPUT, 'None'), (300, BOUNDS, '300'), ([[1], [2], [3]], INPUT, '[1]'),
        (np.zeros((3, 2), int), INPUT, '[0'))),
    *((f'write to {at!r}', lambda w, at=at: setitem(w.m, at, 1), e, word) for at, e, word in ((-1, BOUNDS, '-1'), (0x10000, BOUNDS,
        '65536'), ('x', INPUT, "'x'"), ((9, 0), BOUNDS, '9'), ((0, 0xA000), BOUNDS, 'RAM'), ((1, 0x9000), INPUT, 'VRAM'),
        ((0, 0xFF00), INPUT, 'FF00'), (slice(None, 3), INPUT, 'None'), (slice(5, 3), INPUT, '5:3'))),
    # registers
    *((f'register {n} {v!r}', lambda w, n=n, v=v: setattr(w.r, n, v), INPUT, n) for n in ('A', 'PC', 'HL', 'F') for v in ('x', .5, None)),
    ('register unknown', lambda w: w.r.AF, AttributeError, 'AF'),
    ('register unknown written', lambda w: setattr(w.r, 'BC', 3), AttributeError, 'BC'),
    # hooks
    *((f'hook {bank!r} {a!r}', lambda w, v=(bank, a): w.b.hook_register(*v, print, None), e, word) for bank, a, e, word in ((4, 0x4000,
        BOUNDS, '4'), (-2, 0, BOUNDS, '-2'), (0, -1, BOUNDS, '-1'), (0, 0x10000, BOUNDS, '65536'), ('0', 0, INPUT, "'0'"),
        (0, 'Main', INPUT, 'Main'), (None, 'Nothing', ValueError, 'Nothing'), (None, 0x150, INPUT, 'None'), (None, None, INPUT, 'None'),
        (0, 1.5, INPUT, '1.5'), (-1, 0x100, BOUNDS, '100'), (1, 0x8000, INPUT, 'VRAM'), (0, 0xA000, BOUNDS, 'RAM'), (0, 0xFF40, BOUNDS,
        'FF40'), (0, 0x150, ValueError, 'already'), (None, 'Main', ValueError, 'already'), (None, 'Lost', BOUNDS, '153'))),
    *((f'callback {v!r}', lambda w, v=v: w.b.hook_register(0, 0x151, v, None), INPUT, repr(v)) for v in (None, 7, 'print')),
    *((f'no hook {bank!r} {a!r}', lambda w, v=(bank, a): w.b.hook_deregister(*v), e, word) for bank, a, e, word in ((0, 0x151, ValueError,
        'not found'), (None, 'Far', ValueError, 'not found'), (None, 'Nothing', ValueError, 'Nothing'), (9, 0x4000, BOUNDS, '9'),
        ('x', 0, INPUT, "'x'"), (0, None, INPUT, 'None'))),
    # states
    *((f'load {name}', lambda w, f=f: w.b.load_state(f(w)), e, word) for name, f, e, word in (('path', lambda w: 'a.state', INPUT,
        'a.state'), ('Path', lambda w: Path('a.state'), INPUT, 'a.state'), ('none', lambda w: None, INPUT, 'None'), ('number',
        lambda w: 7, INPUT, '7'), ('bytes', lambda w: w.state, INPUT, 'open file'), ('text', lambda w: io.StringIO('x'), INPUT, 'Text'),
        ('text file', lambda w: open('text.txt'), INPUT, 'Text'), ('closed', lambda w: CLOSED, WRONG, 'closed'), ('file for writing',
        lambda w: open(os.devnull, 'wb'), FAILS, 'read'), ('broken', lambda w: Broken(), FAILS, 'error'), ('text of another',
        lambda w: Says('x'), REFUSED, ''), ('nothing', lambda w: Says(None), REFUSED, ''), ('empty', lambda w: io.BytesIO(), NO_DATA,
        'No data'))),
    *((f'state {name}', lambda w, f=f: load(w.b, f(w)), e, word) for name, f, e, word in (('zero', lambda w: b'\0', NO_DATA, ''),
        ('one byte', lambda w: w.state[:1], REFUSED, 'state'), ('noise', lambda w: bytes(range(256))*99, REFUSED, ''),
        ('half', lambda w: w.state[:len(w.state)//2], REFUSED, 'state'), ('without end', lambda w: w.state[:-1], REFUSED, 'state'),
        ('and more', lambda w: w.state + b'x', REFUSED, 'state'), ('twice', lambda w: w.state*2, REFUSED, 'state'), ('of another game',
        lambda w: w.other, REFUSED, 'state'), ('version 0xFF', lambda w: changed(w.state, 0), REFUSED, 'damaged'), ('bit in the head',
        lambda w: changed(w.state, 4000), REFUSED, 'damaged'), ('bit in the tail', lambda w: changed(w.state, -9000), REFUSED, 'damaged'),
        ('bit in the sum', lambda w: changed(w.state, -50), REFUSED, 'damaged'), ('version 99', lambda w: b'c' + plain(w)[1:],
        REFUSED, 'state'), ('head cut', lambda w: plain(w)[:-1], REFUSED, ''), ('head and more', lambda w: plain(w) + b'x', REFUSED,
        'state'), ('a ROM', lambda w: game.rom(), REFUSED, ''), ('a picture', lambda w: b'\x89PNG\r\n\x1a\n' + bytes(99), REFUSED, ''))),
    *((f'save {name}', lambda w, f=f: w.b.save_state(f(w)), e, word) for name, f, e, word in (('path', lambda w: 'new.state', INPUT,
        'new.state'), ('Path', lambda w: Path('new.state'), INPUT, 'new.state'), ('none', lambda w: None, INPUT, 'None'),
        ('text', lambda w: w.text, INPUT, 'Text'), ('number', lambda w: 7, INPUT, '7'), ('closed', lambda w: CLOSED, (ValueError,
        UserError), 'closed'), ('file for reading', lambda w: open('town.gb', 'rb'), FAILS, 'writ'), ('broken', lambda w: Broken(), FAILS,
        'space'))),
    # stopping
    *((f'stop ram {name}', lambda w, f=f: w.clock.stop(ram_file=f(w)), e, word) for name, f, e, word in (('path', lambda w: 'new.ram',
        INPUT, 'new.ram'), ('text', lambda w: w.text, INPUT, 'Text'), ('number', lambda w: 7, INPUT, '7'), ('closed', lambda w: CLOSED,
        WRONG, 'closed'), ('broken', lambda w: Broken(), FAILS, 'space'))),
    ('stop rtc path', lambda w: w.clock.stop(ram_file=w.sink, rtc_file='new.rtc'), INPUT, 'new.rtc'),
    ('stop rtc closed', lambda w: w.clock.stop(ram_file=w.sink, rtc_file=CLOSED), WRONG, 'closed'),
    ('many stop and save', lambda w: w.p.stop(save=True), INPUT, 'save=True'),
    # pictures
    *((f'{f} {v!r}', lambda w, f=f, v=v: getattr(w.b, f)(v), e, str(v)) for f, most in (('get_sprite', 40), ('get_tile', 384)) for v,
        e in ((-1, BOUNDS), (most, BOUNDS), ('x', INPUT), (None, INPUT))),
    *((f'sprites of {v!r}', lambda w, v=v: w.b.get_sprite_by_tile_identifier(v), INPUT, str(v)) for v in (7, None, 'abc')),
    *((f'map {v!r}', lambda w, v=v: w.t[v], e, word) for v, e, word in (((32, 0), IndexError, '32'), ((0, 32), IndexError, '32'),
        ((-1, 0), IndexError, '-1'), ((0, 33), IndexError, '33'), (('a', 0), INPUT, "'a'"), ((.5, 0), INPUT, '0.5'), ((1, 2, 3), PLACE,
        '3'), (1.5, PLACE, '1.5'), (None, PLACE, 'None'), ('ab', PLACE, 'a'), ((slice(5, 2), 0), ValueError, 'range'),
        ((slice(5, 2, -1), 0), ValueError, 'Reversed'), ((slice(0, 40), 0), IndexError, '32'), ((slice('a'), 0), INPUT, "'a'"))),
    *((f'area {v}', lambda w, v=v: w.b.game_area_dimensions(*v), e, word) for v, e, word in (((-1, 0, 2, 2), BOUNDS, '-1'),
        ((0, 32, 2, 2), BOUNDS, '32'), ((0, 0, 0, 2), BOUNDS, '0'), ((0, 0, 33, 2), BOUNDS, '33'), ((0, 0, 2, 19), INPUT, 'height'),
        (('a', 0, 2, 2), INPUT, "'a'"), ((30, 0, 3, 2, False), BOUNDS, '3'))),
    *((f'mapping {str(v)[:9]} {o!r}', lambda w, v=v, o=o: w.b.game_area_mapping(v, o), AssertionError, word) for v, o, word in (([1, 2],
        0, '2'), ('x', 0, 'mapping'), (7, 0, 'mapping'), ({}, 0, 'mapping'), ([0]*384, .5, 'sprite_offset'), ([0]*384, None,
        'sprite_offset'))),
    ('start timer', lambda w: w.clock.game_wrapper.start_game(timer_div='x'), INPUT, "'x'"),
    ('wrapper of others', lambda w: w.b.game_wrapper.lives_left, AttributeError, 'lives_left'),
    ('sound', lambda w: w.b.sound.ndarray, NO_SOUND, 'sound'), ('super', lambda w: w.b.sgb.border, NOTHING, 'Super'),
    ('unknown', lambda w: w.b.mb, AttributeError, 'mb'),
    # cheats
    *((f'cheat {v!r}', lambda w, v=v: w.g.add(v), e, word) for v, e, word in (('', ValueError, "''"), ('01FF16', ValueError, '01FF16'),
        ('01FF16D00', ValueError, '01FF16D00'), ('01FF16DX', ValueError, 'DX'), (7, ValueError, '7'), (None, ValueError, 'None'),
        ('02FF16D0', ValueError, '02'), ('01FF0010', ValueError, '1000'), ('0105FFC8', INPUT, '0105FFC8'), (b'01FF16D0', ValueError, 'b'))),
    *((f'no cheat {v!r}', lambda w, v=v: w.g.remove(v), ValueError, str(v)) for v in ('01FF16D0', 7, None)),
    # the scanner
    *((f'scan {v}', lambda w, v=v: w.s.scan_memory(**v), e, word) for v, e, word in ((dict(start_addr=-1), BOUNDS, '-1'),
        (dict(end_addr=0x10000), BOUNDS, '65536'), (dict(start_addr='x'), INPUT, "'x'"), (dict(byte_width=0), ValueError, 'byte_width'),
        (dict(byte_width=-1), ValueError, 'byte_width'), (dict(byte_width=.5), ValueError, 'byte_width'), (dict(byteorder='up'),
        ValueError, 'up'), (dict(standard_comparison_type=3), ValueError, 'comparison'), (dict(standard_comparison_type='EXACT'),
        ValueError, 'comparison'), (dict(value_type='INT'), WRONG, 'INT'), (dict(target_value='x',
        standard_comparison_type=StandardComparisonType.LESS_THAN), WRONG, "'x'"))),
    *((f'rescan {v}', lambda w, v=v: w.s.rescan_memory(**v), e, word) for v, e, word in ((dict(dynamic_comparison_type=1), ValueError,
        'comparison'), (dict(byteorder='up'), ValueError, 'byteorder'), (dict(dynamic_comparison_type=DynamicComparisonType.MATCH),
        ValueError, 'new_value'))),
    # many consoles
    *((f'many n {v!r}', lambda w, v=v: PyBoys('town.gb', v), e, str(v)) for v, e in ((0, BOUNDS), (-1, BOUNDS), (.5, INPUT),
        ('3', INPUT), (None, INPUT), (HUGE, BOUNDS))),
    ('many device', lambda w: PyBoys('town.gb', 2, device='cud'), WRONG, 'cud'),
    ('many threads', lambda w: PyBoys('town.gb', 2, threads=-1), WRONG, '-1'), ('many index', lambda w: w.p[3], IndexError, 'range'),
    *((f'many {f} {v!r}', lambda w, f=f, v=v: getattr(w.p, f)(v), INPUT, word) for f in ('button', 'button_press',
        'button_release') for v, word in (('x', "'x'"), (['a', 'b'], "'b'"), (['a', 'b', 'x'], "'x'"), (['a', 'b', 7], '7'), (7, '7'),
        (None, 'None'))),
    *((f'many write {v!r}', lambda w, at=at, v=v: setitem(w.many, at, v), e, word) for at, v, e, word in ((0xC000, [1, 2], INPUT, '2'),
        (0xC000, [1, 2, 256], BOUNDS, '256'), (0xC000, [1, 2, 'x'], INPUT, "'x'"), (0xC000, 'x', INPUT, "'x'"), (0xC000, [[1], [2], [3]],
        INPUT, '[1]'), (slice(0xC000, 0xC002), [[1, 2], [3, 4]], INPUT, '2'), (-1, 0, BOUNDS, '-1'), (slice(0xC000, 0xC002), [[1, 2,
        3]]*3, INPUT, '3'), (slice(0xC000, 0xC002), [[1, 2], [3, 4], [5]], INPUT, ''), (slice(0xC000, 0xC002), [[1, 2], [3, 4], [5, 256]],
        BOUNDS, '256'), (0xC000, {1: 2}, INPUT, '1'), (0xC000, None, INPUT, 'None'))),
    ('many register 2', lambda w: setattr(w.p.register_file, 'A', [1, 2]), INPUT, '2'),
    ('many register text', lambda w: setattr(w.p.register_file, 'A', [1, 2, 'x']), INPUT, 'x'),
    ('many register unknown', lambda w: w.p.register_file.AF, AttributeError, 'AF'),
    ('many register unknown written', lambda w: setattr(w.p.register_file, 'AF', 1), AttributeError, 'AF'),
    ('many read', lambda w: w.many[-1], BOUNDS, '-1'), ('many save one', lambda w: w.p.save_state(w.sink), INPUT, '3'),
    ('many save two', lambda w: w.p.save_state([w.sink]*2), INPUT, '3'),
    ('many save text', lambda w: w.p.save_state([w.sink, w.sink, w.text]), INPUT, 'Text'),
    ('many save path', lambda w: w.p.save_state([w.sink, w.sink, 'new.state']), INPUT, 'new.state'),
    ('many load two', lambda w: w.p.load_state([io.BytesIO(w.state)]*2), INPUT, '2'),
    ('many load third', lambda w: w.p.load_state([*map(io.BytesIO, (w.state, w.state, w.other))]), REFUSED, 'state'),
    ('many load same file', lambda w: w.p.load_state([io.BytesIO(w.state)]*3), REFUSED, 'No data'),
    # hooks that fail, and calls that are not for them
    *((f'{name} in a hook', lambda w, act=act: in_hook(w, act), e, word) for name, act, e, word in (
        ('fault', lambda b: 1/0, ZeroDivisionError, 'division'), ('tick', lambda b: b.tick(), LATE, 'hook'),
        ('wrong', lambda b: b.memory[-1], BOUNDS, '-1'), ('load', lambda b: load(b, b'\x63'), REFUSED, 'state'))),
    # other calls of one console and of many
    *((f'{part}.{name}{args}', lambda w, part=part, name=name, args=args: getattr(attrgetter(part)(w), name)(*args), e, word) for part,
        rows in CALLS.items() for name, args, e, word in rows),
]

def in_hook(w, act):
    "Run on until a hook at a busy place does this, and go back."
    here, frames = w.b.saved(), w.b.frame_count
    w.b.hook_register(0, w.busy, act, w.b)
    try: w.b.tick(2)
    finally:
        w.b.hook_deregister(0, w.busy)
        w.b.restore(here)
        w.b._frames = frames

COMMANDS = [ # words of the command, and what the line on stderr names
    ([], 'usage'), (['-m'], 'usage'), (['nowhere.py'], 'nowhere.py'), (['folder'], 'folder'), (['--wrong'], '--wrong'), ([''], 'script'),
    (['-m', 'no_such_module'], 'no_such_module'), (['-m', ''], 'module'), (['wrong.py'], 'line 3'), (['missing.py'], 'nowhere.gb'),
    (['town.gb'], 'town.gb')]
FILES = {
    'a.sym': '[labels]\n00:0150 Main\n03:4000 Far\n99:4000 Lost\n', 'text.txt': 'text\n', 'empty': '',
    'wrong.py': "from gbxnb.pyboy import PyBoy\nb = PyBoy('town.gb', window='null')\nb.memory[0x10000]\n",
    'missing.py': "from gbxnb.pyboy import PyBoy\nPyBoy('nowhere.gb')\n"}

def disk(folder): return {str(p): p.read_bytes() if p.is_file() else None for p in Path(folder).rglob('*')}

def moment(b):
    game = b._game
    return [b.row.tobytes(), b.log.tobytes(), game.pixels.tobytes(), b.frame_count, b._keys, [int(e) for e in b.events], [*b.queued_input],
            {**b.gameshark.cheats}, [*game.batch.places], game.batch.rom.tobytes(), b.palette.tolist(), b.stopped,
            b.paused, b.target_emulationspeed, b.game_wrapper.shape, b.game_wrapper.mapping.tolist(), b.game_wrapper.saved_state is None]

def one_line(text, word): return '\n' not in text and len(text) <= 300 and word in text

@pytest.fixture(scope='module')
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp('wrong')
    with pytest.MonkeyPatch.context() as m:
        m.chdir(folder)
        yield open_all(folder)

def check(w, name, act, error, word):
    "What is wrong with how one row is refused; nothing is left of it."
    consoles = [w.b, *w.p, w.clock, w.memory]
    before, files = [moment(b) for b in consoles], disk(w.folder)
    with pytest.raises(error) as e: act(w)
    assert one_line(str(e.value), word), f'{name}: {e.value!r}'
    assert not w.sink.getvalue() and not w.text.getvalue() and disk(w.folder) == files, f'{name}: written'
    assert [moment(b) for b in consoles] == before, f'{name}: no longer as before'
    for b in w.b, w.p, w.clock, w.memory: assert b.tick(), name

@pytest.mark.parametrize('row', ROWS, ids=[row[0][:60] for row in ROWS])
def test_refused(world, row):
    try: check(world, *row)
    finally:
        for f in world.sink, world.text: f.seek(0), f.truncate()

@pytest.mark.parametrize('words, word', COMMANDS, ids=[' '.join(words) or 'nothing' for words, _ in COMMANDS])
def test_command_refused(world, words, word, monkeypatch, capsys):
    "Status 1, and one line."
    monkeypatch.setattr(pyboy, 'stand_in', lambda: None)
    for name in 'argv', 'path': monkeypatch.setattr(sys, name, [*getattr(sys, name)])
    files = disk(world.folder)
    with pytest.raises(SystemExit) as e: pyboy.main(words)
    assert isinstance(e.value.code, str) and one_line(e.value.code, word) and not capsys.readouterr().out, e.value.code
    assert disk(world.folder) == files

def does_nothing(*_): raise PermissionError(13, 'Permission denied', 'game.gb.ram')

@pytest.mark.parametrize('given, wrong, word', [('town.gb', None, ''), ('ram.gb', None, ''), ('ram.gb', 'folder', 'ram: is a folder'),
    ('ram.gb', 'refused', 'Permission denied'), ('memory', None, 'stop takes ram_file'), ('clock.gb', 'refused', 'Permission denied')])
def test_battery_that_cannot_be_written(world, given, wrong, word, monkeypatch, capsys):
    "Nobody asked for it, so a line says so and all goes on: by `with`, by `stop`, and where an event writes a state."
    file = Path(f'{given}.ram')
    if wrong == 'folder': file.mkdir()
    if wrong == 'refused': monkeypatch.setattr(pyboy, 'write_all_atomic', does_nothing)
    with rom(None, io.BytesIO(cartridge(0x10, 3)) if given == 'memory' else given) as b:
        b.send_input(WindowEvent.STATE_SAVE)
        assert b.tick(2)
    said = capsys.readouterr().err.splitlines()
    battery = [s for s in said if 'battery' in s]
    assert b.stopped and len(battery) == bool(word) and all(one_line(s, word) for s in battery), said
    assert any('no state was saved' in s for s in said) == (given == 'memory' or wrong == 'refused'), said
    for path in file, Path(f'{given}.state'): path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)

def put(b, at, value):
    b.memory[at] = value
    return b.memory[at]

def set_register(b, name, value):
    setattr(b.register_file, name, value)
    return getattr(b.register_file, name)

def sent(b, *how):
    b.send_input(*how)
    return [(b.tick(1, False), put(b, 0xFF00, 0x20) & 15) for _ in range(4)]

NUMBERS = dict(
    tick=lambda b, v: b.tick(v, False), write=lambda b, v: put(b, 0xC000, v), bank=lambda b, v: put(b, (0, 0x9000), v),
    slice=lambda b, v: put(b, slice(0xC000, 0xC002), v), values=lambda b, v: put(b, slice(0xC000, 0xC002), [v, v]),
    bound=lambda b, v: b.memory[v:9], A=lambda b, v: set_register(b, 'A', v), PC=lambda b, v: set_register(b, 'PC', v),
    event=sent, delay=lambda b, v: sent(b, 1, v), speed=lambda b, v: b.set_emulation_speed(v),
    tile=lambda b, v: b.get_tile(v).tile_identifier, map=lambda b, v: b.tilemap_background.tile_identifier(v, v),
    area=lambda b, v: b.game_area_dimensions(v, 0, 1, 1), mapping=lambda b, v: b.game_area_mapping([v]*384),
    palette=lambda b, v: b.set_color_palette((v, 0, 0, 0)), target=lambda b, v: b.memory_scanner.scan_memory(v, 0, 99),
    first=lambda b, v: b.memory_scanner.scan_memory(0, v, 99), width=lambda b, v: b.memory_scanner.scan_memory(0, 0, 9, byte_width=v))

@pytest.mark.parametrize('name', NUMBERS)
def test_numbers_that_pyboy_takes(name):
    "They are taken here, and mean the same."
    real = pytest.importorskip('pyboy').PyBoy
    both = [make(io.BytesIO(game.rom()), window='null', **how) for make, how in ((real, dict(log_level='CRITICAL')), (PyBoy, {}))]
    def outcome(b, v):
        try: return NUMBERS[name](b, v)
        except Exception: return 'refused'
    for b in both: b.set_emulation_speed(0), b.tick(100, False)
    for v in (2, 60/2, 2., 2.5, 7.9, np.float32(3), np.float64(2), np.int64(2), np.uint8(2), np.array(2), Fraction(5, 2), True):
        if name == 'delay' and v != v//1: continue # PyBoy holds the button for ever
        theirs, mine = (outcome(b, v) for b in both)
        assert theirs == 'refused' or mine == theirs, v
    for b in both: b.stop(False)
