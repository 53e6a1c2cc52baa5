"""Copies of data go on with the bits of the original, and share no memory with it."""

import copy
import pickle

import numpy as np
import pytest

import mjenv.mujoco as mujoco
from mjenv.engine.run import scratch
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
