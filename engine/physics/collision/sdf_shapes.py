"""Signed distance fields in one lane: octrees of meshes, shapes of plugins, and convex geoms.

Points are in the frame of the geom. Distances outside of convex shapes are those of Inigo Quilez
(iquilezles.org/articles/distfunctions); MuJoCo's shapes are described in plugin/sdf/README.
"""

from ...shapes.plugin_shapes import low, norm2, own_distance, plugin_distance, top, within
from ...simd.kernel import kernel
from ...simd.lanes import absolute, get_lane, load3, reals_at, set_lane, sqrt, store
from ...simd.record import STRIP
from ...tables.enums import (
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_ELLIPSOID,
    GEOM_MESH,
    GEOM_PLANE,
    GEOM_SDF,
    GEOM_SPHERE,
    MAXVAL,
    MINVAL,
)
from ...tables.plugin_kinds import BOLT, BOWL, GEAR, NUT, TORUS
from ..rays.signed_distance import STRIPS

STEP = 1e-8  # of difference quotients (m)


@kernel
def norm3(v):
    """Length of a vector."""
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


@kernel
def unit3(v):
    """Unit vector and length; (1, 0, 0) where there is none."""
    length = norm3(v)
    if length < MINVAL:
        return (1.0, 0.0, 0.0), length
    s = 1.0 / length
    return (v[0] * s, v[1] * s, v[2] * s), length


@kernel
def evaluate_field(m, d):
    """Answer a question: distance of a point from a geom, or its gradient.

    With sdf_asked[2] >= STRIPS, it is asked of a strip of points.

    Reads: sdf_point, sdf_asked, sdf_points, sdf_wanted.
    Writes: sdf_answer, sdf_answers.
    """
    geom, lane = d.sdf_asked[0], d.sdf_asked[1]
    if d.sdf_asked[2] >= STRIPS:
        answer_strip(m, d, geom, lane, d.sdf_asked[2] - STRIPS)
        return
    x = (d.sdf_point[0], d.sdf_point[1], d.sdf_point[2])
    if d.sdf_asked[2]:
        found = field_gradient(m, d, geom, lane, x)
        for k in range(3):
            d.sdf_answer[k] = found[k]
    else:
        d.sdf_answer[0] = field_distance(m, d, geom, lane, x)


@kernel
def answer_strip(m, d, geom, lane, wants_gradient):
    """Distances of a strip of points from a geom, or gradients there.

    Writes: sdf_answers.
    """
    kind, instance = m.geom_type[geom], m.geom_plugin[geom]
    # shapes of MuJoCo's plugins, all points at once
    if (kind == GEOM_SDF or kind == GEOM_MESH) and instance >= 0 and is_own(m.plugin[instance]):
        p = load3(d.sdf_points, 0)
        if wants_gradient:
            store(d.sdf_answers, 0, own_gradient(m, instance, p))
        else:
            prm = reals_at(m.plug_address[instance])
            d.sdf_answers[0] = own_distance(m.plugin[instance], prm, p)
        return
    # others point by point, where they are wanted
    for k in range(STRIP):
        if get_lane(d.sdf_wanted, 0, k) > 0.0:
            x = (
                get_lane(d.sdf_points, 0, k), get_lane(d.sdf_points, 1, k),
                get_lane(d.sdf_points, 2, k),
            )  # fmt: skip
            if wants_gradient:
                found = field_gradient(m, d, geom, lane, x)
                for i in range(3):
                    set_lane(d.sdf_answers, i, k, found[i])
            else:
                set_lane(d.sdf_answers, 0, k, field_distance(m, d, geom, lane, x))


@kernel
def is_own(kind):
    """True if a kind of plugin is a shape of MuJoCo's."""
    return kind == BOLT or kind == BOWL or kind == GEAR or kind == NUT or kind == TORUS


