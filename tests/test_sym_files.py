"Symbol files: whatever is in one is read or refused in one line; what is written is read again; a slip of one letter is forgiven."
import difflib
from functools import cache
from itertools import islice, product
from string import ascii_letters

import pytest
from gbxnb.emulator.cartridge import Cartridge
from gbxnb.emulator.emulator import Emulator
from gbxnb.games.asm import Program, assemble
from gbxnb.games.bundled import program
from gbxnb.lab.inspect import Inspect
from gbxnb.pyboy import PyBoy
from gbxnb.watch.variables import Place, Symbols, find_symbols, parse_symbols, read_symbols, symbols_beside
from gbxnb.games.asm import symbol_text
from gbxnb.base.files import UserError
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

few = settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
names = st.from_regex(r'[A-Za-z_.][A-Za-z0-9_@#$]{0,12}(\.[A-Za-z0-9_]{1,8})?', fullmatch=True)
places = st.builds(Place, st.integers(0, 0x1FF), st.integers(0, 0xFFFF))
odd = st.sampled_from(['BOOT:0072', '0042', 'ffffffff', '01:10000', '[labels]', '[definitions]', *':;\t\r\x0b\u2028\ufeff\ud800'])
words = st.one_of(names, places.map(str), odd, st.text(max_size=3))
texts = st.lists(st.lists(words, max_size=4).map(' '.join), max_size=8).map('\n'.join)

@cache
def game(): return parse_symbols(symbol_text(program()), 'game.sym')

def refusal(call, *args):
    "The one line that a call is refused with, or None where it is not."
    try: call(*args)
    except UserError as e:
        assert len(str(e).splitlines()) == 1, str(e)
        return str(e)

@few
@given(st.one_of(st.text(), texts))
@example('\0' * 99)
@example('f' * 5000 + ' a')
@example('0:' + 'f' * 5000 + ' a')
@example('\U000e0000' * 99)
def test_any_text_is_read_or_refused_in_one_line(text):
    if (line := refusal(parse_symbols, text, 'a.sym')) is not None:
        assert line.startswith('a.sym: ') and len(line) < 200
        return
    symbols = parse_symbols(text, 'a.sym')
    assert symbols.keys() | symbols.doubles.keys() and not symbols.keys() & symbols.doubles.keys()
    for name in symbols: assert symbols.find(name) == symbols[name] and 0 <= symbols[name].address <= 0xFFFF
    for name in symbols.doubles: assert refusal(symbols.find, name).startswith('a.sym: ')

@few
@given(st.binary(max_size=200), st.sampled_from([b'', b'00:0150 Main\n']))
def test_any_bytes_are_read_or_refused_in_one_line(tmp_path, data, start):
    path = tmp_path/'a.sym'
    path.write_bytes(start + data)
    assert (refusal(read_symbols, path) or f'{path}: ').startswith(f'{path}: ')

@few
@given(st.dictionaries(names, places, min_size=1, max_size=12), st.booleans(), st.booleans())
def test_what_is_written_is_read(labels, crlf, bom):
    constants = {'LIMIT ': 9, 'rLCDC ': 0xFF40}
    made = Program(b'', {k: p.address for k, p in labels.items()} | constants, {k: p.bank for k, p in labels.items()})
    text = symbol_text(made)
    assert parse_symbols(text) == labels
    assert parse_symbols('\ufeff' * bom + (text.replace('\n', '\r\n') if crlf else text)) == labels

@few
@given(st.data())
def test_a_slip_of_one_letter_is_forgiven(data):
    name = data.draw(st.sampled_from([n for n in game() if len(n) > 2]))
    at, letter = data.draw(st.integers(0, len(name) - 1)), data.draw(st.sampled_from(ascii_letters))
    typed = name[:at] + letter + name[at + 1:]
    assume(typed not in game())
    assert name in game().nearest(typed) and len(game().nearest(typed)) <= 5
    assert name in refusal(game().find, typed)

