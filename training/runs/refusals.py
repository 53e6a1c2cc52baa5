"""Checks of a training's arguments, before it begins."""

from math import isfinite
from typing import Any

from mjenv.gym import lookup
from mjenv.training.cluster.worker_pool import Cluster
from mjenv.training.films.shot import Shot
from mjenv.training.runs.folders import VIDEO, Checkpoint, Run
from mjenv.training.settings import FromPictures, OffPolicy, Settings


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
        ValueError: the seed, the time limit, the film or an argument is invalid; or a module
            trains while it is imported for its environments.
    """
    # importing the module of an environment must not start a training
    if lookup.importing():
        raise ValueError(
            f"train: {lookup.importing()} trains when it is imported for its environments; "
            'put it under `if __name__ == "__main__":`'
        )
    # types and ranges that would fail only later
    if not isinstance(settings, Settings):
        raise TypeError(f"settings: found {settings!r}, expected those of `hyperparameters`")
    arguments = {"env_kwargs": env_kwargs, "training_env_kwargs": settings.training_env_kwargs}
    for which, given in arguments.items():
        for name in lookup.RESERVED.intersection(given or {}):
            raise ValueError(f"{which}: {name} is chosen by training; leave it out")
    if type(seed) is not int or not 0 <= seed < 2**32:
        raise ValueError(f"seed: found {seed!r}, expected a whole number from 0 to 2**32 - 1")
    if minutes is not None and not (isfinite(minutes) and minutes > 0):
        raise ValueError(f"minutes: found {minutes}, expected more than 0")
    for seconds in lengths:
        Shot(size).check(VIDEO, seconds or 1.0)


def check_evaluations(every: int | None, episodes: int) -> None:
    """Refuse evaluations on the way that there cannot be.

    Raises:
        ValueError: a number is not positive.
    """
    for name, value in {"eval_every": every, "eval_episodes": episodes}.items():
        if value is not None and (type(value) is not int or value < 1):
            raise ValueError(f"{name}: found {value!r}, expected a whole number from 1")


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


def check_left(run: Run, checkpoint: Checkpoint, settings: Settings) -> None:
    """Refuse to continue a run that has finished.

    Raises:
        ValueError: all its steps are done, or it has no transitions any more to learn from.
    """
    if checkpoint.steps >= settings.steps:
        raise ValueError(
            f"{run.folder}: found a run that has finished its {checkpoint.steps:,} steps, expected "
            f"more steps in total than those; add --steps (found {settings.steps:,})"
        )
    gone = run.finished and not checkpoint.transitions.exists()
    if gone and isinstance(settings, OffPolicy | FromPictures):
        raise ValueError(
            f"{run.folder}: has no {checkpoint.transitions.name} any more, expected the "
            f"transitions that {settings.algorithm} learns from; start a new run from its agent: "
            f"mjenv train ENV --algorithm {settings.algorithm} --from {run.folder}"
        )
