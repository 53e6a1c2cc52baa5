"""Random numbers, written as MJCF writes them."""

import random


class Draw(random.Random):
    """A source of random values, all from one seed.

    Attributes:
        round: whether numbers are mostly multiples of 0.1: faces are then parallel exactly.
    """

    def __init__(self, seed):
        super().__init__(seed)
        self.round = super().random() < 0.1

    def chance(self, p: float) -> bool:
        return self.random() < p

    def among(self, *values, weights=None):
        """One of some values."""
        return self.choices(values, weights)[0]

    def number(self, low: float, high: float) -> float:
        """A number of an interval."""
        value = self.uniform(low, high)
        return round(value, 1) if self.round and high - low > 0.4 else value

    def spread(self, low: float, high: float) -> float:
        """A positive number, of any order of magnitude between two."""
        value = low * (high / low) ** self.random()
        return max(round(value, 1), low) if self.round and value > 0.15 else value

    def vector(self, n: int, low: float, high: float) -> str:
        return text(self.number(low, high) for _ in range(n))

    def direction(self) -> str:
        """A vector that is not zero, sometimes along an axis, rarely of length 1."""
        if self.round or self.chance(0.3):
            axis = [0.0, 0.0, 0.0]
            axis[self.randrange(3)] = self.among(1.0, -1.0)
            return text(axis)
        return text(self.gauss(0, 1) + 0.01 for _ in range(3))

    def interval(self, low: float, high: float) -> str:
        """Two numbers in ascending order, a little apart."""
        a, b = sorted((self.number(low, high), self.number(low, high)))
        return text((a, b + 0.01 * (high - low)))


def text(values) -> str:
    """Numbers with four digits; a single one too."""
    if isinstance(values, (int, float)):
        return f"{values:.4g}"
    return " ".join(f"{value:.4g}" for value in values)
