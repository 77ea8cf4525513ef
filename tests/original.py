"""The original of Prospector, as a shared library that somebody built elsewhere, beside our ships. With a library in PROSPECTOR_ORIGINAL,
`python tests/original.py FILE KEY=VALUE ...` writes what the whole comparison found into FILE, and the words beside it;
`python tests/original.py --speed FILE KEY=VALUE ...` how fast both are."""
import ctypes, ctypes.util, json, os, platform, sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from types import SimpleNamespace

import numpy as np
import torch
from gbxnb.base.progress import about, mean_ratio, time_in_turn
from gbxnb.prospector.maths import MATHS
from gbxnb.prospector.rows import Col
from gbxnb.prospector.rules import ASTEROIDS, GOODS, METRICS, NEIGHBORS, NODES, OBS
from gbxnb.prospector.tick import Ship
from gbxnb.prospector.world import Prospector
from parity import SUITES, Injected, Pcg32, compare_players

F = np.float32
PLAYED = SUITES | {'any number': lambda obs, rng: int(rng.integers(72))} # 69 and above are no actions
LIBRARY = os.environ.get('PROSPECTOR_ORIGINAL', '')
WHY_NOT = 'PROSPECTOR_ORIGINAL names no shared library of the original'
TOLERANCES = dict(obs=1.5e-5, reward=6.4e-6, credits=3e-4) # float32 and float64 of the original itself differ by as much

class StepResult(ctypes.Structure):
    "What the original's step says; public."
    _fields_ = [('obs', ctypes.c_float*OBS), ('reward', ctypes.c_float), ('terminated', ctypes.c_uint8), ('truncated', ctypes.c_uint8),
                ('invalid', ctypes.c_uint8), ('dt', ctypes.c_uint16), ('action', ctypes.c_int16), ('metrics', ctypes.c_float*len(METRICS))]

# Where in the original's state, else opaque, lies what a test reads or changes.
WORLD = dict(kind=(112, 'u1', NODES), hazard=(144, 'f4', NODES), pirates=(272, 'f4', NODES), hops=(400, 'u1', NODES),
             neighbor=(432, 'i1', (NODES, NEIGHBORS)), time=(624, 'u1', (NODES, NEIGHBORS)), fuel=(816, 'f4', (NODES, NEIGHBORS)),
             threat=(1584, 'f4', (NODES, NEIGHBORS)), comp=(3632, 'f4', (NODES, ASTEROIDS, GOODS)),
             richness=(15920, 'f4', (NODES, ASTEROIDS)), stability=(17968, 'f4', (NODES, ASTEROIDS)),
             noise=(20016, 'f4', (NODES, ASTEROIDS)), guess=(22064, 'f4', (NODES, ASTEROIDS, GOODS)), price=(40496, 'f4', GOODS),
             phase=(40544, 'f4', GOODS), period=(40568, 'f4', GOODS), amplitude=(40592, 'f4', GOODS), stock=(40616, 'f4', GOODS))
SHIP = dict(generator=(8, 'u8', ()), gauges=(44, 'f4', 6), cargo=(68, 'f4', GOODS), supplies=(92, 'u1', 3))
STATE = np.dtype(dict(names=[*WORLD, *SHIP], formats=[(t, n) for _, t, n in (WORLD | SHIP).values()],
                      offsets=[at for at, _, _ in (WORLD | SHIP).values()], itemsize=41_752))
GAUGES = 'credits', 'fuel', 'hull', 'heat', 'tool', 'alert'
SUPPLIES = 'kits', 'stabilizers', 'decoys'
COLUMNS = [*(Col[k.upper()] for k in GAUGES), *range(Col.CARGO, Col.PRICE), *(Col[k.upper()] for k in SUPPLIES)] # of the kernels' rows

