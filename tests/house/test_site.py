"""The site as people see it: figures of the home page against the files they come from, what the pages are drawn with.
In a browser (`--slow`): nothing is too wide; on what Quarto rendered into the folder GBXNB_SITE, or on what `make docs` makes."""
import functools, http.server, json, os, re, subprocess, sys, threading
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from after_render import without_foreign_scripts
from pages import ROOMS, SHORT, book, label, notebooks, root, settings, sidebar
from browser import FLAGS, chromium

nbs = root/'nbs'
def text(path): return (root/path).read_text(encoding='utf-8')
def prose(page): return '\n\n'.join(''.join(c['source']) for c in book(nbs/page)['cells'] if c['cell_type'] == 'markdown')
def home(): return prose('index.ipynb')
def result(path): return json.loads(text(f'nbs/{path}'))

# The home page

def test_home_begins_with_two_commands():
    "What they run is in the Makefile; installing by hand comes behind them, in an environment of one's own, and nothing before them."
    first, *others = re.findall(r'^```\n(.*?)^```$', home(), re.M | re.S)
    assert [line.split('#')[0].strip() for line in first.splitlines()] == ['make demo', 'make test']
    assert 'python3 -m venv' in others[0].partition('pip install')[0] and 'pip install' not in home().partition(first)[0]
    assert {m[0] for m in re.finditer(r'(?<=`)make [a-z-]+|^make [a-z-]+', home(), re.M)} <= \
           {f'make {m[1]}' for m in re.finditer(r'^([a-z-]+):', text('Makefile'), re.M)}

SUITES = 'core', 'mooneye-wilbertpol', 'mealybug', 'gbmicrotest', 'docboy'
def test_home_tells_conformance_as_recorded():
    "Emulators beside each other start alike: behind one boot program."
    core, others = result('proofs/conformance_table.json')['core'], result('proofs/results/conformance_others.json')
    suites = {s['suite']: s for s in others['suites']}
    assert core['passed'] == core['run'] >= others['tests'] and others['tests'] + len(others['not_at_hand']) == core['of'] == 139
    def told(name):
        passed = ((suites[s]['passed'].get(name), suites[s]['run'].get(name)) for s in SUITES)
        return ', '.join('-' if n is None else f'{n:,} of {run:,} run' if run else f'{n:,}' for n, run in passed)
    rows = dict(re.findall(r'^\| (?:\[|\*\*)(gbxnb|SameBoy|PyBoy)\b.* \| ([^|]*) \|$', home(), re.M))
    assert rows == {name: told(name) for name in ('gbxnb', 'SameBoy', 'PyBoy')}
    core, docboy = suites['core'], suites['docboy']
    assert core['passed']['gbxnb'] == core['passed']['SameBoy'] == core['tests'] and f"| {core['tests']} of {core['tests']} |" in home()
    assert f"1,715 later ones](proofs/results/conformance_others.json) {docboy['passed']['gbxnb']:,}" in home() and docboy['tests'] == 1715
    assert f"SameBoy passes {docboy['passed']['SameBoy']:,}" in home() and f"on {others['record']['date']}" in home()
    sizes = [f'({suites[s]["tests"]:,})' for s in SUITES]
    assert re.findall(r'\([\d,]+\)', home()[home().index('Tests: '):])[:5] == sizes

def test_home_tells_speed_as_measured():
    mean = result('bench/results/compare.json')['means']['all']
    low, high = mean['ci95']
    assert f"| {mean['ratio']:.1f} times PyBoy |" in home()
    worst = min(result('bench/results/compare.json')['rows'], key=lambda r: r['ratio'])
    assert f"the mean of [{mean['games']} games](bench/03_compare.ipynb), 95% interval {low:.1f} to {high:.1f}; the slowest, Rex Run, " \
           f"{worst['ratio']:.1f} |" in home() and worst['title'] == 'REX-RUN'
    widest = max(row['num_envs'] for row in result('bench/results/env_16384.json')['rows'])
    assert f'[{widest:,} measured](bench/00_throughput.ipynb)' in home()
    gpu = result('studies/results/gpu.json')['stages']
    rows = [r for r in gpu['sweep']['rows'] + gpu['traces']['rows'] if not r.get('instructions')]
    def range_of(n): return sorted(r['fps']/1e6 for r in rows if r['n'] == n)[::len([r for r in rows if r['n'] == n]) - 1]
    (few, some), (many, most) = range_of(16_384), range_of(65_536)
    assert f'with pictures, by game, [{few:.1f} to {some:.0f} M frames/s](studies/00_gpu_model.ipynb#what-a-gpu-did) of 16,384 consoles, ' \
           f'{many:.0f} to {most:.0f} M of 65,536; H200' in home() and {r['device_name'] for r in rows} == {'NVIDIA H200'}

