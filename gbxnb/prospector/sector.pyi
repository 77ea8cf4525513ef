"""Nodes on a tree with shortcuts, asteroids that are not what they seem, and a market in mid-swing."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = []
import numpy as np
from fastcore.basics import patch
from .maths import (COUNT_SLOT, Draws, EDGE_SLOT, GOODS_SLOT, NODE_SLOT, ROCK_COMP,
                                           ROCK_GUESS, ROCK_NOISE, ROCK_RICHNESS, ROCK_SLOT, ROCK_STABILITY)
from .maths import F
from .rules import (AMPLITUDE, ASTEROIDS, CLUSTER, EDGE_FUEL, EDGE_NOISE, EDGE_TIME,
    FEWEST_ASTEROIDS, FEWEST_NODES, FIRST_CONF, FIRST_GUESS, GOODS, HAZARD, HAZARD_MORE, HAZARD_SHARE,
    INSTRUMENT, NEIGHBORS, NODES, NODE_HAZARD, NODE_PIRATE, PERIOD, PIRATE_MORE, PRICE_BASE, PRICE_MAX,
    PRICE_MIN, RICHNESS, RICHNESS_RANGE, SMALLEST, STATION, STOCK)
def clamp(x, low, high)->np.float32: ...
def total(
    x, # float32 [K]
)->np.float32:
    "The sum from left to right: float32 can tell it from others."
def shares(
    x, # float32 [K]
)->np.ndarray: # float32 [K]
    "Amounts as shares of a whole, none of which is 0."
class Sector:
    "What a ship flies through: facts that never change, dangers that do, and what the ship believes."
    nodes:int
    kind:np.ndarray
    neighbor:np.ndarray
    time:np.ndarray
    asteroids:np.ndarray # how many
    comp:_Any
    conf:_Any
    depletion:_Any
    fuel:_Any
    guess:_Any
    hazard:_Any
    hops:_Any
    noise:_Any
    pirates:_Any
    richness:_Any
    stability:_Any
    stability_guess:_Any
    threat:_Any
    threat_guess:_Any
    def __init__(self,
        draws:Draws|None=None, # At moment 0; None leaves the sector empty
    )->None: ...
def draw_nodes(self:Sector, d:Draws)->None:
    "How many nodes, and what each is like."
def draw_edges(self:Sector, d:Draws)->None:
    "A tree, then random pairs."
def add_edge(self:Sector, d:Draws, at:int, u:int, v:int)->None:
    "Join two nodes, unless they are joined or one of them has no free place."
def hops_to_station(self:Sector)->np.ndarray: # int [NODES]
    "Edges from each node to the station; 31 where there is no way."
def draw_asteroids(self:Sector, d:Draws)->None:
    "How many there are at each node, and what each is like: facts first, then the first guess."
def draw_market(self:Sector, d:Draws)->None:
    "Stock, wave and first price of each commodity."
