"""Curves, actions and consoles of a run while it learns: of this notebook, or of another window by its log."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from gbxnb.lab.curve import Ticker
__all__ = ['FILM', 'MAX_FILM', 'Dashboard']
import html
import numpy as np
from fastcore.basics import patch
from ..envs.config import action_codec
from ..base.figures import png_bytes, unpack
from ..base.files import UserError, need, read_whole
from .curve import HIGH, MORE, WIDE, LiveCurve, frame, label, short
from .film import data_url
from .watch import Watch
from ..logs.file import log_path
from ..logs.plots import Run as Log
from ..training.rollout import Run
widgets:_Any
def names_of(
    facts:dict, # What the world says of itself
    actions:int, # How many there are
)->list[str]:
    "What the actions are called."
def last_steps(
    run:Run, # A run after an update
    envs:int=6, # Environments to show, from the first
    steps:int=24, # Steps, the newest
)->tuple[np.ndarray, dict]: # uint8[steps, envs, H, W]; action, reward, done and notes, each [step][env]
    "The end of the last rollout as pictures and facts."
COLUMNS = 64 # of the picture
def shares(
    rows:list[dict], # Of a log, from `gbxnb.logs.plots.Run`
    columns:int=COLUMNS, # At most
)->np.ndarray: # float64[actions, columns], each column sums to 1; empty if there are none
    "How often each action was taken, over the updates."
def shade(part:np.ndarray)->str: # The address of a PNG
    "A field for each share, the more opaque the larger it is."
def action_panel(
    log:Log, # Its records
    facts:dict, # What the world says of itself
    title:str='actions taken', # Shown above
)->str: # An SVG element; empty if the log has no actions
    "The share of each action, over the updates."
FILM, MAX_FILM = 'rollout.gif', 1 << 22 # of a run's folder; bytes
class Dashboard(LiveCurve):
    "Curves, actions and a window into the batch, as a callback of a run or from the logs of others."
    envs:int
    steps:int
    every:int
    watch:Watch|None
    newest:tuple[np.ndarray, dict]|None
    shot:dict
    facts:_Any
    films:_Any
    def __init__(self,
        metrics:dict|None=None, # Curves to draw: name in the record -> title
        envs:int=6, # Environments to watch
        steps:int=24, # Length of the film, in steps
        every:int=5, # Updates between two films
    )->None: ...
    def on_start(self, run)->None: ...
    def on_update(self, run)->None: ...
    def drawings(self)->list[str]: # SVG elements
        "The curves, and what else is in the log."
    def film_of(self, folder)->str: # HTML; empty if there is none
        "The film in a run's folder, read again when it is another one; one that is gone stays."
    def draw(self)->None:
        "Show what has come, if this is the thread that draws."
    def page(self)->str:
        "All parts as HTML that needs nothing else."
