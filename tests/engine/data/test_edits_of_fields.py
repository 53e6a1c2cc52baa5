"""Every field of mjModel, edited after data were made and stepped: MuJoCo, or an error by name."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.model.editable import EDITS, of_kind

SCENE = """
<mujoco>
  <option timestep=".002" density="1.2" viscosity=".1" wind="1 .3 0" magnetic=".1 .2 .5"/>
  <asset>
    <mesh name="tet" vertex="0 0 0 .2 0 0 0 .2 0 0 0 .2"/>
    <mesh name="block" vertex="-.1 -.1 -.1 .1 -.1 -.1 -.1 .1 -.1 .1 .1 -.1
      -.1 -.1 .1 .1 -.1 .1 -.1 .1 .1 .1 .1 .1"/>
    <hfield name="hills" nrow="3" ncol="3" size="1 1 .1 .1" elevation="0 1 0 1 0 1 0 1 0"/>
    <material name="red" rgba="1 0 0 1"/>
    <material name="clear" rgba="1 0 0 0"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <geom name="hills" type="hfield" hfield="hills" pos="0 5 0"/>
    <light pos="0 0 3" dir="0 0 -1" mode="targetbody" target="ball"/>
    <light pos="0 1 3" dir="0 .2 -1" mode="track"/>
    <camera name="eye" pos="1 1 1" mode="targetbody" target="arm2"/>
    <camera name="eye2" pos="1 1 2" mode="track" resolution="20 10"/>
    <body name="on hills" pos="0.1 5.1 .1"><freejoint/><geom size=".1"/></body>
    <body name="ball" pos="0 0 .095"><freejoint/>
      <geom name="ball" size=".1" fluidshape="ellipsoid"/>
      <geom type="box" size=".06 .06 .06" pos=".1 0 .05" contype="0" conaffinity="0"/>
      <site name="under" pos="0 .01 .05" zaxis="0 0 -1"/></body>
    <body name="tet" pos="1 0 .02"><freejoint/><geom type="mesh" mesh="tet"/></body>
    <body name="block" pos="1.5 0 .09"><freejoint/>
      <geom type="mesh" mesh="block" material="red"/></body>
    <body name="box" pos="2 0 .099"><freejoint/>
      <geom name="box" type="box" size=".1 .1 .1" condim="4" friction=".7 .02 .003"/></body>
    <body name="box2" pos="2.05 0.03 .295"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="arm" pos="-1 0 1">
      <joint name="j0" axis="0 1 0" damping=".3" stiffness="2" range="-.2 .2" frictionloss=".1"
        armature=".01" actuatorfrcrange="-1 1" springref=".2"/>
      <geom type="capsule" size=".04" fromto="0 0 0 .4 0 0"/><site name="s0" pos=".2 0 .1"/>
      <body name="arm2" pos=".4 0 0" gravcomp=".5">
        <joint name="j1" type="ball" damping=".1" range="0 .4"/>
        <geom type="capsule" size=".03" fromto="0 0 0 .3 0 .1"/><site name="s1" pos=".1 0 0"/>
        <body name="arm3" pos=".3 0 .1">
          <joint name="j2" type="slide" axis="1 0 0" range="-.1 .01" margin=".02"/>
          <joint name="j3" axis="0 1 0"/>
          <geom name="end" type="ellipsoid" size=".05 .04 .03" fluidshape="ellipsoid"/>
          <site name="s2" pos="0 0 .05" size=".2"/></body></body></body>
    <body name="pendulum" pos="-2 0 1">
      <joint name="p0" axis="1 0 0"/><joint name="p1" axis="0 1 0"/>
      <geom type="capsule" size=".03" fromto="0 0 0 0 0 -.5"/><site name="s3" pos="0 .05 -.4"/>
      <geom name="peg" size=".05" pos="0 0 -.2" contype="0" conaffinity="0"/>
      <site name="side" pos="0 .2 -.2"/><site name="side2" pos="0 -.2 -.2"/></body>
    <site name="hook" pos="-2 .1 1.2"/>
    <body mocap="true" pos="3 3 1"><geom size=".05" contype="0" conaffinity="0"/></body>
  </worldbody>
  <contact>
    <pair geom1="ball" geom2="floor" condim="3" friction=".8 .8 .01 .001 .001"/>
    <exclude body1="box" body2="box2"/>
  </contact>
  <equality>
    <connect body1="arm3" body2="pendulum" anchor="0 0 .02"/>
    <weld body1="block" body2="tet" active="false"/>
    <joint joint1="p0" joint2="p1" polycoef="0 .5 0 0 0"/>
  </equality>
  <tendon>
    <fixed name="t0" range="-.1 .1" stiffness="1" damping=".1" frictionloss=".05"
      springlength=".05" actuatorfrcrange="-1 .3">
      <joint joint="j0" coef="1"/><joint joint="p0" coef="-.5"/></fixed>
    <spatial name="t1" range="0 .5" stiffness="3" damping=".2" springlength=".1">
      <site site="hook"/><geom geom="peg" sidesite="side"/><site site="s3"/></spatial>
  </tendon>
  <actuator>
    <motor name="m0" joint="j0" gear="2" ctrllimited="true" ctrlrange="-1 1"
      forcelimited="false" forcerange="-.5 .5"/>
    <general name="m1" joint="p0" dyntype="filter" dynprm=".1" gainprm="3" biastype="affine"
      biasprm=".1 -.2 -.3" actlimited="true" actrange="-.5 .5" actearly="true"/>
    <position joint="p1" kp="2" kv=".1"/>
    <general tendon="t0" gainprm="2"/>
    <general site="s2" refsite="s0" gear="1 .2 0 0 .1 0" gainprm=".5"/>
    <muscle tendon="t1" lengthrange=".1 1"/>
    <general cranksite="s1" slidersite="s0" cranklength=".5" gainprm="1"/>
    <adhesion body="box" ctrlrange="0 1" gain="2"/>
    <general joint="j1" gear="1 .5 .2" delay=".004" nsample="4"/>
  </actuator>
  <sensor>
    <framepos objtype="site" objname="s2"/><gyro site="s1"/><accelerometer site="s2"/>
    <touch site="s2"/><jointpos joint="j0" cutoff=".1"/><actuatorfrc actuator="m1"/>
    <rangefinder site="under"/><subtreelinvel body="arm"/><tendonpos tendon="t1"/>
    <magnetometer site="s1"/><contact geom1="ball" data="force dist" num="2"/>
    <framepos objtype="camera" objname="eye"/><distance geom1="end" geom2="box" cutoff="10"/>
    <framepos objtype="site" objname="s2" reftype="body" refname="box"/>
    <jointlimitpos joint="j0"/><force site="s1"/>
    <jointvel joint="j3" delay=".004" nsample="4" interval=".004"/>
    <camprojection site="s2" camera="eye2"/>
  </sensor>
