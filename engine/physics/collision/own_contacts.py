"""Contacts that users have added, or edited in their list: the numbers that they carry themselves.

Such a contact is a candidate of its own with one slot. Its predefined pair is `npair` plus its
place in `own_value`, where a row holds what MuJoCo's mjContact does: what a pair of geoms would
bring to it otherwise. They last until contacts are looked for again, in one world (width 1).
"""

from ...simd.kernel import kernel
from ...tables.enums import COUNT_CAND, COUNT_OWN, COUNT_SLOT

# columns of own_value
MARGIN, FRICTION, SOLREF, SOLREFFRICTION, SOLIMP = 0, 1, 6, 8, 10
EXCLUDE, MU, ADDRESS, GEOM, FLEX, ELEM, VERT, HESSIAN = 15, 16, 17, 18, 20, 22, 24, 26
NVALUE = 62


@kernel
def own_place(m, d, pair):
    """First number of a contact that users own, in `own_value`; below 0: it is no such contact."""
    # users own contacts in one world only
    if m.width > 1:
        return -1
    return NVALUE * (d.cand_predefined[pair] - m.npair)


@kernel
def own_parameters(d, own, zero):
    """Friction coefficients, solref and solimp of a contact that users own, as `zero` of lanes."""
    f, s = own + FRICTION, own + SOLIMP
    friction = (
        d.own_value[f] + zero, d.own_value[f + 1] + zero, d.own_value[f + 2] + zero,
        d.own_value[f + 3] + zero, d.own_value[f + 4] + zero,
    )  # fmt: skip
    solimp = (
        d.own_value[s] + zero, d.own_value[s + 1] + zero, d.own_value[s + 2] + zero,
        d.own_value[s + 3] + zero, d.own_value[s + 4] + zero,
    )  # fmt: skip
    solref = (d.own_value[own + SOLREF] + zero, d.own_value[own + SOLREF + 1] + zero)
    return friction, solref, solimp


@kernel
def forget_own(m, d):
    """Have the slots and candidates as they were before users added and edited contacts.

    In large models these are made anew for each search.
    """
    if not m.is_large_model:
        for k in range(d.count[COUNT_OWN]):
            if d.own_slot[3 * k + 1] >= 0:
                d.slot_cand[d.own_slot[3 * k]] = d.own_slot[3 * k + 1]
                d.slot_dim[d.own_slot[3 * k]] = d.own_slot[3 * k + 2]
        d.count[COUNT_SLOT], d.count[COUNT_CAND] = d.own_before[0], d.own_before[1]
    d.count[COUNT_OWN] = 0
