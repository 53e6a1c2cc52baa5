"""Callbacks: they are called with the objects of the caller, and count where the reference's do."""

import ctypes
import gc
import weakref

import mujoco
import numpy as np
import pytest

import mjenv
import mjenv.mujoco as ours
from tests.mjenv.mujoco.scenes import compiled

BOTH = pytest.mark.parametrize("module", [ours, mujoco])
USER = """
<mujoco>
  <option timestep=".01"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body pos="0 0 .09"><freejoint/><geom name="ball" size=".1"/></body>
    <body pos="2 0 1"><joint name="j" type="slide"/><geom size=".1" mass="1" contype="0"/></body>
  </worldbody>
  <actuator>
    <general joint="j" dyntype="user" gaintype="user" biastype="user" actdim="1"/>
  </actuator>
  <sensor><user dim="2" needstage="pos" datatype="real" objtype="geom" objname="ball"/></sensor>
</mujoco>
"""


@pytest.fixture(autouse=True)
def _none_is_left():
    yield
    for module in (ours, mujoco):
        module.mj_resetCallbacks()


def world(module):
    model = module.MjModel.from_xml_string(USER)
    return model, module.MjData(model)


def control(m, d):
    d.ctrl[0] = 3.0 + d.qpos[7]
    d.qfrc_applied[6] = 0.5


def passive(m, d):
    d.qfrc_passive[6] -= 2.0


def sensor(m, d, stage):
    d.sensordata[:] = (stage, d.time)


def numbers(m, d, actuator):
    return 1.5 + actuator


CALLBACKS = {
    "control": control, "passive": passive, "sensor": sensor, "act_dyn": numbers,
    "act_gain": numbers, "act_bias": numbers, "contactfilter": lambda m, d, g1, g2: 1,
}  # fmt: skip


@pytest.mark.parametrize("kind", CALLBACKS)
def test_callback(kind):
    found = {}
    for module in (ours, mujoco):
        m, d = world(module)
        seen = []

        def call(model, data, *which, kind=kind, seen=seen):
            seen.append((model, data))
            return CALLBACKS[kind](model, data, *which)

        getattr(module, f"set_mjcb_{kind}")(call)
        assert getattr(module, f"get_mjcb_{kind}")() is call
        module.mj_step(m, d, 3)
        assert seen
        assert all(model is m and data is d for model, data in seen)
        getattr(module, f"set_mjcb_{kind}")(None)
        assert getattr(module, f"get_mjcb_{kind}")() is None
        count = len(seen)
        module.mj_step(m, d)
        assert len(seen) == count
        found[module] = (d.qpos.copy(), d.qvel.copy(), d.act.copy(), d.sensordata.copy(), d.ncon)
    for mine, real in zip(found[ours], found[mujoco], strict=True):
        np.testing.assert_allclose(mine, real, atol=1e-10)


@BOTH
def test_clock(module):
    m, d = world(module)
    module.set_mjcb_time(lambda: 1.0)
    module.mj_step(m, d)
    assert d.timer[0].duration == 0.0
    module.set_mjcb_time(lambda: "late")
    with pytest.raises(TypeError, match="mjcb_time callback did not return a number"):
        module.mj_forward(m, d)


@BOTH
def test_errors_pass_through(module):
    m, d = world(module)

    def fail(model, data):
        raise KeyError("from the callback")

    module.set_mjcb_control(fail)
    with pytest.raises(KeyError, match="from the callback"):
        module.mj_step(m, d)
    module.mj_resetCallbacks()
    module.mj_step(m, d)
    with pytest.raises(TypeError, match="callback is not an Optional"):
        module.set_mjcb_control(3)


class Reals:
    def __float__(self):
        return 2.5


class Wholes:
    def __int__(self):
        return 1


