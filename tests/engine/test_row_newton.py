"""Newton's method on the rows of each world, against MuJoCo's on the dofs."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data import Data
from mjenv.engine.step import forward, step
from tests.engine.reference import ZOO, copy_state, trajectory

NWORLD = 8
FLAGS = {
    "warm": "",
    "cold": '<flag warmstart="disable"/>',
    "whole": '<flag island="disable"/>',
}


def load(option: str, flags: str = ""):
    text = ZOO.replace(
        '<option timestep="0.004"/>', f'<option timestep="0.004" {option}>{flags}</option>'
    )
    return mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)


@pytest.mark.parametrize("name", FLAGS)
def test_forces(name):
    """Limits, dry friction at its bound and within, contacts of all dimensions, islands."""
    mj, model = load("", FLAGS[name])
    data = Data(model, NWORLD)
    walks = [trajectory(mj, 160, seed, every=20) for seed in range(NWORLD)]
    states, ours, theirs = np.zeros(5, int), 0, 0
    for sources in zip(*walks, strict=True):
        for world, source in enumerate(sources):
            copy_state(source, data, world)
            mujoco.mj_forward(mj, source)
        forward(model, data)
        for world, source in enumerate(sources):
            for field in ("qacc", "qfrc_constraint", "efc_force"):
                expected = np.ravel(getattr(source, field))
                found = np.ravel(getattr(data, field)[world])[: expected.size]
                scale = 1 + np.abs(expected).max(initial=0)
                assert np.abs(found - expected).max(initial=0) < 1e-9 * scale, field
            states += np.bincount(data.efc_state[world, : source.nefc], minlength=5)
            ours += data.solver_niter[world].sum()
            theirs += source.solver_niter.sum()
    assert (states[:4] > 0).all()
    assert abs(ours - theirs) < 0.2 * theirs


def test_no_iterations():
    """The start itself: the last acceleration where it costs less."""
    mj, model = load('iterations="0"')
    data, source = Data(model, 1), mujoco.MjData(mj)
    mujoco.mj_step(mj, source, 60)
    copy_state(source, data, 0)
    data.qacc_warmstart[0] = source.qacc_warmstart
    mujoco.mj_forward(mj, source)
    forward(model, data)
    assert source.nefc > 0
    np.testing.assert_allclose(data.qacc[0], source.qacc, atol=1e-9)


def test_same_bits():
    _, model = load("")
    results = []
    for width, nthread in ((1, 1), (8, 1), (8, 2)):
        data = Data(model, 16, width=width, nthread=nthread, keep=[])
        data.qvel[:] = np.random.default_rng(0).normal(size=data.qvel.shape)
        step(model, data, 150)
        results.append(np.concatenate([data.qpos, data.qvel], axis=1))
    assert np.isfinite(results[0]).all()
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])
