"""Narrow phase of planes with vertices, and of spheres, capsules and boxes with triangles."""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, lane_any, load3, load9, sqrt, store
from ...simd.spatial import add3, cross, scale3, sub3
from ...tables.enums import MINVAL
from ..collision.contact import axis_z
from ..collision.support import inner, to_global, to_local

CORNERS = 8  # of a box
# vertices of the faces of a tetrahedron, each opposite to the vertex of its row
FACES = (1, 3, 2, 0, 2, 3, 0, 3, 1, 0, 1, 2)


@kernel
def beyond(point, direction, s):
    """A point plus s times a direction, without fused operations."""
    return (
        point[0] + s * direction[0],
        point[1] + s * direction[1],
        point[2] + s * direction[2],
    )


@kernel
def put_flex_contact(d, fcon, on, dist, pos, normal, tangent):
    """Enter a contact; the arguments are those of `put_contact`."""
    if lane_any(on):
        d.fcon_on[fcon] = 1
        d.fcon_dist[fcon] = dist
        store(d.fcon_pos, fcon, pos)
        store(d.fcon_normal, fcon, normal)


@kernel
def enter(d, fcon, dist, pos, normal):
    """Enter a contact that there is."""
    d.fcon_on[fcon] = 1
    d.fcon_dist[fcon] = dist
    store(d.fcon_pos, fcon, pos)
    store(d.fcon_normal, fcon, normal)


@kernel
def flex_of(d, midpair, side):
    """Deformable of one side of a pair."""
    return -1 - d.midpair_side[2 * midpair + side]


@kernel
def vertex_at(m, d, f, e, k):
    """Vertex k of an element (m)."""
    adr = m.flex_elemdataadr[f] + e * (m.flex_dim[f] + 1)
    return load3(d.flexvert_xpos, m.flex_vertadr[f] + m.flex_elem[adr + k])


@kernel
def triangle_of(m, d, midpair):
    """The three vertices of the triangle of a pair (m), and its radius (m)."""
    f, e = flex_of(d, midpair, 1), d.midpair_part[2 * midpair + 1]
    return (
        vertex_at(m, d, f, e, 0),
        vertex_at(m, d, f, e, 1),
        vertex_at(m, d, f, e, 2),
    ), m.flex_radius[f]


@kernel
def vertex_plane(m, d, midpair, fcon, margin):
    """Contact of a plane with a vertex."""
    plane, f = d.midpair_side[2 * midpair], flex_of(d, midpair, 1)
    vertex, radius = -1 - d.midpair_part[2 * midpair + 1], m.flex_radius[f]
    pos, normal = load3(d.flexvert_xpos, m.flex_vertadr[f] + vertex), axis_z(d, plane)
    height = inner(sub3(pos, load3(d.geom_xpos, plane)), normal)
    if not height > margin + radius:
        dist = height - radius
        enter(d, fcon, dist, beyond(pos, normal, -dist * 0.5 - radius), normal)


@kernel
def unit_and_length(v):
    """Unit vector and length; (1, 0, 0) and 0 for a length below MINVAL."""
    length = sqrt(inner(v, v))
    if length < MINVAL:
        return (1.0, 0.0, 0.0), 0.0
    return scale3(v, 1.0 / length), length


@kernel
def turn_sign(p, q, r):
    """Sign of the area of a triangle in a plane, of points (x, y)."""
    area = (p[0] - r[0]) * (q[1] - r[1]) - (q[0] - r[0]) * (p[1] - r[1])
    return (1 if area > 0.0 else 0) - (1 if area < 0.0 else 0)


@kernel
def nearest_on_side(p, u, v):
    """Point of a segment from u to v that is nearest to p, in a plane, and its distance."""
    along, way = (v[0] - u[0], v[1] - u[1]), (p[0] - u[0], p[1] - u[1])
    square = along[0] * along[0] + along[1] * along[1]
    s = (along[0] * way[0] + along[1] * way[1]) / max(MINVAL, square)
    point = (u[0] + along[0] * s, u[1] + along[1] * s)
    if s <= 0.0:
        point = u
    elif s >= 1.0:
        point = v
    x, y = point[0] - p[0], point[1] - p[1]
    return point, sqrt(x * x + y * y)


