"""Distributions of randomization, when they are drawn, and how errors name them."""

from math import isfinite, log
from typing import Any, NamedTuple

import numpy as np

from mjenv.engine.errors import nearest
from mjenv.randomization.counters import Draws

_HOW = ("scale", "add", "set")
_WHEN = ("start", "reset")
_UNITS = ("seconds", "steps")
_AXES = ("same", "own")


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
    """Uniform numbers in [low, high), one for each element or for each of its components.

    Attributes:
        low: lower limit, or a tuple with that of each component, such as x, y and z.
        high: upper limit, likewise.
        how: what is done with a value: "scale" it, "add" to it, or "set" it. By default, fields of
            the model are scaled, and noise is added.
        of: names of the elements that are concerned, such as bodies; None for all.
        each: whether elements get numbers of their own, or all the same.
        when: for fields of the model: "start", once for every seed; "reset", for every episode;
            `Every(...)`, for every episode and at intervals in it.
        axes: for fields with several components: "own" numbers for each, or the "same" for all of
            an element; None: the same where values are scaled, own ones otherwise.
        within: limits (low, high) that new values are clipped to; None for none.
    """

    low: Any
    high: Any
    how: str | None = None
    of: tuple[str, ...] | None = None
    each: bool = True
    when: Any = "reset"
    axes: str | None = None
    within: tuple[float, float] | None = None

    def unit(self, rng: Draws, count: int) -> np.ndarray:
        """Numbers (nworld, count) in [0, 1)."""
        return rng.uniform(0.0, 1.0, count)

    def of_unit(self, unit: np.ndarray) -> np.ndarray:
        """The numbers that those of `unit` stand for, their components last."""
        low, high = np.asarray(self.low, float), np.asarray(self.high, float)
        return unit * (high - low) + low

    def draw(self, rng: Draws, count: int) -> np.ndarray:
        """Numbers (nworld, count)."""
        return self.of_unit(self.unit(rng, count))


class LogUniform(NamedTuple):
    """Numbers in [low, high), both above 0, whose logarithms are uniform; as `Uniform`.

    Attributes:
        low: lower limit, or a tuple.
        high: upper limit, or a tuple.
        how: see `Uniform`.
        of: see `Uniform`.
        each: see `Uniform`.
        when: see `Uniform`.
        axes: see `Uniform`.
        within: see `Uniform`.
    """

    low: Any
    high: Any
    how: str | None = None
    of: tuple[str, ...] | None = None
    each: bool = True
    when: Any = "reset"
    axes: str | None = None
    within: tuple[float, float] | None = None

    def unit(self, rng: Draws, count: int) -> np.ndarray:
        """Numbers (nworld, count) in [0, 1)."""
        return rng.uniform(0.0, 1.0, count)

    def of_unit(self, unit: np.ndarray) -> np.ndarray:
        """The numbers that those of `unit` stand for, their components last."""
        # the logarithms of the standard library, whose bits do not depend on the processor
        low, high = (np.vectorize(log)(np.asarray(x, float)) for x in (self.low, self.high))
        return np.exp(unit * (high - low) + low)

    def draw(self, rng: Draws, count: int) -> np.ndarray:
        """Numbers (nworld, count)."""
        return self.of_unit(self.unit(rng, count))


class Normal(NamedTuple):
    """Normal numbers, one for each element or for each of its components; as `Uniform`.

    Attributes:
        mean: mean, or a tuple with that of each component.
        deviation: standard deviation, likewise.
        how: what is done with a value: "scale" it, "add" to it, or "set" it.
        of: see `Uniform`.
        each: see `Uniform`.
        when: see `Uniform`.
        axes: see `Uniform`.
        within: see `Uniform`.
    """

    mean: Any
    deviation: Any
    how: str | None = "add"
    of: tuple[str, ...] | None = None
    each: bool = True
    when: Any = "reset"
    axes: str | None = None
    within: tuple[float, float] | None = None

    def unit(self, rng: Draws, count: int) -> np.ndarray:
        """Standard normal numbers (nworld, count)."""
        return rng.standard_normal(count)

    def of_unit(self, unit: np.ndarray) -> np.ndarray:
        """The numbers that those of `unit` stand for, their components last."""
        return np.asarray(self.mean, float) + np.asarray(self.deviation, float) * unit

    def draw(self, rng: Draws, count: int) -> np.ndarray:
        """Numbers (nworld, count)."""
        return self.of_unit(self.unit(rng, count))


KINDS = (Uniform, LogUniform, Normal)


