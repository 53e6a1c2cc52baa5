"""Distance of two geoms of one world, each kernel made when it is first asked for."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..physics.collision.colliders import ROUTINES
from ..physics.collision.measure import routine_of
from ..simd.kernel import entry, kernel

if TYPE_CHECKING:
    # set in each variant
    from ..physics.collision.distance import search_distance as pair_distance

NTOLD = 7  # the distance, a point of the first geom, one of the second (m)


@kernel
def tell_distance(m, d, c):
    """Tell the distance of the geoms `ask`, and the points, up to a limit `given` (m)."""
    pair_distance(m, d, c.ask[0], c.ask[1], c.given[0])
    c.told[0] = d.near_dist[0]
    for k in range(6):
        c.told[1 + k] = d.near_fromto[k]


def distance_kernel(routine: int) -> Callable:
    """The kernel that tells distances by one of `ROUTINES`."""
    return globals().get(f"tell_{routine}") or __getattr__(f"tell_{routine}")


def __getattr__(name: str) -> Callable:
    """`tell_distance` by one routine, whose number the name ends with."""
    number = name.removeprefix("tell_")
    if number == name or not number.isdigit() or int(number) >= len(ROUTINES):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return entry(globals(), name, tell_distance, pair_distance=routine_of(int(number)))
