"""What the rendered site makes of a notebook: entries for what is public, code open or folded, links that lead somewhere.

A notebook is read in two places. In JupyterLab it is a notebook, and everything stands in it. On the site it is a page that is read from
top to bottom and looked things up in: a function needs a heading that can be linked, imports stand in the way, and a name in backticks
should lead to where it is explained.

nbdev makes pages by a list of processors; `settings.ini` says which of them are left out (`skip_procs`) and that `ShowPage` stands for them
(`procs`). Those run the notebook again and print what they find in memory. An entry here is the source itself, which says more than the
object that a decorator made of it: a Warp function has no signature left when Warp has seen it, and a struct's constructor takes anything.

What a page is about is open: kernels, tables of hardware, private functions that the prose speaks of. Behind an entry, which has the
signature already, the source is folded; a cell that says `#| open` is open all the same, as those of a learning algorithm are. What a
cell with `#| exporti` defines has a place that can be linked, and its source, but no entry. Imports, longer checks, and the code of a
table or a picture are folded, too. In a story (a tutorial, an example, the home page) readers are to type what they see, so nothing is
folded there. Whoever renders has `tests/tools` on the PYTHONPATH."""
import ast, json, re
from dataclasses import dataclass
from functools import lru_cache
from os.path import relpath
from pathlib import Path

from execnb.nbio import mk_cell, read_nb
from fastcore.basics import patch
from nbdev.config import get_config
from nbdev.doclinks import patch_name
from nbdev.process import Processor
from merged import parsed
from pages import FRONT, nodes, python

WARP = 'wp.kernel', 'wp.func', 'wp.func_native', 'wp.struct'

@dataclass
class Definition:
    "A function or a class in a cell."
    name:str # As the package has it, e.g. `Watch.push`
    node:ast.AST
    source:str # Of the whole cell

    @property
    def warp(self)->bool:
        "Does Warp compile it?"
        return any(ast.unparse(d).split('(')[0] in WARP for d in self.node.decorator_list)

    @property
    def public(self)->bool: return not self.name.split('.')[-1].startswith('_')

DEFINES = ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef

@lru_cache(None)
def definitions(
    source:str, # A cell's
)->list[Definition]:
    "What a cell defines, in order."
    text = python(source)
    nodes = (n for n in parsed(text).body if isinstance(n, DEFINES))
    return [Definition(patch_name(n) or n.name, n, text) for n in nodes]

def between(d:Definition, first, last)->str:
    "Source from the start of one node to the end of another."
    lines = d.source.splitlines()[first.lineno-1:last.end_lineno]
    return '\n'.join(lines)

def _head(d:Definition, node)->str:
    "From `def` or `class` up to the body."
    lines, body = d.source.splitlines(), node.body[0]
    if body.lineno == node.lineno: return lines[node.lineno-1].encode()[:body.col_offset].decode().rstrip()
    return '\n'.join(lines[node.lineno-1:body.lineno-1]).rstrip()

def _class(d:Definition)->str:
    "A class with its fields, else with its constructor."
    fields = [n for n in d.node.body if isinstance(n, ast.AnnAssign)]
    made = [n for n in d.node.body if isinstance(n, ast.FunctionDef) and n.name == '__init__']
    head = _head(d, d.node)
    if made: return f'{head}\n{_head(d, made[0])}'
    return '\n'.join([head, *(between(d, n, n) for n in fields)])

def signature(
    d:Definition,
)->str: # Python, without a body
    "How it is called, word for word from the source."
    return _class(d) if isinstance(d.node, ast.ClassDef) else _head(d, d.node)

@lru_cache(1)
def symbols()->dict: # name -> its modules
    "Every function, class and method of the package."
    from gbxnb._modidx import d
    found = {}
    for module, names in d['syms'].items():
        for full in names: found.setdefault(full.removeprefix(module+'.'), []).append(module)
    return found

def exported(nb)->str: # e.g. `gbxnb.lab.watch`; empty if there is none
    "The module that a notebook becomes."
    found = re.search(r'^#\|\s*default_exp (\S+)', ''.join(nb.cells[0].source), re.M) if nb.cells else None
    return f'{get_config().lib_name}.{found[1]}' if found else ''

@lru_cache(1)
def pages()->dict: # module -> path of its notebook
    "Where each module is written."
    books = {exported(read_nb(p)): p for p in sorted(get_config().nbs_path.rglob('[0-9]*.ipynb'))}
    return {module: p for module, p in books.items() if module}

