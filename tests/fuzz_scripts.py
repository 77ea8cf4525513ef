"""Scripts with other keys, frames, actions and bytes, for a goal in a folder that is new, holds one already, or is of somebody else.

A script leads to a task that can be read, played again and captured again from its own script, or is refused in a line, and the folder
stays as it was."""
import json, random, tempfile
from pathlib import Path
from damage import ODD, PICKLE, change_bytes, change_json, other_file, places
from fuzz_tasks import summary
from gbxnb.games.bundled import probe_rom
from gbxnb.goals.capture import goal_capture_cli
from gbxnb.envs.task import Task, make_task
from watched import room

COUNT = 1500
SCRIPTS = [dict(buttons=[['', 30]], actions=['RIGHT', 'A']), dict(buttons=[['A', 8], ['', 20], ['A+UP', 3]], actions=['DOWN']*5),
           dict(actions=['LEFT', 'UP', 'B', 'START']), dict(buttons=[['START+SELECT', 1]]*20, actions=['RIGHT']*12)]
PIECES = (['', 1], ['A+A', 7], ['a', 1], ['A+', 9], ['+', 1], ['UP+DOWN+LEFT+RIGHT+A+B+START+SELECT', 2], ['', 0], ['', -1], ['', 1.],
          ['', 3000], ['', 10**7 + 1], ['', True], ['x'*10**4, 1], [5, 5], [[], 1], 'A', [], ['A'], ['A', 1, 1], None, {}, 'UP', 'up', 7)
BYTES = (b'', b'{', b'['*10**6, b'{"actions": '*10**5, b'\xff\xfe', b'[]', b'{}', b'null', b'{"actions": ["A"], "buttons": [["", NaN]]}',
         PICKLE, b'{"actions": [' + b','.join([b'"A"']*10**5) + b']}', b'{"actions": ["A"], "actions": ["UP"]}')

def another(rng, script):
    "Pieces more, less, elsewhere; odd values; other bytes."
    script, r = json.loads(json.dumps(script)), rng.random()
    for _ in range(rng.choice((1, 1, 2, 6))):
        part = rng.choice([v for v in script.values() if isinstance(v, list)] or [[]])
        i = rng.randrange(len(part) + 1)
        match rng.randrange(5):
            case 0 if part: part[i:i+1] = []
            case 1 if part: part[i:i+1] = [rng.choice(part)]
            case 2: part.insert(i, rng.choice(PIECES[:6] if part and isinstance(part[0], list) else ('A', 'UP', 'RIGHT', 'DOWN')))
            case 3 if r < .5: part.insert(i, rng.choice(PIECES))
            case 4 if r < .3: script = change_json(rng, script)
        if not isinstance(script, dict): break
    if r < .1 and isinstance(script, dict) and script:
        *path, last = rng.choice([p for p in places(script) if p])
        inner = script
        for k in path: inner = inner[k]
        inner[last] = rng.choice(ODD)
    data = json.dumps(script).encode()
    return rng.choice(BYTES) if r > .95 else change_bytes(rng, data) if r > .85 else data

def prepare():
    "A ROM file, and a task of that ROM."
    where = tempfile.TemporaryDirectory(prefix='gbxnb-fuzz-')
    rom = Path(where.name)/'probe.gb'
    rom.write_bytes(probe_rom())
    return where, rom, make_task(probe_rom(), [(0, 20), (8, 8), (0, 8)], [6, 6, 6], tau=.003)

def fill(rng, out, task):
    "What lies where the goal is to go; whether that may be replaced."
    match rng.randrange(4):
        case 1: # in no manifest
            out.mkdir()
            for name, data in task.files().items(): (out/name).write_bytes(data)
        case 2: task.save(out)
        case 3:
            task.save(out)
            for name in 'battery.sav', 'notes.txt': (out/name).write_bytes(b'mine')

def attempt(seed, shared)->str:
    _, rom, task = shared
    rng = random.Random(seed)
    with room() as r:
        script, out = r.mine/'script.json', r.mine/'goal'
        r.fill({'script.json': json.dumps(rng.choice(SCRIPTS)).encode() if seed % 20 == 0 else another(rng, rng.choice(SCRIPTS))})
        if rng.random() < .05: other_file(rng, script, r.path/'theirs/notes.txt')
        fill(rng, out, task)
        words = dict(script=script, tau=rng.choice((.02, .003, .003)))
        status, err = r.call(goal_capture_cli, rom, out=out, folder='mine/goal', **words)
        if status: return 'refused'
        made = Task.load(out)
        assert r.call(goal_capture_cli, rom, out=r.mine/'again', folder='mine/again', **words | dict(script=out/'script.json'))[0] == 0
        assert summary(Task.load(r.mine/'again')) == summary(made), 'its own script leads elsewhere'
    return 'captured'
