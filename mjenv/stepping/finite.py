"""Rewards and observations that are not finite: where they come from, by term, part and world."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from mjenv.stepping.infos import masked


class NonFiniteError(ValueError):
    """A reward or an observation of a task that is infinite or no number."""


def refuse_rewards(
    where: str, rewards: Any, named: Mapping[str, Any], terms: Iterable[str], ids: np.ndarray
) -> None:
    """Name the first environment whose reward is not finite, and the term that is not.

    Args:
        where: what gave them, such as "step: Reach.outcome".
        rewards: (n,).
        named: infos, with the terms of the reward among them: (n,) each, or one number for all.
        terms: names of the terms.
        ids: (n,) numbers of the environments.

    Raises:
        NonFiniteError: there is one.
    """
    rewards = np.atleast_1d(rewards)
    bad = ~np.isfinite(rewards)
    if not bad.any():
        return
    row = int(bad.argmax())
    # the term to blame, if it is one
    for name in terms:
        term = masked(named[name], len(rewards), None)[row]
        if not np.isfinite(term):
            raise NonFiniteError(
                f"{where}: reward term {name!r} of environment {ids[row]} is {term}, expected "
                "finite numbers; look at what computes it"
            )
    raise NonFiniteError(
        f"{where}: the reward of environment {ids[row]} is {rewards[row]}, though its terms are "
        "finite, expected a finite sum; look at their sizes"
    )


def refuse_observations(
    where: str, observations: np.ndarray, sizes: Mapping[str, int], ids: np.ndarray
) -> None:
    """Name the first environment whose observation is not finite, and the part that is not.

    Args:
        where: what gave them, such as "step: Reach.observation".
        observations: (n, size), or (size,) of one environment.
        sizes: of the observation's parts, in their order.
        ids: (n,) numbers of the environments.

    Raises:
        NonFiniteError: there is one.
    """
    finite = np.isfinite(observations)
    if finite.all():
        return
    row, column = np.argwhere(~np.atleast_2d(finite))[0].tolist()
    value = np.atleast_2d(observations)[row, column]
    ends = np.cumsum([*sizes.values()])
    part = int(np.searchsorted(ends, column, "right"))
    # what is behind the parts has been observed before
    what = f"number {column}"
    if part < len(ends):
        name, size = [*sizes.items()][part]
        what = f"number {column - ends[part] + size} of {name!r}"
    raise NonFiniteError(
        f"{where}: {what} of environment {ids[row]} is {value}, expected finite numbers; look at "
        "what computes it"
    )
