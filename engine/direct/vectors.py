"""Vectors of any length: sums, products, lengths; see `function.py` for the record."""

from ..simd.kernel import kernel
from ..simd.lanes import absolute, load3, sqrt, store
from ..simd.spatial import cross
from ..tables.enums import MINVAL


@kernel
def fill_zero(c):
    """Zeros."""
    for k in range(c.res_size):
        c.res[k] = 0.0


@kernel
def fill(c):
    """One value."""
    for k in range(c.res_size):
        c.res[k] = c.val[0]


@kernel
def fill_unit(c):
    """The quaternion of no rotation."""
    store(c.res, 0, (1.0, 0.0, 0.0, 0.0))


@kernel
def copy(c):
    """The same numbers."""
    for k in range(c.res_size):
        c.res[k] = c.vec[k]


@kernel
def copy_few(c):
    """The same numbers."""
    for k in range(c.res_size):
        c.res[k] = c.data[k]


@kernel
def scale(c):
    """A multiple."""
    for k in range(c.res_size):
        c.res[k] = c.vec[k] * c.scl[0]


@kernel
def add(c):
    """A sum."""
    for k in range(c.res_size):
        c.res[k] = c.vec1[k] + c.vec2[k]


@kernel
def subtract(c):
    """A difference."""
    for k in range(c.res_size):
        c.res[k] = c.vec1[k] - c.vec2[k]


@kernel
def add_to(c):
    """A sum, in place."""
    for k in range(c.res_size):
        c.res[k] = c.res[k] + c.vec[k]


@kernel
def subtract_from(c):
    """A difference, in place."""
    for k in range(c.res_size):
        c.res[k] = c.res[k] - c.vec[k]


@kernel
def add_scaled_to(c):
    """A sum with a multiple, in place."""
    for k in range(c.res_size):
        c.res[k] = c.res[k] + c.vec[k] * c.scl[0]


@kernel
def add_scaled(c):
    """A sum with a multiple."""
    for k in range(c.res_size):
        c.res[k] = c.vec1[k] + c.vec2[k] * c.scl[0]


@kernel
def total(c):
    """Sum of the elements."""
    c.result[0] = 0.0
    for k in range(c.vec_size):
        c.result[0] = c.result[0] + c.vec[k]


@kernel
def total_size(c):
    """Sum of the absolute values."""
    c.result[0] = 0.0
    for k in range(c.vec_size):
        c.result[0] = c.result[0] + absolute(c.vec[k])


@kernel
def is_zero(c):
    """1 if all elements are 0."""
    c.result[0] = 1.0
    for k in range(c.vec_size):
        if c.vec[k] != 0.0:
            c.result[0] = 0.0


@kernel
def product(a, b, n):
    """Scalar product of two vectors, added up in the order of the index."""
    found = 0.0
    for k in range(n):
        found = found + a[k] * b[k]
    return found


@kernel
def dot(c):
    """Scalar product."""
    c.result[0] = product(c.vec1, c.vec2, c.vec1_size)


@kernel
def length_of_result(c):
    """Length of a vector that is called `res`."""
    c.result[0] = sqrt(product(c.res, c.res, c.res_size))


@kernel
def length(c):
    """Length of a vector."""
    c.result[0] = sqrt(product(c.vec, c.vec, c.vec_size))


@kernel
def distance(c):
    """Distance of two points."""
    a, b = load3(c.pos1, 0), load3(c.pos2, 0)
    x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    c.result[0] = sqrt(x * x + y * y + z * z)


@kernel
def vector_product(c):
    """The product a x b."""
    store(c.res, 0, cross(load3(c.a, 0), load3(c.b, 0)))


@kernel
def make_unit(vec, n, tolerance):
    """Make a vector a unit vector, the first axis where it is 0; its length before.

    One whose length is 1 but for the tolerance stays as it is.
    """
    size = sqrt(product(vec, vec, n))
    if size < MINVAL:
        for k in range(n):
            vec[k] = 0.0
        vec[0] = 1.0
    elif absolute(size - 1.0) > tolerance:
        factor = 1.0 / size
        for k in range(n):
            vec[k] = vec[k] * factor
    return size


@kernel
def normalize_result(c):
    """Make the vector that is called `res` a unit vector; tell its length before."""
    c.result[0] = make_unit(c.res, c.res_size, -1.0)


@kernel
def normalize(c):
    """Make a vector a unit vector; tell its length before."""
    c.result[0] = make_unit(c.vec, c.vec_size, -1.0)


@kernel
def normalize_quaternion(c):
    """Make a quaternion a unit one; tell its length before."""
    c.result[0] = make_unit(c.vec, c.vec_size, MINVAL)
