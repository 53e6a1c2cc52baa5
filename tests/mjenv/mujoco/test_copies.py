"""Copies of data go on with the bits of the original, and share no memory with it."""

import copy
import pickle

import numpy as np
import pytest

import mjenv.mujoco as mujoco
from mjenv.engine.data.whole_copies import LEFT, copied_whole
from mjenv.engine.run import scratch
from mjenv.engine.run.scratch import LASTING
from tests.mjenv.mujoco.scenes import compiled

LATE = ("qM", "efc_J", "efc_force", "actuator_moment", "cam_xpos")


def _bits(d):
    """All fields, but for those that are no arrays."""
    fields = (n for n in mujoco.MjData._all_fields if isinstance(getattr(d, n), np.ndarray))
    found = {name: getattr(d, name).tobytes() for name in fields}
    return found | {"dist": d.contact.dist.tobytes(), "ncon": d.ncon, "time": d.time}


@pytest.mark.sweep(5)
@pytest.mark.parametrize("large", [scratch.LARGE, 0])
@pytest.mark.parametrize("scene", ["ant", "humanoid", "everything"])
@pytest.mark.parametrize("looked", [(), LATE])
def test_copies_go_on_as_the_original(monkeypatch, scene, looked, large):
    monkeypatch.setattr(scratch, "LARGE", large)
    m, d = compiled(mujoco, scene)
    d.xfrc_applied[-1, 2] = 1.0
    for _ in range(60):
        mujoco.mj_step(m, d)
    for name in looked:
        getattr(d, name)
    twins = [copy.copy(d), pickle.loads(pickle.dumps(d)), copy.deepcopy(d)]
    before = _bits(d)
    for twin in twins:
        assert _bits(twin) == before
        for _ in range(5):
            mujoco.mj_step(twin.model, twin)
    assert _bits(d) == before
    for _ in range(5):
        mujoco.mj_step(m, d)
    after = _bits(d)
    assert after != before
    for twin in twins:
        assert _bits(twin) == after


def test_copies_of_data_with_contacts_of_their_own():
    m, d = compiled(mujoco, "humanoid")
    while not d.ncon:
        mujoco.mj_step(m, d)
    for _ in range(12):
        mujoco.mj_addContact(m, d, d.contact[0])
    twin = copy.copy(d)
    for one in (d, twin):
        mujoco.mj_makeConstraint(m, one)
        mujoco.mj_step2(m, one)
    assert _bits(twin) == _bits(d)
    assert twin.ncon > 12


def _poisoned(d):
    """Data in whose memory everything that a copy does not write shows."""
    arrays = d.batch.plan.scratch[0].data.arrays
    for name in set(LASTING) - LEFT:
        if arrays[name].dtype == float:
            arrays[name].fill(np.nan)
    return d


AFTER = ("mj_makeConstraint", "mj_fwdVelocity", "mj_fwdConstraint", "mj_step2", "mj_step")


@pytest.mark.parametrize("scene", ["ant", "humanoid", "everything"])
@pytest.mark.parametrize("looked", [(), LATE])
def test_copies_onto_other_data_have_all_that_stages_read(scene, looked):
    """`mj_copyData` onto data of another state, whose memory holds no numbers where it may not."""
    m, d = compiled(mujoco, scene)
    d.xfrc_applied[-1, 2] = 1.0
    for _ in range(60):
        mujoco.mj_step(m, d)
    mujoco.mj_forward(m, d)
    for name in looked:
        getattr(d, name)
    other = mujoco.MjData(m)
    mujoco.mj_step(m, other)
    held = other.qM
    for again in (False, True):  # the second time with what the first one has prepared
        assert copied_whole(d.batch, _poisoned(other).batch)
        assert _bits(other) == _bits(d), again
        np.testing.assert_array_equal(held, d.qM)
    for name in AFTER:
        for one in (d, other):
            getattr(mujoco, name)(m, one)
        assert _bits(other) == _bits(d), name
    # nothing is shared, and the arrays stay those of the data
    other.qpos[:] += 0.1
    assert d.qpos.tobytes() != other.qpos.tobytes()


def test_copies_onto_other_data_follow_edits_of_the_model():
    """Pieces of memory that were found for a model count no more where its lists have changed."""
    m, d = compiled(mujoco, "humanoid")
    other = mujoco.MjData(m)
    for _ in range(60):
        mujoco.mj_step(m, d)
    mujoco.mj_copyData(other, m, d)
    m.geom_contype[:], m.geom_conaffinity[:] = 1, 1
    mujoco.mj_step(m, d)
    mujoco.mj_copyData(other, m, d)
    assert _bits(other) == _bits(d)
    d.qfrc_applied[0] = 3.0  # an input that only one of them uses so far
    for _ in range(12):
        mujoco.mj_addContact(m, d, d.contact[0])
    mujoco.mj_copyData(other, m, d)
    for one in (d, other):
        mujoco.mj_step(m, one)
    assert _bits(other) == _bits(d)


def test_copies_onto_themselves_and_other_models():
    m, d = compiled(mujoco, "ant")
    for _ in range(60):
        mujoco.mj_step(m, d)
    before = _bits(d)
    mujoco.mj_copyData(d, m, d)
    assert _bits(d) == before
    twin = copy.copy(m)
    twin.body_mass[:] *= 2
    other = mujoco.MjData(twin)
    mujoco.mj_copyData(other, m, d)
    assert _bits(other) == before
    assert other.model is twin
