"""Contacts of passive deformables: springs instead of constraints."""

from ...simd.kernel import kernel
from ...simd.lanes import load3, load6
from ...simd.spatial import add3, cross, dot3, sub3
from ...tables.enums import COUNT_CAND, DSBL_DAMPER, DSBL_SPRING
from ..collision.own_contacts import own_place
from .candidates import flex_contact_of, is_spring
from .own_contacts import weigh_own

STIFFNESS = 1e4  # of a contact (N/m)


@kernel
def push_passive(m, d):
    """Forces of passive contacts, in proportion to the distance.

    Reads: con_dist, con_pos, con_frame, moved_*, cdof, subtree_com, flexvert_xpos, qfrc_damper.
    Writes: moved_*, qfrc_spring, qfrc_passive (N, N m).
    """
    flags = m.opt_disableflags[0]
    if flags & DSBL_SPRING and flags & DSBL_DAMPER:
        return
    for cand in range(d.count[COUNT_CAND]):
        if is_spring(m, d, cand):
            slot, t = d.cand_slotadr[cand], flex_contact_of(m, d, cand)
            force = -STIFFNESS * d.con_dist[slot]
            if own_place(m, d, cand) >= 0:
                weigh_own(m, d, cand, slot)
            for i in range(t * m.nfconpart, t * m.nfconpart + d.moved_num[t]):
                push_body(m, d, slot, d.moved_body[i], force * d.moved_weight[i])
    for dof in range(m.nv):
        d.qfrc_passive[dof] = d.qfrc_spring[dof] + d.qfrc_damper[dof]


@kernel
def push_body(m, d, slot, body, force):
    """Push a body along the normal of a contact."""
    pos, normal = load3(d.con_pos, slot), load3(d.con_frame, 3 * slot)
    offset, dof = sub3(pos, load3(d.subtree_com, m.body_rootid[body])), m.body_lastdof[body]
    while dof >= 0:
        axis = load6(d.cdof, dof)
        move = add3((axis[3], axis[4], axis[5]), cross((axis[0], axis[1], axis[2]), offset))
        d.qfrc_spring[dof] = d.qfrc_spring[dof] + force * dot3(move, normal)
        dof = m.dof_parentid[dof]
