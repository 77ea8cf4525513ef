"""Exploring together: the archive is the same from any number of workers, in any order, however often one is killed; a part that is
damaged or of another archive is one line, and made again."""
import json, os, signal, threading, time
from contextlib import closing
from dataclasses import replace
from functools import partial
import numpy as np
import processes
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from gbxnb.base.command import call
from gbxnb.base.files import Folder, UserError, claim_folder, read_manifest
from gbxnb.base.progress import Meter
from gbxnb.explore.explore import explore_cli
from gbxnb.explore.explorer import ExploreConfig, Explorer, check_lists, load_exploration, pack_exploration
from gbxnb.explore.rounds import (EXPLORATION, ROUNDS, SILENT, Worker, archive_sha256, is_dead, leaves, merge, merge_lists, pack_part,
                                  plan_text, read_part, take_claim, what_is_new)
from gbxnb.games import town as game
from gbxnb.games.bundled import bundled_task

CFG = ExploreConfig(num_envs=8, max_places=200, max_rows=40)
PLAN = dict(parts=4, round_steps=80, steps=1280)

def new(cfg=CFG): return Explorer(game.rom(), bundled_task('town/key').start, cfg, device='cpu')

def begin(path, cfg=CFG, **plan):
    with claim_folder(path, 'atlas') as folder, closing(new(cfg)) as e:
        folder.write({EXPLORATION: pack_exploration(e), ROUNDS: plan_text(**PLAN | plan, stored=0)})
    return path

def worker(path, save_every=640):
    e = load_exploration(path/EXPLORATION, game.rom(), device='cpu')
    return Worker(e, Folder(path, *read_manifest(path)), save_every)

def work(path, **how):
    w = worker(path, **how)
    with closing(w.explorer): return w.run().state_dict()

def check_same(a, b): assert a.keys() == b.keys() and [k for k in a if not np.array_equal(a[k], b[k])] == []

@pytest.fixture(scope='module')
def alone(tmp_path_factory):
    "What one worker finds; rows were given up, and places refused."
    found = work(begin(tmp_path_factory.mktemp('alone')))
    assert found['counters'].tolist()[0] == 160 and (found['counters'] > 0).all() and len(found['bank']) == 40
    return found

@pytest.fixture(scope='module')
def first():
    "The first round: an explorer, the state before, and its parts."
    with closing(new(replace(CFG, max_places=2000, max_rows=600))) as e:
        before, parts = e.state_dict(), []
        for p in range(3):
            e.load_state_dict(before | {'lanes.chance': np.random.default_rng(p).integers(0, 2**32, 8, np.uint32)})
            parts.append(what_is_new(e.run(80), before))
        yield e, before, parts

# ---- the same from any workers

@pytest.mark.parametrize('count', [2, pytest.param(4, marks=pytest.mark.slow)])
def test_any_number_of_workers_finds_the_same(count, alone, tmp_path):
    begin(tmp_path)
    found = []
    others = [threading.Thread(target=lambda: found.append(work(tmp_path))) for _ in range(count)]
    for o in others: o.start()
    for o in others: o.join()
    assert len(found) == count
    for d in found: check_same(alone, d)
    with closing(load_exploration(tmp_path/EXPLORATION, game.rom(), device='cpu')) as e: check_same(alone, e.state_dict())
    assert not (tmp_path/'parts').exists() and read_manifest(tmp_path)[1] == {EXPLORATION, ROUNDS}

def test_parts_may_come_in_any_order(first, tmp_path):
    "Explored backwards, by two explorers that have been elsewhere before."
    a, b = (worker(begin(tmp_path/n)) for n in 'ab')
    with closing(a.explorer), closing(b.explorer):
        for _ in range(3):
            for w, order in (a, range(4)), (b, (3, 1, 2, 0)):
                for p in order: w.done[p] = w.explore_part(p)
                w.merge()
            check_same(a.state_dict(), b.state_dict())
        a.go_back()
        check_same(a.explorer.state_dict() | dict(consoles=a.d['consoles']), a.state_dict())
        check_same(a.explorer.load_state_dict(a.state_dict()).state_dict(), a.state_dict())

def test_a_merge_on_the_host_is_that_of_a_worker(tmp_path):
    w = worker(begin(tmp_path))
    with closing(w.explorer):
        for _ in range(3):
            before, w.done = {k: v.copy() for k, v in w.state_dict().items()}, {p: w.explore_part(p) for p in range(4)}
            after = merge(before, [w.done[p] for p in range(4)])
            w.merge()
            check_same(after, w.state_dict())

@pytest.mark.slow
def test_a_stored_exploration_goes_on(alone, tmp_path):
    begin(tmp_path, steps=640)
    work(tmp_path)
    (tmp_path/ROUNDS).write_text(plan_text(**PLAN, stored=2))
    check_same(alone, work(tmp_path))

