"""Distances along rays to shapes, and the normals of surfaces there.

Lanes are pixels. A ray is an origin and a direction of any length, in the shape's own frame, whose
z axis is the axis of capsules and cylinders. Only entries count: a ray that starts within a convex
shape, or on its surface and leaves, meets nothing.
"""

from mjenv.engine.simd.elementary import larger, smaller
from mjenv.engine.simd.kernel import kernel
from mjenv.engine.simd.lanes import absolute, bits_of, fma, from_bits, select, sqrt
from mjenv.engine.simd.spatial import dot3, select3
from mjenv.engine.tables.enums import (
    GEOM_BOX,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_ELLIPSOID,
    GEOM_PLANE,
    GEOM_SPHERE,
)

FAR = 1e30  # distance of a ray that meets nothing
FLAT = 1e-18  # smallest square of a length that counts as nonzero
KIND_CONE = 200  # a cone: base of radius size[0], size[1] at z = 0, tip at z = size[2]
KIND_TRIANGLES = 201  # whatever is made of triangles
KIND_TRIANGLE = 202  # one triangle: (0, 0), (size[0], 0), (0, size[1]) in the plane z = 0


@kernel
def nonzero(x):
    """x, kept away from zero so that it can divide."""
    return select(absolute(x) < 1e-12, 1e-12, x)


@kernel
def inverse_root(x):
    """1 / sqrt(x) of positive packs, to 5e-6 of it: two steps of Newton from a guess."""
    y = from_bits(1597463007 - (bits_of(x) >> 1))
    half = 0.5 * x
    y = y * fma(-half * y, y, 1.5)
    return y * fma(-half * y, y, 1.5)


@kernel
def unit3(v):
    """Vectors of length 1; zero stays finite."""
    s = inverse_root(larger(dot3(v, v), FLAT))
    return (v[0] * s, v[1] * s, v[2] * s)


# ---------------------------------------------------------------- entry distances


@kernel
def cross_plane(o, v, size, tmin):
    """Distance to a rectangle in the xy plane, from either side; half sizes of 0 are infinite."""
    t = -o[2] / nonzero(v[2])
    met = t > tmin
    if size[0] > 0.0:
        met = met & (absolute(fma(v[0], t, o[0])) <= size[0])
    if size[1] > 0.0:
        met = met & (absolute(fma(v[1], t, o[1])) <= size[1])
    return select(met, t, FAR)


@kernel
def cross_triangle(o, v, size, tmin):
    """Distance to the half of a rectangle that spans from a corner at the origin."""
    t = -o[2] / nonzero(v[2])
    x, y = fma(v[0], t, o[0]) / size[0], fma(v[1], t, o[1]) / size[1]
    return select((t > tmin) & (x >= 0.0) & (y >= 0.0) & (x + y <= 1.0), t, FAR)


@kernel
def enter_sphere(o, v, radius, tmin):
    """Distance to a sphere: half a chord before the point of the ray that is next to its centre."""
    vv = dot3(v, v)
    t = -dot3(o, v) / vv
    # the offset of that point is formed first: its square loses nothing at a distance
    q = (fma(v[0], t, o[0]), fma(v[1], t, o[1]), fma(v[2], t, o[2]))
    rest = fma(radius, radius, -dot3(q, q))
    t = t - sqrt(larger(rest, 0.0) / vv)
    return select((rest >= 0.0) & (t > tmin), t, FAR)


@kernel
def enter_ellipsoid(o, v, size, tmin):
    """Distance to an ellipsoid: a unit sphere once space is scaled."""
    x, y, z = 1.0 / size[0], 1.0 / size[1], 1.0 / size[2]
    return enter_sphere((o[0] * x, o[1] * y, o[2] * z), (v[0] * x, v[1] * y, v[2] * z), 1.0, tmin)


@kernel
def chord(o, v, radius):
    """Position on a line nearest to the axis of an infinite cylinder, and half its chord.

    Returns:
        (distance, half chord; -1 where the line does not meet it).
    """
    a = larger(fma(v[1], v[1], v[0] * v[0]), FLAT)
    t = -fma(o[1], v[1], o[0] * v[0]) / a
    x, y = fma(v[0], t, o[0]), fma(v[1], t, o[1])
    rest = radius * radius - fma(y, y, x * x)
    return t, select(rest >= 0.0, sqrt(larger(rest, 0.0) / a), -1.0)


