"Traces change no state, whatever happens to them: random programs, chunks, threads, the moment they come, a cache that is damaged."
import json, os, shutil
from pathlib import Path
from types import SimpleNamespace
import numpy as np
import pytest
from gbxnb.traces import cache as compiling, cache as exchanging
from gbxnb.games import bundled as game
from gbxnb.games.asm import assemble
from gbxnb.emulator.cartridge import Cartridge
from gbxnb.traces.cache import CPU, ENTRY, PROFILE, cache_folder, load_traces, use_traces
from gbxnb.emulator.emulator import Emulator
from gbxnb.emulator.machine import Reg, Shared, words_of
from gbxnb.traces.symbolic import Sample, profile_game
from gbxnb.traces.traces import EVERYTHING, Program, write_traces
from gbxnb.base.files import UserError
from wild import KEYS, instructions


@pytest.fixture(scope='module')
def town():
    "The bundled game with its traces compiled."
    cart = Cartridge.load(game.rom())
    e = Emulator(cart, 1, threads=1, device='cpu')
    use_traces(e, 'wait')
    assert e.loader.state == 'traced'
    return cart

def traced(cart, n, threads=1):
    e = Emulator(cart, n, threads=threads, device='cpu')
    e.exchange(*load_traces(cart, e.device))
    return e

def test_random_programs():
    "Loops of random instructions with an interrupt now and then: traces and interpreter agree after every portion of time."
    rng = np.random.default_rng(3)
    loop = ' ld a, {n}\n ldh [$F5], a\n.l{i}: {body}\n ldh a, [$F5]\n dec a\n ldh [$F5], a\n jp nz, .l{i}'
    bodies = [instructions(rng, 24).replace('.s', f'.s{i}_') for i in range(12)]
    loops = '\n'.join(loop.format(n=int(rng.integers(2, 40)), i=i, body=body) for i, body in enumerate(bodies))
    source = f'''SECTION "vblank", ROM0[$40]\n push af\n ldh a, [$90]\n inc a\n ldh [$90], a\n pop af\n reti
SECTION "timer", ROM0[$50]\n reti\nSECTION "entry", ROM0[$100]\n jp start\nSECTION "main", ROM0[$150]
one: ld a, [$C200]\n inc a\n ld [$C200], a\n ret
two: ld a, e\n or a\n ret z\n dec e\n ret
start: ld sp, $DFF0\n ld a, 5\n ldh [$FF], a\n ldh [$07], a\n ei\n.again:\n ld sp, $DFF0\n{loops}\n jp .again\n'''
    cart = Cartridge.load(assemble(source).rom)
    traces = write_traces(cart, profile_game(cart, sample=Sample(8, 240)))
    assert sum(map(len, traces.paths.values())) > 150, 'it is the traces that are tried'
    plain, fast = Emulator(cart, 16, threads=1, device='cpu'), Emulator(cart, 16, threads=1, device='cpu')
    rows = plain.rows.numpy().copy()
    words_of(rows)[:, Reg.DIVB] -= np.arange(16) * 37            # consoles that are apart
    for e in plain, fast: e.rows.assign(rows)
    fast.exchange(compiling.traced_kernel(traces), traces.words)
    for _ in range(30):
        portion = int(rng.integers(1, 40_000))
        keys = rng.choice(KEYS, 16)
        for e in plain, fast:
            e.set_buttons(keys)
            e.run_cycles(portion)
        assert plain.hash() == fast.hash()
    assert not plain.faults.any() and len({plain.hash(i) for i in range(16)}) > 1

