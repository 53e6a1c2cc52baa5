"""Delay buffers of actuators and sensors from Python: read them at any time, fill them."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import LARGEST, whole
from ..data.request import check_data
from ..data.views import takes_views
from ..physics.smooth.delay_buffers import LINEAR, ZERO_ORDER_HOLD
from ..tables.enums import MINVAL
from .vectors import rows_of

if TYPE_CHECKING:
    from ..data.data import Data
    from ..model.model import Model


@takes_views
def read_ctrl(
    model: "Model", data: "Data", actuator: int | str, time: ArrayLike, interp: int = -1
) -> np.ndarray:
    """Control of an actuator as it acts at a time, its delay taken into account (mj_readCtrl).

    Args:
        model: the model that the data were made for.
        data: worlds.
        actuator: id or name.
        time: when (s), a number or (nworld,).
        interp: between samples 0 holds the earlier one, 1 is linear, 2 cubic; -1: as the model
            says.

    Returns:
        (nworld,). Without a buffer, the present control.

    Raises:
        ValueError: data of another model, or an argument out of range.
        KeyError, IndexError: there is no such actuator.
    """
    where, u = "read_ctrl", model.actuator(actuator).id
    n, order = model.actuator_history[u]
    time = _moments(model, data, where, time, interp) - model.actuator_delay[u]
    if n == 0:
        return data.ctrl[:, u].copy()
    samples = _samples(data, model.actuator_historyadr[u], n, 1)
    return _between(*samples, time, order if interp < 0 else interp)[:, 0]


@takes_views
def read_sensor(
    model: "Model", data: "Data", sensor: int | str, time: ArrayLike, interp: int = -1
) -> np.ndarray:
    """Reading of a sensor at a time, its delay taken into account (mj_readSensor).

    Args:
        model: the model that the data were made for.
        data: worlds.
        sensor: id or name.
        time: when (s), a number or (nworld,).
        interp: between samples 0 holds the earlier one, 1 is linear, 2 cubic; -1: as the model
            says.

    Returns:
        (nworld, dim). Without a buffer, the present reading.

    Raises:
        ValueError: data of another model, or an argument out of range.
        KeyError, IndexError: there is no such sensor.
    """
    where, s = "read_sensor", model.sensor(sensor).id
    n, order = model.sensor_history[s]
    adr, dim = model.sensor_adr[s], model.sensor_dim[s]
    time = _moments(model, data, where, time, interp) - model.sensor_delay[s]
    if n == 0:
        return data.sensordata[:, adr : adr + dim].copy()
    samples = _samples(data, model.sensor_historyadr[s], n, dim)
    return _between(*samples, time, order if interp < 0 else interp)


@takes_views
def init_ctrl_history(
    model: "Model",
    data: "Data",
    actuator: int | str,
    times: ArrayLike | None = None,
    values: ArrayLike | None = None,
) -> None:
    """Fill the delay buffer of an actuator (mj_initCtrlHistory).

    Args:
        model: the model that the data were made for.
        data: worlds.
        actuator: id or name.
        times: when the samples were taken (s), increasing: (n,) or (nworld, n); None keeps them.
        values: samples, (n,) or (nworld, n); None keeps them.

    Raises:
        ValueError: data of another model, no buffer, or an argument of the wrong shape or order.
        KeyError, IndexError: there is no such actuator.
    """
    where, u = "init_ctrl_history", model.actuator(actuator).id
    n, adr = model.actuator_history[u, 0], model.actuator_historyadr[u]
    if values is not None:
        values = rows_of(data, values, where, "values", int(n))
    _fill(model, data, where, f"actuator {actuator!r}", adr, n, 1, times, values)


@takes_views
def init_sensor_history(
    model: "Model",
    data: "Data",
    sensor: int | str,
    times: ArrayLike | None = None,
    values: ArrayLike | None = None,
    phase: ArrayLike = 0.0,
) -> None:
    """Fill the delay buffer of a sensor (mj_initSensorHistory).

    Args:
        model: the model that the data were made for.
        data: worlds.
        sensor: id or name.
        times: when the samples were taken (s), increasing: (n,) or (nworld, n); None keeps them.
        values: samples, (n, dim) or (nworld, n, dim); None keeps them.
        phase: when a sensor with an interval was last due (s), a number or (nworld,).

    Raises:
        ValueError: data of another model, no buffer, or an argument of the wrong shape or order.
        KeyError, IndexError: there is no such sensor.
    """
    where, s = "init_sensor_history", model.sensor(sensor).id
    n, adr, dim = model.sensor_history[s, 0], model.sensor_historyadr[s], model.sensor_dim[s]
    phase = rows_of(data, phase, where, "phase")
    if values is not None:
        values = rows_of(data, values, where, "values", int(n), int(dim))
    _fill(model, data, where, f"sensor {sensor!r}", adr, n, dim, times, values)
    data.history[:, adr] = phase


def _moments(model: "Model", data: "Data", where: str, time: Any, interp: int) -> np.ndarray:
    """Times in all worlds; checks of what reading has in common."""
    check_data(model, data, where)
    if whole(interp, where, "interp", -LARGEST) not in (-1, 0, 1, 2):
        raise ValueError(f"{where}: interp={interp}: expected -1, 0, 1 or 2")
    return rows_of(data, time, where, "time")


def _samples(data: "Data", adr: int, n: int, dim: int):
    """Times (nworld, n) and values (nworld, n, dim) of a buffer, the oldest first."""
    place = (data.history[:, adr + 1].astype(int)[:, None] + 1 + np.arange(n)) % n
    times = data.history[:, adr + 2 : adr + 2 + n]
    values = data.history[:, adr + 2 + n : adr + 2 + n + n * dim].reshape(-1, n, dim)
    return np.take_along_axis(times, place, 1), np.take_along_axis(values, place[:, :, None], 1)


def _between(times: Any, values: Any, time: Any, order: int) -> np.ndarray:
    """Values (nworld, dim) at a time of each world; see `history.read_history`."""
    n, worlds = times.shape[1], np.arange(len(times))
    k = np.sum(times < time[:, None], axis=1)
    # a sample that is there at the time is the answer, and so are the first and the last outside
    last = np.clip(k, 0, n - 1)
    exact = np.where(time >= times[:, -1] - MINVAL, n - 1, last)
    exact = np.where(time <= times[:, 0] + MINVAL, 0, exact)
    met = (exact != last) | (k == 0) | (k == n) | (np.abs(time - times[worlds, last]) < MINVAL)
    after, before = np.clip(k, 1, max(n - 1, 1)) % n, np.clip(k - 1, 0, n - 1)
    y0, y1 = values[worlds, before], values[worlds, after]
    start = times[worlds, before]
    gap = np.where(met, 1.0, times[worlds, after] - start)[:, None]
    x = (time - start)[:, None] / gap
    if order == ZERO_ORDER_HOLD:
        result = y0
    elif order == LINEAR:
        result = y0 + x * (y1 - y0)
    else:
        result = _cubic(times, values, before, after, x, gap)
    return np.where(met[:, None], values[worlds, exact], result)


def _cubic(
    times: np.ndarray,
    values: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
    x: np.ndarray,
    gap: np.ndarray,
) -> np.ndarray:
    """Hermite's cubic between two samples; slopes from the neighbours, zero at the ends."""
    n, worlds = times.shape[1], np.arange(len(times))
    y0, y1 = values[worlds, before], values[worlds, after]
    far0, far1 = np.maximum(before - 1, 0), np.minimum(after + 1, n - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope0 = (y1 - values[worlds, far0]) / (times[worlds, after] - times[worlds, far0])[:, None]
        slope1 = (values[worlds, far1] - y0) / (times[worlds, far1] - times[worlds, before])[
            :, None
        ]
    slope0 = np.where((before > 0)[:, None], slope0, 0.0)
    slope1 = np.where((after < n - 1)[:, None], slope1, 0.0)
    x2 = x * x
    x3 = x2 * x
    value = (2 * x3 - 3 * x2 + 1) * y0 + (x3 - 2 * x2 + x) * (gap * slope0)
    return value + (3 * x2 - 2 * x3) * y1 + (x3 - x2) * (gap * slope1)


def _fill(
    model: "Model",
    data: "Data",
    where: str,
    what: str,
    adr: int,
    n: int,
    dim: int,
    times: Any,
    values: Any,
) -> None:
    """Enter times and values; the last sample is the newest."""
    check_data(model, data, where)
    if n == 0:
        raise ValueError(f"{where}: {what}: it has no delay buffer; expected nsample above 0")
    target = data.history[:, adr + 2 : adr + 2 + n]
    given = target if times is None else rows_of(data, times, where, "times", int(n))
    if np.any(np.diff(given, axis=1) < MINVAL):
        raise ValueError(f"{where}: {what}: times do not increase; expected the oldest first")
    target[...] = given
    data.history[:, adr + 1] = n - 1
    if values is not None:
        data.history[:, adr + 2 + n : adr + 2 + n + n * dim] = values.reshape(data.nworld, -1)
