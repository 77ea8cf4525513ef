"The benches name no console: they take worlds and algorithms from registries."
import ast, json, subprocess, sys

from pages import root

BANNED = 'gbxnb.emulator', 'gbxnb.backends', 'gbxnb.envs'
LOADED = """import importlib, json, pkgutil, sys, gbxnb.bench
for m in pkgutil.iter_modules(gbxnb.bench.__path__): importlib.import_module('gbxnb.bench.' + m.name)
print(json.dumps([m for m in sys.modules if m.startswith(('gbxnb.emulator', 'gbxnb.backends'))]))"""

def imported(path):
    "Modules that a file of the room `bench` imports, with absolute names."
    for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
        if isinstance(node, ast.Import): yield from (a.name for a in node.names)
        if isinstance(node, ast.ImportFrom):
            yield '.'.join(filter(None, ['', 'gbxnb.bench', 'gbxnb'][node.level:node.level + 1] + [node.module]))

def test_benches_import_no_console():
    found = {p.name: [m for m in imported(p) if m.startswith(BANNED)] for p in (root/'gbxnb/bench').glob('*.py')}
    assert found and not any(found.values()), found
    assert 'gbxnb.worlds.contract' in imported(root/'gbxnb/bench/throughput.py')

def test_benches_load_no_console():
    "Neither does what they import: a console is loaded when a world is asked for by its name."
    run = subprocess.run([sys.executable, '-c', LOADED], cwd=root, capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) == []
