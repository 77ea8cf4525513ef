"""The package as a checker of types can read it: classes grow by `@patch`, which none follows; here each such function stands in its class.

`stubs.py` makes of this what an editor shows, `test_types.py` has the bodies checked.
Of the standard library alone: the wheel is built with it."""
import ast, functools, io, re, tokenize
from pathlib import Path

root = Path(__file__).resolve().parents[2]

KEPT = {'property', 'setter', 'classmethod', 'staticmethod', 'dataclass', 'contextmanager', 'cached_property', 'overload'}
HEAD = ['from __future__ import annotations', 'from typing import Any as _Any'] # what merged modules begin with

@functools.cache
def parsed(source):
    "The tree of a source; whoever asks again gets the same one."
    return ast.parse(source)

@functools.cache
def walk(tree):
    "What `ast.walk` gives, but whether a name is read or written: a third of all, and nobody asks."
    found = [tree]
    for n in found:
        for v in vars(n).values():
            if isinstance(v, list): found += [x for x in v if isinstance(x, ast.AST)]
            elif isinstance(v, ast.AST) and not isinstance(v, ast.expr_context): found.append(v)
    return found

def name_of(node):
    "The last name of a call, an attribute or a name: `c` of `a.b.c`."
    if isinstance(node, ast.Call): return name_of(node.func)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, 'id', '')

def ours(node):
    "Whether a statement imports from the package."
    return isinstance(node, ast.ImportFrom) and (node.level > 0 or (node.module or '').split('.')[0] == 'gbxnb')

class Source:
    "A module: its text, and what is read from it once that is asked for: its tree, and where its names come from."
    def __init__(self, name, text):
        self.name, self.text, self.lines = name, text, text.split('\n')
        self.changes = '@patch' in text or '@wp.' in text # whether a merged module differs, beside methods from elsewhere

    @functools.cached_property
    def tree(self): return parsed(self.text)

    @functools.cached_property
    def doc(self): # the last line of the docstring
        return self.tree.body[0].end_lineno if ast.get_docstring(self.tree) else 0

    @functools.cached_property
    def defs(self): return {n.name: n for n in self.tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}

    @functools.cached_property
    def imported(self): # outside of functions
        nodes = [n for s in self.tree.body for n in (s.body if isinstance(s, (ast.If, ast.Try)) else [s])]
        return [(n, a) for n in nodes if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names]

    @functools.cached_property
    def imports(self): # from the package: names to modules and names there
        return {a.asname or a.name: (self.module(n), a.name) for n, a in self.imported if ours(n)}

    @functools.cached_property
    def others(self): # from elsewhere: names to statements
        return {a.asname or a.name: ast.unparse(type(n)(**{**vars(n), 'names': [a]})) for n, a in self.imported if not ours(n)}

    @functools.cached_property
    def names(self):
        bound = {t.id for n in self.tree.body if isinstance(n, (ast.Assign, ast.AnnAssign)) for t in walk(n)
                 if isinstance(t, ast.Name) and isinstance(t.ctx, ast.Store)}
        return bound | self.defs.keys() | self.imports.keys() | self.others.keys()

    def module(self, node):
        "The file that an import of the package names."
        here = self.name.split('/')[:-node.level] if node.level else []
        parts = (node.module or '').split('.')[not node.level:]
        return '/'.join([*here, *(filter(None, parts) or ['__init__'])]) + '.py'

    def segment(self, first, last):
        "The lines of a statement; both are counted from 1."
        return self.lines[first - 1:last]

def read(top=root/'gbxnb'):
    "Every module of a package by the name of its file, but what nbdev generates for itself."
    files = {p.relative_to(top).as_posix(): p for p in sorted(top.rglob('*.py'))}
    return {n: Source(n, p.read_text(encoding='utf-8')) for n, p in files.items() if n != '_modidx.py'}

def home(house, module, name):
    "The module in which a name that another one uses is defined, and its name there."
    source = house.get(module)
    return home(house, *source.imports[name]) if source and name in source.imports else (module, name)

def dotted(module): return 'gbxnb.' + module[:-3].replace('/', '.').removesuffix('.__init__')

def top(node):
    "The first line of a statement, with its decorators."
    return min([node.lineno, *(d.lineno for d in getattr(node, 'decorator_list', ()))])

def first(node):
    "The first parameter of a function."
    return next(iter([*node.args.posonlyargs, *node.args.args]), None)

def patch_of(node):
    "The decorator that makes a function a method, if there is one."
    return next((d for d in getattr(node, 'decorator_list', ()) if name_of(d) in ('patch', 'patch_to')), None)

def owner(node):
    "The name of the class that a patched function becomes a method of."
    d = patch_of(node)
    of = d.args[0] if name_of(d) == 'patch_to' else first(node).annotation
    return of.value if isinstance(of, ast.Constant) else of.id

def is_kernel(node):
    return isinstance(node, ast.FunctionDef) and any(name_of(d) in ('kernel', 'func', 'func_native') for d in node.decorator_list)

