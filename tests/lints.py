"""Rules that are read from the source: what may touch files, start processes and load machine code, and that no test depends on a clock.

Each finder takes source text and yields `(line, what)`; `test_house.py` runs them over everything and over planted violations."""
import ast, functools, re

@functools.cache
def parsed(source):
    "The tree of a source; whoever asks again gets the same one."
    return ast.parse(source)

def python(source): # What Python can parse
    "A cell without its directives and the lines that only IPython knows."
    source = re.sub(r'\A(\s*#\|.*\n)+', '', source)
    return '\n'.join('' if re.match(r'\s*[%!]', line) else line for line in source.splitlines())

def walk(tree):
    "What `ast.walk` gives, but whether a name is read or written: a third of all, and nobody asks."
    found = [tree]
    for n in found:
        for v in vars(n).values():
            if isinstance(v, list): found += [x for x in v if isinstance(x, ast.AST)]
            elif isinstance(v, ast.AST) and not isinstance(v, ast.expr_context): found.append(v)
    return found

@functools.cache
def nodes(source): return walk(parsed(source))

def name_of(node):
    "The last name of a call, an attribute or a name: `c` of `a.b.c`."
    if isinstance(node, ast.Call): return name_of(node.func)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, 'id', '')

def base_of(node):
    "What stands before the last name: `b` of `a.b.c`."
    return name_of(node.value) if isinstance(node, ast.Attribute) else ''

def calls(source): return (n for n in nodes(source) if isinstance(n, ast.Call))

def modules(source):
    "Names of everything imported, whole and in parts."
    for n in nodes(source):
        if isinstance(n, ast.Import): yield from ((n.lineno, a.name) for a in n.names)
        if isinstance(n, ast.ImportFrom): yield from ((n.lineno, f'{n.module or ""}.{a.name}') for a in n.names)

# Files are read by `gbxnb.base.files` and `gbxnb.base.files`, and nowhere else

OPENERS = {'', 'io', 'os', 'gzip', 'bz2', 'lzma', 'codecs', 'Image'}
READS = {'read_bytes', 'read_text', 'fromfile', 'memmap', 'loadtxt', 'genfromtxt', 'safe_open', 'load_file'}
LOADS = {'np', 'numpy', 'json', 'torch', 'pickle', 'marshal', 'yaml', 'toml', 'tomllib'} # their `load`; `loads` takes what is read already
PICKLES = {'pickle', 'cPickle', 'dill', 'cloudpickle', 'shelve', 'marshal', 'joblib'}

def reads(source):
    "Whatever opens or reads a file by itself, and whatever unpickles."
    for call in calls(source):
        name, base = name_of(call), base_of(call.func)
        if name == 'open' and base in OPENERS: yield call.lineno, f'{base}.open'.lstrip('.')
        elif name == 'open' and base not in ('z', 'archive'): yield call.lineno, '.open' # Path.open; members of an archive are no files
        elif name in READS: yield call.lineno, f'.{name}'
        elif name == 'load' and base in LOADS and 'safetensors' not in ast.unparse(call.func): yield call.lineno, f'{base}.load'
    for line, module in modules(source):
        if module.split('.')[0] in PICKLES: yield line, f'import {module}'

# Nothing is removed, renamed or overwritten but by `gbxnb.base.files` and `gbxnb.base.files`

REMOVES = {'unlink', 'rmdir', 'rmtree', 'removedirs', 'renames', 'rename', 'truncate', 'write_text', 'write_bytes', 'copyfile', 'copytree',
           'copy2', 'savetxt', 'tofile'}
OS = {'remove', 'replace', 'move', 'copy', 'ftruncate'} # of os and shutil; other things have methods of these names

def writes(source):
    "Whatever changes files or folders by itself, or hands on what does, as `atexit.register(shutil.rmtree, ...)`."
    for n in nodes(source):
        if isinstance(n, ast.Attribute) and n.attr in REMOVES: yield n.lineno, f'.{n.attr}'
        if isinstance(n, ast.Attribute) and n.attr in OS and base_of(n) in ('os', 'shutil'): yield n.lineno, f'{base_of(n)}.{n.attr}'
        if isinstance(n, ast.ImportFrom) and n.module in ('os', 'shutil'):
            yield from ((n.lineno, f'{n.module}.{a.name}') for a in n.names if a.name in REMOVES | OS)
        if isinstance(n, ast.Call) and name_of(n) == 'replace' and isinstance(n.func, ast.Attribute) and base_of(n.func) != 'os':
            if len(n.args) == 1 and not n.keywords: yield n.lineno, '.replace' # a path's; that of text takes two arguments

