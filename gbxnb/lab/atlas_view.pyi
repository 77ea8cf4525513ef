"""A map of places to look around in: the way to each is played, a policy for it is trained, and then it is watched."""
# Made by `make export` from the module beside it.
from typing_extensions import Self as _Self
__all__ = ['OPTIONS', 'AtlasView']
import asyncio, base64, html, io, os, shlex, signal, subprocess, weakref
from contextlib import closing
from pathlib import Path
import numpy as np
from fastcore.basics import patch
from PIL import Image, ImageDraw
from ..backends.warp import make_backend
from ..emulator.cartridge import Cartridge
from ..games.town import rom_path
from ..envs.config import action_codec, EnvConfig
from ..goals.capture import train_line
from ..envs.template import play_actions, restore_all
from ..envs.task import known_goal, screen_distance
from ..explore.atlas import Atlas, map_boxes
from ..base.files import UserError, check_int, need
from .curve import LiveCurve
from .film import PALETTE, PICKED, static, widget_or_page
from .watch import Watch
from ..base.parallel import start_python
from ..runs.checkpoint import read_sidecar
from ..runs.resume import open_run
from ..runs.film import record_rollout
from ..worlds.gameboy import GAMEBOY
widgets = need('ipywidgets', 'lab')
def play_way(
    rom:str|Path|bytes, # The cartridge, or its file
    task, # A `Task` with a script
)->tuple[np.ndarray, list]: # uint8[1 + T, 1, 72, 80], the start first; notes[t][0]
    "What a console shows on the way of a task."
def play_policy(
    run:str|Path, # A run's folder
    steps:int, # To be played at most
    seed:int=0, # Of the draws
    **change, # Options of its world that are others now, e.g. where the ROM lies
)->tuple[np.ndarray, list]: # uint8[T, 1, 72, 80] and notes[t][0], up to the end of the first episode
    "What a console shows while a policy plays."
def _end(process)->None: ...

