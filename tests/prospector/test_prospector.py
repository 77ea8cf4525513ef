"""Prospector: the kernels play what the reference plays; nothing depends on how ships are grouped; what
a ship has comes from somewhere."""
import numpy as np
import pytest
import torch
from gbxnb.prospector.world import REWARD_TERMS, Prospector, ProspectorConfig
from gbxnb.prospector.rows import Col
from gbxnb.prospector.rules import ACTIONS, END, PRICE_MAX, PRICE_MIN, SELL, TERMS, Draws, ship_key
from gbxnb.prospector.ship import P_DAMAGE, P_GOODS, P_TIME, PROFIT_TERMS, Ship
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from parity import COLUMNS, SUITES, Injected, Pcg32, change, compare_players, fuzz, miner_action

F = np.float32
few = settings(max_examples=2, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
SEEDS = st.integers(0, 2**31 - 1)

# reference and kernels

def alone(suite, env, most=50):
    "A ship of the reference by itself."
    ship, rng = Ship(Draws(ship_key(1, env, 0))), np.random.default_rng(env)
    while not ship.ended and ship.draws.moment < most: ship.step(SUITES[suite](ship.observe(), rng))
    return ship

def test_suites_go_far():
    "Random actions end an episode soon; without the cash-out ships live on; the miner earns."
    ships = {suite: alone(suite, 1) for suite in SUITES}
    assert ships['miner'].credits > ships['random'].credits and ships['no cash-out'].draws.moment > 20

def test_ends_and_refusals_are_compared():
    found = compare_players(7, 80, 'profit', max_steps=30)
    assert found['different'] == [] and found['miner']['episodes'] == 2 and found['random']['refused'] > 20

def test_injected_draws():
    "Draws of the original's generator, written into a table: kernels and reference play as one."
    both, rngs = Injected(2), [np.random.default_rng(i) for i in range(2)]
    both.begin({0: 42, 1: 43})
    first = [ship.draws.state for ship in both.ships]
    for step in range(30):
        obs = [ship.observe() for ship in both.ships]
        out = both.step([miner_action(o, r) for o, r in zip(obs, rngs)])
        assert np.array_equal(both.seen(), [ship.observe() for ship in both.ships])
        assert both.fleet.reward.numpy().tolist() == [o.reward for o in out]
        both.begin({i: 100 + step for i, o in enumerate(out) if o.terminated or o.truncated})
    assert all(ship.draws.state != s for ship, s in zip(both.ships, first))

@pytest.mark.slow
@pytest.mark.parametrize('seed', range(10))
def test_kernels_play_what_the_reference_plays_for_long(seed):
    found = compare_players(seed, 2000)
    assert found['different'] == [] and found['random']['episodes'] > 10 and found['miner']['most_credits'] > 1000

def test_any_state_steps_the_same():
    "Gauges, cargo, credits and supplies at random, often at their ends, actions that do not exist among the others."
    ships, rng, ended = Injected(6), np.random.default_rng(0), 0
    ships.begin(dict(enumerate(range(6))))
    for _ in range(15):
        rows = ships.fleet.ships.numpy()
        for ship, row in zip(ships.ships, rows):
            gauges, cargo, supplies = found = fuzz(rng)
            change(ship, *found)
            row[COLUMNS] = [*gauges, *cargo, *supplies]
        out = ships.step(rng.integers(0, 72, 6).tolist())
        assert np.array_equal(ships.seen(), [ship.observe() for ship in ships.ships])
        f = ships.fleet
        for array, wanted in ((f.reward, 'reward'), (f.done, 'terminated'), (f.trunc, 'truncated'), (f.ticks, 'dt')):
            assert array.numpy().tolist() == [getattr(o, wanted) for o in out], wanted
        assert f.invalid.numpy().tolist() == [not o.valid for o in out]
        over = np.flatnonzero(f.ended.numpy()).tolist()
        assert all(np.array_equal(f.metrics.numpy()[i], ships.ships[i].metrics()) for i in over)
        ships.begin({i: 1000 + ended + i for i in over})
        ended += 6*len(over)
    assert ended

# how ships are grouped

def make(n, **config): return Prospector(n, ProspectorConfig(**config))

def played(env, actions, seed):
    "All that the steps return, and what is left of the state."
    env.reset(seed=seed)
    out = torch.stack([torch.cat([x.reshape(env.num_envs, -1).float() for x in env.step(a)[:4]], 1) for a in actions])
    state = env.state_dict()
    env.close()
    return out, state

def random_actions(seed, steps, n): return torch.randint(0, ACTIONS, (steps, n), generator=torch.Generator().manual_seed(seed))

@few
@given(SEEDS, st.integers(2, 60), st.integers(1, 5), st.data())
def test_a_part_of_a_batch_is_that_part(seed, n, threads, data):
    "Whatever N, the threads, and the number of the first ship."
    first = data.draw(st.integers(0, n - 1))
    end = data.draw(st.integers(first + 1, n))
    actions, config = random_actions(seed, 40, n), ProspectorConfig(max_steps=25)
    out, state = played(Prospector(n, config, threads=1, device='cpu'), actions, seed)
    part, part_state = played(Prospector(end - first, config, first=first, threads=threads, device='cpu'), actions[:, first:end], seed)
    assert part.equal(out[:, first:end])
    assert all(np.array_equal(v, state[k] if k == 'seed' else state[k][first:end]) for k, v in part_state.items())

@few
@given(SEEDS, st.integers(0, 30))
def test_a_state_goes_on(seed, steps):
    "In the middle of an episode, or of several, what was saved goes on in another batch to the same bits."
    actions, config = random_actions(seed, steps + 15, 2), dict(reward='profit', max_steps=25)
    a, b = make(2, **config), make(2, **config)
    a.reset(seed=seed)
    for x in actions[:steps]: a.step(x)
    b.load_state_dict(a.state_dict())
    for x in actions[steps:]:
        mine, its = ([*env.step(x)[:4]] for env in (a, b))
        assert all(y.equal(z) for y, z in zip(mine, its))
        ended = a.info['_final_obs']
        assert all(v[ended].equal(b.info['extras'][k][ended]) for k, v in a.info['extras'].items())

@few
@given(SEEDS)
def test_what_is_paid_changes_nothing_else(seed):
    actions = random_actions(seed, 30, 8)
    outs = [played(make(8, reward=reward), actions, seed)[0] for reward in REWARD_TERMS]
    assert all(out[..., :260].equal(outs[0][..., :260]) and out[..., 261:].equal(outs[0][..., 261:]) for out in outs)

# what a ship has

def miners(seed, n=6, steps=80, **config):
    "Ships in the middle of their work: yields the batch, the rows before a step, its actions, and what it returned, dense."
    env, rngs = Prospector(n, ProspectorConfig(**config), terms=True), [np.random.default_rng((seed, i)) for i in range(n)]
    obs, _ = env.reset(seed=seed)
    for _ in range(steps):
        before = env.fleet.ships.numpy().copy()
        chosen = [miner_action(o, rng) if i % 2 else int(rng.integers(ACTIONS)) for i, (o, rng) in enumerate(zip(obs.numpy(), rngs))]
        actions = torch.tensor(chosen)
        yield env, before, actions, env.step(actions)
    env.close()

@few
@given(SEEDS)
def test_gauges_and_observations_stay_in_range(seed):
    for env, _, _, (obs, *_) in miners(seed):
        rows, places = env.fleet.ships.numpy(), env.fleet.places.numpy()
        gauges, cargo = rows[:, Col.FUEL:Col.CREDITS], rows[:, Col.CARGO:Col.PRICE]
        assert (gauges >= 0).all() and (gauges <= [1000, 100, 100, 100, 100]).all()
        assert (cargo >= 0).all() and (cargo.sum(1) <= 200.001).all() and (rows[:, Col.CREDITS] >= 0).all()
        assert ((PRICE_MIN <= rows[:, Col.PRICE:Col.STOCK]) & (rows[:, Col.PRICE:Col.STOCK] <= PRICE_MAX)).all()
        assert ((rows[:, Col.KITS:Col.ESCAPE_END] >= 0) & (rows[:, Col.KITS:Col.ESCAPE_END] <= 12)).all()
        assert (places >= 0).all() and np.isfinite(places).all() and (env.fleet.marks.numpy()[:, 480] <= 32).all()
        seen = np.concatenate([obs.numpy(), env.fleet.final_obs.numpy()])
        assert (np.abs(seen) <= 1).all() and (np.delete(seen, np.s_[250:256], 1) >= 0).all() and not seen[:, 66:68].any()

@few
@given(SEEDS, st.sampled_from(['native', 'profit']))
def test_a_reward_is_the_sum_of_its_terms(seed, reward):
    "From left to right, to the last bit; so are the return of an episode and the sums of its terms."
    names = REWARD_TERMS[reward]
    part = slice(0, len(TERMS)) if reward == 'native' else slice(len(TERMS), None)
    total, sums = np.zeros(6, F), np.zeros((6, len(names)), F)
    for _, _, _, (_, paid, done, trunc, info) in miners(seed, reward=reward, max_steps=60):
        terms = info['terms'].numpy()[:, part]
        summed = terms[:, 0].copy()
        for k in range(1, len(names)): summed += terms[:, k]
        assert np.array_equal(summed, paid.numpy())
        total, sums = total + paid.numpy(), sums + terms
        for i in np.flatnonzero((done | trunc).numpy()):
            assert info['episode_return'][i] == total[i]
            assert [float(info['extras'][f'{reward}_{k}'][i]) for k in names] == sums[i].tolist()
            total[i], sums[i] = 0, 0

@few
@given(SEEDS)
def test_nothing_comes_from_nowhere(seed):
    "Time runs by the ticks; credits come from sales, fuel from purchases, cargo from mining and refining."
    for env, before, actions, (*_, info) in miners(seed):
        rows, ended, a = env.fleet.ships.numpy(), env.fleet.ended.numpy(), actions.numpy()
        was, now, a = before[~ended], rows[~ended], a[~ended]
        assert (now[:, Col.TIME_LEFT] + now[:, Col.TICKS] == 20_000).all()
        assert (now[:, Col.TICKS] - was[:, Col.TICKS] == info['ticks'].numpy()[~ended]).all()
        earned = now[:, Col.CREDITS].astype(float) + now[:, Col.SPENT] - was[:, Col.CREDITS] - was[:, Col.SPENT]
        sold = (a >= SELL) & (a < SELL + 18)
        assert (np.abs(earned[~sold]) < 1e-2).all() and (earned > -1e-2).all()
        assert (now[:, Col.FUEL] <= was[:, Col.FUEL])[(a < 61) | (a > 63)].all()
        load = (now - was)[:, Col.CARGO:Col.PRICE]
        assert (load <= 0)[~np.isin(a, (28, 29, 30, 32))].all() and (load[a == 32].sum(1) <= 1e-4).all()
        assert ((now - was)[:, Col.STOCK:Col.SALES] <= 0)[~sold].all() # stock comes from sales

@settings(few, max_examples=1, deadline=None, suppress_health_check=list(HealthCheck))
@given(SEEDS)
def test_profit_adds_up_to_credits(seed):
    """An episode that cashes out with an empty hold was paid its credits, less damage and time, less a share of what its cargo gained by
    prices that moved while it lay in the hold: cargo is valued when it is won."""
    n, found = 4, 0
    env = Prospector(n, ProspectorConfig(reward='profit'), 'cpu', terms=True)
    rngs = [np.random.default_rng((seed, i)) for i in range(n)]
    obs, _ = env.reset(seed=seed)
    paid, drift, hurt, ticks = (np.zeros(n) for _ in range(4))
    for step in range(400):
        rows = env.fleet.ships.numpy().copy()
        empty = (rows[:, Col.CARGO:Col.PRICE] == 0).all(1) & (rows[:, Col.CREDITS] > 0)
        act = [END if e and step > 150 else miner_action(o, rng) for o, rng, e in zip(obs.numpy(), rngs, empty)]
        obs, reward, done, trunc, info = env.step(torch.tensor(act))
        ticks += info['ticks'].numpy()
        paid += reward.numpy()
        hurt -= info['terms'].numpy()[:, len(TERMS) + PROFIT_TERMS.index('damage')]
        now = env.fleet.ships.numpy()
        ended = (done | trunc).numpy()
        gain = now[:, Col.PRICE:Col.STOCK].astype(float) - rows[:, Col.PRICE:Col.STOCK]
        drift += np.where(ended, 0, (now[:, Col.CARGO:Col.PRICE]*gain).sum(1))/1000
        for i in np.flatnonzero(ended):
            credits, alive = (float(info['extras'][k][i]) for k in ('credits', 'survival'))
            if act[i] == END and alive:
                assert abs(paid[i] - (credits/1000 - P_GOODS*drift[i] - hurt[i] - P_TIME*ticks[i])) < 1e-3
                assert hurt[i] >= 0 and P_DAMAGE > 0
                found += credits > 0
            for x in (paid, drift, hurt, ticks): x[i] = 0
    assert found

def test_the_generator_of_the_original():
    p = Pcg32(42) # pcg32-demo: seed 42, stream 54
    assert [p.bits(s) for s in (5, 1, 5)] == [0xA15C02B7, 0x7B47F409, 0xBA1D3330] and p.table == {5: 0xBA1D3330, 1: 0x7B47F409}
