"Figures on record: each has a header, a commit that exists, and a page that says where it is from."
import json, re, subprocess
from datetime import date

import pytest
import records
from gbxnb.base.files import UserError, read_json
from gbxnb.proofs.records import mark_of
from pages import book, notebooks, root

NAMES = ['proofs/conformance_table.json', 'proofs/lockstep_games.json',
         *(p.relative_to(root/'nbs').as_posix() for p in (root/'nbs').rglob('results/*.json'))]
HEADERS = {name: records.check_header(name, read_json(root/'nbs'/name)) for name in NAMES}
LINKED = {'proofs/results/pythons.json', 'proofs/results/conformance_others.json'} # the home page shows where they lie

def test_commits_exist():
    found = subprocess.run(['git', 'rev-parse', '--is-shallow-repository'], cwd=root, capture_output=True, text=True)
    if found.stdout.strip() != 'false': pytest.skip('no git, or not all of its history')
    commits = sorted({h['commit'] for h in HEADERS.values()})
    found = subprocess.run(['git', 'cat-file', '--batch-check'], cwd=root, capture_output=True, text=True, input='\n'.join(commits))
    assert [line.split()[1] for line in found.stdout.splitlines()] == ['commit']*len(commits)

def test_dates_and_machines():
    assert len(HEADERS) > 50
    for name, h in HEADERS.items(): assert '2026-11-01' < h['date'] <= str(date.today()) and ' ' in h['counted'], name

@pytest.mark.parametrize('planted', [dict(commit='0'*40 + '+'), dict(date='26.11.2026'), dict(counted=''), dict(machine=dict(cores=2)),
                                     dict(versions=[]), dict(depends=[])], ids=str)
def test_what_is_no_header_is_refused(planted):
    with pytest.raises(UserError, match='a: '): records.check_header('a', dict(record=HEADERS['bench/results/compare.json'] | planted))

def test_pages_show_records():
    "Every record stands on a page, whose stored line is that of its header."
    named, wrong = set(LINKED), []
    for page in notebooks():
        for cell in book(page)['cells']:
            paths = [p for at in re.findall(r"read_record\(f?'([^']+\.json)'", ''.join(cell['source']))
                     for p in page.parent.glob(re.sub(r'{.*?}', '*', at))]
            lines = {''.join(o['data'].get('text/markdown', '')) for o in cell.get('outputs', ()) if 'data' in o}
            names = [p.resolve().relative_to(root/'nbs').as_posix() for p in paths]
            marks = {mark_of(n, HEADERS[n]) for n in names}
            named |= set(names)
            wrong += [f'{page.name}: {x}' for x in lines if ' measured on ' in x and x[:1] == '*' and x not in marks]
            if paths and not marks & lines: wrong.append(f'{page.name}: the cell {cell["id"]} shows no record: run it')
    assert not wrong and named >= set(HEADERS), (wrong, set(HEADERS) - named)

def test_what_is_quoted_is_on_record():
    assert {'bench/results/compare.json', 'proofs/results/pythons.json'} < records.quoted() <= set(HEADERS)

def test_a_result_gets_a_header(tmp_path, monkeypatch):
    monkeypatch.setattr(records, 'root', tmp_path)
    monkeypatch.setattr(records, 'machine', lambda: dict(calibration_s=.5, load=0.))
    monkeypatch.setattr(records, 'git', lambda *words: '')
    monkeypatch.setattr(records, 'about', lambda device: dict(git_sha='0'*40, device='a processor', cores=2, torch_version='2'))
    (tmp_path/'nbs').mkdir()
    (tmp_path/'made.json').write_text(json.dumps([1, 2]))
    records.keep('a.json', tmp_path/'made.json', 'numbers', 'count')
    found = read_json(tmp_path/'nbs/a.json')
    assert found['rows'] == [1, 2] and found['record']['versions'] == dict(torch='2')
    monkeypatch.setattr(records, 'git', lambda *words: ' M gbxnb/x.py')
    with pytest.raises(UserError, match='the tree has changes'): records.keep('a.json', tmp_path/'made.json', '', '')
