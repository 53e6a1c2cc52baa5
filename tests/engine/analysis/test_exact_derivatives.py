"""Exact derivatives beside centered differences and MuJoCo's."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv import kernel
from mjenv.engine.analysis import dual_worlds
from tests.engine.reference import ZOO, copy_state, trajectory

NWORLD = 3
# what a step may hold: joints of all kinds with springs and limits, contacts of all dimensions,
# friction loss, equalities, tendons, activations, a medium, sensors of all stages
EXTRA = """
  <tendon>
    <spatial name="rope" stiffness="20" damping="0.5"><site site="mark"/><site site="anchor"/>
    </spatial>
    <fixed name="both"><joint joint="bend" coef="1"/><joint joint="slide" coef="2"/></fixed>
  </tendon>
  <equality>
    <connect body1="stick" body2="ball" anchor="0 0 0.3"/>
    <joint joint1="bend" joint2="slide" polycoef="0 0.1"/>
  </equality>
  <sensor>
    <jointvel joint="bend"/><actuatorfrc actuator="m1"/><framepos objtype="body" objname="box"/>
    <accelerometer site="mark"/><touch site="mark"/><tendonpos tendon="rope"/>
    <ballquat joint="turn"/><framelinacc objtype="body" objname="rod"/><force site="anchor"/>
  </sensor>
</mujoco>"""
ACTIVE = """<actuator><general joint="slide" dyntype="filter" dynprm="0.1"/>
    <position tendon="both" kp="3"/>"""
XML = ZOO.replace("</mujoco>", EXTRA).replace("<actuator>", ACTIVE)
XML = XML.replace('<joint name="bend"', '<site name="anchor"/><joint name="bend"')
XML = XML.replace('<option timestep="0.004"/>', '<option timestep="0.004" viscosity="0.1" {0}/>')


def worlds(option: str, **options):
    """Both models, our data along a trajectory, and MuJoCo's data of each world."""
    text = XML.format(f'tolerance="1e-15" iterations="200" {option}')
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data, sources = mjenv.Data(model, NWORLD, **options), []
    for world, source in enumerate(trajectory(mj, 60 * NWORLD, every=60)):
        copy_state(source, data, world)
        data.act[world] = source.act
        sources.append(mujoco.MjData(mj))
        mujoco.mj_copyData(sources[-1], mj, source)
    return mj, model, data, sources


def close(found, expected, tolerance):
    scale = 1 + np.abs(expected).max(initial=0)
    np.testing.assert_allclose(found / scale, expected / scale, rtol=0, atol=tolerance)


OPTIONS = ('cone="pyramidal"', 'integrator="implicit" cone="elliptic"')


@pytest.mark.sweep(1)
@pytest.mark.parametrize("option", OPTIONS)
def test_transitions(option):
    mj, model, data, sources = worlds(option)
    mjenv.forward(model, data)
    assert (data.ncon > 0).sum() == 2
    before = mjenv.get_state(model, data, mjenv.State.INTEGRATION)
    found, near = mjenv.transition_jacobian(model, data), mjenv.transition_fd(model, data, 1e-7)
    assert np.array_equal(mjenv.get_state(model, data, mjenv.State.INTEGRATION), before)
    n, nu, ns = 2 * model.nv + model.na, model.nu, model.nsensordata
    for world, source in enumerate(sources):
        for name in found._fields:
            close(getattr(found, name)[world], getattr(near, name)[world], 1e-6)
        A, B, C, D = (np.zeros(s) for s in ((n, n), (n, nu), (ns, n), (ns, nu)))
        mujoco.mjd_transitionFD(mj, source, 1e-7, 1, A, B, C, D)
        close(found.A[world], A, 1e-6)
        close(found.B[world], B, 1e-6)
        close(found.C[world], C, 1e-5)


@pytest.mark.parametrize("actuation", [False, True])
def test_inverse(actuation):
    _, model, data, _ = worlds(OPTIONS[0])
    mjenv.forward(model, data)
    data.qacc[:] += np.random.default_rng(2).normal(size=data.qacc.shape)
    found = mjenv.inverse_jacobian(model, data, actuation)
    near = mjenv.inverse_fd(model, data, 1e-7, actuation)
    for name in found._fields:
        close(getattr(found, name), getattr(near, name), 1e-4)
    if not actuation:
        # of the inertia matrix, and of the constraints that hold
        assert np.array_equal(found.DfDa.shape, (NWORLD, model.nv, model.nv))
        close(found.DfDa, found.DfDa.swapaxes(1, 2), 1e-12)


