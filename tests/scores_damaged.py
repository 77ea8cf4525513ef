"""Damaged and odd cartridges of which `gbxnb score` is to find the numbers: those of `fuzz_roms`, and a game with a score in which bytes
of the code, the digits or the header are others.

It ends with a reward, a start, a picture and a watch list, each of which can be used, or in a line and at most a picture.

    python tests/scores_damaged.py 1000     so many tries; prints one JSON line"""
import json, os, random, sys, tempfile
from pathlib import Path
from unittest import mock
import fuzz_roms
from fastcore.xtras import working_directory
from gbxnb.base.command import call
from gbxnb.emulator.cartridge import header_checksum
from gbxnb.envs.task import Task
from gbxnb.envs.watch_list import read_entries
from gbxnb.games import arcade
from gbxnb.score.score import score_cli
import fuzzing
from watched import room

LEFT = 'score.py', 'score.png', 'score.json', 'score_start'
START = 'script.json', 'task.png', 'start.npz', 'manifest.json'
FREE = {f'mine/{name}' for name in (*LEFT[:3], *(f'score_start/{name}' for name in START))}

def spoiled(rng)->bytes:
    "A game with a score, not quite."
    rom = bytearray(arcade.arcade_rom(*((rng.randbytes(160), rng.randrange(1, 100)) if rng.random() < .3 else ())))
    for _ in range(rng.choice((0, 0, 1, 3, 12))): rom[rng.randrange(0x100, 0x400)] = rng.randrange(256)
    for _ in range(rng.choice((0, 0, 0, 100))): rom[rng.randrange(0x150, len(rom))] = rng.randrange(256)
    if rng.random() < .2: rom[0x147:0x14A] = bytes([rng.choice(fuzz_roms.BOARDS), rng.randrange(4), rng.randrange(6)])
    if rng.random() < .9: rom[0x143], rom[0x14D] = rom[0x143] & 0x7F, header_checksum(rom)
    return bytes(rom[:rng.randrange(len(rom))] if rng.random() < .03 else rom)

QUIET = dict(TQDM_DISABLE='1', GBXNB_TRACES='off')

def prepare():
    "The ROMs of `fuzz_roms`; every kernel is compiled before anybody watches."
    with tempfile.TemporaryDirectory() as d, working_directory(d), mock.patch.dict(os.environ, QUIET):
        Path('game.gb').write_bytes(arcade.arcade_rom())
        assert call(score_cli, 'game.gb', steps=50)[0] == 0
    return fuzz_roms.prepare()

def attempt(seed, base)->str:
    rng = random.Random(seed)
    rom = fuzz_roms.mutated(seed, base) if rng.random() < .3 else spoiled(rng)
    with room() as r, mock.patch.dict(os.environ, QUIET), working_directory(r.mine):
        r.fill({'game.gb': rom})
        status, _ = r.call(score_cli, 'game.gb', steps=50, seed=rng.randrange(9), guess=rng.random() < .3, free=FREE)
        there = [name for name in LEFT if (r.mine/name).exists()]
        assert there in ([[], ['score.png']] if status else [[*LEFT]]), f'left: {there}'
        if status: return 'nothing found'
        compile((r.mine/'score.py').read_text(), 'score.py', 'exec')
        assert Task.load('score_start').start.rom_sha256
        entries = json.loads((r.mine/'score.json').read_text())['variables']
        if entries: read_entries(r.mine/'score.json')
    return 'found'

if __name__ == '__main__':
    sys.modules['fuzz_scores'] = sys.modules['__main__'] # as workers look for it
    fuzzing.WORK = 120 # seconds of computing: a game full of digits takes some
    print(json.dumps(fuzzing.campaign('scores', int(sys.argv[1]))))
