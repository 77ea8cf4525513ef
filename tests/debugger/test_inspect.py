"""The inspector without a browser: what it shows and does is driven by messages, and the batch is watched meanwhile.
And of its parts: instructions one by one end where cycles end, on other programs than the bundled game."""
import re
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from gbxnb.backends.warp import make_backend
from gbxnb.games import bundled as game
from gbxnb.emulator.emulator import Emulator
from gbxnb.emulator.machine import FRAME, Button, IO
from gbxnb.debugger.memory_search import FORMATS, Search, candidates, narrow
from gbxnb.debugger.stepping import Debugger, find_code
from gbxnb.watch.variables import parse_symbols
from gbxnb.games.asm import symbol_text
from gbxnb.games.bundled import probe_rom
from gbxnb.debugger.shown import FIELDS, io_registers
from gbxnb.lab.inspect import ACTIONS, KEYS, PANELS, TABS, Inspect
from microroms import ROMS

SYMBOLS = parse_symbols(symbol_text(game.program()))

@pytest.fixture(scope='module')
def started():
    "Four consoles in the middle of the game, and their rows."
    e = Emulator(game.rom(), 4, device='cpu')
    for keys, frames in game.START:
        e.set_buttons(keys)
        e.run_frames(frames)
    e.set_buttons([0, 1, 2, 8])
    e.step(48, 16)
    return e, e.rows.numpy().copy()

@pytest.fixture
def town(started):
    e, rows = started
    e.rows.assign(rows)
    e.set_buttons([0, 1, 2, 8])
    return e

@pytest.fixture
def w(town): return Inspect(town, 1, SYMBOLS)

def send(w, do, arg='', **typed):
    "What the browser sends."
    w._hear(w, dict(type='do', do=do, arg=arg, typed=typed), [])

# The widget

def test_every_tab_shows_something(w):
    for k, name in enumerate(TABS, 1):
        send(w, 'tab', str(k))
        assert w.tab == name and not w.error and len(w.parts['panel']) > 50
        assert w.parts['tabs'].count('aria-selected="true"') == 1
    assert {*PANELS} == {*TABS} and {*KEYS.values()} <= {*ACTIONS}

def test_every_button_is_an_action(w):
    "Nothing can be pressed that is not known."
    send(w, 'stop', place='MoveVillager')
    send(w, 'keep')
    send(w, 'search')
    asked = set()
    for tab in TABS:
        send(w, 'tab', tab)
        asked |= {*re.findall(r'data-do="(\w+)"', ''.join(w.parts.values()))}
    assert asked <= {*ACTIONS}, asked - {*ACTIONS}
    assert {*ACTIONS} - asked - {*KEYS.values()} <= {'look', 'page_up', 'keep_moment', 'put'}

def test_the_batch_is_undisturbed(w, town):
    before = town.hash()
    for do in 'step', 'over', 'out', 'frame', 'run', 'back', 'here', 'up', 'down', 'keep', 'search', 'look', 'take':
        send(w, do)
        assert town.hash() == before and not w.error, (do, w.said)

def test_step_moves_pc(w):
    pc = [w.debugger.place]
    for _ in range(3):
        send(w, 'step')
        pc.append(w.debugger.place)
        assert 'class="here"' in w.parts['panel'] or 'here' in w.parts['panel']
    assert len({*pc}) == 4 and w.answers == 3

def test_breakpoint(w):
    send(w, 'stop', place='MoveVillager')
    assert 'MoveVillager ✕' in w.parts['controls']
    send(w, 'run')
    assert w.debugger.place == find_code('MoveVillager', w.debugger) and 'stopped' in w.said
    send(w, 'toggle')     # at the cursor, which is where PC is
    assert w.debugger.breakpoints == []
    send(w, 'most', frames='2')
    send(w, 'run')
    assert w.said == 'no breakpoint within 2 frames'

