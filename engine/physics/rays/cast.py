"""Ray casting: the nearest visible geom along a ray, in every lane of a pack.

Kernels that need rays call `cast`. MuJoCo's documentation, APIreference, "Ray casting".
"""

from ...simd.kernel import kernel
from ...simd.lanes import get_lane, lane_any, load3, load9, select, sqrt, store, zero_like
from ...simd.spatial import add3, dot3, mul_mat3, mul_matT3, normalize3, select3, sub3
from ...tables.enums import GEOM_HFIELD, GEOM_MESH, GEOM_SDF, MINVAL
from .primitives import ball_met, box_crossings, box_distance, nearer, ray_box, ray_simple
from .signed_distance import meet_field
from .triangles import collide_mesh, meet_height_field

# what the rays of a call meet, indices into `ray_ask`
NRAY, GROUPS, STATIC, EXCLUDE, CULLED, FIRST, LAST = range(7)
ALL_GROUPS = 63
EVERY = -1  # also geoms that cannot be seen
ROUND = 1.000001  # factor of bounding spheres, for rounding
NGROUP = 6  # geom groups that can be told apart


@kernel
def cast(m, d, point, direction, exclude, groups, static):
    """Distance to the nearest visible geom along a ray (mj_ray).

    Args:
        m: model.
        d: data; `geom_xpos` and `geom_xmat` are read.
        point: where the ray starts (m), a tuple of reals.
        direction: any length but zero.
        exclude: body whose geoms are left out; -1: none.
        groups: geom groups that count, one bit each; `ALL_GROUPS` for all.
        static: whether geoms count that never move.

    Returns:
        The distance in units of the direction's length, -1 where nothing is met; the geom as a
        real, -1 where there is none; the unit normal of the surface, zero where there is none.
    """
    return search(m, d, point, direction, exclude, groups, static, 0, 0.0, 0, m.ngeom)


@kernel
def cast_many(m, d, point, direction, exclude, groups, static, cutoff):
    """As `cast`, for one of many rays from a point (mj_multiRay).

    As in MuJoCo, bodies count when the ray meets a sphere around the box of their geoms, whose
    middle is not turned with the body, and geoms when their bounding sphere is within the cutoff
    (m).
    """
    return search(m, d, point, direction, exclude, groups, static, 1, cutoff, 0, m.ngeom)


@kernel
def search(m, d, point, direction, exclude, groups, static, culled, cutoff, first, last):
    """Nearest hit among the geoms from `first` to before `last`."""
    zero = zero_like(d.qpos)
    x, geomid, normal = zero - 1.0, zero - 1.0, (zero, zero, zero)
    for geom in range(first, last):
        if counts(m, geom, exclude, groups, static):
            # what the ray passes by far away is not looked at; planes have no bounding sphere
            bound = ROUND * m.geom_rbound[geom]
            apart = sub3(point, load3(d.geom_xpos, geom))
            inside = (bound <= 0.0) | ball_met(bound * bound, apart, direction)
            if culled and lane_any(inside):
                inside = inside & reached(m, d, geom, point, direction, cutoff)
            if lane_any(inside):
                found, n = meet(m, d, geom, point, direction)
                better = nearer(x, found, inside)
                x, geomid = select(better, found, x), select(better, 1.0 * geom, geomid)
                normal = select3(better, n, normal)
    return x, geomid, normal


@kernel
def reached(m, d, geom, point, direction, cutoff):
    """True where one of many rays may meet a geom."""
    body = m.geom_bodyid[geom]
    tree = m.body_bvhadr[body]
    usable = dot3(direction, direction) >= MINVAL
    if tree < 0:
        return usable
    center, half = load3(m.bvh_aabb, 2 * tree), load3(m.bvh_aabb, 2 * tree + 1)
    from_center = sub3(point, add3(center, load3(d.xipos, body)))
    near = ball_met(dot3(half, half), from_center, direction)
    apart = sub3(load3(d.geom_xpos, geom), point)
    return usable & near & (sqrt(dot3(apart, apart)) <= cutoff + m.geom_rbound[geom])


