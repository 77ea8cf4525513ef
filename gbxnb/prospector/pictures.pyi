"""Where the ship is, where it was, what it has and what it got for it: one picture, and a film."""
# Made by `make export` from the module beside it.
__all__ = []
import io
from functools import cached_property
from pathlib import Path
import numpy as np
from fastcore.basics import patch
from PIL import Image
from ..base.files import need, write_atomic
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
    rounds:int=200, # At most
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
    def xy(self): ...
    def __len__(self)->int: ...
    def __repr__(self)->str: ...
    def past(self, col:int, moment:int)->np.ndarray: # f32 [moments]
        "A column of the rows, up to a moment."
    def title(self, moment:int)->str:
        "When it is, and what the ship did."
    def png(self,
        moment:int=-1, # By default the last
    )->bytes: # A PNG file
        "The picture of a moment."
    def _repr_png_(self): ...
def record_episode(
    policy, # Maps an observation f32 [260] to an action
    seed:int=0, # Of the batch
    env:int=0, # Number of the ship in it
    episode:int=0, # The ship's episodes before this one
    **limits, # `time_max` and `max_steps`
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
def halo(hazard): ...
def bow(
    a:np.ndarray, # Float [2]
    b:np.ndarray, # Float [2]
    points:int=25, # Of the curve
)->np.ndarray: # Float [points, 2]
    "A curve from a to b, eleven pixels beside the straight line: there and back are two curves."

class Picture:
    "An episode's picture, at any of its moments."
    episode:Episode
    moving:list
    order:list
    bars:list
    readings:list
    prices:list
    amounts:list
    curves:list
    sales:list
    def __init__(self,
        episode:Episode,
        dpi:int=100, # Dots per inch; at 100 the picture is 920 pixels wide
        end:float=0, # The last tick of the curves of prices; 0: that of the episode, which is complete
    )->None:
        Figure, agg = need('matplotlib.figure', 'rl').Figure, need('matplotlib.backends.backend_agg', 'rl')
        self.episode, self.xy, self.moving = episode, episode.xy, []
        self.end = end or max(20., float(episode.rows[-1][Col.TICKS]))
        self.shares = SHARES if end else self.seen_shares()
        self.figure = Figure(figsize=(SIZE[0]/100, SIZE[1]/100), dpi=dpi, facecolor=NIGHT)
        self.canvas, self.still = agg.FigureCanvasAgg(self.figure), None
    def seen_shares(self)->tuple: ... # Lowest and highest price, in base prices
    def axes(self, x:int, y:int, width:int, height:int):
        "A part of the picture, in pixels from the lower left."
    def move(self, *artists):
        "Draw these anew for each moment."
    def draw_edges(self)->None:
        "The edges, with their ticks."
        LineCollection = need('matplotlib.collections', 'rl').LineCollection
        s, e = self.episode.sector, list_edges(self.episode.sector)
        self.map = self.axes(4, 98, *MAP)
        widths, colors = threat_looks(s.threat[e[:, 0], e[:, 1]])
        self.map.add_collection(LineCollection(self.xy[e[:, [0, 2]]], linewidths=widths, colors=colors, zorder=1))
        box = dict(boxstyle='round,pad=.15', facecolor=NIGHT, edgecolor='none')
        for u, k, v in e:
            at = (self.xy[u] + self.xy[v])/2
            self.map.text(*at, int(s.time[u, k]), color=TEXT, fontsize=8, ha='center', va='center', bbox=box)
    def draw_nodes(self)->None:
        "The nodes and their numbers, halos and asteroids."
        s, n = self.episode.sector, self.episode.sector.nodes
        self.halos = self.move(self.map.scatter(*self.xy.T, color=RED, alpha=.3, linewidths=0, zorder=3))
        u, a = self.where = np.nonzero(np.arange(ASTEROIDS) < s.asteroids[:n, None])
        angle = 2*np.pi*a/ASTEROIDS + np.pi/2
        ring = self.xy[u].T + 17*np.stack([np.cos(angle), np.sin(angle)])
        size = 2 + 7*s.richness[u, a]
        self.rocks = self.move(self.map.scatter(*ring, s=size, color=SKY, linewidths=.7, zorder=4))
        for kind, (marker, size, color) in NODE_LOOKS.items():
            here = self.xy[:n][s.kind[:n] == kind]
            look = dict(s=size, marker=marker, color=color, edgecolors=NIGHT, linewidths=1, zorder=5)
            self.move(self.map.scatter(*here.T, **look))
        self.move(self.map.add_collection(self.numbers(range(n))))
    def numbers(self, nodes:range):
        "The nodes' numbers as shapes: one thing to draw instead of thirty texts."
    def draw_ship(self)->None:
        "The ship, its way, and what it does."
        collections = need('matplotlib.collections', 'rl')
        self.way = self.move(collections.LineCollection([], colors=WAY, linewidths=2, zorder=2.5))
        self.heads = self.move(collections.PolyCollection([], facecolors=WAY, linewidths=0, zorder=2.6))
        for c in self.way, self.heads: self.map.add_collection(c, autolim=False)
        look = dict(color=WAY, fontsize=9, ha='center', va='center', weight='bold', zorder=8, visible=False)
        self.order = [self.move(self.map.text(0, 0, '', **look)) for _ in range(12)]
        look = dict(s=230, marker=(3, 0, 0), color=WAY, edgecolors=NIGHT, linewidths=1.2, zorder=9)
        self.ship = self.move(self.map.scatter([0], [0], **look))
        self.title = self.move(self.map.text(6, MAP[1] - 8, '', color=TEXT, fontsize=12, va='top', zorder=9))
    def legs(self,
        moment:int, # The last one
    )->list[tuple[int, int]]: # From node to node
        "Where the ship flew."
    def show_way(self,
        moment:int,
        part:float=1., # Of the last leg
    )->None:
        "The way so far; of many legs, the last twelve that differ are drawn."
    def draw_gauges(self)->None:
        "Six bars."
    def show_gauges(self, row:np.ndarray)->None:
        "The gauges of a ship's row."
    def draw_market(self)->None:
        "A row for each commodity, and the ticks under them."
        ax, look = self.axes(584, 20, 322, 424), dict(fontsize=10, va='center')
        self.credits = self.move(ax.text(0, 416, '', color=TEXT, fontsize=13, va='center'))
        self.prices, self.amounts, self.curves, self.sales = [], [], [], []
        base = LINE*(1 - self.shares[0])/(self.shares[1] - self.shares[0])
        for k, (name, color) in enumerate(zip(COMMODITIES, GOODS_COLORS)):
            y = 336 - 62*k
            ax.plot([0, CURVE], [y + base]*2, color=FAINT, lw=.6, alpha=.7)
            ax.text(0, y + 40, name.replace('_', ' '), color=color, **look)
            self.amounts.append(ax.text(CURVE, y + 40, '', color=FAINT, ha='right', **look))
            self.prices.append(ax.text(318, y + 14, '', color=TEXT, ha='right', **look))
            self.curves += ax.plot([], [], color=color, lw=1.4)
            self.sales += ax.plot([], [], 'v', color=TEXT, ms=7, mec=NIGHT, mew=.8)
            self.move(self.amounts[-1], self.prices[-1], self.curves[-1], self.sales[-1])
        step = next(s*10**p for p in range(1, 6) for s in (1, 2, 5) if self.end <= 6*s*10**p)
        for t in np.arange(0, self.end + 1, step):
            ax.plot([CURVE*t/self.end]*2, [16, 20], color=FAINT, lw=.8)
            ax.text(CURVE*t/self.end, 13, f'{t:.0f}', color=FAINT, fontsize=9, ha='center', va='top')
        ax.text(318, 13, 'ticks', color=FAINT, fontsize=9, ha='right', va='top')
    def show_market(self, moment:int)->None:
        "Prices and sales so far."
    def draw_legend(self)->None:
        "What everything means."
    def draw(self)->None:
        "Everything once, and the pixels of what never moves."
        for part in self.draw_edges, self.draw_nodes, self.draw_ship, self.draw_gauges, self.draw_market: part()
        self.draw_legend()
        for artist in self.moving: artist.set_animated(True)
        self.canvas.draw()
        self.still = self.canvas.copy_from_bbox(self.figure.bbox)
    def show(self,
        moment:int=-1, # Of the episode
        part:float=1., # Of a leg that ends in this moment
    )->np.ndarray: # uint8 [H, W, 3]
        "Draw a moment."
def png_bytes(
    rgb:np.ndarray, # uint8 [H, W, 3]
)->bytes: # A PNG file of at most 64 colours
    "A picture as a file."
def _repr_png_(self:Ship): ...
def film_frames(
    episode:Episode,
    most:int=60, # Moments besides flights and sales
)->list[tuple[int, float]]: # Moment, and the part of the leg that leads there
    "What a film shows."
def film_palette()->list[int]: # Red, green and blue of 31 colours
    "What a film is painted with."
def film_bytes(
    episode:Episode,
    fps:float=8., # Frames a second; the last one stays for three seconds
    most:int=60, # Moments besides flights and sales
    dpi:int=75, # At 100 a frame is 920 pixels wide
)->bytes: # A GIF file
    "An endless film of an episode."
def save_film(
    episode:Episode,
    path:str|Path, # Of the GIF file; one of that name is replaced
    **how, # See `film_bytes`
)->Path: # Of the file
    "Write a film, whole or not at all."
def rgb(self:Prospector)->np.ndarray: # uint8 [N, 620, 920, 3]
    "A picture of each ship."
def _show(self:Prospector, i:int, key:int, row:np.ndarray, place:np.ndarray, action:int):
    "One of them; its picture is made again where an episode begins, or outgrows the ticks of its curves."
def _repr_png_(self:Prospector): ...