def test_home_tells_what_was_learned():
    found = result('bench/results/learning_game.json')
    runs = [r for r in found['rows'] if r['kind'] == 'trained']
    steps = {r['env_steps'] for r in runs}
    assert len(runs) == 5 and {r['success_rate'] for r in runs} == {1.} and len(steps) == 1 and found['jobs'] == 2
    assert {r['median_steps_to_goal'] for r in runs} == {20.}
    assert min(next(rate for at, rate in r['curve'] if at == r['solved_steps']) for r in runs) >= .9
    n, chance = runs[0]['episodes'], f"{found['kinds']['random']['iqm']:.1%}"
    said = [f'| {n} of {n} |', f'with random buttons {chance}',
            f'after {steps.pop():,} steps of learning from pixels, in each of [five runs](bench/01_learning.ipynb)']
    assert not [s for s in said if s not in home()]

# What people look for

def test_the_index_of_names_is_complete():
    "What is stored of the page has a row with a link for every stable name."
    outputs = (o.get('data', {}) for c in book(nbs/'base/08_all.ipynb')['cells'] for o in c.get('outputs', []))
    shown = ''.join(''.join(data.get('text/markdown', '')) for data in outputs)
    rows = re.findall(r'^\| \[`(\w+)`\]\(\S+\) \| \S.* \| `(\S+)` \|$', shown, re.M)
    assert rows == [(name, module) for module, names in result('base/public_names.json')['names'].items() for name in names]

def test_citation():
    "What is cited is what is published; the keys are those that the format asks for, and some that it knows."
    cited, said = yaml.safe_load(text('CITATION.cff')), settings()
    assert {'cff-version', 'message', 'title', 'authors'} <= cited.keys() and cited['cff-version'] == '1.2.0'
    assert (cited['title'], cited['version'], cited['authors']) == (said['title'], said['version'], [dict(name=said['author'])])
    assert cited['repository-code'] == said['git_url'] and cited['url'] == f"{said['doc_host']}{said['doc_baseurl']}/"
    assert cited['abstract'] == said['description'] + '.' and cited['license'] == 'Apache-2.0' and 'CITATION.cff' in text('MANIFEST.in')

# What pages are drawn with

def test_configuration_names_what_is_there():
    config = text('_quarto.yml')
    assert (nbs/'_quarto.yml').resolve() == root/'_quarto.yml', 'a link to the one in the top folder'
    named = re.findall(r'[\w/]+\.(?:svg|png|css|scss)\b', config)
    assert {'favicon.svg', 'styles.css', 'theme.scss', 'dark.scss'} <= {*named} and not [n for n in named if not (nbs/n).is_file()]
    assert (nbs/'404.qmd').is_file() and text('nbs/favicon.svg').startswith('<svg')
    assert (root/re.search(r'post-render: python3 \.\./(\S+)', config)[1]).is_file()
    for option in 'page-navigation: true', 'collapse-level: 1', 'search: true', 'icon: github', 'html-math-method: mathml', 'page-footer:':
        assert option in config
    assert 'description: ' in text('nbs/nbdev.yml') and re.search(r'theme:\n\s+light: .*\n\s+dark: ', config)

def test_no_style_asks_another_host():
    assert '$web-font-path: false;' in text('nbs/theme.scss'), "cosmo's own font comes from elsewhere"
    for name in 'theme.scss', 'dark.scss', 'styles.css', 'favicon.svg':
        assert not re.search(r'@import|url\(|(?<!xmlns=")https?:', text(f'nbs/{name}')), name
    font, style = '@import url(https://fonts.example/css2?family=A:wght@3;4);', '<link rel="stylesheet" href="https://cdn.example/a.css">'
    assert without_foreign_scripts(f'a{font}b{style}c') == 'abc'
    own, end = '<script src="site_libs/quarto.js"></script>', '\n<script>let a</script>'
    asked = '\n<script src="https://cdn.example/require.js" crossorigin="anonymous"></script>'
    used = "\n<script type=\"application/javascript\">define('jquery', [],function() {return window.jQuery;})</script>"
    assert without_foreign_scripts(own + asked + used + end) == own + end

COLUMNS = 110 # of a line of code
def test_columns_fit():
    "The longest line of code fits the text column at a width of 1,400: no font of ours has wider letters than .602 em."
    cells = [(nb, c) for nb in notebooks() for c in book(nb)['cells'] if c['cell_type'] == 'code']
    long = [f"{nb.relative_to(nbs)} cell {c['id']}: {line}" for nb, c in cells for line in ''.join(c['source']).splitlines()
            if len(line) > COLUMNS and not line.startswith('#|')]
    assert not long, '\n'.join(long)
    body = int(re.search(r'body-width: (\d+)px', text('_quarto.yml'))[1]) - 3*17 # Quarto takes 3em off
    rem = float(re.search(r'^pre, pre code.*font-size: ([\d.]+)rem', text('nbs/styles.css'), re.M)[1])
    assert COLUMNS*.602*rem*17 + 2*.7*17 + 2 <= body
    sides = sum(map(int, re.findall(r'(?:sidebar|body|margin)-width: (\d+)px', text('_quarto.yml'))))
    assert sides <= 1400, 'the three columns stand side by side'

