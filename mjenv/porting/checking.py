"""A port beside the environment itself, seed by seed and step by step, on the same engine."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from mjenv.porting.environment.common_generators import Alone
from mjenv.porting.environment.in_place import ours_by_name, ours_in_place
from mjenv.porting.environment.original import Original
from mjenv.porting.running.distances import NEAR, NEAR_SINGLE, distances
from mjenv.porting.running.program import leaves
from mjenv.porting.stand_ins.spaces import random_actions
from mjenv.porting.vector import PortedVectorEnv

_OTHERS = 8  # worlds that run beside, with seeds and actions of their own


class Difference(NamedTuple):
    """Result of a comparison.

    Attributes:
        first: the first difference above rounding, in words; "" if there is none.
        largest: the largest of observations and rewards, relative where numbers are above 1.
        steps: that were compared.
    """

    first: str
    largest: float
    steps: int


def check(
    target: str | Callable[..., Any],
    nseed: int = 3,
    nstep: int = 100,
    way: str | None = None,
    **kwargs: Any,
) -> Difference:
    """Compare observations, rewards, terminations and truncations.

    Args:
        target: see `mjenv.port`.
        nseed: seeds 0, 1, ...; each is a world of the port and an environment of its own.
        nstep: steps; episodes that end begin anew in both.
        way: see `PortedVectorEnv`.
        **kwargs: what the environment is made with.
    """
    # more worlds than seeds: worlds must not depend on how many there are
    ported = PortedVectorEnv(target, nseed + _OTHERS, way=way, **kwargs)
    # modules are set aside once for all
    with ours_in_place():
        singles = [Original(target, kwargs).env for _ in range(nseed)]
    # each asks `numpy.random` and `random` as if it were alone
    alone = [Alone(set()) for _ in singles]
    rng, space = np.random.default_rng(0), ported.single_action_space
    space.seed(0)
    observed, _ = ported.reset(seed=0)
    largest, ended = 0.0, [False] * nseed
    single = any(array.dtype == np.float32 for array in leaves(observed).values())
    near = NEAR_SINGLE if single else NEAR
    # observations of the same resets
    for seed, env in enumerate(singles):
        env.action_space.seed(seed)
        with ours_by_name(), alone[seed].lent(seed):
            found = env.reset(seed=seed)[0]
        apart, words = _apart(_row(observed, seed), found)
        largest = max(largest, apart)
        if apart > near:
            return Difference(f"seed {seed}, reset: observation{words}", largest, 0)
    # the same actions in both; episodes that end begin anew in both
    for step in range(nstep):
        actions = random_actions(space, rng, ported.num_envs)
        observed, rewards, terminated, truncated, _ = ported.step(actions)
        # each environment beside its world: observation, reward, ends
        for seed, env in enumerate(singles):
            with ours_by_name(), alone[seed].lent():
                if ended[seed]:
                    found, ends, cut = env.reset()[0], False, False
                    reward: Any = np.zeros_like(rewards[seed])
                else:
                    found, reward, ends, cut, _ = env.step(actions[seed].copy())
            ended[seed] = bool(ends or cut)
            apart, words = _apart(_row(observed, seed), found)
            gained = _relative(rewards[seed], reward)
            largest = max(largest, apart, gained)
            where = f"seed {seed}, step {step}: "
            if apart > near:
                return Difference(f"{where}observation{words}", largest, step)
            # some tasks compute theirs of observations in float32, in that type
            if gained > (NEAR_SINGLE if getattr(reward, "dtype", None) == np.float32 else near):
                return Difference(f"{where}reward {rewards[seed]!r}, {reward!r}", largest, step)
            for name, mine, theirs in (
                ("terminated", terminated[seed], ends), ("truncated", truncated[seed], cut),
            ):  # fmt: skip
                if bool(mine) != bool(theirs):
                    return Difference(f"{where}{name} {mine}, expected {theirs}", largest, step)
    return Difference("", largest, nstep)


def _row(observed: Any, world: int) -> Any:
    if isinstance(observed, dict):
        return {name: _row(array, world) for name, array in observed.items()}
    return observed[world]


def _relative(one: Any, other: Any) -> float:
    """The largest difference, relative to numbers above 1."""
    return float(distances(one, other).max(initial=0.0))


def _apart(one: Any, other: Any) -> tuple[float, str]:
    """Return the largest difference of two observations, and where it is, in words."""
    if isinstance(other, dict):
        parts = [(*_apart(one[name], other[name]), name) for name in other]
        apart, words, name = max(parts, key=lambda part: part[0])
        return apart, f" {name!r}{words}"
    one, other = np.asarray(one, np.float64).ravel(), np.asarray(other, np.float64).ravel()
    apart = distances(one, other)
    k = int(apart.argmax()) if len(one) else 0
    words = f"[{k}] {one[k]!r}, expected {other[k]!r}" if len(one) else ""
    return float(apart.max(initial=0.0)), words
