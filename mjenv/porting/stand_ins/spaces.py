"""Spaces of Gymnasium while a method is followed: whether values are in them, and samples."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete, MultiDiscrete

from mjenv.porting.stand_ins.random_numbers import SymbolicGenerator
from mjenv.porting.symbols.symbol import Symbol
from mjenv.tracing.arrays import TraceError

MOST = 128  # numbers of an action that are followed one by one


@contextmanager
def asked_spaces() -> Iterator[None]:
    """While it lasts, spaces answer for each world, and give each world a sample of its own.

    `contains` is what `assert` may ask.
    """
    new: list[tuple[Any, str, Any]] = [
        (Box, "contains", _contains(Box.contains, _in_box)),
        (Box, "sample", _sample(Box.sample, _from_box)),
        (Discrete, "contains", _contains(Discrete.contains, _in_discrete)),
        (Discrete, "sample", _sample(Discrete.sample, _from_discrete)),
    ]
    held = [(kind, name, getattr(kind, name)) for kind, name, _ in new]
    for kind, name, method in new:
        setattr(kind, name, method)
    try:
        yield
    finally:
        for kind, name, method in held:
            setattr(kind, name, method)


def random_actions(space: Any, rng: np.random.Generator, count: int) -> np.ndarray:
    """Actions (count, ...) of a space; those of vectors within -1 and 1."""
    actions = np.stack([space.sample() for _ in range(count)])
    if not isinstance(space, Box):
        return actions
    low, high = np.clip(space.low, -1, None), np.clip(space.high, None, 1)
    return rng.uniform(low, high, actions.shape).astype(space.dtype)


def _contains(plain: Any, within: Any) -> Any:
    """A method of spaces that knows values."""

    def contains(self: Any, x: Any) -> Any:
        return within(self, x) if isinstance(x, Symbol) else plain(self, x)

    return contains


def _sample(plain: Any, drawn: Any) -> Any:
    """A method of spaces that asks what stands for their generators."""

    def sample(self: Any, *args: Any, **options: Any) -> Any:
        generator = vars(self).get("_np_random")
        if not isinstance(generator, SymbolicGenerator):
            return plain(self, *args, **options)
        if any(one is not None for one in (*args, *options.values())):
            raise TraceError(f"found a sample of {self} with a mask")
        return drawn(self, generator)

    return sample


def _from_box(space: Box, generator: Any) -> Any:
    """A sample of a box with real limits."""
    if space.dtype is None or space.dtype.kind != "f" or not space.is_bounded():
        raise TraceError(f"found a sample of {space}, expected real numbers within limits")
    low, high = space.low.ravel(), space.high.ravel()
    found = generator.uniform(low=low, high=high, size=low.shape)
    return found.reshape(space.shape).astype(space.dtype)


def _from_discrete(space: Discrete, generator: Any) -> Any:
    """A sample of whole numbers."""
    return generator.integers(int(space.n)) + int(space.start)


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
