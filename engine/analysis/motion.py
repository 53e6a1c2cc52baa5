"""Velocities, accelerations and poses of things, and forces of contacts, over all worlds."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import LARGEST, whole
from ..data.request import check_data
from ..data.views import takes_views
from ..model.identities import type_name
from ..tables.enums import (
    CONE_PYRAMIDAL,
    SAMEFRAME_BODY,
    SAMEFRAME_BODYROT,
    SAMEFRAME_INERTIA,
    SAMEFRAME_INERTIAROT,
)
from .vectors import cross, matrices, moved, mul_quat, quat_mat, rows_of, turn, turn_back

if TYPE_CHECKING:
    from ..data.data import Data
    from ..model.model import Model

# kind of thing: its body, position and orientation
FRAMES = {
    "body": (None, "xipos", "ximat"),
    "xbody": (None, "xpos", "xmat"),
    "geom": ("geom_bodyid", "geom_xpos", "geom_xmat"),
    "site": ("site_bodyid", "site_xpos", "site_xmat"),
    "camera": ("cam_bodyid", "cam_xpos", "cam_xmat"),
}


@takes_views
def object_velocity(
    model: "Model", data: "Data", objtype: int | str, objid: Any, flg_local: bool = False
) -> np.ndarray:
    """Velocity of a thing, rotation first (mj_objectVelocity).

    Args:
        model: the model that the data were made for.
        data: worlds, which keep cvel, subtree_com and the pose of the thing.
        objtype: "body" (its center of mass and inertial frame), "xbody" (its frame), "geom",
            "site" or "camera", or mjtObj.
        objid: id or name.
        flg_local: whether the result is in the frame of the thing, else in global orientation.

    Returns:
        (nworld, 6), rad/s and m/s.

    Raises:
        ValueError: data of another model, or no such kind of thing.
        KeyError, IndexError: there is no such thing.
        FieldError: the data do not keep a field.
    """
    return _moving(model, data, "object_velocity", objtype, objid, flg_local, "cvel")


@takes_views
def object_acceleration(
    model: "Model", data: "Data", objtype: int | str, objid: Any, flg_local: bool = False
) -> np.ndarray:
    """Acceleration of a thing, rotation first (mj_objectAcceleration).

    It includes the opposite of gravity, as that of an accelerometer does.

    Args:
        model: the model that the data were made for.
        data: worlds, which keep cacc, cvel, subtree_com and the pose of the thing; see the `post`
            argument of `forward` for cacc.
        objtype: "body" (its center of mass and inertial frame), "xbody" (its frame), "geom",
            "site" or "camera", or mjtObj.
        objid: id or name.
        flg_local: whether the result is in the frame of the thing, else in global orientation.

    Returns:
        (nworld, 6), rad/s^2 and m/s^2.

    Raises:
        ValueError: data of another model, or no such kind of thing.
        KeyError, IndexError: there is no such thing.
        FieldError: the data do not keep a field.
    """
    where = "object_acceleration"
    acc = _moving(model, data, where, objtype, objid, flg_local, "cacc")
    vel = _moving(model, data, where, objtype, objid, flg_local, "cvel")
    acc[:, 3:] += cross(vel[:, :3], vel[:, 3:])
    return acc


@takes_views
def local_to_global(
    model: "Model", data: "Data", pos: ArrayLike, quat: ArrayLike, body: Any, sameframe: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Global pose of a frame that is given in a body (mj_local2Global).

    Args:
        model: the model that the data were made for.
        data: worlds, which keep xpos, xquat, xmat, xipos and ximat.
        pos: position in the body (m), (3,) or (nworld, 3).
        quat: orientation in the body, (4,) or (nworld, 4).
        body: id or name.
        sameframe: shortcut, one of mjtSameFrame: 0 none, 1 the body's frame, 2 its inertial frame,
            3 and 4 the orientation of either.

    Returns:
        xpos (nworld, 3) and xmat (nworld, 9).

    Raises:
        ValueError: data of another model, or an argument of the wrong shape.
        KeyError, IndexError: there is no such body.
        FieldError: the data do not keep a field.
    """
    check_data(model, data, "local_to_global")
    pos = rows_of(data, pos, "local_to_global", "pos", 3)
    quat = rows_of(data, quat, "local_to_global", "quat", 4)
    body = model.body(body).id
    sameframe = whole(sameframe, "local_to_global", "sameframe", 0, SAMEFRAME_INERTIAROT)
    if sameframe == SAMEFRAME_BODY:
        xpos = data.xpos[:, body].copy()
    elif sameframe == SAMEFRAME_INERTIA:
        xpos = data.xipos[:, body].copy()
    else:
        xpos = turn(matrices(data.xmat[:, body]), pos) + data.xpos[:, body]
    if sameframe in (SAMEFRAME_BODY, SAMEFRAME_BODYROT):
        xmat = data.xmat[:, body].copy()
    elif sameframe in (SAMEFRAME_INERTIA, SAMEFRAME_INERTIAROT):
        xmat = data.ximat[:, body].copy()
    else:
        xmat = quat_mat(mul_quat(data.xquat[:, body], quat)).reshape(-1, 9)
    return xpos, xmat


