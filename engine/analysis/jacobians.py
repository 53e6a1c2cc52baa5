"""Jacobians of points and rotations with respect to the degrees of freedom, over all worlds.

All follow from the joint axes `cdof`, of the last call of `forward` or `step`. The shape is
(nworld, 3, nv); times qvel they give velocities (m/s, rad/s) in the global frame.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..data.request import check_data
from ..data.views import takes_views
from ..tables.enums import JNT_BALL, JNT_FREE
from .vectors import cross, matrices, rows_of

if TYPE_CHECKING:
    from ..data.data import Data
    from ..model.model import Model


@takes_views
def jac(model: "Model", data: "Data", point: ArrayLike, body: Any) -> tuple[np.ndarray, np.ndarray]:
    """Jacobians of a point that moves with a body, and of the body's rotation (mj_jac).

    Args:
        model: the model that the data were made for.
        data: worlds, which keep cdof and subtree_com.
        point: global position (m), (3,) or (nworld, 3).
        body: id or name.

    Returns:
        jacp, jacr: (nworld, 3, nv) each.

    Raises:
        ValueError: data of another model, or a point of the wrong shape.
        KeyError, IndexError: there is no such body.
        FieldError: the data do not keep a field.
    """
    check_data(model, data, "jac")
    point = rows_of(data, point, "jac", "point", 3)
    return _jac(model, data, point, model.body(body).id)


@takes_views
def jac_body(model: "Model", data: "Data", body: Any) -> tuple[np.ndarray, np.ndarray]:
    """Jacobians of the origin and the rotation of a body's frame (mj_jacBody).

    Args:
        model: the model that the data were made for.
        data: worlds, which keep cdof, subtree_com and xpos.
        body: id or name.

    Returns:
        jacp, jacr: (nworld, 3, nv) each.

    Raises:
        ValueError: data of another model.
        KeyError, IndexError: there is no such body.
        FieldError: the data do not keep a field.
    """
    check_data(model, data, "jac_body")
    body = model.body(body).id
    return _jac(model, data, data.xpos[:, body], body)


@takes_views
def jac_body_com(model: "Model", data: "Data", body: Any) -> tuple[np.ndarray, np.ndarray]:
    """Jacobians of a body's center of mass and of its rotation (mj_jacBodyCom).

    Args:
        model: the model that the data were made for.
        data: worlds, which keep cdof, subtree_com and xipos.
        body: id or name.

    Returns:
        jacp, jacr: (nworld, 3, nv) each.

    Raises:
        ValueError: data of another model.
        KeyError, IndexError: there is no such body.
        FieldError: the data do not keep a field.
    """
    check_data(model, data, "jac_body_com")
    body = model.body(body).id
    return _jac(model, data, data.xipos[:, body], body)


@takes_views
def jac_geom(model: "Model", data: "Data", geom: Any) -> tuple[np.ndarray, np.ndarray]:
    """Jacobians of a geom's center and rotation (mj_jacGeom).

    Args:
        model: the model that the data were made for.
        data: worlds, which keep cdof, subtree_com and geom_xpos.
        geom: id or name.

    Returns:
        jacp, jacr: (nworld, 3, nv) each.

    Raises:
        ValueError: data of another model.
        KeyError, IndexError: there is no such geom.
        FieldError: the data do not keep a field.
    """
    check_data(model, data, "jac_geom")
    geom = model.geom(geom).id
    return _jac(model, data, data.geom_xpos[:, geom], int(model.geom_bodyid[geom]))


@takes_views
def jac_site(model: "Model", data: "Data", site: Any) -> tuple[np.ndarray, np.ndarray]:
    """Jacobians of a site's center and rotation (mj_jacSite).

    Args:
        model: the model that the data were made for.
        data: worlds, which keep cdof, subtree_com and site_xpos.
        site: id or name.

    Returns:
        jacp, jacr: (nworld, 3, nv) each.

    Raises:
        ValueError: data of another model.
        KeyError, IndexError: there is no such site.
        FieldError: the data do not keep a field.
    """
    check_data(model, data, "jac_site")
    site = model.site(site).id
    return _jac(model, data, data.site_xpos[:, site], int(model.site_bodyid[site]))


@takes_views
def jac_subtree_com(model: "Model", data: "Data", body: Any) -> np.ndarray:
    """Jacobian of the center of mass of a body and its descendants (mj_jacSubtreeCom).

    Args:
        model: the model that the data were made for.
        data: worlds, which keep cdof, subtree_com and xipos.
        body: id or name.

    Returns:
        jacp: (nworld, 3, nv).

    Raises:
        ValueError: data of another model.
        KeyError, IndexError: there is no such body.
        FieldError: the data do not keep a field.
    """
    check_data(model, data, "jac_subtree_com")
    body = model.body(body).id
    total = np.zeros((data.nworld, 3, model.nv))
    for part in _subtree(model, body):
        total += _jac(model, data, data.xipos[:, part], part)[0] * model.body_mass[part]
    return total * (1 / model.body_subtreemass[body])


@takes_views
def jac_point_axis(
    model: "Model", data: "Data", point: ArrayLike, axis: ArrayLike, body: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Jacobians of a point and of an axis that move with a body (mj_jacPointAxis).

    Args:
        model: the model that the data were made for.
        data: worlds, which keep cdof and subtree_com.
        point: global position (m), (3,) or (nworld, 3).
        axis: global direction, (3,) or (nworld, 3).
        body: id or name.

    Returns:
        jacp, jaca: (nworld, 3, nv) each.

    Raises:
        ValueError: data of another model, or an argument of the wrong shape.
        KeyError, IndexError: there is no such body.
        FieldError: the data do not keep a field.
    """
    check_data(model, data, "jac_point_axis")
    point = rows_of(data, point, "jac_point_axis", "point", 3)
    axis = rows_of(data, axis, "jac_point_axis", "axis", 3)
    jacp, jacr = _jac(model, data, point, model.body(body).id)
    return jacp, cross(jacr.swapaxes(1, 2), axis[:, None]).swapaxes(1, 2)


