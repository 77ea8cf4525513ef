"""`import gbxnb` offers five names and loads nothing until one of them is used."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = []
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.util import find_spec
_IDS:dict
def _register_ids()->None:
    "Make the ids known to Gymnasium, which must be loaded. A second time is no mistake."

class _Afterwards(Loader):
    "Loads Gymnasium as its own loader does, and then registers the ids."
    loader:_Any
    def __init__(self, loader)->None: ...
    def create_module(self, spec): ...
    def exec_module(self, module)->None: ...

class _WaitForGymnasium(MetaPathFinder):
    "Finds Gymnasium, once."
    def find_spec(self, name, path=None, target=None): ...
def _announce()->None:
    "Register the ids now, or when Gymnasium is imported."
__version__ = "0.0.1"
from importlib import import_module
_NAMES:dict
from gbxnb.emulator.emulator import Emulator as Emulator
from gbxnb.emulator.machine import Button as Button
from gbxnb.runs.policy import make as make
from gbxnb.runs.train import train as train
from gbxnb.runs.policy import load_policy as load_policy
