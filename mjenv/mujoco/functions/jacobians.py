"""Functions of Jacobians of points, axes and momentum."""

import numpy as np

from mjenv.engine.analysis import jacobians
from mjenv.mujoco.structs import MjData, MjModel

Result = np.ndarray | None


def _fill(outputs: tuple[Result, ...], results: tuple[np.ndarray, ...]) -> None:
    for output, result in zip(outputs, results, strict=True):
        if output is not None:
            output[:] = result[0]


def mj_jac(m: MjModel, d: MjData, jacp: Result, jacr: Result, point, body: int) -> None:
    """Jacobians of a point that moves with a body, and of the body's rotation."""
    _fill((jacp, jacr), jacobians.jac(d.batch.model, d.batch, point, body))


def mj_jacBody(m: MjModel, d: MjData, jacp: Result, jacr: Result, body: int) -> None:
    """Jacobians of the origin and the rotation of a body's frame."""
    _fill((jacp, jacr), jacobians.jac_body(d.batch.model, d.batch, body))


def mj_jacBodyCom(m: MjModel, d: MjData, jacp: Result, jacr: Result, body: int) -> None:
    """Jacobians of a body's center of mass and of its rotation."""
    _fill((jacp, jacr), jacobians.jac_body_com(d.batch.model, d.batch, body))


def mj_jacGeom(m: MjModel, d: MjData, jacp: Result, jacr: Result, geom: int) -> None:
    """Jacobians of a geom's center and rotation."""
    _fill((jacp, jacr), jacobians.jac_geom(d.batch.model, d.batch, geom))


def mj_jacSite(m: MjModel, d: MjData, jacp: Result, jacr: Result, site: int) -> None:
    """Jacobians of a site's center and rotation."""
    _fill((jacp, jacr), jacobians.jac_site(d.batch.model, d.batch, site))


def mj_jacPointAxis(
    m: MjModel, d: MjData, jacPoint: Result, jacAxis: Result, point, axis, body: int
) -> None:
    """Jacobians of a point and of an axis that move with a body."""
    results = jacobians.jac_point_axis(d.batch.model, d.batch, point, axis, body)
    _fill((jacPoint, jacAxis), results)


def mj_jacDot(m: MjModel, d: MjData, jacp: Result, jacr: Result, point, body: int) -> None:
    """Rates of change of the Jacobians of a point and of a rotation."""
    _fill((jacp, jacr), jacobians.jac_dot(d.batch.model, d.batch, point, body))


def mj_jacSubtreeCom(m: MjModel, d: MjData, jacp: Result, body: int) -> None:
    """Jacobian of the center of mass of a body and its descendants."""
    _fill((jacp,), (jacobians.jac_subtree_com(d.batch.model, d.batch, body),))


def mj_angmomMat(m: MjModel, d: MjData, mat: np.ndarray, body: int) -> None:
    """Matrix that maps velocities to the angular momentum of a subtree."""
    mat[:] = jacobians.angmom_mat(d.batch.model, d.batch, body)[0]


def mj_applyFT(m: MjModel, d: MjData, force, torque, point, body: int, qfrc_target) -> None:
    """Add the generalized force of a force and a torque on a body to an array."""
    qfrc_target += jacobians.apply_ft(d.batch.model, d.batch, force, torque, point, body)[0]
