"""Compiling kernels leaves numba as it was, for what else is compiled."""

import subprocess
import sys

import numba
import numpy as np
import pytest
from numba.core import codegen

from mjenv.engine.simd import kernel as kernels
from mjenv.engine.simd.kernel import kernel
from mjenv.engine.simd.record import Layout, Record
from mjenv.engine.simd.whole_entry import _REPLACED, whole_entry

LAYOUT = Layout("whole", [("x", "f8"), ("n", "i4")])


@kernel
def larger_one(a, b):
    """With a function of Python that numba has its own code for."""
    return max(a, b) + abs(min(int(a), 3))


@kernel
def largest(m, d):
    """The largest of some numbers."""
    d.x[0] = larger_one(d.x[1], d.x[2])


def methods() -> list:
    return [vars(getattr(codegen, owner)).get(name) for owner, name, _ in _REPLACED]


@pytest.mark.slow
@pytest.mark.skipif(kernels.interpreted(), reason="nothing is compiled")
def test_what_users_compile_afterwards(tmp_path, monkeypatch):
    monkeypatch.setenv("MJENV_CACHE_DIR", str(tmp_path))
    before = methods()
    data = Record(LAYOUT, 1)
    data.set_array("x", np.array([0.0, 2.0, 5.0]))
    data.set_array("n", np.zeros(1, np.int32))
    kernels.callable_at(kernels.address(largest, (LAYOUT, 1, True), (LAYOUT, 1, False)), 2)(
        data.address, data.address
    )
    assert data.arrays["x"][0] == 7.0
    assert methods() == before

    @numba.njit
    def mine(n):
        return np.arange(n).sum() + max(2, n) + abs(min(n, 3))

    assert mine(5) == 10 + 5 + 3


@pytest.mark.skipif(kernels.interpreted(), reason="nothing is compiled")
def test_what_fails_inside_leaves_nothing_behind():
    before = methods()

    def fail() -> None:
        with whole_entry():
            assert methods() != before
            raise ValueError("inside")

    with pytest.raises(ValueError, match="inside"):
        fail()
    assert methods() == before


@pytest.mark.slow
@pytest.mark.skipif(kernels.interpreted(), reason="nothing is compiled")
def test_numba_that_starts_with_a_kernel():
    code = """
import tempfile, os
os.environ["MJENV_CACHE_DIR"] = tempfile.mkdtemp()
from tests.engine.simd.test_whole_entry import LAYOUT, largest, kernels
kernels.address(largest, (LAYOUT, 1, True), (LAYOUT, 1, False))
import numba, numpy as np
print(numba.njit(lambda n: np.arange(n).sum())(5))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == "10"
