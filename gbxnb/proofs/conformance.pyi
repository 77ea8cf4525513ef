"""A command finds test ROMs, runs them, and compares what passes with a record."""
# Made by `make export` from the module beside it.
__all__ = ['load_report', 'RomsConfig', 'roms_cli']
import json, os, platform, re
from collections import Counter
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
import numpy as np
import warp as wp
from fastcore.basics import patch
import gbxnb
from .verdicts import PROTOCOLS, VERDICTS, Case, Row, load_picture, plain, run_to_verdict
from ..base.command import DeviceConfig, command
from ..base.config import config_from
from ..emulator.cartridge import MAX_ROM, Cartridge, RomError
from ..traces.cache import trace_everything
from ..emulator.emulator import Emulator
from ..base.startup import find_device
from ..base.files import UserError, check_writable, git_sha, read_json, read_whole, sha256, write_atomic
from ..base.progress import track
_MANY = 'cpu_instrs|mem_timing-2|mem_timing|oam_bug-2|oam_bug|dmg_sound-2|dmg_sound|cgb_sound'
RULES = [   # the end of the path without its suffix; the name; the protocol
    (r'[^/]*wilbertpol[^/]*/(?:.*/)?((?:acceptance|emulator-only|misc)/.+)', 'mooneye-wilbertpol/{0}',
     'registers'),
    (r'(manual-only/[^/]+)', 'mooneye/{0}', 'picture'),
    (r'((?:acceptance|emulator-only)/.+)', 'mooneye/{0}', 'registers'),
    (r'[^/]*mooneye[^/]*/(?:.*/)?((?:misc|madness|utils)/.+)', 'mooneye/{0}', 'registers'),
    (r'[^/]*gbmicrotest[^/]*/(?:.*/)?([^/]+)', 'gbmicrotest/{0}', 'hram'),
    (r'[^/]*mealybug[^/]*/(?:.*/)?([^/]+)', 'mealybug/{0}', 'picture'),
    (r'((?:dmg|cgb)-acid2|cgb-acid-hell)', 'acid2/{0}', 'picture'),
    (r'acid2?/(which)', 'acid2/{0}', 'picture'),
    (r'docboy/([^/]+/visual/.+)', 'docboy/{0}', 'picture'),
    (r'docboy/((?:apu|boot|cpu|dma|interrupts|joypad|mbc|memory|oam_bug|ppu|serial|stat_.+|timers)/.+)',
     'docboy/{0}', 'docboy'),
    (r'age(?:-test-roms)?/(?:.*/)?([^/]+/[^/]+)', 'age/{0}', 'registers'),
    (r'same-?suite/((?:apu|dma|interrupt|ppu|sgb)/.+?)(?:-shootout)?', 'samesuite/{0}', 'registers'),
    (r'(bully|strikethrough)', 'ashiepaws/{0}', 'picture'),
    (r'((?:rtc-invalid-banks|latch-rtc|ramg-mbc3|sgb-ext)-test)', 'cpp/{0}', 'picture'),
    (r'(ppu_scanline_bgp|stop_instr(?:_gbc_mode3)?|rom_and_ram|speed_switch_timing_[^/]+)', 'daid/{0}',
     'picture'),
    (r'(rtc3test-\d)(?:-shootout)?', 'ax6/{0}', 'picture late'),
    (r'rtc3test/(basic-tests|range-tests|sub-second-writes)', 'rtc3test/{0}', 'picture {0}'),
    (r'(tellinglys)', 'little-things-gb/{0}', 'picture {0}'),
    (r'(little-things-gb|scribbltests|turtle-tests)/(?:.*/)?([^/]+)', '{0}/{1}', 'picture'),
    (r'(mbc3-tester)', '{0}', 'picture'),
    (r'interrupt_time', 'blargg/interrupt_time', 'interrupt_time'),
    (r'(halt_bug|instr_timing)', 'blargg/{0}', 'text'),
    (rf'({_MANY})/(?:individual/|rom_singles/)?(\d\d?-[^/]+)', 'blargg/{0}/{1}', 'text'),
    (rf'({_MANY})/(?:{_MANY}|all)', 'blargg/{0}/all', 'text'),
    (rf'({_MANY})', 'blargg/{0}/all', 'text'),
]
RTC3 = 'basic-tests', 'range-tests', 'sub-second-writes'     # the menu of rtc3test
def recognise(
    path:str, # A path with or without suffix, or a test's name
)->tuple[str, str]|None: # Name and protocol; None for a ROM of no known suite
    "Which test a ROM is, by its path."
def for_dmg(
    test:str, # The last part of a test's name
)->bool:
    "Is a mooneye test meant for a Game Boy of revision A to C?"
CORE = {'blargg/cpu_instrs': 12, 'blargg/instr_timing': 1, 'blargg/mem_timing': 4, 'blargg/mem_timing-2': 4,
        'blargg/halt_bug': 1, 'blargg/oam_bug': 8, 'blargg/dmg_sound': 13, 'mooneye/acceptance': 66,
        'mooneye/emulator-only/mbc1': 13, 'mooneye/emulator-only/mbc2': 7, 'mooneye/emulator-only/mbc5': 8,
        'mooneye/manual-only': 1, 'acid2': 1}
