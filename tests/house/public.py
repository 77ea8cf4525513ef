"""The names that are stable, from nbs/base/public_names.json. `python tests/house/public.py` says how the package differs; `--keep` writes
what there is now. A name is put on the list, or taken off it, by hand (`"Name": ""`); nbs/base/08_all.ipynb says how names go."""
import argparse, importlib, inspect, json, os, re
from gbxnb.__main__ import COMMANDS, find_command
from gbxnb.base.command import call
from gbxnb.base.config import Registry
from pages import root

os.environ['COLUMNS'] = '1000' # helps in one line
LIST = root/'nbs/base/public_names.json'

def called(function, method=False):
    "Its parameters, without annotations; those of a method without `self`."
    try: found = inspect.signature(function)
    except (TypeError, ValueError): return '(...)'
    shown = lambda p: p.default if p.default is p.empty or isinstance(p.default, (str, int, float, tuple, type(None))) else ...
    plain = [p.replace(annotation=p.empty, default=shown(p)) for p in found.parameters.values()][method:]
    return str(found.replace(parameters=plain, return_annotation=found.empty)).replace('Ellipsis', '...')

def methods(kind):
    "What a class offers by names without an underscore, from our own classes alone, beside what it is made with."
    ours = [k for k in kind.__mro__ if k.__module__.startswith('gbxnb')]
    names = {n for k in ours for n in [*vars(k), *vars(k).get('__annotations__', ())] if not n.startswith('_')}
    found = {n: getattr(kind, n, None) for n in names - {*inspect.signature(kind.__init__).parameters}}
    instance = lambda n: inspect.isfunction(found[n]) and not any(isinstance(vars(k).get(n), staticmethod) for k in ours)
    return sorted(n + called(v, instance(n))*inspect.isroutine(v) for n, v in found.items())

def surface(value):
    "What may be written of a name: a signature, a class with its methods, what comes in a registry, or nothing more."
    if inspect.isclass(value): return [called(value), *methods(value)]
    if inspect.isroutine(value): return called(value)
    return ['', *sorted(value.ours)] if isinstance(value, Registry) else ''

def commands(helps):
    "Every command to its options."
    return {name: sorted({*re.findall(r'(?<!\S)\[?(--[a-z][a-z-]*)', text)} - {'--help'}) for name, text in helps.items()}

def known(): return json.loads(LIST.read_text(encoding='utf-8'))

def now(listed, helps):
    "The list as the package has it; a name that is gone is None."
    modules = {m: importlib.import_module(m) for m in listed['names']} # all, since some add methods to classes of others
    value = lambda v: None if v is None else surface(v)
    found = {m: {n: value(getattr(modules[m], n, None)) for n in names} for m, names in listed['names'].items()}
    return dict(names=found, commands=commands(helps))

def lines(table):
    "A table as lines that can be told apart."
    for module, names in table['names'].items():
        for name, is_so in names.items():
            if is_so is None: continue
            first, *rest = is_so if isinstance(is_so, list) else [is_so]
            yield f'{module}.{name}{first}'
            yield from (f'{module}.{name}.{r}' for r in rest)
    for command, options in table['commands'].items(): yield from (f'gbxnb {command} {o}'.strip() for o in ['', *options])

def difference(listed, found):
    "What is gone, and what is new."
    old, new = set(lines(listed)), set(lines(found))
    return sorted(old - new), sorted(new - old)

def all_helps():
    "What each command says when asked for help."
    return {name: call(find_command(name), '--help')[1] for name in COMMANDS}

if __name__ == '__main__':
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--keep', action='store_true', help='write what there is now')
    keep, listed = p.parse_args().keep, known()
    found = now(listed, all_helps())
    print(*(f'{sign} {line}' for sign, part in zip('-+', difference(listed, found)) for line in part), sep='\n')
    if keep: LIST.write_text(json.dumps(found, indent=1) + '\n', encoding='utf-8')