@kernel
def nearest_in_triangle(tips, offset, first, normal, length):
    """Point of a triangle that is nearest to a point, both relative to the first corner (m).

    Args:
        tips: the two other corners, relative to the first.
        offset: the point, moved into the plane of the triangle.
        first: direction of the first side.
        normal: of the triangle.
        length: of the first side.
    """
    second, _ = unit_and_length(cross(normal, tips[0]))
    o, a = (0.0, 0.0), (length, 0.0)
    b = (inner(first, tips[1]), inner(second, tips[1]))
    p = (inner(first, offset), inner(second, offset))
    turn1, turn2, turn3 = turn_sign(p, o, a), turn_sign(p, a, b), turn_sign(p, b, o)
    if turn1 == turn2 and turn2 == turn3:
        return offset
    # outside: on one of the sides
    point1, dist1 = nearest_on_side(p, o, a)
    point2, dist2 = nearest_on_side(p, a, b)
    point3, dist3 = nearest_on_side(p, b, o)
    point = point3
    if dist1 < dist2 and dist1 < dist3:
        point = point1
    elif dist2 < dist3:
        point = point2
    return beyond(scale3(first, point[0]), second, point[1])


@kernel
def ball_on_triangle(d, fcon, margin, ball, radius, tips, thickness):
    """Contact of a sphere with a triangle that has a radius.

    Args:
        ball: centre of the sphere (m).
        radius: of the sphere (m).
        tips: corners of the triangle (m).
        thickness: radius of the triangle (m).

    Returns:
        1 if there is a contact, else 0.
    """
    reach = margin + radius + thickness
    offset, side1, side2 = sub3(ball, tips[0]), sub3(tips[1], tips[0]), sub3(tips[2], tips[0])
    normal, _ = unit_and_length(cross(side1, side2))
    height = inner(normal, offset)
    if absolute(height) > reach:
        return 0
    # nearest point of the triangle
    first, length = unit_and_length(side1)
    flat = beyond(offset, normal, -height)
    near = nearest_in_triangle((side1, side2), flat, first, normal, length)
    toward, dist = unit_and_length(sub3(near, offset))
    if dist > reach:
        return 0
    dist = dist - radius - thickness
    enter(d, fcon, dist, beyond(ball, toward, radius + dist / 2.0), toward)
    return 1


@kernel
def sphere_triangle(m, d, midpair, fcon, margin):
    """Contact of a sphere with a triangle."""
    geom = d.midpair_side[2 * midpair]
    tips, thickness = triangle_of(m, d, midpair)
    ball, radius = load3(d.geom_xpos, geom), m.geom_size[3 * geom]
    ball_on_triangle(d, fcon, margin, ball, radius, tips, thickness)


@kernel
def capsule_triangle(m, d, midpair, fcon, margin):
    """Contacts of the ends of a capsule with a triangle, then of the corners with its side."""
    geom = d.midpair_side[2 * midpair]
    tips, thickness = triangle_of(m, d, midpair)
    radius, length = m.geom_size[3 * geom], m.geom_size[3 * geom + 1]
    pos, axis = load3(d.geom_xpos, geom), axis_z(d, geom)
    low, high = beyond(pos, axis, -length), beyond(pos, axis, length)
    n = ball_on_triangle(d, fcon, margin, low, radius, tips, thickness)
    n += ball_on_triangle(d, fcon + n, margin, high, radius, tips, thickness)
    # corners beside the capsule, not beyond its ends
    way = sub3(high, low)
    for k in range(3):
        s = inner(sub3(tips[k], low), way) / (4.0 * length * length)
        if s <= MINVAL or s >= 1.0 - MINVAL:
            continue
        near = beyond(low, way, s)
        toward, dist = unit_and_length(sub3(tips[k], near))
        if dist > radius + thickness + margin:
            continue
        middle = beyond(add3(near, tips[k]), toward, radius - thickness)
        enter(d, fcon + n, dist - radius - thickness, scale3(middle, 0.5), toward)
        n += 1


