"""The hand of the benchmarks is MuJoCo's model, and takes MuJoCo's steps."""

import mujoco
import numpy as np
import pytest

import mjenv
from benchmarks.models import model_text

NWORLD = 8
# the neighbours of a vertex of a hull come in another order
OTHER_ORDER = ("mesh_graph",)


@pytest.fixture(scope="module", params=["hand", "hand_elliptic"])
def both(request):
    text = model_text(request.param)
    return mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)


def test_compiled_arrays(both):
    mj, model = both
    compared = 0
    for name in dir(mj):
        expected = getattr(mj, name)
        if name.startswith("_") or not isinstance(expected, np.ndarray) or name in OTHER_ORDER:
            continue
        found = getattr(model, name, None)
        if found is not None:
            np.testing.assert_allclose(
                np.ravel(found), expected.ravel(), rtol=1e-9, atol=1e-11, err_msg=name
            )
            compared += 1
    assert compared > 200


@pytest.mark.slow
def test_steps_of_a_hand_that_holds_a_box(both):
    """One step from states of MuJoCo's trajectories, in which fingers press on the box."""
    mj, model = both
    for one in both:
        one.opt.tolerance, one.opt.iterations, one.opt.ls_iterations = 0, 100, 100
    rng, data = np.random.default_rng(0), mjenv.Data(model, NWORLD, width=NWORLD)
    sources = [mujoco.MjData(mj) for _ in range(NWORLD)]
    ncon, between = 0, set()
    for _ in range(20):
        for world, source in enumerate(sources):
            source.ctrl[:] = rng.uniform(*mj.actuator_ctrlrange.T)
            mujoco.mj_step(mj, source, 15)
            mujoco.mj_forward(mj, source)
            for name in ("qpos", "qvel", "qacc_warmstart", "ctrl"):
                getattr(data, name)[world] = getattr(source, name)
            ncon += source.ncon
            between |= {tuple(sorted(mj.geom_type[pair])) for pair in source.contact.geom}
        mjenv.step(model, data)
        for world, source in enumerate(sources):
            mujoco.mj_step(mj, source)
            for name in ("qpos", "qvel"):
                expected = getattr(source, name)
                error = np.abs(getattr(data, name)[world] - expected).max()
                assert error < 1e-6 * (1 + np.abs(expected).max()), name
    box, mesh = mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_MESH
    assert ncon > 100
    assert (box, mesh) in between