@pytest.mark.slow
def test_one_that_comes_late_or_was_suspended(alone, tmp_path):
    "Its round was stored and removed while it held an older archive, or a part of one."
    begin(tmp_path)
    late, slept = worker(tmp_path), worker(tmp_path)
    with closing(late.explorer), closing(slept.explorer):
        assert slept._named()
        real = slept.explore_part
        def sleep(*args):
            slept.explore_part = real
            part = real(*args)
            check_same(alone, work(tmp_path, save_every=320))
            return part
        slept.explore_part = sleep
        with pytest.MonkeyPatch.context() as m: # the sleeper's claim is silent
            m.setattr('gbxnb.explore.rounds.SILENT', -1e9)
            check_same(alone, slept.run().state_dict())
        check_same(alone, late.run().state_dict())
    assert read_manifest(tmp_path)[1] == {EXPLORATION, ROUNDS}

CHILD = '''
import sys
from pathlib import Path
from test_rounds import work
work(Path(sys.argv[1]))
'''

@pytest.mark.slow
def test_killed_again_and_again_nothing_is_lost(alone, tmp_path):
    "SIGKILL of one of two workers, in the middle of parts, merges and stores."
    begin(tmp_path)
    rng, kills = np.random.default_rng(0), 0
    steady = processes.Program(CHILD, tmp_path)
    while steady.is_alive():
        other = processes.Program(CHILD, tmp_path)
        other.join(float(rng.uniform(.05, .6)))
        if other.is_alive(): other.kill()
        kills += other.exitcode == -signal.SIGKILL
        other.communicate()
        if kills == 2: steady.kill() # the rest is for those that come later
    said = steady.communicate()
    assert kills and steady.exitcode in (0, -signal.SIGKILL), said
    check_same(alone, work(tmp_path))

# ---- claims

def claim_of(path, **said):
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(dict(process=os.getpid(), host='elsewhere', space='', since='') | said))
    return path

def test_a_claim_lives_as_long_as_it_is_touched(tmp_path):
    claim = claim_of(tmp_path/'parts/0-0.claim')
    assert not take_claim(claim)
    now = os.stat(claim).st_mtime
    os.utime(claim, (now, now - SILENT + 20))
    assert not take_claim(claim)
    os.utime(claim, (now, now - SILENT - 1))
    assert take_claim(claim) and not take_claim(claim), 'it is that of another now'

def test_time_is_that_of_the_file_system(tmp_path, monkeypatch):
    claim = claim_of(tmp_path/'parts/0-0.claim')
    monkeypatch.setattr(time, 'time', lambda: 4e9)
    assert not take_claim(claim)

def test_a_process_that_died_here_claims_nothing(tmp_path):
    path = tmp_path/'parts/0-0.claim'
    assert take_claim(path)
    said = json.loads(path.read_text())
    gone = 2**30 # no system gives such a number
    path.write_text(json.dumps(said | dict(process=gone)))
    assert is_dead(path, said)
    path.write_text(json.dumps(said | dict(process=gone, space='another')))
    assert not is_dead(path, said), 'its number means something elsewhere'
    for text in '', '[]', '{"process": "x"}':
        path.write_text(text)
        assert not is_dead(path, said), 'it may just begin to exist'

@pytest.mark.slow
def test_one_that_waits_says_for_whom(alone, tmp_path, monkeypatch, capsys):
    w = worker(begin(tmp_path))
    with closing(w.explorer):
        assert w.store()
        claims = [claim_of(tmp_path/f'parts/0-{p}.claim', process=7, since='noon') for p in range(4)]
        def sleep(seconds): # the others have died
            for claim in claims: os.utime(claim, (0, 0))
        monkeypatch.setattr('gbxnb.explore.rounds.time.sleep', sleep)
        monkeypatch.setattr('gbxnb.explore.rounds.Meter', partial(Meter, every=0))
        check_same(alone, w.run().state_dict())
    assert 'waits for part 0 of round 0: process 7 on elsewhere, since noon' in capsys.readouterr().err

# ---- a part that is none

def put(k, at, v):
    def change(d):
        d[k] = d[k].copy()
        d[k][at] = v
    return change

def cut(k):
    def change(d): d[k] = d[k][:-1]
    return change