class Original:
    "One ship of the original."
    def __init__(self, seed, path=None):
        self.lib = ctypes.CDLL(path or LIBRARY)
        self.lib.abp_core_create.restype, self.lib.abp_core_create.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_uint64]
        self.lib.abp_core_reset.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p]
        self.lib.abp_core_step.argtypes = [ctypes.c_void_p, ctypes.c_uint8, ctypes.POINTER(StepResult)]
        self.lib.abp_core_destroy.argtypes = [ctypes.c_void_p]
        self.handle, self.out = self.lib.abp_core_create(None, seed), StepResult()
        self.state = np.frombuffer((ctypes.c_char*STATE.itemsize).from_address(self.handle), STATE)[0]
        self.reset(seed)

    def __del__(self): self.lib.abp_core_destroy(self.handle)
    def reset(self, seed): self.lib.abp_core_reset(self.handle, seed, ctypes.byref(self.out))
    def step(self, action): self.lib.abp_core_step(self.handle, action, ctypes.byref(self.out))
    @property
    def obs(self): return np.array(self.out.obs, F)
    @property
    def metrics(self): return np.array(self.out.metrics, F)
    @property
    def flags(self): return tuple(map(int, (self.out.terminated, self.out.truncated, self.out.invalid, self.out.dt)))

def c_maths():
    "The C library's functions of float32, which the original calls."
    lib = ctypes.CDLL(ctypes.util.find_library('m'))
    def function(name):
        f = getattr(lib, name)
        f.restype, f.argtypes = ctypes.c_float, [ctypes.c_float]
        return lambda x: F(f(x)) if np.ndim(x) == 0 else np.array([f(v) for v in x], F)
    lib.powf.restype, lib.powf.argtypes = ctypes.c_float, [ctypes.c_float]*2
    names = dict(exp='expf', log='logf', sin='sinf', cos='cosf', log1p='log1pf')
    return SimpleNamespace(power=lambda x, n: F(lib.powf(x, n)), **{k: function(v) for k, v in names.items()})

def relative(a, b): return float((np.abs(np.asarray(a, float) - b)/np.maximum(1, np.abs(b))).max())

def fuzz(rng):
    "Gauges and cargo as an episode might have them, often at their ends, and supplies."
    gauges = rng.random(6)*[3000, 1000, 100, 100, 100, 100]
    ends = rng.random(6) < .15
    gauges[ends] = np.array([0, 30, 5, 100, 0, 100])[ends]
    cargo = rng.random(GOODS)*(rng.random(GOODS) < .7)
    return gauges.astype(F), (cargo*rng.choice([0, 5, 60, 200])/max(1, cargo.sum())).astype(F), rng.integers(0, 13, 3)

def change(ship, gauges, cargo, supplies):
    "Give a ship of the reference what `fuzz` found."
    for k, v in zip(GAUGES, gauges): setattr(ship, k, v)
    for k, v in zip(SUPPLIES, supplies): setattr(ship, k, int(v))
    ship.cargo = cargo.copy()

