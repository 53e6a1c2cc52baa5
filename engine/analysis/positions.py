"""Positions as points of a curved space: differences and integrals of qpos are velocities.

Rotations of ball and free joints differ by rotation vectors, in the frame of the body.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import number, reals
from ..tables.enums import JNT_BALL, JNT_FREE
from .vectors import mul_quat, rotation_quat, rotation_vector, unit

if TYPE_CHECKING:
    from ..model.model import Model


def integrate_pos(model: "Model", qpos: ArrayLike, qvel: ArrayLike, dt: float) -> np.ndarray:
    """Positions after moving with a constant velocity (mj_integratePos).

    Args:
        model: the model.
        qpos: start, (..., nq).
        qvel: velocity, (..., nv).
        dt: duration (s).

    Returns:
        (..., nq), a new array.

    Raises:
        ValueError: an argument has the wrong shape.
    """
    where = "integrate_pos"
    qpos, qvel = _sized(qpos, model.nq, where, "qpos"), _sized(qvel, model.nv, where, "qvel")
    dt = number(dt, where, "dt")
    shape = np.broadcast_shapes(qpos.shape[:-1], qvel.shape[:-1])
    result = np.broadcast_to(qpos, (*shape, model.nq)).copy()
    lines, turns = _addresses(model)
    result[..., lines[0]] += dt * qvel[..., lines[1]]
    for a, dof in turns:
        turned = mul_quat(
            unit(result[..., a : a + 4])[0], rotation_quat(dt * qvel[..., dof : dof + 3])
        )
        result[..., a : a + 4] = turned
    return result


def differentiate_pos(model: "Model", dt: float, qpos1: ArrayLike, qpos2: ArrayLike) -> np.ndarray:
    """Constant velocity that leads from one position to another (mj_differentiatePos).

    Args:
        model: the model.
        dt: duration (s).
        qpos1: start, (..., nq).
        qpos2: end, (..., nq).

    Returns:
        (..., nv).

    Raises:
        ValueError: an argument has the wrong shape.
    """
    where = "differentiate_pos"
    qpos1, qpos2 = _sized(qpos1, model.nq, where, "qpos1"), _sized(qpos2, model.nq, where, "qpos2")
    dt = number(dt, where, "dt")
    shape = np.broadcast_shapes(qpos1.shape[:-1], qpos2.shape[:-1])
    result = np.zeros((*shape, model.nv))
    lines, turns = _addresses(model)
    result[..., lines[1]] = (qpos2[..., lines[0]] - qpos1[..., lines[0]]) / dt
    for a, dof in turns:
        back = qpos1[..., a : a + 4] * [1.0, -1.0, -1.0, -1.0]
        result[..., dof : dof + 3] = rotation_vector(mul_quat(back, qpos2[..., a : a + 4])) / dt
    return result


def _sized(value: ArrayLike, n: int, where: str, name: str) -> np.ndarray:
    array = reals(value, where, name)
    if array.shape[-1:] != (n,):
        raise ValueError(f"{where}: {name} has shape {array.shape}, expected (..., {n})")
    return array


def _addresses(model: "Model"):
    """Elements of qpos and qvel that move in lines, and where the others of each joint start."""
    lines: tuple[list[int], list[int]] = ([], [])
    turns = []
    for jnt in range(model.njnt):
        a, dof = int(model.jnt_qposadr[jnt]), int(model.jnt_dofadr[jnt])
        kind = model.jnt_type[jnt]
        if kind == JNT_BALL:
            turns.append((a, dof))
            continue
        n = 3 if kind == JNT_FREE else 1
        lines[0].extend(range(a, a + n))
        lines[1].extend(range(dof, dof + n))
        if kind == JNT_FREE:
            turns.append((a + 3, dof + 3))
    return lines, turns
