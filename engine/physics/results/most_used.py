"""The most contacts and constraint rows of a step so far, which tell how large lists have to be."""

from ...simd.kernel import kernel
from ...simd.lanes import select, zero_like
from ...tables.enums import COUNT_BLOCK, COUNT_SLOT, DSBL_CONSTRAINT
from ..collision.contact import next_contact
from ..constraint.jacobian import block_rows


@kernel
def count_most_used(m, d):
    """The most contacts and constraint rows of a step so far (mj_makeConstraint, at its end).

    Reads: count, con_any, con_on, block_D, block_dim, block_type.
    Writes: maxuse_con, maxuse_efc.
    """
    if m.opt_disableflags[0] & DSBL_CONSTRAINT:
        return
    ncon = nefc = zero_like(d.qpos)
    slot = next_contact(d, 0)
    while slot < d.count[COUNT_SLOT]:
        ncon = ncon + select(d.con_on[slot] > 0.0, 1.0, 0.0)
        slot = next_contact(d, slot + 1)
    for b in range(d.count[COUNT_BLOCK]):
        nefc = nefc + select(d.block_D[b] > 0.0, 1.0 * block_rows(d, b), 0.0)
    d.maxuse_con[0] = select(ncon > d.maxuse_con[0], ncon, d.maxuse_con[0])
    d.maxuse_efc[0] = select(nefc > d.maxuse_efc[0], nefc, d.maxuse_efc[0])
