"""Processes that explore together have one archive, the same for the same seed and number; what is stored goes on in any number of them.
Here they are threads, but for one test that torchrun starts."""
import signal, subprocess, sys, threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
import numpy as np
import psutil
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from gbxnb.base.group import ProcessGroup
from gbxnb.explore.explore import EXPLORATION, Merger, leaves, merge_lists, what_is_new
from gbxnb.explore.explorer import ExploreConfig, Explorer, load_exploration, save_exploration
from gbxnb.games.bundled import bundled_task, rom_path

CFG = ExploreConfig(num_envs=16, max_places=300, max_rows=60)
ROUND, STEPS = 160, 1920

class Threads(ProcessGroup):
    "One of several threads, as if each were a process."
    def __init__(self, rank, size, wait, given): self.rank, self.size, self.wait, self.given = rank, size, wait, given
    def gather_arrays(self, arrays, everywhere=True):
        self.given[self.rank] = arrays
        self.wait.wait()
        found = [*self.given]
        self.wait.wait()
        return found
    def share(self, data): return self.gather_arrays(data)[0]

@pytest.fixture(autouse=True)
def no_traces(monkeypatch): monkeypatch.setenv('GBXNB_TRACES', 'off') # threads would write them at once

def new(cfg=CFG): return Explorer(rom_path(), bundled_task('town/key').start, cfg, device='cpu')

def lists(d): return {k: v for k, v in d.items() if k.split('.')[0] in ('tree', 'places', 'scripts', 'actions', 'counters', 'lanes')}

def check_same(a, b): assert a.keys() == b.keys() and [k for k in a if not np.array_equal(a[k], b[k])] == []

def work(path, size, steps=STEPS):
    "Explore on from a file with so many threads; what each has in the end."
    wait, given = threading.Barrier(size), [None]*size
    def one(rank):
        try:
            with load_exploration(path, rom_path(), 'cpu', Threads(rank, size, wait, given)) as e:
                merger = Merger(e)
                while e.steps < steps:
                    e.run(ROUND)
                    if size > 1: merger.merge()
                return e.state_dict()
        except BaseException:
            wait.abort()
            raise
    with ThreadPoolExecutor(size) as pool: done = [pool.submit(one, r) for r in range(size)]
    for error in [d.exception() for d in done]:
        if error and not isinstance(error, threading.BrokenBarrierError): raise error # the others wait in vain for that one
    states = [d.result() for d in done]
    for s in states: check_same(lists(states[0]), lists(s))
    return states[0]

@pytest.fixture(scope='module')
def begun(tmp_path_factory):
    with new() as e: return save_exploration(tmp_path_factory.mktemp('begun')/'x.npz', e)

@pytest.mark.parametrize('size', [2, pytest.param(4, marks=pytest.mark.slow)])
def test_the_same_number_finds_the_same(size, begun, tmp_path):
    "Rows were given up, and places refused; each script leads to its place."
    found = work(begun, size)
    assert found['counters'].tolist()[0] == STEPS//16 and (found['counters'] > 0).all() and len(found['bank']) == CFG.max_rows
    check_same(lists(found), lists(work(begun, size)))
    with new() as e, new(replace(CFG, num_envs=1)) as one:
        e.load_state_dict(found)
        assert e.steps == STEPS and e.archive.table()['born'].max() <= STEPS
        masks = e.env_cfg.codec.masks
        for k in np.flatnonzero(e.archive.table()['slot'] >= 0)[::7]:
            one.backend.restore(*ones(one))
            for a in e.archive.script(int(k)):
                one.backend.buttons.fill_(int(masks[a]))
                one.backend.step(24, 8)
            assert (one.backend.pix.numpy()[0] == e.archive.pix(int(k))).all()

def ones(e):
    import warp as wp
    return wp.full(1, True, dtype=wp.bool, device='cpu'), wp.zeros(1, wp.int32, 'cpu')

def test_one_alone_is_an_explorer(begun):
    with new() as e: check_same(lists(e.run(STEPS).state_dict()), lists(work(begun, 1)))