@kernel
def box_triangle(m, d, midpair, fcon, margin):
    """Contacts of a triangle's corners with a box, then of the box's corners with the triangle."""
    geom = d.midpair_side[2 * midpair]
    tips, thickness = triangle_of(m, d, midpair)
    pos, mat, size = load3(d.geom_xpos, geom), load9(d.geom_xmat, geom), load3(m.geom_size, geom)
    n = 0
    # corners of the triangle
    for k in range(3):
        local = to_local(mat, sub3(tips[k], pos))
        out = (
            absolute(local[0]) - size[0],
            absolute(local[1]) - size[1],
            absolute(local[2]) - size[2],
        )
        axis = 1 if out[1] > out[0] else 0
        axis = 2 if out[2] > out[axis] else axis
        reach = margin + thickness
        near = out[axis] - thickness <= margin
        for x in range(3):
            near = near and not absolute(local[x]) > size[x] + reach
        if near:
            sign = 1.0 if local[axis] > 0.0 else -1.0
            face = (
                sign if axis == 0 else 0.0, sign if axis == 1 else 0.0, sign if axis == 2 else 0.0,
            )  # fmt: skip
            normal, dist = to_global(mat, face), out[axis] - thickness
            point = beyond(tips[k], normal, -(thickness + dist * 0.5))
            enter(d, fcon + n, dist, point, normal)
            n += 1
    # corners of the box
    for k in range(CORNERS):
        x = size[0] if k & 1 else -size[0]
        y = size[1] if k & 2 else -size[1]
        z = size[2] if k & 4 else -size[2]
        corner = add3(to_global(mat, (x, y, z)), pos)
        n += ball_on_triangle(d, fcon + n, margin, corner, 0.0, tips, thickness)


@kernel
def vertex_of(m, d, midpair, side):
    """Position of the vertex of one side of a pair (m)."""
    first = m.flex_vertadr[flex_of(d, midpair, side)]
    return load3(d.flexvert_xpos, first - 1 - d.midpair_part[2 * midpair + side])


@kernel
def vertex_triangle(m, d, midpair, fcon, margin):
    """Contact of a vertex with a triangle of the same deformable."""
    tips, thickness = triangle_of(m, d, midpair)
    ball_on_triangle(d, fcon, margin, vertex_of(m, d, midpair, 0), thickness, tips, thickness)


@kernel
def face_height(m, d, f, e, k):
    """Normal of the face of a tetrahedron that lies opposite to vertex k, and that one's height.

    The normal points to the vertex as long as the tetrahedron is not turned inside out.
    """
    a, b, c = FACES[3 * k], FACES[3 * k + 1], FACES[3 * k + 2]
    origin = vertex_at(m, d, f, e, a)
    side1 = sub3(vertex_at(m, d, f, e, b), origin)
    side2 = sub3(vertex_at(m, d, f, e, c), origin)
    normal, _ = unit_and_length(cross(side1, side2))
    return normal, inner(sub3(vertex_at(m, d, f, e, k), origin), normal)


@kernel
def vertex_face(m, d, midpair, fcon, margin):
    """Contact of a tetrahedron's vertex with the face that lies opposite to it."""
    f, e = flex_of(d, midpair, 0), d.midpair_part[2 * midpair]
    vertex, adr = -1 - d.midpair_part[2 * midpair + 1], m.flex_elemdataadr[f] + 4 * e
    for k in range(4):
        if m.flex_elem[adr + k] == vertex:
            normal, height = face_height(m, d, f, e, k)
            pos = beyond(vertex_of(m, d, midpair, 1), normal, -0.5 * height)
            enter(d, fcon, -height - 2.0 * m.flex_radius[f], pos, scale3(normal, -1.0))
