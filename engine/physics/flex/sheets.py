"""Strain of sheets around their vertices.

Chen, Kry and Vouga, Locking-free Simulation of Isometric Thin Plates, 2019. The strain is scaled
by the root of the vertex's mass.
"""

from ...simd.elementary import larger
from ...simd.kernel import kernel
from ...simd.lanes import load3, load6, select, sqrt, zero_like
from ...simd.spatial import add3, cross, dot3, sub3
from ...tables.enums import MINVAL


@kernel
def strain_sheets(m, d):
    """Invariants of the strain around each vertex of constrained sheets, and their gradients.

    Reads: flexvert_xpos, cdof, subtree_com.
    Writes: flexvert_length, flexvert_J.
    """
    for k in range(2 * m.nJfv):
        d.flexvert_J[k] = zero_like(d.qpos)
    for f in range(m.nflex):
        if m.flex_sheet[f]:
            for v in range(m.flex_vertadr[f], m.flex_vertadr[f] + m.flex_vertnum[f]):
                strain_vertex(m, d, f, v)


@kernel
def strain_vertex(m, d, f, v):
    """Invariants and gradients of one vertex.

    Edges at the vertex, each weighted by the mass of its other end, give the deformation F from
    the sheet at rest to the world, (3, 2). The invariants of C = F'F are trace(C) - 2 and
    det(C) - 1.
    """
    # deformation, as its two columns
    zero = zero_like(d.qpos)
    one, two = (zero, zero, zero), (zero, zero, zero)
    for k in range(m.flex_vertedgeadr[v], m.flex_vertedgeadr[v] + m.flex_vertedgenum[v]):
        x, y, weight = rest_edge(m, f, v, m.flex_vertedge[k])
        v1, v2 = edge_ends(m, f, m.flex_vertedge[k])
        step = sub3(load3(d.flexvert_xpos, v2), load3(d.flexvert_xpos, v1))
        one, two = add3(one, scaled(step, weight * x)), add3(two, scaled(step, weight * y))
    one, two = by_metric(m, v, one, two)
    # invariants
    c00, c01, c11 = dot3(one, one), dot3(one, two), dot3(two, two)
    mass = m.body_mass[m.flex_vertbodyid[v]] + zero
    scale = select(mass > MINVAL, sqrt(mass), zero + 1.0)
    d.flexvert_length[2 * v] = (c00 + c11 - 2.0) * scale
    d.flexvert_length[2 * v + 1] = (c00 * c11 - c01 * c01 - 1.0) * scale
    # their derivatives by F are 2 F and 2 F adj(C)
    one1, two1 = by_metric(m, v, one, two)
    adjoint1 = sub3(scaled(one, c11), scaled(two, c01))
    adjoint2 = sub3(scaled(two, c00), scaled(one, c01))
    one2, two2 = by_metric(m, v, adjoint1, adjoint2)
    for k in range(m.flex_vertedgeadr[v], m.flex_vertedgeadr[v] + m.flex_vertedgenum[v]):
        x, y, weight = rest_edge(m, f, v, m.flex_vertedge[k])
        pull = 2.0 * scale * weight
        grad1 = scaled(add3(scaled(one1, x + zero), scaled(two1, y + zero)), pull)
        grad2 = scaled(add3(scaled(one2, x + zero), scaled(two2, y + zero)), pull)
        v1, v2 = edge_ends(m, f, m.flex_vertedge[k])
        add_gradients(m, d, v, v2, grad1, grad2, 1.0)
        add_gradients(m, d, v, v1, grad1, grad2, -1.0)


@kernel
def scaled(v, s):
    """A vector times a number of each lane."""
    return (v[0] * s, v[1] * s, v[2] * s)


@kernel
def by_metric(m, v, one, two):
    """Product of a matrix of two columns with the metric of a vertex, symmetric."""
    a, b, c, e = (
        m.flex_vertmetric[4 * v],
        m.flex_vertmetric[4 * v + 1],
        m.flex_vertmetric[4 * v + 2],
        m.flex_vertmetric[4 * v + 3],
    )
    return add3(scaled(one, a), scaled(two, c)), add3(scaled(one, b), scaled(two, e))


@kernel
def edge_ends(m, f, edge):
    """Both vertices of an edge that is counted in the deformable."""
    e, first = m.flex_edgeadr[f] + edge, m.flex_vertadr[f]
    return first + m.flex_edge[2 * e], first + m.flex_edge[2 * e + 1]


@kernel
def rest_edge(m, f, v, edge):
    """An edge at rest in the plane of the sheet (m), and the mass of the end that is not `v`."""
    v1, v2 = edge_ends(m, f, edge)
    x = 2.0 * m.flex_size[3 * f] * (m.flex_vert0[3 * v2] - m.flex_vert0[3 * v1])
    y = 2.0 * m.flex_size[3 * f + 1] * (m.flex_vert0[3 * v2 + 1] - m.flex_vert0[3 * v1 + 1])
    other = v2 if v == v1 else v1
    return x, y, larger(m.body_mass[m.flex_vertbodyid[other]], MINVAL)


@kernel
def add_gradients(m, d, v, end, grad1, grad2, sign):
    """Add what the dofs of one end of an edge do to both invariants."""
    dof = m.body_lastdof[m.flex_vertbodyid[end]]
    point = load3(d.flexvert_xpos, end)
    adr1, adr2 = m.flexvert_J_rowadr[2 * v], m.flexvert_J_rowadr[2 * v + 1]
    for k in range(m.flexvert_J_rownnz[2 * v] - 1, -1, -1):
        if m.flexvert_J_colind[adr1 + k] == dof:
            axis = load6(d.cdof, dof)
            turn, shift = (axis[0], axis[1], axis[2]), (axis[3], axis[4], axis[5])
            origin = load3(d.subtree_com, m.body_rootid[m.dof_bodyid[dof]])
            move = scaled(add3(shift, cross(turn, sub3(point, origin))), sign)
            d.flexvert_J[adr1 + k] = d.flexvert_J[adr1 + k] + dot3(move, grad1)
            d.flexvert_J[adr2 + k] = d.flexvert_J[adr2 + k] + dot3(move, grad2)
            dof = m.dof_parentid[dof]
