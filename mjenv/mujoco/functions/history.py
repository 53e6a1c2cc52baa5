"""Functions of delay buffers of actuators and sensors."""

import numpy as np

from mjenv.engine.analysis import past
from mjenv.mujoco.structs import MjData, MjModel


def mj_readCtrl(m: MjModel, d: MjData, id: int, time: float, interp: int) -> float:
    """Control of an actuator at a time, out of its delay buffer."""
    return past.read_ctrl(d.batch.model, d.batch, id, time, interp)[0]


def mj_readSensor(m: MjModel, d: MjData, id: int, time: float, result: np.ndarray, interp: int):
    """Reading of a sensor at a time, out of its delay buffer."""
    result[:] = past.read_sensor(d.batch.model, d.batch, id, time, interp)[0]
    return result


def mj_initCtrlHistory(
    m: MjModel, d: MjData, id: int, times: np.ndarray, values: np.ndarray
) -> None:
    """Fill the delay buffer of an actuator."""
    past.init_ctrl_history(d.batch.model, d.batch, id, times, values)


def mj_initSensorHistory(
    m: MjModel, d: MjData, id: int, times: np.ndarray, values: np.ndarray, phase: float
) -> None:
    """Fill the delay buffer of a sensor."""
    past.init_sensor_history(d.batch.model, d.batch, id, times, values, phase)
