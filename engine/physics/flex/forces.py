"""Passive forces of deformables: springs and dampers of edges, elasticity of elements and bends.

Elasticity of vertices: Saint Venant and Kirchhoff's, by squared lengths of edges, and bending
between triangles, with the constants that the compiler finds. Damping is Rayleigh's (Kharevych et
al., Geometric, variational integrators for computer animation, section 5.2).
"""

from ...simd.kernel import kernel
from ...simd.lanes import add_block, fma, lane_any, load3, store, zero_like
from ...simd.spatial import cross, scale3, sub3
from ...tables.enums import DSBL_DAMPER, DSBL_SPRING
from ..smooth.forces import apply_ft

STIFFNESS, BENDING = 21, 17  # numbers of an element, of an edge
SLIDES = 2  # body_simple: a body that slides along the axes of the world


@kernel
def flex_forces(m, d):
    """Springs, dampers and elasticity of deformables whose vertices are fixed in bodies.

    Reads: flexvert_xpos, flexedge_length, flexedge_velocity, flexedge_J, qvel, cdof, subtree_com.
    Writes: qfrc_spring, qfrc_damper, qfrc_passive (N, N m), flexvert_spring (N), flexedge_growth,
        flexedge_tension.
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
    zero = zero_like(d.qvel)
    stiff, damped = zero + m.flex_edgestiffness[f], zero + m.flex_edgedamping[f]
    if not lane_any((stiff != 0.0) | (damped != 0.0)):
        return
    for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
        if not m.flexedge_rigid[e]:
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
                # vertices slide along the axes of their bodies: dof x moves coordinate x alone
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
    """Forces at the vertices of elements that strain.

    Elements that share an edge pull along the same line, so that their tensions are summed up.
    """
    first, edgeadr, zero = m.flex_vertadr[f], m.flex_edgeadr[f], zero_like(d.qvel)
    for v in range(first, first + m.flex_vertnum[f]):
        store(d.flexvert_spring, v, (zero, zero, zero))
    # growth of each edge; no tension yet
    for edge in range(m.flex_edgenum[f]):
        d.flexedge_growth[edgeadr + edge] = elongation(m, d, f, edge)
        d.flexedge_tension[edgeadr + edge] = zero
    if m.flex_dim[f] == 2:
        for t in range(m.flex_elemnum[f]):
            pull_triangle(m, d, f, t)
    else:
        for t in range(m.flex_elemnum[f]):
            pull_tetrahedron(m, d, f, t)
    # forces at both ends of each edge
    for e in range(edgeadr, edgeadr + m.flex_edgenum[f]):
        v1, v2 = first + m.flex_edge[2 * e], first + m.flex_edge[2 * e + 1]
        step = sub3(load3(d.flexvert_xpos, v2), load3(d.flexvert_xpos, v1))
        force = scale3(step, d.flexedge_tension[e])
        add_block(d.flexvert_spring, v1, force)
        add_block(d.flexvert_spring, v2, scale3(force, -1.0))
    push_vertices(m, d, f)


@kernel
def pull_triangle(m, d, f, t):
    """Tensions of the edges of a triangle by the growth of all of them."""
    at, first = m.flex_elemedgeadr[f] + 3 * t, m.flex_edgeadr[f]
    adr, k, g = m.flex_stiffnessadr[f] + STIFFNESS * t, m.flex_stiffness, d.flexedge_growth
    e0, e1 = first + m.flex_elemedge[at], first + m.flex_elemedge[at + 1]
    e2 = first + m.flex_elemedge[at + 2]
    a, b, c = g[e0], g[e1], g[e2]
    # upper triangle of a symmetric matrix, row by row
    add_tension(d, e0, a * k[adr] + b * k[adr + 1] + c * k[adr + 2])
    add_tension(d, e1, a * k[adr + 1] + b * k[adr + 3] + c * k[adr + 4])
    add_tension(d, e2, a * k[adr + 2] + b * k[adr + 4] + c * k[adr + 5])


@kernel
def pull_tetrahedron(m, d, f, t):
    """Tensions of the edges of a tetrahedron by the growth of all of them."""
    at, first = m.flex_elemedgeadr[f] + 6 * t, m.flex_edgeadr[f]
    adr, k, g = m.flex_stiffnessadr[f] + STIFFNESS * t, m.flex_stiffness, d.flexedge_growth
    e0, e1 = first + m.flex_elemedge[at], first + m.flex_elemedge[at + 1]
    e2, e3 = first + m.flex_elemedge[at + 2], first + m.flex_elemedge[at + 3]
    e4, e5 = first + m.flex_elemedge[at + 4], first + m.flex_elemedge[at + 5]
    x = (g[e0], g[e1], g[e2], g[e3], g[e4], g[e5])
    # upper triangle of a symmetric matrix, row by row
    add_tension(
        d, e0, six(x, k[adr], k[adr + 1], k[adr + 2], k[adr + 3], k[adr + 4], k[adr + 5])
    )  # fmt: skip
    add_tension(
        d, e1, six(x, k[adr + 1], k[adr + 6], k[adr + 7], k[adr + 8], k[adr + 9], k[adr + 10])
    )  # fmt: skip
    add_tension(
        d, e2, six(x, k[adr + 2], k[adr + 7], k[adr + 11], k[adr + 12], k[adr + 13], k[adr + 14])
    )  # fmt: skip
    add_tension(
        d, e3, six(x, k[adr + 3], k[adr + 8], k[adr + 12], k[adr + 15], k[adr + 16], k[adr + 17])
    )  # fmt: skip
    add_tension(
        d, e4, six(x, k[adr + 4], k[adr + 9], k[adr + 13], k[adr + 16], k[adr + 18], k[adr + 19])
    )  # fmt: skip
    add_tension(
        d, e5, six(x, k[adr + 5], k[adr + 10], k[adr + 14], k[adr + 17], k[adr + 19], k[adr + 20])
    )  # fmt: skip


@kernel
def six(x, k0, k1, k2, k3, k4, k5):
    """Product of six numbers with a row of stiffness, in two chains."""
    return fma(x[4], k4, fma(x[2], k2, x[0] * k0)) + fma(x[5], k5, fma(x[3], k3, x[1] * k1))


@kernel
def add_tension(d, e, tension):
    """Add to the tension of an edge."""
    d.flexedge_tension[e] = d.flexedge_tension[e] + tension


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
