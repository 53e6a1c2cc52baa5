"""Penetration of two convex geoms: the expanding polytope algorithm.

A polytope inside the difference of the geoms, which contains the origin, grows by support points
until its face nearest to the origin is a face of the difference itself.
"""

from ...simd.kernel import kernel
from ...simd.lanes import load3, sqrt, store
from ...tables.enums import MINVAL
from .gjk import FAR, ITERATIONS, NEDGE, NFACE, NMAP, POINTS, combine3
from .polytope import (
    DELETED,
    FACET,
    PLACE,
    add_face,
    delete_face,
    face_point,
    face_weights,
    list_face,
    polytope_of_segment,
    polytope_of_tetrahedron,
    polytope_of_triangle,
    polytope_support,
)
from .scratch import POLYTOPE
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
        previous, lower2 = face, FAR
        # candidate nearest to the origin: lower bound of the depth
        for k in range(d.ccd_count[NMAP]):
            square = d.ccd_face[4 * d.ccd_map[k] + 3]
            if square < lower2:
                face, lower2 = d.ccd_map[k], square
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
    # witness points: the origin's projection, in the vertices of each geom
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
