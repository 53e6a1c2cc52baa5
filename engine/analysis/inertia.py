"""The joint-space inertia matrix: in full, times vectors, and its inverse times vectors."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import reals
from ..data.request import call_stages, check_data
from ..data.views import takes_views
from ..physics.smooth.inertia import mul_rows, solve_rows
from ..pipeline.stage import Stage
from ..simd.kernel import kernel
from ..simd.lanes import fma, sqrt
from .vectors import rows_of

if TYPE_CHECKING:
    from ..data.data import Data
    from ..model.model import Model


@kernel
def multiply_vectors(m, d):
    """Products of the inertia matrix and vectors.

    Reads: M, vec_in, vec_num.
    Writes: vec_out, vec_one, vec_two.
    """
    for k in range(d.vec_num[0]):
        for dof in range(m.nv):
            d.vec_one[dof] = d.vec_in[k * m.nv + dof]
        mul_rows(d.vec_two, d.M, d.vec_one, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)
        for dof in range(m.nv):
            d.vec_out[k * m.nv + dof] = d.vec_two[dof]


@kernel
def solve_vectors(m, d):
    """Products of the inverse of the inertia matrix and vectors.

    Reads: qLD, qLDiagInv, vec_in, vec_num.
    Writes: vec_out, vec_one.
    """
    for k in range(d.vec_num[0]):
        for dof in range(m.nv):
            d.vec_one[dof] = d.vec_in[k * m.nv + dof]
        solve_rows(d.vec_one, d.qLD, d.qLDiagInv, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)
        for dof in range(m.nv):
            d.vec_out[k * m.nv + dof] = d.vec_one[dof]


@kernel
def multiply_root(m, d):
    """Products of a root of the inertia matrix, D^(1/2) L of its factors L' D L, and vectors.

    Reads: qLD, vec_in, vec_num.
    Writes: vec_out.
    """
    for k in range(d.vec_num[0]):
        for dof in range(m.nv):
            start = m.M_rowadr[dof]
            end = start + m.M_rownnz[dof] - 1
            s = d.vec_in[k * m.nv + dof]
            for e in range(start, end):
                s = fma(d.qLD[e], d.vec_in[k * m.nv + m.M_colind[e]], s)
            d.vec_out[k * m.nv + dof] = s * sqrt(d.qLD[end])


@kernel
def solve_root(m, d):
    """Products of the inverse of L' and vectors.

    Reads: qLD, vec_in, vec_num.
    Writes: vec_out, vec_one.
    """
    for k in range(d.vec_num[0]):
        for dof in range(m.nv):
            d.vec_one[dof] = d.vec_in[k * m.nv + dof]
        for dof in range(m.nv - 1, -1, -1):
            x, start = -d.vec_one[dof], m.M_rowadr[dof]
            for e in range(start, start + m.M_rownnz[dof] - 1):
                j = m.M_colind[e]
                d.vec_one[j] = fma(d.qLD[e], x, d.vec_one[j])
        for dof in range(m.nv):
            d.vec_out[k * m.nv + dof] = d.vec_one[dof]


MULTIPLY = (Stage(multiply_vectors),)
SOLVE = (Stage(solve_vectors),)
MULTIPLY_ROOT = (Stage(multiply_root),)
SOLVE_ROOT = (Stage(solve_root),)


@takes_views
def full_m(model: "Model", data: "Data") -> np.ndarray:
    """The inertia matrix as a full symmetric matrix (mj_fullM).

    Args:
        model: the model that the data were made for.
        data: worlds, which keep M.

    Returns:
        (nworld, nv, nv), kg, kg m or kg m^2.

    Raises:
        ValueError: data of another model.
        FieldError: the data do not keep M.
    """
    check_data(model, data, "full_m")
    rows = np.repeat(np.arange(model.nv), model.M_rownnz)
    full = np.zeros((data.nworld, model.nv, model.nv))
    full[:, rows, model.M_colind] = data.M
    full[:, model.M_colind, rows] = data.M
    return full


@takes_views
def mul_m(model: "Model", data: "Data", vec: ArrayLike) -> np.ndarray:
    """The inertia matrix times vectors (mj_mulM).

    Args:
        model: the model that the data were made for.
        data: worlds, which keep M.
        vec: (nv,) for all worlds, (nworld, nv), or several for each world: (nworld, n, nv).

    Returns:
        (nworld, nv) or (nworld, n, nv).

    Raises:
        ValueError: data of another model, or an argument of the wrong shape.
        FieldError: the data do not keep a field.
    """
    return _over_vectors(model, data, "mul_m", MULTIPLY, "M", vec)


@takes_views
def solve_m(model: "Model", data: "Data", vec: ArrayLike) -> np.ndarray:
    """The inverse of the inertia matrix times vectors (mj_solveM).

    Args:
        model: the model that the data were made for.
        data: worlds, which keep qLD and qLDiagInv.
        vec: (nv,) for all worlds, (nworld, nv), or several for each world: (nworld, n, nv).

    Returns:
        (nworld, nv) or (nworld, n, nv).

    Raises:
        ValueError: data of another model, or an argument of the wrong shape.
        FieldError: the data do not keep a field.
    """
    return _over_vectors(model, data, "solve_m", SOLVE, "qLD qLDiagInv", vec)


@takes_views
def mul_m2(model: "Model", data: "Data", vec: ArrayLike) -> np.ndarray:
    """A root of the inertia matrix times vectors (mj_mulM2): R v, where M = R' R.

    Args:
        model: the model that the data were made for.
        data: worlds, which keep qLD.
        vec: (nv,) for all worlds, (nworld, nv), or several for each world: (nworld, n, nv).

    Returns:
        (nworld, nv) or (nworld, n, nv).

    Raises:
        ValueError: data of another model, or an argument of the wrong shape.
        FieldError: the data do not keep a field.
    """
    return _over_vectors(model, data, "mul_m2", MULTIPLY_ROOT, "qLD", vec)


@takes_views
def solve_m2(
    model: "Model", data: "Data", vec: ArrayLike, sqrt_inv_d: ArrayLike | None = None
) -> np.ndarray:
    """Half of the way to `solve_m` (mj_solveM2): r of R' r = v, where M = R' R.

    Args:
        model: the model that the data were made for.
        data: worlds, which keep qLD and qLDiagInv.
        vec: (nv,) for all worlds, (nworld, nv), or several for each world: (nworld, n, nv).
        sqrt_inv_d: (nv,) or (nworld, nv), the root of data.qLDiagInv where None.

    Returns:
        (nworld, nv) or (nworld, n, nv).

    Raises:
        ValueError: data of another model, or an argument of the wrong shape.
        FieldError: the data do not keep a field.
    """
    found = _over_vectors(model, data, "solve_m2", SOLVE_ROOT, "qLD", vec)
    scale = np.sqrt(data.qLDiagInv) if sqrt_inv_d is None else sqrt_inv_d
    scale = rows_of(data, scale, "solve_m2", "sqrt_inv_d", model.nv)
    return found * (scale if found.ndim == 2 else scale[:, None])


def get_totalmass(model: "Model") -> float:
    """Mass of all bodies (kg) (mj_getTotalmass)."""
    return float(np.sum(model.body_mass))


def _over_vectors(
    model: "Model", data: "Data", where: str, stages: Sequence[Stage], reads: str, vec: ArrayLike
) -> np.ndarray:
    check_data(model, data, where)
    vec = reals(vec, where, "vec")
    expected = f"({model.nv},), (nworld, {model.nv}) or (nworld, n, {model.nv})"
    if vec.ndim == 1:
        vec = np.broadcast_to(vec, (data.nworld, *vec.shape))
    if vec.shape[-1:] != (model.nv,) or vec.shape[:1] != (data.nworld,) or vec.ndim > 3:
        raise ValueError(f"{where}: vec has shape {vec.shape}, expected {expected}")
    result = np.zeros(vec.shape)
    if vec.size:
        number = 1 if vec.ndim == 2 else vec.shape[1]
        call_stages(
            model, data, where, stages, reads=reads, given={"vec_in": vec},
            results={"vec_out": result}, shared={"vec_num": [number]},
        )  # fmt: skip
    return result
