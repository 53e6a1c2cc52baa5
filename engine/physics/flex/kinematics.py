"""Vertices, boxes and edges of deformables.

Vertices are fixed in bodies, or follow the nodes of a grid of finite elements (documentation of
MuJoCo, chapter Computation, section Deformable).
"""

from ...simd.elementary import larger, smaller
from ...simd.kernel import kernel
from ...simd.lanes import lane_any, load3, load6, load9, select, store, zero_like
from ...simd.spatial import add3, cross, dot3, normalize3, sub3
from ..collision.support import times, to_global

FIXED, TURNS = -1, -2  # in place of a dof by which a vertex slides


@kernel
def flex(m, d):
    """Positions of vertices, boxes of elements, lengths of edges and their gradients.

    Reads: xpos, xmat, cdof, subtree_com.
    Writes: flexvert_xpos, flexelem_aabb, flexedge_length (m), flexedge_J, flexnode_pos (m),
        flexvert_slide.
    """
    zero = zero_like(d.qpos)
    for k in range(m.nJfe):
        d.flexedge_J[k] = zero
    for f in range(m.nflex):
        # vertices
        first = m.flex_vertadr[f]
        if m.flex_interp[f]:
            place_nodes(m, d, f)
            for v in range(first, first + m.flex_vertnum[f]):
                store(d.flexvert_xpos, v, interpolated(m, d, f, v))
        else:
            for v in range(first, first + m.flex_vertnum[f]):
                body = m.flex_vertbodyid[v]
                store(d.flexvert_xpos, v, in_body(d, body, load3(m.flex_vert, v)))
        # boxes of elements
        for e in range(m.flex_elemnum[f]):
            element_box(m, d, f, e)
        # lengths of edges
        if m.flex_pulls[f]:
            for v in range(first, first + m.flex_vertnum[f]):
                d.flexvert_slide[v] = slides_of(m, d, m.flex_vertbodyid[v])
        for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
            d.flexedge_length[e] = zero
            if not m.flex_rigid[f] and not m.flex_interp[f]:
                measure_edge(m, d, f, e)


@kernel
def in_body(d, body, local):
    """A point of a body, in the world (m).

    Sums are not fused, here and in `interpolated`: which of many contacts that are equal by
    symmetry stay depends on the last bits of positions.
    """
    return add3(to_global(load9(d.xmat, body), local), load3(d.xpos, body))


@kernel
def place_nodes(m, d, f):
    """Positions of the nodes of a deformable."""
    first = m.flex_nodeadr[f]
    for n in range(first, first + m.flex_nodenum[f]):
        store(d.flexnode_pos, n, in_body(d, m.flex_nodebodyid[n], load3(m.flex_node, n)))


@kernel
def order_of(m, f):
    """Order of the interpolation between nodes."""
    order = m.flex_interp[f]
    return order if order > 0 else -order


@kernel
def basis(s, i, order):
    """Function of one of the nodes along an axis, at a place from 0 to 1."""
    if order == 1:
        return s if i else 1.0 - s
    if i == 0:
        return 2.0 * s * s - 3.0 * s + 1.0
    return 4.0 * (s - s * s) if i == 1 else 2.0 * s * s - s


@kernel
def slope(s, i, order):
    """Derivative of the function of one of the nodes along an axis."""
    if order == 1:
        return 0.0 * s + (1.0 if i else -1.0)
    if i == 0:
        return 4.0 * s - 3.0
    return 4.0 * (1.0 - 2.0 * s) if i == 1 else 4.0 * s - 1.0


@kernel
def node_at(m, f, x, y, z):
    """Number of a node of a grid."""
    order = order_of(m, f)
    ny, nz = m.flex_cellnum[3 * f + 1] * order + 1, m.flex_cellnum[3 * f + 2] * order + 1
    return (x * ny + y) * nz + z


@kernel
def interpolated(m, d, f, v):
    """Position of a vertex among the nodes of its cell (m)."""
    order = order_of(m, f)
    ci, cj, ck = m.flexvert_cell[3 * v], m.flexvert_cell[3 * v + 1], m.flexvert_cell[3 * v + 2]
    x, y, z = in_cell(m, f, v, 0), in_cell(m, f, v, 1), in_cell(m, f, v, 2)
    zero = zero_like(d.qpos)
    pos = (zero, zero, zero)
    for i in range(order + 1):
        for j in range(order + 1):
            for k in range(order + 1):
                weight = basis(z, k, order) * basis(y, j, order) * basis(x, i, order)
                node = node_at(m, f, ci * order + i, cj * order + j, ck * order + k)
                there = load3(d.flexnode_pos, m.flex_nodeadr[f] + node)
                pos = add3(pos, times(there, weight))
    return pos


