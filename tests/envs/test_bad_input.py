"Everything an environment or a task can be given wrongly is refused in one clear line that names the value or the file."
import errno, itertools, json, os, shlex, signal, time
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest
import torch
from gbxnb.backends.warp import make_backend
from gbxnb.games.bundled import probe_picture, probe_rom
from gbxnb.base.command import call
from gbxnb.games import bundled as game
from gbxnb.emulator.cartridge import Cartridge, RTC, pack_save
from gbxnb.goals.capture import goal_capture_cli, goal_calibrate_cli, goal_check_cli, replay_check
from gbxnb.envs.config import EnvConfig
from gbxnb.envs.goal import GoalJudge, FACTS, PICTURE, GoalTemplate
from gbxnb.envs.pixels import PixelsEnv
from gbxnb.envs.task import restore_all, Task, make_task
from gbxnb.base.files import UserError, sha256
from kills import killed_at
from wild import shades_rom, summary

GOAL = GoalTemplate(probe_picture(5, 2), sha256(probe_rom()), '0'*64, '0'*64, tau=.001)
ERRORS = ValueError, TypeError, UserError

def refused(call, *words):
    "`call` raises one short line with all `words` in it."
    with pytest.raises(ERRORS) as e: call()
    text = str(e.value)
    assert '\n' not in text and len(text) < 300 and all(w in text for w in words), text

def env(goal=GOAL, n=2, cfg=EnvConfig(), **kw): return PixelsEnv(probe_rom(), n, cfg, judge=GoalJudge(goal), device='cpu', **kw)

@pytest.mark.parametrize('goal, cfg, words', [
    (replace(GOAL, rom_sha256='1'*64), EnvConfig(), ('ROM 1111', 'but this is ROM')),
    (GOAL, EnvConfig(action_codec_id='pokemonred_puffer_v1'), ('action_codec_id', 'puffer_v0', 'puffer_v1')),
    (GOAL, EnvConfig(frames_per_step=12), ('frames_per_step', '24', '12')),
    (GOAL, EnvConfig(release_after_frames=4), ('release_after_frames', '8', '4')),
    (replace(GOAL, pix=np.stack([GOAL.pix]*3)), EnvConfig(stack_k=2), ('stack of 3', 'stack_k 2'))])
def test_goal_of_another_world(goal, cfg, words): refused(lambda: env(goal, cfg=cfg), *words)

def float_picture(a): return a.astype(np.float32) + np.nan

@pytest.mark.parametrize('change, picture, words', [
    (dict(schema_version=3), None, ('schema_version', '3')), (dict(pipeline_version='x'), None, ('pipeline_version',)),
    (dict(downsample_h=144), None, ('downsample_h', '144')), (dict(action_codec_id='v9'), None, ('action_codec_id', 'v9')),
    (dict(tau=float('nan')), None, ('NaN',)), (dict(tau=-.5), None, ('tau', '-0.5')), (dict(stack_k=2), None, ('stack_k', '2')),
    ({}, float_picture, ('float32', 'uint8')), ({}, lambda a: np.zeros((144, 160), np.uint8), ('144, 160',)),
    ({}, lambda a: a + 9, ('12',))])
def test_goal_files(tmp_path, change, picture, words):
    GOAL.save(tmp_path)
    if picture: np.save(tmp_path/PICTURE, picture(GOAL.pix))
    meta = json.loads((tmp_path/FACTS).read_text()) | dict(template_sha256=sha256((tmp_path/PICTURE).read_bytes())) | change
    (tmp_path/FACTS).write_text(json.dumps(meta))
    refused(lambda: GoalTemplate.load(tmp_path), *words)

def test_number_of_environments():
    for n, words in (0, ('num_envs', '0')), (-1, ('num_envs', '-1')), (2., ('num_envs', '2.0')), (True, ('num_envs', 'True')):
        refused(lambda n=n: env(n=n), *words)
    b = make_backend('warp', probe_rom(), 3, 'cpu')
    refused(lambda: env(n=2, backend=b), '3 consoles', 'num_envs is 2')

