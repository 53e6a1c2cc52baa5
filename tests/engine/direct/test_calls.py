"""Single calls on one world give what the functions for many worlds give, and what MuJoCo gives."""

import subprocess
import sys

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.direct import inertia, jacobians, motion
from mjenv.engine.direct.call import on_model, on_world
from mjenv.engine.simd.immediate import immediate_call_of
from mjenv.engine.simd.kernel import kernel
from mjenv.engine.simd.record import Layout, Record

XML = """
<mujoco>
  <worldbody>
    <body name="a" pos="0 0 1">
      <freejoint/><geom size=".1" mass="1"/>
      <body name="b" pos=".2 0 0"><joint type="ball"/><geom size=".1" pos=".1 0 0"/>
        <body name="c" pos=".2 0 .1"><joint axis="0 1 0"/><geom name="g" size=".1" pos="0 .1 0"/>
          <site name="s" pos=".3 .1 0"/></body></body>
    </body>
    <body name="d"><joint type="slide" axis="1 1 0"/><geom size=".2"/></body>
    <body name="e" pos="3 0 0"><geom size=".1"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="module")
def moved():
    model = mjenv.Model.from_xml_string(XML)
    data = mjenv.Data(model)
    data.qpos[0] += np.random.default_rng(1).uniform(-0.3, 0.3, model.nq)
    data.qvel[0] = np.random.default_rng(2).uniform(-1, 1, model.nv)
    mjenv.forward(model, data, post=True)
    return model, data


def told(data, run, ask=(), given=()):
    nv = data.model.nv
    call = on_world(data, run, 9, 6 * nv)
    call.ask[: len(ask)], call.given[: len(given)] = ask, given
    call.run()
    return call.told


@pytest.mark.parametrize("body", range(1, 6))
def test_jacobians(moved, body):
    model, data = moved
    nv, point, axis = model.nv, np.array([0.3, -0.2, 0.9]), np.array([0.0, 0.6, 0.8])
    at, both = (jacobians.GIVEN, body), np.concatenate([point, axis])
    for run, expected, given in (
        (jacobians.axis_jacobian, mjenv.jac_point_axis(model, data, point, axis, body), both),
        (jacobians.jacobian_rate, mjenv.jac_dot(model, data, point, body), point),
    ):
        found = told(data, run, at, given).reshape(2, 3, nv)
        np.testing.assert_allclose(found, np.stack(expected)[:, 0], atol=1e-12)
    for run, expected in (
        (jacobians.subtree_jacobian, mjenv.jac_subtree_com(model, data, body)),
        (jacobians.momentum_matrix, mjenv.angmom_mat(model, data, body)),
    ):
        found = told(data, run, at)[: 3 * nv].reshape(3, nv)
        np.testing.assert_allclose(found, expected[0], atol=1e-12)
    for kind, expected in (
        (jacobians.BODY, mjenv.jac_body), (jacobians.CENTER, mjenv.jac_body_com),
    ):  # fmt: skip
        found = told(data, jacobians.jacobian, (kind, body)).reshape(2, 3, nv)
        np.testing.assert_allclose(found, np.stack(expected(model, data, body))[:, 0], atol=1e-12)


def test_jacobians_of_geoms_and_sites(moved):
    model, data = moved
    for kind, function, place in (
        (jacobians.GEOM, mjenv.jac_geom, model.geom("g").id),
        (jacobians.SITE, mjenv.jac_site, 0),
    ):
        found = told(data, jacobians.jacobian, (kind, place)).reshape(2, 3, model.nv)
        np.testing.assert_allclose(found, np.stack(function(model, data, place))[:, 0], atol=1e-12)


@pytest.mark.parametrize("local", [0, 1])
@pytest.mark.parametrize(
    ("kind", "name", "place"),
    [(motion.FRAME, "xbody", 3), (motion.INERTIAL, "body", 2), (motion.GEOM, "geom", 2),
     (motion.SITE, "site", 0), (motion.FRAME, "xbody", 5)],
)  # fmt: skip
def test_motion(moved, kind, name, place, local):
    model, data = moved
    for run, function in (
        (motion.object_velocity, mjenv.object_velocity),
        (motion.object_acceleration, mjenv.object_acceleration),
    ):
        found = told(data, run, (kind, place, local))[:6]
        np.testing.assert_allclose(
            found, function(model, data, name, place, bool(local))[0], atol=1e-12
        )


def test_products(moved):
    model, data = moved
    vec = np.arange(1.0, model.nv + 1)
    for run, function, ask in (
        (inertia.multiply, mjenv.mul_m, ()), (inertia.solve, mjenv.solve_m, (1,)),
    ):  # fmt: skip
        call = on_world(data, run, model.nv, model.nv)
        call.ask[: len(ask)], call.given[:] = ask, vec
        call.run()
        assert call.told.tolist() == function(model, data, vec)[0].tolist()
    call = on_model(model, inertia.full, inertia.FULL_READS, model.nM, model.nv**2)
    call.given[:] = data.qM[0]
    call.run()
    np.testing.assert_array_equal(call.told.reshape(model.nv, -1), mjenv.full_m(model, data)[0])


def test_several_worlds_are_refused(moved):
    with pytest.raises(ValueError, match="jacobian: found 2 worlds of width 1, expected one"):
        on_world(mjenv.Data(moved[0], 2, width=1), jacobians.jacobian, 9, 9)


@kernel
def doubled(c):
    """Twice each number."""
    for k in range(3):
        c.numbers[k] = 2.0 * c.numbers[k]


def test_immediate_calls():
    layout = Layout("numbers", [("numbers", "f8")])
    record = Record(layout, 1)
    record.set_array("numbers", np.array([1.0, 2.0, 4.0]))
    call = immediate_call_of(doubled, ((layout, 1, False),), (record,))
    call()
    call()
    assert record.arrays["numbers"].tolist() == [4.0, 8.0, 16.0]


INTERPRETED = """
import numpy as np, mjenv.mujoco as mujoco
m = mujoco.MjModel.from_xml_string({xml!r})
d = mujoco.MjData(m)
mujoco.mj_kinematics(m, d)
mujoco.mj_comPos(m, d)
jac = np.zeros((3, m.nv))
mujoco.mj_jacBody(m, d, jac, None, 3)
print(repr(jac.tolist()))
"""


@pytest.mark.slow
def test_interpreted_calls():
    code = INTERPRETED.format(xml=XML)
    run = subprocess.run(
        [sys.executable, "-c", code], env={"NUMBA_DISABLE_JIT": "1"}, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    model = mujoco.MjModel.from_xml_string(XML)
    data, jac = mujoco.MjData(model), np.zeros((3, model.nv))
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_jacBody(model, data, jac, None, 3)
    np.testing.assert_allclose(eval(run.stdout), jac, atol=1e-12)
