"""What does a window cost the kernel while it plays in a browser? `python tests/watch_cost.py --out nbs/lab/results/watch_cost.json`

JupyterLab shows films of the bundled game; pictures are counted by the browser's acknowledgements, processor time by the kernel itself."""
import json, tempfile
from pathlib import Path
from fastcore.script import call_parse
from gbxnb.base.progress import about, give_result
from test_browser import ALL, notebook, until

CASES = (16, 72, 80), (256, 72, 80), (256, 144, 160) # consoles, rows, columns
FILM = """import threading, time, json
import numpy as np
from gbxnb.emulator.emulator import Emulator
from gbxnb.games.town import START, rom
from gbxnb.lab.watch import Watch, play_cost, random_play
n, h, w = {}, {}, {}
few = min(n, 64) # consoles that play; others show the same film a few moments later
town = Emulator(rom(), few)
for held, count in START:
    town.set_buttons(held)
    town.run_frames(count)
play = random_play(town)
film = [play()[:, ::144//h, ::160//w] for _ in range(24)]
shown = Watch([np.concatenate([film[(t + k) % 24] for k in range(n//few)]) for t in range(24)], fps={})
shown"""
MEASURE = """from IPython.display import HTML
cost = HTML('')
handle = display(cost, display_id=True)
def measure():
    while not shown.play.playing: time.sleep(.1)
    time.sleep(3)
    handle.update(HTML('<pre class="cost">' + json.dumps(play_cost(shown, {}, {})) + '</pre>'))
threading.Thread(target=measure).start()"""

def case(shape, fps, seconds, rounds):
    "The costs of one film, in a notebook of its own."
    with tempfile.TemporaryDirectory() as folder:
        with notebook('cost', Path(folder), FILM.format(*shape, fps), MEASURE.format(seconds, rounds)) as page:
            page.wait_for_selector(ALL)
            page.locator('.gbx-screens').first.scroll_into_view_if_needed()
            page.locator('.gbx-player [data-do=play]').first.click()
            until(lambda: page.locator('pre.cost').count(), every=1)
            return json.loads(page.locator('pre.cost').inner_text())

@call_parse
def main(
    fps:float=15, # Asked for
    seconds:float=2, # Of a round
    rounds:int=7,
    out:str='', # A file for the result
):
    "Play films of several sizes in a browser and note what they cost."
    counted = 'pictures that the browser acknowledged, a second; processor time of the kernel over time; medians of rounds'
    give_result(dict(counted=counted, **about('cpu'), cases=[case(shape, fps, seconds, rounds) for shape in CASES]), out)
