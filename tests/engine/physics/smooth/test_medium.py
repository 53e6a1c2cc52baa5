"""Gravity compensation, and the forces of a medium, against MuJoCo."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward
from tests.engine.beside import Beside

SCENE = """
<mujoco>
  <option gravity="1 2 -9" wind=".4 -.3 .2">{option}</option>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <geom type="box" size=".1 .1 .1" fluidshape="ellipsoid"/>
    <body name="free" pos="0 0 1" gravcomp=".3">
      <freejoint/>
      <geom type="ellipsoid" size=".1 .2 .3" euler="20 30 0" {ellipsoid}/>
      <geom type="box" size=".1 .05 .03" pos=".2 0 0"/>
      <body pos=".2 0 .1" gravcomp="1"><geom type="capsule" size=".05 .1" {ellipsoid}/></body>
    </body>
    <body name="chain" pos="1 0 1" gravcomp="1">
      <joint name="ball" type="ball" actuatorgravcomp="true"/>
      <geom type="cylinder" size=".05 .2" pos="0 0 .2" {ellipsoid}/>
      <body pos="0 0 .4" gravcomp="1.2">
        <joint name="hinge" axis="0 1 0" pos="0 0 .02" actuatorgravcomp="true"
          actuatorfrcrange="-1 1"/>
        <joint name="slide" type="slide" axis="1 0 1" actuatorfrcrange="-.5 .5"/>
        <geom type="sphere" size=".1" pos=".1 0 0" {ellipsoid}/>
        <geom type="box" size=".1 .05 .03" pos=".2 0 0" euler="0 10 40" {ellipsoid}/>
      </body>
    </body>
    <body name="plain" pos="2 0 1">
      <joint axis="0 1 0"/><joint type="slide" axis="0 0 1" damping="1" stiffness="3"/>
      <geom type="box" size=".1 .05 .03" pos=".2 0 0" euler="0 10 40"/>
    </body>
  </worldbody>
  <actuator><motor joint="hinge" gear="3"/><motor joint="slide"/></actuator>
