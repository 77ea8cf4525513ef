"What a folder of test ROMs, a record and a place for a report can be, and what the command makes of it: a row, or one line."
import json, os, random, struct, zlib

import pytest
from gbxnb.proofs.conformance import load_picture, load_report, roms_cli
from gbxnb.base.command import call
from gbxnb.games.asm import assemble
from gbxnb.base.files import UserError

FRAME = 'SECTION "entry", ROM0[$100]\n NOP\n JP Start\nSECTION "main", ROM0[$150]\nStart: DI\n LD SP, $DFF0\n'
FIBONACCI = 'LD BC, $0305 :: LD DE, $080D :: LD HL, $1522\n'
OLDER, NEWER, SERIAL = 'LD B, B :: JR @', 'LD B, B\n.on: NOP :: JR .on', 'LD B, B :: LDH [$01], A\n.on: NOP :: NOP :: JP .on'

def tiny(body): return assemble(FRAME + body, 'TINY').rom

def put(folder, name, data):
    path = folder/name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path

@pytest.fixture
def roms(tmp_path):
    "Three tests: two pass, one fails."
    folder = tmp_path/'roms'
    put(folder, 'mooneye/acceptance/daa.gb', tiny(FIBONACCI + OLDER))
    put(folder, 'mooneye/acceptance/pop.gb', tiny('NOP\n' + FIBONACCI + OLDER))
    put(folder, 'mooneye/acceptance/push.gb', tiny('LD B, 7\n' + NEWER))
    return folder

@pytest.fixture
def record(roms, tmp_path):
    path = tmp_path/'record.json'
    assert call(roms_cli, roms, out=path)[0] == 0
    return path

def rows(path): return {(r.name, r.verdict) for r in load_report(path).rows}

def refused(folder, *words, **options):
    "The command ends with one line on standard error that has all `words` in it, after whatever it printed."
    status, _, err = call(roms_cli, folder, **options)
    assert status == 1 and ': error: ' in err and err.count('\n') == 1 and all(w in err for w in words), err

@pytest.mark.parametrize('end', [SERIAL, *(pytest.param(end, marks=pytest.mark.slow) for end in (OLDER, NEWER))])
def test_ends_of_all_builds(tmp_path, end):
    put(tmp_path, 'roms/mooneye/acceptance/good.gb', tiny(FIBONACCI + end))
    put(tmp_path, 'roms/mooneye/acceptance/bad.gb', tiny('LD B, 66\n' + end))
    assert call(roms_cli, tmp_path/'roms', out=tmp_path/'r.json')[0] == 0
    assert rows(tmp_path/'r.json') == {('mooneye/acceptance/good', 'PASS'), ('mooneye/acceptance/bad', 'FAIL')}

def absent(path): path.unlink()
def empty(path): path.write_bytes(b'')
def busy(path): path.write_bytes(tiny('.on: INC B :: JR .on'))
def failing(path): path.write_bytes(tiny(OLDER))
def locked(path): path.write_bytes(tiny('DB $FD'))
def pipe(path):
    path.unlink()
    os.mkfifo(path)

@pytest.mark.parametrize('harm, word', [(absent, 'not run'), (failing, 'FAIL'), (pipe, 'REFUSED'), *(
    pytest.param(*more, marks=pytest.mark.slow) for more in ((empty, 'REFUSED'), (locked, 'LOCKED'), (busy, 'TIMEOUT')))])
def test_what_passed_must_pass(roms, record, harm, word):
    "By name as well as by content: another build is no new test."
    assert call(roms_cli, roms, baseline=record)[0] == 0
    harm(roms/'mooneye/acceptance/pop.gb')
    refused(roms, 'mooneye/acceptance/pop', word, '--only' if harm is absent else 'mend', baseline=record)

def test_a_part_on_purpose(roms, record):
    put(roms, 'gbmicrotest/one.gb', tiny('LD A, 1 :: LDH [$82], A :: JR @'))
    assert call(roms_cli, roms, out=record.parent/'two.json')[0] == 0
    (roms/'mooneye/acceptance/pop.gb').unlink()
    options = dict(baseline=record.parent/'two.json')
    refused(roms, 'mooneye/acceptance/pop', '--only', **options)
    assert call(roms_cli, roms, only=['gbmicrotest'], **options)[0] == 0
    refused(roms, 'no test to run', 'blargg', only=['blargg'], **options)

