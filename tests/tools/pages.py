"What follows from the notebooks beside the package: README.md and the site's sidebar. `make export` writes both, a test compares them."
import configparser, functools, json, re
from pathlib import Path

from merged import parsed, walk

root = Path(__file__).resolve().parents[2]
WIDGET = 'application/vnd.jupyter.widget-view+json'
ROOMS = {'tutorials': 'Tutorials', 'examples': 'Examples', 'base': 'Foundations', 'emulator': 'Emulator', 'watch': 'Watching',
         'backends': 'Backends', 'envs': 'Environments', 'worlds': 'Worlds', 'logs': 'Logs', 'training': 'Training', 'runs': 'Runs',
         'traces': 'Traces', 'saves': 'Saves', 'reference': 'PyBoy as reference', 'games': 'Games', 'debugger': 'Debugger',
         'scripts': 'Scripts for PyBoy',
         'goals': 'Goals', 'explore': 'Exploring', 'score': 'Scores',
         'toys': 'Toy worlds', 'prospector': 'Prospector', 'adapters': 'Adapters', 'lab': 'Lab',
         'proofs': 'Proofs', 'bench': 'Bench', 'studies': 'Studies'}
FRONT = 'index.ipynb', '000_tour.ipynb', 'base/08_all.ipynb', 'base/10_glossary.ipynb' # before the rooms
PATH = [ # the way through the heart that the sidebar marks
    'base/00_files.ipynb', 'base/01_config.ipynb',
    'emulator/01_machine.ipynb', 'emulator/02_isa.ipynb', 'emulator/03_ppu.ipynb', 'emulator/06_clock.ipynb',
    'emulator/07_bus.ipynb', 'emulator/09_trap.ipynb', 'emulator/11_cpu.ipynb', 'emulator/12_render.ipynb', 'emulator/14_emulator.ipynb',
    'watch/00_variables.ipynb', 'backends/00_base.ipynb', 'backends/01_warp.ipynb',
    'envs/00_config.ipynb', 'envs/01_starts.ipynb', 'envs/04_pixels.ipynb', 'envs/05_goal.ipynb', 'envs/06_rewards.ipynb',
    'envs/07_task.ipynb', 'worlds/00_contract.ipynb', 'logs/02_metrics.ipynb',
    'training/00_config.ipynb', 'training/02_rollout.ipynb', 'training/03_ppo.ipynb', 'training/05_loop.ipynb',
    'runs/00_checkpoint.ipynb']
SHORT = { # what the sidebar says where a title is too long for it
    'index.ipynb': 'Home',
    'emulator/06_clock.ipynb': 'The clock', 'examples/01_own_parts.ipynb': 'A network of your own',
    'envs/09_places.ipynb': 'Many places', 'games/02_bundled.ipynb': 'Cartridges',
    'runs/05_train.ipynb': 'From a command line', 'studies/02_scores.ipynb': 'Scores of games',
    'score/03_match.ipynb': 'The number in memory', 'score/04_kinds.ipynb': 'Kinds of numbers',
    'toys/00_toys.ipynb': 'CartPole and Catch',
    'tutorials/00_train.ipynb': 'From a ROM to a policy',
    'tutorials/02_pokemon_red.ipynb': 'Pokémon Red', 'tutorials/05_unknown_rom.ipynb': 'Unscripted games'}

def settings():
    "The project's own facts."
    config = configparser.ConfigParser(delimiters=['='])
    config.read(root/'settings.ini', encoding='utf-8')
    return config['DEFAULT']

def python(source): # What Python can parse
    "A cell without its directives and the lines that only IPython knows."
    source = re.sub(r'\A(\s*#\|.*\n)+', '', source)
    return '\n'.join('' if re.match(r'\s*[%!]', line) else line for line in source.splitlines())

def nodes(source): return walk(parsed(source))

def notebooks():
    "Every notebook, but no editor's copies in hidden folders."
    return sorted(p for p in (root/'nbs').rglob('*.ipynb') if not any(part.startswith('.') for part in p.relative_to(root).parts))

def page_name(nb): return nb.relative_to(root/'nbs').with_suffix('').as_posix()

def read(nb): return json.loads(nb.read_text(encoding='utf-8'))
book = functools.cache(read) # for those who only look

def stories():
    "Notebooks that export nothing."
    return [p for p in notebooks() if 'default_exp' not in p.read_text(encoding='utf-8')]

def output(o):
    "One stored output as markdown: text as an indented block; pictures belong in files, so none here."
    data = o.get('data', {})
    if 'text/markdown' in data: return ''.join(data['text/markdown']).rstrip()
    text = ''.join(o.get('text', []) or data.get('text/plain', []))
    if data and re.fullmatch(r'<.*>', text): return '' # all that a picture says of itself
    return '\n'.join('    '+line for line in text.rstrip().splitlines())

def from_top(text):
    "Markdown of nbs/index.ipynb with its links and pictures as the top folder sees them."
    text = re.sub(r'\]\((?!http|#)([^)]+)\)', r'](nbs/\1)', text).replace('](nbs/../', '](')
    return re.sub(r'(<(?:img|source) [^>]*?src(?:set)?=")(?!http)', r'\1nbs/', text)

def told(cells, shown):
    "Cells as markdown, part by part: prose as `shown` gives it, code without directives, what it printed."
    for c in cells:
        src = ''.join(c['source'])
        if re.search(r'^#\|\s*(hide|default_exp)', src, re.M): continue
        if c['cell_type'] == 'markdown': yield shown(src)
        elif c['cell_type'] == 'code':
            code = re.sub(r'^#\|.*\n?', '', src, flags=re.M).strip()
            if not re.search(r'^#\|\s*echo: false', src, re.M): yield f'```python\n{code}\n```'
            yield from re.findall(r'^#\|\s*fig-alt: "(.*)"', src, re.M)
            yield from filter(None, map(output, c.get('outputs', [])))

def readme():
    "nbs/index.ipynb as markdown, its links and pictures seen from the top folder."
    made = '<!-- Made from nbs/index.ipynb by `make export`: edit that. -->'
    return '\n\n'.join([made, *told(read(root/'nbs/index.ipynb')['cells'], from_top)]) + '\n'

def label(name):
    "What the sidebar calls a page."
    return SHORT.get(name) or next(''.join(c['source']) for c in read(root/'nbs'/name)['cells']
                                   if c['cell_type'] == 'markdown').splitlines()[0].lstrip('# ')

def sidebar():
    "Every notebook once: the front, then section by section, folded but for the one that is read; a dot marks the way."
    names = [str(p.relative_to(root/'nbs')) for p in notebooks()]
    inside = {room: [n for n in names if str(Path(n).parent) == room and n not in FRONT] for room in
              [*ROOMS, *sorted({str(Path(n).parent) for n in names} - ROOMS.keys())]}
    page = lambda n: f'- {{text: {json.dumps("● "*(n in PATH) + label(n), ensure_ascii=False)}, href: {n}}}'
    lines = ['website:', '  sidebar:', '    contents:', *(f'      {page(n)}' for n in FRONT)]
    for room, pages in inside.items():
        if pages: lines += [f'      - section: {ROOMS.get(room, room)}', '        contents:', *(f'          {page(n)}' for n in pages)]
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
    book = read(nb)
    changed = book['metadata'].pop('widgets', None) is not None # their state, dead like them
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
