"""Spaces of Gymnasium that are asked, while a method is followed, whether values are in them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete, MultiDiscrete

from mjenv.porting.symbols import Symbol

MOST = 128  # numbers of an action that are followed one by one


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


def few_numbers(space: Any) -> list[tuple[int, ...]]:
    """The numbers that each element of a space's values may be; none where they are not few."""
    limits = _limits(space)
    if limits is None or (limits[1] - limits[0]).max(initial=0) >= MOST:
        return []
    return [tuple(range(low, high + 1)) for low, high in np.transpose(limits).tolist()]


def _limits(space: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """The least and the greatest whole number of each element; None for other spaces."""
    if isinstance(space, Discrete):
        low, count = np.array([space.start]), np.array([space.n])
    elif isinstance(space, MultiDiscrete):
        low, count = space.start.reshape(-1), space.nvec.reshape(-1)
    else:
        return None
    return low, low + count - 1


def refuse_others(space: Any, actions: np.ndarray, worlds: np.ndarray | None) -> None:
    """Refuse actions that are none of a space of whole numbers.

    Args:
        space: any.
        actions: (nworld, ...).
        worlds: numbers of those whose actions are meant; None for all.

    Raises:
        ValueError: the first of them.
    """
    limits = _limits(space)
    if limits is None:
        return
    low, high = limits
    chosen = np.arange(len(actions)) if worlds is None else np.asarray(worlds)
    rows = actions[chosen].reshape(len(chosen), -1)
    wrong = ((rows < low) | (rows > high) | (rows != np.floor(rows))).any(axis=1)
    for world in chosen[wrong]:
        raise ValueError(
            f"step: action of world {world} is {actions[world]}, expected one of {space}"
        )
