"""Statistics of several seeds: interquartile means, intervals, probability of improvement.

The statistics are those of Agarwal et al., "Deep reinforcement learning at the edge of the
statistical precipice" (2021), for one task: seeds are drawn again, with replacement, and intervals
are percentiles of what they bring. Their library, rliable, cannot be imported beside pandas 3.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

RESAMPLES, LEVEL = 10_000, 0.95


class Estimate(NamedTuple):
    """A number and its interval of 95 %; both ends are NaN where there are too few seeds.

    Attributes:
        value: of all seeds.
        low, high: ends of the interval.
    """

    value: float
    low: float
    high: float

    def text(self, form: str) -> str:
        """The number, and the interval if there is one, in a format such as ",.1f"."""
        ends = f" ({self.low:{form}} to {self.high:{form}})" if np.isfinite(self.low) else ""
        return f"{self.value:{form}}{ends}"


def interquartile_mean(returns: np.ndarray) -> Estimate:
    """Mean of the returns (n,) of seeds without the lowest and the highest quarter."""

    def middle(x: np.ndarray, axis: int = -1) -> Any:
        return stats.trim_mean(x, 0.25, axis=axis)

    return _estimate((np.asarray(returns, float),), middle)


def improvement(returns: np.ndarray, others: np.ndarray) -> Estimate:
    """Probability that a seed of `returns` (n,) is better than one of `others` (k,)."""

    def better(x: np.ndarray, y: np.ndarray, axis: int = -1) -> Any:
        pairs = x[..., :, None] - y[..., None, :]
        return (0.5 + 0.5 * np.sign(pairs)).mean((-2, -1))

    return _estimate((np.asarray(returns, float), np.asarray(others, float)), better)


def _estimate(samples: tuple[np.ndarray, ...], statistic: Callable[..., Any]) -> Estimate:
    """A statistic of samples, and percentiles of it over samples that are drawn again."""
    value = float(statistic(*samples))
    if min(map(len, samples)) < 2:
        return Estimate(value, np.nan, np.nan)
    # as all versions of scipy call it
    drawing: dict[str, Any] = {"random_state": np.random.default_rng(0)}
    found = stats.bootstrap(
        samples,
        statistic,
        n_resamples=RESAMPLES,
        confidence_level=LEVEL,
        method="percentile",
        **drawing,
    ).confidence_interval
    return Estimate(value, float(found.low), float(found.high))