@takes_views
def contact_force(model: "Model", data: "Data", contact: int) -> np.ndarray:
    """Force and torque of one contact in its own frame (mj_contactForce).

    Args:
        model: the model that the data were made for.
        data: worlds, which keep contact, ncon and efc_force.
        contact: index of the contact in each world.

    Returns:
        (nworld, 6), N and N m, the normal force first; zero in worlds that have no such contact.

    Raises:
        ValueError: data of another model.
        FieldError: the data do not keep a field.
    """
    check_data(model, data, "contact_force")
    result = np.zeros((data.nworld, 6))
    found = data.contact
    if not 0 <= whole(contact, "contact_force", "contact", -LARGEST) < found.dim.shape[1]:
        return result
    address, dim = found.efc_address[:, contact], found.dim[:, contact]
    present = (contact < data.ncon) & (address >= 0)
    for k in np.unique(dim[present]):
        worlds = np.flatnonzero(present & (dim == k))
        pyramid = k > 1 and model.opt.cone == CONE_PYRAMIDAL
        rows = address[worlds, None] + np.arange(2 * (k - 1) if pyramid else k)
        force = data.efc_force[worlds[:, None], rows]
        if not pyramid:
            result[worlds, :k] = force
            continue
        for edge in range(2 * (k - 1)):
            result[worlds, 0] += force[:, edge]
        for axis in range(k - 1):
            difference = force[:, 2 * axis] - force[:, 2 * axis + 1]
            result[worlds, 1 + axis] = difference * found.friction[worlds, contact, axis]
    return result


def _moving(
    model: "Model", data: "Data", where: Any, objtype: Any, objid: Any, flg_local: bool, field: Any
) -> np.ndarray:
    """Spatial vector of the body of a thing, about the thing."""
    check_data(model, data, where)
    objtype = type_name(objtype)
    if not isinstance(objtype, str) or objtype not in FRAMES:
        raise ValueError(
            f"{where}: objtype={objtype!r}: expected one of {', '.join(map(repr, FRAMES))}"
        )
    owner, pos, mat = FRAMES[objtype]
    objid = getattr(model, "body" if objtype == "xbody" else objtype)(objid).id
    body = objid if owner is None else int(getattr(model, owner)[objid])
    if model.body_weldid[body] == 0:
        return np.zeros((data.nworld, 6))
    origin = data.subtree_com[:, model.body_rootid[body]]
    result = moved(getattr(data, field)[:, body], getattr(data, pos)[:, objid], origin)
    if flg_local:
        frame = matrices(getattr(data, mat)[:, objid])
        result = np.concatenate(
            [turn_back(frame, result[:, :3]), turn_back(frame, result[:, 3:])], axis=1
        )
    return result
