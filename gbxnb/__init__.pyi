"""`import gbxnb` offers five names and loads nothing until one of them is used."""
# Made by `make export` from the module beside it.
__all__ = []
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.util import find_spec
__version__ = "0.0.1"
from importlib import import_module
from gbxnb.emulator.emulator import Emulator as Emulator
from gbxnb.emulator.machine import Button as Button
from gbxnb.runs.policy import make as make
from gbxnb.runs.train import train as train
from gbxnb.runs.policy import load_policy as load_policy
