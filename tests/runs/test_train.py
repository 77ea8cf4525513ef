"""What a training run survives, tried from outside: whole processes, real signals."""
import json, os, re, shlex, shutil, signal, subprocess, sys, time
from pathlib import Path
import kills, processes
import pytest
from gbxnb.base.command import call
from pages import read, root

SMALL = ('--num-envs 4 --rollout-steps 8 --minibatches 2 --epochs 1 --model small town/house --device cpu --max-steps 6 '
         '--eval-episodes 0').split()
RESUME = '--resume --device cpu --eval-episodes 0'.split()

def start(code, *words):
    return subprocess.Popen([sys.executable, '-c', f'from gbxnb.runs.train import train_cli; {code}', *map(str, words)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | dict(OMP_NUM_THREADS='1'))

def wait_for_update(out, process, update):
    "Until the log of a running training has a record."
    while kills.told(out) < update and process.is_alive(): time.sleep(.002)
    assert process.is_alive(), out.with_suffix('.said').read_text()

def same_but_for_the_cold_one(found):
    whole, killed, cold = found['policy_sha256'].values()
    return whole == killed != cold

def test_greedy_evaluation(tmp_path, monkeypatch):
    "`--eval-greedy` has the known answer of a policy that hardly prefers its action; help, checkpoint and log have it, and a resumed run."
    import torch
    from gbxnb.base.config import Config
    from gbxnb.logs.schema import read_log
    from gbxnb.logs.plots import curve, draw_runs, read_run, scalars
    from gbxnb.runs.checkpoint import load_checkpoint
    from gbxnb.runs.train import train_cli
    from gbxnb.toys.toys import TorchWorld
    from gbxnb.training.config import MODELS
    from gbxnb.worlds.contract import WORLDS, WorldType
    class Third(TorchWorld):
        "Action 1 three times is the goal; there are three steps for it."
        world = 'third'
        def __init__(self, num_envs):
            super().__init__(num_envs, 3, 'cpu')
            self.state = dict(presses=torch.zeros(num_envs, dtype=torch.int64))
        def begin(self, mask): self.state['presses'].masked_fill_(mask, 0)
        def move(self, actions):
            self.state['presses'] += actions
            self.reached = self.state['presses'] == 3
            return actions.float(), self.reached
    class Hardly(torch.nn.Module):
        "Likes action 1 by a hundredth, whatever it learns."
        def __init__(self, *_): super().__init__(); self.weight = torch.nn.Parameter(torch.zeros(1))
        def forward(self, obs):
            zeros = self.weight*obs[:, 0]*0
            return torch.stack([zeros, zeros + .01], 1), zeros
    monkeypatch.setitem(WORLDS, 'third', WorldType('third', Config, lambda config, num_envs, *_, **__: Third(num_envs)))
    monkeypatch.setitem(MODELS, 'hardly', Hardly)
    monkeypatch.setattr('gbxnb.training.callbacks.plot_bytes', lambda *_, **__: b'')
    small = dict(world='third', model='hardly', num_envs=4, rollout_steps=8, minibatches=1, epochs=1, device='cpu', threads=1)
    def play(out, *words, **options): return call(train_cli, *words, out=tmp_path/out, eval_every=1, eval_episodes=64, **options)
    assert play('drawn', steps=32, **small)[0] == play('greedy', '--eval-greedy', steps=32, **small)[0] == 0
    assert play('greedy', '--resume', device='cpu', threads=1, steps=64)[0] == 0
    drawn, greedy = (read_log(tmp_path/k/'train_log.jsonl') for k in ('drawn', 'greedy'))
    assert [(r.eval_success_rate, r.eval_mean_return, r.eval_median_steps_to_goal) for r in greedy.records] == [(1, 3, 3)]*2
    assert 0 < drawn.records[0].eval_success_rate < .5, 'an eighth of the drawn ones'
    assert greedy.meta.args['config']['eval_greedy'] and load_checkpoint(tmp_path/'greedy').meta['config']['eval_greedy']
    status, _, err = play('drawn', '--resume', '--eval-greedy', device='cpu', threads=1, steps=64)
    assert status == 1 and '--eval-greedy True would make another run' in err
    assert '--eval-greedy' in call(train_cli, '--help')[1]
    for r, episodes in (drawn.records[0], 16), (greedy.records[0], 64):
        assert (r.eval_greedy_success_rate, r.eval_greedy_mean_return, r.eval_greedy_episodes) == (1, 3, episodes)
    run = read_run(tmp_path/'drawn')
    assert scalars(run.rows[0])['eval/greedy_success_rate'] == 1 and curve(run.rows, 'eval_greedy_success_rate')[1] == [1]
    legends = [ax.get_legend() for ax in draw_runs([run]).axes]
    assert 'greedy evaluation' in [t.get_text() for legend in legends if legend for t in legend.get_texts()]

@pytest.mark.parametrize('words', ['--world catch', 'town/house', *(f'start --rewards mine:{k}' for k in ('nothing', 'length', 'loss'))])
def test_the_last_line_says_whether_it_beats_random_keys(words, tmp_path, monkeypatch):
    "Of a training and of `gbxnb eval`, for every goal and reward: what, by how much, within which interval."
    from gbxnb.runs.policy import eval_cli
    from gbxnb.runs.train import train_cli
    monkeypatch.chdir(tmp_path)
    Path('mine.py').write_text(''.join(f'def {k}(s): return {v}*s.length.float()\n' for k, v in dict(nothing=0, length=1, loss=-1).items()))
    small = dict(num_envs=4, rollout_steps=8, steps=32, minibatches=1, epochs=1, model='small', device='cpu', eval_episodes=8)
    if 'catch' not in words: small |= dict(max_steps=6)
    status, said, err = call(train_cli, *words.split(), out='run', **small)
    assert status == 0, err
    *_, line, _, last = said.splitlines()
    status, judged, err = call(eval_cli, 'run', *words.split()[1:]*('mine' in words), episodes=8, device='cpu')
    for text, facts in (line, json.loads(last)), (err.splitlines()[-1], json.loads(judged)):
        found, measure = facts['against_random'], 'mean_return' if 'mine' in words else 'success_rate'
        low, high = found['interval']
        assert found['measure'] == measure and found['policy'] - found['random'] == pytest.approx(found['difference'])
        assert found['verdict'] == ('better' if low > 0 else 'worse' if high < 0 else 'no better')
        assert text.startswith(f"{found['verdict']} than random keys: ") and '95% interval' in text and '8 episodes' in text
    conditions, players = json.loads(judged)['conditions'], ['policy', 'recording', 'random']
    if words != 'town/house': players.remove('recording')
    assert [*conditions][:4] == (['trained'] if 'catch' in words else ['trained', 'later', 'sticky', 'late'])
    for found in conditions.values():
        assert [*found] == players and all(('success_rate' in e) == (measure == 'success_rate') for e in found.values())
        assert all(e['episodes'] == 8 and {'return_interval', 'mean_return'} <= e.keys() for e in found.values())

@pytest.fixture(scope='module')
def house(tmp_path_factory):
    "A run that has learned nothing."
    from gbxnb.runs.train import train_cli
    out = tmp_path_factory.mktemp('house')/'run'
    assert call(train_cli, '--out', out, *SMALL, '--steps', 32)[0] == 0
    return out

def test_conditions(house, monkeypatch):
    "What is played as trained has the numbers that one evaluation has; what cannot be is left out in a line, and all fits a terminal."
    from gbxnb.runs.checkpoint import open_run
    from gbxnb.runs.evaluate import Recording, UniformPolicy, evaluate
    from gbxnb.runs.policy import eval_cli
    from gbxnb.worlds.gameboy import GAMEBOY
    monkeypatch.setitem(GAMEBOY.conditions, 'short', dict(max_steps=0))
    monkeypatch.setitem(GAMEBOY.conditions, 'alike', {})
    how = dict(episodes=6, num_envs=4, seed=3, device='cpu')
    status, text, err = call(eval_cli, house, **how)
    found, (env, model, _) = json.loads(text), open_run(house, 4, 'cpu')
    assert status == 0 and [line for line in err.splitlines() if line.startswith('short: left out: max_steps is 0, but')], err
    players = dict(policy=model, recording=Recording(env), random=UniformPolicy(env.num_actions))
    golden = json.loads(json.dumps({k: evaluate(env, p, 6, seed=3).facts() for k, p in players.items()}))
    assert found['conditions']['trained'] == found['conditions']['alike'] == golden != found['conditions']['sticky']
    assert found.items() >= golden['policy'].items() and found['against_random']['random'] == golden['random']['success_rate']
    table = err[err.index('         policy'):].splitlines()[:-1]
    assert [line.split()[0] for line in table[1:]] == [*found['conditions']] and max(map(len, table)) <= 100
    quick = json.loads(call(eval_cli, house, '--quick', **how)[1])
    assert quick == found | dict(conditions=dict(trained=golden))

def test_a_recording_is_the_script(tmp_path):
    "Under the same sticks it does what a person does who presses the script, and then holds the last key."
    import torch
    from gbxnb.envs.task import GameBoyConfig
    from gbxnb.runs.evaluate import Recording, evaluate
    from gbxnb.worlds.gameboy import make_gameboy
    for options in dict(sticky=.25), dict(press_jitter=4), dict(start_noops=8):
        config = GameBoyConfig(task='town/house', max_steps=20, **options)
        with make_gameboy(config, 8, 'cpu') as env: played = evaluate(env, Recording(env), 8, seed=5).each
        by_hand = torch.zeros(8, 2, dtype=torch.float64)
        with make_gameboy(config, 8, 'cpu') as env:
            env.reset(seed=5)
            going = torch.ones(8, dtype=torch.bool)
            for t in range(20):
                info = env.step(torch.full((8,), env.task.actions[min(t, len(env.task.actions) - 1)]))[-1]
                ended = going & env.ended
                by_hand[ended] = torch.stack([info['episode_return'], env.reached.float()], 1)[ended].double()
                going &= ~ended
        assert played.equal(by_hand) and not going.any()

def test_a_film_of_both(house, tmp_path):
    "The recording beside the policy is that of a batch of its own with the same seed; without a script there is none."
    from gbxnb.runs.checkpoint import load_checkpoint, load_world
    from gbxnb.runs.evaluate import Recording
    from gbxnb.runs.film import beside, film_cli, film_frames, record_rollout
    words = [house, '--beside', '--condition', 'sticky',
             '--num-envs', 2, '--steps', 12, '--seed', 3, '--scale', 1, '--seen', '--device', 'cpu']
    status, said, err = call(film_cli, *words, '--out', tmp_path/'film')
    meta = json.loads((tmp_path/'film/meta.json').read_text())
    rows = [json.loads(line) for line in (tmp_path/'film/rollout.jsonl').read_text().splitlines()]
    assert status == 0 and '; the recording: ' in said and meta['condition'] == 'sticky' and meta['num_envs'] == 2, err
    parts = {p: [{k: v for k, v in r.items() if k != 'player'} for r in rows if r['player'] == p] for p in ('policy', 'recording')}
    assert {k: v['episodes'] for k, v in meta['players'].items()} == {k: sum(r['done'] or r['trunc'] for r in v) for k, v in parts.items()}
    env = load_world(load_checkpoint(house).meta, house, 2, 'cpu', condition='sticky')
    frames, alone = record_rollout(env, Recording(env), 12, seed=3)
    assert parts['recording'] == alone and len(parts['policy']) == len(alone)
    trained = load_world(load_checkpoint(house).meta, house, 2, 'cpu')
    both, named = beside(dict(policy=record_rollout(trained, Recording(trained), 12, seed=3), recording=(frames, alone)))
    assert both.shape[1] == 4 and (both[:, :2] != both[:, 2:]).any() and [r['player'] for r in named[:4]] == ['policy']*2 + ['recording']*2
    assert (film_frames(both, named, 2) != film_frames(both, [r | dict(player='x') for r in named], 2)).any(), 'captions say who plays'
    status, said, err = call(film_cli, *words[:2], *words[4:], '--steps', 24, '--out', tmp_path/'whole')
    meta = json.loads((tmp_path/'whole/meta.json').read_text())
    assert meta['steps'] == 24 and meta['players']['recording']['goals'] >= 2, 'the recording is not cut off when the policy is there'
    status, said, err = call(film_cli, *words[:2], '--condition', 'stiky', '--out', tmp_path/'none')
    assert status == 1 and err.count('\n') == 1 and "no condition 'stiky'; it has trained, later" in err and not (tmp_path/'none').exists()

def test_a_huge_file_of_a_world_is_refused(tmp_path):
    "What goes to other processes is read into memory; one process alone reads nothing."
    from types import SimpleNamespace
    from gbxnb.base.files import UserError
    from gbxnb.runs.train import world_folder
    (tmp_path/'world').mkdir()
    with open(tmp_path/'world/huge', 'wb') as f: f.truncate((1 << 27) + 1)
    def group(size): return SimpleNamespace(rank=0, size=size, share_arrays=lambda files: files)
    with world_folder(tmp_path, group(1)) as there: assert there == tmp_path
    with pytest.raises(UserError, match='huge: has 134,217,729 bytes, but at most'), world_folder(tmp_path, group(2)): pass

@pytest.mark.slow # of two that share a run, one is killed in `test_distributed.py`
def test_killed_and_resumed_is_the_same_run(tmp_path):
    "Killed without warning; the rest brings the bits of the run that nobody disturbed, and one log of all updates."
    found = kills.kill_and_compare(tmp_path, ['saving', 'anywhere'], 3, 14)
    assert same_but_for_the_cold_one(found), found
    from gbxnb.logs.schema import read_log
    assert [r.update for r in read_log(tmp_path/'killed'/'train_log.jsonl').records] == list(range(1, found['updates'] + 1))

def deaths(work, *args, every=1):
    "Let `work` die before the first, the second, the third ... thing it asks of the system, or some of them, and at last not at all."
    for fatal in range(1, 10_000, every):
        process = processes.Process(work, *args, fatal)
        process.join(600)
        yield fatal
        if not process.exitcode: return

@pytest.mark.parametrize('every', [3, pytest.param(1, marks=pytest.mark.slow)])
def test_killed_at_every_step_of_saving(tmp_path, every):
    "One checkpoint is there, and it is whole."
    seen = []
    kills.save(tmp_path, 1)
    for _ in deaths(kills.save, tmp_path, 2, every=every):
        seen.append(kills.saved(tmp_path))
        kills.save(tmp_path, 1)
        assert kills.saved(tmp_path) == (1, 1.) and not kills.left_over(tmp_path), 'the next save takes the place of what was left'
    old, new = seen.count((1, 1.)), seen.count((2, 2.))
    assert old > 10/every and new > 3/every and seen == [(1, 1.)]*old + [(2, 2.)]*new, seen

@pytest.mark.slow # saving is tried at every step
def test_killed_at_every_step_of_claiming(tmp_path):
    "A folder that a run was about to take can be taken by another."
    tried = []
    for fatal in deaths(kills.claim, tmp_path/'run'):
        kills.claim(tmp_path/'run')
        shutil.rmtree(tmp_path/'run')
        tried.append(fatal)
    assert len(tried) > 5

@pytest.mark.slow # base/00_files has the lock
def test_two_runs_in_one_folder(tmp_path):
    "The second is told that there is one, and changes nothing; the first goes on as if nothing had been; anybody may read."
    from gbxnb.games.demo import demo_cli
    from gbxnb.runs.policy import eval_cli
    from gbxnb.runs.train import train_cli
    out = tmp_path/'run'
    first = processes.start('train', '--out', out, *SMALL, '--steps', 64000, '--save-every', 1, said=out.with_suffix('.said'))
    wait_for_update(out, first, 2)
    os.kill(first.pid, signal.SIGSTOP) # it need not play on meanwhile
    tried = [call(train_cli, '--out', out, *words) for words in (RESUME, [*SMALL, '--steps', 32])]
    demo, *_ = call(demo_cli, '--out', out, *SMALL[:-2], '--steps', 32)
    os.kill(first.pid, signal.SIGCONT) # before anything can fail
    for (status, _, said), why in zip(tried, ('another process is writing here', 'a run is there already'), strict=True):
        assert status == 1 and said.count('\n') == 1 and why in said, said
    assert demo == 1
    for _ in range(2): assert call(eval_cli, out, '--quick', '--episodes', 2, '--device', 'cpu')[0] == 0
    seen = kills.told(out)
    wait_for_update(out, first, seen + 2)
    first.kill()
    status, _, said = call(train_cli, '--out', out, *RESUME, '--steps', 32*(kills.update(out) + 1))
    assert status == 0, f'the lock went with its process: {said}'

def line_that_goes_on(said):
    "The words of the command line that the last line of a command gives."
    assert 'Traceback' not in '\n'.join(said) and 'error: ' in said[-1], said
    return shlex.split(said[-1].split('; go on with: gbxnb train ')[1])

@pytest.mark.parametrize('number, status', [
    (signal.SIGTERM, 143), *(pytest.param(*case, marks=pytest.mark.slow) for case in ((signal.SIGINT, 130), (signal.SIGHUP, 129)))])
def test_asked_to_end(tmp_path, number, status):
    "All that was played is stored, whatever --save-every says; the line that it prints goes on to the end of a run that was left alone."
    from gbxnb.logs.schema import read_log
    out, words = tmp_path/'run', [*SMALL, '--steps', 32*5, '--save-every', 1000]
    kills.train(tmp_path/'whole', *words)
    process = kills.start_struck('--out', out, *words, said=out.with_suffix('.said'), number=number, update=3)
    process.join(120)
    log, update = read_log(out/'train_log.jsonl'), kills.update(out)
    assert process.exitcode == status and not log.errors and not kills.left_over(out) and not (out/'crashes').exists()
    assert update == 3 and [r.update for r in log.records] == list(range(1, update + 1)) and (out/'train.png').exists()
    on = line_that_goes_on(out.with_suffix('.said').read_text().splitlines())
    assert on == [*map(str, ['--out', out, *words]), '--resume']
    assert processes.finish('train', *on, said=out.with_suffix('.said'))[0] == 0
    assert kills.policy(out) == kills.policy(tmp_path/'whole')

@pytest.mark.slow
def test_asked_twice(tmp_path):
    "The second time it does not wait; what was stored before is there."
    out = tmp_path/'run'
    process = processes.start('train', '--out', out, *SMALL, '--steps', 2**20, '--rollout-steps', 2**14, said=out.with_suffix('.said'))
    while kills.update(out) < 0 and process.is_alive(): time.sleep(.01)
    os.kill(process.pid, signal.SIGTERM)
    while 'as soon as it is stored' not in out.with_suffix('.said').read_text() and process.is_alive(): time.sleep(.01)
    os.kill(process.pid, signal.SIGTERM)
    process.join(120)
    said = out.with_suffix('.said').read_text().splitlines()
    assert process.exitcode == 143 and '--resume' in line_that_goes_on(said) and kills.update(out) == 0

def test_streams_that_are_closed(tmp_path):
    "As a service starts it: nothing to read from, nothing to print to. What it prints goes into none of its files."
    from gbxnb.logs.schema import read_log
    process = processes.start('train', '--out', tmp_path/'run', *SMALL, '--steps', 64, said=None)
    process.join(120)
    assert process.exitcode == 0 and kills.update(tmp_path/'run') == len(read_log(tmp_path/'run'/'train_log.jsonl').records) == 2
    assert not any(b'rollout of' in p.read_bytes() for p in (tmp_path/'run').rglob('*') if p.is_file())

ODD = ['a b', "it's", 'say "hi"; rm -rf *', 'two\nlines', '\x1b[31mred', 'ünï☃', os.fsdecode(b'\xff\xfe'), '--resume', '...',
       'x'*255, '☃'*85]

@pytest.mark.parametrize('name', [os.path.join(*ODD[:7]), *(pytest.param(n, marks=pytest.mark.slow) for n in ODD)], ids=range(len(ODD) + 1))
def test_odd_paths(tmp_path, name):
    "A folder, and a ROM in it, may be called what a disk allows."
    from gbxnb.games import bundled as game
    from gbxnb.games.bundled import bundled_task
    from gbxnb.runs.policy import eval_cli
    from gbxnb.runs.train import train_cli
    out, rom = tmp_path/name, tmp_path/'roms'/name/'a rom\udcff.gb'
    rom.parent.mkdir(parents=True)
    rom.write_bytes(game.rom())
    bundled_task('town/house').save(rom.parent/'goal')
    words = [w for w in SMALL if w != 'town/house']
    status, said, err = call(train_cli, f'--out={out}', rom.parent/'goal', '--rom', rom, *words, '--steps', 64)
    assert status == 0 and json.loads(said.splitlines()[-1])['env_steps'] == 64, err
    assert call(train_cli, f'--out={out}', *RESUME, '--steps', 96)[0] == 0
    status, said, err = call(eval_cli, out, '--quick', '--episodes', 2, '--device', 'cpu', f'--out={out}/result')
    assert status == 0 and json.loads(said)['episodes'] == 2 and json.loads((out/'result').read_text()) == json.loads(said), err
    shutil.rmtree(rom.parent)
    status, said, err = call(eval_cli, out, '--quick', '--episodes', 2, '--device', 'cpu')
    assert status == 1 and err.count('\n') == 1 and 'not there any more' in err

@pytest.mark.slow
def test_which_build_ran(tmp_path):
    "The checkpoint, the log, the summary and an evaluation say the same of the kernels."
    from gbxnb.logs.schema import read_log
    from gbxnb.runs.checkpoint import load_checkpoint, open_run
    from gbxnb.games.demo import demo_cli
    from gbxnb.runs.policy import eval_cli
    out = tmp_path/'demo'
    status, _, err = call(demo_cli, '--out', out, *SMALL[:-2], '--steps', 32, '--episodes', 2)
    assert status == 0, err
    build = open_run(out, 1, device='cpu')[0].spec().build
    told = json.loads(call(eval_cli, out, '--quick', '--episodes', 2, '--device', 'cpu')[1])
    summary = json.loads((out/'summary.json').read_text())
    worlds = load_checkpoint(out).meta['world'], read_log(out/'train_log.jsonl').meta.world
    assert [d['build'] for d in (*worlds, summary, told)] == [build]*4

@pytest.mark.slow
@pytest.mark.parametrize('number, status', [(signal.SIGTERM, 143), (signal.SIGKILL, -9), (signal.SIGINT, 130)])
def test_learning_gates_leave_nobody_behind(number, status, tmp_path):
    "However `gbxnb learn` ends, the processes it started end too."
    code = "import sys; from gbxnb.bench.learning import learn_cli; learn_cli(['catch', '--jobs', '2'])"
    how = dict(cwd=tmp_path, env=os.environ | dict(TQDM_DISABLE='1'), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    command = subprocess.Popen([sys.executable, '-c', code], **how)
    children = Path(f'/proc/{command.pid}/task/{command.pid}/children')
    def workers(): return [p for p in children.read_text().split() if 'answer_once' in Path(f'/proc/{p}/cmdline').read_text()]
    while len(workers()) < 2 and command.poll() is None: time.sleep(.05)
    found = workers()
    def worked(p): return sum(map(int, Path(f'/proc/{p}/stat').read_text().split(')')[1].split()[11:13])) # CPU time in ticks
    while any(worked(p) < 200 for p in found) and command.poll() is None: time.sleep(.05)
    os.kill(command.pid, number)
    said = command.communicate(timeout=300)[1]
    assert command.returncode == status and 'Traceback' not in said and (number == signal.SIGKILL or said.count('\n') == 1), said
    for p in found:
        while Path(f'/proc/{p}').exists() and 'Z' not in Path(f'/proc/{p}/stat').read_text().split(')')[1][:3]: time.sleep(.05)

def test_without_torch_the_extra_is_named(tmp_path):
    code = "import sys; sys.modules['torch'] = None; from gbxnb.__main__ import main; main()"
    process = subprocess.Popen([sys.executable, '-c', code, 'train', '--out', tmp_path/'x'], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 1 and err.count('\n') == 1 and 'gbxnb[rl]' in err and not out
    assert not (tmp_path/'x').exists()

@pytest.mark.slow
@pytest.mark.parametrize('page, name', [('tutorials/03_rewards', 'my_reward.py'), ('examples/01_own_parts', 'my_network.py')])
def test_a_script_of_a_page_trains(page, name, tmp_path):
    "A reward and a network of one's own, as they are printed there, in a folder with nothing else; then the run goes on."
    text = '\n'.join(''.join(c['source']) for c in read(root/f'nbs/{page}.ipynb')['cells'])
    script = re.search(rf'`{name}`.*?```python\n(.*?)```', text, re.S)[1]
    more = script.replace('steps=4096', 'steps=4608, resume=True')
    for text in script, more:
        (tmp_path/name).write_text(text)
        run = subprocess.run([sys.executable, name], cwd=tmp_path, capture_output=True, text=True)
        assert not run.returncode and 'mean return' in run.stdout, run.stderr
    assert script.count('\n') <= 12 and more != script
