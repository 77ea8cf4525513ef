"""Press the buttons yourself, in a notebook: a screen, the console's buttons, keys, a timeline, slots and files."""
# Made by `make export` from the module beside it.
from typing_extensions import Self as _Self
__all__ = ['Play']
import time
from html import escape
import numpy as np
import warp as wp
from fastcore.basics import patch
from gbxnb.base.files import UserError, check_int, need
from gbxnb.emulator.machine import CLOCK_HZ, FRAME, Button, keys_text
from gbxnb.emulator.render import render
from gbxnb.lab.canvas import Canvas
from gbxnb.lab.film import film, image, static, widget_or_page
from gbxnb.lab.session import Session, free_name, is_taken, unpack_moment
anywidget, widgets = need('anywidget', 'lab'), need('ipywidgets', 'lab')
ACTIONS = dict(undo='undo', redo='redo', toggle='run free, and stop', begin='use as start', aim='use as goal',
               save_slot='keep in a slot')
KEYS = {'ArrowUp': Button.UP, 'ArrowDown': Button.DOWN, 'ArrowLeft': Button.LEFT, 'ArrowRight': Button.RIGHT,
        'x': Button.A, 'a': Button.A, 'z': Button.B, 'b': Button.B, 'Enter': Button.START,
        'Shift': Button.SELECT, 'Backspace': Button.SELECT, ' ': Button(0),
        'u': 'undo', 'r': 'redo', 'f': 'toggle', 's': 'begin', 'g': 'aim', 'k': 'save_slot'}
def check_keys(
    keys:dict, # Name of a key, as browsers call it, to a `Button` or one of `ACTIONS`
)->dict: # Letters in lower case
    "Raise `ValueError` for a key that could do nothing."

