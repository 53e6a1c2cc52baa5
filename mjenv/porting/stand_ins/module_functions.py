"""Functions of the module `mujoco`, followed: what they compute, on symbols.

Functions of data are written here, for the fields that a step's program may read. Functions of
numbers alone (`mju_`) are kernels, which are plain Python: with symbols for numbers they record
what they compute, in the same order and so with the same bits.
"""

from collections.abc import Callable
from functools import cache, partial
from itertools import zip_longest
from types import SimpleNamespace
from typing import Any

import numpy as np

from mjenv.engine.direct.function import Function
from mjenv.engine.simd import elementary, lanes
from mjenv.engine.simd.builtin import ARRAY, REAL, TEXT, WHOLE, Argument
from mjenv.engine.simd.meaning import in_scope, is_kernel, named_globals
from mjenv.mujoco.enumerations import mjtObj
from mjenv.mujoco.functions import __all__, computes
from mjenv.porting.stand_ins.queries import QUERIES, followed
from mjenv.porting.symbols.symbol import Symbol, as_symbol
from mjenv.porting.symbols.symbol_ufuncs import recording_in
from mjenv.porting.varying.choices import join
from mjenv.porting.varying.elements import element
from mjenv.porting.varying.symbolic_contacts import Place
from mjenv.tracing.arrays import DOUBLE, TraceError, UnknownFunction


def _jacobian(place: str, bodies: str, *names: str) -> Callable:
    """mj_jacSite and the like: columns of dofs above a body, from motions about the tree's centre.

    Args:
        place: field of the things' places; "" for a point that is given.
        bodies: field of the bodies that they belong to; "" for bodies themselves.
        names: of the last arguments, of which the last is the thing's number.
    """

    def of(real: Callable) -> Callable:
        def call(m: Any, d: Any, jacp: Any, jacr: Any, *which: Any, **named: Any) -> None:
            if not followed(d):
                return real(m, d, jacp, jacr, *which, **named)
            given = {**dict(zip(names, which, strict=False)), **named}
            thing = int(given[names[-1]])
            body = int(getattr(m, bodies)[thing]) if bodies else thing
            point = getattr(d, place)[thing] if place else given["point"]
            offset = point - d.subtree_com[int(m.body_rootid[body])]
            above = _dofs_above(m, body)
            for target, part in ((jacp, "p"), (jacr, "r")):
                if target is None:
                    continue
                if not isinstance(target, Symbol):
                    raise TraceError("found a Jacobian written into an array of numbers")
                target[...] = np.zeros((3, m.nv))
                for dof in above:
                    turn, move = d.cdof[dof, :3], d.cdof[dof, 3:]
                    target[:, dof] = turn if part == "r" else move + np.cross(turn, offset)
            return None

        return call

    return of


def _dense_inertia(real: Callable) -> Callable:
    """mj_fullM: elements of a dof, then of those above it."""

    def call(m: Any, dst: Any, M: Any) -> None:
        if not isinstance(M, Symbol):
            return real(m, dst, M)
        if not isinstance(dst, Symbol):
            raise TraceError("found an inertia matrix written into an array of numbers")
        dst[...] = np.zeros((m.nv, m.nv))
        for dof in range(m.nv):
            place, other = int(m.dof_Madr[dof]), dof
            while other >= 0:
                dst[dof, other] = dst[other, dof] = M[place]
                place, other = place + 1, int(m.dof_parentid[other])
        return None

    return call


def _velocity_of_object(real: Callable) -> Callable:
    """mj_objectVelocity: velocity of an object's body, at the object."""

    def call(m: Any, d: Any, objtype: Any, objid: Any, res: Any, flg_local: Any) -> None:
        if not followed(d):
            return real(m, d, objtype, objid, res, flg_local)
        kind, k = mjtObj(int(objtype)), int(objid)
        if kind not in _PLACES or not isinstance(res, Symbol):
            raise TraceError(f"found mj_objectVelocity of {kind}, which cannot be traced")
        place, axes, bodies = _PLACES[kind]
        body = int(getattr(m, bodies)[k]) if bodies else k
        offset = getattr(d, place)[k] - d.subtree_com[int(m.body_rootid[body])]
        turn, move = d.cvel[body, :3], d.cvel[body, 3:]
        move = move - np.cross(offset, turn)
        if flg_local:
            frame = getattr(d, axes)[k].reshape(3, 3)
            turn, move = turn.dot(frame), move.dot(frame)
        res[...] = np.concatenate([turn, move])
        return None

    return call


