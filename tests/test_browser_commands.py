"`gbxnb play`, `watch` and `inspect`: what their pages run, what is refused before there is a server, and the pages in a real browser."
import json, os, re, signal, stat, subprocess, sys, urllib.request
from contextlib import contextmanager
from pathlib import Path
from unittest import mock
from urllib.parse import urlencode, urlsplit

import psutil
import pytest
from gbxnb.base.command import call
from gbxnb.lab import browser
from test_browser import ALL, FLAGS, MINUTES, ONE, chromium, moves, picture, root, shows, until

COMMANDS = dict(play=browser.play_cli, watch=browser.watch_cli, inspect=browser.inspect_cli)

def made(name, *words):
    "What the kernel of a page makes: its one cell, run here."
    seen = []
    def run(notebook, how):
        *lines, last = json.loads(notebook.read_text(encoding='utf-8'))['cells'][0]['source'].splitlines()
        exec('\n'.join(lines), names := {})
        seen[:] = eval(last, names), notebook, how
    with mock.patch.object(browser, '_serve', run): status, out, err = call(COMMANDS[name], *words)
    assert not status, err
    assert not seen[1].parent.exists(), 'the folder of the page stays'
    return seen[0], seen[2]

def test_what_the_pages_show(tmp_path, monkeypatch):
    "The game runs, the policy plays, the console has been switched on; a state is gone on from, whatever its file is called."
    monkeypatch.chdir(tmp_path)
    pad, how = made('play', '--no-browser', '--port', 0)
    assert pad.session.running and not how.browser
    pad.session.run(200)
    name = '"); raise SystemExit # \'\\.npz'
    pad.session.save_state(name)
    again, _ = made('play', '--start', name)
    assert again.session.emulator.hash(0) == pad.session.emulator.hash(0)
    assert made('inspect', '--start', name, '--frames', 0)[0].emulator.hash(0) == pad.session.emulator.hash(0)
    watch, _ = made('watch', '--num-envs', 2, '--device', 'cpu')
    assert watch.play.playing and watch.frames.shape == (2, 72, 80)

@pytest.mark.parametrize('name, words, why', [
    ('play', ['none.gb'], 'none.gb: no such file'), ('play', ['--start', 'none.npz'], 'none.npz: cannot be read'),
    ('play', ['--start', 'a', '--battery', 'b'], 'leave --battery out'), ('play', ['--port', 99999], 'port is 99999'),
    ('inspect', ['none.gb'], 'none.gb: no such file'), ('watch', ['none'], 'none: there is no checkpoint'),
    ('watch', ['--num-envs', 0], '--num-envs is 0')])
def test_refused_before_a_server(tmp_path, monkeypatch, name, words, why):
    monkeypatch.chdir(tmp_path)
    with mock.patch.object(browser, '_serve', lambda *_: pytest.fail('there is a server')): status, out, err = call(COMMANDS[name], *words)
    assert (status, out, err.count('\n')) == (1, '', 1) and why in err

@contextmanager
def served(folder, *words, end=signal.SIGINT, browser=''):
    "The address of a command's page; when it is asked to end, it leaves no process and no file."
    (temporary := folder/'temporary').mkdir()
    cmd = [sys.executable, '-m', 'gbxnb', *words, *([] if browser else ['--no-browser'])]
    env = os.environ | dict(PYTHONPATH=str(root), TMPDIR=str(temporary), BROWSER=browser)
    with (folder/'errors').open('w+') as errors, subprocess.Popen(cmd, cwd=folder, env=env, text=True, stdout=subprocess.PIPE,
                                                                  stderr=errors) as command:
        try:
            yield command.stdout.readline().strip()
            below = psutil.Process(command.pid).children(recursive=True)
            command.send_signal(end)
            assert (command.wait(MINUTES), command.stdout.read()) == (0, 'Ctrl-C ends it.\n')
            assert not psutil.wait_procs(below, 10)[1] and not [p for p in temporary.iterdir() if p.name.startswith(('gbxnb', 'voila'))]
            errors.seek(0)
            assert not errors.read()
        finally: command.kill()

def fetch(url):
    "A page, with the cookies that its redirections set."
    with urllib.request.build_opener(urllib.request.HTTPCookieProcessor()).open(url, timeout=MINUTES) as page: return page.read().decode()

@pytest.mark.slow
@pytest.mark.parametrize('end', [signal.SIGINT, signal.SIGTERM])
def test_server_answers_those_with_the_token_and_ends(tmp_path, end):
    with served(tmp_path, 'play', end=end) as url:
        address, token = url.split('?')
        assert address.startswith('http://127.0.0.1:') and len(token) == len('token=') + 32
        widget = 'application/vnd.jupyter.widget-view+json'
        assert widget in fetch(url) and widget not in fetch(address)

