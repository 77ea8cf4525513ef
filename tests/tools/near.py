"""What can a change affect? Pages and files of tests, the nearest first: those of the changed modules, of what imports them, and so on.

The way from one module to the next is what the modules import (house.py)."""
import ast, functools, subprocess

from house import imported, imports, modules
from pages import notebooks, page_name, read, root

def changed():
    "Files that differ from the last commit, and new ones."
    run = subprocess.run(['git', 'status', '--porcelain', '-z', '--no-renames'], cwd=root, capture_output=True, text=True, check=True)
    return [line[3:] for line in run.stdout.split('\0') if line]

def uses(path, known):
    "The modules that a notebook or a script imports; a cell that is no Python imports none."
    if path.suffix == '.py': return set(imported(path.read_text(encoding='utf-8'), 'tests', known))
    found = set()
    for cell in read(path)['cells']:
        source = ''.join(cell['source'])
        if cell['cell_type'] != 'code' or 'gbxnb' not in source: continue
        try: found.update(imported(source, 'tests', known))
        except SyntaxError: continue
    return found

def reads(path, file):
    "Does a module name a file of the folder `static` beside it?"
    if path.parent != file.parent.parent: return False
    text = path.read_text(encoding='utf-8')
    return any(f'{quote}{file.name}{quote}' in text for quote in '\'"')

def exporter(path):
    "The module that a notebook exports, if it does."
    first = next((''.join(c['source']) for c in read(path)['cells'] if c['cell_type'] == 'code'), '')
    return first.split()[2] if first.startswith('#| default_exp') else None

def distances(starts, graph):
    "Every module that stands on one of `starts`, directly or not, to the number of steps."
    far, edge = dict.fromkeys(starts, 0), set(starts)
    while edge:
        edge = {m for m, below in graph.items() if below & edge} - far.keys()
        far |= dict.fromkeys(edge, max(far.values()) + 1)
    return far

def scripts():
    "Every script under tests by its name, whatever folder it stands in."
    return {p.stem: p for p in sorted((root/'tests').rglob('*.py'))}

def helpers(path, tests):
    "The scripts under tests that a test imports, and those that they import."
    found, edge = set(), {path}
    while edge:
        found |= edge
        edge = {tests[n] for p in edge for n in names(p) if n in tests} - found
    return found

@functools.cache
def names(path):
    "Top names of what a script imports, wherever in it."
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
        if isinstance(node, ast.Import): found.update(a.name.split('.')[0] for a in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level: found.add(node.module.split('.')[0])
    return found

def test_of(path):
    "The test that runs a page."
    return f"tests/house/test_nbs.py::{'test_notebook' if exporter(path) else 'test_story'}[{page_name(path)}]"

def affected(files):
    "Each page and each file of tests that the change of `files` can reach, to its distance."
    graph, known = imports(), modules()
    books = {p: exporter(p) for p in notebooks()}
    files = {(root/f).resolve() for f in files}
    starts = {m for p, m in books.items() if m and p in files} | {m for m, p in known.items() if p in files}
    starts |= {m for m, p in known.items() if any(reads(p, f) for f in files if f.parent.name == 'static')}
    far, out = distances(starts, graph), {}
    for path, module in books.items():
        reached = [far[module]] if module in far else [far[m] + 1 for m in uses(path, known) & far.keys()]
        if path in files: reached.append(0)
        if reached: out[test_of(path)] = min(reached)
    tests = scripts()
    used = {p: uses(p, known) & far.keys() for p in tests.values()}
    for path in (p for name, p in tests.items() if name.startswith('test_')):
        own = helpers(path, tests)
        reached = [far[m] + (p != path) for p in own for m in used[p]]
        if own & files: reached.append(0)
        if reached: out[path.relative_to(root).as_posix()] = min(reached)
    return out
