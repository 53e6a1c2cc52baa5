"""Support points for the refinement of portals: where a direction lies in a face, its centre.

`support` takes a corner there instead, and starts its search on meshes elsewhere.
"""

from ...simd.kernel import kernel
from ...simd.lanes import sqrt, store
from ...simd.spatial import add3, sub3
from ...tables.enums import (
    GEOM_BOX,
    GEOM_CAPSULE,
    GEOM_ELLIPSOID,
    GEOM_HFIELD,
    GEOM_MESH,
    GEOM_SPHERE,
    MINVAL,
)
from .support import (
    CLIMB,
    GRAPH,
    KIND,
    MARGIN,
    SHAPE,
    SIZE,
    TYPE,
    VERTNUM,
    climb,
    inner,
    mesh_point,
    prism_support,
    shape_mat,
    shape_pos,
    times,
    to_global,
    to_local,
    unit,
)


@kernel
def sign(x):
    """-1.0, 0.0 or 1.0."""
    if x > 0.0:
        return 1.0
    return -1.0 if x < 0.0 else 0.0


@kernel
def highest_vertex(m, d, o, local):
    """Vertex of a mesh; the search on a large one starts from the last one found."""
    graph = d.ccd_kind[KIND * o + GRAPH]
    if graph >= 0:
        start = m.mesh_graph[graph + 2 + m.mesh_graph[graph] + max(d.ccd_kind[KIND * o + CLIMB], 0)]
        most = inner(local, mesh_point(m, d, o, start))
        return mesh_point(m, d, o, climb(m, d, o, graph, local, most))
    best, most = 0, -1e10
    for k in range(d.ccd_kind[KIND * o + VERTNUM]):
        height = inner(local, mesh_point(m, d, o, k))
        if height > most:
            most, best = height, k
    return mesh_point(m, d, o, best)


@kernel
def local_support(m, d, o, local):
    """Support point of geom o without margin, in its own frame."""
    kind, f = d.ccd_kind[KIND * o + TYPE], SHAPE * o + SIZE
    size = (d.ccd_shape[f], d.ccd_shape[f + 1], d.ccd_shape[f + 2])
    if kind == GEOM_MESH:
        return highest_vertex(m, d, o, local)
    if kind == GEOM_BOX:
        return (sign(local[0]) * size[0], sign(local[1]) * size[1], sign(local[2]) * size[2])
    if kind == GEOM_SPHERE:
        return times(local, size[0])
    if kind == GEOM_CAPSULE:
        x, y, z = times(local, size[0])
        return (x, y, z + sign(local[2]) * size[1])
    if kind == GEOM_ELLIPSOID:
        x, y, z = unit((local[0] * size[0], local[1] * size[1], local[2] * size[2]))
        return (x * size[0], y * size[1], z * size[2])
    length = sqrt(local[0] * local[0] + local[1] * local[1])
    z = sign(local[2]) * size[1]
    if length > MINVAL:
        return (local[0] / length * size[0], local[1] / length * size[0], z)
    return (0.0, 0.0, z)


@kernel
def portal_geom_support(m, d, o, direction):
    """Support point of geom o with margin, in the global frame."""
    if d.ccd_kind[KIND * o + TYPE] == GEOM_HFIELD:
        return prism_support(d, direction)
    mat = shape_mat(d, o)
    local = to_local(mat, direction)
    point = add3(local_support(m, d, o, local), times(local, 0.5 * d.ccd_shape[SHAPE * o + MARGIN]))
    return add3(to_global(mat, point), shape_pos(d, o))


@kernel
def portal_support(m, d, v, direction):
    """Support point of the difference of the two geoms, as vertex v; see `support`."""
    first = portal_geom_support(m, d, 0, direction)
    second = portal_geom_support(m, d, 1, times(direction, -1.0))
    store(d.ccd_vertex, 3 * v, sub3(first, second))
    store(d.ccd_vertex, 3 * v + 1, first)
    store(d.ccd_vertex, 3 * v + 2, second)
