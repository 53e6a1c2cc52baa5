"""Contacts of planes with meshes: the lowest vertex, and others near it that are low as well."""

from ...simd.kernel import kernel, named, replaced, variant
from ...simd.lanes import get_lane, lane_any, load3, mask_not, set_lane, sqrt
from ...simd.spatial import add3, addscl3, scale3, sub3
from ...tables.enums import GEOM_SDF
from .bounds import is_above
from .contact import axis_z, put_contact
from .convex import open_pair
from .slots import PLANE_MESH_SLOTS
from .support import (
    CLIMB,
    GRAPH,
    KIND,
    VERTEX,
    VERTNUM,
    climb,
    inner,
    mesh_point,
    mesh_support,
    shape_mat,
    shape_pos,
    take_shape,
    times,
    to_global,
    to_local,
)

APART = 0.3  # least distance of further contacts from the first, relative to the bounding sphere


@kernel
def plane_mesh(m, d, plane, mesh, slot, margin, near):
    """Contacts of one plane with up to three vertices of a mesh."""
    near = near & mask_not(is_above(m, d, plane, mesh, margin))
    if not lane_any(near):
        return
    open_pair(d, margin, near, PLANE_MESH_SLOTS)
    for lane in range(m.width):
        if get_lane(d.ccd_near, 0, lane) > 0.0:
            plane_mesh_lane(m, d, plane, mesh, lane)
    normal = axis_z(d, plane)
    for k in range(PLANE_MESH_SLOTS):
        put_contact(
            d, slot + k, d.ccd_on[k] > 0.0, d.ccd_dist[k],
            load3(d.ccd_pos, k), normal, scale3(normal, 0.0),
        )  # fmt: skip


@kernel
def plane_mesh_lane(m, d, plane, geom, lane):
    """Contacts of one plane with one mesh in one lane."""
    take_shape(m, d, 0, plane, lane, 0.0)
    take_shape(m, d, 1, geom, lane, 0.0)
    # lowest vertex
    margin, mat = get_lane(d.ccd_near, 1, lane), shape_mat(d, 0)
    normal = (mat[2], mat[5], mat[8])
    down = to_local(shape_mat(d, 1), times(normal, -1.0))
    lowest = lowest_vertex(m, d, down)
    if not enter_vertex(d, 0, lane, lowest, normal, margin):
        return
    # others within the margin, not too near to the first
    depth = inner(normal, sub3(shape_pos(d, 1), shape_pos(d, 0))) - margin
    reach = APART * get_lane(m.geom_rbound, geom, lane)
    first = (
        get_lane(d.ccd_pos, 0, lane),
        get_lane(d.ccd_pos, 1, lane),
        get_lane(d.ccd_pos, 2, lane),
    )
    n = 1
    graph = m.mesh_graphadr[m.geom_dataid[geom]]
    base = KIND
    # without graph: all vertices; with one: neighbours of the lowest
    if graph < 0:
        for vertex in range(d.ccd_kind[base + VERTNUM]):
            if n < PLANE_MESH_SLOTS and vertex != d.ccd_kind[base + VERTEX]:
                n += low_vertex(m, d, n, lane, vertex, down, depth, normal, first, reach)
        return
    # MuJoCo looks up the neighbours of small meshes, which it searches without graph, by the
    # vertex's number in the mesh rather than in the graph
    start = d.ccd_kind[base + (VERTEX if d.ccd_kind[base + GRAPH] < 0 else CLIMB)]
    number = m.mesh_graph[graph]
    i = graph + 2 + 2 * number + m.mesh_graph[graph + 2 + start]
    while m.mesh_graph[i] >= 0 and n < PLANE_MESH_SLOTS:
        vertex = m.mesh_graph[graph + 2 + number + m.mesh_graph[i]]
        n += low_vertex(m, d, n, lane, vertex, down, depth, normal, first, reach)
        i += 1


@kernel
def lowest_vertex(m, d, down):
    """Lowest vertex of the mesh; on a plateau of its graph, the first that is reached."""
    graph = d.ccd_kind[KIND + GRAPH]
    if graph < 0:
        return mesh_support(m, d, 1, down)
    first = m.mesh_graph[graph + 2 + m.mesh_graph[graph]]
    best = climb(m, d, 1, graph, down, inner(down, mesh_point(m, d, 1, first)))
    d.ccd_kind[KIND + VERTEX] = best
    return mesh_point(m, d, 1, best)


@kernel
def low_vertex(m, d, k, lane, vertex, down, depth, normal, first, reach):
    """Enter a vertex as contact k if it is low and not near the first; returns how many."""
    point = mesh_point(m, d, 1, vertex)
    if not inner(down, point) > depth:
        return 0
    gap = sub3(add3(to_global(shape_mat(d, 1), point), shape_pos(d, 1)), first)
    if sqrt(inner(gap, gap)) < reach:
        return 0
    # what is low enough here has a distance below the margin, but for rounding
    enter_vertex(d, k, lane, point, normal, 1e300)
    return 1


@kernel
def enter_vertex(d, k, lane, point, normal, margin):
    """Enter a vertex of the mesh as contact k if it is no higher than the margin."""
    point = add3(to_global(shape_mat(d, 1), point), shape_pos(d, 1))
    dist = inner(normal, sub3(point, shape_pos(d, 0)))
    if dist > margin:
        return False
    pos = addscl3(point, normal, -0.5 * dist)
    set_lane(d.ccd_on, k, lane, 1.0)
    set_lane(d.ccd_dist, k, lane, dist)
    for i in range(3):
        set_lane(d.ccd_pos, 3 * k + i, lane, pos[i])
    return True


# a plane meets the mesh around a signed distance field
take_field = variant(take_shape, GEOM_MESH=GEOM_SDF)
plane_sdf = named(globals(), "plane_sdf", replaced(plane_mesh, {take_shape: take_field}))