def test_sidebar_is_folded_and_short():
    "The home page and the tour, then tutorials, examples and room by room, ring by ring; no label breaks."
    text = sidebar()
    sections = re.findall(r'- section: (.*)', text)
    assert sections == [title for title in ROOMS.values() if title in sections]
    assert text.splitlines()[3].endswith('href: index.ipynb}')
    hrefs, names = re.findall(r'href: (\S+)}', text), {str(p.relative_to(nbs)) for p in notebooks()}
    assert len(hrefs) == len(names) and {*hrefs} == names >= SHORT.keys()
    assert not [label(n) for n in names if len(label(n)) > 24]

# In a browser

@contextmanager
def served(folder):
    "A folder by HTTP; yields its address."
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args): pass
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try: yield f'http://127.0.0.1:{server.server_port}'
    finally: server.shutdown()

WIDE = """vw => { document.querySelectorAll('details').forEach(d => d.open = true);
  const scrolls = e => e && (/auto|scroll|hidden|clip/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
  const what = e => `${e.tagName} ${e.className.toString().slice(0, 30)} ${e.textContent.trim().slice(0, 60)}`;
  if (vw > 1000) return [...document.querySelectorAll('main pre')].filter(e => e.scrollWidth > e.clientWidth + 1).map(what);
  const page = document.documentElement;
  const out = [...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > vw + 1 && !scrolls(e.parentElement));
  return [...out.map(what), ...(page.scrollWidth > vw ? [`the page: ${page.scrollWidth}`] : [])].slice(0, 5) }"""

@pytest.fixture(scope='module')
def site():
    "What Quarto rendered, or what `make docs` does."
    if not (folder := os.environ.get('GBXNB_SITE')):
        run = subprocess.run([sys.executable, 'tests/tools/docs_pages.py', '--site'], cwd=root, capture_output=True, text=True)
        assert not run.returncode and f'the site: {(root/"_proc/docs/index.html").as_uri()}\n' in run.stdout, run.stdout + run.stderr
        folder = root/'_proc/docs'
    return Path(folder)

def crossed(html):
    "Does a box or a section end before one that began in it?"
    begun = []
    for end, tag in re.findall(r'<(/?)(div|section|main)\b', re.sub(r'<script\b.*?</script>', '', html, flags=re.S)):
        if not end: begun.append(tag)
        elif not begun or begun.pop() != tag: return True
    return bool(begun)

@pytest.mark.slow
def test_a_site_and_no_heap_of_pages(site):
    "Each page has its title, the sidebar in its order, words for its pictures, and nothing that only the renderer should read."
    front = (site/'index.html').read_text(encoding='utf-8')
    listed = re.findall(r'href: (\S+)\.ipynb', sidebar())
    linked = re.findall(r'<a [^>]*href="(?:\./)?([\w/]+)\.html"', front[front.index('sidebar'):])
    assert [name for name in dict.fromkeys(linked) if name in listed] == listed
    pages = {name: (site/f'{name}.html').read_text(encoding='utf-8') for name in listed}
    titles = {name: re.search(r'<h1[^>]*>(.*?)</h1>', text, re.S)[1] for name, text in pages.items()}
    assert len(titles) > 140 and all(titles.values()) and 'The tour' in titles['000_tour']
    images = [tag for text in pages.values() for tag in re.findall(r'<img [^>]*>', text)]
    assert len(images) > 300 and not [tag for tag in images if not re.search(r'alt="[^"]+"', tag)]
    raw = re.compile(r'\{fig-alt|\{#\w|\{\.gbx|^:::|<p>title: ', re.M)
    assert not [name for name, text in pages.items() if raw.search(text)]
    assert not [name for name, text in pages.items() if crossed(text)], 'a box ends inside a section that began in it'

@pytest.mark.slow
def test_nothing_is_too_wide(site):
    "No code scrolls at 1,400 pixels, nothing is wider than a telephone's 390, and no page asks another host for anything."
    sync = pytest.importorskip('playwright.sync_api', reason='needs playwright: pip install playwright')
    if not chromium: pytest.skip('needs a chromium on the PATH, or CHROMIUM=/its/path')
    pages = sorted(p for p in site.rglob('*.html') if 'site_libs' not in p.parts and p.name != '404.html') # which knows its address
    wrong, foreign = [], set()
    with served(site) as url, sync.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=chromium, args=FLAGS)
        tab = browser.new_page()
        tab.on('request', lambda r: foreign.add(r.url) if not r.url.startswith((url, 'data:', 'blob:', 'about:')) else None)
        for page in pages:
            name = page.relative_to(site).as_posix()
            tab.goto(f'{url}/{name}')
            for width in 1400, 390:
                tab.set_viewport_size(dict(width=width, height=900))
                wrong += [f'{name} at {width}: {w}' for w in tab.evaluate(WIDE, width)]
        browser.close()
    assert pages and not wrong, '\n'.join(wrong)
    assert not foreign, foreign
    listed = re.findall(r'\]\(https://gbxnb\.github\.io/gbxnb/(\S+)\)', (site/'llms.txt').read_text(encoding='utf-8'))
    assert listed and not [name for name in listed if not (site/name).is_file()]
