"""Functions of the user's inside of the pipeline, beside MuJoCo's callbacks."""

import copy

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv import kernel
from mjenv.engine.simd.lanes import select

NWORLD, NSTEP = 9, 7
XML = """
<mujoco>
  <option timestep="0.01" integrator="{integrator}"/>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body pos="0 0 0.15">
      <joint name="x" type="slide" axis="1 0 0"/>
      <joint name="z" type="slide" axis="0 0 1" damping="0.1"/>
      <geom size="0.1" mass="1"/>
      <body pos="0.3 0 0.3">
        <joint name="h" axis="0 1 0" damping="0.1"/>
        <geom size="0.05" pos="0.1 0 0" mass="0.3"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="push" joint="x" ctrlrange="-3 3"/>
    <general name="own" joint="h" dyntype="user" gaintype="user" biastype="user" actdim="1"
    gainprm="2" biasprm="0.5"/>
    <general name="two" joint="z" dyntype="user" gaintype="fixed" gainprm="2" actdim="2"/>
  </actuator>
  <sensor>
    <user name="u1" dim="2" needstage="vel"/>
    <user name="u2" dim="1" needstage="acc" cutoff="0.5"/>
    <jointpos joint="h"/>
  </sensor>
</mujoco>
"""
GAIN = 4.0


@kernel
def control(m, d):
    d.ctrl[0] = -GAIN * d.qpos[0] - d.qvel[0] + 0.1 * d.xpos[3 * (m.nbody - 1) + 2]
    d.ctrl[1] = select(d.qpos[2] > 0.0, 0.3, -0.2)
    d.qfrc_applied[1] = 0.2 * d.time[0]


@kernel
def passive(m, d):
    d.qfrc_passive[0] = d.qfrc_passive[0] - 0.3 * d.qvel[0]


@kernel
def sensor(m, d, stage):
    if stage == 2:
        d.sensordata[0] = d.qvel[0]
        d.sensordata[1] = d.cvel[6]
    if stage == 3:
        d.sensordata[2] = d.qacc[2]


@kernel
def act_dyn(m, d, u):
    if u == 2:
        d.act_dot[1] = d.ctrl[2] - d.act[1]
        d.act_dot[2] = d.act[1] - 2.0 * d.act[2]
        return 0.0
    return d.ctrl[u] - d.act[0]


@kernel
def act_gain(m, d, u):
    return m.actuator_gainprm[10 * u] * (1.0 + d.actuator_length[u])


@kernel
def act_bias(m, d, u):
    return m.actuator_biasprm[10 * u] - 0.1 * d.actuator_velocity[u]


# the same in Python, for the arrays of one or many worlds
def py_control(model, d):
    many = d.qpos.ndim == 2
    q, v, ctrl = (x if many else x[None] for x in (d.qpos, d.qvel, d.ctrl))
    xpos = d.xpos if many else d.xpos[None]
    ctrl[:, 0] = -GAIN * q[:, 0] - v[:, 0] + 0.1 * xpos[:, -1, 2]
    ctrl[:, 1] = np.where(q[:, 2] > 0, 0.3, -0.2)
    d.qfrc_applied[..., 1] = 0.2 * np.asarray(d.time)


def py_passive(model, d):
    d.qfrc_passive[..., 0] -= 0.3 * d.qvel[..., 0]


def py_sensor(model, d, stage):
    if stage == 2:
        d.sensordata[..., 0] = d.qvel[..., 0]
        d.sensordata[..., 1] = d.cvel[..., 1, 0]
    if stage == 3:
        d.sensordata[..., 2] = d.qacc[..., 2]


def py_act_dyn(model, d, u):
    if u == 2:
        d.act_dot[..., 1] = d.ctrl[..., 2] - d.act[..., 1]
        d.act_dot[..., 2] = d.act[..., 1] - 2 * d.act[..., 2]
        return 0.0
    return d.ctrl[..., u] - d.act[..., 0]


def py_act_gain(model, d, u):
    return model.actuator_gainprm[u, 0] * (1 + d.actuator_length[..., u])


def py_act_bias(model, d, u):
    return model.actuator_biasprm[u, 0] - 0.1 * d.actuator_velocity[..., u]


