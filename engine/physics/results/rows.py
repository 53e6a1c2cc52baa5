"""Forces and velocities of constraint rows that were made by themselves."""

from ...simd.kernel import kernel
from ...simd.lanes import get_lane, set_lane, zero_like
from ...tables.enums import COUNT_BLOCK, COUNT_ROW, STATE_CONE, STATE_QUADRATIC
from ..constraint.jacobian import block_rows
from ..solver.cone import MIDDLE


@kernel
def clear_forces(m, d):
    """No forces of constraint rows yet: those of the rows before have no meaning.

    Reads: count.
    Writes: row_force, row_active, row_jar.
    """
    zero = zero_like(d.qvel)
    for row in range(d.count[COUNT_ROW]):
        d.row_force[row] = zero
        d.row_active[row] = zero
        d.row_jar[row] = zero


@kernel
def clear_motion(m, d):
    """No velocities and reference accelerations of constraint rows yet.

    Reads: count.
    Writes: row_vel, row_aref.
    """
    zero = zero_like(d.qvel)
    for row in range(d.count[COUNT_ROW]):
        d.row_vel[row] = zero
        d.row_aref[row] = zero


@kernel
def take_forces(m, d):
    """Forces of constraint rows as they were listed, for rows that were made once more.

    Reads: block_*, count, efc_force, efc_state.
    Writes: row_force, row_active.
    """
    for lane in range(m.width):
        row = 0
        for b in range(d.count[COUNT_BLOCK]):
            if get_lane(d.block_D, b, lane) > 0.0:
                for source in range(d.block_row[b], d.block_row[b] + block_rows(d, b)):
                    set_lane(d.row_force, source, lane, get_lane(d.efc_force, row, lane))
                    state = int(get_lane(d.efc_state, row, lane))
                    active = MIDDLE if state == STATE_CONE else 0.0
                    set_lane(
                        d.row_active, source, lane, 1.0 if state == STATE_QUADRATIC else active
                    )
                    row += 1
