"Everything an environment can be given wrongly is refused in one clear line that names the value."
import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from gbxnb.backends.base import make_backend
from gbxnb.backends.probe import probe_picture, probe_rom
from gbxnb.envs.config import EnvConfig
from gbxnb.envs.goal import PixelsGoalEnv
from gbxnb.envs.template import FACTS, PICTURE, GoalTemplate
from gbxnb.files import UserError, sha256

GOAL = GoalTemplate(probe_picture(5, 2), sha256(probe_rom()), '0'*64, '0'*64, tau=.001)
ERRORS = ValueError, TypeError, UserError

def refused(call, *words):
    "`call` raises one short line with all `words` in it."
    with pytest.raises(ERRORS) as e: call()
    text = str(e.value)
    assert '\n' not in text and len(text) < 300 and all(w in text for w in words), text

def env(goal=GOAL, n=2, cfg=EnvConfig(), **kw): return PixelsGoalEnv(probe_rom(), n, goal, cfg, device='cpu', **kw)

@pytest.mark.parametrize('goal, cfg, words', [
    (replace(GOAL, rom_sha256='1'*64), EnvConfig(), ('ROM 1111', 'but this is ROM')),
    (GOAL, EnvConfig(action_codec_id='pokemonred_puffer_v1'), ('action_codec_id', 'puffer_v0', 'puffer_v1')),
    (GOAL, EnvConfig(frames_per_step=12), ('frames_per_step', '24', '12')),
    (GOAL, EnvConfig(release_after_frames=4), ('release_after_frames', '8', '4')),
    (replace(GOAL, pix=np.stack([GOAL.pix]*3)), EnvConfig(stack_k=2), ('stack of 3', 'stack_k 2'))])
def test_goal_of_another_world(goal, cfg, words): refused(lambda: env(goal, cfg=cfg), *words)

def float_picture(a): return a.astype(np.float32) + np.nan

@pytest.mark.parametrize('change, picture, words', [
    (dict(schema_version=2), None, ('schema_version', '2')), (dict(pipeline_version='x'), None, ('pipeline_version',)),
    (dict(downsample_h=144), None, ('downsample_h', '144')), (dict(action_codec_id='v9'), None, ('action_codec_id', 'v9')),
    (dict(tau=float('nan')), None, ('tau', 'nan')), (dict(stack_k=2), None, ('stack_k', '2')),
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
                             (good.to('meta'), ('meta', 'cpu')), ([0, 0, 0], ('list',)), (good.numpy(), ('ndarray',))):
            refused(lambda wrong=wrong: e.step(wrong), *words)
        assert (e.obs == before).all(), 'a refused step did not happen'

def test_devices():
    with pytest.raises((ValueError, RuntimeError), match='tpu'): PixelsGoalEnv(probe_rom(), 1, GOAL, device='tpu')
    refused(lambda: PixelsGoalEnv(probe_rom(), 1, GOAL, backend='reference', device='cuda'), 'cuda', 'reference')
