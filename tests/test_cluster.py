"`gbxnb cluster check` in two processes: alike, and with a difference."
import re
import processes
import pytest
from gbxnb.games.bundled import rom_path

def check(out, *words, **other):
    "The exit codes of two processes and what they said; `other` is what process 1 is given besides."
    start = processes.start
    def started(command, *words, said, **env):
        more = [w for k, v in other.items() for w in (f'--{k}', v)] if env['RANK'] == '1' else []
        return start(command, *words, *more, said=said, **env)
    processes.start = started
    try: group = processes.group(2, 'cluster check', *words, '--device', 'cpu', said=out/'said')
    finally: processes.start = start
    for p in group: p.join(120)
    return [p.exitcode for p in group], [(out/f'said.{r}').read_text() for r in range(2)]

@pytest.mark.slow
def test_alike(tmp_path):
    codes, (first, second) = check(tmp_path, 'town/house', '--num-envs', 8)
    lines = first.splitlines()
    assert codes == [0, 0] and not second, (first, second)
    assert lines[0].split()[:3] == ['process', 'local', 'host'] and [line.split()[0] for line in lines[1:3]] == ['0', '1']
    assert '127.0.0.1' in lines[1] and 'MB/s' in lines[2] and lines[3].startswith('Python 3.')

@pytest.mark.slow
def test_another_rom(tmp_path):
    "One line with both sides, once on the host, and both processes end."
    other = tmp_path/'other.gb'
    other.write_bytes(rom_path().read_bytes() + bytes(1))
    codes, said = check(tmp_path, 'start', '--rom', rom_path(), rom=other)
    why = [text for text in said if 'error' in text]
    assert codes == [1, 1] and len(why) == 1
    assert re.search('error: rom is [0-9a-f]{16} in process 0 on .*, but [0-9a-f]{16} in process 1 on .*: give the same file', why[0])

@pytest.mark.slow
def test_other_differences(tmp_path):
    "A file that one process lacks, and an option that only one has."
    codes, (first, _) = check(tmp_path, 'start', '--rom', rom_path(), rom=tmp_path/'none.gb')
    assert codes == [1, 1] and 'error: process 1 on ' in first.splitlines()[-1] and 'none.gb' in first
    codes, (first, _) = check(tmp_path, 'town/house', '--num-envs', 8, **{'max-steps': 9})
    assert codes == [1, 1] and '--max-steps is 512 in process 0' in first and 'but 9 in process 1' in first
