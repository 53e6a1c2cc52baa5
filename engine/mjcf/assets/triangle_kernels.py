"""Sums over the triangles of a mesh, compiled; see mesh_inertia.py and mesh_normals.py.

Numbers are rounded, and added up, as numpy's functions there do.
"""

from ...simd.kernel import kernel
from ...simd.lanes import sqrt
from ...simd.spatial import cross
from ...tables.enums import MINVAL
from ..geometry.pose import EPS
from .tree_kernel import component, corner, dot

# what is added up, and how a triangle counts
AREAS, VOLUMES, MOMENTS = 0, 1, 2
SIGNED, POSITIVE, SHELL = 0, 1, 2
SMOOTH = 0.8  # faces whose normal has a smaller cosine with that of the vertex make an edge


@kernel
def add_triangles(q):
    """Enter in `sum` what `what` says, of triangles seen from `origin`.

    AREAS: area, and centres times areas. VOLUMES: volume, and centres of tetrahedra times volumes.
    MOMENTS: integrals of xx, yy, zz, xy, xz, yz times weights, and the volume.
    """
    for i in range(q.nface):
        a, b, c = corner(q, i, 0), corner(q, i, 1), corner(q, i, 2)
        if q.what == MOMENTS:
            a, b, c = seen(q, a), seen(q, b), seen(q, c)
        area, normal, centre = measured(a, b, c)
        if q.what == AREAS:
            add(q, i, 0, area)
            for k in range(3):
                add(q, i, k + 1, area * component(centre, k))
        elif q.what == VOLUMES:
            size = size_of(q, area, normal, seen(q, centre))
            add(q, i, 0, size)
            for k in range(3):
                place = component(centre, k) * 3.0 / 4.0 + q.origin[k] / 4.0
                add(q, i, k + 1, size * place)
        else:
            size = size_of(q, area, normal, centre)
            weight = size / 12.0 if q.mode == SHELL else size / 20.0
            for k in range(6):
                # xx, yy, zz, xy, xz, yz
                one = k if k < 3 else 0 if k < 5 else 1
                other = k if k < 3 else 1 if k == 3 else 2
                add(q, i, k, weight * products(a, b, c, one, other))
            add(q, i, 6, size)


@kernel
def seen(q, v):
    """A vector from the origin."""
    return (v[0] - q.origin[0], v[1] - q.origin[1], v[2] - q.origin[2])


@kernel
def add(q, i, place, value):
    """Add the value of triangle i to a sum; the first one begins it."""
    q.sum[place] = value if i == 0 else q.sum[place] + value


@kernel
def measured(a, b, c):
    """Area, unit normal and centre of a triangle; one without area keeps its normal as it is."""
    normal = cross((b[0] - a[0], b[1] - a[1], b[2] - a[2]), (c[0] - a[0], c[1] - a[1], c[2] - a[2]))
    length = sqrt(dot(normal, normal))
    area, scale = 0.5 * length, length
    if length < MINVAL:
        area, scale = 0.0, 1.0
    normal = (normal[0] / scale, normal[1] / scale, normal[2] / scale)
    centre = (
        (a[0] + b[0] + c[0]) / 3.0,
        (a[1] + b[1] + c[1]) / 3.0,
        (a[2] + b[2] + c[2]) / 3.0,
    )
    return area, normal, centre


@kernel
def size_of(q, area, normal, centre):
    """How much a triangle counts: its area, or the volume of the tetrahedron below it."""
    size = area if q.mode == SHELL else dot(centre, normal) * area / 3.0
    if q.mode == POSITIVE:
        size = -size if size < 0.0 else size
    return size


@kernel
def products(a, b, c, i, j):
    """Twenty times the mean of x_i x_j over the tetrahedron of a triangle and the origin."""
    ai, bi, ci = component(a, i), component(b, i), component(c, i)
    aj, bj, cj = component(a, j), component(b, j), component(c, j)
    found = 2.0 * (ai * aj + bi * bj + ci * cj)
    found = found + ai * bj + aj * bi
    found = found + ai * cj + aj * ci
    return found + bi * cj + bj * ci


@kernel
def add_normals(q):
    """Add the normal of each triangle, as long as twice its area, to `total` of its vertices.

    With `sharp`, only to those whose mean normal is far from it. Each sum is rounded to single
    precision.
    """
    for i in range(q.nface):
        a, b, c = corner(q, i, 0), corner(q, i, 1), corner(q, i, 2)
        unit, length = direction(
            cross((b[0] - a[0], b[1] - a[1], b[2] - a[2]), (c[0] - a[0], c[1] - a[1], c[2] - a[2]))
        )
        for k in range(3):
            vertex = 3 * q.face[3 * i + k]
            counts = 1
            if q.sharp == 1:
                mean = (q.mean[vertex], q.mean[vertex + 1], q.mean[vertex + 2])
                counts = 1 if dot(unit, mean) < SMOOTH else 0
            if counts == 1:
                for j in range(3):
                    q.total[vertex + j] = q.total[vertex + j] + component(unit, j) * length


@kernel
def direction(v):
    """A vector of length 1, and the length; one that is zero or of length 1 stays."""
    square = dot(v, v)
    length = 0.0 if square < EPS else sqrt(square)
    scale = 1.0
    if square >= EPS:
        off = length - 1.0 if length > 1.0 else 1.0 - length
        scale = length if off > EPS else 1.0
    return (v[0] / scale, v[1] / scale, v[2] / scale), length
