"""A function of the user's that discards contacts, beside MuJoCo's callback."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv import kernel
from mjenv.engine.simd.lanes import select
from tests.engine.reference import ZOO, copy_state, trajectory

NWORLD = 9
FIELDS = ("qpos", "qvel", "qacc", "qfrc_constraint")


@kernel
def drop(m, d, geom1, geom2):
    # of the slope, and of the box while it rises
    return (m.geom_type[geom2] == 6) & (d.qvel[2] > 0.0) | (geom1 == 1)


def py_drop(model, d, geom1, geom2):
    return (model.geom_type[geom2] == 6) & (d.qvel[..., 2] > 0) | (geom1 == 1)


@kernel
def drop_all(m, d, geom1, geom2):
    return True


@kernel
def drop_none(m, d, geom1, geom2):
    return select(d.qpos[0] > 0.0, 0.0, 0.0) > 0.0


@pytest.fixture
def callback():
    yield mujoco.set_mjcb_contactfilter
    mujoco.set_mjcb_contactfilter(None)


def start(mj, model, hook, states, **options):
    data = mjenv.Data(model, len(states), **options)
    if hook is not None:
        mjenv.set_hook(data, "contactfilter", hook)
    for world, source in enumerate(states):
        copy_state(source, data, world)
    return data


@pytest.fixture(scope="module")
def large_model():
    """Both models and MuJoCo's data along a trajectory."""
    pair = '<contact><pair geom1="slope" geom2="spot"/></contact></mujoco>'
    text = ZOO.replace(
        '<geom type="sphere" size="0.12"', '<geom name="spot" type="sphere" size="0.12"'
    )
    text = text.replace("</mujoco>", pair)
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    states = []
    for source in trajectory(mj, 25 * NWORLD, every=25):
        states.append(mujoco.MjData(mj))
        mujoco.mj_copyData(states[-1], mj, source)
    return mj, model, states


@pytest.mark.parametrize("hook", [drop, py_drop], ids=["compiled", "python"])
def test_against_mujoco(large_model, callback, hook):
    mj, model, states = large_model
    data = start(mj, model, hook, states)
    mjenv.step(model, data, 2)
    full = start(mj, model, None, states)
    mjenv.step(model, full, 2)
    assert (data.ncon < full.ncon).any()
    callback(lambda m, d, a, b: int(py_drop(m, d, a, b)))
    for world, state in enumerate(states):
        source = mujoco.MjData(mj)
        mujoco.mj_copyData(source, mj, state)
        mujoco.mj_step(mj, source, 2)
        assert data.ncon.reshape(-1)[world] == source.ncon
        for name in FIELDS:
            np.testing.assert_allclose(
                getattr(data, name)[world], getattr(source, name), rtol=1e-6, atol=1e-6
            )


def test_same_bits(large_model):
    mj, model, states = large_model
    found = []
    for hook in (drop, py_drop):
        for options in ({}, {"width": 1}, {"large_model": True}):
            data = start(mj, model, hook, states, **options)
            mjenv.step(model, data, 3)
            found.append(data.qpos.copy())
            if options.get("large_model"):
                np.testing.assert_allclose(found.pop(), found[0], rtol=1e-9, atol=1e-9)
        one = start(mj, model, hook, states[4:5])
        mjenv.step(model, one, 3)
        assert np.array_equal(one.qpos[0], found[0][4])
    assert all(np.array_equal(qpos, found[0]) for qpos in found)


def test_all_and_none(large_model):
    mj, model, states = large_model
    data, plain = start(mj, model, drop_all, states), start(mj, model, None, states)
    for d in (data, plain):
        mjenv.forward(model, d)
    # predefined pairs are not asked about
    assert 0 < data.ncon.sum() < plain.ncon.sum()
    assert (data.contact.geom[data.contact.dist < 0] == [1, model.geom("spot").id]).all()
    mjenv.set_hook(data, "contactfilter", drop_none)
    mjenv.forward(model, data)
    assert np.array_equal(data.qacc, plain.qacc)
