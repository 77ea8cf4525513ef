"What the system or the environment does not allow is one line that says what to do: processes, threads, stack, odd variables, copies."
import copy, errno, os, pickle, subprocess, threading

import numpy as np
import processes
import pytest
from gbxnb.backends.warp import make_backend
from gbxnb.bench.learning import learn_cli
from gbxnb.base.command import call
from gbxnb.traces import cache as compiling
from gbxnb.games import bundled as game
from gbxnb.emulator.emulator import Emulator
from gbxnb.traces.cache import use_traces
from gbxnb.envs.task import find_start
from gbxnb.explore.explorer import ExploreConfig, Explorer
from gbxnb.explore import explorer as saved # noqa: F401 (an explorer's states)
from gbxnb.base.files import UserError
from gbxnb.base.parallel import Pool
from gbxnb.runs.film import film_cli

@pytest.fixture
def no_process(monkeypatch):
    def refuse(*args, **how): raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    monkeypatch.setattr(subprocess, 'Popen', refuse)

@pytest.fixture
def no_thread(monkeypatch):
    def refuse(self): raise RuntimeError("can't start new thread")
    monkeypatch.setattr(threading.Thread, 'start', refuse)

def one_line(status, out, err):
    assert status == 1 and not out and err.count('\n') == 1, err
    return err

def test_without_processes_traces_are_not_compiled(no_process, monkeypatch, capsys):
    "The interpreter goes on, with one line."
    monkeypatch.setattr(compiling, 'load_traces', lambda cart, device: None)
    e = Emulator(game.rom(), 1, threads=1)
    use_traces(e, 'wait')
    e.run_frames(2)
    said = capsys.readouterr().err
    assert e.loader.state == 'failed' and said.count('\n') == 1 and 'GBXNB_TRACES=off' in said and 'unavailable' in said

def test_without_processes_there_is_no_pool(no_process):
    with pytest.raises(UserError, match='cannot be started .*unavailable.* fewer') as e:
        Pool('a:b', dict(a=np.zeros(2)), [(0, 1), (1, 1)])
    assert '\n' not in str(e.value)

def test_without_processes_a_benchmark_says_so(no_process):
    assert 'fewer --jobs' in one_line(*call(learn_cli, 'catch', '--seeds', 1))

def test_without_threads_a_batch_says_so(no_thread, tmp_path, monkeypatch):
    "A batch and a command, whichever thread is the first; with one thread there is nothing to start."
    with pytest.raises(UserError, match='3 more threads cannot be started .*threads=1') as e: Emulator(game.rom(), 64, threads=4)
    assert '\n' not in str(e.value)
    Emulator(game.rom(), 64, threads=1).run_frames(1)
    monkeypatch.setattr('gbxnb.emulator.emulator.cores', lambda: [0, 1])
    assert 'threads' in one_line(*call(film_cli, '--num-envs', 2, '--steps', 2, '--device', 'cpu', '--out', tmp_path/'film'))

SMALL = 'import resource\nresource.setrlimit(resource.RLIMIT_STACK, (256 << 10,)*2)\n'
FILM = 'from gbxnb.__main__ import main; main()', 'film', '--num-envs', '2', '--steps', '2', '--device', 'cpu', '--out'
MADE = 'import gbxnb, gbxnb.base.files, gbxnb.games.bundled as game\ngbxnb.base.files.cli_errors(lambda: gbxnb.Emulator(game.rom()))()',

@pytest.mark.parametrize('words', [FILM, MADE], ids=['command', 'constructor'])
def test_a_small_stack_is_one_line(words, tmp_path):
    "Where kernels would end the process by a signal."
    words = [*words, tmp_path/'film'] if words is FILM else words
    run = processes.python(SMALL + words[0], *words[1:], nest='cold')
    assert run.returncode == 1 and run.stderr.count('\n') == 1 and 'ulimit -s 8192' in run.stderr, (run.returncode, run.stderr)

@pytest.mark.parametrize('said, checks', [('true', True), ('YES', True), ('on', True), ('1', True), ('0', False), ('off', False),
                                          ('No', False), ('false', False), ('', False)])
def test_the_debug_build_has_many_names(said, checks, monkeypatch):
    monkeypatch.setenv('GBXNB_CHECKS', said)
    assert Emulator(game.rom(), 1, threads=1).build['checks'] is checks

def test_an_unknown_name_is_no_debug_build(monkeypatch):
    monkeypatch.setenv('GBXNB_CHECKS', 'treu')
    with pytest.raises(UserError, match="GBXNB_CHECKS is 'treu', but must be one of 1, true, yes, on"): Emulator(game.rom(), 1)

def owners():
    rom = game.rom()
    yield Emulator(rom, 1, threads=1)
    yield make_backend('warp', rom, 1, 'cpu')
    yield Explorer(rom, find_start(rom)[1], ExploreConfig(num_envs=2), device='cpu')
    yield Pool('builtins:dict', dict(a=np.zeros(1)), [])
    try: yield make_backend('reference', rom, 1, 'cpu')
    except UserError: pass

def test_what_owns_consoles_is_not_copied():
    "A copy would share them. What the line names is there."
    for owner in owners():
        for how in copy.copy, copy.deepcopy, pickle.dumps:
            with pytest.raises(TypeError, match=f'^{type(owner).__name__} cannot be copied or pickled: make another') as e: how(owner)
            assert '\n' not in str(e.value)
        named = str(e.value).split('`')[1::2]
        assert named and all(hasattr(owner, name) for name in named)

def test_an_environment_is_not_copied():
    import gbxnb
    env = gbxnb.make('town/chest', 1, device='cpu')
    with pytest.raises(TypeError, match='cannot be copied or pickled: make another'): copy.copy(env)
    assert hasattr(env, 'state_dict') and hasattr(env, 'load_state_dict')
    env.close()
