"Prospector by two players: the kernels and the reference play the same ships."
import numpy as np
import torch
import warp as wp
from fastcore.basics import patch
from gbxnb.prospector.rules import STEP_SLOTS, WORLD_SLOTS, Draws, ship_key
from gbxnb.prospector.rows import Col, row_of
from gbxnb.prospector.rules import (ACTIONS, ASTEROIDS, BUY_FUEL, COOL, CREDITS_CAP, END, FIX_TOOL, GOODS, MINE, NEIGHBORS, OVERHAUL,
                                    SELECT, SELL)
from gbxnb.prospector.ship import EDGE_SIZE, ROCK_SIZE, SEEN_EDGES, SEEN_MARKET, SEEN_ROCKS, Ship, total
from gbxnb.prospector.world import Fleet, KernelPlayer, ProspectorConfig

class Pcg32(Draws):
    "The original draws in sequence, whatever the slot, by PCG32 (O'Neill 2014); `table` notes the last moment's."
    def __init__(self, seed, stream=54): # 64 bits; the original's stream
        super().__init__()
        self.increment, self.state, self.table = stream << 1 | 1, 0, {}
        self.next()
        self.state = self.state + seed & (2**64 - 1)
        self.next()

    def next(self):
        old = self.state
        self.state = old*6364136223846793005 + self.increment & (2**64 - 1)
        x, turn = (old >> 18 ^ old) >> 27 & 0xFFFFFFFF, old >> 59
        return (x >> turn | x << (-turn & 31)) & 0xFFFFFFFF

    def bits(self, slot):
        if np.ndim(slot): return np.array([self.bits(int(s)) for s in slot])
        self.table[slot] = self.next()
        return self.table[slot]

def miner_action(
    obs:np.ndarray, # float32 [260], of one ship
    rng:np.random.Generator, # Of this ship
)->int: # 0 ... 67
    "What a careful miner does; one action in ten is random."
    if rng.random() < .1: return int(rng.integers(END))
    fuel, hull, heat, tool, load = obs[:5]
    edges = obs[SEEN_EDGES:66].reshape(NEIGHBORS, EDGE_SIZE)
    rocks = obs[SEEN_ROCKS:SEEN_MARKET].reshape(ASTEROIDS, ROCK_SIZE)
    ways, home = np.flatnonzero(edges[:, 0]), np.flatnonzero(edges[:, 1])
    left = np.flatnonzero((rocks[:, 0] > 0) & (rocks[:, 8] < 1))
    money = np.expm1(obs[7]*np.log1p(CREDITS_CAP))
    if obs[17]:
        if load > 0: return SELL + 3*int(np.argmax(obs[8:14])) + 2
        if hull < .7 and money > 300: return OVERHAUL
        if fuel < .7 and money > 215: return BUY_FUEL + 2
        return int(ways[np.argmin(edges[ways, 5])])
    if load > .5 or fuel < .4 or hull < .5 or not len(left):
        return int(rng.choice(home if len(home) else ways))
    if heat > .5: return COOL
    if tool < .5 and obs[14] > 0: return FIX_TOOL
    return MINE + int(rng.integers(2)) if obs[18] else SELECT + int(rng.choice(left))

SUITES = {'random': lambda obs, rng: int(rng.integers(ACTIONS)),
          'no cash-out': lambda obs, rng: int(rng.integers(END)), 'miner': miner_action}

def lasting(
    rows:np.ndarray, # float32 [N, 83]
)->np.ndarray: # float32 [N, 83]
    "Rows with the ticks that are left of an effect in the place of the tick at which it ends, or ended."
    rows = rows.copy()
    for cols in [Col.ESCAPE_END], range(Col.HELD_END, Col.END):
        rows[:, cols] = np.maximum(0, rows[:, cols] - rows[:, [Col.TICKS]])
    return rows

