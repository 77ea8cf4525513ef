"What people see: every picture says in words what it shows, plots tell their lines apart, films are never blank."
import base64, io, re, warnings

import matplotlib
import numpy as np
import pytest
import yaml
from gbxnb.base.figures import COLORS, STYLE, Shown, figure, line_look, style
from gbxnb.logs.plots import MARKERS, PANELS, POINTS, Run, draw_runs
from gbxnb.runs.film import GAP, GOAL, INK, PALETTE, TIMEOUT, film_frames, film_size
from matplotlib.backends.backend_agg import FigureCanvasAgg
from pages import book, notebooks, root
from PIL import Image

pytestmark = pytest.mark.plots
slow = pytest.mark.slow
OTHERS = 'index.ipynb', # the front page, of which test_site.py speaks
PAGES = [p for p in notebooks() if p.relative_to(root/'nbs').parts[0] not in OTHERS]
PICTURES = 'image/png', 'image/jpeg', 'image/svg+xml'
NAME = {p: str(p.relative_to(root/'nbs')) for p in PAGES}

def options(cell):
    "What a cell's first lines say to Quarto."
    lines = re.findall(r'^#\| (\S+: .*)$', ''.join(cell['source']), re.M)
    return yaml.safe_load('\n'.join(lines)) or {} if lines else {}

def figures(page):
    "Cells with pictures among their stored outputs, and those outputs."
    for cell in book(page)['cells']:
        outputs = [o for o in cell.get('outputs', []) if any(k in o.get('data', {}) for k in PICTURES)]
        if outputs: yield cell, outputs

def images(page):
    "Every `<img>` of a page's text and outputs, and every picture in its markdown, as (what, its description)."
    for cell in book(page)['cells']:
        texts = [''.join(o['data']['text/html']) for o in cell.get('outputs', []) if 'text/html' in o.get('data', {})]
        if cell['cell_type'] == 'markdown':
            texts.append(source := ''.join(cell['source']))
            yield from ((path, alt) for alt, path in re.findall(r'!\[([^\]]*)\]\(([^)]+)\)', source))
        for tag in re.findall(r'<img\b[^>]*>', '\n'.join(texts)):
            yield f'{cell["id"]}: {tag[:40]}', next(iter(re.findall(r'\balt="([^"]*)"', tag)), '')

def bare(page):
    "Pictures of a page that nothing describes."
    yield from (f'{c["id"]}: a picture, but no #| fig-alt' for c, _ in figures(page) if len(str(options(c).get('fig-alt', ''))) < 10)
    yield from (f'{what}: no alt text' for what, alt in images(page) if len(alt) < 5)

def test_every_picture_has_a_description():
    bad = [f'{NAME[page]}: {what}' for page in PAGES for what in bare(page)]
    assert not bad, '\n'.join(bad)

def test_pictures_of_the_front_page_have_descriptions():
    assert not [what for what, alt in images(root/'nbs/index.ipynb') if len(alt) < 8]

def plots(cell):
    return re.search(r'\bShown\(', ''.join(cell['source']))

def stored(output):
    return Image.open(io.BytesIO(base64.b64decode(''.join(output['data']['image/png']))))

def test_stored_pictures_fit_a_page():
    "A plot has one and a half pixels or more for each it is shown at, and few colours; no picture is wider than two pages."
    for page, cell, outputs in ((p, *found) for p in PAGES for found in figures(p)):
        for output in (o for o in outputs if 'image/png' in o['data']):
            picture, shown, at = stored(output), output.get('metadata', {}).get('image/png', {}), f'{NAME[page]}: {cell["id"]}'
            assert picture.width <= 1600, f'{at}: {picture.width} pixels wide'
            if plots(cell):
                assert picture.mode == 'P' and 400 <= shown.get('width', 0) <= 800, f'{at}: {picture.mode} {shown}'
                assert 1.5*shown['width'] - 2 <= picture.width, f'{at}: {picture.width} for {shown["width"]}'
            elif picture.width <= 700 and 'to_image(' in ''.join(cell['source']):
                assert options(cell).get('classes') == 'gbx-pixels', f'{at}: a screen that would be smoothed'

