"""Inverse dynamics beside MuJoCo's, and its agreement with forward dynamics."""

import mujoco
import numpy as np
import pytest

import mjenv
from tests.engine.reference import ZOO, copy_state, load, trajectory

NWORLD = 9
SENSORS = """
  <sensor>
    <accelerometer site="mark"/><force site="mark"/><torque site="mark"/>
    <jointpos joint="bend"/><subtreeangmom body="tower"/>
  </sensor>
</mujoco>"""
DRIVEN = """<actuator>
    <velocity name="v1" joint="bend" kv="3" forcerange="-1 1"/>
    <general name="v2" joint="slide" gaintype="affine" gainprm="1 2 3" biastype="affine"
    biasprm="1 -2 -4" damping="0.3"/>"""
CHANGED = {
    "plain": ZOO,
    "elliptic": ZOO.replace("<option", "<option cone='elliptic'"),
    "driven": ZOO.replace("<actuator>", DRIVEN),
    "sensors": ZOO.replace("</mujoco>", SENSORS),
}


def models(name, **options):
    """Both models of a name in `CHANGED`, with options set."""
    pair = mujoco.MjModel.from_xml_string(CHANGED[name]), mjenv.Model.from_xml_string(CHANGED[name])
    for m in pair:
        for option, value in options.items():
            setattr(m.opt, option, value)
    return pair


def worlds(mj, model, **options):
    """Data in states along a trajectory, and MuJoCo's data of each."""
    data, sources = mjenv.Data(model, NWORLD, **options), []
    for world, source in enumerate(trajectory(mj, 40 * NWORLD, every=40)):
        copy_state(source, data, world)
        sources.append(mujoco.MjData(mj))
        mujoco.mj_copyData(sources[-1], mj, source)
    return data, sources


def close(found, expected, tolerance):
    expected = np.asarray(expected)
    scale = 1 + np.abs(expected).max(initial=0)
    np.testing.assert_allclose(found / scale, expected / scale, rtol=0, atol=tolerance)


@pytest.mark.parametrize(
    ("name", "large_model"),
    [*((name, None) for name in CHANGED), ("plain", True), ("elliptic", True)],
)
def test_forces_of_any_acceleration(name, large_model):
    """In large models, too, where the rows of friction and contacts alternate, island by island."""
    mj, model = models(name)
    data, sources = worlds(mj, model, large_model=large_model)
    rng = np.random.default_rng(3)
    data.qacc[:] = rng.normal(size=data.qacc.shape) * 10
    given = data.qacc.copy()
    mjenv.inverse(model, data)
    np.testing.assert_array_equal(data.qacc, given)
    for world, source in enumerate(sources):
        source.qacc[:] = given[world]
        source.qfrc_actuator[:] = source.actuator_force[:] = 0
        mujoco.mj_inverse(mj, source)
        for field, tolerance in (
            ("qfrc_inverse", 1e-10),
            ("qfrc_constraint", 1e-10),
            ("sensordata", 1e-9),
            ("xpos", 1e-12),
            ("cvel", 1e-12),
        ):
            close(getattr(data, field)[world], getattr(source, field), tolerance)
        assert data.nefc[world] == source.nefc
        close(data.efc_force[world, : source.nefc], source.efc_force, 1e-10)
    assert any(source.ncon for source in sources)


@pytest.mark.parametrize("name", ["plain", "elliptic"])
def test_it_undoes_forward_dynamics(name):
    mj, model = models(name, tolerance=1e-14, iterations=200)
    data, _ = worlds(mj, model)
    rng = np.random.default_rng(4)
    data.qfrc_applied[:] = rng.normal(size=data.qacc.shape)
    data.xfrc_applied[:, 1:] = rng.normal(size=(NWORLD, model.nbody - 1, 6))
    mjenv.forward(model, data)
    given = data.qfrc_smooth - data.qfrc_passive + data.qfrc_bias
    mjenv.inverse(model, data)
    close(data.qfrc_inverse, given, 1e-6)


