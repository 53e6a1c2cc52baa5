"""Functions of single objects: names, velocities, contacts, distances."""

from collections.abc import Callable

import numpy as np

from mjenv.engine.analysis.motion import (
    local_to_global,
    object_acceleration,
    object_velocity,
)
from mjenv.engine.data.own_contacts import add_contact
from mjenv.engine.direct import distances, motion
from mjenv.engine.direct.call import Direct, on_world
from mjenv.engine.model.identities import kind_of
from mjenv.engine.physics.collision.colliders import NO_DISTANCE, distance_routine
from mjenv.engine.tables.enums import CONE_PYRAMIDAL
from mjenv.mujoco.enumerations import mjtObj
from mjenv.mujoco.structs import MjContact, MjData, MjModel

# kinds of named things, by mjtObj
_KINDS: dict[int, str | None] = {}
# kinds of objects that kernels know, by mjtObj
_MOVING = {
    int(mjtObj.mjOBJ_XBODY): (motion.FRAME, "nbody"),
    int(mjtObj.mjOBJ_BODY): (motion.INERTIAL, "nbody"),
    int(mjtObj.mjOBJ_GEOM): (motion.GEOM, "ngeom"),
    int(mjtObj.mjOBJ_SITE): (motion.SITE, "nsite"),
}


def _kind(type: int) -> str | None:
    """The kind of named things of a type (mjtObj); None where there are none."""
    if type not in _KINDS:
        try:
            _KINDS[type] = kind_of(type, "mj_name2id")
        except ValueError:
            _KINDS[type] = None
    return _KINDS[type]


def mj_name2id(m: MjModel, type: int, name: str) -> int:
    """Number of an object of a type (mjtObj); -1 where there is none of the name."""
    kind = _kind(type)
    return -1 if kind is None else m._names(kind)[0].get(name, -1)


def mj_id2name(m: MjModel, type: int, id: int) -> str | None:
    """Name of an object of a type (mjtObj); None where it has none."""
    kind = _kind(type)
    names = () if kind is None else m._names(kind)[1]
    return (names[id] or None) if 0 <= id < len(names) else None


def _tell_motion(d: MjData, name: str, kernel: Callable, asked: tuple, res: np.ndarray) -> bool:
    """Fill in the motion of an object; False if it is none of those that the kernel knows."""
    objtype, objid, flg_local = asked
    found = _MOVING.get(objtype)
    if found is None:
        return False
    call = d._direct.get(name)
    if call is None:
        call = d._direct[name] = on_world(d.batch, kernel, 3, 6)
    kind, size = found
    if not 0 <= objid < getattr(d._model, size):
        raise IndexError(f"{name}: objid={objid}: expected 0 to {getattr(d._model, size) - 1}")
    ask = call.ask
    ask[0] = kind
    ask[1] = objid
    ask[2] = flg_local
    call.run()
    res[:] = call.told
    return True


def mj_objectVelocity(
    m: MjModel, d: MjData, objtype: int, objid: int, res: np.ndarray, flg_local: int
) -> None:
    """Velocity of an object about its center: rotation, then translation."""
    asked = (objtype, objid, flg_local)
    if not _tell_motion(d, "mj_objectVelocity", motion.object_velocity, asked, res):
        res[:] = object_velocity(d.batch.model, d.batch, objtype, objid, bool(flg_local))[0]


def mj_objectAcceleration(
    m: MjModel, d: MjData, objtype: int, objid: int, res: np.ndarray, flg_local: int
) -> None:
    """Acceleration of an object about its center: rotation, then translation."""
    asked = (objtype, objid, flg_local)
    if not _tell_motion(d, "mj_objectAcceleration", motion.object_acceleration, asked, res):
        res[:] = object_acceleration(d.batch.model, d.batch, objtype, objid, bool(flg_local))[0]


def mj_contactForce(m: MjModel, d: MjData, id: int, result: np.ndarray) -> None:
    """Force and torque of a contact, in its frame; zero where there is no such contact."""
    force, contacts = [0.0] * 6, d.batch.contact
    start = int(contacts.efc_address[0, id]) if 0 <= id < d.ncon else -1
    if start >= 0:
        dim = int(contacts.dim[0, id])
        if dim == 1 or m.opt.cone != CONE_PYRAMIDAL:
            force[:dim] = d.batch.efc_force[0, start : start + dim].tolist()
        else:
            # opposite edges of the pyramid, axis by axis
            edges = d.batch.efc_force[0, start : start + 2 * dim - 2].tolist()
            friction = contacts.friction[0, id].tolist()
            force[0] = sum(edges)
            for axis in range(dim - 1):
                force[1 + axis] = (edges[2 * axis] - edges[2 * axis + 1]) * friction[axis]
    result[:] = force


def mj_geomDistance(
    m: MjModel, d: MjData, geom1: int, geom2: int, distmax: float, fromto: np.ndarray | None
) -> float:
    """Smallest distance of two geoms, up to a limit, and the points that it lies between."""
    for geom in (geom1, geom2):
        if not 0 <= geom < m.ngeom:
            raise IndexError(f"mj_geomDistance: geom {geom}: expected 0 to {m.ngeom - 1}")
    routine = distance_routine(m, geom1, geom2)
    if routine == NO_DISTANCE:
        if fromto is not None:
            fromto[:] = 0
        return distmax
    call = d._direct.get(routine) or _bound_distance(d, routine)
    call.ask[0] = geom1
    call.ask[1] = geom2
    call.given[0] = distmax
    call.run()
    if fromto is not None:
        fromto.reshape(-1)[:] = call.parts[0]
    return float(call.told[0])


def _bound_distance(d: MjData, routine: int) -> Direct:
    """The kernel that tells distances by one routine, for data."""
    kernel = distances.distance_kernel(routine)
    call = d._direct[routine] = on_world(d.batch, kernel, 1, distances.NTOLD)
    call.parts = (call.told[1:],)
    return call


def mj_local2Global(
    d: MjData,
    xpos: np.ndarray,
    xmat: np.ndarray,
    pos: np.ndarray,
    quat: np.ndarray,
    body: int,
    sameframe: int,
) -> None:
    """Global pose of what has a pose in a body."""
    position, matrix = local_to_global(d.batch.model, d.batch, pos, quat, body, sameframe)
    xpos[:], xmat[:] = position[0], matrix[0].reshape(9)


def mj_addContact(m: MjModel, d: MjData, con: MjContact) -> int:
    """Add a contact to those of the data, until they are found anew; returns 0."""
    add_contact(d.batch, {name: getattr(con, name) for name in MjContact.DTYPE.names or ()})
    return 0


def mj_maxContact(m: MjModel, g1: int, g2: int, has_margin: int) -> int:
    """Most contacts that two geoms can have."""
    from mjenv.mujoco.functions.most_contacts import most_contacts

    return most_contacts(m, g1, g2, has_margin)
