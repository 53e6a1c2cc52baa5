"""Reference acceleration of friction, where a contact pair has parameters of its own for it."""

from ...simd.kernel import kernel
from ...simd.lanes import lane_any, select, zero_like
from ...tables.enums import CNSTR_CONTACT_ELLIPTIC, COUNT_BLOCK, COUNT_CONE
from ..collision.contact import contact_parameters, pair_solreffriction
from .impedance import response_of


@kernel
def set_friction_reference(m, d):
    """Damping of the tangential rows of contacts with elliptic cones.

    MuJoCo's documentation, XML reference, pair/solreffriction: zeros mean the parameters of the
    normal.

    Reads: row_vel.
    Writes: block_frictionref, row_aref.
    """
    for b in range(d.count[COUNT_CONE], d.count[COUNT_BLOCK]):
        if d.block_type[b] == CNSTR_CONTACT_ELLIPTIC:
            pair = d.slot_cand[d.block_id[b]]
            if d.cand_predefined[pair] >= 0:
                friction_reference_block(m, d, b, pair)


@kernel
def friction_reference_block(m, d, b, pair):
    """Damping of one block."""
    zero = zero_like(d.qpos)
    first, second = pair_solreffriction(m, d, pair)
    first, second = first + zero, second + zero
    # two signs mean a mistake, which MuJoCo mends like zeros
    positive1, positive2 = first > 0.0, second > 0.0
    given = (positive1 & positive2) | ((first <= 0.0) & (second <= 0.0))
    given = given & ((first != 0.0) | (second != 0.0))
    if not lane_any(given):
        return
    _, solref, solimp = contact_parameters(m, d, pair)
    solref = (select(given, first, solref[0] + zero), select(given, second, solref[1] + zero))
    _, damping, _, _ = response_of(m, zero, solref, solimp, zero)
    d.block_frictionref[b] = select(given, damping, d.block_frictionref[b])
    row = d.block_row[b]
    for k in range(row + 1, row + d.block_dim[b]):
        d.row_aref[k] = -d.block_frictionref[b] * d.row_vel[k]