DISCRETE = [("plain", 0, 0), ("plain", 0, int(mujoco.mjtDisableBit.mjDSBL_EULERDAMP))]
DISCRETE += [("driven", integrator, 0) for integrator in (0, 2, 3)]


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("name", "integrator", "flags"), DISCRETE)
def test_discrete(name, integrator, flags):
    """The acceleration is the change of velocity in a step that is implicit in dampers."""
    options = {"integrator": integrator, "disableflags": flags, "tolerance": 1e-14}
    mj, model = models(name, enableflags=8, **options)
    data, sources = worlds(mj, model)
    before = data.qvel.copy()
    later = mjenv.Data(model, NWORLD)
    mjenv.copy_data(later, model, data)
    mjenv.step(model, later)
    mjenv.forward(model, data)
    data.qacc[:] = (later.qvel - before) / model.opt.timestep
    mjenv.inverse(model, data)
    for world, source in enumerate(sources):
        mujoco.mj_forward(mj, source)
        source.qacc[:] = data.qacc[world]
        mujoco.mj_inverse(mj, source)
        close(data.qfrc_inverse[world], source.qfrc_inverse, 1e-9)
    close(data.qfrc_inverse, later.qfrc_actuator, 1e-6)


@pytest.mark.parametrize("integrator", ["Euler", "implicit", "implicitfast"])
@pytest.mark.parametrize("target", ["joint", "tendon"])
def test_discrete_with_dampers_of_actuators_that_are_off(integrator, target):
    """As in MuJoCo, an Euler step counts those on joints all the same; an implicit one does not."""
    text = f"""<mujoco><option integrator="{integrator}">
      <flag damper="disable" invdiscrete="enable"/></option>
      <worldbody><body><joint name="j" damping=".3"/><geom size=".1"/></body></worldbody>
      <tendon><fixed name="t"><joint joint="j" coef="2"/></fixed></tendon>
      <actuator><motor {target}="{target[0]}" damping="2 .5"/></actuator></mujoco>"""
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data, source = mjenv.Data(model, 1), mujoco.MjData(mj)
    data.qvel[:] = source.qvel[:] = 3
    data.qacc[:] = source.qacc[:] = 7
    mjenv.inverse(model, data)
    mujoco.mj_inverse(mj, source)
    close(data.qfrc_inverse[0], source.qfrc_inverse, 1e-12)
    source.qfrc_applied[:] = data.qfrc_applied[:] = 1.5
    mjenv.step(model, data)
    mujoco.mj_step(mj, source)
    close(data.qvel[0], source.qvel, 1e-12)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("integrator", [0, 1])
@pytest.mark.parametrize("iterations", [0, 100])
def test_comparison(integrator, iterations):
    # with a larger tolerance trees at rest start from none of their last acceleration
    options = {"integrator": integrator, "tolerance": 1e-14}
    mj, model = models("plain", enableflags=4, **options)
    plain = models("plain", **options)[1]
    data, sources = worlds(mj, model)
    other, _ = worlds(mj, plain)
    mj.opt.iterations = model.opt.iterations = plain.opt.iterations = iterations
    mjenv.forward(model, data)
    mjenv.forward(plain, other)
    assert not data.solver_fwdinv.any()
    mjenv.step(model, data)
    mjenv.step(plain, other)
    for world, source in enumerate(sources):
        mujoco.mj_step(mj, source)
        close(data.solver_fwdinv[world], source.solver_fwdinv, 1e-9)
        close(data.qfrc_inverse[world], source.qfrc_inverse, 1e-8)
    # nothing else changes
    for field in ("qpos", "qvel", "qacc", "qfrc_constraint", "efc_force", "efc_state"):
        ours, theirs = getattr(data, field), getattr(other, field)
        if field.startswith("efc"):
            present = np.arange(ours.shape[1]) < data.nefc[:, None]
            ours, theirs = ours[present], theirs[present]
        np.testing.assert_array_equal(ours, theirs)
    assert (data.solver_fwdinv.max() > 1) == (iterations == 0)
    assert not other.solver_fwdinv.any()


