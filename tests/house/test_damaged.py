"""Every format that is read, damaged: a table of good files and of what reads them.

Whatever has become of the files, they are read, or refused in a line, and a refusal has changed nothing. Nothing outside of the folder is
touched or quoted, nothing that a file names is imported, nothing is unpickled, and memory is bounded. A signal ends the test's process,
which is a failure. Some tries of each are made in `make test`, a thousand in `make slow`."""
import contextlib, functools, io, json, os, pickle, random, resource, shutil, sys, tempfile
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Callable
from unittest import mock

import numpy as np
import pytest
import torch
import warp as wp
from addresses import GuardedBefore, GuardedEmulator
from damage import CRASH_WORDS, damage, npz, other_kind
from gbxnb.base.command import call
from gbxnb.base.files import UserError, cli_errors, sha256, MANIFEST
from gbxnb.base.startup import find_device
from gbxnb.emulator.cartridge import Cartridge, RomError, header_checksum
from gbxnb.emulator.emulator import Emulator
from gbxnb.emulator.machine import Reg, words_of
from gbxnb.emulator.rows import StateError, boot_row, load_snapshot, save_snapshot
from gbxnb.envs.config import EnvConfig
from gbxnb.envs.goal import GoalJudge, GoalTemplate
from gbxnb.envs.pixels import PixelsEnv
from gbxnb.envs.start_set import with_starts
from gbxnb.envs.task import GameBoyConfig, Task, make_task
from gbxnb.explore import explorer as saved
from gbxnb.explore.atlas import Atlas
from gbxnb.explore.explore import explore_cli
from gbxnb.games import bundled as game
from gbxnb.games.asm import symbol_text
from gbxnb.games.bundled import probe_picture, probe_rom
from gbxnb.goals.capture import goal_capture_cli, join_goals, replay_check
from gbxnb.logs.schema import LogWriter, read_log, Resume
from gbxnb.logs.plots import EVENTS, log_tensorboard_cli
from gbxnb.logs.validate import log_check_cli
from gbxnb.runs.policy import eval_cli, make
from gbxnb.runs.train import train_cli
from gbxnb.saves.save_files import from_bess, to_bess, pack_pyboy, parse_state
from gbxnb.saves.pyboy import new_pyboy, state_record, from_pyboy, to_pyboy
from gbxnb.traces import cache as traces
from gbxnb.worlds.gameboy import make_gameboy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from microroms import ROMS
from pages import root
from watched import SECRET, Room, one_line, room, steady_clock, tree, watching, working_in
from wild import cartridge, program, run_some, start_programs

EVIL = b'"What is imported if a file says so."\nNet = None\n'
ROOM = 6 << 30 # bytes of addresses that a try may have beside what was there

@dataclass
class Format:
    "Good files, and what reads them: a function, or commands of a `Room`, which looks itself at what they touch."
    files: dict
    read: Callable
    commands: bool = False
    free: tuple = () # names that reading may write
    damage: Callable = damage
    errors: tuple = UserError,
    kinds: bool = True # whether something else may stand in the place of a file
    reads: tuple = field(default=('/dev/zero', 'theirs/notes.txt', 'theirs/secret')) # where links lead, and a ROM may lie

def folder(path): return {name: data for name, data in tree(path).items() if isinstance(data, bytes) and not name.endswith('.lock')}

# States of consoles

@functools.cache
def consoles():
    "A cartridge, the row of a console that does what no game does, and a console of the debug build between guard pages."
    rom, rng = cartridge(0x10, 32), np.random.default_rng(0)
    wild, debug = Emulator(rom, 6, threads=1, device='cpu'), GuardedEmulator(rom, threads=1, checks=True)
    start_programs(wild, rng)
    for _ in range(3): run_some(wild, rng)
    rows = [boot_row(wild.cart), *wild.rows.numpy().copy()]
    return wild.cart, next(r for r in rows[::-1] if to_pyboy_or_none(wild.cart, r)), debug

def to_pyboy_or_none(cart, row):
    try: return to_pyboy(cart, row)
    except StateError as e: one_line(e)

def in_every_format(cart, row, log):
    screen = np.zeros((144, 160), np.uint8)
    return {'state.npz': save_snapshot(cart, row, log, screen), 'bess': to_bess(cart, row), 'pyboy': to_pyboy_or_none(cart, row)}

