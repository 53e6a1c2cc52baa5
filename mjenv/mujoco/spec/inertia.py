"""Inertia of bodies that are put together."""

from typing import Any

import numpy as np

from mjenv.engine.mjcf.geometry.inertia import principal
from mjenv.engine.mjcf.geometry.pose import matrix
from mjenv.engine.products import product

MINVAL = 1e-15


def added(body: Any, other: Any) -> None:
    """Add the mass and inertia that a body inside another one is said to have to those of it.

    Args:
        body: gets the sum.
        other: a body in it, whose inertial frame is given in its own frame.
    """
    turn = _turn(other.quat)
    parts = [
        (body.mass, np.array(body.ipos), _turn(body.iquat), np.array(body.inertia)),
        (
            other.mass,
            np.array(other.pos) + product(turn, np.array(other.ipos)[:, None])[:, 0],
            product(turn, _turn(other.iquat)),
            np.array(other.inertia),
        ),
    ]
    # the sum of two masses lies at their common center
    mass = sum(part[0] for part in parts)
    if mass < MINVAL:
        body.mass, body.iquat = 0.0, (1, 0, 0, 0)
        body.inertia[:], body.ipos[:] = 0, 0
        return
    body.mass = float(mass)
    center = sum(m * pos for m, pos, _, _ in parts) / mass
    body.ipos = center
    # each inertia about the common center, by the parallel axis theorem
    total = np.zeros((3, 3))
    for m, pos, axes, moments in parts:
        r = pos - center
        total += product(product(axes, np.diag(moments)), axes.T)
        total += m * (float((r * r).sum()) * np.eye(3) - np.outer(r, r))
    full = total[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    body.fullinertia = full
    body.inertia, body.iquat = principal(tuple(full.tolist()))


def _turn(quat: Any) -> np.ndarray:
    w, x, y, z = (float(c) for c in quat)
    return np.array(matrix((w, x, y, z))).reshape(3, 3)
