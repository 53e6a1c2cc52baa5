"""Kernels of stages where deformables touch, each made from its row when it is first asked for."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...simd.kernel import entry, kernel, kernel_at, replaced
from ...tables.enums import COUNT_MEET
from .convex_elements import keep_normal, meet_by_portal, meet_convex, take_normal
from .narrow import KINDS, TOUCH, TOUCH_BY_PORTAL
from .sides import shared_margin

if TYPE_CHECKING:
    # set in each variant
    from .triangles import vertex_plane as contacts

    KIND = 0


@kernel
def touch(m, d):
    """Contacts of the meetings of one kind.

    Reads: meet_*, flexvert_xpos.
    Writes: touch_on, touch_dist (m), touch_pos (m), touch_normal.
    """
    for meeting in range(d.count[COUNT_MEET]):
        if d.meet_kind[meeting] == KIND:
            margin = shared_margin(m, d.meet_side[2 * meeting], d.meet_side[2 * meeting + 1])
            contacts(m, d, meeting, d.meet_adr[meeting], margin)


# what differs where the flag nativeccd is off
PORTAL = {meet_convex: meet_by_portal, take_normal: keep_normal}
_NUMBERS = dict(zip(TOUCH, range(len(TOUCH)), strict=True))
_BY_PORTAL = {name: k for k, name in TOUCH_BY_PORTAL.items()}


def __getattr__(name: str) -> Callable:
    """`touch` for one row, which says what that reads."""
    number = _NUMBERS.get(name, _BY_PORTAL.get(name))
    if number is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    row = KINDS[number]
    routine = kernel_at(row.contacts, __package__)
    if name in _BY_PORTAL:
        routine = replaced(routine, PORTAL)
    found = entry(globals(), name, touch, contacts=routine, KIND=number)
    if row.reads:
        found.__doc__ = (touch.__doc__ or "").replace("Reads: ", f"Reads: {row.reads}, ")
    return found
