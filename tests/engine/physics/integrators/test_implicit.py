"""Integrators that are implicit in velocity, and the derivatives they use, against MuJoCo."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import step
from tests.engine.beside import Beside
from tests.engine.physics.actuators.test_activations import ACTUATORS
from tests.engine.physics.actuators.test_activations import large_model as actuated

IMPLICIT, IMPLICITFAST = 2, 3
SCENE = """
<mujoco>
  <option timestep="0.01" gravity="1 2 -9" wind=".4 -.3 .2"><flag contact="disable"/></option>
  <worldbody>
    <site name="w0" pos="0 0 .4"/>
    <body name="free" pos="0 0 1">
      <freejoint/>
      <geom type="ellipsoid" size=".1 .2 .3" euler="20 30 0" pos=".02 0 0" {ellipsoid}/>
      <geom type="box" size=".1 .05 .03" pos=".2 0 0"/>
      <body pos=".2 0 .1">
        <joint name="hinge1" axis="1 0 1" damping=".2"/><joint name="slide1" type="slide"/>
        <geom type="capsule" size=".05 .1" {ellipsoid}/><site name="s1" pos=".1 0 0"/>
      </body>
    </body>
    <body name="chain" pos="1 0 1">
      <joint name="ball" type="ball" damping=".1"/>
      <geom type="cylinder" size=".05 .2" pos="0 0 .2" {ellipsoid}/>
      <body pos="0 0 .4">
        <joint name="hinge" axis="0 1 0" pos="0 0 .02" damping=".3 .2 .1"/>
        <joint name="slide" type="slide" axis="1 0 1" damping="0 .1" stiffness="3"/>
        <geom type="sphere" size=".1" pos=".1 0 0" {ellipsoid}/><site name="s2" pos=".1 0 0"/>
        <body pos=".2 0 0">
          <joint name="tail" type="ball" pos="0 0 .1"/>
          <geom type="box" size=".1 .05 .03" pos=".2 0 0" euler="0 10 40" {ellipsoid}/>
        </body>
        <body pos="-.2 0 0">
          <joint name="wing" axis="1 1 0"/><geom type="box" size=".1 .05 .03"/>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="sum" damping=".4 .2"><joint joint="hinge" coef=".5"/><joint joint="slide1"
      coef="-2"/><joint joint="wing" coef="1"/></fixed>
    <spatial name="line" damping=".7" stiffness="2"><site site="w0"/><site site="s2"/></spatial>
    <spatial name="between" damping=".3"><site site="s1"/><site site="s2"/></spatial>
  </tendon>
  <actuator>
    <velocity joint="hinge" kv="2"/><position joint="slide" kp="3" kv=".5" forcerange="-1 1"/>
    <general joint="wing" gaintype="affine" gainprm="1 .2 -.7" biastype="affine"
      biasprm="0 0 -.2" ctrlrange="-.5 .5"/>
    <velocity tendon="sum" kv=".3" group="2"/><damper tendon="line" kv="1" ctrlrange="0 2"/>
    <velocity joint="ball" kv=".4" gear="1 .5 .2"/>
  </actuator>
