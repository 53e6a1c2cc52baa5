"""Functions of vectors: sums, products, norms."""

import numpy as np

from mjenv.engine.direct import vectors as kernels
from mjenv.mujoco.functions import compiled, tables
from mjenv.mujoco.functions.compiled import Compiled

_ZERO = Compiled("res = 0", kernels.fill_zero)
_COPY = Compiled("res = vec", kernels.copy)
_COPY_FEW = Compiled("res = data", kernels.copy_few)
_SCALE = Compiled("res = vec * scl", kernels.scale)
_ADD = Compiled("res = vec1 + vec2", kernels.add)
_SUB = Compiled("res = vec1 - vec2", kernels.subtract)
_ADD_TO = Compiled("res = res + vec", kernels.add_to)
_SUB_FROM = Compiled("res = res - vec", kernels.subtract_from)
_ADD_TO_SCL = Compiled("res = res + vec * scl", kernels.add_scaled_to)
_ADD_SCL = Compiled("res = vec1 + vec2 * scl", kernels.add_scaled)
_NORMALIZE = Compiled("Make a vector a unit vector; returns its length before.", kernels.normalize)
_NORM = Compiled("Length of a vector.", kernels.length)
_DOT = Compiled("Scalar product.", kernels.dot)

_KERNELS = {
    "mju_zero": _ZERO, "mju_zero3": _ZERO, "mju_zero4": _ZERO,
    "mju_unit4": Compiled("res = (1, 0, 0, 0)", kernels.fill_unit),
    "mju_fill": Compiled("res = val", kernels.fill),
    "mju_copy": _COPY, "mju_copy3": _COPY_FEW, "mju_copy4": _COPY_FEW,
    "mju_f2n": _COPY, "mju_n2f": _COPY, "mju_d2n": _COPY, "mju_n2d": _COPY,
    "mju_scl": _SCALE, "mju_scl3": _SCALE,
    "mju_add": _ADD, "mju_add3": _ADD,
    "mju_sub": _SUB, "mju_sub3": _SUB,
    "mju_addTo": _ADD_TO, "mju_addTo3": _ADD_TO,
    "mju_subFrom": _SUB_FROM, "mju_subFrom3": _SUB_FROM,
    "mju_addToScl": _ADD_TO_SCL, "mju_addToScl3": _ADD_TO_SCL,
    "mju_addScl": _ADD_SCL, "mju_addScl3": _ADD_SCL,
    "mju_normalize": _NORMALIZE._replace(kernel=kernels.normalize_result),
    "mju_normalize3": _NORMALIZE,
    "mju_normalize4": Compiled("Make a quaternion a unit one; returns its length before.",
                               kernels.normalize_quaternion),
    "mju_norm": _NORM._replace(kernel=kernels.length_of_result), "mju_norm3": _NORM,
    "mju_dot": _DOT, "mju_dot3": _DOT,
    "mju_dist3": Compiled("Distance of two points.", kernels.distance),
    "mju_cross": Compiled("res = a x b", kernels.vector_product),
    "mju_sum": Compiled("Sum of the elements.", kernels.total),
    "mju_L1": Compiled("Sum of the absolute values.", kernels.total_size),
    "mju_isZero": Compiled("1 if all elements are 0, else 0.", kernels.is_zero),
}  # fmt: skip


def _sort(numbers: np.ndarray) -> None:
    numbers.sort()


_OTHERS = {
    "mju_insertionSort": ("Sort numbers, the smallest first.", lambda res: _sort(res)),
    "mju_insertionSortInt": ("Sort numbers, the smallest first.", lambda res: _sort(res)),
}
compiled.define(globals(), _KERNELS)
tables.define(globals(), _OTHERS)
