"Helper processes import nothing from the current folder, and find what belongs to the user elsewhere."
import importlib.util, json, os, subprocess, sys
from pathlib import Path

import processes
import pytest
from gbxnb.base import parallel as pool
from gbxnb.base.progress import Meter

ROOT = Path(__file__).resolve().parent.parent
NAMES = ('json site random pickle numpy torch warp gbxnb socket signal importlib fastcore tqdm subprocess tempfile struct pyboy argparse '
         'dataclasses encodings sitecustomize usercustomize secrets bisect hashlib queue statistics').split()
HOSTILE = """import os
with open(os.environ['RAN'], 'a') as f: f.write(f'{os.getpid()} {__name__}\\n')
raise ImportError('it lies in the current folder')
"""
SCRIPT = """
import json, os, subprocess, sys
import numpy as np
from gbxnb.traces import cache as exchanging
from gbxnb.games import bundled as game
from gbxnb.emulator.emulator import Emulator
import gbxnb.base.parallel, gbxnb.bench.compare, gbxnb.reference.reference, gbxnb.bench.learning, gbxnb.lab.atlas_view
try: import pyboy
except ImportError: pass

def traces():
    e = Emulator(game.rom(), 1, threads=1)
    e.loader = exchanging.TraceLoader(e, 'auto')
    e.loader.start()
    e.loader.compiler.process.wait()
    return e.loader.compiler.why()

def pyboys():
    b = gbxnb.reference.reference.ReferenceBackend(game.rom(), 2, processes=2)
    b.step(2, 1)
    b.close()
    return 'done'

def compare():
    work = gbxnb.bench.compare.Work(2, 1, 1, 1)
    theirs = gbxnb.bench.compare.PyBoys(game.rom(), work, 2)
    theirs.run(0)
    theirs.close()
    return 'done'

def learn():
    calls, meter = [['catch', 'random', 0, 1024]], gbxnb.base.progress.Meter('learn', 1, 'run')
    return [row['kind'] for _, row in gbxnb.base.parallel.call_each('gbxnb.bench.learning:one_run', calls, 1, meter)]

def atlas():
    t = gbxnb.lab.atlas_view.Training(['--help'])
    t.process.wait()
    return [t.state, *t.lines()][:2]

def pool():
    pool = gbxnb.base.parallel.Pool('mine:Idle', dict(a=np.zeros(2)), [(0, 1), (1, 1)])
    pool.close()
    return 'done'

def start():
    return gbxnb.base.parallel.start_python('print(gbxnb.__name__)', fix='', stdout=subprocess.PIPE).communicate()[0].decode()

def own():
    return [*gbxnb.base.parallel.call_each('mine:twice', [[4]], 1, gbxnb.base.progress.Meter('own', 1, 'call'))]

if __name__ == '__main__':
    exchanging._CHILD = exchanging._CHILD.replace('compile_job()', 'raise SystemExit("loaded")') # compiling takes ten seconds
    sys.path.insert(0, os.path.dirname(__file__))
    if sys.argv[1] == 'notebook': sys.path[:0] = ['', os.environ['LINK'], os.environ['INNOCENT'], '.']
    said = {}
    for name in sys.argv[2:]:
        try: said[name] = globals()[name]()
        except (Exception, SystemExit) as e: said[name] = f'{type(e).__name__}: {e}'
    print(json.dumps([os.getpid(), said]))
"""
WANTED = dict(pool='done', start='gbxnb\n', traces='loaded', pyboys='done', compare='done', learn=['random'],
              atlas=['done', 'usage: gbxnb train'], own=[[0, 8]])
KINDS = ('script', ('pool', 'own')), ('notebook', ('start', 'pool', 'own'))
USERS = ('script', ('traces', 'pyboys', 'learn')), ('notebook', ('traces', 'compare', 'atlas'))

