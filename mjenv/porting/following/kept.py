"""Followed steps on disk: an environment that was followed before is not followed again.

The key is all that a followed step depends on: the sources of the package and of the follower, what
the environment is made with, the numbers that its objects hold, and its model. Only environments
with a name are kept; functions that make one may do so by what no key knows.
"""

import platform
from collections.abc import Iterable
from functools import cache
from importlib import metadata

import numpy as np

from mjenv.porting.environment.changing import SKIPPED, Slot
from mjenv.porting.environment.files import digest_of
from mjenv.porting.environment.original import Original
from mjenv.porting.environment.place_names import Path


def key_of(
    original: Original, slots: Iterable[Slot], opaque: frozenset[Path], varied: tuple[str, ...]
) -> str | None:
    """Name of a followed step on disk; None for what is not kept.

    Args:
        original: the environment.
        slots: attributes that are known to change.
        opaque: objects that change.
        varied: fields of the model that change.
    """
    if not isinstance(original.target, str):
        return None
    changing = {slot.path for slot in slots} | original.aliases().keys()
    numbers = {
        path: value
        for path, value in original.places.numbers().items()
        if path not in changing and not any(name in SKIPPED for _, name in path)
    }
    told = [(s.path, np.shape(s.sample), s.certain, s.optional, s.truth) for s in slots]
    kinds = [np.asarray(s.sample).dtype.str for s in slots]
    # without what it has looked up so far
    fields = vars(original.model._twin()).items()
    model = {n: v for n, v in fields if n not in varied and not n.startswith("_")}
    rosters, _, *others = original.places.known_lists()
    known = (rosters, *others, original.shared)
    known_of_places = *opaque, *(pair for one in known for pair in one.items())
    objects = sorted(map(repr, known_of_places))
    return digest_of(
        original.tops, (original.target, original.kwargs), _versions(), told, kinds, objects,
        varied, numbers, model, original.env.action_space,
    )  # fmt: skip


@cache
def _versions() -> tuple[str, ...]:
    """Versions of Python and of installed packages, whether they are loaded yet or not."""
    found = {one.name: one.version for one in metadata.distributions()}
    names = ("gymnasium", "numpy", "scipy")
    return (platform.python_version(), *(found.get(name, "") for name in names))
