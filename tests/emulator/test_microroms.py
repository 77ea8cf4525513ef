"""Micro-ROMs: each passes here, fails if no interrupt ever comes and it needs one, and is run by PyBoy, which shares no code with this
project. Where the two disagree one of them is wrong, and the file says what hardware does and gives the source."""
import importlib, io, re, warnings
from dataclasses import replace
from importlib.metadata import version
from importlib.util import find_spec

import numpy as np
import pytest
from gbxnb.base.figures import PALETTES
from gbxnb.emulator.machine import Button
from gbxnb.games.asm import assemble
from microroms import FOLDER, ROMS, micro, run, verdict

with warnings.catch_warnings():
    warnings.simplefilter('ignore')
    PyBoy = importlib.import_module('pyboy').PyBoy if find_spec('pyboy') else None

NEEDS_INTERRUPTS = [n for n, r in ROMS.items() if re.search(r'^ +EI$', r.source, re.M)]
SAMPLES = {'passed': ' LD A, 5 :: CHECK 5\n JP Pass\n', 'check 2 found $06': ' LD A, 5 :: CHECK 5\n INC A :: CHECK 5\n JP Pass\n',
           'no result, hangs after check 0': ' HALT\n JR Test\n',
           'unexpected timer interrupt': ' LD A, 4 :: LDH [rIE], A :: LDH [rIF], A\n EI\n NOP\n JP Pass\n'}

@pytest.mark.parametrize('memory, text', [(b'\xDE\xAD\1', 'passed'), (b'\xDE\xAD\2\7\xFF', 'check 7 found $FF'),
                                          (b'\xDE\xAD\2\xF2', 'unexpected timer interrupt'), (b'\0\0\1', 'did not start')])
def test_a_result_in_memory(memory, text): assert verdict(memory.ljust(5, b'\0')).text == text

@pytest.mark.parametrize('text', SAMPLES)
def test_verdicts_are_right(text):
    "A test that must pass, one that must fail in its second check, one that hangs, and one with an unexpected interrupt."
    assert run(micro('Test:\n' + SAMPLES[text]))[0].text == text

def test_a_result_is_checked_three_times():
    "What RAM says must be true of the registers, of a CPU that is locked, and of the screen."
    good = micro('Test:\n' + SAMPLES['passed'])
    assert 'registers' in run(micro('Test:\n LD A, 1 :: LD [wResult + 2], A :: JR @\n'))[0].text
    assert run(replace(good, locked_by=0xD3))[0].text == 'locked by $00, not by $D3'
    assert 'pixels differ' in run(replace(good, picture=np.full((144, 160), 2, np.uint8)))[0].text

def test_there_are_as_many_as_ever():
    assert len(ROMS) == 85 and len(NEEDS_INTERRUPTS) == 34 and sum(r.picture is not None for r in ROMS.values()) == 7
    assert all(r.picture is None or r.picture.shape == (144, 160) for r in ROMS.values())

@pytest.mark.parametrize('name', ROMS)
def test_passes(name): assert run(ROMS[name])[0].text == 'passed'

@pytest.mark.parametrize('name', [pytest.param(n, marks=[pytest.mark.slow]*(k % 4 > 0)) for k, n in enumerate(NEEDS_INTERRUPTS)])
def test_fails_without_interrupts(name):
    "An emulator that never interrupts must fail, not pass for lack of evidence: `EI` is replaced by `NOP`."
    silent = replace(ROMS[name], source=re.sub(r'^ +EI$', ' NOP', ROMS[name].source, flags=re.M))
    assert not run(silent)[0].passed

def test_every_file_says_what_it_tests_and_why():
    heads = {p.name: p.read_text(encoding='utf-8').split('\n\n')[0].splitlines() for p in FOLDER.glob('*.asm')}
    bare = [n for n, h in heads.items() if not (all(line[:1] == ';' for line in h) and re.search('(?m)^;\n; [A-Z]', '\n'.join(h)))]
    assert not bare
    parts = {name for p in FOLDER.iterdir() for name in re.findall(r'INCLUDE "(.+)"', p.read_text(encoding='utf-8'))}
    assert parts | {'harness.inc'} == {p.name for p in FOLDER.glob('*.inc')}

# a second opinion

# the real boot ROM would scroll a logo for a second first
BOOT = '''
        SECTION "boot", ROM0[0]
        LD A, $91 :: LDH [rLCDC], A :: LD A, $FC :: LDH [rBGP], A
        LD SP, $FFFE :: JP $00FC
        SECTION "end", ROM0[$FC]
        LD A, 1 :: LDH [rBOOT], A
'''

@pytest.fixture(scope='module')
def boot(tmp_path_factory):
    path = tmp_path_factory.mktemp('boot')/'boot.bin'
    path.write_bytes(assemble(BOOT).rom[:256])
    return path

def second_opinion(rom, boot):
    "What PyBoy makes of a micro-ROM."
    held, changes = 0, dict(rom.buttons)
    pyboy = PyBoy(io.BytesIO(rom.program().rom), window='null', cgb=False, bootrom=str(boot), sound_emulated=True, no_input=True,
                  log_level=5, color_palette=PALETTES['gray'])
    pyboy.set_emulation_speed(0)
    for f in range(rom.frames + 1):
        for button in Button:
            if not (changes.get(f, held) ^ held) & button: continue
            set_button = pyboy.button_press if changes[f] & button else pyboy.button_release
            set_button(button.name.lower())
        held = changes.get(f, held)
        pyboy.tick(1, rom.picture is not None, False)
    v, shades = verdict(bytes(pyboy.memory[0xC000:0xC005])), 3 - pyboy.screen.ndarray[:, :, 0]//85
    wrong = int((shades != rom.picture).sum()) if rom.picture is not None and v.passed else 0
    pyboy.stop(save=False)
    return f'{wrong} pixels differ' if wrong else v.text

@pytest.mark.skipif(PyBoy is None, reason='PyBoy is not installed (it comes with the dev extra)')
@pytest.mark.parametrize('name', [pytest.param(n, marks=[pytest.mark.slow]*(k % 16 > 0))
                                  for k, n in enumerate(n for n, r in ROMS.items() if not r.locked_by)]) # it knows no locked CPU
def test_a_second_opinion(name, boot):
    "PyBoy agrees, or the file explains why not."
    text = second_opinion(ROMS[name], boot)
    assert text == 'passed' or ROMS[name].pyboy or version('pyboy') != '2.8.1', text
