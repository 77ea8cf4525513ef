"""Whole lines are appended, and whole lines are read."""
# Made by `make export` from the module beside it.
from typing_extensions import Self as _Self
from typing import Any
__all__ = ['MAX_LINE', 'MAX_LOG', 'cut_rest', 'LogWriter', 'log_path', 'read_lines', 'read_log']
import io, os, stat
from pathlib import Path
import msgspec
from collections.abc import Iterator
from fastcore.basics import patch
from msgspec import Struct
from ..base.files import UserError, append_whole, need, open_in_place, open_regular, unshare
from .schema import (Alarm, Error, Line, Meta, NotFinite, Record, Resume, TYPES, from_line,
                               kind_of, not_finite, plain, record_from, to_line, types_of)
MAX_LINE = 64*1024  # bytes; a record has less than 1,000. Longer: it holds a vector of environments
def cut_rest(
    f:io.FileIO, # A log, open for reading and writing, without a buffer
)->int: # Bytes cut off
    "Cut a last line that has no newline, and with it what a crash left half written."
class LogWriter:
    "Append whole, checked lines to a training log. The lock of the run's folder keeps other processes away."
    path:Path
    meta:Meta
    record:type[Record]
    file:io.FileIO
    def __init__(self,
        path:str|Path, # The log; it must not exist yet, or be empty, unless the run is resumed
        meta:Meta, # What runs
        resume:Resume|None=None, # Where the run is taken up, if it is
    )->None: ...
    def _begin(self, resume)->None: ...
    def close(self)->None:
        "Close the file; may be called again."
    def __enter__(self)->_Self: ...
    def __exit__(self, *exc)->None: ...
    def write(self,
        item:Line|dict, # A line; a dict is taken as a record
    )->None:
        "Check `item` and append it as one whole line."
MAX_LOG = 4 << 30 # bytes: four million updates
def log_path(
    path:str|Path, # A `train_log.jsonl`, or the folder of a run
)->Path: # The log
    "A folder stands for the log in it."
def read_lines(
    path:str|Path, # A log
    start:int=0, # Byte to begin at, the first of a line
)->Iterator[tuple[bytes, bool, int]]:
    "Yield the lines of a log."
class Log(Struct):
    "A log in memory."
    path: str # Where it was read from
    meta: Meta # What ran
    records: list[Record] # Those that count, in order of `update`, with the fields that `meta` describes
    resumes: list[Resume]
    errors: list[Error]
    alarms: list[Alarm]
    cut: bool # The last line was not whole
def read_log(
    path:str|Path, # A `train_log.jsonl`
)->Log: # Its lines, sorted by kind
    "Read a log; a broken line raises `UserError` with its number, a cut last line is left out."
