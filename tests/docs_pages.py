"""Build the pages of the site without Quarto. What fails here would fail there.

Every notebook goes through nbdev's processing, which runs its imports and exported cells and renders the API tables; then every
link to another page or picture is followed. With --html each page is also written as plain HTML beside its notebook in _proc/."""
import gc, json, re, shutil, sys
from pathlib import Path

from nbdev.config import get_config
from nbdev.serve import proc_nbs

def broken_links(page, pages):
    "Relative links of `page` that lead nowhere."
    text = '\n'.join(''.join(c['source']) for c in json.loads(page.read_text(encoding='utf-8'))['cells'] if c['cell_type'] == 'markdown')
    links = re.findall(r'\]\((?!\w+:|#)([^)\s#]+)', re.sub(r'(`+).*?\1', '', text, flags=re.S))
    return [f'{page.relative_to(pages)}: link to {link} leads nowhere' for link in links if not (page.parent/link).exists()]

def write_html(pages):
    "Plain HTML, a file a page."
    from nbconvert import HTMLExporter
    exporter = HTMLExporter(embed_images=False)
    for p in pages: p.with_suffix('.html').write_text(exporter.from_filename(str(p))[0], encoding='utf-8')

if __name__ == '__main__':
    cfg = get_config()
    shutil.rmtree(cfg.config_path/'_proc', ignore_errors=True)
    out = Path(proc_nbs(n_workers=0))
    pages = sorted(out.rglob('*.ipynb'))
    names = {p.relative_to(out) for p in pages}
    bad = [f'{p}: no page was made' for p in (p.relative_to(cfg.nbs_path) for p in sorted(cfg.nbs_path.rglob('*.ipynb')))
           if p not in names and '.ipynb_checkpoints' not in p.parts]
    bad += [b for p in pages for b in broken_links(p, out)]
    if '--html' in sys.argv: write_html(pages)
    print(f'{len(pages)} pages', *bad, sep='\n')
    gc.freeze() # each page had a shell, and each shell collects garbage when the process ends
    sys.exit(bool(bad))
