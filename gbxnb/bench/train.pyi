"""Steps of training a second, and which stage they wait for."""
# Made by `make export` from the module beside it.
__all__ = ['bench_train_cli']
import contextlib, time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from unittest import mock
from dataclasses import dataclass
import torch
from fastcore.basics import patch
from .throughput import Thresholds, check_thresholds, failures, read_baseline
from ..base.command import ThreadsConfig, command
from ..base.config import Count, take_config
from ..base.files import UserError, check_writable
from ..base.progress import about, cores, give_result, in_turn, listed, random_actions, rate_stats, track
from ..runs.evaluate import Evaluate
from ..runs.policy import USUAL_WORLD, algorithm_config, training_options, usual_options, world_config
from ..training import rollout as playing
from ..training.config import TrainConfig
from ..training.loop import train, tune_cpu
from ..training.models import sample_actions
from ..training.rollout import Run, start_run
from ..worlds.contract import World, pick_device, WORLDS

@dataclass
class TrainBench:
    "A run whose parts can be run alone."
    run: Run # World, network, memory
    judge: World # Environments for evaluations
    updates: int = 4 # Of a round
    episodes: int = 16 # Of an evaluation
    def __post_init__(self)->None: ...
    @property
    def steps(self)->int: ...
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
    def rate(self,
        mode:str, # One of `MODES`
    )->float: # Environment steps of training a second
        "Time one round."
    def shares(self,
        rounds:int=1, # Rounds of the trainer that are watched
    )->tuple[dict[str, float], float]: # Share of each stage, and the rate of the watched trainer
        "Where the trainer's time goes."
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
def wall_clock(
    device:torch.device|str, # Where the work is done
)->Callable[[], float]: # Called for the time, in seconds
    "The clock on the wall, read when a GPU has done what it was given."
def time_modes(
    bench:TrainBench, # What is measured
    modes:list[str], # Of `MODES`
    rounds:int, # Of each, after one that does not count
)->dict[str, list[float]]: # Rates of each mode
    "Time modes in turn."
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
        'compile', 'threads', 'cores', 'world', 'facts', 'where')
def conditions(
    run:Run, # What was measured
)->dict: # JSON values
    "Everything that a speed of training depends on, but the machine."
def mode_row(
    mode:str, # One of `MODES`
    rates:list[float], # Of its rounds
    run:Run, # What was measured
)->dict:
    "A row of the result."
def bench_modes(
    bench:TrainBench, # What is measured
    modes:list[str], # Of `MODES`
    rounds:int, # Measured rounds of each
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
def _sizes(words):
    "The sizes and the network that a training begins with."
def bench_train_cli(**options)->None:
    "Measure training, with and without its parts."
