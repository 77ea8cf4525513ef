"""The reference: one ship, sixty-nine actions, and the reasons for which one is refused."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = []
import numpy as np
from fastcore.basics import patch
from .maths import (Draws, EDGE_DAMAGE, EDGE_PIRATES, FRACTURE_SLOT, LISTEN_SLOT,
                                           SCAN_SLOT, YIELD_SLOT)
from .maths import F
from .rules import (ALERT, ASTEROIDS, BURN, BURN_TICKS, BUY_DECOY, BUY_FUEL, BUY_KIT,
    BUY_STABILIZER, CARGO, COOLING, CREDIT_SCALE, DECOY_CHANCE, DECOY_SAVES, DEPLETION, DOCK, EDGE_SPREAD,
    EFFECTS, END, Effect, FIX_TOOL, FRACTURE_BIAS, FRACTURE_HAZARD, FRACTURE_HEAT, FRACTURE_HELD,
    FRACTURE_HULL, FRACTURE_TOOL, FRACTURE_WEAK, FUEL, FUEL_SOLD, GOODS, HAZARD_ALERT, HAZARD_HEAT,
    HAZARD_HULL, HEAT, HOLD, HULL, HULL_PATCH, JETTISON, LISTEN, LISTEN_NOISE, LISTEN_WEIGHT, MINE, MINING,
    NEIGHBORS, OVERHAUL, PATCH_HULL, PIRATE_ALERT, PIRATE_BIAS, PIRATE_CARGO, PIRATE_ESCAPE, PIRATE_HEARD,
    PIRATE_HULL, PIRATE_INTENSITY, PIRATE_LOSS, PRICES, REFINE, REFINED, REFINE_OUTPUT, SAFE_HEAT, SCANS,
    SELECT, Scan, SELL, SLIP, SLIP_MOST, SLIP_ROOT, SOLD_SHARES, STABILIZE, STABILIZE_TICKS, STATION,
    SUPPLIES, SUPPLY_CAP, TIME, TOOL, TOOL_REPAIR, WIDE, WORST_YIELD)
from .sector import Sector, clamp, shares, total
class Ship:
    "One ship in its sector: the reference of the rules."
    draws:Draws
    sector:Sector
    max_steps:int
    node:int
    selected:int
    ended:bool
    cargo:np.ndarray
    ticks:int
    escape:int
    held:np.ndarray
    overheat_ticks:int
    pirate_hits:int
    scans:int
    mined:int
    alert:_Any
    credits:_Any
    decoys:_Any
    fuel:_Any
    heat:_Any
    hull:_Any
    kits:_Any
    load_ticks:_Any
    pirate_loss:_Any
    spent:_Any
    stabilizers:_Any
    time_left:_Any
    time_max:_Any
    tool:_Any
    def __init__(self,
        draws:Draws, # Where all chance comes from
        time_max:float=TIME, # Ticks of an episode
        max_steps:int=2**30, # Steps of an episode
    )->None: ...
    @property
    def at_station(self)->bool: ...
    @property
    def selection_valid(self)->bool:
        "Whether the selected asteroid is here and not used up."
    def cargo_value(self)->np.float32: ...
def apply_effect(self:Ship, action:int)->None:
    "What an action costs whenever it is valid."
def hold(self:Ship)->None:
    "Lie low; what is refused ends so, too. The heat falls here, and once more with the tick."
def act(self:Ship,
    action:int, # 0 ... 68
)->tuple[int, bool]: # Ticks it takes, and whether it was valid
    "Carry out an action."
def expose(self:Ship, dt:int, danger:np.float32, slot:int, spread:tuple)->None:
    "Hull, heat and alert of `dt` ticks of danger."
def meet_pirates(self:Ship, dt:int, intensity:np.float32, slot:int)->None:
    "Roll for pirates; not at the station."
def travel(self:Ship, slot:int)->tuple[int, bool]:
    "Fly along an edge."
def select(self:Ship, a:int)->bool:
    "Point the instruments at an asteroid; a wrong choice leaves the old one."
def listen(self:Sector, d:Draws, n:int)->None:
    "Measure the threat of each edge of node n."
def measure(self:Sector, d:Draws, n:int, a:int, kind:Scan)->None:
    "Blend a measurement of asteroid a of node n into what is believed of it."
def scan(self:Ship, action:int)->tuple[int, bool]:
    "Look at all asteroids here, or at the selected one."
def mine(self:Ship, action:int)->bool:
    "Mine the selected asteroid."
def upkeep(self:Ship, action:int)->bool:
    "What a ship does for itself; False if it lacks what that takes."
def refine(self:Ship)->None:
    "Make rare isotopes of iron and nickel."
def jettison(self:Ship, c:int)->bool:
    "Throw a commodity away; that pleases pirates, whether there was any or not."
def sell(self:Ship, c:int, bucket:int)->bool:
    "Sell a share of a commodity."
def buy(self:Ship, action:int)->bool:
    "Buy fuel, a supply or an overhaul; False without the credits or above the cap."
