"""Frames that turn with the cells of deformables: rotations nearest to their deformations.

Mueller, Bender, Chentanez, Macklin: A robust method to extract the rotational part of deformations,
2016.
"""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, lane_any, select, store, zero_like
from ...simd.spatial import (
    add3,
    axis_angle_quat,
    cross,
    dot3,
    mul_quat,
    normalize3,
    normalize4,
    quat_mat,
    scale3,
)
from ...tables.enums import MINVAL
from .cells import axis_across, count_cells, count_nodes, deformation, tangents

TURNS, STILL = 500, 1e-9  # of the search for a rotation: most steps, and the angle that ends it


@kernel
def turn_cells(m, d):
    """Frames of all cells that are elastic.

    Reads: flexnode_pos.
    Writes: flexcell_quat.
    """
    for f in range(m.nflex):
        if m.flex_interp[f]:
            turn_flex(m, d, f)


@kernel
def turn_flex(m, d, f):
    """Frames of the cells of one deformable."""
    for cell in range(count_cells(m, f)):
        if is_elastic(m, d, f, cell):
            one, two, three = columns(m, d, f, cell)
            w, x, y, z = rotation_of(one, two, three)
            store(d.flexcell_quat, m.flex_frameadr[f] + cell, (w, -x, -y, -z))


@kernel
def is_elastic(m, d, f, cell):
    """True if a cell is one of a shell, or has a stiffness or constrained strains."""
    if m.flex_interp[f] < 0:
        return True
    if m.flex_stiffnessadr[f] < 0:
        return False
    size = 3 * count_nodes(m, f)
    adr = m.flex_stiffnessadr[f] + cell * size * size
    return lane_any(zero_like(d.qpos) + m.flex_stiffness[adr] != 0.0)


@kernel
def columns(m, d, f, cell):
    """Columns of the deformation gradient in the middle of a cell; of a shell, one is normal."""
    if m.flex_interp[f] > 0:
        return deformation(m, d, f, cell)
    half = zero_like(d.qpos) + 0.5
    slow, fast = tangents(m, d, f, cell, half, half)
    across, axis = cross(slow, fast), axis_across(m, f, cell)
    if axis == 0:
        return across, slow, fast
    if axis == 1:
        return fast, across, slow
    return slow, fast, across


@kernel
def rotation_of(one, two, three):
    """Rotation nearest to a matrix with these columns, as a quaternion."""
    zero = 0.0 * one[0]
    quat = (zero + 1.0, zero, zero, zero)
    turning = zero < 1.0
    step = 0
    while step < TURNS and lane_any(turning):
        r = quat_mat(quat)
        a, b, c = (r[0], r[3], r[6]), (r[1], r[4], r[7]), (r[2], r[5], r[8])
        omega = add3(add3(cross(a, one), cross(b, two)), cross(c, three))
        size = absolute(dot3(a, one) + dot3(b, two) + dot3(c, three)) + MINVAL
        axis, angle = normalize3(scale3(omega, 1.0 / size))
        turning = turning & (angle >= STILL)
        turned = normalize4(mul_quat(axis_angle_quat(axis, angle), quat))
        quat = (
            select(turning, turned[0], quat[0]),
            select(turning, turned[1], quat[1]),
            select(turning, turned[2], quat[2]),
            select(turning, turned[3], quat[3]),
        )
        step += 1
    return quat
