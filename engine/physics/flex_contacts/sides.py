"""A side of a contact: a geom, or a deformable f as the number -1 - f."""

from ...simd.kernel import kernel, replaced
from ...simd.lanes import load3
from ...tables.enums import ENBL_OVERRIDE
from ..collision import contact
from ..collision.own_contacts import own_place


@kernel
def margin_of(m, side):
    """Distance below which contacts are detected (m)."""
    if side < 0:
        return m.flex_margin[-1 - side]
    return m.geom_margin[side]


@kernel
def gap_of(m, side):
    """Part of the margin in which contacts make no rows (m)."""
    if side < 0:
        return m.flex_gap[-1 - side]
    return m.geom_gap[side]


@kernel
def priority_of(m, side):
    """The object of higher priority sets the contact."""
    if side < 0:
        return m.flex_priority[-1 - side]
    return m.geom_priority[side]


@kernel
def condim_of(m, side):
    """Dimensions of the contact force."""
    if side < 0:
        return m.flex_condim[-1 - side]
    return m.geom_condim[side]


@kernel
def solmix_of(m, side):
    """Weight of solver parameters."""
    if side < 0:
        return m.flex_solmix[-1 - side]
    return m.geom_solmix[side]


@kernel
def friction_of(m, side):
    """Sliding, torsional and rolling friction."""
    if side < 0:
        return load3(m.flex_friction, -1 - side)
    return load3(m.geom_friction, side)


@kernel
def solref_of(m, side, k):
    """Reference parameter k."""
    if side < 0:
        return m.flex_solref[2 * (-1 - side) + k]
    return m.geom_solref[2 * side + k]


@kernel
def solimp_of(m, side, k):
    """Impedance parameter k."""
    if side < 0:
        return m.flex_solimp[5 * (-1 - side) + k]
    return m.geom_solimp[5 * side + k]


# kernels of contacts between geoms, and what stands for them where deformables touch
SIDES = {
    contact.side_margin: margin_of,
    contact.side_gap: gap_of,
    contact.side_priority: priority_of,
    contact.side_solmix: solmix_of,
    contact.side_friction: friction_of,
    contact.side_solref: solref_of,
    contact.side_solimp: solimp_of,
}


margin_of_sides = replaced(contact.include_margin, SIDES)


@kernel
def margin_of_rows(m, d, cand):
    """Distance below which a contact makes rows; none found of a deformable with itself (m)."""
    own = own_place(m, d, cand)
    if own < 0 and d.cand_geom1[cand] < 0 and d.cand_geom1[cand] == d.cand_geom2[cand]:
        return 0.0
    return margin_of_sides(m, d, cand)


SIDES[contact.include_margin] = margin_of_rows


@kernel
def overriding(m, margin):
    """A margin, or that of all contacts where the option is set (m)."""
    return m.opt_o_margin[0] if m.opt_enableflags[0] & ENBL_OVERRIDE else margin


@kernel
def shared_margin(m, side1, side2):
    """Distance below which a contact of two sides is detected; none of a thing with itself (m)."""
    if side1 == side2:
        return 0.0
    return overriding(m, margin_of(m, side1) + margin_of(m, side2))
