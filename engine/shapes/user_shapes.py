"""Signed distance fields of users' plugins, beside those of MuJoCo's."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ..simd.kernel import kernel, replaced, variant
from ..simd.meaning import is_kernel
from ..tables import plugin_kinds
from .plugin_shapes import plugin_distance

if TYPE_CHECKING:
    KIND, distance, others = 0, plugin_distance, plugin_distance  # set in each variant


@kernel
def user_distance(kind, prm, p):
    """Distance from the shape of one kind of a user's, or of another kind."""
    if kind == KIND:
        return distance(prm, p)
    return others(kind, prm, p)


def with_users(function: Callable, places: Iterable[int]) -> Callable:
    """A kernel that asks for distances, so that it knows the compiled shapes of users too.

    Args:
        function: a kernel that reaches `plugin_distance`; it comes back if there are no such.
        places: of the kinds of plugins.
    """
    found = plugin_distance
    for place in sorted(set(places)):
        shape = plugin_kinds.kind_at(place).distance
        if shape is not None and is_kernel(shape):
            found = variant(user_distance, KIND=place, distance=shape, others=found)
    return function if found is plugin_distance else replaced(function, {plugin_distance: found})