@kernel
def field_distance(m, d, geom, lane, x):
    """Distance of a point from the surface of a geom, negative inside (m)."""
    kind = m.geom_type[geom]
    if kind == GEOM_SDF or kind == GEOM_MESH:
        instance = m.geom_plugin[geom]
        if instance >= 0:
            return shape_distance(m, d, instance, x)
        return octree_distance(m, m.geom_dataid[geom], lane, x)
    size = geom_size(m, geom, lane)
    if kind == GEOM_PLANE:
        return x[2]
    if kind == GEOM_SPHERE:
        return norm3(x) - size[0]
    if kind == GEOM_CAPSULE:
        return norm3((x[0], x[1], x[2] - within(x[2], -size[1], size[1]))) - size[0]
    if kind == GEOM_ELLIPSOID:
        a = (x[0] / size[0], x[1] / size[1], x[2] / size[2])
        b = (a[0] / size[0], a[1] / size[1], a[2] / size[2])
        k0 = norm3(a)
        return k0 * (k0 - 1.0) / norm3(b)
    if kind == GEOM_CYLINDER:
        across, along = norm2(x[0], x[1]) - size[0], absolute(x[2]) - size[1]
        return low(top(across, along), 0.0) + norm2(top(across, 0.0), top(along, 0.0))
    # box: outside the distance, inside along a direction that turns towards the faces
    a = (absolute(x[0]) - size[0], absolute(x[1]) - size[1], absolute(x[2]) - size[2])
    if a[0] >= 0.0 or a[1] >= 0.0 or a[2] >= 0.0:
        b = (top(a[0], 0.0), top(a[1], 0.0), top(a[2], 0.0))
        return norm3(b) + low(top(a[0], top(a[1], a[2])), 0.0)
    b = radial(a, x, size)
    t = (-a[0] / absolute(b[0]), -a[1] / absolute(b[1]), -a[2] / absolute(b[2]))
    return -low(t[0], low(t[1], t[2])) * norm3(b)


@kernel
def field_gradient(m, d, geom, lane, x):
    """Direction in which the distance from a geom grows, as MuJoCo has it for each shape."""
    kind = m.geom_type[geom]
    if kind == GEOM_SDF or kind == GEOM_MESH:
        instance = m.geom_plugin[geom]
        if instance >= 0:
            return shape_gradient(m, d, instance, x)
        return octree_gradient(m, m.geom_dataid[geom], lane, x)
    size = geom_size(m, geom, lane)
    if kind == GEOM_PLANE:
        return (0.0, 0.0, 1.0)
    if kind == GEOM_SPHERE:
        s = 1.0 / norm3(x)
        return (x[0] * s, x[1] * s, x[2] * s)
    if kind == GEOM_CAPSULE:
        a = (x[0], x[1], x[2] - within(x[2], -size[1], size[1]))
        c = norm3(a)
        return (a[0] / c, a[1] / c, a[2] / c)
    if kind == GEOM_ELLIPSOID:
        return ellipsoid_gradient(x, size)
    if kind == GEOM_CYLINDER:
        return cylinder_gradient(x, size)
    # box
    a = (absolute(x[0]) - size[0], absolute(x[1]) - size[1], absolute(x[2]) - size[2])
    if top(a[2], top(a[0], a[1])) < 0.0:
        return radial(a, x, size)
    b = (top(a[0], 0.0), top(a[1], 0.0), top(a[2], 0.0))
    c = norm3(b)
    gx = b[0] / c * x[0] / absolute(x[0]) if a[0] > 0.0 else 0.0
    gy = b[1] / c * x[1] / absolute(x[1]) if a[1] > 0.0 else 0.0
    gz = b[2] / c * x[2] / absolute(x[2]) if a[2] > 0.0 else 0.0
    return (gx, gy, gz)


@kernel
def geom_size(m, geom, lane):
    """Sizes of a geom (m)."""
    return (
        get_lane(m.geom_size, 3 * geom, lane),
        get_lane(m.geom_size, 3 * geom + 1, lane),
        get_lane(m.geom_size, 3 * geom + 2, lane),
    )


@kernel
def radial(a, x, size):
    """Unit field inside a box, radial in the middle, along the normals at the faces."""
    v, _ = unit3((-size[0] / a[0], -size[1] / a[1], -size[2] / a[2]))
    return (
        -v[0] if x[0] < 0.0 else v[0],
        -v[1] if x[1] < 0.0 else v[1],
        -v[2] if x[2] < 0.0 else v[2],
    )


