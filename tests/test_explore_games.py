"The open-licensed games: their milestones, their judge, and what is on record of them."
import json, tempfile
from contextlib import closing
from types import SimpleNamespace
import four_games as games
from pathlib import Path
import numpy as np
import pytest
from four_games import (CARAZU, EXPLORERS, Milestones, OPEN_GAMES, OpenGame, explore_game, explore_games,
                        far_places, learn_place, play_back, reached, start_of)
from pages import root
from gbxnb.backends.warp import make_backend
from gbxnb.base.files import UserError, read_json, sha256
from gbxnb.emulator.cartridge import Cartridge
from gbxnb.envs.config import EnvConfig
from gbxnb.games import bundled as game
from gbxnb.games.bundled import bundled_symbols, bundled_task
from gbxnb.games.bundled import rom_path
from gbxnb.watch.variables import resolve

RECORD = root/'nbs/studies/results/games.json'

@pytest.fixture(scope='module')
def town():
    "The bundled game as if it were one of them."
    symbols = bundled_symbols()
    at = {k: symbols.find(v).address for k, v in dict(place='wPlace', x='wPlayer').items()}
    milestones = {'here': dict(place=(0, 9)), 'another column': dict(x=(0, 3)), 'the ending': dict(place=99)}
    return OpenGame('Quiet Town', 'a village', 'ours', '', sha256(game.rom()), EnvConfig(max_steps=64), ((0, 300),), at,
                    milestones, ('place',))

@pytest.mark.parametrize('name', OPEN_GAMES)
def test_milestones_name_variables_that_can_be_read(name):
    g, cart = OPEN_GAMES[name], Cartridge.load(game.rom())
    assert {*resolve(g.variables, cart)} == {*g.variables} and {*g.features} <= {*g.variables}
    assert {k for m in g.milestones.values() for k in m} <= {*g.variables}
    assert all(frames > 0 and 0 <= keys < 256 for keys, frames in g.buttons)
    assert 'the ending' in g._repr_markdown_() and g.source.startswith('https://')

def test_a_milestone_holds_where_all_its_values_do():
    values = dict(a=np.int32([1, 1, 2]), b=np.int32([5, 6, 5]))
    assert reached(dict(a=1, b=(5, 6)), values).tolist() == [True, True, False]
    assert reached(dict(b=5), values).tolist() == [True, False, True]

def test_the_judge_reads_what_memory_holds(town):
    with closing(make_backend('warp', game.rom(), 3, 'cpu')) as b:
        judge, at = Milestones(town, b), town.variables['place']
        for i in range(3): b.emulator.write(at, 10 + i, i)
        assert judge.read()['place'].tolist() == [10, 11, 12]

@pytest.mark.parametrize('kind', [pytest.param(k, marks=[pytest.mark.slow]*(k in ('tree', 'restart'))) for k in EXPLORERS])
def test_each_explorer_is_judged_and_each_script_proves_its_milestone(town, kind):
    facts, screens = explore_game(town, game.rom(), kind, 640, num_envs=8, device='cpu')
    assert facts['kind'] == kind and facts['steps'] == 640 and 'the ending' not in facts['first']
    assert facts['first'].keys() == facts['scripts'].keys() == screens.keys() >= {'here'}
    assert all(abs(sum(v.values()) - 1) < .01 for k, v in facts['spent'].items() if len(v) < 8)

def test_a_script_that_leads_elsewhere_proves_nothing(town):
    start = start_of(town, game.rom())
    assert play_back((), 'here', town, game.rom(), start).max() > 0
    with pytest.raises(UserError, match='does not reach the ending'): play_back((5, 5), 'the ending', town, game.rom(), start)

def test_another_rom_or_explorer_is_refused(town):
    with pytest.raises(UserError, match='not the ROM of Carazu'): explore_game(OPEN_GAMES['carazu'], game.rom())
    with pytest.raises(UserError, match="'luck' is no explorer"): explore_game(town, game.rom(), 'luck')

@pytest.mark.slow # studies alone go on with a record
def test_a_record_goes_on_where_it_stopped(town, tmp_path, monkeypatch):
    monkeypatch.setitem(OPEN_GAMES, 'town', town)
    played = []
    real = games.explore_game
    monkeypatch.setattr(games, 'explore_game', lambda *a: (played.append(a[4]), real(*a))[1])
    out = tmp_path/'games.json'
    for seeds in (0,), (0, 1): explore_games(dict(town=game.rom()), out, ('tree',), seeds, 320, 16, 'cpu')
    entry = json.loads(out.read_text())['town']
    assert played == [0, 1] and [r['seed'] for r in entry['runs']] == [0, 1] and 'here' in entry['screens']

def test_the_record_is_of_these_games():
    record = read_json(RECORD)
    for name, g in OPEN_GAMES.items():
        entry = record[name]
        assert (entry['rom_sha256'], entry['licence']) == (g.sha256, g.licence)
        runs = [(r['kind'], r['seed']) for r in entry['runs'] if r['steps'] == 131_072]
        assert sorted(runs) == sorted((k, s) for k in EXPLORERS for s in range(3)), 'equal steps'
        assert all({*r['first']} <= {*g.milestones} for r in entry['runs'])

def test_four_games():
    values = dict(level=np.int32([0, 1, 24, 2]), state=np.int32([1, 1, 1, 2]))
    assert reached(dict(level=(1, 21)), values).tolist() == [False, True, False, True]
    assert reached(dict(level=(1, 24), state=2), values).tolist() == [False, False, False, True]
    for g in OPEN_GAMES.values():
        assert len(g.milestones) == 6 and [*g.milestones][-1] == 'the ending' and len(g.sha256) == 64
        assert {k for m in g.milestones.values() for k in m} | {*g.features} <= {*g.variables}
    place = bundled_symbols().find('wPlace').address
    town = OpenGame('Quiet Town', 'a village', 'ours', '', sha256(game.rom()), EnvConfig(), ((0, 60),),
                    dict(place=place), {'the start': dict(place=(0, 9))}, ('place',))
    facts, screens = explore_game(town, game.rom(), steps=640, num_envs=16, device='cpu')
    assert facts['steps'] == 640 and facts['first']['the start'][0] == 16
    assert screens['the start'].shape == (72, 80)
    with pytest.raises(UserError, match='not the ROM of Carazu'): start_of(CARAZU, game.rom())

def test_far_places():
    def lengths(*atlases):
        places = [[SimpleNamespace(actions=(0,)*n) for n in ns] for ns in atlases]
        return [(k, len(p.actions)) for k, p in far_places([SimpleNamespace(places=ps) for ps in places])]
    assert lengths((9, 31, 40, 50, 60)) == [(0, 31), (0, 40), (0, 50)]
    assert lengths((9, 29, 47), (9, 45, 54, 60)) == [(1, 45), (0, 47), (1, 54)] and not lengths((5, 7))

@pytest.mark.slow
def test_learned():
    batch = games.PPO.batch
    town = OpenGame('Quiet Town', 'a village', 'ours', '', sha256(game.rom()), EnvConfig(), (), {}, {}, ())
    with tempfile.TemporaryDirectory() as d:
        row = learn_place('town', town, rom_path(), bundled_task('town/key').save(Path(d)/'0/1'), 2*batch, 64)
    assert row['actions'] == len(row['script']) == 25 and row['max_steps'] == 114
    assert [steps for steps, _ in row['moved_back']] == [batch, 2*batch] and row['random'] < .1 and row['nearest'] > 0