@kernel
def enter_capsule(o, v, radius, half, tmin):
    """Distance to a capsule: its side, or the end sphere towards which the line leaves the side."""
    middle, reach = chord(o, v, radius)
    side = middle - reach
    z = fma(v[2], side, o[2])
    centre = select(z > 0.0, half, -half)
    end = enter_sphere((o[0], o[1], o[2] - centre), v, radius, tmin)
    t = select(absolute(z) <= half, select(side > tmin, side, FAR), end)
    return select(reach >= 0.0, t, FAR)


@kernel
def slab(o, v, half):
    """Distances at which a line enters and leaves |x| <= half, one coordinate."""
    inverse = 1.0 / nonzero(v)
    centre = -o * inverse
    reach = absolute(half * inverse)
    return centre - reach, centre + reach


@kernel
def enter_cylinder(o, v, radius, half, tmin):
    """Distance to a cylinder: the later of the entries into its tube and its slab."""
    middle, reach = chord(o, v, radius)
    cap, cap_end = slab(o[2], v[2], half)
    t = larger(middle - reach, cap)
    met = (reach >= 0.0) & (t > tmin) & (t <= smaller(middle + reach, cap_end))
    return select(met, t, FAR)


@kernel
def enter_cone(o, v, size, tmin):
    """Distance to a cone: its side, or its base."""
    # where space is scaled to radius and height 1, the side is x^2 + y^2 = (1 - z)^2
    p = (o[0] / size[0], o[1] / size[1], o[2] / size[2] - 1.0)
    w = (v[0] / size[0], v[1] / size[1], v[2] / size[2])
    a = nonzero(fma(w[0], w[0], fma(w[1], w[1], -(w[2] * w[2]))))
    b = fma(w[0], p[0], fma(w[1], p[1], -(w[2] * p[2])))
    c = fma(p[0], p[0], fma(p[1], p[1], -(p[2] * p[2])))
    rest = fma(b, b, -(a * c))
    root = sqrt(larger(rest, 0.0))
    near = select(a > 0.0, -b - root, root - b) / a
    far = select(a > 0.0, root - b, -b - root) / a
    z_near, z_far = fma(w[2], near, p[2]), fma(w[2], far, p[2])
    t = select((far > tmin) & (z_far <= 0.0) & (z_far >= -1.0), far, FAR)
    t = select((near > tmin) & (z_near <= 0.0) & (z_near >= -1.0), near, t)
    t = select(rest >= 0.0, t, FAR)
    base = -(p[2] + 1.0) / nonzero(w[2])
    x, y = fma(w[0], base, p[0]), fma(w[1], base, p[1])
    on_base = (base > tmin) & (fma(y, y, x * x) <= 1.0)
    return select(on_base, smaller(base, t), t)


@kernel
def enter_box(o, v, size, tmin):
    """Distance to a box: the last of the entries into its three slabs."""
    x, x_end = slab(o[0], v[0], size[0])
    y, y_end = slab(o[1], v[1], size[1])
    z, z_end = slab(o[2], v[2], size[2])
    t = larger(larger(x, y), z)
    return select((t > tmin) & (t <= smaller(smaller(x_end, y_end), z_end)), t, FAR)


@kernel
def enter(kind, size, o, v, tmin):
    """Distance at which rays enter a shape beyond tmin, FAR where they do not."""
    t = FAR + 0.0 * v[0]
    if kind == GEOM_PLANE:
        t = cross_plane(o, v, size, tmin)
    elif kind == GEOM_CAPSULE:
        t = enter_capsule(o, v, size[0], size[2], tmin)
    elif kind == GEOM_SPHERE:
        t = enter_sphere(o, v, size[0], tmin)
    elif kind == GEOM_BOX:
        t = enter_box(o, v, size, tmin)
    elif kind == GEOM_CYLINDER:
        t = enter_cylinder(o, v, size[0], size[2], tmin)
    elif kind == GEOM_ELLIPSOID:
        t = enter_ellipsoid(o, v, size, tmin)
    elif kind == KIND_CONE:
        t = enter_cone(o, v, size, tmin)
    elif kind == KIND_TRIANGLE:
        t = cross_triangle(o, v, size, tmin)
    return t


