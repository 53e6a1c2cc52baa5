"""Removal of slip after every solver, against MuJoCo."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, step
from tests.engine.reference import ZOO, copy_state, trajectory

NWORLD = 8
PGS = 'solver="PGS" iterations="20"'
NEWTON = 'solver="Newton" iterations="100" tolerance="1e-15" ls_tolerance="1e-6"'
CASES = {
    "PGS, pyramids": (PGS, 1e-10),
    "PGS, cones": (f'{PGS} cone="elliptic"', 1e-8),
    "Newton, pyramids": (NEWTON, 1e-6),
    "Newton, cones": (f'{NEWTON} cone="elliptic"', 1e-6),
}


def load(option: str):
    option = f'<option timestep="0.004" noslip_iterations="6" {option}/>'
    text = ZOO.replace('<option timestep="0.004"/>', option)
    return mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", CASES)
def test_forces(name):
    option, tolerance = CASES[name]
    mj, model = load(option)
    data, plain = Data(model, NWORLD), Data(load(option)[1], NWORLD)
    plain.model.opt.noslip_iterations = 0
    walks = [trajectory(mj, 160, seed, every=20) for seed in range(NWORLD)]
    moved = 0.0
    for sources in zip(*walks, strict=True):
        for world, source in enumerate(sources):
            copy_state(source, data, world)
            copy_state(source, plain, world)
            mujoco.mj_forward(mj, source)
        forward(model, data)
        forward(plain.model, plain)
        moved = max(moved, np.abs(data.qacc - plain.qacc).max())
        for world, source in enumerate(sources):
            for field in ("qacc", "qfrc_constraint", "efc_force"):
                expected = np.ravel(getattr(source, field))
                found = np.ravel(getattr(data, field)[world])[: expected.size]
                scale = 1 + np.abs(expected).max(initial=0)
                assert np.abs(found - expected).max(initial=0) < tolerance * scale, field
            if "PGS" in name:
                assert (data.solver_niter[world] == source.solver_niter).all()
    assert moved > 0.01


def test_same_bits():
    _, model = load('cone="elliptic"')
    results = []
    for width in (1, 8):
        data = Data(model, 16, width=width, nthread=1, keep=[])
        data.qvel[:] = np.random.default_rng(0).normal(size=data.qvel.shape)
        step(model, data, 100)
        results.append(np.concatenate([data.qpos, data.qvel], axis=1))
    assert np.isfinite(results[0]).all()
    assert np.array_equal(results[0], results[1])