def idioms(rng, length):
    "Ways in which games wait, and what they write into registers, in a random order."
    n = lambda *between: int(rng.integers(*between))
    one = lambda *options: options[n(len(options))]
    wait = lambda k: f'.w{k}: ldh a, [$41]\n and {one(1, 2, 3)}\n jr nz, .w{k}\n ld hl, ${one("98", "80")}{n(16, 240):02X}\n'
    put = lambda *registers: lambda k: f'ld a, {n(256)}\n ldh [${one(*registers)}], a'
    io = put('42', '43', '47', '48', '4A', '4B'), put('45'), put('0F'), put('04', '05', '06'), put('11', '12', '14', '19', '22', '24')
    kinds = [lambda k: wait(k) + 'ld [hl], b\n ld [hl+], a\n ld [hl], l', lambda k: wait(k) + 'ld a, [hl+]\n inc [hl]\n ld c, a',
             lambda k: f'.w{k}: ldh a, [$44]\n cp {n(1, 153)}\n jr {one("nz", "c")}, .w{k}',
             lambda k: f'ld hl, $FF44\n ld d, {n(1, 140)}\n.w{k}: ld a, [hl]\n cp d\n jr nz, .w{k}',
             lambda k: f'ei\n ldh a, [$90]\n ld b, a\n.w{k}: ldh a, [$90]\n cp b\n jr z, .w{k}',
             lambda k: f'ld d, {n(1, 250)}\n.w{k}: dec d\n jr nz, .w{k}',
             lambda k: one('ei', 'di', 'di\n ld a, 5\n ldh [$0F], a') + '\n halt\n inc c\n ei',
             lambda k: 'di\n inc a\n ei', lambda k: 'call $7FFF', lambda k: f'ld a, {one(0, 8, 16, 32, 64, 72)}\n ldh [$41], a',
             lambda k: f'ld a, {5 | n(32)}\n ldh [$FF], a', lambda k: f'ld a, {0x81 | n(128)}\n ldh [$40], a',
             lambda k: f'ld a, ${one(10, 20, 30)}\n ldh [$00], a\n ldh a, [$00]\n ldh a, [$00]\n and 15\n ld e, a',
             lambda k: f'ld a, {n(8)}\n ld [$2000], a\n ld a, [$4{n(256):03X}]\n call far', lambda k: f'ld a, {4 | n(4)}\n ldh [$07], a',
             lambda k: f'ld hl, $FE{n(160):02X}\n ld [hl], e\n ld a, [hl]\n inc hl', lambda k: one(*io)(k)]
    return '\n '.join(kinds[n(len(kinds))](k) for k in range(length))

def test_idioms():
    "Every way to wait, at every phase of the picture and the timer, with interrupts that write registers: as the interpreter does it."
    rng = np.random.default_rng(6)
    source = f'''SECTION "vblank", ROM0[$40]\n push af\n ldh a, [$90]\n inc a\n ldh [$90], a\n pop af\n reti
SECTION "stat", ROM0[$48]\n jp stat\nSECTION "timer", ROM0[$50]\n reti\nSECTION "serial", ROM0[$58]\n reti
SECTION "keys", ROM0[$60]\n reti\nSECTION "closed VRAM", ROM0[$38]\n pop de\n ret
SECTION "entry", ROM0[$100]\n jp start\nSECTION "main", ROM0[$150]
stat: push af\n ldh a, [$44]\n ldh [$43], a\n ldh a, [$91]\n inc a\n ldh [$91], a\n pop af\n reti
start: ld sp, $DFF0\n.b: ldh a, [$44]\n cp 145\n jr nz, .b
 ld hl, $8000\n ld [hl], $04\n inc l\n ld [hl], $C9\n ld a, 5\n ldh [$FF], a\n ldh [$07], a\n ei
.again:\n ld sp, $DFF0\n{idioms(rng, 90)}\n jp .again
''' + '\n'.join(f'SECTION "far {k}", ROMX[$4800], BANK[{k}]\n{"far: " if k == 1 else ""} inc b\n ld a, {k % 7 + 1}\n ld [$2000], a'
                     f'\n ld e, {k}\n ret\nSECTION "last {k}", ROMX[$7FFF], BANK[{k}]\n di' for k in range(1, 8))
    cart = Cartridge.load(assemble(source, cartridge_type=1).rom)
    traces = write_traces(cart, profile_game(cart, sample=Sample(4, 480)), EVERYTHING)
    assert sum(map(len, traces.paths.values())) > 250, 'it is the traces that are tried'
    plain, fast = (Emulator(cart, 16, threads=1, device='cpu') for _ in range(2))
    rows, apart = plain.rows.numpy().copy(), np.arange(16)
    w = words_of(rows)
    w[:, Reg.DIVB] -= apart*37
    w[:, Reg.VBL] -= apart*731                                    # so far apart are their pictures
    for e in plain, fast: e.rows.assign(rows)
    fast.exchange(compiling.traced_kernel(traces), traces.words)
    for k in range(27):
        portion, keys = int(rng.integers(1, 30_000)), rng.choice(KEYS, 16)
        for e in plain, fast:
            e.set_buttons(keys)
            if k % 3: e.run_cycles(portion)
            else: e.step(2, 1)
        assert plain.hash() == fast.hash(), k
        assert (plain.frames() == fast.frames()).all(), k
    assert not plain.faults.any() and len({plain.hash(i) for i in range(16)}) > 12