def test_one_look_for_all():
    "No page draws in matplotlib's own colours or sizes."
    for page in notebooks():
        text = '\n'.join(''.join(c['source']) for c in book(page)['cells'] if c['cell_type'] == 'code')
        assert not re.search(r'import matplotlib|from matplotlib|tab:', text), page.name
    assert min(v for k, v in STYLE.items() if k.endswith(('size', 'labelsize')) and not k.startswith('figure')) >= 9
    assert STYLE['figure.facecolor'] == STYLE['savefig.facecolor'] == 'white'

def test_eight_lines_differ_twice():
    looks = [(look['color'], look['linestyle']) for look in map(line_look, range(32))]
    assert len(set(looks)) == 32 and len({c for c, _ in looks[:8]}) == 8 == len(set(MARKERS))
    assert all(a != b for k in range(7) for a, b in zip(looks[k], looks[k + 1]))

def test_style_stays_where_it_belongs():
    "A plot of the package leaves matplotlib as it was."
    before = dict(matplotlib.rcParams)
    draw_runs([made_up('a')])
    assert dict(matplotlib.rcParams) == before
    with matplotlib.rc_context():
        style()
        assert matplotlib.rcParams['legend.frameon'] is False
    assert dict(matplotlib.rcParams) == before

def made_up(name, k=0, n=20, **more):
    "A run with all fields."
    def row(t):
        fields = dict(success_rate=t/n, reward_mean=.1*t, done_rate=.01*t, trunc_rate=.01, entropy_mean=2 - .1*t, value_mean=.1*t*k,
                      explained_variance=t/n, dist_p50=.3, dist_p10=.1, dist_p90=.6)
        return dict(env_steps=5000*t, update=t) | fields | (dict(eval_success_rate=t/n) if t == n - 1 else {})
    return Run(name, rows=[row(t) for t in range(n)], **more)

def words(fig):
    return [t.get_text() for t in fig.findobj(matplotlib.text.Text) if t.get_text()]

def curves(ax):
    return [line for line in ax.lines if line.get_label() == 'average of updates']

def test_a_run_explains_itself():
    fig = draw_runs([made_up('only', resumes=[30_000])])
    said = words(fig)
    known = 'only', 'one update', 'average of updates', 'evaluation', 'run resumed', '10th to 90th percentile'
    assert not [name for name in known if name not in said]
    assert [ax.get_title(loc='left') for ax in fig.axes[:8]] == [p[0] for p in PANELS if p[2] not in (*POINTS, 'extras.divergence')]
    assert len({p[2] for p in PANELS}) == 11, 'one field a panel: entropy and value have axes of their own'
    assert all(ax.get_ylabel() for ax in fig.axes[:8])
    assert len([t for t in said if t == 'environment steps']) == 3
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        fig = draw_runs([Run('no goal', rows=[dict(env_steps=8, reward_mean=1., episode_return_mean=2., done_rate=.1, trunc_rate=0.)])])
    said = words(fig)
    assert not any('stays above 0' in text or 'success' in text for text in said)
    assert [ax.get_title(loc='left') for ax in fig.axes if ax.lines] == [p[0] for p in PANELS[1:3] + PANELS[5:7]], 'no panel is empty'
    assert len([t for t in said if t == 'environment steps']) == 3 and fig.axes[4].get_legend()

def test_eight_runs_stay_apart():
    fig = draw_runs([made_up(f'run {k}', k) for k in range(8)])
    names = [t.get_text() for t in fig.legends[0].get_texts()]
    assert names == [f'{k + 1}  run {k}' for k in range(8)]
    for ax in fig.axes[:8]:
        looks = {(line.get_color(), str(line._unscaled_dash_pattern)) for line in curves(ax)}
        assert len(looks) == 8, ax.get_title(loc='left')
        ends = [t for t in ax.texts if t.get_text() in '12345678']
        assert len(ends) == 8 and all(abs(np.diff(sorted(t.get_position()[1] for t in ends))) > .09)
        assert not ax.collections, 'eight bands would hide each other'
    handles = [(h.get_color(), str(h._unscaled_dash_pattern)) for h in fig.legends[0].get_lines()]
    assert len(set(handles)) == 8 and handles[0][0] == COLORS[0]