@pytest.mark.parametrize('how, kinds', [KINDS[0], *(pytest.param(*u, marks=pytest.mark.slow) for u in (KINDS[1], *USERS))])
def test_nothing_of_the_current_folder_is_imported(how, kinds, tmp_path):
    "By none of the processes that the package starts, whether the folder is on the path or not; a module beside the script is found."
    here, there, link, innocent = (tmp_path/k for k in ('here', 'there', 'link', 'innocent'))
    for folder in here, there, innocent: folder.mkdir()
    link.symlink_to(here)
    for folder in here, innocent:
        for name in NAMES: (folder/f'{name}.py').write_text(HOSTILE)
    (there/'script.py').write_text(SCRIPT)
    (there/'mine.py').write_text('class Idle:\n def __init__(self, *_): pass\ndef twice(x): return 2*x\n')
    kinds = {k: WANTED[k] for k in kinds}
    if not importlib.util.find_spec('pyboy'): kinds = {k: v for k, v in kinds.items() if k not in ('pyboys', 'compare')}
    env = os.environ | dict(PYTHONPATH=str(ROOT), RAN=str(tmp_path/'ran'), LINK=str(link), INNOCENT=str(innocent), PYTHONSAFEPATH='')
    run = processes.python(there/'script.py', how, *kinds, cwd=str(here), env=env)
    assert not run.returncode, run.stderr
    pid, said = json.loads(run.stdout.splitlines()[-1])
    ran = [line for line in (tmp_path/'ran').read_text().splitlines() if line.split()[0] != str(pid)] if (tmp_path/'ran').exists() else []
    if 'atlas' in said: said['atlas'] = [text[:18] for text in said['atlas']]
    assert not ran, ran
    assert said == kinds, run.stderr

LOADS = """import sys, gbxnb
heavy = lambda: [m for m in ('numpy', 'warp', 'torch') if m in sys.modules]
print(heavy(), gbxnb.Emulator and heavy(), gbxnb.make and heavy())"""

@pytest.mark.slow
def test_what_the_front_door_loads():
    "Nothing, then no torch, then all: `base/10_front_door` shows it, and leaves torch out in a test."
    said = subprocess.run([sys.executable, '-c', LOADS], cwd=ROOT, capture_output=True, text=True)
    assert said.stdout == "[] ['numpy', 'warp'] ['numpy', 'warp', 'torch']\n", said

def test_the_path_that_is_handed_on(tmp_path, monkeypatch):
    "Packages in their order, then the rest; the current folder is left out under all its names, and nothing fails once it is gone."
    here, lib, installed, zipped = (str(tmp_path/k) for k in ('here', 'lib', 'site-packages', 'lib.zip'))
    for k in here, lib, installed, f'{here}/own': os.mkdir(k)
    os.symlink(here, tmp_path/'link')
    monkeypatch.chdir(here)
    names = ['', '.', here, f'{lib}/../here', str(tmp_path/'link'), lib, '../lib', 'own', '__editable__.x.__path_hook__', zipped, installed]
    monkeypatch.setattr(sys, 'path', [*names, b'bytes', Path(lib)])
    assert pool._import_path() == [installed, lib, lib, f'{here}/own', '__editable__.x.__path_hook__', zipped]
    os.rmdir(f'{here}/own')
    os.rmdir(here)
    found = pool._import_path()
    assert found[0] == installed and lib in found and not {'', '.'} & {*found}

def test_a_loop_that_is_left_ends_its_calls(tmp_path, monkeypatch):
    "The first result is there while the others work; leaving the loop, by Ctrl-C as well, ends them."
    (tmp_path/'slow_calls.py').write_text('import time\n\ndef wait(seconds):\n    time.sleep(seconds)\n    return seconds\n')
    monkeypatch.syspath_prepend(tmp_path)
    started, start = [], pool.start_python
    monkeypatch.setattr(pool, 'start_python', lambda *words, **how: started.append(start(*words, **how)) or started[-1])
    with pytest.raises(KeyboardInterrupt):
        for k, seconds in pool.call_each('slow_calls:wait', [[600], [0], [600]], 2, Meter('waiting', 3, 'call')):
            assert (k, seconds) == (1, 0)
            raise KeyboardInterrupt
    assert len(started) == 2 and all(p.returncode is not None for p in started)
