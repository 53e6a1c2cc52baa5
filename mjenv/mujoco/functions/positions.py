"""Functions of positions: differences, integration, unit quaternions."""

import numpy as np

from mjenv.engine.analysis import positions
from mjenv.engine.tables.enums import JNT_BALL, JNT_FREE
from mjenv.mujoco.functions import turns
from mjenv.mujoco.structs import MjModel


def mj_differentiatePos(m: MjModel, qvel: np.ndarray, dt: float, qpos1, qpos2) -> None:
    """Velocity that leads from one position to another within a time."""
    qvel[:] = positions.differentiate_pos(m, dt, qpos1, qpos2)


def mj_integratePos(m: MjModel, qpos: np.ndarray, qvel: np.ndarray, dt: float) -> None:
    """Position after moving with a velocity for a time."""
    qpos[:] = positions.integrate_pos(m, qpos, qvel, dt)


def mj_normalizeQuat(m: MjModel, qpos: np.ndarray) -> None:
    """Make the quaternions of a position unit ones."""
    for kind, start in zip(m.jnt_type.tolist(), m.jnt_qposadr.tolist(), strict=True):
        if kind in (JNT_FREE, JNT_BALL):
            start += 3 * (kind == JNT_FREE)
            quat = qpos[start : start + 4]
            quat[:] = turns.unit_quaternion(quat.tolist())