def test_put_back_asks_if_the_batch_ran_on(w, town):
    send(w, 'step')
    others = [town.hash(k) for k in (0, 2, 3)]
    send(w, 'put')
    assert (town.save(1) == w.debugger.row).all() and [town.hash(k) for k in (0, 2, 3)] == others
    town.run_frames(3)
    now = town.hash(1)
    send(w, 'step')
    send(w, 'put')
    assert town.hash(1) == now and 'run on' in w.said
    send(w, 'put')
    assert (town.save(1) == w.debugger.row).all()

def test_follow_takes_again_until_a_step(w, town):
    send(w, 'look')
    before = w.parts['side']
    town.run_frames(60)
    send(w, 'look')
    assert w.parts['side'] == before, 'it does not follow yet'
    send(w, 'follow')
    send(w, 'look')
    assert w.follow and not w.debugger.apart()
    send(w, 'step')
    assert not w.follow

def test_another_console(w, town):
    send(w, 'console', console='3')
    assert (w.debugger.taken == town.save(3)).all() and 'value="3"' in w.parts['top']
    send(w, 'compare', console='3')
    send(w, 'tab', 'changes')
    assert '<strong>0</strong> bytes' in w.parts['panel']
    send(w, 'compare', console='0')
    assert '<strong>0</strong> bytes' not in w.parts['panel']

INPUT = [
    ('console', dict(console='4')), ('console', dict(console='-1')), ('console', dict(console='')),
    ('go', dict(place='10000')), ('go', dict(place='')), ('stop', dict(place='?')), ('stop', dict(place='9:4000')),
    ('stop', dict(place='0:5000')), ('most', dict(frames='0')), ('search', dict(form='words')), ('narrow', dict(rule='equal')),
    ('tab', dict()), ('colours', dict(colours='OBP7')), ('hold', dict()), ('compare', dict(console='1e9')), ('nothing', dict()),
    ('tile', dict()), ('cursor', dict()), ('toggle', dict(arg='z:z'))]
FIRST = [c for k, c in enumerate(INPUT) if c[0] not in [do for do, _ in INPUT[:k]]] # of each thing that is done

@pytest.mark.parametrize('do, typed', [c if c in FIRST else pytest.param(*c, marks=pytest.mark.slow) for c in INPUT])
def test_wrong_input_is_said(w, do, typed):
    before = w.debugger.emulator.hash()
    send(w, do, typed.pop('arg', 'x'), **typed)
    assert w.error and w.said and '\n' not in w.said and w.debugger.emulator.hash() == before

@pytest.mark.parametrize('message', [
    None, 'do', {}, dict(type='do'), dict(type='do', do=3, arg=[], typed=[1]), dict(type='do', typed={'self': 1}),
    dict(type='do', do='step', typed={'do': 'back'}), dict(type='draw'), dict(type='do', do='__init__')])
def test_any_message_is_survived(w, message):
    w._hear(w, message, [])
    assert w.parts['panel']

def test_what_is_shown_is_escaped(town):
    names = parse_symbols('00:047B <b>&x\n00:c385 <script>\n')
    w = Inspect(town, 0, names)
    for tab in TABS: send(w, 'tab', tab)
    send(w, 'stop', place='<b>&x')
    send(w, 'stop', place='<i>')
    send(w, 'tab', 'code')
    send(w, 'run')
    shown = ''.join(w.parts.values()) + w.page()
    assert '&lt;b&gt;&amp;x' in shown and '<b>&' not in shown and '<script' not in shown and '<i>' not in shown

def test_backends_and_environments(town):
    backend = make_backend('warp', game.rom(), 2)
    for what in backend, SimpleNamespace(backend=backend), backend.emulator:
        assert Inspect(what, 1).emulator is backend.emulator
    for wrong in 3, 'rom', SimpleNamespace(backend=1):
        with pytest.raises(ValueError, match='no emulator to look into'): Inspect(wrong)
    with pytest.raises(IndexError, match='no console 9'): Inspect(town, 9)
    backend.close()

