"""The first constraint row of each tendon, as MuJoCo lists it."""

from ...simd.kernel import kernel
from ...simd.lanes import get_lane, set_lane
from ...tables.enums import (
    CNSTR_FRICTION_TENDON,
    CNSTR_LIMIT_TENDON,
    COUNT_BLOCK,
    DSBL_CONSTRAINT,
    DSBL_EQUALITY,
    EQ_TENDON,
)
from ..constraint.jacobian import block_rows


@kernel
def export_tendon_rows(m, d):
    """First row of each tendon; -1: none.

    As in MuJoCo, a tendon that an equality constraint couples has the index of the constraint. One
    whose rows are left out because nothing moves it has none, where MuJoCo has the next row.

    Reads: eq_active, block_type, block_id, block_D.
    Writes: tendon_efcadr.
    """
    coupled = not m.opt_disableflags[0] & (DSBL_CONSTRAINT | DSBL_EQUALITY)
    for lane in range(m.width):
        for ten in range(m.ntendon):
            set_lane(d.tendon_efcadr, ten, lane, -1.0)
        for eq in range(m.neq if coupled else 0):
            if m.eq_type[eq] == EQ_TENDON and get_lane(d.eq_active, eq, lane) > 0.0:
                put_row(d, m.eq_obj1id[eq], eq, lane)
                put_row(d, m.eq_obj2id[eq], eq, lane)
        row = 0
        for b in range(d.count[COUNT_BLOCK]):
            if get_lane(d.block_D, b, lane) > 0.0:
                kind = d.block_type[b]
                if kind == CNSTR_FRICTION_TENDON or kind == CNSTR_LIMIT_TENDON:
                    put_row(d, d.block_id[b], row, lane)
                row += block_rows(d, b)


@kernel
def put_row(d, ten, row, lane):
    """Note a row of a tendon (-1: none) in one world, unless it has an earlier one."""
    if ten >= 0 and get_lane(d.tendon_efcadr, ten, lane) < 0.0:
        set_lane(d.tendon_efcadr, ten, lane, 1.0 * row)
