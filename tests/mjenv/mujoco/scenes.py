"""Models that are compared with the reference: one with most kinds of things, and some robots."""

from pathlib import Path

XML = Path(__file__).resolve().parents[3] / "xml"

EVERYTHING = """
<mujoco model="everything">
  <compiler angle="radian" autolimits="true"/>
  <option timestep="0.004" density="1.2" viscosity="0.00002"/>
  <size nkey="2" nuserdata="3" nuser_body="2"/>
  <asset>
    <texture name="checker" type="2d" builtin="checker" width="8" height="8" rgb1="1 0 0"/>
    <material name="tiles" texture="checker"/>
    <mesh name="tetra" vertex="0 0 0  .2 0 0  0 .2 0  0 0 .2"/>
    <hfield name="hills" nrow="4" ncol="5" size="1 1 .2 .1"
            elevation="0 1 0 1 0  1 0 1 0 1  0 1 0 1 0  1 0 1 0 1"/>
  </asset>
  <worldbody>
    <light name="lamp" pos="0 0 3"/>
    <geom name="floor" type="plane" size="5 5 .1" material="tiles"/>
    <geom name="hill" type="hfield" hfield="hills" pos="4 4 0"/>
    <camera name="eye" pos="0 -3 1" xyaxes="1 0 0 0 0 1"/>
    <body name="box" pos="0 0 .099">
      <freejoint name="free"/>
      <geom name="box" type="box" size=".1 .1 .1"/>
      <site name="top" pos="0 0 .1" size=".01"/>
    </body>
    <body name="upper" pos="1 0 1">
      <joint name="shoulder" type="ball" damping=".1"/>
      <geom name="upper" type="capsule" fromto="0 0 0 .3 0 0" size=".05"/>
      <body name="lower" pos=".35 0 0">
        <joint name="elbow" type="hinge" axis="0 1 0" range="-1 1" stiffness="1" frictionloss=".1"/>
        <joint name="slider" type="slide" axis="1 0 0" armature=".01"/>
        <geom name="lower" type="ellipsoid" size=".1 .04 .05" pos=".1 0 0"/>
        <site name="hand" pos=".2 0 0" size=".01"/>
      </body>
    </body>
    <body name="stone" pos="-1 0 .5">
      <freejoint/>
      <geom name="stone" type="mesh" mesh="tetra"/>
    </body>
    <body name="mocap" mocap="true" pos="2 2 1"><geom size=".1" contype="0" conaffinity="0"/></body>
  </worldbody>
  <tendon>
    <fixed name="fixed"><joint joint="elbow" coef="1"/><joint joint="slider" coef="-.5"/></fixed>
    <spatial name="string" limited="true" range="0 3">
      <site site="top"/><site site="hand"/>
    </spatial>
  </tendon>
  <equality><weld name="weld" body1="stone" body2="mocap" active="false"/></equality>
  <actuator>
    <motor name="motor" joint="elbow" ctrlrange="-1 1"/>
    <position name="servo" joint="slider" kp="10" delay=".02" nsample="4"/>
    <general name="muscle" tendon="string" dyntype="filter" dynprm=".1" gainprm="2"/>
  </actuator>
  <sensor>
    <accelerometer name="accelerometer" site="hand"/>
    <jointpos name="angle" joint="elbow" delay=".02" nsample="3"/>
    <framepos name="place" objtype="body" objname="stone"/>
    <touch name="touch" site="top"/>
  </sensor>
  <keyframe><key name="up" time="1" ctrl=".1 .2 .3"/></keyframe>
  <custom><numeric name="numbers" data="1 2 3"/><text name="words" data="some words"/></custom>
</mujoco>
"""


# large models: trees that fall, roll and rest, which is where some sleep
_TREES = "".join(
    f"""<body pos="{0.3 * (k % 6)} {0.3 * (k // 6)} {0.1 + 0.1 * (k % 4)}"><freejoint/>
        <geom type="{("sphere", "box", "capsule")[k % 3]}" size=".08 .08 .08" friction="1 .1 .1"/>
        <body pos=".1 0 0"><joint axis="0 1 0" damping=".1"/>
          <geom type="capsule" fromto="0 0 0 .1 0 0" size=".03"/></body></body>"""
    for k in range(24)
)
_LARGE = """
<mujoco><option sleep_tolerance=".05"><flag sleep="{0}"/></option>
  <worldbody><geom type="plane" size="5 5 .1"/>{1}</worldbody></mujoco>
"""
LARGE = {
    name: _LARGE.format(*f)
    for name, f in {"trees": ("disable", _TREES), "sleepers": ("enable", _TREES)}.items()
}


def documents() -> dict[str, str]:
    """Documents by name."""
    names = ("ant", "half_cheetah", "humanoid")
    return {"everything": EVERYTHING} | {name: str(XML / f"{name}.xml") for name in names}


def compiled(mujoco, name: str):
    """A model and its data by one of the two modules."""
    text = (LARGE | documents())[name]
    if text.startswith("/"):
        model = mujoco.MjModel.from_xml_path(text)
    else:
        model = mujoco.MjModel.from_xml_string(text)
    return model, mujoco.MjData(model)