</mujoco>
"""
RESULTS = (
    "qpos", "qvel", "act", "qacc", "sensordata", "ncon", "nefc", "cam_xpos", "cam_xmat",
    "light_xpos", "light_xdir", "site_xpos", "geom_xpos", "ten_length", "actuator_force",
)  # fmt: skip
# fields that take few values, and some of these: index, value
CHOSEN = {
    "body_contype": [(0, 0), (2, 2)],
    "body_conaffinity": [(0, 0), (6, 4)],
    "body_sameframe": [(slice(None), 0)],
    "jnt_limited": [(slice(None), 0)],
    "jnt_actuatorid": [(slice(None), -1)],
    "tree_sleep_policy": [(0, 3)],
    "geom_type": [(8, 4)],
    "geom_contype": [(0, 0), (3, 0), (slice(None), 1)],
    "geom_conaffinity": [(0, 0), (slice(None), 3)],
    "geom_condim": [(slice(None), 6), (slice(None), 1), (3, 4)],
    "geom_priority": [(7, 2)],
    "geom_dataid": [(5, 1)],
    "geom_matid": [(0, 1), (slice(None), 0)],
    "geom_sameframe": [(slice(None), 0)],
    "site_sameframe": [(slice(None), 0)],
    "site_bodyid": [(0, 0), (6, 1)],
    "site_type": [(3, 6)],
    "cam_mode": [(0, 0), (slice(None), 2)],
    "cam_resolution": [(1, (40, 30))],
    "cam_projection": [(0, 1)],
    "cam_bodyid": [(0, 6)],
    "cam_targetbodyid": [(0, 1)],
    "light_mode": [(0, 0), (slice(None), 2)],
    "light_bodyid": [(0, 6)],
    "light_targetbodyid": [(0, 1)],
    "pair_dim": [(0, 6), (0, 1)],
    "pair_geom1": [(0, 7)],
    "pair_geom2": [(0, 9)],
    "exclude_signature": [(0, (1 << 16) + 2), (0, 5)],
    "eq_type": [(0, 1)],
    "eq_obj1id": [(0, 6), (2, 5)],
    "eq_obj2id": [(0, 1), (2, -1)],
    "tendon_actuatorid": [(slice(None), -1)],
    "tendon_treenum": [(0, 1)],
    "tendon_treeid": [(0, 0)],
    "actuator_trntype": [(8, 1)],
    "actuator_trnid": [((0, 0), 9)],
    "actuator_dyntype": [(1, 1), (1, 3)],
    "actuator_gaintype": [(0, 1), (1, 2)],
    "actuator_biastype": [(0, 1), (1, 0)],
    "actuator_actearly": [(slice(None), 0)],
    "actuator_group": [(0, 2)],
    "sensor_type": [(1, 2)],
    "sensor_objtype": [(13, 5)],
    "sensor_objid": [(0, 0), (12, 4)],
    "sensor_reftype": [(13, 2)],
    "sensor_refid": [(13, 3), (12, 0)],
    "sensor_intprm": [((10, 1), 1)],
    "sensor_datatype": [(4, 1)],
    "wrap_prm": [(3, 6)],
    "eq_active0": [(slice(None), 0)],
    "mat_rgba": [((0, 3), 0)],
    "geom_rgba": [((0, 3), 0)],
    "geom_group": [(0, 3)],
}
# frames that lie in others by flag, which MuJoCo asks for alone
FLAGS = ("body_sameframe", "geom_sameframe", "site_sameframe")
# rows of fields in which others mean something else: planes have no bounding sphere, and MuJoCo has
# no armature of tendons that wrap around geoms
ROWS = {
    "geom_size": slice(2, None),
    "geom_rbound": slice(2, None),
    "geom_aabb": slice(2, None),
    "tendon_armature": slice(0, 1),
    "wrap_prm": slice(0, 2),
}
# edits with which other fields do not go: field, index, value
MISFITS = [
    ("eq_objtype", 0, 6), ("eq_type", 2, 3), ("actuator_trntype", 0, 3),
    ("actuator_trnid", (4, 1), -1), ("sensor_objtype", 0, 7), ("sensor_reftype", 0, 1),
    ("geom_dataid", 5, 9), ("geom_condim", 5, 2),
]  # fmt: skip


class Both:
    """The scene here and in MuJoCo, in the same state."""

    def __init__(self, **options):
        self.model = mjenv.Model.from_xml_string(SCENE)
        self.data = mjenv.Data(self.model, **options)
        self.reference = mujoco.MjModel.from_xml_string(SCENE)
        self.expected = mujoco.MjData(self.reference)
        rng = np.random.default_rng(0)
        self.expected.qvel[:] = 0.1 * rng.normal(size=self.reference.nv)
        self.expected.ctrl[:] = rng.uniform(0.1, 0.9, self.reference.nu)
        self.data.qvel[:], self.data.ctrl[:] = self.expected.qvel, self.expected.ctrl
        for flag in FLAGS:
            self.write(flag, slice(None), 0)
        self.step(6)
        self.state = self.expected.qpos.copy(), self.expected.qvel.copy()

    def write(self, name: str, index, value) -> None:
        """Write in place."""
        for model in (self.model, self.reference):
            getattr(model, name)[index] = value

    def step(self, n: int) -> None:
        """Step and compare."""
        for _ in range(n):
            mujoco.mj_step(self.reference, self.expected)
            mjenv.step(self.model, self.data)
            for name in RESULTS:
                mine, other = getattr(self.data, name)[-1], getattr(self.expected, name)
                np.testing.assert_allclose(
                    np.ravel(mine), np.ravel(other), atol=1e-8, rtol=1e-8, err_msg=name
                )

    def go_back(self) -> None:
        """Have the state from which edits are tried."""
        for data in (self.expected, self.data):
            mine = data is self.data
            data.qpos[...], data.qvel[...] = self.state
            data.act[...] = data.qacc_warmstart[...] = 0
            if mine:
                data.history[:], data.time[:] = self.expected.history, self.expected.time


@pytest.fixture(scope="module", params=[{}, {"large_model": True}], ids=["pairs", "large_model"])
def both(request):
    return Both(**request.param)


@pytest.fixture(scope="module")
def pairs():
    return Both()


def values_of(name: str, array: np.ndarray) -> list:
    """Edits of a field to try: index, value."""
    if name in CHOSEN:
        return CHOSEN[name]
    if array.dtype == np.uint8:
        return [(slice(None), (array == 0).astype(np.uint8))]
    rng = np.random.default_rng(1)
    rows = ROWS.get(name, slice(None))
    values = array[rows]
    change = 0.05 * rng.uniform(size=values.shape)
    if name == "geom_size":
        return [(rows, values * (1 - change))]
    if name.endswith("quat"):
        turned = values + change
        return [(rows, turned / np.linalg.norm(turned, axis=1, keepdims=True))]
    return [(rows, values * (1 + change)), (rows, values + 0.2 * change)]


@pytest.mark.sweep(17)
@pytest.mark.parametrize("name", of_kind("live", "rebuilt"))
def test_edits_count(both, name):
    original = np.array(getattr(both.reference, name))
    if name.startswith("flex"):
        pytest.skip("the scene has no deformable: see test_edits_of_flexes.py")
    assert original.size, "the scene has no such element"
    for index, value in values_of(name, original):
        both.go_back()
        both.write(name, index, value)
        try:
            both.step(2)
        finally:
            both.write(name, slice(None), original)
            both.go_back()
    both.step(1)


@pytest.mark.parametrize(("name", "index", "value"), MISFITS)
def test_edits_that_do_not_fit_are_refused(pairs, name, index, value):
    array = getattr(pairs.model, name)
    original = array.copy()
    array[index] = value
    try:
        for _ in range(2):
            with pytest.raises(ValueError, match=name):
                mjenv.step(pairs.model, pairs.data)
    finally:
        array[:] = original
    pairs.go_back()
    pairs.step(1)


@pytest.mark.parametrize("name", of_kind("fixed", "readonly"))
def test_structure_is_refused(pairs, name):
    array = getattr(pairs.model, name)
    if name.startswith("plugin"):
        pytest.skip("the scene has no plugin, which MuJoCo would need too")
    if name.startswith("flex"):
        pytest.skip("the scene has no deformable: see test_edits_of_flexes.py")
    assert array.size, "the scene has no such element"
    original = array.copy()

    def edit_and_step():
        array[-1:] = original[-1:] + 1
        mjenv.step(pairs.model, pairs.data)

    try:
        with pytest.raises(ValueError, match=rf"model.{name} was edited"):
            edit_and_step()
    finally:
        if EDITS[name] == "fixed":
            array[:] = original
    pairs.go_back()
    pairs.step(1)


@pytest.mark.parametrize("name", of_kind("unused"))
def test_what_no_simulation_reads(pairs, name):
    """MuJoCo has the same results, too."""
    pairs.go_back()
    for model in (pairs.model, pairs.reference):
        array = getattr(model, name, None)
        if isinstance(array, np.ndarray) and array.size and array.dtype != np.dtype("S1"):
            array[...] = array + 1
    pairs.step(1)
