"""What an editor shows of the package: stubs beside the modules whose classes grow by `@patch`.

`make export` writes them for an editor, the build writes them into the wheel (`setup.py`); git ignores them.
A stub has signatures with their comments and docstrings, and the types of
attributes and of what a module binds, as far as these are known at a glance. Functions with `**options` name them."""
import ast, re

from merged import HEAD, KEPT, Source, head_of, home, merged, name_of, owner, patch_of, read, root, top, walk
from types_of import House, plain, result

WORLD = 'envs/task.py', 'GameBoyConfig' # whose fields are options where no other world is named
TRAINING = [('training/config.py', c) for c in ('TrainConfig', 'PPOConfig', 'A2CConfig')]
OPTIONS = { # functions with options: of which dataclasses besides, and what is returned in the usual world
    ('runs/policy.py', 'make'): ([], ('envs/pixels.py', 'PixelsEnv')),
    ('runs/train.py', 'train'): ([('runs/train.py', 'RunConfig'), *TRAINING], None)}
OURS = dict(_Any='from typing import Any as _Any', _overload='from typing import overload as _overload',
            _Self='from typing_extensions import Self as _Self')
ALIASES = {'TypeVar', 'NewType', 'namedtuple', 'ParamSpec'} # calls that make types
PLAIN = {'object', 'dict', 'list', 'Protocol', 'NamedTuple', 'Exception', 'IntEnum'} # bases that say nothing of attributes
NOTE = '# Made by `make export` from the module beside it.'

def of_function(types, node):
    "A function: its signature, and its docstring or dots."
    source, begin, pad = types.source, node.body[0], ' '*node.col_offset
    head = head_of(source.segment(node.lineno, node.end_lineno))
    note = re.match(r'  *#.*|', source.lines[node.lineno + len(head) - 2][len(head[-1]):])[0]
    if not node.returns and (kind := result(node)): head[-1] = f'{head[-1][:-1]}->{kind}:'
    doc = source.segment(begin.lineno, begin.end_lineno) if ast.get_docstring(node) else []
    if doc: # alone in its lines
        doc[-1] = doc[-1].encode()[:begin.end_col_offset].decode()
        doc[0] = f'{pad}    {doc[0].encode()[begin.col_offset:].decode()}'
    head[-1] += note if doc else f' ...{note}'
    return [*(f'{pad}@{ast.unparse(d)}' for d in node.decorator_list if name_of(d) in KEPT), *head, *doc]