</mujoco>
"""
ELLIPSOID = 'fluidshape="ellipsoid" fluidcoef=".6 .3 1.4 .9 1.1"'
MATRIX = {IMPLICIT: "qDeriv qLU", IMPLICITFAST: "qDeriv qH"}


def setting(integrator: int, density: float = 0, viscosity: float = 0, disable: int = 0):
    def edit(model):
        model.opt.integrator, model.opt.disableflags = integrator, model.opt.disableflags | disable
        model.opt.density, model.opt.viscosity = density, viscosity

    return edit


@pytest.mark.sweep(4)
@pytest.mark.parametrize("integrator", [IMPLICIT, IMPLICITFAST])
@pytest.mark.parametrize("medium", [(0, 0), (1.2, 0.1), (300, 0), (-1, 0), (-1, 0.2), (1, -0.3)])
@pytest.mark.parametrize("ellipsoid", ["", ELLIPSOID], ids=["boxes", "ellipsoids"])
def test_a_step(integrator, medium, ellipsoid):
    both = Beside(
        SCENE.format(ellipsoid=ellipsoid), speed=2, nworld=16, edit=setting(integrator, *medium)
    )
    both.step().compare(MATRIX[integrator]).compare("qpos qvel time qacc qacc_warmstart", 1e-9)
    both.step(3).compare("qpos qvel", 1e-8)


FLAGS = {"actuation": 1 << 11, "damper": 1 << 6, "passive": 1 << 5 | 1 << 6, "gravity": 1 << 7}


@pytest.mark.parametrize("integrator", [IMPLICIT, IMPLICITFAST])
@pytest.mark.parametrize("flag", FLAGS)
def test_flags(integrator, flag):
    edit = setting(integrator, 1.2, 0.1, FLAGS[flag])
    both = Beside(SCENE.format(ellipsoid=ELLIPSOID), edit=edit)
    both.step().compare(MATRIX[integrator]).compare("qpos qvel", 1e-9)


def test_a_group_of_actuators_that_is_off():
    def edit(model):
        setting(IMPLICIT)(model)
        model.opt.disableactuator = 1 << 2

    Beside(SCENE.format(ellipsoid=""), edit=edit).step().compare("qDeriv qLU qvel", 1e-9)


@pytest.mark.parametrize("integrator", [IMPLICIT, IMPLICITFAST])
def test_slowly_through_thin_air(integrator):
    """Where MuJoCo's guards against division by zero are at work."""
    for speed in (0, 1e-9, 1e-4):
        both = Beside(
            SCENE.format(ellipsoid=ELLIPSOID).replace('wind=".4 -.3 .2"', ""),
            speed=speed,
            edit=setting(integrator, 1.2),
        )
        both.step().compare(MATRIX[integrator])


@pytest.mark.parametrize("kind", ACTUATORS)
def test_actuators_of_every_kind(kind):
    for speed in (0.01, 1):
        both = Beside(actuated(kind), speed=speed, nworld=16, edit=setting(IMPLICITFAST))
        both.step().compare("qDeriv qH qvel act", 1e-10)


def test_a_bias_beside_a_gain_of_another_kind():
    text = actuated("muscle")
    text = (
        text[: text.index("<actuator>")]
        + """<actuator>
      <general joint="h3" gaintype="muscle" gainprm=".75 1.05 4 200 .5 1.6 1.5 1.3 1.2"
        lengthrange="-1 1" biastype="affine" biasprm=".1 .2 .3"/></actuator></mujoco>"""
    )
    both = Beside(text, edit=setting(IMPLICIT)).step()
    both.compare("actuator_force qDeriv qvel")


SPINNING = """
<mujoco>
  <option timestep="0.01" integrator="implicitfast"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3"/></body>
    <body pos="1 0 1"><freejoint/><geom type="box" size=".1 .2 .3" pos=".1 .02 .03"/>
      <geom type="sphere" size=".1" pos="-.2 .1 0"/></body>
    <body pos="2 0 1"><freejoint/><geom type="box" size=".1 .2 .3"/>
      <body pos=".4 0 0"><geom size=".1"/></body></body>
    <body pos="3 0 1"><freejoint/><geom type="box" size=".1 .2 .3"/>
      <body pos=".4 0 0"><joint/><geom size=".1"/></body></body>
    <body name="low" pos="4 0 .25"><freejoint/><geom type="box" size=".1 .2 .3"/></body>
    <body pos="5 0 1"><joint type="free" frictionloss=".1"/>
      <geom type="box" size=".1 .2 .3"/></body>
    <body name="tied" pos="6 0 1"><freejoint/><geom type="box" size=".1 .2 .3"/>
      <site name="tied"/></body>
    <body name="held" pos="8 0 1"><freejoint/><geom type="box" size=".1 .2 .3"/></body>
    <site name="far" pos="6 1 1"/>
  </worldbody>
  <tendon>
    <spatial limited="true" range="0 .9"><site site="far"/><site site="tied"/></spatial>
  </tendon>
  <equality><connect body1="held" body2="world" anchor="0 0 0"/></equality>
</mujoco>
"""


