"""Contacts of meshes with boxes and meshes: up to four points of two faces, or a face and an edge.

The deepest point comes from `epa`. Where it lies on faces (or edges) of both geoms that are
parallel, one is clipped against the other, and the corners that remain are contacts of equal
depth. Polygons lie in `ccd_side` and `ccd_clip`, their vertices one after the other.
"""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, get_lane, load3, sqrt, store
from ...simd.spatial import add3, sub3
from ...tables.enums import DSBL_MULTICCD, GEOM_BOX, GEOM_MESH
from .clip import clip_polygon
from .convex import (
    boxes_overlap,
    checked_signed_distance,
    close_pair,
    enter_points,
    more_contacts,
    open_pair,
    take_pair,
)
from .polytope import FACET
from .separating_axis import memory_of, remember, still_apart
from .slots import FACES_SLOTS
from .support import (
    KIND,
    MESH,
    SHAPE,
    SIZE,
    TYPE,
    inner,
    mesh_point,
    shape_mat,
    shape_pos,
    times,
    to_global,
    to_local,
    unit,
)

PARALLEL = 0.99999872  # cosine of the angle within which faces count as parallel
ALONG = 0.00159999931  # sine of the angle within which an edge lies along a face
# corners of the faces of a box: bit k of a digit means the positive side of axis k
BOX_FACES = (7, 3, 1, 5, 2, 6, 4, 0, 2, 3, 7, 6, 4, 5, 1, 0, 6, 7, 5, 4, 3, 2, 0, 1)


@kernel
def convex_faces(m, d, geom1, geom2, slot, margin, near):
    """Contacts of one mesh with a box or a mesh."""
    open_pair(d, margin, near, FACES_SLOTS)
    if boxes_overlap(m, d, geom1, geom2):
        for lane in range(m.width):
            if get_lane(d.ccd_near, 0, lane) > 0.0:
                faces_lane(m, d, geom1, geom2, lane)
        close_pair(d, slot, FACES_SLOTS)


@kernel
def faces_lane(m, d, geom1, geom2, lane):
    """Contacts of one pair in one lane."""
    margin = take_pair(m, d, geom1, geom2, lane)
    place = memory_of(m, geom1, geom2, lane)
    if still_apart(m, d, place):
        return
    dist, face = checked_signed_distance(m, d, 0.0)
    remember(d, place, not dist < 0.0)
    if not dist < 0.0:
        return
    many = not m.opt_disableflags[0] & DSBL_MULTICCD
    # a margin makes geoms round
    flat = not margin > 0.0
    if many and flat and face >= 0:
        face_contacts(m, d, face, lane)
    found = enter_points(d, 0, lane, margin + dist)
    if many and not flat and found == 1:
        more_contacts(m, d, geom1, geom2, lane, margin)


@kernel
def face_contacts(m, d, face, lane):
    """Replace the witness points by those of two parallel features, if there are such.

    Args:
        m: model.
        d: data.
        face: face of the polytope that holds the witness points.
        lane: lane of the pack.
    """
    # a mesh without polygons has no faces
    for o in range(2):
        mesh = d.ccd_kind[KIND * o + MESH]
        if d.ccd_kind[KIND * o + TYPE] == GEOM_MESH and m.mesh_polynum[mesh] == 0:
            return
    # features of both geoms that touch, and faces that meet there
    gap = sub3(load3(d.ccd_point2, 0), load3(d.ccd_point1, 0))
    depth = sqrt(inner(gap, gap))
    first = d.ccd_facet[FACET * face]
    dim1, second1 = feature(d, 0, face)
    dim2, second2 = feature(d, 1, face)
    number1 = face_normals(m, d, 0, dim1, face, second1, times(gap, -1.0), lane)
    number2 = face_normals(m, d, 1, dim2, face, second2, gap, lane)
    # two parallel faces
    i, j = opposite_faces(m, d, number1, number2)
    if i >= 0:
        side1 = take_face(m, d, 0, d.ccd_polygon[i])
        side2 = take_face(m, d, 1, d.ccd_polygon[m.nccdpoly + j])
        shift = times(load3(d.ccd_facing, m.nccdpoly + j), depth)
        clip_polygon(m, d, 0, side1, side2, load3(d.ccd_facing, i), shift)
        return
    # an edge of the geom o along a face of the other
    if dim1 < 3 and dim1 <= dim2:
        o, dim, second, faces, shift = 0, dim1, second1, number2, depth
    elif dim2 < 3:
        o, dim, second, faces, shift = 1, dim2, second2, number1, -depth
    else:
        return
    # edges that run along one of the faces
    edges = edge_directions(m, d, o, dim, first, second)
    i, j = edge_along_face(m, d, o, edges, faces)
    if i < 0:
        return
    # clip the edge by the face
    base = m.nccdpoly * o
    store(d.ccd_side, base, load3(d.ccd_vertex, 3 * first + 1 + o))
    store(d.ccd_side, base + 1, load3(d.ccd_end, i))
    normal = load3(d.ccd_facing, m.nccdpoly * (1 - o) + j)
    sides = take_face(m, d, 1 - o, d.ccd_polygon[m.nccdpoly * (1 - o) + j])
    clip_polygon(m, d, 1 - o, sides, 2, normal, times(normal, shift))


