"""What becomes of PyBoy's public names in gbxnb.pyboy: `python tests/pyboy_names.py OUT.json`, where PyBoy is installed.

PyBoy is walked, then `pyboy` is made to mean ours: same, same for N consoles too, refused in our words, or absent; in part, of several."""
import ast, contextlib, importlib.metadata, inspect, io, json, pkgutil, re, sys
from collections import Counter
from enum import Enum
from pathlib import Path
from gbxnb import pyboy as ours
from gbxnb.base.files import UserError
from gbxnb.games.bundled import arcade_rom
from gbxnb.scripts.views import Missing, wrapper_of

SPECIAL = '__getitem__', '__setitem__', '__len__', '__iter__', '__enter__', '__exit__', '__eq__', '__int__', '__repr__'
PLAIN, DEFINED = (int, float, str, tuple, dict, Enum), (ast.ClassDef, ast.FunctionDef, ast.Assign)
MADE, SKIPPED = ('get_tile', 'get_sprite'), ('conftest', 'manager_gen', 'pyboy.plugins') # give what no attribute is; no modules of interest

def public(names): return [n for n in sorted(names) if n.isidentifier() and n[0] != '_' and n != 'logger']
def source(module): return (Path(module.__file__).parent/f'{Path(module.__file__).name.split(".")[0]}.py').read_text()
def reach(console, path): return getattr(console, path)(0) if path in MADE else getattr(console, path) if path else console
def inside(name): return [m.name for m in pkgutil.iter_modules(importlib.import_module(name).__path__)]
def game(): return io.BytesIO(arcade_rom())

def kind_of(value, inner):
    "What to call it."
    if not inspect.isclass(value):
        return 'constant' if isinstance(value, PLAIN) else ('method' if inner else 'function') if callable(value) else 'attribute'
    return 'exception' if issubclass(value, BaseException) else 'enum' if issubclass(value, Enum) else 'class'

def walk(console):
    "Qualified name, kind, module, class, name in it, where an instance is, and the value, of all of PyBoy's names."
    paths = {type(reach(console, p)): p for p in [*MADE, *reversed(public(dir(console))), '']}
    for where in 'pyboy', 'pyboy.utils', *(f'pyboy.api.{n}' for n in inside('pyboy.api')), 'pyboy.plugins.base_plugin':
        here, (package, _, last) = vars(importlib.import_module(where)), where.rpartition('.')
        if package: yield where, 'module', package, last, None, None, None
        own = [n for n in public(here) if getattr(here[n], '__module__', '') == where and not n.endswith('Plugin')]
        for name in here.get('__all__', own or [n for n in public(here) if isinstance(here[n], PLAIN)]):
            value, kind, path = here[name], kind_of(here[name], False), paths.get(here[name]) if inspect.isclass(here[name]) else None
            yield f'{where}.{name}', kind, where, name, None, path, value
            if kind == 'class': names = {*dir(value), *dir(value if path is None else reach(console, path))}
            else: names = value.__members__ if kind == 'enum' else ()
            for n in [n for n in SPECIAL if kind == 'class' and callable(vars(value).get(n))] + public(names):
                yield f'{where}.{name}.{n}', kind_of(getattr(value, n, None), True), where, name, n, path, getattr(value, n, None)

def modules(base):
    "A line for each further module: its name, its kind, the titles of its game, and its names: with a game, those that its wrapper adds."
    for name in [n for p in ('pyboy', 'pyboy.plugins') for n in (f'{p}.{m}' for m in inside(p)) if not n.endswith(SKIPPED)]:
        module = importlib.import_module(name)
        kinds = [c for c in vars(module).values() if inspect.isclass(c) and c.__module__ == name and issubclass(c, base) and c is not base]
        titles = re.findall(r'cartridge_title ==? "(.+?)"', source(module)) if kinds else []
        named = [getattr(n, 'name', '') or ast.unparse(n.targets[0]) for n in ast.parse(source(module)).body if isinstance(n, DEFINED)]
        if kinds: yield name, 'game wrapper', titles, [n for c in kinds for n in public(dir(c)) if not hasattr(base, n)]
        else: yield name, 'names of a module', [], public(named) or getattr(module, '__all__', inside(name))