def run_state(r, rng):
    "Saved and read again bit for bit, and run without a broken rule."
    cart, _, debug = consoles()
    row, log = parse_state(cart, next(p for p in r.mine.iterdir() if p.name != 'notes.txt').read_bytes(), 'mine')
    data = in_every_format(cart, row, log)
    assert (load_snapshot(cart, data['state.npz'])[0] == row).all() and (from_bess(cart, data['bess']) == row).all()
    if data['pyboy']: from_pyboy(cart, data['pyboy'])
    if words_of(row)[Reg.FAULT] >= 0x200: return # the debug build had found something when it was saved
    debug.load(row)
    debug.log.assign(log[None])
    for frames in 0, 1:
        if frames: debug.run_frames(frames)
        else: run_some(debug, np.random.default_rng(rng.randrange(10**6)))
        assert debug.faults[0] < 0x200, f'a rule of the debug build broke: {debug.faults[0]:X}'
    parse_state(cart, in_every_format(cart, debug.save(), debug.log.numpy()[0])['bess'], 'mine')

def state(name):
    cart, row, _ = consoles()
    return Format({name: in_every_format(cart, row, np.zeros((144, 8), np.uint8))[name]}, run_state, kinds=False)

KEPT = 'pc', 'hl', 'sp', 'rom_bank', 'version', 'cgb', 'vram', 'oam', 'wram', 'hram', 'screen', 'sram' # or PyBoy hangs

def places(dtype, at=0):
    "Where the numbers of a record lie, and their types."
    for name, (inner, k, *_) in dtype.fields.items():
        if inner.names: yield from places(inner, at + k)
        elif name not in KEPT: yield at + k, inner

def pyboy():
    "What is accepted, PyBoy itself must survive: a compiled program that trusts its files."
    pytest.importorskip('pyboy')
    cart, row, _ = consoles()
    row = boot_row(cart)
    theirs = new_pyboy(cart, pack_pyboy(cart, bytes(cart.ram_bytes)), True)
    numbers = [*places(state_record(cart, 804))]
    def change(rng, good):
        data = bytearray(good['pyboy'])
        for at, kind in rng.choices(numbers, k=rng.choice((1, 1, 2, 6))):
            data[at:at + kind.base.itemsize] = rng.randbytes(kind.base.itemsize)
        return dict(pyboy=bytes(data))
    def read(r, rng):
        data = (r.mine/'pyboy').read_bytes()
        parse_state(cart, data, 'mine')
        theirs.load_state(io.BytesIO(data))
        for _ in range(3): theirs.tick(1, True, True)
    return Format(dict(pyboy=to_pyboy(cart, row)), read, damage=change, kinds=False)

def environment():
    "A state of environments: it is refused as a whole, or what is saved then can be loaded."
    goal = GoalTemplate(probe_picture(5, 2), sha256(probe_rom()), '0'*64, '0'*64, tau=.001, k_consecutive=2)
    env = PixelsEnv(probe_rom(), 3, EnvConfig(max_steps=3, stack_k=2, start_noops=2), judge=GoalJudge(goal), device='cpu')
    env.reset(seed=1)
    for a in 6, 5, 4, 3: env.step(torch.full((3,), a))
    def same(a, b): return a.keys() == b.keys() and all(np.array_equal(a[k], b[k]) for k in a)
    def read(r, rng):
        before, arrays = env.state_dict(), dict(np.load(io.BytesIO((r.mine/'state.npz').read_bytes())))
        try: env.load_state_dict(arrays)
        except Exception:
            assert same(env.state_dict(), before)
            raise
        env.step(torch.tensor([rng.randrange(7) for _ in range(3)]))
        env.load_state_dict(again := env.state_dict())
        assert same(env.state_dict(), again)
    return Format({'state.npz': npz(env.state_dict())}, read, errors=(Exception,), kinds=False) # NumPy reads it

# Tasks

