"""Constraint rows of contacts of deformables, on the bodies of `weigh_flex_contacts`."""

from ...simd.kernel import kernel, named, replaced
from ...simd.lanes import load3, load6, zero_like
from ...simd.spatial import add3, cross, dot3, sub3
from ..collision.own_contacts import own_place
from ..constraint.blocks import (
    contact_block,
    contact_jacobian,
    make_constraint,
    pair_weight,
    tie_trees,
    touch_tree,
)
from ..constraint.friction_reference import set_friction_reference
from .candidates import flex_contact_of, is_flex_contact, is_passive
from .own_contacts import enter_own
from .sides import SIDES


@kernel
def tie_all_trees(m, d, cand, on):
    """Note that the trees of a candidate are constrained."""
    if not is_flex_contact(d, cand):
        tie_trees(m, d, cand, on)
        return
    t = flex_contact_of(m, d, cand)
    for i in range(t * m.nfconpart, t * m.nfconpart + d.moved_num[t]):
        touch_tree(d, m.body_treeid[d.moved_body[i]], on)


@kernel
def weight_of(m, d, cand):
    """Approximate inverse inertia of both sides of a candidate."""
    return (
        d.moved_inertia[flex_contact_of(m, d, cand)]
        if is_flex_contact(d, cand)
        else pair_weight(m, d, cand)
    )


@kernel
def jacobian_of(m, d, b, slot, cand, dim):
    """Jacobian of a contact in its frame; see `contact_jacobian`."""
    if not is_flex_contact(d, cand):
        contact_jacobian(m, d, b, slot, cand, dim)
        return
    n, adr, t = d.block_chainnum[b], d.block_adr[b], flex_contact_of(m, d, cand)
    for x in range(dim * n):
        d.block_jac[adr + x] = zero_like(d.qpos)
    for i in range(t * m.nfconpart, t * m.nfconpart + d.moved_num[t]):
        add_part(m, d, b, slot, dim, d.moved_body[i], d.moved_weight[i])


@kernel
def add_part(m, d, b, slot, dim, body, weight):
    """Add what the dofs of one body do to a contact, times its weight."""
    offset = sub3(load3(d.con_pos, slot), load3(d.subtree_com, m.body_rootid[body]))
    chainadr, n, adr = d.block_chainadr[b], d.block_chainnum[b], d.block_adr[b]
    normal, side, other = (
        load3(d.con_frame, 3 * slot),
        load3(d.con_frame, 3 * slot + 1),
        load3(d.con_frame, 3 * slot + 2),
    )
    dof, x = m.body_lastdof[body], adr + n - 1
    while dof >= 0:
        # its place in the chain; dofs behind it move both sides
        while x >= adr and d.chain_dof[chainadr + x - adr] != dof:
            x -= 1
        if x < adr:
            return
        axis = load6(d.cdof, dof)
        turn, shift = (axis[0], axis[1], axis[2]), (axis[3], axis[4], axis[5])
        move = add3(shift, cross(turn, offset))
        # in the contact frame, as far as condim goes
        d.block_jac[x] = d.block_jac[x] + weight * dot3(move, normal)
        if dim > 1:
            d.block_jac[x + n] = d.block_jac[x + n] + weight * dot3(move, side)
            d.block_jac[x + 2 * n] = d.block_jac[x + 2 * n] + weight * dot3(move, other)
        if dim > 3:
            d.block_jac[x + 3 * n] = d.block_jac[x + 3 * n] + weight * dot3(turn, normal)
        if dim > 4:
            d.block_jac[x + 4 * n] = d.block_jac[x + 4 * n] + weight * dot3(turn, side)
            d.block_jac[x + 5 * n] = d.block_jac[x + 5 * n] + weight * dot3(turn, other)
        dof = m.dof_parentid[dof]


block_of_sides = replaced(
    contact_block,
    {
        **SIDES,
        tie_trees: tie_all_trees,
        pair_weight: weight_of,
        contact_jacobian: jacobian_of,
    },
)


@kernel
def block_of(m, d, slot):
    """Block of one contact; passive ones have none."""
    cand = d.slot_cand[slot]
    if own_place(m, d, cand) >= 0 and is_flex_contact(d, cand):
        enter_own(m, d, cand, slot)
    if not is_passive(m, d, cand):
        block_of_sides(m, d, slot)


set_flex_friction_reference = named(
    globals(), "set_flex_friction_reference", replaced(set_friction_reference, SIDES)
)
make_flex_contact_constraint = named(
    globals(),
    "make_flex_contact_constraint",
    replaced(make_constraint, {contact_block: block_of}),
)
make_flex_contact_constraint.__doc__ = (
    (make_constraint.__doc__ or "")
    .replace("Reads: ", "Reads: flexvert_xpos, ")
    .replace("Writes: ", "Writes: cand_chainnum, cand_coupled, chain_*, moved_*, ")
)
