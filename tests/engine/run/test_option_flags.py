"""Every option flag does what MuJoCo's does, set before data are made or between calls."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, reset, step

SCENE = """
<mujoco>
  <option timestep="0.004" density="1.2" viscosity=".1" tolerance="1e-16" iterations="100"
    ls_iterations="100" ls_tolerance="1e-6"
    o_margin=".02" o_solref=".03 .9" o_friction=".5 .5 .02 .001 .001"/>
  <default><geom friction="0.8 0.02 0.003" solref="0.015 0.9" margin="0.005"/></default>
  <worldbody>
    <geom type="plane" size="5 5 .1"/><site name="w" pos="0 0 1"/>
    <body name="a" pos="0 0 .22" gravcomp=".5">
      <freejoint/><geom type="capsule" size=".1 .2" euler="80 0 0"/><site name="a"/>
      <body pos="0 .3 0"><joint name="knee" axis="0 1 0" damping=".5 .1" stiffness="3"
        frictionloss=".1" range="-10 10" solreflimit=".001 1"/>
        <geom type="capsule" size=".1 .2" pos=".1 0 0"/><site name="tip" pos=".4 0 0"/></body>
    </body>
    <body name="b" pos="1 0 .3"><joint name="slide" type="slide" axis="0 0 1" damping="1"/>
      <joint name="turn" axis="0 1 0"/><geom type="box" size=".1 .1 .1" pos="0 0 -.2"/></body>
    <body name="c" pos="1 .15 .3"><joint name="c" type="slide" axis="0 1 0"/>
      <geom type="box" size=".1 .1 .1" pos="0 .05 -.15" euler="10 20 30"/>
      <geom type="cylinder" size=".1 .1" pos=".4 0 -.2"/></body>
  </worldbody>
  <tendon>
    <spatial name="t" stiffness="4" damping=".3" limited="true" range="0 .5" frictionloss=".1">
      <site site="w"/><site site="tip"/></spatial>
  </tendon>
  <equality><joint joint1="turn" joint2="knee" polycoef="0 .5"/></equality>
  <actuator>
    <position joint="knee" kp="3" kv=".1" ctrlrange="-.3 .3"/>
    <general joint="slide" dyntype="filter" dynprm=".1" gainprm="3"/>
  </actuator>
  <sensor><framepos objtype="site" objname="tip"/><accelerometer site="tip"/></sensor>
</mujoco>
"""
DISABLE = (
    "constraint", "equality", "frictionloss", "limit", "contact", "spring", "damper", "gravity",
    "clampctrl", "warmstart", "filterparent", "actuation", "refsafe", "sensor", "midphase",
    "eulerdamp", "autoreset", "nativeccd", "island", "multiccd",
)  # fmt: skip
ENABLE = ("override", "energy", "fwdinv", "invdiscrete")
FIELDS = [
    "qfrc_passive", "qfrc_bias", "qfrc_actuator", "qfrc_smooth", "qacc_smooth", "qacc",
    "actuator_force", "act_dot", "actuator_velocity", "energy",
]  # fmt: skip
NWORLD = 5


@pytest.fixture(scope="module")
def models():
    return mujoco.MjModel.from_xml_string(SCENE), mjenv.Model.from_xml_string(SCENE)


def set_flags(models, disable: int = 0, enable: int = 0) -> None:
    for model in models:
        model.opt.disableflags, model.opt.enableflags = disable, enable


def prepared(models, seed: int = 0):
    """Data in random states in which all constraints of the scene are at work."""
    mj, model = models
    data, sources = Data(model, NWORLD), [mujoco.MjData(mj) for _ in range(NWORLD)]
    refill(models, data, sources, seed)
    return data, sources


def refill(models, data, sources, seed: int) -> None:
    rng = np.random.default_rng(seed)
    reset(models[1], data)
    for world, source in enumerate(sources):
        mujoco.mj_resetData(models[0], source)
        mujoco.mj_integratePos(models[0], source.qpos, 0.05 * rng.normal(size=models[0].nv), 1)
        source.qvel = 0.5 * rng.normal(size=models[0].nv)
        source.act, source.ctrl = rng.normal(size=1), rng.normal(size=2)
        for name in ("qpos", "qvel", "act", "ctrl", "qacc_warmstart"):
            getattr(data, name)[world] = getattr(source, name)


def agree(models, data, sources) -> None:
    """Forward dynamics, then a step, in both."""
    mj, model = models
    forward(model, data)
    for world, source in enumerate(sources):
        mujoco.mj_forward(mj, source)
        assert (data.ncon[world], data.nefc[world]) == (source.ncon, source.nefc)
        compare(data, source, world, [*FIELDS, "sensordata"], 1e-7)
    step(model, data)
    for world, source in enumerate(sources):
        mujoco.mj_step(mj, source)
        compare(data, source, world, ["qpos", "qvel", "act", "time", "sensordata"], 1e-8)


def compare(data, source, world: int, names, tolerance: float) -> None:
    for name in names:
        found, expected = getattr(data, name)[world], getattr(source, name)
        scale = 1 + np.abs(expected).max(initial=0)
        np.testing.assert_allclose(
            found / scale, expected / scale, rtol=0, atol=tolerance, err_msg=f"{world}: {name}"
        )


def cases():
    yield from ((name, 1 << bit, 0) for bit, name in enumerate(DISABLE))
    yield from ((name, 0, 1 << k) for k, name in enumerate(ENABLE))


@pytest.mark.sweep(6)
@pytest.mark.parametrize(
    ("disable", "enable"), [c[1:] for c in cases()], ids=[c[0] for c in cases()]
)
def test_a_flag(models, disable, enable):
    """Before data are made, then off, then on again between calls."""
    set_flags(models)
    changed, others = prepared(models)
    agree(models, changed, others)
    assert others[0].ncon > 3
    set_flags(models, disable, enable)
    data, sources = prepared(models)
    agree(models, data, sources)
    refill(models, changed, others, 1)
    agree(models, changed, others)
    set_flags(models)
    refill(models, changed, others, 2)
    agree(models, changed, others)
    refill(models, data, sources, 2)
    agree(models, data, sources)


def test_sensors_that_are_off_keep_their_readings(models):
    set_flags(models)
    data, sources = prepared(models)
    agree(models, data, sources)
    before = data.sensordata.copy()
    set_flags(models, 1 << DISABLE.index("sensor"))
    agree(models, data, sources)
    assert np.array_equal(before, data.sensordata)