# where an object is, its axes, and the body that it belongs to
_PLACES = {
    mjtObj.mjOBJ_BODY: ("xipos", "ximat", ""),
    mjtObj.mjOBJ_XBODY: ("xpos", "xmat", ""),
    mjtObj.mjOBJ_GEOM: ("geom_xpos", "geom_xmat", "geom_bodyid"),
    mjtObj.mjOBJ_SITE: ("site_xpos", "site_xmat", "site_bodyid"),
    mjtObj.mjOBJ_CAMERA: ("cam_xpos", "cam_xmat", "cam_bodyid"),
}


def _dofs_above(m: Any, body: int) -> list[int]:
    """Dofs that move a body."""
    while body and not m.body_dofnum[body]:
        body = int(m.body_parentid[body])
    found, dof = [], int(m.body_dofadr[body] + m.body_dofnum[body] - 1) if body else -1
    while dof >= 0:
        found.append(dof)
        dof = int(m.dof_parentid[dof])
    return found


def _force_of_contact(real: Callable) -> Callable:
    """mj_contactForce: force and torque in the contact's own frame."""

    def call(m: Any, d: Any, id: Any, result: Any) -> None:
        if not followed(d):
            return real(m, d, id, result)
        if not isinstance(id, Place) or not isinstance(result, Symbol):
            raise TraceError(
                "found mj_contactForce of a number, expected a loop over range(data.ncon) and an "
                "array that the step has made"
            )
        result[...] = id.contact.force().reshape(result.shape)
        return None

    return call


def _reset(real: Callable) -> Callable:
    """mj_resetData."""

    def call(m: Any, d: Any) -> None:
        return vars(d)["_physics"].reset() if followed(d) else real(m, d)

    return call


def _reset_to_key(real: Callable) -> Callable:
    """mj_resetDataKeyframe."""

    def call(m: Any, d: Any, key: Any) -> None:
        if not followed(d):
            return real(m, d, key)
        vars(d)["_physics"].reset()
        if not isinstance(key, Symbol) and not 0 <= int(key) < m.nkey:
            return None
        for name, source in _OF_KEYS.items():
            values = element(getattr(m, source), key)
            if np.size(values):
                setattr(d, name, np.reshape(values, np.shape(getattr(d, name))))
        return None

    return call


# what a keyframe sets, and where it is
_OF_KEYS = {
    "time": "key_time", "qpos": "key_qpos", "qvel": "key_qvel", "act": "key_act",
    "mocap_pos": "key_mpos", "mocap_quat": "key_mquat", "ctrl": "key_ctrl",
}  # fmt: skip
_OF_DATA: dict[str, Callable] = {
    **QUERIES,
    "mj_resetData": _reset, "mj_resetDataKeyframe": _reset_to_key,
    "mj_contactForce": _force_of_contact,
    "mj_objectVelocity": _velocity_of_object, "mj_fullM": _dense_inertia,
    "mj_jac": _jacobian("", "", "point", "body"),
    "mj_jacBody": _jacobian("xpos", "", "body"), "mj_jacBodyCom": _jacobian("xipos", "", "body"),
    "mj_jacGeom": _jacobian("geom_xpos", "geom_bodyid", "geom"),
    "mj_jacSite": _jacobian("site_xpos", "site_bodyid", "site"),
}  # fmt: skip


# ------------------------------------------------------------ of numbers


@cache
def functions() -> dict[str, Callable]:
    """What makes a function that knows symbols of each function that is followed, by its name."""
    computed = {name: computes(name) for name in __all__ if name.startswith("mju_")}
    kernels = {
        n: one for n, one in computed.items() if isinstance(one, Function) and _of_reals(one)
    }
    return {**_OF_DATA, **{name: partial(_of_kernel, name, one) for name, one in kernels.items()}}


def _of_reals(function: Function) -> bool:
    """True if all arrays of a function are of double precision."""
    return all(one.type == "f8" for one in function.arguments if one.kind == ARRAY)


