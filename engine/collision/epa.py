"""Penetration of two convex geoms: the expanding polytope algorithm.

A polytope inside the difference of the geoms, which contains the origin, grows by support points
until its face nearest to the origin is a face of the difference itself. A face is the witness
point `ccd_face` (the projection of the origin, then its squared length) and, in `ccd_facet`, three
vertices, three neighbours and its place in the list of candidates.
"""

from ..kernel import kernel
from ..lanes import MINVAL, absolute, load3, sqrt, store
from ..spatial import cross, scale3, sub3
from .gjk import (
    FAR,
    ITERATIONS,
    NEDGE,
    NFACE,
    NMAP,
    NVERT,
    POINTS,
    POLYTOPE,
    areas,
    combine3,
    plane_point,
)
from .support import (
    SMALL2,
    copy_vertex,
    discrete,
    inner,
    support,
    to_global,
    vertex,
)

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
def empty_polytope(d):
    """Forget all vertices and faces."""
    d.ccd_count[NVERT] = POLYTOPE
    d.ccd_count[NFACE] = 0
    d.ccd_count[NMAP] = 0
    d.ccd_count[NEDGE] = 0


@kernel
def add_simplex(d, n):
    """Start the polytope with the first n vertices of the simplex."""
    empty_polytope(d)
    for k in range(n):
        copy_vertex(d, POLYTOPE + k, k)
    d.ccd_count[NVERT] = POLYTOPE + n


@kernel
def add_face(d, v1, v2, v3, next1, next2, next3):
    """Add a face.

    Returns:
        Squared distance of its plane from the origin; 0 if it has no plane.
    """
    face = d.ccd_count[NFACE]
    d.ccd_count[NFACE] = face + 1
    base = FACET * face
    d.ccd_facet[base], d.ccd_facet[base + 1], d.ccd_facet[base + 2] = v1, v2, v3
    d.ccd_facet[base + 3], d.ccd_facet[base + 4], d.ccd_facet[base + 5] = next1, next2, next3
    d.ccd_facet[base + PLACE] = LISTLESS
    point, ok = plane_point(vertex(d, v3), vertex(d, v2), vertex(d, v1))
    square = inner(point, point) if ok else 0.0
    store(d.ccd_face, face, (point[0], point[1], point[2], square))
    return square


@kernel
def face_point(d, face):
    """Projection of the origin onto a face."""
    return (d.ccd_face[4 * face], d.ccd_face[4 * face + 1], d.ccd_face[4 * face + 2])


@kernel
def list_face(d, face):
    """Make a face a candidate for the nearest one."""
    place = d.ccd_count[NMAP]
    d.ccd_count[NMAP] = place + 1
    d.ccd_map[place] = face
    d.ccd_facet[FACET * face + PLACE] = place


@kernel
def delete_face(d, face):
    """Delete a face; the last candidate takes its place in the list."""
    place = d.ccd_facet[FACET * face + PLACE]
    if place >= 0:
        last = d.ccd_count[NMAP] - 1
        d.ccd_count[NMAP] = last
        moved = d.ccd_map[last]
        d.ccd_map[place] = moved
        d.ccd_facet[FACET * moved + PLACE] = place
    d.ccd_facet[FACET * face + PLACE] = DELETED


@kernel
def add_faces(d, table, n):
    """Add the first n faces of a table.

    Returns:
        Index of the first face whose plane meets the origin, after which none is added; -1: none.
    """
    for k in range(n):
        t = 6 * k
        square = add_face(
            d,
            POLYTOPE + table[t],
            POLYTOPE + table[t + 1],
            POLYTOPE + table[t + 2],
            table[t + 3],
            table[t + 4],
            table[t + 5],
        )
        if square < SMALL2:
            return k
    return -1


@kernel
def list_faces(d, n):
    """Make the first n faces candidates."""
    for face in range(n):
        list_face(d, face)


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
    add_simplex(d, 2)
    for _ in range(3):
        polytope_support(m, d, side, sqrt(inner(side, side)))
        side = turn_third(along, side)
    face = add_faces(d, AROUND_SEGMENT, 6)
    if face >= 0:
        shrink_to_face(d, face)
        return polytope_of_triangle(m, d)
    if not pierced(d):
        return False
    list_faces(d, 6)
    return True


@kernel
def pierced(d):
    """Whether the line of the first two vertices passes through the triangle of the others."""
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
    """Whether a point lies on the triangle of the first three vertices of the polytope."""
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
    add_simplex(d, 3)
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
    add_simplex(d, 4)
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
    """Whether the origin lies on the side of vertex k of a tetrahedron that the others face."""
    v = POLYTOPE
    a, b = vertex(d, v + (k + 1) % 4), vertex(d, v + (k + 2) % 4)
    c, other = vertex(d, v + (k + 3) % 4), vertex(d, v + k)
    normal = cross(sub3(b, a), sub3(c, a))
    first, second = inner(normal, sub3(other, a)), -inner(normal, a)
    return (first > 0.0 and second > 0.0) or (first < 0.0 and second < 0.0)


@kernel
def edge_of(d, face, v):
    """Which edge of a face starts at a vertex."""
    if d.ccd_facet[FACET * face] == v:
        return 0
    if d.ccd_facet[FACET * face + 1] == v:
        return 1
    return 2


