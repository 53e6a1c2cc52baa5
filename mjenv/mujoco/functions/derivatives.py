"""Derivatives of dynamics by finite differences, and of quaternions."""

from collections.abc import Iterable

import numpy as np

from mjenv import mju
from mjenv.engine.analysis import derivatives
from mjenv.mujoco.structs import MjData, MjModel

Output = np.ndarray | None


def _fill(outputs: tuple[Output, ...], results: Iterable[np.ndarray]) -> None:
    for output, result in zip(outputs, results, strict=True):
        if output is not None:
            output.reshape(-1)[:] = np.reshape(result, -1)


def mjd_transitionFD(
    m: MjModel, d: MjData, eps: float, flg_centered: int, A: Output, B: Output, C: Output,
    D: Output,
) -> None:  # fmt: skip
    """Derivatives of a step and its sensors with respect to state and control."""
    results = derivatives.transition_fd(d.batch.model, d.batch, eps, bool(flg_centered))
    _fill((A, B, C, D), (result[0] for result in results))


def mjd_inverseFD(
    m: MjModel, d: MjData, eps: float, flg_actuation: int, DfDq: Output, DfDv: Output,
    DfDa: Output, DsDq: Output, DsDv: Output, DsDa: Output, DmDq: Output,
) -> None:  # fmt: skip
    """Derivatives of inverse dynamics and its sensors; rows are inputs."""
    results = derivatives.inverse_fd(d.batch.model, d.batch, eps, bool(flg_actuation))
    outputs = (DfDq, DfDv, DfDa, DsDq, DsDv, DsDa, DmDq)
    _fill(outputs, (result[0] for result in results))


def mjd_subQuat(qa: np.ndarray, qb: np.ndarray, Da: Output, Db: Output) -> None:
    """Derivatives of mju_subQuat with respect to both orientations."""
    _fill((Da, Db), mju.sub_quat_derivatives(qa, qb))


def mjd_quatIntegrate(
    vel: np.ndarray, scale: float, Dquat: Output, Dvel: Output, Dscale: Output
) -> None:
    """Derivatives of mju_quatIntegrate."""
    _fill((Dquat, Dvel, Dscale), mju.quat_integrate_derivatives(vel, scale))
