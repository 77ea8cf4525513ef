"""Build the pages of the site without Quarto, and look at them. What fails here would be seen there.

Every notebook goes through nbdev's processing; then all its words must be on its page, its kernels open, its entries
sound, and every link to another page, a place in it or a picture must lead somewhere. Each page is also written as markdown, into
_proc/_plain/. With --site they become a site in _proc/docs/, by smalldocs, which reads what Quarto reads and is fetched for it."""
import ast, gc, re, shutil, subprocess, sys
from collections import Counter
from pathlib import Path

import yaml
from nbdev.config import get_config
from nbdev.serve import proc_nbs
from pages import read
from plain import write
from show_page import between, definitions, slug

CLOSED = re.compile(r'^#\|\s*(code-fold:\s*true|echo:\s*false|include:\s*false)', re.M)
FENCED = re.compile(r'^(```|~~~).*?^\1', re.M | re.S)

def sources(book, kind, but=()):
    "The source of a notebook's cells of one kind, but those with a directive of `but`."
    cells = (''.join(c['source']) for c in book['cells'] if c['cell_type'] == kind)
    return [s for s in cells if not re.match(rf'#\|\s*({"|".join(but) or "-"})\b', s)]

def exported(book, how='export[si]?'):
    "What a notebook defines for its module; with `exports`, what it offers."
    return [d for s in sources(book, 'code') if re.match(rf'#\|\s*{how}\b', s) for d in definitions(s)]

def fields(node):
    "What an object is made of, if that is all there is to its constructor."
    if not isinstance(node, ast.ClassDef) or any(getattr(n, 'name', '') == '__init__' for n in node.body): return []
    return [n.target.id for n in node.body if isinstance(n, ast.AnnAssign)]

def prose(page):
    "What is markdown on a page: its cells, and what its code printed."
    printed = [o.get('data', {}).get('text/markdown', '') for c in page['cells'] for o in c.get('outputs', [])]
    return FENCED.sub('', '\n'.join([*sources(page, 'markdown'), *map(''.join, printed)]))

def words(text): return Counter(re.findall(r'[^\W_]{2,}', text))

def lost_words(book, page):
    "The prose of a notebook that its page does not show; a title goes into what stands above the page."
    above = [yaml.safe_load(s.strip().strip('-')) for s in sources(page, 'raw')]
    shown = sources(page, 'markdown') + [str(v) for head in above for v in head.values()]
    lost = words('\n'.join(sources(book, 'markdown'))) - words('\n'.join(shown))
    return [f'words that are not on the page: {" ".join(sorted(lost))[:200]}'] if lost else []

def hidden_kernels(book, page):
    "Functions for Warp whose source the page folds or leaves out."
    opened = '\n'.join(s for s in sources(page, 'code') if not CLOSED.search(s))
    kernels = [d for d in exported(book) if d.warp]
    return [f'kernel {d.name}: its source is hidden' for d in kernels if between(d, d.node, d.node) not in opened]

BAD_ENTRY = {r'\(\s*\*args,\s*\*\*kwargs\s*\)': 'a signature that says nothing', r'\bat 0x[0-9a-f]{6}': "an object's address",
             'Call self as a function|Initialize self': "Python's own docstring", r'#LNone': 'a link to no line'}

def bad_entries(book, page):
    "Entries that help nobody."
    texts = sources(page, 'markdown')
    found = [f'{what}: {m[0]}' for text in texts for pattern, what in BAD_ENTRY.items() for m in re.finditer(pattern, text)]
    found += [f'a raw link in code: {m[0]}' for text in texts for f in FENCED.finditer(text) for m in re.finditer(r'`\]\([^)]*\)', f[0])]
    shown, code = '\n'.join(texts), '\n'.join(s for s in sources(page, 'code') if not CLOSED.search(s))
    for d in (d for d in exported(book, 'exports') if d.public and not d.warp):
        head = re.search(rf'^### {re.escape(d.name)} {{#[^}}]+}}$(.*?)(?=^### |\Z)', shown, re.M | re.S)
        opened = between(d, d.node, d.node) in code
        missing = [f for f in fields(d.node) if head and not opened and not re.search(rf'\b{f}\b', head[1])]
        found += [f'{d.name}: no entry'] if not head else [f'{d.name}: its entry lacks {missing}'] if missing else []
    return found

def places(page):
    "What a link into a page may name."
    text = FENCED.sub('', '\n'.join(sources(page, 'markdown')))
    own = re.findall(r'\{#([^}\s]+)\}|<a id="([^"]+)"', text)
    headings = [slug(h) for h in re.findall(r'^#{1,6} ([^\n{]+?)\s*$', text, re.M)]
    return [a or b for a, b in own] + headings

def broken_links(path, page, pages):
    "Links of a page that lead nowhere; `pages` holds all, by path."
    text = re.sub(r'(`+)[^`].*?\1', lambda m: m[0] if '](' in m[0] else '', prose(page))
    bad = []
    for way, place in re.findall(r'\]\((?!\w+:)([^)\s#]*)(?:#([^)\s]+))?\)', text):
        to = (path.parent/way).resolve() if way else path.resolve()
        if not to.exists(): bad.append(f'link to {way} leads nowhere')
        elif place and place not in places(pages[to]): bad.append(f'link to {way}#{place}: no such place')
    return bad

def twice(page): return [f'two places named {name}' for name, n in Counter(places(page)).items() if n > 1 and name]

RENDERER = 'smalldocs==0.5.4', 'latex2mathml==3.81.1' # the second sets formulas, see after_render.py

def make_site(out):
    "What `make docs` shows: a site of the pages in `out`."
    uv = Path(sys.executable).with_name('uv')
    words = [uv, 'run', '-q', '--no-project', *(f'--with={name}' for name in RENDERER), 'smalldocs', 'render', '-q', out]
    print('rendering them, which takes a minute or two', flush=True)
    run = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if run.returncode:
        why = f'{RENDERER[0]} could not be fetched, or failed; with Quarto: cd _proc && quarto render --no-execute'
        sys.exit(f'{run.stdout[-2000:]}no site was made: {why}')
    print(f'the site: {(out/"docs/index.html").as_uri()}')

if __name__ == '__main__':
    gc.disable() # what is read is kept to the end, and not looked through again and again
    cfg = get_config()
    shutil.rmtree(cfg.config_path/'_proc', ignore_errors=True)
    out = Path(proc_nbs(n_workers=0)).resolve()
    pages = {p: read(p) for p in sorted(out.rglob('*.ipynb'))}
    books = [p.relative_to(cfg.nbs_path) for p in sorted(cfg.nbs_path.rglob('*.ipynb')) if '.ipynb_checkpoints' not in p.parts]
    bad = [f'{p}: no page was made' for p in books if out/p not in pages]
    for p in books:
        book, page = read(cfg.nbs_path/p), pages.get(out/p)
        if page is None: continue
        found = [what for check in (lost_words, hidden_kernels, bad_entries) for what in check(book, page)]
        bad += [f'{p}: {what}' for what in [*found, *broken_links(out/p, page, pages), *twice(page)]]
    write({p.relative_to(out): page for p, page in pages.items()}, out/'_plain')
    print(f'{len(pages)} pages', *bad, sep='\n', flush=True)
    if '--site' in sys.argv: make_site(out)
    gc.freeze() # nor when the process ends
    sys.exit(bool(bad))
