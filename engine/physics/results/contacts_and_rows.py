"""Contacts and constraint rows of each world, as MuJoCo lists them, out of the union of a pack.

These stages work lane by lane: the k-th contact of a world is the k-th used slot of its lane, and
its rows follow the order of the blocks. They run once, after the last step, and only when one of
their fields is kept.
"""

from ...simd.kernel import kernel
from ...simd.lanes import get_lane, set_lane, sqrt, zero_like
from ...tables.enums import (
    CNSTR_CONTACT_ELLIPTIC,
    CNSTR_CONTACT_FRICTIONLESS,
    CNSTR_CONTACT_PYRAMIDAL,
    CNSTR_EQUALITY,
    CNSTR_FRICTION_DOF,
    CNSTR_FRICTION_TENDON,
    COUNT_BLOCK,
    COUNT_SLOT,
    STATE_CONE,
    STATE_LINEARNEG,
    STATE_LINEARPOS,
    STATE_QUADRATIC,
    STATE_SATISFIED,
)
from ..capacity import CAPACITY_CONTACT, CAPACITY_EFC, CAPACITY_J
from ..collision.contact import (
    contact_parameters,
    include_margin,
    next_contact,
    pair_solreffriction,
)
from ..collision.own_contacts import (
    ADDRESS,
    ELEM,
    EXCLUDE,
    FLEX,
    GEOM,
    HESSIAN,
    MU,
    VERT,
    own_place,
)
from ..constraint.jacobian import block_rows, mul_jac, row_stiffness
from ..solver.cone import MIDDLE
from .list_ends import (
    LISTED_CONTACTS,
    LISTED_ENTRIES,
    LISTED_ROWS,
    LISTED_SPARSE_ENTRIES,
    LISTED_SPARSE_ROWS,
    clear_element,
    new_end,
)


@kernel
def export_contact(m, d):
    """Contacts of each world.

    Reads: con_*, block_*, row_jar, row_active, row_D.
    Writes: ncon, contact_* (mjContact), export_num, listed.
    """
    width = m.width
    d.ncon[0] = zero_like(d.qvel)
    slot = next_contact(d, 0)
    while slot < d.count[COUNT_SLOT]:
        note_parameters(m, d, d.slot_cand[slot])
        # append the contact to the lists of the worlds that have it
        for lane in range(width):
            if get_lane(d.con_on, slot, lane) > 0.0:
                export_slot(m, d, slot, lane)
        slot = next_contact(d, slot + 1)
    for lane in range(width):
        clear_contacts(d, int(get_lane(d.ncon, 0, lane)), lane)
    number_contacts(m, d)


@kernel
def note_parameters(m, d, pair):
    """Keep the parameters of the contacts of a pair for `export_slot`."""
    d.export_num[0] = include_margin(m, d, pair) + zero_like(d.qvel)
    friction, solref, solimp = contact_parameters(m, d, pair)
    for k in range(5):
        d.export_num[1 + k] = friction[k] + zero_like(d.qvel)
        d.export_num[8 + k] = solimp[k] + zero_like(d.qvel)
    solreffriction = pair_solreffriction(m, d, pair)
    d.export_num[13] = solreffriction[0] + zero_like(d.qvel)
    d.export_num[14] = solreffriction[1] + zero_like(d.qvel)
    d.export_num[6] = solref[0] + zero_like(d.qvel)
    d.export_num[7] = solref[1] + zero_like(d.qvel)


@kernel
def clear_contacts(d, n, lane):
    """Zeros behind the n contacts of one world, where an earlier call has listed more."""
    for c in range(n, new_end(d, LISTED_CONTACTS, n, lane)):
        clear_element(d.contact_dist, c, 1, lane)
        clear_element(d.contact_pos, c, 3, lane)
        clear_element(d.contact_frame, c, 9, lane)
        clear_element(d.contact_includemargin, c, 1, lane)
        clear_element(d.contact_friction, c, 5, lane)
        clear_element(d.contact_solref, c, 2, lane)
        clear_element(d.contact_solreffriction, c, 2, lane)
        clear_element(d.contact_solimp, c, 5, lane)
        clear_element(d.contact_mu, c, 1, lane)
        clear_element(d.contact_H, c, 36, lane)
        clear_element(d.contact_dim, c, 1, lane)
        clear_element(d.contact_geom1, c, 1, lane)
        clear_element(d.contact_geom2, c, 1, lane)
        clear_element(d.contact_geom, c, 2, lane)
        clear_element(d.contact_flex, c, 2, lane)
        clear_element(d.contact_elem, c, 2, lane)
        clear_element(d.contact_vert, c, 2, lane)
        clear_element(d.contact_exclude, c, 1, lane)
        clear_element(d.contact_efc_address, c, 1, lane)


