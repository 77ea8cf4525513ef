"""Folders of tasks whose files were changed, exchanged, or made up with hashes that agree.

A folder holds a task that can be judged, or it is refused in one line. What is not named in its manifest stays as it is, whatever is
read, judged or written there, and a new task over it is written as a whole or not at all."""
import contextlib, io, json, random, shutil, tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from damage import OTHERS, change_bytes, change_json, npy, values
from gbxnb.games.probe import probe_rom
from gbxnb.games.asm import assemble
from gbxnb.emulator.cartridge import Cartridge, pack_save
from gbxnb.goals.replay_check import replay_check
from gbxnb.goals.capture import join_goals
from gbxnb.envs.task import Task, make_task
from gbxnb.envs.goal import FACTS, region_mask
from gbxnb.base.files import UserError, sha256
from watched import one_line, watching

COUNT = 2000
SHADES = """
 SECTION "entry", ROM0[$100]
  jr Start
 SECTION "main", ROM0[$150]
Start: ld a, $0A :: ld [$0000], a                  ; the RAM answers
Show: ld a, [$A000] :: ldh [$FF47], a              ; all four colours have the shade that is saved
Press: call Pad :: jr nz, Press
  ld a, [$A000] :: add a, $55 :: ld [$A000], a
Release: call Pad :: jr z, Release
  jr Show
Pad: ld a, $10 :: ldh [$FF00], a :: ldh a, [$FF00] :: and 1 :: ret
"""

def shades_rom()->bytes:
    "A cartridge with a battery and a clock that shows what it has saved; A makes it darker."
    return assemble(SHADES, title='SHADES', cartridge_type=0x10, ram_kb=8).rom

def files(folder): return {p.name: p.read_bytes() for p in sorted(Path(folder).iterdir()) if p.name != '.lock'}
def summary(t): return t.buttons, t.actions, t.start.sha256, t.goal.sha256, t.goal.tau, t.battery

# mutations

def change_start(rng, task):
    "A task that begins with a console that cannot be, or can, and whose goal names it."
    state = task.start.state.copy()
    at = rng.randrange(0x4200, 0x4300) if rng.random() < .7 else rng.randrange(len(state)) # the register page
    state[at:at + rng.choice([1, 4])] = rng.choice([0, 1, 127, 128, 255])
    start = replace(task.start, state=state)
    return replace(task, start=start, goal=replace(task.goal, state_sha256=start.sha256))

HASHES = {'goal_template.npy': 'template_sha256', 'goal_mask.npy': 'mask_sha256'}
MASKS = (lambda a: a[:1], lambda a: a[0], lambda a: a*0, lambda a: a*0 + 1, lambda a: a[::-1], lambda a: a[:, None])

def change_goals(rng, files):
    "Pictures and masks of another shape, type, number or order, half of the time with hashes and counts that agree."
    facts, arrays = json.loads(files[FACTS]), {k: np.load(io.BytesIO(files[k])) for k in HASHES if k in files}
    agree = rng.random() < .7
    for k in rng.choices([*arrays], k=rng.choice((1, 1, 2))):
        with contextlib.suppress(ValueError, TypeError, IndexError), np.errstate(all='ignore'): # not every array can be changed so
            arrays[k] = values(arrays[k], rng) if rng.random() < .2 else np.asarray(rng.choice((*OTHERS, *MASKS))(arrays[k]))
    pix = arrays['goal_template.npy']
    if agree and pix.ndim in (2, 3, 4):
        facts |= dict(stack_k=1 if pix.ndim == 2 else pix.shape[-3], goals=len(pix) if pix.ndim == 4 else 1)
    if len(arrays) == 2 and rng.random() < .2: del arrays['goal_mask.npy']
    for k, a in arrays.items():
        try: files[k] = npy(a)
        except ValueError: files[k] = b'' # of a type that is not stored
        if agree: facts[HASHES[k]] = sha256(files[k])
    if rng.random() < .3: facts[rng.choice(('goals', 'stack_k', 'mask_sha256'))] = rng.choice((0, 1, 2, 64, 10**9, -1, '', None, '0'*64))
    return files | {FACTS: json.dumps(facts).encode()}

def damage(rng, good):
    "Files of a task, some of them changed, exchanged or gone."
    files = dict(good)
    if rng.random() < (.5 if 'goal_mask.npy' in good else .1): return change_goals(rng, files)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        name, r = rng.choice(sorted(files)), rng.random()
        if name.endswith('.json') and r < .5: files[name] = json.dumps(change_json(rng, json.loads(good[name]))).encode()
        elif r < .1 and len(files) > 1: del files[name]
        elif r < .2: files[name] = files[rng.choice(sorted(files))]
        else: files[name] = change_bytes(rng, files[name])
    return files

# one try

def prepare():
    "For two cartridges: the file, a task, and another one; the second has a battery. And once more a task of several goals with masks."
    cart = Cartridge.load(shades_rom())
    save = pack_save(cart, bytes([0xAA]).ljust(cart.ram_bytes, b'\0'))
    walks = [make_task(probe_rom(), [(0, 20), (8, 8), (0, 8)], actions, tau=.003) for actions in ([6, 6, 6], [6, 4])]
    several = replace(walks[0], goal=join_goals([t.goal for t in walks]))
    masks = np.stack([region_mask(['0,0,72,60']), region_mask(['9,0,40,80'])])
    several = replace(several, goal=replace(several.goal, mask=masks))
    return [(probe_rom(), *walks), (probe_rom(), several, walks[1]),
            (cart, make_task(cart, [(0, 10)], [0], battery=save), make_task(cart, [(0, 10)], [0]))]

def attempt(seed, shared)->str:
    rng = random.Random(seed)
    rom, task, other = rng.choice((*shared, shared[1])) # half of them with several goals
    with tempfile.TemporaryDirectory() as d:
        if rng.random() < .2: task = change_start(rng, task)
        good = files(task.save(f'{d}/good'))
        bad, folder = damage(rng, good) if rng.random() < .9 else good, Path(d).resolve()/'bad'
        folder.mkdir()
        more = {'notes.txt': b'mine'} | ({'replay_check.json': b'mine'} if rng.random() < .2 else {})
        for name, data in (bad | more).items(): (folder/name).write_bytes(data)
        before = files(folder)
        try:
            with watching(folder): replay_check(rom, folder)
        except UserError as e:
            one_line(str(e).replace(d, ''))
            word = 'refused'
        else: word = 'judged'
        word += ', several goals'*('goal_mask.npy' in good)
        allowed = {'replay_check.json', 'manifest.json'} if word.startswith('judged') and 'replay_check.json' not in more else set()
        assert {k for k, v in files(folder).items() if v != before.get(k)} <= allowed, 'nothing but the report is written'
        before = files(folder)
        try:
            with watching(folder): other.save(folder)
        except UserError: assert files(folder) == before
        else: assert summary(Task.load(folder)) == summary(other)
        assert files(folder)['notes.txt'] == b'mine'
        shutil.rmtree(folder)
    return word
