"The house as its imports draw it: they run one way, in no circle, and in the order of the notebooks."
import pytest
from house import BELOW, circle, imported, imports, modules, picture, places, reachable, room
from pages import root

GRAPH = imports()

def edges():
    return [(a, b) for a, others in GRAPH.items() for b in sorted(others)]

def test_every_room_is_known():
    assert {room(m) for m in GRAPH} == set(BELOW)

def test_imports_run_one_way():
    "The heart imports no wing, and wings each other as the house draws it; evidence is imported by nothing."
    wrong = [f'{a} imports {b}' for a, b in edges() if room(b) not in reachable(room(a))]
    assert not wrong, '\n'.join(wrong)

def test_no_module_imports_itself():
    assert circle(GRAPH) is None

def test_notebooks_stand_in_the_order_of_their_imports():
    "Within a room, a page needs no page behind it."
    at = places()
    wrong = [f'{a} ({at[a]}) imports {b} ({at[b]})' for a, b in edges() if room(a) == room(b) and at[b] >= at[a]]
    assert not wrong, '\n'.join(wrong)

@pytest.mark.parametrize('general', ['train', 'logs', 'runs', 'bench'])
def test_no_console_is_named(general):
    "Training, logs, runs and benches work for any world: none of their modules imports a room of the Game Boy."
    console = 'emulator', 'backends', 'envs'
    wrong = [f'{a} imports {b}' for a, b in edges() if room(a) == general and (room(b) in console or b == 'worlds.gameboy')]
    assert not wrong, '\n'.join(wrong)

def test_the_picture_is_of_today():
    assert (root/'nbs/images/house.svg').read_text(encoding='utf-8') == picture(), 'run `make export`'

def test_planted_imports_are_found():
    source = ('import gbxnb.train.loop\nfrom ..logs.schema import Record\n'
              'def f():\n    from gbxnb.envs import goal\n    from .run import Run\nimport json')
    assert set(imported(source, 'train.ppo', ['train.loop', 'logs.schema', 'envs.goal', 'train.run', 'runs.film'])) == {
        'train.loop', 'logs.schema', 'envs.goal', 'train.run'}
    assert circle({'a': {'b'}, 'b': {'c'}, 'c': {'a'}, 'd': set()}) == ['a', 'b', 'c', 'a'] and circle({'a': {'b'}, 'b': set()}) is None
    assert reachable('train') == {'train', 'worlds', 'logs', 'envs', 'backends', 'watch', 'emulator', 'base'}
    assert set(places()) >= set(modules())
