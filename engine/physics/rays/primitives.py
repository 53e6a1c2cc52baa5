"""Distances along a ray to the surfaces of simple geoms, in the frame of the geom.

Points of a ray are p + x*v with x >= 0. Every function returns the smallest such x on the surface,
-1 where there is none, and the outward normal there, of any length, zero where there is none. Rays
that start inside of a geom meet its surface from inside, except for planes, which have one side.
Equations as in MuJoCo: quadratic ones of second-order surfaces, cut to their extent.
"""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, select, sqrt
from ...simd.spatial import dot3
from ...tables.enums import (
    GEOM_BOX,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_ELLIPSOID,
    GEOM_PLANE,
    MINVAL,
)


@kernel
def roots(a, b, c):
    """Solutions of a*x*x + 2*b*x + c = 0 in increasing order; -1 for both where there are none."""
    discriminant = b * b - a * c
    real = (discriminant >= 0.0) & (a >= MINVAL)
    root = sqrt(select(real, discriminant, 0.0))
    divisor = select(real, a, 1.0)
    return (
        select(real, (-b - root) / divisor, -1.0),
        select(real, (-b + root) / divisor, -1.0),
    )


@kernel
def first_root(a, b, c):
    """Smallest solution of a*x*x + 2*b*x + c = 0 that is not negative; -1 where there is none."""
    low, high = roots(a, b, c)
    return select(low >= 0.0, low, select(high >= 0.0, high, -1.0))


@kernel
def nearer(x, found, there):
    """True where a solution that is `there` replaces the nearest one so far."""
    return there & (found >= 0.0) & ((x < 0.0) | (found < x))


@kernel
def shown(hit, x, y, z):
    """A normal, zero where there is no hit."""
    return (select(hit, x, 0.0), select(hit, y, 0.0), select(hit, z, 0.0))


@kernel
def ray_plane(size, p, v):
    """Front side of a rectangle; a size of 0 is infinite."""
    toward = v[2] <= -MINVAL
    x = -p[2] / select(toward, v[2], -1.0)
    p0, p1 = p[0] + x * v[0], p[1] + x * v[1]
    within = ((size[0] <= 0.0) | (absolute(p0) <= size[0])) & (
        (size[1] <= 0.0) | (absolute(p1) <= size[1])
    )
    hit = toward & (x >= 0.0) & within
    return select(hit, x, -1.0), shown(hit, 0.0 * x, 0.0 * x, 1.0)


@kernel
def ball_distance(square, p, v):
    """Distance to a sphere about the origin, from the square of its radius."""
    return first_root(dot3(v, v), dot3(v, p), dot3(p, p) - square)


@kernel
def ball_met(square, p, v):
    """True where a ray meets a sphere about the origin, by the square of its radius."""
    a, b, c = dot3(v, v), dot3(v, p), dot3(p, p) - square
    return (b * b >= a * c) & ((b <= 0.0) | (c <= 0.0)) & (a >= MINVAL)


@kernel
def ray_sphere(size, p, v):
    """Sphere."""
    x = ball_distance(size[0] * size[0], p, v)
    hit = x >= 0.0
    return x, shown(hit, p[0] + x * v[0], p[1] + x * v[1], p[2] + x * v[2])


@kernel
def round_side(size, p, v):
    """Round side of a capsule or a cylinder."""
    a = v[0] * v[0] + v[1] * v[1]
    b = v[0] * p[0] + v[1] * p[1]
    c = p[0] * p[0] + p[1] * p[1] - size[0] * size[0]
    x = first_root(a, b, c)
    return select((x >= 0.0) & (absolute(p[2] + x * v[2]) <= size[1]), x, -1.0)


@kernel
def ray_capsule(size, p, v):
    """Capsule: its round side, then the outer halves of the spheres at its ends."""
    reach = size[0] + size[1]
    around = ball_distance(reach * reach, p, v) >= 0.0
    x = round_side(size, p, v)
    end = 0.0 * x
    a = dot3(v, v)
    for k in range(2):
        side = 1.0 - 2.0 * k
        z = p[2] - side * size[1]
        b = v[0] * p[0] + v[1] * p[1] + v[2] * z
        c = p[0] * p[0] + p[1] * p[1] + z * z - size[0] * size[0]
        low, high = roots(a, b, c)
        better = nearer(x, low, side * (z + low * v[2]) >= 0.0)
        x, end = select(better, low, x), select(better, side, end)
        better = nearer(x, high, side * (z + high * v[2]) >= 0.0)
        x, end = select(better, high, x), select(better, side, end)
    x = select(around, x, -1.0)
    hit = x >= 0.0
    height = select(end == 0.0, 0.0, p[2] + x * v[2] - size[1] * end)
    return x, shown(hit, p[0] + x * v[0], p[1] + x * v[1], height)


