"""Elastic forces of deformables whose vertices follow nodes: linear finite elements, turned along.

Shells are cells on the sides of a grid, and angles between these (Crouzeix and Raviart).
Each cell is seen in a frame that turns with it.
"""

from ...simd.kernel import kernel
from ...simd.lanes import (
    add_block,
    fma,
    lane_any,
    load3,
    load4,
    select,
    sqrt,
    store,
    zero_like,
)
from ...simd.spatial import (
    add3,
    cross,
    dot3,
    normalize4,
    rotate,
    scale3,
    sub3,
)
from ...tables.enums import DSBL_DAMPER, DSBL_SPRING, MINVAL
from ..smooth.forces import apply_ft
from ..smooth.objects import object_velocity
from .kinematics import basis, node_at, order_of, slope
from .tables import EDGE_NUMBERS

STRAINS = 3  # flex_edgeequality: strain is constrained


@kernel
def cell_forces(m, d):
    """Elasticity and damping of deformables with nodes.

    Reads: cvel, cdof, subtree_com, flexnode_pos, flexcell_quat.
    Writes: qfrc_spring, qfrc_damper, qfrc_passive (N, N m), flexnode_vel (m/s), flexnode_spring,
        flexnode_damper (N), flexcell_shift (m), flexcell_vel (m/s).
    """
    flags = m.opt_disableflags[0]
    springs, dampers = not flags & DSBL_SPRING, not flags & DSBL_DAMPER
    for f in range(m.nflex):
        if m.flex_interp[f]:
            node_velocities(m, d, f)
            if m.flex_stiffnessadr[f] >= 0 and m.flex_edgeequality[f] != STRAINS:
                for cell in range(count_cells(m, f)):
                    strain_cell(m, d, f, cell)
            if m.flex_interp[f] < 0 and m.flex_bendingadr[f] >= 0:
                bend_cells(m, d, f)
            push_nodes(m, d, f, springs, dampers)
    for dof in range(m.nv):
        d.qfrc_passive[dof] = d.qfrc_spring[dof] + d.qfrc_damper[dof]


@kernel
def node_velocities(m, d, f):
    """Velocities of nodes; no forces yet."""
    zero = zero_like(d.qvel)
    first = m.flex_nodeadr[f]
    for n in range(first, first + m.flex_nodenum[f]):
        body, point = m.flex_nodebodyid[n], load3(d.flexnode_pos, n)
        vel = object_velocity(m, d, body, point)
        store(d.flexnode_vel, n, (vel[3], vel[4], vel[5]))
        store(d.flexnode_spring, n, (zero, zero, zero))
        store(d.flexnode_damper, n, (zero, zero, zero))


@kernel
def side_size(m, f, side):
    """Number of cells on a side of a shell."""
    axis = side // 2
    return m.flex_cellnum[3 * f + (axis + 1) % 3] * m.flex_cellnum[3 * f + (axis + 2) % 3]


@kernel
def count_cells(m, f):
    """Number of cells; those of shells lie on the six sides of the grid."""
    if m.flex_interp[f] > 0:
        return m.flex_cellnum[3 * f] * m.flex_cellnum[3 * f + 1] * m.flex_cellnum[3 * f + 2]
    count = 0
    for side in range(6):
        count += side_size(m, f, side)
    return count


@kernel
def count_nodes(m, f):
    """Number of nodes of a cell."""
    n = order_of(m, f) + 1
    return n * n * n if m.flex_interp[f] > 0 else n * n


@kernel
def cell_node(m, f, cell, k):
    """Number, in the grid, of a node of a cell."""
    order = order_of(m, f)
    n = order + 1
    if m.flex_interp[f] > 0:
        cy, cz = m.flex_cellnum[3 * f + 1], m.flex_cellnum[3 * f + 2]
        x = cell // (cy * cz) * order + k // (n * n)
        y = cell // cz % cy * order + k // n % n
        return node_at(m, f, x, y, cell % cz * order + k % n)
    # the side that a cell of a shell lies on
    side = 0
    while cell >= side_size(m, f, side):
        cell -= side_size(m, f, side)
        side += 1
    axis = side // 2
    across = m.flex_cellnum[3 * f + axis] * order * (side % 2)
    fast = m.flex_cellnum[3 * f + (axis + 2) % 3]
    one, two = cell // fast * order + k // n, cell % fast * order + k % n
    if axis == 0:
        return node_at(m, f, across, one, two)
    if axis == 1:
        return node_at(m, f, two, across, one)
    return node_at(m, f, one, two, across)