class Training:
    "`gbxnb train` in another process."
    words:list
    said:bytes
    stopped:bool
    process:subprocess.Popen
    def __init__(self,
        words:list, # Of its command line
    )->None:
        self.words, self.said, self.stopped = [str(w) for w in words], b'', False
        streams = dict(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.process = start_python('from gbxnb.__main__ import main; main()', 'train', *self.words,
                                    fix='end other programs', start_new_session=True, **streams)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.end = weakref.finalize(self, _end, self.process)
    @property
    def running(self): ...
    def lines(self)->list[str]:
        "What it has printed so far."
    def stop(self)->None:
        "Ask it to end, as Ctrl-C does; its last checkpoint stays."
    @property
    def state(self)->str:
        "In one word."
    def __repr__(self)->str: ...
_LOOK = f'<style>{static("pixels.css", "atlas.css")}</style>'
OPTIONS = GAMEBOY.demo | dict(backward=8)
METRICS = {'success_rate': 'success while it practises', 'eval_success_rate': 'success from the start',
           'extras.backward_start': 'steps of the way before its starts'}

class AtlasView:
    "A map of places: look around, see the way to one, train a policy for it, and watch it go."
    folder:Path
    rom:str
    runs:Path
    fps:float
    first_steps:int
    atlas:Atlas
    plays:int
    training:Training|None
    places:dict
    curve:LiveCurve
    watch:Watch|None
    boxes:list[tuple]
    spots:dict
    def __init__(self,
        folder:str|Path, # Of an atlas, as `gbxnb explore` leaves it
        rom:str|Path='', # The cartridge's file; empty is the bundled game
        runs:str|Path='', # Where the runs are to live, one a place; by default beside the atlas
        steps:int=131_072, # Environment steps that *train* adds to a run
        fps:float=8, # Pictures of a way in a second
        **options, # Of `gbxnb train`, in place of `OPTIONS`, e.g. `num_envs` or `start_noops`
    )->None:
        check_int(1, steps=steps)
        self.folder, self.rom, self.options = Path(folder), str(rom), OPTIONS | options
        self.runs, self.fps, self.first_steps = Path(runs or f'{self.folder}-runs'), fps, steps
        self.atlas, self.plays, self._task = Atlas.load(folder), 0, None
        self.training:Training|None = None
        self.places = {p.number: p for p in self.atlas.places}
        cart, known = Cartridge.load(rom or rom_path()), self.atlas.facts['rom_sha256']
        if cart.sha256 != known:
            raise UserError(f'{rom or "the bundled game"}: {cart.sha256[:12]} is not the ROM {known[:12]} '
                            f'that {folder} was explored in; give that one')
        self._build()
        self.look(play=False)
    @property
    def at(self): ...
    @at.setter
    def at(self, number)->None: ...
    def run(self, number=None)->Path: # Its folder
        "The run that learns the way to a place, by default the one that is looked at."
    def trained(self, number): ...
    def _build(self)->None:
        "Make the widgets and connect them."
        W = widgets
        names = [(f'{k}: {len(p.actions)} steps', k) for k, p in self.places.items()]
        self.picker = W.Dropdown(description='place', options=names, layout=W.Layout(width='220px'))
        self.zoom = W.IntSlider(100, 25, 300, 25, description='zoom, %', layout=W.Layout(width='300px'))
        self.steps = W.IntText(self.first_steps, description='steps', step=16384, layout=W.Layout(width='200px'))
        self.way = _button('the way', self.look, 'Play the script of the place')
        self.learn = _button('train', self.train, 'Train a policy for the place, or go on with it')
        self.halt = _button('stop', self.stop, 'End the training; its last checkpoint stays')
        self.go = _button('watch it go', self.watch_it, 'Play what has been learned so far')
        self.said, self.note = W.HTML(), W.HTML()
        self.curve, self.watch = LiveCurve(METRICS), None
        self.film = W.VBox([])
        knobs = W.HBox([self.way, self.learn, self.halt, self.go, self.steps])
        right = W.VBox([self.note, self.film], layout=W.Layout(flex='0 0 360px'))
        self.widget = W.VBox([W.HTML(_LOOK, layout=W.Layout(display='none')), W.HBox([self._sheet(), right]),
                              W.HBox([self.picker, self.zoom]), knobs, self.said, self.curve.widget])
        self.halt.disabled, self.curve.widget.layout.display = True, 'none'
        self.picker.observe(lambda c: self.look(), 'value')
        self.zoom.observe(lambda c: self._size(), 'value')
    def _sheet(self):
        "The picture of the map, and a button on each of its places."
        W, self.map, self.boxes = widgets, self.atlas.picture(), map_boxes(self.atlas.at)
        self.image = W.Image(format='png')
        self.image.add_class('gbx-pixels')
        name, flat, plain, rules = f'gbx-{self.image.model_id[:8]}', W.Layout(), W.ButtonStyle(), []
        self.spots = {}
        for k in self.places:
            spot = self.spots[k] = W.Button(tooltip=f'place {k}', layout=flat, style=plain)
            spot.add_class(f'gbx-p{k}')
            spot.on_click(lambda _, k=k: self.look(k))
            l, t, r, b = (100*v/n for v, n in zip(self.boxes[k], self.map.size*2))
            box = f'left:{l:.3f}%;top:{t:.3f}%;width:{r - l:.3f}%;height:{b - t:.3f}%'
            rules.append(f'.{name}>.gbx-p{k}{{{box}}}')
        places = W.HTML(f'<style>{"".join(rules)}</style>', layout=W.Layout(display='none'))
        self.sheet = W.Box([self.image, *self.spots.values(), places])
        for c in 'gbx-sheet', name: self.sheet.add_class(c)
        self._size()
        frame = W.Layout(overflow='auto', max_height='480px', flex='0 1 auto')
        return W.Box([self.sheet], layout=frame)
    def _size(self)->None:
        "Show the map as large as the slider says."
    def route(self,
        number:int, # Of a place
    )->list[int]: # The place, and those that its way passes, backwards
        "What lies on the way to a place."
    def picture(self)->Image.Image: # RGB
        "The map, with the place that is looked at and the way to it."
    def look(self,
        number:int|None=None, # Of a place; by default the one that is looked at
        play:bool=True, # Let the film of the way run
    )->_Self:
        "Go to a place: mark it on the map, and show the way to it."
    def show(self,
        frames, # uint8[T, 1, 72, 80]
        notes:list, # notes[t][0]
        what:str, # In words
        play:bool=True, # Let it run
    )->None:
        "Put a film beside the map."
    def words(self)->list: # Of `gbxnb train`
        "The command line that *train* runs."
    def train(self):
        "Start to learn the way to the place that is looked at, or go on with it."
        if self.training and self.training.running: return
        try: self.training, self.learns = Training(self.words()), self.at
        except UserError as e: return self._say(str(e))
        self._follow()
    def _follow(self)->None:
        "Show how the training gets on, now and once a second."
        if self._task: self._task.cancel()
        self.curve.follow(self.run(self.learns))
        self.curve.draw()
        self.poll()
        async def look():
            while self.poll(): await asyncio.sleep(1)
        try: self._task = asyncio.get_running_loop().create_task(look())
        except RuntimeError: pass # no event loop, as in a script: call `poll` when it suits
    def stop(self)->None:
        "End the training; its last checkpoint stays."
    def _say(self, *lines)->None: ...
    def poll(self)->bool: # Whether something learns
        "Look how the training gets on."
    def watch_it(self):
        "Play what has been learned, with other draws each time."
    def page(self)->str: # HTML that needs nothing else
        "The map, and what is shown beside it."
    def _reopen(self)->None:
        "Make the widgets again, as they stood."
    def _repr_mimebundle_(self, include=None, exclude=None): ...
    def __repr__(self)->str: ...
def _button(label, do, tip):
    "A button that does something."
PASSED = 46, 140, 60 # green
def _png(image):
    "A file of few colours."