@kernel
def export_slot(m, d, slot, lane):
    """Append the contact of one slot to the list of one world."""
    # next place in the list
    c = int(get_lane(d.ncon, 0, lane))
    set_lane(d.ncon, 0, lane, c + 1.0)
    dist = get_lane(d.con_dist, slot, lane)
    set_lane(d.contact_dist, c, lane, dist)
    for k in range(3):
        set_lane(d.contact_pos, 3 * c + k, lane, get_lane(d.con_pos, 3 * slot + k, lane))
    for k in range(9):
        set_lane(d.contact_frame, 9 * c + k, lane, get_lane(d.con_frame, 9 * slot + k, lane))
    # parameters, which export_contact has left in export_num
    margin = get_lane(d.export_num, 0, lane)
    set_lane(d.contact_includemargin, c, lane, margin)
    for k in range(5):
        set_lane(d.contact_friction, 5 * c + k, lane, get_lane(d.export_num, 1 + k, lane))
        set_lane(d.contact_solimp, 5 * c + k, lane, get_lane(d.export_num, 8 + k, lane))
    for k in range(2):
        set_lane(d.contact_solref, 2 * c + k, lane, get_lane(d.export_num, 6 + k, lane))
        set_lane(d.contact_solreffriction, 2 * c + k, lane, get_lane(d.export_num, 13 + k, lane))
        list_side(m, d, c, lane, d.slot_cand[slot], k)
    # H and mu are filled in with the rows; dim and geoms
    for k in range(36):
        set_lane(d.contact_H, 36 * c + k, lane, 0.0)
    set_lane(d.contact_mu, c, lane, 0.0)
    set_lane(d.contact_dim, c, lane, 1.0 * d.slot_dim[slot])
    set_lane(d.contact_geom1, c, lane, get_lane(d.contact_geom, 2 * c, lane))
    set_lane(d.contact_geom2, c, lane, get_lane(d.contact_geom, 2 * c + 1, lane))
    set_lane(d.contact_exclude, c, lane, exclusion(m, d, slot, dist, margin))
    set_lane(d.contact_efc_address, c, lane, -1.0)
    own = own_place(m, d, d.slot_cand[slot])
    if own >= 0:
        export_own(d, own, c, lane)


@kernel
def export_own(d, own, c, lane):
    """What only users say of a contact, and what it has as long as there are no rows."""
    for k in range(36):
        set_lane(d.contact_H, 36 * c + k, lane, d.own_value[own + HESSIAN + k])
    for k in range(2):
        set_lane(d.contact_flex, 2 * c + k, lane, d.own_value[own + FLEX + k])
        set_lane(d.contact_elem, 2 * c + k, lane, d.own_value[own + ELEM + k])
        set_lane(d.contact_vert, 2 * c + k, lane, d.own_value[own + VERT + k])
    set_lane(d.contact_mu, c, lane, d.own_value[own + MU])
    set_lane(d.contact_geom1, c, lane, d.own_value[own + GEOM])
    set_lane(d.contact_geom2, c, lane, d.own_value[own + GEOM + 1])
    set_lane(d.contact_efc_address, c, lane, d.own_value[own + ADDRESS])


@kernel
def exclusion(m, d, slot, dist, margin):
    """Why a contact has no rows, if so; 1: in the gap, without constraint; 3: nothing to move."""
    own = own_place(m, d, d.slot_cand[slot])
    if own >= 0:
        return d.own_value[own + EXCLUDE]
    return 1.0 if dist >= margin else (3.0 if d.cand_chainnum[d.slot_cand[slot]] == 0 else 0.0)


@kernel
def list_side(m, d, c, lane, pair, side):
    """Enter what touches at one side of contact c of a world."""
    geom = d.cand_geom1[pair] if side == 0 else d.cand_geom2[pair]
    set_lane(d.contact_geom, 2 * c + side, lane, 1.0 * geom)
    # no flexes
    set_lane(d.contact_flex, 2 * c + side, lane, -1.0)
    set_lane(d.contact_elem, 2 * c + side, lane, -1.0)
    set_lane(d.contact_vert, 2 * c + side, lane, -1.0)