LONG = [f'a rather long name of a run, as people give them, number {k}' for k in range(8)]

def check_layout(fig):
    "All text of the figure lies within it, and the legend of runs above the panels."
    drawn = [t for t in fig.findobj(matplotlib.text.Text) if t.get_text() and t.get_visible()]
    outer = fig.bbox
    for t in drawn:
        box = t.get_window_extent()
        if t.axes is not None and t in t.axes.texts or t in fig.texts or t in fig.legends[0].get_texts():
            assert box.x0 >= outer.x0 - 1 and box.x1 <= outer.x1 + 1, t.get_text()
    low = fig.legends[0].get_window_extent().y0
    assert all(ax.get_window_extent().y1 < low for ax in fig.axes)

# Films

ROOM = np.arange(4, dtype=np.uint8).repeat(20)[None].repeat(72, 0)
HALL = np.roll(ROOM, 33, 1)

def rollout(T=12, N=3):
    "Screens that change and go blank; an episode in each ends: at the goal, cut off, over."
    frames = np.stack([np.roll(ROOM, 7*t, 1) for t in range(T)])[:, None].repeat(N, 1)
    frames[4], frames[5] = np.maximum(frames[3], 1) - 1, 0
    rows = [dict(step=t, env=i, action=(t + i) % 3, reward=0., done=t == 7 and i != 1, trunc=t == 8 and i == 1, reached=t == 7 and i == 0)
            for t in range(T) for i in range(N)]
    return frames, rows

def test_the_goal_is_beside_the_screens():
    frames, rows = rollout()
    film = film_frames(frames, rows, 2, (), HALL[None])
    assert film.shape[1:] == film_size(4, 2) == (2*(152 + 20), 2*168)
    first = film[:, 4:148:2, 4:164:2]
    assert (first == HALL).all() and (film[:, 0, 0] == INK).all()
    assert first.shape[2]/first.shape[1] == 160/144, 'the shape of the screen'

def test_captions_and_marks():
    frames, rows = rollout()
    film = film_frames(frames, rows, 2, ('UP', 'DOWN', 'A'), HALL[None])
    top = lambda t, i: film[t, i//2*172, i % 2*168]
    assert (top(6, 1), top(7, 1), top(8, 1), top(8, 2), top(7, 3), top(8, 3)) == (GAP, GOAL, GAP, TIMEOUT, INK, GAP)
    strip = lambda t, i: film[t, i//2*172 + 152:i//2*172 + 172, i % 2*168:i % 2*168 + 168]
    assert (strip(7, 1) == GOAL).any() and (strip(8, 2) == TIMEOUT).any() and (strip(6, 1) == INK).any()
    assert len({strip(t, 3).tobytes() for t in range(12)}) == 12, 'every step has a number of its own'
    contrast = lambda c: np.abs(np.array(PALETTE[c]) - 255).max()
    assert min(map(contrast, (INK, GOAL, TIMEOUT))) > 100

@slow
@pytest.mark.parametrize('x, y', [(10**15, 1e37), (0, 0.), (3, -1e37), (1, 1e-300)])
def test_odd_numbers_are_drawn(x, y):
    "Whatever a log may hold: one record, huge numbers, the same twice, beside six others; and nothing is cut or overlaps."
    run = made_up(LONG[0], n=1)
    run.rows[0] |= dict(env_steps=x, reward_mean=y, value_mean=-y, dist_p10=y)
    fig = draw_runs([run, *(made_up(name, k) for k, name in enumerate(LONG[2:])), run])
    FigureCanvasAgg(fig).draw()
    assert all(np.isfinite(t.get_position()[1]) for ax in fig.axes for t in ax.texts)
    check_layout(fig)

def test_a_small_file_keeps_the_colours():
    "Every colour of a line is in the PNG as it is, and white is white."
    fig, ax = figure()
    for k in range(8): ax.plot([0, 1], [k, k], color=COLORS[k], lw=6)
    picture = Image.open(io.BytesIO(Shown(fig).png)).convert('RGB')
    found = {'#%02X%02X%02X' % color for _, color in picture.getcolors(10**6)}
    assert found >= {*COLORS, '#FFFFFF'}
