"""Newton's method proves that a start is the minimum: still worlds take no step."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, step
from tests.engine.reference import copy_state

TEXT = """
<mujoco>
  <option timestep="0.005" {option}/>
  <worldbody>
    <geom type="plane" size="5 5 0.1"/>
    <body pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
    <body pos="1 0 0.5">
      <joint axis="0 1 0" range="-30 30" limited="true"/>
      {slide}
      <geom type="capsule" size="0.05" fromto="0 0 0 0.4 0 0"/>
    </body>
  </worldbody>
</mujoco>
"""
# dry friction creeps
SLIDE = '<joint type="slide" axis="0 0 1" frictionloss="100"/>'
FIELDS = ("qacc", "qfrc_constraint", "efc_force")


def settled(option: str = "", slide: str = SLIDE):
    """Models, and MuJoCo's data when all has come to rest."""
    text = TEXT.format(option=option, slide=slide)
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    source = mujoco.MjData(mj)
    mujoco.mj_step(mj, source, 2000)
    return mj, model, source


def compare(data, world: int, source):
    for field in FIELDS:
        expected = np.ravel(getattr(source, field))
        found = np.ravel(getattr(data, field)[world])[: expected.size]
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6, err_msg=field)


@pytest.mark.parametrize("option", ["", 'cone="elliptic"'])
def test_still_worlds_take_no_step(option):
    mj, model, source = settled(option, slide="")
    data = {width: Data(model, 8, width=width) for width in (1, 8)}
    for one in data.values():
        for world in range(8):
            copy_state(source, one, world)
            one.qacc_warmstart[world] = source.qacc_warmstart
        # two worlds of the pack are not still
        one.qvel[3, 0], one.qpos[5, 2] = 0.5, 0.0
        forward(model, one)
    for width, one in data.items():
        niter = one.solver_niter[:, 0]
        assert (niter[[3, 5]] > 0).all(), width
        assert (np.delete(niter, [3, 5]) == 0).all(), width
    for field in FIELDS:
        assert np.array_equal(getattr(data[1], field), getattr(data[8], field)), field
    for world in range(8):
        other = mujoco.MjData(mj)
        other.qpos[:], other.qvel[:] = data[8].qpos[world], data[8].qvel[world]
        other.qacc_warmstart[:] = source.qacc_warmstart
        mujoco.mj_forward(mj, other)
        assert other.nefc > 4
        compare(data[8], world, other)


def test_large_models_prove_island_by_island():
    _, model, source = settled()
    data = Data(model, large_model=True)
    copy_state(source, data, 0)
    data.qacc_warmstart[0] = source.qacc_warmstart
    data.qvel[0, 7] += 1e-3
    forward(model, data)
    niter = data.solver_niter[0, :2]
    assert niter[0] == 0
    assert niter[1] > 0


def test_what_stands_still_keeps_still():
    """Errors within the tolerance do not add up."""
    mj, model, source = settled(slide="")
    data = Data(model, 8, keep=["solver_niter"])
    for world in range(8):
        copy_state(source, data, world)
        data.qacc_warmstart[world] = source.qacc_warmstart
    ours = 0
    for _ in range(100):
        step(model, data, 20)
        ours += data.solver_niter[:, 0].sum()
    mujoco.mj_step(mj, source, 2000)
    assert ours == 0
    np.testing.assert_allclose(data.qpos[0], source.qpos, atol=1e-8)
    np.testing.assert_allclose(data.qvel[0], source.qvel, atol=1e-8)


def test_without_tolerance_there_is_no_proof():
    _, model, source = settled('tolerance="0" iterations="3"')
    data = Data(model, 8)
    for world in range(8):
        copy_state(source, data, world)
        data.qacc_warmstart[world] = source.qacc_warmstart
    forward(model, data)
    # of the second island, as in MuJoCo; the first one has no step to take
    assert (data.solver_niter[:, 1] > 0).all()
