"""What the processes of the checks have from their beginning, because the one that they are forked from has it: every module, the kernels
of the bundled game, and plots that are blank unless a test is about plots."""
import functools, gc, importlib, io, os, pkgutil, tempfile
from contextlib import suppress

import gbxnb
import processes
from PIL import Image
from gbxnb.base.startup import kernel_file, start_warp
from gbxnb.emulator.cpu import MAX_ROUND_STEPS
from surroundings import PLOTS

PACKAGES = *processes.PRELOAD, 'IPython', 'nbdev.test', 'execnb.shell'
PLAY = ('--num-envs 4 --rollout-steps 8 --minibatches 2 --epochs 1 --model small town/house --device cpu --max-steps 6 --steps 32 '
        '--episodes 2').split()

def import_modules():
    "All that the package has; a module whose own packages are absent is left out."
    for name in PACKAGES: importlib.import_module(name)
    for m in pkgutil.walk_packages(gbxnb.__path__, 'gbxnb.'):
        with suppress(ImportError): importlib.import_module(m.name)

def blank_plots():
    "Let a plot be as large as it is, and white: to draw one takes as long as to play 10,000 frames."
    from matplotlib.figure import Figure
    draw = Figure.savefig
    @functools.wraps(draw)
    def savefig(fig, to, **how):
        if how.get('format') != 'rgba' or os.environ.get(PLOTS) == 'drawn': return draw(fig, to, **how)
        wide, high = (int(inches*how['dpi']) for inches in fig.get_size_inches())
        to.write(b'\xff'*(4*wide*high))
    Figure.savefig = savefig

def blank_curves():
    "Let the curves that a run draws of its log be a white picture: to arrange one takes as long as to train for a moment."
    from gbxnb.logs.plots import read_run
    from gbxnb.training import callbacks
    draw, white = callbacks.plot_bytes, io.BytesIO()
    Image.new('P', (1600, 1400), (255, 255, 255)).save(white, 'PNG')
    @functools.wraps(draw)
    def plot_bytes(logs):
        if os.environ.get(PLOTS) == 'drawn': return draw(logs)
        for log in logs: read_run(log)
        return white.getvalue()
    callbacks.plot_bytes = plot_bytes

def play():
    "Train, evaluate and film for a moment: what that loads and remembers, those who are forked have."
    from gbxnb.base.command import call
    from gbxnb.games.demo import demo_cli
    with tempfile.TemporaryDirectory() as d: status, _, said = call(demo_cli, '--out', f'{d}/demo', *PLAY)
    assert not status, said

def kernel_modules():
    "Those of the package's kernels that are there once it is imported, and the interpreter, which takes longest."
    import warp as wp
    from gbxnb.emulator.emulator import _kernel
    there = [m for m in wp._src.context.user_modules.values() if m.kernels and not m.name.startswith('warp.')]
    builds = dict(checks=False, max_round_steps=0), dict(checks=True, max_round_steps=MAX_ROUND_STEPS)
    return [*(_kernel(shortcuts=True, **build).module for build in builds), *there]

def compile_kernels():
    "On all cores what no process has compiled before; the kernels of pages follow when they are read."
    start_warp()
    modules = kernel_modules()
    missing = [m for m in modules if not kernel_file(m, 1)[0].exists()]
    if not missing: return
    cores = len(os.sched_getaffinity(0))
    print(f'{len(missing)} of {len(modules)} kernels are compiled first, on {cores} cores, which takes some minutes', flush=True)
    lanes = []
    for k in range(cores):
        if lane := os.fork():
            lanes.append(lane)
            continue
        try:
            for m in missing[k::cores]: m.load('cpu', 1)
        finally: os._exit(0)
    for lane in lanes: os.waitpid(lane, 0)

def warm():
    import_modules()
    blank_plots()
    blank_curves()
    processes.open_nest('cold') # before Warp is started
    with suppress(ImportError): importlib.import_module('pyboy')
    compile_kernels()
    play()
    gc.collect()
    gc.freeze() # collectors of garbage need not look at any of it
