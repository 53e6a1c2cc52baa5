"""Support points of convex geoms: the point of a geom that lies farthest in a direction.

General convex collision runs lane by lane. The two geoms of a pair are copied out of a lane into
`ccd_shape` (pose, sizes, margin) and `ccd_kind` (type, mesh), and all that follows is scalar code
on these and on other shared scratch. Sums are written without fused operations, in MuJoCo's order,
so that ties between vertices fall as in MuJoCo.
"""

from ...simd.kernel import kernel
from ...simd.lanes import get_lane, load3, load9, select, sqrt, store
from ...simd.spatial import add3, select3, sub3
from ...tables.enums import (
    GEOM_BOX,
    GEOM_CAPSULE,
    GEOM_ELLIPSOID,
    GEOM_HFIELD,
    GEOM_MESH,
    GEOM_SPHERE,
    MINVAL,
)

# kinds of support function besides the geom types: a sphere and a capsule shrunk by their radius
POINT, LINE = 9, 10
# parts of ccd_shape, in blocks of 3 where they are vectors
SHAPE, SIZE, MARGIN = 16, 12, 15
# parts of ccd_kind
KIND, TYPE, VERTADR, VERTNUM, GRAPH, VERTEX, CLIMB, MESH = 8, 0, 1, 2, 3, 4, 5, 6
HILLCLIMB_MIN = 10  # vertices from which on a mesh is searched along its graph
SMALL2 = MINVAL * MINVAL


