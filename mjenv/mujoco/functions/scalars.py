"""Functions of single numbers, and of muscles and friction cones.

Of cones, the bindings take the number of friction coefficients for the dimension of the contact,
which is 1 more, and so leave out the last pair of edges; so do these.
"""

import math

import numpy as np

from mjenv import mju
from mjenv.engine.tables.enums import MAXVAL
from mjenv.mujoco.functions.tables import define


def _halton(index: int, base: int) -> float:
    """The radical inverse of a number in a base."""
    inverse, digit = 0.0, 1.0 / base
    while index > 0:
        index, rest = divmod(index, base)
        inverse += digit * rest
        digit /= base
    return inverse


def _round(x: float) -> int:
    # what the processor makes of others is no int of 32 bits
    if not -(2**31) <= x < 2**31 - 0.5:
        return -(2**31)
    lower = math.floor(x)
    return lower if x - lower < 0.5 else lower + 1


def _encode(pyramid: np.ndarray, force: np.ndarray, mu: np.ndarray) -> None:
    dim = len(mu)
    if dim > 1:
        pyramid[: 2 * dim - 2] = mju.encode_pyramid(force[:dim], mu[:-1])


def _decode(force: np.ndarray, pyramid: np.ndarray, mu: np.ndarray) -> None:
    dim = len(mu)
    if dim < 2:
        force[0] = pyramid[0] if dim else 0.0
    else:
        force[:dim] = mju.decode_pyramid(pyramid[: 2 * dim - 2], mu[:-1])


def _standard_normal(num2: float | None) -> float:
    return float(np.random.standard_normal())  # noqa: NPY002 (numpy's seed is the user's)


def _muscle_gain(length: float, vel: float, lengthrange: np.ndarray, acc0: float, prm: np.ndarray):
    return mju.muscle_gain(length, vel, lengthrange, acc0, prm)


def _muscle_bias(length: float, lengthrange: np.ndarray, acc0: float, prm: np.ndarray):
    return mju.muscle_bias(length, lengthrange, acc0, prm)


def _muscle_dynamics(ctrl: float, act: float, prm: np.ndarray):
    return mju.muscle_dynamics(ctrl, act, prm)


_ROWS = {
    "mju_min": ("The smaller number.", lambda a, b: a if a <= b else b),
    "mju_max": ("The larger number.", lambda a, b: a if a >= b else b),
    "mju_clip": ("x, or the end of the range that it passes.",
                 lambda x, low, high: low if x < low else high if x > high else x),
    "mju_sign": ("-1, 0 or 1.", lambda x: (x > 0) - (x < 0)),
    "mju_round": ("The nearest whole number.", _round),
    "mju_isBad": ("1 if a number is NaN or huge, else 0.",
                  lambda x: not -MAXVAL <= x <= MAXVAL),
    "mju_Halton": ("Element of Halton's sequence.", _halton),
    "mju_sigmoid": ("Smooth step from 0 to 1, of degree 5.", lambda x: mju.sigmoid(x)),
    "mju_standardNormal": ("A normally distributed number, by numpy's generator.",
                           _standard_normal),
    "mju_springDamper": (
        "Position of a damped spring after a time.",
        lambda pos0, vel0, Kp, Kv, dt: mju.spring_damper(pos0, vel0, Kp, Kv, dt),
    ),
    "mju_muscleGain": ("Gain of a muscle.", _muscle_gain),
    "mju_muscleBias": ("Passive force of a muscle.", _muscle_bias),
    "mju_muscleDynamics": ("Rate of a muscle's activation.", _muscle_dynamics),
    "mju_encodePyramid": ("Forces of a pyramid's edges from a contact force.", _encode),
    "mju_decodePyramid": ("Contact force from forces of a pyramid's edges.", _decode),
}  # fmt: skip

define(globals(), _ROWS)