def compare_players(
    seed:int, # Of the batch, and of the actions
    steps:int, # Of each ship
    reward:str='native', # What is paid
    max_steps:int=20_000, # Of an episode
)->dict: # What was counted, by suite, and `different`: the steps at which something was not equal
    "The kernels play the ships of the reference, one for each suite."
    fleet = Fleet(len(SUITES), ProspectorConfig(reward=reward, max_steps=max_steps), terms=True, device='cpu')
    player, t, different = KernelPlayer(fleet, masks=True, threads=1), fleet.tensors, []
    ships = [Ship(Draws(ship_key(seed, i, 0)), **fleet.limits) for i in range(len(SUITES))]
    rngs = [np.random.default_rng((seed, i)) for i in range(len(SUITES))]
    counts = {k: dict.fromkeys(('steps', 'ticks', 'episodes', 'refused', 'most_credits'), 0) for k in SUITES}
    fleet.seed.fill_(seed)
    fleet.mask.fill_(True)
    player.begin()
    for step in range(steps):
        actions = [act(ship.observe(), rng) for act, ship, rng in zip(SUITES.values(), ships, rngs)]
        allowed = t['valid'][torch.arange(len(ships)), torch.tensor(actions)].tolist()
        t['actions'].copy_(torch.tensor(actions))
        player.step()
        outs = [ship.step(a) for ship, a in zip(ships, actions)]
        same = allowed == [o.valid for o in outs] and t['ended'].tolist() == [ship.ended for ship in ships]
        for name, wanted in dict(done='terminated', trunc='truncated', ticks='dt').items():
            same &= t[name].tolist() == [getattr(o, wanted) for o in outs]
        same &= np.array_equal(t['terms'], [[*o.terms, *o.profit] for o in outs])
        for i, (ship, out, c) in enumerate(zip(ships, outs, counts.values())):
            paid = dict(native=total(out.terms), profit=total(out.profit), credits=ship.credits*(ship.ended and ship.metrics()[3] > 0))
            same &= bool(t['reward'][i] == paid[reward])
            for k, n in zip(('steps', 'ticks', 'episodes', 'refused'), (1, out.dt, int(ship.ended), int(not out.valid))): c[k] += n
            c['most_credits'] = max(c['most_credits'], round(float(ship.credits)))
            if not ship.ended: continue
            same &= np.array_equal(t['final_obs'][i], ship.observe()) and np.array_equal(t['metrics'][i], ship.metrics())
            ships[i] = Ship(Draws(ship_key(seed, i, int(t['episodes'][i]) - 1)), **fleet.limits)
        same &= np.array_equal(t['obs'], [ship.observe() for ship in ships])
        same &= np.array_equal(lasting(fleet.ships.numpy()), lasting(np.stack([row_of(ship)[0] for ship in ships])))
        if not same: different.append(step)
    return counts | dict(different=different)

class Injected:
    "N ships of the reference that draw as the original does, and kernels that play the same episodes."
    def __init__(self,
        num_envs:int, # N
    ):
        self.draws = wp.zeros((num_envs, WORLD_SLOTS + STEP_SLOTS), dtype=wp.uint32, device='cpu')
        self.fleet = Fleet(num_envs, draws=self.draws, device='cpu')
        self.player, self.ships = KernelPlayer(self.fleet, threads=1), [None]*num_envs

    def note(self, i:int, first:int):
        "Write the draws that ship i has just taken."
        row, taken = self.draws.numpy()[i, first:], self.ships[i].draws.table
        row[list(taken)] = list(taken.values())
        taken.clear()

@patch
def begin(self:Injected,
    seeds:dict, # Ship -> the original's seed of its next episode
):
    "Begin episodes."
    self.fleet.mask.fill_(False)
    for i, seed in seeds.items():
        self.ships[i], self.fleet.mask.numpy()[i] = Ship(Pcg32(seed)), True
        self.note(i, 0)
    self.player.begin()

@patch
def step(self:Injected,
    actions:list, # An action for each ship
)->list: # Outcomes of the reference
    "One action of every ship. The kernels begin ended episodes again in the same sector, until `begin`."
    outcomes = [ship.step(a) for ship, a in zip(self.ships, actions)]
    for i in range(len(self.ships)): self.note(i, WORLD_SLOTS)
    self.fleet.tensors['actions'].copy_(torch.tensor(actions))
    self.player.step()
    return outcomes

@patch
def seen(self:Injected)->np.ndarray: # float32 [N, 260]
    "The kernels' observations after the step, before an episode begins again."
    f = self.fleet
    return np.where(f.ended.numpy()[:, None], f.final_obs.numpy(), f.obs.numpy())

GAUGES = 'credits', 'fuel', 'hull', 'heat', 'tool', 'alert'
SUPPLIES = 'kits', 'stabilizers', 'decoys'
COLUMNS = [*(Col[k.upper()] for k in GAUGES), *range(Col.CARGO, Col.PRICE), *(Col[k.upper()] for k in SUPPLIES)] # of the kernels' rows

def fuzz(rng):
    "Gauges and cargo as an episode might have them, often at their ends, and supplies."
    gauges = rng.random(6)*[3000, 1000, 100, 100, 100, 100]
    ends = rng.random(6) < .15
    gauges[ends] = np.array([0, 30, 5, 100, 0, 100])[ends]
    cargo = rng.random(GOODS)*(rng.random(GOODS) < .7)
    return gauges.astype(np.float32), (cargo*rng.choice([0, 5, 60, 200])/max(1, cargo.sum())).astype(np.float32), rng.integers(0, 13, 3)

def change(ship, gauges, cargo, supplies):
    "Give a ship of the reference what `fuzz` found."
    for k, v in zip(GAUGES, gauges): setattr(ship, k, v)
    for k, v in zip(SUPPLIES, supplies): setattr(ship, k, int(v))
    ship.cargo = cargo.copy()