def _of_kernel(name: str, function: Function, real: Callable) -> Callable:
    """mju_mulQuat and the like: their kernels, run with symbols."""
    names = [one.name for one in function.arguments]

    def call(*values: Any, **named: Any) -> Any:
        recording = recording_in((*values, *named.values()))
        given = {**dict(zip(names, values, strict=False)), **named}
        if recording is None or given.keys() != {*names}:
            return real(*values, **named)
        # its own `if`s are no paths of the step
        run = partial(_run, recording, function, given)
        try:
            results, told = join(recording, recording.paths.all_ways(run))
        except TraceError as error:
            # of the line that calls it
            raise UnknownFunction(f"found {name}: {error}") from None
        for one, found in results.items():
            given[one][...] = found
        return told

    return call


def _run(recording: Any, function: Function, given: dict[str, Any]) -> tuple:
    """Run a kernel: its results by name, in the shapes of the arrays that they go into."""
    c: Any = SimpleNamespace(result=[None], refused=[0], **function.lengths)
    for one in function.arguments:
        _enter(recording, c, one, given[one.name])
    _on_symbols(function.kernel)(c)
    if c.refused[0]:
        raise TraceError("its arguments are refused")
    results = {
        one.name: as_symbol(recording, getattr(c, one.name)).reshape(given[one.name].shape)
        for one in function.arguments if one.kind == ARRAY and one.written
    }  # fmt: skip
    return results, c.result[0]


def _enter(recording: Any, c: Any, argument: Argument, value: Any) -> None:
    """Give a record an argument under its name, arrays as lists of their elements."""
    if argument.kind == TEXT:
        found: Any = value.encode() + b"\0"
    elif argument.kind == WHOLE:
        found = int(value)
    elif argument.kind == REAL:
        found = [as_symbol(recording, value).astype(DOUBLE).reshape(())]
    else:
        found = _elements(recording, c, argument, value)
    setattr(c, argument.name, found)


def _elements(recording: Any, c: Any, argument: Argument, value: Any) -> list[Symbol]:
    """Elements of an array, whose lengths are those that others have told."""
    if argument.written and not isinstance(value, Symbol):
        raise TraceError(f"{argument.name} is an array of numbers")
    array = as_symbol(recording, value)
    sizes = (array.size,) if len(argument.shape) == 1 else array.shape
    for place, length in zip_longest(argument.shape, sizes):
        if isinstance(place, str):
            place = vars(c).setdefault(place, length)
        if place != length:
            raise TraceError(f"{argument.name} has shape {array.shape}")
    return [*array.astype(DOUBLE).ravel()]


def _fma(a: Any, b: Any, c: Any) -> Any:
    """a * b + c with one rounding."""
    recording = recording_in((a, b, c))
    if recording is None:
        return lanes.fma(a, b, c)
    operands = [as_symbol(recording, one) for one in (a, b, c)]
    numbers = [recording.numbers(one.ids) for one in operands]
    if all(one is not None for one in numbers):
        return as_symbol(recording, lanes.fma(*(float(one) for one in numbers)))
    ids = recording.compute("fma", *(one.ids for one in operands))
    return Symbol(recording, np.array(ids), DOUBLE)


# operations of kernels, and elementary functions, as programs have them
_OPERATIONS: dict[Callable, Callable] = {
    lanes.select: lambda mask, a, b: np.where(mask, a, b),
    lanes.absolute: np.abs, lanes.sqrt: np.sqrt, lanes.floor: np.floor,
    lanes.mask_not: np.logical_not, lanes.rint: np.rint, lanes.fma: _fma,
    elementary.sincos: lambda x: (np.sin(x), np.cos(x)),
    elementary.sin: np.sin, elementary.cos: np.cos, elementary.atan2: np.arctan2,
    elementary.asin: np.arcsin, elementary.acos: np.arccos,
    elementary.exp: np.exp, elementary.log: np.log, elementary.power: np.power,
}  # fmt: skip


@cache
def _on_symbols(kernel: Callable) -> Callable:
    """A kernel that takes symbols, and all that it reaches."""
    names = {
        name: _OPERATIONS.get(one) or _on_symbols(one)
        for name, one in named_globals(kernel).items()
        if callable(one) and (one in _OPERATIONS or is_kernel(one))
    }
    return in_scope(kernel, {**kernel.__globals__, **names})
