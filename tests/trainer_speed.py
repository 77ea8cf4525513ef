"The same work by this package's trainer and by others: nbs/studies/02_speed.ipynb has the record."
import time, warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
import numpy as np
import torch
from torch import nn
from gbxnb.adapters.gymnasium import GymEnv, GymVectorEnv
from gbxnb.adapters.rsl_rl import CONVOLUTIONS, RslRlEnv, runner_config
from gbxnb.adapters.stable_baselines3 import SB3VecEnv
from gbxnb.adapters.torchrl import TorchRLEnv
from gbxnb.base.progress import random_actions, time_in_turn
from gbxnb.runs.policy import make

PACKAGES = 'stable_baselines3', 'rsl-rl-lib', 'torchrl', 'tensordict', 'gymnasium'

@dataclass(frozen=True)
class Work:
    "What each trainer does in an update."
    task:str = 'town/house' # Of the bundled game
    max_steps:int = 16 # Of an episode
    num_envs:int = 32 # N
    rollout_steps:int = 32 # T
    epochs:int = 4 # Times each sample is learned from
    minibatches:int = 4 # Of an epoch

    @property
    def batch(self): return self.num_envs*self.rollout_steps

    def world(self, n=0):
        return make(self.task, n or self.num_envs, max_steps=self.max_steps, device='cpu')

def features():
    "Convolutions and a layer: the network `small` of this package without its heads."
    sizes = zip((1, 16, 32), *(CONVOLUTIONS[k] for k in ('output_channels', 'kernel_size', 'stride')))
    layers = [m for size in sizes for m in (nn.Conv2d(*size), nn.ReLU())]
    return nn.Sequential(*layers, nn.Flatten(-3), nn.Linear(960, 128), nn.ReLU())

def sb3_trainer(
    work:Work, # What is to be done
    single:bool=False, # Consoles one by one in a `DummyVecEnv`
)->Callable: # Called for an update
    "Stable-Baselines3's PPO."
    from stable_baselines3 import PPO
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from stable_baselines3.common.vec_env import DummyVecEnv

    class Small(BaseFeaturesExtractor):
        def __init__(self, space):
            super().__init__(space, 128)
            self.net = features()

        def forward(self, x): return self.net(x.float())

    one = lambda: GymEnv(work.world(1))
    env = DummyVecEnv([one]*work.num_envs) if single else SB3VecEnv(work.world())
    ppo = PPO('CnnPolicy', env, n_steps=work.rollout_steps, n_epochs=work.epochs, learning_rate=1e-3,
              batch_size=work.batch//work.minibatches, ent_coef=.02, seed=0, device='cpu',
              policy_kwargs=dict(features_extractor_class=Small))
    return lambda: ppo.learn(work.batch, reset_num_timesteps=False)

def rsl_trainer(
    work:Work, # What is to be done
    shared:bool=True, # One convolution for actor and critic, as here, or one for each
)->Callable: # Called for an update
    "rsl_rl's PPO."
    from contextlib import redirect_stdout
    from io import StringIO
    from rsl_rl.runners import OnPolicyRunner
    env = RslRlEnv(work.world())
    cfg = runner_config(env, work.rollout_steps, num_learning_epochs=work.epochs,
                        num_mini_batches=work.minibatches, share_cnn_encoders=shared)
    with redirect_stdout(StringIO()), warnings.catch_warnings():
        warnings.simplefilter('ignore') # what is shared stands in its optimiser twice
        runner = OnPolicyRunner(env, cfg, device='cpu')
    return lambda: runner.learn(1)