# Processes are started by `gbxnb.base.parallel.start_python`, which keeps them from the current folder, and nowhere else

STARTS = dict(subprocess={'Popen', 'run', 'call', 'check_call', 'check_output', 'getoutput', 'getstatusoutput', '*'},
              os={'system', 'popen', 'fork', 'forkpty', '*'}, asyncio={'create_subprocess_exec', 'create_subprocess_shell'})
FAMILIES = re.compile(r'os\.(exec|spawn|posix_spawn)\w+')
PROCESSES = {'multiprocessing', 'pty', 'ProcessPoolExecutor'}

def starts(source):
    "Whatever starts a process by itself, or hands a path on to one."
    def known(module, name): return name in STARTS.get(module, ()) or FAMILIES.fullmatch(f'{module}.{name}')
    for line, module in modules(source):
        if PROCESSES & {*module.split('.')}: yield line, f'import {module}'
        if '.' in module and known(*module.rsplit('.', 1)): yield line, module
    for n in nodes(source):
        if isinstance(n, ast.Import): yield from ((n.lineno, f'{a.name} as') for a in n.names if a.asname and a.name in STARTS)
        if isinstance(n, ast.Attribute) and known(base_of(n), n.attr): yield n.lineno, f'{base_of(n)}.{n.attr}'
        if isinstance(n, ast.Attribute) and n.attr in PROCESSES: yield n.lineno, f'.{n.attr}'
        if isinstance(n, ast.Constant) and n.value == 'PYTHONPATH' or isinstance(n, ast.keyword) and n.arg == 'PYTHONPATH':
            yield n.lineno, 'PYTHONPATH'

# Native code is loaded in few places

NATIVE = {'CDLL', 'PyDLL', 'WinDLL', 'OleDLL', 'LoadLibrary', 'load_library', 'dlopen', 'ExtensionFileLoader', 'load_dynamic',
          'create_dynamic', 'load_aot_module', 'load_inline', 'load_cuda', 'wp_load_obj', 'wp_load_obj_from_bytes', 'wp_cuda_load_module',
          'capture_load', 'RawModule'}
COMPILERS = {'cffi', 'cpp_extension', 'pyximport', 'numba', 'cupy', 'llvmlite', '_ctypes', 'distutils', 'setuptools'}

def natives(source):
    "Whatever gives machine code to this process, or imports what does; also how Warp's modules are loaded, if it is exchanged."
    for n in nodes(source):
        if isinstance(n, (ast.Name, ast.Attribute)) and name_of(n) in NATIVE: yield n.lineno, name_of(n)
        elif isinstance(n, ast.Constant) and n.value in NATIVE: yield n.lineno, n.value # `getattr(ctypes, 'CDLL')`
        elif name_of(n) == 'load' and base_of(n) in ('Module', 'module', 'cpp_extension'): yield n.lineno, f'{base_of(n)}.load'
        elif isinstance(n, ast.ImportFrom): yield from ((n.lineno, a.name) for a in n.names if a.name in NATIVE)
    for line, module in modules(source):
        if COMPILERS & set(module.split('.')): yield line, f'import {module}'

# What a file names lies beside it: `gbxnb.base.files.beside` makes the path

PLACE = re.compile(r'(folder|path|parent|root|dir|home|place|run|out|cwd)(\(.*\))?$', re.I) # what else stands before `/` is a number

def is_read(node, names=()):
    "Is this an entry of a mapping, as JSON gives it: `d['name']`, `d.get('name')`, one of `names`, or text that is made of one?"
    if isinstance(node, ast.Name): return node.id in names
    if isinstance(node, ast.Subscript): return isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    if isinstance(node, ast.Call):
        if name_of(node) == 'get' and node.args and isinstance(node.args[0], ast.Constant): return True
        return name_of(node) in ('str', 'Path') and any(is_read(a, names) for a in node.args)
    return isinstance(node, ast.JoinedStr) and any(is_read(v.value, names) for v in node.values if isinstance(v, ast.FormattedValue))

def read_names(inside):
    "Names that the nodes of a function give to entries of mappings."
    pairs = [(n.target, n.value) for n in inside if isinstance(n, ast.NamedExpr)]
    for n in inside:
        if not isinstance(n, ast.Assign): continue
        for target in n.targets:
            several = isinstance(target, ast.Tuple) and isinstance(n.value, ast.Tuple)
            pairs += zip(target.elts, n.value.elts) if several else [(target, n.value)]
    return {target.id for target, value in pairs if isinstance(target, ast.Name) and is_read(value)}