def group(name:str)->str: # e.g. `blargg/cpu_instrs`
    "The part of a suite that a test belongs to, a line of the table."
def why_skip(
    name:str, # As `recognise` gives it
    rom:bytes=b'', # Its content, if there is any
    place:str='', # Where it lies
)->str: # Nothing if it is to be run
    "Why a test is not run."
def core_name(
    name:str, # A test
)->str: # The core case it is a build of, or nothing
    "Which of the core cases a test is."
SHOOTOUT = 'shootout'     # among the parts that are asked for: all of the list
def shootout_tests()->dict[str, str]: # Our name of a test -> its name there
    "The tests of the shoot-out for a Game Boy."
def shootout_name(
    name:str, # A test
)->str: # A key of `shootout_tests`, or nothing
    "Which test of the shoot-out a test is a build of."
def find_pictures(
    rom:Path, # A test ROM
)->tuple: # Shades [144, 160] each
    "The reference pictures for a ROM that lie near it."
def find_roms(
    folder:str|Path, # Where to look; links to other folders are not followed
)->list[Path]: # In order
    "All `.gb` and `.gbc` files under a folder."
def find_cases(
    folders:list, # Where to look
    known:dict|None=None, # `Report.known` of a recorded run
)->tuple[list[Case], list[str]]: # The cases by name, and the files that belong to no known suite
    "All test ROMs under some folders."
@dataclass
class Report:
    "The verdicts over a collection of test ROMs."
    rows:list[Row]                                  # By name
    skipped:list[tuple] = field(default_factory=list)    # (name, why)
    unrecognised:list[str] = field(default_factory=list)    # Files of no known suite
    made:dict = field(default_factory=dict)         # By what software, on what device, with which options
    @property
    def known(self)->dict: # Start of a ROM's SHA-256 -> its names -> hash of the right picture, or nothing
        "What the report knows about ROMs."
    @property
    def core(self)->dict[str, bool]: # Core case -> passed by every build of it that is here
        "The core cases that were run."
    @property
    def shootout(self)->dict[str, bool]: # The same for the list of the shoot-out
        "The tests of the shoot-out that were run."
    def table(self)->str: # Markdown
        "The verdicts, counted by group."
    def summary(self)->str: # Markdown
        "The core in a sentence, then the misses by name, then what was left out."
    def shootout_table(self)->str: # Markdown
        "The shoot-out's list in the shoot-out's groups."
    def _repr_markdown_(self): ...
    def to_json(self)->str:
        "The report as text, a line for each test."
def in_part(
    name:str, # A test
    only:list|None=None, # Beginnings of names, e.g. `mooneye/acceptance`, and `SHOOTOUT`; nothing is all
)->bool:
    "Does a test belong to the part that is asked for?"
def run_case(
    case:Case, # Which test
    device:str='auto', # As for `Emulator`
    lanes:int=2, # Consoles that must agree
    shortcuts:bool=True, # As for `Emulator`
    compiled:bool=False, # Run it twice: by the interpreter, and with all of it in traces
)->tuple[Row, dict]: # And the build of the kernel that ran; none if nothing did
    "Run one test."
MAX_LANES = 1024
def run_conformance(
    folders:list, # Where the ROMs are
    known:dict|None=None, # As for `find_cases`
    device:str='auto', # As for `Emulator`
    lanes:int=2, # Consoles for each test, which must agree
    shortcuts:bool=True, # As for `Emulator`
    compiled:bool=False, # As for `run_case`
    only:list|None=None, # Run a part of the tests; as for `in_part`
)->Report:
    "Run every test ROM of the known suites under some folders."
def load_report(
    path:'str|Path', # What `to_json` gave
)->Report:
    "Read a recorded table."
@dataclass(frozen=True)
class Comparison:
    "A run against a record."
    lost:list[Row]      # Tests that passed in the record, and a build of them that does not pass now
    absent:list[str]    # Tests that passed in the record, and did not run now
    won:list[Row]       # Passes now, and did not in the record
    replaced:int        # Tests that passed in the record, and of which only other builds ran now
    def regression(self,
        now:Report, # The run that was compared
    )->str: # Nothing if there is none
        "Which tests passed in the record and do not any more, and what to do."
def compare(
    now:Report, # This run
    record:Report, # An earlier one
    only:list|None=None, # Compare a part; as for `in_part`
)->Comparison:
    "What changed since the record."
def whole_parts(
    now:Report, # A run
    absent:list[str], # Tests that are not in it
)->list[str]: # For `in_part`
    "The suites of a run of which nothing is absent, and such groups of the others."
@dataclass(frozen=True)
class RomsConfig(DeviceConfig):
    "Which tests are run, and how."
    only:list[str]=field(default_factory=list) # A part: names that begin so, e.g. blargg; or shootout
    out:str='' # Write the report to this file
    baseline:str='' # A recorded report: exit with 1 if a test that passed there does not pass here
    lanes:int=2 # Consoles for each test; they must agree
    shortcuts:bool=True # Run the kernel that jumps over time in which nothing happens
    compiled:bool=False # Run each test once more with its whole program compiled; takes minutes to hours
def roms_cli(
    *folders:str, # Folders with test ROMs
    **options)->None:
    "Run the test ROMs of the known suites: blargg, mooneye, mealybug, GBMicrotest and more."
