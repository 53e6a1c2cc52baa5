"""The scene of the tests of batches."""

import mujoco

NSIM = 9
SCENE = """
<mujoco>
  <worldbody>
    <geom type="plane" size="2 2 .1"/>
    <body name="cart" pos="0 0 .045">
      <joint name="slide" type="slide" axis="1 0 0"/>
      <geom name="cart" type="box" size=".1 .1 .05" mass="1"/>
      <body name="pole" pos="0 0 .05">
        <joint name="hinge" axis="0 1 0"/>
        <geom name="pole" type="capsule" fromto="0 0 0 0 0 .5" size=".02" mass=".1"/>
        <site name="tip" pos="0 0 .5"/>
      </body>
    </body>
    <body name="mark" mocap="true" pos="1 0 1">
      <geom type="sphere" size=".02" contype="0" conaffinity="0"/>
    </body>
  </worldbody>
  <actuator>
    <motor joint="slide" gear="5"/>
    <general joint="hinge" dyntype="filter" dynprm="0.02" gainprm="5" biastype="affine"
      biasprm="0 -5 0"/>
  </actuator>
  <sensor><jointpos joint="hinge"/><accelerometer site="tip"/></sensor>
  <keyframe>
    <key qpos="0.3 0.5" ctrl="0.1 0.2" act="0.2"/>
    <key qpos="-.3 0.1" qvel="1 2" time="3"/>
  </keyframe>
</mujoco>
"""


def reference(model: mujoco.MjModel):
    """A model of the reference and its data."""
    return model, mujoco.MjData(model)


def steps(pair, n: int) -> None:
    """Advance data of the reference."""
    mujoco.mj_step(*pair, n)