def test_by_force(tmp_path):
    "A header with a wrong sum, of a file that is too short: refused in a line that names the option, and run with it."
    rom = bytearray(tiny(FIBONACCI + OLDER))
    rom[0x148] = 3
    put(tmp_path, 'roms/mooneye/acceptance/daa.gb', rom)
    for force, verdict in (False, 'REFUSED'), (True, 'PASS'):
        assert call(roms_cli, tmp_path/'roms', *['--force']*force, out=tmp_path/'r.json')[0] == 0
        row, = load_report(tmp_path/'r.json').rows
        assert row.verdict == verdict and ('--force' in row.said) != force

def test_strange_things_in_a_folder(roms, tmp_path):
    at = roms/'mooneye/acceptance'
    os.mkfifo(at/'pipe.gb')
    (at/'loop.gb').symlink_to('loop.gb')
    (at/'around').symlink_to('..')
    (at/'folder.gb').mkdir()
    with (at/'huge.gb').open('wb') as f: f.truncate(100_000_000)
    put(at, 'escape\x1b[2J.gb', b'x')
    with open(os.path.join(os.fsencode(at), b'\xff.gb'), 'wb') as f: f.write(b'x')
    status, out, _ = call(roms_cli, roms, out=tmp_path/'r.json')
    assert status == 0 and '\x1b' not in out and out.encode()
    refusals = {name.rpartition('/')[2] for name, verdict in rows(tmp_path/'r.json') if verdict == 'REFUSED'}
    assert refusals == {'pipe', 'loop', 'huge', 'escape?[2J', '?'}

def png(width, height, data=b''):
    chunk = lambda kind, data: struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    head = struct.pack('>IIBBBBB', width, height, 8, 0, 0, 0, 0)
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', head) + chunk(b'IDAT', data or zlib.compress(bytes(100))) + chunk(b'IEND', b'')

def test_pictures_are_not_trusted(tmp_path):
    "One that is too large is not decoded; one that is damaged is named."
    put(tmp_path, 'roms/dmg-acid2.gb', tiny('JR @'))
    picture = put(tmp_path, 'roms/dmg-acid2.png', png(60_000, 60_000))
    assert call(roms_cli, tmp_path/'roms')[0] == 0
    good = png(160, 144, zlib.compress(bytes(161*144)))
    rng = random.Random(1)
    for _ in range(200):
        data = bytearray(good)
        for _ in range(rng.choice((1, 2, 8))): data[rng.randrange(len(data))] = rng.randrange(256)
        picture.write_bytes(data[:rng.randrange(len(data))] if rng.random() < .3 else data)
        try: found = load_picture(picture)
        except UserError as e: assert '\n' not in str(e) and str(picture) in str(e)
        else: assert found is None or found.shape == (144, 160)
    picture.write_bytes(good[:40])
    refused(tmp_path/'roms', 'dmg-acid2.png', 'remove')

def test_damaged_records(record):
    "Whatever a record is made into: it is read, or refused in one line."
    good, rng, readable = record.read_bytes(), random.Random(2), 0
    table = json.loads(good)
    for _ in range(300):
        data = bytearray(good)
        for _ in range(rng.choice((1, 2, 8))):
            i = rng.randrange(len(data))
            data[i:i + rng.choice((0, 1, 20))] = rng.choice((b'', b'\x00', b'[', b'"', b'9', b'\\ud800', b'\x1b', good[:rng.randrange(50)]))
        record.write_bytes(data)
        readable += readable_or_refused(record)
    for key in ('rows', 'skipped', 'unrecognised', 'made'):
        for value in (None, 3, 'text', [3], [[3]], ['ab'], {'a': 1}, [table['rows'][0]]*2, [table['rows'][0] | dict(name='\ud800')]):
            record.write_text(json.dumps(table | {key: value}))
            readable += readable_or_refused(record)
    record.write_text('['*100_000)
    assert not readable_or_refused(record) and readable > 10

def readable_or_refused(path)->bool:
    try: report = load_report(path)
    except UserError as e:
        assert '\n' not in str(e) and str(path) in str(e)
        return False
    (report.table() + report.summary() + report.to_json() + str(report.known)).encode()
    return True

def test_the_place_of_a_report_is_looked_at_first(roms, record, monkeypatch):
    def never(*_): raise AssertionError('a test was run')
    monkeypatch.setattr('gbxnb.proofs.conformance.run_case', never)
    pipe, link = record.parent/'pipe', record.parent/'link'
    os.mkfifo(pipe)
    link.symlink_to(record)
    before = record.read_bytes()
    for place in (roms, '/dev/null', '/dev/null/x.json', pipe, link, record): refused(roms, str(place), out=place, baseline=record)
    assert record.read_bytes() == before