@kernel
def push(d, top, face, edge):
    """Put the neighbour over an edge of a face on the stack of faces to look at."""
    near = d.ccd_facet[FACET * face + 3 + edge]
    d.ccd_stack[2 * top] = near
    d.ccd_stack[2 * top + 1] = edge_of(d, near, d.ccd_facet[FACET * face + (edge + 1) % 3])
    return top + 1


@kernel
def find_horizon(d, face, w):
    """Delete all faces that see vertex w, and list the edges around them in order.

    Args:
        d: data.
        face: one that sees it.
        w: vertex.
    """
    d.ccd_count[NEDGE] = 0
    point = vertex(d, w)
    delete_face(d, face)
    top = push(d, 0, face, 2)
    top = push(d, top, face, 1)
    top = push(d, top, face, 0)
    while top > 0:
        top -= 1
        here, edge = d.ccd_stack[2 * top], d.ccd_stack[2 * top + 1]
        if d.ccd_facet[FACET * here + PLACE] == DELETED:
            continue
        if inner(face_point(d, here), point) - d.ccd_face[4 * here + 3] > MINVAL:
            delete_face(d, here)
            top = push(d, top, here, (edge + 2) % 3)
            top = push(d, top, here, (edge + 1) % 3)
        else:
            n = d.ccd_count[NEDGE]
            d.ccd_edge[2 * n], d.ccd_edge[2 * n + 1] = here, edge
            d.ccd_count[NEDGE] = n + 1


@kernel
def cover_horizon(d, w, lower2, upper2):
    """Join vertex w to all edges of the horizon; returns whether all faces have planes.

    Only faces between the two squared bounds become candidates.
    """
    first, n = d.ccd_count[NFACE], d.ccd_count[NEDGE]
    for i in range(n):
        near, edge = d.ccd_edge[2 * i], d.ccd_edge[2 * i + 1]
        v1 = d.ccd_facet[FACET * near + edge]
        v2 = d.ccd_facet[FACET * near + (edge + 1) % 3]
        d.ccd_facet[FACET * near + 3 + edge] = first + i
        before, after = first + (i + n - 1) % n, first + (i + 1) % n
        square = add_face(d, w, v2, v1, before, near, after)
        if square == 0.0:
            return False
        if square >= lower2 and square <= upper2:
            list_face(d, first + i)
    return True


@kernel
def repeated(d, w):
    """Whether an earlier vertex of the polytope joins the same corners of the two geoms as w."""
    one, two = d.ccd_corner[2 * w], d.ccd_corner[2 * w + 1]
    for v in range(POLYTOPE, w):
        if d.ccd_corner[2 * v] == one and d.ccd_corner[2 * v + 1] == two:
            return True
    return False


@kernel
def expand(m, d):
    """Expand the polytope; returns its face nearest to the boundary of the difference, or -1."""
    finite = discrete(d)
    tolerance = MINVAL if finite else d.ccd_tolerance[0]
    upper = upper2 = FAR
    face = -1
    for _ in range(min(d.ccd_count[ITERATIONS], 1000)):
        previous, lower2 = face, FAR
        for k in range(d.ccd_count[NMAP]):
            square = d.ccd_face[4 * d.ccd_map[k] + 3]
            if square < lower2:
                face, lower2 = d.ccd_map[k], square
        if lower2 > upper2 or face < 0:
            return previous
        if lower2 <= 0.0:
            return face
        lower = sqrt(lower2)
        w = polytope_support(m, d, face_point(d, face), lower)
        bound = inner(face_point(d, face), vertex(d, w)) / lower
        if bound < upper:
            upper, upper2 = bound, bound * bound
        if upper - lower < tolerance or (finite and repeated(d, w)):
            return face
        find_horizon(d, face, w)
        edges = d.ccd_count[NEDGE]
        if edges < 3:
            return -1
        if edges > 6 * d.ccd_count[ITERATIONS] - d.ccd_count[NFACE]:
            return face
        if not cover_horizon(d, w, lower2, upper2):
            return -1
        if d.ccd_count[NMAP] == 0:
            return face
    return face


@kernel
def epa(m, d, nsimplex):
    """Depth of penetration from the simplex of the distance algorithm.

    Args:
        m: model.
        d: data; the witness points become those of the face found.
        nsimplex: vertices of the simplex, 2 to 4.

    Returns:
        Signed distance (m), negative; 0 when there is no polytope; and the face found or -1.
    """
    if nsimplex == 2:
        ok = polytope_of_segment(m, d)
    elif nsimplex == 3:
        ok = polytope_of_triangle(m, d)
    else:
        ok = polytope_of_tetrahedron(m, d)
    if not ok:
        return 0.0, -1
    face = expand(m, d)
    if face < 0:
        d.ccd_count[POINTS] = 0
        return 0.0, -1
    base = FACET * face
    v1, v2, v3 = d.ccd_facet[base], d.ccd_facet[base + 1], d.ccd_facet[base + 2]
    w = face_weights(d, v1, v2, v3, face_point(d, face))
    for part in range(1, 3):
        a = load3(d.ccd_vertex, 3 * v1 + part)
        b = load3(d.ccd_vertex, 3 * v2 + part)
        c = load3(d.ccd_vertex, 3 * v3 + part)
        if part == 1:
            store(d.ccd_point1, 0, combine3(w, a, b, c))
        else:
            store(d.ccd_point2, 0, combine3(w, a, b, c))
    d.ccd_count[POINTS] = 1
    return -sqrt(d.ccd_face[4 * face + 3]), face