@kernel
def number_contacts(m, d):
    """Row addresses, regularized friction and cone Hessian of the contacts that have rows."""
    for lane in range(m.width):
        row = contact = 0
        previous = -1
        for b in range(d.count[COUNT_BLOCK]):
            on = get_lane(d.block_D, b, lane) > 0.0
            if d.block_type[b] >= CNSTR_CONTACT_FRICTIONLESS:
                contact += contacts_between(d, previous + 1, d.block_id[b], lane)
                previous = d.block_id[b]
                if on:
                    set_lane(d.contact_efc_address, contact, lane, 1.0 * row)
                    if d.block_dim[b] > 1:
                        set_lane(d.contact_mu, contact, lane, get_lane(d.block_cone, b, lane))
                        export_cone(d, b, contact, lane)
                if get_lane(d.con_on, previous, lane) > 0.0:
                    contact += 1
            if on:
                row += block_rows(d, b)


@kernel
def export_cone(d, b, contact, lane):
    """Hessian of a contact's cost over its rows, where these depend on each other (middle zone)."""
    dim, row = d.block_dim[b], d.block_row[b]
    if get_lane(d.row_active, row, lane) != MIDDLE:
        return
    mu = get_lane(d.block_cone, b, lane)
    square = 0.0
    for k in range(1, dim):
        t = get_lane(d.block_mu, 5 * b + k - 1, lane) * get_lane(d.row_jar, row + k, lane)
        square = square + t * t
    side = sqrt(square)
    slope = mu * mu * get_lane(d.row_jar, row, lane) / side
    stiff = get_lane(d.row_D, row, lane) / (mu * mu * (1.0 + mu * mu))
    for j in range(dim):
        for k in range(dim):
            # along the slip t / |t|, across it, and between each of them and the normal
            along = cone_slip(d, b, j, lane, side) * cone_slip(d, b, k, lane, side)
            value = along if j == 0 and k == 0 else -mu * along
            if j > 0 and k > 0:
                value = slope * along + (mu * mu - slope if j == k else 0.0)
            scale = cone_scale(d, b, j, lane) * cone_scale(d, b, k, lane)
            set_lane(d.contact_H, 36 * contact + dim * j + k, lane, stiff * scale * value)


@kernel
def cone_scale(d, b, k, lane):
    """Factor from row k of a contact to the regular cone: mu, then the friction coefficients."""
    return get_lane(d.block_mu, 5 * b + k - 1, lane) if k > 0 else get_lane(d.block_cone, b, lane)


@kernel
def cone_slip(d, b, k, lane, side):
    """Component k of the direction of slip in the regular cone; 1 for the normal."""
    row = d.block_row[b]
    return cone_scale(d, b, k, lane) * get_lane(d.row_jar, row + k, lane) / side if k > 0 else 1.0


@kernel
def export_constraint(m, d):
    """Constraint rows of each world, Jacobian dense or row by row over the dofs of its chain.

    Reads: block_*, row_*, qacc_smooth.
    Writes: ne, nf, nl, nefc, nJ, efc_*, row_jv, export_num, listed.
    """
    # cost terms at the unconstrained acceleration; row_jv is free after the solver
    mul_jac(m, d, d.row_jv, d.qacc_smooth)
    for lane in range(m.width):
        export_lane(m, d, lane)


@kernel
def export_lane(m, d, lane):
    """Constraint rows of one world."""
    ne = nf = nl = row = entry = contact = 0
    previous = -1
    for b in range(d.count[COUNT_BLOCK]):
        kind, ident = d.block_type[b], d.block_id[b]
        # id of a contact: its place in the list of this world
        if kind >= CNSTR_CONTACT_FRICTIONLESS:
            contact += contacts_between(d, previous + 1, ident, lane)
            previous, ident = ident, contact
            contact += contacts_between(d, previous, previous + 1, lane)
        if get_lane(d.block_D, b, lane) > 0.0:
            # count rows of equalities, friction and limits
            nrow = block_rows(d, b)
            if kind == CNSTR_EQUALITY:
                ne += nrow
            elif kind <= CNSTR_FRICTION_TENDON:
                nf += nrow
            elif kind < CNSTR_CONTACT_FRICTIONLESS:
                nl += nrow
            # rows and their Jacobian
            for edge in range(nrow):
                set_lane(d.efc_id, row, lane, 1.0 * ident)
                export_row(m, d, lane, b, edge, row)
                entry += export_jacobian(m, d, lane, b, edge, entry)
                row += 1
    # sizes, and zeros behind the rows
    set_lane(d.ne, 0, lane, 1.0 * ne)
    set_lane(d.nf, 0, lane, 1.0 * nf)
    set_lane(d.nl, 0, lane, 1.0 * nl)
    set_lane(d.nefc, 0, lane, 1.0 * row)
    set_lane(d.nJ, 0, lane, 1.0 * entry)
    clear_rows(d, row, lane)
    for k in range(entry, new_end(d, LISTED_ENTRIES, entry, lane)):
        clear_element(d.efc_J, k, 1, lane)