KINDS = ("control", "passive", "sensor", "act_dyn", "act_gain", "act_bias")
COMPILED = dict(zip(KINDS, (control, passive, sensor, act_dyn, act_gain, act_bias), strict=True))
PYTHON = dict(
    zip(
        KINDS,
        (py_control, py_passive, py_sensor, py_act_dyn, py_act_gain, py_act_bias),
        strict=True,
    )
)


def start(model, hooks, nworld=NWORLD, **options):
    data = mjenv.Data(model, nworld, **options)
    for kind, function in hooks.items():
        mjenv.set_hook(data, kind, function)
    rng = np.random.default_rng(0)
    data.qvel[:] = rng.normal(size=(NWORLD, 3))[:nworld]
    data.ctrl[:] = rng.uniform(-1, 1, (NWORLD, 3))[:nworld]
    data.act[:] = rng.uniform(-1, 1, (NWORLD, 3))[:nworld]
    return data


@pytest.fixture
def callbacks():
    """A function that gives MuJoCo the same callbacks, once models are compiled."""
    setters = [getattr(mujoco, f"set_mjcb_{kind}") for kind in KINDS]

    def enter():
        for setter, function in zip(setters, PYTHON.values(), strict=True):
            setter(function)

    yield enter
    for setter in setters:
        setter(None)


@pytest.mark.parametrize("hooks", [COMPILED, PYTHON], ids=["compiled", "python"])
@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicitfast"])
def test_steps(callbacks, integrator, hooks):
    xml = XML.format(integrator=integrator)
    mj, model = mujoco.MjModel.from_xml_string(xml), mjenv.Model.from_xml_string(xml)
    data = start(model, hooks)
    sources = []
    for world in range(NWORLD):
        sources.append(mujoco.MjData(mj))
        for name in ("qvel", "ctrl", "act"):
            getattr(sources[-1], name)[:] = getattr(data, name)[world]
    mjenv.step(model, data, NSTEP)
    callbacks()
    for world, source in enumerate(sources):
        mujoco.mj_step(mj, source, NSTEP)
        for name in ("qpos", "qvel", "act", "ctrl", "sensordata", "qfrc_passive", "qfrc_applied",
                     "actuator_force", "act_dot"):  # fmt: skip
            np.testing.assert_allclose(
                getattr(data, name)[world], getattr(source, name), rtol=1e-9, atol=1e-9,
                err_msg=name,
            )  # fmt: skip
    assert np.abs(data.sensordata[:, 2]).max() == 0.5


def test_same_bits():
    model = mjenv.Model.from_xml_string(XML.format(integrator="Euler"))
    results = []
    for hooks in (COMPILED, PYTHON):
        for options in ({}, {"width": 1}, {"nthread": 2}, {"keep": []}):
            data = start(model, hooks, **options)
            mjenv.step(model, data, NSTEP)
            results.append(mjenv.get_state(model, data, mjenv.State.INTEGRATION))
            one = start(model, hooks, 1)
            mjenv.step(model, one, NSTEP)
            assert np.array_equal(one.qpos[0], data.qpos[0])
    for result in results[1:]:
        assert np.array_equal(result[:, :7], results[0][:, :7])


def test_worlds_are_known():
    """Hooks in Python find the worlds that they handle by their indices."""
    model = mjenv.Model.from_xml_string(XML.format(integrator="Euler"))
    target = np.arange(NWORLD) * 0.1
    seen = []

    def aim(model, worlds):
        seen.extend(worlds.world)
        worlds.ctrl[:, 0] = target[worlds.world]

    data = start(model, {"control": aim})
    mjenv.forward(model, data)
    np.testing.assert_array_equal(data.ctrl[:, 0], target)
    assert sorted(seen) == list(range(NWORLD))
    seen.clear()
    mjenv.forward(model, data, mask=np.arange(NWORLD) % 2 == 1)
    assert sorted(seen) == [1, 3, 5, 7]


@mjenv.kernel
def reads_what_is_made_of_others(m, d):
    """A hook that names a field for which threads have no memory."""
    d.ctrl[0] = d.iefc_J[0]


