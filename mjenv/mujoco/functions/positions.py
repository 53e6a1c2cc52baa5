"""Functions of positions: differences, integration, unit quaternions."""

from collections.abc import Callable

import numpy as np

from mjenv.engine.direct import positions
from mjenv.engine.direct.call import Direct, on_model
from mjenv.engine.simd.bound_calls import Bound, Changed, Given, Real, Told
from mjenv.mujoco.structs import MjModel


def _bound(m: MjModel, name: str, kernel: Callable, sizes: tuple[int, int], ntold: int) -> Direct:
    """The kernel of a function, for a model; what it is given are two vectors and a time."""
    first, both = sizes[0], sum(sizes)
    call = m._calls()[name] = on_model(m, kernel, positions.READS, both + 1, ntold)
    one, other, time = call.parts = call.given[:first], call.given[first:both], call.given[both:]
    arguments: dict[str, list[Bound]] = {
        "mj_differentiatePos": [Told(call.told), Real(time), Given(one), Given(other)],
        "mj_integratePos": [Changed(one, call.told), Given(other), Real(time)],
        "mj_normalizeQuat": [Changed(one, call.told)],
    }
    call.enter(m._calls(), name, arguments[name])
    return call


def mj_differentiatePos(
    m: MjModel, qvel: np.ndarray, dt: float, qpos1: np.ndarray, qpos2: np.ndarray
) -> None:
    """Velocity that leads from one position to another within a time."""
    call = m._calls().get("mj_differentiatePos") or _bound(
        m, "mj_differentiatePos", positions.difference, (m.nq, m.nq), m.nv
    )
    one, other, time = call.parts
    one[:], other[:], time[0] = qpos1, qpos2, dt
    call.run()
    qvel[:] = call.told


def mj_integratePos(m: MjModel, qpos: np.ndarray, qvel: np.ndarray, dt: float) -> None:
    """Position after moving with a velocity for a time."""
    call = m._calls().get("mj_integratePos") or _bound(
        m, "mj_integratePos", positions.integrate, (m.nq, m.nv), m.nq
    )
    position, velocity, time = call.parts
    position[:], velocity[:], time[0] = qpos, qvel, dt
    call.run()
    qpos[:] = call.told


def mj_normalizeQuat(m: MjModel, qpos: np.ndarray) -> None:
    """Make the quaternions of a position unit ones."""
    call = m._calls().get("mj_normalizeQuat") or _bound(
        m, "mj_normalizeQuat", positions.normalize, (m.nq, 0), m.nq
    )
    call.parts[0][:] = qpos
    call.run()
    qpos[:] = call.told