def task_of(several=False, watch=None):
    "A task's folder, with one goal or several, is judged."
    walks = [make_task(probe_rom(), [(0, 20), (8, 8), (0, 8)], actions, tau=.003) for actions in ([6, 6, 6], [6, 4])]
    task = replace(walks[0], goal=join_goals([t.goal for t in walks])) if several else walks[0]
    with tempfile.TemporaryDirectory() as d: files = folder(task.save(f'{d}/task'))
    def read(r, rng): replay_check(probe_rom(), r.mine)
    return Format(files, read, free=('replay_check.json', MANIFEST))

LIST = dict(variables=dict(x='wPlayer', pair=dict(at='wBox', size=2, endian='big', mask=0x7FF), digits=dict(at=0xC400, size=2, bcd=True),
                           low=dict(at=0xC500, signed=True)),
            hooks=['Talk', 'Menu'], observe=['x', 'pair'], begin=dict(low=[-3, 5], digits=12), coverage=dict(x=10))

def watched():
    "A task with a watch list, and with symbols that it may name: its list changes no picture."
    with tempfile.TemporaryDirectory() as d, make('town/house', 2, device='cpu', watch=LIST) as env: files = folder(env.task.save(f'{d}/t'))
    def read(r, rng):
        with make_gameboy(GameBoyConfig(task=str(r.mine), max_steps=9), 2) as env:
            env.reset(seed=1)
            env.step(torch.zeros(2, dtype=torch.int64))
            env.load_state_dict(env.state_dict())
            assert not env.errors()
    return Format(files | {'game.sym': symbol_text(game.program()).encode()}, read)

def start_set():
    "A task with a start set, played from the starts that are drawn."
    task = with_starts(Cartridge.load(game.rom()), game.bundled_task('town/house'), EnvConfig(max_steps=32), count=8, steps=4096)
    with tempfile.TemporaryDirectory() as d: files = folder(task.save(f'{d}/t'))
    def read(r, rng):
        config = GameBoyConfig(task=str(r.mine), max_steps=9, starts=rng.choice(['known', 'held_out']))
        with make_gameboy(config, 4, training=True) as env:
            env.reset(seed=1)
            env.step(torch.zeros(4, dtype=torch.int64))
            env.demonstration()
    return Format({k: files[k] for k in sorted(files, key=lambda k: k != 'starts.npz')}, read)

def script():
    "A script leads to a task that can be read and captured again, or the folder stays as it was."
    where = Path(tempfile.mkdtemp())/'probe.gb'
    where.write_bytes(probe_rom())
    def read(r, rng):
        status = r.call(goal_capture_cli, where, out=r.mine/'goal', script=r.mine/'script.json', tau=.003, folder='mine/goal')[0]
        if not status: Task.load(r.mine/'goal')
        return status
    good = dict(buttons=[['A', 8], ['', 20], ['A+UP', 3]], actions=['DOWN']*5)
    return Format({'script.json': json.dumps(good).encode()}, read, commands=True, reads=(where, '/dev/zero', 'theirs/notes.txt'))

# Runs

def log():
    "A log is judged, exported, or taken up; a whole line of it is never lost."
    example = root/'nbs/logs/example_log.jsonl'
    meta = read_log(example).meta
    where = Resume(run_id=meta.run_id, trace_id='example-u000001', env_steps=128, opt_steps=8, update=1)
    def read(r, rng):
        path = r.mine/'train_log.jsonl'
        match rng.randrange(3):
            case 0: return r.call(log_check_cli, path, report=True)[0]
            case 1: return r.call(log_tensorboard_cli, path, out=r.mine/'tb', free=[f'mine/tb/{EVENTS}'])[0]
        had = path.read_bytes() if path.is_file() and not path.is_symlink() and path.stat().st_size < 10**8 else b''
        before = tree(r.path)
        try:
            with watching(path): LogWriter(path, meta, where).close()
        except UserError as e:
            one_line(e, 1000)
            assert tree(r.path) == before
            return 1
        assert path.read_bytes().startswith(had[:had.rfind(b'\n') + 1]), 'a whole line is gone'
    return Format({'train_log.jsonl': example.read_bytes()}, read, commands=True, reads=None)

