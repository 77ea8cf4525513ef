"What is known at a glance of the values in a module of the package: enough to declare most attributes of its classes in a stub."
import ast, builtins, functools, re

from merged import dotted, first, home, name_of, walk

ARRAYS = { # functions of other packages, by the type of what they return
    'np.ndarray': [f'np.{n}' for n in 'zeros ones empty full arange array asarray stack concatenate frombuffer'.split()],
    'wp.array': [f'wp.{n}' for n in 'zeros empty full array from_torch zeros_like empty_like'.split()],
    'torch.Tensor': ['wp.to_torch', *(f'torch.{n}' for n in 'zeros ones empty full arange tensor as_tensor from_numpy stack cat'.split()),
                     *(f'torch.{n}_like' for n in 'zeros ones empty full'.split())],
    'bool': ['isinstance', 'hasattr', 'any', 'all', 'callable'], 'int': ['len'], 'list': ['sorted']}
SAME = ['torch.Generator', 'torch.device', 'Path', 'threading.RLock', 'threading.Lock', 'threading.Thread', 'threading.Event',
        *'int float bool str bytes bytearray dict list set tuple'.split()] # classes, by their names
CALLS = {name: kind for kind, names in ARRAYS.items() for name in names} | {name: name for name in SAME}
LITERALS = {ast.JoinedStr: 'str', ast.Dict: 'dict', ast.DictComp: 'dict', ast.List: 'list', ast.ListComp: 'list', ast.Set: 'set',
            ast.SetComp: 'set', ast.Compare: 'bool'}
RETURNS = dict.fromkeys('init post_init exit setattr delattr setitem delitem init_subclass set_name del'.split(), 'None') | dict(
    repr='str', str='str', len='int', hash='int', int='int', float='float', bool='bool', eq='bool', contains='bool', dir='list[str]')
CIRCLE = set() # classes whose attributes are being looked for

def functions(node): return [n for n in node.body if isinstance(n, ast.FunctionDef)]

def is_property(node): return any(name_of(d) in ('property', 'cached_property') for d in node.decorator_list)

def plain(annotation):
    "An annotation as text."
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str): return annotation.value
    return ast.unparse(annotation).replace(' | ', '|')

def parts(kind):
    "A union's types; one with brackets is not taken apart."
    return kind.split('|') if '[' not in kind else [kind]

def either(*kinds):
    "The union of types; empty where one is unknown, or where all is None."
    found = list(dict.fromkeys(k for kind in kinds for k in parts(kind)))
    if '' in found or found in ([], ['None']): return ''
    return '|'.join(sorted(found, key='None'.__eq__))

def inside(node):
    "A statement and all in it, but what stands in functions in it."
    yield node
    if not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
        for child in ast.iter_child_nodes(node): yield from inside(child)

@functools.cache
def within(node):
    "All in a function, but what stands in functions in it."
    return [n for child in node.body for n in inside(child)]

@functools.cache
def result(node):
    "What a function without an annotation returns, where that is plain: nothing, or itself."
    if (special := node.name.strip('_')) in RETURNS and node.name.startswith('__'): return RETURNS[special]
    nodes, last = within(node), node.body[-1]
    if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in nodes): return ''
    values = {n.value and ast.unparse(n.value) for n in nodes if isinstance(n, ast.Return)}
    if values <= {None, 'None'}: return '' if isinstance(last, ast.Raise) else 'None'
    return '_Self' if values == {'self'} and isinstance(last, ast.Return) else ''

class House(dict):
    "Merged modules by name, and what has been found out about them."
    def __init__(self, modules):
        super().__init__(modules)
        self.types = {name: Types(self, name) for name in self}

