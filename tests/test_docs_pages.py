"What the pages of the site may not lose: planted faults are found, and the cells are folded as nbs/proofs/16_docs.ipynb says."
import pytest
from docs_pages import bad_entries, broken_links, hidden_kernels, lost_words, twice
from execnb.nbio import dict2nb, mk_cell
from nbdev.processors import FilterDefaults
from pages import root

def book(*cells): return dict(cells=[dict(cell_type=k, source=s) for k, s in cells])

KERNEL = '@wp.func\ndef pair(high:int, low:int) -> int: return high << 8 | low'
STRUCT = 'class Line(Struct):\n    "One."\n    update:int # Updates made\n    sps:float # Steps a second'

def test_words():
    nb = book(('markdown', '# Title\n\n> Subtitle'), ('markdown', 'An introduction.'))
    page = book(('raw', '---\ntitle: Title\ndescription: Subtitle\n---'), ('markdown', 'An introduction.'))
    assert not lost_words(nb, page)
    assert 'introduction' in lost_words(nb, book(*[(c['cell_type'], c['source']) for c in page['cells'][:1]]))[0]

@pytest.mark.parametrize('shown, hidden', [(KERNEL, False), ('#| code-fold: show\n'+KERNEL, False), ('#| code-fold: true\n'+KERNEL, True),
                                           ('#| echo: false\n'+KERNEL, True), ('', True)])
def test_kernels(shown, hidden):
    assert bool(hidden_kernels(book(('code', '#| exports\n'+KERNEL)), book(('code', shown)))) == hidden

@pytest.mark.parametrize('entry, fault', [
    ('```python\nclass Line(Struct):\n    update:int\n    sps:float\n```', None),
    ('```python\nclass Line(Struct):\n    update:int\n```', 'lacks'),
    ('```python\ndef Line(\n    *args, **kwargs\n):\n```', 'says nothing'), ('update sps <Line at 0x7f00aa11bb22>', 'address'),
    ('update sps\n\nCall self as a function.', "Python's own"), ('update sps [source](file.py#LNone)', 'no line'),
    ('```python\nupdate sps # A [`Line`](x.html#line)\n```', 'raw link')])
def test_entries(entry, fault):
    found = bad_entries(book(('code', '#| exports\n'+STRUCT)), book(('markdown', '### Line {#Line}\n\n'+entry)))
    assert any(fault in f for f in found) if fault else not found

def test_no_entry():
    assert bad_entries(book(('code', '#| exports\n'+STRUCT)), book(('markdown', '### Another {#Another}'))) == ['Line: no entry']

def test_links(tmp_path):
    one, two = (tmp_path/name for name in ('one.ipynb', 'two.ipynb'))
    for p in one, two: p.write_text('')
    page = book(('markdown', '### A b {#here}\n\n[1](two.ipynb#Watch) [2](two.ipynb) [3](#here) [4](https://elsewhere.org/x#y)'),
                ('markdown', '```\n[5](z)\n```'),
                ('markdown', '[6](two.ipynb#Wotch) [7](three.ipynb) [8](#there)'))
    bad = broken_links(one, page, {one.resolve(): page, two.resolve(): book(('markdown', '### Watch {#Watch}'))})
    assert len(bad) == 3 and all(b in ''.join(bad) for b in ('Wotch', 'three', 'there')), bad

def test_places(): assert twice(book(('markdown', '## Film\n\n### film {#film}'))) == ['two places named film']

def page(*cells, name='lab/made_up.ipynb'):
    "A page of a notebook that is made up."
    nb = dict2nb(dict(cells=[mk_cell(s, k) for k, s in cells], metadata={}, path_=str(root/'nbs'/name)))
    FilterDefaults()(nb)
    return [c.source for c in nb.cells]

@pytest.mark.parametrize('code, summary', [
    ('#| export\nimport numpy as np', 'Imports'), ('import numpy as np', 'Imports'),
    ('#| exports\n'+KERNEL, None), ('#| exports\nTABLE = 1, 2', None),
    ('#| exports\ndef f(): return 1', 'Source'), ('#| exports\n#| open\ndef f(): return 1', None),
    ('#| exports\ndef _f(): return 1', None),
    ('assert 1', None), ('assert 1\n'*9, 'Checks')])
def test_what_is_folded(code, summary):
    shown = '\n'.join(page(('code', '#| default_exp lab.film'), ('code', code)))
    assert (f'#| code-summary: "{summary}"' in shown) if summary else 'code-fold: true' not in shown
    assert 'code-fold' not in ''.join(page(('code', 'import numpy as np'), name='tutorials/made_up.ipynb')), 'stories are to be typed'

def test_a_heading_and_an_entry_of_one_name():
    shown = '\n'.join(page(('code', '#| default_exp lab.film'), ('markdown', '## Film'), ('code', '#| exports\ndef film(): return 1')))
    assert '## Film {#about-film}' in shown and '### film {#film}' in shown
