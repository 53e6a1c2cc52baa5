"""Kernels of stages that measure distances, each made from its row when it is first asked for."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...simd.kernel import entry, kernel, kernel_at
from .colliders import COLLIDERS, MEASURE, ROUTINES
from .distance import nearest

if TYPE_CHECKING:
    # set in each variant
    from .distance import search_distance as pair_distance


@kernel
def measure(m, d):
    """Answer what `near_geom` asks for. Writes: near_dist, near_fromto (m)."""
    pair_distance(m, d, d.near_geom[0], d.near_geom[1], d.near_cutoff[0])


def routine_of(number: int) -> Callable:
    """The kernel of the distance of a pair, one of `ROUTINES`."""
    return kernel_at(ROUTINES[number], __package__)


# distances by the contacts of a row
_NEAREST = {f"{row.name}_distance": row.contacts for row in COLLIDERS}


def __getattr__(name: str) -> Callable:
    """`measure` by one routine, or the routine of a row that has contacts alone."""
    if name in _NEAREST:
        found = globals()[name] = nearest(kernel_at(_NEAREST[name], __package__))
        return found
    if name not in MEASURE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return entry(globals(), name, measure, pair_distance=routine_of(MEASURE.index(name)))