@pytest.mark.parametrize("kind", ["act_dyn", "act_gain", "act_bias", "contactfilter", "time"])
def test_results(kind):
    """They are converted, or refused, as the bindings do."""
    values = [
        None, "a", b"1", [1], 1j, 0.5, 2, True, np.float64(2), np.float32(2), np.int32(1), -1,
        np.array(2.0), np.ones(2), Reals(), Wholes(), 2**40, np.bool_(1),
    ]  # fmt: skip
    for value in values:
        found = []
        for module in (ours, mujoco):
            m, d = world(module)
            d.ctrl[:], d.act[:] = 1, 1
            getattr(module, f"set_mjcb_{kind}")(lambda *which, value=value: value)
            try:
                module.mj_forward(m, d)
            except TypeError as error:
                found.append(str(error))
            else:
                found.append((d.act_dot.tolist(), d.actuator_force.tolist(), d.ncon))
            module.mj_resetCallbacks()
        assert found[0] == found[1], value


class OwnError(ValueError):
    pass


@BOTH
@pytest.mark.parametrize("kind", ["control", "passive", "act_gain", "contactfilter"])
@pytest.mark.parametrize("run", ["mj_step", "mj_forward"])
def test_own_errors_pass_unchanged(module, kind, run):
    """Also those that the module would raise as FatalError, with their own causes."""

    def fail(*which):
        try:
            {}["x"]
        except KeyError as error:
            raise OwnError("own") from error

    m, d = world(module)
    getattr(module, f"set_mjcb_{kind}")(fail)
    with pytest.raises(OwnError, match="own") as found:
        getattr(module, run)(m, d)
    assert isinstance(found.value.__cause__, KeyError)


@BOTH
def test_parts_of_forward_dynamics_that_call_control(module):
    m, d = world(module)
    calls = []
    for run in ("mj_forward", "mj_step1", "mj_fwdPosition", "mj_fwdVelocity", "mj_fwdActuation",
                "mj_inverse", "mj_invVelocity", "mj_fwdAcceleration", "mj_step2"):  # fmt: skip
        module.set_mjcb_control(lambda m, d, run=run: calls.append(run))
        getattr(module, run)(m, d)
    assert calls == ["mj_forward", "mj_step1"]


def test_callbacks_that_are_gone_leave_nothing():
    """Neither programs nor what functions refer to."""
    m, d = world(ours)

    def step(kind):
        function = CALLBACKS[kind]

        def call(*given):
            return function(*given)

        getattr(ours, f"set_mjcb_{kind}")(call)
        ours.mj_step(m, d)
        getattr(ours, f"set_mjcb_{kind}")(None)
        ours.mj_step(m, d)
        return weakref.ref(call)

    for kind in CALLBACKS:
        step(kind)
    count = len(d.batch.plan.programs)
    gone = [step(kind) for kind in CALLBACKS]
    gc.collect()
    assert len(d.batch.plan.programs) == count
    assert [there() for there in gone] == [None] * len(gone)


SENSED = """
<mujoco>
  <option timestep=".01" integrator="{integrator}"><flag energy="enable" {flags}/></option>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .6">
      <joint name="j" axis="0 1 0" damping=".1"/>
      <geom type="capsule" size=".05" fromto="0 0 0 .3 0 0"/>
      <body pos=".3 0 0">
        <joint name="k" axis="0 1 0"/><geom type="capsule" size=".05" fromto="0 0 0 .3 0 0"/>
        <site name="tip" pos=".3 0 0"/>
      </body>
    </body>
    <body pos="1 0 .09"><freejoint/><geom size=".1"/></body>
  </worldbody>
  <actuator><motor joint="j"/><motor joint="k"/></actuator>
  <sensor>
    <jointpos joint="j" {delay}/><jointvel joint="k"/><framepos objtype="site" objname="tip"/>
    <user dim="2" needstage="pos"/><user dim="1" needstage="vel"/><user dim="1" needstage="acc"/>
    <e_potential/><subtreelinvel body="world"/><accelerometer site="tip"/><clock/>
  </sensor>
</mujoco>
"""