def test_actions():
    with env(n=3) as e:
        e.reset()
        good = torch.zeros(3, dtype=torch.int64)
        before = e.step(good)[0].clone()
        for wrong, words in ((good + 7, ('environment 0', '7', '0..6')), (good - 1, ('-1',)),
                             (torch.tensor([0, 0, 99]), ('environment 2', '99')),
                             (good.int(), ('torch.int32', 'torch.int64')), (good.float(), ('torch.float32',)), (good[:2], ('[2]', '[3]')),
                             (good.to('meta'), ('meta', 'cpu')), ([0, 0, 0], ('list',)), (good.numpy(), ('ndarray', 'tensor'))):
            refused(lambda wrong=wrong: e.step(wrong), *words)
        assert (e.obs == before).all(), 'a refused step did not happen'

def test_devices():
    with pytest.raises((ValueError, RuntimeError), match='tpu'): PixelsEnv(probe_rom(), 1, judge=GoalJudge(GOAL), device='tpu')
    refused(lambda: PixelsEnv(probe_rom(), 1, judge=GoalJudge(GOAL), backend='reference', device='cuda'), 'cuda', 'reference')

# Saved states

WALK = EnvConfig(max_steps=3, stack_k=2, start_noops=2)

@pytest.fixture(scope='module')
def saved():
    "The state of three consoles after some steps."
    with env(n=3, cfg=WALK) as e:
        e.reset(seed=1)
        for a in 6, 5, 4, 3: e.step(torch.full((3,), a))
        return e.state_dict()

def same(a, b): return a.keys() == b.keys() and all(np.array_equal(a[k], b[k]) for k in a)

def about(saved, change): return np.frombuffer(json.dumps(change(json.loads(saved['about'].tobytes()))).encode(), np.uint8)

WRONG = {
    'start_ids': (lambda a: np.full(a.shape, np.nan, np.float32), lambda a: a + 9, lambda a: -a - 1, lambda a: a[:9],
             lambda a: a.astype(np.int64)),
    'choices': (lambda a: a*0, lambda a: a*0 + 4097, lambda a: -a), 'snap_id': (lambda a: a + 3, lambda a: a - 9),
    'seed': (lambda a: a - 9,), 'episode': (lambda a: a.astype(np.float64),), 'length': (lambda a: a + 9, lambda a: a - 9),
    'streak': (lambda a: a + 2,), 'faults': (lambda a: a - 1,),
    'total': (lambda a: a*np.float32(np.nan), lambda a: a + np.float32(np.inf)), 'dist': (lambda a: a + 2, lambda a: a.astype(np.float64)),
    'pix': (lambda a: a + 9,), 'obs': (lambda a: a + 9, lambda a: a[:, :1], lambda a: a.astype(object)),
    'ended': (lambda a: np.full(a.shape, 9, np.uint8).view(bool), lambda a: a.astype(np.uint8)),
    'bank': (lambda a: a | 128, lambda a: a[:1], lambda a: a[:, :-64]), 'bank_pix': (lambda a: a + 9,),
    'consoles': (lambda a: a | 128, lambda a: a[:, :9], lambda a: np.concatenate([a[:2], a[2:] | 128])),
    'about': (lambda a: a[:-1], lambda a: a[:0], lambda a: a.astype(float), lambda a: np.frombuffer(b'['*10**5, np.uint8))}

@pytest.mark.parametrize('name', WRONG)
def test_states_that_cannot_be(saved, name):
    "Every array of a state, of another type, shape or range, or gone: refused by name, and the environment is as it was."
    with env(n=3, cfg=WALK) as e:
        e.reset(seed=2)
        e.step(torch.zeros(3, dtype=torch.int64))
        before = e.state_dict()
        states = [saved | {name: change(saved[name])} for change in WRONG[name]]
        for state in states + [saved | {name: saved[name].tolist()}, {k: v for k, v in saved.items() if k != name}]:
            with pytest.raises(ERRORS) as refusal: e.load_state_dict(state)
            assert '\n' not in str(refusal.value) and len(str(refusal.value)) < 300
            assert same(e.state_dict(), before), 'a state that is refused changes nothing'
        e.load_state_dict(saved)
        assert same(e.state_dict(), saved)

def test_every_array_of_a_state_is_tried(saved): assert WRONG.keys() == saved.keys()