BAD = {
    'another number of steps': put('counters', 0, 11), 'a key twice': lambda d: put('key', 1, d['key'][0])(d),
    'a known key': put('key', 0, 0), 'no path': cut('path'), 'born later': put('born', 0, 11), 'a negative count': put('seen', 0, -1),
    'too many': put('chosen', 0, 81), 'a place beyond': put('changed', -1, 10**6), 'no script': cut('changed'),
    'states twice': lambda d: put('changed', 1, d['changed'][0])(d), 'a script beyond': put('node', 0, 10**6),
    'a later parent': put('parent', 0, 50), 'a long node': put('length', 0, 300), 'too few actions': cut('actions'),
    'no action': put('actions', 0, 200), 'too few rows': cut('bank'), 'no shade': put('bank_pix', (0, 0, 0), 4),
    'no console': put('bank', 0, 255), 'another type': lambda d: d.update(seen=d['seen'].astype(np.int64))}

@pytest.mark.parametrize('bad', BAD)
def test_a_made_up_part_is_refused(bad, first):
    e, before, parts = first
    about, d = dict(archive=archive_sha256(before), round=0, part=0, steps=10), dict(parts[0])
    BAD[bad](d)
    with pytest.raises(UserError, match='^x.npz: ') as error: read_part(pack_part(d, about, before), 'x.npz', about, before, e)
    assert '\n' not in str(error.value)

def test_a_damaged_or_foreign_part_is_made_again(alone, first, tmp_path, capsys):
    e, before, parts = first
    w = worker(begin(tmp_path))
    with closing(w.explorer):
        assert w.store()
        about = dict(archive='0'*64, round=0, part=1, steps=10)
        w.folder.write({'parts/0-1.npz': pack_part(parts[0], about, before), 'parts/0-2.npz': b'PK'})
        check_same(alone, w.run().state_dict())
    said = [line for line in capsys.readouterr().err.splitlines() if 'explored again' in line]
    assert len(said) == 2 and 'parts/0-1.npz: is no part of this round' in said[0] and 'parts/0-2.npz' in said[1]

def test_a_damaged_plan_is_one_line(tmp_path):
    begin(tmp_path)
    for text in '', '[]', '{}', *(plan_text(**PLAN | dict(stored=0) | bad) for bad in (dict(stored=-1), dict(parts=0), dict(steps=1.5))):
        (tmp_path/ROUNDS).write_text(text)
        with pytest.raises(UserError, match='rounds.json'): worker(tmp_path)

# ---- merging made-up parts

@st.composite
def made_up_parts(draw, old, first, depth, size):
    "Parts that find some of six places, and states of old ones."
    parts = []
    for p in range(draw(st.integers(1, 4))):
        keys = draw(st.lists(st.integers(0, 5), unique=True, max_size=4))
        again = draw(st.lists(st.integers(0, old - 1), unique=True, max_size=3))
        changed = np.array([*sorted(again), *range(old, old + len(keys))], np.int32)
        n, bits = len(changed), st.lists(st.booleans(), min_size=len(changed), max_size=len(changed))
        held, alone = np.array(draw(bits), bool), draw(bits)
        parent = np.array([k % first if on or not k else first + k - 1 for k, on in enumerate(alone)], np.int32).reshape(-1)
        bank = np.zeros((int(held.sum()), size), np.uint8)
        bank[:, 0], bank[:, 1] = p + 1, np.flatnonzero(held)
        counts = st.lists(st.integers(0, 3), min_size=old + len(keys), max_size=old + len(keys))
        seen, chosen = (np.array(draw(counts), np.int32) for _ in range(2))
        path = [[100*d + k % 2 for d in range(1, depth + 1)] for k in keys]
        parts.append(dict(key=np.array([7000 + k for k in keys], np.uint64), path=np.array(path, np.uint64).reshape(-1, depth), seen=seen,
                          born=np.ones(len(keys), np.int32), chosen=chosen, changed=changed, stored=np.ones(n, np.int32), held=held,
                          node=np.arange(first, first + n, dtype=np.int32), parent=parent, length=np.ones(n, np.uint16),
                          actions=np.arange(n, dtype=np.uint8), bank=bank, bank_pix=np.zeros((len(bank), 72, 80), np.uint8),
                          counters=np.array([10, 0], np.int32)))
    return parts

def ways(lists, node):
    begin, out = np.cumsum(lists['scripts.length'], dtype=int) - lists['scripts.length'], []
    while node > 0:
        out[:0] = lists['actions.all'][begin[node]:begin[node] + lists['scripts.length'][node]].tolist()
        node = lists['scripts.parent'][node]
    return out

def key_of(before, part, j):
    old = len(before['places.slot'])
    return int(before['tree.key'][leaves(before)[j]] if j < old else part['key'][j - old])

