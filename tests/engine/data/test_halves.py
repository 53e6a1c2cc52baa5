"""Steps in two halves, against MuJoCo's and against whole steps."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.halves import step1, step2
from mjenv.engine.data.step import step

SCENE = """
<mujoco>
  <option timestep="0.004" integrator="{integrator}"/>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .3"><freejoint/><geom type="capsule" size=".1 .2" euler="30 0 0"/>
      <body pos="0 0 .3"><joint name="knee" axis="0 1 0" damping=".1" range="-30 30"/>
        <geom type="capsule" size=".05 .2" pos=".2 0 0"/><site name="tip" pos=".4 0 0"/></body>
    </body>
  </worldbody>
  <actuator>
    <position joint="knee" kp="3"/><general joint="knee" dyntype="filter" dynprm=".1"/>
  </actuator>
  <sensor>
    <framepos objtype="site" objname="tip"/><velocimeter site="tip"/><accelerometer site="tip"/>
  </sensor>
</mujoco>
"""


def controls(data) -> np.ndarray:
    """A controller that reads what the first half has computed."""
    return np.stack([-data.site_xpos[..., 0, 2], data.sensordata[..., 3]], axis=-1)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "implicitfast"])
@pytest.mark.parametrize("nworld", [1, 11])
def test_against_mujoco(integrator, nworld):
    text = SCENE.format(integrator=integrator)
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data = Data(model, nworld)
    source = mujoco.MjData(mj)
    data.qvel[:] = source.qvel[:] = np.linspace(-1, 1, mj.nv)
    for _ in range(40):
        step1(model, data)
        mujoco.mj_step1(mj, source)
        np.testing.assert_allclose(data.xpos[-1], source.xpos, atol=1e-9)
        np.testing.assert_allclose(data.qfrc_bias[-1], source.qfrc_bias, atol=1e-7)
        np.testing.assert_allclose(data.sensordata[-1, :6], source.sensordata[:6], atol=1e-7)
        np.testing.assert_array_equal(data.ncon[-1], source.ncon)
        data.ctrl[:] = controls(data)
        source.ctrl[:] = controls(source)
        step2(model, data)
        mujoco.mj_step2(mj, source)
        np.testing.assert_allclose(data.qpos[-1], source.qpos, atol=1e-8)
        np.testing.assert_allclose(data.qvel[-1], source.qvel, atol=1e-7)
        np.testing.assert_allclose(data.act[-1], source.act, atol=1e-8)
        np.testing.assert_allclose(data.sensordata[-1], source.sensordata, atol=1e-5)
        assert data.time[-1] == pytest.approx(source.time)
    assert source.ncon


def test_two_halves_are_a_whole():
    """Bit for bit, in worlds that differ, some of them left out."""
    model = mjenv.Model.from_xml_string(SCENE.format(integrator="implicitfast"))
    whole, halves = Data(model, 11, keep=["qacc"]), Data(model, 11, width=1, keep=["qacc"])
    speed = np.random.default_rng(0).normal(size=whole.qvel.shape)
    whole.qvel[:] = halves.qvel[:] = speed
    mask = np.arange(11) % 3 > 0
    for _ in range(20):
        step(model, whole, mask=mask)
        step1(model, halves, mask=mask)
        step2(model, halves, mask=mask)
    for name in ("qpos", "qvel", "act", "time", "qacc", "sensordata"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(halves, name), err_msg=name)
    assert not whole.time[0]


def test_a_bad_state_is_reset_in_the_first_half():
    model = mjenv.Model.from_xml_string(SCENE.format(integrator="Euler"))
    for nworld in (1, 9):
        data = Data(model, nworld)
        data.qvel[-1, 0] = np.nan
        data.ctrl[-1] = 1
        step1(model, data)
        assert np.array_equal(data.qpos[-1], model.qpos0)
        assert not data.ctrl[-1].any()
        assert data.warning["number"][-1, 4] == 1


def test_other_models_are_refused():
    one, other = (mjenv.Model.from_xml_string(SCENE.format(integrator="Euler")) for _ in range(2))
    data = Data(one)
    for half in (step1, step2):
        with pytest.raises(ValueError, match=f"{half.__name__}: data were made for another model"):
            half(other, data)


SLEEPING = """
<mujoco>
  <option integrator="{integrator}" tolerance="1e-12"><flag sleep="enable"/></option>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body pos="2 0 1"><joint axis="0 1 0" damping=".5"/>
      <geom type="capsule" size=".05 .2" pos="0 0 -.2"/></body>
  </worldbody>
