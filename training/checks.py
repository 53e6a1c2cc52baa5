"""What a training is refused for before it begins."""

from math import isfinite
from typing import Any

from mjenv import lookup
from mjenv.training.cluster.fleet import Cluster
from mjenv.training.film import Shot
from mjenv.training.hyperparameters import Hyperparameters, OffPolicy, Settings
from mjenv.training.runs import VIDEO


def check_options(
    settings: Settings,
    seed: int,
    minutes: float | None,
    lengths: tuple[float, ...],
    size: tuple[int, int],
    env_kwargs: dict[str, Any],
) -> None:
    """Refuse what would stop a training later, or have no effect.

    Raises:
        TypeError: the settings are something else.
        ValueError: the seed, the time limit, the film or an argument makes no sense.
    """
    if not isinstance(settings, Hyperparameters | OffPolicy):
        raise TypeError(f"settings: found {settings!r}, expected those of `hyperparameters`")
    for name in lookup.RESERVED.intersection(env_kwargs):
        raise ValueError(f"env_kwargs: {name} is chosen by training; leave it out")
    if type(seed) is not int or not 0 <= seed < 2**32:
        raise ValueError(f"seed: found {seed!r}, expected a whole number from 0 to 2**32 - 1")
    if minutes is not None and not (isfinite(minutes) and minutes > 0):
        raise ValueError(f"minutes: found {minutes}, expected more than 0")
    for seconds in lengths:
        Shot(size).check(VIDEO, seconds or 1.0)


def check_cluster(cluster: Cluster | None, settings: Settings) -> None:
    """Refuse a cluster that cannot train with some settings.

    Raises:
        ValueError: there are no workers, too many for the worlds, or for another algorithm.
    """
    if cluster is None:
        return
    if settings.algorithm != "PPO":
        raise ValueError(
            f"cluster: {settings.algorithm} learns in one process, expected PPO for workers"
        )
    if cluster.workers < 1 or settings.n_envs % cluster.workers:
        raise ValueError(
            f"cluster: {cluster.workers} workers for {settings.n_envs} worlds, expected a number "
            "of which that of the worlds is a multiple"
        )
