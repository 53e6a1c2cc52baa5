"""Transmissions: lengths and moments of actuators in a configuration, and what they act on."""

from math import atan2, pi
from typing import TYPE_CHECKING, Any

import numpy as np

from ...products import applied, dot
from ...tables.enums import (
    JNT_BALL,
    JNT_HINGE,
    JNT_SLIDE,
    TRN_BODY,
    TRN_JOINT,
    TRN_JOINTINPARENT,
    TRN_SITE,
    TRN_SLIDERCRANK,
    TRN_TENDON,
)
from ..geometry import pose
from .configuration import Configuration, chain

if TYPE_CHECKING:
    from ...model.model import Model


def transmission(
    model: "Model", at: Configuration, tendons: tuple
) -> tuple[np.ndarray, np.ndarray]:
    """Lengths of all actuators and their gradients with respect to motion.

    Args:
        model: the model.
        at: its poses in a configuration.
        tendons: ten_length (ntendon,) and ten_J (ntendon, nv) there.

    Returns:
        actuator_length (nu,) and actuator_moment (nu, nv). Those that act on a body by its contacts
        have none.
    """
    lengths, moments = np.zeros(model.nu), np.zeros((model.nu, model.nv))
    for i in range(model.nu):
        kind = model.actuator_trntype[i]
        if kind == TRN_TENDON:
            tendon, gear = model.actuator_trnid[i, 0], model.actuator_gear[i, 0]
            lengths[i], moments[i] = gear * tendons[0][tendon], gear * tendons[1][tendon]
        elif kind in TRANSMISSIONS:
            lengths[i] = TRANSMISSIONS[kind](model, at, i, moments[i])
    return lengths, moments


def solvable(model: "Model", moments: np.ndarray) -> np.ndarray:
    """Moments (nu, nv) as MuJoCo multiplies them with matrices.

    Of a dof that is twice in a fixed tendon it takes the last entry, which is empty.
    """
    moments = moments.copy()
    for i in np.flatnonzero(model.actuator_trntype == TRN_TENDON):
        tendon = model.actuator_trnid[i, 0]
        adr = model.ten_J_rowadr[tendon]
        dofs = model.ten_J_colind[adr : adr + model.ten_J_rownnz[tendon]]
        moments[i, dofs[1:][dofs[1:] == dofs[:-1]]] = 0
    return moments


def _vector(quat: tuple) -> tuple:
    """Axis of a rotation, as long as its angle, which is at most pi in magnitude."""
    axis, half = pose.normalize(quat[1:])
    angle = 2 * atan2(half, quat[0])
    angle = angle - 2 * pi if angle > pi else angle
    return tuple(angle * x for x in axis)


def _joint(model: "Model", at: Any, i: int, moment: np.ndarray) -> float:
    """Force along a joint, or torque or wrench in the frame of the child or the parent."""
    j, gear = model.actuator_trnid[i, 0], tuple(model.actuator_gear[i].tolist())
    kind, dof, adr = model.jnt_type[j], model.jnt_dofadr[j], model.jnt_qposadr[j]
    if kind in (JNT_SLIDE, JNT_HINGE):
        moment[dof] = gear[0]
        return at.qpos[adr] * gear[0]
    linear, axis = ((), gear[:3]) if kind == JNT_BALL else (gear[:3], gear[3:])
    adr += len(linear)
    quat = pose.normalize(tuple(at.qpos[adr : adr + 4].tolist()))[0]
    if model.actuator_trntype[i] == TRN_JOINTINPARENT:
        axis = pose.rotate(axis, pose.conjugate(quat))
    moment[dof : dof + len(linear) + 3] = (*linear, *axis)
    return pose.dot(_vector(quat), axis) if kind == JNT_BALL else 0.0


def _crank(model: "Model", at: Any, i: int, moment: np.ndarray) -> float:
    """Slider on an axis that a rod joins to the crank's pin: a v - sqrt((a v)^2 + r^2 - v v)."""
    pin, slider = model.actuator_trnid[i]
    rod, gear = model.actuator_cranklength[i], model.actuator_gear[i, 0]
    axis = at.site_xmat(slider)[:, 2]
    (tip, tip_jac, _), (origin, origin_jac, turn) = _site(model, at, pin), _site(model, at, slider)
    vec = tip - origin
    along = dot(vec, axis)
    square = along**2 + rod**2 - dot(vec, vec)
    if square <= 0:
        length, by_axis, by_vec = along, vec, axis
    else:
        root = np.sqrt(square)
        length, by_axis = along - root, vec * (1 - along / root)
        by_vec = axis * (1 - along / root) + vec / root
    axis_jac = np.cross(turn.T, axis).T
    moment[:] = gear * (applied(axis_jac.T, by_axis) + applied((tip_jac - origin_jac).T, by_vec))
    return length * gear