class Beside:
    "Ships of the original, of the reference with the C library's mathematics, of the reference with ours, and of the kernels: one game."
    def __init__(self, seeds, suite):
        self.suite, self.seeds, self.episode = PLAYED[suite], list(seeds), [0]*len(seeds)
        self.rngs, self.maths = [np.random.default_rng((s, 99)) for s in seeds], c_maths()
        self.original, self.exact, self.ours = [Original(0) for _ in seeds], [None]*len(seeds), Injected(len(seeds))
        self.found = dict(steps=0, episodes=0, refused=0, ticks=0, exact_different=0, flags_different=0, draws_different=0,
                          kernels_different=0, obs=0., reward=0., credits=0., metrics=0.)
        self.begin(range(len(seeds)))

    def worst(self, name, value): self.found[name] = max(self.found[name], value)

    def begin(self, which):
        "Begin an episode of each ship in `which`."
        seeds = {}
        for i in which:
            self.episode[i] += 1
            seeds[i] = 1000*self.seeds[i] + self.episode[i]
            self.original[i].reset(seeds[i])
            self.exact[i] = Ship(Pcg32(seeds[i], self.maths))
        self.ours.begin(seeds)
        self.found['episodes'] += len(seeds)
        for i in which:
            mine, exact, c = self.ours.ships[i], self.exact[i], self.original[i]
            self.found['exact_different'] += not np.array_equal(exact.observe(), c.obs)
            self.found['draws_different'] += not mine.draws.state == exact.draws.state == int(c.state['generator'])
            self.found['kernels_different'] += not np.array_equal(mine.observe(), self.ours.fleet.obs.numpy()[i])
            self.worst('obs', float(np.abs(mine.observe() - c.obs).max()))

    def change(self):
        "Give every ship a random state, the same four times."
        rows = self.ours.fleet.ships.numpy()
        for i, rng in enumerate(self.rngs):
            gauges, cargo, supplies = found = fuzz(rng)
            for ship in self.exact[i], self.ours.ships[i]: change(ship, *found)
            for k, v in zip(('gauges', 'cargo', 'supplies'), found): self.original[i].state[k][:] = v
            rows[i, COLUMNS] = [*gauges, *cargo, *supplies]

    def step(self):
        "One action of every ship, compared."
        actions = [self.suite(c.obs, rng) for c, rng in zip(self.original, self.rngs)]
        outcomes, f = self.ours.step(actions), self.ours.fleet
        seen, t = self.ours.seen(), {k: getattr(f, k).numpy() for k in ('reward', 'done', 'trunc', 'invalid', 'ticks', 'metrics', 'ended')}
        for i, (c, exact, mine, out, action) in enumerate(zip(self.original, self.exact, self.ours.ships, outcomes, actions)):
            c.step(action)
            said = exact.step(action)
            flags = [tuple(map(int, (o.terminated, o.truncated, not o.valid, o.dt))) for o in (said, out)]
            flags.append(tuple(int(t[k][i]) for k in ('done', 'trunc', 'invalid', 'ticks')))
            same = np.array_equal(exact.observe(), c.obs) and said.reward == F(c.out.reward) and np.array_equal(exact.metrics(), c.metrics)
            self.found['exact_different'] += not same
            self.found['flags_different'] += {*flags} != {c.flags}
            self.found['draws_different'] += not mine.draws.state == exact.draws.state == int(c.state['generator'])
            same = np.array_equal(mine.observe(), seen[i]) and out.reward == t['reward'][i]
            self.found['kernels_different'] += not (same and (not t['ended'][i] or np.array_equal(mine.metrics(), t['metrics'][i])))
            for name, value in dict(steps=1, ticks=c.out.dt, refused=c.out.invalid).items(): self.found[name] += value
            self.worst('obs', float(np.abs(seen[i] - c.obs).max()))
            self.worst('reward', relative(t['reward'][i], c.out.reward))
            self.worst('credits', relative(mine.credits, c.metrics[0]))
            self.worst('metrics', relative(mine.metrics(), c.metrics))
        self.begin(np.flatnonzero(t['ended']).tolist())

def compare(suite, seeds, steps, fuzzed=False):
    "What is found in `steps` steps of a ship for each seed; fuzzed: from a random state each time."
    beside = Beside(seeds, suite)
    for _ in range(steps):
        if fuzzed: beside.change()
        beside.step()
    return beside.found

def compare_worlds(seeds):
    "Their sectors, array by array."
    c, found = Original(0), dict(worlds=0, cut_off=0, exact_different=0, draws_different=0, worst=0.)
    for seed in seeds:
        c.reset(seed)
        exact, ours = ships = [Ship(Pcg32(seed, m)) for m in (c_maths(), MATHS)]
        exact, ours = (ship.sector for ship in ships)
        parts = dict.fromkeys(WORLD, slice(None)) | dict.fromkeys(('kind', 'hops'), slice(exact.nodes))
        parts |= dict.fromkeys(('time', 'fuel', 'threat'), exact.neighbor >= 0) # what is not there may differ
        equal = [np.array_equal(getattr(exact, k)[part], c.state[k][part]) for k, part in parts.items()]
        found['worlds'] += 1
        found['cut_off'] += bool((exact.hops[:exact.nodes] == NODES - 1).any())
        found['exact_different'] += not all(equal)
        found['draws_different'] += {ship.draws.state for ship in ships} != {int(c.state['generator'])}
        found['worst'] = max(found['worst'], *(relative(getattr(ours, k), getattr(exact, k)) for k in WORLD))
    return found

def add(counts):
    "Counts of several runs as one: the sum of what was counted, the worst of what was measured."
    return {k: (max if isinstance(v, float) or k.startswith('most') else sum)(c[k] for c in counts) for k, v in counts[0].items()}

def compare_suites(seed, steps):
    "`compare_players`, with a number for what differed."
    found = compare_players(seed, steps)
    different = found.pop('different')
    return {suite: counts | dict(different=len(different)) for suite, counts in found.items()}