def test_fields_without_memory_are_refused():
    model = mjenv.Model.from_xml_string(XML.format(integrator="Euler"))
    data = start(model, {})
    with pytest.raises(mjenv.UnsupportedFeature, match="hook: 'iefc_J': data make this field"):
        mjenv.set_hook(data, "control", reads_what_is_made_of_others)
    mjenv.set_hook(data, "control", lambda model, worlds: worlds.iM)
    with pytest.raises(AttributeError, match="hook: 'iM': data make this field of others"):
        mjenv.forward(model, data)


def test_hooks_come_and_go():
    model = mjenv.Model.from_xml_string(XML.format(integrator="Euler"))
    data, plain = start(model, PYTHON), start(model, {})
    for kind in KINDS:
        mjenv.set_hook(data, kind, None)
    for d in (data, plain):
        mjenv.step(model, d, 2)
    assert np.array_equal(data.qpos, plain.qpos)
    # without hooks gains are 1, biases and rates 0
    np.testing.assert_allclose(plain.actuator_force[:, 1], plain.act[:, 0])
    assert not plain.act_dot.any()
    mjenv.set_hook(data, "control", control)
    other = copy.deepcopy(data)
    for d in (data, other):
        mjenv.step(d.model, d, 3)
    assert np.array_equal(data.qpos, other.qpos)
    assert not np.array_equal(data.ctrl, plain.ctrl)


def test_halves_of_a_step():
    """The first half calls the control hook, the second takes what the user makes of it."""
    model = mjenv.Model.from_xml_string(XML.format(integrator="Euler"))
    data, whole = start(model, {"control": py_control}), start(model, {"control": control})
    mjenv.step(model, whole)
    mjenv.step1(model, data)
    np.testing.assert_array_equal(data.ctrl, whole.ctrl)
    data.ctrl[:, 0] += 1
    mjenv.step2(model, data)
    np.testing.assert_array_equal(data.ctrl[:, 0], whole.ctrl[:, 0] + 1)
    assert not np.array_equal(data.qvel, whole.qvel)


def test_derivatives_see_hooks():
    model = mjenv.Model.from_xml_string(XML.format(integrator="Euler"))
    data, plain = start(model, {"control": control}), start(model, {})
    h = model.opt.timestep
    extra = mjenv.transition_fd(model, data).A - mjenv.transition_fd(model, plain).A
    # the row of the velocity along x by its position: a spring of stiffness GAIN
    np.testing.assert_allclose(extra[:, 3, 0], -GAIN * h / 1.3, rtol=1e-6)


@kernel
def drag(m, d, factor=1.0):
    d.qfrc_passive[0] = d.qfrc_passive[0] - factor * DRAG


DRAG = 2.0


def test_numbers_that_a_hook_names_count_when_it_is_set(monkeypatch):
    model = mjenv.Model.from_xml_string(XML.format(integrator="Euler"))
    data = mjenv.Data(model, 1, keep=["qfrc_passive"])
    found = []
    for factor, value in ((1.0, 2.0), (1.0, 3.0), (5.0, 3.0), (1.0, 2.0)):
        monkeypatch.setattr(drag, "__defaults__", (factor,))
        monkeypatch.setitem(globals(), "DRAG", value)
        mjenv.set_hook(data, "passive", drag)
        mjenv.forward(model, data)
        found.append(-data.qfrc_passive[0, 0])
    assert found == [2.0, 3.0, 15.0, 2.0]


def test_messages():
    model = mjenv.Model.from_xml_string(XML.format(integrator="Euler"))
    data, local = mjenv.Data(model, 2), 3.0

    @kernel
    def inner(m, d):
        d.ctrl[0] = local

    def broken(model, worlds):
        raise ArithmeticError("mine")

    def misspelt(model, worlds):
        return worlds.qpoos

    with pytest.raises(ValueError, match="set_hook: kind='contrl': expected one of 'control'"):
        mjenv.set_hook(data, "contrl", broken)
    with pytest.raises(ValueError, match="set_hook: inner: local: expected constants of the mod"):
        mjenv.set_hook(data, "control", inner)
    mjenv.set_hook(data, "control", broken)
    with pytest.raises(ArithmeticError, match="mine"):
        mjenv.step(model, data)
    mjenv.set_hook(data, "control", misspelt)
    with pytest.raises(AttributeError, match="hook: 'qpoos': expected a field of mjData"):
        mjenv.step(model, data)
    mjenv.set_hook(data, "control", None)
    mjenv.step(model, data)
