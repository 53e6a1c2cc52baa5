"""Passive forces of deformables: springs and dampers of edges, elasticity of elements and bends.

Elasticity of vertices: Saint Venant and Kirchhoff's, by squared lengths of edges, and bending
between triangles, with the constants that the compiler finds. Damping is Rayleigh's (Kharevych et
al., Geometric, variational integrators for computer animation, section 5.2).
"""

from ...enums import DSBL_DAMPER, DSBL_SPRING
from ...simd.kernel import kernel
from ...simd.lanes import add_block, load3, store, zero_like
from ...simd.spatial import cross, scale3, sub3
from ..smooth.forces import apply_ft

STIFFNESS, BENDING = 21, 17  # numbers of an element, of an edge
SLIDES = 2  # body_simple: a body that slides along the axes of the world


@kernel
def flex_forces(m, d):
    """Springs, dampers and elasticity of deformables whose vertices are fixed in bodies.

    Reads: flexvert_xpos, flexedge_length, flexedge_velocity, flexedge_J, qvel, cdof, subtree_com.
    Writes: qfrc_spring, qfrc_damper, qfrc_passive (N, N m), flexvert_spring (N).
    """
    flags = m.opt_disableflags[0]
    springs, dampers = not flags & DSBL_SPRING, not flags & DSBL_DAMPER
    for f in range(m.nflex):
        if not m.flex_rigid[f] and not m.flex_interp[f]:
            if m.flex_dim[f] == 2 and m.flex_bendingadr[f] >= 0:
                bend(m, d, f, springs, dampers)
            if m.flex_dim[f] > 1 and m.flex_stiffnessadr[f] >= 0 and (springs or dampers):
                stretch(m, d, f)
    for f in range(m.nflex):
        if not m.flex_rigid[f]:
            pull_edges(m, d, f, springs, dampers)
    for dof in range(m.nv):
        d.qfrc_passive[dof] = d.qfrc_spring[dof] + d.qfrc_damper[dof]


@kernel
def pull_edges(m, d, f, springs, dampers):
    """Springs and dampers along edges."""
    for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
        if not m.flexedge_rigid[e]:
            zero = zero_like(d.qvel)
            spring, damper = zero, zero
            if springs:
                short = m.flexedge_length0[e] - d.flexedge_length[e]
                spring = m.flex_edgestiffness[f] * short
            if dampers:
                damper = zero - m.flex_edgedamping[f] * d.flexedge_velocity[e]
            adr = m.flexedge_J_rowadr[e]
            for k in range(adr, adr + m.flexedge_J_rownnz[e]):
                dof = m.flexedge_J_colind[k]
                d.qfrc_spring[dof] = d.qfrc_spring[dof] + d.flexedge_J[k] * spring
                d.qfrc_damper[dof] = d.qfrc_damper[dof] + d.flexedge_J[k] * damper


@kernel
def flap_vertex(m, f, e, i):
    """Vertex of an edge (0, 1), or opposite to it (2, 3), counted in the deformable."""
    return m.flex_edge[2 * e + i] if i < 2 else m.flex_edgeflap[2 * e + i - 2]


@kernel
def bend(m, d, f, springs, dampers):
    """Forces at the four vertices around each edge between two triangles."""
    first = m.flex_vertadr[f]
    for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
        if m.flex_edgeflap[2 * e + 1] >= 0:
            adr = m.flex_bendingadr[f] + BENDING * (e - m.flex_edgeadr[f])
            for i in range(4):
                vertex = first + flap_vertex(m, f, e, i)
                body = m.flex_vertbodyid[vertex]
                curved = curvature(m, d, f, e, i)
                dofs = m.body_dofadr[body]
                for x in range(m.body_dofnum[body]):
                    spring, damper = zero_like(d.qvel), zero_like(d.qvel)
                    for j in range(4):
                        other = first + flap_vertex(m, f, e, j)
                        own = m.body_dofadr[m.flex_vertbodyid[other]]
                        weight = m.flex_bending[adr + 4 * i + j]
                        spring = spring + weight * d.flexvert_xpos[3 * other + x]
                        damper = damper + weight * d.qvel[own + x]
                    if springs:
                        spring = spring + m.flex_bending[adr + 16] * curved[x]
                        d.qfrc_spring[dofs + x] = d.qfrc_spring[dofs + x] - spring
                    if dampers:
                        damper = damper * m.flex_damping[f]
                        d.qfrc_damper[dofs + x] = d.qfrc_damper[dofs + x] - damper


