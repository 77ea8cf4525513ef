"""What imitates macOS and Windows (elsewhere_hook.py) does what it says, to gbxnb and to no other module.

The names that are taken away are those of typeshed. What is tried with all of it is in elsewhere.py, a part of `make slow`."""
import json, shutil

import processes
import pytest
from elsewhere import HOOK, NAMES, SYSTEMS, TRIES, lacking, missed, text_of, typeshed

BEGIN = '''
import elsewhere_hook, os, sys, tempfile, types
elsewhere_hook.begin()
def ours(text, name='gbxnb.some'):
    "Run some lines as a module of gbxnb does; what they bind."
    scope = {'__name__': name}
    exec(text, scope)
    return scope
def refused(error, text, name='gbxnb.some'):
    try: ours(text, name)
    except error as e: return e
    raise AssertionError(f'not refused: {text}')
'''
BOTH = '''
refused(AttributeError, 'import os; os.sched_getaffinity(0)')
refused(ImportError, 'from os import memfd_create')
ours('import os; os.sched_getaffinity(0)', 'gbxnbnext'), ours('import os; os.sched_getaffinity(0)', 'numpy')
assert not hasattr(ours('import os')['os'], 'posix_fallocate') and 'posix_fallocate' not in dir(ours('import os')['os'])
assert ours('import os.path')['os'].path is os.path and ours('from os.path import join')['join'] is os.path.join
ours('import sys; sys.something = 5')
assert sys.something == 5 and ours('import sys')['sys'].stdout is sys.stdout and sys.platform == 'linux'
refused(FileNotFoundError, 'open("/proc/self/stat")'), refused(FileNotFoundError, 'import os; os.stat("/proc")')
refused(FileNotFoundError, 'import os; os.listdir("/proc")')
assert not ours('from pathlib import Path; there = Path("/proc/self").exists()')['there'] and os.path.exists('/proc/self')
open('name', 'w').close()
refused(FileExistsError, 'open("NAME", "w")')
'''
MACOS = BOTH + '''
assert ours('import sys; s = sys.platform')['s'] == 'darwin'
refused(OSError, 'import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)')
ours('import fcntl, resource; resource.getrusage(resource.RUSAGE_SELF)')
'''
WINDOWS = BOTH + '''
import signal, subprocess, time
assert ours('import sys, os; s = sys.platform, os.name')['s'] == ('win32', 'nt')
for name in 'fcntl', 'resource', 'pwd', 'termios': refused(ModuleNotFoundError, f'import {name}')
for name in 'SIGKILL', 'SIGHUP', 'alarm': refused(AttributeError, f'import signal; signal.{name}')
refused(AttributeError, 'import socket; socket.AF_UNIX')
refused(ValueError, 'import signal; signal.signal(17, signal.SIG_IGN)')
ours('import signal; signal.signal(signal.SIGBREAK, signal.SIG_DFL); s = signal.Signals(signal.SIGBREAK).name')
# files that are open
for do in 'os.replace("b", "a")', 'os.replace("a", "c")', 'os.remove("a")', 'Path("a").unlink()', 'Path("b").replace("a")':
    for name in 'ab': open(name, 'w').close()
    with open('a'): refused(PermissionError, f'import os; from pathlib import Path; {do}')
    ours(f'import os; from pathlib import Path; {do}')
os.makedirs('d/e')
with open('d/e/f', 'w'): refused(PermissionError, 'import os; os.rename("d", "g")')
os.rename('d', 'g')
for name in 'ab': open(name, 'w').close()
refused(FileExistsError, 'import os; os.rename("a", "b")'), refused(FileExistsError, 'from pathlib import Path; Path("a").rename("b")')
refused(PermissionError, 'import os; os.open("g", os.O_RDONLY)'), refused(PermissionError, 'open("g")')
refused(NotImplementedError, 'import os; os.link("a", "h", follow_symlinks=False)'), refused(OSError, 'import os; os.symlink("a", "h")')
for name in 'a:b', 'nul.txt', 'a.', 'a?': refused(OSError, f'open({name!r}, "w")')
refused(OSError, 'import os; os.fsync(os.open("a", os.O_RDONLY))')
assert ours('import os; s = os.stat("a")')['s'].st_mode & 0o777 == 0o666 and ours('import os; s = os.stat("g")')['s'].st_uid == 0
# text
ours('with open("t", "w") as f: f.write("\\\\xe4\\\\n")')
assert open('t', 'rb').read() == b'\\xe4\\r\\n'
ours('from pathlib import Path; Path("t").write_text("\\\\xe4\\\\n", encoding="utf-8")')
assert open('t', 'rb').read() == b'\\xc3\\xa4\\r\\n'
refused(UnicodeError, 'from pathlib import Path; Path("t").write_text("\\\\u2192")')
ours('import os; f = os.open("t", os.O_WRONLY | os.O_TRUNC); os.write(f, b"a\\\\n"); os.close(f)')
assert open('t', 'rb').read() == b'a\\r\\n'
ours('import os; f = os.open("t", os.O_WRONLY | os.O_TRUNC | os.O_BINARY); os.write(f, b"a\\\\n"); os.close(f)')
assert open('t', 'rb').read() == b'a\\n'
# locks
import fcntl
lock = open('a')
fcntl.flock(lock, fcntl.LOCK_EX)
refused(PermissionError, 'open("a", "rb").read()'), refused(PermissionError, 'import os; os.read(os.open("a", os.O_RDONLY), 1)')
lock.close()
ours('open("a", "rb").read()')
# processes
refused(ValueError, 'import subprocess; subprocess.Popen(["true"], preexec_fn=int)')
refused(AssertionError, 'import subprocess; subprocess.Popen(["true"], pass_fds=[1])')
p = ours('import subprocess; p = subprocess.Popen(["sleep", "60"], creationflags=subprocess.CREATE_NEW_PROCESS_GROUP)')['p']
try: p.send_signal(signal.SIGINT)
except ValueError: pass
else: raise AssertionError
p.send_signal(1)
assert p.wait() == 0xC000013A, p.returncode
p = ours('import subprocess; p = subprocess.Popen(["sleep", "60"])')['p']
p.kill()
assert p.wait() == 1
refused(OSError, 'import os, select; select.select([os.pipe()[0]], [], [], 0)')
refused(OSError, 'import select; select.select([], [], [], 0)')
ours('import select, socket; a, b = socket.socketpair(); select.select([a], [], [], 0)')
one = ours('import mmap; m = mmap.mmap(-1, 8, tagname="elsewhere-test"); m[0] = 7')['m']
assert ours('import mmap; m = mmap.mmap(-1, 8, tagname="elsewhere-test")')['m'][0] == 7
assert ours('import time; t = time.monotonic()*64')['t'] % 1 == 0
with ours('import tempfile; f = tempfile.TemporaryFile()')['f'] as f: assert os.path.exists(f.name)
assert not os.path.exists(f.name)
with tempfile.TemporaryDirectory() as d: open(f'{d}/x', 'w').close()
'''

