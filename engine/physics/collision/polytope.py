"""Polytopes inside the difference of two convex geoms, and the first ones around the origin.

A face is the witness point `ccd_face` (the projection of the origin, then its squared length) and,
in `ccd_facet`, three vertices, three neighbours and its place in the list of candidates.

There is a polytope for each lane, whose vertices, faces and candidates are numbered one polytope
after the other; a pair that is searched alone has the first.
"""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, gather_threes, get_lane, select, sqrt
from ...simd.record import STRIP
from ...simd.spatial import cross, scale3, sub3
from ...tables.enums import MINVAL
from .gjk import COUNTS, NEDGE, NFACE, NMAP, NVERT
from .scratch import POLYTOPE
from .simplex import FAR, areas, combine3, plane_point, same_sign
from .support import SMALL2, copy_vertex, inner, support, to_global, vertex

FACET = 8  # integers of a face: vertices, neighbours, place in the list of candidates
PLACE = 6
LISTLESS, DELETED = -1, -2  # places of faces that are no candidates, and of deleted ones
SINE = 0.86602540378  # of 120 degrees, with MuJoCo's digits
# faces of the first polytope: three vertices, then the neighbours over the edges 01, 12 and 20
AROUND_SEGMENT = (0, 2, 3, 1, 3, 2, 0, 4, 2, 2, 4, 0, 0, 3, 4, 0, 5, 1,
                  1, 3, 2, 5, 0, 4, 1, 2, 4, 3, 1, 5, 1, 4, 3, 4, 2, 3)  # fmt: skip
AROUND_TRIANGLE = (4, 0, 1, 1, 3, 2, 4, 2, 0, 2, 4, 0, 4, 1, 2, 0, 5, 1,
                   3, 1, 0, 5, 0, 4, 3, 0, 2, 3, 1, 5, 3, 2, 1, 4, 2, 3)  # fmt: skip
TETRAHEDRON = (0, 1, 2, 1, 3, 2, 0, 3, 1, 2, 3, 0, 0, 2, 3, 0, 3, 1, 3, 2, 1, 2, 0, 1)


@kernel
def polytope_support(m, d, direction, length):
    """Add the support point in a direction of known length to the polytope; returns its vertex."""
    v = d.ccd_count[NVERT]
    d.ccd_count[NVERT] = v + 1
    if length > MINVAL:
        unit = (direction[0] / length, direction[1] / length, direction[2] / length)
        support(m, d, v, unit)
    else:
        support(m, d, v, (1.0, 0.0, 0.0))
    return v


@kernel
def first_vertex(m, polytope):
    """Number of a polytope's first vertex."""
    return m.nccdvert * polytope + POLYTOPE


@kernel
def empty_polytope(m, d, polytope):
    """Forget all vertices and faces of a polytope."""
    base = COUNTS * polytope
    d.ccd_count[base + NVERT] = first_vertex(m, polytope)
    d.ccd_count[base + NFACE] = d.ccd_count[base + NMAP] = m.nccdface * polytope
    d.ccd_count[base + NEDGE] = 0


@kernel
def add_simplex(m, d, n):
    """Start the first polytope with the first n vertices of the simplex."""
    empty_polytope(m, d, 0)
    for k in range(n):
        copy_vertex(d, POLYTOPE + k, k)
    d.ccd_count[NVERT] = POLYTOPE + n


@kernel
def new_face(d, polytope, v1, v2, v3, next1, next2, next3):
    """Add a face, as yet without a plane; returns its number."""
    face = d.ccd_count[COUNTS * polytope + NFACE]
    d.ccd_count[COUNTS * polytope + NFACE] = face + 1
    base = FACET * face
    d.ccd_facet[base], d.ccd_facet[base + 1], d.ccd_facet[base + 2] = v1, v2, v3
    d.ccd_facet[base + 3], d.ccd_facet[base + 4], d.ccd_facet[base + 5] = next1, next2, next3
    d.ccd_facet[base + PLACE] = LISTLESS
    return face


