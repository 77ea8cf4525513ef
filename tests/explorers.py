"""Rival explorers of the bundled game on one budget, and two yardsticks that none of them sees: nbs/studies has the record.

    python tests/explorers.py --out nbs/studies/results/explorers.json
"""
import argparse, json, time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
import numpy as np
import torch
import warp as wp
from fastcore.basics import patch
from torch import nn
from gbxnb.backends.base import Snapshot
from gbxnb.backends.warp import make_backend
from gbxnb.base.config import Config, Count, Whole
from gbxnb.base.figures import count_ticks, line_look
from gbxnb.base.files import UserError, check_int, write_atomic
from gbxnb.base.progress import about, track
from gbxnb.envs.config import ENV_DEFAULTS, EnvConfig, Pad, action_codec
from gbxnb.envs.pixels import PixelsEnv
from gbxnb.envs.rewards import Moment, RewardJudge
from gbxnb.envs.goal import distance
from gbxnb.explore.cells import GRIDS
from gbxnb.explore.explorer import ExploreConfig, Explorer
from gbxnb.games import town as game
from gbxnb.games.bundled import TOWN, bundled_task
from gbxnb.training.config import PPOConfig
from gbxnb.training.loop import Callback, train
from gbxnb.training.models import ActorCritic, orthogonal
from gbxnb.training.rollout import Run, start_run
from gbxnb.worlds.contract import pick_device

LEVELS = 8
GRAINS = dict(fine=(9, 10), coarse=(3, 2)) # blocks down and across