def of_value(types, node):
    "What a module binds: as it is, or by its type where calls make it."
    calls = [n for n in walk(node.value) if isinstance(n, ast.Call)] if isinstance(node, ast.Assign) else []
    alias = isinstance(node.value, ast.Subscript) or name_of(node.value) in ALIASES
    if not calls or alias: return types.source.segment(node.lineno, node.end_lineno)
    names = [n.id for t in node.targets for n in walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    kind = types.of(node.value, {}) if isinstance(node.targets[0], ast.Name) else ''
    return [f'{n}:{kind or "_Any"}' for n in names]

def of_class(types, node):
    "A class: what stands in it as it is, the types of what its methods assign, and its methods."
    source, (known, others) = types.source, types.attributes(node)
    if any(name_of(d) == 'dataclass' for d in node.decorator_list): known, others = {}, set() # a field would be a parameter
    if len(types.bases(node)) < sum(ast.unparse(b) not in PLAIN for b in node.bases): # a class of others says what they are
        known = {name: ('_Any', comment) for name, (_, comment) in known.items()}
    declared = [f'    {name}:{kind}{comment}' for name, (kind, comment) in known.items()] + [f'    {name}:_Any' for name in sorted(others)]
    lines, k = [], top(node)
    if node.body[0].lineno == node.lineno: return source.segment(k, node.end_lineno)
    members = (n for n in node.body if getattr(n, 'name', '') != '__getattr__') # an unknown attribute is a mistake
    for n in (n for n in members if n.lineno >= k or isinstance(n, ast.FunctionDef)): # several may stand on a line
        lines += [line for line in source.segment(k, top(n) - 1) if line] # the head of the class, comments
        if isinstance(n, ast.FunctionDef):
            lines, declared = [*lines, *declared, *of_function(types, n)], []
        elif getattr(getattr(n, 'targets', [None])[0], 'id', '') not in others: lines += source.segment(top(n), n.end_lineno)
        k = n.end_lineno + 1
    return [*lines, *declared]

def fields(types, module, name):
    "The fields of a dataclass, and of those it is made from, as parameters: their names to lines."
    there, out = types.house.types[module], {}
    node, lines = there.source.defs[name], there.source.lines
    for base_types, base in there.bases(node): out |= fields(types, base_types.name, base.name)
    for n in (n for n in node.body if isinstance(n, ast.AnnAssign)):
        k = n.lineno - 1
        while lines[k - 1].strip().startswith('#'): k -= 1
        a = n.annotation
        kind = types.here(module, plain(a.slice.elts[0] if name_of(getattr(a, 'value', None)) == 'Annotated' else a))
        default = ast.unparse(n.value) if isinstance(n.value, (ast.Constant, ast.UnaryOp)) else '...'
        comment = re.search(r' *#.*$|$', lines[n.end_lineno - 1])[0]
        out[n.target.id] = [*lines[k:n.lineno - 1], f'    {n.target.id}:{kind}={default},{comment}']
    return out

def with_options(types, node):
    "A function with `**options` twice: in the usual world all options are known by name and type; another world says for itself."
    configs, kind = OPTIONS[types.name, node.name]
    head = head_of(types.source.segment(node.lineno, node.end_lineno))
    named = {a.arg for a in (*node.args.args, *node.args.kwonlyargs)} | {'world'}
    of_training = {}
    for c in configs: of_training |= {k: v for k, v in fields(types, *c).items() if k not in of_training} # the first says what is usual
    world = ['    world:str, # A registered world, such as catch, or a place, package.module:ATTRIBUTE']
    rest = ["    **options:_Any, # Fields of the world's configuration"]
    def version(options, before, behind, end):
        lines = [line for name, ls in options.items() if name not in named for line in ls]
        at = next(k for k, line in enumerate(head) if line.strip().startswith('**options'))
        kept = [line for line in head[:at] if not line.strip().startswith('world:')]
        return ['@_overload', *kept, *before, *lines, *behind, *head[at + 1:-1], end, f'    {ast.unparse(node.body[0])}']
    usual = f')->{types.here(kind[0], kind[1])}:' if kind else head[-1]
    return [*version(of_training | {k: v for k, v in fields(types, *WORLD).items() if k not in of_training}, [], [], usual),
            *version(of_training, world, rest, head[-1])]

def doors(source):
    "The names that the package imports when they are asked for."
    table = next(n.value for n in source.tree.body if isinstance(n, ast.Assign) and n.targets[0].id == '_NAMES')
    return [f'from {k.value.value} import {k.arg} as {k.arg}' for k in table.keywords]

def private(node):
    "The name of a function or value that begins with an underscore."
    name = getattr(node, 'name', '') or getattr(getattr(node, 'target', None) or getattr(node, 'targets', [None])[0], 'id', '')
    return name if name.startswith('_') and not name.startswith('__') else ''

def needed(blocks, imported):
    "The lines of a stub without private names that no module imports and nothing else in it mentions: an editor never asks for them."
    def mentioned(name): return any(re.search(rf'\b{name}\b', '\n'.join(lines)) for other, lines in blocks if other != name)
    return [line for name, lines in blocks if not name or name in imported or mentioned(name) for line in lines]

def stub(types, imported):
    "A module as an editor should see it."
    source, blocks, door = types.source, [], types.name == '__init__.py'
    for n in source.tree.body[bool(source.doc):]:
        if source.lines[n.lineno - 1] in HEAD or door and getattr(n, 'name', '') in ('__getattr__', '__dir__'): continue
        if isinstance(n, ast.FunctionDef): lines = with_options(types, n) if (types.name, n.name) in OPTIONS else of_function(types, n)
        elif isinstance(n, ast.ClassDef): lines = of_class(types, n)
        elif isinstance(n, ast.Try): lines = [f'from typing import Any as {a.name}' for a in n.body[0].names] # it may be absent
        elif isinstance(n, (ast.Import, ast.ImportFrom)): lines = source.segment(n.lineno, n.end_lineno)
        elif isinstance(n, (ast.Assign, ast.AnnAssign)): lines = of_value(types, n)
        else: continue
        blocks.append((private(n), lines))
    lines = needed(blocks, imported)
    text = '\n'.join(lines + (doors(source) if door else []))
    imports = [line for name, line in OURS.items() if re.search(rf'\b{name}\b', text)] + sorted(types.missing.values())
    return '\n'.join([*source.segment(1, source.doc), NOTE, *imports, text, ''])

def stubs(sources):
    "Every stub by the name of its file: where classes are patched or Warp's, where functions have options, and of the front door."
    lines = merged(sources)
    changed = {name for name, text in lines.items() if len(text) != len(sources[name].lines)}
    house = House({n: Source(n, '\n'.join(t for _, t in lines[n])) if n in changed else sources[n] for n in lines})
    grown = [s for s in sources.values() if s.changes]
    patched = {home(sources, s.name, owner(n))[0] for s in grown for n in s.tree.body if patch_of(n)}
    structs = {s.name for s in grown for d in s.defs.values() for name in d.decorator_list if name_of(name) == 'struct'}
    imported = {alias.name for s in sources.values() for n in walk(s.tree) if isinstance(n, ast.ImportFrom) for alias in n.names}
    wanted = sorted(patched | structs | {name for name, _ in OPTIONS} | {'__init__.py'})
    return {f'{name}i': stub(house.types[name], imported) for name in wanted}

def write(top=root/'gbxnb'):
    "Write the stubs of a package; those that are none any more go."
    made = stubs(read(top))
    for p in top.rglob('*.pyi'):
        if p.relative_to(top).as_posix() not in made: p.unlink()
    for name, text in made.items(): (top/name).write_text(text, encoding='utf-8')

if __name__ == '__main__': write()