def test_symbols_of_the_cartridge(tmp_path):
    def found(**how): return Inspect(Emulator(tmp_path/'probe.gb', device='cpu'), **how).debugger.symbols
    (tmp_path/'probe.gb').write_bytes(probe_rom())
    assert found() is None
    (tmp_path/'probe.sym').write_text(symbol_text(game.program()))
    assert 'MoveVillager' in found() and found(symbols=None) is None
    assert 'MoveVillager' in Inspect(Emulator(game.rom(), device='cpu')).debugger.symbols, 'the bundled game has its own'

def test_page_needs_nothing_and_does_nothing(w):
    page = w.page()
    assert '<script' not in page and 'http' not in page and '<button' not in page and 'data-do=' not in page
    assert 'quiet' in page.lower() and len(page) < 90_000
    bundle = w._repr_mimebundle_()
    assert bundle['text/html'] == page and 'console 1' in bundle['text/plain']

# Its parts

@settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.sampled_from([*ROMS][::16]), st.integers(1, 3000), st.integers(1, 400))
def test_steps_are_cycles(name, cycles, n):
    "Programs that test timers, interrupts, DMA and the picture, stepped and run."
    e = Emulator(ROMS[name].program().rom, device='cpu')
    e.run_cycles(cycles)
    stepped, whole = Debugger(e).step(n), Debugger(e)
    whole._run(stepped.cycles)
    assert stepped.emulator.hash() == whole.emulator.hash()

def test_breakpoint_in_ram(town):
    "OAM DMA waits in high RAM."
    d = Debugger(town, 1, SYMBOLS)
    d.toggle('hDma')
    assert d.run(3) and d.place == (0, 0xFF80)
    hooked = Debugger(town, 1, SYMBOLS)
    caller = d.emulator.read(int(d.words[2]), 2).astype(int)
    assert hooked.run(3, f'{caller[0] + 256*caller[1] - 3:04X}') and hooked.run(1, 'FF80') and hooked.emulator.hash() == d.emulator.hash()
    assert d.step_out() and d.place[1] == caller[0] + 256*caller[1]

def test_a_run_without_breakpoints_is_a_run(town):
    d, e = Debugger(town, 2), Emulator(game.rom(), device='cpu')
    e.load(town.save(2))
    assert not d.run(7)
    e.set_buttons(d.keys)
    e.run_cycles(7*FRAME)
    assert e.hash() == d.emulator.hash()

def test_found_by_any_format(town):
    "A score of six digits, in binary coded decimals, the highest first, in a searched memory that is otherwise at rest."
    row, score = town.save(), [0, 10, 1290, 98760, 98770]
    def with_score(n):
        r = row.copy()
        r[0x2000 + 0x100:0x2000 + 0x103] = np.frombuffer(bytes.fromhex(f'{n:06d}'), np.uint8)
        return r
    s = Search(town, with_score(0))
    for before, now in zip(score, score[1:]): narrow(s, with_score(now), 'changed by', now - before)
    assert {f.form: f.variable.at for f in candidates(s)} == {'BCD, 3 bytes, big endian': 0xC100, 'BCD, 4 bytes, big endian': 0xC0FF}
    assert len(FORMATS) == 14

def test_fields_are_those_of_stat_and_lcdc(town):
    town.run_cycles(37*114 + 5)
    now = {r.name: r for r in io_registers(town.cart, town.save())}
    assert now['STAT'].value & 3 == next(f for f in FIELDS[IO.STAT] if f.name == 'mode').bits(now['STAT'].value)
    assert now['IE'].text == 'VBlank' and now['P1'].address == 0xFF00

def test_held_keys_reach_the_copy(w, town):
    column = SYMBOLS['wPlayer'].address
    before = int(w.debugger.emulator.read(column)[0])
    send(w, 'hold', str(int(Button.LEFT)))
    for _ in range(20): send(w, 'frame')
    assert w.debugger.emulator.read(column)[0] < before and town.read(column, 1, 1)[0] == before
