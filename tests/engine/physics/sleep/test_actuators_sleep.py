"""Actuators of trees that sleep against MuJoCo: no force, and activations that run on."""

import mujoco
import numpy as np

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import step
from tests.engine.physics.actuators.test_actuators import dense_moment

SCENE = """
<mujoco><option timestep=".005"><flag sleep="enable"/></option>
  <worldbody>
    <geom type="plane" size="3 3 .1"/>
    <body name="a" pos="0 0 .1" sleep="allowed"><freejoint/><geom type="box" size=".1 .1 .1"/>
      <site name="s"/></body>
    <body pos="1 0 .1" sleep="allowed"><joint name="h" type="slide" axis="0 0 1" damping="1"/>
      <joint name="k" axis="0 1 0" damping="1"/><geom type="box" size=".1 .1 .1"/>
      <site name="t" pos="0 0 .2"/></body>
    <body pos="2 0 2"><joint name="j" axis="0 1 0" damping=".1"/>
      <geom type="capsule" size=".05 .1"/></body>
  </worldbody>
  <tendon><spatial name="both"><site site="s"/><site site="t"/></spatial></tendon>
  <actuator>
    <general site="s" dyntype="filter" dynprm=".1" gear="0 0 1 0 0 0"/>
    <adhesion body="a" ctrlrange="0 1" gain="2"/><general joint="k" dyntype="integrator"/>
    <motor joint="j"/><position joint="h" kp="1"/><motor tendon="both"/>
    <general cranksite="s" slidersite="t" cranklength="2"/>
    <motor site="t" refsite="s" gear="0 0 1e-3 0 0 0"/>
  </actuator>
</mujoco>
"""
STATE = ("qpos", "qvel", "act", "tree_asleep")
FIELDS = ("act_dot", "actuator_force", "actuator_velocity")


def test_actuators_sleep_with_their_trees():
    mj, model = mujoco.MjModel.from_xml_string(SCENE), mjenv.Model.from_xml_string(SCENE)
    sources = [mujoco.MjData(mj) for _ in range(2)]
    moment = ("actuator_moment", "moment_rownnz", "moment_rowadr", "moment_colind")
    data = Data(model, 2, keep=(*STATE, "actuator_length", *FIELDS, *moment))
    slept, woke = np.zeros(2, int), 0
    for k in range(160):
        data.ctrl = 0
        data.ctrl[:, 1], data.ctrl[:, 3] = 0.1, 0.1 * np.sin(k)
        data.ctrl[1, 2] = 1e-4
        if k > 100:
            data.ctrl[:, 0] = 0.3
        if k == 130:
            data.qvel[0, 0] = sources[0].qvel[0] = 1
        step(model, data)
        for world, source in enumerate(sources):
            before = source.tree_asleep.copy()
            source.ctrl = data.ctrl[world]
            mujoco.mj_step(mj, source)
            names = STATE
            if np.array_equal(before, source.tree_asleep):
                # MuJoCo computes forces again when something falls asleep
                names = (*STATE, *FIELDS)
                expected = dense_moment(mj, source)
                np.testing.assert_allclose(dense_moment(mj, data, world), expected, atol=1e-9)
            for name in names:
                found, expected = getattr(data, name)[world], getattr(source, name)
                np.testing.assert_allclose(found, expected, atol=1e-7, err_msg=f"{k}: {name}")
            # in MuJoCo a sleeping site does not notice that its reference moves: the last length
            length = data.actuator_length[world, :-1]
            np.testing.assert_allclose(length, source.actuator_length[:-1], atol=1e-7)
            slept[world] += source.tree_asleep[0] >= 0
            woke += before[0] >= 0 > source.tree_asleep[0]
    assert slept.min() > 30
    assert woke > 0


BESIDE_MOCAP = """
<mujoco><option><flag sleep="enable"/></option>
  <worldbody>
    <site name="world"/>
    <body name="hand" mocap="true" pos="0 0 2"><site name="hand"/>
      <body pos="0 .1 0"><geom name="finger" size=".1" contype="0" conaffinity="0"/></body></body>
    <body pos="0 1 0" sleep="init"><joint/><geom name="lying" size=".1"/><site name="lying"/></body>
    <body pos="0 3 0"><joint damping="1"/><geom size=".1" pos=".2 0 0"/></body>
  </worldbody>
  <actuator>
    <general cranksite="hand" slidersite="world" cranklength="3" biastype="affine" biasprm="1 2 3"/>
    <general name="to" cranksite="hand" slidersite="lying" cranklength="3" biastype="affine"
      biasprm="1 2 3"/>
    <general cranksite="world" slidersite="world" cranklength="3" biastype="affine" biasprm="1"/>
  </actuator>
  <sensor>
    <framepos objtype="site" objname="lying" reftype="body" refname="hand"/>
    <framepos objtype="site" objname="hand"/><actuatorfrc actuator="to"/>
    <distance geom1="lying" geom2="finger" cutoff="9"/>
  </sensor>
</mujoco>
"""


def test_what_the_user_moves_is_awake():
    """Actuators and sensors between a body that sleeps and a mocap body go on."""
    mj = mujoco.MjModel.from_xml_string(BESIDE_MOCAP)
    model = mjenv.Model.from_xml_string(BESIDE_MOCAP)
    source, data = mujoco.MjData(mj), mjenv.Data(model)
    for k in range(5):
        data.mocap_pos[..., 0] = source.mocap_pos[0, 0] = 0.1 * k
        mujoco.mj_step(mj, source)
        mjenv.step(model, data)
        assert source.tree_asleep[0] >= 0 > source.tree_asleep[1]
        for name in ("tree_asleep", "actuator_force", "actuator_length", "sensordata"):
            found, expected = np.ravel(getattr(data, name)), getattr(source, name)
            np.testing.assert_allclose(found, expected, atol=1e-12, err_msg=f"{k}: {name}")
        assert (source.actuator_force != 0).tolist() == [True, True, False]


def test_forces_of_sleeping_actuators_are_within_their_limits():
    """A range without 0 gives a force, which moves nothing."""
    text = """<mujoco><option><flag sleep="enable"/></option><worldbody>
      <site name="a"/><site name="b" pos=".1 0 .2"/>
      <body pos="2 0 0"><freejoint/><geom size=".1"/></body></worldbody>
      <actuator><velocity cranksite="b" slidersite="a" cranklength=".8" forcerange="1 2"/>
        <velocity cranksite="b" slidersite="a" cranklength=".8" forcerange="-3 -.5"/>
        <velocity cranksite="b" slidersite="a" cranklength=".8"/></actuator></mujoco>"""
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data, expected = mjenv.Data(model, 2), mujoco.MjData(mj)
    mjenv.forward(model, data)
    mujoco.mj_forward(mj, expected)
    assert expected.actuator_force.tolist() == [1.0, -0.5, 0.0]
    for name in ("actuator_force", "qfrc_actuator"):
        for world in range(2):
            np.testing.assert_array_equal(getattr(data, name)[world], getattr(expected, name))
