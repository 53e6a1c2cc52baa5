"""Delay buffers from Python against MuJoCo: reading between samples, filling, and messages."""

import mujoco
import numpy as np
import pytest

import mjenv

XML = """
<mujoco>
  <worldbody><body><joint name="j"/><geom size=".1"/><site name="s"/></body></worldbody>
  <actuator><motor name="now" joint="j"/><motor name="late" joint="j" nsample="6"/></actuator>
  <sensor>
    <gyro name="gyro" site="s" nsample="5" interp="cubic" delay=".01"/>
    <clock name="clock"/><jointpos name="one" joint="j" nsample="1"/>
    <accelerometer name="due" site="s" nsample="3" interval=".1"/>
  </sensor>
</mujoco>
"""
NWORLD = 3


@pytest.fixture(scope="module")
def model():
    return mjenv.Model.from_xml_string(XML)


def filled(model):
    """Data of both with random samples at random times."""
    rng = np.random.default_rng(0)
    mj, data = mujoco.MjModel.from_xml_string(XML), mjenv.Data(model, NWORLD)
    sources = [mujoco.MjData(mj) for _ in range(NWORLD)]
    data.ctrl = rng.normal(size=(NWORLD, 2))
    data.sensordata = rng.normal(size=data.sensordata.shape)
    for name, n in (("gyro", 5), ("one", 1), ("due", 3)):
        dim = mj.sensor(name).dim[0]
        times = np.cumsum(rng.uniform(0.001, 0.02, (NWORLD, n)), axis=1)
        values, phase = rng.normal(size=(NWORLD, n, dim)), rng.normal(size=NWORLD)
        mjenv.init_sensor_history(model, data, name, times, values, phase)
        for world, source in enumerate(sources):
            sensor = mj.sensor(name).id
            mujoco.mj_initSensorHistory(
                mj, source, sensor, times[world], values[world], phase[world]
            )
    values = rng.normal(size=(NWORLD, 6))
    mjenv.init_ctrl_history(model, data, "late", np.arange(6.0), values)
    for world, source in enumerate(sources):
        mujoco.mj_initCtrlHistory(mj, source, 1, np.arange(6.0), values[world])
        source.ctrl[:], source.sensordata[:] = data.ctrl[world], data.sensordata[world]
    return mj, sources, data


def test_filling(model):
    _, sources, data = filled(model)
    np.testing.assert_array_equal(data.history, [source.history for source in sources])
    mjenv.init_sensor_history(model, data, "due", phase=7)
    assert np.all(data.history[:, model.sensor_historyadr[3]] == 7)


@pytest.mark.parametrize("turned", [0, 2])
def test_reading(model, turned):
    """At, between and beyond samples, wherever the newest one stands in the ring."""
    mj, sources, data = filled(model)
    for adr, n in ((model.sensor_historyadr[0], 5), (model.actuator_historyadr[1], 6)):
        if turned:
            times = data.history[:, adr + 2 : adr + 2 + n]
            times[...] = np.roll(times, turned, axis=1)
            data.history[:, adr + 1] = turned - 1
    for world, source in enumerate(sources):
        source.history[:] = data.history[world]
    rng = np.random.default_rng(1)
    start, n = model.sensor_historyadr[0] + 2, 5
    moments = [
        *rng.uniform(-0.05, 0.15, (20, NWORLD)),
        *data.history[:, start : start + n].T + 0.01,
    ]
    for time in moments:
        for order in (-1, 0, 1, 2):
            found = mjenv.read_ctrl(model, data, "late", 40 * time, order)
            other = mjenv.read_ctrl(model, data, "now", 40 * time, order)
            for world, source in enumerate(sources):
                expected = mujoco.mj_readCtrl(mj, source, 1, 40 * time[world], order)
                assert found[world] == pytest.approx(expected, abs=1e-12)
                assert other[world] == source.ctrl[0]
            for sensor in range(mj.nsensor):
                found = mjenv.read_sensor(model, data, sensor, time, order)
                for world, source in enumerate(sources):
                    result = np.zeros(mj.sensor_dim[sensor])
                    read = mujoco.mj_readSensor(mj, source, sensor, time[world], result, order)
                    expected = result if read is None else np.asarray(read).ravel()
                    np.testing.assert_allclose(found[world], expected, atol=1e-9)


def test_messages(model):
    data = mjenv.Data(model, 2)
    with pytest.raises(
        ValueError, match=r"init_sensor_history: sensor 'clock': it has no delay buffer"
    ):
        mjenv.init_sensor_history(model, data, "clock")
    with pytest.raises(
        ValueError, match=r"init_ctrl_history: actuator 'late': times do not increase"
    ):
        mjenv.init_ctrl_history(model, data, "late", np.zeros(6))
    with pytest.raises(ValueError, match=r"read_sensor: interp=3: expected -1, 0, 1 or 2"):
        mjenv.read_sensor(model, data, "gyro", 0.0, 3)
    with pytest.raises(
        ValueError, match=r"values has shape \(3,\), expected \(5, 3\) or \(2, 5, 3\)"
    ):
        mjenv.init_sensor_history(model, data, "gyro", None, np.zeros(3))
    with pytest.raises(KeyError, match=r"did you mean 'gyro'"):
        mjenv.read_sensor(model, data, "gyr", 0.0)