class Play:
    "A console to play by hand in a notebook: the screen, the buttons and the keys of a session."
    scale:int
    keys:dict
    actions:dict
    _kept:list|None
    screen:Screen
    pad:dict
    files:dict
    def __init__(self,
        rom, # A ROM, an `Emulator` whose first console is played, or a `Session`
        scale:int=3, # Size of the picture
        keys:dict|None=None, # What keys of the keyboard do; `KEYS` by default
        **options, # Of the session that is made of a ROM or an emulator, such as `start` and `battery`
    )->None:
        check_int(1, scale=scale)
        if isinstance(rom, Session) and options:
            raise ValueError(f'{", ".join(options)}: options of a new session, but a session was given')
        self.scale, self.keys = scale, check_keys(KEYS if keys is None else keys)
        self.session = rom if isinstance(rom, Session) else Session(rom, **options)
        self.held, self.clock = Button(0), 0. # what is held while it runs freely, and the time it has reached
        self._build()
        self.session.listeners.append(self.draw)
        self.draw()
    def __repr__(self)->str: ...
    def _tick(self)->None:
        "Run the frames that are due."
        if not self.session.running: return
        due = int((time.monotonic() - self.clock)*FPS)
        if due > MOST: self.clock, due = time.monotonic() - MOST/FPS, MOST
        self.clock += due/FPS
        if due: self.session.run(due, self.held)
        elif self.screen.seen == self.screen.number: self.draw(False) # else another is on its way
    def toggle(self)->_Self:
        "Run freely, or stop."
        if self.session.running: self.session.pause()
        else: self.session.running, self.held, self.clock = True, Button(0), time.monotonic()
        self.draw()
        return self
    def _key(self, key:str, down:bool, again:bool)->None:
        "What a key does."
        does = self.keys[key]
        if isinstance(does, str):
            if down and (not again or does in ('undo', 'redo')): self._do(self.actions[does])
        elif self.session.running: self.held = self.held | does if down else self.held & ~does
        elif down and not (again and time.monotonic() - self.stepped < REPEAT):
            self.stepped = time.monotonic()
            self._do(self.session.press, does)
    def _do(self, act, *args)->None:
        "Do what a key or a button asks for; an error is shown in a line."
    def say(self,
        text:str, # A line
        kind:str='', # 'error', 'ask', 'done'
    )->None:
        "Show a line of text below the files."
        self.asked = None
        self.said.value = f'<div class="gbx-said {kind}" role="status">{escape(text)}</div>'
    def _write(self, save, field)->None:
        "What the buttons that save do."
        path, second = field.value, self.asked == (save, field.value)
        if is_taken(path) and not second:
            self.say(f'{path} is there already. Press again to replace it, or save as {free_name(path)}', 'ask')
            self.asked = save, path
        else: self.say(f'written: {save(path, replace=second)}', 'done')
    def _read(self, load, field)->None:
        "What the buttons that load do."
    def _button(self, label:str, does, tip:str='', width='auto'):
        "A button that does something."
    def _build(self)->None:
        "Make the widgets and connect them."
        W, s, wide = widgets, self.session, 160*self.scale
        self.actions = dict(undo=s.undo, redo=s.redo, toggle=self.toggle, begin=s.begin, aim=s.aim,
                            save_slot=s.slots.save)
        self.stepped, self.asked, self._marked, self._kept = 0., None, None, None
        self.screen = Screen(big=self.scale, key_names=list(self.keys), help='those listed below',
                             label=f'{s.emulator.cart.title}: the screen of the console')
        self.screen.on_key(self._key)
        self.screen.drawn = self._tick
        self.slider = W.IntSlider(min=0, max=0, readout=False, layout=W.Layout(flex='1', width='auto'))
        self.slider.observe(lambda c: c['new'] != s.timeline.at and self._do(s.seek, c['new']), 'value')
        self.said, self.place, self.marks, self.far, self.tray = (*(W.HTML() for _ in range(4)), W.HBox())
        self.tray.add_class('gbx-slots')
        left = W.VBox([self.screen, self._build_line(), self._build_pad(), W.HTML(legend(self.keys))],
                      layout=W.Layout(flex='1 1 450px', max_width=f'{max(wide + 18, 450)}px'))
        right = W.VBox([self._build_marks(), self._build_slots(), self._build_files(), self.said, _FocusKeeper()],
                       layout=W.Layout(flex='0 1 350px'))
        self.widget = W.Box([left, right]).add_class('gbx-play')
        self.say('')
    def _tap(self, button:Button)->None:
        "What a button of the pad does: a step, or while the console runs freely a short press."
    def _build_line(self):
        "The timeline."
        self.back_one = self._button('undo', self.session.undo, 'undo a move (hold the key to rewind)')
        self.on_one = self._button('redo', self.session.redo, 'redo a move')
        self.free = self._button('run free', self.toggle, 'run without steps, about 60 frames a second', '76px')
        return _row(self.back_one, self.slider, self.on_one, self.place, self.free, kind='gbx-line')
    def _build_pad(self):
        "The console's buttons."
    def _build_marks(self):
        "Start and goal."
        W, s = widgets, self.session
        self.here = self._button('use as start', s.begin, 'the present moment becomes the start')
        self.there = self._button('use as goal', s.aim, 'the present picture becomes the goal')
        self.near = W.BoundedFloatText(s.draft.tau, min=1e-6, max=1, step=.001, description='tau',
                                       layout=W.Layout(width='130px'), style=dict(description_width='28px'))
        self.near.observe(lambda c: self._set_tau(c['new']), 'value')
        return W.VBox([_head('Start and goal'), self.marks, self.far, _row(self.here, self.there, self.near)])
    def _set_tau(self, tau:float)->None: ...
    def _build_slots(self):
        "What is kept to go on from."
        s = self.session
        keep = self._button('keep in a slot', s.slots.save, 'fork: keep the present moment')
        self.returns = self._button('back', s.back, 'return to what was left by loading something')
        power = self._button('power', s.power_on, 'switch the console off and on')
        return widgets.VBox([_head('Slots'), self.tray, _row(keep, self.returns, power)])
    def _file(self, name:str, path:str, save, load=None):
        "A field with a path, and what is done with it."
    def _build_files(self):
        "Fields of what is written and read."
    def draw(self,
        whole:bool=True, # Or the picture alone
    )->None:
        "Show the console."
        s, draft = self.session, self.session.draft
        far = s.distance
        won = far is not None and far < draft.tau
        self.screen.show(s.emulator.frame(0), done=[True] if won else None)
        if not whole: return
        self._draw_line()
        self.far.value = _distance_html(s, far, won)
        if self._marked != (marked := (draft.start, draft.goal)): self._draw_marks()
        if self._kept != s.slots.kept: self._draw_slots()
        self._marked, self._kept = marked, [*s.slots.kept]
        self.free.description = 'stop' if s.running else 'run free'
        self.returns.disabled = s.left is None
        self.say('')
    def _draw_line(self)->None:
        "Where the present is on the timeline."
    def _draw_marks(self)->None:
        "The pictures of start and goal."
    def _draw_slots(self)->None:
        "A picture and two buttons for each slot."
    def page(self)->str:
        "The last moments as HTML that needs nothing else."
    def _repr_mimebundle_(self, include=None, exclude=None): ...
LAYOUT = ((None, Button.UP, None), (Button.LEFT, None, Button.RIGHT), (None, Button.DOWN, None))
SIGNS = {Button.UP: '▲', Button.DOWN: '▼', Button.LEFT: '◀', Button.RIGHT: '▶', Button.A: 'A', Button.B: 'B',
         Button.SELECT: 'SELECT', Button.START: 'START', Button(0): 'wait', None: '∿'}
CROSS = {Button.UP: '↑', Button.DOWN: '↓', Button.LEFT: '←', Button.RIGHT: '→'}
KEY_SIGNS = {f'Arrow{b.name.title()}': sign for b, sign in CROSS.items()} | {' ': 'Space'}
def legend(
    keys:dict, # As of `check_keys`
)->str: # HTML
    "What the keys do, a line for each thing that is done."
FPS, MOST = CLOCK_HZ/(4*FRAME), 12 # frames of a console in a second; that are made up for at once

class Screen(Canvas):
    "One that tells when the browser has drawn a moment."
    drawn = None # called then
    def _hear_shown(self, message)->None: ...
REPEAT = .1 # seconds between the steps of a key that is held

class _FocusKeeper(anywidget.AnyWidget):
    "Where the focus goes, and how a pad looks."
    _esm, _css = static('play.js'), static('play.css')
def _row(*children, kind=''):
    "Widgets beside each other."
def _head(text): ...
def _count(n, what, rest): ...
def _way_text(draft):
    "What is known about the way to the goal."
def _distance_html(s, far, won):
    "How near the goal is: a number, and a bar that is empty at the start."
FILM = 240 # moments of a page at most
