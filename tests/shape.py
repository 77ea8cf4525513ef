"""How wide is the house? `python tests/shape.py` prints functions of many parameters, classes of many methods, doors to an environment.

All is read from the source. Kernels and their functions are counted apart: their parameters are arrays that stand for themselves."""
import ast, functools
from collections import defaultdict

from lints import name_of, parsed
from merged import is_kernel, owner, patch_of
from size import modules

WIDE = 8 # parameters of a wide function
MOST = {'wide functions': 10, 'parameters of a function': 10, 'methods of a class': 51, 'doors to an environment': 3} # methods: PyBoy's own

@functools.cache
def statements(source):
    "All of them, those within others too."
    found = [parsed(source)]
    for n in found:
        for part in 'body', 'orelse', 'finalbody', 'handlers': found += getattr(n, part, ())
    return found[1:]

def functions(body): return [n for n in body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]

def parameters(f):
    "How many: each star is one, `self` and `cls` are none."
    a = f.args
    names = [x.arg for x in (*a.posonlyargs, *a.args, a.vararg, *a.kwonlyargs, a.kwarg) if x]
    return len(names) - (names[:1] in (['self'], ['cls']))

def wide(sources, kernels=False):
    "Functions with `WIDE` parameters and more, the widest first: how many, and where."
    found = [(parameters(f), f'{name}:{f.lineno} {f.name}') for name, text in sources.items() for f in functions(statements(text))
             if parameters(f) >= WIDE and is_kernel(f) == kernels]
    return sorted(found, reverse=True)

def methods(sources):
    """Every class to the names of its methods: its own, those patched into it in any module, and those of its bases in the package.
    What Python and notebooks call, `__len__` and `_repr_png_`, is no name to learn."""
    own, bases = defaultdict(set), {}
    for text in sources.values():
        for n in statements(text):
            if not isinstance(n, ast.ClassDef): continue
            bases[n.name] = [*map(name_of, n.bases)]
            own[n.name] |= {f.name for f in functions(n.body)}
        for f in functions(statements(text)):
            if patch_of(f): own[owner(f)].add(f.name)
    def whole(name): return {m for m in own[name] if not m.endswith('_')}.union(*map(whole, bases.get(name, ())))
    return {name: whole(name) for name in bases}

def doors(sources):
    "What `gbxnb` and `gbxnb.all` offer that is an environment or makes one, and the ids of Gymnasium as one."
    front = {name_of(n.targets[0]): n.value for n in parsed(sources['__init__.py']).body if isinstance(n, ast.Assign)}
    imports = [n for n in statements(sources['all.py']) if isinstance(n, ast.ImportFrom)]
    offered = {k.arg for k in front['_NAMES'].keywords} | {a.asname or a.name for n in imports for a in n.names}
    classes = {name for name, m in methods(sources).items() if {'step', 'reset', 'spec'} <= m}
    making = {f.name for text in sources.values() for f in functions(parsed(text).body) if name_of(f.returns) in {'World', *classes}}
    return sorted(offered & (classes | making)) + ['ids of Gymnasium']*('_IDS' in front)

def measure(sources):
    "Every number of `MOST`."
    found = wide(sources)
    return {'wide functions': len(found), 'parameters of a function': max([n for n, _ in found], default=0),
            'methods of a class': max(map(len, methods(sources).values())), 'doors to an environment': len(doors(sources))}

if __name__ == '__main__':
    here = modules()
    print(*(f'{n:3} of {MOST[name]:3}  {name}' for name, n in measure(here).items()), sep='\n')
    print(*(f'{n:3} parameters  {where}' for n, where in wide(here)), f'(and {len(wide(here, True))} of kernels)', sep='\n')
    largest = sorted(((len(m), name) for name, m in methods(here).items()), reverse=True)[:9]
    print(*(f'{n:3} methods  {name}' for n, name in largest), *doors(here), sep='\n')