def checkpoint():
    "A run goes on, or its policy is judged."
    with tempfile.TemporaryDirectory() as d, steady_clock():
        assert call(train_cli, '--out', Path(d)/'mine', *CRASH_WORDS)[0] == 0
        files = folder(Path(d)/'mine')
    def read(r, rng):
        if rng.random() < .4:
            return r.call(train_cli, '--out', r.mine, '--resume', '--steps', 128, '--device', 'cpu', '--eval-episodes', 0, folder='mine')[0]
        return r.call(eval_cli, r.mine, '--quick', '--device', 'cpu', '--episodes', 2)[0]
    return Format(files | {'evil.py': EVIL, 'world/evil.py': EVIL}, read, commands=True)

# Exploring

@contextlib.contextmanager
def small_computer():
    "Let there be a gigabyte of memory, so that a file that asks for more is refused on any computer."
    with mock.patch.object(saved, 'free_bytes', lambda _: 1 << 30), mock.patch.object(saved, 'memory', lambda: (1 << 30, 1 << 30)): yield

def exploration():
    task = make_task(probe_rom(), [(0, 20), (8, 8), (0, 8)], [6, 6, 6], tau=.003)
    cfg = saved.ExploreConfig(num_envs=8, max_places=200, max_rows=40)
    with tempfile.TemporaryDirectory() as d, saved.Explorer(probe_rom(), task.start, cfg, device='cpu') as e:
        e.run(800)
        good = saved.save_exploration(Path(d)/'e.npz', e).read_bytes()
    def read(r, rng):
        with small_computer(), saved.load_exploration(r.mine/'e.npz', probe_rom(), device='cpu') as e:
            e.run(8*e.cfg.num_envs)
            saved.save_exploration(r.mine/'again.npz', e)
    return Format({'e.npz': good}, read, free=('again.npz',))

def atlas():
    "An atlas is drawn, and its places are tasks."
    with tempfile.TemporaryDirectory() as d:
        (Path(d)/'probe.gb').write_bytes(probe_rom())
        words = dict(out=Path(d)/'atlas', num_envs=16, steps=512, places=4, shorten_steps=64, device='cpu')
        assert call(explore_cli, Path(d)/'probe.gb', **words)[0] == 0
        files = folder(Path(d)/'atlas')
    def read(r, rng):
        atlas = Atlas.load(r.mine)
        wide, high = atlas.picture().size
        assert wide*high <= 2*10**8
        assert isinstance(atlas.task(rng.randrange(1, len(atlas) + 1)), Task)
    return Format(files, read)

# Native code and cartridges

def compiled():
    "What is loaded of a cartridge's traces has the hash that was written with it."
    cart, device, load = Cartridge.load(game.rom()), find_device(traces.CPU), wp.load_aot_module
    if not traces.load_traces(cart, device): traces.compile_traces(cart, traces.CPU)
    at = traces.cache_folder(cart, traces.CPU)
    names = traces.ENTRY, traces.PROFILE, *traces.read_entry(at, cart)['files']
    files = {f'{at.parent.name}/{at.name}/{n}': (at/n).read_bytes() for n in names}
    known = {sha256(data) for data in files.values()}
    def checked(module, *args, module_dir, **more):
        assert {sha256(p.read_bytes()) for p in Path(module_dir).glob('*.o')} <= known, 'native code without a hash in the entry'
        return load(module, *args, module_dir=module_dir, **more)
    def read(r, rng):
        (r.mine/'tmp').mkdir()
        for folder in (r.mine, *(p for p in r.mine.rglob('*') if p.is_dir() and not p.is_symlink())): folder.chmod(0o700)
        with (mock.patch.object(traces, '_loaded', {}), mock.patch.object(wp.config, 'kernel_cache_dir', str(r.mine)),
              mock.patch.object(tempfile, 'tempdir', str(r.mine/'tmp')), mock.patch.object(wp, 'load_aot_module', checked)):
            traces.read_traces(cart, traces.CPU)
            traces.load_traces(cart, device)
    return Format(files, read, free=('tmp',), damage=functools.partial(damage, agree=0)) # who may write the entry is trusted

BOARDS = 0, 1, 2, 3, 5, 6, 8, 9, 0x0F, 0x10, 0x11, 0x12, 0x13, 0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E

