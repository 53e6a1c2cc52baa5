"""Whole episodes: their returns, lengths and terms of the reward."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

# Steps after which an episode is cut off where the environment has no limit of its own.
LONGEST = 10_000

Act = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Episodes:
    """Whole episodes.

    Attributes:
        returns: undiscounted sum of the rewards of each, (n,).
        lengths: steps of each, (n,).
        terms: name -> sum of a term of the reward in each, (n,).
        success: whether each ended with success, (n,) bool, where the task tells `is_success`;
            of several tasks (n,), nan where one does not.
        tasks: name of the task of each, (n,), where there are several.
    """

    returns: np.ndarray
    lengths: np.ndarray
    terms: dict[str, np.ndarray] = field(default_factory=dict)
    success: np.ndarray | None = None
    tasks: np.ndarray | None = None

    def summary(self) -> dict[str, float]:
        """Their number, the mean, deviation and extremes of returns, and the mean length.

        Of tasks that tell it, also the share that ended with success.
        """
        returns, told = self.returns, {}
        if self.success is not None and not np.isnan(self.success).all():
            told["success"] = float(np.nanmean(self.success))
        return {
            "episodes": int(returns.size),
            "mean": float(returns.mean()),
            "std": float(returns.std()),
            "min": float(returns.min()),
            "max": float(returns.max()),
            "length": float(self.lengths.mean()),
            **told,
        }

    def of_tasks(self) -> dict[str, "Episodes"]:
        """Those of each task, where there are several."""
        found = {}
        for name in dict.fromkeys(() if self.tasks is None else self.tasks.tolist()):
            own = self.tasks == name
            terms = {term: sums[own] for term, sums in self.terms.items()}
            terms = {term: sums for term, sums in terms.items() if not np.isnan(sums).all()}
            success = None if self.success is None else self.success[own]
            found[name] = Episodes(self.returns[own], self.lengths[own], terms, success)
        return found

    def table(self) -> list[str]:
        """Lines with the mean sum of each term of the reward, and with its mean in a step.

        Of several tasks, each has a line with its return before its own terms.
        """
        if self.tasks is not None:
            return [line for name, one in self.of_tasks().items() for line in one._lines(name)]
        steps = float(self.lengths.mean())
        rows = [(name, sums.mean(), sums.mean() / steps) for name, sums in self.terms.items()]
        width = max((len(name) for name in self.terms), default=0)
        head = [f"  {'term':{width}}  {'episode':>10}  {'step':>9}"] if rows else []
        return [*head, *(f"  {name:{width}}  {a:>10,.1f}  {b:>9.4f}" for name, a, b in rows)]

    def _lines(self, task: str) -> list[str]:
        """The lines of one task of several."""
        found = self.summary()
        success = f", success {found['success']:.0%}" if "success" in found else ""
        spread = f"return {found['mean']:,.1f} +- {found['std']:,.1f}"
        count = f"{found['episodes']} episodes of {found['length']:,.0f} steps"
        return [f"{task}: {spread} in {count}{success}", *self.table()]
