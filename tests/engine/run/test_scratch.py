"""Memory of a thread: what a model has no use for takes none, and all else grows together."""

import os
from pathlib import Path

import numpy as np
import pytest

import mjenv
from mjenv.engine.simd.record import ALIGNMENT, PAGED, zeroed_pages

XML = Path(__file__).resolve().parents[3] / "xml"
MEGABYTE = 1e6  # bytes
# what depends on what a model has, and needs as many elements as there are rows or slots
NEEDED = {"lisl_row": 3, "lisl_jar0": 1, "base_jv": 1, "watch_state": 1, "sense_force": 6}
TWO_TREES = """
<mujoco>
  <option solver="{solver}"/>
  <worldbody>
    <geom type="plane" size="2 2 0.1"/>
    <body pos="0 0 0.09"><freejoint/><geom size="0.1"/></body>
    <body pos="1 0 0.09"><freejoint/><geom size="0.1"/></body>
  </worldbody>
  <sensor>{sensors}</sensor>
</mujoco>
"""
CONTACT = '<contact reduce="none" num="2" data="found force"/>'


def scratch_of(data):
    return data.plan.threads(1)[0]


def lengths(scratch):
    """Elements of the arrays of `NEEDED`, for each row or slot."""
    arrays = scratch.data.arrays
    return {name: len(arrays[name]) // k for name, k in NEEDED.items()}


def test_scratch_of_a_humanoid():
    """Of 5.54 MB once, when all was there that any model needs."""
    model = mjenv.Model.from_xml_path(XML / "humanoid.xml")
    data = mjenv.Data(model, 8)
    mjenv.step(model, data)
    scratch = scratch_of(data)
    assert sum(block.nbytes for _, block in scratch.data.arrays.blocks) < 3.9 * MEGABYTE
    assert set(lengths(scratch).values()) == {0}


@pytest.mark.parametrize("solver", ["Newton", "CG"])
def test_scratch_is_there_where_a_model_needs_it(solver):
    model = mjenv.Model.from_xml_string(TWO_TREES.format(solver=solver, sensors=CONTACT))
    data = mjenv.Data(model, 8, keep="solver")
    mjenv.step(model, data, 5)
    scratch = scratch_of(data)
    nrow, nslot = scratch.sizes["nrow"], scratch.sizes["nslot"]
    expected = {"lisl_row": nrow, "lisl_jar0": nrow, "watch_state": nrow, "sense_force": nslot}
    assert lengths(scratch) == {**expected, "base_jv": 0}


def test_scratch_of_large_models_grows_together():
    model = mjenv.Model.from_xml_string(TWO_TREES.format(solver="CG", sensors=CONTACT))
    data = mjenv.Data(model, large_model=True, keep=["solver", "sensordata"])
    scratch = scratch_of(data)
    before = scratch.sizes["nrow"]
    scratch.enlarge({"nrow": 2 * before, "nslot": 1000})
    assert lengths(scratch) == {
        "lisl_row": 0, "lisl_jar0": 0, "base_jv": 2 * before, "watch_state": 2 * before,
        "sense_force": 1000,
    }  # fmt: skip
    mjenv.step(model, data, 5)
    assert (data.sensordata > 0).sum() >= 4


@pytest.mark.parametrize("nbyte", [100, PAGED, PAGED + 1])
def test_zeroed_pages(nbyte):
    block = zeroed_pages(nbyte)
    assert block.shape == (nbyte,)
    assert block.ctypes.data % ALIGNMENT == 0
    assert not block.any()
    block[:] = 1
    assert block.sum() == nbyte


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_keeps_what_it_writes():
    """Pages of a block are not shared with a process that steps on by itself."""
    model = mjenv.Model.from_xml_path(XML / "humanoid.xml")
    data = mjenv.Data(model)
    mjenv.step(model, data, 3)
    block = scratch_of(data).data.arrays.blocks[0][1]
    assert len(block) >= PAGED
    before = block.copy()
    child = os.fork()
    if child == 0:
        same = True
        try:
            mjenv.step(model, data, 3)
            same = np.array_equal(block, before)
        finally:
            os._exit(int(same))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    np.testing.assert_array_equal(block, before)
