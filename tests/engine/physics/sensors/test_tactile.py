"""Tactile sensors beside MuJoCo's."""

import mujoco
import numpy as np
import pytest

import mjenv
from tests.engine.reference import check_same_bits

MODEL = """
<mujoco>
  <asset>
    <mesh name="pad" builtin="plate" params="6 5" scale="0.2 0.2 0.1"/>
    <mesh name="ball" builtin="sphere" params="2" scale="0.1 0.1 0.1"/>
    <mesh name="rock" scale=".1 .1 .1" vertex="0 0 0  1 0 0  0 1 0  0 0 1  .7 .8 .9"/>
  </asset>
  <worldbody>
    <body pos="0 0 .1"><joint type="slide" axis="1 .2 .1"/><joint axis="0 0 1"/>
      <geom name="skin" type="mesh" mesh="ball" mass="1"/></body>
    {others}
  </worldbody>
  <sensor><tactile geom="skin" mesh="{mesh}"/><clock/></sensor>
</mujoco>"""
ROUND = """<body pos="0 0.03 0.24"><freejoint/><geom size="0.08"/></body>
    <body pos="0.03 -0.02 0.24"><freejoint/><geom type="box" size="0.05 .04 .06"/></body>
    <body pos="0.06 0.03 0.24"><freejoint/><geom type="capsule" size="0.05 .04"/></body>"""
FIELD = """<body pos="-.05 -0.05 0.17"><freejoint/><geom type="mesh" mesh="rock"/></body>
    <geom type="sdf" mesh="rock" pos="5 0 0"/>"""
MODELS = {
    "ball": MODEL.format(mesh="ball", others=ROUND),
    "plate with tangents": MODEL.format(mesh="pad", others=ROUND),
    "mesh with an octree": MODEL.format(mesh="ball", others=FIELD),
    "mesh without an octree": MODEL.format(mesh="ball", others=FIELD.partition("\n")[0]),
}


@pytest.mark.parametrize("name", MODELS)
def test_as_mujoco(name):
    reference = mujoco.MjModel.from_xml_string(MODELS[name])
    model = mjenv.Model.from_xml_string(MODELS[name])
    ours, states = mjenv.Data(model, 9), []
    for world in range(9):
        theirs = mujoco.MjData(reference)
        theirs.qvel[:] = np.random.default_rng(world).normal(size=model.nv)
        mujoco.mj_step(reference, theirs, 2 + 6 * world)
        for field in ("qpos", "qvel", "qacc_warmstart"):
            getattr(ours, field)[world] = getattr(theirs, field)
        ours.time[world] = theirs.time
        mujoco.mj_forward(reference, theirs)
        states.append(theirs)
    mjenv.forward(model, ours)
    expected = np.array([theirs.sensordata for theirs in states])
    np.testing.assert_allclose(ours.sensordata, expected, rtol=1e-7, atol=1e-9)
    assert (expected[:, :-1] != 0).any() == ("without" not in name)
    if "tangents" in name:
        assert np.abs(expected[:, model.mesh_vertnum[0] : -1]).max() > 1e-3


@pytest.mark.slow
def test_same_bits():
    check_same_bits(mjenv.Model.from_xml_string(MODELS["ball"]), 5)
