"""MuJoCo's functions of friction pyramids, springs and muscles, over arrays; part of `mjenv.mju`.

Arguments may have leading axes, which broadcast.
"""

import numpy as np

from mjenv.engine.arguments import Numbers, of_reals
from mjenv.engine.tables.enums import MINVAL
from mjenv.mju.matrices import real, reals


@of_reals
def encode_pyramid(force: Numbers, mu: Numbers) -> np.ndarray:
    """Forces along the edges of friction pyramids, (..., 2*(dim-1)).

    Args:
        force: normal and tangential forces (..., dim), N and N m.
        mu: friction coefficients (..., dim-1).
    """
    force, mu = reals(force, mu)
    share = force[..., :1] / (force.shape[-1] - 1)
    slip = np.minimum(share, force[..., 1:] / mu)
    edges = np.stack([0.5 * (share + slip), 0.5 * (share - slip)], axis=-1)
    return edges.reshape(*edges.shape[:-2], -1)


@of_reals
def decode_pyramid(pyramid: Numbers, mu: Numbers) -> np.ndarray:
    """Normal and tangential forces (..., dim) of forces along the edges of friction pyramids.

    Args:
        pyramid: (..., 2*(dim-1)), or (..., 1) of contacts without friction.
        mu: friction coefficients (..., dim-1).
    """
    pyramid, mu = reals(pyramid, mu)
    if pyramid.shape[-1] == 1:
        return pyramid.copy()
    normal = pyramid[..., :1]
    for k in range(1, pyramid.shape[-1]):
        normal = normal + pyramid[..., k : k + 1]
    tangent = (pyramid[..., ::2] - pyramid[..., 1::2]) * mu
    return np.concatenate([normal, tangent], axis=-1)


@of_reals
def spring_damper(pos0: Numbers, vel0: Numbers, k: Numbers, b: Numbers, t: Numbers) -> np.ndarray:
    """Position after a time t (s) of x'' = -k x - b x' from pos0 and vel0."""
    pos0, vel0, k, b, t = np.broadcast_arrays(*reals(pos0, vel0, k, b, t))
    discriminant = b * b - 4 * k
    over, under = discriminant > MINVAL, discriminant < -MINVAL
    w = np.sqrt(np.where(over | under, np.abs(discriminant), 1)) / 2
    r1, r2 = -b / 2 + w, -b / 2 - w
    decay = np.exp(-b * t / 2)
    with np.errstate(over="ignore", invalid="ignore"):
        slow = (pos0 * r2 - vel0) / (r2 - r1) * np.exp(r1 * t)
        slow = slow + (pos0 * r1 - vel0) / (r1 - r2) * np.exp(r2 * t)
    slope = vel0 + b * pos0 / 2
    swing = decay * (pos0 * np.cos(w * t) + slope / w * np.sin(w * t))
    return np.where(over, slow, np.where(under, swing, decay * (pos0 + slope * t)))


@of_reals
def sigmoid(x: Numbers) -> np.ndarray:
    """Smooth step from 0 to 1 between 0 and 1, with two zero derivatives at both ends."""
    x = np.clip(real(x), 0, 1)
    return x * x * x * (3 * x * (2 * x - 5) + 10)


@of_reals
def muscle_gain(
    length: Numbers, vel: Numbers, lengthrange: Numbers, acc0: Numbers, prm: Numbers
) -> np.ndarray:
    """Gain of muscles: minus force, by length and velocity.

    Args:
        length: lengths (...,), m.
        vel: velocities (...,), m/s.
        lengthrange: (..., 2).
        acc0: accelerations by unit force (...,).
        prm: (..., 9): range (2), force, scale, lmin, lmax, vmax, fpmax, fvmax.
    """
    length, vel, prm = reals(length, vel, prm)
    # scaled length and velocity
    force, L0, L = _muscle(length, lengthrange, acc0, prm)
    lmin, lmax, vmax, fvmax = (prm[..., k] for k in (4, 5, 6, 8))
    V, y = vel / np.maximum(MINVAL, L0 * vmax), fvmax - 1
    a, b = 0.5 * (lmin + 1), 0.5 * (1 + lmax)

    # two parabolas on either side of 1, from lmin to lmax
    def half(x: Numbers, scale: Numbers):
        x = x / np.maximum(MINVAL, scale)
        return 0.5 * x * x

    rise = np.where(a >= L, half(L - lmin, a - lmin), 1 - half(1 - L, 1 - a))
    fall = np.where(b >= L, 1 - half(L - 1, b - 1), half(lmax - L, lmax - b))
    FL = np.where((lmin <= L) & (lmax >= L), np.where(L <= 1, rise, fall), 0)
    # force by velocity: nothing at full speed, more than isometric when stretched
    FV = np.where(y >= V, fvmax - (y - V) * (y - V) / np.maximum(MINVAL, y), fvmax)
    FV = np.where(V <= -1, 0, np.where(V <= 0, (V + 1) * (V + 1), FV))
    return -force * FL * FV


@of_reals
def muscle_bias(length: Numbers, lengthrange: Numbers, acc0: Numbers, prm: Numbers) -> np.ndarray:
    """Bias of muscles: minus their passive force, by length; arguments: see `muscle_gain`."""
    length, prm = reals(length, prm)
    force, _, L = _muscle(length, lengthrange, acc0, prm)
    lmax, fpmax = prm[..., 5], prm[..., 7]
    b = 0.5 * (1 + lmax)
    x = (np.where(b >= L, L - 1, L - b)) / np.maximum(MINVAL, b - 1)
    return np.where(L <= 1, 0, -force * fpmax * np.where(b >= L, 0.5 * x * x, 0.5 + x))


@of_reals
def muscle_dynamics(ctrl: Numbers, act: Numbers, prm: Numbers) -> np.ndarray:
    """Rates of activation of muscles (1/s).

    Args:
        ctrl: controls (...,).
        act: activations (...,).
        prm: (..., 3): time constants of activation and deactivation (s), width of the transition.
    """
    ctrl, act, prm = reals(ctrl, act, prm)
    clamped = 0.5 + 1.5 * np.clip(act, 0, 1)
    rise, fall, width = prm[..., 0] * clamped, prm[..., 1] / clamped, prm[..., 2]
    more = np.clip(ctrl, 0, 1) - act
    hard = width < MINVAL
    smooth = fall + (rise - fall) * sigmoid(more / np.where(hard, 1, width) + 0.5)
    tau = np.where(hard, np.where(more > 0, rise, fall), smooth)
    return more / np.maximum(MINVAL, tau)


def _muscle(length: Numbers, lengthrange: Numbers, acc0: Numbers, prm: Numbers):
    """Peak force, optimum length and normalized length."""
    lengthrange, acc0 = reals(lengthrange, acc0)
    force, scale = prm[..., 2], prm[..., 3]
    force = np.where(force < 0, scale / np.maximum(MINVAL, acc0), force)
    span = np.maximum(MINVAL, prm[..., 1] - prm[..., 0])
    L0 = (lengthrange[..., 1] - lengthrange[..., 0]) / span
    return force, L0, prm[..., 0] + (length - lengthrange[..., 0]) / np.maximum(MINVAL, L0)