@pytest.mark.slow # `test_watch.py` has them with hooks
def test_chunks_threads_and_restores(town):
    "One launch or many, one thread or two, and consoles put back in between."
    plain, one, two = Emulator(town, 8, threads=1, device='cpu'), traced(town, 8), traced(town, 8, threads=2)
    rng, saved = np.random.default_rng(5), None
    for k in range(40):
        portion, keys = int(rng.integers(1, 60_000)), rng.choice(KEYS, 8)
        for e in plain, one, two: e.set_buttons(keys)
        plain.run_cycles(portion)
        for e in one, two:
            left = portion
            while left:
                now = min(left, int(rng.integers(1, 9_000)))
                e.run_cycles(now)
                left -= now
        if k % 10 == 3: saved = plain.save(int(rng.integers(8)))
        elif k % 10 == 8:
            for e in plain, one, two: e.load(saved, 2)
        assert plain.hash() == one.hash() == two.hash()

def test_the_moment_they_come(town):
    "Exchanged after any launch, and back again."
    plain, e = Emulator(town, 4, threads=1, device='cpu'), Emulator(town, 4, threads=1, device='cpu')
    rng, there = np.random.default_rng(9), load_traces(town, e.device)
    assert there is not None
    back = e.kernel, e._shared[Shared.CODE].numpy().copy()
    for k in range(30):
        if rng.integers(3) == 0: e.exchange(*(there if rng.integers(2) else back))
        keys = rng.choice(KEYS, 4)
        for x in plain, e:
            x.set_buttons(keys)
            x.step(24, 8)
        assert plain.hash() == e.hash(), k

def test_known_heads(town):
    "Heads that were found before save the passes that find them; the text is the same."
    profile = compiling._read_profile(cache_folder(town, CPU), town)
    found, passes, write_all = write_traces(town, profile), [], Program.write_all
    with pytest.MonkeyPatch.context() as m:
        m.setattr(Program, 'write_all', lambda self: passes.append(len(self.heads)) or write_all(self))
        again = write_traces(town, profile, heads=list(found.paths))
    assert (found.text, found.paths) == (again.text, again.paths) and (found.words == again.words).all()
    assert passes == [len(found.paths)]

