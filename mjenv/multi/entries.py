"""Which tasks a vector environment of several has, and which of its worlds are whose."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mjenv.gym.lookup import environment_id
from mjenv.stepping.arguments import positive

_OWN = ("id", "num_envs")


class Entry(NamedTuple):
    """A task of several.

    Attributes:
        name: what it is called among them.
        env_id: its environment.
        share: its worlds in a round of all tasks.
        kwargs: keyword arguments of its environment.
    """

    name: str
    env_id: str
    share: int
    kwargs: dict[str, Any]


def entries_of(tasks: Any) -> tuple[Entry, ...]:
    """The tasks that a user asks for.

    Args:
        tasks: names of environments; or a dict of them with the number of worlds of each, or with
            a dict of keyword arguments, among which "num_envs" is that number, 1 by default, and
            "id" the environment, where the key is no name of one.

    Raises:
        TypeError: they are something else.
        ValueError: there is none, one is there twice, or is no environment.
    """
    if isinstance(tasks, Mapping):
        named = list(tasks.items())
    elif isinstance(tasks, Sequence) and not isinstance(tasks, str):
        named = [(name, 1) for name in tasks]
    else:
        raise TypeError(
            f"MultiVectorEnv: tasks={tasks!r}, expected names of environments, or a dict of them "
            "with numbers of worlds"
        )
    if not named:
        raise ValueError("MultiVectorEnv: tasks: found none, expected at least one")
    found = [_entry(name, value) for name, value in named]
    names = [entry.name for entry in found]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                f"MultiVectorEnv: tasks: found {name!r} {names.count(name)} times, expected each "
                f"once; give them names of their own: {{'a': {{'id': {name!r}}}, ...}}"
            )
    return tuple(found)


def _entry(name: Any, value: Any) -> Entry:
    if not isinstance(name, str):
        raise TypeError(f"MultiVectorEnv: tasks: found {name!r}, expected the name of a task")
    if isinstance(value, Mapping):
        kwargs = {key: one for key, one in value.items() if key not in _OWN}
        env_id, share = value.get("id", name), value.get("num_envs", 1)
    else:
        kwargs, env_id, share = {}, name, value
    own = name.rpartition(":")[2].removeprefix("mjenv/") if env_id == name else name
    share = positive(f"tasks[{name!r}]", share)
    return Entry(own, environment_id(env_id), share, kwargs)


def owners(entries: Sequence[Entry], num_envs: int | None) -> np.ndarray:
    """The number of the task of each world, (num_envs,).

    Tasks take turns, so that the first worlds are the same ones however many there are. In a round
    each has as many worlds as its share; None for one round.
    """
    shares = [entry.share for entry in entries]
    turns = [k for turn in range(max(shares)) for k, n in enumerate(shares) if turn < n]
    return np.resize(turns, len(turns) if num_envs is None else positive("num_envs", num_envs))


def rows_of(owner: np.ndarray, k: int) -> Any:
    """Worlds of a task: a slice where they are evenly spaced, else their numbers."""
    rows = np.flatnonzero(owner == k)
    gaps = np.diff(rows)
    if len(rows) and (gaps == gaps[:1]).all():
        step = int(gaps[0]) if len(gaps) else 1
        return slice(int(rows[0]), int(rows[-1]) + 1, step)
    return rows
