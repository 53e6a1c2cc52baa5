"""Functions of Jacobians of points, axes and momentum."""

from collections.abc import Callable

import numpy as np

from mjenv.engine.direct import jacobians
from mjenv.engine.direct.call import Direct, on_world
from mjenv.engine.simd.bound_calls import Asked, Bound, Given, Told
from mjenv.mujoco.api import signature
from mjenv.mujoco.functions.tables import define
from mjenv.mujoco.structs import MjData, MjModel

Result = np.ndarray | None


def _bound(d: MjData, name: str, kernel: Callable, kind: int = jacobians.GIVEN) -> Direct:
    """The kernel of a function, for data; what it tells are two matrices (3, nv)."""
    nv = d._model.nv
    call = d._direct[name] = on_world(d.batch, kernel, 9, 6 * nv)
    call.ask[0] = kind
    call.parts = call.told[: 3 * nv].reshape(3, nv), call.told[3 * nv :].reshape(3, nv)
    return call


def _enter(d: MjData, name: str, call: Direct, given: list[Bound]) -> None:
    """Have a function run in machine code: its first arguments are the matrices that it fills."""
    filled = [p for p in signature(name).parameters if p.shape and p.output]
    told: list[Bound] = [
        Told(part, parameter.optional) for part, parameter in zip(call.parts, filled, strict=False)
    ]
    call.enter(d._direct, name, told + given)


def _check(where: str, name: str, place: int, size: int) -> None:
    if not 0 <= place < size:
        raise IndexError(f"{where}: {name}={place}: expected 0 to {size - 1}")


def _fill(call: Direct, first: Result, second: Result) -> None:
    call.run()
    if first is not None:
        first[...] = call.parts[0]
    if second is not None:
        second[...] = call.parts[1]


def _of_thing(name: str, kernel: Callable, kind: int, what: str) -> Callable:
    """A function of a thing by its number."""
    size = f"n{what}"

    def compute(m: MjModel, d: MjData, first: Result, second: Result, place: int) -> None:
        call = d._direct.get(name)
        if call is None:
            call = _bound(d, name, kernel, kind)
            _enter(d, name, call, [Asked(call.ask[1:2], getattr(m, size))])
        _check(name, what, place, getattr(m, size))
        call.ask[1] = place
        _fill(call, first, second)

    return compute


def _of_point(name: str, kernel: Callable, kind: int, what: str) -> Callable:
    """A function of a point that moves with a body."""

    def compute(
        m: MjModel, d: MjData, first: Result, second: Result, point: np.ndarray, body: int
    ) -> None:
        call = d._direct.get(name)
        if call is None:
            call = _bound(d, name, kernel, kind)
            _enter(d, name, call, [Given(call.given[:3]), Asked(call.ask[1:2], m.nbody)])
        _check(name, what, body, m.nbody)
        call.ask[1] = body
        call.given[:3] = point
        _fill(call, first, second)

    return compute


def _of_subtree(name: str, kernel: Callable, kind: int, what: str) -> Callable:
    """A function of a body and its descendants, with one result."""

    def compute(m: MjModel, d: MjData, first: Result, body: int) -> None:
        call = d._direct.get(name)
        if call is None:
            call = _bound(d, name, kernel, kind)
            _enter(d, name, call, [Asked(call.ask[1:2], m.nbody)])
        _check(name, what, body, m.nbody)
        call.ask[1] = body
        _fill(call, first, None)

    return compute


_JACOBIAN, _RATE = jacobians.jacobian, jacobians.jacobian_rate
_SUBTREE, _MOMENTUM = jacobians.subtree_jacobian, jacobians.momentum_matrix
_GIVEN, _BODY, _CENTER = jacobians.GIVEN, jacobians.BODY, jacobians.CENTER
# functions: what they compute; their kind, kernel, what the thing is, and whose number they take
_ROWS: dict[str, tuple[str, Callable, Callable, int, str]] = {
    "mj_jac": ("Jacobians of a point that moves with a body, and of the body's rotation.",
               _of_point, _JACOBIAN, _GIVEN, "body"),
    "mj_jacDot": ("Rates of change of the Jacobians of a point and of a rotation.",
                  _of_point, _RATE, _GIVEN, "body"),
    "mj_jacBody": ("Jacobians of the origin and the rotation of a body's frame.",
                   _of_thing, _JACOBIAN, _BODY, "body"),
    "mj_jacBodyCom": ("Jacobians of a body's center of mass and of its rotation.",
                      _of_thing, _JACOBIAN, _CENTER, "body"),
    "mj_jacGeom": ("Jacobians of a geom's center and rotation.",
                   _of_thing, _JACOBIAN, jacobians.GEOM, "geom"),
    "mj_jacSite": ("Jacobians of a site's center and rotation.",
                   _of_thing, _JACOBIAN, jacobians.SITE, "site"),
    "mj_jacSubtreeCom": ("Jacobian of the center of mass of a body and its descendants.",
                         _of_subtree, _SUBTREE, _GIVEN, "body"),
    "mj_angmomMat": ("Matrix that maps velocities to the angular momentum of a subtree.",
                     _of_subtree, _MOMENTUM, _GIVEN, "body"),
}  # fmt: skip

define(globals(), {name: (row[0], row[1](name, *row[2:])) for name, row in _ROWS.items()})


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
