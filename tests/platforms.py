"""Do the requirements resolve to wheels on every promised system? `python tests/platforms.py --out nbs/proofs/results/platforms.json`

uv resolves the package and its extras for systems that are not here, with the oldest and the newest promised Python, to the lowest and
the newest versions, from wheels alone; nothing is installed. Markers (`platform_system`, `python_version`) are those of the system that is
asked for, where `pip install --platform` takes the running one's. Lowest is, for each package, the first version from its bound on that has
a wheel there. Exit status 1 if anything did not resolve that `WITHOUT` does not name. Takes ten minutes where nothing is in uv's cache."""
import argparse, json, os, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

from pythons import SHOWN, find_program, promised, requirements

SYSTEMS = {'Linux x86-64, glibc 2.28': 'x86_64-manylinux_2_28', 'Linux arm64, glibc 2.34': 'aarch64-manylinux_2_34',
           'Linux arm64, glibc 2.28': 'aarch64-manylinux_2_28', 'macOS 14 arm64': 'aarch64-apple-darwin',
           'Windows x86-64': 'x86_64-pc-windows-msvc'}
EXTRAS = '', 'rl', 'lab', 'adapters'
WITHOUT = {'Linux arm64, glibc 2.28': "Warp's wheel for 64-bit ARM needs glibc 2.34"}

def resolve(case, folder):
    "One row: what a system would install, or why it cannot."
    system, python, extra, bounds = case
    asked = [*requirements(''), *(requirements(extra) if extra else ()), *(requirements('rl') if extra == 'adapters' else ())]
    words = ['pip', 'compile', '-q', '--no-header', '--no-annotate', '--only-binary', ':all:', '--python-platform', SYSTEMS[system],
             '--python-version', python, '--resolution', bounds, '-']
    env = {name: value for name, value in os.environ.items() if not name.startswith(('PIP_FIND', 'UV_FIND'))} # not what is only here
    env['MACOSX_DEPLOYMENT_TARGET'] = '14.0'
    run = subprocess.run([find_program('uv'), *words], input='\n'.join(asked), env=env, cwd=folder, capture_output=True, text=True)
    row = dict(system=system, python=python, extra=extra or 'base', bounds=bounds)
    if run.returncode: return row | dict(failed=' '.join(run.stderr.split())[:400])
    found = dict(line.split('==') for line in run.stdout.split('\n') if '==' in line)
    return row | dict(packages=len(found), versions={p: v for p, v in found.items() if any(r.startswith(p) for r in asked) or p in SHOWN})

def resolve_all():
    cases = product(SYSTEMS, (promised()[0], promised()[-1]), EXTRAS, ('lowest-direct', 'highest'))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        return [*pool.map(lambda case: resolve(case, folder), cases)]

if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--out', type=Path, help='a JSON file for the record')
    args, rows = parser.parse_args(), resolve_all()
    wrong = [r for r in rows if ('failed' in r) != (r['system'] in WITHOUT)]
    for r in wrong: print(*list(r.values())[:4], r.get('failed', 'resolves; WITHOUT is out of date'), sep=', ')
    if args.out:
        facts = dict(command='python tests/platforms.py --out nbs/proofs/results/platforms.json',
                     protocol=' '.join(__doc__.split('\n\n')[1].split()), requirements={e or 'base': requirements(e) for e in EXTRAS},
                     without=WITHOUT, rows=rows)
        args.out.write_text(json.dumps(facts, indent=1) + '\n', encoding='utf-8')
    print(f'{len(rows)} resolutions, {len(rows) - len(wrong)} passed, {len(wrong)} failed')
    sys.exit(bool(wrong))