def test_what_a_state_says_of_itself(saved):
    with env(n=3, cfg=WALK) as e:
        for change in (lambda d: [], lambda d: d | dict(starts=[]), lambda d: d | dict(starts=5), lambda d: d | dict(starts=[1, 2, 3]),
                       lambda d: d | dict(more=1), lambda d: {k: v for k, v in d.items() if k != 'cfg'}, lambda d: d | dict(num_envs=None),
                       lambda d: d | dict(rom_sha256='x'*10**6)):
            refused(lambda change=change: e.load_state_dict(saved | dict(about=about(saved, change))))

def test_nonsense_in_public_tensors():
    "What a user writes into the tensors of an environment cannot lead a kernel out of its arrays."
    with env(n=3, cfg=EnvConfig(max_steps=1)) as e:
        e.reset()
        for nonsense in -2**31, -1, 4096, 2**31 - 1:
            for t in e.cache.start_ids, e.cache.choices, e.cache.snap_id, e.cache.episode, e.episode_length, e.judge.streak, e.pad.actions:
                t.fill_(nonsense)
            assert e.step(torch.zeros(3, dtype=torch.int64))[3].all() and not e.cache.snap_id.any()
        restore_all(e.backend, e.backend.snapshot(0)) # another bank behind its back
        with pytest.raises(RuntimeError, match='bank'): e.step(torch.zeros(3, dtype=torch.int64))

# Threads and processes

def test_two_threads():
    "While one thread is in a step, a second one waits, whatever it calls."
    inside, go_on, most, now = Event(), Event(), [0], [0]
    with env(n=2) as e:
        e.reset()
        state, run = e.state_dict(), e.backend.step
        def slow(*args):
            now[0] += 1
            most[0] = max(most[0], now[0])
            inside.set()
            go_on.wait(120)
            run(*args)
            now[0] -= 1
        e.backend.step = slow
        step = lambda: e.step(torch.zeros(2, dtype=torch.int64))
        threads = [Thread(target=step)]
        threads[0].start()
        assert inside.wait(120)
        for call in step, e.reset, e.state_dict, lambda: e.load_state_dict(state), e.errors, lambda: e.cache.choose_from([0]):
            threads.append(Thread(target=call))
            threads[-1].start()
            time.sleep(.05) # to come as far as it can; none may come far
        waiting = [t.is_alive() for t in threads]
        go_on.set()
        for t in threads: t.join(120)
        assert all(waiting) and most == [1]

def test_two_threads_end_in_some_order():
    with env(replace(GOAL, pix=probe_picture(15, 15)), 6) as e:
        e.reset()
        walks = [Thread(target=lambda a=a: [e.step(torch.full((6,), a)) for _ in range(9)]) for a in (6, 4)]
        for w in walks: w.start()
        for w in walks: w.join(120)
        assert (e.obs[:, 0].numpy() == probe_picture(11, 11)).all() and (e.episode_length == 18).all()

