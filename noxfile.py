"""The wheel in clean environments: `make pythons`, or `nox -s newest -p 3.12 -- dist/gbxnb.whl`.

Each promised Python has the newest packages, the oldest the lowest ones, too. Outside of the checkout, a
training is resumed, evaluated and filmed, and consoles end in the state that they have everywhere."""
import configparser, shlex
from pathlib import Path

import nox

ROOT = Path(__file__).parent
config = configparser.ConfigParser(delimiters=['='])
config.read(ROOT/'settings.ini', encoding='utf-8')
facts = config['DEFAULT']
first, last = (int(facts[name].split('.')[1]) for name in ('min_python', 'max_python'))
PYTHONS = [f'3.{minor}' for minor in range(first, last + 1)]
EXTRAS = 'rl', 'lab'
nox.options.default_venv_backend = 'uv'

STATE = '''
import numpy as np
from gbxnb import Emulator
from gbxnb.games.bundled import rom
e = Emulator(rom(), n=4)
for k in range(60):
    e.set_buttons(np.array([k*37 + 16*i & 255 for i in range(4)], np.uint8))
    e.run_frames(4)
assert e.hash() == '523e36f7eaef2c3f', e.hash()
'''
IMPORTS = '''
import importlib, pkgutil, sys, gbxnb
from gbxnb.base.files import UserError
assert gbxnb.__file__.startswith(sys.prefix), gbxnb.__file__
for m in pkgutil.walk_packages(gbxnb.__path__, 'gbxnb.'):
    try: importlib.import_module(m.name)
    except UserError as e: assert 'pip install' in str(e), m.name
'''
FEW = '--num-envs=4 --rollout-steps=8 --minibatches=2 --device=cpu --out=run'
COMMANDS = ['doctor --seconds=.1',
            f'train town/house --model=small {FEW} --steps=64 --max-steps=6 --eval-episodes=0',
            'train --resume --steps=128 --eval-episodes=0 --out=run',
            'eval run --episodes=4 --device=cpu --out=eval.json',
            'film run --num-envs=2 --steps=3 --scale=1 --device=cpu --out=film',
            'log check run', 'log plot run --out=plot.png']

def try_wheel(session, resolution):
    "Install the wheel with its extras, each requirement beside it so that its own lower bound counts."
    out = Path(session.create_tmp()).resolve() # commands run elsewhere
    if not session.posargs:
        session.run('uv', 'build', '-q', '--wheel', '--out-dir', str(out), str(ROOT), external=True)
    wheel = Path(session.posargs[0] if session.posargs else max(out.glob('*.whl'))).resolve()
    names = 'requirements', *(f'{e}_requirements' for e in EXTRAS)
    named = [r for name in names for r in shlex.split(facts[name])]
    session.install('--only-binary', ':all:', '--resolution', resolution,
                    f'gbxnb[{",".join(EXTRAS)}] @ {wheel.as_uri()}', *named)
    home = out/'home'
    home.mkdir(exist_ok=True)
    session.chdir(home) # empty, and that of a new user
    env = dict(HOME=str(home), USERPROFILE=str(home), OMP_NUM_THREADS='1', MPLBACKEND='Agg')
    for code in STATE, IMPORTS: session.run('python', '-I', '-c', code, env=env)
    for command in COMMANDS: session.run('gbxnb', *shlex.split(command), env=env)

@nox.session(python=PYTHONS)
def newest(session): try_wheel(session, 'highest')

@nox.session(python=PYTHONS[0])
def lowest(session): try_wheel(session, 'lowest-direct')