def test_a_damaged_cache(town, monkeypatch, tmp_path):
    "Whatever is wrong with a folder, nothing of it is used; a profile that is good is."
    good, head = cache_folder(town, CPU), next(iter(compiling.read_traces(town).paths))
    folder = tmp_path/'entry'
    monkeypatch.setattr(compiling, 'cache_folder', lambda cart, target: folder)
    device = Emulator(town, 1, threads=1, device='cpu').device
    binary = next(k for k in json.loads((good/ENTRY).read_text())['files'] if not k.endswith('.meta'))
    def spoilt(name, change):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(good, folder)
        change(folder/name)
        monkeypatch.setattr(compiling, '_loaded', {}) # as another process sees it
        return load_traces(town, device) is None
    cut = lambda p: p.write_bytes(p.read_bytes()[:-9])
    flip = lambda p: p.write_bytes(p.read_bytes()[:100] + bytes([p.read_bytes()[100] ^ 1]) + p.read_bytes()[101:])
    foreign = lambda p: p.write_text(json.dumps(json.loads(p.read_text()) | dict(rom_sha256='0' * 64)))
    outside = lambda p: p.write_text(json.dumps(json.loads(p.read_text()) | dict(files={'../x': ''})))
    for name in ENTRY, PROFILE, binary:
        assert spoilt(name, cut) and spoilt(name, lambda p: p.unlink()) and spoilt(name, lambda p: p.write_bytes(b'')), name
    assert spoilt(binary, flip) and spoilt(ENTRY, foreign) and spoilt(ENTRY, outside)
    headed = lambda heads: spoilt(ENTRY, lambda p: p.write_text(json.dumps(json.loads(p.read_text()) | dict(heads=heads))))
    assert headed('x') and headed([head]) and not headed([-1, 2**40, 'x', [head]]), 'what no head can be is left out'
    assert spoilt(ENTRY, lambda p: p.write_text('[1, 2]')) and spoilt(ENTRY, lambda p: p.write_text('{"schema": []}'))
    shutil.rmtree(folder)
    assert load_traces(town, device) is None

@pytest.fixture
def entry(town, monkeypatch, tmp_path):
    "A copy of what the cache has, as a process sees it that has loaded nothing, and the name of the binary in it."
    folder = tmp_path/'traces'/'entry'
    shutil.copytree(cache_folder(town, CPU), folder)
    monkeypatch.setattr(compiling, 'cache_folder', lambda cart, target: folder)
    monkeypatch.setattr(compiling, '_loaded', {})
    return folder, next(k for k in json.loads((folder/ENTRY).read_text())['files'] if k.endswith('.o'))

def linked(path):
    path.rename(path.with_name('away'))
    path.symlink_to(path.with_name('away'))

def given_away(path): os.chown(path, 65534, -1)

@pytest.mark.parametrize('change', [
    lambda p: p.chmod(0o770), lambda p: p.chmod(0o755), linked,
    pytest.param(given_away, marks=pytest.mark.skipif(os.geteuid() != 0, reason='only root can give files away'))],
    ids=['a group enters', 'all enter', 'a link', 'of another user'])
def test_traces_that_others_may_reach(town, entry, change):
    "No folder is used that another user could enter or has made."
    folder, _ = entry
    device = Emulator(town, 1, threads=1, device='cpu').device
    change(folder)
    assert load_traces(town, device) is None

@pytest.mark.skipif(os.geteuid() != 0, reason='only root can give files away')
@pytest.mark.parametrize('where', [ENTRY, PROFILE, 'binary'])
def test_traces_of_another_user(town, entry, where):
    "No file is used that another user owns."
    folder, binary = entry
    device = Emulator(town, 1, threads=1, device='cpu').device
    given_away(folder/(binary if where == 'binary' else where))
    assert load_traces(town, device) is None

def test_traces_are_not_compiled_where_others_may_enter(town, entry):
    "One line names the folder and the cure."
    folder, _ = entry
    folder.chmod(0o777)
    with pytest.raises(UserError, match=f'{folder}: others may enter it.*chmod 700'): compiling.compile_traces(town)

def test_traces_swapped_after_they_were_hashed(town, entry, monkeypatch):
    "What Warp gets are the bytes that were hashed, not those that are there a moment later."
    folder, binary = entry
    good, loaded, real = (folder/binary).read_bytes(), [], compiling.sha256
    def hash_then_swap(data):
        if data == good: (folder/binary).write_bytes(b'other code')
        return real(data)
    monkeypatch.setattr(compiling, 'sha256', hash_then_swap)
    def load(module, module_dir, **how): loaded.append((Path(module_dir)/binary).read_bytes())
    monkeypatch.setattr(compiling.wp, 'load_aot_module', load)
    monkeypatch.setattr(compiling, 'read_traces', lambda *a: SimpleNamespace(words=None))
    monkeypatch.setattr(compiling, 'traced_kernel', lambda *a: SimpleNamespace(module=None))
    assert load_traces(town, Emulator(town, 1, threads=1, device='cpu').device) and (folder/binary).read_bytes() == b'other code'
    assert loaded == [good]