@kernel
def wait_for_plane(d, n, face, v1, v2, v3):
    """Make a new face, of three vertices, the n-th of those whose planes are still to be found."""
    d.ccd_new[n] = face
    d.ccd_new1[n], d.ccd_new2[n], d.ccd_new3[n] = 9 * v1, 9 * v2, 9 * v3


@kernel
def find_planes(d, n):
    """Find the planes of n new faces; the squared distance is 0 where there is none."""
    # behind the last one stand vertices of earlier faces, in place of which any would do
    for i in range((n + STRIP - 1) // STRIP):
        a = gather_threes(d.ccd_vertex, d.ccd_new1, i)
        b = gather_threes(d.ccd_vertex, d.ccd_new2, i)
        c = gather_threes(d.ccd_vertex, d.ccd_new3, i)
        point, ok = plane_point(c, b, a)
        for k in range(3):
            d.ccd_plane[k] = point[k]
        d.ccd_plane[3] = select(ok, inner(point, point), 0.0)
        for j in range(min(n - STRIP * i, STRIP)):
            face = d.ccd_new[STRIP * i + j]
            for k in range(4):
                d.ccd_face[4 * face + k] = get_lane(d.ccd_plane, k, j)


@kernel
def face_point(d, face):
    """Projection of the origin onto a face."""
    return (d.ccd_face[4 * face], d.ccd_face[4 * face + 1], d.ccd_face[4 * face + 2])


@kernel
def list_face(d, polytope, face):
    """Make a face a candidate for the nearest one."""
    place = d.ccd_count[COUNTS * polytope + NMAP]
    d.ccd_count[COUNTS * polytope + NMAP] = place + 1
    d.ccd_map[place] = face
    d.ccd_facet[FACET * face + PLACE] = place


@kernel
def delete_face(d, polytope, face):
    """Delete a face; the last candidate takes its place in the list."""
    place = d.ccd_facet[FACET * face + PLACE]
    if place >= 0:
        last = d.ccd_count[COUNTS * polytope + NMAP] - 1
        d.ccd_count[COUNTS * polytope + NMAP] = last
        moved = d.ccd_map[last]
        d.ccd_map[place] = moved
        d.ccd_facet[FACET * moved + PLACE] = place
    d.ccd_facet[FACET * face + PLACE] = DELETED


@kernel
def add_faces(d, table, n):
    """Add the first n faces of a table.

    Returns:
        Index of the first face whose plane meets the origin; -1: none.
    """
    for k in range(n):
        t = 6 * k
        v1, v2, v3 = POLYTOPE + table[t], POLYTOPE + table[t + 1], POLYTOPE + table[t + 2]
        face = new_face(d, 0, v1, v2, v3, table[t + 3], table[t + 4], table[t + 5])
        wait_for_plane(d, k, face, v1, v2, v3)
    find_planes(d, n)
    for k in range(n):
        if d.ccd_face[4 * k + 3] < SMALL2:
            return k
    return -1


@kernel
def list_faces(d, n):
    """Make the first n faces candidates."""
    for face in range(n):
        list_face(d, 0, face)


@kernel
def shrink_to_face(d, face):
    """Make the vertices of a face the simplex."""
    for k in range(3):
        copy_vertex(d, k, d.ccd_facet[FACET * face + k])


@kernel
def turn_third(axis, v):
    """Vector v turned by a third of a turn about an axis."""
    length = sqrt(inner(axis, axis))
    x, y, z = axis[0] / length, axis[1] / length, axis[2] / length
    return to_global(
        (
            -0.5 + x * x * 1.5, x * y * 1.5 - z * SINE, x * z * 1.5 + y * SINE,
            y * x * 1.5 + z * SINE, -0.5 + y * y * 1.5, y * z * 1.5 - x * SINE,
            x * z * 1.5 - y * SINE, y * z * 1.5 + x * SINE, -0.5 + z * z * 1.5,
        ),
        v,
    )  # fmt: skip


@kernel
def polytope_of_segment(m, d):
    """First polytope, around a simplex of two vertices; returns whether there is one."""
    along = sub3(vertex(d, 1), vertex(d, 0))
    # a direction across the segment
    axis, least = 0, FAR
    for k in range(3):
        if absolute(along[k]) < least:
            axis, least = k, absolute(along[k])
    if axis == 0:
        side = (0.0, -along[2], along[1])
    elif axis == 1:
        side = (along[2], 0.0, -along[0])
    else:
        side = (-along[1], along[0], 0.0)
    # three support points around it, and six faces
    add_simplex(m, d, 2)
    for _ in range(3):
        polytope_support(m, d, side, sqrt(inner(side, side)))
        side = turn_third(along, side)
    face = add_faces(d, AROUND_SEGMENT, 6)
    # degenerate: the polytope around one face instead
    if face >= 0:
        shrink_to_face(d, face)
        return polytope_of_triangle(m, d)
    if not pierced(d):
        return False
    list_faces(d, 6)
    return True


@kernel
def pierced(d):
    """True if the line of the first two vertices passes through the triangle of the others."""
    origin = vertex(d, POLYTOPE)
    along = sub3(vertex(d, POLYTOPE + 1), origin)
    a = sub3(vertex(d, POLYTOPE + 2), origin)
    b = sub3(vertex(d, POLYTOPE + 3), origin)
    c = sub3(vertex(d, POLYTOPE + 4), origin)
    u, v, w = inner(a, cross(b, along)), inner(b, cross(c, along)), inner(c, cross(a, along))
    return (u >= 0.0 and v >= 0.0 and w >= 0.0) or (u <= 0.0 and v <= 0.0 and w <= 0.0)


@kernel
def face_weights(d, v1, v2, v3, p):
    """Affine coordinates of p in the plane of three vertices."""
    whole, u, v, w = areas(p, vertex(d, v1), vertex(d, v2), vertex(d, v3))
    return (u / whole, v / whole, w / whole)


@kernel
def on_triangle(d, p):
    """True if a point lies on the triangle of the first three vertices of the polytope."""
    v = POLYTOPE
    w = face_weights(d, v, v + 1, v + 2, p)
    if w[0] < 0.0 or w[1] < 0.0 or w[2] < 0.0:
        return False
    gap = sub3(combine3(w, vertex(d, v), vertex(d, v + 1), vertex(d, v + 2)), p)
    return sqrt(inner(gap, gap)) < MINVAL


@kernel
def polytope_of_triangle(m, d):
    """First polytope, around a simplex of three vertices; returns whether there is one."""
    a = vertex(d, 0)
    normal = cross(sub3(vertex(d, 1), a), sub3(vertex(d, 2), a))
    length = sqrt(inner(normal, normal))
    if length < MINVAL:
        return False
    add_simplex(m, d, 3)
    below = polytope_support(m, d, scale3(normal, -1.0), length)
    above = polytope_support(m, d, normal, length)
    if on_triangle(d, vertex(d, above)) or on_triangle(d, vertex(d, below)):
        return False
    if add_faces(d, AROUND_TRIANGLE, 6) >= 0:
        return False
    list_faces(d, 6)
    return True


@kernel
def polytope_of_tetrahedron(m, d):
    """First polytope, a simplex of four vertices; returns whether there is one."""
    add_simplex(m, d, 4)
    face = add_faces(d, TETRAHEDRON, 4)
    if face >= 0:
        # the origin lies in the plane of a face
        shrink_to_face(d, face)
        return polytope_of_triangle(m, d)
    for k in range(4):
        if not inward(d, k):
            return False
    list_faces(d, 4)
    return True


@kernel
def inward(d, k):
    """True if the origin lies on the side of vertex k of a tetrahedron that the others face."""
    v = POLYTOPE
    a, b = vertex(d, v + (k + 1) % 4), vertex(d, v + (k + 2) % 4)
    return is_inward(a, b, vertex(d, v + (k + 3) % 4), vertex(d, v + k))


@kernel
def is_inward(a, b, c, other):
    """The same of a face of three points; any reals."""
    normal = cross(sub3(b, a), sub3(c, a))
    return same_sign(inner(normal, sub3(other, a)), -inner(normal, a))
