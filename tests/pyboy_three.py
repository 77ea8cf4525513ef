"""Run scripts written for PyBoy three ways and compare: with PyBoy, unchanged on gbxnb, and changed in three lines on 64 consoles.

    python measure.py FOLDER --rounds 5 --out three.json

FOLDER holds `scripts.json` and a folder for each script with its cartridge. Seconds run from the script's first line to its end,
the emulator's package being loaded; those inside `tick` are given, too."""
import argparse, hashlib, json, os, re, shutil, statistics, subprocess, sys, tempfile
from pathlib import Path

N = 64
LAUNCH = '''
import json, os, runpy, sys, time
way, script, n = sys.argv[1], sys.argv[2], 1
sys.argv, sys.path[0] = sys.argv[2:], '.'
if way != 'pyboy':
    import gbxnb.pyboy as ours
    ours.stand_in()
    n = 64 if way == 'ours_x64' else 1
import pyboy
boys = ours.PyBoys if n > 1 else pyboy.PyBoy
spent = [0, 0.]
class Timed(boys):
    def tick(self, count=1, *rest, **more):
        began = time.perf_counter()
        goes_on = super().tick(count, *rest, **more)
        spent[:] = spent[0] + n*count, spent[1] + time.perf_counter() - began
        return goes_on
if n > 1: ours.PyBoys = Timed
else: pyboy.PyBoy = Timed
began = time.perf_counter()
runpy.run_path(script, run_name='__main__')
print(json.dumps(dict(frames=spent[0], ticking=spent[1], seconds=time.perf_counter() - began)), file=sys.stderr)
'''

def run(folder, one, way):
    "What one run printed and wrote, and its figures."
    with tempfile.TemporaryDirectory() as work:
        shutil.copytree(folder/one['name'], work, dirs_exist_ok=True)
        given, script = {p for p in Path(work).rglob('*')}, Path(work)/f"{one['name']}.py"
        if way == 'ours_x64': script.write_text(changed(script.read_text(), one['changed']))
        done = subprocess.run([sys.executable, '-c', LAUNCH, way, script.name, *one['arguments']], cwd=work, text=True, timeout=300,
                              capture_output=True, env=os.environ | one['environment'])
        if done.returncode: raise SystemExit(f"{one['name']}, {way}:\n{done.stdout}{done.stderr}")
        wrote = {p.name: hashlib.sha256(p.read_bytes()).hexdigest()[:12] for p in Path(work).rglob('*')
                 if p not in given and p.is_file() and p.suffix not in ('.pyc', '.ram')}
    return done.stdout, wrote, json.loads(done.stderr.splitlines()[-1])

def changed(text, pairs):
    "The script with its changed lines."
    lines = text.split('\n')
    for before, after in pairs: lines[lines.index(before)] = after
    return '\n'.join(lines)

def without_times(text): return re.sub(r'(Time taken|Speedup).*', r'\1', text)

def main():
    a = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    a.add_argument('folder', type=Path)
    a.add_argument('--rounds', type=int, default=5)
    a.add_argument('--out', type=Path, default='three.json')
    a = a.parse_args()
    rows, ways = json.loads((a.folder/'scripts.json').read_text()), ('pyboy', 'ours', 'ours_x64')
    for one in rows:
        results = {way: [] for way in ways}
        for _ in range(a.rounds):
            for way in ways:
                results[way].append(run(a.folder, one, way))
        told = {way: {(without_times(out), *sorted(wrote.items())) for out, wrote, _ in results[way]} for way in ways}
        figures = lambda of, results=results: {way: [round(of(f)) for *_, f in results[way]] for way in ways}
        one['lines'] = len((a.folder/one['name']/f"{one['name']}.py").read_text().splitlines())
        one |= dict(n=N, rounds_alike={way: len(told[way]) == 1 for way in ways}, equal=told['pyboy'] == told['ours'],
                    printed={way: results[way][0][0][-1500:] for way in ways}, wrote={way: results[way][0][1] for way in ways},
                    frames={way: results[way][0][2]['frames'] for way in ways},
                    seconds={way: [round(f['seconds'], 3) for *_, f in results[way]] for way in ways},
                    speeds=figures(lambda f: f['frames']/f['seconds']), ticking=figures(lambda f: f['frames']/f['ticking']))
        one['median'] = {way: statistics.median(v) for way, v in one['speeds'].items()}
        one['median_ticking'] = {way: statistics.median(v) for way, v in one['ticking'].items()}
        print(one['name'], 'equal' if one['equal'] else 'DIFFERS', one['median'], one['median_ticking'], flush=True)
        a.out.write_text(json.dumps(rows, indent=1, ensure_ascii=False))

if __name__ == '__main__': main()
