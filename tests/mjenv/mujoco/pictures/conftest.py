"""A model in both modules, in the same state."""

from types import SimpleNamespace

import mujoco as reference
import numpy as np
import pytest

import mjenv.mujoco as ours

XML = """
<mujoco>
  <asset>
    <texture type="skybox" builtin="gradient" rgb1=".4 .6 .8" rgb2="0 0 0" width="64" height="64"/>
    <texture name="floor" type="2d" builtin="checker" width="64" height="64"/>
    <material name="floor" texture="floor" texrepeat="4 4" reflectance=".3"/>
  </asset>
  <worldbody>
    <light pos="1 -1 3" dir="-1 1 -3"/>
    <camera name="side" pos="0 -3 1" xyaxes="1 0 0 0 .3 1"/>
    <camera name="lens" pos="0 -3 1" xyaxes="1 0 0 0 .3 1" sensorsize=".1 .08" focal=".08 .08"
      resolution="50 40"/>
    <camera name="flat" pos="0 -3 1" xyaxes="1 0 0 0 .3 1" projection="orthographic" fovy="3"/>
    <geom type="plane" size="2 2 .1" material="floor"/>
    <body name="ball" pos="0 0 1">
      <freejoint/><geom type="sphere" size=".2" rgba="1 .3 .2 1"/>
    </body>
    <body name="box" pos=".5 0 .3">
      <freejoint/><geom type="box" size=".2 .1 .1" rgba=".2 .4 1 .5"/>
    </body>
  </worldbody>
</mujoco>
"""


def world(mujoco):
    model = mujoco.MjModel.from_xml_string(XML)
    data = mujoco.MjData(model)
    mujoco.mj_resetData(model, data)
    data.qvel[:] = np.linspace(-0.5, 0.5, model.nv)
    mujoco.mj_step(model, data, 5)
    mujoco.mj_forward(model, data)
    camera = mujoco.MjvCamera()
    mujoco.mjv_defaultFreeCamera(model, camera)
    scene = mujoco.MjvScene(model, maxgeom=100)
    mujoco.mjv_updateScene(
        model, data, mujoco.MjvOption(), mujoco.MjvPerturb(), camera,
        mujoco.mjtCatBit.mjCAT_ALL.value, scene,
    )  # fmt: skip
    return SimpleNamespace(mujoco=mujoco, m=model, d=data, cam=camera, scn=scene)


@pytest.fixture
def w():
    """The world of this module."""
    return world(ours)


@pytest.fixture
def both():
    """The world of this module, and that of the reference."""
    return world(ours), world(reference)
