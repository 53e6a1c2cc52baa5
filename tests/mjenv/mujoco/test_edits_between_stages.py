"""State and results that programs edit between single functions, beside the reference."""

import mujoco
import numpy as np
import pytest

import mjenv.mujoco as ours
from tests.mjenv.mujoco.scenes import XML


@pytest.mark.parametrize("name", ["ant.xml", "humanoid.xml", "half_cheetah.xml"])
@pytest.mark.parametrize("integrator", ["mjINT_IMPLICIT", "mjINT_IMPLICITFAST", "mjINT_EULER"])
def test_velocities_edited_between_the_halves_of_a_step(name, integrator):
    """Derivatives take the new ones where the reference does, and those of bodies elsewhere."""
    found = {}
    for module in (ours, mujoco):
        m = module.MjModel.from_xml_path(str(XML / name))
        m.opt.integrator, m.opt.density = int(getattr(mujoco.mjtIntegrator, integrator)), 1.2
        d, rng = module.MjData(m), np.random.default_rng(0)
        d.qvel[:], d.ctrl[:] = rng.normal(size=m.nv), 0.1
        module.mj_step1(m, d)
        d.qvel[:] = 3 * rng.normal(size=m.nv)
        module.mj_step2(m, d)
        found[module] = np.concatenate([d.qpos, d.qvel])
    np.testing.assert_allclose(found[ours], found[mujoco], rtol=1e-9, atol=1e-9)


RUBBING = """
<mujoco><option timestep="0.004"/><worldbody>
  <geom type="plane" size="2 2 .1"/>
  <body pos="0 0 .099"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  <body pos="1 0 1"><joint name="j" axis="0 1 0" frictionloss=".1"/>
    <geom type="capsule" size=".05 .2" pos=".3 0 0" euler="0 90 0"/><site name="s" pos=".5 0 0"/>
    <body pos=".6 0 0"><joint axis="1 0 0" damping=".1"/><geom size=".05" pos="0 .2 0"/></body>
  </body></worldbody>
<actuator><motor joint="j" gear="2"/><motor site="s" gear="0 0 1 0 .1 0"/></actuator></mujoco>
"""
FREE = RUBBING.replace('frictionloss=".1"', "").replace("0 0 .099", "0 0 2")
SHOWN = (
    "qacc qfrc_constraint qfrc_inverse qfrc_bias efc_force energy solver_fwdinv actuator_velocity"
)


def both(text, *actions):
    """Data of both modules after forward dynamics and actions on module, model and data."""
    found = []
    for module in (mujoco, ours):
        m = module.MjModel.from_xml_string(text)
        d, rng = module.MjData(m), np.random.default_rng(0)
        d.qvel[:], d.ctrl[:] = 0.01 * rng.normal(size=m.nv), 0.3
        module.mj_forward(m, d)
        for action in actions:
            action(module, m, d)
        found.append(d)
    return found


def assert_same(found, names=SHOWN):
    real, mine = found
    for name in names.split():
        one, other = getattr(mine, name), getattr(real, name)
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-7, err_msg=name)


def compare(module, m, d):
    module.mj_compareFwdInv(m, d)


EDITS = {
    "nothing": lambda d: None,
    "qvel": lambda d: d.qvel.__imul__(1.2),
    "efc_aref": lambda d: d.efc_aref.__iadd__(0.3),
    "efc_D": lambda d: d.efc_D.__imul__(1.1),
    "qacc": lambda d: d.qacc.__iadd__(0.1),
}


@pytest.mark.parametrize("edit", EDITS)
def test_forward_and_inverse_dynamics_are_compared_on_what_is_there(edit):
    """Velocities count by the bias force, which is found anew for the comparison alone."""
    found = both(RUBBING, lambda module, m, d: EDITS[edit](d), compare)
    assert found[0].solver_fwdinv.max() > 1e-6 or edit == "nothing"
    assert_same(found)


def test_without_constraints_nothing_is_left_of_a_comparison():
    def mark(module, m, d):
        d.qfrc_inverse[:] = 7

    found = both(FREE, mark, compare)
    assert found[0].nefc == 0
    assert_same(found)
    assert (found[1].qfrc_inverse == 7).all()


ENERGIES = ["energyPos", "energyVel"]
AFTER = ["forward", "step", "step1", "inverse", "fwdPosition", "fwdVelocity"]


@pytest.mark.parametrize("after", AFTER)
@pytest.mark.parametrize("energy", ENERGIES)
def test_energies_last_until_forward_dynamics(energy, after):
    """Which clear them where the option flag is not set; inverse dynamics and stages do not."""
    found = both(
        FREE,
        lambda module, m, d: getattr(module, f"mj_{energy}")(m, d),
        lambda module, m, d: getattr(module, f"mj_{after}")(m, d),
    )
    assert_same(found, "energy")
    assert found[1].energy.any() == (after in ("inverse", "fwdPosition", "fwdVelocity"))


def test_moment_arms_count_in_inverse_dynamics_without_positions():
    def edit(module, m, d):
        d.actuator_moment[:] *= 1.5

    found = both(RUBBING, edit, lambda module, m, d: module.mj_inverseSkip(m, d, 1, 0))
    assert_same(found)


def test_inertia_found_anew_before_an_implicit_step():
    """Kinematics alone move the inertia of bodies; that of subtrees is summed by derivatives."""

    def step(module, m, d):
        m.opt.integrator = int(mujoco.mjtIntegrator.mjINT_IMPLICIT)
        d.qpos[-1] += 1
        module.mj_fwdKinematics(m, d)
        d.qvel[:] *= 300
        module.mj_implicit(m, d)

    assert_same(both(FREE, step), "qpos qvel")


BODIES = "".join(
    f'<body pos="{x} {y} .09"><freejoint/><geom size=".1"/></body>'
    for x in range(6) for y in range(4)
)  # fmt: skip
LARGE = f"""<mujoco><worldbody><geom type="plane" size="9 9 1"/>{BODIES}
<body pos=".19 0 .09"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""


def test_inverse_dynamics_stage_by_stage_in_a_large_model():
    """Rows that are new belong to islands which mj_invPosition finds, though it shows none."""

    def run(module, m, d):
        d.qpos[:6], d.qpos[7:9] = d.qpos[7:13], d.qpos[:2]
        d.qpos[2] += 0.5
        for name in ("invPosition", "invVelocity"):
            getattr(module, f"mj_{name}")(m, d)
        d.qacc[:] = 0.1
        module.mj_invConstraint(m, d)
        assert d.nisland == 0

    found = both(LARGE, run)
    assert found[1].batch.plan.large_model
    assert_same(found, "qfrc_constraint efc_force")


def test_islands_that_are_looked_at_leave_the_second_half_as_it_is():
    """In a large model, whose solver works island by island."""
    found = []
    for looks in (False, True):
        m = ours.MjModel.from_xml_string(LARGE)
        d = ours.MjData(m)
        d.qvel[:] = np.random.default_rng(0).normal(size=m.nv)
        ours.mj_step1(m, d)
        assert d.batch.plan.large_model
        if looks:
            assert d.nisland == 24
        ours.mj_step2(m, d)
        found.append(d.qvel.copy())
    np.testing.assert_array_equal(*found)
