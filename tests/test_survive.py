"The judge of what a command leaves behind, and a part of its survey; all of it is `python tests/survive.py`."
import pytest
import survive

def test_what_became_of_a_file():
    before, after = {'a.json': b'1', 'film/mine.txt': b'mine'}, {'a.json': b'2'}
    cases = [('a.json', b'1', 'old'), ('a.json', b'2', 'new'), ('a.json', b'{"x": ', 'half'), ('a.json', b'[3]', 'new'),
             ('a.json', None, 'gone'), ('b.npz', b'PK', 'half'), ('b.gif', b'GIF89a', 'half'), ('log.jsonl', b'{}\n{', 'half'),
             ('log.jsonl', b'{}\n{}\n', 'new'), ('.part-a.json', b'', 'part'), ('.gbxnb-00', b'', 'part'),
             ('mine.txt', b'mine', 'theirs'), ('mine.txt', b'', 'theirs, changed'), ('goal/mine.txt', None, 'theirs, changed')]
    for name, data, fate in cases: assert survive.verdict(name, data, before, after) == fate, name

@pytest.mark.slow
def test_some_of_the_survey():
    commands = ['plot', 'capture', 'export', 'explore']
    found = survive.run_all(commands, ['sigint', 'sigkill', 'full', 'readonly', 'printed', 'names'], 0, seed=1, jobs=2)
    assert [f for r in found['rows'] for f in r['findings']] == [] and len(found['rows']) + 4*len(found['not_tried']) == 24
