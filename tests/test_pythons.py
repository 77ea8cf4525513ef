"What is promised of Python: nothing is used that the lowest one lacks, every package has a lower bound, and all of it has been tried."
import json, re, subprocess
from pathlib import Path

import pytest
import vermin
from lints import python, quoted
from pages import book, notebooks, root
from pythons import EXTRAS, find_program, promised, requirements, table
from vermin import rules

def cells(nb):
    "The cells of a page that are not exported, as one text."
    sources = (''.join(c['source']) for c in book(nb)['cells'] if c['cell_type'] == 'code')
    return '\n'.join(python(s) for s in sources if not re.match(r'#\|\s*exports?\b', s))

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

MAY_QUOTE = re.compile(r'\b(dict|list|tuple|set|frozenset|type)\[(.*[\'"]|.*[\[,]\s*\n)') # what `quoted` finds begins so

def test_types_of_fields_are_known_to_every_python():
    "Python 3.10 leaves a name in quotes inside of `dict[...]` as it is, and msgspec then refuses the class."
    texts = {str(p.relative_to(root)): p.read_text(encoding='utf-8') for p in sorted((root/'gbxnb').rglob('*.py'))}
    texts |= {str(nb.relative_to(root)): cells(nb) for nb in notebooks()}
    some = {name: text for name, text in texts.items() if MAY_QUOTE.search(text)}
    assert not (found := [f'{name}:{line}: {what}' for name, text in some.items() for line, what in quoted(text)]), found
    assert all(map(MAY_QUOTE.search, QUOTED.splitlines()[1:]))
    assert [line for line, _ in quoted(QUOTED)] == [2, 3, 4, 5] and not [*quoted(UNQUOTED)]

def find_newer(*paths):
    "What needs a newer Python than the lowest one, line by line. A member `long` is no number of Python 2."
    options = '--format parsable --violations --no-parse-comments --exclude long'.split()
    words = [find_program('vermin'), f'-t={promised()[0]}-', *options, *map(str, paths)]
    run = subprocess.run(words, capture_output=True, text=True, cwd=root)
    assert not run.stderr, run.stderr
    return [line for line in run.stdout.splitlines() if line.split(':')[1]] # the others are of whole files

def all_names():
    "Each name that vermin knows, as words, and whether the lowest Python lacks it."
    config, lowest = vermin.Config(), tuple(map(int, promised()[0].split('.')))
    known = [*rules.MOD_REQS(config).items(), *rules.MOD_MEM_REQS(config).items()]
    known += [(f'{call}.{word}', since) for (call, word), since in rules.KWARGS_REQS(config).items()]
    return [(name.split('.'), bool(since[1] and since[1] > lowest)) for name, since in known]

def may_be_newer(text, names):
    "Is there a word in it that only later Pythons have a meaning for, and those that it stands with?"
    words = {*re.findall(r'\w+', text)}
    found = [name for word in words & names.keys() for name in names[word] if words.issuperset(name)]
    used = r'\b{0}\.{1}\b|\bfrom {0} import (\([^)]*|.*)\b{1}\b|\bimport {0} as\b'
    return any(len(n) != 2 or re.search(used.format(*n), text) for n in found)

@pytest.mark.parametrize('files', ['those with a newer name', pytest.param('all', marks=pytest.mark.slow)])
def test_nothing_is_used_that_the_lowest_python_lacks(tmp_path, files):
    "Package, tests and the cells of the pages: names, arguments and syntax (ruff finds that as well) of later versions are found."
    old = {name[-1] for name, newer in all_names() if not newer} | {n for t in (str, bytes, list, dict, Path, type(cells)) for n in dir(t)}
    names = {} # by their last word
    for name, newer in all_names():
        if newer and name[-1] not in old: names.setdefault(name[-1], []).append(name)
    texts = {p.relative_to(root): p.read_text(encoding='utf-8') for folder in ('gbxnb', 'tests') for p in (root/folder).rglob('*.py')}
    texts |= {Path('setup.py'): (root/'setup.py').read_text(encoding='utf-8')}
    texts |= {Path('cells')/nb.relative_to(root).with_suffix('.py'): cells(nb) for nb in notebooks()}
    planted = 'import subprocess, tomllib\nsubprocess.Popen([], process_group=0)\n'
    for path, text in (texts | {Path('planted.py'): planted}).items():
        if files != 'all' and not may_be_newer(text, names): continue
        (tmp_path/path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path/path).write_text(text, encoding='utf-8')
    found = find_newer(tmp_path)
    assert [line.split(':')[0].endswith('planted.py') for line in found] == [True]*2, '\n'.join(found)

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