@pytest.mark.parametrize('typed, meant', [('player', 'wPlayer'), ('Player', 'wPlayer'), ('WPLAYER', 'wPlayer'), ('villager', 'wVillager')])
def test_capitals_and_the_letter_of_the_memory_do_not_count(typed, meant):
    assert game().nearest(typed)[0] == meant

@few
@given(names)
def test_any_name_is_found_or_refused_in_one_line(name):
    assert name in game() or 'game.sym: no symbol ' in refusal(game().find, name)

@pytest.mark.parametrize('typed', ['abcdx', 'ab'*9_000], ids=['many', 'long'])
def test_a_misspelled_name_is_compared_with_few_others(monkeypatch, typed):
    "However many names a file has, and however long they are."
    sizes, labels = [], (product('abcdefghij', repeat=5) if len(typed) < 9 else ('ab'*k + 'x'*7 for k in range(2000)))
    class Counting(difflib.SequenceMatcher):
        def set_seq1(self, a):
            sizes.append(len(a)*len(self.b or ''))
            assert len(sizes) <= 1000 and sizes[-1] <= 100*250
            super().set_seq1(a)
    symbols = Symbols({''.join(label): Place(0, 0) for label in islice(labels, 20_000)}, 'many.sym')
    monkeypatch.setattr(difflib, 'SequenceMatcher', Counting)
    line = refusal(symbols.find, typed)
    assert line.startswith('many.sym: no symbol ') and len(line) < 600

def test_two_places_of_one_name():
    "They do no harm until one is asked for; the same place twice is one."
    symbols = parse_symbols('00:0150 Main\n01:4000 loop\n\n02:4000 loop\n03:4000 loop\n00:0150 Main\n', 'a.sym')
    assert symbols == {'Main': Place(0, 0x150)} and symbols.nearest('lop') == ['loop']
    line = refusal(symbols.find, 'loop')
    assert all(part in line for part in ('a.sym', '01:4000 (line 2)', '02:4000 (line 4)'))

@pytest.mark.parametrize('text, part', [
    ('', 'no symbol'), ('0042 LIMIT', 'no symbol'), ('BOOT:0072 Logo', 'no symbol'), ('[definitions]\n00:0150 Main', 'no symbol'),
    ('00:12345 Far\nMain', 'line 1'), ('Main EQU 3', 'line 1'), ('123456789:0000 Main', 'line 1'), ('$00:0150 Main', 'line 1')])
def test_refused(text, part):
    assert part in refusal(parse_symbols, text, 'a.sym')

def test_only_labels_are_written():
    made = assemble('LIMIT EQU 9\nSECTION "a", ROM0[$150]\nMain: LD A, LIMIT\n LDH [rLCDC], A\nSECTION "h", HRAM\nhCount: DB')
    assert parse_symbols(symbol_text(made)) == {'Main': Place(0, 0x150), 'hCount': Place(0, 0xFF80)}
    assert 'no symbol' in refusal(parse_symbols, symbol_text(assemble('LIMIT EQU 9')))

def test_files(tmp_path):
    rom, file = tmp_path/'game.v1.gb', tmp_path/'game.v1.sym'
    assert symbols_beside(rom) is symbols_beside('/') is symbols_beside('') is symbols_beside('a\0b') is None
    assert 'cannot be read' in refusal(read_symbols, file)
    file.write_text(symbol_text(program()))
    assert symbols_beside(rom).name == str(file) and symbols_beside(str(rom)) == game() and isinstance(read_symbols(file), Symbols)
    file.write_bytes(bytes((1 << 24) + 1))
    assert 'at most' in refusal(read_symbols, file)

MIX = {'00:0150 Main': Place(0, 0x150), '01:4000 Draw': Place(1, 0x4000), '0003:c0DE wCount': Place(3, 0xC0DE)}

