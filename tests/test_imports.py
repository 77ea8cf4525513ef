"The house as its imports draw it: they run one way, in no circle, and in the order of the notebooks."
import ast, re

import pytest
from gbxnb.__main__ import COMMANDS
from house import BELOW, DOORS, RINGS, circle, imported, imports, modules, picture, places, reachable, room
from pages import PATH, notebooks, read, root
from test_bench import GENERAL

GRAPH = imports()

def edges():
    return [(a, b) for a, others in GRAPH.items() for b in sorted(others)]

def test_every_room_is_known():
    assert {room(m) for m in GRAPH} == set(BELOW)

def test_imports_run_one_way():
    "The heart imports no wing, and wings each other as the house draws it; evidence is imported by nothing."
    wrong = [f'{a} imports {b}' for a, b in edges() if room(b) not in reachable(room(a))]
    assert not wrong, '\n'.join(wrong)

def test_evidence_stands_behind_commands():
    "A module of the evidence is that of a command, or imported by one that is; nothing else of the package imports it."
    evidence = {m for m in GRAPH if room(m) in RINGS['evidence']}
    used = {where.split(':')[0] for where in COMMANDS.values()} & evidence | {'proofs.records'} # pages show figures by it
    while more := {b for a in used for b in GRAPH[a] & evidence} - used: used |= more
    assert not evidence - used, f'behind no command: {sorted(evidence - used)}'
    wrong = [f'{a} imports {b}' for a, b in edges() if b in evidence and a not in evidence]
    assert not wrong, '\n'.join(wrong)

def test_no_module_imports_itself():
    assert circle(GRAPH) is None

def test_notebooks_stand_in_the_order_of_their_imports():
    "Within a room, a page needs no page behind it."
    at = places()
    wrong = [f'{a} ({at[a]}) imports {b} ({at[b]})' for a, b in edges() if room(a) == room(b) and at[b] >= at[a]]
    assert not wrong, '\n'.join(wrong)

@pytest.mark.parametrize('general', ['training', 'logs', 'runs', 'bench'])
def test_no_console_is_named(general):
    "Training, logs, runs and benches of learning work for any world: none of their modules imports a room of the Game Boy."
    console = 'emulator', 'backends', 'envs'
    wrong = [f'{a} imports {b}' for a, b in edges() if room(a) == general and (room(b) in console or b == 'worlds.gameboy')
             and (general != 'bench' or a.removeprefix('bench.') in GENERAL)]
    assert not wrong, '\n'.join(wrong)

def test_the_picture_is_of_today():
    assert (root/'nbs/images/house.svg').read_text(encoding='utf-8') == picture(), 'run `make export`'

def test_planted_imports_are_found():
    source = ('import gbxnb.training.loop\nfrom ..logs.schema import Record\n'
              'def f():\n    from gbxnb.envs import goal\n    from .run import Run\nimport json')
    assert set(imported(source, 'training.ppo', ['training.loop', 'logs.schema', 'envs.goal', 'training.run', 'runs.film'])) == {
        'training.loop', 'logs.schema', 'envs.goal', 'training.run'}
    assert circle({'a': {'b'}, 'b': {'c'}, 'c': {'a'}, 'd': set()}) == ['a', 'b', 'c', 'a'] and circle({'a': {'b'}, 'b': set()}) is None
    assert reachable('training') == {'training', 'worlds', 'logs', 'envs', 'backends', 'watch', 'emulator', 'base'}
    assert set(places()) >= set(modules())

# Three rings

HEART, WINGS, EVIDENCE = (set(RINGS[ring]) for ring in ('heart', 'wings', 'evidence'))

def test_the_heart_imports_no_wing():
    wrong = [f'{a} imports {b}' for a, b in edges() if room(a) in HEART and room(b) not in HEART]
    assert not wrong, '\n'.join(wrong)

def test_what_the_heart_knows_of_wings_stands_in_tables():
    "A wing's module is named in the heart only where names are registered, and what is named exists."
    tables, found = {'base.config', 'worlds.contract', 'envs.rewards', '__init__', '__main__', 'all'}, set()
    files = {**modules(), **{door: root/f'gbxnb/{door}.py' for door in DOORS}}
    for name, path in files.items():
        if '.' in name and room(name) not in HEART: continue
        for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str): continue
            for place in re.findall(rf"(?:^|gbxnb\.)((?:{'|'.join(WINGS | EVIDENCE)})\.\w+)(?=:|$)", node.value):
                found.add(name)
                assert name in tables and place in files, f'{name} names {place}'
    assert found <= tables and 'base.config' in found

def test_a_wing_is_small_and_has_a_door():
    "At most thirteen modules; the first page says what for, shows something, and leads to all the others."
    for wing in sorted(WINGS):
        pages = sorted(p.name for p in (root/'nbs'/wing).glob('*.ipynb'))
        assert sum(room(m) == wing for m in GRAPH) <= 13, wing
        assert pages[0] == f'00_{wing}.ipynb', f'{wing} has no door page'
        cells = read(root/'nbs'/wing/pages[0])['cells']
        text = '\n'.join(''.join(c['source']) for c in cells if c['cell_type'] == 'markdown')
        assert [p for p in pages[1:] if f']({p})' in text] == pages[1:], f'{wing}: the door leads not to all pages'
        assert len(cells) <= 10 and any(c.get('outputs') for c in cells), f'{wing}: a door shows something'

def test_pages_are_numbered_without_gaps():
    for folder in sorted({p.parent for p in notebooks()} - {root/'nbs'}):
        numbers = [int(p.name[:2]) for p in sorted(folder.glob('*.ipynb'))]
        assert numbers == [*range(len(numbers))], folder.name

def test_the_way_through_the_heart_is_short():
    "At most 28 pages, each of them in the heart, in the order of the rooms."
    rooms = [p.split('/')[0] for p in PATH]
    assert len(PATH) <= 28 and {*rooms} <= HEART and not [p for p in PATH if not (root/'nbs'/p).is_file()]
    assert rooms == sorted(rooms, key=list(RINGS['heart']).index)