</mujoco>
"""
ELLIPSOID = 'fluidshape="ellipsoid" fluidcoef=".6 .3 1.4 .9 1.1"'
FIELDS = "qfrc_gravcomp qfrc_fluid qfrc_spring qfrc_damper qfrc_passive qfrc_actuator qacc_smooth"


def large_model(option: str = "", ellipsoid: str = ""):
    return SCENE.format(option=option, ellipsoid=ellipsoid)


def in_medium(density: float, viscosity: float):
    def edit(model):
        model.opt.density, model.opt.viscosity = density, viscosity

    return edit


@pytest.mark.sweep(2)
@pytest.mark.parametrize("option", [
    "", '<flag gravity="disable"/>', '<flag spring="disable"/>', '<flag damper="disable"/>',
    '<flag spring="disable" damper="disable"/>', '<flag actuation="disable"/>',
])  # fmt: skip
def test_gravity_compensation_and_its_flags(option):
    both = Beside(large_model(option)).forward().compare(FIELDS)
    held = np.abs(both.data.qfrc_gravcomp).max()
    off = "gravity" in option or ("spring" in option and "damper" in option)
    assert (held == 0) == off


@pytest.mark.parametrize("ellipsoid", ["", ELLIPSOID], ids=["boxes", "ellipsoids"])
@pytest.mark.parametrize("medium", [(1.2, 0), (0, 0.3), (900, 0.01)])
def test_a_medium_drags_and_lifts(ellipsoid, medium):
    both = Beside(large_model("", ellipsoid), speed=3, edit=in_medium(*medium))
    both.forward().compare(FIELDS)
    assert np.abs(both.data.qfrc_fluid).max() > 0.1


NEGATIVE = [(-1, 0), (0, -1), (-1, 1), (1, -1), (-2, -3)]


@pytest.mark.parametrize("medium", NEGATIVE)
def test_negative_media_push_ellipsoids_only(medium):
    both = Beside(large_model(), speed=3, edit=in_medium(*medium)).forward().compare(FIELDS)
    assert both.data.qfrc_fluid.any() == (max(medium) > 0)
    both = (
        Beside(large_model("", ELLIPSOID), speed=3, edit=in_medium(*medium))
        .forward()
        .compare(FIELDS)
    )
    assert both.data.qfrc_fluid.any()


def test_flags_of_springs_and_dampers_empty_the_medium():
    option = '<flag spring="disable" damper="disable"/>'
    both = Beside(large_model(option, ELLIPSOID), edit=in_medium(1, 1)).forward().compare(FIELDS)
    assert not both.data.qfrc_passive.any()


def test_at_rest_in_still_air():
    def edit(model):
        in_medium(1.2, 0.1)(model)
        model.opt.wind[:] = 0

    both = Beside(large_model("", ELLIPSOID), speed=0, edit=edit).forward().compare(FIELDS)
    assert not both.data.qfrc_fluid.any()


def test_a_medium_comes_and_goes_with_the_options():
    """The stages are chosen anew when an option asks for them."""
    model = mjenv.Model.from_xml_string(large_model())
    mj = mujoco.MjModel.from_xml_string(large_model())
    for nworld in (1, 9):
        model.opt.density = mj.opt.density = 0
        data, source = Data(model, nworld), mujoco.MjData(mj)
        data.qvel[:] = source.qvel[:] = 1
        for density in (0, 2, 0, 3):
            model.opt.density = mj.opt.density = density
            forward(model, data)
            mujoco.mj_forward(mj, source)
            np.testing.assert_allclose(data.qfrc_fluid[0], source.qfrc_fluid, atol=1e-12)
            np.testing.assert_allclose(data.qacc[0], source.qacc, atol=1e-9)


def test_what_a_model_does_not_use_is_not_compiled():
    plain = Data(mjenv.Model.from_xml_string("<mujoco><worldbody/></mujoco>"))
    names = {stage.name for stage in plain.plan.forward}
    unused = {
        "box_fluid", "ellipsoid_fluid", "add_fluid", "gravcomp", "actuator_gravcomp",
        "limit_joint_forces",
    }  # fmt: skip
    assert not names & unused
    data = Data(mjenv.Model.from_xml_string(large_model("", ELLIPSOID)))
    data.model.opt.viscosity = 1
    forward(data.model, data)
    assert unused <= {stage.name for stage in data.plan.forward}


def test_media_that_differ_between_worlds():
    model, mj = mjenv.Model.from_xml_string(large_model("", ELLIPSOID)), None
    data = Data(model, 3, vary=["opt_density", "opt_wind", "geom_fluid", "body_gravcomp"])
    rng = np.random.default_rng(0)
    data.qvel[:] = rng.normal(size=data.qvel.shape)
    data.varied["opt_density"][:, 0] = 0, 1, 20
    data.varied["opt_wind"][:] = rng.normal(size=(3, 3))
    data.varied["geom_fluid"][:] *= rng.uniform(0.5, 1, (3, 1, 1))
    data.varied["geom_fluid"][:, :, 0] = model.geom_fluid[:, 0]
    data.varied["body_gravcomp"][:] *= rng.uniform(0, 1, (3, 1))
    forward(model, data)
    for world in range(3):
        mj = mujoco.MjModel.from_xml_string(large_model("", ELLIPSOID))
        mj.opt.density = data.varied["opt_density"][world, 0]
        mj.opt.wind = data.varied["opt_wind"][world]
        mj.geom_fluid[:] = data.varied["geom_fluid"][world].reshape(mj.geom_fluid.shape)
        mj.body_gravcomp[:] = data.varied["body_gravcomp"][world]
        source = mujoco.MjData(mj)
        source.qvel = data.qvel[world]
        mujoco.mj_forward(mj, source)
        np.testing.assert_allclose(data.qfrc_passive[world], source.qfrc_passive, atol=1e-10)