@pytest.mark.parametrize('system, text', [('darwin', MACOS), ('win32', WINDOWS)], ids=['macos', 'windows'])
def test_what_is_taken_away(tmp_path, system, text):
    for path in HOOK, NAMES: shutil.copy(path, tmp_path)
    (tmp_path/'elsewhere_system.txt').write_text(system, encoding='utf-8')
    (tmp_path/'in').mkdir()
    front = f'import os, sys\nsys.path.insert(0, {str(tmp_path)!r})\nos.chdir({str(tmp_path/"in")!r})\n'
    run = processes.python(front + BEGIN + text)
    assert not run.returncode, run.stderr
    found = missed(tmp_path)
    assert any(m.startswith('os.sched_getaffinity gbxnb.some') for m in found) and not any('numpy' in m for m in found)

def test_names_are_written_down():
    kept = json.loads(NAMES.read_text(encoding='utf-8'))
    assert text_of(kept) == NAMES.read_text(encoding='utf-8') and kept.keys() == {*SYSTEMS.values()} - {''}
    assert {'fcntl', 'resource', 'pwd'} <= {*kept['win32']['modules']} and 'sched_getaffinity' in kept['darwin']['names']['os']

@pytest.mark.slow
def test_names_are_those_of_typeshed():
    "A newer typeshed may know more: `python tests/elsewhere.py --names`."
    if not typeshed(): pytest.skip('pyright is not installed')
    assert json.loads(NAMES.read_text(encoding='utf-8')) == lacking(typeshed())

def test_the_record_is_whole():
    "All of it has been tried on both, without a failure."
    record = NAMES.parent.parent/'nbs/proofs/results/elsewhere.json'
    rows = json.loads(record.read_text(encoding='utf-8'))['rows']
    assert not [r for r in rows if r['wrong']] and {r['system'] for r in rows} == {'macos', 'windows'}
    assert {r['what'] for r in rows} == {*TRIES}
