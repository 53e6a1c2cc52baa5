"""Generators of an environment besides `np_random`: how it makes them, and how resets seed them."""

from random import Random
from typing import Any, NamedTuple

import numpy as np

from mjenv.porting.environment.place_names import Path
from mjenv.porting.environment.states_of_generators import (
    KINDS,
    content_of,
    copied,
    is_seeded_with,
)

KEPT = "kept"  # resets with a seed leave it as it is


class Own(NamedTuple):
    """A generator that each world has of its own.

    Attributes:
        paths: where it is held.
        kind: its class.
        bits: class of the bit generator of numpy's present class; None for others.
        seeding: what a reset adds to its seed for the generator; `KEPT`; None for neither.
        drawn: whether each environment is made with another one.
        shared: whether other environments have the same object.
        of_space: whether it is a space's: resets leave it, and worlds seed it all the same.
    """

    paths: tuple[Path, ...]
    kind: type
    bits: Any
    seeding: int | str | None
    drawn: bool
    shared: bool
    of_space: bool

    @classmethod
    def of(
        cls,
        paths: list[Path],
        seen: list[tuple[int, Any, str]],
        first: Any,
        twin: tuple[Any, Any],
        of_space: bool,
    ) -> "Own":
        """Look at a generator.

        Args:
            paths: where it is held.
            seen: seeds of resets, and the generator after each with its state in words.
            first: as the environment was made.
            twin: the places of an environment made likewise, and after a reset of it.
            of_space: whether it is a space's, which worlds seed as `space.seed` does.
        """
        made, begun = (one.get(paths[0]) for one in twin)
        objects = [one for _, one, _ in seen if one is not None]
        bits, seeding = getattr(objects[-1], "bit_generator", None), _seeding(seen)
        if of_space and seeding == KEPT:
            seeding = 0
        return cls(
            tuple(paths), next(kind for kind in KINDS if isinstance(objects[-1], kind)),
            None if bits is None else type(bits), seeding, not same_numbers(made, first),
            any(begun is one or made is one for one in objects), of_space and seeding == 0,
        )  # fmt: skip

    def seeded(self, seed: int) -> Any:
        """As a reset with a seed makes it."""
        assert isinstance(self.seeding, int)
        number = seed + self.seeding
        if self.bits is None:
            return self.kind(number)
        return np.random.Generator(self.bits(np.random.SeedSequence(number)))

    def begun(self, first: Any) -> Any:
        """That of a new world, as an environment is made with one."""
        if first is None or not self.drawn:
            return copied(first)
        return self.kind() if self.bits is None else np.random.Generator(self.bits())

    def renewed(self, old: Any) -> Any:
        """In the place of one that a reset makes without a seed: seeded by the one before."""
        if isinstance(old, np.random.Generator):
            number = int(old.integers(1 << 62))
            return np.random.Generator(self.bits(np.random.SeedSequence(number)))
        draw = old.getrandbits if isinstance(old, Random) else lambda n: old.randint(1 << n)
        return self.kind(int(draw(31)))


def same_numbers(one: Any, other: Any) -> bool:
    """True for generators that go on with the same numbers."""
    return content_of(one) == content_of(other)


def twin_of(original: Any) -> tuple[dict[Path, Any], dict[Path, Any]]:
    """Generators of another environment, made likewise: as it was made, copies, and after a reset.

    Args:
        original: the environment.
    """
    from mjenv.porting.environment.in_place import ours_by_name

    twin = type(original)(original.target, original.kwargs, original.helpers)
    with ours_by_name():
        twin.env.reset(seed=0)
    return twin.generators.first, twin.generators.others()


def _seeding(seen: list[tuple[int, Any, str]]) -> int | str | None:
    """What resets make of a generator with their seeds, see `Own.seeding`."""
    if any(one is None for _, one, _ in seen):
        return None
    entropies = [_entropy(one) for _, one, _ in seen]
    if None not in entropies:
        added = {entropy - n for (n, *_), entropy in zip(seen, entropies, strict=True)}
        if len(added) == 1:
            return int(added.pop())
        return KEPT if len(set(entropies)) == 1 else None
    # the older classes do not tell what they were seeded with
    if all(is_seeded_with(state, type(one), n) for n, one, state in seen):
        return 0
    # the last two resets have the same seed
    again = len(seen) > 1 and seen[-1][0] == seen[-2][0]
    return KEPT if again and seen[-1][2] != seen[-2][2] else None


def _entropy(generator: Any) -> Any:
    """The whole number that a generator was seeded with; None for there is none."""
    bits = getattr(generator, "bit_generator", None)
    seeds = getattr(bits, "seed_seq", None)
    entropy = getattr(seeds, "entropy", None)
    if isinstance(entropy, int | np.integer) and not getattr(seeds, "spawn_key", ()):
        return int(entropy)
    return None
