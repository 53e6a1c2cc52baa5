"""Constraint rows of contacts whose parameters users have edited in their list, in one world."""

from ...simd.kernel import kernel, named, replaced
from ...simd.lanes import get_lane
from ...tables.enums import COUNT_LISTED
from ..collision.contact import include_margin, pair_friction, pair_solimp, pair_solref
from .blocks import contact_block, make_constraint

NOWHERE = -1e300  # margin of a contact that makes no rows


@kernel
def listed_margin(m, d, pair):
    """Distance below which the contact makes rows (m)."""
    c = d.count[COUNT_LISTED]
    return d.contact_includemargin[c] if get_lane(d.contact_exclude, c, 0) == 0.0 else NOWHERE


@kernel
def listed_friction(m, d, pair):
    """Friction coefficients of the contact."""
    c = 5 * d.count[COUNT_LISTED]
    return (
        d.contact_friction[c],
        d.contact_friction[c + 1],
        d.contact_friction[c + 2],
        d.contact_friction[c + 3],
        d.contact_friction[c + 4],
    )


@kernel
def listed_solref(m, d, pair):
    """Reference parameters of the contact."""
    c = 2 * d.count[COUNT_LISTED]
    return d.contact_solref[c], d.contact_solref[c + 1]


@kernel
def listed_solimp(m, d, pair, k):
    """Impedance parameter k of the contact."""
    return d.contact_solimp[5 * d.count[COUNT_LISTED] + k]


LISTED = {
    include_margin: listed_margin,
    pair_friction: listed_friction,
    pair_solref: listed_solref,
    pair_solimp: listed_solimp,
}
given_block = replaced(contact_block, LISTED)


@kernel
def listed_block(m, d, slot):
    """As `contact_block`, with the parameters that stand in the list."""
    c = 0
    for other in range(slot):
        if d.con_any[other] and get_lane(d.con_on, other, 0) > 0.0:
            c += 1
    d.count[COUNT_LISTED] = c
    given_block(m, d, slot)


make_listed_constraint = named(
    globals(), "make_listed_constraint", replaced(make_constraint, {contact_block: listed_block})
)