def options():
    "Those of the constructor, those of plugins, and older ones."
    text, manager = source(importlib.import_module('pyboy.pyboy')), importlib.import_module('pyboy.plugins.manager')
    init = next(n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef) and n.name == '__init__').args
    flags = [f[2:].replace('-', '_') for line in manager.parser_arguments() for *names, _ in line for f in names if f.startswith('--')]
    return dict.fromkeys([a.arg for a in init.kwonlyargs] + flags + re.findall(r'kwargs\.pop\("(\w+)"', text))

def used(owner, name, value=None, event_to=None):
    "What comes of using a name of ours."
    try:
        if isinstance(owner, Missing): owner()
        mine = getattr(type(owner) if name in SPECIAL and not inspect.isclass(owner) else owner, name)
        if isinstance(mine, Missing): mine()
        if event_to: event_to.send_input(value)
    except (AttributeError, UserError) as e: return f'{"refused" if isinstance(e, UserError) else "absent"}: {e}'
    if isinstance(value, PLAIN) and str(mine) != str(value): return f'refused: here it is {mine!r}'
    return 'absent' if name in SPECIAL and mine is getattr(object, name, None) else 'same'

def status(one, two, where, name, inner, path, value):
    "Of one name."
    module, event = importlib.import_module(where), name == 'WindowEvent' and isinstance(value, int)
    owner = lambda c: module if not inner else getattr(module, name) if path is None else reach(c, path)
    def of(console): return used(owner(console), inner or name, value, event and console)
    mine = of(one)
    if mine != 'same' or path is None and not event: return 'absent' if mine.startswith('absent') else mine
    return 'same, times N' if hasattr(two, path or 'send_input') and of(two) == 'same' else mine

def option_status(name):
    "Whether a true value is refused; if not, what is said of it."
    try:
        with contextlib.redirect_stdout(io.StringIO()) as said: ours.PyBoy(game(), **{'window': 'null', name: True}).stop(False)
    except ours.PyBoyNotImplementedException as e: return f'refused: {e}'
    except Exception as e: # most want something else than True
        if 'Unknown keyword' in str(e): return 'absent'
    if name in ours._IGNORED or name.startswith('sound'): return 'same, times N, without effect'
    return f'refused: {said.getvalue().split(maxsplit=2)[2].strip()}' if 'WARNING' in said.getvalue() else 'same, times N'

def module_status(one, name, titles, names):
    "Of several names in one line."
    if titles: one.cartridge_title = titles[0]
    found = [used(wrapper_of(one) if titles else importlib.import_module(name), n) for n in names]
    other, same = next((s.partition(': ')[2] for s in found if s != 'same'), ''), found.count('same')
    return 'same' if same == len(found) else f'in part: {same} of {len(found)} names; {other}' if same else f'refused: {other}'

def main(out):
    "Walk PyBoy, then ask ours."
    with importlib.import_module('pyboy').PyBoy(game(), window='null', log_level='CRITICAL') as real:
        entries, further, given = [*walk(real)], [*modules(type(real.game_wrapper))], options()
    with ours.stand_in(), ours.PyBoy(game(), window='null') as one, ours.PyBoys(game(), 2, 'cpu', 1, window='null') as two:
        names = [[name, kind, status(one, two, *more)] for name, kind, *more in entries]
        names += [[name, kind, module_status(one, name, *more)] for name, kind, *more in further]
        names += [[f'PyBoy({name}=)', 'option', option_status(name)] for name in given]
    counts = Counter(s.partition(':')[0] for *_, s in names)
    Path(out).write_text(json.dumps(dict(pyboy=importlib.metadata.version('pyboy'), names=names, counts=counts), indent=0))
    print(*(f'{n:5} {s}' for s, n in counts.most_common()), sep='\n')

if __name__ == '__main__': main(*sys.argv[1:])