@kernel
def clear_rows(d, n, lane):
    """Zeros behind the n constraint rows of one world."""
    for row in range(n, new_end(d, LISTED_ROWS, n, lane)):
        clear_element(d.efc_type, row, 1, lane)
        clear_element(d.efc_id, row, 1, lane)
        clear_element(d.efc_pos, row, 1, lane)
        clear_element(d.efc_margin, row, 1, lane)
        clear_element(d.efc_frictionloss, row, 1, lane)
        clear_element(d.efc_diagApprox, row, 1, lane)
        clear_element(d.efc_KBIP, row, 4, lane)
        clear_element(d.efc_D, row, 1, lane)
        clear_element(d.efc_R, row, 1, lane)
        clear_element(d.efc_vel, row, 1, lane)
        clear_element(d.efc_aref, row, 1, lane)
        clear_element(d.efc_b, row, 1, lane)
        clear_element(d.efc_state, row, 1, lane)
        clear_element(d.efc_force, row, 1, lane)


@kernel
def contacts_between(d, first, end, lane):
    """Number of contacts of one world in a range of slots."""
    n, slot = 0, next_contact(d, first)
    while slot < end:
        if get_lane(d.con_on, slot, lane) > 0.0:
            n += 1
        slot = next_contact(d, slot + 1)
    return n


@kernel
def export_row(m, d, lane, b, edge, row):
    """One row of one world."""
    # type, and what the row has of its block
    source = d.block_row[b] + edge
    set_lane(d.efc_type, row, lane, 1.0 * d.block_type[b])
    friction = get_lane(d.block_floss, b, lane) if is_friction(d, b) else 0.0
    # tangents of an elliptic cone have no position to return to
    on = 0.0 if edge > 0 and d.block_type[b] == CNSTR_CONTACT_ELLIPTIC else 1.0
    # regularization: R, D, diagApprox
    d.export_num[0] = row_stiffness(m, d, b, edge)
    stiffer = get_lane(d.export_num, 0, lane)
    weight, imp = get_lane(d.block_D, b, lane), get_lane(d.block_I, b, lane)
    soft = get_lane(d.block_R, b, lane) / stiffer
    set_lane(d.efc_pos, row, lane, on * get_lane(d.block_pos, b, lane))
    set_lane(d.efc_margin, row, lane, on * get_lane(d.block_margin, b, lane))
    set_lane(d.efc_frictionloss, row, lane, friction)
    set_lane(d.efc_D, row, lane, weight * stiffer)
    set_lane(d.efc_R, row, lane, soft)
    set_lane(d.efc_diagApprox, row, lane, soft * imp / (1.0 - imp))
    # stiffness, damping, impedance and its slope
    set_lane(d.efc_KBIP, 4 * row, lane, on * get_lane(d.block_K, b, lane))
    damping = get_lane(d.block_B, b, lane) if on else get_lane(d.block_frictionref, b, lane)
    set_lane(d.efc_KBIP, 4 * row + 1, lane, damping)
    set_lane(d.efc_KBIP, 4 * row + 2, lane, imp)
    set_lane(d.efc_KBIP, 4 * row + 3, lane, get_lane(d.block_P, b, lane))
    # velocity and bias
    aref = get_lane(d.row_aref, source, lane)
    set_lane(d.efc_vel, row, lane, get_lane(d.row_vel, source, lane))
    set_lane(d.efc_aref, row, lane, aref)
    set_lane(d.efc_b, row, lane, get_lane(d.row_jv, source, lane) - aref)
    # force and mjtConstraintState
    force, active = get_lane(d.row_force, source, lane), get_lane(d.row_active, source, lane)
    state = STATE_QUADRATIC if active > 0.0 else STATE_SATISFIED
    if d.block_type[b] <= CNSTR_FRICTION_TENDON and not active > 0.0:
        state = STATE_LINEARNEG if force > 0.0 else STATE_LINEARPOS
    elif active == MIDDLE:
        state = STATE_CONE
    set_lane(d.efc_state, row, lane, 1.0 * state)
    set_lane(d.efc_force, row, lane, force)