def whole_steps(rng: Draws, low: float, high: float | None, unit: str, dt: float) -> np.ndarray:
    """Steps (nworld,) of duration dt for times between low and high, at least one."""
    high = low if high is None else high
    if unit == "steps":
        return rng.integers(int(low), int(high))
    return np.maximum(1, np.rint(rng.uniform(low, high)[:, 0] / dt)).astype(np.int64)


def check_distribution(where: str, kind: Any, ncomponent: int = 1) -> None:
    """Refuse what is not a distribution, or has no sense.

    Args:
        where: what errors start with.
        kind: what is to be one.
        ncomponent: how many numbers an element may have.

    Raises:
        TypeError: if it is something else.
        ValueError: if numbers or names are invalid.
    """
    if not isinstance(kind, KINDS):
        raise TypeError(
            f"{where} is {kind!r}, expected mjenv.Uniform, mjenv.LogUniform or mjenv.Normal"
        )
    _check_numbers(where, kind, ncomponent)
    # words that choose from a few
    if kind.how is not None and kind.how not in _HOW:
        raise ValueError(
            f"{where}: how={kind.how!r}, expected one of {_HOW}{nearest(str(kind.how), _HOW)}"
        )
    if kind.axes is not None and kind.axes not in _AXES:
        raise ValueError(
            f"{where}: axes={kind.axes!r}, expected one of {_AXES}{nearest(str(kind.axes), _AXES)}"
        )
    # names of elements, and when it is drawn
    if isinstance(kind.of, str):
        raise TypeError(f"{where}: of={kind.of!r}, expected a tuple of names: ({kind.of!r},)")
    if isinstance(kind.when, Every):
        check_every(where, kind.when)
    elif kind.when not in _WHEN:
        raise ValueError(
            f"{where}: when={kind.when!r}, expected one of {_WHEN} or mjenv.Every(...)"
            f"{nearest(str(kind.when), _WHEN)}"
        )


def _check_numbers(where: str, kind: Any, ncomponent: int) -> None:
    """Refuse invalid numbers of a distribution, or too many."""
    for name, given in zip(kind._fields, kind[:2], strict=False):
        numbers = given if isinstance(given, tuple | list | np.ndarray) else [given]
        if not all(isinstance(x, int | float | np.number) and isfinite(x) for x in numbers):
            raise ValueError(f"{where}: found {kind[:2]}, expected two finite numbers")
        if numbers is given and len(given) != ncomponent:
            raise ValueError(
                f"{where}: {name}={given}, expected "
                + (f"a number or {ncomponent} of them" if ncomponent > 1 else "a number")
            )
    first, second = (np.asarray(x, float) for x in kind[:2])
    if isinstance(kind, Normal):
        if np.any(second < 0):
            raise ValueError(f"{where}: deviation={kind.deviation}, expected at least 0")
    elif np.any(first > second):
        raise ValueError(f"{where}: low={kind.low} is above high={kind.high}; swap them")
    if isinstance(kind, LogUniform) and np.any(first <= 0):
        raise ValueError(f"{where}: low={kind.low}, expected above 0 for its logarithm")
    if kind.within is not None:
        limits = kind.within
        if not isinstance(limits, tuple | list) or len(limits) != 2 or not limits[0] <= limits[1]:
            raise ValueError(f"{where}: within={limits!r}, expected (low, high)")


def without_effect(where: str, kind: Any, **neutral: Any) -> None:
    """Refuse arguments of a distribution that count for fields of the model only.

    Args:
        where: what errors start with.
        kind: a distribution.
        **neutral: values of arguments that say nothing.

    Raises:
        ValueError: if one of them says something.
    """
    for name, value in neutral.items():
        if getattr(kind, name) != value:
            raise ValueError(
                f"{where}: {name}={getattr(kind, name)!r} has no meaning here, expected {value!r}; "
                "leave it out"
            )


def check_every(where: str, every: Any) -> None:
    """Refuse intervals that have no sense.

    Raises:
        TypeError: if it is something else than `Every`.
        ValueError: if its numbers or its unit are invalid.
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


def changed(values: np.ndarray, numbers: np.ndarray, kind: Any, how: str) -> np.ndarray:
    """Values after numbers, of a shape that fits, were applied to them as a distribution says.

    Args:
        values: the values.
        numbers: what was drawn.
        kind: the distribution.
        how: what is done if it does not say so.
    """
    how = kind.how or how
    if how == "scale":
        values = values * numbers
    elif how == "add":
        values = values + numbers
    else:
        values = np.broadcast_to(numbers, values.shape)
    return values if kind.within is None else np.clip(values, *kind.within)
