"""What kernels read and traps note is what PyBoy says, step by step; and what is spoiled is found."""
from importlib.util import find_spec

import numpy as np
import pytest
from gbxnb.emulator.cartridge import Cartridge
from gbxnb.proofs.lockstep import Lockstep
from gbxnb.traces.symbolic import PLAYED
from gbxnb.watch.variables import plain, plain_hooks, resolve, resolve_hooks, with_hooks
from same_values import banks_places, compare_watched, count_steps, hook_names, pick_places, town_places, watched_steps

there = pytest.mark.skipif(not find_spec('pyboy'), reason='PyBoy is not here')
TOWN, SYMBOLS, SOME, PLACES = town_places()
HOOKED, KEYS = with_hooks(TOWN, PLACES), np.random.default_rng(0).choice(PLAYED, 20)
NAMES = hook_names(HOOKED, PLACES)

def test_hooks_have_names(): assert len(NAMES) == 7 and PLACES[NAMES[0]] == HOOKED.hooks[0]

@there
def test_twenty_steps_of_the_bundled_game():
    with Lockstep(HOOKED) as lock: steps = [*watched_steps(lock, SOME, KEYS)]
    assert len(steps) == 20 and all((a == b).all() for s in steps for a, b in (s.values, s.hits))
    found = count_steps(steps, list(SOME), NAMES)
    assert found['values_compared'] == 20*len(SOME) and found['first_difference'] is None
    assert found['variables_that_change'] == 10 and found['hooks_reached'] == 6, 'values that agree mean little if they never change'

def spoiled(steps, lock, place):
    "A byte of ours is another from step 5 on, and a hook of theirs is gone from step 10 on."
    for s in steps:
        yield s
        if s.number == 4: lock.ours.write(place, int(lock.ours.read(place)[0]) ^ 1)
        if s.number == 9: lock.pyboy.hook_deregister(0, PLACES['WaitFrame'])

def planted(place):
    with Lockstep(HOOKED) as lock: return count_steps(spoiled(watched_steps(lock, SOME, KEYS), lock, place), list(SOME), NAMES)

@there
@pytest.mark.slow # of what looks, not of what is looked at
def test_what_is_spoiled_is_found():
    "The byte lies below the stack pointer, where Lockstep does not look."
    found = planted(SOME['below'].at)
    assert found['first_difference']['step'] == 5 and found['first_difference']['variable'] == 'below'
    assert found['steps_with_another_value'] == 15 and found['steps_with_another_hit'] == 10

@there
@pytest.mark.slow
def test_a_game_that_goes_another_way_ends_the_run():
    found = planted(0xC3F0)
    assert found['steps'] == 5 and found['first_difference'] is None

@there
@pytest.mark.slow
def test_five_steps_with_other_keys():
    short = compare_watched(TOWN, SOME, PLACES, steps=5, seed=1)
    assert short['steps'] == 5 and short['apart_from_step'] is None and short['first_difference'] is None

def picked_places():
    found, spots = pick_places(TOWN, steps=60)
    assert len(found) >= 32 and len(spots) >= 8
    assert resolve(plain(found), TOWN) == found and resolve_hooks(plain_hooks(spots), TOWN) == spots
    return found, spots

@there
@pytest.mark.slow
def test_places_of_an_unknown_game():
    picked = compare_watched(TOWN, *picked_places(), steps=12)
    assert picked['first_difference'] is None and picked['steps'] == 12 and picked['hits'] > 0

@there
@pytest.mark.slow
@pytest.mark.parametrize('steps, reached', [(20, 4), (60, 8)])
def test_banks(steps, reached):
    banks, counters, carries = banks_places()
    both = compare_watched(banks, counters, carries, steps=steps)
    assert isinstance(banks, Cartridge) and both['first_difference'] is None and both['steps'] == steps and both['hooks_reached'] == reached
