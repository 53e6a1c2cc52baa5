"""Damping and armature of actuators against MuJoCo: on joints of all types, and on tendons."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, step

SCENE = """
<mujoco>
  <option OPTION><flag contact="disable" FLAG/></option>
  <worldbody>
    <site name="w" pos="0 0 1"/>
    <body><freejoint name="free"/><geom type="box" size=".1 .2 .3"/>
      <body pos=".3 0 0"><joint name="ball" type="ball" damping=".1"/>
        <geom type="capsule" size=".05 .1"/><site name="b" pos=".1 0 0"/>
        <body pos=".2 0 0"><joint name="hinge" axis="0 1 0"/><joint name="slide" type="slide"/>
          <geom size=".05" pos="0 .1 0"/><site name="c" pos=".1 .1 0"/></body></body></body>
    <body pos="0 3 0"><joint name="simple" type="slide" axis="0 0 1"/><geom size=".1"/></body>
    <body pos="0 4 0"><joint name="idle" axis="0 0 1"/><geom size=".1" pos=".1 0 0"/></body>
  </worldbody>
  <tendon>
    <spatial name="line" armature=".1"><site site="w"/><site site="b"/><site site="c"/></spatial>
    <fixed name="sum"><joint joint="hinge" coef="2"/><joint joint="idle" coef="-1"/></fixed>
  </tendon>
  <actuator>
    <motor joint="free" gear="2 1 0 0 1 1" damping=".3 .1 .2" armature=".05"/>
    <motor joint="ball" gear="1 2 3" damping=".2" armature=".1"/>
    <motor jointinparent="ball" gear="3 0 1" damping="0 .1"/>
    <position joint="hinge" gear="-2" damping=".1 0 .05" kp="3" armature=".02"/>
    <motor joint="hinge" armature=".03"/><motor joint="simple" gear="3" armature=".2" damping="1"/>
    <motor tendon="line" gear="1.5" damping=".5 .2 .1" armature=".3"/>
    <motor tendon="line" damping=".2"/><motor tendon="sum" gear="2" armature=".1" damping=".3"/>
  </actuator>
</mujoco>
"""
FIELDS = ("M", "qfrc_damper", "qfrc_passive", "qfrc_bias", "qacc")
NWORLD = 16


def prepared(model, width: int = 8) -> Data:
    data = Data(model, NWORLD, width=width, keep=FIELDS)
    rng = np.random.default_rng(0)
    data.qpos = model.qpos0 + 0.5 * rng.normal(size=data.qpos.shape)
    data.qvel = rng.normal(size=data.qvel.shape)
    data.ctrl = rng.normal(size=data.ctrl.shape)
    return data


@pytest.mark.sweep(3)
@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "implicitfast"])
@pytest.mark.parametrize("flag", ["", "damper='disable'", "eulerdamp='disable'"])
def test_against_mujoco(integrator, flag):
    text = SCENE.replace("OPTION", f"integrator='{integrator}'").replace("FLAG", flag)
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    assert model.jnt_actuatorid.tolist() == mj.jnt_actuatorid.tolist() == [0, -2, -2, -1, 5, -1]
    data = prepared(model)
    sources = [mujoco.MjData(mj) for _ in range(NWORLD)]
    for world, source in enumerate(sources):
        for name in ("qpos", "qvel", "ctrl"):
            getattr(source, name)[:] = getattr(data, name)[world]
    forward(model, data)
    for world, source in enumerate(sources):
        mujoco.mj_forward(mj, source)
        for name in FIELDS:
            expected = getattr(source, name)
            np.testing.assert_allclose(
                getattr(data, name)[world], expected, rtol=1e-10, atol=1e-10, err_msg=name
            )
    step(model, data, 2)
    for world, source in enumerate(sources):
        mujoco.mj_step(mj, source, 2)
        np.testing.assert_allclose(data.qvel[world], source.qvel, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(data.qpos[world], source.qpos, rtol=1e-8, atol=1e-8)


def test_widths_agree():
    model = mjenv.Model.from_xml_string(SCENE.replace("OPTION", "").replace("FLAG", ""))
    wide, narrow = prepared(model, 8), prepared(model, 1)
    for data in (wide, narrow):
        step(model, data, 4)
    for name in ("qpos", "qvel", *FIELDS):
        np.testing.assert_array_equal(getattr(wide, name), getattr(narrow, name), err_msg=name)
