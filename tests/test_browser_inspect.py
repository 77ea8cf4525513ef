"A real browser opens the inspector: tabs by the keyboard, a search that narrows, a breakpoint, steps; twice, restarted, without a kernel."
import os, re

import pytest
from test_browser import idle, no_errors, notebook, opening, rests, until

NB, WIDGET = 'lab/09_inspect.ipynb', '.gbx-inspect[role=group]'

def shot(w, name):
    if folder := os.environ.get('GBXNB_SHOTS'): w.screenshot(path=f'{folder}/inspect-{name}.png')

def part(w, name): return w.locator(f'[data-part={name}]')

def shows(node, text): until(lambda: text in node.inner_text(), lambda: f'{text!r} is not in {node.inner_text()!r}')

def pc(w):
    found = re.search(r'PC\s+([0-9A-F]{4})', part(w, 'side').inner_text())
    return found and found[1]

def press(page, w, key):
    "A key at the widget; wait until what it shows is another."
    before = w.inner_html()
    w.focus()
    page.keyboard.press(key)
    until(lambda: w.inner_html() != before, lambda: f'{key} does nothing')

def opened(page):
    page.wait_for_selector(WIDGET)
    idle(page)
    w = page.locator(WIDGET).first
    w.scroll_into_view_if_needed()
    return w

@pytest.mark.slow
def test_tabs_and_steps(tmp_path):
    with notebook(NB, tmp_path, whole=True) as page: # a copy whose outputs were not made here is not trusted
        w, cells = opened(page), page.locator('.jp-Notebook .jp-Cell').count()
        part(w, 'tabs').get_by_text('Code', exact=True).focus()
        seen = []
        for name in 'Memory', 'Search', 'Changes', 'Tiles', 'Maps', 'Sprites', 'I/O registers', 'Code':
            page.keyboard.press('ArrowRight')
            until(lambda name=name: part(w, 'tabs').locator('[aria-selected=true]').inner_text() == name)
            assert page.evaluate('document.activeElement.innerText') == name, 'the focus went elsewhere'
            seen.append(part(w, 'panel').inner_html())
            shot(w, name.split()[0].replace('/', '').lower())
        assert len({*seen}) == 8
        at = pc(w)
        press(page, w, 's')
        assert pc(w) != at
        shows(part(w, 'top'), 'M-cycles on')
        press(page, w, 'u')
        assert pc(w) == at
        field = w.locator('form[data-do=stop] input')
        field.fill('MoveVillager')
        field.press('Enter')
        shows(part(w, 'controls'), 'MoveVillager ✕')
        press(page, w, 'c')
        shows(part(w, 'said'), 'stopped at the breakpoint MoveVillager')
        assert pc(w) == '047B'
        shot(w, 'breakpoint')
        for key in 'ArrowDown', 'ArrowDown', 'r': press(page, w, key)
        assert pc(w) != '047B'
        for key in 'xabdz': # a notebook in command mode would cut, insert and delete cells
            w.focus()
            page.keyboard.press(key)
        assert page.locator('.jp-Notebook .jp-Cell').count() == cells and no_errors(page)

@pytest.mark.slow
def test_search_narrows(tmp_path):
    with notebook(NB, tmp_path, whole=True) as page:
        w = opened(page)
        press(page, w, '3')
        w.locator('form[data-do=search] select').select_option('byte')
        w.locator('form[data-do=search] button').click()
        shows(part(w, 'panel'), 'places after 0 steps')
        held = w.locator('[data-do=hold][data-arg="2"]') # to the left
        held.click()
        for _ in range(20): press(page, w, 'f')
        w.locator('[data-do=narrow][data-arg=decreased]').click()
        shows(part(w, 'panel'), 'after 1 step')
        left = int(re.match(r'([\d,]+) place', part(w, 'panel').inner_text())[1].replace(',', ''))
        assert 0 < left < 100 and "'wPlayer': Variable(0xC385)" in part(w, 'panel').inner_text()
        number = w.locator('form[data-do=narrow] input')
        number.fill('200')
        w.get_by_role('button', name='less', exact=True).click()
        shows(part(w, 'panel'), 'after 2 steps')
        assert number.input_value() == '200', 'what was typed stays'
        w.get_by_role('button', name='equal', exact=True).click()
        shows(part(w, 'panel'), '0 places after 3 steps')
        assert no_errors(page)

@pytest.mark.slow
def test_twice_restarted_and_dead(tmp_path):
    with notebook(NB, tmp_path, ''.join(opening(NB)['source']), '0') as page:
        opened(page)
        page.locator('.jp-Notebook .jp-Cell').last.click()
        page.keyboard.press('Escape')
        page.keyboard.press('b')
        page.keyboard.press('Enter')
        page.keyboard.type('opened')
        page.keyboard.press('Shift+Enter')
        until(lambda: page.locator(WIDGET).count() >= 2, lambda: 'it is not shown twice')
        idle(page)
        one, two = page.locator(WIDGET).first, page.locator(WIDGET).nth(page.locator(WIDGET).count() - 1)
        one.scroll_into_view_if_needed()
        press(page, one, 's')
        until(lambda: pc(one) == pc(two), lambda: f'{pc(one)} and {pc(two)}')
        page.get_by_role('menuitem', name='Kernel').first.click()
        page.get_by_text('Restart Kernel and Run All Cells…', exact=True).click()
        page.locator('.jp-Dialog button.jp-mod-accept').click()
        until(lambda: not rests(page))
        idle(page)
        one = opened(page)
        press(page, one, 's')
        page.get_by_role('menuitem', name='Kernel').first.click()
        page.get_by_text('Shut Down Kernel', exact=True).click()
        life = one.locator('.gbx-i-life')
        until(lambda: life.is_visible() and 'does not answer' in life.inner_text(), lambda: 'a dead kernel is not said to be dead')
        shot(one, 'dead')
