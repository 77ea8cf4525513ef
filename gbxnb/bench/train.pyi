"""Steps of training a second, and which stage they wait for."""
# Made by `make export` from the module beside it.
__all__ = ['bench_train_cli']
import contextlib, json, time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from unittest import mock
import numpy as np
import torch
from fastcore.basics import patch
from .throughput import Thresholds, bytes_per_env, calibrate, failures, missed
from .throughput import per_unit, read_baseline, read_rows, used_bytes
from ..base.command import ThreadsConfig, command
from ..base.config import Count, take_config
from ..base.files import UserError, check_writable, git_sha, write_atomic
from ..base.progress import about, cores, give_result, in_turn, listed, random_actions, rate_stats, track
from ..runs.evaluate import Evaluate
from ..runs.policy import USUAL_WORLD, algorithm_config, training_options, usual_options, world_config
from ..training import rollout as playing
from ..training.config import TrainConfig
from ..training.loop import Callback, train, tune_cpu
from ..training.models import sample_actions
from ..training.rollout import Run, start_run
from ..worlds.contract import World, pick_device, WORLDS
@dataclass
class TrainBench(Callback):
    "A run whose parts can be run alone."
    run: Run # World, network, memory
    judge: World # Environments for evaluations
    updates: int = 4 # Of a round
    episodes: int = 16 # Of an evaluation
    moments: list[float] = field(default_factory=list) # Of this round: its begin, and the end of each update
    def __post_init__(self)->None: ...
    @property
    def steps(self)->int: ...
    def on_update(self, run)->None: ...
    def env_only(self)->None:
        "The world alone; random actions, different for each environment."
    def inference(self)->None:
        "The world and a policy."
    def trainer(self,
        hooks=(), # Callbacks of the loop
    )->None:
        "The training loop."
    def trainer_eval(self)->None:
        "The training loop, and an evaluation."
    def seconds(self,
        mode:str, # One of `MODES`
    )->tuple[list[float], float]: # Of each update; processor time of all
        "Time one round."
    def shares(self,
        rounds:int=1, # Rounds of the trainer that are watched
    )->tuple[dict[str, float], float]: # Share of each stage, and the rate of the watched trainer
        "Where the trainer's time goes."
def wall_clock(
    device:torch.device|str, # Where the work is done
)->Callable[[], float]: # Called for the time, in seconds
    "The clock on the wall, read when a GPU has done what it was given."
def train_bench(
    cfg:TrainConfig, # Of an algorithm
    world:str=USUAL_WORLD, # Its registered name
    options:dict|None=None, # Of the world, by their names
    device:str='auto', # auto prefers a GPU
    updates:int=4, # Of a round
    episodes:int=16, # Of an evaluation
)->TrainBench:
    "A bench in a world, as it is trained in."
MODES = 'env_only', 'inference', 'trainer', 'trainer_eval'
def time_modes(
    bench:TrainBench, # What is measured
    modes:list[str], # Of `MODES`
    rounds:int, # Of each, after one that does not count
)->tuple[dict[str, list], float]: # What `seconds` gave in each round; what `calibrate` did
    "Time modes in turn, and ten million additions in between."
def stages(
    run:Run, # Whose calls
)->dict[str, list[tuple]]: # Name: (object, attribute) of each call that belongs to it
    "Where the stages of a trainer begin and end."
class Stopwatch:
    "Moments, and the stage whose time begins with each."
    cuda:bool
    inside:list
    moments:list
    def __init__(self,
        device:torch.device|str, # Where the work is done
    )->None: ...
    def note(self)->None: ...
    def timed(self, stage, real)->Callable:
        "The function `real`; its time is the stage's."
    def seconds(self)->dict[str, float]:
        "Time of each stage."
@contextlib.contextmanager
def clocked(
    run:Run, # Whose loop is watched
)->Iterator[Stopwatch]:
    "Wrap the calls of all stages; everything is as before afterwards."
SAME = ('mode', 'num_envs', 'rollout_steps', 'minibatches', 'epochs', 'algorithm', 'model', 'precision',
        'compile', 'threads', 'world', 'facts', 'frames_per_step', 'where')
def conditions(
    run:Run, # What was measured
    device:str, # Its name
)->dict: # JSON values
    "Everything that a speed of training depends on."
def mode_row(
    mode:str, # One of `MODES`
    took:list[tuple[list[float], float]], # What `seconds` gave in each of its rounds
    facts:dict, # What `conditions` gave
    unit:float, # What `calibrate` gave
)->dict:
    "A row of the result."
def bench_modes(
    bench:TrainBench, # What is measured
    modes:list[str], # Of `MODES`
    rounds:int, # Measured rounds of each
    machine:str='', # Name of its device
)->dict: # `rows`, and where the trainer is among the modes its shares
    "The modes, then the stages."
@dataclass(frozen=True)
class BenchTrainConfig(Thresholds, ThreadsConfig):
    "What is measured."
    modes:str=','.join(MODES) # What to measure, with commas between
    algo:str='ppo' # The algorithm: a registered name, or package.module:ATTRIBUTE
    world:str=USUAL_WORLD # The world: a registered name, or package.module:ATTRIBUTE
    rounds:Count=6 # Measured rounds of each mode
    updates:Count=4 # Of a round
    eval_episodes:Count=16 # Of the evaluation that trainer_eval has in each round
    floor:str='' # A file of floors; exit with 1 if a row lies below one
    keep_history:str='' # A file of speeds over commits, to which the trainer's is added
def below_floor(
    rows:list[dict], # What was measured
    path:str, # A file: an object with `rows`, each with conditions and `steps_per_unit`
)->list[str]: # One line for each
    "Which rows lie below a floor."
HISTORY = ('environment steps of training a second, the median of rounds; steps_per_unit: in as much '
           'processor time as ten million additions in a loop of Python (calibration_s)')
def add_history(
    path:str, # A file: an object with `rows`; a new one is begun
    row:dict, # JSON values, with `sps`
)->None:
    "Add a row to the speeds over commits."
def history_row(
    row:dict, # Of a result
    commit:str, # That was measured
)->dict: # JSON values
    "What the speeds over commits keep of a row."
def bench_train_cli(**options)->None:
    "Measure training, with and without its parts."
