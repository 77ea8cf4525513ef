"What follows from the notebooks beside the package: README.md and the site's sidebar. `make export` writes both, a test compares them."
import json, re
from pathlib import Path

root = Path(__file__).resolve().parent.parent
WIDGET = 'application/vnd.jupyter.widget-view+json'
ROOMS = dict(tutorials='Tutorials', examples='Examples', emulator='Emulator', backends='Backends', envs='Environments',
             worlds='Worlds', adapters='Adapters', train='Training', runs='Runs', logs='Logs', bench='Bench',
             explore='Exploring', lab='Lab')

def notebooks():
    "Every notebook, but no editor's copies in hidden folders."
    return sorted(p for p in (root/'nbs').rglob('*.ipynb') if not any(part.startswith('.') for part in p.relative_to(root).parts))

def read(nb): return json.loads(nb.read_text(encoding='utf-8'))

def stories():
    "Notebooks that export nothing."
    return [p for p in notebooks() if 'default_exp' not in p.read_text(encoding='utf-8')]

def output(o):
    "One stored output as markdown: text as an indented block; pictures belong in files, so none here."
    data = o.get('data', {})
    if 'text/markdown' in data: return ''.join(data['text/markdown']).rstrip()
    text = ''.join(o.get('text', []) or data.get('text/plain', []))
    return '\n'.join('    '+line for line in text.rstrip().splitlines())

def readme():
    "nbs/index.ipynb as markdown, its links and pictures seen from the top folder."
    parts = ['<!-- Made from nbs/index.ipynb by `make export`: edit that. -->']
    for c in read(root/'nbs/index.ipynb')['cells']:
        src = ''.join(c['source'])
        if re.search(r'^#\|\s*(hide|default_exp)', src, re.M): continue
        if c['cell_type'] == 'markdown': parts.append(re.sub(r'\]\((?!http|#)([^)]+)\)', r'](nbs/\1)', src).replace('](nbs/../', ']('))
        elif c['cell_type'] == 'code':
            parts.append('```python\n' + re.sub(r'^#\|.*\n', '', src, flags=re.M).strip() + '\n```')
            parts += filter(None, map(output, c['outputs']))
    return '\n\n'.join(parts) + '\n'

def sidebar():
    "Every notebook once: the index and the loose ones, then room by room."
    names = [str(p.relative_to(root/'nbs')) for p in notebooks()]
    loose = sorted((n for n in names if '/' not in n), key=lambda n: (n != 'index.ipynb', n))
    lines = ['website:', '  sidebar:', '    contents:', *(f'      - {n}' for n in loose)]
    for room in [*ROOMS, *sorted({n.split('/')[0] for n in names if '/' in n} - ROOMS.keys())]:
        inside = [n for n in names if n.startswith(room+'/')]
        if inside: lines += [f'      - section: {ROOMS.get(room, room)}', '        contents:', *(f'          - {n}' for n in inside)]
    return '\n'.join(lines) + '\n'

def lasting(o):
    "A stored output without what does not last: a saved widget is dead in a page, what Warp says of its machine means nothing elsewhere."
    warp = r'Warp [\d.]+ initialized|Module \S+ load on device|Warp CUDA warning'
    if re.match(warp, ''.join(o.get('text', []))): return None
    if WIDGET not in o.get('data', {}): return o
    still = {k: v for k, v in o['data'].items() if k != WIDGET} # what a widget leaves to be looked at
    return o | dict(data=still) if still.keys() - {'text/plain'} else None

def tidy(nb):
    "Forget what does not last of the outputs."
    book, changed = read(nb), False
    for c in book['cells']:
        kept = [o for o in map(lasting, c.get('outputs', [])) if o]
        if kept != c.get('outputs', []): c['outputs'], changed = kept, True
    if changed: nb.write_text(json.dumps(book, indent=1, ensure_ascii=False) + '\n', encoding='utf-8')

if __name__ == '__main__':
    from house import draw
    for nb in notebooks(): tidy(nb)
    (root/'README.md').write_text(readme(), encoding='utf-8')
    (root/'nbs/sidebar.yml').write_text(sidebar(), encoding='utf-8')
    draw()