def joins(source):
    "Whatever makes a path with an entry of a mapping."
    found = {*joined(nodes(source), ())}
    for f in (n for n in nodes(source) if isinstance(n, ast.FunctionDef)):
        inside = walk(f)
        if names := read_names(inside): found |= {*joined(inside, names)}
    yield from sorted(found)

def joined(inside, names):
    for n in inside:
        if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div) and is_read(n.right, names) and PLACE.search(ast.unparse(n.left)):
            yield n.lineno, ast.unparse(n)
        if not isinstance(n, ast.Call) or not any(is_read(a, names) for a in n.args): continue
        if name_of(n) in ('joinpath', 'with_name', 'with_stem', 'Path') or name_of(n) == 'join' and base_of(n.func) == 'path':
            yield n.lineno, ast.unparse(n)

# A type that is looked up while the program runs

GENERIC = {'dict', 'list', 'tuple', 'set', 'frozenset', 'type'}

def quoted(source):
    "Fields with a name in quotes inside of `dict[...]` and its like, which Python 3.10 takes for text; quotes around the whole are a type."
    for node in nodes(source):
        fields = [f.annotation for f in node.body if isinstance(f, ast.AnnAssign)] if isinstance(node, ast.ClassDef) else []
        for n in (n for f in fields for n in ast.walk(f) if isinstance(n, ast.Subscript) and name_of(n.value) in GENERIC):
            inside = n.slice.elts if isinstance(n.slice, ast.Tuple) else [n.slice]
            if any(isinstance(i, ast.Constant) and isinstance(i.value, str) for i in inside): yield n.lineno, ast.unparse(n)

# A device is chosen in one way

def devices(source):
    "Parameters and fields named `device` with another default than 'auto'."
    for n in nodes(source):
        if isinstance(n, ast.arguments):
            given = [*n.posonlyargs, *n.args]
            pairs = [*zip(given[len(given) - len(n.defaults):], n.defaults), *zip(n.kwonlyargs, n.kw_defaults)]
            found = [(a.arg, default) for a, default in pairs]
        elif isinstance(n, ast.ClassDef): found = [(name_of(f.target), f.value) for f in n.body if isinstance(f, ast.AnnAssign)]
        else: continue
        yield from ((d.lineno, ast.unparse(d)) for name, d in found if name == 'device' and d and ast.unparse(d) != "'auto'")

# What is refused is checked in one way

def is_failure(node):
    "`raise AssertionError` or `assert False`."
    if isinstance(node, ast.Raise): return node.exc is not None and name_of(node.exc) == 'AssertionError'
    return isinstance(node, ast.Assert) and isinstance(node.test, ast.Constant) and not node.test.value

def tries(source):
    "Whatever tries something and fails where nothing was raised, instead of `with refused(...)`."
    if not re.search('try:|_fail', source): return # most cells and files, at no cost
    for n in nodes(source):
        for body in (getattr(n, part, ()) for part in ('body', 'orelse', 'finalbody')):
            if not isinstance(body, list): continue # of a lambda, or of `a if b else c`
            for k, x in enumerate(body):
                if not isinstance(x, ast.Try) or not x.handlers: continue
                if any(is_failure(y) for y in (x.body[-1], *x.orelse[-1:], *body[k + 1:k + 2])): yield x.lineno, 'try'
        if isinstance(n, ast.Call) and name_of(n) in ('test_fail', 'expect_fail'): yield n.lineno, name_of(n)

# No test depends on a clock

CLOCKS = {f'{c}{ns}' for c in ('perf_counter', 'process_time', 'thread_time', 'monotonic', 'time') for ns in ('', '_ns')} | {
    'elapsed_time', 'getrusage', 'getloadavg', 'cpu_times', 'timeit'}
MEASURES = {'python_time', 'reset_cost', 'forced_resets', 'cold_start', 'rate', 'shares', 'step_profile', 'bench_row'} # of this package
TIME = re.compile(r'(.*_)?(seconds|secs|took|elapsed|duration|sps|fps|ms|us|ns|per_s|time_s|maxrss)(_.*)?|time_\w+|mem_delta|\w+_over_\w+')
COUNTS = {'len', 'set', 'list', 'type', 'isinstance', 'dict', 'range'} # what they say of times is no time
PASS = {'min', 'max', 'abs', 'sum', 'all', 'any', 'map', 'zip', 'sorted', 'round', 'float', 'median', 'mean', 'enumerate'}
LEAST = 120 # seconds of a deadline that only guards against hanging

LIMITS = re.compile(r'\.(join|wait|result|acquire|communicate)\(\s*[\d.]|\b(timeout|sleep|wait_for_timeout|settings)\b')

