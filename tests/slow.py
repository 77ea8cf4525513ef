"""What takes minutes, a browser, other ROMs or other Pythons: `make slow`. It can be stopped and started again: what has passed stays so
until a file changes. At the end it says what each part cost, and what was skipped and why.

    python tests/slow.py            every part
    python tests/slow.py fuzz       those whose names begin so
    python tests/slow.py --anew     also what has passed"""
import argparse, hashlib, json, os, re, resource, subprocess, sys, time
from collections import Counter
import surroundings # noqa: F401 what every part finds around it
from fuzzing import names
from pages import FRONT, notebooks, root

KEPT = root/'runs/slow' # what was said and what it cost, a file of each for every part
py = sys.executable
pytest = [py, '-m', 'pytest', '-p', 'no:cacheprovider', '-rs', '--slow', '-m', 'slow']

def parts():
    "Name to command: the slow tests file by file, each page in a process of its own, the campaigns, the Pythons."
    files = sorted(p for p in (root/'tests').glob('test_*.py') if 'mark.slow' in p.read_text(encoding='utf-8'))
    found = {f'tests {p.stem[5:]}': [*pytest, f'tests/{p.name}'] for p in files}
    rooms = sorted({p.parent.name for p in notebooks()} - {'nbs'})
    where = {name: f'nbs/{name}' for name in (*FRONT, *rooms)} # to test no page at all would be a success
    found |= {f'pages {room}': ['nbdev_test', '--n_workers', '1', '--path', path] for room, path in where.items()}
    found |= {f'fuzz {name}': [py, 'tests/fuzzing.py', name] for name in names()}
    return found | {'pythons': [py, 'tests/pythons.py']}

def state():
    "What would be tried: the commit, and what differs from it."
    def git(*words): return subprocess.run(['git', *words], cwd=root, capture_output=True, check=True).stdout
    new = git('ls-files', '-oz', '--exclude-standard').split(b'\0')[:-1]
    texts = [git('rev-parse', 'HEAD'), git('diff', 'HEAD'), *(n + (root/os.fsdecode(n)).read_bytes() for n in new)]
    return hashlib.sha256(b'\0'.join(texts)).hexdigest()

def skipped(said):
    "Reasons that pytest gave for what it left out, each with the number of tests."
    return Counter({why: int(n) for n, why in re.findall(r'^SKIPPED \[(\d+)\] \S+ (.*)$', said, re.M)})

def run(name, command):
    "One part to its end; what it cost and said."
    begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    ok = done.returncode == 0 or done.returncode == 5 and command[:3] == pytest[:3] # nothing was left to run
    return dict(name=name, ok=ok, seconds=round(time.monotonic() - begin, 1), cpu_seconds=round(cpu, 1),
                skipped=skipped(done.stdout), said=done.stdout)

def line(r): return f"{r['seconds']:8.1f} s {r['cpu_seconds']:8.1f} CPU-s  {'ok    ' if r['ok'] else 'FAILED'}  {r['name']}"

def keep(path, result):
    from gbxnb.base.files import write_atomic
    write_atomic(path, json.dumps(result, indent=1) + '\n')

def main(args):
    KEPT.mkdir(parents=True, exist_ok=True)
    now, results = state(), []
    for name, command in parts().items():
        if not name.startswith(tuple(args.parts or [''])): continue
        path = KEPT/f"{name.replace(' ', '-')}.json"
        kept = json.loads(path.read_text(encoding='utf-8')) if path.exists() and not args.anew else {}
        again = kept.get('state') == now and kept['ok']
        result = kept if again else run(name, command) | dict(state=now)
        if not again: keep(path, result)
        results.append(result)
        print(line(result) + ', before'*again, flush=True)
        if not result['ok']: print(result['said'], flush=True)
    why = sum((Counter(r['skipped']) for r in results), Counter())
    if why: print('skipped:', *(f'{n:6} tests: {reason}' for reason, n in why.most_common()), sep='\n')
    failed = [r['name'] for r in results if not r['ok']]
    print(f"{sum(r['seconds'] for r in results):8.1f} s {sum(r['cpu_seconds'] for r in results):8.1f} CPU-s  in all: "
          + (f"FAILED: {', '.join(failed)}" if failed else f'{len(results)} parts passed'))
    return bool(failed)

if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('parts', nargs='*')
    parser.add_argument('--anew', action='store_true')
    sys.exit(main(parser.parse_args()))
