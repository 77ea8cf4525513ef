"""What a run is doing, drawn while it does it: from the training loop, or from the log of a run in another window."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from typing_extensions import Self as _Self
__all__ = ['LiveCurve']
import asyncio, html, math, statistics, threading, time
from collections import deque
from pathlib import Path
import msgspec
from fastcore.basics import patch
from ..base.files import UserError, need
from .canvas import LiveWidget
from .film import static, widget_or_page
from ..logs.file import MAX_LINE, log_path, read_lines
from ..logs.plots import Run, curve as points, is_count, numbers, smooth
from ..training.loop import Callback
widgets:_Any
def short(
    x:float, # A number
)->str: # About three figures
    "A number as one would write it at an axis: 0.25, 1.2k, 3.4M."
def ticks(
    lo:float, # Smallest value
    hi:float, # Largest one
    most:int=4, # At most so many
)->list[float]: # Multiples of 1, 2 or 5 times a power of ten
    "Round numbers between two values."
def thin(
    pairs:list, # Points
    most:int=240, # At most so many are kept
)->list:
    "Every so many points, with the last one always among them."
LOOKS = ( # Colour and dashes of each run
    ('#0c7bb8', ''), ('#d55e00', '7 3'), ('#009e73', '2 2.5'), ('#cc6fa0', '10 3 2 3'),
    ('#e69f00', '14 4'), ('#56a0d8', '5 2 1.5 2 1.5 2'), ('#8a8a8a', '1 3'), ('#a0703c', '4 4'))
def look_of(number:int)->tuple[str, str]: ...
def dash(
    number:int, # Of the run, from 0
    width:float=1.8, # Pixels
)->str: # Attributes of an SVG line
    "How the line of a run is drawn."
class Line(msgspec.Struct):
    "One run's values in a panel."
    xs: list # Where, ascending
    ys: list # What, finite
    dots: tuple = ((), ()) # Places and values to be marked by circles
    band: tuple = ((), (), ()) # Places, lower and upper values of a band
    marks: tuple = () # Places to put a vertical line
WIDE, HIGH = 300, 165 # pixels of a panel
FONT = 'font:13px var(--jp-ui-font-family,sans-serif);line-height:1.6'
def label(
    x:float, y:float, # Where, pixels
    text:str, # SVG
    more:str='', # Further attributes
)->str: # An SVG element
    "Words in the colour of the page around."
def frame(
    said:str, # What the picture shows, for people who do not see it
    inside:str, # SVG elements
    high:int=HIGH, # Pixels
)->str: # An SVG element
    "A picture as wide as the others, in the colours of the page around it."
def panel(
    title:str, # Shown above
    lines:list[Line], # One for each run
    weight:float=.6, # Smoothing, see `smooth`
    limits:tuple=(), # Values that the axis must hold
)->str: # An SVG element; empty if there is no value
    "One metric as a small picture."
class Tail:
    "A log that is read as it grows."
    path:Path
    run:Run
    trouble:str
    ended:str
    facts:dict # What the world says of itself
    at:_Any
    changed:_Any
    planned:_Any
    def __init__(self,
        path:str|Path, # A `train_log.jsonl`, or the folder of a run; it may appear later
    )->None: ...
    def forget(self)->None:
        "Begin at the first line."
    def note(self,
        line:bytes, # Of the log
    )->None:
        "Take in a line."
    def read(self)->int: # New lines
        "Take in what the log gained."
    def pace(self)->float: # Seconds
        "The usual time between two of the latest records."
    def state(self,
        now:float|None=None, # Seconds since 1970; by default the time
    )->str: # In a word, or with the time
        "How the run is doing, as far as its log says."
def duration(seconds:float)->str:
    "A time as one would say it."
class Ticker:
    "Calls a function in the event loop of the thread that made it, from then on every few moments."
    every:float
    home:_Any
    look:_Any
    loop:_Any
    task:_Any
    def __init__(self,
        look, # Without arguments
        every:float, # Seconds between two calls
    )->None: ...
    def start(self)->None:
        "Call it now, and from now on; any thread may ask for it."
    def _begin(self)->None: ...
    async def _go(self):
        while True:
            self.look()
            await asyncio.sleep(self.every)
    def stop(self)->None:
        "Call it no more."
class Pulse(LiveWidget):
    "A line that is there only while the kernel does not answer."
    _esm, _css = static('life.js', 'pulse.js'), static('pulse.css')
METRICS:dict
OFTEN = 'success_rate', 'dist_p50' # In every record if there is a goal, else in none
MORE = {'extras.divergence': 'divergence of consoles', 'eval_greedy_success_rate': 'success, greedy',
        'eval_greedy_mean_return': 'return, greedy'} # Shown where it is logged
DOTS:dict
BANDS:dict
def line_of(
    run:Run, # Its records
    name:str, # Of the metric
)->Line:
    "One run's values of one metric."
class LiveCurve(Callback):
    "Small pictures of metrics that grow while a run trains, or while the logs of runs grow."
    weight:float
    told:Run
    tails:list
    trouble:str
    titled:bool
    ticker:Ticker
    goal_updates:_Any
    head:_Any
    home:_Any
    html:_Any
    metrics:_Any
    queue:_Any
    widget:_Any
    def __init__(self,
        metrics:dict|None=None, # Name in the record -> title; by default `METRICS`
        weight:float=.6, # Smoothing, see `smooth`
        goal_updates:int|None=None, # Updates the run will make, for the progress line
    )->None: ...
    @property
    def draws(self)->bool: ...
    @property
    def runs(self)->list[Run]: ...
    @property
    def run(self)->Run: ...
    def __call__(self,
        record:dict, # What the loop measured in one update
    )->None:
        "Add a record and draw."
    def on_start(self, run)->None: ...
    def on_update(self, run)->None: ...
    def on_error(self, run, error)->None:
        "Say how it ended."
    def draw(self)->None:
        "Show what has come, if this is the thread that draws."
    def poll(self)->int: # New lines
        "Read what the followed logs gained, and draw."
    def heading(self)->str:
        "Where the runs stand, as HTML; of several it is the legend."
    def drawing(self,
        name:str, # Of a metric
    )->str: # An SVG element
        "The panel of a metric."
    def drawings(self)->list[str]: # SVG elements
        "A panel for each metric."
    def panels(self)->str:
        "All pictures beside each other, and the metrics that have no value yet."
    def page(self)->str:
        "Everything as HTML that needs nothing else."
    def _repr_mimebundle_(self, include=None, exclude=None): ...
    def __repr__(self)->str: ...
    def follow(self,
        *paths:str|Path, # Of each run its `train_log.jsonl` or its folder; they may appear later
        every:float=1.0, # Seconds between two looks
    )->_Self:
        "Draw the logs at `paths`, now and as they grow."
    def stop(self)->None:
        "Follow no longer."
def where(
    run:Run, # Its records
    planned:int|None=None, # Updates it will make
)->str:
    "How far a run is."
