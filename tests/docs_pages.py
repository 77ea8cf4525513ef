"Build every documentation page without Quarto: nbdev's processing, then plain HTML. What fails here would fail in the site."
import shutil, sys
from pathlib import Path

from nbconvert import HTMLExporter
from nbdev.config import get_config
from nbdev.serve import proc_nbs

if __name__ == '__main__':
    cfg = get_config()
    shutil.rmtree(cfg.config_path/'_proc', ignore_errors=True)
    cache, pages, exporter = Path(proc_nbs(n_workers=0)), [], HTMLExporter(embed_images=False)
    for nb in sorted(cache.rglob('*.ipynb')):
        html, _ = exporter.from_filename(str(nb))
        nb.with_suffix('.html').write_text(html, encoding='utf-8')
        pages.append(len(html))
    def names(d): return {p.relative_to(d) for p in d.rglob('*.ipynb') if '.ipynb_checkpoints' not in p.parts}
    missing = names(cfg.nbs_path) - names(cache)
    for m in sorted(missing): print(f'{m}: no page was made')
    print(f'{len(pages)} pages, {sum(pages)//1000} kB')
    sys.exit(bool(missing))
