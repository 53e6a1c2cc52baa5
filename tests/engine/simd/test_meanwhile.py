"""Compiling beside a thread that has something else to do."""

import threading
import time

import numpy as np
import pytest

from mjenv.engine.simd import kernel
from mjenv.engine.simd.kernel import kernel as mark
from mjenv.engine.simd.kernel import variant
from mjenv.engine.simd.meanwhile import beside, meanwhile, waits
from mjenv.engine.simd.record import Layout, Record

LAYOUT = Layout("meanwhile", [("x", "f8"), ("n", "size")])
KINDS = ((LAYOUT, 0, True), (LAYOUT, 0, False))


FACTOR = 1.0


@mark
def triple(m, d):
    for k in range(m.n):
        d.x[k] = FACTOR * d.x[k]


def fresh(factor):
    """A kernel that was never compiled in this process, and its records."""
    m, d = Record(LAYOUT), Record(LAYOUT)
    m.set_size("n", 3)
    d.set_array("x", np.arange(3.0))
    return variant(triple, FACTOR=factor), (m, d)


@pytest.fixture
def cold(monkeypatch, tmp_path):
    """An empty cache."""
    monkeypatch.setenv("MJENV_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("MJENV_QUIET", "1")


@pytest.mark.skipif(kernel.interpreted(), reason="nothing is compiled")
@pytest.mark.parametrize("prepared", [False, True])
def test_a_thread_does_something_else_while_its_code_is_compiled(cold, prepared):
    function, records = fresh(3.0 + prepared)
    names, threads = [], set()

    def look(compiled):
        names.append(tuple(compiled))
        threads.add(threading.current_thread())
        assert not waits()

    with meanwhile(look):
        assert waits()
        if prepared:
            kernel.prepare([(function, *KINDS)])
        kernel.call_of(function, KINDS, records)()
    assert not waits()
    assert set(names) == {("triple",)}
    assert threads == {threading.current_thread()}
    np.testing.assert_array_equal(records[1].arrays["x"], (3.0 + prepared) * np.arange(3.0))
    # once it is there, nothing waits
    names.clear()
    with meanwhile(look):
        kernel.call_of(function, KINDS, records)()
    assert not names


@pytest.mark.skipif(kernel.interpreted(), reason="nothing is compiled")
def test_what_is_given_up_is_compiled_all_the_same(cold):
    function, records = fresh(5.0)

    def leave(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), meanwhile(leave):
        kernel.address(function, *KINDS)
    kernel.call_of(function, KINDS, records)()
    assert records[1].arrays["x"][1] == 5.0


def test_work_beside():
    """Its result and its errors are those of work that is done here; only this thread looks."""
    assert beside(["x"], lambda: 3) == 3
    calls = []

    def work():
        assert not waits()
        time.sleep(0.1)
        return threading.current_thread()

    with meanwhile(calls.append):
        assert beside(["x"], work) is not threading.current_thread()
        assert len(calls) > 1
        with pytest.raises(ZeroDivisionError):
            beside(["x"], lambda: 1 // 0)
        # what looking itself needs is done at once
        with meanwhile(lambda _: calls.append(beside(["y"], threading.current_thread))):
            beside(["x"], work)
    assert calls[-1] is threading.current_thread()
