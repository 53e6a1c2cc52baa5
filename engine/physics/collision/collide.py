"""Kernels of stages that collide geoms, each made from its row when it is first asked for."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...simd.kernel import entry, kernel, kernel_at
from ...simd.lanes import lane_any
from ...tables.enums import GEOM_PLANE
from .colliders import ALL_STAGES, NUMBER
from .contact import are_near, may_touch, over_plane, pair_margin

if TYPE_CHECKING:
    # set in each variant
    from .primitives import plane_sphere as contacts

    COLLIDER = 0


@kernel
def collide(m, d):
    """Contacts of the candidate pairs of one row.

    Reads: geom_xpos, geom_xmat.
    Writes: con_any, con_on, con_dist (m), con_pos (m), con_frame.
    """
    start = d.collider_adr[COLLIDER]
    for i in range(start, start + d.collider_num[COLLIDER]):
        pair = d.collider_pair[i]
        geom1, geom2 = d.cand_geom1[pair], d.cand_geom2[pair]
        margin = pair_margin(m, d, pair)
        near = may_touch(m, d, geom1, geom2, margin)
        if lane_any(near):
            contacts(m, d, geom1, geom2, d.cand_slotadr[pair], margin, near)


def __getattr__(name: str) -> Callable:
    """`collide` for one row, which knows whether it has planes."""
    found = ALL_STAGES.get(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    row, routine = found
    planes = {type1 == GEOM_PLANE for type1, _ in row.types}
    near = may_touch if len(planes) > 1 else over_plane if True in planes else are_near
    given = {"contacts": kernel_at(routine, __package__), "may_touch": near}
    return entry(globals(), name, collide, COLLIDER=NUMBER[row], **given)
