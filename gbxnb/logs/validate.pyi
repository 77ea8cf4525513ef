"""Is a log sound? Line by line against its schema, of today's version or the first."""
# Made by `make export` from the module beside it.
__all__ = ['check_log', 'log_check_cli']
import json, sys
from array import array
from bisect import bisect_right
from pathlib import Path
from typing import Literal
import msgspec
from fastcore.basics import patch
from msgspec import Struct, UNSET
from ..base.command import command
from ..base.files import need
from .file import MAX_LINE, log_path, read_lines
from .schema import (ActorCriticRecord, Alarm, Count, ErrorKind, Hash, Meta, Name, Number, Rate,
                               Record, Resume, TYPES, from_line, kind_of, not_finite, plain, trace_id,
                               types_of)
_ = need('msgspec', 'rl')

class RecordV1(ActorCriticRecord, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    "A record of version 1."
    approx_kl: float
    clipfrac: Rate

class ErrorV1(Struct, kw_only=True, forbid_unknown_fields=True):
    "An error line of version 1."
    run_id: Name
    trace_id: Name
    kind: ErrorKind
    message: str
    update: Count
    receipt: str # folder of the crash report beside the log

class MetaV1(Struct, kw_only=True, forbid_unknown_fields=True):
    "The first line of a log of version 1."
    schema_version: Literal[1]
    run_id: Name
    git_sha: str
    rom_sha256: Hash
    state_sha256: Hash
    goal_sha256: Hash
    args: dict
    torch_version: str
    warp_version: str
    cuda_version: str
    driver_version: str
    device: Name
    seed: Count
    action_codec_id: Name
    num_actions: Number
    num_envs: Number
    stack_k: Number
    frames_per_step: Number
    release_after_frames: Count
    backend: Name
TYPES_V1 = dict(record=RecordV1, meta=MetaV1, resume=Resume, error=ErrorV1, alarm=Alarm)

class _Version(Struct):
    schema_version: int

class _First(Struct):
    meta: _Version
def types_for(
    line:bytes, # The first line of a log
)->dict[str, type]: # By kind
    "The types of a log's lines, whatever its version."
_ = need('msgspec', 'rl')

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
def _object(pairs):
    "A JSON object, refusing twin keys."
def check_line(
    line:bytes, # One line, without its newline
    types:dict=TYPES, # The types of the log's lines
)->tuple: # The decoded item or None, then kind and reason of the fault
    "Decode one line by itself."
def _near(a, b, tol=1e-6): ...
def check_relations(
    r:Record, # A record
    meta:Meta|MetaV1, # The log's meta line
    window:int|None, # Environment steps since the record before; None: that one is unreadable
):
    "Yield what in one record contradicts itself or the meta line."
_COUNTERS = dict(update='q', env_steps='q', opt_steps='q', wall_time_s='d') # of the records that count

class _Order:
    "Where a log has got to, line by line."
    ended:bool
    gap:bool
    env_steps:int
    opt_steps:int
    update:int
    seen:dict
    def __init__(self, report)->None:
        self.report, self.types, self.meta, self.ended, self.gap = report, TYPES, None, False, False
        self.env_steps = self.opt_steps = self.update = self.resumed = 0
        self.wall_time_s, self.seen = 0., {k: array(kind, [0]) for k, kind in _COUNTERS.items()}
    def take(self, n, item)->None:
        "Check line `n` against those before it."
    def take_meta(self, n, item)->None:
        if self.meta is not None: self.report.add(n, 'meta', 'a second meta line: two runs in one file')
        elif n != 1: self.report.add(n, 'meta', 'the meta line must be line 1')
        self.meta = self.meta or item
    def take_alarm(self, n, item)->None: ...
    def take_error(self, n, item)->None: ...
    def take_record(self, n, r)->None: ...
    def go_to(self, item, wall_time_s)->None:
        for name in 'env_steps', 'opt_steps', 'update': setattr(self, name, getattr(item, name))
        self.wall_time_s = wall_time_s
    def take_resume(self, n, r)->None:
        self.report.resumes += 1
        k = bisect_right(self.seen['update'], r.update)
        for values in self.seen.values(): del values[k:]
        was = {name: values[-1] for name, values in self.seen.items()}
        known, faults = was['update'] == r.update, []
        if r.update > self.update:
            faults += [f'resumed from update {r.update}, but only {self.update} were recorded']
        if r.update < self.resumed:
            faults += [f'resumed from update {r.update} after a resume from {self.resumed}: two runs in one log']
        for name in ('env_steps', 'opt_steps') if known else ():
            if was[name] != (now := getattr(r, name)):
                faults += [f'resumed at {name} {now}, but update {r.update} was recorded at {was[name]}']
        for why in faults: self.report.add(n, 'order', why)
        self.go_to(r, was['wall_time_s'] if known else 0.)
        self.ended, self.resumed = False, r.update
def check_log(
    path:str|Path, # A `train_log.jsonl`, or the folder of a run
)->Report: # What was found
    "Check every line of a log, by itself and against the others."
def log_check_cli(
    log:str, # A `train_log.jsonl`, or the folder of a run
)->None:
    "Check a training log; print one JSON summary, exit with 1 if it is not sound."
