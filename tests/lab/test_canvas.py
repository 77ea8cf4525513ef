"""The canvas and the window on it, as several browsers and threads use them."""
import ast, threading
from pathlib import Path
from unittest import mock
import numpy as np
import pytest
from gbxnb.lab.canvas import Canvas, unpack_shades
from gbxnb.lab.watch import Watch

def frames(t, n=4, h=8, w=8): return np.random.default_rng(0).integers(0, 4, (t, n, h, w), np.uint8)

def say(widget, kind, **more): widget._handle_custom_msg(dict(type=kind, **more), [])

def listen(widget):
    "The kinds of messages that go out."
    sent = []
    widget.send = lambda message, buffers=None: sent.append((message, buffers))
    return sent

def test_at_most_two_moments_are_on_their_way():
    "Whatever comes in which order: never more than two are unacknowledged within a second, and the last one always arrives."
    rng = np.random.default_rng(1)
    for _ in range(40):
        c, film = Canvas(4, 8, 8), frames(60)
        sent = listen(c)
        with mock.patch('time.monotonic', lambda: 0.):
            for k, f in enumerate(film):
                c.show(f, note=str(k))
                assert c.number - c.seen <= 2
                if rng.random() < .4 and c.seen < c.number: say(c, 'shown', number=int(rng.integers(c.seen, c.number)) + 1)
            while c.seen < c.number: say(c, 'shown', number=c.number)
        assert sent[-1][0]['note'] == '59' and c.number + c.dropped == 60

def test_two_browsers_do_not_play_twice_as_fast():
    w = Watch(frames(9))
    w.play.playing = True
    for _ in range(5):
        for at in [w.at]*2: say(w.play, 'next', at=at)
    assert w.at == 5

def test_messages_of_others_do_no_harm():
    w = Watch(frames(9))
    for message in None, [], 'x', {}, dict(type=None), dict(type=[]), dict(type='__init__'), dict(type='next'), dict(type='key', key=[]):
        for widget in w.canvas, w.play: widget._handle_custom_msg(message, [])
    assert (w.at, w.picked, w.play.playing) == (0, 0, False)

def test_a_thread_pushes_while_a_person_looks_around():
    film = frames(300)
    w = Watch(film[:1], keep_bytes=50*64, distance=[[.5]*4])
    def push():
        for f in film[1:]: w.push(f, show=False, distance=[.5]*4)
    pushing = threading.Thread(target=push)
    pushing.start()
    rng = np.random.default_rng(2)
    while pushing.is_alive():
        w.at, w.picked = int(rng.integers(0, 60)), int(rng.integers(0, 4))
        if rng.random() < .3: w.advance()
    pushing.join()
    assert w.frames.bytes <= 50*64 + 16*50 and w.slider.max == len(w.frames) - 1 and (w.frames[-1] == film[-1]).all()
    w.at = w.slider.max
    assert (unpack_shades(w.canvas.moment[1], w.frames.shape) == film[-1]).all()

@pytest.mark.parametrize('shape', [(1, 144, 160), (16, 72, 80), (3, 7, 5)])
def test_a_still_picture_is_left(shape):
    "Without a kernel there is no widget, and a picture or a film all the same."
    w = Watch(np.zeros((2, *shape), np.uint8))
    assert set(w._repr_mimebundle_()) == {'text/html', 'text/plain'}
    c = w.canvas._repr_mimebundle_()
    assert c['image/png'].startswith(b'\x89PNG') and c['text/plain'] == f'Canvas: {shape[0]} consoles, {shape[1]}x{shape[2]}'

def test_every_file_of_the_browser_is_read_and_packaged():
    "A module of the lab names each file, and the package's data has it."
    root = Path(__file__).resolve().parents[2]
    static, lab = sorted((root/'gbxnb/lab/static').iterdir()), (root/'gbxnb/lab').glob('*.py')
    sources = '\n'.join(p.read_text(encoding='utf-8') for p in lab)
    assert static and not [p.name for p in static if f"'{p.name}'" not in sources and f'"{p.name}"' not in sources]
    calls = (n for n in ast.walk(ast.parse((root/'setup.py').read_text())) if isinstance(n, ast.keyword) and n.arg == 'package_data')
    patterns = ast.literal_eval(next(calls).value.values[0])
    assert {*static} <= {p for pattern in patterns for p in (root/'gbxnb').glob(pattern)}
