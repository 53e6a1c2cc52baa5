"""Finite differences of a step and of inverse dynamics beside MuJoCo's."""

import mujoco
import numpy as np
import pytest

import mjenv
from tests.engine.reference import ZOO, copy_state, trajectory

NWORLD = 3
SENSORS = """<sensor><jointvel joint='bend'/><actuatorfrc actuator='m1'/>
  <framepos objtype='body' objname='box'/><accelerometer site='mark'/></sensor>"""
XML = ZOO.replace("</mujoco>", SENSORS + "</mujoco>")
ACTIVE = "<actuator><general joint='slide' dyntype='filter' dynprm='0.1'/>"


def models(integrator=0, xml=XML):
    pair = mujoco.MjModel.from_xml_string(xml), mjenv.Model.from_xml_string(xml)
    for m in pair:
        m.opt.integrator, m.opt.tolerance = integrator, 1e-15
    return pair


def worlds(mj, model, **options):
    """Data in states along a trajectory, and MuJoCo's data of each."""
    data, sources = mjenv.Data(model, NWORLD, **options), []
    for world, source in enumerate(trajectory(mj, 50 * NWORLD, every=50)):
        copy_state(source, data, world)
        data.act[world] = source.act
        sources.append(mujoco.MjData(mj))
        mujoco.mj_copyData(sources[-1], mj, source)
    return data, sources


def close(found, expected, tolerance):
    scale = 1 + np.abs(expected).max(initial=0)
    np.testing.assert_allclose(found / scale, expected / scale, rtol=0, atol=tolerance)


@pytest.mark.parametrize("centered", [False, True])
@pytest.mark.parametrize("integrator", [0, 3])
def test_transitions(integrator, centered):
    mj, model = models(integrator, XML.replace("<actuator>", ACTIVE))
    data, sources = worlds(mj, model)
    data.ctrl[0] = 1.0  # at the limit of m1
    data.ctrl[1] = 0.2
    before = mjenv.get_state(model, data, mjenv.State.INTEGRATION)
    found = mjenv.transition_fd(model, data, 1e-6, centered)
    np.testing.assert_array_equal(mjenv.get_state(model, data, mjenv.State.INTEGRATION), before)
    n, nu, ns = 2 * model.nv + model.na, model.nu, model.nsensordata
    assert model.na == 1
    for world, source in enumerate(sources):
        source.ctrl[:] = data.ctrl[world]
        A, B, C, D = (np.zeros(s) for s in ((n, n), (n, nu), (ns, n), (ns, nu)))
        mujoco.mjd_transitionFD(mj, source, 1e-6, centered, A, B, C, D)
        close(found.A[world], A, 1e-5)
        close(found.B[world], B, 1e-6)
        close(found.C[world], C, 1e-5)
        if centered and world == 1:
            # MuJoCo's centered derivatives of sensors by controls have the wrong sign
            D = -D
        if world == 1 or not centered:
            close(found.D[world], D, 1e-5)
    # the actuator force of m1 is its control
    np.testing.assert_allclose(found.D[:, 1, model.actuator("m1").id], 1.0, atol=1e-6)


def test_free_fall_is_exact():
    """Of a hinge in the plane with known inertia, whatever the integrator."""
    xml = """<mujoco><option integrator="RK4" gravity="0 0 0"/><worldbody><body>
      <joint axis="0 1 0"/><geom size="0.1" pos="1 0 0" mass="2"/></body></worldbody>
      <actuator><motor joint="j"/></actuator></mujoco>""".replace("<joint", "<joint name='j'")
    model = mjenv.Model.from_xml_string(xml)
    A, B, C, D = mjenv.transition_fd(model, mjenv.Data(model))
    h, inertia = model.opt.timestep, 2 * (1 + 0.4 * 0.1**2)
    np.testing.assert_allclose(A[0], [[1, h], [0, 1]], atol=1e-9)
    np.testing.assert_allclose(B[0], [[h * h / 2 / inertia], [h / inertia]], atol=1e-9)
    assert C.shape == (1, 0, 2)
    assert D.shape == (1, 0, 1)


@pytest.mark.parametrize("actuation", [False, True])
def test_inverse(actuation):
    mj, model = models()
    data, sources = worlds(mj, model)
    data.qacc[:] = np.random.default_rng(2).normal(size=data.qacc.shape)
    given = data.qacc.copy()
    found = mjenv.inverse_fd(model, data, 1e-6, actuation)
    np.testing.assert_array_equal(data.qacc, given)
    nv, ns = model.nv, model.nsensordata
    for world, source in enumerate(sources):
        source.qacc[:] = given[world]
        arrays = [np.zeros((nv, nv)) for _ in range(3)] + [np.zeros((nv, ns)) for _ in range(3)]
        arrays.append(np.zeros((nv, model.nM)))
        mujoco.mj_forward(mj, source)
        source.qacc[:] = given[world]
        mujoco.mjd_inverseFD(mj, source, 1e-6, actuation, *arrays)
        for name, expected in zip(found._fields, arrays, strict=True):
            ours = getattr(found, name)[world]
            if name.startswith("Ds"):
                # the force of an actuator is no part of inverse dynamics
                ours, expected = np.delete(ours, 1, axis=1), np.delete(expected, 1, axis=1)
            close(ours, expected, 1e-5)


@pytest.mark.slow
def test_same_bits():
    """Whatever the number of worlds, and those of which fit in at a time."""
    mj, model = models()
    from mjenv.engine.analysis import derivatives

    data, _ = worlds(mj, model)
    expected = mjenv.transition_fd(model, data)
    most, derivatives.MOST_WORLDS = derivatives.MOST_WORLDS, 200
    try:
        other, _ = worlds(mj, model, vary=["body_mass"])
        parts = mjenv.transition_fd(model, other)
    finally:
        derivatives.MOST_WORLDS = most
    one = mjenv.Data(model, width=1)
    mjenv.set_state(model, one, mjenv.get_state(model, data, mjenv.State.INTEGRATION, 2),
                    mjenv.State.INTEGRATION)  # fmt: skip
    alone = mjenv.transition_fd(model, one)
    for a, b, c in zip(expected, parts, alone, strict=True):
        assert np.array_equal(a, b)
        assert np.array_equal(a[2:], c)


def test_worlds_that_differ():
    mj, model = models()
    data, _ = worlds(mj, model, vary=["body_mass"])
    same = mjenv.transition_fd(model, data)
    data.varied["body_mass"][1] *= 2
    found = mjenv.transition_fd(model, data)
    assert np.array_equal(found.B[0], same.B[0])
    assert not np.allclose(found.B[1], same.B[1], rtol=0.1)
