"""The site for programs that read it: each page as markdown beside its HTML, `lab/03_watch.html.md`, and the list of them, `llms.txt`, as
llmstxt.org has it. docs_pages.py writes both into a folder, which lies in the site when it is rendered."""
import re
from pathlib import Path

import yaml
from nbdev.config import get_config
from pages import FRONT, ROOMS, book, notebooks, page_name, root, told

OPTIONAL = 'proofs', 'bench', 'studies' # what may be left out where room is short
def address(name): return f'{name}.html.md'

def unmarked(text):
    "Prose without what only HTML needs; its links lead to other such pages."
    text = re.sub(r' ?\{(#[\w.-]+|\.gbx-[\w-]+|fig-alt="[^"\n]*")\}|<a id="[^"]*"></a>\s*|<!-- WARNING.*?-->', '', text)
    return re.sub(r'\]\((?!\w+:)([^)\s#]*)\.ipynb', lambda m: f']({address(m[1])}', text)

def twin(page):
    "A page that docs_pages.py made, as markdown."
    above = [yaml.safe_load(''.join(c['source']).strip().strip('-')) for c in page['cells'] if c['cell_type'] == 'raw'][:1]
    parts = [f"# {a['title']}\n\n> {a.get('description', '')}" for a in above]
    return re.sub(r'\n{3,}', '\n\n', '\n\n'.join([*parts, *map(unmarked, told(page['cells'], str))])) + '\n'

def listed(name):
    "A line of the list."
    cells = book(root/f'nbs/{name}.ipynb')['cells']
    title, about = re.match(r'# (.+)\n+> (.+)', next(''.join(c['source']) for c in cells if c['cell_type'] == 'markdown')).groups()
    cfg = get_config()
    return f'- [{title}]({cfg.doc_host}{cfg.doc_baseurl}/{address(name)}): {about}'

def llms():
    "The list: first what the sidebar has first, then room by room."
    cfg, front = get_config(), [n.removesuffix('.ipynb') for n in FRONT]
    inside = {room: [n for n in map(page_name, notebooks()) if n.startswith(f'{room}/') and n not in front] for room in ROOMS}
    optional = [n for room in OPTIONAL for n in inside.pop(room)]
    sections = dict(Start=front) | {ROOMS[room]: names for room, names in inside.items()} | dict(Optional=optional)
    parts = [f'# {cfg.title}', f'> {cfg.description}.', 'Every page is a notebook. These are the pages as markdown, with all code.']
    return '\n\n'.join([*parts, *('\n'.join([f'## {title}', '', *map(listed, names)]) for title, names in sections.items())]) + '\n'

def write(pages, folder):
    "The list, and the twin of each page; `pages` has them by the path in the site."
    files = {'llms.txt': llms()} | {address(Path(name).with_suffix('').as_posix()): twin(page) for name, page in pages.items()}
    for name, text in files.items():
        (folder/name).parent.mkdir(parents=True, exist_ok=True)
        (folder/name).write_text(text, encoding='utf-8')