def imported(
    source:str, # Of a page's cells
)->dict: # name -> module
    "Where the names come from that a page imports."
    found = {}
    if 'import' not in source: return found
    for n in nodes(python(source)):
        if not isinstance(n, ast.ImportFrom) or not n.module: continue
        found |= {a.asname or a.name: n.module for a in n.names}
    return found

def home(
    name:str, # As written in backticks
    module:str, # Of the page it is written in
    names:dict, # name -> module, what the page imports
)->str|None: # The module that defines it
    "Which of the modules that define a name is meant."
    found = symbols().get(name, [])
    for near in module, names.get(name.split('.')[0]):
        if near in found: return near
    return found[0] if len(found) == 1 and re.search('[A-Z_.]', name.strip('_')) else None

FENCE = re.compile(r"^(```|~~~).*?^\1\s*$|^(?: {4}|\t)[^\n]*$", re.M | re.S)
TICKS = re.compile(r'(?<![\[`])`([A-Za-z_][\w.]*)(\(\))?`(?![\]`])')

@dataclass
class Links:
    "Turns names in the text of one page into links."
    path:Path # Of the notebook
    module:str
    names:dict # What it imports

    def to(self, name:str)->str|None: # e.g. `../lab/02_watch.ipynb#Watch.push`
        "Where a name is explained, seen from this page."
        module = home(name, self.module, self.names)
        if module not in pages(): return None
        way = relpath(pages()[module], self.path.parent) if module != self.module else ''
        return f'{way}#{name}'

    def _one(self, m):
        way = self.to(m[1])
        return f'[{m[0]}]({way})' if way else m[0]

    def __call__(self, text:str)->str:
        "Markdown with its names linked, but for what is code."
        parts, at = [], 0
        for m in FENCE.finditer(text):
            parts += [TICKS.sub(self._one, text[at:m.start()]), m[0]]
            at = m.end()
        return ''.join([*parts, TICKS.sub(self._one, text[at:])])

@lru_cache
def _starts(file:Path)->dict: # name -> line
    "Where the functions and classes of a module begin."
    body = parsed(file.read_text(encoding='utf-8')).body
    return {patch_name(n) or n.name: n.lineno for n in body if isinstance(n, DEFINES)}

def source_link(name:str, module:str)->str:
    "The place of a definition in the repository."
    cfg, file = get_config(), Path(*module.split('.')).with_suffix('.py')
    line = _starts(cfg.config_path/file).get(name)
    return f'{cfg.git_url}/blob/{cfg.branch}/{file.as_posix()}' + f'#L{line}'*bool(line)

@lru_cache
def stable_names()->dict: # module -> its names on the page of public names
    return json.loads((get_config().nbs_path/'base/public_names.json').read_text(encoding='utf-8'))['names']

def entry(
    d:Definition,
    module:str,
    links:Links,
    heads:bool=False, # Does the source stand open below? Then it needs no second signature
)->str: # Markdown
    "The entry of a public function or class."
    stable = ' · [stable](../base/08_all.ipynb){.gbx-source}'*(d.name in stable_names().get(module, ()))
    parts = [f'### {d.name} {{#{d.name}}}', f'[source]({source_link(d.name, module)}){{.gbx-source}}{stable}']
    if not heads: parts += [f'```python\n{signature(d)}\n```', links(ast.get_docstring(d.node) or '')]
    return '\n\n'.join(filter(None, parts))

STORIES = 'tutorials', 'examples', *FRONT
LONGEST_CHECK, LONGEST_CODE, LONGEST_OPEN = 6, 8, 45 # lines
PICTURES = {'text/markdown', 'text/html', 'image/png', 'image/jpeg', 'image/svg+xml'}

def lines(source:str)->int: return len([s for s in source.splitlines() if not s.startswith('#|')])

def only(
    source:str,
    *kinds, # Of syntax trees
)->bool:
    "Does a cell hold nothing but such statements?"
    body = parsed(python(source)).body
    return bool(body) and all(isinstance(n, kinds) for n in body)

def brings(source:str)->bool:
    "Does a cell only import, or ask for an optional package?"
    called = re.sub(r'^\w+ = (need\(.*\))$', r'\1', source, flags=re.M)
    return only(called, ast.Import, ast.ImportFrom, ast.Expr)

def folded_export(
    source:str, # Of a cell
    entries:bool=True, # Do the names of its public functions stand above it?
)->str|None: # The words beside the triangle
    "Is a cell that belongs to the package folded?"
    found = definitions(source)
    if not found and brings(source): return 'Imports'
    if any(d.warp for d in found): return None
    public = [d.name for d in found if d.public]
    if public or lines(source) > LONGEST_OPEN: return 'Source' if entries or not public else f'Source: {", ".join(public)}'