@pytest.mark.parametrize("disable", [0, 1 << 18, 1 << 7], ids=["", "island", "gravity"])
def test_freely_turning_bodies(disable):
    def edit(model):
        setting(IMPLICITFAST, disable=disable)(model)
        model.opt.tolerance, model.opt.iterations = 1e-14, 200

    both = Beside(SPINNING, speed=5, edit=edit)
    both.data.qfrc_applied[:] = both.narrow.qfrc_applied[:] = 0.2
    for source in both.sources:
        source.qfrc_applied = 0.2
    for _ in range(3):
        both.step().compare("qpos qvel qacc qacc_warmstart", 1e-8)


def test_no_midpoint_in_a_medium_or_with_a_discrete_inverse():
    def discrete(model):
        model.opt.enableflags |= 1 << 3

    for edit in (setting(IMPLICITFAST, 1.2), discrete):
        Beside(SPINNING, speed=5, edit=edit).step().compare("qpos qvel qacc", 1e-7)


def test_a_spinning_body_keeps_its_energy():
    model = mjenv.Model.from_xml_string(SPINNING)
    model.opt.gravity[:] = 0
    data = Data(model)
    data.qvel[0, 3:6] = 1, 10, 1
    moments = model.body_inertia[1]
    iquat = model.body_iquat[1]

    def energy():
        spin = np.zeros(3)
        mujoco.mju_rotVecQuat(spin, data.qvel[0, 3:6], iquat * [1, -1, -1, -1])
        return 0.5 * (moments * spin**2).sum()

    before = energy()
    step(model, data, 3000)
    assert abs(energy() / before - 1) < 1e-9


def test_the_integrator_may_change_between_steps():
    mj = mujoco.MjModel.from_xml_string(SCENE.format(ellipsoid=""))
    model = mjenv.Model.from_xml_string(SCENE.format(ellipsoid=""))
    data, source = Data(model, 2), mujoco.MjData(mj)
    for integrator in (0, 2, 3, 1, 3):
        mj.opt.integrator = model.opt.integrator = integrator
        step(model, data)
        mujoco.mj_step(mj, source)
        np.testing.assert_allclose(data.qvel[1], source.qvel, atol=1e-9)


def test_other_integrators_compile_no_derivatives():
    model = mjenv.Model.from_xml_string(SCENE.format(ellipsoid=""))
    data = Data(model)
    step(model, data)
    (program,) = data.plan.programs.values()
    assert [stage.name for stage in program.phases["integrate"]] == ["euler"]


@pytest.mark.slow
@pytest.mark.parametrize("integrator", [IMPLICIT, IMPLICITFAST])
@pytest.mark.parametrize("text", [SCENE.format(ellipsoid=ELLIPSOID), SPINNING], ids=["", "free"])
def test_models_that_differ_between_worlds(text, integrator):
    model = mjenv.Model.from_xml_string(text)
    model.opt.integrator = integrator
    names = ["opt_timestep", "body_mass", "body_inertia", "dof_damping"]
    names += ["actuator_biasprm", "actuator_forcerange", "opt_density", "body_subtreemass"]
    data = Data(model, 3, vary=names)
    rng = np.random.default_rng(0)
    data.qvel[:] = rng.normal(size=data.qvel.shape)
    for name in names[1:-2]:
        data.varied[name][:] *= rng.uniform(0.8, 1.2, data.varied[name].shape)
    data.varied["body_mass"][1:] = data.varied["body_mass"][0]
    data.varied["opt_timestep"][:, 0] = 0.001, 0.004, 0.01
    data.varied["opt_density"][:, 0] = 0, 1.2, 0
    for world in range(3):
        mass = data.varied["body_subtreemass"][world]
        mass[:] = data.varied["body_mass"][world]
        for body in range(model.nbody - 1, 0, -1):
            mass[model.body_parentid[body]] += mass[body]
    speed = data.qvel.copy()
    step(model, data)
    for world in range(3):
        one = mujoco.MjModel.from_xml_string(text)
        one.opt.integrator = integrator
        for name in names:
            value = data.varied[name][world]
            if name.startswith("opt_"):
                setattr(one.opt, name[4:], value[0])
            else:
                getattr(one, name)[:] = value.reshape(getattr(one, name).shape)
        source = mujoco.MjData(one)
        source.qvel = speed[world]
        mujoco.mj_step(one, source)
        np.testing.assert_allclose(data.qvel[world], source.qvel, atol=1e-7)
        np.testing.assert_allclose(data.qpos[world], source.qpos, atol=1e-8)