def torchrl_trainer(
    work:Work, # What is to be done
)->Callable: # Called for an update
    "PPO from TorchRL's parts."
    from tensordict.nn import TensorDictModule
    from torch.distributions import Categorical
    from torchrl.collectors import Collector
    from torchrl.modules import ActorValueOperator, ProbabilisticActor, ValueOperator
    from torchrl.objectives import ClipPPOLoss
    from torchrl.objectives.value import GAE
    env = TorchRLEnv(work.world())
    body = TensorDictModule(Pixels(), ['observation'], ['features'])
    logits = TensorDictModule(nn.Linear(128, env.env.num_actions), ['features'], ['logits'])
    actor = ProbabilisticActor(logits, ['logits'], distribution_class=Categorical, return_log_prob=True)
    model = ActorValueOperator(body, actor, ValueOperator(nn.Linear(128, 1), in_keys=['features']))
    policy, value = model.get_policy_operator(), model.get_value_operator()
    loss = ClipPPOLoss(policy, value, clip_epsilon=.2, entropy_coeff=.02, critic_coeff=.5,
                       normalize_advantage=True)
    gae, adam = GAE(gamma=.99, lmbda=.95, value_network=value), torch.optim.Adam(loss.parameters(), 1e-3)
    batches = iter(Collector(env, policy, frames_per_batch=work.batch, total_frames=-1,
                             auto_register_policy_transforms=False))

    def update():
        flat = gae(next(batches)).reshape(-1)
        orders = (torch.randperm(work.batch) for _ in range(work.epochs))
        for index in (i for order in orders for i in order.chunk(work.minibatches)):
            losses = loss(flat[index])
            adam.zero_grad()
            sum(v for k, v in losses.items() if k.startswith('loss_')).backward()
            nn.utils.clip_grad_norm_(loss.parameters(), .5)
            adam.step()
    return update

class Pixels(nn.Module):
    "`features` of bytes, with any number of dimensions before the picture's three."
    def __init__(self):
        super().__init__()
        self.net = features()

    def forward(self, pixels):
        return self.net(pixels.flatten(0, -4).float()/255).unflatten(0, pixels.shape[:-3])

def trainers(
    work:Work, # What is to be done
)->dict[str, Callable]: # By name
    "The trainers of other packages."
    sb3 = {'Stable-Baselines3': sb3_trainer(work), 'Stable-Baselines3, DummyVecEnv': sb3_trainer(work, True)}
    rsl = {'rsl_rl': rsl_trainer(work), 'rsl_rl, two networks': rsl_trainer(work, False)}
    return sb3 | rsl | {'TorchRL': torchrl_trainer(work)}

def steppers(
    work:Work, # What is to be done
)->dict[str, Callable]: # By name; each plays `work.batch` steps
    "Steps through each adapter, without a policy."
    from stable_baselines3.common.vec_env import DummyVecEnv
    env, rsl, rl = work.world(), RslRlEnv(work.world()), TorchRLEnv(work.world())
    arrays = {'GymVectorEnv': GymVectorEnv(work.world()), 'SB3VecEnv': SB3VecEnv(work.world()),
              'DummyVecEnv of GymEnv': DummyVecEnv([lambda: GymEnv(work.world(1))]*work.num_envs)}
    keys, state = random_actions(env, rows=work.rollout_steps), [rl.reset()]
    for e in env, *arrays.values(): e.reset()

    def through_torchrl():
        for a in keys: state[0] = rl.step_and_maybe_reset(state[0].set('action', a))[1]

    def through(step, rows):
        def play():
            for a in rows: step(a)
        return play

    with_arrays = {k: through(e.step, keys.numpy()) for k, e in arrays.items()}
    return {'the world itself': through(env.step, keys)} | with_arrays | {
        'RslRlEnv': through(rsl.step, keys), 'TorchRLEnv': through_torchrl}

def race(
    work:Work, # How many steps a call is
    things:dict[str, Callable], # By name; the first is what the others are measured by
    rounds:int=7, # Calls of each that count, after one that does not
)->dict: # Name to steps a second, by wall and processor time, and the ratios
    "Time things in turn."
    clocks = lambda: np.array([time.perf_counter(), time.process_time()])
    took = time_in_turn(lambda k, _: things[k](), things, rounds, before=1, clock=clocks)
    first = next(iter(took.values()))
    return {k: {c: _row(work, s[:, i], first[:, i]) for i, c in enumerate(('wall', 'cpu'))} for k, s in took.items()}

def _row(work, seconds, first):
    ratio = first/seconds # of speeds
    rate, middle, low, high = work.batch/np.median(seconds), np.median(ratio), ratio.min(), ratio.max()
    return dict(steps_per_s=round(float(rate), 1), ratio=round(float(middle), 3),
                range=[round(float(low), 3), round(float(high), 3)])

def measure_speed(
    ours:Callable, # Called for an update of this package's own loop
    work:Work=Work(), # What is to be done
    rounds:int=7, # Of each
)->dict:
    "Trainers and steppers on one thread."
    torch.set_num_threads(1)
    names = {p: version(p) for p in PACKAGES}
    training = race(work, dict(gbxnb=ours) | trainers(work), rounds)
    stepping = race(work, steppers(work), rounds)
    return dict(packages=names, work=asdict(work), rounds=rounds, training=training, stepping=stepping)
