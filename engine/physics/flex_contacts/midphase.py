"""Pairs of parts of deformables and what they may touch: the middle phase, group by group."""

from ...simd.kernel import kernel
from ...tables.enums import (
    COUNT_FLEX_CONTACT,
    COUNT_MET,
    COUNT_MIDPAIR,
    DSBL_CONSTRAINT,
    DSBL_CONTACT,
)
from ..capacity import CAPACITY_FLEX_CONTACT, CAPACITY_MIDPAIR
from ..collision.broadphase import AGAIN, COMPLETE
from .flex_pairs import (
    search_active_pairs,
    search_all_pairs,
    search_inside,
    search_two_trees,
)
from .geom_pairs import search_elements, search_trees
from .sweep import sweep_elements
from .tables import ALL_PAIRS, ELEMENTS, INSIDE, OWN_PAIRS, OWN_SWEEP, TREES, TWO_TREES


@kernel
def find_midphase_pairs(m, d):
    """Pairs of all groups, in MuJoCo's order.

    Runs twice in every step, with `reserve_capacity` between: the second time it has something to
    do only if there was not enough room.

    Reads: flexvert_xpos, flexelem_aabb, bvh_aabb_dyn, geom_xpos, geom_xmat, xipos, ximat, capacity.
    Writes: count, need, midpair_groupadr, midpair_groupnum, midpair_kind, midpair_side,
        midpair_part, midpair_adr, fcon_on, fcon_midpair, tree_stack, tree_turn, tree_shift.
    """
    state = d.count[COUNT_MET]
    d.count[COUNT_MET] = 0
    if state == COMPLETE:
        return
    d.count[COUNT_MIDPAIR], d.count[COUNT_FLEX_CONTACT] = 0, 0
    off = m.opt_disableflags[0] & (DSBL_CONTACT | DSBL_CONSTRAINT)
    for group in range(m.nfcongroup):
        d.midpair_groupadr[group] = d.count[COUNT_MIDPAIR]
        if not off:
            search(m, d, group)
        d.midpair_groupnum[group] = d.count[COUNT_MIDPAIR] - d.midpair_groupadr[group]
    # room for all of them and their contacts
    n, contacts = d.count[COUNT_MIDPAIR], d.count[COUNT_FLEX_CONTACT]
    d.need[CAPACITY_MIDPAIR], d.need[CAPACITY_FLEX_CONTACT] = n, contacts
    if state != AGAIN:
        fits = n <= d.capacity[CAPACITY_MIDPAIR] and contacts <= d.capacity[CAPACITY_FLEX_CONTACT]
        d.count[COUNT_MET] = COMPLETE if fits else AGAIN


@kernel
def search(m, d, group):
    """Pairs of one group."""
    how, f = m.group_how[group], m.group_flex[group]
    if how == TREES:
        search_trees(m, d, group)
    elif how == ELEMENTS:
        search_elements(m, d, m.group_geom[group], f)
    elif how == TWO_TREES:
        search_two_trees(m, d, m.group_other[group], f)
    elif how == ALL_PAIRS:
        search_all_pairs(m, d, m.group_other[group], f)
    elif how == INSIDE:
        search_inside(m, d, f)
    elif how == OWN_PAIRS:
        search_active_pairs(m, d, f)
    elif how == OWN_SWEEP:
        sweep_elements(m, d, f)