@pytest.mark.parametrize(
    ("integrator", "flags", "delay"),
    [("Euler", "", ""), ("RK4", "", ""), ("implicit", "", 'delay=".02" nsample="4"'),
     ("implicitfast", 'sleep="enable"', "")],
)  # fmt: skip
@pytest.mark.parametrize("run", ["mj_step", "halves", "mj_forward"])
def test_callbacks_see_the_sensors_of_their_step(integrator, flags, delay, run):
    """As far as they are known there: of positions, then of velocities, and energies."""
    found = []
    for module in (ours, mujoco):
        text = SENSED.format(integrator=integrator, flags=flags, delay=delay)
        m = module.MjModel.from_xml_string(text)
        d = module.MjData(m)
        d.qpos[:2], d.qvel[:2] = (0.3, -0.2), (1, -2)
        seen = []

        def see(name, data, seen=seen, integrator=integrator):
            # energies follow the sensors of their phase; RK4 has them between its stages too
            energy = data.energy if name == 0 and integrator != "RK4" else (0, 0)
            seen.append((name, data.time, *data.sensordata, *energy))

        def control(model, data, see=see):
            see(0, data)
            data.ctrl[:] = -data.sensordata[0] - 0.1 * data.sensordata[1], data.sensordata[5]

        def passive(model, data, see=see):
            see(1, data)
            data.qfrc_passive[0] -= data.sensordata[4]

        def sensor(model, data, stage, see=see, delay=delay):
            # where it stands among sensors with a delay is not told
            if not delay:
                see(stage + 1, data)
            values = {1: data.xpos[2, :2], 2: data.qvel[:1], 3: data.qacc[:1]}[stage]
            start = {1: 5, 2: 7, 3: 8}[stage]
            data.sensordata[start : start + len(values)] = values

        module.set_mjcb_control(control)
        module.set_mjcb_passive(passive)
        module.set_mjcb_sensor(sensor)
        for _ in range(5):
            if run == "halves":
                module.mj_step1(m, d)
                seen.append((9, d.time, *d.sensordata, *d.energy))
                module.mj_step2(m, d)
            else:
                getattr(module, run)(m, d)
        module.mj_resetCallbacks()
        found.append(np.array([*seen, (10, d.time, *d.sensordata, *d.energy)]))
    np.testing.assert_allclose(*found, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("kind", ["control", "passive"])
def test_derivatives_follow_callbacks(kind):
    found = []
    for module in (ours, mujoco):
        m = module.MjModel.from_xml_string(SENSED.format(integrator="Euler", flags="", delay=""))
        d = module.MjData(m)
        d.qpos[:2], d.qvel[:2] = (0.3, -0.2), (1, -2)

        def act(model, data, d=d):
            assert data is d
            if kind == "passive":
                data.qfrc_passive[0] -= 3 * data.qpos[0] + data.qvel[1] ** 2
            else:
                data.ctrl[1] = data.sensordata[0]

        getattr(module, f"set_mjcb_{kind}")(act)
        n, nv = 2 * m.nv, m.nv
        step = np.zeros((n, n)), np.zeros((n, m.nu)), np.zeros((m.nsensordata, n))
        module.mjd_transitionFD(m, d, 1e-6, 1, *step, None)
        state = d.time, *d.qpos, *d.qvel, *d.qacc_warmstart
        module.mj_forward(m, d)
        inverse = [np.zeros((nv, nv)) for _ in range(3)]
        module.mjd_inverseFD(m, d, 1e-6, 0, *inverse, None, None, None, None)
        found.append([*step, state, *inverse])
        module.mj_resetCallbacks()
    for mine, real in zip(*found, strict=True):
        np.testing.assert_allclose(mine, real, rtol=1e-5, atol=1e-4)


LOOKS = (
    "qM", "ncon", "nefc", "efc_J", "efc_pos", "efc_D", "cam_xpos", "light_xpos", "actuator_moment",
    "ten_wrapnum", "ne", "nbody_awake",
)  # fmt: skip


@pytest.mark.parametrize("kind", ["control", "passive"])
def test_results_that_callbacks_look_at(kind):
    """They belong to the step under way; those of after it are not those that were looked at."""
    found, after = [], []
    for module in (ours, mujoco):
        m, d = compiled(module, "everything")

        held = []

        def look(model, data, module=module, held=held):
            inertia = np.zeros((model.nv, model.nv))
            module.mj_fullM(model, inertia, data.qM)
            found[-1] += [inertia, *(np.array(getattr(data, name)) for name in LOOKS)]
            found[-1] += [*data.contact.geom, data.contact.dist.copy(), data.contact.pos.copy()]
            held.append(data.qM)

        getattr(module, f"set_mjcb_{kind}")(look)
        found.append([])
        for _ in range(3):
            module.mj_step(m, d)
        after.append((d.qM.copy(), held[0].copy(), d.ncon, d.efc_force.copy(), d.qacc.copy()))
        module.mj_resetCallbacks()
    assert len(found[0]) == len(found[1])
    for mine, real in [*zip(*found, strict=True), *zip(*after, strict=True)]:
        np.testing.assert_allclose(mine, real, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("kind", ["control", "passive"])
@pytest.mark.parametrize("calls", [[4], [1, 1, 1, 1]])
def test_constraints_switched_on_count_from_the_next_step_on(kind, calls):
    xml = """
    <mujoco>
      <worldbody><body><joint name="j" type="slide"/><geom size=".1"/></body></worldbody>
      <equality><joint joint1="j" polycoef=".5 0 0 0 0" active="false"/></equality>
    </mujoco>
    """

    def switch(m, d):
        seen[-1].append((d.time, d.qpos[0], *d.eq_active))
        d.eq_active[0] = d.time > 0.003

    seen = []
    for module in (ours, mujoco):
        model = module.MjModel.from_xml_string(xml)
        data = module.MjData(model)
        getattr(module, f"set_mjcb_{kind}")(switch)
        seen.append([])
        for nstep in calls:
            module.mj_step(model, data, nstep)
        seen[-1].append((data.time, data.qpos[0], *data.eq_active))
    np.testing.assert_allclose(*seen, rtol=1e-9, atol=1e-12)
    assert seen[0][-1][1] > 1e-3


@BOTH
def test_data_made_before_and_after(module):
    m, d = compiled(module, "half_cheetah")
    module.set_mjcb_control(lambda model, data: data.ctrl.fill(0.5))
    other = module.MjData(m)
    for data in (d, other):
        module.mj_step(m, data)
        assert data.ctrl.tolist() == [0.5] * m.nu


@BOTH
def test_messages(module):
    m, d = world(module)
    told = []
    module.set_mju_user_warning(told.append)
    assert module.get_mju_user_warning() is not None
    d.qpos[0] = np.nan
    module.mj_step(m, d)
    module.set_mju_user_warning(None)
    assert len(told) == 1
    assert "Nan, Inf or huge value in QPOS at DOF 0" in told[0]


def test_memory_is_refused():
    with pytest.raises(mjenv.UnsupportedFeature, match="set_mju_user_malloc: memory"):
        ours.set_mju_user_malloc(len)
    ours.set_mju_user_malloc(None)


def test_warnings_go_to_functions_of_ctypes_as_bytes():
    found = []
    receiver = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(found.append)
    model = ours.MjModel.from_xml_string(USER)
    data = ours.MjData(model)
    ours.set_mju_user_warning(receiver)
    try:
        assert ours.get_mju_user_warning() is receiver
        data.qvel[0] = 1e30
        ours.mj_step(model, data)
    finally:
        ours.set_mju_user_warning(None)
    assert len(found) == 1
    assert b"QVEL" in found[0]
