"""The reference: one ship, sixty-nine actions, and the reasons for which one is refused."""
# Made by `make export` from the module beside it.
from gbxnb.prospector.tick import Before
from gbxnb.prospector.tick import Outcome
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
    ticks:int
    held:np.ndarray
    overheat_ticks:int
    pirate_hits:int
    scans:int
    mined:int
    def __init__(self,
        draws:Draws, # Where all chance comes from
        time_max:float=TIME, # Ticks of an episode
        max_steps:int=2**30, # Steps of an episode
    )->None:
        draws.moment = 0
        self.draws, self.sector, self.time_max, self.max_steps = draws, Sector(draws), F(time_max), max_steps
        self.node, self.selected, self.ended = 0, -1, False
        self.fuel, self.hull, self.heat, self.tool, self.alert = F(FUEL), F(HULL), F(0), F(TOOL), F(0)
        self.credits, self.cargo, self.time_left, self.ticks = F(0), np.zeros(GOODS, F), F(time_max), 0
        self.kits, self.stabilizers, self.decoys = SUPPLIES.values()
        self.escape, self.held = 0, np.zeros(ASTEROIDS, int) # ticks left of a burn, and of each stabilizer
        self.spent = self.pirate_loss = self.load_ticks = F(0)
        self.overheat_ticks = self.pirate_hits = self.scans = self.mined = 0
    @property
    def at_station(self): ...
    @property
    def selection_valid(self):
        "Whether the selected asteroid is here and not used up."
    def cargo_value(self): ...
    def apply_effect(self, action:int)->None:
        "What an action costs whenever it is valid."
        e = EFFECTS[action]
        self.fuel -= F(e.fuel)
        self.heat += F(e.heat)
        self.alert += F(e.alert)
        if e.heat < 0: self.heat = max(F(0), self.heat)
        if e.alert < 0: self.alert = max(F(0), self.alert)
    def hold(self)->None:
        "Lie low; what is refused ends so, too. The heat falls here, and once more with the tick."
        self.apply_effect(HOLD)
        self.heat = max(F(0), self.heat - F(COOLING))
    def act(self,
        action:int, # 0 ... 68
    )->tuple[int, bool]: # Ticks it takes, and whether it was valid
        "Carry out an action."
    def expose(self, dt:int, danger:np.float32, slot:int, spread:tuple)->None:
        "Hull, heat and alert of `dt` ticks of danger."
        if danger <= 0 and slot != EDGE_DAMAGE: return # a safe node has no draw; a safe edge has one
        self.hull -= F(dt)*danger*F(HAZARD_HULL)*self.draws.uniform(slot, *spread)
        self.heat += F(dt)*danger*F(HAZARD_HEAT)
        self.alert += F(dt)*danger*F(HAZARD_ALERT)
    def meet_pirates(self, dt:int, intensity:np.float32, slot:int)->None:
        "Roll for pirates; not at the station."
        if self.at_station: return
        d, m, value = self.draws, self.draws.maths, self.cargo_value()
        logit = (F(PIRATE_BIAS) + F(PIRATE_INTENSITY)*intensity + F(PIRATE_ALERT)*clamp(self.alert/F(ALERT), 0, 1)
                 + F(PIRATE_CARGO)*m.log1p(value/F(CREDIT_SCALE)) - F(PIRATE_ESCAPE)*F(self.escape > 0))
        stay_away = F(1) - F(1)/(F(1) + m.exp(-logit))
        if d.uniform(slot) >= F(1) - m.power(stay_away, dt): return
        self.pirate_hits += 1
        loss = d.uniform(slot + 1, *PIRATE_LOSS)
        if self.decoys and d.uniform(slot + 2) < F(DECOY_CHANCE):
            self.decoys -= 1
            loss *= F(DECOY_SAVES)
        self.cargo = self.cargo*(F(1) - loss)
        self.pirate_loss += max(F(0), value - self.cargo_value())
        self.hull -= d.uniform(slot + 3, *PIRATE_HULL)
        self.alert += F(PIRATE_HEARD)
    def travel(self, slot:int):
        "Fly along an edge."
        s, e = self.sector, (self.node, slot)
        if s.neighbor[e] < 0: return 1, False
        dt, threat = int(s.time[e]), s.threat[e]
        self.fuel -= s.fuel[e]*(F(1) + F(.5)*(total(self.cargo)/F(CARGO)))
        self.node, self.selected = int(s.neighbor[e]), -1
        self.expose(dt, threat, EDGE_DAMAGE, EDGE_SPREAD)
        self.meet_pirates(dt, threat, EDGE_PIRATES)
        return dt, True
    def select(self, a:int):
        "Point the instruments at an asteroid; a wrong choice leaves the old one."
    def scan(self, action:int):
        "Look at all asteroids here, or at the selected one."
        kind = SCANS[action]
        self.fuel -= F(kind.fuel)
        self.alert += F(kind.alert)
        if action != WIDE and not self.selection_valid: return kind.dt, False
        seen = range(self.sector.asteroids[self.node]) if action == WIDE else [self.selected]
        for a in seen: self.sector.measure(self.draws, self.node, a, kind)
        self.scans += 1
        return kind.dt, True
    def mine(self, action:int):
        "Mine the selected asteroid."
        if not self.selection_valid: return False
        s, e, d, way = self.sector, (self.node, self.selected), self.draws, MINING[action]
        tool, heat = clamp(self.tool/F(TOOL), 0, 1), clamp(self.heat/F(HEAT), 0, 2)
        cool = F(1) if heat <= F(SAFE_HEAT) else max(F(WORST_YIELD), F(1) - (heat - F(SAFE_HEAT))/F(.3))
        luck = d.maths.exp(d.normal(YIELD_SLOT, 0, way.sigma))
        rate = s.richness[e]*max(F(0), F(1) - s.depletion[e])*(F(.4) + F(.6)*tool)*cool*F(way.yields)*luck
        won = rate*s.comp[e]
        amount, room = total(won), max(F(0), F(CARGO) - total(self.cargo))
        if amount > room: amount, won = room, won*(room/amount)
        self.cargo = self.cargo + won
        self.heat, self.tool = self.heat + F(way.heat), self.tool - F(way.wear)
        self.alert = self.alert + F(way.alert)
        s.depletion[e] = clamp(s.depletion[e] + F(DEPLETION)*amount, 0, 1)
        self.mined += 1
        logit = (F(FRACTURE_BIAS) + F(way.bias) + F(FRACTURE_WEAK)*(F(1) - s.stability[e])
                 + F(FRACTURE_HEAT)*max(F(0), heat - F(SAFE_HEAT)) + F(FRACTURE_TOOL)*(F(1) - tool)
                 - (F(FRACTURE_HELD) if self.held[self.selected] else F(0)))
        if d.uniform(FRACTURE_SLOT) < F(1)/(F(1) + d.maths.exp(-logit)):
            self.hull -= F(FRACTURE_HULL)*d.uniform(FRACTURE_SLOT + 1, .5, 1)
            s.depletion[e] = F(1)
            s.hazard[self.node] = clamp(s.hazard[self.node] + F(FRACTURE_HAZARD), 0, 1)
        return True
    def upkeep(self, action:int):
        "What a ship does for itself; False if it lacks what that takes."
        lacks = {STABILIZE: not self.selection_valid or not self.stabilizers, FIX_TOOL: not self.kits,
                 PATCH_HULL: not self.kits, DOCK: not self.at_station}
        if lacks.get(action): return False
        self.apply_effect(action)
        if action == BURN: self.escape = max(self.escape, BURN_TICKS)
        elif action == LISTEN: self.sector.listen(self.draws, self.node)
        elif action == STABILIZE:
            self.stabilizers -= 1
            self.held[self.selected] = STABILIZE_TICKS
        elif action == REFINE: self.refine()
        elif action in (FIX_TOOL, PATCH_HULL):
            self.kits -= 1
            if action == FIX_TOOL: self.tool = min(F(TOOL), self.tool + F(TOOL_REPAIR))
            else: self.hull = min(F(HULL), self.hull + F(HULL_PATCH))
        return True
    def refine(self)->None:
        "Make rare isotopes of iron and nickel."
    def jettison(self, c:int):
        "Throw a commodity away; that pleases pirates, whether there was any or not."
    def sell(self, c:int, bucket:int):
        "Sell a share of a commodity."
        s, amount = self.sector, self.cargo[c]*F(SOLD_SHARES[bucket])
        if not self.at_station: return False
        if amount <= 0: return True
        ratio = amount/max(F(1), s.stock[c] + amount)
        slip = clamp(F(SLIP)*ratio + F(SLIP_ROOT)*np.sqrt(ratio), 0, SLIP_MOST)
        self.credits += amount*(s.price[c]*(F(1) - slip))
        self.cargo[c] = max(F(0), self.cargo[c] - amount)
        s.stock[c] += amount
        s.sales[c] += amount
        return True
    def buy(self, action:int):
        "Buy fuel, a supply or an overhaul; False without the credits or above the cap."
        supply = {BUY_KIT: 'kits', BUY_STABILIZER: 'stabilizers', BUY_DECOY: 'decoys'}.get(action)
        cost = F(PRICES[action])
        full = supply and getattr(self, supply) >= SUPPLY_CAP
        if not self.at_station or self.credits < cost or full: return False
        self.credits -= cost
        self.spent += cost
        if supply: setattr(self, supply, getattr(self, supply) + 1)
        elif action == OVERHAUL: self.hull, self.tool = F(HULL), F(TOOL)
        else: self.fuel = min(F(FUEL), self.fuel + F(FUEL_SOLD[action]))
        return True
    def _repr_png_(self)->None: ...
    def limit(self)->None: ...
    def pass_time(self, dt:int)->None: ...
    def before(self)->Before: ...
    @property
    def destroyed(self)->None: ...
    @property
    def stranded(self)->None: ...
    def step(self,
        action:int, # 0 ... 68; any other number holds, and is refused
    )->Outcome: ...
    def metrics(self)->np.ndarray: ...
    def observe(self)->np.ndarray: ...
def listen(self:Sector, d:Draws, n:int)->None:
    "Measure the threat of each edge of node n."
def measure(self:Sector, d:Draws, n:int, a:int, kind:Scan)->None:
    "Blend a measurement of asteroid a of node n into what is believed of it."