def test_a_turning_body_at_rest():
    """Where a rotation has no axis: velocity 0, and a ball joint where its spring is at rest."""
    text = """<mujoco><option gravity="0 0 0"/><worldbody><body><joint type="ball" stiffness="3"
      damping="0.1"/><geom type="box" size="0.1 0.2 0.3" pos="0 0 0.2"/></body></worldbody>
      </mujoco>"""
    model = mjenv.Model.from_xml_string(text)
    data = mjenv.Data(model)
    found, near = mjenv.transition_jacobian(model, data), mjenv.transition_fd(model, data)
    close(found.A, near.A, 1e-8)
    h = model.opt.timestep
    np.testing.assert_allclose(found.A[0, :3, 3:], h * found.A[0, 3:, 3:], atol=1e-15)
    assert (np.diag(found.A[0, 3:, :3]) < 0).all()


def test_same_bits():
    """Whatever the number of worlds, of threads, and of those at a time."""
    from mjenv.engine.analysis import dual_passes

    _, model, data, _ = worlds(OPTIONS[0])
    expected = mjenv.transition_jacobian(model, data)
    most, dual_passes.MOST_PACKS = dual_passes.MOST_PACKS, 20
    try:
        _, again, other, _ = worlds(OPTIONS[0], nthread=1)
        parts = mjenv.transition_jacobian(again, other)
    finally:
        dual_passes.MOST_PACKS = most
    for one, two in zip(expected, parts, strict=True):
        assert np.array_equal(one, two)


HINGE = """<mujoco><option gravity="0 0 0"><flag constraint="disable"/></option><worldbody>
  <body name="b"><joint name="x" axis="0 1 0" damping="0.5"/><geom size="0.1" mass="2" pos="1 0 0"/>
  </body>
  </worldbody><actuator><motor joint="x"/></actuator></mujoco>"""


def test_worlds_that_differ():
    model = mjenv.Model.from_xml_string(HINGE)
    data = mjenv.Data(model, 2, vary=["body_mass"])
    data.varied["body_mass"][1] *= 2
    B, h = mjenv.transition_jacobian(model, data).B, model.opt.timestep
    np.testing.assert_allclose(B[:, 1, 0], h / (np.array([2.0, 4.0]) + 0.008 + 0.5 * h), rtol=1e-14)


def test_fields_that_differ_change_along_no_direction():
    model = mjenv.Model.from_xml_string(HINGE)
    data = mjenv.Data(model, 2, vary=["body_mass", "dof_damping"])
    data.qpos[:], data.qvel[:], data.ctrl[:] = 0.3, [[1.0], [-2.0]], 0.2
    data.varied["dof_damping"][1] *= 3
    found, expected = mjenv.transition_jacobian(model, data), mjenv.transition_fd(model, data)
    np.testing.assert_allclose(found.A, expected.A, atol=1e-8)


@kernel
def steer(m, d):
    d.ctrl[0] = -4.0 * d.qpos[0] * d.qpos[0]


def test_hooks():
    model = mjenv.Model.from_xml_string(HINGE)
    data = mjenv.Data(model)
    data.qpos[:] = 0.5
    mjenv.set_hook(data, "control", steer)
    A = mjenv.transition_jacobian(model, data).A[0]
    h = model.opt.timestep
    np.testing.assert_allclose(A[1, 0], -4 * h / (2.008 + 0.5 * h), rtol=1e-14)
    mjenv.set_hook(data, "control", lambda model, worlds: None)
    with pytest.raises(
        mjenv.UnsupportedFeature, match="transition_jacobian: hooks in Python: no exact"
    ):
        mjenv.transition_jacobian(model, data)


REFUSED = {
    "integrator='RK4'": '<option integrator="RK4"/><worldbody>',
    "contacts of boxes with boxes": '<worldbody><geom type="box" size="1 1 1"/>',
    "contacts of convex geoms": '<worldbody><geom type="cylinder" size="1 1"/>',
    "integrator='implicitfast' with bodies": '<option integrator="implicitfast"/><worldbody>',
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_exact_derivatives(name):
    text = f"""<mujoco>{REFUSED[name]}<body pos="0 0 3"><freejoint/>
      <geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>"""
    model = mjenv.Model.from_xml_string(text)
    data = mjenv.Data(model)
    with pytest.raises(mjenv.UnsupportedFeature, match=f"transition_jacobian: {name}.*: no exact"):
        mjenv.transition_jacobian(model, data)


def test_stages_are_looked_through_once(monkeypatch):
    """What kernels do lane by lane does not change: looking for it takes longer than the rest."""
    model = mjenv.Model.from_xml_string(
        "<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>"
    )
    data = mjenv.Data(model)
    first = mjenv.transition_jacobian(model, data)
    monkeypatch.setattr(dual_worlds, "reached", lambda *_: pytest.fail("looked through again"))
    np.testing.assert_array_equal(mjenv.transition_jacobian(model, data).A, first.A)
