"""A training at a glance, from its log alone; for TensorBoard, too."""
# Made by `make export` from the module beside it.
__all__ = ['MAX_ROWS', 'MEANS', 'HINT', 'GROUPS', 'EVENTS', 'is_count', 'numbers', 'Run', 'read_run', 'curve', 'smooth',
           'draw_runs', 'plot_bytes', 'plot_log', 'warnings_as_lines', 'log_plot_cli', 'crc32c', 'frame', 'event',
           'scalars', 'event_file', 'export_events', 'log_tensorboard_cli']
import contextlib, struct, sys, warnings
from io import BytesIO
from itertools import islice
from math import ceil
from pathlib import Path
from typing import Any
import msgspec
from collections.abc import Iterator
from fastcore.basics import patch
from ..base.command import command
from ..base.figures import Shown, count_ticks, figure, label_ends, line_look, styled
from ..base.files import UserError, need, write_atomic
from .file import MAX_LINE, log_path, read_lines
from .schema import KINDS, Record
MAX_NUMBERS, MAX_OBJECTS, LARGEST = 200, 8, 1e38 # of a record; a float32 holds no larger one
NUMBERS = {*Record.__struct_fields__} - {'extras'} # Names that stand for no object
def is_number(x)->bool: ...
def is_count(x)->bool: ...
def numbers(
    item:dict, # An object that stands in a log
)->dict|None: # `env_steps` and all other numbers, by name; None if it is no record
    "What can be drawn of a record."
MAX_ROWS = 20_000 # at least so many are kept, and less than twice as many
class Run(msgspec.Struct):
    "What can be drawn of a log."
    name: str # run_id, or the folder's name
    own: list[str]|None = None # Fields that the algorithm adds to a record, if the log describes them
    rows: list[dict] = [] # Numbers of the records, in order
    resumes: list[int] = [] # env_steps at which the run was taken up again
    messages: list[str] = [] # Of errors and alarms, the last three
    each: int = 1 # Records in a row
    filled: int = 1 # And in the last one
    lost: int = 0 # Lines that are none of a log
    def add(self,
        row:dict, # From `numbers`
    )->None:
        "Take in a record."
    def take(self,
        line:bytes, # Of a log, without its newline
    )->None:
        "Take in what a line says; one that says nothing is counted."
    def take_meta(self, about:dict)->None:
        "Learn the run's name and what its algorithm records."
    def go_back(self, about:dict)->None:
        "Forget what a resumed run does again."
def read_run(
    path:str|Path, # A `train_log.jsonl`, or the folder of a run
)->Run: # Its records
    "Read what can be read of a log; warn about the rest."
def curve(
    rows:list[dict], # Of a `Run`
    field:str, # Its name; `losses.value` for a nested one
)->tuple[list[float], list[float]]: # env_steps and values of the records that have it
    "One field over environment steps."
def smooth(
    ys:list[float], # Values
    smoothing:float, # 0: as they are, .9: an average over about 10
)->list[float]: # As many
    "An exponential moving average with bias correction."
PANELS = ( # title, y label, field, band (low, high), dots
    ('does it succeed?',     'success rate',         'success_rate', (), 'eval_success_rate'),
    ('how good is it?',      'return of an episode', 'episode_return_mean', (), 'eval_mean_return'),
    ('what does it earn?',   'reward a step',        'reward_mean', (), ''),
    ('how far is the goal?', 'distance, all steps',  'dist_p50', ('dist_p10', 'dist_p90'), ''),
    ('how long is it?',      'steps of an episode',  'episode_length_mean', (), 'eval_mean_length'),
    ('does it end?',         'ends a step',          'done_rate', (), ''),
    ('does time run out?',   'timeouts a step',      'trunc_rate', (), ''),
    ('does it explore?',     'entropy, nats',        'entropy_mean', (), ''),
    ('what does it expect?', 'value estimate',       'value_mean', (), ''),
    ('does it understand?',  'explained variance',   'explained_variance', (), ''),
)
GOAL, POINTS = ('success_rate', 'dist_p50'), ('episode_return_mean', 'episode_length_mean') # either
MARKERS = 'osD^vPX*' # of evaluations
MOST_BANDS = 3 # runs; more would hide each other
MEANS:dict
HINT = ('A distance is that of every step, on the way as well. Where every episode reaches the goal,\n'
        'the median is that of the middle of the way, and stays above 0.')
def draw_runs(
    runs:list[Run], # One or several
    smoothing:float=.6, # See `smooth`
)->Any: # A matplotlib Figure
    "Draw the panels that have a curve."
FORMATS = ('.png', '.svg', '.pdf')
def plot_bytes(
    logs:list[str|Path], # One or several logs, or folders of runs
    suffix:str='.png', # The format, one of `FORMATS`
    smoothing:float=.6, # See `smooth`
)->bytes: # The content of a picture's file
    "Plot logs."
def plot_log(
    logs:list[str|Path], # One or several logs, or folders of runs
    out:str|Path, # The picture; its suffix says the format. A file of that name is replaced
    smoothing:float=.6, # See `smooth`
)->Path: # The picture's path
    "Plot logs into a file, which is written whole."
@contextlib.contextmanager
def warnings_as_lines()->Iterator[None]:
    "Print warnings as a command does: one line each on stderr."
def log_plot_cli(
    *logs:str, # `train_log.jsonl` files, or folders of runs; several are overlaid
    out:str='train.png', # The picture: .png, .svg or .pdf; a file of that name is replaced
    smoothing:float=.6, # Share of the past in the bold lines, 0 <= smoothing < 1
)->None:
    "Plot training logs."
def crc32c(
    data:bytes, # Anything
)->int: # 32 bits
    "The CRC-32C checksum."
def frame(
    data:bytes, # One record
)->bytes: # The record as it stands in the file
    "Frame a record as TFRecord does."
def event(
    wall_time:float, # Seconds since 1970
    step:int, # Environment steps
    values:dict, # Tags and numbers or texts; none: the first record of a file
)->bytes: # An Event message
    "Encode one event."
GROUPS:dict
def scalars(
    row:dict, # Of a `Run`
)->dict[str, float]: # Tags and values
    "The numbers of a record under TensorBoard's names."
EVENTS = 'events.out.tfevents.0.gbxnb'
def event_file(
    rows:list[dict], # Of a `Run`
    began:float, # Seconds since 1970
    **texts:str, # What else there is to say, by tag
)->bytes:
    "A whole event file."
def export_events(
    log:str|Path, # A `train_log.jsonl`, or the folder of a run
    out:str|Path, # Folder for the event file; one folder a run. A file of an earlier export is replaced
)->Path: # The event file
    "Write a log as a TensorBoard event file."
def log_tensorboard_cli(
    log:str, # A `train_log.jsonl`, or the folder of a run
    *,
    out:str='tensorboard', # Folder for events.out.tfevents.0.gbxnb, which is replaced; give each run its own
)->None:
    "Export a training log for TensorBoard."
