"""pytest on all cores: each lane is a fork of the process that has imported everything and collected the tests.

A lane takes one page or one file of tests after the other, the longest first. It sends back its reports, and what each test took of
processor time with the processes it started. A lane that dies fails the test it was at; another one goes on behind it."""
import gc, os, resource, signal, time
from collections import defaultdict, deque
from multiprocessing import Pipe
from multiprocessing.connection import wait

import processes
import pytest

def used():
    "Processor time of this process and of those it has waited for."
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + r.ru_utime + r.ru_stime + processes.spent

def place(item):
    "What is run in one piece: a file of tests, or one of them where the file says that they stand APART."
    return item.nodeid if getattr(item.module, 'APART', False) else item.nodeid.partition('::')[0]

class Lane:
    "A process, and the tests that are left to it."
    def __init__(self, session, others): self.session, self.others, self.pipe, self.left = session, others, None, deque(); self.fork()

    def fork(self):
        self.pipe, theirs = Pipe()
        self.pid = os.fork()
        if self.pid: return theirs.close()
        try:
            for lane in {*self.others, self}: lane.pipe.close() # so that each sees when nobody asks it any more
            self.work(theirs)
        finally: os._exit(0)

    def work(self, pipe):
        "In the new process: run what is asked for."
        config = self.session.config
        if capture := config.pluginmanager.getplugin('capturemanager'): # the files of the old one are shared with other lanes
            capture.stop_global_capturing()
            capture.start_global_capturing()
        config.pluginmanager.register(Sender(config, pipe), 'sender')
        for name in 'terminalreporter', 'lanes': config.pluginmanager.unregister(name=name)
        while items := pipe.recv():
            items = [self.session.items[k] for k in items]
            for item, after in zip(items, [*items[1:], None]):
                before = used()
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
                pipe.send(('took', item.nodeid, used() - before))

    def give(self, items):
        self.left = deque(items)
        self.pipe.send([*items])

    def end(self):
        "No more for it; the status it ended with."
        if self.left is not None: self.pipe.close()
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

class Sender:
    "Sends what a lane has to report."
    def __init__(self, config, pipe): self.config, self.pipe = config, pipe

    def pytest_runtest_logreport(self, report):
        if report.passed and report.when != 'call': return # of a test that passes nobody asks more
        self.pipe.send(('report', report.nodeid, self.config.hook.pytest_report_to_serializable(config=self.config, report=report)))

class Lanes:
    "The plugin: `expected` is what each place took before, `took` what it does now, `failed` the names."
    def __init__(self, count, expected):
        self.count, self.expected = count, expected
        self.took, self.failed = defaultdict(float), set()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        if session.testsfailed and not session.config.option.continue_on_collection_errors:
            raise session.Interrupted(f'{session.testsfailed} errors while collecting')
        if session.config.option.collectonly: return True
        self.session, groups = session, defaultdict(list)
        for k, item in enumerate(session.items): groups[place(item)].append(k)
        self.queue = deque(sorted(groups.values(), key=lambda g: -self.expected.get(place(session.items[g[0]]), 9.)))
        gc.freeze()
        gc.enable()
        gc.set_threshold(20_000, 20) # most of it is looked at no more anyway
        lanes = []
        for _ in range(min(self.count, len(self.queue))): lanes.append(Lane(session, lanes))
        for lane in lanes: self.next(lane)
        while busy := [lane for lane in lanes if lane.left is not None]:
            for pipe in wait([lane.pipe for lane in busy]): self.hear(next(lane for lane in busy if lane.pipe is pipe))
            if session.shouldfail: raise session.Failed(session.shouldfail)
        return True

    def next(self, lane):
        "More work for a lane, or its end."
        if self.queue: return lane.give(self.queue.popleft())
        lane.pipe.send(None)
        lane.end()
        lane.left = None

    def hear(self, lane):
        "What a lane says: a report, what a test took, or nothing more."
        try: kind, name, what = lane.pipe.recv()
        except (EOFError, ConnectionResetError): return self.mourn(lane)
        hook = self.session.config.hook
        if kind == 'report':
            report = hook.pytest_report_from_serializable(config=self.session.config, data=what)
            if report.failed: self.failed.add(name)
            hook.pytest_runtest_logreport(report=report)
        else:
            self.took[place(self.session.items[lane.left.popleft()])] += what
            if not lane.left: self.next(lane)

    def mourn(self, lane):
        "The process has died: that is a failure of the test it was at, and the rest is for another."
        status = lane.end()
        item = self.session.items[lane.left.popleft()]
        how = f'its process ended by {signal.Signals(-status).name}' if status < 0 else f'its process ended with status {status}'
        report = pytest.TestReport(item.nodeid, item.location, {}, 'failed', how, 'call')
        self.session.config.hook.pytest_runtest_logreport(report=report)
        rest = lane.left
        lane.fork()
        if rest: lane.give(rest)
        else: self.next(lane)
