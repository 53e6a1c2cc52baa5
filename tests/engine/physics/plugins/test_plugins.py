"""MuJoCo's own plugins: controllers, cables, grids of touch, beside MuJoCo's."""
# ruff: noqa: E501 (models in few lines)

from pathlib import Path

import mujoco
import numpy as np
import pytest

import mjenv
from tests.engine.reference import check_same_bits

mujoco.mj_loadAllPluginLibraries(str(Path(mujoco.__file__).parent / "plugin"))

EXTENSION = "<extension>" + "".join(
    f'<plugin plugin="mujoco.{name}"/>' for name in ("pid", "elasticity.cable", "sensor.touch_grid")
) + "</extension>"  # fmt: skip


def pid(attributes="", **settings):
    inside = "".join(f'<config key="{k}" value="{v}"/>' for k, v in settings.items())
    return f'<plugin plugin="mujoco.pid" {attributes}>{inside}</plugin>'


ARM = '<body><joint name="a" damping=".1"/><geom type="capsule" size=".05" fromto="0 0 0 .5 0 0"/><body pos=".5 0 0"><joint name="b" type="slide" axis="1 0 0"/><geom size=".1"/></body></body>'
CONTROLLED = f"""<mujoco>{EXTENSION}<option integrator="{{}}" timestep="0.003"/><worldbody>{ARM}</worldbody><actuator>
{pid('joint="a"', kp=30, kd=2)}
{pid('joint="b" actdim="1" ctrlrange="-.4 .4" forcerange="-9 9"', kp=20, ki=300, imax=3)}
<motor joint="a" gear="2"/>
{pid('joint="a" actdim="2"', kp=3, ki=5, slewmax=2)}
{pid('joint="b" actdim="1"', kp=3, slewmax=0.5)}
{pid('joint="a" actdim="2" dyntype="integrator" actrange="-1 1"', kp=7, ki=4, kd=1)}
{pid('joint="b" actdim="3" dyntype="filterexact" dynprm="0.2" actearly="true"', kp=7, ki=4, kd=1, slewmax=1)}
{pid('joint="b" actdim="1" dyntype="filter" dynprm="0.1"', kp=7, kd=1)}
</actuator><sensor><actuatorfrc actuator="a1"/></sensor></mujoco>""".replace('joint="b" actdim="1" ctrlrange', 'name="a1" joint="b" actdim="1" ctrlrange')  # fmt: skip

DRIVE = '<plugin plugin="mujoco.elasticity.cable"><config key="twist" value="{}"/><config key="bend" value="{}"/><config key="flat" value="{}"/></plugin>'
COMPOSITE = '<composite prefix="c" type="cable" curve="{}" count="{} 1 1" size="0.5 .2 3" offset="0 0 .5" initial="{}">{}<geom type="{}" size=".01 .02 .005"/><joint kind="main" damping="0.002"/></composite>'


def cable(
    curve="s",
    count=9,
    initial="none",
    twist="1e6",
    bend="3e6",
    flat="false",
    geom="capsule",
    more="",
):
    text = COMPOSITE.format(curve, count, initial, DRIVE.format(twist, bend, flat), geom)
    return f'<mujoco>{EXTENSION}<option timestep="0.001"/><worldbody><geom type="plane" size="1 1 1"/>{text}{more}</worldbody></mujoco>'


FINGER = """<body pos="0 0 .085"><joint type="slide" axis="0 0 1"/><geom type="box" size=".1 .1 .05"/><site name="s" pos=".01 .02 .1" euler="{}"/>
<body pos="0.2 0 0"><geom name="tip" size=".08"/></body></body>"""
GRID = '<plugin plugin="mujoco.sensor.touch_grid" objtype="site" objname="s" {}><config key="size" value="{}"/><config key="fov" value="{}"/><config key="nchannel" value="{}"/><config key="gamma" value="{}"/></plugin>'


def grid(size="7 7", fov="80 60", nchannel=6, gamma=0, attributes="", euler="0 0 0"):
    sensor = GRID.format(attributes, size, fov, nchannel, gamma)
    return f"""<mujoco>{EXTENSION}<option cone="{{}}"/><worldbody><geom type="plane" size="2 2 .1" condim="6" friction="1 .01 .02"/>{FINGER.format(euler)}
<body pos=".05 .03 .18"><freejoint/><geom type="box" size=".06 .04 .04" condim="4"/></body></worldbody><sensor><touch site="s"/>{sensor}<clock/></sensor></mujoco>"""


MODELS = {
    "controllers": CONTROLLED.format("Euler"),
    "controllers in RK4": CONTROLLED.format("RK4"),
    "controllers in implicit steps": CONTROLLED.format("implicitfast"),
    "cable": cable(),
    "free cable": cable(initial="free", curve="cos(s) sin(s) s"),
    "flat cable": cable(initial="ball", curve="cos(s) sin(s) 0", flat="true"),
    "cable of boxes": cable(geom="box", curve="s sin(s) 0"),
    "cable without stiffness": cable(twist="0", bend="0"),
    "two cables": cable(more=COMPOSITE.format("s", 4, "free", DRIVE.format("2e5", "1e5", "false"), "cylinder").replace('"c"', '"d"').replace("0 0 .5", "0 1 .5")),
    "grid of touch": grid().format("pyramidal"),
    "grid of touch with elliptic cones": grid("5 9", "40 90", 3, 0.5, 'cutoff="4"', "10 20 30").format("elliptic"),
}  # fmt: skip


