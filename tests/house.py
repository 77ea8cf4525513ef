"The house: which module imports which, read from the source, and the picture of it in the README."
import ast
from pages import notebooks, read, root

BASE = 'base' # what stands beside the rooms: files, command, folder, arrays, process_group
BELOW = dict(base=[], emulator=['base'], backends=['emulator'], envs=['backends'], worlds=['envs'], logs=['base'],
             adapters=['worlds'], train=['worlds', 'logs'], runs=['train'], bench=['runs'], explore=['runs'],
             lab=['explore']) # who stands directly on whom
DOORS = '__init__', '__main__', 'all' # offer what the rooms hold; nothing imports them

def modules():
    "Every module's name to its file, without the doors and what nbdev generates."
    found = {'.'.join(p.relative_to(root/'gbxnb').with_suffix('').parts): p for p in sorted((root/'gbxnb').rglob('*.py'))}
    return {name: p for name, p in found.items() if name.split('.')[-1] not in ('__init__', '_modidx') and name not in DOORS}

def room(module):
    "The first part of a module's name, or `base`."
    return module.split('.')[0] if '.' in module else BASE

def imported(source, module, known):
    "The modules of `known` that a source imports, wherever in it."
    here = ['gbxnb', *module.split('.')]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import): names = [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = '.'.join([*(here[:-node.level] if node.level else []), *([node.module] if node.module else [])])
            names = [start, *(f'{start}.{a.name}' for a in node.names)]
        else: continue
        yield from (n.removeprefix('gbxnb.') for n in names if n.removeprefix('gbxnb.') in known)

def imports():
    "Every module to the modules it imports."
    known = modules()
    return {name: set(imported(p.read_text(encoding='utf-8'), name, known)) for name, p in known.items()}

def reachable(room):
    "All rooms that a room stands on, and itself."
    out = {room}
    for r in BELOW[room]: out |= reachable(r)
    return out

def circle(graph):
    "A module that imports itself by way of others, with the way; None if there is none."
    done = set()
    def walk(name, way):
        if name in way: return [*way[way.index(name):], name]
        if name in done: return None
        for other in sorted(graph[name]):
            if found := walk(other, [*way, name]): return found
        done.add(name)
    return next((found for name in sorted(graph) if (found := walk(name, []))), None)

def places():
    "Every module to the number of its notebook."
    found = {}
    for nb in notebooks():
        cell = next((''.join(c['source']) for c in read(nb)['cells'] if c['cell_type'] == 'code'), '')
        if cell.startswith('#| default_exp'): found[cell.split()[2]] = int(nb.name.split('_')[0]) if nb.name[0].isdigit() else 0
    return found

STOREYS = [['base'], ['emulator', 'logs'], ['backends'], ['envs'], ['worlds'], ['adapters', 'train'], ['runs'], ['bench', 'explore'],
           ['lab']]

def beyond(name, lines):
    "The rooms that a room reaches through others."
    direct = {b for a, b in lines if a == name}
    return direct.union(*(beyond(b, lines) for b in direct))

def picture():
    "The rooms as SVG: the number of modules in each, and a line to each room below that it reaches through no other."
    rooms = {r: [m for m in modules() if room(m) == r] for r in BELOW}
    lines = {(room(a), room(b)) for a, others in imports().items() for b in others if room(a) != room(b)}
    through = {a: set().union(*(beyond(c, lines) for x, c in lines if x == a)) for a in rooms}
    at = {}
    for floor, names in enumerate(reversed(STOREYS)):
        for k, name in enumerate(names): at[name] = (210 + 220*k - 110*(len(names) - 1), 30 + 62*floor)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 420 560" width="420" font-family="sans-serif" font-size="13">',
           '<rect width="420" height="560" fill="#fff"/>']
    for a, b in sorted(lines):
        (x, y), (u, v) = at[a], at[b]
        if b not in through[a]: out.append(f'<path d="M{x} {y}L{u} {v}" stroke="#346856"/>')
    for name, (x, y) in at.items():
        out += [f'<rect x="{x - 75}" y="{y - 18}" width="150" height="36" rx="4" fill="#E0F8D0" stroke="#346856"/>',
                f'<text x="{x}" y="{y - 1}" text-anchor="middle" fill="#081820">{name}</text>',
                f'<text x="{x}" y="{y + 13}" text-anchor="middle" fill="#346856" font-size="10">{len(rooms[name])} modules</text>']
    return '\n'.join([*out, '</svg>', ''])

def draw(): (root/'nbs/images/house.svg').write_text(picture(), encoding='utf-8')
