"""Open-loop trajectories beside those of mujoco.rollout."""

import mujoco
import mujoco.rollout
import numpy as np
import pytest

import mjenv
from mjenv import State
from tests.engine.reference import ZOO

SENSORS = "<sensor><jointpos joint='bend'/><framepos objtype='body' objname='box'/></sensor>"
XML = ZOO.replace("</mujoco>", SENSORS + "</mujoco>")
NWORLD, NSTEP = 9, 12


@pytest.fixture(scope="module")
def models():
    return mujoco.MjModel.from_xml_string(XML), mjenv.Model.from_xml_string(XML)


def starts(mj, seed=0):
    """Initial states and controls."""
    rng = np.random.default_rng(seed)
    source = mujoco.MjData(mj)
    states = np.zeros((NWORLD, mujoco.mj_stateSize(mj, State.FULLPHYSICS)))
    for row in states:
        source.qvel[:] = rng.normal(size=mj.nv)
        source.time = rng.uniform()
        mujoco.mj_getState(mj, source, row, State.FULLPHYSICS)
    return states, rng.uniform(-1, 1, (NWORLD, NSTEP, mj.nu)), rng.normal(size=(NWORLD, mj.nv))


def close(found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-7)


def test_states_and_sensors(models):
    mj, model = models
    states, control, warm = starts(mj)
    data = mjenv.Data(model, NWORLD, keep=[])
    data.ctrl[:], data.qfrc_applied[:] = 7, 5  # which an initial state puts back
    for extra in ({}, {"initial_warmstart": warm}):
        found = mjenv.rollout(model, data, control, initial_state=states, **extra)
        expected = mujoco.rollout.rollout(
            mj, mujoco.MjData(mj), initial_state=states, control=control, **extra
        )
        close(found, expected)
    np.testing.assert_array_equal(found[0][:, -1], mjenv.get_state(model, data, State.FULLPHYSICS))


def test_one_for_all(models):
    """One initial state, one control, or a control that stays."""
    mj, model = models
    states, control, _ = starts(mj)
    data = mjenv.Data(model, NWORLD, keep=[])
    found = mjenv.rollout(model, data, control[0], initial_state=states[0])
    expected = mujoco.rollout.rollout(
        mj, mujoco.MjData(mj), initial_state=states[:1], control=control[:1]
    )
    close(found, [np.repeat(values, NWORLD, axis=0) for values in expected])
    found = mjenv.rollout(model, data, control[:, :1], 5, initial_state=states)
    again = mjenv.rollout(model, data, np.repeat(control[:, :1], 5, 1), initial_state=states)
    for a, b in zip(found, again, strict=True):
        np.testing.assert_array_equal(a, b)


def test_other_controls(models):
    mj, model = models
    states, _, _ = starts(mj)
    spec = int(State.QFRC_APPLIED | State.XFRC_APPLIED)
    size = mujoco.mj_stateSize(mj, spec)
    control = np.random.default_rng(1).normal(size=(NWORLD, NSTEP, size))
    data = mjenv.Data(model, NWORLD, keep=[])
    found = mjenv.rollout(model, data, control, initial_state=states, control_spec=spec)
    expected = mujoco.rollout.rollout(
        mj, mujoco.MjData(mj), initial_state=states, control=control, control_spec=spec
    )
    close(found, expected)


def test_a_world_that_is_bad_stops(models):
    mj, model = models
    states, control, _ = starts(mj)
    states[4, 1 + model.nq] = 1e9
    states[4, 0] = 3.0
    control[2, 6] = np.nan
    data = mjenv.Data(model, NWORLD, keep=[])
    found = mjenv.rollout(model, data, control, initial_state=states)
    expected = mujoco.rollout.rollout(mj, mujoco.MjData(mj), initial_state=states, control=control)
    close(found, expected)
    assert list(np.flatnonzero(data.warning["number"].any(axis=1))) == [2, 4]


def test_it_goes_on_from_where_worlds_are(models):
    _, model = models
    data, other = mjenv.Data(model, NWORLD), mjenv.Data(model, NWORLD)
    control = starts(models[0])[1]
    for d in (data, other):
        d.qvel[:] = 0.5
        d.xfrc_applied[:, 1, 2] = 3
    states, _ = mjenv.rollout(model, data, control)
    more, _ = mjenv.rollout(model, data, nstep=2)
    for k in range(NSTEP):
        other.ctrl[:] = control[:, k]
        mjenv.step(model, other)
        np.testing.assert_array_equal(
            states[:, k], mjenv.get_state(model, other, State.FULLPHYSICS)
        )
    mjenv.step(model, other, 2)
    np.testing.assert_array_equal(more[:, 1], mjenv.get_state(model, other, State.FULLPHYSICS))


def test_same_bits(models):
    mj, model = models
    states, control, _ = starts(mj)
    expected = mjenv.rollout(
        model, mjenv.Data(model, NWORLD, keep=[]), control, initial_state=states
    )
    for width in (1, 8):
        found = mjenv.rollout(
            model, mjenv.Data(model, NWORLD, width=width), control, initial_state=states
        )
        assert np.array_equal(found[0], expected[0])
    one = mjenv.rollout(model, mjenv.Data(model), control[3], initial_state=states[3])
    assert np.array_equal(one[0][0], expected[0][3])


def test_messages(models):
    _, model = models
    data, nu = mjenv.Data(model, NWORLD, keep=[]), model.nu
    nstate = mjenv.state_size(model, State.FULLPHYSICS)
    cases = (
        (lambda: mjenv.rollout(model, data), "rollout: nstep: expected a number of steps"),
        (lambda: mjenv.rollout(model, data, np.zeros((NWORLD, 4, nu + 1))),
         f"rollout: control has shape (9, 4, {nu + 1}), expected (9, nstep, {nu})"),
        (lambda: mjenv.rollout(model, data, np.zeros((NWORLD, 4, nu)), 5),
         f"rollout: control has shape (9, 4, {nu}), expected (9, 5, {nu})"),
        (lambda: mjenv.rollout(model, data, nstep=2, initial_state=np.zeros(3)),
         f"rollout: initial_state has shape (3,), expected (9, {nstate})"),
        (lambda: mjenv.rollout(model, data, nstep=2, initial_warmstart=np.zeros(3)),
         "rollout: initial_warmstart: expected an initial_state as well"),
        (lambda: mjenv.rollout(model, data, np.zeros((2, 8)), control_spec=State.QPOS),
         "rollout: control_spec: expected flags of State.USER"),
    )  # fmt: skip
    for call, text in cases:
        with pytest.raises(ValueError) as error:  # noqa: PT011
            call()
        assert text in str(error.value)
