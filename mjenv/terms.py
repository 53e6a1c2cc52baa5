"""Terms that tasks of robots share: what is rewarded, what it costs, and how things stand.

The functions take arrays of one world or of many and work on the last axis; they run in compiled
tasks with the same bits. Quaternions are (..., 4), w first, as in `qpos` and `xquat`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mjenv.functions import arccos, arctan2, exp, sin
from mjenv.task.near_names import WeightsError, did_you_mean

# tables of terms


def weighed(reward: Mapping[str, Any], weights: Mapping[str, float]) -> dict[str, Any]:
    """Terms of a reward, each times its weight.

    Args:
        reward: name -> term (...).
        weights: name -> number, for each of the terms: a parameter of the task.

    Raises:
        WeightsError: a term has no weight, or a weight no term; a `ValueError`, which
            environments raise when they are made.
    """
    for names, known, lacks in ((reward, weights, "weight"), (weights, reward, "term")):
        for name in names:
            if name not in known:
                hint = did_you_mean(name, known)
                raise WeightsError(
                    f"weighed: found {name!r}, for which there is no {lacks}; {hint}"
                )
    return {name: weights[name] * term for name, term in reward.items()}


def scaled(value: Any, scale: Any, clip: float | None = None) -> Any:
    """A part of an observation, limited to [-clip, clip] in its own unit, and then times `scale`.

    Raises:
        ValueError: the limit is no positive number.
    """
    if clip is None:
        return scale * value
    if not clip > 0.0:
        raise ValueError(f"scaled: clip is {clip!r}, expected a number above 0")
    return scale * np.clip(value, -clip, clip)


# how things stand


def _quats(quat: Any) -> Any:
    """Quaternions, after a look at their shape."""
    if np.shape(quat)[-1:] != (4,):
        raise ValueError(
            f"found an array of shape {np.shape(quat)}, expected quaternions (..., 4), such as "
            "data.qpos[..., 3:7] of a free joint"
        )
    return quat


def _truth(contact: Any) -> Any:
    """True if things touch, after a look at the type."""
    if contact.dtype != np.bool_:
        raise TypeError(
            f"contact: found an array of {contact.dtype}, expected bool: compare forces, such as "
            "data.sensordata[..., 6:10] > 1.0"
        )
    return contact


def rotate(quat: Any, vector: Any) -> Any:
    """A vector (..., 3) of a frame, in the world; the frame's quaternion is (..., 4)."""
    return _turn(_quats(quat)[..., :1], quat[..., 1:], vector)


def rotate_back(quat: Any, vector: Any) -> Any:
    """A vector (..., 3) of the world, in a frame; the frame's quaternion is (..., 4)."""
    return _turn(_quats(quat)[..., :1], -quat[..., 1:], vector)


def multiply(a: Any, b: Any) -> Any:
    """Product of quaternions (..., 4): what is turned by `b`, and then by `a`."""
    v, u = _quats(a)[..., 1:], _quats(b)[..., 1:]
    vector = a[..., :1] * u + b[..., :1] * v + _cross(v, u)
    scalar = a[..., 0] * b[..., 0] - (v * u).sum(axis=-1)
    return np.concatenate([scalar[..., None], vector], axis=-1)


def conjugate(quat: Any) -> Any:
    """The rotation back (..., 4)."""
    return np.concatenate([_quats(quat)[..., :1], -quat[..., 1:]], axis=-1)


def _turn(w: Any, u: Any, vector: Any) -> Any:
    twice = 2.0 * _cross(u, vector)
    return vector + w * twice + _cross(u, twice)


def _cross(a: Any, b: Any) -> Any:
    return np.stack(
        [
            a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1],
            a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
            a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0],
        ],
        axis=-1,
    )


def down(quat: Any) -> Any:
    """Direction of gravity in a frame, (..., 3): (0, 0, -1) where it stands upright."""
    quat = _quats(quat)
    w, x, y, z = (quat[..., i] for i in range(4))
    return np.stack(
        [2.0 * (w * y - x * z), -2.0 * (w * x + y * z), 2.0 * (x * x + y * y) - 1.0], axis=-1
    )


