"A run in a thread: the same numbers, knobs at any moment, and nothing left behind."
import asyncio, threading, time

import processes
import pytest
from fastcore.test import test_eq as equal
from gbxnb.base.files import UserError, claim_folder
from gbxnb.lab.dashboard import Dashboard
from gbxnb.lab.trainer import Gate, Stopped, Trainer
from gbxnb.logs.schema import read_log
from gbxnb.runs.checkpoint import Save, load_checkpoint
from gbxnb.runs.evaluate import Evaluate
from gbxnb.training.callbacks import Log, run_meta
from gbxnb.training.config import PPOConfig
from gbxnb.training.loop import Callback, train
from gbxnb.training.rollout import start_run
from gbxnb.toys.toys import Catch

TIMES = {'wall_time_s', 'sps', 'fps', 'updates_per_s'}
cfg = PPOConfig(num_envs=4, rollout_steps=8, minibatches=1, epochs=1, model='vector')

def catch(updates=5): return start_run(Catch(4), cfg, updates*cfg.batch)

class Records(Callback):
    "Keeps the records, and does something after an update."
    def __init__(self, at=None): self.seen, self.at = [], at or {}
    def on_update(self, run):
        self.seen.append({k: v for k, v in run.record.items() if k not in TIMES})
        if run.update in self.at: self.at[run.update]()

def weights(run): return [w.tolist() for w in run.model.state_dict().values()]

def wait(holds):
    "Until something holds; a test that hangs is ended by its runner."
    while not holds(): time.sleep(.005)

@pytest.mark.slow # lab/05_trainer trains in a thread and without one, too
def test_a_thread_changes_no_number():
    plain, held = Records(), Records()
    alone, run = train(catch(), [plain]), catch()
    t = Trainer(run, [held, Evaluate(Catch(4), every=0, episodes=4), Dashboard()], every=.01)
    held.at = {1: t.pause, 3: t.pause}
    t.start()
    for update in 1, 3:
        wait(lambda: t.state == 'paused')
        equal((run.update, len(held.seen)), (update, update))
        if update == 3:
            t.evaluate()
            wait(lambda: t.gate.judged)
        t.resume()
    t.join()
    assert t.state == 'done' and held.seen == plain.seen
    assert weights(run) == weights(alone)
    equal([update for update, *_ in t.gate.judged], [3])

def test_what_is_asked_twice_or_too_late():
    t = Trainer(catch())
    assert t.pause().state == t.resume().state == t.stop().state == 'ready' # nothing trains yet
    t.gate.ask('pause')
    t.start()
    assert t.gate.request == 'go' or t.state == 'done'
    t.join()
    for refused, why in (t.start, 'all its updates were made'), (t.evaluate, 'give an Evaluate'):
        with pytest.raises(UserError, match=why): refused()
    assert t.stop().state == 'done' and Trainer(t.run).state == 'done'

def test_a_second_start_is_refused_while_it_is_held():
    records = Records()
    t = Trainer(catch(), [records], every=.01)
    records.at = {1: t.pause}
    t.start()
    wait(lambda: t.state == 'paused')
    with pytest.raises(UserError, match='the run is paused already'): t.start()
    t.poll()
    equal((t.knobs['start'].description, t.knobs['start'].disabled, t.knobs['pause'].disabled), ('resume', False, True))
    t.press('start')
    t.join()
    equal((t.state, t.knobs['start'].disabled), ('done', True))

def test_stopped_while_held_and_taken_up_again(tmp_path):
    records, run = Records(), catch()
    with claim_folder(tmp_path/'run', 'run') as folder:
        t = Trainer(run, [records, Log(folder, run_meta(run, dict(updates=5))), Save(folder, 100)], every=.01)
        records.at = {2: t.pause}
        t.start()
        wait(lambda: t.state == 'paused')
        t.stop().join()
        equal((t.state, run.update, load_checkpoint(folder.path).meta['counters']['update']), ('stopped', 2, 2))
        seen = Dashboard().follow(folder.path)
        seen.stop()
        assert 'update 2 of 5' in seen.head.value and 'stopped' in seen.head.value
        records.at = {}
        t.start().join()
        seen.poll()
        assert 'update 5 of 5' in seen.head.value and 'finished' in seen.head.value
    log = read_log(folder.path/'train_log.jsonl')
    equal(([r.update for r in log.records], [e.kind for e in log.errors]), ([1, 2, 3, 4, 5], ['interrupt']))
    assert weights(run) == weights(train(catch()))

def test_held_time_is_not_time_of_the_run():
    records, run = Records(), catch(2)
    t = Trainer(run, [records], every=.01)
    records.at = {1: t.pause}
    t.start()
    wait(lambda: t.state == 'paused')
    before = run.wall_time_s
    assert before == 0 # of the update in hand: it is counted when the callbacks are through
    t.resume().join()
    assert 0 < run.wall_time_s

class Breaks(Callback):
    def on_update(self, run): raise RuntimeError('no\nroom <here>')

def test_errors_are_one_line_and_reach_scripts():
    t = Trainer(catch(), [Breaks(), Dashboard()])
    t.start()
    with pytest.raises(RuntimeError, match='no'): t.join()
    assert t.state == 'failed' and 'RuntimeError: no room &lt;here&gt;' in t.status()
    with pytest.raises(UserError, match='the run failed'): t.start()

def test_an_evaluation_that_fails_ends_no_run():
    judge = Evaluate(Catch(4), every=0, episodes=4)
    judge.options |= dict(max_steps=1)
    judge.on_update = lambda run: None # not on its own account
    records = Records()
    t = Trainer(catch(), [judge, records], every=.01)
    records.at = {1: t.evaluate}
    t.start().join()
    assert t.state == 'done' and '0 of 4 episodes ended: ' in t.status() and not t.gate.judged

def test_the_thread_draws_nothing():
    drawn = []
    class Seen(Dashboard):
        def panels(self):
            drawn.append(threading.current_thread().name)
            return super().panels()
    Trainer(catch(), [Seen()]).start().join()
    assert drawn and 'gbxnb-trainer' not in drawn

def test_the_event_loop_draws():
    t = None
    async def see():
        nonlocal t
        t = Trainer(catch(), [Dashboard()], every=.01)
        t.start()
        while 'update 5 of 5' not in t.line.value: await asyncio.sleep(.01)
        while t.ticker.task: await asyncio.sleep(.01)
    asyncio.run(see())
    assert t.state == 'done' and '<img' in t.shown[0].html.value

def test_gate_alone():
    gate, run = Gate(), catch()
    run.updates = 5
    gate.on_update(run)
    gate.ask('stop')
    with pytest.raises(Stopped): gate.on_update(run)
    run.update = 5
    gate.on_update(run) # the last update is no stop but the end

LEFT = '''
from gbxnb.lab.trainer import Trainer
from gbxnb.training.config import PPOConfig
from gbxnb.training.rollout import start_run
from gbxnb.toys.toys import Catch
cfg = PPOConfig(num_envs=4, rollout_steps=8, model='small')
t = Trainer(start_run(Catch(4), cfg, 10_000*cfg.batch))
t.start()
while t.run.update < 2: t.thread.join(.01)
print('leaves')
'''

def test_a_process_that_ends_ends_its_run():
    run = processes.python(LEFT)
    equal((run.returncode, run.stdout.strip(), run.stderr.strip()), (0, 'leaves', ''))