@kernel
def leave(kind, size, o, v, tmin):
    """Distance at which rays leave a convex shape beyond tmin, FAR where they do not."""
    t = -enter(kind, size, o, (-v[0], -v[1], -v[2]), -FAR)
    return select((t > tmin) & (t > -FAR), t, FAR)


# ---------------------------------------------------------------- normals


@kernel
def capsule_normal(p, half):
    """Away from the nearest point of the axis."""
    z = smaller(larger(p[2], -half), half)
    return unit3((p[0], p[1], p[2] - z))


@kernel
def cylinder_normal(p, radius, half):
    """The end face's normal where the point is nearer to an end than to the side."""
    on_end = absolute(p[2]) - half > sqrt(fma(p[1], p[1], p[0] * p[0])) - radius
    zero = 0.0 * p[2]
    end = (zero, zero, select(p[2] > 0.0, 1.0, -1.0))
    return select3(on_end, end, unit3((p[0], p[1], zero)))


@kernel
def cone_normal(p, size):
    """The base's normal next to the base, elsewhere that of the side."""
    zero = 0.0 * p[2]
    side = unit3((p[0] / (size[0] * size[0]), p[1] / (size[1] * size[1]),
                  (1.0 - p[2] / size[2]) / size[2]))  # fmt: skip
    return select3(p[2] < 1e-4 * size[2], (zero, zero, zero - 1.0), side)


@kernel
def box_normal(p, size):
    """The normal of the face that is nearest."""
    dx, dy, dz = absolute(p[0]) - size[0], absolute(p[1]) - size[1], absolute(p[2]) - size[2]
    on_x = (dx >= dy) & (dx >= dz)
    on_y = (dy > dx) & (dy >= dz)
    on_z = (dz > dx) & (dz > dy)
    return (
        select(on_x, select(p[0] > 0.0, 1.0, -1.0), 0.0),
        select(on_y, select(p[1] > 0.0, 1.0, -1.0), 0.0),
        select(on_z, select(p[2] > 0.0, 1.0, -1.0), 0.0),
    )


@kernel
def local_normal(kind, size, p):
    """Outward unit normal of a shape at surface points p, both in its frame."""
    zero = 0.0 * p[0]
    n = (zero, zero, zero + 1.0)
    if kind == GEOM_SPHERE:
        n = unit3(p)
    elif kind == GEOM_CAPSULE:
        n = capsule_normal(p, size[2])
    elif kind == GEOM_ELLIPSOID:
        n = unit3(
            (p[0] / (size[0] * size[0]), p[1] / (size[1] * size[1]), p[2] / (size[2] * size[2]))
        )
    elif kind == GEOM_CYLINDER:
        n = cylinder_normal(p, size[0], size[2])
    elif kind == GEOM_BOX:
        n = box_normal(p, size)
    elif kind == KIND_CONE:
        n = cone_normal(p, size)
    return n


# ---------------------------------------------------------------- insides


@kernel
def within(kind, size, p):
    """True if points lie inside a convex shape."""
    inside = p[0] > FAR
    if kind == GEOM_SPHERE:
        inside = dot3(p, p) < size[0] * size[0]
    elif kind == GEOM_CAPSULE:
        z = p[2] - smaller(larger(p[2], -size[2]), size[2])
        inside = fma(p[0], p[0], fma(p[1], p[1], z * z)) < size[0] * size[0]
    elif kind == GEOM_ELLIPSOID:
        x, y, z = p[0] / size[0], p[1] / size[1], p[2] / size[2]
        inside = fma(x, x, fma(y, y, z * z)) < 1.0
    elif kind == GEOM_CYLINDER:
        round_ = fma(p[0], p[0], p[1] * p[1]) < size[0] * size[0]
        inside = round_ & (absolute(p[2]) < size[2])
    elif kind == GEOM_BOX:
        inside = (
            (absolute(p[0]) < size[0]) & (absolute(p[1]) < size[1]) & (absolute(p[2]) < size[2])
        )
    return inside
