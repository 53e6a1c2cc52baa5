"""The tasks of the suite by name: lists of them, and `load`."""

from difflib import get_close_matches
from importlib import import_module
from typing import Any

import numpy as np

from mjenv.gym.env import Env
from mjenv.gym.registration import SUITE, SuiteRow
from mjenv.suite.environment import Environment


def _tagged(tag: str) -> tuple[tuple[str, str], ...]:
    return tuple(pair for pair, row in _ROWS.items() if tag in row.tags)


_NUMBERS = int, float, np.integer, np.floating
_ROWS = {(row.domain, row.task): row for row in SUITE}
ALL_TASKS = tuple(_ROWS)
BENCHMARKING, EASY, HARD = _tagged("benchmarking"), _tagged("easy"), _tagged("hard")
EXTRA = tuple(sorted(set(ALL_TASKS) - set(BENCHMARKING)))
TASKS_BY_DOMAIN = {
    domain: tuple(task for one, task in ALL_TASKS if one == domain) for domain, _ in ALL_TASKS
}


def load(
    domain_name: str,
    task_name: str,
    task_kwargs: dict[str, Any] | None = None,
    environment_kwargs: dict[str, Any] | None = None,
    visualize_reward: bool = False,
) -> Environment:
    """An environment of the suite with the interface of dm_env.

    Args:
        domain_name: name of the domain, such as "cheetah".
        task_name: name of the task, such as "run".
        task_kwargs: `random`, a seed or `numpy.random.RandomState`; `time_limit` in seconds; and
            parameters of the task.
        environment_kwargs: `flat_observation`, whether observations have one part;
            `n_sub_steps`, physics steps in a step, or `control_timestep` in seconds;
            `legacy_step`, False to observe what the last physics step was computed from.
        visualize_reward: whether colors show the reward of each step in pictures.

    Raises:
        ValueError: for an unknown domain, task or argument, or an invalid time step.
    """
    row = _row(domain_name, task_name)
    given, options = dict(task_kwargs or {}), dict(environment_kwargs or {})
    options |= given.pop("environment_kwargs", None) or {}
    random, time_limit = _random(given.pop("random", None)), given.pop("time_limit", None)
    flat, legacy = _flag(options, "flat_observation", False), _flag(options, "legacy_step", True)
    if time_limit is not None and not (isinstance(time_limit, _NUMBERS) and time_limit > 0):
        raise ValueError(
            f"suite.load: task_kwargs: time_limit={time_limit!r}, expected seconds above 0"
        )
    task = task_class(row)
    if not legacy:
        task = type(task.__name__, (task,), {"_renewed": False, "__module__": task.__module__})
    given |= _frame_skip(options, task, row)
    _refuse(given, task, "task_kwargs", ("random", "time_limit"))
    # a model that is drawn comes before the first episode
    if "random" in task.parameters():
        given["random"] = random
    env: Env = Env.of(task)(**given)
    limit = float("inf") if row.max_episode_steps is None else row.max_episode_steps
    limit = limit if time_limit is None else time_limit / env.dt
    return Environment(env, random, limit, flat, visualize_reward)


def task_class(row: SuiteRow) -> Any:
    """The class of a task."""
    module, _, name = row.path.partition(":")
    return getattr(import_module(module), name)


def _row(domain: str, task: str) -> SuiteRow:
    """The row of a task."""
    if domain not in TASKS_BY_DOMAIN:
        raise ValueError(f"suite.load: no domain {domain!r}{_near(domain, TASKS_BY_DOMAIN)}")
    if (domain, task) not in _ROWS:
        tasks = TASKS_BY_DOMAIN[domain]
        raise ValueError(f"suite.load: domain {domain!r} has no task {task!r}{_near(task, tasks)}")
    return _ROWS[domain, task]


def _near(name: str, known: Any) -> str:
    near = get_close_matches(str(name), list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else f", expected one of {list(known)}"


def _random(given: Any) -> np.random.RandomState:
    """Random numbers as they are, or of a seed."""
    if isinstance(given, np.random.RandomState):
        return given
    try:
        return np.random.RandomState(given)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"suite.load: task_kwargs: random={given!r}, expected a seed from 0 to 2**32 - 1, a "
            "numpy.random.RandomState, or None"
        ) from error


def _flag(options: dict[str, Any], name: str, default: bool) -> bool:
    """A choice between two."""
    value = options.pop(name, default)
    if not isinstance(value, bool | np.bool_):
        raise ValueError(
            f"suite.load: environment_kwargs: {name}={value!r}, expected True or False"
        )
    return bool(value)


def _refuse(given: dict[str, Any], task: Any, where: str, others: tuple[str, ...]) -> None:
    """Refuse arguments that a task does not have."""
    known = [*others, *task.parameters()]
    for name in given:
        if name not in known:
            raise ValueError(f"suite.load: {where}: found {name!r}{_near(name, known)}")


def _frame_skip(options: dict[str, Any], task: Any, row: SuiteRow) -> dict[str, Any]:
    """The number of physics steps in a step, where it is asked for."""
    nstep, seconds = options.pop("n_sub_steps", None), options.pop("control_timestep", None)
    known = ("flat_observation", "n_sub_steps", "control_timestep", "legacy_step")
    for name in options:
        raise ValueError(f"suite.load: environment_kwargs: found {name!r}{_near(name, known)}")
    if nstep is not None and seconds is not None:
        raise ValueError(
            "suite.load: environment_kwargs: found both n_sub_steps and control_timestep, expected "
            "one of them"
        )
    if seconds is None:
        return {} if nstep is None else {"frame_skip": nstep}
    timestep = task().model.opt.timestep
    nstep = round(seconds / timestep) if isinstance(seconds, _NUMBERS) else 0
    if nstep < 1 or abs(seconds / timestep - nstep) > 1e-8:
        raise ValueError(
            f"suite.load: control_timestep={seconds!r}, expected a multiple of the physics' time "
            f"step, {timestep} s"
        )
    return {"frame_skip": nstep}