def whole(seeds=10, steps=2000, fuzzed=24_000, worlds=2000):
    "The whole comparison, on all cores: reference and kernels, and both with the original."
    halves = range(seeds//2), range(seeds//2, seeds)
    with ProcessPoolExecutor(mp_context=get_context('spawn')) as pool:
        original = {s: [pool.submit(compare, s, half, steps) for half in halves] for s in SUITES}
        original['fuzzed'] = [pool.submit(compare, 'any number', range(10*k, 10*k + 10), fuzzed//80, True) for k in range(8)]
        sectors = [pool.submit(compare_worlds, range(k, worlds, 8)) for k in range(8)]
        players = [pool.submit(compare_suites, seed, steps) for seed in range(seeds)]
        parts = {k: add([job.result() for job in jobs]) for k, jobs in original.items()}
        runs = [job.result() for job in players]
        return dict(players={s: add([r[s] for r in runs]) for s in SUITES}, original=parts, tolerances=TOLERANCES,
                    worlds=add([job.result() for job in sectors]))

class Many:
    "N ships of the original; those that ended begin anew."
    def __init__(self, n, threads):
        self.lib, self.count, self.pool = ctypes.CDLL(LIBRARY), 0, ThreadPoolExecutor(threads)
        self.lib.abp_core_create.restype, self.lib.abp_core_create.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_uint64]
        self.lib.abp_core_reset.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p]
        self.lib.abp_core_step_many.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p]
        self.states = np.array([self.lib.abp_core_create(None, k) for k in range(n)], np.uint64)
        self.out = (StepResult*n)()
        self.parts = [range(n*k//threads, n*(k + 1)//threads) for k in range(threads)]
        for k in range(n): self.reset(k)

    def reset(self, k):
        self.count += 1
        self.lib.abp_core_reset(int(self.states[k]), self.count, ctypes.byref(self.out[k]))

    def some(self, part, actions):
        size, first = ctypes.sizeof(StepResult), part.start
        at = self.states.ctypes.data + 8*first, actions.ctypes.data + first, len(part), ctypes.addressof(self.out) + size*first
        self.lib.abp_core_step_many(*at)
        flags = np.frombuffer(self.out, np.uint8).reshape(-1, size)[first:part.stop]
        for k in np.flatnonzero(flags[:, StepResult.terminated.offset] | flags[:, StepResult.truncated.offset]): self.reset(first + int(k))

    def step(self, actions): [*self.pool.map(self.some, self.parts, [actions]*len(self.parts))]

def speed(num_envs=4096, rounds=12, steps=20, threads=(1, 2)):
    "Environment steps a second of this package and of the original, in turn."
    rng, rows = np.random.default_rng(0), []
    actions = rng.integers(0, 69, (steps, num_envs))
    for n in threads:
        ours, theirs = Prospector(num_envs, device='cpu', threads=n), Many(num_envs, n)
        ours.reset(0)
        play = dict(ours=lambda ships=ours: [ships.step(torch.from_numpy(a)) for a in actions],
                    theirs=lambda ships=theirs: [ships.step(a) for a in actions.astype(np.uint8)])
        took = time_in_turn(lambda k, _, play=play: play[k](), play, rounds, before=2)
        sps, original = (round(num_envs*steps/float(np.median(took[k]))) for k in play)
        ratio = mean_ratio(took['theirs']/took['ours'])
        rows.append(dict(threads=n, rounds=rounds, sps=sps, original_sps=original, ratio=ratio['ratio'], low=ratio['ci95'][0],
                         high=ratio['ci95'][1]))
        ours.close()
    counted = ('environment steps a second of N ships under random actions of all 69, autoreset; env.step of this package with its reward, '
               'observations and infos; step_many and reset of the original, written in C; rounds in turn, medians; the ratio is the '
               'geometric mean of those of a round, low and high its 95% interval')
    return dict(counted=counted, world='prospector', num_envs=num_envs, bytes_a_ship=ours.fleet.ship_bytes, rows=rows) | about('cpu')

if __name__ == '__main__':
    timed = sys.argv[1] == '--speed'
    out, *words = sys.argv[1 + timed:]
    facts = dict(arg.split('=', 1) for arg in words)
    build = dict(platform=f'{platform.system()} {platform.machine()}, {" ".join(platform.libc_ver())}', numpy=np.__version__)
    found = speed() | dict(original=facts | dict(bytes_a_ship=STATE.itemsize)) if timed else dict(facts=facts | build) | whole()
    with open(out, 'w') as f: json.dump(found, f, indent=1)
