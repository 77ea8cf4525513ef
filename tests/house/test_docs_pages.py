"What the pages of the site may not lose: planted faults are found, and the cells are folded as show_page.py says."
import os
import re

import processes
import pytest
from docs_pages import bad_entries, broken_links, hidden_kernels, lost_words, twice
from execnb.nbio import dict2nb, mk_cell, read_nb
from nbdev.config import get_config
from nbdev.processors import FilterDefaults
from pages import FRONT, notebooks, page_name, root
from plain import llms, twin, write
from show_page import Links, definitions, described, entry, folded_export, folded_use, home, signature, symbols

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
@pytest.mark.parametrize('how', ['exports', 'exporti'])
def test_kernels(shown, hidden, how):
    assert bool(hidden_kernels(book(('code', f'#| {how}\n{KERNEL}')), book(('code', shown)))) == hidden

@pytest.mark.parametrize('entry, fault', [
    ('```python\nclass Line(Struct):\n    update:int\n    sps:float\n```', None),
    ('```python\nclass Line(Struct):\n    update:int\n```', 'lacks'),
    ('```python\ndef Line(\n    *args, **kwargs\n):\n```', 'says nothing'), ('update sps <Line at 0x7f00aa11bb22>', 'address'),
    ('update sps\n\nCall self as a function.', "Python's own"), ('update sps [source](file.py#LNone)', 'no line'),
    ('```python\nupdate sps # A [`Line`](x.html#line)\n```', 'raw link')])
def test_entries(entry, fault):
    found = bad_entries(book(('code', '#| exports\n'+STRUCT)), book(('markdown', '### Line {#Line}\n\n'+entry)))
    assert any(fault in f for f in found) if fault else not found

def test_what_is_not_offered_needs_no_entry():
    assert bad_entries(book(('code', '#| exporti\n'+STRUCT)), book(('markdown', 'Prose.'))) == []

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
    ('#| exporti\n'+KERNEL, None), ('#| exporti\ndef _f(): return 1', None), ('#| exporti\ndef f(): return 1', 'Source: f'),
    ('#| exporti\nTABLE = 1, 2', None), ('assert 1', None), ('assert 1\n'*9, 'Checks')])
def test_what_is_folded(code, summary):
    shown = '\n'.join(page(('code', '#| default_exp lab.film'), ('code', code)))
    assert (f'#| code-summary: "{summary}"' in shown) if summary else 'code-fold: true' not in shown
    assert 'code-fold' not in ''.join(page(('code', 'import numpy as np'), name='tutorials/made_up.ipynb')), 'stories are to be typed'

def test_a_heading_and_an_entry_of_one_name():
    shown = '\n'.join(page(('code', '#| default_exp lab.film'), ('markdown', '## Film'), ('code', '#| exports\ndef film(): return 1')))
    assert '## Film {#about-film}' in shown and '### film {#film}' in shown

def test_what_is_exported_inwards_is_shown_without_an_entry():
    "Its names have places, though: prose links to them."
    cells = '#| default_exp lab.film', '#| exporti\ndef film(): return 1', '#| exports\ndef show(): return 2'
    shown = '\n'.join(page(*(('code', c) for c in cells)))
    assert 'def film(): return 1' in shown and '<a id="film"></a>' in shown and '### film' not in shown and '### show {#show}' in shown

# the parts of a page

CELL = '''@patch
def push(self:Watch,
    frame, # uint8[N, H, W]
    show:bool=True, # Move on
)->int: # Moments kept
    "Add a moment."
    return 1

@wp.func
def pair(high:int, low:int) -> int: return high << 8 | low

class Quiet(Exception): "Nothing is said."

@dataclass
class Size:
    "Of a picture."
    width:int # In pixels
    height:int = 144 # In pixels
    def area(self): return self.width*self.height'''
FOUND = definitions(CELL)
LINKS = Links(root/'nbs/bench/made_up.ipynb', 'gbxnb.bench.made_up', {})

def test_definitions():
    assert [(d.name, d.warp, d.public) for d in FOUND] == [('Watch.push', False, True), ('pair', True, True), ('Quiet', False, True),
                                                           ('Size', False, True)]

def test_signatures():
    assert signature(FOUND[0]).endswith(')->int: # Moments kept') and signature(FOUND[1]).endswith('-> int:')
    assert signature(FOUND[2]) == 'class Quiet(Exception):'
    assert 'height:int = 144 # In pixels' in signature(FOUND[3])

def test_where_a_name_is_explained():
    "What a page defines or imports comes first; else the name must be the only one of its kind."
    assert home('Watch', '', {}) == 'gbxnb.lab.watch'
    assert len(symbols()['Run']) > 1 and home('Run', '', {}) is None, 'two modules have one'
    assert home('Run', '', {'Run': 'gbxnb.training.rollout'}) == 'gbxnb.training.rollout'
    assert home('Run', 'gbxnb.logs.plots', {}) == 'gbxnb.logs.plots'