def _site(model: "Model", at: Any, site: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position of a site in the world, and the Jacobians of its translation and rotation."""
    body = model.site_bodyid[site]
    point = at.site_xpos[site]
    return point, *at.jacobian(body, point)


def _wrench(model: "Model", at: Any, i: int, moment: np.ndarray) -> float:
    """Wrench at a site, in its frame or in that of a reference site."""
    site, reference = model.actuator_trnid[i]
    gear = model.actuator_gear[i]
    point, moves, turns = _site(model, at, site)
    if reference == -1:
        frame = at.site_xmat(site)
        force, torque = applied(frame, gear[:3]), applied(frame, gear[3:])
        moment[:] = applied(moves.T, force) + applied(turns.T, torque)
        return 0.0
    frame, length = at.site_xmat(reference), 0.0
    origin, origin_moves, origin_turns = _site(model, at, reference)
    # what moves both sites does not count
    both = set(chain(model, int(model.site_bodyid[site])))
    both = list(both.intersection(chain(model, int(model.site_bodyid[reference]))))
    if gear[:3].any():
        length += float(dot(applied(frame.T, point - origin), gear[:3]))
        moment += applied((moves - origin_moves).T, applied(frame, gear[:3]))
    if gear[3:].any():
        turned = pose.multiply(
            pose.conjugate(_site_quat(model, at, reference)), _site_quat(model, at, site)
        )
        length += float(dot(np.array(_vector(turned)), gear[3:]))
        moment += applied((turns - origin_turns).T, applied(frame, gear[3:]))
    moment[both] = 0
    return length


def _site_quat(model: "Model", at: Any, site: int) -> tuple:
    """Orientation of a site as MuJoCo compares it with that of another: factors in this order."""
    return pose.multiply(tuple(model.site_quat[site].tolist()), at.xquat[model.site_bodyid[site]])


TRANSMISSIONS = {
    TRN_JOINT: _joint,
    TRN_JOINTINPARENT: _joint,
    TRN_SLIDERCRANK: _crank,
    TRN_SITE: _wrench,
}


def joint_armature(model: "Model") -> np.ndarray:
    """Armature that actuators add to every joint (kg, kg m^2)."""
    added = np.zeros(model.njnt)
    acts = (model.actuator_trntype <= TRN_JOINTINPARENT) & (model.actuator_armature != 0)
    armature = model.actuator_armature * model.actuator_gear[:, 0] ** 2
    np.add.at(added, model.actuator_trnid[acts, 0], armature[acts])
    return added


def moment_entries(model: "Model") -> int:
    """nJmom: entries of the sparse actuator_moment, at most."""
    count = 0
    for kind, (first, second) in zip(model.actuator_trntype, model.actuator_trnid, strict=True):
        if kind in (TRN_JOINT, TRN_JOINTINPARENT):
            count += {JNT_SLIDE: 1, JNT_HINGE: 1, JNT_BALL: 3}.get(int(model.jnt_type[first]), 6)
        elif kind == TRN_SLIDERCRANK:
            count += len(_chain(model, first) | _chain(model, second))
        elif kind == TRN_SITE:
            count += len(_chain(model, first) ^ _chain(model, second))
        elif kind == TRN_TENDON:
            count += int(model.ten_J_rownnz[first])
        elif kind == TRN_BODY:
            count += model.nv
    return count


def _chain(model: "Model", site: int) -> set[int]:
    """Dofs that move a site; none for -1."""
    return set(chain(model, int(model.site_bodyid[site]))) if site >= 0 else set()


def moved_trees(model: "Model", i: int) -> set[int]:
    """Trees that hold the target of an actuator, or what its tendon passes."""
    kind, first = model.actuator_trntype[i], model.actuator_trnid[i, 0]
    if kind == TRN_TENDON:
        from .tendon_constants import path_trees

        return set(path_trees(model, first))
    if kind in (TRN_JOINT, TRN_JOINTINPARENT):
        body = model.jnt_bodyid[first]
    elif kind in (TRN_SITE, TRN_SLIDERCRANK):
        body = model.site_bodyid[first]
    else:
        body = first
    return {int(model.body_treeid[body])} - {-1}
