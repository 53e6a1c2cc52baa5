"""Products with the Jacobian of the constraints, and their forces at other accelerations."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import reals
from ..data.request import check_data
from ..data.views import takes_views
from ..tables.enums import (
    CNSTR_CONTACT_ELLIPTIC,
    STATE_CONE,
    STATE_LINEARNEG,
    STATE_LINEARPOS,
    STATE_QUADRATIC,
    STATE_SATISFIED,
)
from .vectors import rows_of

if TYPE_CHECKING:
    from ..data.data import Data
    from ..model.model import Model


@takes_views
def mul_jac_vec(model: "Model", data: "Data", vec: ArrayLike) -> np.ndarray:
    """The Jacobian of the constraints times a vector (mj_mulJacVec).

    Args:
        model: the model that the data were made for.
        data: worlds, which keep nefc and efc_J.
        vec: (nv,) or (nworld, nv), in the space of velocities.

    Returns:
        (nworld, nefc), the rows of each world first, then zeros.

    Raises:
        ValueError: data of another model, or an argument of the wrong shape.
        FieldError: the data do not keep a field.
    """
    check_data(model, data, "mul_jac_vec")
    vec = rows_of(data, vec, "mul_jac_vec", "vec", model.nv)
    counts = data.nefc.reshape(-1)
    result = np.zeros((data.nworld, _room(data)))
    for world, n in enumerate(counts):
        values, rows, columns = _entries(data, world, int(n))
        result[world, :n] = np.bincount(rows, values * vec[world, columns], n)
    return result


@takes_views
def mul_jac_t_vec(model: "Model", data: "Data", vec: ArrayLike) -> np.ndarray:
    """The transposed Jacobian of the constraints times a vector (mj_mulJacTVec).

    Args:
        model: the model that the data were made for.
        data: worlds, which keep nefc and efc_J.
        vec: (nworld, n) with n at least the largest of data.nefc; what lies behind the rows of a
            world does not count.

    Returns:
        (nworld, nv).

    Raises:
        ValueError: data of another model, or an argument of the wrong shape.
        FieldError: the data do not keep a field.
    """
    check_data(model, data, "mul_jac_t_vec")
    vec = _per_row(data, vec, "mul_jac_t_vec", "vec")
    result = np.zeros((data.nworld, model.nv))
    for world, n in enumerate(data.nefc.reshape(-1)):
        values, rows, columns = _entries(data, world, int(n))
        result[world] = np.bincount(columns, values * vec[world, rows], model.nv)
    return result


@takes_views
def constraint_update(
    model: "Model", data: "Data", jar: ArrayLike, flg_cone_hessian: bool = False
) -> np.ndarray:
    """Forces and states of the constraints at another acceleration (mj_constraintUpdate).

    Writes data.efc_force, data.efc_state and data.qfrc_constraint.

    Args:
        model: the model that the data were made for.
        data: worlds, which keep the fields of constraints and contacts.
        jar: efc_J qacc - efc_aref, (nworld, n) with n at least the largest of data.nefc.
        flg_cone_hessian: whether to write contact.H of contacts in the middle of their cones too.

    Returns:
        (nworld,), cost of the constraints.

    Raises:
        ValueError: data of another model, or an argument of the wrong shape.
        FieldError: the data do not keep a field.
    """
    check_data(model, data, "constraint_update")
    jar = _per_row(data, jar, "constraint_update", "jar")
    cost = np.zeros(data.nworld)
    for world in range(data.nworld):
        cost[world] = _update_world(data, world, jar[world], flg_cone_hessian)
    data.qfrc_constraint[:] = mul_jac_t_vec(model, data, data.efc_force)
    return cost


def _room(data: "Data") -> int:
    return data.efc_force.shape[1] if "efc_force" in data.kept else int(data.nefc.max(initial=0))


def _per_row(data: "Data", vec: ArrayLike, where: str, name: str) -> np.ndarray:
    """An argument with a number for each row of each world."""
    vec, most = reals(vec, where, name), int(data.nefc.max(initial=0))
    if vec.ndim != 2 or len(vec) != data.nworld or vec.shape[1] < most:
        raise ValueError(
            f"{where}: {name} has shape {vec.shape}, expected ({data.nworld}, n) with n at least "
            f"{most}, the largest nefc"
        )
    return vec


def _entries(data: "Data", world: int, n: int):
    """Entries of the Jacobian of a world, their rows and their columns."""
    nv = data.model.nv
    if data.plan.tables["is_dense"]:
        rows, columns = np.divmod(np.arange(n * nv), nv)
        return data.efc_J[world, : n * nv], rows, columns
    length = data.efc_J_rownnz[world, :n]
    total = int(length.sum())
    rows = np.repeat(np.arange(n), length)
    return data.efc_J[world, :total], rows, data.efc_J_colind[world, :total]


def _update_world(data: "Data", world: int, jar: np.ndarray, hessian: bool) -> float:
    """Forces and states of one world; returns the cost."""
    n = int(data.nefc.reshape(-1)[world])
    ne, nf = (int(getattr(data, name).reshape(-1)[world]) for name in ("ne", "nf"))
    if not n:
        return 0.0
    jar, weight, loss = jar[:n], data.efc_D[world, :n], data.efc_frictionloss[world, :n]
    # inside its limits every row costs a quadratic of its residual
    force = -weight * jar
    state, cost = np.full(n, STATE_QUADRATIC), 0.5 * weight * jar * jar
    row = np.arange(n)
    # friction: linear beyond its bound
    friction = (row >= ne) & (row < ne + nf)
    bound = data.efc_R[world, :n] * loss
    for side, name in ((1.0, STATE_LINEARNEG), (-1.0, STATE_LINEARPOS)):
        slips = friction & (side * jar <= -bound)
        force[slips], state[slips] = side * loss[slips], name
        cost[slips] = -0.5 * bound[slips] * loss[slips] - side * loss[slips] * jar[slips]
    # limits and frictionless contacts: nothing while they are apart
    free = (row >= ne + nf) & (jar >= 0) & (data.efc_type[world, :n] != CNSTR_CONTACT_ELLIPTIC)
    force[free], state[free], cost[free] = 0.0, STATE_SATISFIED, 0.0
    # elliptic contacts: all rows of a contact together
    first = ne + nf
    while first < n:
        dim = 1
        if data.efc_type[world, first] == CNSTR_CONTACT_ELLIPTIC:
            contact = int(data.efc_id[world, first])
            dim = int(data.contact.dim[world, contact])
            part = slice(first, first + dim)
            found = _cone(data, world, contact, jar[part], weight[first], hessian)
            if found is not None:
                force[part], state[part], cost[part] = found
        first += dim
    data.efc_force[world, :n], data.efc_state[world, :n] = force, state
    return float(sum(cost))


def _cone(data: "Data", world: int, contact: int, jar: np.ndarray, weight: float, hessian: bool):
    """Forces, states and costs of an elliptic contact; None in the bottom zone of its cone."""
    mu, dim = float(data.contact.mu[world, contact]), len(jar)
    scale = np.concatenate([[mu], data.contact.friction[world, contact, : dim - 1]])
    u = jar * scale
    normal, slip = float(u[0]), float(np.sqrt(sum(u[1:] ** 2)))
    if normal >= mu * slip or (slip <= 0 and normal >= 0):
        return np.zeros(dim), STATE_SATISFIED, np.zeros(dim)
    if mu * normal + slip <= 0 or slip <= 0:
        return None
    # the middle zone: the cost is the squared distance to the cone
    stiff = weight / (mu * mu * (1 + mu * mu))
    gap = normal - mu * slip
    force, cost = np.full(dim, -stiff * gap * mu), np.zeros(dim)
    force[1:] = -force[0] / slip * u[1:] * scale[1:]
    cost[0] = 0.5 * stiff * gap * gap
    if hessian:
        side = u[1:] / slip
        curve = np.empty((dim, dim))
        curve[0, 0], curve[0, 1:], curve[1:, 0] = 1.0, -mu * side, -mu * side
        curve[1:, 1:] = mu * normal / slip * np.outer(side, side)
        curve[1:, 1:] += (mu * mu - mu * normal / slip) * np.eye(dim - 1)
        data.contact.H[world, contact, : dim * dim] = (
            stiff * np.outer(scale, scale) * curve
        ).reshape(-1)
    return force, STATE_CONE, cost
