"""Delayed controls against MuJoCo: buffers, readings between samples, resets."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, reset, step

SCENE = """
<mujoco>
  <option timestep=".01" OPTION/>
  <worldbody>
    <body><joint name="a" axis="0 1 0" damping=".1"/>
      <geom type="capsule" size=".05 .1" pos=".1 0 0"/>
      <body pos=".2 0 0"><joint name="b" axis="0 1 0"/><geom size=".05" pos="0 0 .1"/></body></body>
  </worldbody>
  <actuator>
    <motor joint="a" delay=".03" nsample="3"/>
    <motor joint="b" delay=".025" nsample="5" interp="linear" ctrlrange="-.5 .5"/>
    <position joint="a" kp="3" delay=".034" nsample="6" interp="cubic" timeconst=".02"/>
    <motor joint="b" nsample="4"/><motor joint="a"/>
    <intvelocity joint="b" kp="2" actrange="-1 1" delay=".01" nsample="1"/>
    <motor joint="b" delay=".075" nsample="4" interp="linear"/>
  </actuator>
</mujoco>
"""
NWORLD = 11


def large_model(integrator: str) -> str:
    return SCENE.replace("OPTION", f"integrator='{integrator}'")


@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_trajectories(integrator):
    text = large_model(integrator)
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data = Data(model, NWORLD, width=8, keep=["actuator_force"])
    sources = [mujoco.MjData(mj) for _ in range(NWORLD)]
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(data.history[0], sources[0].history)
    for k in range(25):
        data.ctrl = rng.normal(size=data.ctrl.shape)
        if k % 6 == 5:
            # worlds that start anew have buffers of their own
            alone = np.arange(NWORLD) % 5 == k % 5
            reset(model, data, mask=alone)
            for world in np.flatnonzero(alone):
                mujoco.mj_resetData(mj, sources[world])
        forward(model, data)
        step(model, data)
        for world, source in enumerate(sources):
            source.ctrl = data.ctrl[world]
            mujoco.mj_step(mj, source)
            for name in ("actuator_force", "act", "history", "qpos", "qvel"):
                np.testing.assert_allclose(
                    getattr(data, name)[world], getattr(source, name), rtol=0, atol=1e-10
                )


def test_widths_agree():
    model = mjenv.Model.from_xml_string(large_model("RK4"))
    found = []
    for width in (1, 8):
        data, rng = Data(model, NWORLD, width=width, keep=[]), np.random.default_rng(1)
        for _ in range(5):
            data.ctrl = rng.normal(size=data.ctrl.shape)
            step(model, data, 3)
        found.append(data)
    for name in ("qpos", "qvel", "act", "history"):
        np.testing.assert_array_equal(getattr(found[0], name), getattr(found[1], name), name)


def test_bad_controls_of_the_past():
    """What counts is the control that is read, not the one that is given."""
    text = large_model("Euler")
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data, source = Data(model), mujoco.MjData(mj)
    for k in range(8):
        data.ctrl[0], source.ctrl[:] = 0.5, 0.5
        data.ctrl[0, 0] = source.ctrl[0] = np.nan if k == 1 else 0.5
        step(model, data)
        mujoco.mj_step(mj, source)
        np.testing.assert_allclose(data.actuator_force[0], source.actuator_force, atol=1e-12)
        expected = source.warning[mujoco.mjtWarning.mjWARN_BADCTRL].number
        assert data.warning[0, mujoco.mjtWarning.mjWARN_BADCTRL]["number"] == expected
    assert expected == 1
