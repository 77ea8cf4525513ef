"""How large is the house? `python tests/size.py` prints what there is beside what may be; with a folder it counts another checkout.

Who adds a line, a module, a page or a public name beyond `BUDGET` edits the number in the same commit and says there why. Who takes so much
away that a number is out of date lowers it: what was reached stays reached."""
import ast, json, math, sys
from collections import Counter
from pathlib import Path

from house import RINGS
from lints import nodes, parsed
from merged import read
from pages import FRONT, root

RING = {room: ring for ring, rooms in RINGS.items() for room in rooms}
BUDGET = {
    'lines of code': 36_670, 'lines of code: heart': 16_090, # several hosts: meeting, heartbeats, parts, states that are cut anew; jobs
    'lines of code: wings': 16_700, # what scripts for PyBoy see, its older states; exploring together; scores that are none
    'lines of code: evidence': 2_900, # a smoke run, the shoot-out
    # base.rendezvous, base.jobs, runs.cluster, explore.rounds: nothing did any of this before, and what each replaced was smaller
    'modules': 151, 'modules: heart': 63, 'modules: wings': 71, 'modules: evidence': 13, 'most modules in a room': 15,
    'notebooks': 197, 'notebooks without a room': 0, 'most cells in a notebook': 60,
    'public names': 1_008, 'names in several __all__': 10, 'file names used twice': 5, # gbxnb.pyboy is the name that users type
    'words of prose': 145_700, # four pages and a chapter on many processes, hosts and jobs
    'words of the index': 894, # scripts for PyBoy; versions and dates of the others, the nearest relative
    'units of the checks': 538} # what `make test` may cost, a third more than it does, see run_all.py; rounds, jobs, hosts came
STEP = { # a number may lie below its budget by so much at most
    'lines of code': 200, 'lines of code: heart': 200, 'lines of code: wings': 200, 'lines of code: evidence': 200,
    'public names': 10, 'units of the checks': 50, 'words of prose': 1_000, 'words of the index': 50}

def code_lines(source):
    "Lines with something on them that is neither a comment nor a docstring."
    text = (line.strip() for line in source.split('\n'))
    lines = {k for k, line in enumerate(text, 1) if line and not line.startswith('#')}
    strings = [n for n in nodes(source) if isinstance(n, ast.JoinedStr) or isinstance(n, ast.Constant) and isinstance(n.value, str)]
    for n in strings: lines.update(range(n.lineno, n.end_lineno + 1)) # whatever stands in them
    for n in nodes(source):
        body = getattr(n, 'body', None)
        if isinstance(n, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and body and isinstance(body[0], ast.Expr) \
                and isinstance(body[0].value, ast.Constant) and isinstance(body[0].value.value, str):
            lines.difference_update(range(body[0].lineno, body[0].end_lineno + 1))
    return len(lines)

def public(source):
    "What a module lists in `__all__`."
    found = [n.value for n in parsed(source).body if isinstance(n, ast.Assign) and getattr(n.targets[0], 'id', '') == '__all__']
    return [e.value for e in getattr(found[0], 'elts', ())] if found else []

def books(top):
    "Every notebook of a checkout, read."
    found = sorted(p for p in (top/'nbs').rglob('*.ipynb') if not any(part.startswith('.') for part in p.relative_to(top).parts))
    return {str(p.relative_to(top/'nbs')): json.loads(p.read_text(encoding='utf-8'))['cells'] for p in found}

def words(cells):
    return sum(len(''.join(c['source']).split()) for c in cells if c['cell_type'] == 'markdown')

def modules(top=root):
    "Name to source of every module with something in it; what nbdev generates for itself is none."
    return {name: source.text for name, source in read(top/'gbxnb').items() if code_lines(source.text)}

def measure(top=root):
    "Every number of the budget; a door, which offers what rooms hold, is in no ring."
    sources, pages = modules(top), books(top)
    rooms = Counter(name.split('/')[0] for name in sources if '/' in name and not name.endswith('__init__.py'))
    names = [n for text in sources.values() for n in public(text)]
    files = Counter(name.split('/')[-1] for name in sources if not name.endswith('__init__.py'))
    inner = [name for name in sources if '/' in name and not name.endswith('__init__.py')]
    own = {ring: [name for name in inner if RING.get(name.split('/')[0]) == ring] for ring in RINGS}
    homeless = [p for p in pages if '/' not in p and p not in FRONT]
    return {'lines of code': sum(map(code_lines, sources.values())),
            **{f'lines of code: {ring}': sum(code_lines(sources[n]) for n in some) for ring, some in own.items()},
            'modules': len(sources), **{f'modules: {ring}': len(some) for ring, some in own.items()},
            'most modules in a room': max(rooms.values()), 'notebooks': len(pages), 'notebooks without a room': len(homeless),
            'most cells in a notebook': max(map(len, pages.values())),
            'public names': len(names), 'names in several __all__': sum(n > 1 for n in Counter(names).values()),
            'file names used twice': sum(n > 1 for n in files.values()),
            'words of prose': sum(map(words, pages.values())), 'words of the index': words(pages['index.ipynb']),
            'units of the checks': math.ceil(sum(checks(top).values()))}

def checks(top):
    "What each page and each file of tests may cost, in units of ten million additions."
    path = top/'tests/costs.json'
    return json.loads(path.read_text(encoding='utf-8')) if path.exists() else {}

def report(found):
    "A line for each number: what there is, what may be."
    return [f'{name:28}{n:8,}' + (f' of {BUDGET[name]:,}' if name in BUDGET else '') for name, n in found.items()]

if __name__ == '__main__':
    found = measure(Path(sys.argv[1]).resolve() if sys.argv[1:] else root)
    print('\n'.join(report(found)))
    if not sys.argv[1:]: sys.exit(any(found[name] > most for name, most in BUDGET.items()))
