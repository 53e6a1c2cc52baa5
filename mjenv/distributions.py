"""What randomization draws: distributions, when they are drawn, and how errors speak of them."""

from difflib import get_close_matches
from math import isfinite, log
from typing import Any, NamedTuple

import numpy as np

from mjenv.counters import Draws

_HOW = ("scale", "add", "set")
_WHEN = ("start", "reset")
_UNITS = ("seconds", "steps")


class Every(NamedTuple):
    """Again and again, after waits that are drawn uniformly.

    Attributes:
        low: shortest wait.
        high: longest wait; None for always the same.
        unit: "seconds" of simulated time, rounded to whole steps of the environment, or "steps".
    """

    low: float
    high: float | None = None
    unit: str = "seconds"

    def draw(self, rng: Draws, dt: float) -> np.ndarray:
        """Steps (nworld,) to wait, at least one."""
        return whole_steps(rng, self.low, self.high, self.unit, dt)


class Uniform(NamedTuple):
    """Uniform numbers in [low, high), one for each element.

    Attributes:
        low: lower limit.
        high: upper limit.
        how: what is done with a value: "scale" it, "add" to it, or "set" it. By default, fields of
            the model are scaled, and noise is added.
        of: names of the elements that are concerned, such as bodies; None for all.
        each: whether elements get numbers of their own, or all the same.
        when: for fields of the model: "start", once for every seed; "reset", for every episode;
            `Every(...)`, for every episode and at intervals in it.
    """

    low: float
    high: float
    how: str | None = None
    of: tuple[str, ...] | None = None
    each: bool = True
    when: Any = "reset"

    def draw(self, rng: Draws, count: int) -> np.ndarray:
        """Numbers (nworld, count)."""
        return rng.uniform(self.low, self.high, count)


class LogUniform(NamedTuple):
    """Numbers in [low, high), both above 0, whose logarithms are uniform; as `Uniform`.

    Attributes:
        low: lower limit.
        high: upper limit.
        how: as of `Uniform`.
        of: as of `Uniform`.
        each: as of `Uniform`.
        when: as of `Uniform`.
    """

    low: float
    high: float
    how: str | None = None
    of: tuple[str, ...] | None = None
    each: bool = True
    when: Any = "reset"

    def draw(self, rng: Draws, count: int) -> np.ndarray:
        """Numbers (nworld, count)."""
        return np.exp(rng.uniform(log(self.low), log(self.high), count))


class Normal(NamedTuple):
    """Normal numbers, one for each element.

    Attributes:
        mean: mean.
        deviation: standard deviation.
        how: what is done with a value: "scale" it, "add" to it, or "set" it.
        of: as of `Uniform`.
        each: as of `Uniform`.
        when: as of `Uniform`.
    """

    mean: float
    deviation: float
    how: str | None = "add"
    of: tuple[str, ...] | None = None
    each: bool = True
    when: Any = "reset"

    def draw(self, rng: Draws, count: int) -> np.ndarray:
        """Numbers (nworld, count)."""
        return self.mean + self.deviation * rng.standard_normal(count)


KINDS = (Uniform, LogUniform, Normal)


def whole_steps(rng: Draws, low: float, high: float | None, unit: str, dt: float) -> np.ndarray:
    """Steps (nworld,) of duration dt for times between low and high, at least one."""
    high = low if high is None else high
    if unit == "steps":
        return rng.integers(int(low), int(high))
    return np.maximum(1, np.rint(rng.uniform(low, high)[:, 0] / dt)).astype(np.int64)


def nearest(name: Any, known: Any) -> str:
    """A hint at the name that was probably meant, or nothing."""
    near = get_close_matches(str(name), list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def check_distribution(where: str, kind: Any) -> None:
    """Refuse what is not a distribution, or has no sense.

    Raises:
        TypeError: if it is something else.
        ValueError: if numbers, `how` or `when` make no sense.
    """
    if not isinstance(kind, KINDS):
        raise TypeError(
            f"{where} is {kind!r}, expected mjenv.Uniform, mjenv.LogUniform or mjenv.Normal"
        )
    numbers = kind[:2]
    if not all(isinstance(x, int | float | np.number) and isfinite(x) for x in numbers):
        raise ValueError(f"{where}: found {numbers}, expected two finite numbers")
    if isinstance(kind, Normal):
        if kind.deviation < 0:
            raise ValueError(f"{where}: deviation={kind.deviation}, expected at least 0")
    elif kind.low > kind.high:
        raise ValueError(f"{where}: low={kind.low} is above high={kind.high}; swap them")
    if isinstance(kind, LogUniform) and kind.low <= 0:
        raise ValueError(f"{where}: low={kind.low}, expected above 0 for its logarithm")
    if kind.how is not None and kind.how not in _HOW:
        raise ValueError(
            f"{where}: how={kind.how!r}, expected one of {_HOW}{nearest(kind.how, _HOW)}"
        )
    if isinstance(kind.of, str):
        raise TypeError(f"{where}: of={kind.of!r}, expected a tuple of names: ({kind.of!r},)")
    if isinstance(kind.when, Every):
        check_every(where, kind.when)
    elif kind.when not in _WHEN:
        raise ValueError(
            f"{where}: when={kind.when!r}, expected one of {_WHEN} or mjenv.Every(...)"
            f"{nearest(kind.when, _WHEN)}"
        )


def check_every(where: str, every: Any) -> None:
    """Refuse intervals that have no sense.

    Raises:
        TypeError: if it is something else than `Every`.
        ValueError: if its numbers or its unit make no sense.
    """
    if not isinstance(every, Every):
        raise TypeError(f"{where}: every={every!r}, expected mjenv.Every(low, high)")
    if every.unit not in _UNITS:
        raise ValueError(
            f"{where}: unit={every.unit!r}, expected one of {_UNITS}{nearest(every.unit, _UNITS)}"
        )
    check_range(f"{where}: Every", (every.low, every.high), every.unit)


def check_range(where: str, limits: tuple, unit: str) -> None:
    """Refuse waits or durations that are not positive and in order.

    Raises:
        ValueError: if they are not.
    """
    low, high = limits
    high = low if high is None else high
    numbers = int | np.integer if unit == "steps" else int | float | np.number
    right = all(isinstance(x, numbers) and isfinite(x) for x in (low, high))
    if not right or low > high or low <= 0:
        raise ValueError(
            f"{where}: found {low!r} to {high!r}, expected "
            + ("whole numbers of steps" if unit == "steps" else "seconds")
            + ", above 0 and the smaller one first"
        )


def changed(values: np.ndarray, numbers: np.ndarray, how: str) -> np.ndarray:
    """Values after numbers, of a shape that fits, were applied to them."""
    if how == "scale":
        return values * numbers
    if how == "add":
        return values + numbers
    return np.broadcast_to(numbers, values.shape)