@pytest.mark.slow
def test_the_token_stands_where_nobody_else_reads(tmp_path):
    "The browser opens a file of the user's own, which posts the token; no address, command line or variable has it."
    (tmp_path/'asks.py').write_text("import sys; open('asked', 'w').write(sys.argv[1])")
    with served(tmp_path, 'play', browser=f'{sys.executable} {tmp_path}/asks.py %s') as url:
        token, asked = url.split('token=')[1], tmp_path/'asked'
        until(lambda: asked.exists() and asked.read_text())
        file = Path(urlsplit(asked.read_text()).path)
        assert urlsplit(asked.read_text()).scheme == 'file' and token not in str(file)
        assert [stat.S_IMODE(p.stat().st_mode) for p in (file.parent, file)] == [0o700, 0o600]
        form = file.read_text()
        fields, action = dict(re.findall(r'name="(\w+)" value="(\w+)"', form)), re.search(r'method="post" action="(\S+)"', form)[1]
        with urllib.request.build_opener(urllib.request.HTTPCookieProcessor()).open(action, urlencode(fields).encode()) as page:
            assert token not in page.geturl() and 'widget-view' in page.read().decode()
        processes = psutil.Process().children(recursive=True)
        assert len(processes) > 1 and not [p for p in processes if token in ' '.join([*p.cmdline(), *p.environ().values()])]

@pytest.mark.slow
def test_a_page_at_rest_keeps_its_socket(tmp_path):
    "A server that asks every half minute must wait longer than that for the answer, or not ask."
    app, sockets = pytest.importorskip('voila.app').Voila, pytest.importorskip('jupyter_server.base.websocket').WebSocketMixin
    seen, socket = [], sockets()
    with mock.patch.multiple(app, initialize=mock.DEFAULT, start=lambda self: seen.append(self.tornado_settings)):
        browser._serve(tmp_path/'page.ipynb', browser._PageConfig(browser=False))
    socket.settings = seen[0]
    assert not socket.ping_interval or socket.ping_timeout >= 2*socket.ping_interval

@contextmanager
def opened(folder, *words):
    "A browser with the page of a command."
    sync = pytest.importorskip('playwright.sync_api', reason='needs playwright: pip install playwright')
    if not chromium: pytest.skip('needs a chromium on the PATH, or CHROMIUM=/its/path')
    with served(folder, *words) as url, sync.sync_playwright() as p:
        page = p.chromium.launch(executable_path=chromium, headless=True, args=FLAGS).new_page(viewport=dict(width=1400, height=1000))
        page.set_default_timeout(1000*MINUTES)
        said = []
        page.on('console', lambda m: said.append(m.text) if m.type == 'error' else None)
        page.goto(url, wait_until='commit')
        try:
            yield page
            assert not said, 'the browser complains, of other hosts for one'
        finally:
            if shots := os.environ.get('GBXNB_SHOTS'):
                for width in 1400, 480:
                    page.set_viewport_size(dict(width=width, height=1000))
                    until(lambda width=width: page.evaluate('innerWidth') == width)
                    page.screenshot(path=f'{shots}/command-{words[0]}-{width}.png', full_page=True)
            page.context.browser.close()

def narrow(page):
    "Nothing is wider than a narrow window."
    page.set_viewport_size(dict(width=480, height=900))
    until(lambda: page.evaluate('document.documentElement.scrollWidth') <= 480)

@pytest.mark.slow
def test_play_runs_and_hears_keys_without_a_click(tmp_path):
    with opened(tmp_path, 'play') as page:
        page.wait_for_selector(ONE)
        until(lambda: page.locator('.gbx-line code').inner_text().split('/')[-1] not in '012345') # it runs
        title = picture(page, ONE)
        page.keyboard.press('Enter')
        until(lambda: picture(page, ONE) != title)
        town = picture(page, ONE)
        page.keyboard.press('f') # steps
        page.keyboard.press('ArrowRight')
        until(lambda: picture(page, ONE) != town)
        page.locator('.gbx-play button', has_text='save').nth(1).click()
        until(lambda: (tmp_path/'runs/moment.npz').exists())
        narrow(page)

@pytest.mark.slow
def test_watch_plays_and_hears_keys_without_a_click(tmp_path):
    with opened(tmp_path, 'watch', '--num-envs', '3') as page:
        page.wait_for_selector(ALL)
        moves(page, ALL)
        page.keyboard.press('ArrowRight')
        shows(page, page.locator('.gbx-note').first, '#1')
        page.keyboard.press(' ')
        assert picture(page, ALL) == picture(page, ALL)
        narrow(page)

@pytest.mark.slow
def test_inspect_hears_keys_without_a_click(tmp_path):
    with opened(tmp_path, 'inspect') as page:
        top = page.locator('.gbx-inspect [data-part=top]')
        shows(page, top, 'as it was taken')
        page.keyboard.press('s')
        shows(page, top, 'M-cycles on')
        page.keyboard.press('2')
        shows(page, page.locator('.gbx-inspect [data-part=panel]'), 'C010')
        narrow(page)