class Types:
    "The types of values in a module, as text; empty is unknown."
    def __init__(self, house, name):
        self.house, self.name, self.source = house, name, house[name]
        self.missing, self.origins = {}, {} # names that a stub has to import besides, each with its line, and with where it is from
        self.found = {} # members of classes

    def definition(self, name):
        "The class or function that a name means, and its module."
        module, there = self.origins.get(name) or home(self.house, self.name, name)
        node = self.house[module].defs.get(there) if module in self.house else None
        return (module, node) if node else (None, None)

    def bases(self, node):
        "The classes of the package that a class is made from, each with the types of its module."
        found = [self.definition(b.id) for b in node.bases if isinstance(b, ast.Name)]
        return [(self.house.types[m], c) for m, c in found if isinstance(c, ast.ClassDef)]

    def here(self, module, kind):
        "A type as text of another module, as this one may write it; what that names is imported."
        if module == self.name: return kind
        there = self.house[module]
        for n in re.findall(r'(?<![.\w])[A-Za-z_]\w*', re.sub(r"'[^']*'", '', kind)):
            if hasattr(builtins, n) and n not in there.names: continue
            origin = home(self.house, module, n)
            if n not in self.source.names:
                name = origin[1] if origin[1] == n else f'{origin[1]} as {n}'
                self.origins[n] = origin
                self.missing[n] = there.others.get(n) or f'from {dotted(origin[0])} import {name}'
            elif there.others.get(n) != self.source.others.get(n): return '' # another thing of that name
            elif n not in there.others and home(self.house, self.name, n) != origin: return ''
        return kind

    def members(self, node):
        "Every member of a class of this module whose type is known: attributes, properties, and methods with `()` behind the name."
        if node.name in self.found: return self.found[node.name]
        out = {}
        for types, base in self.bases(node): out |= {k: self.here(types.name, v) for k, v in types.members(base).items()}
        for n in node.body:
            if isinstance(n, ast.AnnAssign): out[n.target.id] = plain(n.annotation)
            elif isinstance(n, ast.FunctionDef):
                kind = plain(n.returns) if n.returns else result(n).replace('_Self', node.name)
                out[n.name + '()'*(not is_property(n))] = kind
        if (key := (self.name, node.name)) in CIRCLE: return out
        CIRCLE.add(key)
        out |= {name: kind for name, (kind, _) in self.attributes(node)[0].items()}
        CIRCLE.remove(key)
        if not CIRCLE: self.found[node.name] = out # complete: nothing waited for another class
        return out

    def member(self, kind, name):
        "The type of a member of a value."
        kinds = [k for k in parts(kind) if k != 'None']
        module, node = self.definition(kinds[0]) if len(kinds) == 1 else (None, None)
        if not isinstance(node, ast.ClassDef): return ''
        return self.here(module, self.house.types[module].members(node).get(name, ''))

    def called(self, value, known):
        "The type of what a call returns."
        name = ast.unparse(value.func)
        if name in CALLS: return CALLS[name]
        if name + '()' in known: return known[name + '()'] # a function within the function
        if isinstance(value.func, ast.Attribute):
            of = value.func.value
            is_class = isinstance(of, ast.Name) and isinstance(self.definition(of.id)[1], ast.ClassDef)
            return self.member(of.id if is_class else self.of(of, known), value.func.attr + '()')
        module, node = self.definition(name)
        if isinstance(node, ast.ClassDef): return name
        return self.here(module, plain(node.returns)) if node and node.returns else ''

    def of(self, value, known):
        "The type of a value, where those of variables are `known`."
        if type(value) in LITERALS: return LITERALS[type(value)]
        if isinstance(value, ast.Constant): return 'None' if value.value is None else type(value.value).__name__
        if isinstance(value, ast.Name): return known.get(value.id, '') if value.id in known else self.constant(value.id)
        if isinstance(value, ast.UnaryOp): return 'bool' if isinstance(value.op, ast.Not) else self.of(value.operand, known)
        if isinstance(value, ast.IfExp): return either(self.of(value.body, known), self.of(value.orelse, known))
        if isinstance(value, ast.Attribute): return self.member(self.of(value.value, known), value.attr)
        if isinstance(value, ast.Call): return self.called(value, known)
        if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or):
            *some, last = (self.of(v, known) for v in value.values)
            return either(*('|'.join(k for k in parts(kind) if k != 'None') for kind in some), last)
        if isinstance(value, ast.BinOp):
            kinds = {self.of(value.left, known), self.of(value.right, known)}
            if kinds <= {'int', 'float'}: return 'float' if 'float' in kinds or isinstance(value.op, ast.Div) else 'int'
            if len(kinds) == 1 and kinds <= {'str', 'np.ndarray', 'torch.Tensor'}: return kinds.pop()
        return ''

    def constant(self, name):
        "The type of a name that its module binds once, to a literal."
        module, there = home(self.house, self.name, name)
        body = self.house[module].tree.body if module in self.house else []
        values = [s.value for s in body if isinstance(s, ast.Assign) and getattr(s.targets[0], 'id', '') == there]
        return type(values[0].value).__name__ if len(values) == 1 and isinstance(values[0], ast.Constant) else ''

    def assigned(self, node, cls):
        "What a method assigns to attributes, in order: name, type, statement."
        a, me, out = node.args, first(node).arg, []
        defaults = dict(zip([x.arg for x in a.args[::-1]], a.defaults[::-1])) | {x.arg: d for x, d in zip(a.kwonlyargs, a.kw_defaults) if d}
        known = {k: kind for k, d in defaults.items() if (kind := self.of(d, {})) != 'None'} # of parameters, then of variables, too
        known |= {x.arg: plain(x.annotation) for x in (*a.posonlyargs, *a.args, *a.kwonlyargs) if x.annotation} | {me: cls}
        def bind(to, kind, value, statement):
            if isinstance(to, ast.Name): known[to.id] = kind
            elif isinstance(to, ast.Attribute) and getattr(to.value, 'id', '') == me: out.append((to.attr, kind, statement))
            elif isinstance(to, (ast.Tuple, ast.List)):
                values = value.elts if isinstance(value, ast.Tuple) else []
                whole = ast.parse(kind, mode='eval').body if kind.startswith('tuple[') else None
                kinds = [plain(e) for e in whole.slice.elts] if whole and isinstance(whole.slice, ast.Tuple) and '...' not in kind else []
                if values: kinds = [self.of(v, known) for v in values]
                elif isinstance(value, ast.GeneratorExp): kinds = [self.of(value.elt, known)]*len(to.elts)
                if len(kinds) != len(to.elts): kinds, values = ['']*len(to.elts), []
                for k, t in enumerate(to.elts): bind(t, kinds[k], values[k] if values else None, statement)
        for n in within(node):
            if isinstance(n, ast.FunctionDef) and n.returns: known[n.name + '()'] = plain(n.returns)
            elif isinstance(n, ast.Assign):
                kind = self.of(n.value, known)
                for t in n.targets: bind(t, kind, n.value, n)
            elif isinstance(n, ast.AnnAssign): bind(n.target, plain(n.annotation), None, n)
            elif isinstance(n, (ast.For, ast.comprehension)): bind(n.target, '', None, n)
            elif isinstance(n, ast.withitem) and n.optional_vars: bind(n.optional_vars, '', None, n)
        return out

    def names(self, node):
        "What a class, and those it is made from, call something."
        own = {t.id for n in node.body for t in walk(n) if isinstance(n, (ast.Assign, ast.AnnAssign)) and isinstance(t, ast.Name)}
        return own.union([f.name for f in functions(node)], *(self.wrote(f) for f in functions(node)),
                         *(types.names(base) for types, base in self.bases(node)))

    def wrote(self, node):
        "The attributes that a method assigns."
        me = getattr(first(node), 'arg', '')
        stored = [n for n in walk(node) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)]
        return {n.attr for n in stored if getattr(n.value, 'id', '') == me}

    def attributes(self, node):
        "What methods of a class assign: attributes of known type, each with that and a comment; and the names of the others."
        kinds, comments, exact = {}, {}, {}
        for f in functions(node):
            if not first(f) or any(name_of(d) in ('staticmethod', 'classmethod') for d in f.decorator_list): continue
            statements = self.assigned(f, node.name)
            for name, kind, n in statements:
                kinds.setdefault(name, []).append(kind)
                if isinstance(n, ast.AnnAssign): exact[name] = kind
                comment = re.search(r'  *# .*$', self.source.lines[n.end_lineno - 1]) if hasattr(n, 'end_lineno') else None
                if comment and sum(n is other for *_, other in statements) == 1: comments.setdefault(name, comment[0])
        above = set().union(*(types.names(base) for types, base in self.bases(node)))
        declared = {n.target.id for n in node.body if isinstance(n, ast.AnnAssign)} | {f.name for f in functions(node)}
        valued = {t.id for n in node.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
        known = {n: exact.get(n) or either(*each) for n, each in kinds.items() if n not in above | declared}
        return ({n: (kind, comments.get(n, '')) for n, kind in known.items() if kind and n not in valued},
                {n for n, kind in known.items() if not kind or n in valued})
