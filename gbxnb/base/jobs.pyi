"""A benchmark is a list of jobs. Each is kept when it is done, and several machines may share the list."""
# Made by `make export` from the module beside it.
__all__ = ['joined', 'run_jobs', 'join_cli']
import json, re, sys, time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as brief
from fastcore.basics import patch
from .command import command, stored, typed
from .config import wing
from .files import UserError, check_writable, read_json
from .folder import Folder, claim_folder, read_manifest
from .progress import give_result
HEADER, _NUMBER = 'jobs.json', r'[1-9]\d{0,5}'
def parse_shard(
    text:str, # `i/n`
)->tuple[int, int]: # i, from 1 to n; n
    "Which part of the jobs."
@dataclass(frozen=True)
class Jobs:
    "Work of a command in pieces that know nothing of each other."
    command:str # Its name, such as `bench compare`
    names:list[str] # Of all jobs, in the order of the result
    facts:dict # What all of them are done under; JSON values
    shard:tuple[int, int] # Which of them are done here
    def __post_init__(self)->None: ...
    @property
    def mine(self)->range:
        "The numbers of its jobs."
    def file(self, k:int)->str:
        "The name of a job's file."
    def header(self)->dict:
        "What its folder says of it."
    def read_done(self,
        path:Path, # The folder of the shard
        files:set[str], # That its manifest names
        good, # Whether a row is one of a job: takes both, the row and the name
    )->dict[int, dict]: # By the number of the job
        "The results that are there."
def jobs_of(
    cli, # A command that gives its result by `joined`
    names:list[str], # Of all jobs
    facts:dict, # JSON values
    shard:str, # `i/n`
)->Jobs:
    "The jobs that a command was asked for."
def check_same(
    path:Path, # A folder
    there:Jobs, # That it holds
    jobs:Jobs, # Others
    what:str, # What has the others
    fix:str, # What to do
)->None:
    "Raise `UserError` for the first fact that differs."
def read_jobs(
    path:Path, # A folder
)->tuple[Jobs, set[str]]: # Its jobs; names of its files
    "What a folder of jobs is about."
def joined(
    cli, # A command
    good, # Whether a row may be one of a job: takes both, the row and the name
)->Callable: # A decorator
    "Name the function that takes facts and rows, and gives the result and a line if that is a bad one."
def run_jobs(
    cli, # The command, which gives its result by `joined`
    jobs:Jobs, # What it was asked for
    here:dict, # What may differ between jobs; JSON values, the same keys everywhere
    make, # Takes numbers of jobs; yields a number and its row, JSON values, as soon as that is done
    out:str, # A file for the result; empty is none, and then nothing is kept
)->list[dict]: # The rows of the shard
    "Do the jobs that are not done yet; give the result, or say what is missing."
def gather(
    cli, # The command
    shards:dict[Path, tuple[Jobs, set[str]]], # Folder to what `read_jobs` gave
)->dict[int, dict]: # What is there, by the number of the job
    "The results of several folders."
def join_cli(
    *folders:str, # Those of all shards, or one that holds them
    out:str='', # Write the result here, too
)->None:
    "Make one result of the jobs of shards; exit with 1 if some are missing."
