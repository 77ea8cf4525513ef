"The house: its rooms in three rings, which module imports which, read from the source, and the picture of it in the README."
import ast, functools, re
from pages import nodes, notebooks, read, root

RINGS = dict( # each room to those it stands on directly
    heart=dict(base=[], emulator=['base'], watch=['emulator'], backends=['watch'], envs=['backends'], worlds=['envs'], logs=['base'],
               training=['worlds', 'logs'], runs=['training']),
    wings=dict(traces=['emulator'], saves=['emulator'], games=['runs'], reference=['backends', 'saves'], debugger=['games'],
               scripts=['saves', 'debugger'],
               goals=['envs', 'saves', 'debugger'], explore=['goals', 'games'], score=['debugger'], toys=['worlds'], prospector=['worlds'],
               adapters=['prospector', 'runs'], lab=['explore', 'debugger']),
    evidence=dict(proofs=['reference', 'traces', 'runs'], bench=['proofs', 'reference', 'traces', 'games']))
BELOW = {room: others for rooms in RINGS.values() for room, others in rooms.items()}
DOORS = '__init__', '__main__', 'all', 'pyboy' # offer what the rooms hold; nothing imports them

def modules():
    "Every module's name to its file, without the doors and what nbdev generates."
    found = {'.'.join(p.relative_to(root/'gbxnb').with_suffix('').parts): p for p in sorted((root/'gbxnb').rglob('*.py'))}
    return {name: p for name, p in found.items() if name.split('.')[-1] not in ('__init__', '_modidx') and name not in DOORS}

def room(module):
    "The first part of a module's name."
    return module.split('.')[0]

def imported(source, module, known):
    "The modules of `known` that a source imports, wherever in it."
    here = ['gbxnb', *module.split('.')]
    for node in nodes(source):
        if isinstance(node, ast.Import): names = [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = '.'.join([*(here[:-node.level] if node.level else []), *([node.module] if node.module else [])])
            names = [start, *(f'{start}.{a.name}' for a in node.names)]
        else: continue
        yield from (n.removeprefix('gbxnb.') for n in names if n.removeprefix('gbxnb.') in known)

@functools.cache
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

WIDE, HIGH = 150, 40 # of a room, and the way to the next

def counted(n): return f'{n} module' + 's'*(n != 1)

def row(names, y, width, rooms, fill):
    "One storey of the picture: its rooms side by side."
    left = (width - len(names)*(WIDE + 14) + 14)//2
    out = []
    for k, name in enumerate(names):
        x = left + k*(WIDE + 14)
        out += [f'<rect x="{x}" y="{y}" width="{WIDE}" height="34" rx="4" fill="{fill}" stroke="#346856"/>',
                f'<text x="{x + WIDE//2}" y="{y + 15}" text-anchor="middle" fill="#081820">{name}</text>',
                f'<text x="{x + WIDE//2}" y="{y + 28}" text-anchor="middle" fill="#346856" font-size="10">{counted(rooms[name])}</text>']
    return out

def picture():
    "The three rings as SVG: the heart's rooms each above what it stands on, the wings beside it, evidence above all."
    rooms = {r: sum(room(m) == r for m in modules()) for r in BELOW}
    heart = [['runs'], ['training'], ['worlds', 'logs'], ['envs'], ['backends'], ['watch'], ['emulator'], ['base']]
    wings = list(RINGS['wings'])
    width, top = 840, 30
    out = [f'<text x="{width//2}" y="20" text-anchor="middle" fill="#346856">evidence: proves and measures, imported by nothing</text>',
           *row(list(RINGS['evidence']), top, width, rooms, '#FFF')]
    out.append(f'<text x="170" y="{top + 62}" text-anchor="middle" fill="#346856">heart: each storey stands on those below</text>')
    out.append(f'<text x="590" y="{top + 62}" text-anchor="middle" fill="#346856">wings: optional, imported by no room of the heart</text>')
    for k, names in enumerate(heart): out += row(names, top + 74 + HIGH*k, 340, rooms, '#E0F8D0')
    for k in range(0, len(wings), 3):
        out += shifted(row(wings[k:k + 3], top + 74 + HIGH*(k//3), 490, rooms, '#F4F8E8'), 345)
    high = top + 74 + HIGH*len(heart)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {high}" width="{width}" font-family="sans-serif" font-size="13">'
    return '\n'.join([head, f'<rect width="{width}" height="{high}" fill="#fff"/>', *out, '</svg>', ''])

def shifted(lines, by):
    "The same, farther right."
    return [re.sub(r' x="(\d+)"', lambda m: f' x="{int(m[1]) + by}"', line) for line in lines]

def draw(): (root/'nbs/images/house.svg').write_text(picture(), encoding='utf-8')