@pytest.mark.parametrize('mask', [0, *(pytest.param(m, marks=pytest.mark.slow) for m in (0o002, 0o022, 0o077))])
def test_traces_under_any_umask(monkeypatch, tmp_path, brief, mask):
    "What is compiled can be read again, and no other user can write to it."
    folder, cart = tmp_path/'new'/'entry', Cartridge.load(assemble('SECTION "entry", ROM0[$100]\nagain: inc a\n jr again\n').rom)
    monkeypatch.setattr(compiling, 'cache_folder', lambda cart, target: folder)
    monkeypatch.setattr(compiling, '_compiled', lambda kernel, target: {'wp_a.o': b'code'})
    old = os.umask(mask)
    try: compiling.compile_traces(cart)
    finally: os.umask(old)
    assert compiling.read_entry(folder, cart)['files'].keys() == {'wp_a.o'}
    for p in folder, *folder.iterdir(): assert not p.stat().st_mode & 0o022, p

def test_loaded_once(town):
    "All batches of a process run the same kernel."
    device = Emulator(town, 1, threads=1, device='cpu').device
    assert load_traces(town, device)[0] is load_traces(town, device)[0]

@pytest.fixture
def brief(monkeypatch):
    "A short profile is enough for a program that is one loop."
    def profile(cart, rows=None): return profile_game(cart, rows, Sample(4, 96))
    monkeypatch.setattr(compiling, 'profile_game', profile)
    return profile

@pytest.mark.parametrize('again', [False, pytest.param(True, marks=pytest.mark.slow)])
def test_cartridges_with_the_same_traces(monkeypatch, tmp_path, brief, again):
    "Two ROMs that differ where no profile has been share their binaries, but not their words."
    source = 'SECTION "entry", ROM0[$100]\n jp start\nSECTION "main", ROM0[$150]\nstart: ld b, 9\n.w: inc hl\n dec b\n jr nz, .w\n' \
             ' ld a, [$C000]\n cp 77\n jr nz, start\n ld a, {}\n ld [$C001], a\n jp start\n'
    carts = [Cartridge.load(assemble(source.format(k)).rom) for k in (1, 2)]
    if again: monkeypatch.setattr(compiling, 'cache_folder', lambda cart, target: tmp_path/cart.sha256[:8])
    for k, cart in enumerate(carts, 1):
        if not load_traces(cart, Emulator(cart, 1, threads=1, device='cpu').device): compiling.compile_traces(cart)
        e = traced(cart, 1)
        e.write(0xC000, 77)
        e.run_frames(2)
        assert e.read(0xC001) == k

@pytest.mark.parametrize('begin', ['auto', 'wait'])
def test_no_room_for_the_compiler(town, monkeypatch, capsys, begin):
    "The interpreter goes on, with one line."
    def full(*args, **how): raise OSError(28, 'No space left on device')
    monkeypatch.setattr(exchanging.tempfile, 'TemporaryFile', full)
    monkeypatch.setattr(compiling, 'load_traces', lambda cart, device: None)
    monkeypatch.setattr(exchanging, 'LOOK_AFTER', 0.)
    monkeypatch.setattr(exchanging, 'COMPILE_AFTER', 1e-9)
    e = Emulator(town, 1, threads=1, device='cpu')
    use_traces(e, begin)
    for _ in range(4): e.run_frames(1)
    said = capsys.readouterr().err
    assert e.loader.state == 'failed' and said.count('cannot be compiled') == 1 and 'No space left' in said