@kernel
def in_cell(m, f, v, axis):
    """Place of a vertex in its cell along an axis, from 0 to 1."""
    x = m.flex_vert0[3 * v + axis] * m.flex_cellnum[3 * f + axis] - m.flexvert_cell[3 * v + axis]
    x = select(x < 0.0, 0.0 * x, x)
    return select(x > 1.0, 0.0 * x + 1.0, x)


@kernel
def element_box(m, d, f, e):
    """Box around an element: its centre and half sizes, with the radius."""
    dim, first = m.flex_dim[f], m.flex_vertadr[f]
    adr, at = m.flex_elemdataadr[f] + e * (dim + 1), 6 * (m.flex_elemadr[f] + e)
    low = load3(d.flexvert_xpos, first + m.flex_elem[adr])
    high = low
    for k in range(1, dim + 1):
        x = load3(d.flexvert_xpos, first + m.flex_elem[adr + k])
        low = (smaller(x[0], low[0]), smaller(x[1], low[1]), smaller(x[2], low[2]))
        high = (larger(x[0], high[0]), larger(x[1], high[1]), larger(x[2], high[2]))
    for axis in range(3):
        d.flexelem_aabb[at + axis] = 0.5 * (high[axis] + low[axis])
        d.flexelem_aabb[at + 3 + axis] = 0.5 * (high[axis] - low[axis]) + m.flex_radius[f]


@kernel
def slides_of(m, d, body):
    """First of three dofs by which a body slides along x, y and z of the world, and nothing else.

    Returns:
        The dof; FIXED if the body does not move, TURNS if it moves in another way.
    """
    last = m.body_lastdof[body]
    if last < 0:
        return FIXED
    first = last - 2
    if first < 0 or m.dof_bodyid[first] != body or m.body_dofnum[body] != 3:
        return TURNS
    if m.dof_parentid[first] >= 0:
        return TURNS
    for k in range(3):
        for i in range(6):
            if lane_any(d.cdof[6 * (first + k) + i] != (1.0 if i == 3 + k else 0.0)):
                return TURNS
    return first


@kernel
def store3(f, at, values):
    """Store three numbers from a place on."""
    for k in range(3):
        f[at + k] = values[k]


@kernel
def measure_edge(m, d, f, e):
    """Length of an edge, and its gradient where something pulls along edges."""
    first = m.flex_vertadr[f]
    v1, v2 = first + m.flex_edge[2 * e], first + m.flex_edge[2 * e + 1]
    point1, point2 = load3(d.flexvert_xpos, v1), load3(d.flexvert_xpos, v2)
    along, length = normalize3(sub3(point2, point1))
    d.flexedge_length[e] = length
    if not m.flex_pulls[f]:
        return
    # ends that slide along the axes of the world
    adr, zero = m.flexedge_J_rowadr[e], zero_like(d.qpos)
    slide1, slide2 = d.flexvert_slide[v1], d.flexvert_slide[v2]
    if slide1 > TURNS and slide2 > TURNS and slide1 != slide2:
        at1 = adr + 3 if slide1 > slide2 > FIXED else adr
        at2 = adr + 3 if slide2 > slide1 > FIXED else adr
        if slide1 != FIXED:
            store3(d.flexedge_J, at1, (zero - along[0], zero - along[1], zero - along[2]))
        if slide2 != FIXED:
            store3(d.flexedge_J, at2, along)
        return
    # chains of both ends, from their ends to the roots
    dof1, dof2 = m.body_lastdof[m.flex_vertbodyid[v1]], m.body_lastdof[m.flex_vertbodyid[v2]]
    for k in range(adr + m.flexedge_J_rownnz[e] - 1, adr - 1, -1):
        dof = m.flexedge_J_colind[k]
        axis = load6(d.cdof, dof)
        turn, shift = (axis[0], axis[1], axis[2]), (axis[3], axis[4], axis[5])
        origin = load3(d.subtree_com, m.body_rootid[m.dof_bodyid[dof]])
        change = zero
        if dof == dof2:
            change = dot3(along, add3(shift, cross(turn, sub3(point2, origin))))
            dof2 = m.dof_parentid[dof]
        if dof == dof1:
            change = change - dot3(along, add3(shift, cross(turn, sub3(point1, origin))))
            dof1 = m.dof_parentid[dof]
        d.flexedge_J[k] = change


@kernel
def flex_velocity(m, d):
    """Rates of change of the lengths of edges.

    Reads: qvel, flexedge_J.
    Writes: flexedge_velocity (m/s).
    """
    for e in range(m.nflexedge):
        rate = zero_like(d.qvel)
        for k in range(m.flexedge_J_rowadr[e], m.flexedge_J_rowadr[e] + m.flexedge_J_rownnz[e]):
            rate = rate + d.flexedge_J[k] * d.qvel[m.flexedge_J_colind[k]]
        d.flexedge_velocity[e] = rate