@settings(deadline=None, max_examples=20, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_merge_is_what_a_dictionary_makes_of_it(first, data):
    e, before, (part, *_) = first
    before = before | merge_lists(before, [part])[0]
    before['tree.count'] = before['tree.count'].copy()
    old, nodes = len(before['places.slot']), len(before['scripts.parent'])
    parts = data.draw(made_up_parts(old, nodes, e.cells.depth, 8))
    m, rows = merge_lists(before, parts)
    check_lists(e, m)
    known, table = {int(k): i for i, k in enumerate(m['tree.key'][leaves(m)])}, {(int(s), 1): (p, r) for s, p, r in rows}
    states, seen, chosen = {}, {}, {}
    for k, i in zip(before['tree.key'][leaves(before)].tolist(), range(old)):
        seen[k], chosen[k] = int(before['places.seen'][i]), int(before['tree.count'][leaves(before)[i]])
    for p, part in enumerate(parts):
        for j in range(len(part['seen'])):
            k = key_of(before, part, j)
            seen[k], chosen[k] = seen.get(k, 0) + int(part['seen'][j]), chosen.get(k, 0) + int(part['chosen'][j])
        for row, j in zip(range(len(part['bank'])), part['changed'][part['held']]): states.setdefault(key_of(before, part, j), (p, row))
    assert known.keys() == seen.keys() and m['counters'].tolist()[0] == before['counters'][0] + 10*len(parts)
    assert {k: int(m['places.seen'][i]) for k, i in known.items()} == seen
    assert {k: int(m['tree.count'][leaves(m)[i]]) for k, i in known.items()} == chosen
    assert {k: table[int(m['places.slot'][known[k]]), 1] for k in states} == states and len(rows) == len(states)
    for k, (p, row) in states.items():
        j = np.flatnonzero(parts[p]['held'])[row]
        whole = {f'scripts.{k}': np.concatenate([before[f'scripts.{k}'], parts[p][k]]) for k in ('parent', 'length')}
        whole['actions.all'] = np.concatenate([before['actions.all'], parts[p]['actions']])
        assert ways(m, m['places.node'][known[k]]) == ways(whole, parts[p]['node'][j])
    needed = {0}
    for node in m['places.node'].tolist():
        while node > 0 and node not in needed: needed, node = needed | {node}, int(m['scripts.parent'][node])
    assert len(needed) == len(m['scripts.parent']), 'a script that leads nowhere is kept'

@settings(deadline=None, max_examples=10, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_merge_where_there_is_no_room(first, data):
    e, before, (part, *_) = first
    before = before | merge_lists(before, [part])[0]
    old, rows = len(before['places.slot']), int((before['places.slot'] >= 0).sum())
    about = json.loads(before['about'].tobytes())
    about['cfg'] |= dict(max_places=old + data.draw(st.integers(0, 3)), max_rows=rows + data.draw(st.integers(0, 2)))
    before['about'] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    parts = data.draw(made_up_parts(old, len(before['scripts.parent']), e.cells.depth, 8))
    m, taken = merge_lists(before, parts)
    check_lists(e, m)
    slot = m['places.slot']
    assert len(slot) <= about['cfg']['max_places'] and slot[0] == 0 and len({*taken[:, 0].tolist()}) == len(taken)
    assert np.array_equal(np.sort(slot[slot >= 0]), np.arange((slot >= 0).sum())) and slot.max() < about['cfg']['max_rows']

# ---- the command

def test_what_cannot_be_joined_or_cut_otherwise(tmp_path):
    begin(tmp_path/'a')
    a, b, another = dict(out=tmp_path/'a', join=True), dict(out=tmp_path/'b'), 'would make another exploration'
    mistakes = {'no exploration in rounds': b | dict(join=True), 'needs --parts': b | dict(workers=2), 'parts is -1': b | dict(parts=-1),
                f'--parts 3 {another}; it began with 4': a | dict(parts=3), f'--round-steps 81 {another}': a | dict(round_steps=81)}
    for text, words in mistakes.items():
        status, _, said = call(explore_cli, device='cpu', **words)
        assert status == 1 and text in said and said.count('\n') == 1
    assert not (tmp_path/'b').exists()

@pytest.mark.slow
def test_the_command_with_two_workers(tmp_path):
    how = dict(parts=3, round_steps=512, num_envs=16, places=2, shorten_steps=64, device='cpu')
    for out, workers, steps in ('one', 1, [6144]), ('two', 2, [6144]), ('parted', 2, [1536, 6144]):
        for k, n in enumerate(steps):
            status, said, wrong = call(explore_cli, out=tmp_path/out, workers=workers, steps=n, **how, **({'resume': True} if k else {}))
            assert status == 0 and 'train with' in said, wrong
    files = [(tmp_path/n/EXPLORATION).read_bytes() for n in ('one', 'two', 'parted')]
    assert files[0] == files[1] == files[2]
    status, said, wrong = call(explore_cli, out=tmp_path/'one', resume=True, parts=4, device='cpu')
    assert status == 1 and 'it began with 3' in wrong
