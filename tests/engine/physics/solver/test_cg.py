"""Conjugate gradients against MuJoCo: converged accelerations, with and without cones."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward
from tests.engine.reference import ZOO, along, check_same_bits, copy_state

NWORLD = 8
CONES = ("pyramidal", "elliptic")


def load(option: str):
    option = f'<option timestep="0.004" solver="CG" {option}/>'
    text = ZOO.replace('<option timestep="0.004"/>', option)
    return mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)


@pytest.mark.parametrize("cone", CONES)
def test_accelerations(cone):
    mj, model = load(f'cone="{cone}" iterations="500" tolerance="1e-14" ls_iterations="100"')
    data = Data(model, NWORLD)
    ours, theirs = [], []
    for sources in along(mj, model, data, 160, 20):
        for world, source in enumerate(sources):
            scale = 1 + np.abs(source.qacc).max()
            assert np.abs(data.qacc[world] - source.qacc).max() < 1e-5 * scale
            ours.append(data.solver_niter[world].sum())
            theirs.append(source.solver_niter.sum())
    assert np.mean(theirs) > 10
    # ours takes all islands as one problem
    assert np.mean(ours) < 2.5 * np.mean(theirs)


@pytest.mark.parametrize("cone", CONES)
def test_first_iterations(cone):
    """A single tree, before convergence: the same directions and steps."""
    option = f'<option solver="CG" cone="{cone}" iterations="3" tolerance="0" ls_tolerance="1e-9"/>'
    text = f"""<mujoco>{option}<worldbody><geom type="plane" size="5 5 1"/>
      <body pos="0 0 0.09" euler="2 3 0"><freejoint/><geom type="box" size="0.2 0.1 0.1"/>
      <body pos="0.2 0 0"><joint axis="0 1 0" frictionloss="0.1"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/></body></body>
    </worldbody></mujoco>"""
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data, source = Data(model, 1), mujoco.MjData(mj)
    rng = np.random.default_rng(0)
    for _ in range(10):
        source.qvel[:] = rng.normal(size=mj.nv)
        copy_state(source, data, 0)
        mujoco.mj_forward(mj, source)
        forward(model, data)
        assert source.nefc > 4
        assert data.solver_niter[0, 0] == source.solver_niter[0] == 3
        scale = 1 + np.abs(source.qacc).max()
        assert np.abs(data.qacc[0] - source.qacc).max() < 1e-6 * scale


def test_same_bits():
    _, model = load('cone="elliptic"')
    check_same_bits(model, 100)


SLIPPERY = """
<mujoco><option solver="CG" ls_tolerance="1e-6"/>
  <worldbody>
    <geom type="plane" size="3 3 .1" friction="0"/>
    <body pos="0 0 .05"><joint type="ball"/><geom size=".1" pos=".1 .02 0" friction="0"/>
      <geom type="box" size=".1 .1 .02" pos="0 0 .3" contype="0" conaffinity="0"/></body>
  </worldbody>
</mujoco>
"""


@pytest.mark.parametrize("seed", range(6))
def test_steps_of_minute_length(seed):
    """Rows of contacts without friction are so stiff that a step along the gradient is 1e-12."""
    model = mjenv.Model.from_xml_string(SLIPPERY)
    found = {}
    for solver in (mjenv.mjtSolver.mjSOL_NEWTON, mjenv.mjtSolver.mjSOL_CG):
        model.opt.solver = solver
        data = Data(model, 1)
        data.qvel[:] = 3 * np.random.default_rng(seed).normal(size=3)
        data.qacc_warmstart[:] = 100 * np.random.default_rng(seed + 9).normal(size=3)
        forward(model, data)
        found[solver] = data.qacc[0].copy()
    newton, cg = found.values()
    assert np.abs(cg - newton).max() < 1e-4 * np.abs(newton).max()


def test_rows_stiffer_than_inertia():
    """Friction next to nothing: rows of 1e13 leave steps of 1e-13; CG finds the minimum."""
    text = """<mujoco><option solver="{}" iterations="100"/><worldbody>
      <geom size="3" pos="0 0 -.2238"/>
      <body><joint type="ball"/><geom pos=".01463 -.1969 .001848" size=".2312" priority="1"
        friction="0 .000592" solref=".01739"/></body>
    </worldbody></mujoco>"""
    mj = mujoco.MjModel.from_xml_string(text.format("Newton"))
    source, touched = mujoco.MjData(mj), 0
    models = [mjenv.Model.from_xml_string(text.format(name)) for name in ("CG", "Newton")]
    both = [Data(model, 1) for model in models]
    for _ in range(60):
        for model, data in zip(models, both, strict=True):
            data.qpos[0], data.qvel[0] = source.qpos, source.qvel
            data.qacc_warmstart[:] = 0
            forward(model, data)
        mujoco.mj_step(mj, source)
        if source.ncon:
            touched += 1
            found, expected = both[0].qacc[0], both[1].qacc[0]
            # the tolerance of the costs leaves as much
            assert np.abs(found - expected).max() < 1e-3 * (1 + np.abs(expected).max())
            assert both[0].solver_niter[0, 0] < 20
    assert touched > 20