def test_a_stored_exploration_goes_on(begun, tmp_path):
    "With as many processes as before to the bit, with another number, too."
    whole = work(begun, 2)
    with new() as e: half = save_exploration(tmp_path/'half.npz', e.load_state_dict(work(begun, 2, STEPS//2)))
    check_same(lists(whole), lists(work(half, 2)))
    assert work(half, 4)['counters'][0] == STEPS//16

def test_consoles_whose_scripts_have_no_room_are_sent_back(begun):
    with new(replace(CFG, max_places=4000, max_rows=600)) as e:
        e.group, merger = Threads(0, 1, threading.Barrier(1), [None]), Merger(e)
        e.run(320)
        part = what_is_new(e, merger.before)
        long = part | dict(actions=np.zeros(256*4000 + 1, np.uint8))
        e.group.gather_arrays = lambda arrays: [long]
        merger.merge()
        assert len(e.archive) == 1 and not e.archive.now.length.numpy().any() and not e.archive.left.numpy().any()
        e.run(320)
        assert len(e.archive) > 1

# ---- merging made-up parts

@pytest.fixture(scope='module')
def first():
    "An explorer, the lists that it began with, and what it found."
    with new(replace(CFG, max_places=2000, max_rows=600)) as e:
        before = e.state_dict()
        yield e, before, what_is_new(e.run(160), before)

@st.composite
def made_up_parts(draw, old, first, depth, size, step):
    "Parts that find some of six places, and states of old ones."
    parts = []
    for p in range(draw(st.integers(1, 4))):
        keys = draw(st.lists(st.integers(0, 5), unique=True, max_size=4))
        again = draw(st.lists(st.integers(0, old - 1), unique=True, max_size=3))
        changed = np.array([*sorted(again), *range(old, old + len(keys))], np.int64)
        n = len(changed)
        alone = draw(st.lists(st.booleans(), min_size=n, max_size=n))
        parent = np.array([k % first if on or not k else first + k - 1 for k, on in enumerate(alone)], np.int32).reshape(-1)
        bank = np.zeros((n, size), np.uint8)
        bank[:, 0], bank[:, 1] = p + 1, np.arange(n)
        counts = st.lists(st.integers(0, 3), min_size=old + len(keys), max_size=old + len(keys))
        seen, chosen = (np.array(draw(counts), np.int32) for _ in range(2))
        path = [[100*d + k % 2 for d in range(1, depth + 1)] for k in keys]
        parts.append(dict(key=np.array([7000 + k for k in keys], np.uint64), path=np.array(path, np.uint64).reshape(-1, depth), seen=seen,
                          born=np.full(len(keys), step, np.int32), chosen=chosen, changed=changed, stored=np.full(n, step, np.int32),
                          node=np.arange(first, first + n, dtype=np.int32), parent=parent, length=np.ones(n, np.uint16),
                          lanes=np.full(2, first + n - 1, np.int32), actions=np.arange(n, dtype=np.uint8), bank=bank,
                          counters=np.array([step, 0, 0], np.int32)))
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

def check_lists(e, m):
    "An explorer takes them."
    with closing(new(e.cfg)) as other:
        state = other.state_dict()
        rows = int((m['places.slot'] >= 0).sum())
        bank = {k: np.repeat(state[k][:1], rows, 0) for k in ('bank', 'bank_pix')}
        other.load_state_dict(state | bank | m)

@settings(deadline=None, max_examples=20, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_merge_is_what_a_dictionary_makes_of_it(first, data):
    e, before, part = first
    before, _, _ = merge_lists(before, [part], e.cfg)
    old, nodes, step = len(before['places.slot']), len(before['scripts.parent']), int(before['counters'][0]) + 10
    parts = data.draw(made_up_parts(old, nodes, e.cells.depth, 8, step))
    m, lanes, rows = merge_lists(before, parts, e.cfg)
    check_lists(e, m)
    known, table = {int(k): i for i, k in enumerate(m['tree.key'][leaves(m)])}, {(int(s), 1): (p, r) for s, p, r in rows}
    states, seen, chosen = {}, {}, {}
    for k, i in zip(before['tree.key'][leaves(before)].tolist(), range(old)):
        seen[k], chosen[k] = int(before['places.seen'][i]), int(before['tree.count'][leaves(before)[i]])
    for p, part in enumerate(parts):
        for j in range(len(part['seen'])):
            k = key_of(before, part, j)
            seen[k], chosen[k] = seen.get(k, 0) + int(part['seen'][j]), chosen.get(k, 0) + int(part['chosen'][j])
        for row, j in enumerate(part['changed']): states.setdefault(key_of(before, part, j), (p, row))
    assert known.keys() == seen.keys() and m['counters'].tolist()[0] == step
    assert {k: int(m['places.seen'][i]) for k, i in known.items()} == seen
    assert {k: int(m['tree.count'][leaves(m)[i]]) for k, i in known.items()} == chosen
    assert {k: table[int(m['places.slot'][known[k]]), 1] for k in states} == states and len(rows) == len(states)
    def whole(p):
        joined = {f'scripts.{k}': np.concatenate([before[f'scripts.{k}'], parts[p][k]]) for k in ('parent', 'length')}
        return joined | {'actions.all': np.concatenate([before['actions.all'], parts[p]['actions']])}
    for k, (p, row) in states.items(): assert ways(m, m['places.node'][known[k]]) == ways(whole(p), parts[p]['node'][row])
    for p, ends in enumerate(lanes): assert [ways(m, k) for k in ends] == [ways(whole(p), k) for k in parts[p]['lanes']]
    needed = {0}
    for node in [*m['places.node'].tolist(), *np.concatenate(lanes).tolist()]:
        while node > 0 and node not in needed: needed, node = needed | {node}, int(m['scripts.parent'][node])
    assert len(needed) == len(m['scripts.parent']), 'a script that leads nowhere is kept'

@settings(deadline=None, max_examples=10, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_merge_where_there_is_no_room(first, data):
    e, before, part = first
    before, _, _ = merge_lists(before, [part], e.cfg)
    old, rows = len(before['places.slot']), int((before['places.slot'] >= 0).sum())
    cfg = replace(e.cfg, max_places=old + data.draw(st.integers(0, 3)), max_rows=rows + data.draw(st.integers(0, 2)))
    parts = data.draw(made_up_parts(old, len(before['scripts.parent']), e.cells.depth, 8, int(before['counters'][0]) + 10))
    m, _, taken = merge_lists(before, parts, cfg)
    slot = m['places.slot']
    assert len(slot) <= cfg.max_places and slot[0] == 0 and len({*taken[:, 0].tolist()}) == len(taken)
    assert np.array_equal(np.sort(slot[slot >= 0]), np.arange((slot >= 0).sum())) and slot.max() < cfg.max_rows

# ---- the command

LINE = ('--num-envs 16 --round-steps 512 --save-every 1024 --places 2 --shorten-steps 64 --device cpu --steps').split()

def torchrun(out, steps, *more, **how):
    words = [sys.executable, '-m', 'torch.distributed.run', '--standalone', '--nproc-per-node', '2', '-m', 'gbxnb', 'explore']
    return subprocess.Popen([*words, '--out', str(out), *LINE, str(steps), *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **how)

def state_of(out):
    with closing(load_exploration(out/EXPLORATION, rom_path(), 'cpu')) as e: return lists(e.state_dict())

@pytest.mark.slow
def test_two_processes_by_torchrun(tmp_path):
    "The same archive twice; one is killed, all end, and it goes on to the same archive."
    for name in 'ab':
        run = torchrun(tmp_path/name, 4096)
        said = run.communicate()[0].decode()
        assert run.returncode == 0 and said.count('train with') == 1, said
    check_same(state_of(tmp_path/'a'), state_of(tmp_path/'b'))
    run, folder = torchrun(tmp_path/'c', 10**7), tmp_path/'c'
    while run.poll() is None and not (folder/EXPLORATION).exists(): pass
    child = next(p for p in psutil.Process(run.pid).children() if 'explore' in p.cmdline())
    child.send_signal(signal.SIGKILL)
    assert run.wait() != 0 and not psutil.pid_exists(child.pid)
    at = int(np.load(folder/EXPLORATION)['counters'][0])*16
    run = torchrun(folder, at + 2048, '--resume')
    assert run.wait() == 0, run.communicate()[0]
    run = torchrun(tmp_path/'d', at + 2048)
    assert run.wait() == 0
    check_same(state_of(folder), state_of(tmp_path/'d'))
