"""README's "Start here", timed: each column from an empty cache, three seeds, beside random buttons.

    python tests/start_here.py nbs/tutorials/results/start_here.json    goes on where it was ended

*watch*: until the page of `gbxnb watch`, `play` and `inspect` answers. *train*: `gbxnb demo`. *own ROM*: `gbxnb explore` and the line that
it prints, with the bundled game; `strangers.py` does the same with games that nobody here had played, three seeds of the first three."""
import argparse, json, os, re, shlex, subprocess, sys, tempfile, time, urllib.request
from pathlib import Path
from gbxnb.base.files import read_json, write_atomic
from strangers import judged, play, typed

def answers(line, folder):
    "Seconds until the page that a command opens answers."
    began = time.perf_counter()
    words = [sys.executable, '-m', *shlex.split(line)]
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as p:
        address = next(m[0] for said in p.stdout if (m := re.search(r'http://\S+', said)))
        with urllib.request.urlopen(address, timeout=120) as page: text = page.read().decode()
        seconds = time.perf_counter() - began
        p.terminate()
    return dict(seconds=round(seconds, 1), page_bytes=len(text)) | ({} if 'jupyter-widgets' in text else dict(cause='no widget'))

def demo(folder, seed):
    status, _, error, seconds = typed(f'gbxnb demo --out demo --seed {seed}', folder)
    return dict(seconds=seconds) | (dict(cause=error) if status else judged('demo', folder))

def page(name): return lambda folder, seed: answers(f'gbxnb {name} --no-browser', folder)
COLUMNS = {('watch', name): page(name) for name in ('watch', 'play', 'inspect')}
COLUMNS |= {('train', 'demo'): demo, ('own ROM', 'explore'): lambda folder, seed: play('', folder, seed)}

def main():
    p = argparse.ArgumentParser()
    p.add_argument('out', type=Path)
    out = p.parse_args().out
    rows = read_json(out)['rows'] if out.exists() else []
    for (column, command), work in COLUMNS.items():
        for seed in range(1 if column == 'watch' else 3):
            if any((r['column'], r['command'], r['seed']) == (column, command, seed) for r in rows): continue
            with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
                os.environ['XDG_CACHE_HOME'] = cache
                rows.append(dict(column=column, command=command, seed=seed) | work(folder, seed))
            write_atomic(out, json.dumps(dict(rows=rows), indent=1) + '\n')
            print(json.dumps(rows[-1]), flush=True)

if __name__ == '__main__': main()
