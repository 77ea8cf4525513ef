"Figures on record: each has a header, a commit that exists, and a reader."
import json, re, subprocess
from datetime import date

import pytest
import records
from gbxnb.base.files import UserError, read_json
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
    assert len(HEADERS) > 30
    for name, h in HEADERS.items(): assert '2026-11-01' < h['date'] <= str(date.today()) and ' ' in h['counted'], name

@pytest.mark.parametrize('planted', [dict(commit='0'*40 + '+'), dict(date='26.11.2026'), dict(counted=''), dict(machine=dict(cores=2)),
                                     dict(versions=[]), dict(depends=[])], ids=str)
def test_what_is_no_header_is_refused(planted):
    with pytest.raises(UserError, match='a: '): records.check_header('a', dict(record=HEADERS['bench/results/compare.json'] | planted))

def test_records_are_read():
    "By a page, a test, or the home page that links to it."
    sources = [(page, ''.join(c['source'])) for page in notebooks() for c in book(page)['cells']]
    read = {p for page, s in sources for at in re.findall(r"(?:read_json|load_report)\(f?'([^']+\.json)'", s)
            for p in page.parent.glob(re.sub(r'{.*?}', '*', at))}
    named = {p.resolve().relative_to(root/'nbs').as_posix() for p in read if p.is_file()} | LINKED
    assert named >= set(HEADERS), set(HEADERS) - named

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