def block_levels(
    pix:np.ndarray, # uint8[n, 72, 80] shades
    high:int, # Blocks down, a divisor of 72
    wide:int, # Blocks across, a divisor of 80
)->np.ndarray: # uint8[n, high*wide], 0..7
    "How dark each block of each screen is."
    n, area, words = len(pix), 3*(72//high)*(80//wide), np.ascontiguousarray(pix).view(np.uint64)
    columns = words.reshape(n, high, 72//high, 10).sum(2, dtype=np.uint64)
    sums = columns.view(np.uint8).reshape(n, high, wide, 80//wide).sum(3, dtype=np.uint32)
    return (sums*LEVELS//(area + 1)).astype(np.uint8).reshape(n, -1)

def distinct(
    levels:np.ndarray, # uint8[n, k]
)->set[bytes]:
    "The different rows; numpy drops the zeros at the end of a text, the same for equal rows alone."
    return {*np.ascontiguousarray(levels).view(f'S{levels.shape[1]}').ravel().tolist()}

def shows(
    goal, # `GoalTemplate` of one picture, without a mask
): # A function of uint8[n, 72, 80] that returns bool[n]
    "A judge of whether screens show a goal."
    if goal.pix.ndim > 2 or goal.mask is not None:
        raise ValueError(f'the goal is {list(goal.pix.shape)} or has a mask; a judge wants one whole picture')
    part = goal.pix[::4, ::4]
    def judge(pix):
        found = distance(pix[:, ::4, ::4], part, goal.dist_metric) < goal.tau*goal.pix.size/part.size
        found[found] = distance(pix[found], goal.pix, goal.dist_metric) < goal.tau
        return found
    return judge

@cache
def town_places()->dict: # A judge by name
    "The named places of the bundled game."
    return {name: shows(bundled_task(TOWN + name).known_goal) for name in game.GOALS}

class Clock:
    "Seconds between `start` and now, without those spent in `aside`, and those spent in a timed method."
    def __init__(self): self.began, self.beside, self.stepping = 0., 0., 0.
    def start(self): self.began, self.beside, self.stepping = time.perf_counter(), 0., 0.

    @property
    def seconds(self)->float: return time.perf_counter() - self.began - self.beside

    @contextmanager
    def aside(self):
        "What happens here does not count."
        begin = time.perf_counter()
        try: yield
        finally: self.beside += time.perf_counter() - begin

    @contextmanager
    def timing(self, owner, name:str):
        "Calls of this method are timed; on a GPU that is the time of the launch."
        method = getattr(owner, name)
        def timed(*args):
            begin = time.perf_counter()
            try: return method(*args)
            finally: self.stepping += time.perf_counter() - begin
        setattr(owner, name, timed)
        try: yield
        finally: delattr(owner, name)

class Yardstick:
    "What was seen, and when."
    def __init__(self,
        places:dict|None=None, # A judge by name: uint8[n, 72, 80] to bool[n]; by default none
        every:int=4096, # Environment steps between two points of the curve
    ):
        self.places, self.every, self.clock = places or {}, every, Clock()
        self.first, self.scripts = {}, {}
        self.seen = {grain: set() for grain in GRAINS}
        self.curve = []

    def __call__(self, explorer):
        with self.clock.aside():
            pix, steps = explorer.backend.pix.numpy(), explorer.steps
            for grain, blocks in GRAINS.items(): self.seen[grain] |= distinct(block_levels(pix, *blocks))
            self.look(explorer, pix)
            if steps >= (len(self.curve) + 1)*self.every: self.curve.append([steps, *self.counts().values()])

    def counts(self)->dict: return {grain: len(s) for grain, s in self.seen.items()}

    def __repr__(self):
        found = ', '.join(f'{name} after {steps:,}' for name, (steps, _) in self.first.items())
        return f'Yardstick({self.counts()}; {found or "no place seen"})'

@patch
def look(self:Yardstick, explorer, pix):
    "Ask the judges of places that were not seen yet."
    for name in self.places.keys() - self.first.keys():
        if not (found := self.places[name](pix)).any(): continue
        self.first[name] = [explorer.steps, round(self.clock.seconds, 3)]
        if hasattr(explorer, 'lane_script'): self.scripts[name] = explorer.lane_script(int(found.argmax()))

@patch
def measure(self:Yardstick,
    explorer, # Has `run`, `backend` and `steps`
    steps:int, # Environment steps to play
)->dict: # JSON values: the counts, the curve, the first sight of each place, and times
    "Let an explorer run, and look on."
    begun = explorer.steps
    self.clock.start()
    with self.clock.timing(explorer.backend, 'step'): explorer.run(steps, self)
    seconds = self.clock.seconds
    return dict(steps=explorer.steps, seconds=round(seconds, 3),
                steps_per_s=round((explorer.steps - begun)/seconds),
                beside_stepping=round(1 - self.clock.stepping/seconds, 4), **self.counts(),
                first=self.first, script_steps={k: len(s) for k, s in self.scripts.items()}, curve=self.curve)

STICKINESS = 0., .5, .9 # Chances of holding on to an action; each console draws one of them

@dataclass(frozen=True)
class PlayConfig(Config):
    "What random play depends on."
    num_envs:Count=256 # N, consoles side by side
    seed:Whole=0 # Of all random choices

class RandomPlay:
    "N consoles that play at random from one start."
    def __init__(self,
        rom:bytes|str|Path, # The cartridge, or its file
        start:Snapshot, # Where all begin
        cfg:PlayConfig=PlayConfig(), # How many, and the seed
        env_cfg:EnvConfig=ENV_DEFAULTS, # What a step is
        device:str='auto', # cpu, cuda, cuda:1 ...; auto prefers a GPU
    ):
        self.cfg, self.env_cfg, n = cfg, env_cfg, cfg.num_envs
        self.backend = b = make_backend('warp', rom, n, device)
        if b.device.startswith('cuda'): torch.cuda.set_stream(wp.stream_to_torch(wp.get_stream(b.device)))
        b.set_bank([start])
        self.pad = Pad(action_codec(env_cfg.action_codec_id), b.buttons)
        self.device = d = self.pad.device
        self.generator = torch.Generator(d).manual_seed(cfg.seed)
        self.actions, self.stickiness = self._draw(), torch.zeros(n, device=d)
        self._all = wp.full(n, True, dtype=wp.bool, device=b.device)
        self._first = wp.zeros(n, wp.int32, b.device)
        self.steps, self.played = 0, []
        self.begin()

    def __enter__(self): return self
    def __exit__(self, *exc): self.close()
    def close(self): self.backend.close()
    def __repr__(self):
        return f'{type(self).__name__}({self.steps:,} steps of {self.cfg.num_envs} consoles on {self.device})'

@patch
def _draw(self:RandomPlay):
    "An action for each console."
    n, a = self.cfg.num_envs, self.pad.codec.num_actions
    return torch.randint(a, (n,), generator=self.generator, device=self.device)

@patch
def _chance(self:RandomPlay):
    return torch.rand(self.cfg.num_envs, generator=self.generator, device=self.device)

@patch
def draw_habits(self:RandomPlay)->None:
    "A stickiness for each console."
    kinds = torch.tensor(STICKINESS, device=self.device)
    self.stickiness = kinds[(self._chance()*len(kinds)).long()]

@patch
def begin(self:RandomPlay)->None:
    "Bring all consoles to the start."
    self.backend.restore(self._all, self._first)
    self.draw_habits()
    self.played.clear()

@patch
def step(self:RandomPlay)->None:
    "One step of all consoles."
    self.actions = torch.where(self._chance() < self.stickiness, self.actions, self._draw())
    self.pad.press(self.actions)
    self.backend.step(self.env_cfg.frames_per_step, self.env_cfg.release_after_frames)
    self.steps += self.cfg.num_envs
    self.played.append((self.actions.to(torch.uint8), None))

@patch
def clone(self:RandomPlay,
    source:torch.Tensor, # int32[N]: whom each console becomes a copy of; its own number: it stays
)->None:
    "Consoles become copies of others, and take over their past."
    self.backend.clone(wp.from_torch(source))
    self.played[-1] = self.played[-1][0], source

@patch
def lane_script(self:RandomPlay,
    i:int, # A console
)->tuple[int, ...]: # Actions
    "The way from the start to where a console is now."
    way = []
    for actions, source in reversed(self.played):
        if source is not None: i = int(source[i])
        way.append(int(actions[i]))
    return tuple(reversed(way))

@patch
def run(self:RandomPlay,
    steps:int, # Environment steps of all consoles together, at least
    each_step=None, # Called with the explorer after every step of all consoles
)->'RandomPlay': # Itself
    "Explore for so many steps more."
    check_int(0, steps=steps)
    end = self.steps + steps
    while self.steps < end:
        self.prepare()
        self.step()
        if each_step: each_step(self)
    return self

class Restart(RandomPlay):
    "Random play that begins anew after each episode."
    def prepare(self):
        if len(self.played) == self.env_cfg.max_steps: self.begin()

BLOCKS = 18, 20

def block_means(
    pix:torch.Tensor, # uint8[n, 72, 80] shades
)->torch.Tensor: # f32[n, 360], 0..1
    "The mean brightness of each block."
    return nn.functional.avg_pool2d(pix.float(), (72//BLOCKS[0], 80//BLOCKS[1])).flatten(1)/3

class Running:
    "Mean and variance of all rows so far."
    def __init__(self, *shape, device):
        self.mean, self.var = torch.zeros(shape, device=device), torch.ones(shape, device=device)
        self.count = torch.full((), 1e-4, device=device)

    def add(self,
        x:torch.Tensor, # f32[n, *shape]
    ):
        n, shift = len(x), x.mean(0) - self.mean
        total = self.count + n
        spread = self.var*self.count + x.var(0, correction=0)*n + shift**2*self.count*n/total
        self.mean.add_(shift*n/total)
        self.var.copy_(spread/total)
        self.count.copy_(total)

class RND:
    "How new screens are."
    def __init__(self,
        seed:int, # Of both networks' weights
        device:str|torch.device, # Where they live
        lr:float=1e-3, # Adam's learning rate
        hidden:int=128, # Width of the hidden layers
        features:int=64, # Numbers that are predicted
    ):
        size = BLOCKS[0]*BLOCKS[1]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            layers = lambda *more: nn.Sequential(nn.Linear(size, hidden), nn.ReLU(), *more,
                                                 nn.Linear(hidden, features))
            self.target = layers().to(device).requires_grad_(False)
            self.predictor = layers(nn.Linear(hidden, hidden), nn.ReLU()).to(device)
        self.stats = Running(size, device=device)
        self.optimizer = torch.optim.Adam(self.predictor.parameters(), lr)

@patch
def _errors(self:RND, pix):
    "f32[n], with a gradient."
    x = (block_means(pix) - self.stats.mean)/(self.stats.var + 1e-6).sqrt()
    x = x.clamp(-5, 5)
    return (self.predictor(x) - self.target(x)).square().mean(1)

@patch
@torch.no_grad()
def novelty(self:RND,
    pix:torch.Tensor, # uint8[n, 72, 80] shades
)->torch.Tensor: # f32[n]
    "The error on each screen."
    return self._errors(pix)

@patch
def learn(self:RND,
    pix:torch.Tensor, # uint8[n, 72, 80] shades
)->torch.Tensor: # f32[n]: the errors before
    "See screens: one step of the optimiser."
    self.stats.add(block_means(pix))
    errors = self._errors(pix)
    self.optimizer.zero_grad()
    errors.mean().backward()
    self.optimizer.step()
    return errors.detach()

@dataclass(frozen=True)
class WinnersConfig(PlayConfig):
    "What going with the winners depends on."
    every:Count=8 # Steps between two contests

def winners(
    novelty:torch.Tensor, # f32[N]
)->torch.Tensor: # int32[N]: whom each becomes a copy of
    "The least novel half becomes copies of the most novel, one each; in the middle one may stay."
    order, half = novelty.argsort(stable=True), len(novelty)//2
    source = torch.arange(len(novelty), dtype=torch.int32, device=novelty.device)
    source[order[:half]] = source[order.flip(0)[:half]]
    return source

class Winners(RandomPlay):
    "Random play in which novelty multiplies."
    def __init__(self, rom, start, cfg:WinnersConfig=WinnersConfig(), env_cfg:EnvConfig=ENV_DEFAULTS,
                 device='auto'):
        super().__init__(rom, start, cfg, env_cfg, device)
        self.rnd, self.pix = RND(cfg.seed, self.device), wp.to_torch(self.backend.pix)

    def prepare(self):
        if not self.played or len(self.played) % self.cfg.every: return
        self.clone(winners(self.rnd.learn(self.pix)))
        self.draw_habits()

class Curiosity:
    "The novelty of what is shown now, in units of the deviation of its discounted sum."
    def __init__(self,
        rnd:RND, # Says what is new
        num_envs:int, # N
        gamma:float=.99, # Discount of the sum
    ):
        device = rnd.stats.mean.device
        self.rnd, self.gamma = rnd, gamma
        self.sum, self.stats = torch.zeros(num_envs, device=device), Running(1, device=device)

    @torch.no_grad()
    def __call__(self, s:Moment):
        novelty = self.rnd.novelty(s.obs[:, -1])
        self.sum.mul_(self.gamma).add_(novelty)
        self.stats.add(self.sum[:, None])
        return novelty/(self.stats.var + 1e-8).sqrt()

class LearnRND(Callback):
    "After each update, the predictor sees the rollout."
    def __init__(self, rnd:RND): self.rnd = rnd
    def on_update(self, run:Run):
        for obs in run.rollout.obs: self.rnd.learn(obs[:, -1])

class WatchedEnv(PixelsEnv):
    "Calls `after` after each step."
    def step(self, actions):
        out = super().step(actions)
        self.after()
        return out

class BlockActorCritic(ActorCritic):
    "Two layers on block means."
    def __init__(self,
        obs_shape:tuple[int, int, int], # (K, 72, 80)
        num_actions:int, # A
        hidden:int=256, # Width of both layers
    ):
        size = obs_shape[0]*BLOCKS[0]*BLOCKS[1]
        super().__init__(nn.Sequential(orthogonal(nn.Linear(size, hidden)), nn.ReLU(),
                                       orthogonal(nn.Linear(hidden, hidden)), nn.ReLU()), hidden, num_actions)

    def scale(self, obs): return block_means(obs.flatten(0, 1)).view(len(obs), -1)

RND_PPO = PPOConfig(num_envs=256, rollout_steps=32, lr=1e-3, clip=.2, epochs=4,
                    model=BlockActorCritic, anneal_lr=False)

class RNDPPO:
    "PPO whose reward is novelty."
    def __init__(self,
        rom:bytes|str|Path, # The cartridge, or its file
        start:Snapshot, # Where episodes begin
        cfg:PPOConfig=RND_PPO, # Of the policy; its `gamma` discounts novelty
        env_cfg:EnvConfig=ENV_DEFAULTS, # What a step and an episode are
        device:str='auto', # cpu, cuda, cuda:1 ...; auto prefers a GPU
    ):
        n, device = cfg.num_envs, pick_device(device)
        self.cfg, self.rnd = cfg, RND(cfg.seed, device)
        curiosity = Curiosity(self.rnd, n, cfg.gamma)
        self.env = WatchedEnv(rom, n, env_cfg, start, RewardJudge(curiosity), device=device, seed=cfg.seed)
        self.env.after, self.backend = self._note, self.env.backend
        self.learner = start_run(self.env, cfg, cfg.batch)
        self.learner.updates, self.steps, self.each_step = 0, 0, None
        self.played = torch.zeros(env_cfg.max_steps, n, dtype=torch.uint8, device=self.env.device)

    def __repr__(self):
        return f'RNDPPO({self.steps:,} steps, {self.learner.update} updates on {self.backend.device})'

    def __enter__(self): return self
    def __exit__(self, *exc): self.close()
    def close(self): self.env.close()

@patch
def _note(self:RNDPPO):
    "After a step."
    e, last = self.env, (self.env.episode_length - 1).long()[None]
    self.played.scatter_(0, last, e.pad.actions.to(torch.uint8)[None])
    self.steps += self.cfg.num_envs
    if self.each_step: self.each_step(self)

@patch
def run(self:RNDPPO,  # noqa: F811 (a method, by patch)
    steps:int, # Environment steps of all consoles together, at least; whole rollouts are played
    each_step=None, # Called with the explorer after every step of all consoles
)->'RNDPPO': # Itself
    "Explore for so many steps more."
    check_int(0, steps=steps)
    self.each_step = each_step
    self.learner.updates += -(-steps//self.cfg.batch)
    train(self.learner, [LearnRND(self.rnd)])
    return self

@patch
def lane_script(self:RNDPPO,  # noqa: F811 (a method, by patch)
    i:int, # A console
)->tuple[int, ...]: # Actions
    "The way from the start to where a console is now."
    if self.env.ended[i]: return () # it has begun anew
    return tuple(self.played[:int(self.env.episode_length[i]), i].tolist())

EXPLORERS = dict( # Name to class and configuration
    restart=(Restart, PlayConfig()), flat=(Explorer, ExploreConfig(grids=GRIDS[-1:])),
    tree=(Explorer, ExploreConfig()), winners=(Winners, WinnersConfig()), rnd_ppo=(RNDPPO, RND_PPO))

def make_explorer(
    name:str, # One of `EXPLORERS`
    seed:int=0, # Of all its random choices
    num_envs:int=256, # N
    device:str='auto', # cpu, cuda, cuda:1 ...; auto prefers a GPU
):
    "An explorer of the bundled game."
    if name not in EXPLORERS:
        raise UserError(f'explorer {name[:40]!r} is unknown; known are {", ".join(EXPLORERS)}')
    kind, cfg = EXPLORERS[name]
    cfg = replace(cfg, num_envs=num_envs, seed=seed)
    return kind(game.rom(), bundled_task().start, cfg, device=device)

def explore_once(
    name:str, # One of `EXPLORERS`
    seed:int, # Of all its random choices
    steps:int=262_144, # Environment steps
    num_envs:int=256, # N
    device:str='auto', # cpu, cuda, cuda:1 ...; auto prefers a GPU
    every:int=8192, # Environment steps between two points of the curve
)->dict: # `explorer`, `seed`, and what `Yardstick.measure` says
    "One run, measured."
    with make_explorer(name, seed, num_envs, device) as e:
        return dict(explorer=name, seed=seed) | Yardstick(town_places(), every).measure(e, steps)

def compare_explorers(
    seeds:dict[str, int], # Runs of each explorer: seeds 0, 1, 2 ...
    steps:int=262_144, # Environment steps of each
    out:str|Path='', # A JSON file; empty is none
    num_envs:int=256, # N
    device:str='auto', # cpu, cuda, cuda:1 ...; auto prefers a GPU
    every:int=8192, # Environment steps between two points of a curve
)->dict: # What was compared, and a row a run
    "Let explorers explore the bundled game, one run after the other."
    runs = [(name, seed) for seed in range(max(seeds.values())) for name in seeds if seed < seeds[name]]
    rom, rows, device = bundled_task().start.rom_sha256, [], pick_device(device)
    result = dict(rom_sha256=rom, num_envs=num_envs, steps=steps, every=every) | about(device)
    for name, seed in track(runs, 'explorers', 'run'):
        rows.append(explore_once(name, seed, steps, num_envs, device, every))
        if out: write_atomic(out, table_text(result, rows))
    return result | dict(rows=rows)

def table_text(
    result:dict, # JSON values
    rows:list[dict], # One a line
)->str:
    "JSON with a line a row."
    lines = ',\n'.join(json.dumps(r) for r in rows)
    return json.dumps(result, indent=1)[:-2] + f',\n "rows": [\n{lines}\n]}}\n'

def median_interval(
    values:np.ndarray, # [seeds, ...]
    times:int=2000, # Resamplings
    seed:int=0, # Of them
)->np.ndarray: # [3, ...]: low, median, high
    "The median over seeds with its interval of 95%."
    rng = np.random.default_rng(seed)
    draws = np.median(values[rng.integers(0, len(values), (times, len(values)))], 1)
    low, high = (np.quantile(draws, q, 0, method='nearest') for q in (.025, .975)) # of them, not between
    return np.stack([low, np.median(values, 0), high])

def first_steps(
    rows:list[dict], # Runs of one explorer
    place:str, # Of the game
    unit:int=0, # 0: environment steps; 1: seconds
)->np.ndarray: # f64[seeds], infinite where it was not seen
    "When each run saw a place first."
    return np.array([r['first'].get(place, (np.inf, np.inf))[unit] for r in rows], float)

def by_explorer(result:dict)->dict: # Rows by the name of the explorer
    return {k: rows for k in EXPLORERS if (rows := [r for r in result['rows'] if r['explorer'] == k])}

def thousands(steps:float)->str: return f'{steps/1000:.1f} k' if np.isfinite(steps) else 'never'

def explorer_table(
    result:dict, # From `compare_explorers`
    places:tuple=tuple(game.GOALS), # Columns
)->str: # Markdown
    "How many seeds saw each place, and after how many thousand steps in the median."
    titles = 'explorer', 'seeds', *places, 'all by', 'steps/s', 'not stepping'
    lines = [f'| {" | ".join(titles)} |', '|---'*len(titles) + '|']
    for name, rows in by_explorer(result).items():
        first, seconds = (np.array([first_steps(rows, p, unit) for p in places]) for unit in (0, 1))
        cells = [f'{np.isfinite(f).sum()}: {thousands(np.median(f))}' for f in first]
        speed, share = (np.median([r[k] for r in rows]) for k in ('steps_per_s', 'beside_stepping'))
        by = f'{thousands(first.max())} ({seconds.max():.1f} s)' if np.isfinite(first).all() else 'never'
        cells = [name, str(len(rows)), *cells, by, f'{speed:,.0f}', f'{share:.0%}']
        lines.append(f'| {" | ".join(cells)} |')
    return '\n'.join(lines)

LOOKS = {name: line_look(k) for k, name in enumerate(('winners', 'tree', 'rnd_ppo', 'restart', 'flat'))}

def draw_interval(ax, name, steps, values):
    "The median over seeds of f64[seeds, points], and its interval."
    low, mid, high = median_interval(values)
    ax.fill_between(steps, low, high, color=LOOKS[name]['color'], alpha=.2, lw=0)
    ax.plot(steps, mid, **LOOKS[name], label=name)

def draw_curves(
    ax, # Matplotlib's axes
    result:dict, # From `compare_explorers`
    grain:str, # `fine` or `coarse`
):
    "How many distinct screens were seen after a number of steps."
    column = 1 + [*GRAINS].index(grain)
    for name, rows in by_explorer(result).items():
        curves = np.array([r['curve'] for r in rows])                           # [seeds, points, 1 + grains]
        draw_interval(ax, name, curves[0, :, 0], curves[:, :, column])
    ax.set(xlabel='environment steps', ylabel=f'{grain} screens')
    for axis in ax.xaxis, ax.yaxis: count_ticks(axis)

def draw_places(
    ax, # Matplotlib's axes
    result:dict, # From `compare_explorers`
):
    "How many of the named places were seen after a number of steps."
    at = np.linspace(0, result['steps'], 256)
    for name, rows in by_explorer(result).items():
        first = np.array([first_steps(rows, p) for p in game.GOALS])            # [places, seeds]
        draw_interval(ax, name, at, (first[:, :, None] <= at).sum(0))
    ax.set(xlabel='environment steps', ylabel='named places')
    count_ticks(ax.xaxis)

if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', required=True)
    compare_explorers(dict(tree=10, restart=10, flat=5, winners=5, rnd_ppo=3), out=parser.parse_args().out)