def rom():
    "A cartridge with other code and another header: two consoles with the same keys stay equal, between guard pages, in both builds."
    base = [game.rom(), *(m.program().rom for m in [*ROMS.values()][::15])]
    def change(rng, good):
        data = bytearray(rng.choice(base) if rng.random() < .9 else rng.randbytes(0x8000))
        data[0x147] = rng.choice(BOARDS) if rng.random() < .9 else rng.randrange(256)
        data[0x148:0x14A] = bytes([rng.randrange(3 if rng.random() < .9 else 12), rng.randrange(6)])
        data += bytes(max(0, (0x8000 << min(data[0x148], 4)) - len(data)) if rng.random() < .9 else rng.randrange(0x10000))
        for _ in range(rng.choice((0, 1, 10, 200))): data[rng.randrange(0x150, len(data))] = rng.randrange(256)
        if rng.random() < .7:
            code = program(np.random.default_rng(rng.randrange(10**6)), 300)
            data[0x100:0x103], data[0x150:0x150 + len(code)] = b'\xc3\x50\x01', code
        if rng.random() < .95: data[0x143], data[0x14D] = data[0x143] & 0x7F, header_checksum(data)
        return {'rom': bytes(data[:rng.randrange(len(data))] if rng.random() < .05 else data)}
    def read(r, rng):
        try: cart = Cartridge.load((r.mine/'rom').read_bytes())
        except RomError as e: return one_line(e) or True
        hashes = set()
        keys = [rng.randrange(256) for _ in range(3)]
        for kind, checks in (GuardedEmulator, False), (GuardedBefore, True):
            e = kind(cart, 2, threads=1, serial_bytes=5, checks=checks, ram_seed=-1)
            for k in keys:
                e.set_buttons(np.full(2, k, np.uint8))
                e.run_frames(4)
            e.run_cycles(3000)
            assert not (e.faults >= 0x200).any() and e.hash(0) == e.hash(1)
            hashes.add(e.hash())
        assert len(hashes) == 1, 'the debug build runs otherwise'
    return Format({'rom': game.rom()}, read, damage=change, commands=True, kinds=False)

FORMATS = {'snapshot': lambda: state('state.npz'), 'BESS': lambda: state('bess'), "PyBoy's state": lambda: state('pyboy'), 'PyBoy': pyboy,
           'environment': environment, 'task': task_of, 'several goals': lambda: task_of(several=True), 'watch list': watched,
           'start set': start_set, 'script': script, 'log': log, 'checkpoint': checkpoint, 'exploration': exploration, 'atlas': atlas,
           'traces': compiled, 'ROM': rom}
made = functools.cache(lambda name: FORMATS[name]())

@contextlib.contextmanager
def bounded():
    "Let this process have so many bytes more: what a file makes vast is a MemoryError."
    had, most = resource.getrlimit(resource.RLIMIT_AS)
    now = int(Path('/proc/self/statm').read_text().split()[0])*resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + ROOM, most))
    try: yield
    finally: resource.setrlimit(resource.RLIMIT_AS, (had, most))

def attempt(form, seed):
    "One try; whether the files were refused."
    rng = random.Random(seed)
    with room() as r, working_in(r.mine), bounded():
        r.reads = form.reads and [r.path/p for p in form.reads]
        files = form.damage(rng, form.files) if seed else form.files
        r.fill({name: data.replace(b'@THEIRS', bytes(r.theirs)) for name, data in files.items()})
        if seed and form.kinds and rng.random() < .08:
            other_kind(rng, rng.choice(sorted(p for p in r.mine.rglob('*') if p.is_file())), r.theirs)
        if form.commands: return bool(form.read(r, rng))
        before = tree(r.path)
        def changed(): return {k for k in before.keys() | tree(r.path).keys() if before.get(k) != tree(r.path).get(k)}
        try:
            with watching(r.mine, r.reads): form.read(r, rng)
        except form.errors as e:
            if form.errors != (Exception,): one_line(str(e).replace(str(r.path), ''))
            assert not isinstance(e, AssertionError), e
            assert changed() <= {'mine/tmp', 'mine/.lock'}, 'refused, and yet changed'
            return True
        assert {k.split('/')[1] for k in changed()} <= {*form.free, '.lock'}, changed()
    return False