</mujoco>
"""


@pytest.mark.parametrize("integrator", ["implicit", "implicitfast"])
def test_trees_that_sleep(integrator):
    """Nothing of a sleeping tree moves; what the first half finds wakes it."""
    text = SLEEPING.format(integrator=integrator)
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data, source = Data(model, 3), mujoco.MjData(mj)
    data.qpos[:, 7] = source.qpos[7] = 0.3
    asleep = []
    for k in range(200):
        if k == 150:
            source.xfrc_applied[1, 2] = data.xfrc_applied[:, 1, 2] = 100
        step1(model, data)
        step2(model, data)
        mujoco.mj_step1(mj, source)
        mujoco.mj_step2(mj, source)
        assert data.tree_asleep[1].tolist() == source.tree_asleep.tolist()
        np.testing.assert_allclose(data.qpos[1], source.qpos, atol=1e-9)
        asleep.append(source.tree_asleep[0] >= 0)
    assert any(asleep)
    assert not asleep[-1]


EDITED = """
<mujoco>
  <option timestep="0.01" integrator="{integrator}"/>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 1"><joint axis="0 1 0" damping=".2" stiffness="2" range="-20 20"/>
      <geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
      <body pos=".4 0 0"><joint axis="0 1 0"/>
        <geom type="capsule" size=".05" fromto="0 0 0 .3 0 0"/>
        <site name="tip" pos=".3 0 0"/></body>
    </body>
    <body pos="2 0 .1"><freejoint/><geom size=".1" condim="4"/></body>
  </worldbody>
  <actuator><motor name="m" joint="" /></actuator>
  <sensor><framepos objtype="site" objname="tip"/><accelerometer site="tip"/></sensor>
</mujoco>
""".replace('joint=""', 'site="tip"')


def edit(data, k: int, speed: float) -> None:
    """What somebody does between the halves: to the state, to results, to inputs."""
    state = data.qpos.reshape(-1), data.qvel.reshape(-1), data.qfrc_bias.reshape(-1)
    qpos, qvel, bias = state
    qpos[k % 2] += 0.5
    qvel[1 - k % 2] -= speed
    bias[0] += 0.7
    data.qfrc_passive.reshape(-1)[1] += 0.2
    data.ctrl.reshape(-1)[0] = 0.1 * k


@pytest.mark.sweep(3)
@pytest.mark.parametrize("nworld", [1, 10])
@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "implicitfast"])
def test_the_second_half_works_on_what_the_first_has_left(integrator, nworld):
    """The state and results may be edited in between."""
    text = EDITED.format(integrator=integrator)
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    source, data = mujoco.MjData(mj), Data(model, nworld)
    # derivatives of Coriolis forces take velocities and cvel to belong together
    speed = 0.0 if integrator == "implicit" else 0.3
    for k in range(30):
        mujoco.mj_step1(mj, source)
        step1(model, data)
        edit(source, k, speed)
        for world in range(nworld):
            edit(mjenv.WorldView(model, data, world), k, speed)
        mujoco.mj_step2(mj, source)
        step2(model, data)
        for name in ("qpos", "qvel", "qacc", "sensordata", "time", "xpos"):
            mine, its = getattr(data, name)[-1], getattr(source, name)
            np.testing.assert_allclose(mine, its, rtol=1e-9, atol=1e-9, err_msg=f"{name}, {k}")


def test_the_order_of_legacy_control_loops():
    """The second half first: after forward dynamics of a start whose positions are edited then."""
    text = EDITED.format(integrator="Euler")
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    source, data = mujoco.MjData(mj), Data(model)
    mujoco.mj_forward(mj, source)
    mjenv.forward(model, data)
    source.qpos[0] = data.qpos[0, 0] = 0.3
    for _ in range(50):
        mujoco.mj_step2(mj, source)
        mujoco.mj_step1(mj, source)
        step2(model, data)
        step1(model, data)
    np.testing.assert_allclose(data.qpos[0], source.qpos, rtol=1e-9, atol=1e-9)


def test_a_bad_acceleration_in_the_second_half():
    """The world is reset, and all of its forward dynamics are computed again."""
    text = EDITED.format(integrator="Euler")
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    source, data = mujoco.MjData(mj), Data(model)
    for d in (source, data):
        d.qpos.reshape(-1)[0] = 0.4
    mujoco.mj_step1(mj, source)
    step1(model, data)
    for d in (source, data):
        d.qfrc_applied.reshape(-1)[0] = np.nan
    mujoco.mj_step2(mj, source)
    with pytest.warns(mjenv.SimulationWarning):
        step2(model, data)
    np.testing.assert_allclose(data.qpos[0], source.qpos, atol=1e-12)
    np.testing.assert_allclose(data.xpos[0], source.xpos, atol=1e-12)
    assert data.time[0] == source.time


def test_worlds_of_which_nothing_is_known_take_whole_steps():
    """A reset between the halves concerns its world alone."""
    model = mjenv.Model.from_xml_string(EDITED.format(integrator="Euler"))
    data, alone = Data(model, 3), Data(model)
    step1(model, data)
    mjenv.reset(model, data, mask=np.array([False, True, False]))
    data.qpos[:, 0] = alone.qpos[:, 0] = 0.2
    step2(model, data)
    step2(model, alone)
    assert data.qvel[1].tobytes() == alone.qvel[0].tobytes()
    assert data.qvel[0].tobytes() != alone.qvel[0].tobytes()
