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