def speaks_of_time(source, known=()):
    "Could `Times` find anything in it? To ask its words is quicker."
    words = {*re.findall(r'\w+', source)}
    return bool(words & (CLOCKS | MEASURES | {*known}) or any(map(TIME.fullmatch, words)) or LIMITS.search(source))

def is_number(node): return isinstance(node, ast.Constant) and type(node.value) in (int, float)

def is_clock(call):
    name, base = name_of(call), base_of(call.func)
    return name in CLOCKS and (name not in ('time', 'time_ns') or base == 'time')

class Times(ast.NodeVisitor):
    "Follows times from clocks to assertions."
    def __init__(self): self.known, self.found, self.fake, self.waits = set(), [], 0, 0

    def is_time(self, node):
        if self.fake or isinstance(node, ast.Call) and name_of(node) in COUNTS: return False
        if isinstance(node, ast.Call) and (is_clock(node) or name_of(node) in MEASURES or TIME.fullmatch(name_of(node))): return True
        if isinstance(node, (ast.Name, ast.Attribute)) and (name_of(node) in self.known or TIME.fullmatch(name_of(node))): return True
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and TIME.fullmatch(str(node.slice.value)): return True
        return any(map(self.is_time, ast.iter_child_nodes(node)))

    def learn(self, target, value):
        for n in ast.walk(target):
            if isinstance(n, ast.Name): (self.known.add if self.is_time(value) else self.known.discard)(n.id)

    def visit_Assign(self, node):
        self.generic_visit(node)
        for t in node.targets:
            pairs = zip(t.elts, node.value.elts) if isinstance(t, ast.Tuple) and isinstance(node.value, ast.Tuple) else [(t, node.value)]
            for p in pairs: self.learn(*p)

    def visit_NamedExpr(self, node): self.learn(node.target, node.value); self.generic_visit(node)

    def visit_With(self, node):
        fake = any(name_of(i.context_expr) == 'fake_clock' for i in node.items)
        self.fake += fake
        self.generic_visit(node)
        self.fake -= fake

    def visit_While(self, node):
        self.waits += 1
        self.generic_visit(node)
        self.waits -= 1

    def visit_For(self, node):
        self.learn(node.target, node.iter)
        self.visit_While(node)

    def visit_Assert(self, node):
        for n in ast.walk(node.test):
            if isinstance(n, (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)):
                for g in n.generators: self.learn(g.target, g.iter)
        for n in ast.walk(node.test):
            if isinstance(n, ast.Call) and name_of(n) not in COUNTS | PASS and any(map(self.is_time, n.args)):
                self.found.append((n.lineno, f'judges a time: {ast.unparse(n)[:60]}'))
            if not isinstance(n, ast.Compare): continue
            sides = [n.left, *n.comparators]
            for a, op, b in zip(sides, n.ops, sides[1:]):
                zero = any(is_number(x) and x.value == 0 for x in (a, b))
                if isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) and not zero and (self.is_time(a) or self.is_time(b)):
                    self.found.append((n.lineno, f'asserts a time: {ast.unparse(n)[:60]}'))
        self.generic_visit(node)

    def visit_BinOp(self, node):
        "`time.time() + 30`: a deadline."
        a, b = node.left, node.right
        now = isinstance(a, ast.Call) and is_clock(a) or isinstance(a, ast.Name) and a.id in self.known
        if now and isinstance(node.op, ast.Add) and is_number(b) and b.value < LEAST: self.deadline(b)
        self.generic_visit(node)

    def deadline(self, limit): self.found.append((limit.lineno, f'a deadline of {limit.value} s'))

    def visit_Call(self, node):
        name = name_of(node)
        limits = [k.value for k in node.keywords if k.arg == 'timeout']
        if name in ('join', 'wait', 'result', 'acquire', 'communicate'): limits += node.args[:1]
        for n in limits:
            if is_number(n) and n.value < LEAST: self.deadline(n)
        if name in ('sleep', 'wait_for_timeout') and base_of(node.func) in ('time', 'page', '') and not self.waits:
            self.found.append((node.lineno, 'sleeps, and expects something to have happened'))
        if name == 'settings' and node.keywords:
            given = {k.arg: k.value for k in node.keywords}
            if not (getattr(given.get('deadline'), 'value', 0) is None and 'suppress_health_check' in given):
                self.found.append((node.lineno, 'hypothesis with a deadline or a health check, which are times'))
        self.generic_visit(node)

def times(source):
    "Assertions that compare times, short deadlines, and sleeps that stand for waiting."
    seen, lines = Times(), source.splitlines()
    for n in parsed(source).body:
        first = min(m.lineno for m in (n, *getattr(n, 'decorator_list', ())))
        if speaks_of_time('\n'.join(lines[first - 1:n.end_lineno]), seen.known): seen.visit(n)
    yield from seen.found