@kernel
def ellipsoid_gradient(x, size):
    """Gradient of the approximate distance from an ellipsoid."""
    a = (x[0] / size[0], x[1] / size[1], x[2] / size[2])
    b = (a[0] / size[0], a[1] / size[1], a[2] / size[2])
    k0, k1 = norm3(a), norm3(b)
    one, two = 1.0 / k0, 1.0 / k1
    slope0, slope1 = (2.0 * k0 - 1.0) * two, k0 * (k0 - 1.0) * two * two
    found, _ = unit3(
        (
            b[0] * one * slope0 - b[0] * two / (size[0] * size[0]) * slope1,
            b[1] * one * slope0 - b[1] * two / (size[1] * size[1]) * slope1,
            b[2] * one * slope0 - b[2] * two / (size[2] * size[2]) * slope1,
        )
    )
    return found


@kernel
def cylinder_gradient(x, size):
    """Gradient of the distance from a cylinder."""
    c, e = norm2(x[0], x[1]), absolute(x[2])
    across, along = c - size[0], e - size[1]
    gx, gy = x[0] / top(c, 1.0 / MAXVAL), x[1] / top(c, 1.0 / MAXVAL)
    gz = x[2] / top(e, 1.0 / MAXVAL)
    if top(across, along) < 0.0:
        if across > along:
            return (gx, gy, 0.0)
        return (0.0, 0.0, gz)
    b0, b1 = top(across, 0.0), top(along, 0.0)
    length = top(norm2(b0, b1), 1.0 / MAXVAL)
    return (gx * b0 / length, gy * b0 / length, gz * b1 / length)


# ---------------------------------------------------------------- octrees


@kernel
def to_box(m, root, lane, p):
    """Distance of a point from the root of an octree, and the point, moved inside."""
    total, inside, deepest = 0.0, True, -1e300
    x, y, z = p
    for k in range(3):
        r = p[0] if k == 0 else p[1] if k == 1 else p[2]
        r = r - get_lane(m.oct_aabb, 6 * root + k, lane)
        q = absolute(r) - get_lane(m.oct_aabb, 6 * root + 3 + k, lane)
        deepest = top(deepest, q)
        if q > 0.0:
            inside = False
        if q >= 0.0:
            total += q * q
            shift = q + 1e-6 if r > 0.0 else -(q + 1e-6)
            if k == 0:
                x = p[0] - shift
            elif k == 1:
                y = p[1] - shift
            else:
                z = p[2] - shift
    if inside:
        return deepest, p
    return sqrt(total), (x, y, z)


@kernel
def leaf_of(m, root, lane, p):
    """The leaf of an octree that holds a point, and where in it the point lies, 0 to 1."""
    node = root
    while m.oct_child[8 * node] != -1:
        slot = (
            side(m, node, 0, lane, p[0])
            + 2 * side(m, node, 1, lane, p[1])
            + 4 * side(m, node, 2, lane, p[2])
        )
        node = root + m.oct_child[8 * node + slot]
    return node, (
        share(m, node, 0, lane, p[0]), share(m, node, 1, lane, p[1]), share(m, node, 2, lane, p[2])
    )  # fmt: skip


@kernel
def side(m, node, k, lane, x):
    """0 if a coordinate is in the lower half of a cell, 1 in the upper one."""
    above, size = in_cell(m, node, k, lane, x)
    return 0 if above < 0.5 * size else 1


@kernel
def share(m, node, k, lane, x):
    """Position of a coordinate in a cell: 0 at its lower end, 1 at its upper one."""
    above, size = in_cell(m, node, k, lane, x)
    return above / size


@kernel
def in_cell(m, node, k, lane, x):
    """How far a coordinate is above the lower end of a cell, and the cell's size (m)."""
    middle, half = (
        get_lane(m.oct_aabb, 6 * node + k, lane),
        get_lane(m.oct_aabb, 6 * node + 3 + k, lane),
    )
    return x - (middle - half), (middle + half) - (middle - half)


