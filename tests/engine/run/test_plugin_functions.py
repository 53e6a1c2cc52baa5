"""Plugins of users: compiled and plain functions, their state, and what is refused."""
# ruff: noqa: E501 (one case a line)

import numpy as np
import pytest

import mjenv
from mjenv.engine.mjcf.parts.plugins import DRIVEN
from mjenv.engine.run.plugin_stages import PLACES, plugin_numbers
from mjenv.engine.tables.plugin_kinds import KINDS

from ..reference import check_same_bits


@mjenv.kernel
def pull(m, d, instance):
    stiffness = plugin_numbers(m, instance)[0]
    for b in range(m.nbody):
        if m.body_plugin[b] == instance:
            dof, adr = m.body_dofadr[b], m.jnt_qposadr[m.body_jntadr[b]]
            d.qfrc_passive[dof] = d.qfrc_passive[dof] - stiffness * d.qpos[adr]


def pull_python(model, worlds, instance):
    stiffness = float(mjenv.plugin_config(model, instance)["stiffness"])
    for b in np.flatnonzero(model.body_plugin == instance):
        dof, adr = model.body_dofadr[b], model.jnt_qposadr[model.body_jntadr[b]]
        worlds.qfrc_passive[:, dof] -= stiffness * worlds.qpos[:, adr]


@mjenv.kernel
def lag(m, d, instance):
    for u in range(m.nu):
        if m.actuator_plugin[u] == instance:
            k = m.actuator_actadr[u]
            d.act_dot[k] = (d.ctrl[u] - d.act[k]) / plugin_numbers(m, instance)[0]


@mjenv.kernel
def drive(m, d, instance):
    for u in range(m.nu):
        if m.actuator_plugin[u] == instance:
            d.actuator_force[u] = d.act[m.actuator_actadr[u]]


def read(model, worlds, instance):
    for s in np.flatnonzero(model.sensor_plugin == instance):
        adr = model.sensor_adr[s]
        worlds.sensordata[:, adr] = 100 * worlds.qpos[:, 0]
        worlds.sensordata[:, adr + 1] = worlds.plugin_state[:, model.plugin_stateadr[instance]]


def count(model, worlds, instance):
    worlds.plugin_state[:, model.plugin_stateadr[instance]] += 1


mjenv.register_plugin("test.pull", ["stiffness"], passive=pull)
mjenv.register_plugin("test.pull_python", ["stiffness"], passive=pull_python)
mjenv.register_plugin("test.lag", ["time"], actuator=drive, act_dot=lag)
mjenv.register_plugin(
    "test.count", sensor=read, advance=count, needstage="pos", nstate=2, nsensordata=lambda c: 2
)
mjenv.register_plugin(
    "test.careful", ["size"], passive=pull,
    wrong=lambda config: "" if config["size"] else "size: expected a number",
)  # fmt: skip


def model(body="", behind="", plugins=("pull", "pull_python", "lag", "count", "careful")):
    declared = "".join(f'<plugin plugin="test.{name}"/>' for name in plugins)
    return f"""<mujoco><option gravity="0 0 0"/><extension>{declared}</extension><worldbody><body>
      <joint name="j" type="slide"/><geom size="0.1"/>{body}</body></worldbody>{behind}</mujoco>"""


def on_body(name):
    config = '<config key="stiffness" value="40"/>'
    return model(f'<plugin plugin="test.{name}">{config}</plugin>')


LAG = model(
    "",
    '<actuator><plugin joint="j" plugin="test.lag" actdim="1">'
    '<config key="time" value="0.3"/></plugin></actuator>',
)
FILTER = model("", '<actuator><general joint="j" dyntype="filter" dynprm="0.3"/></actuator>')
COUNT = model("", '<sensor><plugin plugin="test.count" cutoff="30"/></sensor>')
SPRING = model().replace('type="slide"', 'type="slide" stiffness="40"')


def trajectory(text, nworld=9, nstep=30):
    compiled = mjenv.Model.from_xml_string(text)
    data = mjenv.Data(compiled, nworld)
    data.qvel[:, 0] = 1 + np.arange(nworld)
    if compiled.nu:
        data.ctrl[:] = 2
    mjenv.step(compiled, data, nstep)
    return data


