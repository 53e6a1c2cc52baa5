"""Data without numbers, in the place of an environment's own while its step is followed.

The object stays the same one: for the time being it has the class `SymbolicData`, and its fields
are symbols.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from mjenv.mujoco.enumerations import mjtObj
from mjenv.mujoco.structs import MjData
from mjenv.porting.symbolic_contacts import Place
from mjenv.porting.symbolic_physics import CALLS, Physics, Warnings
from mjenv.porting.symbols import Symbol, constant
from mjenv.porting.watched import watched
from mjenv.task.world_view import finder
from mjenv.tracing.arrays import TraceError


class SymbolicData(MjData.__bases__[0]):
    """One world's data whose fields are symbols; in memory as `MjData`, which it stands for."""

    __slots__ = MjData.__slots__

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        physics = vars(self)["_physics"]
        physics._touched = True
        if name == "warning":
            return Warnings(physics)
        found = finder(self, name)
        if found is not None:
            return found
        field = physics.field(name)
        # a number, such as the time, stays what it is when the physics go on
        return field.copy() if type(field) is Symbol and not field.ndim else field

    def __setattr__(self, name: str, value: Any) -> None:
        field = vars(self)["_physics"].field(name)
        field[...] = value


@contextmanager
def symbolic(data: MjData, physics: Physics, model: Any) -> Iterator[None]:
    """While it lasts, data have symbols for fields, and the functions of the module know them.

    Args:
        data: the environment's.
        physics: the run.
        model: the `MjModel` of the data.
    """
    import mjenv.mujoco as module

    # what is put back afterwards, and what takes its place
    kind, members = type(data), dict(vars(data))
    numbers = {
        name: value for name, value in vars(model).items()
        if isinstance(value, np.ndarray) and value.dtype.kind in "fiub"
    }  # fmt: skip
    views = vars(model).pop("_named_views", {})
    symbols = {name: physics.field(f"model.{name}") for name in physics.varied}
    held = dict(vars(module))
    patched = {name: _boundary(name, getattr(module, name), physics) for name in CALLS}
    patched |= {name: make(getattr(module, name)) for name, make in _FUNCTIONS.items()}
    slots = {n: getattr(data, n) for n in MjData.__slots__}
    # symbols, and functions that know them
    vars(data).clear()
    vars(data).update(_physics=physics, model=model)
    data.__class__ = SymbolicData  # type: ignore[assignment]
    object.__setattr__(data, "_model", model._twin())
    try:
        for name, function in patched.items():
            setattr(module, name, function)
        vars(model).update({name: watched(name, value) for name, value in numbers.items()})
        vars(model).update(symbols)
        yield
    finally:
        vars(model).update(numbers)
        vars(model)["_named_views"] = views
        object.__setattr__(data, "__class__", kind)
        vars(data).clear()
        vars(data).update(members)
        for name, value in slots.items():
            object.__setattr__(data, name, value)
        for name in patched:
            setattr(module, name, held[name]) if name in held else delattr(module, name)


def _boundary(name: str, real: Callable, physics: Physics) -> Callable:
    """A function of the physics that is noted where data have no numbers."""

    def call(m: Any, d: Any, nstep: int = 1, **options: Any) -> None:
        if type(d) is not SymbolicData:
            return real(m, d, *([nstep] if name == "mj_step" else []), **options)
        flags = int(m.opt.disableflags)
        physics.call(CALLS[name], int(options.get("nstep", nstep)), flags)
        return None

    return call


def _jacobian_of_site(real: Callable) -> Callable:
    """mj_jacSite: columns of dofs above a site's body, from motions about the tree's centre."""

    def call(m: Any, d: Any, jacp: Any, jacr: Any, site: int) -> None:
        if type(d) is not SymbolicData:
            return real(m, d, jacp, jacr, site)
        body = int(m.site_bodyid[site])
        offset = d.site_xpos[site] - d.subtree_com[int(m.body_rootid[body])]
        recording, above = offset.recording, _dofs_above(m, body)
        for target, part in ((jacp, "p"), (jacr, "r")):
            if target is None:
                continue
            if not isinstance(target, Symbol):
                raise TraceError("found a Jacobian written into an array of numbers")
            target[...] = constant(recording, np.zeros((3, m.nv)))
            for dof in above:
                turn, move = d.cdof[dof, :3], d.cdof[dof, 3:]
                target[:, dof] = turn if part == "r" else move + np.cross(turn, offset)
        return None

    return call


def _velocity_of_object(real: Callable) -> Callable:
    """mj_objectVelocity: velocity of an object's body, at the object."""

    def call(m: Any, d: Any, objtype: Any, objid: Any, res: Any, flg_local: Any) -> None:
        if type(d) is not SymbolicData:
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
        if type(d) is not SymbolicData:
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
        return vars(d)["_physics"].reset() if type(d) is SymbolicData else real(m, d)

    return call


_FUNCTIONS: dict[str, Callable] = {
    "mj_resetData": _reset,
    "mj_jacSite": _jacobian_of_site, "mj_contactForce": _force_of_contact,
    "mj_objectVelocity": _velocity_of_object,
}  # fmt: skip
