"""Figures on record: JSON files beside the pages, each with a header that says what was counted, by which command, when and where.

    python tests/tools/records.py                   those that README and home page quote: date, commit, command (`make release-check`)
    python tests/tools/records.py NAME RESULT       keep what a command has measured as nbs/NAME, from a clean tree

A new record says what was counted and by which command; for one that there is, its header says so."""
import argparse, json, re, statistics, subprocess, time
from datetime import date
import psutil
from gbxnb.base.files import UserError, cli_errors, read_json, write_atomic
from gbxnb.base.progress import about
from pages import book, root

HEADER = dict(counted=str, command=str, date=str, commit=str, machine=dict, versions=dict)
MACHINE = {'device', 'cores', 'calibration_s', 'load'}
HOME = {'bench/results/compare.json', 'bench/results/learning_game.json', 'proofs/conformance_table.json'} # behind pages

def check_header(name, found):
    "The header of a record; what is none is refused."
    h = found.get('record') if isinstance(found, dict) else None
    if not isinstance(h, dict) or h.keys() != HEADER.keys(): raise UserError(f'{name}: its header has not just {", ".join(HEADER)}')
    if wrong := [k for k, kind in HEADER.items() if type(h[k]) is not kind or not h[k]]: raise UserError(f'{name}: {wrong[0]} is none')
    try: date.fromisoformat(h['date'])
    except ValueError: raise UserError(f'{name}: date is {h["date"]!r}, but must be like 2026-11-26') from None
    if not re.fullmatch('[0-9a-f]{40}', h['commit']): raise UserError(f'{name}: commit is none, or has changes beside it')
    if not h['machine'].keys() >= MACHINE: raise UserError(f'{name}: machine has not all of {", ".join(sorted(MACHINE))}')
    return h

def quoted():
    "Records that the README and the home page link to, or that pages do which their figures link to."
    home = '\n'.join(''.join(c['source']) for c in book(root/'nbs/index.ipynb')['cells'])
    return HOME | {p for p in re.findall(r'\]\(([^)]+\.json)\)', home)}

def calibrate(count):
    "Processor time of ten million additions in a loop of Python, by timing `count` of them."
    begin, total = time.process_time(), 0
    for k in range(count): total += k
    return (time.process_time() - begin)*10**7/count

def machine(seconds=5):
    "How fast and how busy this machine is."
    psutil.cpu_percent()
    end, loops = time.monotonic() + seconds, [calibrate(10**7)]
    while time.monotonic() < end: loops.append(calibrate(10**7))
    return dict(calibration_s=round(statistics.mean(loops), 3), calibration_range_s=[round(f(loops), 3) for f in (min, max)],
                load=round(psutil.cpu_percent(1.)/100*(psutil.cpu_count() or 1), 2))

def git(*words): return subprocess.run(['git', *words], cwd=root, capture_output=True, text=True, check=True).stdout.strip()

def keep(name, result, counted, command):
    "Put a header before a result."
    if git('status', '--porcelain', '-uno', '--', 'gbxnb', 'tests', 'nbs/*.ipynb'):
        raise UserError('the tree has changes: commit or undo them, a record belongs to a commit')
    path, said = root/'nbs'/name, read_json(result)
    before = read_json(path)['record'] if path.exists() else dict(counted=counted, command=command)
    if not isinstance(said, dict): said = dict(rows=said)
    stages = [*said.get('stages', {}).values()] # tests/measure/gpu.py measures on a machine without a checkout
    there = stages[-1] if stages else {}
    here = about('cpu') | dict(date=str(date.today())) | {k: v for d in (there, said) for k, v in d.items() if isinstance(v, str)}
    speeds = [r['calibration_s'] for s in stages for r in s.get('rows', ()) if 'calibration_s' in r]
    facts = dict(calibration_s=round(statistics.median(speeds), 3) if speeds else None, load=None) if stages else machine()
    facts |= dict(device=here.get('device_name', here['device']), cores=there.get('cores', about('cpu')['cores']))
    versions = {k.removesuffix('_version'): v for k, v in here.items() if k.endswith('_version') and v}
    header = dict(counted=counted or said.get('counted') or before['counted'], command=command or before['command'], date=here['date'],
                  commit=here['git_sha'], machine=facts, versions=versions)
    lifted = {'record', *header, 'git_sha', 'device', 'cores', *(f'{k}_version' for k in versions)}
    found = dict(record=header) | {k: v for k, v in said.items() if k not in lifted}
    check_header(name, found)
    text = json.dumps(found, indent=1)
    write_atomic(path, (text if len(text) < 60_000 else json.dumps(found)) + '\n')

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('name', nargs='?', help='below nbs, bench/results/train.json for one')
    p.add_argument('result', nargs='?', help='the file that its command wrote')
    for flag in 'counted', 'command': p.add_argument(f'--{flag}', default='')
    o = p.parse_args()
    if o.name: keep(o.name, o.result or p.error('RESULT is missing'), o.counted, o.command)
    else:
        for name in sorted(quoted()):
            h = check_header(name, read_json(root/'nbs'/name))
            print(f'{h["date"]}  {h["commit"][:8]}  {name:42} {h["command"]}')

if __name__ == '__main__': cli_errors(main)()
