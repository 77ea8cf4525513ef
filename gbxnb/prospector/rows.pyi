"""A sector and a ship as one row of numbers, drawn and measured for N at once."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['Col', 'row_of']
from enum import IntEnum
from typing import Any
import numpy as np
import warp as wp
from .maths import (EXACT, F, ROCK_COMP, ROCK_GUESS, ROCK_NOISE, ROCK_SLOT, ROCK_STABILITY,
    SCAN_SLOT, WORLD_SLOTS, Draws, wp_cos, wp_draw_bits, wp_draw_word, wp_log, wp_unit)
from .rules import (ASTEROIDS, FEWEST_NODES, FIRST_CONF, FIRST_GUESS, GOODS, INSTRUMENT,
    NEIGHBORS, NODES, OBS, SCANS, SMALLEST, SUPPLY_CAP, WIDE)
from .tick import ROCK_SIZE, SEEN_ROCKS, Ship
class Col(IntEnum):
    "Columns of `ships`, float32; whole numbers are exact in it."
    FUEL = 0; HULL = 1; HEAT = 2; TOOL = 3; ALERT = 4; CREDITS = 5; TIME_LEFT = 6; TICKS = 7
    NODE = 8; KIND = 9; HAZARD = 10; PIRATES = 11 # where it is, and how dangerous that is now
    SELECTED = 12; SELECTION_VALID = 13; KITS = 14; STABILIZERS = 15; DECOYS = 16
    ESCAPE_END = 17 # the tick at which an emergency burn has no effect any more
    SPENT = 18; PIRATE_LOSS = 19; LOAD_TICKS = 20; OVERHEAT_TICKS = 21; PIRATE_HITS = 22 # counters
    SCANS = 23; MINED = 24
    CARGO = 25; PRICE = 31; STOCK = 37; SALES = 43; PHASE = 49; PERIOD = 55; AMPLITUDE = 61 # 6 each
    HELD_END = 67 # 16 places: the tick at which a stabiliser ends
    END = 83
class Place(IntEnum):
    "Columns of `places`, float32."
    HAZARD = 0; PIRATES = 32; EDGE_FUEL = 64; EDGE_THREAT = 256; EDGE_GUESS = 448 # by node; by node and edge
    ROCK = 640 # 9 for each asteroid: guess (6), its stability, confidence, depletion
    END = 640 + 9*512
class Mark(IntEnum):
    "Columns of `marks`, uint8."
    KIND = 0; HOPS = 32; COUNT = 64; NEIGHBOR = 96; EDGE_TIME = 288; NODES = 480; END = 481
NONE = 255 # no neighbour; in COUNT: not visited yet
ROCK_STABILITY_GUESS, ROCK_CONF, ROCK_DEPLETION = 6, 7, 8 # within the 9 of an asteroid
def row_of(
    ship:Ship, # Of the reference
)->tuple[np.ndarray, np.ndarray, np.ndarray]: # ships f32 [83], places f32 [5248], marks u8 [481]
    "A reference ship as a row; asteroids of all its nodes count as visited."
def ship_of(
    row:np.ndarray, # f32 [83]
    place:np.ndarray, # f32 [5248]
    mark:np.ndarray, # u8 [481]
    key:int, # Of its draws
    moment:int, # Steps of its episode so far
    **limits, # `time_max` and `max_steps`
)->Ship:
    "A row as a ship of the reference."
WHOLE = {Col.TICKS: (0, 2**24), Col.NODE: (0, NODES - 1), Col.KIND: (0, 2), Col.SELECTED: (-1, ASTEROIDS - 1),
         Col.SELECTION_VALID: (0, 1), Col.KITS: (0, SUPPLY_CAP), Col.STABILIZERS: (0, SUPPLY_CAP),
         Col.DECOYS: (0, SUPPLY_CAP)}
def check_rows(
    ships:np.ndarray, # f32 [N, 83], finite
    marks:np.ndarray, # u8 [N, 481]
)->None:
    "Raise `ValueError` for the first ship that no episode can hold."
class Rows(_Any): ...
WIDTHS:dict
def make_arrays(struct, n:int, device:str|wp.Device, **widths:int)->Any:
    "A struct whose arrays hold n rows of zeros; those of two dimensions without a width are empty."
def write_ships(rows:Rows, ships:list[Ship])->None:
    "Write ships of the reference into as many rows."
vec6:_Any
vec3:_Any
row: _Any = None
row8: _Any = None
get: _Any = None
put: _Any = None
get8: _Any = None
put8: _Any = None
get6: _Any = None
put6: _Any = None
def span(low:float, high:float)->float:
    "high - low, as float32."
class Chance(_Any): ...
chance_of: _Any = None
of_sector: _Any = None
bits: _Any = None
uniform: _Any = None
exponential: _Any = None
normal: _Any = None
normals: _Any = None
wp_total: _Any = None
wp_shares: _Any = None
mixture: _Any = None
rock_slot: _Any = None
rock_place: _Any = None
stability: _Any = None
SCAN_BLEND:_Any
SCAN_CONF:_Any
SCAN_NOISE:_Any
measure_asteroids: _Any = None
show_arrivals: _Any = None