def test_same_bits():
    mj, model = models("sensors")
    results = []
    for options in (
        {},
        {"width": 1},
        {"nthread": 2},
        {"keep": ["qacc", "qfrc_inverse"]},
    ):
        data, _ = worlds(mj, model, **options)
        mjenv.forward(model, data)
        data.qacc[:] = np.random.default_rng(3).normal(size=data.qacc.shape)
        mjenv.inverse(model, data, mask=np.arange(NWORLD) % 2 == 0)
        mjenv.inverse(model, data, mask=np.arange(NWORLD) % 2 == 1)
        results.append((data.qfrc_inverse.copy(), data.sensordata.copy()))
        one = mjenv.Data(model)
        for name in ("qpos", "qvel", "ctrl", "qacc_warmstart"):
            getattr(one, name)[0] = getattr(data, name)[5]
        mjenv.forward(model, one)
        one.qacc[:] = data.qacc[5]
        mjenv.inverse(model, one)
        assert np.array_equal(one.qfrc_inverse[0], data.qfrc_inverse[5])
        if "qM" in data.kept:
            n = data.nefc[5]
            assert np.array_equal(one.efc_force[0, :n], data.efc_force[5, :n])
    for result in results[1:]:
        assert np.array_equal(result[0], results[0][0])
        assert np.array_equal(result[1], results[0][1])


def test_messages():
    _, model = load("hopper")
    data = mjenv.Data(model, 2, keep=["qacc"])
    with pytest.raises(AttributeError, match=r"Data.qfrc_inverse: not kept; make the data with"):
        mjenv.inverse(model, data)
    _, model = models("plain", enableflags=8, integrator=1)
    with pytest.raises(ValueError, match="inverse: option flag invdiscrete='enable' with"):
        mjenv.inverse(model, mjenv.Data(model, 2))


@pytest.mark.parametrize("nworld", [1, 9])
def test_steps_of_rk4_have_no_discrete_comparison(nworld):
    """Such steps go on: MuJoCo compares nothing without constraints, and gives up with them."""
    text = """<mujoco><option integrator="RK4"><flag fwdinv="enable" invdiscrete="enable"/></option>
      <worldbody><geom type="plane" size="5 5 .1"/>
        <body pos="0 0 .5"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data, source = mjenv.Data(model, nworld), mujoco.MjData(mj)
    mjenv.step(model, data, 3)
    for _ in range(3):
        mujoco.mj_step(mj, source)
    np.testing.assert_allclose(data.qpos[0], source.qpos, atol=1e-12)
    np.testing.assert_array_equal(data.solver_fwdinv[0], source.solver_fwdinv)
    data.qpos[0, 2] = 0.05
    mjenv.step(model, data)
    assert np.isnan(data.solver_fwdinv[0]).all()
    np.testing.assert_array_equal(data.solver_fwdinv[1:], 0)
    assert np.isfinite(data.qpos).all()
    # asked for directly it is refused, as in MuJoCo
    with pytest.raises(ValueError, match="integrator='RK4': expected another integrator"):
        mjenv.inverse(model, data)


@pytest.mark.parametrize("width", [1, 8])
@pytest.mark.parametrize("halves", [False, True])
def test_worlds_without_constraints_keep_their_inverse_dynamics(width, halves):
    """Of steps with the flag fwdinv, whatever other worlds have been computed before them."""
    text = """<mujoco><option><flag fwdinv="enable"/></option><worldbody>
      <geom type="plane" size="1 1 1"/><body><freejoint/><geom size=".1"/></body></worldbody>
      </mujoco>"""
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data = mjenv.Data(model, 8, width=width, nthread=1)
    sources = [mujoco.MjData(mj) for _ in range(8)]
    for before in (False, True):
        for world, source in enumerate(sources):
            mujoco.mj_resetData(mj, source)
            source.qpos[2] = (0.05, 2.0)[world % 2]
        mjenv.reset(model, data)
        data.qpos[:] = [source.qpos for source in sources]
        if before:  # a force that such a world keeps
            data.qacc[:] = np.arange(8)[:, None]
            mjenv.inverse(model, data)
        for world, source in enumerate(sources):
            if before:
                source.qacc[:] = world
                mujoco.mj_inverse(mj, source)
            mujoco.mj_step(mj, source)
        if halves:
            mjenv.step1(model, data)
            mjenv.step2(model, data)
        else:
            mjenv.step(model, data)
        for world, source in enumerate(sources):
            np.testing.assert_allclose(data.qfrc_inverse[world], source.qfrc_inverse, atol=1e-9)
        assert np.abs(data.qfrc_inverse[1::2]).max() > 1 or not before
