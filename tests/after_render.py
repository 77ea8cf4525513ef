"""What Quarto does when it has rendered: no page asks another host for a script, and each has its markdown beside it.

Where a notebook shows HTML, Quarto has the page load require.js and jQuery from a host of its own choice, in case a widget needs them.
Nothing here does. What docs_pages.py left in _plain/ joins the site, and so does docs/README.md: nbdev_docs puts the site in place of docs."""
import os, re, shutil
from pathlib import Path

FOREIGN = re.compile(r'''\s*<script\b[^>]*\bsrc="https?://[^>]*></script>|\s*<script\b[^>]*>\s*define\('jquery'.*?</script>''', re.S)

def without_foreign_scripts(html): return FOREIGN.sub('', html)

if __name__ == '__main__':
    for name in os.environ.get('QUARTO_PROJECT_OUTPUT_FILES', '').splitlines():
        page = Path(name)
        if page.suffix != '.html': continue
        html = page.read_text(encoding='utf-8')
        if (clean := without_foreign_scripts(html)) != html: page.write_text(clean, encoding='utf-8')
    site, readme = Path(os.environ['QUARTO_PROJECT_OUTPUT_DIR']), Path(__file__).resolve().parent.parent/'docs/README.md'
    if Path('_plain').is_dir(): shutil.copytree('_plain', site, dirs_exist_ok=True)
    if not (site/'README.md').exists(): shutil.copy(readme, site) # there it is the home page's, on its way to the top folder
