"""The dual solver against MuJoCo: the same sweeps, so the same forces after any number of them."""

from pathlib import Path

import gymnasium
import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, step
from tests.engine.reference import ZOO, check_same_bits, close, copy_state, trajectory

NWORLD = 8
HUMANOID = Path(gymnasium.__file__).parent / "envs/mujoco/assets/humanoid.xml"
CASES = {
    "pyramids": 'iterations="20"',
    "cones": 'iterations="20" cone="elliptic" impratio="3"',
    "converged": 'iterations="400" tolerance="1e-6"',
    "one sweep": 'iterations="1"',
}
FLAGS = {"whole": '<flag island="disable"/>', "cold": '<flag warmstart="disable"/>'}


def load(option: str, flags: str = ""):
    option = f'<option timestep="0.004" solver="PGS" {option}>{flags}</option>'
    text = ZOO.replace('<option timestep="0.004"/>', option)
    return mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)


def compare(mj, model, nstep: int, every: int, width: int = 8) -> np.ndarray:
    """Compare forward dynamics along trajectories; return the iterations of the first island."""
    data = Data(model, NWORLD, width=width)
    walks = [trajectory(mj, nstep, seed, every=every) for seed in range(NWORLD)]
    niter = []
    for sources in zip(*walks, strict=True):
        for world, source in enumerate(sources):
            copy_state(source, data, world)
            mujoco.mj_forward(mj, source)
        forward(model, data)
        for world, source in enumerate(sources):
            assert data.nefc[world] == source.nefc
            for field in ("qacc", "qfrc_constraint", "efc_force"):
                close(getattr(data, field)[world], getattr(source, field), 1e-10, field)
            # forces that slide lie on the border between two states of a cone
            plain = source.efc_type != mujoco.mjtConstraint.mjCNSTR_CONTACT_ELLIPTIC
            assert (data.efc_state[world, : source.nefc] == source.efc_state)[plain].all()
            assert (data.solver_niter[world] == source.solver_niter).all()
            niter.append(source.solver_niter[0])
    return np.array(niter)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", CASES)
def test_forces(name):
    mj, model = load(CASES[name])
    assert compare(mj, model, 160, 20).max() > 0


@pytest.mark.parametrize("name", FLAGS)
def test_flags(name):
    mj, model = load('iterations="10"', FLAGS[name])
    assert compare(mj, model, 120, 20).max() == 10


def test_humanoid_as_in_gymnasium():
    """Sweeps end at the limit of 50, so that what they have reached shows."""
    mj, model = mujoco.MjModel.from_xml_path(str(HUMANOID)), mjenv.Model.from_xml_path(HUMANOID)
    assert compare(mj, model, 150, 15).max() == 50


def test_same_bits():
    for option in CASES["pyramids"], CASES["cones"]:
        _, model = load(option)
        check_same_bits(model, 150)


def test_solver_may_change():
    """The option is read at every call."""
    mj, model = load('iterations="20"')
    model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    data = Data(model, NWORLD)
    step(model, data, 100)
    for solver in (mujoco.mjtSolver.mjSOL_PGS, mujoco.mjtSolver.mjSOL_NEWTON):
        mj.opt.solver = model.opt.solver = int(solver)
        source = mujoco.MjData(mj)
        for field in ("time", "qpos", "qvel", "qacc_warmstart"):
            np.copyto(np.atleast_1d(getattr(source, field)), getattr(data, field)[0])
        source.time = data.time.ravel()[0]
        mujoco.mj_forward(mj, source)
        forward(model, data)
        close(data.qacc[0], source.qacc, 1e-6, "qacc")
        if solver == mujoco.mjtSolver.mjSOL_PGS:
            assert data.solver_niter[0, 0] == source.solver_niter[0] > 2


def test_memory_grows_in_packs():
    """Far more rows could be than there are; what these need is found out when they are there."""
    bodies = "".join(
        f'<body pos="{k % 6 * 0.19} {k % 5 * 0.19} {0.3 * (k // 6)}"><freejoint/>'
        '<geom size="0.1"/></body>'
        for k in range(24)
    )
    option = '<option timestep="0.01" solver="PGS" iterations="8" noslip_iterations="2"/>'
    text = f"""<mujoco>{option}<worldbody><geom type="plane" size="1 1 1" pos="0 0 -0.2"/>{bodies}
      </worldbody></mujoco>"""
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    source, results = mujoco.MjData(mj), []
    mujoco.mj_step(mj, source, 20)
    for width in (1, 8):
        data = Data(model, NWORLD, width=width, nthread=1, keep=[], large_model=False)
        items = data.plan.threads(1)[0].data.arrays["subproblem_row"]
        step(model, data, 20)
        assert len(data.plan.threads(1)[0].data.arrays["subproblem_row"]) > len(items)
        results.append(np.concatenate([data.qpos, data.qvel], axis=1))
    assert np.array_equal(results[0], results[1])
    close(results[0][0], np.concatenate([source.qpos, source.qvel]), 1e-9, "state")
