"""Names of kernels for a profiler that samples addresses."""

import os
import sys

import pytest

from mjenv.engine.simd import kernel as kernels
from mjenv.engine.simd.kernel import kernel
from mjenv.engine.simd.lanes import absolute, floor, sqrt
from mjenv.engine.simd.perf_map import add_names, plain
from mjenv.engine.simd.record import Layout

RECORD = (Layout("p", [("out", "f8"), ("n", "size")]), 1, False)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="object code of Linux")


@kernel
def fill(d, value):
    """Store a number many times: too long to be taken into what calls it."""
    for i in range(d.n):
        for k in range(i):
            d.out[i] = d.out[k] + value
        for k in range(i, d.n):
            d.out[i] = d.out[k] * value
    for i in range(d.n):
        for k in range(i):
            d.out[k] = sqrt(absolute(d.out[i])) - value
        for k in range(i, d.n):
            d.out[k] = floor(d.out[i]) / value


@kernel
def fill_twice(d):
    """Call a function twice."""
    fill(d, 1.0)
    fill(d, 2.0)


def test_functions_have_their_names_and_places(tmp_path, monkeypatch):
    monkeypatch.setattr(kernels, "_loaded", {})
    monkeypatch.setattr(kernels, "_read", {})
    seen = []
    linked = kernels.linked
    monkeypatch.setattr(kernels, "linked", lambda *given: seen.append(given[0]) or linked(*given))
    address = kernels.address(fill_twice, RECORD)
    add_names(seen[0], kernels.ENTRY_NAME, address, tmp_path)
    lines = (tmp_path / f"perf-{os.getpid()}.map").read_text().splitlines()
    places = {name: (int(start, 16), int(size, 16)) for start, size, name in map(str.split, lines)}
    assert places[kernels.ENTRY_NAME][0] == address
    assert set(places) == {kernels.ENTRY_NAME, "test_perf_map.fill"}
    (start, size), (after, _) = sorted(places.values())
    assert start + size <= after


def test_names_of_modules_and_functions():
    assert plain("_ZN5mjenv6engine3gjk7encloseB2v3B54c8x") == "gjk.enclose"
    assert plain("mjenv_entry") == "mjenv_entry"
    assert plain("_ZN") == "_ZN"


def test_other_object_code_is_refused(tmp_path):
    with pytest.raises(ValueError, match="MJENV_PERF_MAP: found object code that begins with"):
        add_names(b"MZ\x90\x00\x03\x00", "x", 0, tmp_path)
    assert not list(tmp_path.iterdir())
