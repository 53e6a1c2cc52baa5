"""Where rays enter shapes, and which way the surface faces there.

Lanes are pixels. A ray is an origin and a unit direction; the formulas work in the shape's own
frame, whose z axis is the
axis of capsules and cylinders. Only entries count, as surfaces are not seen from inside: a ray that
starts within a convex shape, or on its surface and leaves, meets nothing. That makes shadow and
mirror rays safe without any offset.
"""

from mjenv.engine.enums import (
    GEOM_BOX,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_ELLIPSOID,
    GEOM_PLANE,
    GEOM_SPHERE,
)
from mjenv.engine.simd.kernel import kernel
from mjenv.engine.simd.lanes import absolute, fma, lane_any, load3, load9, select, sqrt
from mjenv.engine.simd.spatial import dot3, mul_mat3, mul_matT3, select3, sub3

FAR = 1e30  # distance of a ray that meets nothing
FLAT = 1e-12  # smallest component of a direction that counts as nonzero


@kernel
def nonzero(x):
    """x, kept away from zero so that it can divide."""
    return select(absolute(x) < FLAT, FLAT, x)


@kernel
def larger(a, b):
    """The larger of two reals."""
    return select(a > b, a, b)


@kernel
def smaller(a, b):
    """The smaller of two reals."""
    return select(a < b, a, b)


@kernel
def first_root(a, b, c, tmin):
    """Smaller root of a t^2 + 2 b t + c, or FAR where there is none beyond tmin."""
    discriminant = fma(b, b, -(a * c))
    t = (-b - sqrt(larger(discriminant, 0.0))) / a
    return select((discriminant >= 0.0) & (t > tmin), t, FAR)


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
def enter_sphere(o, v, radius, tmin):
    """Distance to a sphere."""
    return first_root(1.0, dot3(o, v), dot3(o, o) - radius * radius, tmin)


@kernel
def enter_ellipsoid(o, v, size, tmin):
    """Distance to an ellipsoid: a unit sphere once space is scaled."""
    p = (o[0] / size[0], o[1] / size[1], o[2] / size[2])
    w = (v[0] / size[0], v[1] / size[1], v[2] / size[2])
    return first_root(dot3(w, w), dot3(p, w), dot3(p, p) - 1.0, tmin)


@kernel
def enter_tube(o, v, radius):
    """Distances at which a line enters and leaves an infinite cylinder; (FAR, -FAR) if never."""
    a = larger(fma(v[1], v[1], v[0] * v[0]), FLAT)
    b = fma(o[1], v[1], o[0] * v[0])
    c = fma(o[1], o[1], fma(o[0], o[0], -(radius * radius)))
    discriminant = fma(b, b, -(a * c))
    root = sqrt(larger(discriminant, 0.0))
    met = discriminant >= 0.0
    return select(met, (-b - root) / a, FAR), select(met, (root - b) / a, -FAR)


@kernel
def enter_capsule(o, v, radius, half, tmin):
    """Distance to a capsule: its side, or the end sphere towards which the line leaves the side."""
    side, _ = enter_tube(o, v, radius)
    z = fma(v[2], side, o[2])
    centre = select(z > 0.0, half, -half)
    end = enter_sphere((o[0], o[1], o[2] - centre), v, radius, tmin)
    t = select(absolute(z) <= half, select(side > tmin, side, FAR), end)
    return select(side < FAR, t, FAR)


@kernel
def enter_slab(o, v, half):
    """Distances at which a line enters and leaves |x| <= half, one coordinate."""
    inverse = 1.0 / nonzero(v)
    centre = -o * inverse
    reach = absolute(half * inverse)
    return centre - reach, centre + reach


@kernel
def enter_cylinder(o, v, radius, half, tmin):
    """Distance to a cylinder: the later of the entries into its tube and its slab."""
    side, side_end = enter_tube(o, v, radius)
    cap, cap_end = enter_slab(o[2], v[2], half)
    t = larger(side, cap)
    return select((t > tmin) & (t <= smaller(side_end, cap_end)), t, FAR)


@kernel
def enter_box(o, v, size, tmin):
    """Distance to a box: the last of the entries into its three slabs."""
    x, x_end = enter_slab(o[0], v[0], size[0])
    y, y_end = enter_slab(o[1], v[1], size[1])
    z, z_end = enter_slab(o[2], v[2], size[2])
    t = larger(larger(x, y), z)
    return select((t > tmin) & (t <= smaller(smaller(x_end, y_end), z_end)), t, FAR)