def test_names_in_prose_become_links():
    shown = LINKS('A `Watch` shows frames.\n\n```python\ndef f(x): # A `Watch`\n```\n\n    x = `Watch`\n\n'
                  'See `Watch.push()`, `frames`, [`Watch`](x).')
    assert shown.count('](') == 3 and shown.count('_watch.ipynb#Watch') == 2

def test_an_entry():
    shown = entry(FOUND[0], 'gbxnb.lab.watch', LINKS)
    assert shown.startswith('### Watch.push {#Watch.push}') and 'watch.py#L' in shown

def test_open_or_folded():
    assert folded_export("torch = need('torch', 'rl')") == folded_export('import numpy') == 'Imports'
    assert folded_export('X = 1') is None
    assert folded_export('def f(): pass') == 'Source' and folded_export('@wp.func\ndef f(): pass') is None
    assert folded_use('x = 1\n'*9, [dict(data={'image/png': ''})]) == 'Code' and folded_use('x', []) is None
    assert folded_use('assert x\n'*7, []) == 'Checks' and folded_use('assert x', []) is None

def text(path):
    nb = read_nb(get_config().nbs_path/path)
    FilterDefaults()(nb)
    return '\n\n'.join(c.source for c in nb.cells)

def test_a_whole_page():
    shown = text('games/01_asm.ipynb')
    assert '### assemble {#assemble}' in shown and '<a id="_split"></a>' in shown
    assert 'code-summary: "Imports"' in shown and 'default_exp' not in shown

def test_kernels_of_a_page_are_open():
    assert 'code-fold' not in text('emulator/11_cpu.ipynb').split('<a id="step"></a>')[1].split('def step(')[0]

def test_pictures_that_stand_alone_are_figures():
    assert described('![A "map".](map.png)') == '![A "map".](map.png){fig-alt="A \'map\'."}'
    assert described('See ![it](x.png) there.') == 'See ![it](x.png) there.'

# pages as plain text

def printed(**data): return dict(output_type='display_data', data={k.replace('_', '/'): v for k, v in data.items()})

def test_a_page_as_plain_text():
    "A title, prose whose links lead to other such pages, code without directives, what was printed, and words for a picture."
    made = book(('raw', '---\ntitle: Watch\ndescription: A widget.\n---'), ('markdown', '### Watch {#Watch}\n\n<a id="push"></a>\n\nSee '
                '[it](../lab/01_film.ipynb#film), [a](x.json), [b](https://e.org/x.ipynb).'))
    picture, number = printed(image_png='', text_plain='<Figure>'), printed(text_plain='64')
    made['cells'] += [dict(cell_type='code', source='#| fig-alt: "Four consoles."\nshow()', outputs=[picture]),
                      dict(cell_type='code', source='#| echo: false\nx', outputs=[number])]
    assert twin(made) == ('# Watch\n\n> A widget.\n\n### Watch\n\nSee [it](../lab/01_film.html.md#film), [a](x.json), '
                          '[b](https://e.org/x.ipynb).\n\n```python\nshow()\n```\n\nFour consoles.\n\n    64\n')

def test_the_list_of_plain_pages():
    "As llmstxt.org has it: a title, a summary, sections of links; every page once, what people ask for first, what may be left out last."
    head, *sections = llms().split('\n## ')
    assert re.fullmatch(r'# gbxnb\n\n> .+\.\n\n.+\n', head) and sections[0].startswith('Start\n') and sections[-1].startswith('Optional\n')
    lines = [line for s in sections for line in s.strip().splitlines()[2:]]
    found = [re.fullmatch(r'- \[.+\]\(https://gbxnb\.github\.io/gbxnb/(\S+)\.html\.md\): .+', line)[1] for line in lines]
    assert sorted(found) == sorted(map(page_name, notebooks())) and [f'{n}.ipynb' for n in found[:len(FRONT)]] == [*FRONT]

def test_plain_pages_join_the_site(tmp_path):
    "What is written before Quarto renders lies beside its pages afterwards, and the pages ask nobody."
    write({'lab/03_watch.ipynb': book(('markdown', 'Prose.'))}, tmp_path/'_plain')
    (tmp_path/'docs/lab').mkdir(parents=True)
    page = tmp_path/'docs/lab/03_watch.html'
    page.write_text('<p>1</p>\n<script src="https://cdn.example/require.js"></script>')
    env = os.environ | dict(QUARTO_PROJECT_OUTPUT_DIR='docs', QUARTO_PROJECT_OUTPUT_FILES='docs/lab/03_watch.html')
    run = processes.python(root/'tests/tools/after_render.py', cwd=tmp_path, env=env)
    assert not run.returncode and page.read_text() == '<p>1</p>', run.stderr
    assert page.with_suffix('.html.md').read_text() == 'Prose.\n' and (tmp_path/'docs/llms.txt').read_text(encoding='utf-8') == llms()
    assert (tmp_path/'docs/README.md').read_bytes() == (root/'docs/README.md').read_bytes(), 'nbdev_docs puts the site in place of docs/'
    (tmp_path/'docs/README.md').write_text('what Quarto makes of the home page')
    assert not processes.python(root/'tests/tools/after_render.py', cwd=tmp_path, env=env).returncode
    assert (tmp_path/'docs/README.md').read_text().startswith('what')