@kernel
def octree_distance(m, mesh, lane, p):
    """Distance from a mesh, interpolated between the corners of a cell (m)."""
    root = m.mesh_octadr[mesh]
    outside, q = to_box(m, root, lane, p)
    leaf, at = leaf_of(m, root, lane, q)
    total = 0.0
    for j in range(8):
        weight = (
            (at[0] if j & 1 else 1.0 - at[0])
            * (at[1] if j & 2 else 1.0 - at[1])
            * (at[2] if j & 4 else 1.0 - at[2])
        )
        total += weight * get_lane(m.oct_coeff, 8 * leaf + j, lane)
    return total + outside if outside > 0.0 else total


@kernel
def octree_gradient(m, mesh, lane, p):
    """Gradient of the distance from a mesh: of the interpolation, outside by differences."""
    root = m.mesh_octadr[mesh]
    outside, q = to_box(m, root, lane, p)
    # inside: of the interpolation
    if outside <= 0.0:
        leaf, at = leaf_of(m, root, lane, q)
        gx = gy = gz = 0.0
        for j in range(8):
            value = get_lane(m.oct_coeff, 8 * leaf + j, lane)
            x = at[0] if j & 1 else 1.0 - at[0]
            y = at[1] if j & 2 else 1.0 - at[1]
            z = at[2] if j & 4 else 1.0 - at[2]
            gx += (1.0 if j & 1 else -1.0) * y * z * value
            gy += x * (1.0 if j & 2 else -1.0) * z * value
            gz += x * y * (1.0 if j & 4 else -1.0) * value
        return (gx, gy, gz)
    # outside: difference quotients
    values = (0.0, 0.0, 0.0, 0.0)
    for k in range(4):
        values = replaced(values, k, octree_distance(m, mesh, lane, shifted(p, k)))
    return quotients(values)


@kernel
def shifted(p, k):
    """A point, moved a little along an axis: 1, 2 or 3; 0: as it is."""
    if k == 1:
        return (p[0] + STEP, p[1], p[2])
    if k == 2:
        return (p[0], p[1] + STEP, p[2])
    if k == 3:
        return (p[0], p[1], p[2] + STEP)
    return p


@kernel
def replaced(values, k, value):
    """Four values, one of them another."""
    return (
        value if k == 0 else values[0],
        value if k == 1 else values[1],
        value if k == 2 else values[2],
        value if k == 3 else values[3],
    )


@kernel
def quotients(values):
    """Difference quotients of the values at a point, and at those moved along the three axes."""
    here, x, y, z = values
    return ((x - here) / STEP, (y - here) / STEP, (z - here) / STEP)


# ---------------------------------------------------------------- shapes of plugins


@kernel
def shape_distance(m, d, instance, p):
    """Distance from a shape of a plugin (m)."""
    return plugin_distance(m.plugin[instance], reals_at(m.plug_address[instance]), p)


@kernel
def shape_gradient(m, d, instance, p):
    """Gradient of the distance from a shape of a plugin."""
    if is_own(m.plugin[instance]):
        return own_gradient(m, instance, p)
    values = (0.0, 0.0, 0.0, 0.0)
    for k in range(4):
        values = replaced(values, k, shape_distance(m, d, instance, shifted(p, k)))
    return quotients(values)


@kernel
def own_gradient(m, instance, p):
    """Gradient of the distance from a shape of MuJoCo's: by differences, but for a torus."""
    kind, prm = m.plugin[instance], reals_at(m.plug_address[instance])
    if kind == TORUS:
        across = norm2(p[0], p[1])
        q = across - prm[0]
        length = top(norm2(q, p[2]), MINVAL)
        return (q * (p[0] / across) / length, q * (p[1] / across) / length, p[2] / length)
    zero = 0.0 * p[0]
    values = (zero, zero, zero, zero)
    for k in range(4):
        values = replaced(values, k, own_distance(kind, prm, shifted(p, k)))
    return quotients(values)
