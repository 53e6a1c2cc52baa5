"""Kernels of stages where deformables touch, each made from its row when it is first asked for."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...simd.kernel import entry, kernel, kernel_at, replaced
from ...tables.enums import COUNT_MIDPAIR
from .convex_elements import (
    collide_convex_element,
    collide_element_by_portal,
    keep_normal,
    take_normal,
)
from .narrow_phase import KINDS, NARROW_PHASE_BY_PORTAL, NARROW_PHASE_STAGES
from .sides import shared_margin

if TYPE_CHECKING:
    # set in each variant
    from .triangles import vertex_plane as contacts

    KIND = 0


@kernel
def fcon(m, d):
    """Contacts of the pairs of the mid phase of one kind.

    Reads: midpair_*, flexvert_xpos.
    Writes: fcon_on, fcon_dist (m), fcon_pos (m), fcon_normal.
    """
    for midpair in range(d.count[COUNT_MIDPAIR]):
        if d.midpair_kind[midpair] == KIND:
            margin = shared_margin(m, d.midpair_side[2 * midpair], d.midpair_side[2 * midpair + 1])
            contacts(m, d, midpair, d.midpair_adr[midpair], margin)


# what differs where the flag nativeccd is off
PORTAL = {collide_convex_element: collide_element_by_portal, take_normal: keep_normal}
_NUMBERS = dict(zip(NARROW_PHASE_STAGES, range(len(NARROW_PHASE_STAGES)), strict=True))
_BY_PORTAL = {name: k for k, name in NARROW_PHASE_BY_PORTAL.items()}


def __getattr__(name: str) -> Callable:
    """`fcon` for one row, which says what that reads."""
    number = _NUMBERS.get(name, _BY_PORTAL.get(name))
    if number is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    row = KINDS[number]
    routine = kernel_at(row.contacts, __package__)
    if name in _BY_PORTAL:
        routine = replaced(routine, PORTAL)
    found = entry(globals(), name, fcon, contacts=routine, KIND=number)
    if row.reads:
        found.__doc__ = (fcon.__doc__ or "").replace("Reads: ", f"Reads: {row.reads}, ")
    return found