def pair(name):
    return mujoco.MjModel.from_xml_string(MODELS[name]), mjenv.Model.from_xml_string(MODELS[name])


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", MODELS)
def test_steps(name):
    """Trajectories stay together, with what is sensed, as far as rounding lets them."""
    reference, model = pair(name)
    theirs, ours = mujoco.MjData(reference), mjenv.Data(model)
    rng = np.random.default_rng(0)
    for data in (theirs, ours):
        data.qvel[...] = 0.1 * np.random.default_rng(1).normal(size=model.nv)
    sensed = 0.0
    for k in range(60):
        if k % 10 == 0:
            theirs.ctrl[:] = rng.uniform(-1, 1, model.nu)
            ours.ctrl[0] = theirs.ctrl
        mujoco.mj_step(reference, theirs)
        mjenv.step(model, ours)
        np.testing.assert_allclose(ours.qpos[0], theirs.qpos, rtol=0, atol=1e-9)
        np.testing.assert_allclose(ours.act[0], theirs.act, rtol=0, atol=1e-9)
        scale = 1 + np.abs(theirs.sensordata).max(initial=0)
        np.testing.assert_allclose(ours.sensordata[0], theirs.sensordata, rtol=0, atol=1e-7 * scale)
        sensed = max(sensed, np.abs(theirs.sensordata[1:-1]).max(initial=0))
    if "grid" in name:
        assert sensed > 1


@pytest.mark.parametrize("name", MODELS)
def test_forward(name):
    """Forward dynamics from MuJoCo's states, in many worlds at once."""
    reference, model = pair(name)
    ours = mjenv.Data(model, 9, keep=["qacc", "actuator_force", "act_dot", "qfrc_passive"])
    rng = np.random.default_rng(2)
    states = []
    for world in range(ours.nworld):
        theirs = mujoco.MjData(reference)
        theirs.qvel[:] = rng.normal(size=model.nv)
        theirs.ctrl[:] = rng.uniform(-1, 1, model.nu)
        for _ in range(3 * world):
            mujoco.mj_step(reference, theirs)
        for field in ("qpos", "qvel", "act", "ctrl", "qacc_warmstart"):
            getattr(ours, field)[world] = getattr(theirs, field)
        ours.time[world] = theirs.time
        mujoco.mj_forward(reference, theirs)
        states.append(theirs)
    mjenv.forward(model, ours)
    for field in ("qfrc_passive", "act_dot", "actuator_force", "qacc", "sensordata"):
        expected = np.array([getattr(theirs, field) for theirs in states])
        scale = 1 + np.abs(expected).max(initial=0)
        np.testing.assert_allclose(
            getattr(ours, field), expected, rtol=0, atol=1e-8 * scale, err_msg=field
        )


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["controllers", "free cable", "grid of touch"])
def test_same_bits(name):
    check_same_bits(mjenv.Model.from_xml_string(MODELS[name]), 20)


def test_a_controller_rests_without_actuation():
    text = (
        MODELS["controllers"]
        .replace("<option ", "<option ")
        .replace('timestep="0.003"/>', 'timestep="0.003"><flag actuation="disable"/></option>')
    )
    reference, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    theirs, ours = mujoco.MjData(reference), mjenv.Data(model)
    theirs.ctrl[:], ours.ctrl[0] = 1, 1
    mujoco.mj_step(reference, theirs, 5)
    mjenv.step(model, ours, 5)
    np.testing.assert_allclose(ours.qpos[0], theirs.qpos, rtol=0, atol=1e-12)


def test_cables_have_joints():
    declared = '<plugin plugin="mujoco.elasticity.cable">'
    extension = EXTENSION.replace(f"{declared[:-1]}/>", f"{declared}<instance name='n'/></plugin>")
    inside = "<joint/><geom size='1'/><plugin instance='n'/>"
    body = f"<body>{inside}<body name='x'>{inside}</body></body>"
    text = f"<mujoco>{extension}<worldbody>{body}</worldbody></mujoco>"
    with pytest.raises(
        ValueError, match=r"^Data: body 'x': mujoco.elasticity.cable: expected a ball joint"
    ):
        mjenv.Data(mjenv.Model.from_xml_string(text))


NEEDED = ("subtree_linvel", "subtree_angmom", "cacc", "cfrc_int", "cfrc_ext")


@pytest.mark.sweep(4)
@pytest.mark.parametrize("nworld", [1, 3])
@pytest.mark.parametrize(
    "sensor",
    [
        GRID.format("", "2 2", "90 45", 2, 0),
        '<user dim="1" needstage="pos"/>',
        '<user dim="1" needstage="vel"/>',
        '<user dim="1" needstage="acc"/>',
        '<jointpos joint="turn"/>',
    ],
)
def test_what_is_computed_for_sensors_of_plugins_and_users(sensor, nworld):
    """Velocities of subtrees before those of velocity, forces of bodies before those of forces."""
    finger = FINGER.format("0 0 0").replace("<joint ", '<joint name="turn" ')
    text = f"""<mujoco>{EXTENSION}<worldbody><geom type="plane" size="1 1 1"/>{finger}</worldbody>
    <sensor>{sensor}</sensor></mujoco>"""
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    source, data = mujoco.MjData(mj), mjenv.Data(model, nworld)
    source.qpos[:] = data.qpos[:] = -0.02
    source.qvel[:] = data.qvel[:] = -0.5
    for mine, theirs in ((mjenv.forward, mujoco.mj_forward), (mjenv.step, mujoco.mj_step)):
        mine(model, data)
        theirs(mj, source)
        assert source.ncon
        for name in NEEDED:
            expected = getattr(source, name)
            np.testing.assert_allclose(getattr(data, name)[-1], expected, 1e-9, 1e-9, err_msg=name)