@kernel
def ray_ellipsoid(size, p, v):
    """Ellipsoid."""
    s0, s1, s2 = 1.0 / (size[0] * size[0]), 1.0 / (size[1] * size[1]), 1.0 / (size[2] * size[2])
    a = s0 * v[0] * v[0] + s1 * v[1] * v[1] + s2 * v[2] * v[2]
    b = s0 * v[0] * p[0] + s1 * v[1] * p[1] + s2 * v[2] * p[2]
    c = s0 * p[0] * p[0] + s1 * p[1] * p[1] + s2 * p[2] * p[2] - 1.0
    x = first_root(a, b, c)
    hit = x >= 0.0
    return x, shown(hit, s0 * (p[0] + x * v[0]), s1 * (p[1] + x * v[1]), s2 * (p[2] + x * v[2]))


@kernel
def ray_cylinder(size, p, v):
    """Cylinder: its flat sides, then the round one."""
    around = ball_distance(size[0] * size[0] + size[1] * size[1], p, v) >= 0.0
    slanted = absolute(v[2]) > MINVAL
    divisor = select(slanted, v[2], 1.0)
    x = 0.0 * p[2] - 1.0
    end = 0.0 * p[2]
    for k in range(2):
        side = 2.0 * k - 1.0
        found = (side * size[1] - p[2]) / divisor
        p0, p1 = p[0] + found * v[0], p[1] + found * v[1]
        better = nearer(x, found, slanted & (p0 * p0 + p1 * p1 <= size[0] * size[0]))
        x, end = select(better, found, x), select(better, side, end)
    found = round_side(size, p, v)
    better = nearer(x, found, found >= 0.0)
    x, end = select(better, found, x), select(better, 0.0, end)
    x = select(around, x, -1.0)
    hit, flat = x >= 0.0, end != 0.0
    return x, shown(
        hit, select(flat, 0.0, p[0] + x * v[0]), select(flat, 0.0, p[1] + x * v[1]), end
    )


@kernel
def face_crossing(side, half, p, v, half1, p1, v1, half2, p2, v2):
    """Distance to a face of a box, -1 where the ray misses it; 1 and 2 are the other axes."""
    slanted = absolute(v) > MINVAL
    x = (side * half - p) / select(slanted, v, 1.0)
    within = (absolute(p1 + x * v1) <= half1) & (absolute(p2 + x * v2) <= half2)
    return select(slanted & within & (x >= 0.0), x, -1.0)


@kernel
def box_crossings(size, p, v):
    """Distances to the six faces of a box, in the order -x, +x, -y, +y, -z, +z."""
    s0, s1, s2 = size[0], size[1], size[2]
    near = ball_distance(s0 * s0 + s1 * s1 + s2 * s2, p, v) >= 0.0
    return (
        select(near, face_crossing(-1.0, s0, p[0], v[0], s1, p[1], v[1], s2, p[2], v[2]), -1.0),
        select(near, face_crossing(1.0, s0, p[0], v[0], s1, p[1], v[1], s2, p[2], v[2]), -1.0),
        select(near, face_crossing(-1.0, s1, p[1], v[1], s0, p[0], v[0], s2, p[2], v[2]), -1.0),
        select(near, face_crossing(1.0, s1, p[1], v[1], s0, p[0], v[0], s2, p[2], v[2]), -1.0),
        select(near, face_crossing(-1.0, s2, p[2], v[2], s0, p[0], v[0], s1, p[1], v[1]), -1.0),
        select(near, face_crossing(1.0, s2, p[2], v[2], s0, p[0], v[0], s1, p[1], v[1]), -1.0),
    )


@kernel
def ray_box(size, p, v):
    """Box."""
    every = box_crossings(size, p, v)
    x, zero = 0.0 * p[0] - 1.0, 0.0 * p[0]
    n0, n1, n2 = zero, zero, zero
    for k in range(6):
        side = 2.0 * (k % 2) - 1.0
        axis = k // 2
        better = nearer(x, every[k], every[k] >= 0.0)
        x = select(better, every[k], x)
        n0 = select(better, side if axis == 0 else 0.0, n0)
        n1 = select(better, side if axis == 1 else 0.0, n1)
        n2 = select(better, side if axis == 2 else 0.0, n2)
    return x, (n0, n1, n2)


@kernel
def box_distance(size, p, v):
    """Distance to the surface of a box."""
    every = box_crossings(size, p, v)
    x = every[0]
    for k in range(1, 6):
        x = select(nearer(x, every[k], every[k] >= 0.0), every[k], x)
    return x


@kernel
def ray_simple(kind, size, p, v):
    """Any of the geom types above; never a hit for other types."""
    if kind == GEOM_PLANE:
        x, n = ray_plane(size, p, v)
    elif kind == GEOM_CAPSULE:
        x, n = ray_capsule(size, p, v)
    elif kind == GEOM_ELLIPSOID:
        x, n = ray_ellipsoid(size, p, v)
    elif kind == GEOM_CYLINDER:
        x, n = ray_cylinder(size, p, v)
    elif kind == GEOM_BOX:
        x, n = ray_box(size, p, v)
    else:
        x, n = ray_sphere(size, p, v)
    return x, n