@kernel
def deformation(m, d, f, cell):
    """Columns of the deformation gradient in the middle of a cell of a volume."""
    order, zero = order_of(m, f), zero_like(d.qpos)
    n, first = order + 1, m.flex_nodeadr[f]
    x, y, z = (zero, zero, zero), (zero, zero, zero), (zero, zero, zero)
    half = zero + 0.5
    for k in range(count_nodes(m, f)):
        pos = load3(d.flexnode_pos, first + cell_node(m, f, cell, k))
        i, j, l = k // (n * n), k // n % n, k % n
        bx, by, bz = basis(half, i, order), basis(half, j, order), basis(half, l, order)
        x = add3(x, scale3(pos, slope(half, i, order) * by * bz))
        y = add3(y, scale3(pos, bx * slope(half, j, order) * bz))
        z = add3(z, scale3(pos, bx * by * slope(half, l, order)))
    return x, y, z


@kernel
def tangents(m, d, f, cell, slow, fast):
    """Tangents of a cell of a shell along its two axes, at a place from 0 to 1 on it."""
    order, zero = order_of(m, f), zero_like(d.qpos)
    n, first = order + 1, m.flex_nodeadr[f]
    one, two = (zero, zero, zero), (zero, zero, zero)
    for k in range(n * n):
        pos = load3(d.flexnode_pos, first + cell_node(m, f, cell, k))
        i, j = k // n, k % n
        one = add3(one, scale3(pos, slope(slow, i, order) * basis(fast, j, order)))
        two = add3(two, scale3(pos, basis(slow, i, order) * slope(fast, j, order)))
    return one, two


@kernel
def axis_across(m, f, cell):
    """Axis of the grid across which a cell of a shell lies."""
    side = 0
    while cell >= side_size(m, f, side):
        cell -= side_size(m, f, side)
        side += 1
    return side // 2


@kernel
def frame_of(m, d, f, cell):
    """Rotation from the world to the frame that turns with a cell, see frames.py."""
    return load4(d.flexcell_quat, m.flex_frameadr[f] + cell)


@kernel
def strain_cell(m, d, f, cell):
    """Add the forces of one cell to those of its nodes."""
    count, first = count_nodes(m, f), m.flex_nodeadr[f]
    size = 3 * count
    adr = m.flex_stiffnessadr[f] + cell * size * size
    if not lane_any(zero_like(d.qpos) + m.flex_stiffness[adr] != 0.0):
        return
    # displacements and velocities in the frame of the cell
    quat = frame_of(m, d, f, cell)
    shift_nodes(m, d, f, cell, quat)
    for k in range(count):
        node = first + cell_node(m, f, cell, k)
        store(d.flexcell_vel, k, rotate(load3(d.flexnode_vel, node), quat))
    # forces, turned back
    back = (quat[0], -quat[1], -quat[2], -quat[3])
    damped = lane_any(zero_like(d.qpos) + m.flex_damping[f] != 0.0)
    for k in range(count):
        node, row = first + cell_node(m, f, cell, k), adr + 3 * k * size
        spring = stiffness_times(m, d.flexcell_shift, row, size)
        add_block(d.flexnode_spring, node, rotate(spring, back))
        if damped:
            damper = stiffness_times(m, d.flexcell_vel, row, size)
            add_block(d.flexnode_damper, node, rotate(damper, back))


@kernel
def stiffness_times(m, vector, row, size):
    """Product of three rows of a stiffness with a vector over the nodes of a cell."""
    zero = zero_like(vector)
    x, y, z = zero, zero, zero
    for column in range(size):
        value, at = vector[column], row + column
        x = fma(m.flex_stiffness[at], value, x)
        y = fma(m.flex_stiffness[at + size], value, y)
        z = fma(m.flex_stiffness[at + 2 * size], value, z)
    return x, y, z


@kernel
def shift_nodes(m, d, f, cell, quat):
    """Displacements of the nodes of a cell, in its own frame."""
    first = m.flex_nodeadr[f]
    for k in range(count_nodes(m, f)):
        node = first + cell_node(m, f, cell, k)
        at_rest = load3(m.flex_node0, node)
        store(d.flexcell_shift, k, sub3(rotate(load3(d.flexnode_pos, node), quat), at_rest))