@kernel
def curvature(m, d, f, e, i):
    """Direction in which one vertex around an edge moves when the sheet bends more."""
    first = m.flex_vertadr[f]
    origin = load3(d.flexvert_xpos, first + flap_vertex(m, f, e, 0))
    e0 = sub3(load3(d.flexvert_xpos, first + flap_vertex(m, f, e, 1)), origin)
    e1 = sub3(load3(d.flexvert_xpos, first + flap_vertex(m, f, e, 2)), origin)
    e2 = sub3(load3(d.flexvert_xpos, first + flap_vertex(m, f, e, 3)), origin)
    one, two, three = cross(e1, e2), cross(e2, e0), cross(e0, e1)
    if i == 1:
        return one
    if i == 2:
        return two
    if i == 3:
        return three
    return (
        -(one[0] + two[0] + three[0]),
        -(one[1] + two[1] + three[1]),
        -(one[2] + two[2] + three[2]),
    )


@kernel
def edge_end(dim, edge, end):
    """Place in an element of an end of one of its edges."""
    if dim == 2:
        # 1-2, 2-0, 0-1
        return (edge + 1 + end) % 3
    if edge < 3:
        # 0-1, 1-2, 2-0
        return (edge + end) % 3
    if end == 1:
        return 3
    # 2-3, 0-3, 1-3
    return (edge + 2) % 3


@kernel
def stiffness_at(edge1, edge2, count):
    """Place of an entry of a symmetric matrix, stored as its upper triangle row by row."""
    low, high = min(edge1, edge2), max(edge1, edge2)
    return low * count - (low * (low - 1)) // 2 + high - low


@kernel
def elongation(m, d, f, edge):
    """Growth of the squared length of an edge, with its damping (m^2)."""
    step = m.opt_timestep[0]
    e = m.flex_edgeadr[f] + edge
    length, rest = d.flexedge_length[e], m.flexedge_length0[e]
    before = length - d.flexedge_velocity[e] * step
    rate = m.flex_damping[f] / step
    return length * length - rest * rest + (length * length - before * before) * rate


@kernel
def stretch(m, d, f):
    """Forces at the vertices of elements that strain."""
    dim, first, adr = m.flex_dim[f], m.flex_vertadr[f], m.flex_stiffnessadr[f]
    count = 3 if dim == 2 else 6
    zero = zero_like(d.qvel)
    for v in range(first, first + m.flex_vertnum[f]):
        store(d.flexvert_spring, v, (zero, zero, zero))
    for t in range(m.flex_elemnum[f]):
        corner = m.flex_elemdataadr[f] + t * (dim + 1)
        for e2 in range(count):
            # tension of an edge by the growth of all edges of the element
            tension = zero
            for e1 in range(count):
                edge = m.flex_elemedge[m.flex_elemedgeadr[f] + t * count + e1]
                weight = m.flex_stiffness[adr + STIFFNESS * t + stiffness_at(e1, e2, count)]
                tension = tension + elongation(m, d, f, edge) * weight
            v1 = first + m.flex_elem[corner + edge_end(dim, e2, 0)]
            v2 = first + m.flex_elem[corner + edge_end(dim, e2, 1)]
            step = sub3(load3(d.flexvert_xpos, v2), load3(d.flexvert_xpos, v1))
            force = scale3(step, tension)
            add_block(d.flexvert_spring, v1, force)
            add_block(d.flexvert_spring, v2, scale3(force, -1.0))
    push_vertices(m, d, f)


@kernel
def push_vertices(m, d, f):
    """Add forces at vertices to those of dofs."""
    zero = zero_like(d.qvel)
    first = m.flex_vertadr[f]
    for v in range(first, first + m.flex_vertnum[f]):
        body, force = m.flex_vertbodyid[v], load3(d.flexvert_spring, v)
        if m.body_simple[body] == SLIDES:
            dofs = m.body_dofadr[body]
            for x in range(m.body_dofnum[body]):
                d.qfrc_spring[dofs + x] = d.qfrc_spring[dofs + x] + force[x]
        else:
            point = load3(d.flexvert_xpos, v)
            apply_ft(m, d, d.qfrc_spring, body, point, force, (zero, zero, zero))


@kernel
def flex_energy(m, d):
    """Add the energy of the springs along the edges of lines.

    Reads: flexedge_length.
    Writes: energy (J).
    """
    if m.opt_disableflags[0] & DSBL_SPRING:
        return
    for f in range(m.nflex):
        if not m.flex_rigid[f] and m.flex_dim[f] == 1:
            for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
                if not m.flexedge_rigid[e]:
                    short = m.flexedge_length0[e] - d.flexedge_length[e]
                    d.energy[0] = d.energy[0] + 0.5 * m.flex_edgestiffness[f] * short * short
