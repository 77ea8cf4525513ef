"""A policy trains in a thread, with controls, while the notebook still answers."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from typing_extensions import Self as _Self
from gbxnb.runs.evaluate import Evaluation
from gbxnb.training.config import TrainConfig
__all__ = ['Stopped', 'Gate', 'Trainer']
import atexit, html, threading, time, weakref
import torch
from fastcore.basics import patch
from ..base.files import UserError, need
from .curve import FONT, Pulse, Ticker, duration, short
from .film import widget_or_page
from ..runs.checkpoint import Save
from ..runs.evaluate import Evaluate, evaluate
from ..training.callbacks import due
from ..training.loop import Callback, train
from ..training.rollout import Run
widgets:_Any
class Stopped(KeyboardInterrupt):
    "A person ended the run between two updates."
class Gate(Callback):
    "Where a run is held, judged or ended when that is asked for."
    judge:Evaluate|None
    save:Save|None
    judged:list
    trouble:str
    changed:_Any
    doing:_Any
    request:_Any
    wanted:_Any
    def __init__(self,
        judge:Evaluate|None=None, # Evaluates, with environments of its own
        save:Save|None=None, # Writes the checkpoints
    )->None: ...
    def ask(self,
        request:str='', # go, pause or stop; what was asked for before stands if it is empty
        wanted:bool=False, # Judge the policy
    )->None:
        "Ask for something, from any thread."
    def hold(self)->bool: # Whether the policy is to be judged
        "Wait as long as a pause is asked for and nothing else."
    def evaluate(self, run:Run)->None:
        "Judge the policy; a world that cannot be played ends no run."
    def on_update(self, run:Run)->None: ...
def one_line(error:BaseException)->str:
    "What went wrong."
PATIENCE = 4. # seconds that a kernel which ends waits for the update in hand
class Trainer:
    "A training run in a thread of its own, and the knobs for it."
    run:Run
    callbacks:list
    every:float
    gate:Gate
    shown:list
    thread:threading.Thread|None
    outcome:str
    said:str
    ticker:Ticker
    seen:int
    knobs:dict
    failure:_Any
    line:_Any
    widget:_Any
    def __init__(self,
        run:Run, # A fresh or a resumed run; changed in place
        callbacks=(), # As for `train`; one that has a `widget`, such as a `Dashboard`, is shown below
        every:float=.25, # Seconds between two looks at the run, to draw how it gets on
    )->None: ...
    @property
    def alive(self)->bool: ...
    @property
    def held(self)->bool: ...
    @property
    def state(self)->str:
        "In a word."
    def __repr__(self)->str: ...
    def _train(self)->None:
        "What the thread does."
    def _begin(self, work)->None:
        "Let a thread do something for the run."
    def start(self)->_Self:
        "Let the run go on in a thread; a stopped one is taken up again."
    def pause(self)->_Self:
        "Hold the run at the end of this update."
    def resume(self)->_Self:
        "Let a held run go on."
    def stop(self)->_Self:
        "End the run after this update; a checkpoint is written if it keeps any, and `start` takes it up again."
    def evaluate(self)->_Self:
        "Judge the policy at the end of this update, or now if nothing trains."
    def join(self)->_Self:
        "Wait for the end of the run."
    def progress(self)->str:
        "How far the run is, and how long the rest will take."
    def status(self)->str: # HTML
        "State, progress, evaluations and troubles."
    def press(self,
        name:str, # Of a knob
    )->None:
        "Do what a knob does; what is refused is said in a line."
    def _build(self)->None:
        "Make the widgets and connect them."
    def poll(self)->None:
        "Draw how the run gets on."
    def page(self)->str:
        "All of it as HTML that needs nothing else."
    def _repr_mimebundle_(self, include=None, exclude=None): ...
COLORS:dict
KNOBS:dict