@kernel
def enter(m, g, o, v, tmin):
    """Distance at which rays enter shape g beyond tmin, FAR where they do not.

    Reads: shape_type, shape_pos (m), shape_mat, shape_size (m).
    """
    kind = m.shape_type[g]
    size = load3(m.shape_size, g)
    R = load9(m.shape_mat, g)
    p = mul_matT3(R, sub3(o, load3(m.shape_pos, g)))
    w = mul_matT3(R, v)
    t = select(w[0] > FAR, FAR, FAR)
    if kind == GEOM_PLANE:
        t = cross_plane(p, w, size, tmin)
    elif kind == GEOM_SPHERE:
        t = enter_sphere(p, w, size[0], tmin)
    elif kind == GEOM_CAPSULE:
        t = enter_capsule(p, w, size[0], size[1], tmin)
    elif kind == GEOM_ELLIPSOID:
        t = enter_ellipsoid(p, w, size, tmin)
    elif kind == GEOM_CYLINDER:
        t = enter_cylinder(p, w, size[0], size[1], tmin)
    elif kind == GEOM_BOX:
        t = enter_box(p, w, size, tmin)
    return t


# ---------------------------------------------------------------- normals


@kernel
def unit3(v):
    """Vector of length 1; zero stays finite."""
    s = 1.0 / sqrt(larger(dot3(v, v), FLAT))
    return (v[0] * s, v[1] * s, v[2] * s)


@kernel
def capsule_normal(p, half):
    """Away from the nearest point of the axis."""
    z = smaller(larger(p[2], -half), half)
    return unit3((p[0], p[1], p[2] - z))


@kernel
def cylinder_normal(p, radius, half):
    """The end face's normal where the point is nearer to an end than to the side."""
    on_end = absolute(p[2]) - half > sqrt(fma(p[1], p[1], p[0] * p[0])) - radius
    end = (0.0, 0.0, select(p[2] > 0.0, 1.0, -1.0))
    return select3(on_end, end, unit3((p[0], p[1], 0.0 * p[2])))


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
def local_normal(m, g, p):
    """Outward unit normal of shape g at surface points p, both in its frame. Planes face +z.

    Reads: shape_type, shape_size (m).
    """
    kind = m.shape_type[g]
    size = load3(m.shape_size, g)
    n = unit3(p)
    if kind == GEOM_PLANE:
        n = (0.0 * p[0], 0.0 * p[1], 0.0 * p[2] + 1.0)
    elif kind == GEOM_CAPSULE:
        n = capsule_normal(p, size[1])
    elif kind == GEOM_ELLIPSOID:
        n = unit3(
            (p[0] / (size[0] * size[0]), p[1] / (size[1] * size[1]), p[2] / (size[2] * size[2]))
        )
    elif kind == GEOM_CYLINDER:
        n = cylinder_normal(p, size[0], size[1])
    elif kind == GEOM_BOX:
        n = box_normal(p, size)
    return n


@kernel
def to_local(m, g, p):
    """World points in the frame of shape g."""
    return mul_matT3(load9(m.shape_mat, g), sub3(p, load3(m.shape_pos, g)))


@kernel
def to_world_direction(m, g, n):
    """Directions in the frame of shape g, as world directions."""
    return mul_mat3(load9(m.shape_mat, g), n)


# ---------------------------------------------------------------- many shapes


@kernel
def near_bound(m, g, o, v):
    """Whether rays may meet the sphere that bounds shape g; always for planes."""
    c = sub3(load3(m.shape_pos, g), o)
    along = dot3(c, v)
    reach = m.shape_bound[g] * m.shape_bound[g]
    off = dot3(c, c) - reach
    return (fma(along, along, -off) >= 0.0) & ((along > 0.0) | (off < 0.0))


@kernel
def nearest(m, d, start, count, o, v, tmin, tmax):
    """The first shape that each ray enters between tmin and tmax.

    Args:
        m: the scene.
        d: a thread's work.
        start: index into d.near of the first candidate.
        count: number of candidates.
        o: origins (m).
        v: unit directions.
        tmin: where to begin (m).
        tmax: where to end (m).

    Returns:
        (distance in m, shape); tmax and -1 where there is none.
    """
    t = tmax + 0.0 * v[0]
    hit = 0.0 * v[0] - 1.0
    for k in range(count):
        g = d.near[start + k]
        if lane_any(near_bound(m, g, o, v)):
            s = enter(m, g, o, v, tmin)
            closer = s < t
            t = select(closer, s, t)
            hit = select(closer, g, hit)
    return t, hit


@kernel
def open_share(m, o, v, tmin, tmax, asking):
    """Share of light that passes along rays: the product of what shapes between let through.

    Rays that are not asking get 0.

    Reads: shape_rgba.
    """
    share = select(asking, 1.0, 0.0) + 0.0 * v[0]
    for g in range(m.nshape):
        if lane_any(near_bound(m, g, o, v) & (share > 0.0)):
            s = enter(m, g, o, v, tmin)
            share = select(s < tmax, share * m.shape_veil[g], share)
    return share
