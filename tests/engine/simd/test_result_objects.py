"""Results of kernels as objects of Python: kinds, new ones in each call, and none that stay."""

import gc
import sys
import tracemalloc

import numpy as np
import pytest

from mjenv.engine.simd.builtin import builtin, is_known
from mjenv.engine.simd.kernel import kernel
from mjenv.engine.simd.record import Layout, Record
from mjenv.engine.simd.result_objects import (
    CALLED,
    DICT,
    FLOAT,
    ITEM,
    TRUTH,
    WHOLE,
    WHOLE_REAL,
    Part,
    recipe,
)

LAYOUT = Layout("results", [("number", "f8"), ("refused", "i4"), ("told", "i4")])
WORDS = np.array([7, 1 << 40])
SINGLE, FLAG, ROW = np.array([0.5], np.float32), np.array([True]), np.arange(3.0)


@kernel
def count(t):
    """Count calls; every tenth is to be told of, and none is made from the hundredth on."""
    if t.number[0] >= 99.0:
        t.refused[0] = 1
    else:
        t.number[0] = t.number[0] + 1.0
        t.told[0] = 1 if t.number[0] == 10.0 else 0


def refuse(*given):
    return "refused"


@pytest.fixture
def made():
    if not is_known():
        pytest.skip("objects of this interpreter are not known")
    record = Record(LAYOUT)
    number = np.zeros(1)
    for name, array in (("number", number), ("refused", np.zeros(1, np.int32))):
        record.set_array(name, array)
    record.set_array("told", np.zeros(1, np.int32))
    named = {
        "item": Part(ITEM, SINGLE), "int": Part(WHOLE, WORDS[1:]), "array": Part(CALLED, ROW.copy),
        "float": Part(FLOAT, number), "whole": Part(WHOLE_REAL, number),
    }  # fmt: skip
    parts = [
        Part(ITEM, number), Part(TRUTH, FLAG), Part(DICT, dict.fromkeys(named)),
        Part(TRUTH, np.zeros(1, bool)), Part(CALLED, ROW.copy),
    ]  # fmt: skip
    objects = recipe(parts, named)
    kinds = ((LAYOUT, 0, False),)
    return builtin(refuse, (__name__, "count"), count, kinds, [record], [], objects=objects), number


def test_kinds_and_order(made):
    call, _ = made
    number, truth, found, other, row = call()
    assert (type(number), number) == (np.float64, 1.0)
    assert truth is True
    assert other is False
    np.testing.assert_array_equal(row, ROW)
    assert list(found) == ["item", "int", "array", "float", "whole"]
    kinds = [type(value) for value in found.values()]
    assert kinds == [np.float32, int, np.ndarray, float, int]
    assert [found[n] for n in ("item", "int", "float", "whole")] == [0.5, 1 << 40, 1.0, 1]


def test_new_objects_in_each_call(made):
    call, _ = made
    first, second = call(), call()
    assert (first[0], second[0]) == (1.0, 2.0)
    assert first[2] is not second[2]
    assert first[4] is not second[4]
    first[4][:] = 5.0
    first[2]["item"] = None
    assert ROW.tolist() == [0.0, 1.0, 2.0]
    assert call()[2]["item"] == 0.5
    assert gc.is_tracked(second)


def test_what_python_is_told_of_and_what_is_refused(made):
    call, number = made
    found = [call() for _ in range(101)]
    assert found[9] is None
    assert found[8][0] == 9.0
    assert found[98][0] == 99.0
    assert found[99:] == ["refused"] * 2
    assert number[0] == 99.0


def test_nothing_stays(made):
    """Neither references to what is there nor memory."""
    call, number = made
    things = [True, False, None, SINGLE, "item", np.float64, np.float32]

    def run(calls):
        for _ in range(calls):
            number[0] = 20.0
            call()

    run(100)
    before = [sys.getrefcount(thing) for thing in things]
    tracemalloc.start()
    run(100)
    held = tracemalloc.get_traced_memory()[0]
    run(5000)
    assert tracemalloc.get_traced_memory()[0] - held < 5000
    tracemalloc.stop()
    after = [sys.getrefcount(thing) for thing in things]
    assert max(abs(a - b) for a, b in zip(after, before, strict=True)) < 50
