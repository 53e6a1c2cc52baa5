"""Threads that stand by for the next call, and calls that find them."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import mjenv
from mjenv.engine.simd import kernel, standby
from mjenv.engine.simd.kernel import kernel as mark
from mjenv.engine.simd.lanes import call_stage, next_pack
from mjenv.engine.simd.record import Layout, Record
from mjenv.engine.simd.standby import ASLEEP, AWAITS, DONE, STATE, Box, ShortCall, Team

pytestmark = pytest.mark.skipif(kernel.interpreted(), reason="nothing is compiled")

LAYOUT = Layout("standby", [("next", "i8"), ("done", "i8"), ("ask", "i8"), ("n", "size")])
KINDS = ((LAYOUT, 0, False),) * 3


@mark
def work(plan, m, d):
    """Take numbers from a counter until none is left; count those, and sometimes call Python."""
    k = next_pack(plan.next)
    while k < plan.n:
        d.done[0] = d.done[0] + 1
        if d.ask[0]:
            call_stage(d.ask[0], m, d)
        k = next_pack(plan.next)


def parts(count, number):
    """Calls that share numbers; the counter, and the records, of which all but one have counts."""
    plan = Record(LAYOUT)
    plan.set_size("n", number)
    plan.set_array("next", np.zeros(1, np.int64))
    calls, counts = [], [plan]
    plan.set_array("done", np.zeros(1, np.int64))
    for _ in range(count):
        d = Record(LAYOUT)
        d.set_array("done", np.zeros(1, np.int64))
        d.set_array("ask", np.zeros(1, np.int64))
        calls.append(kernel.call_of(work, KINDS, (plan, plan, d)))
        counts.append(d)
    return calls, plan.arrays["next"], counts


class Standing(Team):
    """Threads that stand by until they are told to end."""

    def __init__(self, count):
        super().__init__()
        self._ends, self.count = False, count
        self._threads = [threading.Thread(target=self._work) for _ in range(count)]

    def _work(self):
        while not self._ends:
            self.stand_by()

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        while len(self.places) < self.count:
            time.sleep(0.001)
        return self

    def __exit__(self, *_):
        self._ends = True
        for thread in self._threads:
            thread.join()


@pytest.fixture
def woken(monkeypatch):
    """What was shared with threads that had to be woken."""
    found = []
    monkeypatch.setattr(standby, "share", lambda calls, stop, after: found.append((calls, after)))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("count", "standing"), [(2, 1), (4, 3), (2, 5)])
def test_each_number_is_taken_once(woken, count, standing):
    calls, following, counts = parts(count, 100)
    with Standing(standing) as team:
        call, shared = ShortCall(calls, int, team), 0
        end = time.monotonic() + 60
        while shared < 100 and time.monotonic() < end:
            following[0] = 0
            woken.clear()
            before = sum(int(d.arrays["done"][0]) for d in counts)
            call()
            found = not woken
            assert sum(int(d.arrays["done"][0]) for d in counts) - before == 100 * found
            shared += found
            time.sleep(0)
        done = sum(int(box.words[DONE]) for box in team.boxes)
    # all parts are taken, unless a thread falls asleep in this moment
    assert shared
    assert 0.5 * shared * (count - 1) < done <= shared * (count - 1)
    assert {int(box.words[STATE]) for box in team.boxes} == {ASLEEP}


def test_threads_are_woken_where_too_few_stand_by(woken):
    calls, following, counts = parts(3, 100)
    team, box, asleep = Team(), Box(), Box()
    call = ShortCall(calls, int, team)
    box.words[STATE] = AWAITS
    for boxes in ([], [box], [box, asleep]):
        team.places = np.array([one.address for one in boxes], np.int64)
        call()
        assert woken.pop() == (calls, team.stand_by)
    assert following[0] == 0
    assert not any(d.arrays["done"][0] for d in counts)
    assert box.words[STATE] == AWAITS


def test_a_part_calls_python(woken):
    """In the thread that does it, while the caller waits without the interpreter."""
    calls, following, counts = parts(2, 50)
    names, called, keep = [], threading.Event(), []

    def ask():
        """The caller waits until the other has called."""
        names.append(threading.current_thread().name)
        if threading.current_thread() is not threading.main_thread():
            called.set()
        assert called.wait(30)

    for d in counts[1:]:
        wrapped, address = kernel.callback(ask, names.append)
        keep.append(wrapped)
        d.arrays["ask"][0] = address
    with Standing(1) as team:
        call = ShortCall(calls, int, team)
        while not following[0]:
            woken.clear()
            call()
            time.sleep(0)
    assert len(names) == 50
    assert len({*names}) == 2


def test_a_thread_stands_by_for_a_moment():
    box = Box()
    box.stand_by()
    start = time.perf_counter()
    for _ in range(20):
        box.stand_by()
    assert (time.perf_counter() - start) / 20 > standby.MOMENT / 20
    assert box.words[STATE] == ASLEEP


PENDULUM = """
<mujoco><worldbody>
  <body><joint axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body>
</worldbody></mujoco>
"""


def steps(model, nthread, number=40):
    """Positions of 64 worlds after steps one by one."""
    data = mjenv.Data(model, 64, nthread=nthread, width=8)
    data.qvel[:, 0] = np.linspace(-3, 3, 64)
    for k in range(number):
        mjenv.step(model, data)
        if k % 7 == 3:
            time.sleep(0.001)  # threads fall asleep
    return data.qpos.tobytes()


def test_callers_at_the_same_time():
    """Each finds threads that stand by, or wakes some, or does all itself."""
    model = mjenv.Model.from_xml_string(PENDULUM)
    expected = steps(model, 1)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda nthread: steps(model, nthread), [2, 3, 2, 4] * 4))
    assert set(found) == {expected}
    assert standby._team.boxes


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks")
def test_a_forked_child_has_threads_of_its_own():
    model = mjenv.Model.from_xml_string(PENDULUM)
    expected = steps(model, 2)
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        status = 1
        try:
            assert not standby._team.boxes
            status = int(steps(model, 2) != expected or not standby._team.boxes)
        finally:
            os._exit(status)
    os.close(reads), os.close(writes)
    assert os.waitpid(child, 0)[1] == 0
