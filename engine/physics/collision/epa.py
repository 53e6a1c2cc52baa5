"""Penetration of two convex geoms: the expanding polytope algorithm.

A polytope inside the difference of the geoms, which contains the origin, grows by support points
until its face nearest to the origin is a face of the difference itself.
"""

from ...simd.kernel import kernel
from ...simd.lanes import load3, sqrt, store
from ...tables.enums import MINVAL
from .gjk import COUNTS, ITERATIONS, NEDGE, NFACE, NMAP, POINTS
from .polytope import (
    DELETED,
    FACET,
    PLACE,
    delete_face,
    face_point,
    face_weights,
    find_planes,
    list_face,
    new_face,
    polytope_of_segment,
    polytope_of_tetrahedron,
    polytope_of_triangle,
    polytope_support,
    wait_for_plane,
)
from .scratch import POLYTOPE
from .simplex import FAR, combine3
from .support import discrete, inner, vertex


@kernel
def edge_of(d, face, v):
    """Return the edge of a face that starts at a vertex."""
    if d.ccd_facet[FACET * face] == v:
        return 0
    if d.ccd_facet[FACET * face + 1] == v:
        return 1
    return 2


@kernel
def following(edge):
    """The edge of a triangle that follows another, 0 to 2; a division takes longer."""
    return edge + 1 if edge < 2 else 0


@kernel
def push(d, top, face, edge):
    """Put the neighbour over an edge of a face on the stack of faces to look at."""
    near = d.ccd_facet[FACET * face + 3 + edge]
    d.ccd_stack[2 * top] = near
    d.ccd_stack[2 * top + 1] = edge_of(d, near, d.ccd_facet[FACET * face + following(edge)])
    return top + 1


@kernel
def find_horizon(m, d, polytope, face, w):
    """Delete all faces that see vertex w, and list the edges around them in order.

    Args:
        m: model.
        d: data.
        polytope: its number.
        face: one that sees it.
        w: vertex.

    Returns:
        Number of edges.
    """
    n, first = 0, 3 * m.nccdface * polytope
    point = vertex(d, w)
    delete_face(d, polytope, face)
    # depth first, edges in the order of the faces: so the horizon comes out as a closed loop
    top = push(d, 0, face, 2)
    top = push(d, top, face, 1)
    top = push(d, top, face, 0)
    while top > 0:
        top -= 1
        here, edge = d.ccd_stack[2 * top], d.ccd_stack[2 * top + 1]
        if d.ccd_facet[FACET * here + PLACE] == DELETED:
            continue
        if inner(face_point(d, here), point) - d.ccd_face[4 * here + 3] > MINVAL:
            delete_face(d, polytope, here)
            edge = following(edge)
            top = push(d, top, here, following(edge))
            top = push(d, top, here, edge)
        else:
            d.ccd_edge[2 * (first + n)], d.ccd_edge[2 * (first + n) + 1] = here, edge
            n += 1
    d.ccd_count[COUNTS * polytope + NEDGE] = n
    return n


@kernel
def join_horizon(m, d, polytope, w, waiting):
    """Join vertex w to all edges of the horizon, by faces that wait for their planes.

    Args:
        m: model.
        d: data.
        polytope: its number.
        w: vertex.
        waiting: faces that wait already.

    Returns:
        The first of the new faces.
    """
    first, n = d.ccd_count[COUNTS * polytope + NFACE], d.ccd_count[COUNTS * polytope + NEDGE]
    at = 2 * (3 * m.nccdface * polytope)
    for i in range(n):
        near, edge = d.ccd_edge[at + 2 * i], d.ccd_edge[at + 2 * i + 1]
        v1 = d.ccd_facet[FACET * near + edge]
        v2 = d.ccd_facet[FACET * near + following(edge)]
        d.ccd_facet[FACET * near + 3 + edge] = first + i
        before = first + i - 1 if i > 0 else first + n - 1
        after = first + i + 1 if i < n - 1 else first
        face = new_face(d, polytope, w, v2, v1, before, near, after)
        wait_for_plane(d, waiting + i, face, w, v2, v1)
    return first


@kernel
def list_horizon(d, polytope, first, n, lower2, upper2):
    """List the faces over a horizon that may be the nearest; returns whether all have planes.

    Args:
        d: data.
        polytope: its number.
        first: the first of the faces.
        n: how many they are.
        lower2: square of the distance that they cannot be below.
        upper2: square of the distance from which on they do not matter.
    """
    for face in range(first, first + n):
        square = d.ccd_face[4 * face + 3]
        if square == 0.0:
            return False
        if square >= lower2 and square <= upper2:
            list_face(d, polytope, face)
    return True


@kernel
def nearest_candidate(m, d, polytope, face):
    """The candidate nearest to the origin, and the square of its distance.

    A face that is given stays, with the distance `FAR`, where there is no candidate.
    """
    square = FAR
    for k in range(m.nccdface * polytope, d.ccd_count[COUNTS * polytope + NMAP]):
        here = d.ccd_face[4 * d.ccd_map[k] + 3]
        if here < square:
            face, square = d.ccd_map[k], here
    return face, square


@kernel
def has_room(m, d, polytope, edges):
    """True if as many faces as a horizon has edges may still be added."""
    used = d.ccd_count[COUNTS * polytope + NFACE] - m.nccdface * polytope
    return edges <= 6 * d.ccd_count[ITERATIONS] - used


@kernel
def repeated(d, w):
    """True if an earlier vertex of the polytope joins the same corners of the two geoms as w."""
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
        # candidate nearest to the origin: lower bound of the depth
        previous = face
        face, lower2 = nearest_candidate(m, d, 0, face)
        if lower2 > upper2 or face < 0:
            return previous
        if lower2 <= 0.0:
            return face
        # support point behind it: upper bound
        lower = sqrt(lower2)
        w = polytope_support(m, d, face_point(d, face), lower)
        bound = inner(face_point(d, face), vertex(d, w)) / lower
        if bound < upper:
            upper, upper2 = bound, bound * bound
        if upper - lower < tolerance or (finite and repeated(d, w)):
            return face
        # faces that see the new vertex make way for those around it
        edges = find_horizon(m, d, 0, face, w)
        if edges < 3:
            return -1
        if not has_room(m, d, 0, edges):
            return face
        first = join_horizon(m, d, 0, w, 0)
        find_planes(d, edges)
        if not list_horizon(d, 0, first, edges, lower2, upper2):
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
    # first polytope around the origin
    if nsimplex == 2:
        ok = polytope_of_segment(m, d)
    elif nsimplex == 3:
        ok = polytope_of_triangle(m, d)
    else:
        ok = polytope_of_tetrahedron(m, d)
    if not ok:
        return 0.0, -1
    # face of least depth
    face = expand(m, d)
    if face < 0:
        d.ccd_count[POINTS] = 0
        return 0.0, -1
    find_witnesses(d, face)
    return -sqrt(d.ccd_face[4 * face + 3]), face


@kernel
def find_witnesses(d, face):
    """Witness points: the origin's projection onto a face, in the vertices of each geom."""
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
