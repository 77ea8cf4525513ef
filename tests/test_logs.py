"A process that writes a training log is killed while it writes."
import json, signal, subprocess, sys, time
from pathlib import Path

from gbxnb.logs.schema import read_log
from gbxnb.logs.validate import check_log

EXAMPLE = Path(__file__).parent.parent/'nbs/logs/example_log.jsonl'
WRITER = '''
import json, sys
from gbxnb.logs.schema import LogWriter, read_log, trace_id
log, row = read_log(sys.argv[1]), json.loads(open(sys.argv[1]).readlines()[1])
with LogWriter(sys.argv[2], log.meta) as out:
    for u in range(1, 10**9):
        out.write(row | dict(update=u, env_steps=128*u, opt_steps=8*u, trace_id=trace_id('example', u)))
'''

def test_killed_while_writing(tmp_path):
    path = tmp_path/'train_log.jsonl'
    writer = subprocess.Popen([sys.executable, '-c', WRITER, EXAMPLE, path])
    deadline = time.time() + 30
    while time.time() < deadline and not (path.exists() and path.stat().st_size > 200_000): time.sleep(.01)
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    report, log = check_log(path), read_log(path)
    assert report.records == len(log.records) > 100
    assert report.ok or (report.cut and report.found == 1)
    assert [r.update for r in log.records] == list(range(1, len(log.records) + 1))

def test_the_schema_says_what_a_line_is():
    schema = json.loads((EXAMPLE.parent/'train_log.schema.json').read_text())
    known = schema['$defs']['Record']
    for line in EXAMPLE.read_text().splitlines():
        row = json.loads(line)
        if len(row) > 1: assert set(known['required']) <= set(row) <= set(known['properties'])