@pytest.mark.sweep(6)
@pytest.mark.parametrize(
    ("ours", "equal"),
    [(on_body("pull"), SPRING), (on_body("pull_python"), SPRING), (LAG, FILTER)],
    ids=["compiled", "plain", "with activation"],
)
@pytest.mark.parametrize("nworld", [1, 9])
@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicitfast"])
def test_as_what_is_built_in(ours, equal, nworld, integrator):
    option = f'<mujoco><option integrator="{integrator}"/>'
    found = trajectory(ours.replace("<mujoco>", option), nworld)
    expected = trajectory(equal.replace("<mujoco>", option), nworld)
    np.testing.assert_allclose(found.qpos, expected.qpos, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.act, expected.act, rtol=0, atol=1e-12)


@pytest.mark.parametrize("text", [on_body("pull"), LAG, COUNT], ids=["body", "actuator", "sensor"])
def test_same_bits(text):
    check_same_bits(mjenv.Model.from_xml_string(text), 10)


def test_state_is_read_kept_and_reset():
    data = trajectory(COUNT, nstep=7)
    assert (data.plugin_state == [7, 0]).all()
    # sensors are read before the state moves on, and cut off
    assert (data.sensordata[:, 1] == 6).all()
    assert np.allclose(data.sensordata[:, 0], np.minimum(30, 100 * 6 * 0.002 * (1 + np.arange(9))))
    state = mjenv.get_state(data.model, data, mjenv.mjtState.mjSTATE_PLUGIN)
    mjenv.reset(data.model, data, mask=np.arange(9) == 2)
    assert (data.plugin_state[:, 0] == [7, 7, 0, 7, 7, 7, 7, 7, 7]).all()
    mjenv.set_state(data.model, data, state, mjenv.mjtState.mjSTATE_PLUGIN)
    assert (data.plugin_state[:, 0] == 7).all()


def test_a_world_that_is_reset_starts_anew():
    data = trajectory(COUNT, nstep=3)
    data.qpos[4] = np.nan
    with pytest.warns(mjenv.SimulationWarning):
        mjenv.step(data.model, data)
    assert data.plugin_state[:, 0].tolist() == [4, 4, 4, 4, 1, 4, 4, 4, 4]


def test_an_error_of_a_function_is_raised():
    def broken(model, worlds, instance):
        raise RuntimeError("no wind today")

    mjenv.register_plugin("test.broken", passive=broken)
    text = model('<plugin plugin="test.broken"/>', plugins=["broken"])
    compiled = mjenv.Model.from_xml_string(text)
    with pytest.raises(RuntimeError, match="no wind today"):
        mjenv.step(compiled, mjenv.Data(compiled))


def closed():
    number = 3

    @mjenv.kernel
    def inner(m, d, instance):
        d.qfrc_passive[0] = number

    return inner


WRONG = {
    "twice": ({"name": "test.pull", "passive": pull}, ValueError, "there is a plugin of this name"),
    "nothing": ({"name": "test.none"}, ValueError, "expected a function passive, actuator, sensor or sdf, found none"),
    "field without a box": ({"name": "test.none", "sdf": lambda n, p: 1.0}, ValueError, "expected both of sdf and box"),
    "box that is none": ({"name": "test.none", "sdf": lambda n, p: 1.0, "box": 3}, TypeError, "box: found a int, expected a function"),
    "stage": ({"name": "test.s", "sensor": read, "needstage": "now"}, ValueError, "expected 'pos', 'vel' or 'acc'"),
    "number": ({"name": "test.n", "passive": 3}, TypeError, "passive: found a int, expected a function"),
    "closure": ({"name": "test.c", "passive": closed()}, ValueError, "passive: number: expected constants"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_messages(name):
    arguments, error, message = WRONG[name]
    with pytest.raises(error, match=f"^register_plugin: .*{message}"):
        mjenv.register_plugin(**arguments)
    assert arguments["name"] == "test.pull" or arguments["name"] not in KINDS


def test_settings_are_checked():
    with pytest.raises(mjenv.MjcfError, match=r"test\.careful: size: expected a number"):
        mjenv.Model.from_xml_string(model('<plugin plugin="test.careful"/>'))


def test_numbers_of_unknown_plugins_are_refused():
    compiled = mjenv.Model.from_xml_string(on_body("pull"))
    compiled.plugin[0] = 1000
    with pytest.raises(ValueError, match=r"model\.plugin.*register_plugin"):
        mjenv.Data(compiled)


def test_every_function_has_a_capability():
    assert {place.capability for place in PLACES.values()} - {""} <= set(DRIVEN.values())


@pytest.mark.parametrize("instance", [-1, 0, 7])
def test_instances_that_are_not_there(instance):
    model = mjenv.Model.from_xml_string("<mujoco/>")
    with pytest.raises(ValueError, match=f"instance={instance}, expected one of the model's 0"):
        mjenv.plugin_config(model, instance)
