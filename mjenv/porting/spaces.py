"""Spaces of Gymnasium that are asked, while a method is followed, whether values are in them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete

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