@kernel
def push_nodes(m, d, f, springs, dampers):
    """Add forces at nodes to those of dofs."""
    zero = zero_like(d.qvel)
    none = (zero, zero, zero)
    first = m.flex_nodeadr[f]
    for n in range(first, first + m.flex_nodenum[f]):
        body, point = m.flex_nodebodyid[n], load3(d.flexnode_pos, n)
        spring = load3(d.flexnode_spring, n)
        damper = scale3(load3(d.flexnode_damper, n), m.flex_damping[f])
        if m.flexnode_own[n]:
            dof = m.body_dofadr[body]
            for x in range(3):
                if springs:
                    d.qfrc_spring[dof + x] = d.qfrc_spring[dof + x] + spring[x]
                if dampers:
                    d.qfrc_damper[dof + x] = d.qfrc_damper[dof + x] + damper[x]
        else:
            if springs:
                apply_ft(m, d, d.qfrc_spring, body, point, spring, none)
            if dampers:
                apply_ft(m, d, d.qfrc_damper, body, point, damper, none)


@kernel
def bend_cells(m, d, f):
    """Add the forces of the angles between neighbouring cells of a shell to those of its nodes.

    The angle is that of the normals in the middle of the edge between two cells.
    """
    adr = m.flex_bendingadr[f]
    for e in range(m.flexbend_cell[adr]):
        at = adr + 1 + EDGE_NUMBERS * e
        cell1, cell2 = m.flexbend_cell[at], m.flexbend_cell[at + 1]
        stiffness = m.flex_bending[at + 6] + zero_like(d.qpos)
        if lane_any(stiffness != 0.0):
            bend_edge(m, d, f, at, cell1, cell2, stiffness)


@kernel
def bend_edge(m, d, f, at, cell1, cell2, stiffness):
    """Add the forces of one edge between two cells."""
    zero = zero_like(d.qpos)
    slow1, fast1 = m.flex_bending[at + 2] + zero, m.flex_bending[at + 3] + zero
    slow2, fast2 = m.flex_bending[at + 4] + zero, m.flex_bending[at + 5] + zero
    rest = (m.flex_bending[at + 7], m.flex_bending[at + 8], m.flex_bending[at + 9])
    # normals
    one1, two1 = tangents(m, d, f, cell1, slow1, fast1)
    one2, two2 = tangents(m, d, f, cell2, slow2, fast2)
    normal1, normal2 = cross(one1, two1), cross(one2, two2)
    length1, length2 = sqrt(dot3(normal1, normal1)), sqrt(dot3(normal2, normal2))
    flat = (length1 < MINVAL) | (length2 < MINVAL)
    share1 = 1.0 / select(flat, zero + 1.0, length1)
    share2 = 1.0 / select(flat, zero + 1.0, length2)
    normal1, normal2 = scale3(normal1, share1), scale3(normal2, share2)
    # what their difference is more than at rest, in a frame that turns with both cells
    q1, q2 = frame_of(m, d, f, cell1), frame_of(m, d, f, cell2)
    same = q1[0] * q2[0] + q1[1] * q2[1] + q1[2] * q2[2] + q1[3] * q2[3]
    sign = select(same < 0.0, zero - 1.0, zero + 1.0)
    q = normalize4((
        q1[0] + sign * q2[0], q1[1] + sign * q2[1], q1[2] + sign * q2[2], q1[3] + sign * q2[3],
    ))  # fmt: skip
    turned = rotate((rest[0] + zero, rest[1] + zero, rest[2] + zero), (q[0], -q[1], -q[2], -q[3]))
    excess = sub3(sub3(normal1, normal2), turned)
    scale = select(flat, zero, stiffness)
    bend_nodes(m, d, f, cell1, slow1, fast1, one1, two1, normal1, excess, scale * share1)
    bend_nodes(m, d, f, cell2, slow2, fast2, one2, two2, normal2, excess, zero - scale * share2)


@kernel
def bend_nodes(m, d, f, cell, slow, fast, one, two, normal, excess, scale):
    """Forces at the nodes of a cell whose normal turns against an excess."""
    order = order_of(m, f)
    n, first = order + 1, m.flex_nodeadr[f]
    across = sub3(excess, scale3(normal, dot3(normal, excess)))
    with_two, with_one = cross(across, two), cross(across, one)
    for k in range(n * n):
        i, j = k // n, k % n
        g0 = slope(slow, i, order) * basis(fast, j, order)
        g1 = basis(slow, i, order) * slope(fast, j, order)
        force = scale3(sub3(scale3(with_two, g0), scale3(with_one, g1)), scale)
        add_block(d.flexnode_spring, first + cell_node(m, f, cell, k), force)