def yaw(quat: Any) -> Any:
    """Angle (...) about the vertical by which a frame's x-axis is turned from the world's."""
    quat = _quats(quat)
    w, x, y, z = (quat[..., i] for i in range(4))
    return arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def upright(quat: Any) -> Any:
    """1 (...) where a frame's z-axis points up, 0 where it is level, -1 upside down."""
    quat = _quats(quat)
    return 1.0 - 2.0 * (quat[..., 1] * quat[..., 1] + quat[..., 2] * quat[..., 2])


def distance(a: Any, b: Any) -> Any:
    """Between points (..., n)."""
    return np.sqrt(np.square(a - b).sum(axis=-1))


def angle(a: Any, b: Any) -> Any:
    """Between orientations, quaternions (..., 4): 0 to pi."""
    along = np.minimum(np.abs((_quats(a) * _quats(b)).sum(axis=-1)), 1.0)
    return 2.0 * arccos(along)


def clock(phase: Any, pace: float, dt: float) -> Any:
    """Angle (...) of a clock after another step of `dt`, from 0 to 2 pi: `pace` turns a second."""
    turn = phase + 2 * np.pi * pace * dt
    return np.where(turn > 2 * np.pi, turn - 2 * np.pi, turn)


def strides(phase: Any) -> Any:
    """Heights of two feet that step in turn with a clock, (..., 2): 0 to 1, 0 on the ground."""
    wave = sin(phase)
    return np.maximum(np.stack([wave, -wave], axis=-1), 0.0)


# what is rewarded


def track(value: Any, target: Any, width: float) -> Any:
    """1 where values (..., n) are at their target, exp(-1) at a distance of `width` from it.

    Raises:
        ValueError: the width is no positive number.
    """
    return exp(-np.square(value - target).sum(axis=-1) / _wide("track", width) ** 2)


def near(x: Any, width: float) -> Any:
    """1 at x = 0, exp(-1) at a distance of `width`; of numbers (...).

    Raises:
        ValueError: the width is no positive number.
    """
    return exp(-np.square(x) / _wide("near", width) ** 2)


def _wide(name: str, width: Any) -> Any:
    """A width, after a look at it."""
    number = isinstance(width, float | int | np.number)
    if isinstance(width, list | tuple) or (number and not width > 0.0):
        raise ValueError(f"{name}: width is {width!r}, expected a number above 0")
    return width


def air_time(seconds: Any, contact: Any, dt: float) -> Any:
    """Time for which feet (..., n) have been in the air, after another step of `dt`.

    Args:
        seconds: before the step, an array of the task's own.
        contact: bool, whether they touch something now.
        dt: duration of a step.
    """
    return np.where(_truth(contact), 0.0, seconds + dt)


def landed(seconds: Any, contact: Any, goal: float) -> Any:
    """Time beyond `goal` for which feet that touch down were in the air; a sum over them.

    Args:
        seconds: in the air so far, from `air_time` before this step; 0 for feet that stood.
        contact: bool, whether they touch something now.
        goal: seconds.
    """
    steps = _truth(contact) & (seconds > 0.0)
    return np.where(steps, seconds - goal, 0.0).sum(axis=-1)


# what it costs


def squares(x: Any) -> Any:
    """Sum of squares over the last axis."""
    return np.square(x).sum(axis=-1)


def change(action: Any, last: Any) -> Any:
    """Difference of an action (..., nu) from the one before: the sum of squares."""
    return np.square(action - last).sum(axis=-1)


def power(force: Any, velocity: Any) -> Any:
    """Power of actuators, driving or braking (W): the sum of |force * velocity|."""
    return np.abs(force * velocity).sum(axis=-1)


def slip(contact: Any, velocity: Any) -> Any:
    """Sum of the squared horizontal velocities of feet that touch something.

    Args:
        contact: bool (..., n).
        velocity: (..., n, 3) in the world, or (..., 3 * n).
    """
    parts = velocity.reshape(*_truth(contact).shape, 3)
    return np.where(contact, np.square(parts[..., :2]).sum(axis=-1), 0.0).sum(axis=-1)


def beyond(x: Any, low: Any, high: Any) -> Any:
    """Excess of values (..., n) over their range; a sum over them."""
    over, under = np.maximum(x - high, 0.0), np.maximum(low - x, 0.0)
    return (over + under).sum(axis=-1)
