"""Functions of Jacobians of points, axes and momentum."""

from collections.abc import Callable

import numpy as np

from mjenv.engine.direct import jacobians
from mjenv.engine.direct.call import Direct, on_world
from mjenv.mujoco.structs import MjData, MjModel

Result = np.ndarray | None


def _bound(d: MjData, name: str, kernel: Callable, kind: int = jacobians.GIVEN) -> Direct:
    """The kernel of a function, for data; what it tells are two matrices (3, nv)."""
    nv = d._model.nv
    call = d._direct[name] = on_world(d.batch, kernel, 9, 6 * nv)
    call.ask[0] = kind
    call.parts = call.told[: 3 * nv].reshape(3, nv), call.told[3 * nv :].reshape(3, nv)
    return call


def _check(where: str, name: str, place: int, size: int) -> None:
    if not 0 <= place < size:
        raise IndexError(f"{where}: {name}={place}: expected 0 to {size - 1}")


def _fill(call: Direct, first: Result, second: Result) -> None:
    call.run()
    if first is not None:
        first[...] = call.parts[0]
    if second is not None:
        second[...] = call.parts[1]


def mj_jac(m: MjModel, d: MjData, jacp: Result, jacr: Result, point: np.ndarray, body: int) -> None:
    """Jacobians of a point that moves with a body, and of the body's rotation."""
    call = d._direct.get("mj_jac") or _bound(d, "mj_jac", jacobians.jacobian)
    _check("mj_jac", "body", body, m.nbody)
    call.ask[1] = body
    call.given[:3] = point
    _fill(call, jacp, jacr)


def mj_jacBody(m: MjModel, d: MjData, jacp: Result, jacr: Result, body: int) -> None:
    """Jacobians of the origin and the rotation of a body's frame."""
    call = d._direct.get("mj_jacBody") or _bound(
        d, "mj_jacBody", jacobians.jacobian, jacobians.BODY
    )
    _check("mj_jacBody", "body", body, m.nbody)
    call.ask[1] = body
    _fill(call, jacp, jacr)


def mj_jacBodyCom(m: MjModel, d: MjData, jacp: Result, jacr: Result, body: int) -> None:
    """Jacobians of a body's center of mass and of its rotation."""
    call = d._direct.get("mj_jacBodyCom") or _bound(
        d, "mj_jacBodyCom", jacobians.jacobian, jacobians.CENTER
    )
    _check("mj_jacBodyCom", "body", body, m.nbody)
    call.ask[1] = body
    _fill(call, jacp, jacr)


def mj_jacGeom(m: MjModel, d: MjData, jacp: Result, jacr: Result, geom: int) -> None:
    """Jacobians of a geom's center and rotation."""
    call = d._direct.get("mj_jacGeom") or _bound(
        d, "mj_jacGeom", jacobians.jacobian, jacobians.GEOM
    )
    _check("mj_jacGeom", "geom", geom, m.ngeom)
    call.ask[1] = geom
    _fill(call, jacp, jacr)


def mj_jacSite(m: MjModel, d: MjData, jacp: Result, jacr: Result, site: int) -> None:
    """Jacobians of a site's center and rotation."""
    call = d._direct.get("mj_jacSite") or _bound(
        d, "mj_jacSite", jacobians.jacobian, jacobians.SITE
    )
    _check("mj_jacSite", "site", site, m.nsite)
    call.ask[1] = site
    _fill(call, jacp, jacr)


def mj_jacPointAxis(
    m: MjModel,
    d: MjData,
    jacPoint: Result,
    jacAxis: Result,
    point: np.ndarray,
    axis: np.ndarray,
    body: int,
) -> None:
    """Jacobians of a point and of an axis that move with a body."""
    call = d._direct.get("mj_jacPointAxis") or _bound(d, "mj_jacPointAxis", jacobians.axis_jacobian)
    _check("mj_jacPointAxis", "body", body, m.nbody)
    call.ask[1] = body
    call.given[:3], call.given[3:6] = point, axis
    _fill(call, jacPoint, jacAxis)


def mj_jacDot(
    m: MjModel, d: MjData, jacp: Result, jacr: Result, point: np.ndarray, body: int
) -> None:
    """Rates of change of the Jacobians of a point and of a rotation."""
    call = d._direct.get("mj_jacDot") or _bound(d, "mj_jacDot", jacobians.jacobian_rate)
    _check("mj_jacDot", "body", body, m.nbody)
    call.ask[1] = body
    call.given[:3] = point
    _fill(call, jacp, jacr)


def mj_jacSubtreeCom(m: MjModel, d: MjData, jacp: Result, body: int) -> None:
    """Jacobian of the center of mass of a body and its descendants."""
    call = d._direct.get("mj_jacSubtreeCom") or _bound(
        d, "mj_jacSubtreeCom", jacobians.subtree_jacobian
    )
    _check("mj_jacSubtreeCom", "body", body, m.nbody)
    call.ask[1] = body
    _fill(call, jacp, None)


def mj_angmomMat(m: MjModel, d: MjData, mat: np.ndarray, body: int) -> None:
    """Matrix that maps velocities to the angular momentum of a subtree."""
    call = d._direct.get("mj_angmomMat") or _bound(d, "mj_angmomMat", jacobians.momentum_matrix)
    _check("mj_angmomMat", "body", body, m.nbody)
    call.ask[1] = body
    _fill(call, mat, None)


def mj_applyFT(
    m: MjModel,
    d: MjData,
    force: np.ndarray,
    torque: np.ndarray,
    point: np.ndarray,
    body: int,
    qfrc_target: np.ndarray,
) -> None:
    """Add the generalized force of a force and a torque on a body to an array."""
    call = d._direct.get("mj_applyFT") or _bound(d, "mj_applyFT", jacobians.generalized_force)
    _check("mj_applyFT", "body", body, m.nbody)
    call.ask[1] = body
    call.given[:3], call.given[3:6], call.given[6:9] = force, torque, point
    call.run()
    qfrc_target += call.told[: m.nv]
