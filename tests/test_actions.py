"""What actions mean: codecs by name and by list, and the name in every artefact of a run."""
import json
import pytest
import torch
import gbxnb
from gbxnb.emulator.machine import Button, keys_text, parse_keys
from gbxnb.envs.config import CODECS, action_codec
from gbxnb.base.files import UserError
from gbxnb.logs.schema import read_log
from gbxnb.__main__ import find_command
from hypothesis import HealthCheck, given, settings, strategies as st

OWN = 'NOOP,A,B,SELECT,UP,DOWN,LEFT,RIGHT,A+RIGHT'

@pytest.mark.parametrize('command', ['train', 'goal capture', 'goal propose'])
def test_the_help_names_every_codec(command):
    text = ' '.join(find_command(command).parser([]).format_help().split())
    assert all(id in text for id in CODECS)

@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.integers(0, 255), min_size=2, max_size=40, unique=True))
def test_a_list_and_its_name_are_the_same_codec(keys):
    apart = [k for k in keys if k & 3 != 3 and k & 12 != 12]
    id = ','.join(keys_text(k) or 'NOOP' for k in apart)
    if len(apart) < 2: return
    codec = action_codec(id)
    assert codec.id == id and codec.masks.tolist() == apart and codec.names == tuple(id.split(','))
    assert action_codec(','.join('+'.join(reversed(n.split('+'))) for n in codec.names)) == codec

@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 255))
def test_keys_and_their_names(keys):
    assert parse_keys(keys_text(keys)) == keys
    pressed = int(action_codec('multibinary8').masks[keys])
    assert pressed & 3 != 3 and pressed & 12 != 12 and pressed & ~keys == 0 and pressed >> 4 == keys >> 4

def test_two_keys_reach_the_console_at_once():
    with gbxnb.make('town/house', num_envs=2, action_codec_id=OWN) as env:
        env.reset(seed=0)
        env.pad.press(torch.tensor([8, 3]))
        assert env.backend.buttons.numpy().tolist() == [Button.A | Button.RIGHT, Button.SELECT]
        assert env.num_actions == 9 and env.spec().facts['action_codec_id'] == OWN

def test_every_artefact_says_what_actions_mean(tmp_path):
    run = gbxnb.train('town/house', steps=64, num_envs=4, rollout_steps=16, model='small', eval_episodes=0,
                      action_codec_id='NOOP,UP,RIGHT+A', out=str(tmp_path/'run'))
    run.env.close()
    id = 'NOOP,UP,A+RIGHT'
    assert json.loads((tmp_path/'run/checkpoint.json').read_text())['world']['facts']['action_codec_id'] == id
    assert read_log(tmp_path/'run/train_log.jsonl').meta.world['facts']['action_codec_id'] == id
    assert json.loads((tmp_path/'run/world/goal_template.meta.json').read_text())['action_codec_id'] == id

def test_what_is_no_codec_is_one_line():
    for wrong in 'atari', 'A,FIRE', 'LEFT+RIGHT,A', 'A,A':
        with pytest.raises(UserError, match='action_codec_id'): gbxnb.make('town/house', action_codec_id=wrong)
