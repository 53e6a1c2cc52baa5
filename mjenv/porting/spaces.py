"""Spaces of Gymnasium that are asked, while a method is followed, whether values are in them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete, MultiDiscrete

from mjenv.porting.symbols import Symbol


@contextmanager
def asked_spaces() -> Iterator[None]:
    """While it lasts, `contains` of a space answers for each world, which `assert` may ask."""
    held: list[tuple[Any, Any]] = [(kind, kind.contains) for kind in (Box, Discrete)]

    def asked(plain: Any, within: Any) -> Any:
        def contains(self: Any, x: Any) -> Any:
            return within(self, x) if isinstance(x, Symbol) else plain(self, x)

        return contains

    Box.contains = asked(Box.contains, _in_box)  # type: ignore[method-assign]
    Discrete.contains = asked(Discrete.contains, _in_discrete)  # type: ignore[method-assign]
    try:
        yield
    finally:
        for kind, plain in held:
            kind.contains = plain


def _in_box(space: Box, x: Symbol) -> Any:
    """Whether a value has the type and the shape of a box, and lies in it."""
    if not np.can_cast(x.dtype, space.dtype) or x.shape != space.shape:
        return False
    return np.logical_and(x >= space.low, x <= space.high).all()


def _in_discrete(space: Discrete, x: Symbol) -> Any:
    """Whether a value is one of the whole numbers."""
    if x.dtype.kind not in "iu" or x.shape != ():
        return False
    return np.logical_and(x >= int(space.start), x < int(space.start + space.n))


def few_numbers(space: Any) -> list[tuple[int, ...]] | None:
    """The numbers that each element of a space's values may be; None where they are not few."""
    if isinstance(space, Discrete):
        first, counts = np.array([space.start]), np.array([space.n])
    elif isinstance(space, MultiDiscrete):
        first, counts = space.start.reshape(-1), space.nvec.reshape(-1)
    else:
        return None
    return [tuple(range(a, a + n)) for a, n in zip(first.tolist(), counts.tolist(), strict=True)]


def refuse_others(space: Any, actions: np.ndarray, worlds: np.ndarray | None) -> None:
    """Refuse actions that are none of a space of whole numbers.

    Args:
        space: any.
        actions: (nworld, ...).
        worlds: numbers of those whose actions are meant; None for all.

    Raises:
        ValueError: the first of them.
    """
    few = few_numbers(space)
    if few is None:
        return
    rows = actions.reshape(len(actions), -1)
    low, high = np.array([(one[0], one[-1]) for one in few]).T
    wrong = ((rows < low) | (rows > high) | (rows != np.floor(rows))).any(axis=1)
    bad = np.flatnonzero(wrong if worlds is None else np.isin(np.arange(len(rows)), worlds) & wrong)
    if bad.size:
        raise ValueError(
            f"step: action of world {bad[0]} is {actions[bad[0]]}, expected one of {space}"
        )
