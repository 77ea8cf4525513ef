"A comparison ends, and what it keeps is a folder of ours: replaced as a whole, left alone where it is somebody else's."
import json, shlex, shutil

import processes
import pytest
import warp as wp
from gbxnb.proofs import verify
from gbxnb.base.command import call
from gbxnb.games.asm import assemble
from gbxnb.base.files import LOCK, MANIFEST, UserError, read_manifest
from gbxnb.base.startup import start_warp

pytest.importorskip('pyboy')
start_warp()

FRAME = 'SECTION "entry", ROM0[$100]\n NOP\n JP Start\nSECTION "main", ROM0[$150]\nStart:\n'
QUIET = assemble(FRAME + '.on: INC B :: JR .on', 'QUIET').rom
LATE = assemble(FRAME + '.on: LDH A, [$44] :: CP 147 :: JR NZ, .on\n DB $D3', 'LATE').rom      # locks the CPU behind the picture
SENDER = assemble(FRAME + '''
.send: LD B, 0 :: LD A, $81 :: LDH [$02], A
.wait: INC B :: LDH A, [$02] :: ADD A, A :: JR C, .wait
    LD A, B :: LDH [$43], A :: JR .send
''', 'SENDER').rom                                                                              # PyBoy's serial line is too fast

@pytest.fixture(scope='module')
def bundle(tmp_path_factory):
    "A ROM that the two play differently, and what was kept of it."
    folder = tmp_path_factory.mktemp('a game')
    (folder/'sender.gb').write_bytes(SENDER)
    status, out, _ = call(verify.verify_cli, folder/'sender.gb', frames=40, out=folder/'the bundle')
    assert status == 1 and 'mismatch' in out
    return folder/'the bundle'

def refused(rom, *words, **options):
    status, _, err = call(verify.verify_cli, rom, **options)
    assert status == 1 and err.count('\n') == 1 and ': error: ' in err and all(w in err for w in words), err

def never(*_, **__): raise AssertionError('the games were compared')

def test_a_mismatch_is_shown_by_its_command(bundle):
    "Whatever is in the names."
    report = json.loads((bundle/'report.json').read_text())
    words = shlex.split(report['command'])
    assert words == ['gbxnb', 'verify', str(bundle.parent/'sender.gb'), '--keys', str(bundle/'keys.json')]
    status, out, _ = call(verify.verify_cli, *words[2:], out=bundle)
    assert status == 1 and report['command'] in out
    assert report['kernel'] == dict(shortcuts=True, checks=False) and report['device'] == 'cpu'

@pytest.mark.skipif(wp.is_cuda_available(), reason='there is a GPU')
def test_a_device_that_is_not_there(bundle, capfd):
    "Is refused before anything runs, in one line."
    for device in 'cuda', 'cuda:1', 'gpu': refused(bundle.parent/'sender.gb', '--device', device, 'cpu', device=device)
    assert not capfd.readouterr().err, 'Warp says nothing of its own'

@pytest.mark.skipif(not wp.is_cuda_available(), reason='no GPU')
def test_a_gpu_is_compared_as_the_cpu_is(bundle, tmp_path):
    "The same verdict, and a bundle whose command names a device that is not the usual one."
    rom, said = bundle.parent/'sender.gb', {}
    for device in 'cpu', 'cuda': said[device] = call(verify.verify_cli, rom, frames=40, out=tmp_path/device, device=device)
    reports = [json.loads((tmp_path/device/'report.json').read_text()) for device in said]
    assert reports[0]['command'].endswith('--device cpu') and '--device' not in reports[1]['command']
    assert [r['device'] for r in reports] == ['cpu', 'cuda:0']
    assert reports[0]['frame'] == reports[1]['frame']

@pytest.mark.slow
def test_a_bundle_replaces_a_bundle(bundle, tmp_path):
    again = shutil.copytree(bundle, tmp_path/'again')
    (again/'notes.txt').write_text('mine')
    (again/'ours.png').write_bytes(b'old')
    assert call(verify.verify_cli, bundle.parent/'sender.gb', frames=40, out=again)[0] == 1
    assert read_manifest(again) == ('bundle', {p.name for p in bundle.iterdir()} - {MANIFEST, LOCK})
    assert (again/'notes.txt').read_text() == 'mine' and (again/'ours.png').read_bytes() == (bundle/'ours.png').read_bytes()

def test_other_folders_are_left_alone(bundle, tmp_path, monkeypatch):
    "And that is known before the games are compared."
    mine, link, file = tmp_path/'mine', tmp_path/'link', tmp_path/'file'
    mine.mkdir()
    (mine/'report.json').write_text('mine')
    link.symlink_to(tmp_path/'nowhere')
    file.write_text('mine')
    monkeypatch.setattr(verify, 'Lockstep', never)
    for out in (mine, link, file, file/'below', '/dev/null'): refused(bundle.parent/'sender.gb', str(out), out=out)
    for wrong in (dict(frames=10**12), dict(keys=mine)): refused(bundle.parent/'sender.gb', **wrong)
    assert (mine/'report.json').read_text() == file.read_text() == 'mine'

def test_keys_are_counted_before_they_are_laid_out(tmp_path):
    (tmp_path/'keys.json').write_text(json.dumps([['A', 9_999_999]]*3))
    with pytest.raises(UserError, match='10,000,000'): verify.read_keys_file(tmp_path/'keys.json')

@pytest.mark.slow
def test_pyboy_comes_back_from_an_illegal_opcode(tmp_path):
    "It would run for ever, and no signal would end it."
    code = 'import sys; from gbxnb.proofs.verify import Lockstep, play_keys\n' \
           'lock = Lockstep(open(sys.argv[1], "rb").read()); print(play_keys(lock, [0]*9).fault)'
    (tmp_path/'late.gb').write_bytes(LATE)
    out = processes.python(code, tmp_path/'late.gb')
    assert out.stdout.split()[-1:] == [str(0x1D3)], out.stderr

def test_the_opcode_of_hooks_in_a_game(tmp_path):
    "PyBoy marks hooks by DB. A program may begin with it."
    first = bytearray(QUIET)
    first[0x100] = 0xDB
    (tmp_path/'first.gb').write_bytes(first)
    refused(tmp_path/'first.gb', 'first instruction')
