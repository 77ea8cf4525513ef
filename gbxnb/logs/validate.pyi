"""Is a log sound? Line by line against the schema in its first line."""
# Made by `make export` from the module beside it.
__all__ = ['check_log', 'log_check_cli']
import json, sys
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path
from typing import Any
import msgspec
from fastcore.basics import patch
from msgspec import UNSET, Struct
from ..base.command import command
from ..base.files import need
from .file import MAX_LINE, log_path, read_lines
from .schema import Meta, Record, TYPES, from_line, kind_of, not_finite, plain, trace_id, types_of
def types_for(
    line:bytes, # The first line of a log
)->dict[str, type]: # By kind
    "The types of a log's lines."
class Finding(Struct):
    "One thing wrong with a log."
    line: int # Counted from 1; 0: the log as a whole
    kind: str # file, meta, json, type, finite, order, relation, long or cut
    reason: str # In one line
class Report(Struct):
    "What a check of a log found."
    path: str # The log
    ok: bool = True # Nothing wrong
    cut: bool = False # The last line is not whole: a crash or a full disk
    lines: int = 0 # Whole lines
    records: int = 0 # Sound records
    resumes: int = 0 # Resume lines
    errors: int = 0 # Error lines
    alarms: int = 0 # Alarm lines
    first_step: int|None = None # env_steps of the first record
    last_step: int|None = None # and of the last
    found: int = 0 # How many findings, listed or not
    findings: list[Finding] = [] # The first hundred
    def add(self,
        line:int, # Where
        kind:str, # What kind
        reason:str, # Why
    )->None:
        "Note a fault."
def check_line(
    line:bytes, # One line, without its newline
    types:dict=TYPES, # The types of the log's lines
)->tuple: # The decoded item or None, then kind and reason of the fault
    "Decode one line by itself."
def check_relations(
    r:Record, # A record
    meta:Meta, # The log's meta line
    window:int|None, # Environment steps since the record before; None: that one is unreadable
)->Iterator[str]:
    "Yield what in one record contradicts itself or the meta line."
def check_log(
    path:str|Path, # A `train_log.jsonl`, or the folder of a run
)->Report: # What was found
    "Check every line of a log, by itself and against the others."
def log_check_cli(
    log:str, # A `train_log.jsonl`, or the folder of a run
)->None:
    "Check a training log; print one JSON summary, exit with 1 if it is not sound."
