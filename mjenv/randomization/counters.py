"""Random numbers of many worlds at once, each world from a counter of its own."""

from typing import Any

import numpy as np

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)
_PURPOSE = 0x72616E64  # tells these streams from others that are made from the same seed


class Counters:
    """Random streams of all worlds: number i of a stream is a hash of its two keys and of i.

    The hash is the finalizer of SplitMix64 (Steele, Lea and Flood 2014), once before and once
    after the second key is mixed in. A world's numbers depend on its own words only, and no world
    has to be drawn from alone: one call computes the numbers of all.

    Attributes:
        words: (nworld, 3) uint64: two keys, and how many numbers were drawn.
    """

    def __init__(self, nworld: int):
        self.words = np.zeros((nworld, 3), np.uint64)

    def seed(self, world: int, entropy: int) -> None:
        """Begin the stream of a world that belongs to a number of any size, not negative."""
        sequence = np.random.SeedSequence(entropy, spawn_key=(_PURPOSE,))
        self.words[world, :2] = sequence.generate_state(2, np.uint64)
        self.words[world, 2] = 0

    def bits(self, worlds: np.ndarray, count: int) -> np.ndarray:
        """The next (n, count) random words of n different worlds."""
        words = self.words[worlds]
        z = words[:, 2:] + np.arange(1, count + 1, dtype=np.uint64)
        z *= _GAMMA
        z += words[:, :1]
        z = _mixed(z)
        z ^= words[:, 1:2]
        self.words[worlds, 2] += np.uint64(count)
        return _mixed(z)


class Draws:
    """Some of the streams, drawn from like a `numpy.random.Generator`: one row for each world."""

    def __init__(self, counters: Counters, worlds: np.ndarray):
        self._counters, self.worlds = counters, worlds

    def uniform(self, low: float = 0.0, high: float = 1.0, size: int = 1) -> np.ndarray:
        """Uniform numbers (n, size) in [low, high)."""
        bits = self._counters.bits(self.worlds, size)
        bits >>= np.uint64(11)
        numbers = bits * 2.0**-53
        if (low, high) != (0.0, 1.0):
            numbers *= high - low
            numbers += low
        return numbers

    def standard_normal(self, size: int = 1) -> np.ndarray:
        """Normal numbers (n, size) with mean 0 and deviation 1, by Box and Muller's method."""
        half = (size + 1) // 2
        numbers = self.uniform(size=2 * half)
        # contiguous: functions of numpy may have other bits in other layouts
        radius, angle = -numbers[:, :half], 2.0 * np.pi * numbers[:, half:]
        np.log1p(radius, out=radius)
        radius *= -2.0
        np.sqrt(radius, out=radius)
        np.multiply(radius, np.cos(angle), out=numbers[:, :half])
        np.multiply(radius, np.sin(angle), out=numbers[:, half:])
        return numbers[:, :size]

    def integers(self, low: Any, high: Any) -> np.ndarray:
        """Whole numbers (n,) from low to high, both included."""
        span = high - low + 1
        return low + np.minimum(self.uniform()[:, 0] * span, span - 1).astype(np.int64)


def _mixed(z: np.ndarray) -> np.ndarray:
    """The finalizer of SplitMix64: every bit of the result depends on every bit of z."""
    z ^= z >> _SHIFTS[0]
    z *= _FACTORS[0]
    z ^= z >> _SHIFTS[1]
    z *= _FACTORS[1]
    z ^= z >> _SHIFTS[2]
    return z