@kernel
def inner(a, b):
    """Scalar product, without fused operations."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def times(v, s):
    """s*v."""
    return (s * v[0], s * v[1], s * v[2])


@kernel
def to_global(r, v):
    """Matrix times vector."""
    return (
        r[0] * v[0] + r[1] * v[1] + r[2] * v[2],
        r[3] * v[0] + r[4] * v[1] + r[5] * v[2],
        r[6] * v[0] + r[7] * v[1] + r[8] * v[2],
    )


@kernel
def to_local(r, v):
    """Transposed matrix times vector."""
    return (
        r[0] * v[0] + r[3] * v[1] + r[6] * v[2],
        r[1] * v[0] + r[4] * v[1] + r[7] * v[2],
        r[2] * v[0] + r[5] * v[1] + r[8] * v[2],
    )


@kernel
def unit(v):
    """Unit vector; (1, 0, 0) for a length below MINVAL."""
    length = sqrt(inner(v, v))
    short = length < MINVAL
    return select3(short, (1.0, 0.0, 0.0), times(v, 1.0 / select(short, 1.0, length)))


@kernel
def shape_pos(d, o):
    """Center of geom o (0 or 1) of the pair."""
    return (
        d.ccd_shape[SHAPE * o],
        d.ccd_shape[SHAPE * o + 1],
        d.ccd_shape[SHAPE * o + 2],
    )


@kernel
def shape_mat(d, o):
    """Orientation of geom o."""
    k = SHAPE * o + 3
    f = d.ccd_shape
    return (f[k], f[k + 1], f[k + 2], f[k + 3], f[k + 4], f[k + 5], f[k + 6], f[k + 7], f[k + 8])


@kernel
def place_shape(d, o, pos, mat):
    """Set the pose of geom o."""
    for k in range(3):
        d.ccd_shape[SHAPE * o + k] = pos[k]
    for k in range(9):
        d.ccd_shape[SHAPE * o + 3 + k] = mat[k]


@kernel
def lane_pose(d, geom, lane):
    """Position and orientation of a geom in one lane."""
    f, r = 3 * geom, 9 * geom
    pos = (
        get_lane(d.geom_xpos, f, lane),
        get_lane(d.geom_xpos, f + 1, lane),
        get_lane(d.geom_xpos, f + 2, lane),
    )
    mat = (
        get_lane(d.geom_xmat, r, lane),
        get_lane(d.geom_xmat, r + 1, lane),
        get_lane(d.geom_xmat, r + 2, lane),
        get_lane(d.geom_xmat, r + 3, lane),
        get_lane(d.geom_xmat, r + 4, lane),
        get_lane(d.geom_xmat, r + 5, lane),
        get_lane(d.geom_xmat, r + 6, lane),
        get_lane(d.geom_xmat, r + 7, lane),
        get_lane(d.geom_xmat, r + 8, lane),
    )
    return pos, mat


@kernel
def take_shape(m, d, o, geom, lane, margin):
    """Copy one geom out of a lane; its surface moves outward by half of the margin."""
    pos, mat = lane_pose(d, geom, lane)
    place_shape(d, o, pos, mat)
    for k in range(3):
        d.ccd_shape[SHAPE * o + SIZE + k] = get_lane(m.geom_size, 3 * geom + k, lane)
    d.ccd_shape[SHAPE * o + MARGIN] = margin
    base = KIND * o
    d.ccd_kind[base + TYPE] = m.geom_type[geom]
    d.ccd_kind[base + VERTEX] = -1
    d.ccd_kind[base + CLIMB] = -1
    d.ccd_kind[base + MESH] = 0
    if m.geom_type[geom] == GEOM_MESH:
        mesh = m.geom_dataid[geom]
        d.ccd_kind[base + MESH] = mesh
        d.ccd_kind[base + VERTADR] = m.mesh_vertadr[mesh]
        d.ccd_kind[base + VERTNUM] = m.mesh_vertnum[mesh]
        few = m.mesh_vertnum[mesh] < HILLCLIMB_MIN
        d.ccd_kind[base + GRAPH] = -1 if few else m.mesh_graphadr[mesh]


@kernel
def discrete(d):
    """True if both geoms have finitely many support points: polyhedra without margin."""
    for o in range(2):
        kind = d.ccd_kind[KIND * o + TYPE]
        flat = kind == GEOM_BOX or kind == GEOM_MESH or kind == GEOM_HFIELD
        if not flat or d.ccd_shape[SHAPE * o + MARGIN] != 0.0:
            return False
    return True


@kernel
def geom_support(m, d, o, direction):
    """Support point of geom o without margin, in the global frame.

    Args:
        m: model.
        d: data.
        o: 0 or 1.
        direction: global; of unit length where the geom is round.
    """
    kind, pos = d.ccd_kind[KIND * o + TYPE], shape_pos(d, o)
    if kind == POINT:
        return pos
    if kind == GEOM_HFIELD:
        return prism_support(d, direction)
    mat = shape_mat(d, o)
    f = SHAPE * o + SIZE
    size = (d.ccd_shape[f], d.ccd_shape[f + 1], d.ccd_shape[f + 2])
    if kind == GEOM_SPHERE:
        return add3(times(direction, size[0]), pos)
    if kind == LINE:
        along = mat[2] * direction[0] + mat[5] * direction[1] + mat[8] * direction[2]
        return add3(times((mat[2], mat[5], mat[8]), size[1] if along >= 0.0 else -size[1]), pos)
    # other shapes have their support in a frame of their own
    local = to_local(mat, direction)
    if kind == GEOM_MESH:
        point = mesh_support(m, d, o, local)
    elif kind == GEOM_BOX:
        point = box_support(d, o, size, local)
    else:
        point = round_support(kind, size, local)
    return add3(to_global(mat, point), pos)


@kernel
def prism_support(d, direction):
    """Vertex of a prism of a height field, of the three above or the three below."""
    best = 0 if direction[2] < 0.0 else 3
    most, first = inner(load3(d.ccd_prism, best), direction), best
    for k in range(first + 1, first + 3):
        height = inner(load3(d.ccd_prism, k), direction)
        if height > most:
            most, best = height, k
    return load3(d.ccd_prism, best)


@kernel
def round_support(kind, size, local):
    """Support point of a capsule, an ellipsoid or a cylinder, in its own frame; any reals."""
    end = select(local[2] >= 0.0, size[1], -size[1])
    if kind == GEOM_CAPSULE:
        x, y, z = times(local, size[0])
        return (x, y, z + end)
    if kind == GEOM_ELLIPSOID:
        x, y, z = local[0] * size[0], local[1] * size[1], local[2] * size[2]
        square = x * x + y * y + z * z
        s = 1.0 / sqrt(square)
        point = (x * (s * size[0]), y * (s * size[1]), z * (s * size[2]))
        return select3(square < SMALL2, (size[0], 0.0, 0.0), point)
    square = local[0] * local[0] + local[1] * local[1]
    s = select(square >= SMALL2, size[0] / sqrt(square), 0.0)
    return (s * local[0], s * local[1], end)


@kernel
def box_corner(size, local):
    """Corner of a box in its own frame; any reals."""
    return (
        select(local[0] >= 0.0, size[0], -size[0]),
        select(local[1] >= 0.0, size[1], -size[1]),
        select(local[2] >= 0.0, size[2], -size[2]),
    )


@kernel
def box_support(d, o, size, local):
    """Corner of a box; its number has bit k set where it lies on the positive side of axis k."""
    x, y, z = box_corner(size, local)
    corner = (1 if x > 0.0 else 0) + (2 if y > 0.0 else 0) + (4 if z > 0.0 else 0)
    d.ccd_kind[KIND * o + VERTEX] = corner
    return (x, y, z)


@kernel
def mesh_point(m, d, o, vertex):
    """Vertex of a mesh in its own frame."""
    return load3(m.mesh_vert, d.ccd_kind[KIND * o + VERTADR] + vertex)


@kernel
def mesh_support(m, d, o, local):
    """Vertex of a mesh; the search starts from the last one found."""
    base = KIND * o
    graph = d.ccd_kind[base + GRAPH]
    if graph >= 0:
        best = climb(m, d, o, graph, local, -1e300)
    else:
        best = d.ccd_kind[base + VERTEX]
        most = -1e300
        if best >= 0:
            most = inner(local, mesh_point(m, d, o, best))
        else:
            best = 0
        for k in range(d.ccd_kind[base + VERTNUM]):
            height = inner(local, mesh_point(m, d, o, k))
            if height > most:
                most, best = height, k
    d.ccd_kind[base + VERTEX] = best
    return mesh_point(m, d, o, best)


@kernel
def climb(m, d, o, graph, local, most):
    """Vertex of a large mesh, by steps to higher neighbours in the graph of its hull.

    Args:
        m: model.
        d: data.
        o: 0 or 1.
        graph: where the graph starts.
        local: direction in the frame of the mesh.
        most: height that the first step must exceed.
    """
    number = m.mesh_graph[graph]
    edges, vertices = graph + 2, graph + 2 + number
    neighbours = graph + 2 + 2 * number
    best, previous = max(d.ccd_kind[KIND * o + CLIMB], 0), -1
    while best != previous:
        previous = best
        i = neighbours + m.mesh_graph[edges + best]
        while m.mesh_graph[i] >= 0:
            near = m.mesh_graph[i]
            height = inner(local, mesh_point(m, d, o, m.mesh_graph[vertices + near]))
            if height > most:
                most, best = height, near
            i += 1
    d.ccd_kind[KIND * o + CLIMB] = best
    return m.mesh_graph[vertices + best]


@kernel
def support(m, d, v, direction):
    """Support point of the difference of the two geoms, as vertex v.

    A vertex is three points: the difference, the point of the first geom, that of the second.
    """
    opposite = (-direction[0], -direction[1], -direction[2])
    first, second = geom_support(m, d, 0, direction), geom_support(m, d, 1, opposite)
    margin1, margin2 = 0.5 * d.ccd_shape[MARGIN], 0.5 * d.ccd_shape[SHAPE + MARGIN]
    if margin1 > 0.0:
        first = add3(first, times(direction, margin1))
    if margin2 > 0.0:
        second = add3(second, times(opposite, margin2))
    store(d.ccd_vertex, 3 * v, sub3(first, second))
    store(d.ccd_vertex, 3 * v + 1, first)
    store(d.ccd_vertex, 3 * v + 2, second)
    d.ccd_corner[2 * v] = d.ccd_kind[VERTEX]
    d.ccd_corner[2 * v + 1] = d.ccd_kind[KIND + VERTEX]


@kernel
def vertex(d, v):
    """Vertex v of the difference."""
    return load3(d.ccd_vertex, 3 * v)


@kernel
def copy_vertex(d, target, source):
    """Copy a vertex."""
    store(d.ccd_vertex, target, load9(d.ccd_vertex, source))
    d.ccd_corner[2 * target] = d.ccd_corner[2 * source]
    d.ccd_corner[2 * target + 1] = d.ccd_corner[2 * source + 1]