@takes_views
def jac_dot(
    model: "Model", data: "Data", point: ArrayLike, body: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Rates of change of the Jacobians of a point and of a rotation (mj_jacDot).

    The point moves with the body.

    Args:
        model: the model that the data were made for.
        data: worlds, which keep cdof, cdof_dot, cvel and subtree_com.
        point: global position (m), (3,) or (nworld, 3).
        body: id or name.

    Returns:
        jacp_dot, jacr_dot: (nworld, 3, nv) each.

    Raises:
        ValueError: data of another model, or an argument of the wrong shape.
        KeyError, IndexError: there is no such body.
        FieldError: the data do not keep a field.
    """
    check_data(model, data, "jac_dot")
    point = rows_of(data, point, "jac_dot", "point", 3)
    body = model.body(body).id
    dofs = _chain(model, body)
    arm = (point - data.subtree_com[:, model.body_rootid[body]])[:, None]
    speed = data.cvel[:, body]
    speed = speed[:, None, 3:] - cross(arm, speed[:, None, :3])
    axes, rates = data.cdof[:, dofs], data.cdof_dot[:, dofs].copy()
    for k, dof in enumerate(dofs):
        jnt = model.dof_jntid[dof]
        kind = model.jnt_type[jnt]
        if kind == JNT_BALL or (kind == JNT_FREE and dof >= model.jnt_dofadr[jnt] + 3):
            # these axes turn with the body itself
            vel, axis = data.cvel[:, model.dof_bodyid[dof]], axes[:, k]
            rates[:, k, :3] = cross(vel[:, :3], axis[:, :3])
            rates[:, k, 3:] = cross(vel[:, :3], axis[:, 3:]) + cross(vel[:, 3:], axis[:, :3])
    jacp, jacr = (np.zeros((data.nworld, 3, model.nv)) for _ in range(2))
    jacr[:, :, dofs] = rates[..., :3].swapaxes(1, 2)
    linear = rates[..., 3:] + cross(rates[..., :3], arm) + cross(axes[..., :3], speed)
    jacp[:, :, dofs] = linear.swapaxes(1, 2)
    return jacp, jacr


@takes_views
def angmom_mat(model: "Model", data: "Data", body: Any) -> np.ndarray:
    """Matrix that maps qvel to the angular momentum of a subtree (mj_angmomMat).

    The momentum is that of a body and its descendants about their center of mass.

    Args:
        model: the model that the data were made for.
        data: worlds, which keep cdof, subtree_com, xipos and ximat.
        body: id or name.

    Returns:
        (nworld, 3, nv), kg m^2/s per unit of qvel.

    Raises:
        ValueError: data of another model.
        KeyError, IndexError: there is no such body.
        FieldError: the data do not keep a field.
    """
    check_data(model, data, "angmom_mat")
    body = model.body(body).id
    total = np.zeros((data.nworld, model.nv, 3))
    for part in _subtree(model, body):
        jacp, jacr = (j.swapaxes(1, 2) for j in _jac(model, data, data.xipos[:, part], part))
        mat = matrices(data.ximat[:, part])[:, None]
        spin = sum(mat[..., k, :] * jacr[..., k, None] for k in range(3))
        spin = spin * model.body_inertia[part]
        total += sum(mat[..., k] * spin[..., k, None] for k in range(3))
        arm = data.xipos[:, part] - data.subtree_com[:, body]
        total += cross(arm[:, None], jacp) * model.body_mass[part]
    return total.swapaxes(1, 2)


@takes_views
def apply_ft(
    model: "Model", data: "Data", force: ArrayLike, torque: ArrayLike, point: ArrayLike, body: Any
) -> np.ndarray:
    """Generalized force of a force and a torque on a body (mj_applyFT).

    Args:
        model: the model that the data were made for.
        data: worlds, which keep cdof and subtree_com.
        force: global (N), (3,) or (nworld, 3).
        torque: global (N m), (3,) or (nworld, 3).
        point: where the force acts (m), global, (3,) or (nworld, 3).
        body: id or name.

    Returns:
        (nworld, nv); add it to `data.qfrc_applied`.

    Raises:
        ValueError: data of another model, or an argument of the wrong shape.
        KeyError, IndexError: there is no such body.
        FieldError: the data do not keep a field.
    """
    check_data(model, data, "apply_ft")
    force, torque, point = (
        rows_of(data, value, "apply_ft", name, 3)[..., None]
        for name, value in (("force", force), ("torque", torque), ("point", point))
    )
    jacp, jacr = _jac(model, data, point[..., 0], model.body(body).id)
    terms = [jacp[:, k] * force[:, k] for k in range(3)] + [
        jacr[:, k] * torque[:, k] for k in range(3)
    ]
    return sum(terms[1:], terms[0])


def _chain(model: "Model", body: int) -> list[int]:
    """Dofs that move a body, in increasing order."""
    body = int(model.body_weldid[body])
    dof = int(model.body_dofadr[body] + model.body_dofnum[body] - 1) if body else -1
    dofs = []
    while dof >= 0:
        dofs.append(dof)
        dof = int(model.dof_parentid[dof])
    return dofs[::-1]


def _subtree(model: "Model", body: int):
    """A body and its descendants, which follow it."""
    last = body + 1
    while last < model.nbody and model.body_parentid[last] >= body:
        last += 1
    return range(body, last)


def _jac(
    model: "Model", data: "Data", point: np.ndarray, body: int
) -> tuple[np.ndarray, np.ndarray]:
    dofs = _chain(model, body)
    jacp, jacr = (np.zeros((data.nworld, 3, model.nv)) for _ in range(2))
    if dofs:
        axes = data.cdof[:, dofs]
        arm = point - data.subtree_com[:, model.body_rootid[body]]
        jacr[:, :, dofs] = axes[..., :3].swapaxes(1, 2)
        linear = axes[..., 3:] + cross(axes[..., :3], arm[:, None])
        jacp[:, :, dofs] = linear.swapaxes(1, 2)
    return jacp, jacr
