"""State and forces of actuators against MuJoCo: filters, muscles, DC motors, groups, limits."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, step

BODIES = "".join(
    f'<body name="b{k}" pos="{k} 0 0"><joint name="h{k}" axis="0 1 0" damping=".1"/>'
    f'<geom type="capsule" fromto="0 0 0 .2 0 0" size=".04"/>'
    f'<site name="s{k}" pos=".1 0 .1"/></body>'
    for k in range(6)
)
ACTUATORS = {
    "linear": """
      <general joint="h0" dyntype="integrator" gainprm="2"/>
      <general joint="h1" dyntype="filter" dynprm=".05" ctrlrange="-1 1"/>
      <general joint="h2" dyntype="filterexact" dynprm=".003" actearly="true" gainprm="3"/>
      <general joint="h3" dyntype="integrator" actearly="true" actrange="-.4 .3" biastype="affine"
        gaintype="affine" gainprm="5 .1 .2" biasprm=".3 -5 -.1"/>
      <general joint="h4" dyntype="filter" dynprm="0" actrange="-.2 .2"/>
      <intvelocity joint="h5" kp="20" actrange="-1 1"/><damper joint="h0" kv=".3" ctrlrange="0 1"/>
      <cylinder joint="h1" timeconst=".02" area=".5" bias=".1 .2 .3"/>
      <position joint="h2" kp="3" kv=".2" timeconst=".01" forcerange="-.5 .5"/>
      <general joint="h3" dyntype="integrator" group="2"/><motor joint="h4" group="2"/>
      <motor joint="h5" gear="2" group="-1"/>""",
    "muscle": """
      <muscle joint="h0" lengthrange="-.5 .7" scale="50"/>
      <muscle joint="h1" lengthrange="-1 1" force="3" tausmooth=".4" range=".6 1.2"/>
      <muscle tendon="line" lengthrange="1 2.4" force="20" timeconst=".02 .07" lmin=".4"
        lmax="1.8" vmax="1.2" fpmax="1.1" fvmax="1.4"/>
      <general joint="h2" dyntype="muscle" gainprm="2" dynprm=".01 .04" actrange=".1 .8"
        actearly="true"/>
      <general joint="h3" gaintype="muscle" gainprm=".75 1.05 4 200 .5 1.6 1.5 1.3 1.2"
        lengthrange="-1 1" biastype="affine" biasprm=".1 .2 .3"/>
      <general joint="h4" gaintype="affine" gainprm="1 2 3" biastype="muscle" lengthrange="-.5 .5"
        biasprm=".75 1.05 4 200 .5 1.6 1.5 1.3 1.2" dyntype="filter" dynprm=".1"/>
      <muscle joint="h5" lengthrange="-1 1" group="2"/>""",
    "dcmotor": """
      <dcmotor joint="h0" motorconst=".05" resistance="2"/>
      <dcmotor joint="h1" motorconst=".05 .06" resistance="2" inductance=".01" gear="3"
        cogging=".02 6 .3" saturation=".03 1 40"/>
      <dcmotor joint="h2" motorconst=".05" resistance="1" lugre="10 .1 .02 .03 .1"
        saturation=".05"/>
      <dcmotor joint="h3" motorconst=".2" resistance="2" input="position"
        controller="3 2 .1 5 .2 4" thermal="2 10 0 .004 20 25"/>
      <dcmotor joint="h4" motorconst=".2" resistance="2" input="velocity" inductance="0 .005"
        controller="3 2 0 0 0 6" thermal="2 0 30 .01 20 22" lugre="5 .1 .02 .03 .1"/>
      <dcmotor joint="h5" motorconst=".1" resistance="1" controller="1 .5 0 3 .1 0"
        inductance=".02" lugre="20 .2 .02 .05 .2" cogging=".01 4 0" thermal="1 2 0 .01 20 20"/>
      <dcmotor joint="h0" motorconst=".1" resistance="1" inductance=".02" group="2"
        controller="0 1 0 0 0 0"/>
      <general joint="h1" biastype="dcmotor" gaintype="affine" gainprm="1 .3 .2" dynprm="0"
        biasprm=".1 3 .2"/>
      <general joint="h2" gaintype="dcmotor" gainprm="1 .4" dyntype="filter" dynprm=".2"
        ctrlrange="-.3 .3"/>""",
}
FIELDS = ("act_dot", "actuator_force", "qfrc_actuator", "qacc")
NWORLD = 24


def large_model(kind: str, option: str = "", flag: str = "") -> str:
    return f"""<mujoco><option timestep=".005" {option}><flag contact="disable" {flag}/></option>
    <worldbody><site name="w" pos="0 0 .8"/>{BODIES}</worldbody>
    <tendon><spatial name="line"><site site="w"/><site site="s0"/><site site="s1"/>
    </spatial></tendon>
    <actuator>{ACTUATORS[kind]}</actuator></mujoco>"""


def prepared(model, width: int = 8, seed: int = 0) -> Data:
    """Worlds in random states, of activations too, under random controls."""
    data = Data(model, NWORLD, width=width, keep=FIELDS)
    rng = np.random.default_rng(seed)
    data.qpos = rng.normal(size=data.qpos.shape)
    data.qvel = rng.choice([0.0, 0.01, 1.0], (NWORLD, 1)) * rng.normal(size=data.qvel.shape)
    data.act = rng.choice([0.1, 0.5, 1.5], (NWORLD, 1)) * rng.normal(size=data.act.shape)
    data.ctrl = rng.normal(size=data.ctrl.shape)
    return data


def copied(mj, data, world: int):
    source = mujoco.MjData(mj)
    for name in ("qpos", "qvel", "act", "ctrl"):
        getattr(source, name)[:] = getattr(data, name)[world]
    return source


def agree(data, world: int, source, names, tolerance: float) -> None:
    for name in names:
        expected = getattr(source, name)
        scale = tolerance * (1 + np.abs(expected).max(initial=0))
        np.testing.assert_allclose(
            getattr(data, name)[world], expected, rtol=0, atol=scale, err_msg=f"{world}: {name}"
        )


@pytest.mark.parametrize(
    ("option", "flag"), [("", ""), ("actuatorgroupdisable='2'", "clampctrl='disable'")]
)
@pytest.mark.parametrize("kind", ACTUATORS)
def test_forces_and_rates(kind, option, flag):
    text = large_model(kind, option, flag)
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data = prepared(model)
    forward(model, data)
    for world in range(NWORLD):
        source = copied(mj, data, world)
        mujoco.mj_forward(mj, source)
        agree(data, world, source, FIELDS, 1e-10)


@pytest.mark.sweep(8)
@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "implicitfast"])
@pytest.mark.parametrize("option", ["", "actuatorgroupdisable='2'"])
@pytest.mark.parametrize("kind", ACTUATORS)
def test_steps(kind, option, integrator):
    text = large_model(kind, f"integrator='{integrator}' {option}")
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data = prepared(model, seed=1)
    sources = [copied(mj, data, world) for world in range(NWORLD)]
    for _ in range(2):
        step(model, data, 2)
        for world, source in enumerate(sources):
            mujoco.mj_step(mj, source, 2)
            agree(data, world, source, ("qpos", "qvel", "act"), 1e-8)


@pytest.mark.parametrize("kind", ACTUATORS)
def test_widths_agree(kind):
    model = mjenv.Model.from_xml_string(large_model(kind, "integrator='RK4'"))
    wide, narrow = prepared(model, 8), prepared(model, 1)
    for data in (wide, narrow):
        step(model, data, 5)
    for name in ("qpos", "qvel", "act", *FIELDS):
        np.testing.assert_array_equal(getattr(wide, name), getattr(narrow, name), err_msg=name)


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_worlds_whose_motors_follow_something_else(integrator):
    """The whole part of a parameter says what: voltage, position, velocity."""
    text = large_model("dcmotor", f"integrator='{integrator}'")
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    rng = np.random.default_rng(0)
    data = Data(model, NWORLD, keep=FIELDS, vary=["actuator_gainprm"])
    data.qpos = 0.1 * rng.normal(size=data.qpos.shape)
    data.qvel, data.act = rng.normal(size=data.qvel.shape), rng.normal(size=data.act.shape)
    data.ctrl = rng.normal(size=data.ctrl.shape)
    motors = np.flatnonzero(mj.actuator_gaintype == int(mujoco.mjtGain.mjGAIN_DCMOTOR))
    kinds = rng.choice([-1.5, 0.0, 0.9, 1.0, 1.9, 2.0, 2.7, 3.2], (NWORLD, motors.size))
    data.varied["actuator_gainprm"][:, motors, 8] = kinds
    sources = []
    for world in range(NWORLD):
        mj.actuator_gainprm[motors, 8] = kinds[world]
        sources.append(copied(mj, data, world))
        mujoco.mj_step(mj, sources[-1])
    step(model, data)
    for world, source in enumerate(sources):
        agree(data, world, source, FIELDS, 1e-8)
        agree(data, world, source, ("qvel", "act"), 1e-8)


def test_actuation_that_is_off():
    """No forces, and activations that rest."""
    text = large_model("linear", flag="actuation='disable'")
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data = prepared(model)
    source = copied(mj, data, 3)
    step(model, data, 3)
    mujoco.mj_step(mj, source, 3)
    agree(data, 3, source, ("qpos", "act", "actuator_force", "qfrc_actuator"), 1e-12)


def test_bad_controls():
    """One bad control makes all of its world zero; that is counted."""
    text = large_model("linear")
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data = prepared(model)
    data.ctrl[2, 4], data.ctrl[5, 0], data.ctrl[5, 8] = np.nan, 1e12, np.inf
    sources = {world: copied(mj, data, world) for world in (1, 2, 5)}
    step(model, data)
    for world, source in sources.items():
        mujoco.mj_step(mj, source)
        agree(data, world, source, ("act_dot", "actuator_force", "act"), 1e-10)
        expected = source.warning[mujoco.mjtWarning.mjWARN_BADCTRL]
        found = data.warning[world, mujoco.mjtWarning.mjWARN_BADCTRL]
        assert (found["number"], found["lastinfo"]) == (expected.number, expected.lastinfo)


def test_bad_state_resets_activations():
    model = mjenv.Model.from_xml_string(large_model("linear"))
    data = prepared(model)
    data.qpos[4, 2] = np.nan
    step(model, data)
    fresh = Data(model, 1, keep=FIELDS)
    step(model, fresh)
    np.testing.assert_array_equal(data.act[4], fresh.act[0])
    assert data.act[3].any()


def test_limits_of_tendons_come_before_those_of_actuators():
    text = """<mujoco><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody>
    <tendon><fixed name="t" actuatorfrcrange="-1 2" actuatorfrclimited="true">
      <joint joint="j" coef="2"/></fixed></tendon>
    <actuator><motor tendon="t" gear="2" forcerange="-.5 .5"/><motor tendon="t"/>
      <motor joint="j" gear="3"/></actuator></mujoco>"""
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data = Data(model, 8, keep=("actuator_force", "qfrc_actuator"))
    data.ctrl = np.random.default_rng(0).normal(scale=3, size=(8, 3))
    forward(model, data)
    for world in range(8):
        source = copied(mj, data, world)
        mujoco.mj_forward(mj, source)
        agree(data, world, source, ("actuator_force", "qfrc_actuator"), 1e-12)


def test_affine_bias_of_a_muscle_alone():
    text = """<mujoco>
    <worldbody><body><joint name="j"/><geom size=".1" pos="1 0 0"/></body></worldbody>
    <actuator><general joint="j" gaintype="muscle" gainprm=".75 1.05 4 200 .5 1.6 1.5 1.3 1.2"
      lengthrange="-1 1" biastype="affine" biasprm=".1 .2 .3"/></actuator></mujoco>"""
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data = Data(model, keep="actuator_force")
    data.ctrl, data.qpos = 0.5, 0.1
    forward(model, data)
    source = copied(mj, data, 0)
    mujoco.mj_forward(mj, source)
    agree(data, 0, source, ["actuator_force"], 1e-12)
