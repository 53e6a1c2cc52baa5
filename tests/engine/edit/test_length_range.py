"""Length ranges of actuators of edited models: as MuJoCo's."""

import mujoco
import numpy as np
import pytest

import mjenv

XML = """
<mujoco>
  <option timestep="0.005" {option}><flag actuation="disable"/></option>
  <worldbody>
    <site name="low" pos="0 0 -.4"/>
    <body name="arm">
      <joint name="a" axis="0 1 0" range="-30 50" damping=".1"/>
      <geom type="capsule" size=".05 .2" pos=".2 0 0"/>
      <site name="tip" pos=".3 0 0"/>
      <body pos=".4 0 0">
        <joint name="b" axis="0 1 0" range="-20 90" armature=".01" stiffness="1"/>
        <joint name="c" type="slide" axis="1 0 0" range="0 .2" damping="3"/>
        <geom type="box" size=".1 .05 .05"/>
        <site name="end"/>
      </body>
    </body>
    <body pos="0 2 0"><joint name="loose"/><geom size=".1"/></body>
  </worldbody>
  <tendon>
    <spatial name="wire"><site site="low"/><site site="tip"/><site site="end"/></spatial>
  </tendon>
  <actuator>
    <muscle name="flexor" tendon="wire" lengthrange="0 1"/>
    <muscle name="turner" joint="a" gear="2" lengthrange="0 1"/>
    <general name="user" joint="b" gaintype="user"/>
    <motor name="slider" joint="c" gear="-3"/>
    <motor name="site" site="end" refsite="low" gear="1 0 1"/>
    <motor name="loose" joint="loose"/>
  </actuator>
</mujoco>"""
SHORT = {"inttotal": 3.0, "interval": 0.5, "timeconst": 0.5, "tolrange": 0.2}
WIDE = SHORT | {"tolrange": 1.0}


def both(option: str = 'gravity="0 0 0"'):
    """Models of both, in which bodies have other places than when they were compiled."""
    text = XML.format(option=option)
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    for edited in (mj, model):
        edited.actuator_lengthrange[:] = 0
        edited.body_pos[2] += [0.05, 0, 0.02]
        edited.jnt_range[0] = -0.4, 0.7
        edited.jnt_range[1, 0] = -0.5
    return mj, model


def expected(mj, actuators, **options):
    """Length ranges of MuJoCo's own function."""
    given, data = mujoco.MjLROpt(), mujoco.MjData(mj)
    options = {"mode": "muscle", "useexisting": True, "accel": 20.0} | options
    options["mode"] = ("none", "muscle", "muscleuser", "all").index(options["mode"])
    for name, value in options.items():
        setattr(given, name, value)
    for i in actuators:
        mujoco.mj_setLengthRange(mj, data, i, given)
    return mj.actuator_lengthrange


@pytest.mark.sweep(1)
@pytest.mark.parametrize("options", [
    {}, {"mode": "none"}, {"mode": "muscleuser", "accel": 5.0}, {"uselimit": True},
    {"maxforce": 1.0, "tolrange": 0.5},
], ids=str)  # fmt: skip
def test_as_of_mujoco(options):
    mj, model = both()
    options = SHORT | options
    mjenv.set_length_range(model, **options)
    target = expected(mj, range(model.nu), **options)
    np.testing.assert_allclose(model.actuator_lengthrange, target, rtol=1e-6, atol=1e-8)
    assert target.any() == (options.get("mode") != "none")


def test_chosen_actuators_and_ranges_that_stay():
    mj, model = both()
    mj.actuator_lengthrange[0] = model.actuator_lengthrange[0] = 3, 4
    for options in ({}, {"useexisting": False}):
        mjenv.set_length_range(model, ["flexor", 3, 4], mode="all", **SHORT, **options)
        target = expected(mj, (0, 3, 4), mode="all", **SHORT, **options)
        np.testing.assert_allclose(model.actuator_lengthrange, target, rtol=1e-6, atol=1e-8)
        assert (model.actuator_lengthrange[0] == (3, 4)).all() == (not options)
        assert not model.actuator_lengthrange[1].any()


def test_options_of_the_model_count():
    """Gravity pulls too, and another integrator moves."""
    mj, model = both('gravity="0 0 -9.81" integrator="implicitfast"')
    mjenv.set_length_range(model, "turner", accel=3.0, **WIDE)
    target = expected(mj, [1], accel=3.0, **WIDE)
    np.testing.assert_allclose(model.actuator_lengthrange, target, rtol=1e-6, atol=1e-8)
    free = both()[1]
    mjenv.set_length_range(free, "turner", accel=3.0, **WIDE)
    assert np.abs(free.actuator_lengthrange[1] - target[1]).max() > 1e-3


MESSAGES = [
    (("flexxor",), {}, KeyError, "flexxor.*flexor"),
    ((6,), {}, IndexError, "6"),
    ((), {"mode": "muscles"}, ValueError, "mode='muscles': expected one of none, muscle"),
    (
        ("loose",),
        {"mode": "all", "tolrange": 0.01},
        ValueError,
        "actuator 'loose': its simulation does not come",
    ),
    ((4,), {"mode": "all", "accel": 0.0}, ValueError, "expected an actuator with two different"),
]


@pytest.mark.parametrize(("args", "options", "error", "message"), MESSAGES)
def test_messages(args, options, error, message):
    model = both()[1]
    with pytest.raises(error, match=message):
        mjenv.set_length_range(model, *args, **(SHORT | options))
    assert not model.actuator_lengthrange.any()


def test_muscles_without_a_range_that_act():
    model = both()[1]
    model.opt.disableflags = 0
    with pytest.raises(ValueError, match="actuator 'flexor': its simulation is unstable; disable"):
        mjenv.set_length_range(model, **SHORT)
