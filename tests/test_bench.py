"The benches of learning name no console: they take worlds and algorithms from registries. What measures the console is beside them."
import ast, json

import processes
from pages import root

GENERAL = 'throughput', 'train', 'learning', 'tune'
BANNED = 'gbxnb.emulator', 'gbxnb.backends', 'gbxnb.envs'
LOADED = """import importlib, json, sys
for name in [m for m in sys.modules if m.split('.')[0] == 'gbxnb']: del sys.modules[name] # the process has everything, from before
for name in GENERAL: importlib.import_module(f'gbxnb.bench.{name}')
print(json.dumps([m for m in sys.modules if m.startswith(('gbxnb.emulator', 'gbxnb.backends'))]))"""

def imported(path):
    "Modules that a file of the room `bench` imports, with absolute names."
    for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
        if isinstance(node, ast.Import): yield from (a.name for a in node.names)
        if isinstance(node, ast.ImportFrom):
            yield '.'.join(filter(None, ['', 'gbxnb.bench', 'gbxnb'][node.level:node.level + 1] + [node.module]))

def test_benches_import_no_console():
    found = {p.name: [m for m in imported(p) if m.startswith(BANNED)] for p in (root/f'gbxnb/bench/{name}.py' for name in GENERAL)}
    assert found and not any(found.values()), found
    assert 'gbxnb.worlds.contract' in imported(root/'gbxnb/bench/throughput.py')

def test_benches_load_no_console():
    "Neither does what they import: a console is loaded when a world is asked for by its name."
    run = processes.python(f'GENERAL = {GENERAL}\n{LOADED}', cwd=root)
    assert run.returncode == 0 and json.loads(run.stdout) == [], run.stderr
