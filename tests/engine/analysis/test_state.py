"""States as rows of numbers, beside MuJoCo's, and copies of data."""

import itertools

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv import State

XML = """
<mujoco>
  <size nuserdata="3"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="a" pos="0 0 0.05"><freejoint/><geom size="0.1"/></body>
    <body name="b" pos="1 0 1"><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.1 0 0"/></body>
    <body name="hand" mocap="true" pos="0 0 2"/>
    <body name="finger" mocap="true" pos="0 1 2"/>
  </worldbody>
  <equality><weld body1="a" body2="hand" active="false"/><joint joint1="j"/></equality>
  <actuator><motor joint="j"/></actuator>
</mujoco>
"""
NWORLD = 4
SPECS = [1 << k for k in range(14)]
SPECS += [State.PHYSICS, State.FULLPHYSICS, State.USER, State.INTEGRATION, 0, 2**14 - 1]
SPECS += [int(x) for x in np.random.default_rng(0).integers(0, 2**14, 20)]


@pytest.fixture(scope="module")
def models():
    return mujoco.MjModel.from_xml_string(XML), mjenv.Model.from_xml_string(XML)


def filled(model, seed=0):
    """Data with random states and inputs, some steps later."""
    data = mjenv.Data(model, NWORLD)
    rng = np.random.default_rng(seed)
    for name in ("qvel", "ctrl", "qfrc_applied", "userdata", "mocap_pos", "mocap_quat"):
        array = getattr(data, name)
        array[:] = rng.normal(size=array.shape)
    data.xfrc_applied[:, 1:] = rng.normal(size=(NWORLD, model.nbody - 1, 6))
    data.eq_active[1] = 1
    mjenv.step(model, data, 3)
    return data


def reference(mj, data, world):
    source = mujoco.MjData(mj)
    for name in ("qpos", "qvel", "qacc_warmstart", "ctrl", "qfrc_applied", "xfrc_applied",
                 "eq_active", "mocap_pos", "mocap_quat", "userdata"):  # fmt: skip
        getattr(source, name)[:] = getattr(data, name)[world]
    source.time = data.time[world]
    return source


def test_values_are_those_of_mujoco():
    for flag in State:
        assert flag == getattr(mujoco.mjtState, f"mjSTATE_{flag.name}")
    for name in ("PHYSICS", "FULLPHYSICS", "USER", "INTEGRATION"):
        assert State[name] == getattr(mujoco.mjtState, f"mjSTATE_{name}")


@pytest.mark.sweep(8)
@pytest.mark.parametrize("spec", SPECS)
def test_get_and_set(models, spec):
    mj, model = models
    data, other = filled(model), mjenv.Data(model, NWORLD)
    rows = mjenv.get_state(model, data, spec)
    assert mjenv.state_size(model, spec) == mujoco.mj_stateSize(mj, spec) == rows.shape[1]
    for world in range(NWORLD):
        expected = np.zeros(rows.shape[1])
        mujoco.mj_getState(mj, reference(mj, data, world), expected, spec)
        np.testing.assert_array_equal(rows[world], expected)
    mjenv.set_state(model, other, rows, spec)
    np.testing.assert_array_equal(mjenv.get_state(model, other, spec), rows)
    rest = (2**14 - 1) & ~int(spec)
    fresh = mjenv.get_state(model, mjenv.Data(model, NWORLD), rest)
    np.testing.assert_array_equal(mjenv.get_state(model, other, rest), fresh)


def test_some_worlds(models):
    _, model = models
    data, spec = filled(model), State.INTEGRATION
    every = mjenv.get_state(model, data, spec)
    mask = np.array([True, False, False, True])
    for worlds, indices in ((2, [2]), ([3, 1], [3, 1]), (mask, [0, 3]), (-1, [3])):
        np.testing.assert_array_equal(mjenv.get_state(model, data, spec, worlds), every[indices])
        other = mjenv.Data(model, NWORLD)
        before = mjenv.get_state(model, other, spec)
        mjenv.set_state(model, other, every[indices], spec, worlds)
        before[indices] = every[indices]
        np.testing.assert_array_equal(mjenv.get_state(model, other, spec), before)
    mjenv.set_state(model, data, every[1], spec)
    np.testing.assert_array_equal(mjenv.get_state(model, data, spec), every[[1, 1, 1, 1]])


def test_unused_inputs_stay_unused(models):
    _, model = models
    data, other = mjenv.Data(model, 2), mjenv.Data(model, 2)
    mjenv.copy_state(model, data, other, State.INTEGRATION)
    assert not data.inputs_in_use
    assert not other.inputs_in_use


def test_extract(models):
    mj, model = models
    row = mjenv.get_state(model, filled(model), 2**14 - 1)
    for src, dst in itertools.product((2**14 - 1, State.INTEGRATION), SPECS):
        if int(dst) & ~int(src):
            continue
        values = mjenv.extract_state(model, row, 2**14 - 1, src)
        expected = np.zeros(mujoco.mj_stateSize(mj, dst))
        mujoco.mj_extractState(mj, values[1], src, expected, dst)
        np.testing.assert_array_equal(mjenv.extract_state(model, values, src, dst)[1], expected)


@pytest.mark.parametrize("nworld", [1, NWORLD])
def test_a_copy_continues_with_the_same_bits(models, nworld):
    _, model = models
    data, other = mjenv.Data(model, nworld), mjenv.Data(model, nworld)
    data.qvel[:], data.ctrl[:] = 0.1, 0.3
    mjenv.step(model, data, 20)
    data.qpos[0, 7] = np.nan
    mjenv.step(model, data)
    mjenv.copy_data(other, model, data)
    for name in ("qpos", "xpos", "qM", "ncon", "cam_xpos", "efc_force", "time"):
        np.testing.assert_array_equal(getattr(other, name), getattr(data, name))
    np.testing.assert_array_equal(other.contact.dist, data.contact.dist)
    assert (other.warning == data.warning).all()
    assert other.warning["number"].any()
    for d in (data, other):
        mjenv.step(model, d, 5)
    np.testing.assert_array_equal(other.qpos, data.qpos)
    np.testing.assert_array_equal(other.qM, data.qM)


def test_messages(models):
    _, model = models
    data = mjenv.Data(model, NWORLD)
    cases = (
        (lambda: mjenv.state_size(model, 1 << 14), ValueError,
         "state_size: spec=16384: expected flags of State, below 16384"),
        (lambda: mjenv.get_state(model, data, 1, 4), IndexError,
         "get_state: worlds: 4: expected indices between 0 and 3"),
        (lambda: mjenv.get_state(model, data, 1, [True]), ValueError, "get_state: mask is bool"),
        (lambda: mjenv.set_state(model, data, np.zeros((2, 8)), State.QPOS), ValueError,
         "set_state: state has shape (2, 8), expected (8,) or (4, 8)"),
        (lambda: mjenv.extract_state(model, np.zeros(8), State.QPOS, State.QVEL), ValueError,
         "extract_state: dstspec: <State.QVEL: 4>: expected bits of srcspec"),
        (lambda: mjenv.copy_data(mjenv.Data(model), model, data), ValueError,
         "copy_data: dst has 1 worlds, expected 4, as many as src"),
    )  # fmt: skip
    for call, kind, text in cases:
        with pytest.raises(kind) as error:
            call()
        assert text in str(error.value)