def test_replaced_meanwhile(town, monkeypatch, capsys):
    "Another process replaced what this one's had made: nothing is said, and it is looked for again."
    monkeypatch.setattr(exchanging, '_CHILD', '')
    monkeypatch.setattr(compiling, 'load_traces', lambda cart, device: None)
    monkeypatch.setattr(exchanging, 'LOOK_AFTER', 0.)
    e = Emulator(town, 1, threads=1, device='cpu')
    use_traces(e, 'auto')
    e.loader.start()
    e.loader.compiler.process.wait()
    e.run_frames(1)
    assert e.loader.state == 'interpreter' and e.loader.compiler is None and not capsys.readouterr().err

def test_a_fork_has_no_compiler(town, monkeypatch):
    "It neither waits for the parent's nor ends it."
    monkeypatch.setattr(exchanging, '_CHILD', 'import time; time.sleep(600)')
    e = Emulator(town, 1, threads=1, device='cpu')
    e.loader = exchanging.TraceLoader(e, 'auto')
    e.loader.start()
    if not (child := os.fork()):
        e.loader.poll()
        e.loader.close()
        os._exit(0 if e.loader.compiler is None and e.loader.state == 'interpreter' else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 and not e.loader.compiler.done()
    e.loader.close()

def test_consoles_elsewhere(monkeypatch, tmp_path, brief):
    "Traces are compiled again for consoles that do what no profile has seen, and only then; old files go."
    loops = ''.join(f'place{k}: ld b, {k + 40}\n.w: inc hl\n ld [$C100 + {k}], a\n dec b\n jr nz, .w\n jp again\n' for k in range(2))
    source = (f'SECTION "entry", ROM0[$100]\n jp again\nSECTION "main", ROM0[$150]\n{loops}'
              'again: ld a, [$C000]\n or a\n jp z, place0\n jp place1\n')
    cart = Cartridge.load(assemble(source).rom)
    there = []
    for k in range(2):
        e = Emulator(cart, 1, threads=1, device='cpu')
        e.write(0xC000, k)
        there.append(e.rows.numpy())
    made = iter('abc')
    monkeypatch.setattr(compiling, 'cache_folder', lambda cart, target: tmp_path)
    monkeypatch.setattr(compiling, 'load_traces', lambda cart, device: True)
    monkeypatch.setattr(compiling, '_compiled', lambda kernel, target: {f'wp_{next(made)}.o': b'code'})
    names = lambda: [p.name for p in tmp_path.glob('wp_*')]
    for k, name in (0, 'wp_a.o'), (0, 'wp_a.o'), (1, 'wp_b.o'), (0, 'wp_b.o'):
        compiling.compile_traces(cart, rows=there[k])
        assert names() == [name]
        assert compiling.read_traces(cart).covers(brief(cart, there[k])) > .9

def test_modes(town, monkeypatch, capsys):
    "What is asked for is recorded; an unknown word is one line; a compiler that fails leaves the interpreter, and one line."
    with pytest.raises(ValueError, match="traces is 'fast', but must be one of auto, wait, off"): use_traces(Emulator(town, 1), 'fast')
    e = Emulator(town, 1, threads=1, device='cpu')
    use_traces(e, 'off')
    assert e.build['traces'] == 'off' and e.loader.state == 'off'
    monkeypatch.setenv('GBXNB_TRACES', 'fast')
    with pytest.raises(UserError, match="GBXNB_TRACES is 'fast', but must be one of"): use_traces(e)
    monkeypatch.setenv('GBXNB_TRACES', 'auto')
    use_traces(e)
    assert e.build['traces'] == 'auto' and e.loader.state == 'interpreter'
    debug = Emulator(town, 1, threads=1, checks=True, device='cpu')
    use_traces(debug, 'wait')
    assert debug.loader.state == 'off'
    monkeypatch.setattr(exchanging, '_CHILD', 'raise SystemExit("no compiler here")')
    monkeypatch.setattr(compiling, 'load_traces', lambda cart, device: None)
    use_traces(e, 'wait')
    e.run_frames(2)
    said = [line for line in capsys.readouterr().err.splitlines() if 'cannot be compiled' in line]
    assert e.loader.state == 'failed' and len(said) == 1 and 'no compiler here' in said[0]