@kernel
def is_friction(d, b):
    """True if a block is dry friction."""
    return d.block_type[b] == CNSTR_FRICTION_DOF or d.block_type[b] == CNSTR_FRICTION_TENDON


@kernel
def export_jacobian(m, d, lane, b, edge, entry):
    """Jacobian of one row of one world, from an entry on; returns how many entries it has."""
    adr, n, chainadr = d.block_adr[b], d.block_chainnum[b], d.block_chainadr[b]
    if m.is_dense:
        for dof in range(m.nv):
            set_lane(d.efc_J, entry + dof, lane, 0.0)
    for x in range(n):
        value = get_lane(d.block_jac, adr + x, lane)
        if d.block_type[b] == CNSTR_CONTACT_PYRAMIDAL:
            k = edge // 2
            mu = get_lane(d.block_mu, 5 * b + k, lane)
            side = mu * get_lane(d.block_jac, adr + (k + 1) * n + x, lane)
            value = value - side if edge % 2 else value + side
        else:
            value = get_lane(d.block_jac, adr + edge * n + x, lane)
        place = d.chain_dof[chainadr + x] if m.is_dense else x
        set_lane(d.efc_J, entry + place, lane, value)
    return m.nv if m.is_dense else n


@kernel
def export_sparsity(m, d):
    """Write the sparsity of the Jacobian as MuJoCo lists it.

    Reads: block_*, chain_dof.
    Writes: efc_J_rownnz, efc_J_rowadr, efc_J_rowsuper, efc_J_colind, listed.
    """
    for lane in range(m.width):
        row = entry = 0
        before = -1
        for b in range(d.count[COUNT_BLOCK]):
            if get_lane(d.block_D, b, lane) > 0.0:
                # rows of a block share their columns, some with those before
                n, nrow = d.block_chainnum[b], block_rows(d, b)
                if row > 0 and same_chain(d, before, b):
                    set_lane(d.efc_J_rowsuper, row - 1, lane, 1.0)
                for edge in range(nrow):
                    set_lane(d.efc_J_rownnz, row, lane, 1.0 * n)
                    set_lane(d.efc_J_rowadr, row, lane, 1.0 * entry)
                    set_lane(d.efc_J_rowsuper, row, lane, 1.0 if edge < nrow - 1 else 0.0)
                    for x in range(n):
                        dof = d.chain_dof[d.block_chainadr[b] + x]
                        set_lane(d.efc_J_colind, entry + x, lane, 1.0 * dof)
                    row, entry = row + 1, entry + n
                before = b
        # zeros behind the rows
        for r in range(row, new_end(d, LISTED_SPARSE_ROWS, row, lane)):
            clear_element(d.efc_J_rownnz, r, 1, lane)
            clear_element(d.efc_J_rowadr, r, 1, lane)
            clear_element(d.efc_J_rowsuper, r, 1, lane)
        for k in range(entry, new_end(d, LISTED_SPARSE_ENTRIES, entry, lane)):
            clear_element(d.efc_J_colind, k, 1, lane)
        # rowsuper: how many rows follow with the same columns
        for r in range(row - 2, -1, -1):
            more = get_lane(d.efc_J_rowsuper, r, lane)
            if more > 0.0:
                more = more + get_lane(d.efc_J_rowsuper, r + 1, lane)
                set_lane(d.efc_J_rowsuper, r, lane, more)


@kernel
def same_chain(d, b, other):
    """True if the rows of two blocks have entries for the same dofs."""
    n, adr1, adr2 = d.block_chainnum[b], d.block_chainadr[b], d.block_chainadr[other]
    same = n == d.block_chainnum[other]
    for x in range(n):
        same = same and d.chain_dof[adr1 + x] == d.chain_dof[adr2 + x]
    return same


@kernel
def count_lists(m, d):
    """Count the contacts, rows and entries of the world of a large model.

    Reads: con_any, block_*.
    Writes: need.
    """
    ncon = nefc = entry = 0
    slot = next_contact(d, 0)
    while slot < d.count[COUNT_SLOT]:
        ncon += 1
        slot = next_contact(d, slot + 1)
    for b in range(d.count[COUNT_BLOCK]):
        if get_lane(d.block_D, b, 0) > 0.0:
            nrow = block_rows(d, b)
            nefc += nrow
            entry += nrow * (m.nv if m.is_dense else d.block_chainnum[b])
    d.need[CAPACITY_CONTACT] = ncon
    d.need[CAPACITY_EFC] = nefc
    d.need[CAPACITY_J] = entry
