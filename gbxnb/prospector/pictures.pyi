"""Where the ship is, where it was, what it has and what it got for it: one picture."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = []
from functools import cached_property
from typing import Any
import numpy as np
from fastcore.basics import patch
from ..base.figures import png_bytes
from ..base.files import need
from .maths import Draws, ship_key
from .rows import Col, Place, row_of
from .rules import (ACTIONS, ALERT, ASTEROIDS, CARGO, CLUSTER, COMMODITIES, FUEL,
                                           GOODS, HAZARD, HEAT, HULL, NODES, PRICE_BASE, STATION, TOOL,
                                           action_names)
from .sector import Sector
from .tick import Ship
from .world import Prospector
def list_edges(
    sector:Sector,
)->np.ndarray: # int [E, 3]: a node, the place of the edge there, and the node at its end
    "Every edge once, from the node with the smaller number."
def hop_distances(
    sector:Sector,
)->np.ndarray: # float [n, n]; a node that is cut off is one hop further than all others
    "Hops between all nodes."
def lower_stress(
    d:np.ndarray, # Wanted distances, float [n, n]
    x:np.ndarray, # Positions to begin with, float [n, 2]
    rounds:int=60, # Of majorisation
)->np.ndarray: # Positions, float [n, 2]
    "Move points until their distances are about as wanted."
def count_crossings(
    x:np.ndarray, # Positions, float [n, 2]
    edges:np.ndarray, # From `list_edges`
)->int:
    "Pairs of edges that cross."
def fit(
    x:np.ndarray, # Positions, float [n, 2]
    size:tuple, # Width and height
)->np.ndarray: # float [n, 2]
    "Turn the longest way of a layout across the page, the station to the left, and fill the page."
APART, CLEAR = 62., 28. # Pixels between two nodes; between a node and an edge that is not its own
EDGE_OF_MAP = 40, 42 # Pixels left free around the nodes
def from_edges(x:np.ndarray, edges:np.ndarray)->np.ndarray: # float [E, n, 2]; far away for the two ends
    "The way from each edge to each node."
def push_apart(
    x:np.ndarray, # Positions, float [n, 2]
    edges:np.ndarray, # From `list_edges`
    size:tuple, # Width and height
)->np.ndarray: # float [n, 2], within `size`
    "Make room around every node."
def layout(
    sector:Sector,
    size:tuple=(484, 412), # Width and height
)->np.ndarray: # float [n, 2]
    "Where the nodes of a sector stand on a map."
class Episode:
    "Moments of one episode of one ship."
    key:int
    sector:Sector
    rows:list
    hazard:list
    used:list
    actions:list
    def __init__(self,
        key:int, # Of the episode's draws, see `ship_key`
    )->None: ...
    def add(self,
        row:np.ndarray, # f32 [83]
        place:np.ndarray, # f32 [5248]
        action:int|None=None, # That led to this moment
    )->None:
        "Keep a moment."
    @cached_property
    def xy(self)->np.ndarray: ...
    def __len__(self)->int: ...
    def __repr__(self)->str: ...
    def past(self, col:int, moment:int)->np.ndarray: # f32 [moments]
        "A column of the rows, up to a moment."
    def title(self, moment:int)->str:
        "When it is, and what the ship did."
    def _repr_png_(self): ...
def record_episode(
    policy, # Maps an observation f32 [260] to an action
    seed:int=0, # Of the batch, whose first ship plays its first episode
)->Episode:
    "Let a policy play an episode, and keep every moment of it."
NIGHT, TRACK, FAINT, TEXT, WAY = '#0e1628', '#22304e', '#93a1bd', '#e8edf7', '#f0e442'
SKY, GREEN, ORANGE, RED = '#56b4e9', '#009e73', '#e69f00', '#d55e00'
GOODS_COLORS = '#b8c0cc', ORANGE, SKY, GREEN, '#cc79a7', RED
NODE_LOOKS = {STATION: ('s', 300, TEXT), CLUSTER: ('o', 210, SKY), HAZARD: ('D', 165, ORANGE)} # marker, area
GAUGES = (('fuel', Col.FUEL, FUEL, GREEN), ('hull', Col.HULL, HULL, GREEN), ('tool', Col.TOOL, TOOL, GREEN),
          ('heat', Col.HEAT, HEAT, RED), ('alert', Col.ALERT, ALERT, RED), ('cargo', Col.CARGO, CARGO, None))
SIZE, MAP = (920, 620), (564, 516) # pixels
CURVE, LINE = 268, 28 # Width and height of a price's curve
SHARES = .4, 1.6 # Its range, in base prices, while an episode goes on
def threat_looks(
    threat, # 0 ... 1, one or float [E]
)->tuple: # Widths and colours
    "Wide and red is dangerous."
def halo(hazard)->np.ndarray: ...
def bow(
    a:np.ndarray, # Float [2]
    b:np.ndarray, # Float [2]
    points:int=25, # Of the curve
)->np.ndarray: # Float [points, 2]
    "A curve from a to b, eleven pixels beside the straight line: there and back are two curves."
class Picture:
    "An episode's picture, at any of its moments."
    episode:Episode
    xy:np.ndarray
    moving:list
    map:Any
    halos:Any
    rocks:Any
    way:Any
    heads:Any
    order:list
    ship:Any
    title:Any
    bars:list
    readings:list
    credits:Any
    prices:list
    amounts:list
    curves:list
    sales:list
    canvas:_Any
    end:_Any
    figure:_Any
    shares:_Any
    still:_Any
    where:_Any
    def __init__(self,
        episode:Episode,
        end:float=0, # The last tick of the curves of prices; 0: that of the episode, which is complete
    )->None: ...
    def seen_shares(self)->tuple: ... # Lowest and highest price, in base prices
    def axes(self, x:int, y:int, width:int, height:int)->Any:
        "A part of the picture, in pixels from the lower left."
    def move(self, *artists)->Any:
        "Draw these anew for each moment."
    def draw_edges(self)->None:
        "The edges, with their ticks."
    def draw_nodes(self)->None:
        "The nodes and their numbers, halos and asteroids."
    def numbers(self, nodes:range)->Any:
        "The nodes' numbers as shapes: one thing to draw instead of thirty texts."
    def draw_ship(self)->None:
        "The ship, its way, and what it does."
    def legs(self,
        moment:int, # The last one
    )->list[tuple[int, int]]: # From node to node
        "Where the ship flew."
    def show_way(self,
        moment:int,
    )->None:
        "The way so far; of many legs, the last twelve that differ are drawn."
    def draw_gauges(self)->None:
        "Six bars."
    def show_gauges(self, row:np.ndarray)->None:
        "The gauges of a ship's row."
    def draw_market(self)->None:
        "A row for each commodity, and the ticks under them."
    def show_market(self, moment:int)->None:
        "Prices and sales so far."
    def draw_legend(self)->None:
        "What everything means."
    def draw(self)->None:
        "Everything once, and the pixels of what never moves."
    def show(self,
        moment:int=-1, # Of the episode
    )->np.ndarray: # uint8 [H, W, 3]
        "Draw a moment."
