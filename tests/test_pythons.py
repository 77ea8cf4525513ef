"What is promised of Python: nothing is used that the lowest one lacks, every package has a lower bound, and all of it has been tried."
import json, re, subprocess

import pytest
from lints import quoted
from pages import notebooks, read, root
from pythons import EXTRAS, find_program, promised, requirements, table

def cells(nb):
    "The cells of a page that are not exported, as one text."
    sources = (''.join(c['source']) for c in read(nb)['cells'] if c['cell_type'] == 'code')
    lines = (line for s in sources if not re.match(r'#\|\s*exports?\b', s) for line in s.splitlines())
    return '\n'.join(line for line in lines if not line.startswith(('%', '!')))

QUOTED = """class A(Struct):
    a: dict[str, 'A'] = {}
    b: list['A'] | UnsetType = UNSET
    c: Annotated[tuple['A', ...], 'what it is']
    d: dict[str, list['A']]
"""
UNQUOTED = """class A(Struct):
    a: 'dict[str, A]' = {}
    b: Literal['number', 'text']
    c: Annotated[dict[str, float], _doc('what it is')]
def f(a:list['A']): return a
"""

def test_types_of_fields_are_known_to_every_python():
    "Python 3.10 leaves a name in quotes inside of `dict[...]` as it is, and msgspec then refuses the class."
    texts = {str(p.relative_to(root)): p.read_text(encoding='utf-8') for p in sorted((root/'gbxnb').rglob('*.py'))}
    texts |= {str(nb.relative_to(root)): cells(nb) for nb in notebooks()}
    assert not (found := [f'{name}:{line}: {what}' for name, text in texts.items() for line, what in quoted(text)]), found
    assert [line for line, _ in quoted(QUOTED)] == [2, 3, 4, 5] and not [*quoted(UNQUOTED)]

def vermin(*paths):
    "What needs a newer Python than the lowest one, line by line. A member `long` is no number of Python 2."
    options = '--format parsable --violations --no-parse-comments --exclude long'.split()
    words = [find_program('vermin'), f'-t={promised()[0]}-', *options, *map(str, paths)]
    run = subprocess.run(words, capture_output=True, text=True, cwd=root)
    assert not run.stderr, run.stderr
    return [line for line in run.stdout.splitlines() if line.split(':')[1]] # the others are of whole files

def test_nothing_is_used_that_the_lowest_python_lacks(tmp_path):
    "Package, tests and the cells of the pages: names, arguments and syntax of the standard library's later versions are found."
    for nb in notebooks():
        copy = (tmp_path/'cells'/nb.relative_to(root)).with_suffix('.py')
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(cells(nb), encoding='utf-8')
    (tmp_path/'planted.py').write_text('import subprocess, tomllib\nsubprocess.Popen([], process_group=0)\n')
    assert len(vermin(tmp_path/'planted.py')) == 2
    found = vermin(root/'gbxnb', root/'tests', root/'setup.py', tmp_path/'cells')
    assert not found, '\n'.join(found)

@pytest.mark.parametrize('extra', EXTRAS)
def test_every_requirement_has_a_lower_bound(extra):
    assert all(re.search('[>=]=', r) for r in requirements(extra)), requirements(extra)

def test_the_lowest_has_been_tried():
    "The record is of today's requirements, without a failure, and has the lowest Python with the lowest packages."
    kept = json.loads((root/'nbs/proofs/results/pythons.json').read_text())
    assert kept['requirements'] == {e or 'base': requirements(e) for e in EXTRAS}, 'try again: make pythons'
    assert not [r for r in kept['rows'] if r['failed']]
    assert (promised()[0], 'lowest') in {(r['python'].rpartition('.')[0], r['bounds']) for r in kept['rows']}
    assert len(table(kept['rows']).splitlines()) == len(kept['rows']) + 1