@pytest.mark.parametrize('count', [8, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize('name', FORMATS)
def test_damaged(name, count):
    form, came = made(name), Counter()
    assert not attempt(form, 0), 'one that nobody has changed'
    @settings(max_examples=count, deadline=None, derandomize=True, database=None, report_multiple_bugs=False,
              suppress_health_check=list(HealthCheck))
    @given(st.integers(1, 2**40))
    def one(seed): came[attempt(form, seed)] += 1
    one()
    assert not {'evil', 'world.evil', 'this'} & {*sys.modules}, 'imported because a file says so'
    assert came[True] or count < 100, 'nothing was refused'

# What is watched

def linked(mine):
    "Write through a link to somebody else's file."
    (mine/'link').symlink_to(mine.parent/'theirs/notes.txt')
    (mine/'link').write_text('')

OUTSIDE = {
    'write': lambda mine: (mine.parent/'theirs/notes.txt').write_text(''), 'append': lambda mine: open(mine.parent/'theirs/notes.txt', 'a'),
    'make': lambda mine: (mine.parent/'new').mkdir(), 'remove': lambda mine: (mine.parent/'theirs/notes.txt').unlink(), 'link': linked,
    'move away': lambda mine: (mine.parent/'theirs').rename(mine/'theirs'),
    'truncate': lambda mine: os.truncate(mine.parent/'theirs/notes.txt', 0),
    'move there': lambda mine: (mine/'notes.txt').rename(mine.parent/'x'), 'run': lambda mine: os.system('true'),
    'remove by an open folder': lambda mine: shutil.rmtree(mine.parent/'theirs'),
    'unpickle': lambda mine: pickle.loads(pickle.dumps(os.getcwd)), 'swallow': lambda mine: (mine.parent/'gone').unlink(missing_ok=True)}

@pytest.mark.parametrize('how', OUTSIDE)
def test_touched_outside(tmp_path, how):
    room = Room(tmp_path)
    room.fill({})
    with pytest.raises(AssertionError, match='touched outside'), watching(room.mine): OUTSIDE[how](room.mine)

READING = dict(by_name=lambda mine: (mine.parent/'theirs/secret').read_text(), up=lambda mine: (mine/'../theirs/secret.sym').read_bytes(),
               link=lambda mine: ((mine/'link').symlink_to('../theirs/secret.json'), (mine/'link').read_text()),
               system=lambda mine: open('/etc/passwd').close(), device=lambda mine: open('/dev/zero').close())

@pytest.mark.parametrize('how', READING)
def test_read_outside(tmp_path, how):
    "It is noticed where that is asked for, unless it may be read."
    room = Room(tmp_path)
    room.fill({})
    with pytest.raises(AssertionError, match='read '), watching(room.mine, ()): READING[how](room.mine)
    (room.mine/'link').unlink(missing_ok=True)
    with watching(room.mine, (room.theirs, '/etc', '/dev')): READING[how](room.mine)
    with watching(room.mine, ()): (room.mine/'notes.txt').read_text()

@pytest.mark.parametrize('text', ['two\nlines', 'x'*701, f'line 1: {SECRET!r} is no symbol'])
def test_what_is_no_line(text):
    with pytest.raises(AssertionError): one_line(Exception(text))
    one_line(UserError('one line'))

def refuse(mine): raise UserError('no')
def change_and_refuse(mine):
    (mine/'notes.txt').write_text('other')
    refuse(mine)

@pytest.mark.parametrize('do, word', [
    (change_and_refuse, 'refused, and yet changed'), (lambda mine: (mine/'notes.txt').unlink(), 'of others'),
    (lambda mine: (mine/'new').write_text(''), 'left behind'), (lambda mine: sys.exit(2), None), (lambda mine: 1//0, 'division'),
    (lambda mine: print('Traceback', file=sys.stderr), 'Traceback'), (lambda mine: bytearray(1 << 62), 'took more memory'),
    (lambda mine: print((mine.parent/'theirs/secret').read_text()), 'quoted')])
def test_a_command_that_breaks_a_rule(tmp_path, do, word):
    room = Room(tmp_path)
    room.fill({})
    with pytest.raises((AssertionError, ZeroDivisionError), match=word): room.call(cli_errors(lambda argv: do(room.mine)))
    assert Room(tmp_path/'x').call(cli_errors(lambda argv: refuse(None)))[0] == 1