def test_a_fork_goes_its_own_way():
    with env(n=4) as e:
        e.reset()
        right = torch.full((4,), 6)
        e.step(right)
        child = os.fork()
        if not child:
            signal.alarm(120) # it would wait for threads of its parent
            obs = e.step(right)[0]
            os._exit(0 if (obs[:, 0].numpy() == probe_picture(4, 2)).all() else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert (e.obs[:, 0].numpy() == probe_picture(3, 2)).all()

# A backend that somebody made

def test_another_backend():
    other = bytearray(probe_rom())
    other[0x7000] = 1
    b = make_backend('warp', bytes(other), 2, 'cpu')
    refused(lambda: env(backend=b), sha256(probe_rom())[:12], sha256(bytes(other))[:12])
    b = make_backend('warp', probe_rom(), 2, 'cpu')
    refused(lambda: PixelsEnv(probe_rom(), 2, judge=GoalJudge(GOAL), backend=b, device='cuda:5'), 'cuda:5', 'cpu')
    for wrong in None, 7, object(): refused(lambda wrong=wrong: env(backend=wrong), 'backend')
    with PixelsEnv(probe_rom(), 2, judge=GoalJudge(GOAL), backend=b, device='cpu') as e: e.reset()

def test_other_arguments():
    for kw, words in ((dict(seed=-1), 'seed'), (dict(seed=1.), 'seed'), (dict(start='start.npz'), 'str'), (dict(start=[]), 'bank'),
                      (dict(start=[1]), 'start 0'), (dict(goal_cfg={}), 'goal_cfg'),
                      (dict(cfg=EnvConfig(start_noops=2**30)), 'start_noops')):
        refused(lambda kw=kw: env(**kw), words)
    refused(lambda: PixelsEnv(probe_rom(), 2, judge=GoalJudge(None)), 'goal')
    refused(lambda: EnvConfig(stack_k=2**31 - 1), 'stack_k')

# Tasks

@pytest.fixture(scope='module')
def task(): return make_task(probe_rom(), [(0, 20), (8, 8), (0, 8)], [6, 6, 6], tau=.003)

@pytest.fixture(scope='module')
def other(): return make_task(probe_rom(), [(0, 30), (8, 8), (0, 8)], [6, 4], tau=.003)

def files(folder): return {p.name: p.read_bytes() for p in Path(folder).iterdir() if p.is_file() and p.name != '.lock'}
def said(cli, *words, **options):
    "The one line of a command that is refused."
    status, out, err = call(cli, *words, **options)
    assert status == 1 and not out and err.count('\n') == 1 and ': error: ' in err and len(err) < 700, (status, out, err)
    return err

@pytest.mark.slow # `test_train.py` has a case of each kind of end
def test_killed_while_saving(task, other, tmp_path):
    "A task over another one, killed at each file operation: it is the one, the other, or is refused; never both."
    found = set()
    for k in itertools.count(1):
        folder = task.save(tmp_path/str(k))
        (folder/'notes.txt').write_text('mine')
        whole = killed_at(k, lambda folder=folder: other.save(folder))
        try: found.add('old' if summary(t := Task.load(folder)) == summary(task) else 'new' if summary(t) == summary(other) else 'mixed')
        except UserError: found.add('refused')
        other.save(folder)
        assert summary(Task.load(folder)) == summary(other) and (folder/'notes.txt').read_text() == 'mine'
        assert not [p for p in folder.iterdir() if p.name.startswith(('.part', '.gbxnb', '.goal', '.start'))]
        if whole: break
    assert k > 8 and {'old', 'new'} <= found <= {'old', 'new', 'refused'}

def test_no_room_for_a_task(task, other, tmp_path, monkeypatch):
    "A disk that is full at any of the files: the task that was there, or, once all files are there, the new one."
    found, sync = [], os.fsync
    for k in itertools.count():
        folder, room = task.save(tmp_path/str(k)), itertools.count()
        def full(fd, room=room, k=k):
            if next(room) == k: raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            sync(fd)
        with monkeypatch.context() as m:
            m.setattr(os, 'fsync', full)
            try: other.save(folder)
            except OSError: pass
            else: break
        found.append('old' if summary(t := Task.load(folder)) == summary(task) else 'new' if summary(t) == summary(other) else 'mixed')
        assert not [p for p in folder.iterdir() if p.name.startswith(('.part', '.gbxnb'))]
    assert len(found) > 5 and set(found[:-2]) == {'old'} and 'mixed' not in found, found

def test_a_new_task_has_no_old_report(task, other, tmp_path):
    folder = task.save(tmp_path/'goal')
    report = replay_check(probe_rom(), folder)
    assert report['passed'] and json.loads((folder/'replay_check.json').read_text()) == report
    other.save(folder)
    assert not (folder/'replay_check.json').exists() and summary(Task.load(folder)) == summary(other)
    GOAL.save(folder)
    assert set(files(folder)) == {PICTURE, FACTS, 'manifest.json'}

def test_artefacts_name_the_build(task, tmp_path):
    build = make_backend('warp', probe_rom(), 1, 'cpu').build
    assert Task.load(task.save(tmp_path/'goal')).start.meta == dict(build=build, ram_seed=0)
    assert replay_check(probe_rom(), tmp_path/'goal')['build'] == build

@pytest.fixture
def words(tmp_path):
    "A ROM and a script in files whose names need quotes."
    (tmp_path/"my friend's").mkdir()
    rom, script = tmp_path/"my friend's"/'game (1).gb', tmp_path/'walk $HOME.json'
    rom.write_bytes(probe_rom())
    script.write_text('{"buttons": [["", 30]], "actions": ["RIGHT", "A"]}')
    return dict(rom=rom, script=script)

def capture(words, **options):
    "Capture a goal with a fixture's words, and more."
    return call(goal_capture_cli, words['rom'], **{k: v for k, v in words.items() if k != 'rom'} | options)

def capture_refused(words, **options):
    "The one line in which that is refused."
    return said(goal_capture_cli, words['rom'], **{k: v for k, v in words.items() if k != 'rom'} | options)

def test_where_a_goal_is_written(words, tmp_path, task):
    "Everything that `--out` may be and that is no place for a goal: refused, and left as it was."
    papers = tmp_path/'papers'
    papers.mkdir()
    (papers/'goal_template.npy').write_text('mine')
    for name, target in dict(link=papers, nowhere=tmp_path/'gone', file=words['script']).items(): (tmp_path/name).symlink_to(target)
    os.mkfifo(tmp_path/'pipe')
    places = ['/dev/null', '/dev/full', '/proc/goal', '/dev/null/goal', tmp_path/('x'*300), words['script'], papers]
    places += [tmp_path/n for n in ('link', 'nowhere', 'file', 'pipe')]
    before = files(tmp_path) | files(papers)
    for out in places: capture_refused(words, out=out)
    assert files(tmp_path) | files(papers) == before and (tmp_path/'link').is_symlink() and not (tmp_path/'gone').exists()
    folder = task.save(tmp_path/'goal')
    (folder/'manifest.json').unlink() # of an older version, or put together by hand
    before = files(folder)
    assert 'not empty' in capture_refused(words, out=folder)
    assert 'manifest' in said(goal_calibrate_cli, folder, rom=words['rom'], num_envs=2, rollout_steps=2, apply=True)
    assert call(goal_check_cli, folder, rom=words['rom'])[0] == 0 and files(folder) == before

def test_printed_commands(words, tmp_path):
    "A command that is printed can be pasted, whatever the names are."
    status, out, _ = capture(words, out=tmp_path/'the "goal"; rm *', frames_per_step=20)
    wanted = ['gbxnb', 'train', str(tmp_path/'the "goal"; rm *'), '--rom', str(words['rom']), '--frames-per-step', '20']
    line = shlex.split(out.split('train with: ')[1])
    assert status == 0 and line[:len(wanted)] == wanted and '--imitation-coef' in line

def test_roms(words, tmp_path, monkeypatch, task):
    folder = task.save(tmp_path/'goal')
    for rom in (tmp_path, tmp_path/'gone.gb', '/dev/zero', '/dev/null', words['script'], 'a\0b', ''):
        monkeypatch.setenv('GBXNB_ROM', '')
        for cli, *args in (goal_check_cli, folder), (goal_calibrate_cli, folder), (goal_capture_cli, '--out', tmp_path/'new'):
            given = [rom] if cli is goal_capture_cli else ['--rom', rom]
            said(cli, *args, *given*bool(rom))
            if rom and '\0' not in str(rom):
                monkeypatch.setenv('GBXNB_ROM', str(rom))
                assert 'GBXNB_ROM' in said(cli, *args)
    assert not (tmp_path/'new').exists() and not (folder/'replay_check.json').exists()

@pytest.mark.parametrize('text', [
    b'', b'{', b'[' * 10**6, b'{"actions": ' * 10**5, b'\xff\xfe', b'[]', b'{}', b'{"actions": null}', b'{"actions": "AB"}',
    b'{"actions": {"A": 1}}', b'{"actions": [["A"]]}', b'{"actions": ["A"], "button": []}', b'{"actions": ["A"], "buttons": [["", NaN]]}',
    b'{"actions": ["A"], "buttons": [["", 1e9]]}',
    b'{"actions": ["A"], "buttons": [["", 9999999999]]}', b'{"actions": ["A"], "buttons": {"A": 1}}',
    b'{"actions": ["A"], "buttons": ["AB"]}',
    b'{"actions": ["A"], "buttons": [' + b','.join([b'["", 9999999]']*1000) + b']}', b'{"actions": [' + b','.join([b'"A"']*10**5) + b']}'],
    ids=range(19))
def test_scripts(words, tmp_path, text):
    words['script'].write_bytes(text)
    assert str(words['script']) in capture_refused(words, out=tmp_path/'goal') and not (tmp_path/'goal').exists()

def test_a_goal_that_is_met_on_the_way(tmp_path):
    "The chest of the bundled game by a tau of .6: the environment says done in step 6 of 20, and the replay check fails."
    g = game.GOALS['chest']
    chest = make_task(game.rom(), game.START, g.actions, tau=g.tau, k_consecutive=g.k)
    for tau in .6, .3:
        folder = replace(chest, goal=replace(chest.goal, tau=tau)).save(tmp_path/'goal')
        report = replay_check(game.rom(), folder)
        assert not report['passed'] and 'step 6 of 20' in report['reason'] and report['done_at'] == 6
        assert len(report['distances']) == 20 and report['distances'][-1] == 0
    report = replay_check(game.rom(), chest.save(tmp_path/'goal'))
    assert report['passed'] and report['done_at'] == 20
    with pytest.raises(UserError, match='step 6 of 20'): make_task(game.rom(), game.START, g.actions, tau=.6)

# Battery saves

@pytest.fixture
def shades(tmp_path):
    "A cartridge with a battery and a clock, a save of it, and a script that makes it one shade darker."
    rom, script, battery = tmp_path/'shades.gb', tmp_path/'darker.json', tmp_path/'shades.sav'
    rom.write_bytes(shades_rom())
    script.write_text('{"buttons": [["", 10]], "actions": ["A"]}')
    cart = Cartridge.load(rom)
    battery.write_bytes(pack_save(cart, bytes([0xAA]).ljust(cart.ram_bytes, b'\0'), RTC((1, 2, 3, 4, 0), (1, 2, 3, 4, 0), 5)))
    return dict(rom=rom, script=script, battery=battery, tau=.02) # to measure it takes seconds

def test_a_goal_with_a_battery_save(shades, tmp_path):
    "The save is in the cartridge, the task keeps it, and another backend begins with it too."
    assert capture(shades, out=tmp_path/'goal')[0] == 0
    task = Task.load(tmp_path/'goal')
    assert task.battery == shades['battery'].read_bytes() and [s.max() for s in task.screens] == [2, 3]
    assert capture(shades, out=tmp_path/'again', battery=tmp_path/'goal'/'battery.sav')[0] == 0
    assert summary(Task.load(tmp_path/'again')) == summary(task)
    for backend in 'warp', 'reference': assert replay_check(shades['rom'], tmp_path/'goal', backend)['passed']
    assert call(goal_capture_cli, shades['rom'], out=tmp_path/'goal', script=shades['script'], tau=.02)[0] == 0
    task = Task.load(tmp_path/'goal')
    assert task.battery is None and [s.max() for s in task.screens] == [3, 1] and not (tmp_path/'goal'/'battery.sav').exists()

def test_battery_saves_that_are_none(shades, tmp_path, words):
    good = shades['battery'].read_bytes()
    (tmp_path/'saves').mkdir()
    os.mkfifo(tmp_path/'saves'/'pipe')
    for name, data in dict(short=good[:-1], long=good + b'x', empty=b'', huge=bytes(1 << 20)).items():
        (tmp_path/'saves'/name).write_bytes(data)
    for bad in *(tmp_path/'saves').iterdir(), tmp_path/'none.sav', tmp_path, '/dev/zero', shades['rom']:
        assert str(bad) in capture_refused(shades, out=tmp_path/'goal', battery=bad)
    assert 'no battery' in capture_refused(words, out=tmp_path/'goal', battery=shades['battery'])
    with pytest.raises(ValueError, match='one way'): make_task(shades['rom'], (), [0], start=snapshot(shades), battery=good)
    assert not (tmp_path/'goal').exists()

def snapshot(shades):
    b = make_backend('warp', shades['rom'], 1, 'cpu')
    b.step(10, 0)
    return b.snapshot(0)

def test_a_task_whose_battery_save_is_gone(shades, tmp_path):
    assert capture(shades, out=tmp_path/'goal')[0] == 0
    battery = tmp_path/'goal'/'battery.sav'
    for spoil in lambda: battery.write_bytes(bytes(8240)), lambda: battery.write_bytes(bytes(1 << 20)), battery.unlink:
        spoil()
        assert 'battery.sav' in said(goal_check_cli, tmp_path/'goal', rom=shades['rom'])