# A page does under test what it does for a reader, and may only be shorter

TESTED = re.compile('IN_TEST|PYTEST') # in a page's text: it could know that it is tested

def asks(node, names):
    "Does an expression say whether this is a test, and nothing else?"
    if isinstance(node, ast.Name): return node.id in names
    reads = isinstance(node, ast.Compare) or isinstance(node, ast.Call) and name_of(node) in ('get', 'getenv')
    return reads and any(TESTED.search(str(n.value)) for n in ast.walk(node) if isinstance(n, ast.Constant))

def is_size(node):
    "A number, a CONSTANT, or several."
    if isinstance(node, ast.Tuple): return all(map(is_size, node.elts))
    if isinstance(node, ast.BinOp): return is_size(node.left) and is_size(node.right)
    return is_number(node) or isinstance(node, ast.Name) and node.id.isupper()

def differs(source):
    "Whatever a page does otherwise under test, but for numbers: `16 if 'IN_TEST' in os.environ else 64`, or with a name for the condition."
    if not TESTED.search(source): return
    named = [n for n in nodes(source) if isinstance(n, ast.Assign) and asks(n.value, ())]
    names = {t.id for n in named for t in n.targets if isinstance(t, ast.Name)}
    sizes = [n.test for n in nodes(source) if isinstance(n, ast.IfExp) and asks(n.test, names) and is_size(n.body) and is_size(n.orelse)]
    fine = {id(x) for n in named + sizes for x in ast.walk(n)}
    for n in nodes(source):
        told = isinstance(n, ast.Name) and n.id in names or isinstance(n, ast.Constant) and TESTED.search(str(n.value))
        if told and id(n) not in fine: yield n.lineno, f'does another thing under test: {source.splitlines()[n.lineno - 1].strip()}'

# A folder inside a folder of ours belongs to it, and is written by its methods

FILLS = {'claim_folder', 'open_folder', 'lock_folder', 'fill_task', 'save', 'write_atomic', 'write_all_atomic', 'check_claim'}

def nested(source):
    "Whatever claims, opens or fills something below the path of a `Folder` by itself: the folder's manifest does not name it."
    for call in calls(source):
        if name_of(call) not in FILLS: continue
        for arg in call.args:
            below = [n.left for n in ast.walk(arg) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div)]
            if any(isinstance(n, ast.Attribute) and n.attr == 'path' for left in below for n in ast.walk(left)):
                yield call.lineno, f'{name_of(call)} below a folder'
                break

# What runs in every step

WAITING = {'item', 'cpu', 'numpy', 'tolist', 'nonzero', 'synchronize', 'synchronize_device',
           'synchronize_stream', 'int', 'float', 'bool', 'any', 'all'}
MAKING = {'zeros', 'ones', 'empty', 'full', 'cat', 'stack', 'clone', 'tensor', 'arange', 'zeros_like',
          'empty_like', 'to', 'contiguous', 'where'}
CASTS = {'int', 'float', 'bool'} # of a tensor; functions of these names look into it
LOOPS = ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp

def _offences(f):
    "What one function does that a hot one should not."
    for node in ast.walk(f):
        if isinstance(node, LOOPS): yield 'loop'
        if not isinstance(node, ast.Call): continue
        method = isinstance(node.func, ast.Attribute)
        name = node.func.attr if method else getattr(node.func, 'id', '')
        if name == 'map': yield 'loop'
        if method and name in CASTS or name in MAKING: yield f'makes: {name}'
        elif name in WAITING: yield f'waits: {name}'

def _owner(f):
    "Name of a function, with the class that it is a method or a patch of."
    first = f.args.args[0].annotation if f.args.args else None
    return f'{first.id}.{f.name}' if isinstance(first, ast.Name) and f.args.args[0].arg == 'self' else f.name

def _functions(tree):
    for node in tree.body:
        if isinstance(node, ast.FunctionDef): yield _owner(node), node
        if not isinstance(node, ast.ClassDef): continue
        yield from ((f'{node.name}.{f.name}', f) for f in node.body if isinstance(f, ast.FunctionDef))

def lint_hot(hot, excused, sources):
    "(module, function, what) of what hot functions do that is not excused; and excuses without use."
    found = set()
    for module, names in hot.items():
        functions = dict(_functions(ast.parse(sources(module))))
        for name in names:
            found |= {(module, name, what) for what in (_offences(functions[name]) if name in functions else ['no definition'])}
    return sorted(found ^ excused.keys())
