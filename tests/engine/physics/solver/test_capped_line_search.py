"""Line searches that may try few points return MuJoCo's step length."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv import Data

STATE = mujoco.mjtState.mjSTATE_INTEGRATION
NWORLD = 4
PILE = """<mujoco><option timestep=".004" {option}/><worldbody><geom type="plane" size="3 3 .1"/>
  <body pos="0 0 .09"><freejoint/><geom size=".1"/></body>
  <body pos=".05 0 .28"><freejoint/><geom type="box" size=".1 .12 .1" condim="4"/></body>
  <body pos=".02 0 .5"><freejoint/><geom type="capsule" size=".1 .1" condim="6"/></body>
  <body pos="1 0 .5"><joint axis="0 1 0" range="-10 10" damping=".1" frictionloss=".1"/>
    <geom type="capsule" size=".05 .1"/></body></worldbody></mujoco>"""


def errors(option: str, nstep: int = 25, **layout) -> np.ndarray:
    """Largest error of each acceleration beside MuJoCo's, where the searches were equally many."""
    xml = PILE.format(option=option)
    mj, model = mujoco.MjModel.from_xml_string(xml), mjenv.Model.from_xml_string(xml)
    data, source, found = Data(model, NWORLD, **layout), mujoco.MjData(mj), []
    data.qvel[:] = np.random.default_rng(0).normal(size=data.qvel.shape)
    for _ in range(nstep):
        mjenv.step(model, data, 3)
        rows = mjenv.get_state(model, data, STATE)
        mjenv.forward(model, data)
        for world in range(NWORLD):
            mujoco.mj_setState(mj, source, rows[world], STATE)
            mujoco.mj_forward(mj, source)
            if source.nefc:
                away = np.abs(data.qacc[world] - source.qacc).max()
                found.append(away / (1 + np.abs(source.qacc).max()))
    assert len(found) > 2 * nstep
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 2, 3, 4, 6, 9, 14, 19])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("solver", ["Newton", "CG"])
def test_against_mujoco(solver, cone, most):
    """Also where the cut search returns a point that costs more than its start."""
    option = f'solver="{solver}" cone="{cone}" ls_iterations="{most}"'
    assert errors(option).max() < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("solver", ["Newton", "CG"])
def test_scenes(solver, cone):
    option = f'solver="{solver}" cone="{cone}" ls_iterations="2"'
    assert errors(option, large_model=True).max() < 1e-8


@pytest.mark.parametrize("option", ['solver="PGS"', 'solver="PGS" noslip_iterations="3"'])
def test_dual_solvers_search_no_lines(option):
    option = f'{option} cone="elliptic" iterations="20" {{}}'
    few, many = (
        errors(option.format(f'ls_iterations="{most}"'), nstep=5, width=1) for most in (1, 50)
    )
    assert (few == many).all()
    assert few.max() < 1e-6


@pytest.mark.slow
def test_same_bits_and_statistics():
    """For worlds of packs and alone; points and slopes of each search are those of MuJoCo."""
    xml = PILE.format(option='cone="elliptic" ls_iterations="4"')
    mj, model = mujoco.MjModel.from_xml_string(xml), mjenv.Model.from_xml_string(xml)
    keep = ["qacc", "solver_niter", "solver"]
    packs, ones = (Data(model, NWORLD, width=width, keep=keep) for width in (4, 1))
    packs.qvel[:] = np.random.default_rng(0).normal(size=packs.qvel.shape)
    source, searches = mujoco.MjData(mj), 0
    for _ in range(40):
        mjenv.step(model, packs)
        rows = mjenv.get_state(model, packs, STATE)
        mjenv.set_state(model, ones, rows, STATE)
        for data in (packs, ones):
            mjenv.forward(model, data)
        assert (packs.qacc == ones.qacc).all()
        for world in range(NWORLD):
            mujoco.mj_setState(mj, source, rows[world], STATE)
            mujoco.mj_forward(mj, source)
            for island in range(source.nisland):
                niter = source.solver_niter[island]
                if packs.solver_niter[world, island] != niter:
                    continue
                for k in range(mujoco.mjNSOLVER * island, mujoco.mjNSOLVER * island + niter):
                    ours, theirs = packs.solver[world, k], source.solver[k]
                    assert ours["neval"] == theirs.neval
                    assert abs(ours["lineslope"] - theirs.lineslope) < 1e-6 * (1 + theirs.lineslope)
                    searches += theirs.neval == 4
    assert searches > 10