@kernel
def counts(m, geom, exclude, groups, static):
    """True if a geom can be met: visible, in one of the groups, and not left out."""
    body, material = m.geom_bodyid[geom], m.geom_matid[geom]
    if body == exclude:
        return False
    if groups == EVERY:
        return True
    if material < 0:
        if m.geom_rgba[4 * geom + 3] == 0.0:
            return False
    elif m.mat_rgba[4 * material + 3] == 0.0:
        return False
    if not static and m.body_weldid[body] == 0:
        return False
    group = min(NGROUP - 1, max(0, m.geom_group[geom]))
    return (groups >> group) & 1 == 1


@kernel
def meet(m, d, geom, point, direction):
    """Distance to one geom, and the unit normal of its surface in the global frame."""
    mat = load9(d.geom_xmat, geom)
    p = mul_matT3(mat, sub3(point, load3(d.geom_xpos, geom)))
    v = mul_matT3(mat, direction)
    kind = m.geom_type[geom]
    if kind == GEOM_MESH or kind == GEOM_SDF:
        x, n = by_lanes_shape(m, d, geom, p, v)
    elif kind == GEOM_HFIELD:
        x, n = by_lanes_height_field(m, d, geom, p, v)
    else:
        x, n = ray_simple(kind, load3(m.geom_size, geom), p, v)
    n, _ = normalize3(mul_mat3(mat, n))
    hit, none = x >= 0.0, 0.0 * x
    return x, select3(hit, n, (none, none, none))


@kernel
def by_lanes_shape(m, d, geom, p, v):
    """Distance to a mesh or a signed distance field and normal, in its own frame, lane by lane."""
    near = box_distance(load3(m.geom_size, geom), p, v) >= 0.0
    enter_line(d, p, v, near)
    if lane_any(near):
        for lane in range(m.width):
            if get_lane(d.ray_near, 0, lane) > 0.0:
                if m.geom_type[geom] == GEOM_MESH:
                    collide_mesh(m, d, geom, lane)
                else:
                    meet_field(m, d, geom, lane)
    return d.ray_found[0], (d.ray_found[1], d.ray_found[2], d.ray_found[3])


@kernel
def by_lanes_height_field(m, d, geom, p, v):
    """Distance to a height field and normal, in its own frame: base, surface and sides."""
    field = m.geom_dataid[geom]
    sx, sy = m.hfield_size[4 * field], m.hfield_size[4 * field + 1]
    top, base = 0.5 * m.hfield_size[4 * field + 2], 0.5 * m.hfield_size[4 * field + 3]
    x, n = ray_box((sx, sy, base), (p[0], p[1], p[2] + base), v)
    sides = box_crossings((sx, sy, top), (p[0], p[1], p[2] - top), v)
    store(d.ray_span, 0, (*sides, box_distance((sx, sy, top), (p[0], p[1], p[2] - top), v)))
    near = d.ray_span[6] >= 0.0
    enter_line(d, p, v, near)
    store(d.ray_found, 0, (x, n[0], n[1], n[2]))
    if lane_any(near):
        for lane in range(m.width):
            if get_lane(d.ray_near, 0, lane) > 0.0:
                meet_height_field(m, d, geom, lane)
    return d.ray_found[0], (d.ray_found[1], d.ray_found[2], d.ray_found[3])


@kernel
def enter_line(d, p, v, near):
    """Put a ray where single lanes can be read, with no hit so far."""
    zero = 0.0 * p[0]
    store(d.ray_line, 0, (p[0], p[1], p[2], v[0], v[1], v[2]))
    store(d.ray_found, 0, (zero - 1.0, zero, zero, zero))
    d.ray_near[0] = select(near, zero + 1.0, zero)


@kernel
def cast_rays(m, d):
    """Cast the rays of a call.

    Reads: geom_xpos, geom_xmat, xipos, ray_ask, ray_cutoff, ray_pnt, ray_vec.
    Writes: ray_dist, ray_geomid, ray_normal.
    """
    groups, static, exclude = d.ray_ask[GROUPS], d.ray_ask[STATIC], d.ray_ask[EXCLUDE]
    first, last = d.ray_ask[FIRST], d.ray_ask[LAST]
    culled, cutoff = d.ray_ask[CULLED], d.ray_cutoff[0]
    for k in range(d.ray_ask[NRAY]):
        point, direction = load3(d.ray_pnt, k), load3(d.ray_vec, k)
        d.ray_dist[k], d.ray_geomid[k], normal = search(
            m, d, point, direction, exclude, groups, static, culled, cutoff, first, last
        )
        store(d.ray_normal, k, normal)