@kernel
def feature(d, o, face):
    """Feature of geom o on which a face of the polytope lies: 1: a corner, 2: an edge, 3: a face.

    Returns:
        That number, and a vertex of the polytope at the other end of the edge.
    """
    base = FACET * face
    a, b, c = d.ccd_facet[base], d.ccd_facet[base + 1], d.ccd_facet[base + 2]
    one, two, three = d.ccd_corner[2 * a + o], d.ccd_corner[2 * b + o], d.ccd_corner[2 * c + o]
    if one != two:
        return (2 if three == one or three == two else 3), b
    if one != three:
        return 2, c
    return 1, b


@kernel
def face_normals(m, d, o, dim, face, second, toward, lane):
    """List the faces of geom o that meet at a feature, with their global normals.

    Args:
        m: model.
        d: data.
        o: 0 or 1.
        dim: kind of feature, see `feature`.
        face: face of the polytope.
        second: vertex of the polytope at the other end of an edge.
        toward: direction of the contact, outward.
        lane: lane of the pack.

    Returns:
        Their number; the normals are in `ccd_facing`, the faces in `ccd_polygon`.
    """
    base = FACET * face
    v1 = d.ccd_corner[2 * d.ccd_facet[base] + o]
    v2 = d.ccd_corner[2 * second + o]
    v3 = d.ccd_corner[2 * d.ccd_facet[base + 2] + o]
    if d.ccd_kind[KIND * o + TYPE] == GEOM_BOX:
        return box_normals(m, d, o, dim, v1, v2, v3, toward)
    return mesh_normals(m, d, o, dim, v1, v2, v3, lane)


@kernel
def add_normal(m, d, o, k, normal, polygon):
    """Enter face k of geom o by its local normal."""
    store(d.ccd_facing, m.nccdpoly * o + k, to_global(shape_mat(d, o), normal))
    d.ccd_polygon[m.nccdpoly * o + k] = polygon
    return k + 1


@kernel
def box_normals(m, d, o, dim, v1, v2, v3, toward):
    """Faces of a box at a corner, at an edge, or that three corners share."""
    if dim < 3:
        v3 = v2
    if dim < 2:
        v2 = v3 = v1
    n = 0
    for k in range(3):
        bit = 1 << k
        total = (v1 & bit) + (v2 & bit) + (v3 & bit)
        if total == 3 * bit or total == 0:
            sign = 1.0 if total else -1.0
            x, y = sign if k == 0 else 0.0, sign if k == 1 else 0.0
            normal = (x, y, sign if k == 2 else 0.0)
            n = add_normal(m, d, o, n, normal, 2 * k + (0 if total else 1))
    if n == 4 - dim:
        return n
    # corners that share no face: the one that looks along the contact
    local = unit_exact(to_local(shape_mat(d, o), toward))
    for k in range(3):
        for side in range(2):
            sign = 1.0 - 2.0 * side
            if sign * local[k] > PARALLEL:
                x, y = sign if k == 0 else 0.0, sign if k == 1 else 0.0
                return add_normal(m, d, o, 0, (x, y, sign if k == 2 else 0.0), 2 * k + side)
    return 0


@kernel
def unit_exact(v):
    """Unit vector, of whatever length."""
    return times(v, 1.0 / sqrt(inner(v, v)))


@kernel
def has_polygon(m, vertex, polygon):
    """True if a polygon meets at a vertex, both numbered as in the model."""
    start = m.mesh_polymapadr[vertex]
    for k in range(start, start + m.mesh_polymapnum[vertex]):
        if m.mesh_polymap[k] == polygon:
            return True
    return False


