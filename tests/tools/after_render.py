"""What is done when the site is rendered, by Quarto or by smalldocs: no page asks another host for anything, and each has its markdown
beside it.

Where a notebook shows HTML, Quarto has the page load require.js and jQuery from a host of its own choice, in case a widget needs them.
smalldocs lets the browser set formulas, with what comes from elsewhere, and its theme fetches a font; here formulas are set as Quarto
does it, as MathML. What docs_pages.py left in _plain/ joins the site, and so does docs/README.md: nbdev_docs puts the site in its place."""
import html, os, re, shutil
from pathlib import Path

FOREIGN = re.compile(r'''\s*<script\b[^>]*\bsrc="https?://[^>]*></script>|\s*<script\b[^>]*>\s*define\('jquery'.*?</script>'''
                     r'''|\s*<link rel="stylesheet" href="https?://[^>]*>|@import url\(https?://[^)]*\);?''', re.S)
FORMULA = re.compile(r'<span class="math (inline|display)">\\[([](.*?)\\[)\]]</span>', re.S)

def without_foreign_scripts(text): return FOREIGN.sub('', text)

def formula(found):
    "A formula as MathML."
    from latex2mathml.converter import convert # comes with smalldocs
    how = 'block' if found[1] == 'display' else 'inline'
    return convert(html.unescape(found[2]), display=how)

if __name__ == '__main__':
    site, readme = Path(os.environ['QUARTO_PROJECT_OUTPUT_DIR']), Path(__file__).resolve().parents[2]/'docs/README.md'
    for page in [*site.rglob('*.html'), *site.rglob('*.css')]:
        text = page.read_text(encoding='utf-8')
        clean = FORMULA.sub(formula, without_foreign_scripts(text))
        if clean != text: page.write_text(clean, encoding='utf-8')
    if Path('_plain').is_dir(): shutil.copytree('_plain', site, dirs_exist_ok=True)
    if not (site/'README.md').exists(): shutil.copy(readme, site) # there it is the home page's, on its way to the top folder
