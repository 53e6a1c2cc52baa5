"""Random numbers for several worlds at once, each world from its own generator."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np


class _Closed(Sequence):
    """The generators after `reset`, of which there are none."""

    def __len__(self) -> int:
        raise RuntimeError(
            "rng: found a draw after the method reset has returned, expected draws in it only; "
            "what is random during episodes is declared as `randomization`"
        )

    def __getitem__(self, i: Any) -> Any:
        return len(self)


_CLOSED = _Closed()


class Streams:
    """The random generators of the worlds that start an episode.

    It is drawn from like a `numpy.random.Generator`. Where there is a world axis, every draw has
    one row per world, (nworld, ...). A row has the bits that the world's own generator gives, so
    that a world's episodes do not depend on how many worlds there are, nor on which start together.
    """

    def __init__(self, generators: Sequence[np.random.Generator], single: bool = False):
        """Remember the generators.

        Args:
            generators: one for each world.
            single: whether draws have no world axis; there is one world then.
        """
        self.generators, self._single = generators, single

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Uniform numbers in [low, high).

        Raises:
            ValueError: if one of the lows is above its high.
        """
        if self._single:
            try:
                return self.generators[0].uniform(low, high, size)
            except ValueError:
                _check_limits(low, high)
                raise
        _check_limits(low, high)
        if size is None and (np.ndim(low) or np.ndim(high)):
            return self.each(lambda generator: generator.uniform(low, high))
        return low + (high - low) * self._fill("random", size)

    def standard_normal(self, size: Any = None) -> Any:
        """Normal numbers with mean 0 and deviation 1."""
        if self._single:
            return self.generators[0].standard_normal(size)
        return self._fill("standard_normal", size)

    def each(self, draw: Callable[[np.random.Generator], Any]) -> Any:
        """Draw from each world's generator by a function, for example for rejection sampling."""
        rows = np.array([draw(generator) for generator in self.generators])
        return rows[0] if self._single else rows

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *values, **keywords: self.each(
            lambda generator: getattr(generator, name)(*values, **keywords)
        )

    def close(self) -> None:
        """Refuse draws from now on: the generators may be others in the next episode."""
        self.generators = _CLOSED

    def _fill(self, method: str, size: Any) -> Any:
        """Draws that can be written into an array row by row, which is much quicker than `each`."""
        shape = () if size is None else (size,) if np.ndim(size) == 0 else tuple(size)
        rows = np.empty((len(self.generators), prod(shape)))
        for generator, row in zip(self.generators, rows, strict=True):
            getattr(generator, method)(out=row)
        rows = rows.reshape(-1, *shape)
        return rows[0] if self._single else rows


def _check_limits(low: Any, high: Any) -> None:
    """Refuse limits that are swapped."""
    plain = type(low) is type(high) is float
    if high < low if plain else np.any(np.less(high, low)):
        raise ValueError(f"uniform: found low={low}, high={high}, expected none above its high")
