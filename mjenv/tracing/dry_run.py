"""A dry run of a task's functions: they must be pure, and names of their results must not clash."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from mjenv.task.controls import has_control
from mjenv.task.near_names import WeightsError
from mjenv.task.read_only import frozen, locked
from mjenv.task.task import Outcome, Task
from mjenv.tracing.dependencies import Dependencies, DependencyError, is_first

# what environments, wrappers and trainers report under these names
RESERVED = {
    "final_obs": "last observations of episodes",
    "final_info": "last infos of episodes",
    "final_observation": "last observations of episodes",
    "terminal_observation": "last observations of episodes",
    "episode": "statistics of episodes",
    "env_id": "numbers of environments",
    "diverged": "worlds whose state was no longer finite",
    "TimeLimit.truncated": "ends by the time limit",
}
_DRAWN = "randomized_"


def dry_run(task: Task, fields: Any, action: np.ndarray) -> Dependencies | None:
    """Call the functions of a task twice in one state, as if a step had changed nothing.

    Errors of the functions themselves are left for real steps to show, but for weights that do not
    fit the reward: what `gymnasium.make` was given.

    Args:
        task: the task.
        fields: the physics as it sees them.
        action: an action for all worlds.

    Returns:
        What the functions depend on besides their arguments; None if they have errors.

    Raises:
        DependencyError: if they change anything, or give something else when called again.
        ValueError: if two results have the same name, or one that environments need; or if weights
            do not fit.
    """
    found = None
    for again in (False, True):
        depends = Dependencies(task)
        try:
            # an action of its own, which is found where it is kept
            results = _call_all(task, fields, locked(action.copy()), depends, again)
        except DependencyError as error:
            depends.restore()
            raise DependencyError(f"{type(task).__name__}: {error}") from None
        except WeightsError as error:
            depends.restore()
            raise WeightsError(f"{type(task).__name__}.outcome: {error}") from None
        except Exception:
            depends.restore()
            return None
        if again and not _same(results, found):
            depends.restore()
            raise DependencyError(
                f"{type(task).__name__}: found functions that give something else when they are "
                "called again, expected results that depend on arguments and parameters only; "
                "draw random numbers in the method reset, from its rng"
            )
        found = results
    check_names(task, *found)
    return depends


def _call_all(
    task: Task, fields: Any, action: np.ndarray, depends: Dependencies, again: bool
) -> tuple[dict, dict, Outcome]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")

        def call(method: str, *arguments: Any) -> Any:
            with depends.following():
                result = getattr(task, method)(*arguments)
            refuse_changes(method, depends, again)
            return result

        remembered = frozen(call("before", fields))
        if has_control(task):
            call("control", fields, action)
        outcome = call("outcome", fields, action, remembered)
        if task._own_state.size:
            call("update", fields, action, remembered)
            call("due", fields)
        return call("observation", fields), call("info", fields), outcome


def refuse_changes(
    method: str,
    depends: Dependencies,
    again: bool = True,
    may_keep: Callable[[Any], bool] | None = None,
) -> None:
    """Refuse functions that have changed anything.

    Args:
        method: what was called last.
        depends: what is known to matter.
        again: whether it was not the first call, in which something may be kept for later.
        may_keep: whether that may be this value; None for what has not been traced.

    Raises:
        DependencyError: if something is different from before.
    """
    may_keep = may_keep or _is_number
    for path, old, new in depends.changes():
        if again or not is_first(old) or not may_keep(new):
            raise DependencyError(
                f"{method}: found a function that changes {path}, expected results that depend on "
                "arguments and parameters only: worlds start new episodes at different times, and "
                "share the task"
            )


def is_constant(value: Any) -> bool:
    """True if a value that `reset` keeps for later has not been drawn: an id, a name, or such."""
    return isinstance(value, int | np.integer | str | tuple) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    """True if a value has not been computed from traced arrays."""
    from mjenv.tracing.arrays import Traced

    if isinstance(value, dict | tuple | list):
        return all(map(_is_number, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, Traced)


def check_names(task: Task, observation: Any, info: Any, outcome: Any) -> None:
    """Refuse names that two results have, or that environments report something else under.

    Raises:
        ValueError: if there is such a name.
    """
    if not isinstance(outcome, Outcome) or not isinstance(outcome.reward, dict):
        return
    # each name is in one place only, and is none of those that environments use
    where, owners = type(task).__name__, {}
    for owner, named in (
        ("the method info", info),
        ("info of outcome", outcome.info or {}),
        ("reward of outcome", outcome.reward),
    ):
        for name in named:
            if not isinstance(name, str):
                raise ValueError(f"{where}: {owner}: found the name {name!r}, expected a string")
            if name in owners:
                raise ValueError(
                    f"{where}: {name!r} is both in {owners[name]} and in {owner}, and infos can "
                    "have one of them only; expected different names"
                )
            owners[name] = owner
            if name in RESERVED or name.startswith(_DRAWN):
                what = RESERVED.get(name, "what was drawn at random")
                raise ValueError(
                    f"{where}: {owner}: {name!r} is the name that infos have for {what}, expected "
                    "another one"
                )
    # Gymnasium marks by `_name` in which worlds `name` is given
    for name, owner in owners.items():
        if name[:1] == "_" and name[1:] in owners:
            raise ValueError(
                f"{where}: {owner}: {name!r} is the mask of {name[1:]!r} in {owners[name[1:]]}, "
                "expected another name"
            )


def _same(a: Any, b: Any) -> bool:
    """True if results have the same names, types, shapes and bits."""
    if isinstance(a, dict):
        return [*a] == [*b] and all(_same(a[name], b[name]) for name in a)
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(_same, a, b))
    if a is None or isinstance(a, str):
        return a == b
    a, b = np.asarray(a), np.asarray(b)
    return (a.dtype, a.shape) == (b.dtype, b.shape) and a.tobytes() == b.tobytes()