def in_strings(node):
    "The lines of a statement that begin within a string."
    return {k for n in walk(node) if isinstance(n, ast.JoinedStr) or isinstance(n, ast.Constant) and isinstance(n.value, (str, bytes))
            for k in range(n.lineno + 1, n.end_lineno + 1)}

def method(source, node):
    "The lines of a patched function as those of a method, each with the number of its line."
    lines, me, whole = source.lines.copy(), first(node), in_strings(node)
    if me.annotation: # `self:Class` becomes `self`
        line = lines[me.lineno - 1].encode()
        lines[me.lineno - 1] = (line[:me.col_offset] + me.arg.encode() + line[me.annotation.end_col_offset:]).decode()
    options = {k.arg for k in getattr(patch_of(node), 'keywords', ()) if k.value.value}
    marks = [mark for word, mark in (('as_prop', 'property'), ('cls_method', 'classmethod'), ('set_prop', f'{node.name}.setter'))
             if word in options] + [ast.unparse(d) for d in node.decorator_list if name_of(d) in KEPT]
    return [*((node.lineno, f'    @{mark}') for mark in marks),
            *((k, lines[k - 1] if k in whole or not lines[k - 1] else f'    {lines[k - 1]}') for k in
              range(node.lineno, node.end_lineno + 1))]

def head_of(lines):
    "The lines of a function up to the colon of its signature."
    depth, begun = 0, False
    for t in tokenize.generate_tokens(io.StringIO('\n'.join(lines) + '\n').readline):
        begun = begun or t.type == tokenize.NAME and t.string == 'def'
        if t.type != tokenize.OP: continue
        depth += (t.string in '([{') - (t.string in ')]}')
        if begun and t.string == ':' and not depth: return [*lines[:t.end[0] - 1], lines[t.end[0] - 1][:t.end[1]]]

def named(node):
    "What the signature of a function names."
    a = node.args
    parameters = [x for x in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if x]
    parts = [*(x.annotation for x in parameters), *a.defaults, *a.kw_defaults, node.returns]
    nodes = [n for part in parts if part for n in walk(part)]
    words = [w for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str) for w in re.findall(r'\w+', n.value)]
    return {n.id for n in nodes if isinstance(n, ast.Name)}.union(words)

def from_outside(here, source, node):
    "A method from another module, as its class should have it: its signature, and the imports of what that names."
    head = head_of([line for _, line in method(source, node)])
    names = sorted(named(node) - here.names - {owner(node)})
    return [*head[:-1], head[-1] + ' ...'], [source.others.get(n) or f'from {dotted(source.name)} import {n}' for n in names
                                             if n in source.names]

def merge(house, source, guests):
    "The lines of a module with its patched functions in their classes; of those of other modules, `guests`, there are signatures."
    if not source.changes and not guests: return [*enumerate(source.lines, 1)]
    patched = [n for n in source.tree.body if patch_of(n)]
    kernels = {top(n): n for n in walk(source.tree) if is_kernel(n)}
    structs = {top(c): c for c in source.defs.values() if any(name_of(d) == 'struct' for d in c.decorator_list)}
    out = {top(n): n for n in patched} | kernels | structs # what leaves its place
    mine = {n: home(house, source.name, owner(n))[0] == source.name for n in patched}
    lines, imports, ends = [], [], {n.end_lineno: n for n in source.defs.values() if isinstance(n, ast.ClassDef)}
    k = 1
    while k <= len(source.lines):
        if n := out.get(k):
            if k in kernels: lines.append((k, f"{' '*n.col_offset}{n.name}: _Any = None")) # Warp's types are no types
            elif k in structs: lines.append((k, f'class {n.name}(_Any): ...'))
            elif not mine[n]: # a plain function, of a name that stands once
                lines += [(j, source.lines[j - 1]) for j in range(n.lineno, n.end_lineno + 1)]
                lines[-(n.end_lineno - n.lineno + 1)] = (n.lineno, source.lines[n.lineno - 1].replace(n.name, f'_{owner(n)}_{n.name}', 1))
            k = n.end_lineno + 1
            continue
        lines.append((k, source.lines[k - 1]))
        if c := ends.get(k):
            for n in patched:
                if mine[n] and owner(n) == c.name: lines += method(source, n)
            for other, n in guests:
                if owner(n) != c.name: continue
                head, more = from_outside(source, other, n)
                lines, imports = lines + [(k, line) for line in head], imports + more
        k += 1
    return lines[:source.doc] + [(source.doc, line) for line in [*HEAD, *dict.fromkeys(imports)]] + lines[source.doc:]

def merged(house):
    "Every module by name: its lines, each with the number of the line that it comes from."
    guests = {}
    for source in (s for s in house.values() if '@patch' in s.text):
        for n in source.tree.body:
            if patch_of(n) and (where := home(house, source.name, owner(n))[0]) != source.name:
                guests.setdefault(where, []).append((source, n))
    return {name: merge(house, source, guests.get(name, [])) for name, source in house.items()}
