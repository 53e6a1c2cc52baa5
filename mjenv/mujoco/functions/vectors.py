"""Functions of vectors: sums, products, norms."""

from math import sqrt
from operator import mul

import numpy as np

from mjenv.engine.tables.enums import MINVAL
from mjenv.mujoco.functions.tables import define
from mjenv.mujoco.functions.turns import IDENTITY, unit

FEW = 32  # elements of vectors that Python adds up faster than numpy


def _dot(a: np.ndarray, b: np.ndarray) -> float:
    if a.size > FEW:
        return float(np.multiply(a, b).sum())
    return sum(map(mul, a.tolist(), b.tolist()))


def _dot3(a: np.ndarray, b: np.ndarray) -> float:
    (a0, a1, a2), (b0, b1, b2) = a.tolist(), b.tolist()
    return a0 * b0 + a1 * b1 + a2 * b2


def _norm(vec: np.ndarray) -> float:
    return sqrt(_dot(vec, vec))


def _norm3(vec: np.ndarray) -> float:
    x, y, z = vec.tolist()
    return sqrt(x * x + y * y + z * z)


def _dist3(pos1: np.ndarray, pos2: np.ndarray) -> float:
    (a0, a1, a2), (b0, b1, b2) = pos1.tolist(), pos2.tolist()
    return sqrt((a0 - b0) ** 2 + (a1 - b1) ** 2 + (a2 - b2) ** 2)


def _normalize(vec: np.ndarray) -> float:
    length = _norm(vec)
    if length < MINVAL:
        vec[:] = 0.0
        vec[0] = 1.0
    else:
        vec *= 1.0 / length
    return length


def _normalize3(vec: np.ndarray) -> float:
    vec[:], length = unit(vec.tolist())
    return length


def _normalize4(vec: np.ndarray) -> float:
    w, x, y, z = vec.tolist()
    length = sqrt(w * w + x * x + y * y + z * z)
    if length < MINVAL:
        vec[:] = IDENTITY
    elif abs(length - 1.0) > MINVAL:
        scale = 1.0 / length
        vec[:] = (w * scale, x * scale, y * scale, z * scale)
    return length


def _cross(res: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    (a0, a1, a2), (b0, b1, b2) = a.tolist(), b.tolist()
    res[:] = (a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0)


def _copy(res: np.ndarray, data: np.ndarray) -> None:
    res[:] = data


def _add_scaled(res: np.ndarray, vec1: np.ndarray, vec2: np.ndarray, scl: float) -> None:
    res[:] = vec1 + vec2 * scl


def _unit4(res: np.ndarray) -> None:
    res[:] = IDENTITY


_ZERO = ("res = 0", lambda res: res.fill(0.0))
_COPY = ("res = vec", _copy)
_SCALE = ("res = vec * scl", lambda res, vec, scl: np.multiply(vec, scl, out=res))
_ADD = ("res = vec1 + vec2", lambda res, vec1, vec2: np.add(vec1, vec2, out=res))
_SUB = ("res = vec1 - vec2", lambda res, vec1, vec2: np.subtract(vec1, vec2, out=res))
_ADD_TO = ("res = res + vec", lambda res, vec: np.add(res, vec, out=res))
_SUB_FROM = ("res = res - vec", lambda res, vec: np.subtract(res, vec, out=res))
_ADD_TO_SCL = ("res = res + vec * scl", lambda res, vec, scl: np.add(res, vec * scl, out=res))
_ADD_SCL = ("res = vec1 + vec2 * scl", _add_scaled)
_NORMALIZE = ("Make a vector a unit vector; returns its length before.", _normalize)
_NORM = ("Length of a vector.", _norm)
_DOT = ("Scalar product.", _dot)

_ROWS = {
    "mju_zero": _ZERO, "mju_zero3": _ZERO, "mju_zero4": _ZERO,
    "mju_unit4": ("res = (1, 0, 0, 0)", _unit4),
    "mju_fill": ("res = val", lambda res, val: res.fill(val)),
    "mju_copy": _COPY, "mju_copy3": _COPY, "mju_copy4": _COPY,
    "mju_f2n": _COPY, "mju_n2f": _COPY, "mju_d2n": _COPY, "mju_n2d": _COPY,
    "mju_scl": _SCALE, "mju_scl3": _SCALE,
    "mju_add": _ADD, "mju_add3": _ADD,
    "mju_sub": _SUB, "mju_sub3": _SUB,
    "mju_addTo": _ADD_TO, "mju_addTo3": _ADD_TO,
    "mju_subFrom": _SUB_FROM, "mju_subFrom3": _SUB_FROM,
    "mju_addToScl": _ADD_TO_SCL, "mju_addToScl3": _ADD_TO_SCL,
    "mju_addScl": _ADD_SCL, "mju_addScl3": _ADD_SCL,
    "mju_normalize": _NORMALIZE, "mju_normalize3": (_NORMALIZE[0], _normalize3),
    "mju_normalize4": ("Make a quaternion a unit one; returns its length before.", _normalize4),
    "mju_norm": _NORM, "mju_norm3": (_NORM[0], _norm3),
    "mju_dot": _DOT, "mju_dot3": (_DOT[0], _dot3),
    "mju_dist3": ("Distance of two points.", _dist3),
    "mju_cross": ("res = a x b", _cross),
    "mju_sum": ("Sum of the elements.", lambda vec: vec.sum()),
    "mju_L1": ("Sum of the absolute values.", lambda vec: np.abs(vec).sum()),
    "mju_isZero": ("1 if all elements are 0, else 0.", lambda vec: not vec.any()),
    "mju_insertionSort": ("Sort numbers, the smallest first.", lambda res: res.sort()),
    "mju_insertionSortInt": ("Sort numbers, the smallest first.", lambda res: res.sort()),
}  # fmt: skip

define(globals(), _ROWS)