@kernel
def mesh_normals(m, d, o, dim, v1, v2, v3, lane):
    """Polygons of a mesh at a vertex, at an edge, or that three vertices share."""
    mesh = d.ccd_kind[KIND * o + MESH]
    vertices, polygons = m.mesh_vertadr[mesh], m.mesh_polyadr[mesh]
    start = m.mesh_polymapadr[vertices + v1]
    n = shared = 0
    for k in range(start, start + m.mesh_polymapnum[vertices + v1]):
        polygon = m.mesh_polymap[k]
        # no more than two polygons share an edge
        if dim > 1:
            if shared == 2 or not has_polygon(m, vertices + v2, polygon):
                continue
            shared += 1
            if dim == 3 and (n == 1 or not has_polygon(m, vertices + v3, polygon)):
                continue
        if n < m.nccdpoly:
            f = 3 * (polygons + polygon)
            normal = (
                get_lane(m.mesh_polynormal, f, lane),
                get_lane(m.mesh_polynormal, f + 1, lane),
                get_lane(m.mesh_polynormal, f + 2, lane),
            )
            n = add_normal(m, d, o, n, normal, polygon)
    return n


@kernel
def opposite_faces(m, d, number1, number2):
    """The first two listed faces that look at each other; -1, -1 if none do."""
    for i in range(number1):
        for j in range(number2):
            if inner(load3(d.ccd_facing, i), load3(d.ccd_facing, m.nccdpoly + j)) < -PARALLEL:
                return i, j
    return -1, -1


@kernel
def edge_along_face(m, d, o, edges, faces):
    """The first edge of geom o that lies along a listed face of the other; -1, -1 if none does."""
    for j in range(faces):
        normal = load3(d.ccd_facing, m.nccdpoly * (1 - o) + j)
        for i in range(edges):
            if absolute(inner(load3(d.ccd_facing, m.nccdpoly * o + i), normal)) < ALONG:
                return i, j
    return -1, -1


@kernel
def add_edge(m, d, o, k, start, end):
    """Enter edge k of geom o by its ends."""
    store(d.ccd_end, k, end)
    store(d.ccd_facing, m.nccdpoly * o + k, unit(sub3(end, start)))


@kernel
def edge_directions(m, d, o, dim, first, second):
    """List the edge of geom o that a contact lies on, or the edges that meet at its corner.

    Returns:
        Their number; the directions are in `ccd_facing`, their other ends in `ccd_end`.
    """
    start = load3(d.ccd_vertex, 3 * first + 1 + o)
    if dim == 2:
        add_edge(m, d, o, 0, start, load3(d.ccd_vertex, 3 * second + 1 + o))
        return 1
    corner = d.ccd_corner[2 * first + o]
    if d.ccd_kind[KIND * o + TYPE] == GEOM_BOX:
        for k in range(3):
            add_edge(m, d, o, k, start, box_corner(d, o, corner ^ (1 << k)))
        return 3
    mesh = d.ccd_kind[KIND * o + MESH]
    vertex = m.mesh_vertadr[mesh] + corner
    adr, number = m.mesh_polymapadr[vertex], min(m.mesh_polymapnum[vertex], m.nccdpoly)
    for k in range(number):
        polygon = m.mesh_polyadr[mesh] + m.mesh_polymap[adr + k]
        begin, sides = m.mesh_polyvertadr[polygon], m.mesh_polyvertnum[polygon]
        for x in range(sides):
            if m.mesh_polyvert[begin + x] == corner:
                before = m.mesh_polyvert[begin + (x + sides - 1) % sides]
                point = to_global(shape_mat(d, o), mesh_point(m, d, o, before))
                add_edge(m, d, o, k, start, add3(point, shape_pos(d, o)))
                break
    return number


@kernel
def box_corner(d, o, corner):
    """Corner of a box by its number, global."""
    f = SHAPE * o + SIZE
    x, y, z = d.ccd_shape[f], d.ccd_shape[f + 1], d.ccd_shape[f + 2]
    point = (x if corner & 1 else -x, y if corner & 2 else -y, z if corner & 4 else -z)
    return add3(to_global(shape_mat(d, o), point), shape_pos(d, o))


@kernel
def take_face(m, d, o, polygon):
    """Copy a face of geom o, global; returns its number of corners."""
    base = m.nccdpoly * o
    if d.ccd_kind[KIND * o + TYPE] == GEOM_BOX:
        for k in range(4):
            store(d.ccd_side, base + k, box_corner(d, o, BOX_FACES[4 * polygon + k]))
        return 4
    row = m.mesh_polyadr[d.ccd_kind[KIND * o + MESH]] + polygon
    begin, sides = m.mesh_polyvertadr[row], min(m.mesh_polyvertnum[row], m.nccdpoly)
    for k in range(sides):
        point = mesh_point(m, d, o, m.mesh_polyvert[begin + sides - 1 - k])
        point = add3(to_global(shape_mat(d, o), point), shape_pos(d, o))
        store(d.ccd_side, base + k, point)
    return sides