def folded_use(source:str, outputs:list)->str|None:
    "Is a cell that shows or checks something folded?"
    if 'import' in source and only(source, ast.Import, ast.ImportFrom): return 'Imports'
    if any(PICTURES & set(o.get('data', {})) for o in outputs) and lines(source) > LONGEST_CODE: return 'Code'
    checks = re.search(r'^ *(assert |test_\w+\()', source, re.M)
    if checks and not outputs and lines(source) > LONGEST_CHECK: return 'Checks'

HIDDEN, EXPORTED = ('hide', 'default_exp'), {'export', 'exports', 'exporti'}

def fold(cell, summary:str):
    "Hide a cell's code behind a line, unless the cell is to be open."
    if 'open' not in cell.directives_:
        cell.source = f'#| code-fold: true\n#| code-summary: "{summary}"\n{cell.source}'
    return cell

IMPORTS = '#| code-fold: true\n#| code-summary: "Imports"\n'

def joined(cells)->list:
    "Folded imports that follow each other are one cell."
    out = []
    for c in cells:
        if out and c.source.startswith(IMPORTS) and out[-1].source.startswith(IMPORTS):
            out[-1].source += '\n' + c.source.removeprefix(IMPORTS)
        else: out.append(c)
    return out

def slug(title:str)->str:
    "The anchor that a heading gets by itself."
    kept = re.sub(r'[^\w\s.-]', '', re.sub(r'^[^A-Za-z]+', '', title)).lower()
    return re.sub(r'\s+', '-', kept.strip())

def described(text:str)->str:
    "Pictures that stand alone become figures: their words are a caption, and a description, too."
    def one(m): return f'{m[0]}{{fig-alt="{m[1].replace(chr(34), chr(39))}"}}'
    return re.sub(r'^!\[([^\]]+)\]\([^)]+\)$', one, text, flags=re.M)

class ShowPage(Processor):
    "Makes the page of a notebook; the last of nbdev's processors."
    def begin(self):
        nb, cfg = self.nb, get_config()
        self.path = Path(nb.path_).resolve()
        room = self.path.relative_to(cfg.nbs_path.resolve()).parts
        self.story = room[0] in STORIES
        code = [c for c in nb.cells if c.cell_type == 'code']
        named = (c.directives_['default_exp'][0] for c in code if 'default_exp' in c.directives_)
        self.module = next((f'{cfg.lib_name}.{name}' for name in named), '')
        names = {name: source for c in code for name, source in imported(c.source).items()}
        self.links, self.anchors = Links(self.path, self.module, names), set()
        nb.cells = joined(shown for c in nb.cells for shown in self.show(c))
        for c in nb.cells:
            if c.cell_type == 'markdown': c.source = self.distinct(c.source)

    def show(self, cell)->list:
        "The cells of the page that come of one of the notebook."
        if cell.cell_type == 'markdown': cell.source = described(self.links(cell.source))
        if cell.cell_type != 'code': return [cell]
        if cell.directives_.keys() & set(HIDDEN): return []
        if cell.directives_.keys() & EXPORTED: return self.show_export(cell)
        summary = None if self.story else folded_use(cell.source, cell.outputs)
        return [fold(cell, summary) if summary else cell]

def mark(name:str)->str:
    "A place to link to that is not seen."
    return f'<a id="{name}"></a>'

@patch
def show_export(self:ShowPage, cell)->list:
    "Entries of what is offered (`exports`), places for all else that is defined, then the source."
    before = []
    for d in definitions(cell.source):
        inside = d.node.body if isinstance(d.node, ast.ClassDef) else []
        names = [d.name, *(f'{d.name}.{n.name}' for n in inside if isinstance(n, DEFINES))]
        fresh = [n for n in dict.fromkeys(names) if n not in self.anchors]
        self.anchors |= {*fresh}
        if 'exports' in cell.directives_ and d.public and not d.warp and d.name in fresh:
            before.append(entry(d, self.module, self.links, 'open' in cell.directives_))
            fresh.remove(d.name)
        before += map(mark, fresh)
    summary = folded_export(cell.source, 'exports' in cell.directives_)
    if before: before = [mk_cell('\n\n'.join(before), 'markdown')]
    return [*before, fold(cell, summary) if summary else cell]

@patch
def distinct(self:ShowPage, text:str)->str:
    "Headings whose anchor is not that of an entry."
    def one(m): return f'{m[0]} {{#about-{slug(m[1])}}}' if slug(m[1]) in self.anchors else m[0]
    return re.sub(r'^#{2,6} ([^\n{]*[^\n{}\s])[ ]*$', one, text, flags=re.M)
