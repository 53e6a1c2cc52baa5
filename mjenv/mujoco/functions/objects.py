"""Functions of single objects: names, velocities, contacts, distances."""

import numpy as np

from mjenv.engine.analysis import distances, motion
from mjenv.engine.model.identities import id2name, name2id
from mjenv.mujoco.structs import MjContact, MjData, MjModel


def mj_name2id(m: MjModel, type: int, name: str) -> int:
    """Number of an object of a type (mjtObj); -1 where there is none of the name."""
    try:
        return name2id(m, type, name)
    except ValueError:
        return -1


def mj_id2name(m: MjModel, type: int, id: int) -> str | None:
    """Name of an object of a type (mjtObj); None where it has none."""
    try:
        return id2name(m, type, id)
    except ValueError:
        return None


def mj_objectVelocity(
    m: MjModel, d: MjData, objtype: int, objid: int, res: np.ndarray, flg_local: int
) -> None:
    """Velocity of an object about its center: rotation, then translation."""
    res[:] = motion.object_velocity(d.batch.model, d.batch, objtype, objid, bool(flg_local))[0]


def mj_objectAcceleration(
    m: MjModel, d: MjData, objtype: int, objid: int, res: np.ndarray, flg_local: int
) -> None:
    """Acceleration of an object about its center: rotation, then translation."""
    res[:] = motion.object_acceleration(d.batch.model, d.batch, objtype, objid, bool(flg_local))[0]


def mj_contactForce(m: MjModel, d: MjData, id: int, result: np.ndarray) -> None:
    """Force and torque of a contact, in its frame; zero where there is no such contact."""
    result[:] = motion.contact_force(d.batch.model, d.batch, id)[0] if 0 <= id < d.ncon else 0.0


def mj_geomDistance(
    m: MjModel, d: MjData, geom1: int, geom2: int, distmax: float, fromto: np.ndarray | None
) -> float:
    """Smallest distance of two geoms, up to a limit, and the points that it lies between."""
    found = distances.geom_distance(d.batch.model, d.batch, geom1, geom2, distmax)
    if fromto is not None:
        fromto.reshape(-1)[:] = found[1][0].reshape(-1)
    return found[0][0]


def mj_local2Global(
    d: MjData, xpos: np.ndarray, xmat: np.ndarray, pos, quat, body: int, sameframe: int
) -> None:
    """Global pose of what has a pose in a body."""
    position, matrix = motion.local_to_global(d.batch.model, d.batch, pos, quat, body, sameframe)
    xpos[:], xmat[:] = position[0], matrix[0].reshape(9)


def mj_addContact(m: MjModel, d: MjData, con: MjContact) -> int:
    """Add a contact to those of the data."""
    from mjenv.engine.errors import UnsupportedFeature

    raise UnsupportedFeature(
        "mj_addContact: contacts come from the engine's own collision stages; expected geoms, or "
        "set_mjcb_contactfilter to leave contacts out"
    )


def mj_maxContact(m: MjModel, g1: int, g2: int, has_margin: int) -> int:
    """Most contacts that two geoms can have."""
    from mjenv.mujoco.functions.most_contacts import most_contacts

    return most_contacts(m, g1, g2, has_margin)
