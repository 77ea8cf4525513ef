"""What takes minutes, a browser, other ROMs or other Pythons: `make slow`. It can be stopped and started again: what has passed stays so
until a file changes that it looks at. Parts run side by side, as many as there are cores; each says what it cost, and at the end there is
a table of what was skipped and why.

    python tests/tools/slow.py            every part
    python tests/tools/slow.py pages      those whose names begin so
    python tests/tools/slow.py --anew     also what has passed"""
import argparse, hashlib, json, os, re, subprocess, sys, tempfile, time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
import surroundings # noqa: F401 what every part finds around it
from near import helpers, scripts
from pages import FRONT, notebooks, root

KEPT = root/'runs/slow' # what was said and what it cost, a file for each part
FACTS = 'settings.ini', 'pyproject.toml', 'setup.py', 'Makefile' # of the project, for every part
py = sys.executable
pytest = [py, '-m', 'pytest', '-p', 'no:cacheprovider', '-rs', '--slow', '-m', 'slow']

def parts():
    "Name to command, and to the files and folders that it looks at: slow tests file by file, rooms of pages, campaigns, Pythons, systems."
    known = scripts()
    def with_helpers(name): return [root/'gbxnb', *helpers(known[name], known)]
    found = dict(pythons=(['make', '-s', 'pythons'], [root/'gbxnb', root/'noxfile.py']))
    for p in (p for name, p in known.items() if name.startswith('test_') and 'mark.slow' in p.read_text(encoding='utf-8')):
        found[f'tests {p.stem[5:]}'] = [*pytest, str(p.relative_to(root))], [*with_helpers(p.stem), *with_helpers('conftest'), root/'nbs']
    rooms = sorted({p.parent.name for p in notebooks()} - {'nbs'})
    for name in (*FRONT, *rooms): # to test no page at all would be a success
        command = ['nbdev_test', '--n_workers', '1', '--flags', 'slow', '--path', f'nbs/{name}'] # with what `make test` leaves out
        found[f'pages {name}'] = command, [root/'gbxnb', root/'nbs'/name]
    return found

def tracked():
    "Every file that git knows of, or would not ignore."
    run = subprocess.run(['git', 'ls-files', '-coz', '--exclude-standard'], cwd=root, capture_output=True, check=True)
    return sorted({root/os.fsdecode(name) for name in run.stdout.split(b'\0') if name})

def state(places, files):
    "A hash of what a part looks at."
    seen = {*places, *(root/name for name in FACTS)}
    own = [p for p in files if p.is_file() and not seen.isdisjoint((p, *p.parents))]
    return hashlib.sha256(b'\0'.join(b'%s\n%s' % (os.fsencode(p.relative_to(root)), p.read_bytes()) for p in own)).hexdigest()

def skipped(said):
    "Reasons that pytest gave for what it left out, each with the number of tests."
    return Counter({why: int(n) for n, why in re.findall(r'^SKIPPED \[(\d+)\] \S+ (.*)$', said, re.M)})

def run(name, command):
    "One part to its end, whatever it leaves behind; what it cost and said."
    begin = time.monotonic()
    with tempfile.TemporaryFile('w+', encoding='utf-8', errors='replace') as out:
        part = subprocess.Popen(command, cwd=root, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(part.pid, 0)
        out.seek(0)
        said = out.read()
    part.returncode = os.waitstatus_to_exitcode(status)
    ok = part.returncode == 0 or part.returncode == 5 and command[:3] == pytest[:3] # nothing was left to run
    return dict(name=name, ok=ok, seconds=round(time.monotonic() - begin, 1), cpu_seconds=round(used.ru_utime + used.ru_stime, 1),
                skipped=skipped(said), said=said)

def line(r): return f"{r['seconds']:8.1f} s {r['cpu_seconds']:8.1f} CPU-s  {'ok    ' if r['ok'] else 'FAILED'}  {r['name']}"

def place(name): return KEPT/f"{name.replace(' ', '-')}.json"

def kept(name, now):
    "What came of a part of this state, if it passed."
    if not place(name).exists(): return None
    result = json.loads(place(name).read_text(encoding='utf-8'))
    return result if result.get('state') == now and result['ok'] else None

def keep(result):
    from gbxnb.base.files import write_atomic
    write_atomic(place(result['name']), json.dumps(result, indent=1) + '\n')

def longest_first(name):
    "What a part took when it last ran; a new one may take long."
    return -json.loads(place(name).read_text(encoding='utf-8'))['seconds'] if place(name).exists() else -1e9

def main(args):
    KEPT.mkdir(parents=True, exist_ok=True)
    begin, files, results, todo = time.monotonic(), tracked(), [], {}
    for name, (command, places) in parts().items():
        if not name.startswith(tuple(args.parts or [''])): continue
        now = state(places, files)
        if (before := None if args.anew else kept(name, now)): results.append(before)
        else: todo[name] = command, now
    for r in results: print(line(r) + ', before')
    print(f'{len(todo)} parts to run, {len(results)} have passed before', flush=True)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as lanes:
        running = {lanes.submit(run, name, todo[name][0]): name for name in sorted(todo, key=longest_first)}
        for done in as_completed(running):
            result = done.result() | dict(state=todo[running[done]][1])
            keep(result)
            results.append(result)
            print(line(result), flush=True)
            if not result['ok']: print(result['said'], flush=True)
    why = sum((Counter(r['skipped']) for r in results), Counter())
    if why: print('skipped:', *(f'{n:6} tests: {reason}' for reason, n in why.most_common()), sep='\n')
    failed = [r['name'] for r in results if not r['ok']]
    print(f"{time.monotonic() - begin:8.1f} s; all parts {sum(r['seconds'] for r in results):.1f} s, "
          f"{sum(r['cpu_seconds'] for r in results):.1f} CPU-s: "
          + (f"FAILED: {', '.join(failed)}" if failed else f'{len(results)} parts passed'))
    return bool(failed)

if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('parts', nargs='*')
    parser.add_argument('--anew', action='store_true')
    sys.exit(main(parser.parse_args()))