@few
@given(st.data())
def test_any_mixture_is_the_same_table(tmp_path, data):
    "Of blanks, comments, ends of lines, encodings, sections, constants and words behind the name."
    pick = lambda *some: data.draw(st.sampled_from(some))
    blank, lines = st.text(' \t', min_size=1, max_size=3), []
    for text in MIX:
        parts = [*text.split(), *pick([], ['ROMX'], ['a b', 'size=4'])]
        line = data.draw(st.text(' \t', max_size=2)) + ''.join(part + data.draw(blank) for part in parts)
        lines += [*pick([], [''], ['; r\xe9gie 00:0150 No'], ['2a ANSWER'], ['BOOT:0072 Logo']), line + pick('', ';', '; d\xe9but')]
    if pick(False, True):
        lines = ['[information]', '9:9 No', pick('[labels]', '[LABELS]', ' [Labels] ; x'), *lines, '[Definitions]', '00:0001 No']
    whole = pick('\n', '\r\n', '\r').join(lines) + pick('', '\n', '\x1a')
    (tmp_path/'a.sym').write_bytes(whole.encode(pick('utf-8', 'utf-8-sig', 'utf-16', 'utf-16-le', 'utf-16-be', 'utf-32', 'latin-1')))
    assert {str(p): k for k, p in read_symbols(tmp_path/'a.sym').items()} == {str(p): k.split()[1] for k, p in MIX.items()}

FOUND = {'Start': Place(0, 0x150), 'Bank1': Place(1, 0x4000)}
FILES = {
    'game.sym': b'00:0150\tStart ROM0 ; entry\r\n01:4000  Bank1\r\n',
    'game.gb.sym': '[LABELS]\r0:150 Start\r1:4000 Bank1\r'.encode('utf-16'),
    'game.map': b'ASxxxx Linker\n\n   Value  Global\n  00000150  Start  main\n  00014000  Bank1\n.  .ABS.   00000000   00000000 = 0. bytes',
    'game.gb.map': b'00000150 Start\r0001:4000 Bank1\r  00014000  Bank1  main  \r'}

@pytest.mark.parametrize('name', FILES)
def test_one_reader(tmp_path, capfd, name):
    "What is found beside a ROM is what is read by name, by PyBoy's interface, the debugger and a watch list."
    rom, file = tmp_path/'game.gb', tmp_path/name
    rom.write_bytes(assemble('SECTION "e", ROM0[$100]\n JR @').rom)
    file.write_bytes(FILES[name])
    cart = Cartridge.load(rom)
    assert read_symbols(file) == symbols_beside(rom) == cart.symbols == find_symbols('', cart) == FOUND
    for options in {}, dict(symbols=str(file)):
        with PyBoy(str(rom), window='null', **options) as boy:
            assert [boy.symbol_lookup(k) for k in FOUND] == [(0, 0x150), (1, 0x4000)]
    assert capfd.readouterr().err == ''

@pytest.mark.parametrize('content, part', [
    (b'Symbol Table\n\n  .__.CPU.=  0000 L\n  5 _main   0000 GR\n', 'no symbol'), (bytes(1 << 25), 'at most'), (b'\xff\xfe\0', 'no symbol'),
    (assemble('SECTION "e", ROM0[$100]\n JR @').rom, 'a Game Boy ROM'),
    (b'00:0150 Start\nstart: nop\n01:4000 Bank1\n1:20000 Far', '2 of 4 lines')],
    ids=['other tool', 'huge', 'odd', 'rom', 'two lines'])
def test_a_neighbour_stops_nobody(tmp_path, capfd, content, part):
    "A line on standard error says what is left out; a file that was named and has nothing is refused."
    rom, file = tmp_path/'game.gb', tmp_path/'game.sym'
    rom.write_bytes(assemble('SECTION "e", ROM0[$100]\n JR @').rom)
    file.write_bytes(content)
    found = Inspect(Emulator(rom)).debugger.symbols
    line, = capfd.readouterr().err.splitlines()
    assert line.startswith(f'gbxnb: {file}: ') and part in line
    with PyBoy(str(rom), window='null') as boy: assert {*boy.rom_symbols_inverse} == {*(found or ())}
    assert found == FOUND or part in refusal(read_symbols, file)
