"""Do the checks notice? Faults planted one at a time in a copy of the package, each with the check that must fail.

    python tests/house/faults.py                 every fault of faults.json, from the repository root
    python tests/house/faults.py 3 17            those with these ids
    python tests/house/faults.py --faults FILE   those of another file
    python tests/house/faults.py --said FOLDER   and what each check says goes there, a file for each fault

A fault names no file: `old` stands once in the package, wherever that is, and `new` takes its place. `check` is a page, or words
for pytest. Without a fault every check passes first. A check has noticed if a test fails, or if it dies or hangs; that nothing was
collected is no notice. Exit status 1 if a fault was missed."""
import argparse, contextlib, json, os, shutil, signal, subprocess, sys, tempfile, time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = Path.cwd()
PATIENCE = 900 # seconds until a check hangs

def copy_files(to):
    "Copy what git knows of the working tree, and what it would not ignore."
    out = subprocess.run(['git', 'ls-files', '-coz', '--exclude-standard'], cwd=ROOT, capture_output=True, check=True).stdout
    for name in map(os.fsdecode, out.split(b'\0')[:-1]):
        if not (ROOT/name).is_file(): continue # deleted, or a link to nowhere
        (to/name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT/name, to/name)

def modules(root): return {p: p.read_text(encoding='utf-8') for p in sorted((root/'gbxnb').rglob('*.py'))}

def find_fault(texts, fault):
    "The one module that a fault is planted in."
    found = [p for p, text in texts.items() for _ in range(text.count(fault['old']))]
    if len(found) == 1 and fault['new'] != fault['old']: return found[0]
    raise SystemExit(f'faults.py: fault {fault["id"]}: its text stands {len(found)} times in the package, but must stand once')

def command(check, root):
    "The words that run a check."
    pytest = [sys.executable, '-m', 'pytest', '-q', '-x', '-p', 'no:cacheprovider', '--basetemp', str(root.parent/'tests')]
    if 'test' in check: return pytest + check['test'].split()
    page = root/'nbs'/check['page']
    if 'default_exp' not in page.read_text(encoding='utf-8'):
        return [str(Path(sys.executable).parent/'nbdev_test'), '--n_workers', '0', '--path', str(page)]
    return command(dict(test=f'tests/house/test_nbs.py -k {page.stem}'), root)

def surroundings(root):
    "Variables of a check: the package of the copy, and else as `make test` has them."
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get('PATH', '')])
    return os.environ | dict(PATH=path, PYTHONPATH=str(root), OMP_NUM_THREADS='1', MPLBACKEND='Agg', GBXNB_TRACES='off',
                             PYTHONWARNINGS='ignore::DeprecationWarning')

def run_check(check, root):
    "The exit status of a check, None if it hung; what it said; its seconds."
    began = time.monotonic()
    process = subprocess.Popen(command(check, root), cwd=root, env=surroundings(root), start_new_session=True, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try: said, status = process.communicate(timeout=PATIENCE)[0], process.returncode
    except subprocess.TimeoutExpired: said, status = 'it hangs', None
    finally: # also what it started and left behind
        with contextlib.suppress(ProcessLookupError): os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return status, said, time.monotonic() - began

def noticed(status):
    "Does a status say that something is wrong with the package?"
    if status in (0, 1, None) or status < 0: return status != 0
    raise SystemExit(f'faults.py: the check ended with status {status}: it did not run')

def named(check): return check.get('page') or check['test']

def control(faults, root):
    "Run each check without a fault."
    for check in {named(f['check']): f['check'] for f in faults}.values():
        status, said, took = run_check(check, root)
        if status != 0: raise SystemExit(f'{said}\nfaults.py: {named(check)} fails without a fault')
        print(f'passes  {took:6.1f} s       {named(check)}', flush=True)

def plant(fault, texts, root):
    "Run the check of a fault with it."
    path = find_fault(texts, fault)
    path.write_text(texts[path].replace(fault['old'], fault['new']), encoding='utf-8')
    try: return run_check(fault['check'], root)
    finally: path.write_text(texts[path], encoding='utf-8')

def try_all(faults, root, said_in):
    "The ids of the faults that no check notices."
    copy_files(root)
    texts, missed = modules(root), []
    for f in faults: find_fault(texts, f)
    control(faults, root)
    for f in faults:
        status, said, took = plant(f, texts, root)
        if said_in: (said_in/f'{f["id"]:02}.txt').write_text(said, encoding='utf-8')
        if not noticed(status): missed.append(f['id'])
        print(f'{"caught" if noticed(status) else "MISSED"}  {took:6.1f} s  {f["id"]:3}  {f["what"]}  [{named(f["check"])}]', flush=True)
    return missed

if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('ids', nargs='*', type=int)
    parser.add_argument('--faults', type=Path, default=HERE/'faults.json')
    parser.add_argument('--said', type=Path)
    args = parser.parse_args()
    faults = json.loads(args.faults.read_text(encoding='utf-8'))
    if unknown := {*args.ids} - {f['id'] for f in faults}: parser.error(f'there is no fault {min(unknown)}')
    if args.ids: faults = [f for f in faults if f['id'] in args.ids]
    if args.said: args.said.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as d: missed = try_all(faults, Path(d).resolve()/'copy', args.said)
    print(f'{len(faults) - len(missed)} of {len(faults)} faults were caught' + f'; missed: {missed}'*bool(missed))
    sys.exit(bool(missed))
