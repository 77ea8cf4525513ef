"An option has one home: a copy of the package gets one more, by one declaration and one use."
import os, shutil, subprocess, sys
from dataclasses import fields
import pytest
from gbxnb.__main__ import COMMANDS, find_command
from gbxnb.base.command import make_parser, typed
from gbxnb.base.config import Config, option_type
from pages import root

DECLARED = 'value_coef:Weight=.5 #', 'reward_scale:Weight=1. # What rewards are multiplied by\n    value_coef:Weight=.5 #'
USED = 'values, reward, done, trunc, None)', 'values, reward*self.cfg.reward_scale, done, trunc, None)'
SCRIPT = '''
import json, sys
from pathlib import Path
import gbxnb
from gbxnb.base.command import call
from gbxnb.runs.train import train_cli
from gbxnb.training.config import PPOConfig
assert Path(gbxnb.__file__).parent.parent == Path.cwd(), gbxnb.__file__
small = dict(world='constant', num_envs=4, rollout_steps=8, minibatches=1, model='vector', eval_episodes=0, device='cpu', threads=1)
def run(**options): return call(train_cli, **small | options)
def meta(out): return json.loads(Path(out, 'checkpoint.json').read_text())
text = ' '.join(call(train_cli, '--help')[1].split())
assert '--reward-scale float What rewards are multiplied by' in text and '(default: 1.0)' in text
assert run(out='one', steps=32)[0] == run(out='two', steps=32, reward_scale=2)[0] == 0
assert meta('two')['config']['reward_scale'] == 2 and meta('one')['config']['reward_scale'] == 1
log = [json.loads(Path(k, 'train_log.jsonl').read_text().split('\\n')[0]) for k in ('one', 'two')]
assert [line['meta']['args']['config']['reward_scale'] for line in log] == [1, 2]
losses = [Path(k, 'train_log.jsonl').read_text().split('"value":')[-1].split(',')[0] for k in ('one', 'two')]
assert losses[0] != losses[1], 'it is used'
for wrong in '-1', 'many':
    status, _, err = run(out='three', steps=32, reward_scale=wrong)
    assert status == 1 and err.count('\\n') == 1 and 'reward' in err and 'scale' in err, err
status, _, err = call(train_cli, '--resume', '--steps', 64, '--reward-scale', 3, '--eval-episodes', 0, out='two', device='cpu')
assert status == 1 and 'another run' in err, err
old = meta('one')
del old['config']['reward_scale']
Path('one/checkpoint.json').write_text(json.dumps(old))
assert call(train_cli, '--resume', '--steps', 64, '--eval-episodes', 0, out='one', device='cpu')[0] == 0, 'of an older version'
assert meta('one')['config']['reward_scale'] == 1 and PPOConfig().reward_scale == 1
print('all of it')
'''

def put(path, old, new):
    text = path.read_text(encoding='utf-8')
    assert text.count(old) == 1, (path, text.count(old))
    path.write_text(text.replace(old, new), encoding='utf-8')

@pytest.mark.slow
def test_another_option_is_two_edits(tmp_path):
    "Its place in `--help`, checkpoint and log, its check, resuming, files of before: all follow from the field."
    shutil.copytree(root/'gbxnb', tmp_path/'gbxnb', ignore=shutil.ignore_patterns('__pycache__'))
    put(tmp_path/'gbxnb/training/config.py', *DECLARED)
    put(tmp_path/'gbxnb/training/rollout.py', *USED)
    done = subprocess.run([sys.executable, '-c', SCRIPT], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and done.stdout.split('\n')[-2] == 'all of it', done.stdout[-500:] + done.stderr[-2000:]

def configurations(cls=Config):
    for sub in cls.__subclasses__():
        yield sub
        yield from configurations(sub)

def test_each_option_has_a_help_and_a_type():
    "Of every configuration of the package: the parser that is made of it names each field once, with what stands beside it."
    import gbxnb.prospector.world, gbxnb.toys.toys, gbxnb.worlds.gameboy # noqa: F401
    for name in COMMANDS: find_command(name)
    def nothing(**options): "Nothing."
    ours = [c for c in configurations() if c.__module__.startswith('gbxnb.') and getattr(sys.modules[c.__module__], c.__name__, 0) is c]
    assert len(ours) >= 20
    for config in ours:
        actions = {a.dest: a for a in make_parser(nothing, {config: None}, 'gbxnb nothing')._actions}
        for f in fields(config):
            assert actions[f.name].help.split('(default')[0].strip(), f'{config.__name__}.{f.name} has no comment'
            assert option_type(f.type)[0] in (bool, int, float, str, tuple, list[str]), f'{config.__name__}.{f.name} is of no type'

PRINTS = """import sys
from gbxnb.base.command import typed
sys.argv = ['gbxnb demo'] # as a command has it
print(typed(['gbxnb', 'eval', 'run']), typed(['runs/gbxnb']), sep='\\n')
"""

@pytest.mark.parametrize('path', ['', '.venv/bin'])
def test_a_printed_line_can_be_typed(tmp_path, path):
    "Where no shell finds `gbxnb`, as in a clone, the file that was started is named."
    program = tmp_path/'.venv/bin/gbxnb'
    program.parent.mkdir(parents=True)
    program.write_text(PRINTS)
    program.chmod(0o755)
    env = os.environ | dict(PATH=path)
    run = subprocess.run([sys.executable, '.venv/bin/gbxnb', 'demo'], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert run.stdout.splitlines() == [typed(['gbxnb' if path else str(program), 'eval', 'run']), 'runs/gbxnb'], run.stderr
